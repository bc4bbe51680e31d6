"""Does a passage match a condition, and how does a person type one?

One meaning for every engine, pinned here and compared with each of them in the tests:
- a field that a passage does not have matches no condition, `!=` included;
- `=` and `!=` compare texts without regard to case, numbers by value, true and false only with
  themselves; a field with several values equals what any of them equals, and differs from what
  none of them equals;
- `<`, `<=`, `>`, `>=` compare numbers with numbers and nothing else;
- `contains` looks for a piece of text, without regard to case.

Which field is meant is decided before any engine is asked: the one spelt exactly so, else the one
that differs only by case.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from consilience.errors import UsageError
from consilience.kinds import filter_fields
from consilience.types import OPERATORS, Filter, Operator, Passage, Scalar, Value

_FORM = re.compile(r"^\s*([^<>=!]+?)\s*(<=|>=|!=|=|<|>|\scontains\s)\s*(.+?)\s*$")
_MONTH = re.compile(r"\d{4}-\d\d")
_ORDER: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def parse_filter(text: str) -> Filter:
    """`year>=1900`, `country = France`, `title contains "light"`."""
    match = _FORM.match(text)
    if not match:
        raise UsageError(
            f"cannot read the filter {text!r}; write FIELD OPERATOR VALUE with one of "
            f"{' '.join(OPERATORS)}, for example 'year>=1900'"
        )
    name, sign, value = match.groups()
    known: Operator = next(known for known in OPERATORS if known == sign.strip())
    return Filter(name, known, _scalar(value))


def checked_filter(condition: Filter) -> Filter:
    """The condition; `<` and the like with something that is no number are refused."""
    if condition.operator not in _ORDER or is_number(condition.value):
        return condition
    month = _MONTH.match(str(condition.value))
    piece = month[0] if month else condition.value
    raise UsageError(
        f"`{condition.operator}` compares numbers, and {condition.value!r} is none; "
        f"use = or contains, e.g. '{condition.field} contains {piece}'"
    )


def resolve_filters(
    filters: Sequence[Filter], fields: Collection[str]
) -> tuple[Filter, ...] | None:
    """The filters with fields spelt as passages with these metadata fields spell them.

    None when a filter's field is none of them: then no passage there can match it.
    """
    names = [field_named(condition.field, fields) for condition in filters]
    if not all(names):
        return None
    return tuple(
        replace(condition, field=name) for condition, name in zip(filters, names, strict=True)
    )


def field_named(name: str, fields: Collection[str]) -> str:
    """The field that a person means: spelt so, else so but for case; empty if there is none.

    Every passage also has those of `kinds.filter_fields`.
    """
    known = (*sorted(fields), *filter_fields())
    if name in known:
        return name
    return next((field for field in known if field.casefold() == name.casefold()), "")


def holds(condition: Filter, value: Value | None) -> bool:
    """Whether a field of this value matches the condition."""
    if value is None:
        return False
    values = value if isinstance(value, tuple) else (value,)
    if condition.operator == "!=":
        return not any(_equal(item, condition.value) for item in values)
    return any(_matches(condition, item) for item in values)


def passes(passage: Passage, filters: Sequence[Filter]) -> bool:
    """Whether a passage matches every filter."""
    return all(holds(condition, passage.value(condition.field)) for condition in filters)


def is_number(value: object) -> bool:
    """Whether a value is a number; true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_float(value: Scalar) -> float:
    """A number as the order of filters sees it; one too large for a float is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if int(value) > 0 else -math.inf


def _matches(condition: Filter, value: Scalar) -> bool:
    wanted = condition.value
    if condition.operator == "=":
        return _equal(value, wanted)
    if condition.operator == "contains":
        return isinstance(value, str) and str(wanted).casefold() in value.casefold()
    compare = _ORDER[condition.operator]
    return is_number(value) and is_number(wanted) and compare(as_float(value), as_float(wanted))


def _equal(value: Scalar, wanted: Scalar) -> bool:
    if isinstance(value, str) and isinstance(wanted, str):
        return value.casefold() == wanted.casefold()
    return is_number(value) == is_number(wanted) and value == wanted


def _scalar(text: str) -> Scalar:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
