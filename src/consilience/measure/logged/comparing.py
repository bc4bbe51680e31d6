"""Which of two settings do people do better with? What a journal shows, and what it does not.

Only questions that chance gave a bucket are compared, only those of the settings that each bucket
has now, and only of the days on which both were in use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Literal

from consilience.errors import UsageError
from consilience.journal import Entry
from consilience.measure.logged.units import Unit, units_of
from consilience.measure.rules import shown
from consilience.measure.scoring.statistics import corrected
from consilience.measure.scoring.unpaired import average, by_chance, gained, needed, quantile, share
from consilience.measure.values import Comparison, Interval

FEWEST = 30
"""Questions of each bucket below which nothing is concluded."""
A, B = "a", "b"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One thing that is measured: its name, the value it reads, and which way is good."""

    name: str
    value: str
    told: str
    kind: Literal["share", "mean", "quantile"] = "mean"
    good: Literal["more", "less", ""] = ""
    part: float | None = None


MEASURES = (
    Measure(
        name="clicked", value="clicked", told="with a result opened", kind="share", good="more"
    ),
    Measure(name="MRR of first click", value="reciprocal", told="1 / its place", good="more"),
    Measure(name="place of first click", value="place", told="its place", good="less"),
    Measure(name="kept", value="kept", told="with a result kept", kind="share", good="more"),
    Measure(name="thumbs up", value="up", told="of those rated", kind="share", good="more"),
    Measure(name="dwell s", value="dwell", told="seconds, where one was read"),
    Measure(name="abstained", value="abstained", told="held to have no answer", kind="share"),
    Measure(name="ms p50", value="ms", told="", kind="quantile", good="less", part=0.5),
    Measure(name="ms p95", value="ms", told="", kind="quantile", good="less", part=0.95),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A bucket: its settings, how many questions it had, and what was measured on them."""

    bucket: str
    settings: str
    changes: Mapping[str, Any]
    questions: int
    asked: int
    measured: Mapping[str, Interval]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Both buckets side by side. `smallest` is, by measure, the difference that would be seen."""

    groups: tuple[Group, ...]
    comparisons: tuple[Comparison, ...]
    smallest: Mapping[str, float]
    days: tuple[date, date] | None
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """All of it, for programs."""
        return {
            "buckets": {one.bucket: _group_json(one) for one in self.groups},
            "comparisons": [
                {**asdict(one), "shown": shown(one), "smallest": self.smallest[one.measure]}
                for one in self.comparisons
            ],
            "days": [one.isoformat() for one in self.days] if self.days else None,
            "notes": list(self.notes),
            "verdict": verdict(self),
        }


def compare_buckets(
    entries: Iterable[Entry], settings: Mapping[str, Mapping[str, Any]] | None = None
) -> Compared:
    """What people did with the answers of either bucket, and whether that could be chance.

    `settings` tells by digest what of them is not the default.
    """
    units, forced = units_of(entries)
    if not units and not forced:
        raise UsageError("the journal holds no question yet; ask some, with `consilience serve`")
    notes = [_FORCED.format(forced)] if forced else []
    chosen, days = _comparable(units, notes)
    told = settings or {}
    groups = [_group(name, chosen[name], told) for name in sorted(chosen)]
    smallest: dict[str, float] = {}
    comparisons = []
    if A in chosen and B in chosen:
        for measure in MEASURES:
            ours, theirs = (_values(chosen[name], measure) for name in (B, A))
            if not ours or not theirs or len({*ours, *theirs}) < 2:
                continue  # nobody did this in one of them, or nothing differs
            smallest[measure.name] = 0.0 if measure.part else needed(ours, theirs)
            comparisons.append(_comparison(measure, ours, theirs))
    return Compared(
        groups=tuple(groups),
        comparisons=tuple(corrected(comparisons)),
        smallest=smallest,
        days=days,
        notes=tuple(notes),
    )


def verdict(found: Compared) -> str:
    """What the journal shows, in a sentence or two."""
    sizes = {one.bucket: one.questions for one in found.groups}
    if A not in sizes or B not in sizes:
        only = ", ".join(f"{count:,} in {name}" for name, count in sizes.items()) or "none"
        return (
            f"There is nothing to compare: of the questions that chance gave a bucket there are "
            f"{only}. `serve.other` names the second settings."
        )
    if min(sizes.values()) < FEWEST:
        return (
            f"Too little to tell: {sizes[A]:,} questions in a and {sizes[B]:,} in b; "
            f"wait for {FEWEST} in each."
        )
    seen = [one for one in found.comparisons if shown(one)]
    if not seen:
        return f"No difference is shown between a and b.{_unseen(found)}"
    return f"b differs from a: {'; '.join(_told(one) for one in seen)}."


def _told(one: Comparison) -> str:
    measure = next(each for each in MEASURES if each.name == one.measure)
    words = "more" if one.gain.mean > 0 else "less"
    good = {"": "", words: ", better"}.get(measure.good, ", worse")
    ends = f"[{one.gain.low:+.3f}, {one.gain.high:+.3f}]"
    p = "p < 0.001" if one.p_corrected < 0.001 else f"p = {one.p_corrected:.3f}"
    return f"{one.measure} {one.gain.mean:+.3f} {ends}, {p}{good}"


def _unseen(found: Compared) -> str:
    least = found.smallest.get(MEASURES[0].name, 0.0)
    if not least:
        return ""
    return f" A difference below {least:.3f} in {MEASURES[0].name} can hardly be seen yet."


_FORCED = "{} questions were asked in a bucket on purpose; they are left out"


def _comparable(
    units: Sequence[Unit], notes: list[str]
) -> tuple[dict[str, list[Unit]], tuple[date, date] | None]:
    """The questions of each bucket's present settings, on the days on which both were in use."""
    chosen: dict[str, list[Unit]] = {}
    for name in sorted({one.bucket for one in units}):
        own = [one for one in units if one.bucket == name]
        present = own[-1].settings  # a journal is in order of time
        chosen[name] = [one for one in own if one.settings == present]
        if earlier := len(own) - len(chosen[name]):
            notes.append(f"{earlier} questions of {name} were answered with earlier settings")
    if A not in chosen or B not in chosen:
        return chosen, None
    spans = [[one.day for one in chosen[name]] for name in (A, B)]
    days = max(min(one) for one in spans), min(max(one) for one in spans)
    for name in (A, B):
        kept = [one for one in chosen[name] if days[0] <= one.day <= days[1]]
        if outside := len(chosen[name]) - len(kept):
            notes.append(f"{outside} questions of {name} are of days when the other was not in use")
        chosen[name] = kept
    return chosen, days


def _values(units: Sequence[Unit], measure: Measure) -> list[float]:
    found = (one.value(measure.value) for one in units)
    return [one for one in found if one is not None]


def _group(bucket: str, units: Sequence[Unit], told: Mapping[str, Mapping[str, Any]]) -> Group:
    settings = units[-1].settings if units else ""
    return Group(
        bucket=bucket,
        settings=settings,
        changes=told.get(settings, {}),
        questions=len(units),
        asked=sum(one.asked for one in units),
        measured={one.name: _measured(_values(units, one), one) for one in MEASURES},
    )


def _measured(values: Sequence[float], measure: Measure) -> Interval:
    if measure.part is not None:
        return quantile(values, measure.part)
    return share(values) if measure.kind == "share" else average(values)


def _comparison(measure: Measure, ours: Sequence[float], theirs: Sequence[float]) -> Comparison:
    p = by_chance(ours, theirs, part=measure.part)
    gain = gained(ours, theirs, part=measure.part)
    return Comparison(ours=B, theirs=A, measure=measure.name, gain=gain, p=p, p_corrected=p)


def _group_json(one: Group) -> dict[str, Any]:
    return {
        "settings": one.settings,
        "changes": dict(one.changes),
        "questions": one.questions,
        "asked": one.asked,
        "measures": {name: asdict(found) for name, found in one.measured.items()},
    }
