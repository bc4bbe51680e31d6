"""Which table of a collection answers a question, and with which rows?

The rows of a collection become tables when the first question comes, and again after they changed.
The tables that share most words with the question are asked; the one that covers most of it wins.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from consilience.errors import ModelError, SourceError
from consilience.filters import passes
from consilience.kinds import TABLE_ANSWER
from consilience.protocols import Generator, Lookup, QueryVectors, Vectors
from consilience.tables.database import Database
from consilience.tables.grammar import Near, parse_question, tokenize
from consilience.tables.proposal import propose_answer
from consilience.tables.query import TableAnswer, TableQuery, describe_answer
from consilience.tables.schema import Table, make_table
from consilience.types import Locator, Passage, Request
from consilience.understand.amounts import units_named
from consilience.worker_pool import WorkerPool

MOST_ROWS = 100_000
"""Rows of a collection that become tables; a larger one is not asked this way."""
MOST_ASKED = 8
"""Tables for which a question is parsed."""
MOST_NAMES = 60
"""Names of columns up to which words are compared with them in meaning."""
LEAST_COVERED = 0.5
"""The share of the telling words that a query must cover to be reported at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReply:
    """What a table answers: a passage that says it with the SQL, and the ids of the rows behind it.

    `columns` are those that the query uses. `doubts` say what of the question has no place in it;
    without any the reply `is_sure`. Without a passage `doubts` say why nothing was computed.
    """

    document: str
    table: str
    passage: Passage | None = None
    rows: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    covered: float = 1.0

    @property
    def is_sure(self) -> bool:
        """Whether every word has a place and no part is a guess."""
        return self.passage is not None and not self.doubts


@runtime_checkable
class TableAsker(Protocol):
    """A source that can answer a question by a query over its tables; None where none fits."""

    async def ask_tables(
        self, request: Request, generator: Generator | None = None
    ) -> TableReply | None:
        """The surest reply; a language model may fill the query where the grammar is not sure."""


def compare_meaning(vectors: Mapping[str, Vectors]) -> Near:
    """Nearness of words to names by their vectors; one without a vector is near nothing."""

    def near(words: str, names: Sequence[str]) -> Sequence[float]:
        key = words if words in vectors else words.split(maxsplit=1)[0]
        return [
            float(vectors[key] @ vectors[name]) if key in vectors and name in vectors else 0.0
            for name in names
        ]

    return near


@dataclass(frozen=True, slots=True)
class _Tables:
    """The tables of a collection as they were at one version."""

    version: int
    database: Database
    names: tuple[str, ...]


class CollectionTables:
    """The tables that the rows of a collection belong to, to be asked."""

    def __init__(
        self,
        collection: str,
        *,
        ids: Callable[[], Sequence[str]],
        version: Callable[[], int],
        lookup: Lookup,
        vectors: QueryVectors | None = None,
    ) -> None:
        self.collection = collection
        self._ids, self._version, self._lookup, self._vectors = ids, version, lookup, vectors
        self._tables: _Tables | None = None
        self._workers = WorkerPool(f"{collection}/tables", threads=1)

    async def ask_tables(
        self, request: Request, generator: Generator | None = None
    ) -> TableReply | None:
        """The answer of the table that covers most of the question."""
        tables = await self._workers.run(self._current)
        if tables is None:
            return None
        near = await self._near(request.text, tables.names)
        reply = await self._workers.run(lambda: self._reply(request, tables.database, near))
        if generator is None or reply is None or reply.is_sure:
            return reply
        return await self._propose(request, tables.database, generator, reply)

    async def _propose(
        self, request: Request, database: Database, generator: Generator, reply: TableReply
    ) -> TableReply:
        """What SQL of a language model answers; sure where the grammar came to the same."""
        table = database.tables[reply.table]
        try:
            answer = await propose_answer(request.text, table, database, generator)
        except (ModelError, SourceError) as error:
            return replace(reply, doubts=(*reply.doubts, str(error)))
        passage, rows = cite_answer(answer, table, self.collection)
        is_same = answer.values == reply.values
        doubts = () if is_same else (f"{generator.name} wrote the SQL",)
        return replace(
            reply,
            passage=reply.passage if is_same else passage,
            rows=reply.rows if is_same else rows,
            doubts=doubts,
            covered=1.0,
        )

    def _current(self) -> _Tables | None:
        version = self._version()
        if self._tables is None or self._tables.version != version:
            ids = self._ids()
            if not ids or len(ids) > MOST_ROWS:
                return None
            tables = collect_tables(list(self._lookup(ids).values()))
            names = tuple(dict.fromkeys(name for table in tables for name in table.names))
            self._tables = _Tables(version, Database(tables), names)
        return self._tables

    async def _near(self, question: str, names: Sequence[str]) -> Near | None:
        """Nearness in meaning of the words of the question to the names of columns."""
        if self._vectors is None or len(names) > MOST_NAMES:
            return None
        words = {token.folded for token in tokenize(question) if token.folded.isalpha()}
        texts = [*names, *words]
        found = await asyncio.gather(*(self._vectors.get(text.replace("_", " ")) for text in texts))
        return compare_meaning(dict(zip(texts, (row.reshape(-1) for row in found), strict=True)))

    def _reply(self, request: Request, database: Database, near: Near | None) -> TableReply | None:
        words = {token.stem for token in tokenize(request.text)}
        tables = sorted(database.tables.values(), key=lambda t: -len(words & t.stems))[:MOST_ASKED]
        parsed = [
            (query, table)
            for table in tables
            if (query := parse_question(request.text, table, near)).covered >= LEAST_COVERED
        ]
        if not parsed:
            return None
        query, table = max(parsed, key=lambda entry: (entry[0].is_sure, entry[0].covered))
        if not query.is_complete:
            offer = f"“{table.title or table.name}” has the columns {', '.join(table.header)}"
            return TableReply(
                document=table.document,
                table=table.name,
                doubts=(*_doubts(query), offer),
                covered=query.covered,
            )
        answer = database.run(query)
        if not answer.values:
            return None
        doubts = _doubts(query)
        rivals = [
            other.name
            for rival, other in parsed
            if other is not table
            and (rival.is_sure, rival.covered) >= (query.is_sure, query.covered)
        ]
        if rivals:
            doubts = (*doubts, f"{', '.join(rivals)} could be asked as well")
        passage, rows = cite_answer(answer, table, self.collection)
        if not passes(passage, request.filters):
            return None
        return TableReply(
            document=table.document,
            table=table.name,
            passage=passage,
            rows=rows,
            values=answer.values,
            columns=(table.label, *used_columns(query)),
            doubts=doubts,
            covered=query.covered,
        )


def cite_answer(
    answer: TableAnswer, table: Table, collection: str
) -> tuple[Passage, tuple[str, ...]]:
    """An answer as a passage to cite, and the ids of the rows behind it."""
    text = describe_answer(answer, table.title or table.name, _unit(answer.query, table))
    ids = tuple(table.ids[row - 1] for row in answer.rows if row <= len(table.ids))
    key = hashlib.sha256(f"{collection}\0{text}\0{answer.sql}".encode()).hexdigest()
    passage = Passage(
        id=key[:16],
        collection=collection,
        document=table.document,
        kind=TABLE_ANSWER,
        title=table.title or table.name,
        text=text,
        locator=Locator(table=table.name),
        metadata={"sql": answer.sql, "rows": len(ids)},
    )
    return passage, ids


def _unit(query: TableQuery | None, table: Table) -> str:
    """The unit of what a query computes or ranks by; empty for a ratio and for cells with words."""
    if query is None or query.operation in ("ratio", "count"):
        return ""
    name = query.rank.column if query.rank and not query.group else query.column
    column = table.columns.get(name)
    if column is None or column.kind != "number" or column.is_year or len(column.words) < 2:
        return ""
    named = [word for word in column.words[-1:] + column.words if units_named(word)]
    return min(units_named(named[0])) if named else ""


def used_columns(query: TableQuery) -> tuple[str, ...]:
    """The columns that a query speaks of, those that are asked for first."""
    conditions = (*query.sides, *query.conditions)
    rank = query.rank.column if query.rank else ""
    named = (query.group, query.column, query.other, rank, *(c.column for c in conditions))
    return tuple(dict.fromkeys(name for name in named if name))


def _doubts(query: TableQuery) -> tuple[str, ...]:
    words = ", ".join(f"“{word}”" for word in query.unplaced)
    placed = (f"the table has no place for {words}",) if words else ()
    return (*placed, *query.guesses)


# --- tables of passages -----------------------------------------------------------------


def collect_tables(passages: Sequence[Passage]) -> list[Table]:
    """The tables that rows belong to, in the order of their rows."""
    grouped: dict[tuple[str, str], list[Passage]] = {}
    for passage in passages:
        key = (passage.document, passage.locator.table or passage.title)
        grouped.setdefault(key, []).append(passage)
    tables: dict[str, Table] = {}
    for (document, name), rows in grouped.items():
        rows.sort(key=lambda row: (row.locator.row or 0, row.id))
        names = list(dict.fromkeys(column for row in rows for column in row.metadata))
        if not names:
            continue
        unique, count = name, 1
        while unique in tables:
            count += 1
            unique = f"{name} ({count})"
        printed = [row_cells(row) for row in rows]
        cells = [[row.get(column, "") for column in names] for row in printed]
        tables[unique] = replace(
            make_table(unique, names, cells),
            ids=tuple(row.id for row in rows),
            title=rows[0].title,
            document=document,
        )
    return list(tables.values())


def row_cells(passage: Passage) -> dict[str, str]:
    """The cells of a row as printed, from its text `name: value; name: value`."""
    text = passage.text
    starts: list[tuple[str, int, int]] = []
    at = 0
    for column in passage.metadata:
        found = text.find(f"{column}: ", at)
        if found >= 0 and (found == 0 or text[:found].endswith("; ")):
            at = found + len(column) + 2
            starts.append((column, found, at))
    if not starts:
        parts = [part.partition(": ") for part in text.split("; ")]
        return {name: value.strip() for name, colon, value in parts if colon}
    ends = [begin - 2 for _, begin, _ in starts[1:]] + [len(text)]
    return {
        column: text[value:end].strip()
        for (column, _, value), end in zip(starts, ends, strict=True)
    }
