"""What is stored beside a passage's vectors for filters, and which tests on it a filter comes to?

A payload serves the meaning that `consilience.filters` defines, not an engine's own types:
- `has` lists the fields of the passage, so that a missing field meets no condition, while a field
  without values (which engines count as missing) still differs from everything; fields that
  every passage has are not listed;
- `is` lists `field=value` for every value, numbers in one spelling, so that equality is exact for
  texts, numbers and booleans alike; both lists are indexed, whatever the field is;
- `text` and `number` hold, by field, the folded texts for `contains` and the floats for order, a
  single one without a list, because every list and text costs time to hand over. A number of more
  than 15 digits may come back from storage off by its last bit, so order around such a number
  relies on `is`: equal ones are exact, only its nearest neighbours cannot be told apart from it.

A field's name is written as a key that needs no quoting in a JSON path. Each engine translates the
five tests below into its own language, and nothing else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from consilience.errors import UsageError
from consilience.filters import as_float, is_number, leaves, orders_dates
from consilience.stores.common import UNINDEXED_FIELDS, filter_fields, fold
from consilience.types import ID_LENGTH, Condition, Filter, Operator, Passage, Scalar

Payload = dict[str, list[str] | dict[str, str | list[str]] | dict[str, float | list[float]]]

INDEXED_FIELDS = ("has", "is", "text.kind", "text.section", "text.title")
_IN_EVERY_PASSAGE = frozenset({"kind", "title"})
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_LARGEST = 1.7976931348623157e308  # JSON has no infinity
_NEVER = ""  # no passage has an empty entry in `is`
_ID = re.compile(f"[0-9a-f]{{{ID_LENGTH}}}")


# --- tests ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Listed:
    """The list `has` or `is` has this entry."""

    field: Literal["has", "is"]
    entry: str


@dataclass(frozen=True, slots=True)
class Substring:
    """One of the field's texts has this piece."""

    key: str
    piece: str


@dataclass(frozen=True, slots=True)
class InRange:
    """One of the field's numbers is `<`, `<=`, `>` or `>=` the bound."""

    key: str
    operator: Operator
    bound: float


@dataclass(frozen=True, slots=True)
class HasId:
    """The passage is one of these."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """All of `every`, at least one of `some` where there are any, and none of `none`."""

    every: tuple[PayloadTest, ...] = ()
    some: tuple[PayloadTest, ...] = ()
    none: tuple[PayloadTest, ...] = ()


PayloadTest: TypeAlias = Listed | Substring | InRange | HasId | Joined


def payload_test(filters: Sequence[Condition], ids: Sequence[str] | None = None) -> Joined | None:
    """What the filters that the payload can answer come to, for these ids only where they are
    given; None where nothing is asked.
    """
    only: tuple[PayloadTest, ...] = () if ids is None else (HasId(tuple(ids)),)
    parts = tuple(_test(condition) for condition in filters if is_indexed(condition))
    return Joined(every=only + parts) if only or parts else None


def is_indexed(condition: Condition) -> bool:
    """Whether the payload can answer a condition, all of it; it does not order dates."""
    return not any(
        leaf.field in UNINDEXED_FIELDS or orders_dates(leaf) for leaf in leaves([condition])
    )


def is_valid_id(key: str) -> bool:
    """Whether it is written as the id of a passage."""
    return _ID.fullmatch(key) is not None


def point_id(key: str) -> int:
    """The id of a passage as a number of 64 bits, as Qdrant takes it."""
    if not is_valid_id(key):
        raise UsageError(
            f"passage id {key!r} is not {ID_LENGTH} hexadecimal digits; use passage_id()"
        )
    return int(key, 16)


def passage_key(point: object) -> str:
    """The id of a passage from that number."""
    return f"{point:0{ID_LENGTH}x}"


def field_key(name: str) -> str:
    """A plain name as it is, any other in hexadecimal: no dots, brackets or quotes remain."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    return f"-{name.encode('utf-8', 'surrogatepass').hex()}"


def make_payload(passage: Passage) -> Payload:
    """What is stored beside a passage's vectors: only what filters need."""
    tokens: list[str] = []
    texts: dict[str, str | list[str]] = {}
    numbers: dict[str, float | list[float]] = {}
    fields = {field_key(name): value for name, value in filter_fields(passage).items()}
    for key, field in fields.items():
        values = field if isinstance(field, tuple) else (field,)
        tokens += [token for value in values if (token := _equality_token(key, value)) != _NEVER]
        if words := [fold(value) for value in values if isinstance(value, str)]:
            texts[key] = words if len(words) > 1 else words[0]
        if figures := [_float(value) for value in values if _is_figure(value)]:
            numbers[key] = figures if len(figures) > 1 else figures[0]
    has = [key for key in fields if key not in _IN_EVERY_PASSAGE]
    payload: Payload = {"has": has, "is": tokens, "text": texts}
    if numbers:
        payload["number"] = numbers
    return payload


def _test(condition: Condition) -> PayloadTest:
    if isinstance(condition, Filter):
        return _OPERATORS[condition.operator](field_key(condition.field), condition)
    parts = tuple(_test(part) for part in condition.parts)
    if condition.join == "or":
        return Joined(some=parts)
    return Joined(none=parts) if condition.join == "not" else Joined(every=parts)


def _equals(key: str, condition: Filter) -> PayloadTest:
    return Listed("is", _equality_token(key, condition.value))


def _differs(key: str, condition: Filter) -> PayloadTest:
    return Joined(every=_has(key), none=(_equals(key, condition),))


def _contains(key: str, condition: Filter) -> PayloadTest:
    return Joined(every=(*_has(key), Substring(key, fold(str(condition.value)))))


def _order(key: str, condition: Filter) -> PayloadTest:
    if not _is_figure(condition.value):
        return Listed("is", _NEVER)
    bound = _float(condition.value)
    either: list[PayloadTest] = [InRange(key, condition.operator, bound)]
    if _may_lose_a_bit(bound):
        strict = _STRICT[condition.operator]
        either = [InRange(key, strict, math.nextafter(bound, _TOWARDS[strict]))]
        if strict != condition.operator:
            either.append(_equals(key, condition))
    return Joined(every=_has(key), some=tuple(either))


def _may_lose_a_bit(number: float) -> bool:
    """Whether a stored number of this size may come back from JSON off by its last bit."""
    whole = number.is_integer() and abs(number) <= 2**53
    return not whole and float(f"{number:.15g}") != number


_STRICT: Mapping[Operator, Operator] = {"<": "<", "<=": "<", ">": ">", ">=": ">"}
_TOWARDS: Mapping[Operator, float] = {"<": -math.inf, ">": math.inf}
_OPERATORS: Mapping[Operator, Callable[[str, Filter], PayloadTest]] = {
    "=": _equals,
    "!=": _differs,
    "contains": _contains,
    **dict.fromkeys(_STRICT, _order),
}


def _has(key: str) -> tuple[PayloadTest, ...]:
    return () if key in _IN_EVERY_PASSAGE else (Listed("has", key),)


def _equality_token(key: str, value: Scalar) -> str:
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
