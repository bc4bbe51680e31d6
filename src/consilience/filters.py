"""Does a passage match a condition, and how does a person type one?

    year >= 1900 and (kind = row or title contains "light")
    not country in (France, Spain)        height in 30..60        lit in 1811-02-01..1811-12-31

`and` binds closer than `or`. A value may have spaces; one with `and`, `or` or parentheses that
could be read as more conditions stands in quotes. `in` takes values in parentheses, or a range
whose ends belong to it and may be left out.

One meaning for every engine, pinned here and compared with each of them in the tests:
- a field that a passage does not have matches no condition, `!=` included;
- `=` and `!=` compare texts without regard to case, numbers by value, true and false only with
  themselves; a field with several values equals what any of them equals, and differs from what
  none of them equals;
- `<`, `<=`, `>`, `>=` compare numbers with numbers and dates with dates, nothing else. A date is
  `1811-02` or `1811-02-01`, with or without a time, and is compared as exactly as it is typed: all
  of February 1811 is `<= 1811-02`;
- `contains` looks for a piece of text, without regard to case;
- `not` holds where its condition does not, also where the field is missing.

Which field is meant is decided before any engine is asked: the one spelt exactly so, else the one
that differs only by case.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from consilience.errors import UsageError
from consilience.kinds import filter_fields
from consilience.types import OPERATORS, Combined, Condition, Filter, Operator, Passage, Scalar
from consilience.types import Value as FieldValue

_FIELD = r"""\s*(?:"(?P<quoted>[^"]+)"|(?P<field>[^<>=!()"\s][^<>=!]*?))"""
_SIGN = r"\s*(?P<sign><=|>=|!=|=|<|>|\scontains\s|\s(?:not\s+)?in\s+(?=\(|\S*\.\.))\s*"
_START = re.compile(_FIELD + _SIGN, re.IGNORECASE)
_JOIN = re.compile(
    r"\s+(?P<join>and|or)\s+(?=(?:\(\s*|not\s+)*" + re.sub(r"\?P<\w+>", "?:", _FIELD + _SIGN) + ")",
    re.IGNORECASE,
)
_NOT = re.compile(r"\s*not\s+", re.IGNORECASE)
_OPENING, _CLOSING = re.compile(r"\s*\("), re.compile(r"\s*\)")
_QUOTED = re.compile(r"""("[^"]*"|'[^']*')""")
_RANGE = re.compile(r"(?P<low>\S*?)\.\.(?P<high>[^\s)]*)")
_ITEM = re.compile(r"""\s*("[^"]*"|'[^']*'|[^,()"']+?)\s*(?=[,)])""")
_DATE = re.compile(r"\d{4}-\d\d(-\d\d([T ]\d\d:\d\d\S*)?)?")
_MONTH = re.compile(r"\d{4}-\d\d")
_DEEPEST = 50  # parentheses and `not` within one another
_ORDER: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def parse_filter(text: str) -> Condition:
    """`year>=1900`, `title contains "light" or kind = row`, `not height in 30..60`."""
    return _Parser(text).parse()


class _Parser:
    """Reads a text from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def parse(self) -> Condition:
        condition = self._any()
        if self._text[self._at :].strip():
            raise self._refuse(f"{self._text[self._at :].strip()[:40]!r} is left over")
        return condition

    def _any(self) -> Condition:
        return self._joined("or", lambda: self._joined("and", self._one))

    def _joined(self, word: str, parse: Callable[[], Condition]) -> Condition:
        parts = [parse()]
        while (match := _JOIN.match(self._text, self._at)) and match["join"].lower() == word:
            self._at = match.end()
            parts.append(parse())
        return parts[0] if len(parts) == 1 else Combined("or" if word == "or" else "and", (*parts,))

    def _one(self) -> Condition:
        if match := _NOT.match(self._text, self._at):
            self._at = match.end()
            return Combined("not", (self._within(self._one),))
        if not (opening := _OPENING.match(self._text, self._at)):
            return self._condition()
        self._at = opening.end()
        condition = self._within(self._any)
        if not (closing := _CLOSING.match(self._text, self._at)):
            raise self._refuse("a parenthesis is not closed")
        self._at = closing.end()
        return condition

    def _within(self, parse: Callable[[], Condition]) -> Condition:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._refuse("its parentheses are too deep")
        condition = parse()
        self._depth -= 1
        return condition

    def _condition(self) -> Condition:
        match = _START.match(self._text, self._at)
        if not match:
            raise self._refuse()
        self._at = match.end()
        name = match["quoted"] or match["field"].strip()
        sign = " ".join(match["sign"].lower().split())
        if sign.endswith("in"):
            found = self._in(name)
            return Combined("not", (found,)) if sign.startswith("not") else found
        known: Operator = next(known for known in OPERATORS if known == sign)
        value = self._value()
        if not value:
            raise self._refuse()
        return Filter(name, known, _scalar(value))

    def _in(self, name: str) -> Condition:
        if match := _RANGE.match(self._text, self._at):
            self._at = match.end()
            ends: list[tuple[Operator, str]] = [(">=", match["low"]), ("<=", match["high"])]
            parts = [Filter(name, sign, _scalar(end)) for sign, end in ends if end]
            if not parts:
                raise self._refuse("a range has at least one end")
            return parts[0] if len(parts) == 1 else Combined("and", (*parts,))
        values = []
        while self._text[self._at : self._at + 1] in ("(", ","):
            item = _ITEM.match(self._text, self._at + 1)
            if not item:
                raise self._refuse("`in` takes values in parentheses, with commas between")
            values.append(_scalar(item[1]))
            self._at = item.end()
        self._at += 1
        return Combined("or", tuple(Filter(name, "=", value) for value in values))

    def _value(self) -> str:
        """A value in quotes, or up to the next condition or the end of the parentheses."""
        start, depth = self._at, 0
        quoted = _QUOTED.match(self._text, start)
        for at in range(quoted.end() if quoted else start, len(self._text) + 1):
            here = self._text[at : at + 1]
            depth += (here == "(") - (here == ")")
            if not here or (depth < 0 and self._depth) or _JOIN.match(self._text, at):
                self._at = at
                break
        return self._text[start : self._at].strip()

    def _refuse(self, reason: str = "") -> UsageError:
        return UsageError(
            f"cannot read the filter {self._text!r}{reason and f': {reason}'}; write FIELD "
            f"OPERATOR VALUE with one of {' '.join(OPERATORS)} in, joined by and, or, not, for "
            "example 'year>=1900 and kind in (row, node)'"
        )


def as_conditions(filters: Iterable[Condition | str]) -> tuple[Condition, ...]:
    """Conditions as they are, texts parsed."""
    return tuple(
        parse_filter(condition) if isinstance(condition, str) else condition
        for condition in filters
    )


def leaves(conditions: Iterable[Condition]) -> Iterator[Filter]:
    """The single conditions of all these; what is no condition is refused."""
    for condition in conditions:
        if isinstance(condition, Combined):
            yield from leaves(condition.parts)
        elif isinstance(condition, Filter):
            yield condition
        else:
            raise UsageError(
                f"{condition!r} is not a filter; write a text such as 'year >= 1900', "
                "or Filter('year', '>=', 1900)"
            )


def checked_filter(condition: Filter) -> Filter:
    """The condition; a value or operator that cannot be compared is refused."""
    name: object = condition.field
    value: object = condition.value
    if condition.operator not in OPERATORS:
        known = " ".join(OPERATORS)
        raise UsageError(f"unknown operator {condition.operator!r} in a filter; known: {known}")
    if not isinstance(name, str) or not isinstance(value, str | int | float):
        raise UsageError(
            f"a filter compares a field with a text, a number, true or false, not {name!r} with "
            f"{value!r}; for several values write '{name} in (…)'"
        )
    if isinstance(value, float) and math.isnan(value):
        raise UsageError(f"nothing compares with {value!r}; leave out '{condition}'")
    if condition.operator not in _ORDER or is_number(value) or is_date(value):
        return condition
    month = _MONTH.match(str(value))
    piece = month[0] if month else value
    raise UsageError(
        f"`{condition.operator}` compares numbers and dates, and {value!r} is neither; "
        f"use = or contains, e.g. '{condition.field} contains {piece}'"
    )


def resolve_filters(
    filters: Sequence[Condition], fields: Collection[str]
) -> tuple[Condition, ...] | None:
    """The filters with fields spelt as passages with these metadata fields spell them.

    A condition on a field that is none of them cannot hold. None when no passage can match.
    """
    resolved = [_resolve(condition, fields) for condition in filters]
    if False in resolved:
        return None
    return tuple(condition for condition in resolved if not isinstance(condition, bool))


def _resolve(condition: Condition, fields: Collection[str]) -> Condition | bool:
    """The condition for these fields, or what it comes to whatever the passage."""
    if isinstance(condition, Filter):
        name = field_named(condition.field, fields)
        return replace(condition, field=name) if name else False
    parts = [_resolve(part, fields) for part in condition.parts]
    undecided = tuple(part for part in parts if not isinstance(part, bool))
    if condition.join == "not":
        return replace(condition, parts=undecided) if undecided else not parts[0]
    decides = condition.join == "or"
    if decides in parts:
        return decides
    return replace(condition, parts=undecided) if undecided else not decides


def field_named(name: str, fields: Collection[str]) -> str:
    """The field that a person means: spelt so, else so but for case; empty if there is none.

    Every passage also has those of `kinds.filter_fields`.
    """
    known = (*sorted(fields), *filter_fields())
    if name in known:
        return name
    return next((field for field in known if field.casefold() == name.casefold()), "")


def holds(condition: Filter, value: FieldValue | None) -> bool:
    """Whether a field of this value matches the condition."""
    if value is None:
        return False
    values = value if isinstance(value, tuple) else (value,)
    if condition.operator == "!=":
        return not any(_equal(item, condition.value) for item in values)
    return any(_matches(condition, item) for item in values)


def passes(passage: Passage, filters: Iterable[Condition]) -> bool:
    """Whether a passage matches every filter."""
    return all(_passes(passage, condition) for condition in filters)


def _passes(passage: Passage, condition: Condition) -> bool:
    if isinstance(condition, Filter):
        return holds(condition, passage.value(condition.field))
    if condition.join == "not":
        return not _passes(passage, condition.parts[0])
    decide = any if condition.join == "or" else all
    return decide(_passes(passage, part) for part in condition.parts)


def is_number(value: object) -> bool:
    """Whether a value is a number; true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_date(value: object) -> bool:
    """Whether a value is a date as `1811-02` or `1811-02-01`, perhaps with a time."""
    return isinstance(value, str) and _DATE.fullmatch(value) is not None


def orders_dates(condition: Filter) -> bool:
    """Whether it is `<` or the like with a date."""
    return condition.operator in _ORDER and is_date(condition.value)


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
    if orders_dates(condition):
        return is_date(value) and _dated(str(value), condition.operator, str(wanted))
    compare = _ORDER[condition.operator]
    return is_number(value) and is_number(wanted) and compare(as_float(value), as_float(wanted))


def _dated(date: str, sign: Operator, wanted: str) -> bool:
    """Whether a date stands so to another; one that is known less exactly only if that is sure."""
    date, wanted = date.replace(" ", "T"), wanted.replace(" ", "T")
    both = min(len(date), len(wanted))
    if date[:both] != wanted[:both]:
        return (date < wanted) == sign.startswith("<")
    return len(date) >= len(wanted) and sign.endswith("=")


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
