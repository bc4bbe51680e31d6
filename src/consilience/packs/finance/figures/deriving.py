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

from consilience.packs.finance.data_model import BETWEEN, Period
from consilience.packs.finance.figures.operands import MOST, plainly, series
from consilience.packs.finance.figures.querying import Answered, Search
from consilience.packs.finance.figures.rows import compared, is_total
from consilience.packs.finance.figures.selecting import Fact
from consilience.packs.finance.notation.measures import CURRENCIES
from consilience.packs.finance.notation.periods import month, quarter, told
from consilience.packs.finance.questions.asking import Wanted
from consilience.packs.finance.questions.counting import PEOPLE, is_quantity
from consilience.packs.finance.questions.operations import Operation
from consilience.packs.finance.questions.spelling import joined, words_of
from consilience.packs.finance.questions.timing import parted
from consilience.packs.finance.questions.vocabulary import Match, Vocabulary

_LONGER = frozenset({"quarter", "half", "span", "year", "ytd"})
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
_GROWTH = re.compile(
    r"(?i)(?P<before>\w.*?)(?:[ -]?(?:growth|increase|wachstum)(?: rate| \(?%\)?)?)|"
    r"(?:growth|increase|wachstum) (?:rate )?(?:in|of|des|der) (?P<behind>\w.*)"
)
_YEARLY = re.compile(
    r"(?i)\b(?:cagr|annual|annually|yearly|per year|a year|per annum|p\.a\.)(?!\w)"
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
    """What a figure can be made from, and what it is called; no rows where something is lacking.

    `facts` are the numbers to add up, where they are more than the question names.
    """

    said: str
    answered: Answered
    facts: tuple[Fact, ...] = ()


def derived(
    search: Search, wanted: Wanted, answered: Answered, vocabulary: Vocabulary
) -> Derived | None:
    """What the figure that is asked for can be made from; None where it is none of these."""
    if not wanted.asks_figure:
        return None
    for way in (_by_ratio, _by_growth):
        if found := way(search, wanted, answered, vocabulary):
            return found
    return None if answered.whole else _by_months(search, wanted)


def _by_growth(
    search: Search, wanted: Wanted, answered: Answered, vocabulary: Vocabulary
) -> Derived | None:
    """The growth of a metric, where no report prints it for what is named: that of revenue."""
    yearly = len(wanted.periods) == 2 and bool(_YEARLY.search(wanted.question))
    if answered.whole and wanted.operation not in ("highest", "lowest") and not yearly:
        return None
    metrics = [_grown(one, vocabulary) for one in wanted.metrics]
    bases = [one for one in metrics if one]
    if not bases or len(bases) < len(metrics):
        return None
    operation: Operation = wanted.operation or "growth"
    if operation in ("difference", "compare") or yearly:
        operation = "growth"
    based = tuple(dict.fromkeys(bases))
    found = search.find(replace(wanted, metrics=based, operation=operation, unit=""))
    if not found.whole:
        return None
    said = wanted.metrics[0].said
    step = f"“{said}” is computed from {based[0].values[0]}"
    return Derived(said=said, answered=replace(found, steps=(step, *found.steps)))


def _grown(match: Match, vocabulary: Vocabulary) -> Match | None:
    """The metric whose growth a metric is: revenue, of revenue growth."""
    said = _GROWTH.fullmatch(match.said)
    name = (said["before"] or said["behind"]) if said else ""
    found = [
        one
        for one in vocabulary.matches(name or "")
        if one.field == "metric" and one.how in ("exact", "alias") and one.said == name
    ]
    if not found or name is None:
        return None
    start = match.start + match.said.index(name)
    return replace(found[0], start=start, end=start + len(name))


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
    if len(search.groups(found.met)) > 1:
        return None  # of two things none is the one to add up
    step = f"no figure for {told(whole)}; there are those of its {months[0].kind}s"
    parts: tuple[Fact, ...] = ()
    if not listed and (below := _below(facts[0], found.met)):
        parts = _all_parts(search, found.met, facts, below)
        step += f", for each part of {below}"
        if not parts:
            return None
    answered = replace(found, steps=(step, *found.steps))
    return Derived(said=told(whole), answered=answered, facts=parts)


def _below(fact: Fact, wanted: Wanted) -> str:
    """The entity that a number is only a part of, where another one is asked for: Mexico, and not
    its cement. Empty where the number is of what is asked for.
    """
    named = {compared(value) for one in wanted.entities for value in one.values}
    own = [part for part in fact.parts if not is_total(compared(part))]
    if not own or compared(own[-1]) in named:
        return ""
    return BETWEEN.join(own[:-1]) or "the whole"


def _all_parts(
    search: Search, wanted: Wanted, facts: Sequence[Fact], below: str
) -> tuple[Fact, ...]:
    """The numbers of all parts that stand beside each other in a table, for each of the times."""
    first, times = facts[0], {one.period for one in facts}
    beside = [
        one
        for one in search.facts(plainly(wanted), MOST)
        if (one.document, one.table, one.metric, one.unit, one.basis)
        == (first.document, first.table, first.metric, first.unit, first.basis)
        and one.period in times
        and one.kind == first.kind
        and len(one.parts) == len(first.parts)
        and _below(one, wanted) == below
    ]
    each = {(one.entity, one.period): one for one in reversed(beside)}
    entities = {one.entity for one in beside}
    if len(entities) < 2 or len(each) != len(entities) * len(times):
        return ()
    return tuple(each[key] for key in sorted(each, key=str))


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
