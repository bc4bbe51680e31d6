"""Can an order be learned from these labels? A model of trees, kept only if it wins.

Half of the judged questions teach (LightGBM, lambdarank), the other half decides: the search with
the model must pay against the search without it there, by the rule of tuning and the gate. What
those kept out decides here too, and what they chose on teaches. Features are recorded where the
model will later act, inside a search, so what is learned is what is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from consilience.errors import UsageError
from consilience.ingest import Progress, Silent
from consilience.learned import (
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
from consilience.measure.conditions import LIMIT
from consilience.measure.golden.files import golden_digest, question_digest
from consilience.measure.golden.resolve import resolve
from consilience.measure.golden.walking import order_of
from consilience.measure.learn.asking import patient_engine, refuse_unfit
from consilience.measure.learn.calibrating import is_relevant
from consilience.measure.rules import pays
from consilience.measure.scoring.measures import PRIMARY, score
from consilience.measure.scoring.splits import parted
from consilience.measure.scoring.statistics import compare
from consilience.measure.seen import Seen, seen, write_whole
from consilience.measure.values import (
    Answer,
    Comparison,
    Edges,
    Golden,
    Question,
    Resolved,
    Run,
    Way,
    judged,
)
from consilience.pipeline import Engine, Gathered, gather, settle
from consilience.threads import finished
from consilience.types import Hit, Plan, Query, Result
from consilience.workspace import STORE, Workspace

FEWEST = 40
"""Judged questions without which nothing is learned: half of them teach, half decide."""
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
    """Stands where the model will: notes each question's hits and leaves them as they are."""

    hits: Sequence[Hit] = ()
    plan: Plan | None = None

    def __call__(self, hits: Sequence[Hit], plan: Plan) -> Sequence[Hit]:
        """Note, and change nothing."""
        self.hits, self.plan = tuple(hits), plan
        return hits


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A question that was asked: what the sources said, the fused hits, the order as it is."""

    question: Question
    gathered: Gathered
    hits: Sequence[Hit]
    plan: Plan
    before: Answer

    @property
    def digest(self) -> str:
        """The same for the same text, whatever its id."""
        return question_digest(self.question)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedOrder:
    """A learned model, how it did on the deciding half, and whether it is to be used.

    `taught` are the digests of the questions that it was learned from.
    """

    learned: Learned
    gain: Comparison
    before: float
    after: float
    adopt: bool
    told: str
    weights: Mapping[str, float] = field(default_factory=dict)
    taught: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        one = self.gain.gain
        return {
            "adopt": self.adopt,
            "told": self.told,
            "measure": PRIMARY,
            "before": round(self.before, 4),
            "after": round(self.after, 4),
            "gain": {
                "mean": round(one.mean, 4),
                "low": round(one.low, 4),
                "high": round(one.high, 4),
                "p": round(self.gain.p, 4),
            },
            "features": {name: round(share, 4) for name, share in self.weights.items()},
            "card": {
                name: value
                for name, value in self.learned.card.items()
                if name not in ("questions", "held_out")
            },
        }


def learn_order(
    workspace: Workspace, golden: Golden, *, progress: Progress | None = None
) -> TriedOrder:
    """Learn from one half of the judged questions, and decide on the other."""
    lightgbm_module()
    count = len(judged(golden.questions))
    if count < FEWEST:
        raise UsageError(
            f"{golden.name} has {count} judged questions, and learning an order needs {FEWEST}; "
            "`consilience golden suggest` proposes more, `consilience tune` needs fewer"
        )
    refuse_unfit(workspace, golden)
    resolved = resolve(golden, workspace.catalogue)
    engine = replace(patient_engine(workspace), learned=None)
    watched = progress or Silent()
    lessons = _lessons(engine, judged(golden.questions), resolved.edges, watched)
    before = seen(workspace.folder)
    teaching, deciding = halves(lessons, before)
    learned = train(teaching, resolved)
    own = {one.digest for one in teaching}
    taught = before.learned | own
    card = {
        **learned.card,
        "golden": golden_digest(golden),
        "fingerprint": workspace.catalogue.fingerprint(),
        "model": workspace.embedder.name,
        "questions": sorted(taught),
        "held_out": sorted({one.digest for one in deciding} - taught),
    }
    learned = replace(learned, card=card)
    after = _answers(replace(engine, learned=learned), deciding, resolved.edges, watched)
    tried = _decide(learned, {one.question.id: one.before for one in deciding}, after, resolved)
    return replace(tried, taught=tuple(sorted(own)))


def adopt(workspace: Workspace, tried: TriedOrder) -> Path:
    """Use a learned model in every search from now on; the card is written last."""
    store = workspace.folder / STORE
    gain = tried.as_json()
    card = {**tried.learned.card, **{name: gain[name] for name in ("before", "after", "gain")}}
    (store / CARD).unlink(missing_ok=True)
    write_whole(store / MODEL, tried.learned.booster.model_to_string())
    write_whole(store / CARD, json.dumps(card, ensure_ascii=False, indent=2) + "\n")
    return store / MODEL


def forget(folder: Path) -> bool:
    """Go back to the fused order; whether anything was learned before."""
    store = folder / STORE
    known = (store / CARD).exists()
    for name in (CARD, MODEL):
        (store / name).unlink(missing_ok=True)
    return known


def halves(lessons: Sequence[Lesson], before: Seen) -> tuple[list[Lesson], list[Lesson]]:
    """The lessons that teach and those that decide; the same text is always on one side.

    What was kept out before decides, and what was chosen on before teaches. Of the others as many
    teach as make it half of all, alike by category or intent.
    """
    firsts = {one.digest: one for one in reversed(lessons)}
    digests = list(dict.fromkeys(one.digest for one in lessons))
    _, used, free = before.parts(digests)
    share = min(max(len(digests) / 2 - len(used), 0) / len(free), 1) if free else 0.0
    groups = [_group(firsts[digests[place]]) for place in free]
    chosen, _ = parted(groups, share, seed=SEED)
    teach = {digests[place] for place in (*used, *(free[one] for one in chosen))}
    teaching = [one for one in lessons if one.digest in teach]
    deciding = [one for one in lessons if one.digest not in teach]
    if min(len(teaching), len(deciding)) < FEWEST_PART:
        raise UsageError(
            f"of {len(lessons)} judged questions {len(teaching)} may teach and {len(deciding)} may "
            f"decide, as others were tuned or learned on or kept out from that before, and "
            f"{FEWEST_PART} of either are needed; add questions, or start anew with "
            "`consilience tune --forget` and `consilience learn --forget`"
        )
    return teaching, deciding


def _group(lesson: Lesson) -> str:
    return lesson.question.category or lesson.plan.intent


def _lessons(
    engine: Engine, questions: Sequence[Question], edges: Edges, progress: Progress
) -> list[Lesson]:
    progress.stage("asking", total=len(questions), unit="questions")
    lessons = []
    for question in questions:
        recorder = Recorder()
        recording = replace(engine, learned=recorder)
        query = Query(text=question.text, limit=LIMIT)
        gathered = finished(gather(query, engine))
        result = finished(settle(gathered, recording))
        lessons.append(
            Lesson(
                question=question,
                gathered=gathered,
                hits=recorder.hits,
                plan=gathered.plan,
                before=_answer(question, result, edges),
            )
        )
        progress.advance()
    return lessons


def train(lessons: Sequence[Lesson], resolved: Resolved) -> Learned:
    """Trees over the hits of these questions; a question without a relevant hit teaches nothing."""
    intents = tuple(sorted({one.plan.intent for one in lessons}))
    rows: list[list[float]] = []
    starts: list[float] = []
    labels: list[int] = []
    sizes: list[int] = []
    for one in lessons:
        grades = [_grade(resolved, one.question.id, hit.passage.id) for hit in one.hits]
        if any(grades):
            rows.extend(features(one.hits, one.plan, intents))
            starts.extend(start_of(one.hits))
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


def _answers(
    engine: Engine, lessons: Sequence[Lesson], edges: Edges, progress: Progress
) -> dict[str, Answer]:
    """What these questions get when what the sources said is settled by this engine."""
    progress.stage("deciding", total=len(lessons), unit="questions")
    answers = {}
    for one in lessons:
        result = finished(settle(one.gathered, engine))
        answers[one.question.id] = _answer(one.question, result, edges)
        progress.advance()
    return answers


def _decide(
    learned: Learned, before: Mapping[str, Answer], after: Mapping[str, Answer], resolved: Resolved
) -> TriedOrder:
    ours, theirs = (_scores(answers, resolved) for answers in (after, before))
    gain = compare(ours, theirs, names=("learned", "as it is"), measure=PRIMARY)
    wins, told = pays(gain)
    return TriedOrder(
        learned=learned,
        gain=gain,
        before=sum(theirs.values()) / len(theirs),
        after=sum(ours.values()) / len(ours),
        adopt=wins,
        told=f"{told}, {PRIMARY} on {gain.gain.count} questions that it was not learned from",
        weights=_weights(learned),
    )


def _scores(answers: Mapping[str, Answer], resolved: Resolved) -> dict[str, float]:
    questions = tuple(one for one in resolved.golden.questions if one.id in answers)
    part = replace(
        resolved,
        golden=replace(resolved.golden, questions=questions),
        grades={one.id: resolved.grades[one.id] for one in questions},
    )
    run = Run(way=Way(name="merged", kind="merged"), answers=answers)
    return dict(score(run, part, names=(PRIMARY,))[PRIMARY])


def _answer(question: Question, result: Result, edges: Edges) -> Answer:
    order = order_of(result, edges)
    return Answer(
        question=question.id,
        passages=tuple(key for key, _ in order),
        scores=tuple(value for _, value in order),
    )


def _grade(resolved: Resolved, question: str, passage: str) -> int:
    """What a passage is worth to a question: the best grade of what it holds."""
    if not is_relevant(resolved, question, passage):
        return 0
    grades = resolved.grades[question]
    if resolved.homes:
        return grades[resolved.homes.get(passage, passage)]
    return max(grades.get(unit, 0) for unit in resolved.strict[question][passage])


def _weights(learned: Learned) -> dict[str, float]:
    """The share of each feature in what the trees gained, largest first."""
    gains = learned.booster.feature_importance(importance_type="gain").tolist()
    total = sum(gains) or 1.0
    named = zip(learned.booster.feature_name(), gains, strict=True)
    found = sorted(named, key=lambda one: -one[1])
    return {name.replace("_", " "): gain / total for name, gain in found if gain > 0}
