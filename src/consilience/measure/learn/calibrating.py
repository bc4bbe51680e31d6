"""Can relevances be trusted here? Learns a workspace's own calibration from a golden set.

Questions are asked as a person asks them; of the first hits, those that hold a judged text are
relevant. Where the set has too few questions without an answer, questions of other subjects are
asked as well. Whether what is learned is better than what is shipped is tried on questions that it
has not seen, in five parts by turns. Only what is better there is kept: shown to be nearer to the
labels, and no worse at telling questions that have no answer. The part of the shipped one that
tells whether anything answers at all rests on signs that no labels here change; it stays where it
refuses no worse than what is learned. Which questions taught it, and how it
did on unseen ones, is kept with it: later numbers on the same questions prove nothing. Questions
that tuning or learning kept out are not looked at.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from consilience.errors import UsageError
from consilience.ingest import Progress, Silent
from consilience.measure.conditions import LIMIT
from consilience.measure.golden.files import question_digest
from consilience.measure.golden.resolve import resolve
from consilience.measure.learn.asking import patient_engine, refuse_unfit
from consilience.measure.learn.elsewhere import ELSEWHERE
from consilience.measure.learn.likelihood import (
    THIN,
    Bin,
    Given,
    Sample,
    best_floor,
    calibration_error,
    given,
    learn,
    losses,
    refused,
    reliability,
)
from consilience.measure.rules import pays
from consilience.measure.scoring.statistics import compare
from consilience.measure.seen import seen, write_whole
from consilience.measure.values import Comparison, Golden, Question, Resolved, judged
from consilience.pack import Pack
from consilience.pipeline import meant, search
from consilience.relevance import FILE, SIGNS, Answerable, Calibration, best_of, shipped, signs_of
from consilience.threads import finished
from consilience.types import Query, Result
from consilience.workspace import STORE, Workspace

FOLDS = 5
FEWEST = 10
"""Judged questions without which nothing is learned."""
UNANSWERABLE = 10
"""With fewer questions that have no answer, questions of other subjects are asked too."""
SLACK = 0.05
"""By so much what is learned may part the two sorts of questions worse than what is shipped."""
_WEAKER = "but it tells questions without an answer less well from others at refine.floor = "
_ELSEWHERE = "elsewhere: "
_MOST_WORDS = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """How a calibration does on questions: Brier score, calibration error, bins, refusals."""

    brier: float
    error: float
    bins: tuple[Bin, ...]
    refusals: dict[str, float | None]

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "brier": round(self.brier, 4),
            "calibration_error": round(self.error, 4),
            "refusals": self.refusals,
            "bins": [
                {
                    "relevance": round(one.given, 4),
                    "relevant": round(one.came, 4),
                    "hits": one.hits,
                }
                for one in self.bins
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedCalibration:
    """What was learned, how it does on questions it has not seen, and whether to keep it.

    `before` is how the shipped calibration does on the same questions, None where there is none.
    `floor` would part answerable from unanswerable questions best, with `at_floor` refused.
    `digests` are those of the questions that taught it, and `left_out` were kept out before.
    """

    calibration: Calibration
    held_out: Measured
    before: Measured | None
    gain: Comparison
    adopt: bool
    told: str
    floor: float | None = None
    at_floor: dict[str, float | None] = field(default_factory=dict)
    digests: tuple[str, ...] = ()
    left_out: int = 0

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "adopt": self.adopt,
            "told": self.told,
            "left_out": self.left_out,
            "calibration": self.calibration.as_json(),
            "held_out": self.held_out.as_json(),
            "best_floor": self.floor,
            "refusals_at_best_floor": self.at_floor,
            "shipped": self.before.as_json() if self.before else None,
            "gain": {
                "mean": round(self.gain.gain.mean, 4),
                "low": round(self.gain.gain.low, 4),
                "high": round(self.gain.gain.high, 4),
                "p": round(self.gain.p, 4),
            },
        }


def calibrate(
    workspace: Workspace, golden: Golden, *, progress: Progress | None = None
) -> TriedCalibration:
    """Learn from a golden set, and try it on questions that it was not learned from."""
    kept_out = seen(workspace.folder).kept_out
    free = [one for one in golden.questions if question_digest(one) not in kept_out]
    count, left = len(judged(free)), len(golden.questions) - len(free)
    if count < FEWEST:
        without = f" beside {left} that tuning or learning kept out" if left else ""
        raise UsageError(
            f"{golden.name} has {count} judged questions{without}, and a calibration needs "
            f"{FEWEST}; `consilience golden suggest` proposes more"
        )
    refuse_unfit(workspace, golden)
    resolved = resolve(replace(golden, questions=tuple(free)), workspace.catalogue)
    samples = gather_samples(workspace, resolved, progress=progress)
    digests = {one.id: question_digest(one) for one in free}
    made = decide(
        samples,
        model=workspace.embedder.name,
        prior=shipped(workspace.embedder.name),
        floor=floor_of(workspace),
        digests=digests,
    )
    found = replace(
        made.calibration, origin=golden.name, fingerprint=workspace.catalogue.fingerprint()
    )
    taught = {digests[one.question] for one in samples if one.question in digests}
    return replace(made, calibration=found, digests=tuple(sorted(taught)), left_out=left)


def decide(
    samples: Sequence[Sample],
    *,
    model: str,
    prior: Calibration | None,
    floor: float,
    digests: Mapping[str, str] | None = None,
) -> TriedCalibration:
    """What these samples teach, against the prior on held-out questions.

    Without a prior it must beat a relevance that is the same of every hit. Questions of one digest
    are held out together, so that the same text never stands on both sides.
    """
    held = held_out(samples, digests or {}, model=model, prior=prior)
    before = given([one for one, _ in held], prior or _flat(samples, model))
    gain = compare(
        {key: -value for key, value in losses(held).items()},
        {key: -value for key, value in losses(before).items()},
        names=("own", "shipped" if prior else "constant"),
        measure="Brier",
    )
    tried = _tried(prior, samples)
    other = measured(before, floor, tried)
    own, part = _stays(held, floor, tried)
    wins, told = pays(gain)
    weaker = prior is not None and _parts(own) < _parts(other) - SLACK
    found = replace(
        learn(samples, model=model, prior=prior),
        questions=gain.gain.count,
        told={"brier": round(own.brier, 4), "calibration_error": round(own.error, 4)},
        answerable=part,
    )
    return TriedCalibration(
        calibration=found,
        held_out=own,
        before=other if prior else None,
        gain=gain,
        adopt=wins and not weaker,
        told=_told(told, gain, prior) + (f"; {_WEAKER}{floor:g}" if weaker else ""),
        floor=(best := best_floor(held, part)),
        at_floor=refused(held, best, part) if best is not None else {},
    )


def held_out(
    samples: Sequence[Sample], digests: Mapping[str, str], *, model: str, prior: Calibration | None
) -> list[Given]:
    """Every sample with the relevance that it gets by what the other parts teach."""
    parts: list[list[Sample]] = [[] for _ in range(FOLDS)]
    for one in samples:
        parts[_fold(digests.get(one.question, one.question))].append(one)
    held: list[Given] = []
    for unseen in parts:
        rest = [one for part in parts if part is not unseen for one in part]
        if rest and unseen:
            held.extend(given(unseen, learn(rest, model=model, prior=prior)))
    return held


def measured(samples: Sequence[Given], floor: float, part: Answerable | None = None) -> Measured:
    """How the relevances that were given compare with the labels."""
    bins = reliability(samples)
    off = losses(samples)
    return Measured(
        brier=sum(off.values()) / len(off) if off else 0.0,
        error=calibration_error(bins),
        bins=tuple(bins),
        refusals=refused(samples, floor, part),
    )


def gather_samples(
    workspace: Workspace, resolved: Resolved, *, progress: Progress | None = None
) -> list[Sample]:
    """The first hits of every question that is judged or known to have no answer."""
    engine = patient_engine(workspace)
    without = [one for one in resolved.golden.questions if one.unanswerable]
    if len(without) < UNANSWERABLE:
        without += [
            Question(id=f"{_ELSEWHERE}{number}", text=text, unanswerable=True)
            for number, text in enumerate(ELSEWHERE)
        ]
    usable = [*judged(resolved.golden.questions), *without]
    prior = shipped(workspace.embedder.name)
    progress = progress or Silent()
    progress.stage("asking", total=len(usable), unit="questions")
    samples: list[Sample] = []
    for question in usable:
        result = finished(search(Query(text=question.text, limit=LIMIT), engine))
        part = prior.answerable if prior else None
        found = samples_of(result, question, resolved, pack=workspace.pack, part=part)
        if not question.id.startswith(_ELSEWHERE) or not _may_answer(found, prior):
            samples.extend(found)
        progress.advance()
    return samples


def samples_of(
    result: Result,
    question: Question,
    resolved: Resolved,
    *,
    pack: Pack,
    part: Answerable | None = None,
) -> list[Sample]:
    """The hits of one question with their signs and labels, and the best signs for `part`."""
    every = [*result.hits, *result.more]
    best = best_of(every, question.text, part.reranker) if part else None
    exactly = meant(result.hits, result.trace.plan, pack, sure=result.trace.sure)
    signs = signs_of(result.hits, question.text, exactly)
    return [
        Sample(
            question=question.id,
            signs=one,
            relevant=is_relevant(resolved, question.id, hit.passage.id),
            answerable=not question.unanswerable,
            best=best,
        )
        for hit, one in zip(result.hits, signs, strict=True)
    ]


def is_relevant(resolved: Resolved, question: str, passage: str) -> bool:
    """Whether a passage holds a text that was judged to answer a question."""
    grades = resolved.grades.get(question, {})
    if resolved.homes:
        return grades.get(resolved.homes.get(passage, passage), 0) > 0
    units = resolved.strict.get(question, {}).get(passage, ())
    return any(grades.get(unit, 0) > 0 for unit in units)


def adopt(workspace: Workspace, tried: TriedCalibration) -> Path:
    """Keep a calibration in the workspace, with what taught it and how it did on unseen questions.

    Questions that taught an earlier one stay on record until it is forgotten.
    """
    path = workspace.folder / STORE / FILE
    told = {
        **tried.calibration.as_json(),
        "digests": sorted(seen(workspace.folder).calibrated | set(tried.digests)),
        "held_out": tried.held_out.as_json(),
    }
    write_whole(path, json.dumps(told, ensure_ascii=False, indent=2) + "\n")
    return path


def forget(folder: Path) -> bool:
    """Go back to the shipped calibration; whether there was another."""
    path = folder / STORE / FILE
    known = path.exists()
    path.unlink(missing_ok=True)
    return known


def floor_of(workspace: Workspace) -> float:
    """The relevance below which a search abstains."""
    return workspace.settings.refine.floor


def _may_answer(found: Sequence[Sample], prior: Calibration | None) -> bool:
    """Whether this corpus may well know of another subject: then its question teaches nothing."""
    if prior is None:
        return any(one.signs.words > _MOST_WORDS for one in found)
    return any((prior.relevance(one.signs) or 0.0) >= 0.5 for one in found)


def _tried(prior: Calibration | None, samples: Sequence[Sample]) -> Answerable | None:
    """The prior's part, where the hits here have scores that it can be tried on."""
    return prior.answerable if prior and any(one.best for one in samples) else None


def _stays(
    held: Sequence[Given], floor: float, part: Answerable | None
) -> tuple[Measured, Answerable | None]:
    """How what is learned does, with the part where that refuses no worse than without."""
    alone, both = measured(held, floor), measured(held, floor, part)
    return (both, part) if part and _parts(both) >= _parts(alone) else (alone, None)


def _parts(one: Measured) -> float:
    """How well a floor parts the two sorts of questions: refused of the one, less of the other."""
    none, some = one.refusals["unanswerable"], one.refusals["answerable"]
    return (none or 0.0) - (some or 0.0)


def _fold(question: str) -> int:
    return hashlib.sha256(question.encode("utf-8", "surrogatepass")).digest()[0] % FOLDS


def _flat(samples: Sequence[Sample], model: str) -> Calibration:
    """The same relevance for every hit: what is known without looking at it."""
    bare = [
        replace(one, signs=replace(one.signs, meaning=0.0, words=0.0, first=0.0)) for one in samples
    ]
    found = learn(bare, model=model)
    return replace(found, weights=dict.fromkeys(SIGNS, 0.0))


def _told(verdict: str, gain: Comparison, prior: Calibration | None) -> str:
    than = "the shipped one" if prior else "the same relevance for every hit"
    told = (
        f"{verdict}; so far the Brier score falls from that of {than}, on {gain.gain.count} "
        "questions that it was not learned from"
    )
    thin = prior is not None and gain.gain.count < THIN
    return told + (f"; below {THIN} questions only the base is learned" if thin else "")
