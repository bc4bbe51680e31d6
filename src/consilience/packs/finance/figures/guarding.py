"""May this SQL run? Only one SELECT over `figures`, made of what is known to be harmless.

A proposed statement is parsed, every part of its tree is looked up in lists of what may stand in
it, and what runs is what the tree prints: no letter of the proposal itself reaches the engine. A
statement that passes can still be slow, so it runs with a time limit, a memory limit and a limit
on its rows, in a transaction that cannot write.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import duckdb

from consilience.errors import MissingExtra, SourceError
from consilience.packs.finance.figures.cursors import Asked
from consilience.packs.finance.figures.rows import COLUMNS

if TYPE_CHECKING:
    from sqlglot import exp

TABLE = "figures"
MOST_ROWS = 1000
LONGEST = 8000
"""Letters of a statement; a longer one is not parsed."""
DEEPEST = 40
"""Brackets within brackets."""
MOST_PARTS = 1500
MOST_JOINS = 2
MOST_TABLES = 6
MOST_WILD = 4
"""Signs in a pattern that stand for any letters: each of them may cost as often as a text is
long, within one comparison that nothing interrupts.
"""
_STRUCTURE = """
    Alias All And Any Between Boolean Bracket Case Cast Column CTE DataType DataTypeParam Distinct
    Except Exists Filter From Group Having Identifier If In Intersect Interval Is Join Limit
    Literal Nested Not Null Offset Or Order Ordered Paren Qualify Select SetOperation Star Subquery
    Table TableAlias Tuple Union Var Where Window WindowSpec With
    Add Div DPipe EQ GT GTE ILike IntDiv Like LT LTE Mod Mul Neg NEQ NullSafeEQ NullSafeNEQ Sub
"""
_FUNCTIONS = """
    Abs AnyValue ArgMax ArgMin Avg Ceil Coalesce Concat Contains Count CountIf CumeDist
    DenseRank Extract FirstValue Floor Greatest Lag LastValue Lead Least Length Ln Lower Max Median
    Min Month Ntile Nullif PercentRank Pow Quarter Rank Round RowNumber Sign Sqrt StartsWith
    Stddev StddevPop StddevSamp Substring Sum Trim TryCast Upper Variance VariancePop Year
"""
_KNOWN = frozenset(f"{_STRUCTURE} {_FUNCTIONS}".split()) - {"Bracket", "Nested", "SetOperation"}
"""The parts that a statement may have, by the names that the parser gives them."""
_ARGUMENTS: Mapping[str, frozenset[str]] = {
    "Select": frozenset(
        {
            *("with_", "expressions", "distinct", "from_", "joins", "where"),
            *("group", "having", "qualify", "order", "limit", "offset"),
        }
    ),
    "Table": frozenset({"this", "alias", "joins"}),
    "Join": frozenset({"this", "on", "using", "side", "kind"}),
    "With": frozenset({"expressions"}),
    "CTE": frozenset({"this", "alias"}),
    "Subquery": frozenset({"this", "alias", "with_", "order", "limit", "offset"}),
    "Star": frozenset({"except_"}),
    "Limit": frozenset({"expression"}),
}
"""What else a part may carry; `FOR UPDATE`, samples, pivots and hints are not among it."""
_TYPES = frozenset(
    ("BIGINT", "BOOLEAN", "DATE", "DECIMAL", "DOUBLE", "FLOAT", "INT", "INT128", "TEXT", "VARCHAR")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """What a statement gave, and the statement as it ran."""

    sql: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def run(asked: Asked, sql: str) -> Selected:
    """The rows of a proposed statement, at most `MOST_ROWS`, if it may run at all."""
    safe = checked(sql)
    try:
        rows = asked.rows(safe, most=MOST_ROWS)
    except duckdb.Error as error:
        told = " ".join(str(error).split())[:200]
        raise SourceError(f"the model's SQL does not run: {told}") from error
    return Selected(sql=safe, columns=asked.columns(), rows=tuple(map(tuple, rows)))


def checked(sql: str) -> str:
    """The statement as its tree prints it; `SourceError` says why it may not run."""
    tree = _parsed(sql)
    try:
        _look(tree)
        limited = _limited(tree)
        return limited.sql(dialect="duckdb", comments=False)
    except RecursionError as error:
        raise _refused("it is nested too deeply") from error


def _parsed(sql: str) -> exp.Query:
    if find_spec("sqlglot") is None:
        raise MissingExtra("SQL that a language model proposes", "finance")
    import sqlglot  # noqa: PLC0415 - an optional package
    from sqlglot import errors, exp  # noqa: PLC0415

    if len(sql) > LONGEST or _depth(sql) > DEEPEST:
        raise _refused("it is too long or nested too deeply")
    if not sql.isprintable() and any(not one.isprintable() and one not in "\n\t\r" for one in sql):
        raise _refused("it has signs that cannot be printed")
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    try:
        trees = [one for one in sqlglot.parse(sql, dialect="duckdb") if _says_something(one)]
    except (errors.SqlglotError, RecursionError, ValueError) as error:
        raise _refused("it is no SQL that can be read") from error
    if len(trees) != 1:
        raise _refused("it is not one statement")
    if not isinstance(trees[0], exp.Select | exp.SetOperation):
        raise _refused("it is no SELECT")
    return trees[0]


def _says_something(tree: exp.Expr | None) -> bool:
    """Whether a statement is more than what stands between two semicolons: a remark."""
    from sqlglot import exp  # noqa: PLC0415 - an optional package

    return tree is not None and not isinstance(tree, exp.Semicolon)


def _depth(sql: str) -> int:
    deepest = depth = 0
    for letter in sql:
        depth += (letter in "([{") - (letter in ")]}")
        deepest = max(deepest, depth)
    return deepest


def _look(tree: exp.Query) -> None:
    """Refuse what is not on the lists, wherever in the tree it stands."""
    from sqlglot import exp  # noqa: PLC0415 - an optional package

    made = {one.alias_or_name.casefold() for one in tree.find_all(exp.CTE)}
    if made & {TABLE, ""}:
        raise _refused(f"a name that it gives hides {TABLE}")
    joins = tables = 0
    for parts, part in enumerate(tree.walk()):
        joins += isinstance(part, exp.Join)
        tables += isinstance(part, exp.Table)
        if parts > MOST_PARTS or joins > MOST_JOINS or tables > MOST_TABLES:
            raise _refused("it has too many parts")
        _look_at(part)
    _names(tree, made)


def _look_at(part: exp.Expr) -> None:
    from sqlglot import exp  # noqa: PLC0415 - an optional package

    kind = type(part).__name__
    if kind not in _KNOWN:
        raise _refused(f"{part.sql(dialect='duckdb', comments=False)[:60]!r} is not allowed in it")
    allowed = _ARGUMENTS.get(kind)
    if allowed is not None:
        extra = [name for name, value in part.args.items() if value and name not in allowed]
        if extra:
            raise _refused(f"{extra[0].strip('_')!r} is not allowed in it")
    if isinstance(part, exp.Join) and not (part.args.get("using") or _pairs(part.args.get("on"))):
        raise _refused("it joins without a condition that pairs rows")
    if isinstance(part, exp.DataType) and part.this.name not in _TYPES:
        raise _refused(f"the type {part.this.name} is not allowed in it")
    if isinstance(part, exp.Like | exp.ILike):
        pattern = part.expression
        if not isinstance(pattern, exp.Literal) or pattern.name.count("%") > MOST_WILD:
            raise _refused("a pattern in it is not plain enough")


def _pairs(condition: exp.Expr | None) -> bool:
    """Whether a join's condition sets a column equal to another, so that it pairs rows."""
    from sqlglot import exp  # noqa: PLC0415 - an optional package

    found = condition.find_all(exp.EQ) if condition else ()
    return any(
        isinstance(one.this, exp.Column) and isinstance(one.expression, exp.Column) for one in found
    )


def _names(tree: exp.Query, made: set[str]) -> None:
    """Tables are `figures` or made in it; columns are those of `figures` or made in it."""
    from sqlglot import exp  # noqa: PLC0415 - an optional package

    tables, aliases = made | {TABLE}, set(made) | {TABLE}
    columns = {*COLUMNS}
    for one in tree.find_all(exp.TableAlias):
        aliases.add(one.name.casefold())
        columns |= {column.name.casefold() for column in one.columns}
    columns |= {one.alias.casefold() for one in tree.find_all(exp.Alias)}
    if not any(one.name.casefold() == TABLE for one in tree.find_all(exp.Table)):
        raise _refused(f"it does not read {TABLE}")
    for table in tree.find_all(exp.Table):
        if not isinstance(table.this, exp.Identifier) or table.name.casefold() not in tables:
            raise _refused(f"it reads something else than {TABLE}: {table.name[:40]!r}")
    for column in tree.find_all(exp.Column):
        star = isinstance(column.this, exp.Star)
        if not star and column.name.casefold() not in columns:
            raise _refused(f"there is no column {column.name[:40]!r}")
        if column.args.get("db") or (column.table and column.table.casefold() not in aliases):
            raise _refused(f"there is no table {column.table[:40]!r}")


def _limited(tree: exp.Query) -> exp.Query:
    """With a limit on its rows, its own if that is a small number."""
    from sqlglot import exp  # noqa: PLC0415 - an optional package

    own = tree.args.get("limit")
    if own is not None:
        most = own.expression
        if isinstance(most, exp.Literal) and most.is_int and int(most.name) <= MOST_ROWS:
            return tree
    return tree.limit(MOST_ROWS, dialect="duckdb")


def _refused(why: str) -> SourceError:
    return SourceError(f"the model's SQL was refused: {why}")
