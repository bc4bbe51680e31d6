"""How do tables answer a question? By a query over all their rows, or with the rows it names.

What a query gives leads an answer where every word has its place in it, or nearly every one and
its table is found first. Else rows that were found stand under their header: those that have the
values that the question says (`Japan`, `first order`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from consilience.answer.quotations import said, terms
from consilience.engine.pipeline import Engine
from consilience.protocols import Generator
from consilience.tables.source import TableAsker, TableReply, row_cells
from consilience.timeouts import within
from consilience.types import Exhibit, Hit, Note, Result, Statement
from consilience.understand.names import surface

COLUMNS = 6
"""Columns of a table in an answer."""
LEADING = 0.75
"""The share of the telling words that a query covers which leads an answer without being sure."""
COPY_S = 30.0
"""How long tables are waited for: the first question copies them from the catalogue."""
ROWS = 12
"""Rows behind what a table answers that are shown."""


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
    seconds = engine.settings.answer.timeout_s if generator else COPY_S
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
    behind = [
        seen.get(key) or Hit(passage=rows[key], score=0.0) for key in reply.rows if key in rows
    ]
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
    if rows and columns:
        shown = [name for name in reply.columns if name in columns]
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
    """Whether a question asks for rows: it speaks of a column."""
    asked = set(terms(question))
    columns = {
        column
        for exhibit in exhibits
        if exhibit.passage.kind == "row"
        for column in row_of(exhibit).cells
    }
    return any(asked & set(terms(name.replace("_", " "))) for name in columns)


def filter_rows(rows: Sequence[Row], question: str) -> list[Row]:
    """The rows that have most of the values that a question says."""
    words = f" {surface(question)} "
    counts = [sum(_is_said(cell, words) for cell in row.cells.values()) for row in rows]
    most = max(counts, default=0)
    return [row for row, count in zip(rows, counts, strict=True) if count == most]


def _is_said(cell: str, words: str) -> bool:
    """Whether a question says a cell: as a whole, and not just a short number."""
    value = surface(cell)
    return len(value) > 2 and not value.replace(" ", "").isdigit() and f" {value} " in words
