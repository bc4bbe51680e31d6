"""What does a calculation take? For each side of it one number, all of one kind.

The sides are what the question sets against each other: actual and budget, two periods, two
entities, a part and its whole. Of the numbers that fit each side those are taken that belong
together: the same unit always, and where possible the same table, the same name and the same time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise

from consilience.packs.finance.data_model import BETWEEN, Period
from consilience.packs.finance.figures.conditions import finer_times, said_kind, year_before
from consilience.packs.finance.figures.levels import is_of_level, level_asked, of_level
from consilience.packs.finance.figures.querying import Search
from consilience.packs.finance.figures.rows import compared, is_total
from consilience.packs.finance.figures.selecting import Fact
from consilience.packs.finance.questions.asking import Wanted
from consilience.packs.finance.questions.vocabulary import Match
from consilience.understand.names import surface

LOOKED_AT = 60
"""Rows that are looked at for a side."""
ANCHORS = 12
MOST = 500
"""Numbers that a calculation takes at most."""
_NEVER = -1e9
_SPANNING = 1.5
_FEW_DAYS = 5
_STEP = timedelta(days=31)
_GROUP = re.compile(r"(?i)\b(?:group|total|consolidated|overall|company)\b")
_IN = re.compile(r"(?i)\b(?:in|to|of|from)(?: the| its| total| overall| group| all)*\s*$")
_HOW_MANY = re.compile(
    r"(?i)\b(?:how many times|what multiple of|which multiple of)(?: the| its)?\s*$"
)
_IS = re.compile(r"(?i)\b(?:is|are|was|were|does|did)\b")
_WHEN = re.compile(
    r"(?i)\b(?:which|what|how many)\b[\w ]{0,20}\b(?:year|quarter|month|half|period)|\bwhen\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one operand has to meet, and by what it differs from the others."""

    wanted: Wanted
    whole: bool = False


def sides_of(wanted: Wanted, search: Search, best: Fact) -> tuple[str, list[Side]]:
    """By what the operands differ, and what each has to meet: what is counted comes first, what it
    is counted from or divided by last. `best` is the number that fits the question best.
    """
    plain = plainly(wanted)
    for by, sides in (
        ("basis", _by_basis(wanted, plain)),
        ("metric", _by_metric(wanted, plain)),
        ("report", _by_report(wanted, plain)),
        ("due", [_side(plain, due=(one,)) for one in wanted.due]),
        ("period", _by_period(wanted, plain)),
        ("entity", _by_entity(wanted, plain, search)),
        ("company", [_side(plain, companies=(one,)) for one in wanted.companies]),
    ):
        if len(sides) > 1:
            return by, sides
    if wanted.operation == "share":
        whole = replace(plain, entities=_whole_of(wanted, best))
        if whole == plain:
            return "", []
        return "entity", [Side(wanted=plain), Side(wanted=whole, whole=True)]
    now = wanted.periods[0] if wanted.periods else best.time
    if wanted.operation in ("growth", "difference") and now is not None:
        return "period", [_side(plain, periods=(one,)) for one in (now, year_before(now))]
    return "", []


def plainly(wanted: Wanted) -> Wanted:
    """With what was, where the question names no basis."""
    return wanted if wanted.bases else replace(wanted, bases=("actual",))


def _by_basis(wanted: Wanted, plain: Wanted) -> list[Side]:
    if wanted.against and wanted.operation not in ("ratio", "share"):
        first = tuple(one for one in plain.bases if one != wanted.against) or ("actual",)
        return [_side(plain, bases=first[:1]), _side(plain, bases=(wanted.against,))]
    return [_side(plain, bases=(one,)) for one in wanted.bases]


def _by_metric(wanted: Wanted, plain: Wanted) -> list[Side]:
    metrics = _in_order(wanted.metrics)
    if len(metrics) < 2 or wanted.operation == "growth":
        return []
    if len(wanted.periods) > 1 and wanted.operation == "difference":
        return []
    between = wanted.question[metrics[0][0].end : metrics[1][0].start]
    if wanted.operation == "share" and wanted.whole in metrics[0] and not _IN.search(between):
        metrics.reverse()
    counted = _HOW_MANY.search(wanted.question, 0, metrics[0][0].start)
    if wanted.operation == "ratio" and counted and _IS.search(between):
        metrics.reverse()  # how many times EBITDA was net debt
    return [_side(plain, metrics=one) for one in metrics]


def _by_report(wanted: Wanted, plain: Wanted) -> list[Side]:
    """What two reports say of the same; the later one comes first."""
    reports = sorted(wanted.reports, key=lambda one: one.end, reverse=True)
    return [_side(plain, reports=(one,)) for one in reports]


def _by_period(wanted: Wanted, plain: Wanted) -> list[Side]:
    times = sorted(wanted.periods, key=lambda one: one.end, reverse=True)
    times = [times[0], times[-1]] if wanted.is_range and times else times
    return [_side(plain, periods=(one,), is_range=False) for one in times]


def _by_entity(wanted: Wanted, plain: Wanted, search: Search) -> list[Side]:
    groups = sorted(search.groups(wanted), key=lambda group: min(one.start for one in group))
    if wanted.operation == "share":  # what it is a share of comes last
        groups.sort(key=lambda group: wanted.whole in group or all(map(_is_total, group)))
    return [_side(plain, entities=tuple(group)) for group in groups]


def _is_total(match: Match) -> bool:
    return all(is_total(compared(value)) for value in match.values)


def _whole_of(wanted: Wanted, best: Fact) -> tuple[Match, ...]:
    """Of what a share is taken: an entity that is named as the whole, or one that is named apart
    from its part ("of Portugal's EBITDA, how much was Cement?"), else the whole company.
    """
    if wanted.whole in wanted.entities:
        return tuple(one for one in wanted.entities if one == wanted.whole)
    ordered = sorted(wanted.entities, key=lambda one: one.start)
    together = all(
        not wanted.question[one.end : other.start].strip(" ,-") for one, other in pairwise(ordered)
    )
    if together or _GROUP.search(wanted.question):
        return ()
    return tuple(one for one in ordered if best.parts[-1:] != one.values[:1])


def _side(wanted: Wanted, **changed: object) -> Side:
    return Side(wanted=replace(wanted, **changed))  # type: ignore[arg-type]


def _in_order(matches: Sequence[Match]) -> list[tuple[Match, ...]]:
    """Matches by the place where they are named; several of one place are one."""
    places: dict[int, list[Match]] = {}
    for one in sorted(matches, key=lambda one: one.start):
        places.setdefault(one.start, []).append(one)
    return [tuple(some) for some in places.values()]


def together(search: Search, sides: Sequence[Side], by: str) -> tuple[Fact, ...] | None:
    """One number for each side, those that belong together best; None where a side has none."""
    found = []
    for side in sides:
        facts = [fact for fact in search.facts(side.wanted, LOOKED_AT) if fact.basis != "change"]
        facts = _wholes(facts, side.wanted) if side.whole else of_named(facts, side.wanted)
        if not facts:
            return None
        found.append(facts)
    best: tuple[float, tuple[Fact, ...]] | None = None
    for anchor in found[0][:ANCHORS]:
        chosen, total = [anchor], anchor.score
        for facts in found[1:]:
            fits = {one.cell: _fit(anchor, one, by) for one in facts if one not in chosen}
            other = max(facts, key=lambda one: fits.get(one.cell) or _NEVER)
            fit = fits.get(other.cell)
            if fit is None:
                break
            chosen.append(other)
            total += fit
        if len(chosen) == len(sides) and (best is None or total > best[0]):
            best = total, tuple(chosen)
    return best[1] if best else None


def of_named(facts: Sequence[Fact], wanted: Wanted) -> list[Fact]:
    """Without what is only a part of the entity that is named: Italy is not its drinks."""
    named = {compared(value) for one in wanted.entities for value in one.values}
    return [one for one in facts if not _is_within(one, named)]


def _is_within(fact: Fact, named: set[str]) -> bool:
    own = [part for part in map(compared, fact.parts) if not is_total(part)]
    return bool(named.intersection(own)) and own[-1] not in named


def _wholes(facts: Sequence[Fact], wanted: Wanted) -> list[Fact]:
    """Those that are the whole of what is named, or of the company where nothing is."""
    if wanted.entities:
        return [one for one in facts if len(one.parts) <= _least(facts)]
    return [one for one in facts if all(is_total(compared(part)) for part in one.parts)]


def _least(facts: Sequence[Fact]) -> int:
    return min((len(one.parts) for one in facts), default=0)


def _fit(anchor: Fact, other: Fact, by: str) -> float | None:
    """How well a number goes with the first one; None where they cannot be reckoned with."""
    if anchor.unit != other.unit and by != "metric":
        return None
    if anchor.kind != other.kind and by != "basis":
        same_end = by == "metric" and anchor.ends == other.ends
        if not same_end:  # a debt on a day and what was earned until then go together
            return None
    score = other.score
    score += 1.0 * ((anchor.document, anchor.table) == (other.document, other.table))
    score += 0.5 * (anchor.document == other.document) + 0.5 * (anchor.passage == other.passage)
    score += 0.2 * (anchor.scale == other.scale)
    same = {
        "metric": anchor.metric == other.metric,
        "entity": anchor.entity == other.entity,
        "company": anchor.company == other.company,
        "period": (anchor.stated or anchor.period) == (other.stated or other.period),
        "basis": anchor.basis == other.basis,
    }
    if by == "metric" and anchor.unit != other.unit:
        score -= 3.0
    return score + sum(1.5 for name, is_same in same.items() if name != by and is_same)


def spoken_times(wanted: Wanted) -> bool:
    """Whether a time is asked for: which year, when."""
    return bool(_WHEN.search(wanted.question))


def part_and_total(search: Search, wanted: Wanted) -> tuple[Fact, ...] | None:
    """A number and the total of its column, for the share that a row has in its table."""
    for fact in search.facts(plainly(wanted), LOOKED_AT)[:1]:
        total = search.total_of(fact)
        return (fact, *total) if total else None
    return None


def due_and_all(search: Search, wanted: Wanted) -> tuple[Fact, ...] | None:
    """What falls due in a year, and all of it: the total of its row."""
    for fact in search.facts(plainly(wanted), LOOKED_AT)[:1]:
        beside = search.facts(replace(plainly(wanted), due=()), LOOKED_AT)
        totals = [
            one
            for one in beside
            if one.passage == fact.passage and is_total(compared(one.header.split(BETWEEN)[-1]))
        ]
        return (fact, totals[0]) if totals else None
    return None


def series(search: Search, wanted: Wanted) -> tuple[Fact, ...]:
    """The same number over time, in rising order: within what the question names, or always."""
    plain = plainly(wanted)
    if len(wanted.periods) > 1:
        found = _steps(search.facts(plain, MOST), wanted.periods if wanted.is_range else ())
        return found if wanted.operation == "trend" or _covers(found, wanted) else ()
    if wanted.periods:
        for finer in finer_times(plain):
            found = _steps(search.facts(finer, MOST), finer.periods)
            if len(found) > 1:
                return found
        return ()
    facts, said = search.facts(plain, MOST), said_kind(wanted)
    return _steps([one for one in facts if one.kind == said] or facts)


def _covers(found: Sequence[Fact], wanted: Wanted) -> bool:
    """Whether there is a number for each time that is named, and for each year of a range."""
    named = wanted.periods
    if not wanted.is_range:
        return len(found) >= len(named)
    years = {one.year for one in found}
    between = range(min(one.year for one in named), max(one.year for one in named) + 1)
    return any(one.kind != "year" for one in named) or years >= set(between)


def _steps(facts: Sequence[Fact], within: Sequence[Period] = ()) -> tuple[Fact, ...]:
    """One number for each time, of the kind of times and the name that fit best and most.

    Those that go from the first to the last of the times that are asked for come before others.
    """
    timed = [one for one in facts if one.kind and one.basis != "change"]
    if not timed:
        return ()
    best: tuple[float, tuple[Fact, ...]] = (_NEVER, ())
    first = {one.passage: one for one in reversed(timed)}
    others = sorted(first.values(), key=lambda one: -one.score)[:ANCHORS]
    for anchor in dict.fromkeys((*timed[:ANCHORS], *others)):
        chosen: dict[str, tuple[float, Fact]] = {}
        for one in timed:
            fit = _fit(anchor, one, "period")
            same = (_whose(one), one.company) == (_whose(anchor), anchor.company)
            if fit is None or not one.period or not same:
                continue
            if fit > chosen.get(one.period, (_NEVER, one))[0]:
                chosen[one.period] = fit, one
        beside = sum(one.passage == anchor.passage for _, one in chosen.values())
        worth = anchor.score + min(len(chosen), 24) / 4 + beside / max(len(chosen), 1)
        worth += _SPANNING * _spans([one for _, one in chosen.values()], within)
        if worth > best[0]:
            best = worth, tuple(one for _, one in chosen.values())
    return tuple(sorted(best[1], key=lambda one: (one.ends or date.min, one.cell)))[:MOST]


def _spans(facts: Sequence[Fact], within: Sequence[Period]) -> bool:
    """Whether numbers go from the first to the last of the times that are asked for."""
    ends = [one.ends for one in facts if one.ends]
    if not ends or not within:
        return False
    first, last = min(one.start for one in within), max(one.end for one in within)
    return min(ends) - first <= _STEP and last - max(ends) <= timedelta(days=_FEW_DAYS)


def _whose(fact: Fact) -> str:
    """Of what a number is; the total of a group is of nothing else than the group."""
    return "" if all(is_total(compared(part)) for part in fact.parts) else fact.entity


def rivals(search: Search, wanted: Wanted) -> tuple[Fact, ...]:
    """The numbers of all entities that stand side by side in one table, totals left out.

    Where the question says which kind of entity it asks for, only those of that kind compete.
    """
    plain = plainly(wanted)
    facts = [one for one in search.facts(plain, MOST) if one.basis != "change"]
    named = {part for match in wanted.entities for part in match.values}
    others = [one for one in facts if not set(one.parts) <= named]
    asked = level_asked(wanted.question)
    best: tuple[float, tuple[Fact, ...]] = (_NEVER, ())
    for anchor in _anchors(facts, asked):
        by = of_level([one for one in others if _beside(anchor, one)], asked)
        said = any(one in wanted.question.casefold() for one in _headings(anchor))
        worth = anchor.score + min(len(by), 12) / 2 + 3.0 * said
        worth += 2.0 * (bool(asked) and level_asked(anchor.caption) == asked)
        worth += 3.0 * (bool(asked) and all(is_of_level(one, asked) for one in by))
        if len(by) > 1 and worth > best[0]:
            best = worth, by
    return best[1]


def _anchors(facts: Sequence[Fact], asked: str) -> list[Fact]:
    """The numbers beside which others are looked for: the best, and the best of the kind asked."""
    found: dict[object, Fact] = {}
    chosen = [one for one in facts if is_of_level(one, asked)] if asked else []
    for one in (*facts[:ANCHORS], *chosen):
        found.setdefault((one.document, one.table, one.period, _headings(one)), one)
    return list(found.values())[: 3 * ANCHORS]


def _headings(one: Fact) -> tuple[str, ...]:
    """The telling words of its label beside the entity: `division` of `By division › Cement`."""
    own = {compared(part) for part in (*one.parts, one.metric)}
    parts = [part for part in one.label.split(BETWEEN) if compared(part) not in own]
    words = surface(" ".join(parts)).split()
    return tuple(word.rstrip("sn") for word in words if len(word) > 4 and not is_total(word))


def _beside(anchor: Fact, one: Fact) -> bool:
    if _headings(anchor) != _headings(one):
        return False
    return (
        anchor.document,
        anchor.table,
        anchor.metric,
        anchor.unit,
        anchor.period,
        anchor.basis,
    ) == (one.document, one.table, one.metric, one.unit, one.period, one.basis)
