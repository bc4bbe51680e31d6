"""Can a figure that no report prints be made from others? A known ratio, or the sum of months.

The equity ratio is equity by total assets (`ratios.toml`), and the revenue of a quarter that of its
three months, if all of them are there. A balance, a price and a percentage are never added up.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from consilience.packs.finance.figures.operands import series
from consilience.packs.finance.figures.querying import Answered, Search
from consilience.packs.finance.figures.selecting import Fact
from consilience.packs.finance.notation.measures import CURRENCIES
from consilience.packs.finance.notation.periods import month, quarter, told
from consilience.packs.finance.questions.asking import Wanted
from consilience.packs.finance.questions.counting import PEOPLE, is_quantity
from consilience.packs.finance.questions.operations import Operation
from consilience.packs.finance.questions.spelling import joined, words_of
from consilience.packs.finance.questions.timing import parted
from consilience.packs.finance.questions.vocabulary import Match, Vocabulary
from consilience.packs.finance.shapes import Period

_LONGER = frozenset({"quarter", "half", "span"})
_MOST_MONTHS = 24
_PARTS = frozenset({"month", "quarter"})
_THREE = 3
_STANDING = re.compile(
    r"(?i)\b(?:net )?debt|borrowing|liquid|\bcash(?! flow| generated| from)|inventor|receivable|"
    r"payable|asset|liabilit|equity|capital employed|working capital|goodwill|provision|balance|"
    r"backlog|headcount|employee|staff|\bfte|price|margin|ratio|\brate|\bper\b|average|share|quote|"
    r"marge|preis|verschuldung|zahlungsmittel|vorräte|forderung|verbindlichkeit|eigenkapital|"
    r"vermögen|bestand"
)
_COUNTED = PEOPLE | {"days", "years", "hours", "months", "shares"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """A ratio by the names of what is divided by what; in percent, or as a multiple."""

    name: str
    over: str
    under: str
    percent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """What a figure can be made from, and what it is called; no rows where something is lacking."""

    said: str
    answered: Answered


def derived(
    search: Search, wanted: Wanted, answered: Answered, vocabulary: Vocabulary
) -> Derived | None:
    """What the figure that is asked for can be made from; None where it is none of these."""
    if not wanted.asks_figure:
        return None
    ratio = _by_ratio(search, wanted, answered, vocabulary)
    return ratio or (None if answered.whole else _by_months(search, wanted))


def _by_ratio(
    search: Search, wanted: Wanted, answered: Answered, vocabulary: Vocabulary
) -> Derived | None:
    found = _named(wanted.question, vocabulary)
    if not found or wanted.operation not in (None, "ratio", "share") or len(wanted.periods) > 1:
        return None
    formula, start, end = found
    printed = any(
        one.start <= start and end <= one.end and one.how != "partial" for one in wanted.metrics
    )
    if printed and answered.whole:
        return None
    said = wanted.question[start:end]
    sides = [
        match
        for at, name in enumerate((formula.over, formula.under))
        if (match := _measure(vocabulary, name, start + at))
    ]
    made = Answered()
    for some in (sides, [_wider(one, vocabulary) for one in sides]):
        if len(some) == 2 and not made.whole:
            made = search.find(_divided(wanted, formula, some, said))
    if not made.whole:
        return None if printed else Derived(said=said, answered=Answered())
    step = f"“{said}” is taken as {formula.over} divided by {formula.under}"
    return Derived(said=said, answered=replace(made, steps=(step, *made.steps)))


def _divided(wanted: Wanted, formula: Formula, sides: Sequence[Match], said: str) -> Wanted:
    """What is wanted, with what is divided by what in place of the ratio's name."""
    operation: Operation = "share" if formula.percent else "ratio"
    return replace(
        wanted,
        metrics=tuple(sides),
        operation=operation,
        whole=sides[1],
        unit="",
        unknown=tuple(one for one in wanted.unknown if one not in said and said not in one),
        absent=tuple(one for one in wanted.absent if one not in said and said not in one),
    )


def _by_months(search: Search, wanted: Wanted) -> Derived | None:
    """The months or quarters of a time that no figure is for: added up, or told one by one where
    the question names the first and the last of them.
    """
    if wanted.operation is not None or len(wanted.periods) != 1:
        return None
    whole = wanted.periods[0]
    months = _months_of(whole) if whole.kind in _LONGER else []
    ways = (_added(search, wanted, one) for one in (months, _quarters_of(months)) if len(one) > 1)
    return next((one for one in ways if one), None)


def _added(search: Search, wanted: Wanted, months: Sequence[Period]) -> Derived | None:
    """The figures of all these months or quarters, if there is one for each."""
    whole = wanted.periods[0]
    listed = len(parted(wanted.question, wanted.spoken, wanted.periods)) > 1
    operation: Operation = "trend" if listed else "sum"
    times = (months[0], months[-1])
    found = search.find(replace(wanted, operation=operation, periods=times, is_range=True))
    if not found.whole or found.met is None:
        return None
    facts = series(search, found.met)
    if {one.period for one in facts} != {one.key for one in months}:
        return None
    if not listed and not all(map(_is_flow, facts)):
        return None
    step = f"no figure for {told(whole)}; there are those of its {months[0].kind}s"
    return Derived(said=told(whole), answered=replace(found, steps=(step, *found.steps)))


def _months_of(whole: Period) -> list[Period]:
    """The months of the calendar that make up a time; none where it begins or ends within one."""
    found: list[Period] = []
    at = month(whole.start.year, whole.start.month)
    while at.end <= whole.end and len(found) <= _MOST_MONTHS:
        found.append(at)
        number = at.start.year * 12 + at.start.month
        at = month(number // 12, number % 12 + 1)
    fits = found and found[0].start == whole.start and found[-1].end == whole.end
    return found if fits else []


def _quarters_of(months: Sequence[Period]) -> list[Period]:
    """The quarters of the calendar that months make up; none where some are left over."""
    firsts = months[::_THREE]
    if len(months) % _THREE or any(one.start.month % _THREE != 1 for one in firsts):
        return []
    return [quarter(one.start.year, one.start.month // _THREE + 1) for one in firsts]


def _is_flow(fact: Fact) -> bool:
    """Whether a number counts what came and went within its time, so that months add up."""
    money = fact.unit in CURRENCIES
    counted = is_quantity(fact.unit) and fact.unit not in _COUNTED
    return (money or counted) and fact.kind in _PARTS and not _STANDING.search(fact.metric)


def _named(text: str, vocabulary: Vocabulary) -> tuple[Formula, int, int] | None:
    """The ratio that a question names, under whatever name, and where."""
    aliases, words = vocabulary.aliases, words_of(text)
    known = {aliases.names.get(joined(words_of(one.name))): one for one in _formulas()}
    for name, first, last in aliases.told(words):
        if formula := known.get(name):
            return formula, words[first].start, words[last - 1].end
    return None


def _measure(vocabulary: Vocabulary, name: str, start: int) -> Match | None:
    """The metrics that a known name means here, as if it were said at a place of the question."""
    found = [one for one in vocabulary.matches(name) if one.field == "metric"]
    sure = [one for one in found if one.how != "partial" and one.said == name]
    return replace(sure[0], start=start, end=start + 1) if sure else None


def _wider(match: Match, vocabulary: Vocabulary) -> Match:
    """With all names of equal standing."""
    others = [one for one in vocabulary.wider(match) if one.how != "partial"]
    values = dict.fromkeys((*match.values, *(value for one in others for value in one.values)))
    return replace(match, values=tuple(values))


@cache
def _formulas() -> tuple[Formula, ...]:
    path = Path(__file__).with_name("ratios.toml")
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(Formula(name=name, **parts) for name, parts in table.items())
