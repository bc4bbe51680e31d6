"""How does a query run? On a DuckDB in memory that reads no file, loads nothing and is guarded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from consilience.tables.compile import ROW, Parameter, compile_query, quote
from consilience.tables.query import Condition, Query
from consilience.tables.schema import Table, fold, parse_date, parse_number

_CONFIG = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a query gave: values as written or computed, the rows behind them, and the SQL."""

    query: Query | None
    values: tuple[str, ...]
    rows: tuple[int, ...]
    sql: str
    described: str = ""


class Database:
    """Typed copies of tables, to be asked and never changed."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = {one.name: one for one in tables}
        self._connection = duckdb.connect(":memory:", config=dict(_CONFIG))
        self._connection.create_function("fold", fold, ["VARCHAR"], "VARCHAR")
        self._connection.create_function("head", _head, ["VARCHAR"], "VARCHAR")
        for table in tables:
            self._write(table)
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def _write(self, table: Table) -> None:
        columns: list[tuple[str, str, list[Any]]] = [
            (ROW, "BIGINT", list(range(1, len(table.rows) + 1)))
        ]
        for name, column in table.columns.items():
            cells = table.cells(name)
            columns.append((name, "VARCHAR", list(cells)))
            if column.kind == "number":
                columns.append((f"{name} number", "DOUBLE", [parse_number(one) for one in cells]))
            if column.kind == "date":
                columns.append((f"{name} date", "DATE", [parse_date(one) for one in cells]))
        lists = ", ".join(f"unnest(?::{kind}[]) AS {quote(name)}" for name, kind, _ in columns)
        self._connection.execute(
            f"CREATE TABLE {quote(table.name)} AS SELECT {lists}",
            [values for _, _, values in columns],
        )

    def close(self) -> None:
        """Let go of the memory."""
        self._connection.close()

    def select(self, sql: str, parameters: Sequence[Parameter] = ()) -> list[tuple[Any, ...]]:
        """The rows of a SELECT, run in a transaction that cannot write."""
        cursor = self._connection.cursor()
        try:
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            found: list[tuple[Any, ...]] = cursor.execute(sql, list(parameters)).fetchall()
            cursor.execute("ROLLBACK")
            return found
        finally:
            cursor.close()

    def run(self, query: Query) -> Answer:
        """The answer to a typed query; without rows it has no values."""
        table = self.tables[query.table]
        sql, parameters = compile_query(query, table)
        found = self.select(sql, parameters)
        shown = show_sql(sql, parameters)
        computed = query.operation in ("count", "sum", "average") and not query.rank
        if computed or query.operation == "most_frequent":
            return self._computed(query, found, shown)
        rows = tuple(int(one[0]) for one in found)
        if query.operation in ("difference", "ratio"):
            return self._compared(query, table, rows, shown)
        if query.operation == "count" or not query.column:
            return Answer(query=query, values=(str(len(rows)),), rows=rows, sql=shown)
        cells = table.cells(query.column)
        values = [cells[one - 1] for one in rows]
        if query.operation in ("sum", "average"):
            numbers = [one for cell in values if (one := parse_number(cell)) is not None]
            total = sum(numbers) / (len(numbers) if numbers and query.operation == "average" else 1)
            values = [show_number(total)] if numbers else []
        kept = dict.fromkeys(one for one in values if one.strip())
        return Answer(query=query, values=tuple(kept), rows=rows, sql=shown)

    def _computed(self, query: Query, found: Sequence[tuple[Any, ...]], sql: str) -> Answer:
        value, rows = found[0] if found else (None, None)
        values = () if value is None else (show_number(value),)
        return Answer(query=query, values=values, rows=tuple(rows or ()), sql=sql)

    def _compared(self, query: Query, table: Table, rows: tuple[int, ...], sql: str) -> Answer:
        cells = table.cells(query.column)
        if table.columns[query.column].kind == "date":
            days = [parse_date(cells[one - 1]) for one in rows]
            numbers: list[float | None] = [one.year if one else None for one in days]
        else:
            numbers = [parse_number(cells[one - 1]) for one in rows]
        known = [one for one in numbers if one is not None]
        if len(known) != 2:
            return Answer(query=query, values=(), rows=rows, sql=sql)
        first, second = known
        if query.operation == "ratio":
            values = (show_number(first / second),) if second else ()
        else:
            values = (show_number(abs(first - second)),)
        return Answer(query=query, values=values, rows=rows, sql=sql)


def _head(text: str) -> str:
    """A cell without what stands in brackets behind it, folded."""
    for mark in "([†*\n":
        text = text.split(mark, maxsplit=1)[0]
    return fold(text)


def show_number(value: Any) -> str:
    """A value as people write it: whole numbers without a fraction, others to six digits."""
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else f"{value:.6g}"
    return str(value)


def show_sql(sql: str, parameters: Sequence[Parameter]) -> str:
    """The SQL with its parameters written in, to read; a `?` within a quoted name stays."""
    values = iter(parameters)

    def literal(match: re.Match[str]) -> str:
        if match[0] != "?":
            return match[0]
        value = next(values)
        if isinstance(value, list):
            return "[" + ", ".join(_literal(one) for one in value) + "]"
        return _literal(value)

    return re.sub(r'"(?:[^"]|"")*"|\?', literal, sql)


def _literal(value: str | float) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else show_number(value)


def describe(answer: Answer, table: Table) -> str:
    """The answer in one sentence that names the table, what was computed and the conditions."""
    query = answer.query
    if query is None:
        return f"{table.name}: {', '.join(answer.values)}"
    names = {"average": "average", "sum": "sum", "count": "number of rows"}
    within = " and ".join(_describe_condition(one, table) for one in query.conditions)
    where = f" where {within}" if within else ""
    value = "; ".join(answer.values)
    if query.operation == "count" and query.distinct:
        lead = f"number of different values of {query.column}{where}"
    elif query.operation in names and query.operation != "count":
        lead = f"{names[query.operation]} of {query.column}{where}"
    elif query.operation == "count":
        lead = f"{names['count']}{where}"
    elif query.operation == "most_frequent":
        lead = f"most frequent {query.column}{where}"
        value = f"{value} ({len(answer.rows)} rows)"
    elif query.operation in ("difference", "ratio"):
        lead = f"{query.operation} in {query.column}{where}"
    elif query.operation in ("previous", "next"):
        lead = f"{query.column} of the {query.operation} row{where}"
    else:
        lead = f"{query.column}{where}"
    if query.rank and query.rank.column and query.operation == "select":
        end = "highest" if query.rank.descending else "lowest"
        cells = table.cells(query.rank.column)
        shown = ", ".join(cells[one - 1] for one in answer.rows)
        lead = f"{query.column} with the {end} {query.rank.column}{where}"
        value = value if query.column == query.rank.column else f"{value} ({shown})"
    return f"{table.title or table.name}: {lead}: {value}"


def _describe_condition(condition: Condition, table: Table) -> str:
    """A condition in words, with its values as the table writes them."""
    words = {"=": "is", "in": "is one of", "contains": "contains", "!=": "is not"}
    written = {fold(cell): cell for cell in table.cells(condition.column)}
    values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    shown = ", ".join(
        written.get(fold(one), one) if isinstance(one, str) else show_number(one) for one in values
    )
    return f"{condition.column} {words.get(condition.operator, condition.operator)} {shown}"
