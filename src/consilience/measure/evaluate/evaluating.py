"""How well does each way of searching find, and does fusing help? One evaluation, put together.

Every way answers every question (`running`), is scored strictly and leniently (`measures`), and
merged is compared with each of the others on the same questions (`statistics`). Controls say
whether the measurement itself is to be trusted. All but the times comes out the same again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import consilience
from consilience.errors import UsageError
from consilience.ingest import Progress
from consilience.learned import CARD, MODEL
from consilience.measure.conditions import DEADLINES, recorded
from consilience.measure.evaluate.checking import checked, refuse_if_in_error
from consilience.measure.evaluate.keeping import RUNS, Kept, key_of
from consilience.measure.evaluate.running import MERGED, ask_all
from consilience.measure.golden.files import golden_digest, question_digest
from consilience.measure.golden.resolve import resolve
from consilience.measure.scoring import measures
from consilience.measure.scoring.measures import MEASURES
from consilience.measure.scoring.statistics import compare, corrected, interval
from consilience.measure.values import (
    Comparison,
    Control,
    Golden,
    Interval,
    Resolved,
    Run,
    Scores,
    judged,
)
from consilience.relevance import FILE as CALIBRATION
from consilience.workspace import STORE, Workspace

SEED = 5
OTHER = "other"
"""The kind of a run that another system made."""
TUNED = "tuned.json"
"""The record that tuning leaves beside the catalogue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What an evaluation is to do beyond the usual.

    `names` are the measures, `others` runs of other systems. With `tuned_on` the questions that
    tuning has seen are asked too; with `fresh` answers that are kept are forgotten.
    """

    names: tuple[str, ...] = MEASURES
    others: Mapping[str, Run] = field(default_factory=dict)
    fresh: bool = False
    tuned_on: bool = False


_ALL = Wanted()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One way, judged: the value of every measure for every question, and what sums them up."""

    kind: str
    strict: Scores
    lenient: Scores
    means: Mapping[str, Mapping[str, Interval]]
    coverage: Mapping[str, float]
    diversity: float
    attribution: Interval | None
    value_in_top_5: Interval | None
    latency_ms: Mapping[str, float]
    refusals: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A golden set, what every way answered, how good that is, and whether to believe it.

    `left_out` counts the questions that tuning has seen. `primary` is the measure by which ways
    are compared: the first of `names`.
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
    seed: int = SEED
    deadlines: Mapping[str, int] = field(default_factory=lambda: dict(DEADLINES))

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
        return {
            "version": 1,
            "consilience": consilience.__version__,
            "golden": {
                "name": self.golden.name,
                "path": self.path,
                "digest": self.digest,
                "questions": len(questions),
                "judged": len(judged(questions)),
                "unanswerable": sum(one.unanswerable for one in questions),
                "tuned_on_left_out": self.left_out,
            },
            "fingerprint": self.fingerprint,
            "settings": dict(self.settings),
            "deadlines": dict(self.deadlines),
            "models": dict(self.models),
            "seed": self.seed,
            "ways": {name: self._way(name) for name in self.ways},
            "comparisons": [comparison_json(one) for one in self.comparisons],
            "controls": [
                {"name": one.name, "passed": one.passed, "told": one.told} for one in self.controls
            ],
            "questions": self._questions(),
        }

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

    def _way(self, name: str) -> dict[str, Any]:
        one = self.ways[name]
        return {
            "kind": one.kind,
            "measures": {
                measure: {side: _interval(value) for side, value in sides.items()}
                for measure, sides in one.means.items()
            },
            "categories": self.categories(name),
            "coverage": dict(one.coverage),
            "diversity": one.diversity,
            "attribution": one.attribution and _interval(one.attribution),
            "value_in_top_5": one.value_in_top_5 and _interval(one.value_in_top_5),
            "latency_ms": dict(one.latency_ms),
            "refusals": dict(one.refusals),
        }

    def _questions(self) -> list[dict[str, Any]]:
        return [
            {
                "id": one.id,
                "text": one.text,
                "category": one.category,
                "ways": {
                    name: {
                        **{measure: way.strict[measure][one.id] for measure in self.names},
                        "first": self.first(name, one.id),
                    }
                    for name, way in self.ways.items()
                },
            }
            for one in judged(self.golden.questions)
        ]


def evaluate(
    workspace: Workspace,
    golden: Golden,
    *,
    path: str = "",
    wanted: Wanted = _ALL,
    progress: Progress | None = None,
) -> Evaluation:
    """Ask every question in every way, judge what came back, and check the measurement itself.

    Questions that tuning has seen are left out, and answers known from before are not asked for
    again, unless that is wanted.
    """
    for name in wanted.names:
        measures.parsed(name)
    digest, tuned = golden_digest(golden), _tuned(workspace)
    asked_of = golden if wanted.tuned_on else _held_out(golden, tuned)
    resolved = _resolved(asked_of, workspace)
    kept = Kept(_kept_in(workspace, digest), fresh=wanted.fresh)
    asked = ask_all(asked_of.questions, workspace, progress=progress, kept=kept)
    runs = {**asked.runs, **wanted.others}
    reranker = workspace.engine.reranker
    unfinished = Evaluation(
        golden=asked_of,
        path=path,
        digest=digest,
        left_out=len(golden.questions) - len(asked_of.questions),
        resolved=resolved,
        runs=runs,
        ways=_ways(runs, resolved, workspace, wanted),
        names=wanted.names,
        comparisons=(),
        controls=tuple(checked(workspace, resolved, asked, tuned, kept, progress)),
        fingerprint=workspace.catalogue.fingerprint(),
        settings=recorded(workspace.settings),
        models={"embed": workspace.embedder.name, "rerank": reranker and reranker.name},
    )
    return replace(unfinished, comparisons=tuple(_comparisons(unfinished)))


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


def comparison_json(one: Comparison) -> dict[str, Any]:
    """A comparison as plain values."""
    return {
        "ours": one.ours,
        "theirs": one.theirs,
        "measure": one.measure,
        "gain": one.gain.mean,
        "low": one.gain.low,
        "high": one.gain.high,
        "count": one.gain.count,
        "p": one.p,
        "p_corrected": one.p_corrected,
    }


def _comparisons(evaluation: Evaluation) -> list[Comparison]:
    """Merged against every other way, by the primary measure, corrected for their number."""
    measure = evaluation.primary
    ours = evaluation.ways[MERGED].strict[measure]
    found = [
        compare(ours, way.strict[measure], names=(MERGED, name), measure=measure, seed=SEED)
        for name, way in evaluation.ways.items()
        if name != MERGED
    ]
    return corrected(found)


def _ways(
    runs: Mapping[str, Run],
    resolved: Resolved,
    workspace: Workspace,
    wanted: Wanted,
) -> dict[str, Judged]:
    passages = measures.needed_passages(runs.values(), resolved, workspace.catalogue.get)
    return {
        name: _judged(
            run, resolved, passages, wanted.names, OTHER if name in wanted.others else run.way.kind
        )
        for name, run in runs.items()
    }


def _judged(
    run: Run, resolved: Resolved, passages: measures.Passages, names: tuple[str, ...], kind: str
) -> Judged:
    strict = measures.score(run, resolved, strict=True, names=names)
    lenient = strict  # a set by document or field knows no other
    means = {name: dict.fromkeys(("strict", "lenient"), _mean(strict[name])) for name in names}
    if not resolved.homes:
        lenient = measures.score(run, resolved, strict=False, names=names)
        means = {name: {**means[name], "lenient": _mean(lenient[name])} for name in names}
    return Judged(
        kind=kind,
        strict=strict,
        lenient=lenient,
        means=means,
        coverage=measures.coverage(run, resolved, passages),
        diversity=measures.diversity(run, passages, resolved.homes),
        attribution=_known(measures.attribution(run, resolved, passages)),
        value_in_top_5=_known(measures.value_in_top(run, resolved.golden, passages)),
        latency_ms=measures.latency(run),
        refusals=measures.refusals(run, resolved.golden),
    )


def _mean(values: Mapping[str, float]) -> Interval:
    return interval(list(values.values()), seed=SEED)


def _known(values: Mapping[str, float]) -> Interval | None:
    return _mean(values) if values else None


def _interval(one: Interval) -> dict[str, float]:
    return {"mean": one.mean, "low": one.low, "high": one.high}


def _tuned(workspace: Workspace) -> dict[str, Any]:
    """What tuning left, and the questions that it or learning an order has seen, in one list.

    Empty where nothing was tuned and nothing learned.
    """
    store = workspace.folder / STORE
    tuned, learned = _read_record(store / TUNED), _read_record(store / CARD)
    seen = {*tuned.get("questions", ()), *learned.get("questions", ())}
    return {**tuned, "questions": sorted(seen)} if seen else tuned


def _read_record(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}; remove it, and tune again") from error


def _held_out(golden: Golden, tuned: Mapping[str, Any]) -> Golden:
    """The questions that tuning has not seen; all of them, where it has seen every one."""
    seen = set(tuned.get("questions", ()))
    unseen = tuple(one for one in golden.questions if question_digest(one) not in seen)
    return replace(golden, questions=unseen) if judged(unseen) else golden


def _kept_in(workspace: Workspace, digest: str) -> Path:
    engine = workspace.engine
    key = key_of(
        golden=digest,
        corpus=workspace.catalogue.fingerprint(),
        settings=recorded(workspace.settings),
        models=[workspace.embedder.name, engine.reranker and engine.reranker.name],
        sources=sorted(engine.sources),
        synonyms=dict(engine.knowledge.synonyms),
        learned=_learned(workspace.folder / STORE),
    )
    return workspace.folder / STORE / RUNS / f"{key}.jsonl"


def _learned(store: Path) -> dict[str, str]:
    """What was learned from labels and is used in every search."""
    files = [store / name for name in (CALIBRATION, CARD, MODEL)]
    return {one.name: one.read_text(encoding="utf-8") for one in files if one.exists()}
