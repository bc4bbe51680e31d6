"""Which rows of tables meet what the question asks? DuckDB in this process.

One `TableStore` per collection is a database file with one SQL table per table of the evidence.
`SqlRows` ranks rows by how many of the request's criteria they meet. Values reach SQL only as
parameters and names only in quotes; the database reads no other file and loads no extension.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from consilience.errors import SourceError, StoreError
from consilience.filters import holds
from consilience.protocols import Lookup, StoreKind, Vectors
from consilience.sources._shared import (
    best,
    checked_limit,
    collection_of,
    held,
    passing,
    refusal,
    sift,
)
from consilience.sources._table_sql import (
    FULL,
    MANY,
    PASSAGE,
    Column,
    Columns,
    all_of,
    beside,
    count_of,
    identifier,
    is_late,
    kind_of,
    places,
    quoted,
    stored,
)
from consilience.threads import Shared, Workers
from consilience.types import Filter, Found, Passage, Request, Value

_ID = quoted(PASSAGE)
_CLOSED = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
_BATCH = 2000


class TableStore:
    """The tables of one collection in one file, opened for this process, made if not there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = _open(path)
        self._shared = Shared()
        self._writing = threading.Lock()

    def write(self, passages: Sequence[Passage], vectors: Vectors | None = None) -> None:
        """Add the rows, or replace those of the same id; passages of other kinds are ignored."""
        del vectors  # rows are found by their values
        tables: dict[str, dict[str, Passage]] = {}
        for passage in passages:
            if passage.kind == "row":
                name = identifier(passage.locator.table or "")
                tables.setdefault(name, {})[passage.id] = passage
        for table, rows in tables.items():
            for batch in _batches(list(rows.values())):
                with self._changing() as cursor:
                    _write(cursor, table, batch)

    def remove(self, ids: Sequence[str]) -> None:
        """Forget these rows; an unknown id is no error."""
        with self._changing() as cursor:
            for table in _tables(cursor):
                _delete(cursor, table, list(ids))

    def close(self) -> None:
        """Write everything to disk and let others open the file; may be repeated.

        Calls that are under way are waited for; later ones are refused.
        """
        if self._shared.close():
            self._connection.close()

    def count(self) -> int:
        """How many rows it holds."""
        return sum(1 for _ in self.ids())

    def ids(self) -> Iterator[str]:
        """The ids of all rows, in rising order."""
        with self.reading() as cursor:
            tables = [_select(_ID, table) for table in _tables(cursor)]
            if tables:
                cursor.execute(f"{' UNION ALL '.join(tables)} ORDER BY 1")
                yield from (row[0] for row in cursor.fetchall())

    @contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor of the caller's own, in a transaction that cannot write.

        It is closed after use: one kept by a daemon thread would outlive the interpreter.
        """
        with self._open():
            cursor = self._connection.cursor()
            try:
                cursor.execute("BEGIN TRANSACTION READ ONLY")
                yield cursor
                cursor.execute("ROLLBACK")
            finally:
                cursor.close()

    @contextmanager
    def _changing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._writing, self._open():
            self._connection.execute("BEGIN TRANSACTION")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextmanager
    def _open(self) -> Iterator[None]:
        """The file is not closed meanwhile."""
        with self._shared.using() as is_open:
            if not is_open:
                raise StoreError(f"{self.path} was closed; open the store again to use it")
            yield


class SqlRows:
    """Ranks rows: score = how many of the request's criteria a row meets; those with 0 are out.

    A request without criteria finds nothing. Filters bind as well, but earn nothing. A condition
    on a field that the table does not hold (the text, a field of several values) is checked on
    the passage, through `lookup`: right, but slower.
    """

    def __init__(self, store: TableStore, name: str, *, lookup: Lookup | None = None) -> None:
        self.name = name
        self.collection = collection_of(name)
        self._store = store
        self._lookup = lookup
        self._workers = Workers(name)

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` rows, those that meet most first, ties by id."""
        checked_limit(limit)
        if not request.criteria:
            return ()
        try:
            return await self._workers.run(lambda: self._rank(request, limit))
        except duckdb.Error as error:
            raise SourceError(
                f"DuckDB could not search {self._store.path}: {error}; "
                "if it happens again, index the collection anew"
            ) from error

    def _rank(self, request: Request, limit: int) -> Sequence[Found]:
        found: list[Found] = []
        with self._store.reading() as cursor:
            for table, columns in _tables(cursor).items():
                if any(is_late(one, columns) for one in request.criteria):
                    found += self._rank_slowly(cursor, table, columns, request=request)
                else:
                    fetch = _fetcher(cursor, table, columns, request=request)
                    late = [one for one in request.filters if is_late(one, columns)]
                    found += sift(fetch, late, lookup=self._lookup, limit=limit)
        return best(found, limit)

    def _rank_slowly(
        self,
        cursor: duckdb.DuckDBPyConnection,
        table: str,
        columns: Columns,
        *,
        request: Request,
    ) -> Iterator[Found]:
        """Every row that the filters let through, its criteria counted on the passage."""
        quick = [one for one in request.filters if not is_late(one, columns)]
        only, values = all_of(quick, columns)
        cursor.execute(f"{_select(_ID, table)} WHERE {only}", values)
        ids = [row[0] for row in cursor.fetchall()]
        for key, passage in passing(ids, request.filters, self._lookup).items():
            met = sum(holds(one, passage.value(one.field)) for one in request.criteria)
            if met:
                yield Found(key, float(met))


def _fetcher(
    cursor: duckdb.DuckDBPyConnection, table: str, columns: Columns, *, request: Request
) -> Callable[[int], Sequence[Found]]:
    """Gives the first rows of a table by the criteria and filters that SQL can tell."""
    quick: list[Filter] = [one for one in request.filters if not is_late(one, columns)]
    score, counted = count_of(request.criteria, columns)
    only, bound = all_of(quick, columns)
    rows = _select(f"{_ID} AS id, {score} AS score", table)
    sql = f"FROM ({rows} WHERE {only}) WHERE score > 0 ORDER BY score DESC, id LIMIT ?"

    def fetch(limit: int) -> Sequence[Found]:
        cursor.execute(sql, [*counted, *bound, limit])
        return [Found(key, float(met)) for key, met in cursor.fetchall()]

    return fetch


def _open(path: Path) -> duckdb.DuckDBPyConnection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = duckdb.connect(str(path), config=dict(_CLOSED))
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    except (duckdb.Error, OSError) as error:
        raise refusal(path, error) from error
    return connection


def _tables(cursor: duckdb.DuckDBPyConnection, only: str | None = None) -> Mapping[str, Columns]:
    """The columns and their types of every table, or of one."""
    cursor.execute(
        "SELECT table_name, column_name, data_type FROM duckdb_columns() "
        "WHERE schema_name = 'main' AND NOT internal AND coalesce(table_name = ?, true) "
        "ORDER BY table_name, column_index",
        [only],
    )
    tables: dict[str, dict[str, str]] = {}
    for table, column, kind in cursor.fetchall():
        tables.setdefault(table, {})[column] = kind
    return tables


def _make(cursor: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Passage]) -> Columns:
    """Make a table with the columns of these rows.

    All at once: a column that is added later makes the engine copy the list of the others.
    """
    columns = {PASSAGE: "VARCHAR"}
    for row in rows:
        for name, value in held(row).items():
            kind = kind_of(value)
            if len(columns) < FULL and kind == MANY:
                columns[beside(name, MANY)] = "BOOLEAN"
            elif len(columns) < FULL:
                columns.setdefault(identifier(name), kind)
    made = ", ".join(f"{quoted(column)} {kind}" for column, kind in columns.items())
    cursor.execute(f"CREATE TABLE {quoted(table)} ({made})")
    return columns


def _write(cursor: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Passage]) -> None:
    columns = dict(_tables(cursor, table).get(table) or _make(cursor, table, rows))
    _delete(cursor, table, [row.id for row in rows])
    records: list[dict[str, Column]] = []
    for row in rows:
        record: dict[str, Column] = {PASSAGE: row.id}
        for name, value in held(row).items():
            column = _place(cursor, table, columns, name=name, value=value)
            if column:
                record[column] = stored(value, columns[column])
        records.append(record)
    used = [column for column in columns if any(column in record for record in records)]
    lists = ", ".join(f"unnest(?::{columns[column]}[])" for column in used)
    names = ", ".join(quoted(column) for column in used)
    cursor.execute(
        f"INSERT INTO {quoted(table)} ({names}) SELECT {lists}",
        [[record.get(column) for record in records] for column in used],
    )


def _place(
    cursor: duckdb.DuckDBPyConnection,
    table: str,
    columns: dict[str, str],
    *,
    name: str,
    value: Value,
) -> str:
    """The column for a value, made or widened if there is none yet; none in a full table."""
    kind = kind_of(value)
    known = {} if kind == MANY else {one: column for column, one in places(name, columns)}
    if kind in known:
        return known[kind]
    if kind == "BIGINT" and "DOUBLE" in known:
        return known["DOUBLE"]
    if kind == "DOUBLE" and "BIGINT" in known:
        column = known["BIGINT"]
        cursor.execute(f"ALTER TABLE {quoted(table)} ALTER {quoted(column)} TYPE DOUBLE")
    elif kind == MANY:
        column = beside(name, MANY)
        kind = "BOOLEAN"
        if column not in columns:
            if len(columns) >= FULL:
                return ""
            cursor.execute(f"ALTER TABLE {quoted(table)} ADD COLUMN {quoted(column)} BOOLEAN")
    elif len(columns) >= FULL:
        return ""
    else:
        column = beside(name, kind) if known else identifier(name)
        cursor.execute(f"ALTER TABLE {quoted(table)} ADD COLUMN {quoted(column)} {kind}")
    columns[column] = kind
    return column


def _delete(cursor: duckdb.DuckDBPyConnection, table: str, ids: list[str]) -> None:
    rows = f"{quoted(table)} WHERE {_ID} IN (SELECT unnest(?::VARCHAR[]))"
    cursor.execute(f"DELETE FROM {rows}", [ids])  # noqa: S608 - the name is quoted


def _select(columns: str, table: str) -> str:
    return f"SELECT {columns} FROM {quoted(table)}"  # noqa: S608 - the name is quoted


def _batches(rows: Sequence[Passage]) -> Iterator[Sequence[Passage]]:
    for start in range(0, len(rows), _BATCH):
        yield rows[start : start + _BATCH]


TABLES = StoreKind(
    takes=lambda kind: kind == "row",
    file="tables.duckdb",
    open=lambda path, shelf: TableStore(path),
    sources=lambda store, shelf: [
        SqlRows(store, f"{shelf.collection}/sql", lookup=shelf.lookup),
    ],
)
