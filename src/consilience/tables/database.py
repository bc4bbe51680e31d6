"""How does a query run? On a DuckDB in memory that reads no file and loads nothing."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import duckdb

from consilience.tables.compile import ROW, Parameter, compile_query, quote
from consilience.tables.query import TableAnswer, TableQuery, show_number
from consilience.tables.schema import Table, parse_date, parse_number

_CONFIG = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


class Database:
    """Typed copies of tables, to be asked and never changed. Each is copied when first asked."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = {table.name: table for table in tables}
        self._copied: set[str] = set()
        self._connection = duckdb.connect(":memory:", config=dict(_CONFIG))
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def close(self) -> None:
        """Let go of the memory."""
        self._connection.close()

    def copy(self, table: Table) -> None:
        """Write a table, if it is not there yet: texts as written, numbers and dates as such."""
        if table.name in self._copied:
            return
        lists: list[tuple[str, str, list[Any]]] = [
            (ROW, "BIGINT", list(range(1, len(table.rows) + 1)))
        ]
        for name, column in table.columns.items():
            cells: list[Any] = table.cells(name)
            if column.kind == "number":
                lists.append((name, "DOUBLE", [parse_number(cell) for cell in cells]))
            if column.kind == "date":
                lists.append((name, "DATE", [parse_date(cell) for cell in cells]))
            lists.append((name if column.kind == "text" else f"{name} text", "VARCHAR", cells))
        columns = ", ".join(f"unnest(?::{kind}[]) AS {quote(name)}" for name, kind, _ in lists)
        self._connection.execute(
            f"CREATE TABLE {quote(table.name)} AS SELECT {columns}",
            [values for _, _, values in lists],
        )
        self._copied.add(table.name)

    def select(
        self, sql: str, parameters: Sequence[Parameter] = (), *, seconds: float = 30.0
    ) -> list[tuple[Any, ...]]:
        """The rows of a SELECT, run in a transaction that cannot write, stopped after a time."""
        cursor = self._connection.cursor()
        timer = threading.Timer(seconds, cursor.interrupt)
        timer.start()
        try:
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            found: list[tuple[Any, ...]] = cursor.execute(sql, list(parameters)).fetchall()
            cursor.execute("ROLLBACK")
            return found
        finally:
            timer.cancel()
            cursor.close()

    def run(self, query: TableQuery) -> TableAnswer:
        """The answer to a typed query; without rows it has no values."""
        table = self.tables[query.table]
        self.copy(table)
        compiled = compile_query(query, table)
        found = self.select(compiled.sql, compiled.parameters)
        if query.group:
            return TableAnswer(
                query=query,
                values=tuple(str(key) for key, _, _ in found),
                measures=tuple(show_number(value) for _, value, _ in found),
                rows=tuple(row for _, _, rows in found for row in rows),
                sql=str(compiled),
            )
        if query.is_computed:
            value, rows = found[0] if found else (None, None)
            values = () if value is None else (show_number(value),)
            return TableAnswer(
                query=query, values=values, rows=tuple(rows or ()), sql=str(compiled)
            )
        return _select_cells(query, table, [row for (row,) in found], str(compiled))


def _select_cells(query: TableQuery, table: Table, rows: list[int], sql: str) -> TableAnswer:
    """The cells as written of the rows that were found, each value once."""
    cells = table.cells(query.column or table.label)
    ranked = table.cells(query.rank.column) if query.rank and query.rank.column else cells
    first: dict[str, str] = {}
    for row in rows:
        if cells[row - 1].strip():
            first.setdefault(cells[row - 1], ranked[row - 1])
    return TableAnswer(
        query=query, values=tuple(first), measures=tuple(first.values()), rows=tuple(rows), sql=sql
    )
