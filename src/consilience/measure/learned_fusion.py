"""Can an order be learned from these labels? A model of trees, adopted only if it wins.

Half of the judged questions teach (LightGBM, lambdarank), the other half decides: the search with
the model must be significantly better there than the search without it. What tuning or learning
kept out earlier decides here too, and what they chose on teaches. Features are recorded where the
model will later act, inside a search, so what is learned is what is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from consilience.engine import Engine
from consilience.engine.learned_fusion import (
    CARD,
    MODEL,
    VERSION,
    Learned,
    features,
    lightgbm_module,
    rising,
    safe_names,
    start_of,
)
from consilience.errors import UsageError
from consilience.evidence.ingest import Progress, Silent
from consilience.measure.calibration import rounded_gain
from consilience.measure.conditions import patient_engine
from consilience.measure.data_model import (
    Comparison,
    Golden,
    Question,
    ResolvedLabels,
    Run,
    Way,
    judged_questions,
)
from consilience.measure.derived_passages import answer_of, resolve_derived
from consilience.measure.evaluation import resolve_for_measuring
from consilience.measure.golden import golden_digest, question_digest, write_atomically
from consilience.measure.metrics import PRIMARY
from consilience.measure.replay import Replay, record_replay
from consilience.measure.seen_questions import forget_records, read_seen_questions
from consilience.measure.statistics import compare, explain_gain, is_better
from consilience.measure.tuning import split_by_record
from consilience.types import Hit, Plan
from consilience.workspace import STORE, Workspace

FEWEST = 40
"""Judged questions that learning needs: half of them teach, half decide."""
FEWEST_PART = 10
"""Questions that either part needs: those that teach, and those that decide."""
SEED = 5
ROUNDS = 150
_OPTIONS: Mapping[str, Any] = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 10,
    "learning_rate": 0.05,
    "num_leaves": 7,
    "min_data_in_leaf": 50,
    "feature_fraction": 0.8,
    "lambda_l2": 1.0,
    "seed": SEED,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}


@dataclass(slots=True)
class Recorder:
    """Takes the place of the model: records a question's hits and leaves them as they are."""

    hits: Sequence[Hit] = ()
    plan: Plan | None = None

    def __call__(self, hits: Sequence[Hit], plan: Plan) -> Sequence[Hit]:
        """Record, and change nothing."""
        self.hits, self.plan = tuple(hits), plan
        return hits


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A question with its fused hits; no plan if nothing was found."""

    question: Question
    hits: Sequence[Hit]
    plan: Plan | None

    @property
    def digest(self) -> str:
        """The same for the same text, whatever its id."""
        return question_digest(self.question)


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningTrial:
    """A learned model, how it did on the deciding half, and whether to adopt it.

    `taught` are the digests of the questions that it was learned from.
    """

    learned: Learned
    gain: Comparison
    before: float
    after: float
    adopt: bool
    message: str
    weights: Mapping[str, float] = field(default_factory=dict)
    taught: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "adopt": self.adopt,
            "told": self.message,
            "measure": PRIMARY,
            "before": round(self.before, 4),
            "after": round(self.after, 4),
            "gain": rounded_gain(self.gain),
            "features": {name: round(share, 4) for name, share in self.weights.items()},
            "card": {
                name: value
                for name, value in self.learned.card.items()
                if name not in ("questions", "held_out")
            },
        }


def learn_order(
    workspace: Workspace, golden: Golden, *, progress: Progress | None = None
) -> LearningTrial:
    """Learn from one half of the judged questions, and decide on the other."""
    lightgbm_module()
    count = len(judged_questions(golden.questions))
    if count < FEWEST:
        raise UsageError(
            f"{golden.name} has {count} judged questions, and learning an order needs {FEWEST}; "
            "`consilience golden suggest` proposes more, `consilience tune` needs fewer"
        )
    engine = replace(patient_engine(workspace.engine), learned=None)
    resolved = resolve_for_measuring(golden, workspace)
    replay = record_replay(engine, resolved, progress=progress)
    engine = replay.engine_with({})
    lessons, labels = _record_lessons(replay, engine, progress or Silent())
    seen = replay.seen = read_seen_questions(workspace.folder)
    deciding_at, teaching_at = split_by_record(replay, 0.5, SEED)
    if min(len(teaching_at), len(deciding_at)) < FEWEST_PART:
        raise UsageError(
            f"of {count} judged questions {len(teaching_at)} may teach and {len(deciding_at)} may "
            f"decide, as others were tuned or learned on or kept out from that before, and "
            f"{FEWEST_PART} of either are needed; add questions, or start anew with "
            "`consilience tune --forget` and `consilience learn --forget`"
        )
    teaching, deciding = ([lessons[at] for at in part] for part in (teaching_at, deciding_at))
    model = train(teaching, labels)
    own = {lesson.digest for lesson in teaching}
    taught = seen.learned | own
    card = {
        **model.card,
        "golden": golden_digest(golden),
        "fingerprint": workspace.catalogue.fingerprint(),
        "model": workspace.embedder.name,
        "questions": sorted(taught),
        "held_out": sorted({lesson.digest for lesson in deciding} - taught),
    }
    model = replace(model, card=card)
    results = replay.settle(replace(engine, learned=model), deciding_at)
    after = replay.score_results(results, deciding_at)
    before = replay.scores({}, deciding_at).tolist()
    ours, theirs = (
        {lesson.question.id: value for lesson, value in zip(deciding, values, strict=True)}
        for values in (after, before)
    )
    gain = compare(ours, theirs, names=("learned", "as it is"), measure=PRIMARY)
    return LearningTrial(
        learned=model,
        gain=gain,
        before=fmean(before),
        after=fmean(after),
        adopt=is_better(gain),
        message=f"{explain_gain(gain)}, {PRIMARY} on {gain.gain.count} questions that it was not "
        "learned from",
        weights=_feature_weights(model),
        taught=tuple(sorted(own)),
    )


def adopt_order(workspace: Workspace, trial: LearningTrial) -> Path:
    """Use a learned model in every search from now on; the card is written last."""
    store = workspace.folder / STORE
    values = trial.as_json()
    card = {**trial.learned.card, **{name: values[name] for name in ("before", "after", "gain")}}
    (store / CARD).unlink(missing_ok=True)
    write_atomically(store / MODEL, trial.learned.booster.model_to_string())
    write_atomically(store / CARD, json.dumps(card, ensure_ascii=False, indent=2) + "\n")
    return store / MODEL


def forget_order(folder: Path) -> bool:
    """Go back to the fused order; whether anything was learned before."""
    return forget_records(folder, CARD, MODEL)


def train(lessons: Sequence[Lesson], resolved: ResolvedLabels) -> Learned:
    """Trees over the hits of these questions; a question without a relevant hit teaches nothing."""
    intents = tuple(sorted({lesson.plan.intent for lesson in lessons if lesson.plan}))
    rows: list[list[float]] = []
    starts: list[float] = []
    labels: list[int] = []
    sizes: list[int] = []
    for lesson in lessons:
        grades = [resolved.grade_of(lesson.question.id, hit.passage.id) for hit in lesson.hits]
        if lesson.plan and any(grades):
            rows.extend(features(lesson.hits, lesson.plan, intents))
            starts.extend(start_of(lesson.hits))
            labels.extend(grades)
            sizes.append(len(grades))
    if not rows:
        raise UsageError(
            "no judged passage is among the first of any question, so there is nothing to learn "
            "from; `consilience evaluate` shows what is found"
        )
    lightgbm = lightgbm_module()
    table = lightgbm.Dataset(
        np.array(rows),
        label=labels,
        group=sizes,
        init_score=starts,  # the fused scores: trees learn only what is missing there
        feature_name=safe_names(intents),
        free_raw_data=False,
    )
    options = {**_OPTIONS, "monotone_constraints": rising(intents)}
    booster = lightgbm.train(options, table, num_boost_round=ROUNDS)
    card = {"version": VERSION, "intents": list(intents), "taught": len(sizes)}
    return Learned(booster=booster, intents=intents, card=card)


def _record_lessons(
    replay: Replay, engine: Engine, progress: Progress
) -> tuple[list[Lesson], ResolvedLabels]:
    """The questions with their fused hits, and the labels with what was created for them."""
    progress.stage("learning", total=len(replay), unit="questions")
    lessons, answers = [], {}
    for index, case in enumerate(replay.cases):
        recorder = Recorder()
        replay.settle(replace(engine, learned=recorder), [index])
        question, hits = case.question, recorder.hits
        lessons.append(Lesson(question=question, hits=hits, plan=recorder.plan))
        order = [(hit.passage.id, hit.score) for hit in hits]
        answers[question.id] = answer_of(question.id, order)
        progress.advance()
    run = Run(way=Way(name="merged", kind="merged"), answers=answers)
    return lessons, resolve_derived(replay.labels, [run], replay.lookup_derived)


def _feature_weights(model: Learned) -> dict[str, float]:
    """The share of each feature in what the trees gained, largest first."""
    gains = model.booster.feature_importance(importance_type="gain").tolist()
    total = sum(gains) or 1.0
    named = zip(model.booster.feature_name(), gains, strict=True)
    found = sorted(named, key=lambda feature: -feature[1])
    return {name.replace("_", " "): gain / total for name, gain in found if gain > 0}
