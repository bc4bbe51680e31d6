"""Which rows and columns of a table does a question want? By names, values, bounds and order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from math import inf
from typing import NamedTuple

from consilience.answer.extractive.asking import SAME, Asked, terms
from consilience.answer.extractive.cells import Row, as_number, columns_of, name_column, number
from consilience.names import compared, surface
from consilience.numbers import Amount, amounts
from consilience.numbers.units import units_called

_WORD = r"[A-ZÀ-ÖØ-Þ][\w.'’-]*"
_PERSON = re.compile(rf"{_WORD}(?: (?:de|la|le|van|von|der|den|di|da|du|of|and|{_WORD}))+")
_PLACES = frozenset(
    terms(
        "country city town state sea ocean place location region island capital subregion "
        "continent county province district"
    )
)
_YES = frozenset(("yes", "true", "y", "x", "✓", "ja", "oui", "sí"))
_NO = frozenset(("no", "false", "n", "-", "nein", "non"))
_MANNER = re.compile(r"^\s*(?:how|wie|comment|cómo)\b", re.IGNORECASE)
_LISTING = re.compile(
    r"^\s*(?:list|show|name|give|enumerate|which|what)\b|\bhow many\b", re.IGNORECASE
)
_MORE = (
    r"(?P<more>more|greater|higher|taller|longer|larger|bigger|heavier|later|older|wider|deeper|"
    r"over|above|after|exceed\w*|>)|(?P<least>since|from|at least|no less|>=|≥)"
)
_LESS = (
    r"(?P<less>less|fewer|lower|shorter|smaller|lighter|earlier|younger|under|below|before|<)|"
    r"(?P<most>until|up to|at most|no more|<=|≤)"
)
_BOUND = re.compile(
    rf"(?:\b|(?=[<>≤≥]))(?:{_LESS}|{_MORE})\s*(?:than\s+)?(?:the\s+year\s+|about\s+)?$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\b(?:between|from)\s+$", re.IGNORECASE)
_TO = re.compile(r"\s*(?:and|to|[-–])\s*", re.IGNORECASE)
_SORTING = re.compile(
    r"\b(?:(?P<most>most|highest|tallest|longest|largest|biggest|latest|newest|heaviest|greatest|"
    r"deepest|widest|last|youngest)|(?P<least>least|fewest|lowest|shortest|smallest|earliest|"
    r"oldest|first|lightest))\b",
    re.IGNORECASE,
)


class Bound(NamedTuple):
    """What a question compares with: values strictly between `low` and `high`, or equal to one
    where that is `meant`, in one of these `units` where it says any.
    """

    low: float
    high: float
    meant: frozenset[float]
    units: frozenset[str]

    def meets(self, value: float | None) -> bool:
        """Whether a value is within."""
        return value is not None and (self.low < value < self.high or value in self.meant)


def named(rows: Sequence[Row], question: str) -> list[Row]:
    """The rows whose name the question says, at least as far as a bracket or comma."""
    if not rows:
        return []
    words = _words(question)
    column = name_column(rows)
    common = general(rows)
    return [row for row in rows if _mentions(words, row.cells.get(column, ""), common)]


def wanted(rows: Sequence[Row], asked: Asked) -> list[str]:
    """The columns that the question asks for, by their names or by what kind of thing they hold."""
    name = name_column(rows)
    columns = [column for column in columns_of(rows) if column != name]
    return asked_by_name(rows, asked) or [
        column for column in columns if _asked_by_kind(rows, column, asked)
    ]


def asked_by_name(rows: Sequence[Row], asked: Asked) -> list[str]:
    """The columns that the question names."""
    name = name_column(rows)
    return [one for one in columns_of(rows) if one != name and _asked_by_name(one, asked)]


def covers(rows: Sequence[Row], named: Sequence[Row], columns: Sequence[str], asked: Asked) -> bool:
    """Whether a question asks for columns of these rows and not for something else besides.

    `How tall is the tower at X?` does; `the strongest blow of the sea at X` is no column `sea`.
    """
    name = name_column(rows)
    said = {term for row in named for term in terms(row.cells.get(name, ""))}
    passage = rows[0].exhibit.passage
    said |= {*general(rows), *terms(f"{passage.title} {passage.locator.table or ''}")}
    asks = [term for term in asked.terms if term not in said and len(term) > 2]
    own = {term for column in columns for term in terms(" ".join(_split(column)))}
    hit = [one for one in asks if one in own or not own.isdisjoint(SAME.get(one, ()))]
    return len(asks) - len(hit) <= max(1, len(hit))


def tells(asked: Asked) -> bool:
    """Whether a question wants to be told why or how, which no row does."""
    manner = _MANNER.match(asked.text) and "number" not in asked.kinds
    return bool(manner) or "reason" in asked.kinds


def restricts(rows: Sequence[Row], asked: Asked) -> bool:
    """Whether a question says which rows it wants: by a value, a bound, an order, a yes or no.

    One that asks for a list of what the table holds wants them all.
    """
    text = asked.text
    bounded = any(_bounded(rows, wanted(rows, asked), bound) for bound in _bounds(text))
    if mentioned(rows, text) or bounded or flags(rows, asked):
        return True
    if (_SORTING.search(text) or _bounds(text)) and wanted(rows, asked):
        return True
    passage = rows[0].exhibit.passage
    held = {*terms(f"{passage.title} {passage.locator.table or ''}"), *general(rows)}
    return bool(_LISTING.match(text)) and set(asked.terms) <= {*held, *terms("list show name give")}


def compares_all(rows: Sequence[Row], asked: Asked) -> bool:
    """Whether the rows could be held against every bound of a question."""
    columns = wanted(rows, asked)
    return all(_bounded(rows, columns, bound) for bound in _bounds(asked.text))


def flags(rows: Sequence[Row], asked: Asked) -> dict[str, bool]:
    """The columns of yes and no that the question names, and which of the two it means."""
    found = {}
    for column in asked_by_name(rows, asked):
        values = {row.cells[column].casefold() for row in rows if column in row.cells}
        if values and values <= _YES | _NO:
            word = re.escape(_split(column)[0][:5])
            found[column] = not re.search(
                rf"\b(?:not|non|no|never|without|isn't|aren't)\W+(?:\w+\W+)?{word}",
                asked.text,
                re.IGNORECASE,
            )
    return found


def mentioned(rows: Sequence[Row], question: str) -> list[str]:
    """The columns in which a row has a value that the question says."""
    words = _words(question)
    name = name_column(rows)
    return [
        column
        for column in columns_of(rows)
        if column != name and any(_mentions(words, row.cells.get(column, "")) for row in rows)
    ]


def _words(question: str) -> str:
    """The words of a question, without the numbers that it only compares with."""
    bounds = compared(question)
    return f" {' '.join(word for word in surface(question).split() if word not in bounds)} "


def fitting(rows: Sequence[Row], asked: Asked) -> list[Row]:
    """The rows that meet the bounds of a question (`taller than 50`), where its column is known.

    In the order it asks for (`tallest`), else as they came.
    """
    columns = [
        one for one in wanted(rows, asked) if any(number(row, one) is not None for row in rows)
    ]
    kept = _having(rows, asked.text)
    for column, meant in flags(rows, asked).items():
        values = _YES if meant else _NO
        kept = [row for row in kept if row.cells.get(column, "").casefold() in values]
    for bound in _bounds(asked.text):
        column = _bounded(rows, columns, bound)
        if column:
            kept = [row for row in kept if bound.meets(number(row, column))]
            columns = [column, *columns]
    order = _SORTING.search(asked.text)
    if order and columns:
        sign = -1 if order["most"] else 1
        by = next((one for one in columns if _said_by(order[0], one)), columns[0])
        kept.sort(key=lambda row: _key(number(row, by), sign))
    return kept


def _having(rows: Sequence[Row], question: str) -> list[Row]:
    """The rows that have most of the values that the question says: `Japan`, `first order`."""
    words = _words(question)
    columns = mentioned(rows, question)
    counts = [
        sum(_mentions(words, row.cells.get(column, "")) for column in columns) for row in rows
    ]
    most = max(counts, default=0)
    return [row for row, count in zip(rows, counts, strict=True) if count == most]


def _key(value: float | None, sign: int) -> tuple[bool, float]:
    return (value is None, sign * (value or 0.0))


def _bounds(question: str) -> list[Bound]:
    """Every comparison with a number that a question makes."""
    found: list[Bound] = []
    numbers = amounts(question)
    for at, one in enumerate(numbers):
        before = question[: one.start]
        following = numbers[at + 1] if at + 1 < len(numbers) else None
        if following and _BETWEEN.search(before) and _joins(question, one, following):
            low, high = _value(one), _value(following)
            found.append(Bound(low, high, frozenset((low, high)), _units(following)))
            continue
        if compares := _BOUND.search(before):
            value = _value(one)
            meant = frozenset((value,)) if compares["least"] or compares["most"] else frozenset()
            low, high = (-inf, value) if compares["less"] or compares["most"] else (value, inf)
            found.append(Bound(low, high, meant, _units(one)))
    return found


def _joins(question: str, one: Amount, other: Amount) -> bool:
    return bool(_TO.fullmatch(question[one.end : other.start]))


def _value(amount: Amount) -> float:
    return float(min(one for one in amount.numbers if isinstance(one, Decimal)))


def _units(amount: Amount) -> frozenset[str]:
    return amount.units - {""}


def _bounded(rows: Sequence[Row], columns: Sequence[str], bound: Bound) -> str:
    """The column that a bound is on: one asked for by name, or that of years for a year.

    One whose unit is another than the question's cannot be compared.
    """
    ends = [one for one in (bound.low, bound.high) if abs(one) != inf]
    year = not bound.units and all(1000 <= one <= 2100 and one == int(one) for one in ends)
    years = [one for one in columns_of(rows) if _holds_years(rows, one)]
    if year and years:
        return next((one for one in columns if one in years), years[0])
    fitting_units = (
        one
        for one in columns
        if one not in years
        and not (bound.units and unit(one) and bound.units.isdisjoint(unit(one)))
    )
    return next(fitting_units, "")


def unit(column: str) -> frozenset[str]:
    """The units that a column's name ends in: `m` of `height_m`."""
    words = _split(column)
    return units_called(words[-1]) if len(words) > 1 else frozenset()


def _split(column: str) -> list[str]:
    return re.sub(r"[_()\[\]]", " ", column).split()


def _holds_years(rows: Sequence[Row], column: str) -> bool:
    values = [row.cells[column] for row in rows if column in row.cells]
    return bool(values) and all(re.fullmatch(r"1\d{3}|20\d{2}", value) for value in values)


def _said_by(word: str, column: str) -> bool:
    """Whether a word such as `tallest` speaks of a column such as `height`."""
    own = terms(column.replace("_", " "))
    return any(not SAME.get(term, frozenset()).isdisjoint(own) for term in terms(word))


def _asked_by_name(column: str, asked: Asked) -> bool:
    words = _split(column)
    if "number" in asked.kinds and unit(column) & _units_said(asked.text):
        return True
    own = {one for one in terms(" ".join(words[:-1] if unit(column) else words)) if len(one) > 1}
    return any(term in own or not own.isdisjoint(SAME.get(term, ())) for term in asked.terms)


def _units_said(question: str) -> frozenset[str]:
    """The units that a question names by words: `how many nautical miles`."""
    words = [word for word in surface(question).split() if len(word) > 2]
    pairs = [f"{one} {other}" for one, other in pairwise(words)]
    in_pairs = [pair for pair in pairs if units_called(pair)]
    alone = [word for word in words if not any(word in pair.split() for pair in in_pairs)]
    return frozenset(one for name in (*in_pairs, *alone) for one in units_called(name))


def _asked_by_kind(rows: Sequence[Row], column: str, asked: Asked) -> bool:
    values = [row.cells[column] for row in rows if column in row.cells]
    if "time" in asked.kinds:
        return _holds_years(rows, column)
    if "person" in asked.kinds:
        return all(_PERSON.fullmatch(value) for value in values) and not _is_place(column)
    return "place" in asked.kinds and _is_place(column)


def _is_place(column: str) -> bool:
    return not _PLACES.isdisjoint(terms(column.replace("_", " ")))


def general(rows: Sequence[Row]) -> frozenset[str]:
    """Last words of names that say what all rows are: `Lighthouse` in a table of lighthouses."""
    column = name_column(rows)
    heads = {_head(row.cells.get(column, "")) for row in rows}
    last = Counter(head.rpartition(" ")[2] for head in sorted(heads))
    passage = rows[0].exhibit.passage
    about = set(terms(f"{passage.title} {passage.locator.table or ''}"))
    return frozenset(
        word for word, count in last.items() if count > 1 or not about.isdisjoint(terms(word))
    )


def _head(name: str) -> str:
    """A name as far as a bracket or comma: `Eddystone Lighthouse` of `… (Douglass)`."""
    return surface(re.split(r"[(,]", name)[0])


def _mentions(words: str, value: str, general: frozenset[str] = frozenset()) -> bool:
    if len(value) < 2 or (as_number(value) is not None and len(value) < 3):
        return False
    spellings = {surface(value), _head(value)}
    for name in sorted(spellings):
        head, _, last = name.rpartition(" ")
        if last in general:
            spellings.add(head)
    return any(one and f" {one} " in words for one in spellings)
