"""How do rows of a table answer a question? Those that it names or bounds, under their header.

A row fits if it has the values that the question says (`Japan`, `first order`) and lies within the
bounds it sets (`more than 70 m`, `between 1800 and 1850`).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import zip_longest
from math import inf

from consilience.answer.quotations import said, terms
from consilience.engine.pipeline import Engine
from consilience.protocols import Generator
from consilience.tables.source import TableAsker, TableReply, row_cells
from consilience.timeouts import within
from consilience.types import Exhibit, Hit, Note, Result, Statement
from consilience.understand.amounts import Amount, amounts, units_named
from consilience.understand.names import surface

COLUMNS = 6
"""Columns of a table in an answer."""
LEADING = 2 / 3
"""The share of the telling words that a query covers which leads an answer without being sure."""
ROWS = 12
"""Rows behind what a table answers that are shown."""
_MORE = re.compile(
    r"(?:\b(?:more|greater|higher|taller|longer|larger|bigger|heavier|later|older|over|above|after|"
    r"since|from|at least|no less)|[>≥]=?)\s*(?:than\s+)?(?:the year\s+)?$",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"(?:\b(?:less|fewer|lower|shorter|smaller|lighter|earlier|younger|under|below|before|until|"
    r"up to|at most|no more)|[<≤]=?)\s*(?:than\s+)?(?:the year\s+)?$",
    re.IGNORECASE,
)
_INCLUDED = re.compile(
    r"(?:since|from|until|up to|at least|at most|no \w+|[=≥≤])\W*(?:than\W*)?$", re.I
)
_BETWEEN = re.compile(r"\b(?:between|from)\s+$", re.IGNORECASE)
_TO = re.compile(r"\s*(?:and|to|[-–])\s*", re.IGNORECASE)
_DIGITS = re.compile(r"[-+−]?\d[\d\s\u00a0']*(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its cells by column, as they are printed."""

    exhibit: Exhibit
    cells: Mapping[str, str]


def row_of(exhibit: Exhibit) -> Row:
    """The cells of a row exhibit."""
    return Row(exhibit, row_cells(exhibit.passage) or {"": exhibit.passage.text})


def first_cell(exhibit: Exhibit) -> str:
    """The first cell of a row, which names it."""
    return next(iter(row_of(exhibit).cells.values()), "")


def write_rows(exhibits: Sequence[Exhibit], question: str, most: int) -> Iterator[Statement]:
    """Rows as tables, one for each table they come from, each row with its mark.

    The columns are the first, which names the row, and those that the question speaks of; where
    it speaks of none, the first ones.
    """
    tables: dict[tuple[str, str], list[Row]] = {}
    for exhibit in exhibits:
        if exhibit.passage.kind == "row":
            key = (exhibit.passage.document, exhibit.passage.locator.table or "")
            tables.setdefault(key, []).append(row_of(exhibit))
    asked = set(terms(question))
    for found in tables.values():
        rows = filter_rows(found, question)
        if not rows:
            continue
        columns = list(dict.fromkeys(column for row in rows for column in row.cells))
        spoken = [one for one in columns if asked & set(terms(one.replace("_", " ")))]
        values = [
            one
            for one in columns
            if any(asked & set(terms(row.cells.get(one, ""))) for row in rows)
        ]
        shown = list(dict.fromkeys([columns[0], *values, *spoken])) if spoken else columns
        yield _table(rows[:most], shown[:COLUMNS])


async def ask_tables(
    result: Result, engine: Engine, generator: Generator | None = None
) -> tuple[TableReply | None, tuple[Note, ...]]:
    """What a query over a table answers, the surest of all collections; and what went wrong."""
    sources: Mapping[str, object] = engine.sources
    askers = [
        (ask.source, source, ask.request)
        for ask in result.trace.plan.asks
        if ask.vote == ask.source and ask.weight
        if isinstance(source := sources.get(ask.source), TableAsker)
    ]
    seconds = engine.settings.answer.timeout_s if generator else 0.0
    wait_ms = max(engine.settings.retrieve.answer_ms, seconds * 1000)
    replies = await asyncio.gather(
        *(within(wait_ms, asker.ask_tables(ask, generator)) for _, asker, ask in askers)
    )
    found = [reply for reply, _ in replies if reply is not None]
    best = max(found, key=lambda reply: (reply.is_sure, reply.covered), default=None)
    notes = tuple(
        Note(source, f"its tables were not asked: {reason}")
        for (source, _, _), (_, reason) in zip(askers, replies, strict=True)
        if reason
    )
    return best, notes


def leads(reply: TableReply, result: Result) -> bool:
    """Whether a reply answers the question: it is sure, or nearly so with its table found first."""
    return reply.is_sure or (
        reply.passage is not None and reply.covered >= LEADING and comes_first(reply, result)
    )


def comes_first(reply: TableReply, result: Result) -> bool:
    """Whether the best that was found is a row of the table."""
    first = result.hits[0].passage if result.hits else None
    return first is not None and (first.kind, first.document, first.locator.table) == (
        "row",
        reply.document,
        reply.table,
    )


def table_hits(reply: TableReply, hits: Sequence[Hit], engine: Engine) -> tuple[Hit, ...]:
    """What a table answers, the rows behind it, and then what else was found."""
    if reply.passage is None:
        return tuple(hits)
    seen = {hit.passage.id: hit for hit in hits}
    rows = engine.lookup(reply.rows[:ROWS])
    behind = [seen.get(key) or Hit(passage=row, score=0.0) for key, row in rows.items()]
    rest = [hit for hit in hits if hit.passage.id not in rows]
    return (Hit(passage=reply.passage, score=1.0), *behind, *rest)


def open_with_table(exhibits: Sequence[Exhibit], reply: TableReply) -> tuple[Statement | str, ...]:
    """The value and how it was found, the rows behind it, and what had no place in the query."""
    if reply.passage is None:
        return ()
    text = reply.passage.text
    mark = next(exhibit.mark for exhibit in exhibits if exhibit.passage.id == reply.passage.id)
    parts: list[Statement | str] = [
        Statement(text=f"{said(text)} [{mark}]", opens=True, quotes={mark: text})
    ]
    rows = [row_of(exhibit) for exhibit in exhibits if exhibit.passage.id in reply.rows]
    columns = list(dict.fromkeys(column for row in rows for column in row.cells))
    shown = dict.fromkeys([*columns[:1], *(name for name in columns if name in reply.columns)])
    if rows and columns:
        parts.append(_table(rows, list(dict.fromkeys([*shown, *columns]))[:COLUMNS]))
    if len(reply.rows) > len(rows):
        parts.append(f"*The first {len(rows)} of {len(reply.rows)} rows are shown.*")
    if reply.doubts:
        parts.append(f"*Not sure: {said('; '.join(reply.doubts))}.*")
    return tuple(parts)


def _table(rows: Sequence[Row], columns: Sequence[str]) -> Statement:
    head = " | ".join(said(one.replace("_", " ")) for one in columns)
    lines = [f"| {head} |", "|" + " --- |" * len(columns)]
    for row in rows:
        cells = [said(row.cells.get(one, "")) for one in columns]
        cells[-1] = f"{cells[-1]} [{row.exhibit.mark}]".strip()
        lines.append(f"| {' | '.join(cells)} |")
    quotes = {row.exhibit.mark: row.exhibit.passage.text for row in rows}
    return Statement(text="\n".join(lines), form="table", opens=True, quotes=quotes)


def rows_answer(exhibits: Sequence[Exhibit], question: str) -> bool:
    """Whether a question asks for rows: it sets a bound, or speaks of a column."""
    asked = set(terms(question))
    columns = {
        column
        for exhibit in exhibits
        if exhibit.passage.kind == "row"
        for column in row_of(exhibit).cells
    }
    spoken = any(asked & set(terms(one.replace("_", " "))) for one in columns)
    return spoken or bool(find_bounds(question))


def filter_rows(rows: Sequence[Row], question: str) -> list[Row]:
    """The rows that have most of the values that a question says, and lie within its bounds."""
    words = f" {surface(question)} "
    counts = [sum(_is_said(cell, words) for cell in row.cells.values()) for row in rows]
    most = max(counts, default=0)
    kept = [row for row, count in zip(rows, counts, strict=True) if count == most]
    for bound in find_bounds(question):
        column = _bounded_column(rows, question, bound)
        within = [
            row for row in kept if column and bound.holds(as_number(row.cells.get(column, "")))
        ]
        kept = within if column else kept
    return kept


def _is_said(cell: str, words: str) -> bool:
    """Whether a question says a cell: as a whole, and not just a short number."""
    value = surface(cell)
    return len(value) > 2 and as_number(cell) is None and f" {value} " in words


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A bound that a question sets: between `low` and `high`, the ends too where `included`."""

    low: float
    high: float
    included: bool
    units: frozenset[str]

    def holds(self, value: float | None) -> bool:
        """Whether a value lies within; one that is not known does not."""
        if value is None:
            return False
        return self.low < value < self.high or (self.included and value in (self.low, self.high))


def find_bounds(question: str) -> list[Bound]:
    """Every comparison with a number that a question makes."""
    found: list[Bound] = []
    numbers = [
        amount
        for amount in amounts(question)
        if any(isinstance(number, Decimal) for number in amount.numbers)
    ]
    for amount, following in zip_longest(numbers, numbers[1:]):
        before = question[: amount.start]
        value, units = _value(amount), amount.units - {""}
        ends = bool(_INCLUDED.search(before))
        joined = following and _TO.fullmatch(question[amount.end : following.start])
        if following and joined and _BETWEEN.search(before):
            found.append(
                Bound(
                    low=value, high=_value(following), included=True, units=following.units - {""}
                )
            )
        elif _MORE.search(before):
            found.append(Bound(low=value, high=inf, included=ends, units=units))
        elif _LESS.search(before):
            found.append(Bound(low=-inf, high=value, included=ends, units=units))
    return found


def _value(amount: Amount) -> float:
    return float(min(number for number in amount.numbers if isinstance(number, Decimal)))


def _bounded_column(rows: Sequence[Row], question: str, bound: Bound) -> str:
    """The column of numbers that a bound is on: by its unit, its name, or years for a year."""
    columns = list(dict.fromkeys(column for row in rows for column in row.cells))
    numeric = [
        column
        for column in columns
        if all(as_number(row.cells[column]) is not None for row in rows if row.cells.get(column))
    ]
    ends = [end for end in (bound.low, bound.high) if abs(end) != inf]
    if not bound.units and all(1000 <= end <= 2100 and end == int(end) for end in ends):
        years = [one for one in numeric if _holds_years(rows, one)]
        return _spoken_of(years, question) or next(iter(years), "")
    numeric = [one for one in numeric if not _holds_years(rows, one)]
    of_unit = [one for one in numeric if bound.units & column_units(one)]
    return _spoken_of(of_unit or numeric, question) or (of_unit[0] if len(of_unit) == 1 else "")


def _spoken_of(columns: Sequence[str], question: str) -> str:
    asked = set(terms(question))
    return next((one for one in columns if asked & set(terms(one.replace("_", " ")))), "")


def column_units(column: str) -> frozenset[str]:
    """The units that a column's name ends in: `m` of `height_m`."""
    words = re.sub(r"[_()\[\]]", " ", column).split()
    return units_named(words[-1]) if len(words) > 1 else frozenset()


def _holds_years(rows: Sequence[Row], column: str) -> bool:
    values = [row.cells[column] for row in rows if row.cells.get(column)]
    return bool(values) and all(re.fullmatch(r"1\d{3}|20\d{2}", value) for value in values)


def as_number(cell: str) -> float | None:
    """A cell that is a number and nothing else, in either way of writing decimals."""
    if not _DIGITS.fullmatch(cell.strip()):
        return None
    bare = re.sub(r"[\s\u00a0']", "", cell).replace("−", "-")
    if re.fullmatch(r"[-+]?\d+,\d+", bare) and not re.fullmatch(r"[-+]?\d{1,3},\d{3}", bare):
        bare = bare.replace(",", ".")
    try:
        return float(bare.replace(",", ""))
    except ValueError:
        return None
