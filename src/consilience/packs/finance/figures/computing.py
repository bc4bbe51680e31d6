"""What comes out when the numbers are reckoned with? One SQL statement over cells, and its formula.

The operands are cells of reports (`operands`); the arithmetic is DECIMAL in SQL on their numbers in
whole units, so that thousands and millions go together. What comes out is a passage of its own,
with the formula, and with document, page, table and row of each operand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from consilience.packs.finance.figures.conditions import year_before
from consilience.packs.finance.figures.cursors import Asked
from consilience.packs.finance.figures.formulas import Outcome, Result, heading, line_of, worded
from consilience.packs.finance.figures.operands import (
    LOOKED_AT,
    Side,
    due_and_all,
    part_and_total,
    plainly,
    rivals,
    series,
    sides_of,
    spoken_times,
    together,
)
from consilience.packs.finance.figures.querying import Search
from consilience.packs.finance.figures.rows import compared, is_total
from consilience.packs.finance.figures.selecting import Fact, shown
from consilience.packs.finance.questions.asking import Wanted
from consilience.types import Locator, Passage, identified

KIND = "calculation"
_CELLS = """\
WITH cells AS (
  SELECT operand, number FROM (
    SELECT unnest(?::INTEGER[]) AS operand, unnest(?::VARCHAR[]) AS passage,
           unnest(?::INTEGER[]) AS "column"
  ) JOIN figures USING (passage, "column")
), sides AS (
  SELECT max(number) FILTER (operand = 1) AS a, max(number) FILTER (operand = 2) AS b,
         max(number) FILTER (operand = 3) AS c, max(number) FILTER (operand = 4) AS d FROM cells
)
"""
_EXACT = "({})::VARCHAR::DECIMAL(38,10)"
"""A quotient, which the engine gives as a floating number, to its last sure digit."""
_QUOTIENT = f"CASE WHEN b <> 0 THEN {_EXACT} END"
_GROWTH, _RATIO, _SHARE = map(_QUOTIENT.format, ("100 * ((a - b) / b)", "a / b", "100 * (a / b)"))
_SHARE_BEFORE = f"CASE WHEN d <> 0 THEN {_EXACT.format('100 * (c / d)')} END"
_AVERAGE = _EXACT.format("sum(number) / count(*)")
_STATEMENTS = {
    "difference": f"SELECT a - b, {_GROWTH}, a, b FROM sides",  # noqa: S608 - all written here
    "rest": "SELECT a + b, NULL, a, b FROM sides",
    "ratio": f"SELECT {_RATIO}, NULL, a, b FROM sides",  # noqa: S608
    "share": f"SELECT {_SHARE}, NULL, a, b FROM sides",  # noqa: S608
    "change of share": (
        f"SELECT {_SHARE} - {_SHARE_BEFORE}, {_SHARE}, {_SHARE_BEFORE}, NULL FROM sides"  # noqa: S608
    ),
    "sum": "SELECT sum(number), count(*), NULL, NULL FROM cells",
    "average": f"SELECT {_AVERAGE}, count(*), NULL, NULL FROM cells",  # noqa: S608
    "highest": "SELECT operand, number FROM cells ORDER BY number DESC, operand LIMIT ?",
    "lowest": "SELECT operand, number FROM cells ORDER BY number, operand LIMIT ?",
    "trend": "SELECT operand, number FROM cells ORDER BY operand LIMIT ?",
}
_COUNTED = {
    sign: f"SELECT operand, number FROM cells WHERE number {sign} ?::DECIMAL(38,10) ORDER BY 1"  # noqa: S608
    for sign in (">", ">=", "<", "<=")
}
_SIDES = frozenset({"difference", "growth", "ratio", "share", "compare"})
_RELATED = frozenset({"difference", "growth", "ratio", "share"})
_INNER = re.compile(r"(?i)\baverages?\b|\b(?:sum|combined total) of\b")
_OUTER = re.compile(r"(?i)\b(?:proportion|percentage|per cent|ratio|share) (?:of|\(|change)")
_EARNED = re.compile(r"(?i)\b(?:profit|income|earnings|loss|result)\b.*?\b(?:before|after)\b.*")
_SPENT = re.compile(
    r"(?i)cost|expens|\btax|dividend|interest|depreciat|amorti[sz]|expenditure|capex|personnel|"
    r"staff|wages|salar|material|energy|fuel|power|logistic|distribution|marketing|maintenance|"
    r"\bpaid\b|purchase|aufwand|aufwendung|kosten|steuer|abschreibung|energie|zinsen"
)
_PAIR = 2
_FAR = 100
_PICKED = frozenset({"highest", "lowest", "count"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """A calculation as a passage, the passages of its operands, and how it came about."""

    passage: Passage
    operands: tuple[str, ...]
    query: str


def compute(
    asked: Asked, search: Search, wanted: Wanted, best: Fact, collection: str
) -> Computed | None:
    """What the question asks to compute; None where it asks for none, or an operand is not there.

    `wanted` is what was met in full, and `best` the number that fits it best.
    """
    if wanted.operation is None or not _is_clear(search, wanted):
        return None
    operation = wanted.operation
    if operation == "share" and len(wanted.periods) > 1:
        return _shares(asked, search, wanted, best, collection)
    if operation in _SIDES:
        facts, by = _two(search, wanted, best)
        return _of_two(asked, wanted, facts, by, collection) if facts else None
    if operation in _PICKED:
        return _picked(asked, wanted, _field(search, wanted, best), collection)
    if operation == "trend":
        found = series(search, wanted)
        return _trend(asked, wanted, found, collection) if len(found) > 1 else None
    return of_many(asked, operation, _several(search, wanted, best), collection)


def _two(search: Search, wanted: Wanted, best: Fact) -> tuple[tuple[Fact, ...] | None, str]:
    """The two numbers that are set against each other, and by what they differ."""
    if wanted.operation == "share" and wanted.due:
        return due_and_all(search, wanted), "due"
    by, sides = sides_of(wanted, search, best)
    facts = together(search, sides, by) if len(sides) == _PAIR else None
    if facts is None and by in ("metric", "period"):
        facts = together(search, [_alike(search, one) for one in sides], by)
    if facts and wanted.operation == "share" and by == "entity" and not _is_whole(wanted, facts):
        return None, by
    whole = not sides or sides[-1].whole
    if wanted.operation == "share" and whole and not (facts and _is_part(facts)):
        return part_and_total(search, wanted), "label"
    return facts, by


def _alike(search: Search, side: Side) -> Side:
    """What an operand has to meet, with names of equal standing, in whichever language."""
    return replace(side, wanted=search.in_all_names(side.wanted))


def _is_whole(wanted: Wanted, facts: Sequence[Fact]) -> bool:
    """Whether the second is what the first is a part of, or is named as that."""
    part, whole = (
        {name for name in map(compared, one.parts) if not is_total(name)} for one in facts[:2]
    )
    return whole <= part or wanted.whole in wanted.entities


def _shares(
    asked: Asked, search: Search, wanted: Wanted, best: Fact, collection: str
) -> Computed | None:
    """A share at two times, and by how much it changed."""
    times = sorted(wanted.periods, key=lambda one: one.end, reverse=True)
    found = [
        _two(search, replace(wanted, periods=(one,), is_range=False), best)[0]
        for one in (times[0], times[-1])
    ]
    facts = [fact for some in found for fact in some or ()]
    if len(facts) != 2 * _PAIR:
        return None
    (result, now, before, _), query = _run(asked, _STATEMENTS["change of share"], facts)
    if result is None:
        return None
    outcome = Outcome(
        operation="change of share", facts=tuple(facts), result=result, percent=now, base=before
    )
    return made(worded(outcome), facts, query, collection)


def _is_part(facts: Sequence[Fact]) -> bool:
    return abs(facts[0].number) < abs(facts[1].number)


def _is_clear(search: Search, wanted: Wanted) -> bool:
    """Whether one thing is to be computed, and it is said of what: by a metric, or by an entity
    that has only one.
    """
    if _is_composed(wanted):
        return False
    if wanted.metrics:
        several = len({one.start for one in wanted.metrics}) > 1
        several = several or len(search.groups(wanted)) > 1
        return not (several and len(wanted.periods) > 1 and wanted.operation in _RELATED)
    return len({one.metric for one in search.facts(plainly(wanted), LOOKED_AT)}) == 1


def _is_composed(wanted: Wanted) -> bool:
    """Whether a question asks for something of what has to be computed first: the difference of
    two averages, the share of a sum.
    """
    other = _INNER if wanted.operation in _RELATED else _OUTER
    if wanted.operation not in (*_RELATED, "sum", "average"):
        return False
    named = " ".join(name for one in wanted.metrics for name in (one.said, *one.values[:3]))
    return bool(other.search(wanted.question)) and not other.search(named)


def _of_two(
    asked: Asked, wanted: Wanted, facts: Sequence[Fact], by: str, collection: str
) -> Computed | None:
    operation = wanted.operation or "difference"
    sql = _STATEMENTS["difference" if operation in ("growth", "compare") else operation]
    if operation in ("difference", "compare") and by == "metric" and _is_spent(*facts):
        sql = _STATEMENTS["rest"]
    (result, percent, _, base), query = _run(asked, sql, facts)
    if result is None or (operation == "growth" and percent is None):
        return None  # divided by nothing
    if operation in ("ratio", "share") and by == "metric" and any(map(is_outlay, facts)):
        result = abs(result)
    outcome = Outcome(
        operation=operation, by=by, facts=tuple(facts), result=result, percent=percent, base=base
    )
    return made(worded(replace(outcome, question=wanted.question)), facts, query, collection)


def _is_spent(first: Fact, second: Fact) -> bool:
    """Whether the second is to be taken off the first, and is printed below zero as that."""
    return first.number > 0 and is_outlay(second)


def _sought(wanted: Wanted, facts: Sequence[Fact]) -> str:
    """The highest or the lowest: of what was spent, the highest is the furthest below zero."""
    if not all(map(is_outlay, facts)):
        return str(wanted.operation)
    return "lowest" if wanted.operation == "highest" else "highest"


def is_outlay(fact: Fact) -> bool:
    """Whether a number below zero is what was spent, printed as that: its amount is meant."""
    name = _EARNED.sub("", fact.metric)
    return fact.number < 0 and bool(_SPENT.search(name))


def of_many(
    asked: Asked, operation: str, facts: Sequence[Fact], collection: str
) -> Computed | None:
    """The sum, the average, the highest or the lowest of numbers; None if they do not go together.

    Units are never mixed.
    """
    if len(facts) < 2 or len({one.unit for one in facts}) > 1:
        return None
    if operation in _PICKED:
        rows, query = run_over(asked, _STATEMENTS[operation], facts, [1])
        picked = tuple(facts[place - 1] for place, _ in rows)
        result = picked[0].number
        outcome = Outcome(operation=operation, facts=picked, field=tuple(facts), result=result)
        return made(worded(outcome), picked, query, collection)
    (result, _, _, _), query = _run(asked, _STATEMENTS[operation], facts)
    outcome = Outcome(operation=operation, facts=tuple(facts), result=result)
    return made(worded(outcome), facts, query, collection)


def _picked(
    asked: Asked, wanted: Wanted, facts: Sequence[Fact], collection: str
) -> Computed | None:
    if len(facts) < 2:
        return None
    limit = _bounding(wanted, facts[0])
    largest = max(abs(one.number) for one in facts)
    if facts[0].scale == 1 and largest * _FAR < abs(limit):
        return None  # millions are asked for, and nobody knows what the table counts in
    more: list[Any]
    if wanted.bound is not None:
        sql, more = _COUNTED[wanted.bound.comparison], [limit]
    elif wanted.operation == "count":
        return None
    else:
        sql, more = _STATEMENTS[_sought(wanted, facts)], [wanted.number or len(facts)]
    rows, query = run_over(asked, sql, facts, more)
    picked = tuple(facts[place - 1] for place, _ in rows)
    outcome = Outcome(
        operation="count" if wanted.bound is not None else str(wanted.operation),
        facts=picked,
        field=tuple(facts),
        result=Decimal(len(picked)),
        bound=wanted.bound,
        limit=limit,
    )
    return made(worded(outcome), picked or facts, query, collection)


def _trend(asked: Asked, wanted: Wanted, facts: Sequence[Fact], collection: str) -> Computed:
    rows, query = run_over(asked, _STATEMENTS["trend"], facts, [len(facts)])
    (_, percent, _, base), _ = _run(asked, _STATEMENTS["difference"], [facts[-1], facts[0]])
    outcome = Outcome(
        operation="trend",
        facts=tuple(facts[place - 1] for place, _ in rows),
        result=facts[-1].number - facts[0].number,
        percent=percent,
        base=base,
    )
    return made(worded(outcome), facts, query, collection)


def _field(search: Search, wanted: Wanted, best: Fact) -> Sequence[Fact]:
    """The numbers among which one is picked, or that are counted."""
    by, sides = sides_of(replace(wanted, operation="compare", against=None), search, best)
    if len(sides) > 1 and not wanted.is_range:
        return together(search, sides, by) or ()
    if wanted.is_range or spoken_times(wanted):
        return series(search, wanted)
    return rivals(search, wanted) or series(search, wanted)


def _several(search: Search, wanted: Wanted, best: Fact) -> Sequence[Fact]:
    """The numbers that are added up."""
    if wanted.is_range:
        return series(search, wanted)
    by, sides = sides_of(replace(wanted, operation="compare", against=None), search, best)
    if len(sides) > 1:
        others = [_alike(search, one) for one in sides]
        return together(search, sides, by) or together(search, others, by) or ()
    found = series(search, wanted)
    if not found and wanted.operation == "average" and len(wanted.periods) == 1:
        times = (wanted.periods[0], year_before(wanted.periods[0]))
        sides = [Side(wanted=replace(plainly(wanted), periods=(one,))) for one in times]
        found = together(search, sides, "period") or ()  # of its beginning and its end
    return found or rivals(search, wanted)


def _bounding(wanted: Wanted, first: Fact) -> Decimal:
    """The bound in whole units; one without a scale is meant in that of the table."""
    bound = wanted.bound
    if bound is None:
        return Decimal(0)
    bare = not bound.unit and abs(bound.number) < 1000 * 1000 and first.unit != "%"
    return bound.number * first.scale if bare and first.scale > 1 else bound.number


def _run(asked: Asked, sql: str, facts: Sequence[Fact]) -> tuple[tuple[Any, ...], str]:
    rows, query = run_over(asked, sql, facts, [])
    return tuple(rows[0]), query


def run_over(
    asked: Asked, sql: str, facts: Sequence[Fact], more: Sequence[Any]
) -> tuple[list[Any], str]:
    """What a statement over the cells of some numbers gives, and how people read it."""
    statement = _CELLS + sql
    parameters = [
        list(range(1, len(facts) + 1)),
        [one.passage for one in facts],
        [one.column for one in facts],
        *more,
    ]
    return asked.rows(statement, parameters), shown(statement, parameters)


def made(result: Result, facts: Sequence[Fact], query: str, collection: str) -> Computed:
    """The passage that tells the result, formula first, then where each operand is printed."""
    first = facts[0]
    finer = [f"More exactly: {result.finer}"] if result.finer else []
    first_line = f"{heading(facts, result)}: {result.formula}"
    text = "\n".join([first_line, *finer, *map(line_of, facts)])
    passage = Passage(
        id="",
        collection=collection,
        document=first.document,
        kind=KIND,
        title=first.title,
        text=text,
        locator=Locator(
            section=(first.caption,) if first.caption else (), page=first.page, table=first.table
        ),
        metadata={
            "metric": first.metric,
            "entity": first.entity,
            "company": first.company,
            "period": first.period or "",
            "operation": result.operation,
            "result": result.text,
            "value": result.value,
            "unit": result.unit,
            "operands": json.dumps([_operand(one) for one in facts], ensure_ascii=False),
        },
    )
    return Computed(
        passage=identified(passage),
        operands=tuple(dict.fromkeys(one.passage for one in facts)),
        query=query,
    )


def _operand(one: Fact) -> dict[str, Any]:
    return {
        "passage": one.passage,
        "row": one.row,
        "column": one.column,
        "text": one.text,
        "label": one.label,
        "header": one.header,
        "page": one.page,
        "table": one.table,
        "document": one.document,
    }
