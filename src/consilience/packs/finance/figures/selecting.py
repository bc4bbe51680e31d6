"""How is a question put to the table of figures? As one SELECT with parameters, best fit first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from typing import Any

from consilience.packs.finance.data_model import BETWEEN, Kind, Period
from consilience.packs.finance.figures.conditions import ENTITY, PERIOD, WORTH, Criterion

LONGEST = 12
"""Values of a list that people are shown of a statement's parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A number of a table as the search gives it: what it is, where it is printed, how it fits."""

    passage: str
    document: str
    title: str
    page: int | None
    table: str
    row: int | None
    column: int
    caption: str
    section: str
    company: str
    entity: str
    metric: str
    label: str
    header: str
    period: str | None
    stated: str | None
    year: int | None
    kind: Kind | None
    starts: date | None
    ends: date | None
    basis: str
    against: str | None
    value: Decimal
    number: Decimal
    unit: str
    scale: int
    text: str
    score: float = 0.0

    @property
    def parts(self) -> tuple[str, ...]:
        """The entity from the outermost inwards."""
        return tuple(self.entity.split(BETWEEN)) if self.entity else ()

    @property
    def cell(self) -> tuple[str, int]:
        """What tells it from all others."""
        return self.passage, self.column

    @property
    def time(self) -> Period | None:
        """The period that it is about."""
        if self.kind is None or self.starts is None or self.ends is None:
            return None
        year = self.ends.year if self.year is None else self.year
        return Period(kind=self.kind, start=self.starts, end=self.ends, year=year)


_COLUMNS = tuple(one.name for one in fields(Fact))
_LISTED = ", ".join(f'"{name}"' for name in _COLUMNS if name != "score")
_FIXED = (
    "0.3 * _main - 0.03 * least(_words, 12) "
    "+ CASE WHEN ends = _until OR period = _report THEN 0.4 ELSE 0.0 END"
)
_PLAIN = "CASE basis WHEN 'actual' THEN 1.0 WHEN 'last year' THEN 0.8 ELSE 0.0 END"
_TOTALS = "(0.3 * least(_depth, 4) + 0.02 * least(len(string_split(entity, ' ')), 10))"


def source(criteria: Sequence[Criterion]) -> tuple[str, list[Any]]:
    """The numbers that meet all criteria, each with how well, as what stands behind FROM."""
    if not criteria:
        return "figures WHERE true", []
    fits = ", ".join(f'{one.sql} AS "~{at}"' for at, one in enumerate(criteria))
    met = " AND ".join(f'"~{at}" > 0' for at in range(len(criteria)))
    parameters = [value for one in criteria for value in one.parameters]
    # What cannot fit is left out first: a few in a hundred are of a metric.
    only = [one.only for one in criteria if one.only is not None]
    if not only:
        return f"(SELECT *, {fits} FROM figures) WHERE {met}", parameters  # noqa: S608
    few = " AND ".join(_among(column, values) for column, values in only)
    known = [value for column, values in only for value in _given(column, values)]
    rows = (
        f"(WITH few AS MATERIALIZED (SELECT * FROM figures WHERE {few}), "  # noqa: S608
        f"fits AS MATERIALIZED (SELECT *, {fits} FROM few) SELECT * FROM fits) WHERE {met}"
    )
    return rows, [*known, *parameters]


def _among(column: str, values: Sequence[Any]) -> str:
    """Whether a column has one of these values; many numbers are given as one list."""
    if column == "_whole":
        return "_whole IN (SELECT unnest(?::UBIGINT[]))"
    return f"{column} IN ({', '.join('?' * len(values))})"


def _given(column: str, values: Sequence[Any]) -> list[Any]:
    return [list(values)] if column == "_whole" else list(values)


def statement(criteria: Sequence[Criterion], words: Sequence[str] = ()) -> tuple[str, list[Any]]:
    """The SELECT for all criteria, still without its limit.

    The score adds up what each criterion is worth, times how well it is met. Where no entity is
    named, totals come before what they are made of; words of the question that stand in a
    table's headings count a little.
    """
    named = {one.name for one in criteria}
    parts = [f'{WORTH[one.name]} * "~{at}"' for at, one in enumerate(criteria)]
    parts += [_FIXED] + ([_PLAIN] if PERIOD not in named else [])
    parts += [f"-{_TOTALS}"] if ENTITY not in named else []
    parts += (
        ["0.15 * len(list_intersect(string_split(_place, ' '), ?::VARCHAR[]))"] if words else []
    )
    rows, parameters = source(criteria)
    sql = (
        f"SELECT {_LISTED}, round({' + '.join(parts)}, 6)::DOUBLE AS score "  # noqa: S608
        f"FROM {rows} "
        'ORDER BY score DESC, ends DESC NULLS LAST, passage, "column"'
    )
    return sql, [*([list(words)] if words else []), *parameters]


def total_below(fact: Fact) -> tuple[str, list[Any]]:
    """The SELECT for the total that a number is counted to: the next one below it in its column."""
    sql = (
        f"SELECT {_LISTED}, 0.0::DOUBLE AS score FROM figures "  # noqa: S608 - values are parameters
        'WHERE document = ? AND "table" = ? AND "column" = ? AND unit = ? AND "row" > ? '
        f"AND starts_with(lower(list_last(string_split(label, '{BETWEEN}'))), 'total') "
        'ORDER BY "row" LIMIT 1'
    )
    return sql, [fact.document, fact.table, fact.column, fact.unit, fact.row]


def cells(places: Sequence[tuple[str, int]]) -> tuple[str, list[Any]]:
    """The SELECT for numbers by their passages and columns."""
    sql = (
        f"SELECT {_LISTED}, 0.0::DOUBLE AS score FROM figures "  # noqa: S608 - values are parameters
        'JOIN (SELECT unnest(?::VARCHAR[]) AS passage, unnest(?::INTEGER[]) AS "column") '
        'USING (passage, "column") ORDER BY starts NULLS LAST, entity, passage, "column"'
    )
    return sql, [[key for key, _ in places], [column for _, column in places]]


def facts_of(rows: Sequence[Sequence[Any]]) -> list[Fact]:
    """The rows of such a SELECT."""
    return [Fact(**dict(zip(_COLUMNS, row, strict=True))) for row in rows]


def shown(sql: str, parameters: Sequence[Any]) -> str:
    """A statement with its parameters in their places, for people to read; it is never run."""
    pieces = sql.split("?")
    told = [_literal(one) for one in parameters]
    return "".join(piece + (told[at] if at < len(told) else "") for at, piece in enumerate(pieces))


def _literal(value: Any) -> str:
    if isinstance(value, list | tuple):
        more = ", …" if len(value) > LONGEST else ""
        return f"[{', '.join(_literal(one) for one in value[:LONGEST])}{more}]"
    if isinstance(value, str | date):
        return "'" + str(value).replace("'", "''") + "'"
    return "NULL" if value is None else str(value)
