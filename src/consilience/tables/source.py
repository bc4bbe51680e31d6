"""Which table answers a question, and with which rows? A source beside the others.

The rows of a collection are copied, typed, into a DuckDB in memory when the first question comes,
and again after they changed. Every table is asked; the one that covers most of the question wins.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import duckdb

from consilience.errors import SourceError
from consilience.filters import passes
from consilience.kinds import TABLE_ANSWER
from consilience.protocols import Lookup, QueryVectors
from consilience.tables.database import Answer, Database, describe
from consilience.tables.grammar import Near, parse, tokenize
from consilience.tables.query import Query
from consilience.tables.schema import Table
from consilience.types import Found, Locator, Passage, Request, Signal, SourceReply
from consilience.worker_pool import WorkerPool

TABLE_SOURCE = "table"
"""The kind of these sources: they parse the question themselves."""
MOST_ROWS = 100_000
"""Rows of a collection that are copied; a larger one is not asked this way."""
CITED = 12
"""Rows behind an answer that are cited."""
LEAST_COVERED = 0.5
"""The share of the telling words that a query must cover to be reported at all."""


@dataclass(frozen=True, slots=True)
class _Copy:
    """The tables of a collection as they were at one version."""

    version: int
    database: Database
    names: tuple[str, ...]


class TableQuestions:
    """Answers questions from tables: what was computed comes first, then the rows behind it."""

    signal = Signal.ROWS

    def __init__(
        self,
        name: str,
        *,
        ids: Callable[[], Sequence[str]],
        version: Callable[[], int],
        lookup: Lookup,
        vectors: QueryVectors | None = None,
    ) -> None:
        self.name = name
        self.collection = name.rpartition("/")[0]
        self._ids, self._version, self._lookup, self._vectors = ids, version, lookup, vectors
        self._copy: _Copy | None = None
        self._workers = WorkerPool(name)

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """The answer and its rows, at most `limit`."""
        return (await self.tell(request, limit=limit)).found

    async def tell(self, request: Request, *, limit: int) -> SourceReply:
        """The same with the SQL, and what of the question could not be placed."""
        try:
            copy = await self._workers.run(self._current)
            if copy is None or request.filters:
                return SourceReply(found=())
            near = await self._near(request.text, copy)
            return await self._workers.run(lambda: self._reply(request, copy, near, limit))
        except duckdb.Error as error:
            raise SourceError(f"DuckDB could not ask the tables of {self.name}: {error}") from error

    def _current(self) -> _Copy | None:
        version = self._version()
        if self._copy is None or self._copy.version != version:
            ids = self._ids()
            if not ids or len(ids) > MOST_ROWS:
                return None
            tables = tables_of(list(self._lookup(ids).values()))
            names = tuple(dict.fromkeys(name for one in tables for name in one.header))
            self._copy = _Copy(version, Database(tables), names)
        return self._copy

    async def _near(self, question: str, copy: _Copy) -> Near | None:
        """Nearness in meaning of the words of the question to the names of columns."""
        if self._vectors is None or len(copy.names) > 60:
            return None
        words = {one.folded for one in tokenize(question) if one.folded.isalpha()}
        texts = [*copy.names, *words]
        got = await asyncio.gather(*(self._vectors.get(_spaced(one)) for one in texts))
        known = {text: one.reshape(-1) for text, one in zip(texts, got, strict=True)}

        def near(word: str, names: Sequence[str]) -> Sequence[float]:
            key = word if word in known else word.split(maxsplit=1)[0]
            if key not in known:
                return [0.0] * len(names)
            return [float(known[key] @ known[name]) for name in names]

        return near

    def _reply(self, request: Request, copy: _Copy, near: Near | None, limit: int) -> SourceReply:
        asked = [
            (query, _covered(query, request.text), table)
            for table in copy.database.tables.values()
            if (query := parse(request.text, table, near)).asks
        ]
        if not asked:
            return SourceReply(found=())
        query, covered, table = max(asked, key=lambda one: (one[1], one[0].sure))
        rivals = [one for one, share, _ in asked if share == covered and one.sure == query.sure]
        if covered < LEAST_COVERED:
            return SourceReply(found=())
        answer = copy.database.run(query)
        if not answer.values:
            return SourceReply(found=(), query=answer.sql)
        sure = query.sure and len(rivals) == 1
        return self._found(answer, table, request, limit, sure=sure)

    def _found(
        self, answer: Answer, table: Table, request: Request, limit: int, *, sure: bool
    ) -> SourceReply:
        query = answer.query
        ids = [table.ids[one - 1] for one in answer.rows if one <= len(table.ids)]
        text = describe(answer, table)
        unplaced = _doubts(query) if query and not sure else ()
        passage = Passage(
            id=hashlib.sha256(f"{self.name}\0{text}\0{answer.sql}".encode()).hexdigest()[:32],
            collection=self.collection,
            document=table.document,
            kind=TABLE_ANSWER,
            title=table.title or table.name,
            text=text,
            locator=Locator(table=table.name),
            metadata={"sql": answer.sql, "rows": " ".join(ids[:CITED]), "count": len(ids)},
        )
        found = [Found(passage.id, 2.0, passage)] if passes(passage, request.filters) else []
        found += [Found(key, 1.0 - at / 1e4) for at, key in enumerate(ids)]
        kept = tuple(found[:limit])
        return SourceReply(
            found=kept,
            query=answer.sql,
            steps=unplaced,
            sure=tuple(one.id for one in kept[: 1 + CITED]) if sure else (),
        )


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _covered(query: Query, question: str) -> float:
    """The share of the question's words that the query covers."""
    count = len(tokenize(question))
    return 1 - len(query.unplaced) / count if count else 0.0


def _doubts(query: Query) -> tuple[str, ...]:
    words = ", ".join(f"“{one}”" for one in query.unplaced)
    placed = (f"the table has no place for {words}",) if words else ()
    return (*placed, *query.guesses)


def tables_of(passages: Sequence[Passage]) -> list[Table]:
    """The tables that rows belong to, in the order of their rows."""
    grouped: dict[tuple[str, str], list[Passage]] = {}
    for one in passages:
        grouped.setdefault((one.document, one.locator.table or one.title), []).append(one)
    tables: list[Table] = []
    for (document, name), rows in grouped.items():
        rows.sort(key=lambda one: (one.locator.row or 0, one.id))
        header: dict[str, None] = {}
        for row in rows:
            header.update(dict.fromkeys(row.metadata))
        names = tuple(header)
        cells = tuple(tuple(_cell(row, column) for column in names) for row in rows)
        unique, count = name, 1
        while any(one.name == unique for one in tables):
            count += 1
            unique = f"{name} ({count})"
        table = Table(unique, names, cells, tuple(one.id for one in rows), rows[0].title, document)
        if names and len({one.casefold() for one in names}) == len(names):
            tables.append(table)
    return tables


def _cell(row: Passage, column: str) -> str:
    value = row.metadata.get(column)
    if value is None:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
