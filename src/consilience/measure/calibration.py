"""Can relevances be trusted here? Learns a workspace's own calibration from a golden set.

Questions are asked as a person asks them; of the first hits, those with a judged text are relevant.
Where the set has too few questions without an answer, questions of other subjects are asked as
well. Whether what is learned is better than what is shipped is tried by cross-validation in five
parts. It is adopted only if it is significantly closer to the labels there, and no worse at
recognizing questions that have no answer. The shipped `Answerable`, which predicts whether anything
answers at all, stays where it refuses no worse than what is learned. The questions that were
learned from are recorded: later numbers on them prove nothing. Questions that tuning kept out are
not used.

The weights are those that make the labels most likely (logistic regression), each of 0 or more.
Every question counts the same, however many hits it has; questions with an answer and those without
count the same together. A prior pulls the weights to those of another calibration, as much as a few
dozen questions do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from consilience.engine import find_exact_matches, search
from consilience.engine.relevance import (
    FILE,
    SIGNS,
    Answerable,
    Best,
    Calibration,
    Signs,
    abstains,
    best_of,
    shipped,
    signs_of,
)
from consilience.errors import UsageError
from consilience.evidence.ingest import Progress, Silent
from consilience.measure.controls import read_off_topic_data
from consilience.measure.data_model import (
    Comparison,
    Golden,
    Question,
    ResolvedLabels,
    Run,
    Way,
    judged_questions,
)
from consilience.measure.derived_passages import answer_of, derived_in, resolve_derived
from consilience.measure.evaluation import resolve_for_measuring
from consilience.measure.golden import question_digest, write_atomically
from consilience.measure.runs import LIMIT, patient_engine
from consilience.measure.seen_questions import forget_records, read_seen_questions
from consilience.measure.statistics import compare, explain_gain, is_better
from consilience.pack import Pack
from consilience.types import Query, Result
from consilience.worker_pool import run_sync
from consilience.workspace import STORE, Workspace

FOLDS = 5
FEWEST = 10
"""Judged questions that learning needs."""
UNANSWERABLE = 10
"""With fewer questions that have no answer, questions of other subjects are asked too."""
SLACK = 0.05
"""By so much the learned calibration may separate the two sorts of questions worse."""
BINS = 10
FEW_QUESTIONS = 50
"""With fewer judged questions only the base is learned; the weights stay those of the prior."""
_PRIOR_PULL = 2.0  # about as much as 30 questions
_NO_PRIOR_PULL = 1e-4  # enough to keep weights finite
_OTHER_SUBJECT = "elsewhere: "
_MOST_WORDS = 0.8
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One hit of a question: its signals, and whether a person judged it relevant.

    `answerable` says whether the question has an answer here at all, and `best` are the best
    signals of all its hits, where a reranker read them.
    """

    question: str
    signs: Signs
    relevant: bool
    answerable: bool = True
    best: Best | None = None


ScoredSample = tuple[Sample, float | None]
"""A hit with the relevance that it was given."""


class Bin(NamedTuple):
    """The hits of about the same relevance: the mean given, and the share that was relevant.

    Weighted as in learning: answerable and unanswerable questions count the same.
    """

    given: float
    came: float
    hits: int
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationQuality:
    """How a calibration does on questions: Brier score, calibration error, bins, refusals."""

    brier: float
    error: float
    bins: tuple[Bin, ...]
    refusals: dict[str, float | None]

    @property
    def separation(self) -> float:
        """The share refused of the unanswerable questions less that of the answerable ones."""
        unanswerable, answerable = self.refusals["unanswerable"], self.refusals["answerable"]
        return (unanswerable or 0.0) - (answerable or 0.0)

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "brier": round(self.brier, 4),
            "calibration_error": round(self.error, 4),
            "refusals": self.refusals,
            "bins": [
                {
                    "relevance": round(each.given, 4),
                    "relevant": round(each.came, 4),
                    "hits": each.hits,
                }
                for each in self.bins
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationTrial:
    """A learned calibration, how it does on unseen questions, and whether to adopt it.

    `before` is how the shipped calibration does on the same questions, None where there is none.
    `digests` are those of the questions learned from, and `left_out` were kept out before.
    """

    calibration: Calibration
    held_out: CalibrationQuality
    before: CalibrationQuality | None
    gain: Comparison
    adopt: bool
    message: str
    digests: tuple[str, ...] = ()
    left_out: int = 0

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "adopt": self.adopt,
            "told": self.message,
            "left_out": self.left_out,
            "calibration": self.calibration.as_json(),
            "held_out": self.held_out.as_json(),
            "shipped": self.before.as_json() if self.before else None,
            "gain": rounded_gain(self.gain),
        }


def rounded_gain(comparison: Comparison) -> dict[str, float]:
    """A gain with its interval and p, for `--json`."""
    gain = comparison.gain
    values = {"mean": gain.mean, "low": gain.low, "high": gain.high, "p": comparison.p}
    return {name: round(value, 4) for name, value in values.items()}


def calibrate(
    workspace: Workspace, golden: Golden, *, progress: Progress | None = None
) -> CalibrationTrial:
    """Learn from a golden set, and try it on questions that it was not learned from."""
    kept_out = read_seen_questions(workspace.folder).kept_out
    free = [question for question in golden.questions if question_digest(question) not in kept_out]
    count, left = len(judged_questions(free)), len(golden.questions) - len(free)
    if count < FEWEST:
        beside = f" beside {left} that tuning kept out" if left else ""
        raise UsageError(
            f"{golden.name} has {count} judged questions{beside}, and a calibration needs "
            f"{FEWEST}; `consilience golden suggest` proposes more"
        )
    resolved = resolve_for_measuring(golden, workspace).restricted_to(free)
    samples = gather_samples(workspace, resolved, progress=progress)
    digests = {question.id: question_digest(question) for question in free}
    trial = try_calibration(
        samples,
        model=workspace.embedder.name,
        prior=shipped(workspace.embedder.name),
        floor=workspace.settings.refine.floor,
        digests=digests,
    )
    calibration = replace(
        trial.calibration, origin=golden.name, fingerprint=workspace.catalogue.fingerprint()
    )
    used = {digests[sample.question] for sample in samples if sample.question in digests}
    return replace(trial, calibration=calibration, digests=tuple(sorted(used)), left_out=left)


def try_calibration(
    samples: Sequence[Sample],
    *,
    model: str,
    prior: Calibration | None,
    floor: float,
    digests: Mapping[str, str] | None = None,
) -> CalibrationTrial:
    """What these samples teach, against the prior on held-out questions.

    Without a prior it must beat a relevance that is the same for every hit. Questions of one
    digest are held out together, so that the same text is never on both sides.
    """
    held_out = cross_validate(samples, digests or {}, model=model, prior=prior)
    baseline = prior or _constant_calibration(samples, model)
    before = score_samples([sample for sample, _ in held_out], baseline)
    gain = compare(
        {key: -value for key, value in brier_losses(held_out).items()},
        {key: -value for key, value in brier_losses(before).items()},
        names=("own", "shipped" if prior else "constant"),
        measure="Brier",
    )
    has_best = any(sample.best for sample in samples)  # what `Answerable` needs
    answerable = prior.answerable if prior and has_best else None
    shipped_quality = measure_quality(before, floor, answerable)
    own = measure_quality(held_out, floor, answerable)
    alone = measure_quality(held_out, floor)
    if answerable is None or own.separation < alone.separation:
        own, answerable = alone, None
    is_weaker = prior is not None and own.separation < shipped_quality.separation - SLACK
    return CalibrationTrial(
        calibration=replace(
            fit_calibration(samples, model=model, prior=prior),
            questions=gain.gain.count,
            told={"brier": round(own.brier, 4), "calibration_error": round(own.error, 4)},
            answerable=answerable,
        ),
        held_out=own,
        before=shipped_quality if prior else None,
        gain=gain,
        adopt=is_better(gain) and not is_weaker,
        message=_explain(gain, prior, weaker_at=floor if is_weaker else None),
    )


def _explain(gain: Comparison, prior: Calibration | None, *, weaker_at: float | None) -> str:
    than = "the shipped one" if prior else "the same relevance for every hit"
    message = (
        f"{explain_gain(gain)}; so far the Brier score falls from that of {than}, on "
        f"{gain.gain.count} questions that it was not learned from"
    )
    if prior is not None and gain.gain.count < FEW_QUESTIONS:
        message += f"; below {FEW_QUESTIONS} questions only the base is learned"
    if weaker_at is not None:
        message += (
            "; but it tells questions without an answer less well from others at refine.floor = "
            f"{weaker_at:g}"
        )
    return message


def adopt_calibration(workspace: Workspace, trial: CalibrationTrial) -> Path:
    """Store a calibration in the workspace, with its questions and its quality on unseen ones.

    Questions that an earlier one was learned from stay on record until it is forgotten.
    """
    path = workspace.folder / STORE / FILE
    calibrated = read_seen_questions(workspace.folder).calibrated
    values = {
        **trial.calibration.as_json(),
        "digests": sorted(calibrated | set(trial.digests)),
        "held_out": trial.held_out.as_json(),
    }
    write_atomically(path, json.dumps(values, ensure_ascii=False, indent=2) + "\n")
    return path


def forget_calibration(folder: Path) -> bool:
    """Go back to the shipped calibration; whether there was another."""
    return forget_records(folder, FILE)


# --- samples ----------------------------------------------------------------------------


def gather_samples(
    workspace: Workspace, resolved: ResolvedLabels, *, progress: Progress | None = None
) -> list[Sample]:
    """The first hits of every question that is judged or known to have no answer."""
    engine = patient_engine(workspace.engine)
    unanswerable = [question for question in resolved.golden.questions if question.unanswerable]
    if len(unanswerable) < UNANSWERABLE:
        # Not those of the control `off_topic_refused`, which must stay unseen to prove anything.
        unanswerable += [
            Question(id=f"{_OTHER_SUBJECT}{number}", text=text, unanswerable=True)
            for number, text in enumerate(read_off_topic_data()["other_subjects"])
        ]
    questions = [*judged_questions(resolved.golden.questions), *unanswerable]
    prior = shipped(workspace.embedder.name)
    answerable = prior.answerable if prior else None
    progress = progress or Silent()
    progress.stage("asking", total=len(questions), unit="questions")
    samples: list[Sample] = []
    for question in questions:
        result = run_sync(search(Query(text=question.text, limit=LIMIT), engine))
        labels = _labels_for(result, question, resolved)
        found = samples_of(result, question, labels, pack=workspace.pack, answerable=answerable)
        if not question.id.startswith(_OTHER_SUBJECT) or not _may_be_answered(found, prior):
            samples.extend(found)
        progress.advance()
    return samples


def _labels_for(result: Result, question: Question, resolved: ResolvedLabels) -> ResolvedLabels:
    """The labels with what was created for a question, as in an evaluation."""
    answer = answer_of(question.id, [(hit.passage.id, hit.score) for hit in result.hits])
    run = Run(way=Way(name="merged", kind="merged"), answers={question.id: answer})
    derived = derived_in(result.trace.rankings)
    return resolve_derived(
        resolved, [run], lambda ids: {key: derived[key] for key in ids if key in derived}
    )


def samples_of(
    result: Result,
    question: Question,
    resolved: ResolvedLabels,
    *,
    pack: Pack,
    answerable: Answerable | None = None,
) -> list[Sample]:
    """The hits of one question with their signals and labels."""
    hits = [*result.hits, *result.more]
    best = best_of(hits, question.text, answerable.reranker) if answerable else None
    exact = find_exact_matches(result.hits, result.trace.plan, pack, sure=result.trace.sure)
    signals = signs_of(result.hits, question.text, exact)
    return [
        Sample(
            question=question.id,
            signs=signs,
            relevant=resolved.grade_of(question.id, hit.passage.id) > 0,
            answerable=not question.unanswerable,
            best=best,
        )
        for hit, signs in zip(result.hits, signals, strict=True)
    ]


def _may_be_answered(samples: Sequence[Sample], prior: Calibration | None) -> bool:
    """Whether this corpus may answer a question of another subject: then it teaches nothing."""
    if prior is None:
        return any(sample.signs.words > _MOST_WORDS for sample in samples)
    return any((prior.relevance(sample.signs) or 0.0) >= 0.5 for sample in samples)


# --- fitting ----------------------------------------------------------------------------


def fit_calibration(
    samples: Sequence[Sample], *, model: str, prior: Calibration | None = None
) -> Calibration:
    """The calibration that makes these labels most likely."""
    known = [sample for sample in samples if sample.signs.meaning is not None]
    rows = [
        [1.0, sample.signs.meaning or 0.0, sample.signs.words, sample.signs.first]
        for sample in known
    ]
    centre = [prior.base, *(prior.weights[name] for name in SIGNS)] if prior else [0.0] * 4
    is_thin = prior is not None and len({sample.question for sample in known}) < FEW_QUESTIONS
    base, *weights = fit_logistic(
        rows,
        [sample.relevant for sample in known],
        sample_weights(known),
        centre=centre,
        pull=_PRIOR_PULL if prior else _NO_PRIOR_PULL,
        bounds=[(None, None), *((at, at) if is_thin else (0.0, None) for at in centre[1:])],
    )
    named = {name: max(0.0, value) for name, value in zip(SIGNS, weights, strict=True)}
    return Calibration(model=model, base=base, weights=named)


def fit_logistic(
    rows: Sequence[Sequence[float]],
    labels: Sequence[bool],
    weights: Sequence[float],
    *,
    centre: Sequence[float],
    pull: float,
    bounds: Sequence[tuple[float | None, float | None]],
) -> list[float]:
    """The base and weights within bounds under which the labels are most likely, rounded."""
    from scipy.optimize import minimize  # noqa: PLC0415 (takes long to load)

    table: Numbers = np.array(rows, dtype=np.float64).reshape(-1, len(centre))
    wanted, counts = np.array(labels, dtype=np.float64), np.array(weights, dtype=np.float64)
    start: Numbers = np.array(centre)

    def loss(found: Numbers) -> tuple[float, Numbers]:
        total = table @ found
        chance = 1 / (1 + np.exp(-np.clip(total, -500, 500)))
        away = found - start
        value = counts @ (np.logaddexp(0, total) - wanted * total) + pull * away @ away
        return float(value), table.T @ (counts * (chance - wanted)) + 2 * pull * away

    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x.tolist()
    return [round(value, 4) for value in found]


def sample_weights(samples: Sequence[Sample]) -> list[float]:
    """How much each hit counts: 1 a question on average, the same for either sort of question."""
    hits: dict[str, int] = {}
    sorts: dict[str, bool] = {}
    for sample in samples:
        hits[sample.question] = hits.get(sample.question, 0) + 1
        sorts[sample.question] = sample.answerable
    number = {sort: sum(own == sort for own in sorts.values()) for sort in (True, False)}
    both = 2 if number[True] and number[False] else 1
    return [
        len(sorts) / both / number[sample.answerable] / hits[sample.question] for sample in samples
    ]


def _constant_calibration(samples: Sequence[Sample], model: str) -> Calibration:
    """The same relevance for every hit: what is known without looking at it."""
    bare = [
        replace(sample, signs=replace(sample.signs, meaning=0.0, words=0.0, first=0.0))
        for sample in samples
    ]
    return replace(fit_calibration(bare, model=model), weights=dict.fromkeys(SIGNS, 0.0))


# --- quality ----------------------------------------------------------------------------


def cross_validate(
    samples: Sequence[Sample], digests: Mapping[str, str], *, model: str, prior: Calibration | None
) -> list[ScoredSample]:
    """Every sample with the relevance that it gets by what the other folds teach."""
    folds: list[list[Sample]] = [[] for _ in range(FOLDS)]
    for sample in samples:
        text = digests.get(sample.question, sample.question)
        fold = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0] % FOLDS
        folds[fold].append(sample)
    held_out: list[ScoredSample] = []
    for unseen in folds:
        rest = [sample for fold in folds if fold is not unseen for sample in fold]
        if rest and unseen:
            calibration = fit_calibration(rest, model=model, prior=prior)
            held_out.extend(score_samples(unseen, calibration))
    return held_out


def score_samples(samples: Sequence[Sample], calibration: Calibration) -> list[ScoredSample]:
    """The samples with the relevance that a calibration gives each."""
    return [(sample, calibration.relevance(sample.signs)) for sample in samples]


def measure_quality(
    samples: Sequence[ScoredSample], floor: float, answerable: Answerable | None = None
) -> CalibrationQuality:
    """How the relevances that were given compare with the labels."""
    bins, losses = reliability(samples), brier_losses(samples)
    total = sum(each.weight for each in bins)
    distance = sum(abs(each.given - each.came) * each.weight for each in bins)
    return CalibrationQuality(
        brier=sum(losses.values()) / len(losses) if losses else 0.0,
        error=distance / total if total else 0.0,
        bins=tuple(bins),
        refusals=refused_shares(samples, floor, answerable),
    )


def brier_losses(samples: Sequence[ScoredSample]) -> dict[str, float]:
    """By question: the mean squared distance of relevance and label (Brier); lower is better."""
    values: dict[str, list[float]] = {}
    for sample, relevance in samples:
        distance = (0.5 if relevance is None else relevance) - sample.relevant
        values.setdefault(sample.question, []).append(distance * distance)
    return {question: sum(found) / len(found) for question, found in values.items()}


def reliability(samples: Sequence[ScoredSample]) -> list[Bin]:
    """Relevance given and share relevant, in equal steps of relevance."""
    known = [(sample, value) for sample, value in samples if value is not None]
    weights = sample_weights([sample for sample, _ in known])
    return bin_relevances(
        (value, sample.relevant, weight)
        for (sample, value), weight in zip(known, weights, strict=True)
    )


def bin_relevances(values: Iterable[tuple[float, bool, float]]) -> list[Bin]:
    """Relevances with their labels and weights, in steps of a tenth."""
    groups: dict[int, list[tuple[float, bool, float]]] = {}
    for value in values:
        groups.setdefault(min(int(value[0] * BINS), BINS - 1), []).append(value)
    found = []
    for _, group in sorted(groups.items()):
        total = sum(weight for _, _, weight in group)
        given = sum(value * weight for value, _, weight in group) / total
        came = sum(label * weight for _, label, weight in group) / total
        found.append(Bin(given=given, came=came, hits=len(group), weight=total))
    return found


def refused_shares(
    samples: Sequence[ScoredSample], floor: float, answerable: Answerable | None = None
) -> dict[str, float | None]:
    """The share of questions that a search refuses at the floor: unanswerable, and answerable."""
    by_question: dict[str, list[ScoredSample]] = {}
    for sample, value in samples:
        by_question.setdefault(sample.question, []).append((sample, value))
    refused: dict[bool, list[bool]] = {True: [], False: []}
    for found in by_question.values():
        first = found[0][0]
        chance = answerable.chance(first.best) if answerable and first.best else None
        signals, values = [sample.signs for sample, _ in found], [value for _, value in found]
        refused[first.answerable].append(abstains(signals, values, floor, chance))
    return {
        name: sum(group) / len(group) if group else None
        for name, group in (("unanswerable", refused[False]), ("answerable", refused[True]))
    }
