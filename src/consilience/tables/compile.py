"""Which SQL runs a typed query? One parameterised SELECT of DuckDB that gives numbers of rows.

Each table has `_row`, its cells as written under their names, and beside them, for columns of
numbers and dates, `NAME number` and `NAME date`. Values are parameters, names are quoted.
"""

from __future__ import annotations

from collections.abc import Iterable

from consilience.tables.query import Condition, Query
from consilience.tables.schema import Table, fold

ROW = "_row"
Parameter = str | float | list[str]


def quote(name: str) -> str:
    """A name between double quotes."""
    return '"' + name.replace('"', '""') + '"'


def typed_name(table: Table, column: str) -> str:
    """The quoted column by which values are compared and sorted."""
    kind = table.columns[column].kind
    return quote(column if kind == "text" else f"{column} {kind}")


def where(table: Table, conditions: Iterable[Condition]) -> tuple[str, list[Parameter]]:
    """The conditions in SQL and their parameters."""
    parts: list[str] = []
    values: list[Parameter] = []
    for one in conditions:
        text, typed = f"fold({quote(one.column)})", typed_name(table, one.column)
        if one.operator == "in":
            parts.append(f"list_contains(?::VARCHAR[], head({quote(one.column)}))")
            values.append(
                [fold(each) for each in one.value] if isinstance(one.value, tuple) else []
            )
        elif one.operator == "contains":
            parts.append(f"contains(' ' || {text} || ' ', ?)")
            values.append(f" {fold(str(one.value))} ")
        elif one.operator in ("month", "year") and table.columns[one.column].kind == "date":
            parts.append(f"{one.operator}({typed}) = ?::BIGINT")
            values.append(float(str(one.value)))
        elif isinstance(one.value, str):
            negated = "NOT " if one.operator == "!=" else ""
            parts.append(f"{negated}(? IN ({text}, head({quote(one.column)})))")
            values.append(fold(one.value))
        elif table.columns[one.column].kind == "date":
            ordered = one.operator if one.operator in ("<", "<=", ">", ">=") else "="
            parts.append(f"year({typed}) {ordered} ?::BIGINT")
            values.append(float(str(one.value)))
        else:
            operator = "=" if one.operator in ("year", "month") else one.operator
            parts.append(f"{typed} {'<>' if operator == '!=' else operator} ?::DOUBLE")
            values.append(float(str(one.value)))
    return (" WHERE " + " AND ".join(parts) if parts else ""), values


def compile_query(query: Query, table: Table) -> tuple[str, list[Parameter]]:
    """SQL that gives the numbers of the rows that answer, or one value with the rows behind it."""
    source, (only, values) = quote(table.name), where(table, query.conditions)
    if query.operation in ("previous", "next"):
        order, step = ("min", "-") if query.operation == "previous" else ("max", "+")
        return (
            f"SELECT {ROW} FROM {source} WHERE {ROW} = "  # noqa: S608 - names are quoted
            f"(SELECT {order}({ROW}) {step} 1 FROM {source}{only})"
        ), values
    if query.operation == "most_frequent":
        direction = "DESC" if query.rank is None or query.rank.descending else "ASC"
        also = f"{' AND' if only else ' WHERE'} {quote(query.column)} <> ''"
        return (
            f"SELECT any_value({quote(query.column)}), list({ROW} ORDER BY {ROW}) "  # noqa: S608
            f"FROM {source}{only}{also} GROUP BY fold({quote(query.column)}) "
            f"ORDER BY count(*) {direction}, min({ROW}) LIMIT 1"
        ), values
    if query.operation in ("count", "sum", "average") and query.rank is None:
        name = quote(query.column) if query.column else ""
        computed = {
            "count": f"count(DISTINCT fold({name}))" if query.distinct and name else "count(*)",
            "sum": f"sum({typed_name(table, query.column)})" if name else "",
            "average": f"avg({typed_name(table, query.column)})" if name else "",
        }[query.operation]
        return (
            f"SELECT {computed}, list({ROW} ORDER BY {ROW}) FROM {source}{only}"  # noqa: S608
        ), values
    order = f" ORDER BY {ROW}"
    limit = ""
    if query.rank:
        direction = "DESC" if query.rank.descending else "ASC"
        if query.rank.column:
            key = typed_name(table, query.rank.column)
            only += f"{' AND' if only else ' WHERE'} {key} IS NOT NULL"
            order = f" ORDER BY {key} {direction}, {ROW}"
        else:
            order = f" ORDER BY {ROW} {direction}"
        limit = f" LIMIT {int(query.rank.limit)} OFFSET {int(query.rank.place) - 1}"
    return f"SELECT {ROW} FROM {source}{only}{order}{limit}", values  # noqa: S608
