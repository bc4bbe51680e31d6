"""Which SQL runs a typed query? One SELECT of DuckDB, with values as parameters and names quoted.

A table in the database has `_row`, the number of the row, and its columns under their names: texts
as written, numbers and dates as such. Beside a column of numbers or dates `NAME text` has the cells
as written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from consilience.errors import UsageError
from consilience.tables.query import COMPARISONS, Condition, TableQuery, show_number
from consilience.tables.schema import Table, fold

ROW = "_row"
Parameter = str | float | list[str]
_AGGREGATES = {
    "count": "count(*)",
    "sum": "sum({})",
    "average": "avg({})",
    "minimum": "min({})",
    "maximum": "max({})",
}


@dataclass(frozen=True, slots=True)
class Compiled:
    """SQL and its parameters.

    It gives a row of `_row` for each row; of a computed value one row of the value and the list of
    the rows behind it; of a group the group, the value and the rows.
    """

    sql: str
    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        """The SQL with its parameters written in, to be read and copied."""
        values = iter(self.parameters)

        def literal(match: re.Match[str]) -> str:
            return match[0] if match[0] != "?" else _literal(next(values))

        return re.sub(r'"(?:[^"]|"")*"|\?', literal, self.sql)


def quote(name: str) -> str:
    """A name between double quotes."""
    return '"' + name.replace('"', '""') + '"'


def written_name(table: Table, column: str) -> str:
    """The quoted column with the cells as written."""
    return quote(column if table.columns[column].kind == "text" else f"{column} text")


def check_query(query: TableQuery, table: Table) -> None:
    """Raise `UsageError` where a query names no column of the table, or computes with texts."""
    conditions = (*query.conditions, *query.sides)
    ranked = query.rank.column if query.rank else ""
    named = (query.column, query.other, query.group, ranked, *(c.column for c in conditions))
    for name in filter(None, named):
        if name not in table.columns:
            nearest = process.extractOne(name, table.header, scorer=fuzz.WRatio)[0]
            raise UsageError(
                f"there is no column {name!r} in {table.name!r}; the nearest is {nearest!r}"
            )
    needs_number = query.operation in ("sum", "average", "minimum", "maximum")
    if needs_number and (not query.column or table.columns[query.column].kind != "number"):
        raise UsageError(
            f"the {query.operation} needs a column of numbers, not {query.column!r}; "
            f"{table.name!r} has {', '.join(table.header)}"
        )


def compile_query(query: TableQuery, table: Table) -> Compiled:
    """The SQL of a query over its table, once it was checked."""
    check_query(query, table)
    where, values = _where(table, query.conditions)
    rows = f"{quote(table.name)}{where}"
    if query.operation in COMPARISONS:
        return _compile_comparison(query, table)
    if query.operation in ("previous", "next"):
        nearest = f"min({ROW}) - 1" if query.operation == "previous" else f"max({ROW}) + 1"
        sql = f"SELECT {ROW} FROM {quote(table.name)} WHERE {ROW} = (SELECT {nearest} FROM {rows})"
        return Compiled(sql, values)
    if query.group:
        return _compile_groups(query, table, where, values)
    if query.operation == "select":
        return Compiled(f"SELECT {ROW} FROM {rows}{_order(query, where)}", values)
    if query.rank:
        rows = f"(SELECT * FROM {rows}{_order(query, where)})"
    return Compiled(
        f"SELECT {_aggregate(query, table)}, list({ROW} ORDER BY {ROW}) FROM {rows}", values
    )


def _compile_groups(
    query: TableQuery, table: Table, where: str, values: tuple[Parameter, ...]
) -> Compiled:
    group = written_name(table, query.group)
    filled = f"{' AND' if where else ' WHERE'} {group} <> ''"
    order, limit = f"min({ROW})", ""
    if query.rank:
        order = f"value {_direction(query)} NULLS LAST, {order}"
        limit = f" LIMIT {int(query.rank.limit)} OFFSET {int(query.rank.place) - 1}"
    sql = (
        f"SELECT any_value({group}), {_aggregate(query, table)} AS value, "
        f"list({ROW} ORDER BY {ROW}) FROM {quote(table.name)}{where}{filled} "
        f"GROUP BY lower(strip_accents(trim({group}))) ORDER BY {order}{limit}"
    )
    return Compiled(sql, values)


def _compile_comparison(query: TableQuery, table: Table) -> Compiled:
    if query.other:
        where, values = _where(table, query.conditions)
        first, second = quote(query.column), quote(query.other)
        computed = _compared(query, first, second)
        return Compiled(
            f"SELECT {computed}, [{ROW}] FROM {quote(table.name)}{where} LIMIT 1", values
        )
    sides = []
    values = ()
    for side in query.sides:
        where, more = _where(table, (*query.conditions, side))
        values += more
        sides.append(
            f"(SELECT {_side(query, table)} AS value, list({ROW} ORDER BY {ROW}) AS found "
            f"FROM {quote(table.name)}{where})"
        )
    computed = _compared(query, "a.value", "b.value")
    return Compiled(
        f"SELECT {computed}, list_concat(a.found, b.found) FROM {sides[0]} AS a, {sides[1]} AS b",
        values,
    )


def _side(query: TableQuery, table: Table) -> str:
    if not query.column:
        return "count(*)"
    column = quote(query.column)
    if table.columns[query.column].kind == "date":
        return f"min(year({column}))"
    return f"min({column})" if table.columns[query.column].is_year else f"sum({column})"


def _compared(query: TableQuery, first: str, second: str) -> str:
    if query.operation == "ratio":
        return f"{first} / nullif({second}, 0)"
    return f"{second} - {first}" if query.operation == "change" else f"abs({first} - {second})"


def _aggregate(query: TableQuery, table: Table) -> str:
    if query.operation == "count" and query.distinct and query.column:
        column = written_name(table, query.column)
        return f"count(DISTINCT lower(strip_accents(trim({column}))))"
    return _AGGREGATES[query.operation].format(quote(query.column))


def _direction(query: TableQuery) -> str:
    return "DESC" if query.rank is None or query.rank.descending else "ASC"


def _order(query: TableQuery, where: str) -> str:
    """The end of a SELECT: rows in the order of the rank, those without a value left out."""
    rank = query.rank
    if rank is None:
        return f" ORDER BY {ROW}"
    limit = f" LIMIT {int(rank.limit)} OFFSET {int(rank.place) - 1}"
    if not rank.column:
        return f" ORDER BY {ROW} {_direction(query)}{limit}"
    key = quote(rank.column)
    known = f"{' AND' if where else ' WHERE'} {key} IS NOT NULL"
    return f"{known} ORDER BY {key} {_direction(query)}, {ROW}{limit}"


# --- conditions -------------------------------------------------------------------------


def _where(table: Table, conditions: Sequence[Condition]) -> tuple[str, tuple[Parameter, ...]]:
    parts: list[str] = []
    values: list[Parameter] = []
    for condition in conditions:
        sql, parameters = _condition(table, condition)
        parts.append(sql)
        values += parameters
    return (" WHERE " + " AND ".join(parts) if parts else ""), tuple(values)


def _condition(table: Table, condition: Condition) -> tuple[str, list[Parameter]]:
    column, operator = table.columns[condition.column], condition.operator
    texts = [value for value in condition.values if isinstance(value, str)]
    numbers = [float(value) for value in condition.values if not isinstance(value, str)]
    written, typed = written_name(table, column.name), quote(column.name)
    if operator == "contains":
        words = "|".join(re.escape(fold(text)) for text in texts)
        folded = f"lower(strip_accents({written}))"
        return f"regexp_matches({folded}, ?)", [rf"\b(?:{words})\b"]
    if texts and operator not in ("=", "!="):
        return f"{typed} {operator} ?::DATE", [texts[0]]
    if texts:
        cells = sorted({cell for text in texts for cell in table.spellings(column.name, text)})
        negated = "NOT " if operator == "!=" else ""
        return f"{negated}list_contains(?::VARCHAR[], {written})", [cells]
    if column.kind == "date" and operator != "month":
        typed, operator = f"year({typed})", "=" if operator == "year" else operator
    elif operator in ("year", "month"):
        typed, operator = (f"month({typed})" if column.kind == "date" else typed), "="
    compared = "<>" if operator == "!=" else operator
    parts = [f"{typed} {compared} ?::DOUBLE" for _ in numbers]
    joint = " AND " if operator == "!=" else " OR "
    return f"({joint.join(parts)})" if len(parts) > 1 else parts[0], list(numbers)


def _literal(value: Parameter) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else show_number(value)
