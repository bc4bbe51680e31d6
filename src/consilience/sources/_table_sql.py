"""How do passages and filters read in SQL? Columns for values, conditions on columns.

Each field of a row has a column of its first value's type; a value of another kind (a text among
numbers) gets a column beside it, so that nothing is turned into something else. Whole numbers
become floats when a fraction joins them, which is exact up to 2^53; larger ones are HUGEINT and
stay apart. Texts are stored folded, as filters compare them; the catalogue keeps them as they
were written. A field with several values, or a number beyond all types, is only marked: its
conditions are checked on the passage.

SQL ignores the case of names, filters do not. So a name that is not plain lower case carries a
digest of itself, and `~`, which no plain name has, sets apart what is ours.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Mapping, Sequence

from consilience.filters import is_number
from consilience.sources._shared import LATE, fold
from consilience.types import Filter, Operator, Scalar, Value

Column = str | float | bool | None
Columns = Mapping[str, str]
"""The types of a table's columns by their names in SQL."""

PASSAGE = "~passage"
MANY = "~many"
FULL = 2000  # columns of a table; the values of further ones are checked on the passage
TYPES = ("VARCHAR", "BOOLEAN", "BIGINT", "HUGEINT", "DOUBLE")
_NUMBERS = ("BIGINT", "HUGEINT", "DOUBLE")
_LARGEST = {"BIGINT": 2**53, "HUGEINT": 2**126}
_UNSAFE = re.compile(r"[^\w .,()%/-]")


def identifier(name: str) -> str:
    """A name in SQL, not yet quoted: plain ones as they are, others with a digest."""
    plain = _UNSAFE.sub("", name)[:60]
    if plain == name == name.casefold() and name.strip():
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{plain}~{digest[:12]}"


def quoted(name: str) -> str:
    """A name between double quotes, those in it doubled."""
    return '"' + name.replace('"', '""') + '"'


def kind_of(value: Value) -> str:
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


def stored(value: Value, kind: str) -> Column:
    """A value as a column of this type takes it; the mark of `~many` is true."""
    if kind_of(value) == MANY or isinstance(value, tuple):
        return True
    if isinstance(value, str):
        return fold(value)
    return float(value) if kind == "DOUBLE" else value


def places(name: str, columns: Columns) -> list[tuple[str, str]]:
    """The columns that hold a field's values, with their types."""
    base = identifier(name)
    names = (base, *(beside(name, kind) for kind in TYPES))
    return [(column, columns[column]) for column in names if column in columns]


def beside(name: str, kind: str) -> str:
    """The column for values of a field that are of another kind than its first."""
    return f"{identifier(name)}~{kind.strip('~').lower()}"


def is_late(condition: Filter, columns: Columns) -> bool:
    """Whether only the passage can tell: a field not held here, or of several values, or a
    table that is full, so that some values have no column.
    """
    full = len(columns) >= FULL
    return full or condition.field in LATE or beside(condition.field, MANY) in columns


def where(condition: Filter, columns: Columns) -> tuple[str, list[Column]]:
    """An SQL condition, never NULL, and its parameters."""
    found = places(condition.field, columns)
    sign = "=" if condition.operator == "!=" else condition.operator
    parts = [_PARTS[sign](column, kind, condition) for column, kind in found]
    known = [part for part in parts if part]
    text = " OR ".join(f"coalesce({sql}, false)" for sql, _ in known) or "false"
    values = [value for _, value in known]
    if condition.operator == "!=":
        present = " OR ".join(f"{quoted(column)} IS NOT NULL" for column, _ in found) or "false"
        return f"(({present}) AND NOT ({text}))", values
    return f"({text})", values


Part = tuple[str, Column] | None


def _equals(column: str, kind: str, condition: Filter) -> Part:
    wanted = condition.value
    if isinstance(wanted, str):
        return (f"{quoted(column)} = ?", fold(wanted)) if kind == "VARCHAR" else None
    if isinstance(wanted, bool):
        return (f"{quoted(column)} = ?", wanted) if kind == "BOOLEAN" else None
    exact = _exact(wanted, kind)
    return (f"{quoted(column)} = ?::{kind}", exact) if exact is not None else None


def _exact(wanted: float, kind: str) -> float | None:
    """The number in the column's type, if that type has it."""
    if kind == "DOUBLE":
        return _float(wanted) if _float(wanted) == wanted else None
    if kind not in _LARGEST or not math.isfinite(_float(wanted)) or wanted != int(wanted):
        return None
    return int(wanted) if abs(int(wanted)) <= _LARGEST[kind] else None


def _contains(column: str, kind: str, condition: Filter) -> Part:
    if kind != "VARCHAR":
        return None
    return f"contains({quoted(column)}, ?)", fold(str(condition.value))


def _order(column: str, kind: str, condition: Filter) -> Part:
    wanted = condition.value
    if kind not in _NUMBERS or not is_number(wanted) or math.isnan(_float(wanted)):
        return None
    number = f"{quoted(column)}::DOUBLE"  # DuckDB puts NaN above all numbers; filters do not
    return f"NOT isnan({number}) AND {number} {condition.operator} ?::DOUBLE", _float(wanted)


_PARTS: Mapping[Operator, Callable[[str, str, Filter], Part]] = {
    "=": _equals,
    "contains": _contains,
    "<": _order,
    "<=": _order,
    ">": _order,
    ">=": _order,
}


def _float(value: Scalar) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, int(value))


def all_of(conditions: Sequence[Filter], columns: Columns) -> tuple[str, list[Column]]:
    """Every condition at once; none is true."""
    parts = [where(one, columns) for one in conditions]
    text = " AND ".join(sql for sql, _ in parts) or "true"
    return text, [value for _, values in parts for value in values]


def count_of(conditions: Sequence[Filter], columns: Columns) -> tuple[str, list[Column]]:
    """How many of the conditions hold."""
    parts = [where(one, columns) for one in conditions]
    text = " + ".join(f"{sql}::INTEGER" for sql, _ in parts) or "0"
    return text, [value for _, values in parts for value in values]
