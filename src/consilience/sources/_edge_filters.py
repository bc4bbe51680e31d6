"""How does a filter read in Qdrant? The payload written for a passage, and conditions on it.

A payload is made for the meaning that `consilience.filters` gives, not for Qdrant's own types:
- `has` lists the fields that the passage has, so that a missing field meets no condition, while
  a field without values (which Qdrant counts as missing) still differs from everything; those
  that every passage has are not listed;
- `is` lists `field=value` for every value, numbers in one spelling, so that equality is exact
  for texts, numbers and truth values alike; both lists are indexed, whatever the field is;
- `text` and `number` hold, by field, the folded texts for `contains` and the floats for order,
  a single one without a list, because every list and text costs time to hand over;
  numbers are indexed as they appear, of the texts those that every passage has. A number of more
  than 15 digits may come back from storage off by its last bit, so order around such a number
  leans on `is`: equal ones are exact, only its nearest neighbours are not told apart from it.
A field's name is written as a key that needs no quoting in a JSON path.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

import qdrant_edge as qdrant

from consilience.filters import as_float, is_number
from consilience.sources._shared import LATE, fold, held
from consilience.types import Filter, Operator, Passage, Scalar

Payload = dict[str, list[str] | dict[str, str | list[str]] | dict[str, float | list[float]]]

INDEXED = ("has", "is", "text.kind", "text.section", "text.title")
_ALWAYS = frozenset({"kind", "title"})
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
_LARGEST = 1.7976931348623157e308  # JSON has no infinity
_NEVER = ""  # no passage has an empty entry in `is`


def payload(passage: Passage) -> Payload:
    """What is stored beside a passage's vectors: only what filters need."""
    same: list[str] = []
    texts: dict[str, str | list[str]] = {}
    numbers: dict[str, float | list[float]] = {}
    fields = {_key(name): value for name, value in held(passage).items()}
    for key, value in fields.items():
        values = value if isinstance(value, tuple) else (value,)
        same += [token for one in values if (token := _same(key, one)) != _NEVER]
        if words := [fold(one) for one in values if isinstance(one, str)]:
            texts[key] = words if len(words) > 1 else words[0]
        if figures := [_float(one) for one in values if _is_figure(one)]:
            numbers[key] = figures if len(figures) > 1 else figures[0]
    has = [key for key in fields if key not in _ALWAYS]
    found: Payload = {"has": has, "is": same, "text": texts}
    if numbers:
        found["number"] = numbers
    return found


def condition(filters: Sequence[Filter]) -> qdrant.Filter | None:
    """The filters that the payload can answer, all of which must hold; None when there is none."""
    parts: list[qdrant.ConditionType] = [
        _OPERATORS[one.operator](one) for one in filters if one.field not in LATE
    ]
    return qdrant.Filter(must=parts) if parts else None


def _equals(one: Filter) -> qdrant.Filter:
    return qdrant.Filter(must=[_match("is", _same(_key(one.field), one.value))])


def _differs(one: Filter) -> qdrant.Filter:
    key = _key(one.field)
    return qdrant.Filter(must=_has(key), must_not=[_match("is", _same(key, one.value))])


def _contains(one: Filter) -> qdrant.Filter:
    piece = qdrant.MatchSubstring(fold(str(one.value)))
    field = qdrant.FieldCondition(f"text.{_key(one.field)}", match=piece)
    return qdrant.Filter(must=[*_has(_key(one.field)), field])


def _order(one: Filter) -> qdrant.Filter:
    if not _is_figure(one.value):
        return qdrant.Filter(must=[_match("is", _NEVER)])
    key, wanted = _key(one.field), _float(one.value)
    either: list[qdrant.ConditionType] = [_range(key, one.operator, wanted)]
    if _is_long(wanted):
        strict = _STRICT[one.operator]
        either = [_range(key, strict, math.nextafter(wanted, _TOWARDS[strict]))]
        if strict != one.operator:
            either.append(_match("is", _same(key, one.value)))
    return qdrant.Filter(must=[*_has(key), qdrant.Filter(should=either)])


def _is_long(wanted: float) -> bool:
    """Whether a stored number of this size may come back from JSON off by its last bit."""
    whole = wanted.is_integer() and abs(wanted) <= 2**53
    return not whole and float(f"{wanted:.15g}") != wanted


def _range(key: str, operator: Operator, wanted: float) -> qdrant.FieldCondition:
    return qdrant.FieldCondition(f"number.{key}", range=_RANGES[operator](wanted))


_STRICT: Mapping[Operator, Operator] = {"<": "<", "<=": "<", ">": ">", ">=": ">"}
_TOWARDS: Mapping[Operator, float] = {"<": -math.inf, ">": math.inf}
_RANGES: Mapping[Operator, Callable[[float], qdrant.RangeFloat]] = {
    "<": lambda value: qdrant.RangeFloat(lt=value),
    "<=": lambda value: qdrant.RangeFloat(lte=value),
    ">": lambda value: qdrant.RangeFloat(gt=value),
    ">=": lambda value: qdrant.RangeFloat(gte=value),
}
_OPERATORS: Mapping[Operator, Callable[[Filter], qdrant.Filter]] = {
    "=": _equals,
    "!=": _differs,
    "contains": _contains,
    **dict.fromkeys(_RANGES, _order),
}


def _has(key: str) -> list[qdrant.ConditionType]:
    return [] if key in _ALWAYS else [_match("has", key)]


def _match(field: str, value: str) -> qdrant.FieldCondition:
    return qdrant.FieldCondition(field, match=qdrant.MatchValue(value))


def _key(name: str) -> str:
    """A plain name as it is, any other in hexadecimal: no dots, brackets or quotes remain."""
    if _PLAIN.fullmatch(name):
        return name
    return f"-{name.encode('utf-8', 'surrogatepass').hex()}"


def _same(key: str, value: Scalar) -> str:
    """One spelling for all that is equal: `year=n:1900` for 1900 and 1900.0; none for NaN."""
    if isinstance(value, str):
        return f"{key}=t:{fold(value)}"
    if isinstance(value, bool):
        return f"{key}=b:{value}"
    if isinstance(value, float) and not value.is_integer():
        return f"{key}=n:{value!r}" if not math.isnan(value) else _NEVER
    return f"{key}=n:{int(value)}"


def _is_figure(value: Scalar) -> bool:
    return is_number(value) and not (isinstance(value, float) and math.isnan(value))


def _float(value: Scalar) -> float:
    return min(max(as_float(value), -_LARGEST), _LARGEST)
