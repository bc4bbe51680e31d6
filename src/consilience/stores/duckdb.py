"""Which rows of tables meet the question's criteria? DuckDB, in this process.

One `TableStore` per collection is a database file with one SQL table per table of the evidence.
`SqlRows` ranks rows by how many of the request's criteria they meet. Values reach SQL only as
parameters and names only in quotes; the database reads no other file and loads no extension.

Each field of a row has a column of its first value's type; a value of another kind (a text among
numbers) gets a column beside it, so that no value is converted. Whole numbers become floats when a
fraction joins them, which is exact up to 2^53; larger ones are HUGEINT and stay apart. Texts are
stored folded, as filters compare them; the catalogue keeps them as written. A field with several
values, or a number beyond all types, is only marked: its conditions are checked on the passage.

SQL ignores the case of names, filters do not. So a name that is not plain lower case carries a
digest of itself, and `~`, which no plain name has, marks the names that we add.
"""

from __future__ import annotations

import hashlib
import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from consilience.errors import SourceError
from consilience.filters import as_float, holds, is_number, orders_dates
from consilience.protocols import Generator, Lookup, QueryVectors, StoreKind, Vectors
from consilience.stores.common import (
    UNINDEXED_FIELDS,
    EngineSource,
    OpenGuard,
    check_limit,
    fetch_filtered,
    filter_fields,
    filter_passages,
    fold,
    open_error,
    rank_found,
)
from consilience.tables.source import CollectionTables, TableReply
from consilience.types import Filter, Found, Operator, Passage, Request, Signal, Value

Column = str | float | bool | None
Columns = Mapping[str, str]
"""The types of a table's columns by their names in SQL."""

PASSAGE = "~passage"
MANY = "~many"
MOST_COLUMNS = 2000  # of a table; the values of further ones are checked on the passage
_ID = f'"{PASSAGE}"'
_TYPES = ("VARCHAR", "BOOLEAN", "BIGINT", "HUGEINT", "DOUBLE")
_NUMBERS = ("BIGINT", "HUGEINT", "DOUBLE")
_LARGEST = {"BIGINT": 2**53, "HUGEINT": 2**126}
_UNSAFE = re.compile(r"[^\w .,()%/-]")
_NO_EXTENSIONS = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
_WRITE_BATCH = 2000


class TableStore:
    """The tables of one collection in one file, opened for this process, created if not there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = duckdb.connect(str(path), config=dict(_NO_EXTENSIONS))
            self._connection.execute("SET enable_external_access = false")
            self._connection.execute("SET lock_configuration = true")
        except (duckdb.Error, OSError) as error:
            raise open_error(path, error) from error
        self._guard = OpenGuard(path)
        self._writing = threading.Lock()
        self.version = 0
        """Changes whenever rows are written or removed."""

    def write(self, passages: Sequence[Passage], vectors: Vectors | None = None) -> None:
        """Add the rows, or replace those of the same id; passages of other kinds are ignored."""
        del vectors  # rows are found by their values
        tables: dict[str, dict[str, Passage]] = {}
        for passage in passages:
            if passage.kind == "row":
                name = sql_name(passage.locator.table or "")
                tables.setdefault(name, {})[passage.id] = passage
        for table, rows_by_id in tables.items():
            rows = list(rows_by_id.values())
            for start in range(0, len(rows), _WRITE_BATCH):
                with self._changing() as cursor:
                    _write_rows(cursor, table, rows[start : start + _WRITE_BATCH])

    def remove(self, ids: Sequence[str]) -> None:
        """Forget these rows; an unknown id is no error."""
        with self._changing() as cursor:
            for table in _read_schema(cursor):
                _delete_rows(cursor, table, list(ids))

    def close(self) -> None:
        """Wait for running calls, write everything to disk, release the file; may be repeated."""
        if self._guard.close():
            self._connection.close()

    def count(self) -> int:
        """How many rows it holds."""
        return sum(1 for _ in self.ids())

    def ids(self) -> Iterator[str]:
        """The ids of all rows, in rising order."""
        with self.reading() as cursor:
            tables = [_select(_ID, table) for table in _read_schema(cursor)]
            if tables:
                cursor.execute(f"{' UNION ALL '.join(tables)} ORDER BY 1")
                yield from (row[0] for row in cursor.fetchall())

    @contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor of the caller's own, in a transaction that cannot write.

        It is closed after use: one kept by a daemon thread would outlive the interpreter.
        """
        with self._guard.using():
            cursor = self._connection.cursor()
            try:
                cursor.execute("BEGIN TRANSACTION READ ONLY")
                yield cursor
                cursor.execute("ROLLBACK")
            finally:
                cursor.close()

    @contextmanager
    def _changing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._writing, self._guard.using():
            self._connection.execute("BEGIN TRANSACTION")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
            self.version += 1


class SqlRows(EngineSource):
    """Ranks rows: score = how many of the request's criteria a row meets; those with 0 are out.

    A request without criteria finds nothing. Filters restrict but add no score. A condition on a
    field that the table does not hold (the text, a field of several values) is checked on the
    passage, through `lookup`: right, but slower. With `lookup` its tables can also be asked.
    """

    signal = Signal.ROWS

    def __init__(
        self,
        store: TableStore,
        name: str,
        *,
        lookup: Lookup | None = None,
        vectors: QueryVectors | None = None,
    ) -> None:
        super().__init__(name, "DuckDB", store.path, lookup)
        self._store = store
        self._tables: CollectionTables | None = None
        if lookup is not None:
            self._tables = CollectionTables(
                self.collection,
                ids=lambda: tuple(store.ids()),
                version=lambda: store.version,
                lookup=lookup,
                vectors=vectors,
            )

    async def ask_tables(
        self, request: Request, generator: Generator | None = None
    ) -> TableReply | None:
        """What a query over the tables of the collection answers."""
        if self._tables is None:
            return None
        try:
            return await self._tables.ask_tables(request, generator)
        except duckdb.Error as error:
            raise SourceError(f"DuckDB could not ask the tables of {self.name}: {error}") from error

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` rows, those that meet most first, ties by id."""
        check_limit(limit)
        if not request.criteria:
            return ()
        return await self._run(lambda: self._rank(request, limit))

    def _rank(self, request: Request, limit: int) -> Sequence[Found]:
        found: list[Found] = []
        with self._store.reading() as cursor:
            for table, columns in _read_schema(cursor).items():
                in_sql = [
                    each
                    for each in request.filters
                    if isinstance(each, Filter) and _in_sql(each, columns)
                ]
                only, bound = _sql_all(in_sql, columns)
                if all(_in_sql(criterion, columns) for criterion in request.criteria):
                    score, counted = _sql_count(request.criteria, columns)
                    rows = _select(f"{_ID} AS id, {score} AS score", table)
                    sql = (
                        f"FROM ({rows} WHERE {only}) WHERE score > 0 "
                        "ORDER BY score DESC, id LIMIT ?"
                    )

                    def fetch(
                        depth: int, sql: str = sql, values: Sequence[Column] = (*counted, *bound)
                    ) -> Sequence[Found]:
                        cursor.execute(sql, [*values, depth])
                        return [Found(key, float(met)) for key, met in cursor.fetchall()]

                    rest = [each for each in request.filters if each not in in_sql]
                    found += fetch_filtered(fetch, rest, lookup=self._lookup, limit=limit)
                else:
                    cursor.execute(f"{_select(_ID, table)} WHERE {only}", bound)
                    ids = [row[0] for row in cursor.fetchall()]
                    found += self._score_passages(ids, request)
        return rank_found(found, limit)

    def _score_passages(self, ids: Sequence[str], request: Request) -> Iterator[Found]:
        """The rows that pass the filters, their criteria counted on the passage."""
        for key, passage in filter_passages(ids, request.filters, self._lookup).items():
            met = sum(holds(each, passage.value(each.field)) for each in request.criteria)
            if met:
                yield Found(key, float(met))


# --- tables and rows --------------------------------------------------------------------


def _read_schema(
    cursor: duckdb.DuckDBPyConnection, only: str | None = None
) -> Mapping[str, Columns]:
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


def _create_table(
    cursor: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Passage]
) -> Columns:
    """Create a table with the columns of these rows.

    All at once: a column that is added later makes the engine copy the list of the others.
    """
    columns = {PASSAGE: "VARCHAR"}
    for row in rows:
        for name, value in filter_fields(row).items():
            kind = column_type(value)
            if len(columns) < MOST_COLUMNS and kind == MANY:
                columns[_column_beside(name, MANY)] = "BOOLEAN"
            elif len(columns) < MOST_COLUMNS:
                columns.setdefault(sql_name(name), kind)
    definition = ", ".join(f"{quoted(column)} {kind}" for column, kind in columns.items())
    cursor.execute(f"CREATE TABLE {quoted(table)} ({definition})")
    return columns


def _write_rows(cursor: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Passage]) -> None:
    columns = dict(_read_schema(cursor, table).get(table) or _create_table(cursor, table, rows))
    _delete_rows(cursor, table, [row.id for row in rows])
    records: list[dict[str, Column]] = []
    for row in rows:
        record: dict[str, Column] = {PASSAGE: row.id}
        for name, value in filter_fields(row).items():
            column = _column_for(cursor, table, columns, name=name, value=value)
            if column:
                record[column] = _column_value(value, columns[column])
        records.append(record)
    used = [column for column in columns if any(column in record for record in records)]
    lists = ", ".join(f"unnest(?::{columns[column]}[])" for column in used)
    names = ", ".join(quoted(column) for column in used)
    cursor.execute(
        f"INSERT INTO {quoted(table)} ({names}) SELECT {lists}",
        [[record.get(column) for record in records] for column in used],
    )


def _column_for(
    cursor: duckdb.DuckDBPyConnection,
    table: str,
    columns: dict[str, str],
    *,
    name: str,
    value: Value,
) -> str:
    """The column for a value, added or widened if there is none yet; none in a full table."""
    kind = column_type(value)
    if kind == MANY:
        column, kind = _column_beside(name, MANY), "BOOLEAN"
        if column in columns:
            return column
    else:
        known = {type_: column for column, type_ in _columns_of(name, columns)}
        if kind in known:
            return known[kind]
        if kind == "BIGINT" and "DOUBLE" in known:
            return known["DOUBLE"]
        if kind == "DOUBLE" and "BIGINT" in known:
            column = known["BIGINT"]
            cursor.execute(f"ALTER TABLE {quoted(table)} ALTER {quoted(column)} TYPE DOUBLE")
            columns[column] = kind
            return column
        column = _column_beside(name, kind) if known else sql_name(name)
    if len(columns) >= MOST_COLUMNS:
        return ""
    cursor.execute(f"ALTER TABLE {quoted(table)} ADD COLUMN {quoted(column)} {kind}")
    columns[column] = kind
    return column


def _delete_rows(cursor: duckdb.DuckDBPyConnection, table: str, ids: list[str]) -> None:
    rows = f"{quoted(table)} WHERE {_ID} IN (SELECT unnest(?::VARCHAR[]))"
    cursor.execute(f"DELETE FROM {rows}", [ids])  # noqa: S608 - the name is quoted


def _select(columns: str, table: str) -> str:
    return f"SELECT {columns} FROM {quoted(table)}"  # noqa: S608 - the name is quoted


# --- names and values in SQL ------------------------------------------------------------


def sql_name(name: str) -> str:
    """A name in SQL, not yet quoted: plain ones as they are, others with a digest."""
    plain = _UNSAFE.sub("", name)[:60]
    if plain == name == name.casefold() and name.strip():
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{plain}~{digest[:12]}"


def quoted(name: str) -> str:
    """A name between double quotes, those in it doubled."""
    return '"' + name.replace('"', '""') + '"'


def column_type(value: Value) -> str:
    """The type of column that a value needs; `~many` for what no column takes."""
    if isinstance(value, tuple):
        return MANY
    if isinstance(value, str):
        return "VARCHAR"
    if isinstance(value, bool):
        return "BOOLEAN"
    if isinstance(value, float):
        return "DOUBLE"
    return next((kind for kind, largest in _LARGEST.items() if abs(value) <= largest), MANY)


def _column_value(value: Value, kind: str) -> Column:
    """A value as a column of this type takes it; the mark of `~many` is true."""
    if isinstance(value, tuple) or column_type(value) == MANY:
        return True
    if isinstance(value, str):
        return fold(value)
    return float(value) if kind == "DOUBLE" else value


def _columns_of(name: str, columns: Columns) -> list[tuple[str, str]]:
    """The columns that hold a field's values, with their types."""
    names = (sql_name(name), *(_column_beside(name, kind) for kind in _TYPES))
    return [(column, columns[column]) for column in names if column in columns]


def _column_beside(name: str, kind: str) -> str:
    """The column for values of a field that are of another kind than its first."""
    return f"{sql_name(name)}~{kind.strip('~').lower()}"


# --- conditions in SQL ------------------------------------------------------------------


def _in_sql(condition: Filter, columns: Columns) -> bool:
    """Whether SQL can check it: the field is held here with single values, no value of the table
    was left without a column, and it orders no dates.
    """
    return (
        len(columns) < MOST_COLUMNS
        and condition.field not in UNINDEXED_FIELDS
        and _column_beside(condition.field, MANY) not in columns
        and not orders_dates(condition)
    )


def _sql_all(conditions: Sequence[Filter], columns: Columns) -> tuple[str, list[Column]]:
    """Every condition at once; none is true."""
    parts = [_sql_condition(condition, columns) for condition in conditions]
    text = " AND ".join(sql for sql, _ in parts) or "true"
    return text, [value for _, values in parts for value in values]


def _sql_count(conditions: Sequence[Filter], columns: Columns) -> tuple[str, list[Column]]:
    """How many of the conditions hold."""
    parts = [_sql_condition(condition, columns) for condition in conditions]
    text = " + ".join(f"{sql}::INTEGER" for sql, _ in parts) or "0"
    return text, [value for _, values in parts for value in values]


def _sql_condition(condition: Filter, columns: Columns) -> tuple[str, list[Column]]:
    """An SQL condition, never NULL, and its parameters."""
    held = _columns_of(condition.field, columns)
    build = _COMPARISONS["=" if condition.operator == "!=" else condition.operator]
    parts = [part for column, kind in held if (part := build(column, kind, condition))]
    text = " OR ".join(f"coalesce({sql}, false)" for sql, _ in parts) or "false"
    values = [value for _, value in parts]
    if condition.operator == "!=":
        present = " OR ".join(f"{quoted(column)} IS NOT NULL" for column, _ in held) or "false"
        return f"(({present}) AND NOT ({text}))", values
    return f"({text})", values


Comparison = tuple[str, Column] | None
"""SQL and its parameter; None where a column of this type never meets the condition."""


def _equals(column: str, kind: str, condition: Filter) -> Comparison:
    wanted = condition.value
    if isinstance(wanted, str):
        return (f"{quoted(column)} = ?", fold(wanted)) if kind == "VARCHAR" else None
    if isinstance(wanted, bool):
        return (f"{quoted(column)} = ?", wanted) if kind == "BOOLEAN" else None
    exact = _exact_number(wanted, kind)
    return (f"{quoted(column)} = ?::{kind}", exact) if exact is not None else None


def _exact_number(wanted: float, kind: str) -> float | None:
    """The number in the column's type, if that type has it."""
    number = as_float(wanted)
    if kind == "DOUBLE":
        return number if number == wanted else None
    if kind not in _LARGEST or not math.isfinite(number) or wanted != int(wanted):
        return None
    return int(wanted) if abs(int(wanted)) <= _LARGEST[kind] else None


def _contains(column: str, kind: str, condition: Filter) -> Comparison:
    if kind != "VARCHAR":
        return None
    return f"contains({quoted(column)}, ?)", fold(str(condition.value))


def _order(column: str, kind: str, condition: Filter) -> Comparison:
    wanted = condition.value
    if kind not in _NUMBERS or not is_number(wanted) or math.isnan(as_float(wanted)):
        return None
    number = f"{quoted(column)}::DOUBLE"  # DuckDB puts NaN above all numbers; filters do not
    return f"NOT isnan({number}) AND {number} {condition.operator} ?::DOUBLE", as_float(wanted)


_COMPARISONS: Mapping[Operator, Callable[[str, str, Filter], Comparison]] = {
    "=": _equals,
    "contains": _contains,
    **dict.fromkeys(("<", "<=", ">", ">="), _order),
}


TABLES = StoreKind(
    takes=lambda kind: kind == "row",
    file="tables.duckdb",
    open=lambda path, shelf: TableStore(path),
    sources=lambda store, shelf: [
        SqlRows(store, f"{shelf.collection}/sql", lookup=shelf.lookup, vectors=shelf.vectors),
    ],
)
