"""How well does each way of searching find, and does fusing help? One evaluation, put together.

Every way answers every question (`running`), is scored strictly and leniently (`measures`), and
merged is compared with each of the others on the same questions (`statistics`). Controls say
whether the measurement itself is to be trusted. All but the times comes out the same again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import consilience
from consilience.errors import UsageError
from consilience.ingest import Progress
from consilience.measure.answering import Answers, checker_can_refuse, write_all
from consilience.measure.conditions import DEADLINES, recorded, too_late
from consilience.measure.evaluate.checking import (
    ask_off_topic,
    checked,
    refuse_if_in_error,
    refuse_if_unfinished,
)
from consilience.measure.evaluate.foreign import Taken, taken
from consilience.measure.evaluate.judging import (
    OTHER,
    SEED,
    Judged,
    comparison_json,
    judge,
    judged_json,
)
from consilience.measure.evaluate.keeping import RUNS, Kept, answers_key
from consilience.measure.evaluate.made import with_made
from consilience.measure.evaluate.reading import signed
from consilience.measure.evaluate.running import MERGED, Asked, ask_all
from consilience.measure.golden.files import golden_digest, question_digest
from consilience.measure.golden.resolve import resolve
from consilience.measure.golden.walking import there
from consilience.measure.scoring import measures
from consilience.measure.scoring.measures import MEASURES
from consilience.measure.scoring.statistics import compare, corrected
from consilience.measure.seen import Seen, seen
from consilience.measure.values import Comparison, Control, Golden, Question, Resolved, Run, judged
from consilience.protocols import Lookup
from consilience.settings import Settings
from consilience.workspace import STORE, Workspace

WRITTEN = "written"
"""The folder of answers in writing, inside that of the runs."""
__all__ = ["SEED", "Evaluation", "Judged", "Wanted", "answers_key", "comparison_json", "evaluate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What an evaluation is to do beyond the usual.

    `names` are the measures, `others` runs of other systems. With `tuned_on` the questions that
    tuning has seen are asked too; with `fresh` answers that are kept are forgotten. `live` are
    the settings of a live search, where the workspace was opened with more patience. With
    `answers` every question is answered in writing too, and that is measured.
    """

    names: tuple[str, ...] = MEASURES
    others: Mapping[str, Run] = field(default_factory=dict)
    fresh: bool = False
    tuned_on: bool = False
    live: Settings | None = None
    answers: bool = False


_ALL = Wanted()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A golden set, what every way answered, how good that is, and whether to believe it.

    `left_out` counts the questions that tuning has seen. `primary` is the measure by which ways
    are compared: the first of `names`. `key` is a digest of all that the answers depend on.
    `latency_kept` counts the questions whose times were measured earlier, `too_late` those to
    which a live search would have answered with less. `notes` say what a reader should know;
    `answers` are those that were written, if that was wanted.
    """

    golden: Golden
    path: str
    digest: str
    left_out: int
    resolved: Resolved
    runs: Mapping[str, Run]
    ways: Mapping[str, Judged]
    names: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    controls: tuple[Control, ...]
    fingerprint: str
    settings: Mapping[str, Any]
    models: Mapping[str, Any]
    key: str = ""
    latency_kept: int = 0
    too_late: int = 0
    notes: tuple[str, ...] = ()
    seed: int = SEED
    deadlines: Mapping[str, int] = field(default_factory=lambda: dict(DEADLINES))
    answers: Answers | None = None

    @property
    def primary(self) -> str:
        """The measure by which ways are compared."""
        return self.names[0]

    @property
    def singles(self) -> list[str]:
        """The single sources, best first."""
        names = [name for name, one in self.ways.items() if one.kind == "source"]
        return sorted(names, key=lambda name: (-self.mean(name), name))

    def mean(self, way: str) -> float:
        """A way's mean of the primary measure."""
        return self.ways[way].means[self.primary]["strict"].mean

    @property
    def trusted(self) -> bool:
        """Whether every control came out as it must."""
        return all(one.passed for one in self.controls)

    def as_json(self) -> dict[str, Any]:
        """The evaluation as plain values; all that a gate or a later comparison needs."""
        questions = self.golden.questions
        scored = {one.id for one in judged(questions)}
        values = {
            "version": 1,
            "consilience": consilience.__version__,
            "key": self.key,
            "golden": {
                "name": self.golden.name,
                "path": self.path,
                "digest": self.digest,
                "questions": len(questions),
                "judged": len(scored),
                "unanswerable": sum(one.unanswerable for one in questions),
                "tuned_on_left_out": self.left_out,
            },
            "fingerprint": self.fingerprint,
            "settings": dict(self.settings),
            "deadlines": dict(self.deadlines),
            "models": dict(self.models),
            "seed": self.seed,
            "latency_kept": self.latency_kept,
            "too_late": self.too_late,
            "notes": list(self.notes),
            "ways": {
                name: {**judged_json(one), "categories": self.categories(name)}
                for name, one in self.ways.items()
            },
            "comparisons": [comparison_json(one) for one in self.comparisons],
            "controls": [
                {"name": one.name, "passed": one.passed, "told": one.told} for one in self.controls
            ],
            "questions": [self._told(one) for one in questions if one.id in scored],
            "unscored": [self._told(one) for one in questions if one.id not in scored],
        }
        if self.answers is not None:
            values["answers"] = self.answers.as_json()
        return signed(values)

    def categories(self, way: str) -> dict[str, dict[str, float]]:
        """By category: how many judged questions it has, and the mean of every measure."""
        groups: dict[str, list[str]] = {}
        for one in judged(self.golden.questions):
            groups.setdefault(one.category, []).append(one.id)
        strict = self.ways[way].strict
        return {
            category: {
                "count": len(keys),
                **{name: sum(strict[name][key] for key in keys) / len(keys) for name in self.names},
            }
            for category, keys in sorted(groups.items())
        }

    def first(self, way: str, question: str) -> int | None:
        """The place of the first passage that answers a question; None when there is none."""
        return measures.first_relevant(self.runs[way], self.resolved, question)

    def _told(self, one: Question) -> dict[str, Any]:
        """What every way made of a question, as plain values."""
        scored = one.id in self.ways[MERGED].strict[self.primary]
        told = bool(one.judgements or one.facts)
        written = self.answers.written[one.id].as_json() if self.answers else {}
        support = {"support": written["support"]} if written else {}
        return {
            "id": one.id,
            "text": one.text,
            "category": one.category,
            "answerable": False if one.unanswerable else True if told else None,
            "ways": {
                name: {
                    **{measure: way.strict[measure][one.id] for measure in self.names if scored},
                    **({"first": self.first(name, one.id)} if scored else {}),
                    **way.each[one.id],
                    **(support if name == MERGED else {}),
                }
                for name, way in self.ways.items()
            },
            **({"answer": written} if written else {}),
        }


def evaluate(
    workspace: Workspace,
    golden: Golden,
    *,
    path: str = "",
    wanted: Wanted = _ALL,
    progress: Progress | None = None,
) -> Evaluation:
    """Ask every question in every way, judge what came back, and check the measurement itself.

    Questions that tuning has seen are left out, and known answers kept, unless that is wanted.
    """
    _refuse_what_cannot_be_measured(workspace, wanted)
    digest, before = golden_digest(golden), seen(workspace.folder)
    asked_of = golden if wanted.tuned_on else _held_out(golden, before)
    resolved = _resolved(asked_of, workspace)
    others = taken(wanted.others, resolved, workspace.catalogue.get)
    key = answers_key(workspace, digest)
    kept = Kept(workspace.folder / STORE / RUNS / f"{key}.jsonl", fresh=wanted.fresh)
    asked = ask_all(asked_of.questions, workspace, progress=progress, kept=kept)
    off = ask_off_topic(workspace, kept, progress)
    lookup = partial(there, workspace.catalogue)
    resolved = with_made(resolved, asked.runs.values(), lookup)
    late = _late(asked, wanted.live or workspace.settings)
    unfinished = Evaluation(
        golden=asked_of,
        path=path,
        digest=digest,
        left_out=len(golden.questions) - len(asked_of.questions),
        resolved=resolved,
        runs={**asked.runs, **others.runs},
        ways=_ways(asked, others, resolved, lookup, wanted),
        names=wanted.names,
        comparisons=(),
        controls=tuple(checked(workspace, resolved, asked, off, others.runs, before)),
        fingerprint=workspace.catalogue.fingerprint(),
        settings=recorded(workspace.settings),
        models=_models(workspace),
        key=key,
        latency_kept=asked.kept,
        too_late=late,
        notes=tuple(_notes(asked_of, asked, others, late, before)),
    )
    unfinished = _with_answers(unfinished, workspace, wanted, progress)
    return replace(unfinished, comparisons=tuple(_comparisons(unfinished)))


def _notes(golden: Golden, asked: Asked, others: Taken, late: int, before: Seen) -> list[str]:
    """What a reader should know of these numbers, though nothing is wrong with them."""
    count = len(golden.questions)
    notes = list(others.notes)
    if asked.kept:
        notes.append(
            f"the times of {asked.kept} of {count} questions were measured by an earlier "
            "evaluation; --fresh measures them again"
        )
    if late:
        notes.append(
            f"{late} of {count} questions took longer than a live search waits "
            "(retrieve.hard_ms, refine.rerank_ms): there it would answer with less"
        )
    taught = sum(question_digest(one) in before.calibrated for one in golden.questions)
    if taught:
        notes.append(
            f"the calibration was learned from {taught} of these {count} questions, so refusals "
            "and reliability come out better here than on others"
        )
    return notes


def _with_answers(
    found: Evaluation, workspace: Workspace, wanted: Wanted, progress: Progress | None
) -> Evaluation:
    """The same with answers in writing, if wanted; those written before are not written again."""
    if not wanted.answers:
        return found
    kept = workspace.folder / STORE / RUNS / WRITTEN / f"{found.key}.jsonl"
    if wanted.fresh:
        kept.unlink(missing_ok=True)
    answers = write_all(workspace, found.resolved, kept=kept, progress=progress)
    return replace(found, answers=answers, controls=(*found.controls, checker_can_refuse(answers)))


def _refuse_what_cannot_be_measured(workspace: Workspace, wanted: Wanted) -> None:
    for name in wanted.names:
        measures.parsed(name)
    refuse_if_unfinished(workspace.catalogue)


def _ways(
    asked: Asked, others: Taken, resolved: Resolved, lookup: Lookup, wanted: Wanted
) -> dict[str, Judged]:
    return judge(
        asked.runs,
        others.runs,
        resolved,
        lookup,
        names=wanted.names,
        failed=asked.failed,
    )


def _late(asked: Asked, live: Settings) -> int:
    return sum(too_late(times, live) for times in asked.times.values())


def _models(workspace: Workspace) -> dict[str, str | None]:
    reranker = workspace.engine.reranker
    return {"embed": workspace.embedder.name, "rerank": reranker.name if reranker else None}


def _resolved(golden: Golden, workspace: Workspace) -> Resolved:
    """The judgements found; a golden set that cannot be measured with is refused."""
    if not judged(golden.questions):
        raise UsageError(
            f"{golden.name} has no question with a judgement above 0; nothing can be scored: "
            "add judgements, or begin with `consilience golden suggest`"
        )
    resolved = resolve(golden, workspace.catalogue)
    refuse_if_in_error(golden, workspace.catalogue)
    return resolved


def _comparisons(evaluation: Evaluation) -> list[Comparison]:
    """Merged against every other way, by the primary measure, corrected for their number."""
    measure = evaluation.primary
    ours = evaluation.ways[MERGED].strict[measure]
    found = [
        compare(ours, way.strict[measure], names=(MERGED, name), measure=measure, seed=SEED)
        for name, way in evaluation.ways.items()
        if name != MERGED
    ]
    foreign = {name for name, way in evaluation.ways.items() if way.kind == OTHER}
    own = [one for one in found if one.theirs not in foreign]
    return [*corrected(own), *corrected([one for one in found if one.theirs in foreign])]


def _held_out(golden: Golden, before: Seen) -> Golden:
    """The questions that no order was chosen on; all of them, where it was on every one."""
    unseen = tuple(one for one in golden.questions if question_digest(one) not in before.ordering)
    return replace(golden, questions=unseen) if judged(unseen) else golden
