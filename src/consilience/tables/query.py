"""What is asked of a table, what was the answer, and how are both said in words?

Every part of a `TableQuery` quotes the words that it came from. What no part covers stays in
`unplaced`, what was assumed in `guesses`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

Operator = Literal["=", "!=", "contains", ">", ">=", "<", "<=", "year", "month"]
Operation = Literal[
    "select",  # values of `column` in the rows, in the order of `rank` or of the table
    "difference",  # without a sign: of `sides`, or of `column` and `other`
    "change",  # second side less first
    "ratio",  # first side by second
    "average",
    "sum",
    "minimum",
    "maximum",
    "count",  # rows, or different values of `column` where `distinct`
    "previous",  # the row before the one that the conditions give
    "next",
]
AGGREGATES = frozenset({"count", "sum", "average", "minimum", "maximum"})
COMPARISONS = frozenset({"difference", "change", "ratio"})
OPERATIONS: tuple[Operation, ...] = get_args(Operation)
OPERATORS: tuple[Operator, ...] = get_args(Operator)


@dataclass(frozen=True, slots=True)
class Condition:
    """A restriction on one column; any of several `values` meets it.

    Texts are compared without case and accents; `contains` looks for whole words, `year` and
    `month` at a part of a date.
    """

    column: str
    operator: Operator
    values: tuple[str | float, ...]
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Rank:
    """The first rows by a column, from `place` on; without a column in the order of the table.

    Of a query with a group it ranks the groups by the value computed for them.
    """

    column: str
    descending: bool
    limit: int = 1
    place: int = 1
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableQuery:
    """What is asked of one table.

    With `group` the operation is done for each value of that column. `sides` are the two sets of
    rows that a comparison compares, by the sum of `column` or, without one, by their number.
    """

    table: str
    operation: Operation = "select"
    column: str = ""
    other: str = ""
    conditions: tuple[Condition, ...] = ()
    sides: tuple[Condition, ...] = ()
    group: str = ""
    rank: Rank | None = None
    distinct: bool = False
    unplaced: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()
    covered: float = 1.0

    @property
    def is_sure(self) -> bool:
        """Whether every word has a place and no part is a guess."""
        return not self.unplaced and not self.guesses

    @property
    def is_complete(self) -> bool:
        """Whether it can be run: a calculation has a column of numbers."""
        return bool(self.column) or self.operation in ("count", *COMPARISONS)

    @property
    def is_computed(self) -> bool:
        """Whether the answer is a number that is computed, and not cells as they are written."""
        return self.operation in AGGREGATES | COMPARISONS and not self.group


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAnswer:
    """What a query gave: values as the table writes them or computed, and the rows behind them.

    `measures` are the numbers beside the values: what they are ranked by, or computed for each
    group. `rows` count from 1. `query` is None where a language model wrote the SQL.
    """

    query: TableQuery | None
    values: tuple[str, ...]
    rows: tuple[int, ...]
    sql: str
    measures: tuple[str, ...] = ()


def show_number(value: object) -> str:
    """A value as people write it: whole numbers without a fraction, others to six digits."""
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else f"{value:.6g}"
    return str(value)


def describe_query(query: TableQuery) -> str:
    """A query in words: what is computed of which column, of which rows."""
    within = " and ".join(_describe_condition(condition) for condition in query.conditions)
    parts = [_describe_operation(query)]
    if query.sides:
        joint = " by that where " if query.operation == "ratio" else " and where "
        parts.append("where " + joint.join(map(_describe_condition, query.sides)))
        parts.append(f"and {within}" if within else "")
    elif within:
        parts.append(f"where {within}")
    if query.group:
        parts.append(f"for each {query.group}")
    if query.rank:
        parts.append(_describe_rank(query.rank, grouped=bool(query.group)))
    return " ".join(filter(None, parts))


def _describe_operation(query: TableQuery) -> str:
    column = query.column
    if query.operation == "select":
        return column or "rows"
    if query.operation == "count":
        return f"number of different values of {column}" if query.distinct else "number of rows"
    if query.operation in ("previous", "next"):
        place = "before" if query.operation == "previous" else "after"
        return f"{column} in the row {place} the one"
    if query.other:
        return f"{query.operation} between {column} and {query.other}"
    return f"{query.operation} of {column or 'the number of rows'}"


def _describe_rank(rank: Rank, *, grouped: bool) -> str:
    which = "" if rank.limit == 1 else f" {rank.limit}"
    place = "" if rank.place == 1 else f" number {rank.place}"
    if rank.column or grouped:
        end = "highest" if rank.descending else "lowest"
        return f"with the{which} {end}{place} {rank.column or 'result'}"
    return f"in the {'last' if rank.descending else 'first'}{which} row{'s' * bool(which)}{place}"


def _describe_condition(condition: Condition) -> str:
    words = {"=": "is", "!=": "is not", "year": "is in", "month": "is in month"}
    values = [value if isinstance(value, str) else show_number(value) for value in condition.values]
    operator = words.get(condition.operator, condition.operator)
    return f"{condition.column} {operator} {' or '.join(values)}"


def describe_answer(answer: TableAnswer, title: str, unit: str = "", most: int = 10) -> str:
    """An answer in one line: at most so many values, the query in words and the table.

    `unit` is that of what is computed or ranked by.
    """
    counted = f" {unit}" if unit else ""
    values: Sequence[str] = answer.values
    if answer.measures and answer.measures != answer.values:
        pairs = zip(values, answer.measures, strict=True)
        values = [f"{value} ({measure}{counted})" for value, measure in pairs]
    elif answer.query and answer.query.operation != "count":
        values = [f"{value}{counted}" for value in values]
    shown = "; ".join(values[:most])
    if len(values) > most:
        shown += f"; and {len(values) - most} more"
    words = describe_query(answer.query) if answer.query else "computed by SQL over all rows"
    return f"{shown}: {words}, in {title}"
