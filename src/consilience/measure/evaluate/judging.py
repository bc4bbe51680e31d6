"""How good is each way? Every measure for every question, and what sums a way up."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from consilience.measure.evaluate.reading import SHARES
from consilience.measure.evaluate.running import without
from consilience.measure.scoring import measures
from consilience.measure.scoring.statistics import interval
from consilience.measure.values import Comparison, Interval, Resolved, Run, Scores
from consilience.protocols import Lookup

SEED = 5
OTHER = "other"
"""The kind of a run that another system made."""
Told = Mapping[str, float | bool | None]
"""Of one question: `SHARES`, `ms`, `refused`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One way, judged: the value of every measure for every question, and what sums them up.

    `each` has, by question, what the shares, `latency_ms` and `refusals` are made of; None where
    that cannot be told of a question. `page_in_top_5` is attribution to one of the first five;
    `value_on_page` is, where the value stands in the first five, whether on the right page.
    """

    kind: str
    strict: Scores
    lenient: Scores
    means: Mapping[str, Mapping[str, Interval]]
    coverage: Mapping[str, float]
    diversity: float
    attribution: Interval | None
    page_in_top_5: Interval | None
    value_in_top_5: Interval | None
    value_on_page: Interval | None
    latency_ms: Mapping[str, float]
    refusals: Mapping[str, float | None]
    each: Mapping[str, Told]


def judge(
    ours: Mapping[str, Run],
    others: Mapping[str, Run],
    resolved: Resolved,
    lookup: Lookup,
    *,
    names: tuple[str, ...],
    failed: Collection[str] = (),
) -> dict[str, Judged]:
    """Every way judged by these measures; to find nothing in a `failed` question is no refusal."""
    passages = measures.needed_passages([*ours.values(), *others.values()], resolved, lookup)
    return {
        **{
            name: _judged(run, without(run, failed), resolved, passages, names)
            for name, run in ours.items()
        },
        **{
            name: _judged(run, run, resolved, passages, names, OTHER)
            for name, run in others.items()
        },
    }


def _judged(
    run: Run,
    sound: Run,
    resolved: Resolved,
    passages: measures.Passages,
    names: tuple[str, ...],
    kind: str = "",
) -> Judged:
    strict = measures.score(run, resolved, strict=True, names=names)
    lenient = strict  # a set by document or field knows no other
    means = {name: dict.fromkeys(("strict", "lenient"), _mean(strict[name])) for name in names}
    if not resolved.homes:
        lenient = measures.score(run, resolved, strict=False, names=names)
        means = {name: {**means[name], "lenient": _mean(lenient[name])} for name in names}
    shares = {
        "attribution": measures.attribution(run, resolved, passages),
        "page_in_top_5": measures.attribution(run, resolved, passages, places=5),
        "value_in_top_5": measures.value_in_top(run, resolved.golden, passages),
        "value_on_page": measures.value_on_page(run, resolved.golden, passages),
    }
    return Judged(
        kind=kind or run.way.kind,
        strict=strict,
        lenient=lenient,
        means=means,
        coverage=measures.coverage(run, resolved, passages),
        diversity=measures.diversity(run, passages, resolved.homes),
        **{name: _known(values) for name, values in shares.items()},
        latency_ms=measures.latency(run),
        refusals=measures.refusals(sound, resolved.golden),
        each={
            one.id: {
                **{name: values.get(one.id) for name, values in shares.items()},
                "ms": run.answers[one.id].ms if one.id in run.answers else None,
                "refused": measures.refused(sound.answers.get(one.id)),
            }
            for one in resolved.golden.questions
        },
    )


def _mean(values: Mapping[str, float]) -> Interval:
    return interval(list(values.values()), seed=SEED)


def _known(values: Mapping[str, float]) -> Interval | None:
    return _mean(values) if values else None


# --- as plain values --------------------------------------------------------------------


def judged_json(one: Judged) -> dict[str, Any]:
    """What sums a way up, as plain values."""
    return {
        "kind": one.kind,
        "measures": {
            measure: {side: _interval(value) for side, value in sides.items()}
            for measure, sides in one.means.items()
        },
        "coverage": dict(one.coverage),
        "diversity": one.diversity,
        **{name: (value := getattr(one, name)) and _interval(value) for name in SHARES},
        "latency_ms": dict(one.latency_ms),
        "refusals": dict(one.refusals),
    }


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


def _interval(one: Interval) -> dict[str, float]:
    return {"mean": one.mean, "low": one.low, "high": one.high}
