"""What is in a table? Its columns with their types, and its cells as numbers and dates.

Cells are kept as written. A column is of numbers (or dates) when most of its filled cells begin
with one: `1,234`, `$3.5`, `12%`, `3 (2nd)`, `1:23.4` are numbers, `March 5, 2004` is a date.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Literal

Kind = Literal["number", "date", "text"]
MOSTLY = 0.75
"""The share of filled cells that must be numbers or dates for the column to be of that type."""
MONTHS: Mapping[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
_NUMBER = re.compile(r"[-+−–]?\s*[$€£¥#~]?\s*[-−]?(\d{1,3}(?:,\d{3})+|\d+)?(\.\d+)?")
_CLOCK = re.compile(r"(\d+):(\d{2})(?::(\d{2}))?(\.\d+)?(?!\d)")
_JOINED = re.compile(r"\s*[-–—/:]\s*\d")
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\s+([a-z]+)\.?,?\s*(\d{4})?")
_MONTH_FIRST = re.compile(r"([a-z]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s*(\d{4}))?(?!\d)")
_MONTH_YEAR = re.compile(r"([a-z]+)\.?,?\s+(\d{4})")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NO_YEAR = 1904  # of dates that are written without one; a leap year, so that each day exists
_SIZES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}


def fold(text: str) -> str:
    """A text as values are compared: small letters, no accents, single spaces."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    letters = "".join(one for one in plain if not unicodedata.combining(one))
    return " ".join(re.findall(r"\d+(?:[.,]\d+)*|[^\W_]+", letters))


def stem(word: str) -> str:
    """A word without its ending for the plural, past or gerund."""
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("es", "e"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith("ss"):
            word = word[: -len(ending)] + rest
            break
    for ending in ("ing", "ed", "er"):
        if word.endswith(ending) and len(word) > len(ending) + 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def parse_number(cell: str) -> float | None:
    """The number that a cell begins with; None where there is none or it is part of a range."""
    text = cell.strip()
    if match := _CLOCK.match(text):
        hours, minutes, seconds, rest = match.groups()
        parts = [int(hours), int(minutes), *([int(seconds)] if seconds else [])]
        total = 0.0
        for part in parts:
            total = total * 60 + part
        return total + float(rest or 0)
    match = _NUMBER.match(text)
    if not match or not (match[1] or match[2]):
        return None
    after = text[match.end() :]
    if _JOINED.match(after) or re.match(r"[a-z]*[^\W\d_]{4,}", after.strip().split(" ")[0] or ""):
        word = after.strip().split(" ")[0].casefold().strip(".,)")
        if _JOINED.match(after) or (not after.startswith(" ") and word not in _SIZES):
            return None
    number = float((match[1] or "0").replace(",", "") + (match[2] or ""))
    size = re.match(r"\s*(thousand|million|billion|trillion)\b", after, re.IGNORECASE)
    number *= _SIZES[size[1].casefold()] if size else 1
    sign = text[: match.end()]
    return -number if re.match(r"\s*[-−–]|[^\d]*[-−]", sign) else number


def parse_date(cell: str) -> date | None:
    """The day that a cell begins with, the first of the month where it names none."""
    text = cell.strip().casefold()
    text = re.sub(
        r"^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+", "", text
    )
    year, month, day = _NO_YEAR, 0, 1
    if match := _ISO.match(text):
        year, month, day = (int(one) for one in match.groups())
    elif (match := _DAY_FIRST.match(text)) and match[2] in MONTHS:
        year, month, day = int(match[3] or _NO_YEAR), MONTHS[match[2]], int(match[1])
    elif (match := _MONTH_FIRST.match(text)) and match[1] in MONTHS:
        year, month, day = int(match[3] or _NO_YEAR), MONTHS[match[1]], int(match[2])
    elif (match := _MONTH_YEAR.match(text)) and match[1] in MONTHS:
        year, month = int(match[2]), MONTHS[match[1]]
    try:
        return date(year, month, day) if month else None
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type, and whether all its numbers are years."""

    name: str
    kind: Kind
    is_year: bool = False
    is_unique: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its name, as questions would say them."""
        return tuple(fold(_CAMEL.sub(" ", self.name).replace("_", " ")).split())

    @property
    def is_time(self) -> bool:
        """Whether its values are points in time."""
        return self.kind == "date" or self.is_year


@dataclass(frozen=True)
class Table:
    """A table as written: names of columns, rows of texts, and an id for each row to cite."""

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    ids: tuple[str, ...] = ()
    title: str = ""
    document: str = ""

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """The columns by name."""
        return {name: self._typed(at, name) for at, name in enumerate(self.header)}

    def _typed(self, at: int, name: str) -> Column:
        cells = [row[at] for row in self.rows if fold(row[at])]
        unique = len({fold(one) for one in cells}) == len(cells) > 1
        dates = [day for cell in cells if (day := parse_date(cell))]
        numbers = [one for cell in cells if (one := parse_number(cell)) is not None]
        if cells and len(dates) >= MOSTLY * len(cells):
            return Column(name, "date", is_unique=unique)
        if cells and len(numbers) >= MOSTLY * len(cells):
            years = all(1000 <= one <= 2100 and one == int(one) for one in numbers)
            bare = sum(bool(re.fullmatch(r"\W*\d{4}\W*", one)) for one in cells)
            return Column(name, "number", years and bare >= MOSTLY * len(cells), unique)
        return Column(name, "text", is_unique=unique)

    def cells(self, name: str) -> list[str]:
        """All cells of a column as written."""
        at = self.header.index(name)
        return [row[at] for row in self.rows]

    @cached_property
    def values(self) -> Mapping[str, tuple[str, ...]]:
        """Which columns hold a value, by the folded value."""
        found: dict[str, dict[str, None]] = {}
        for row in self.rows:
            for name, cell in zip(self.header, row, strict=True):
                if key := fold(cell):
                    found.setdefault(key, {})[name] = None
                    head = fold(re.split(r"[(\[†*\n]", cell)[0])
                    if head and head != key:
                        found.setdefault(head, {})[name] = None
        return {key: tuple(names) for key, names in found.items()}

    @cached_property
    def vocabulary(self) -> Mapping[str, tuple[str, ...]]:
        """Which columns of text hold a word."""
        found: dict[str, dict[str, None]] = {}
        for key, names in self.values.items():
            for word in key.split():
                found.setdefault(word, {}).update(dict.fromkeys(names))
        return {word: tuple(names) for word, names in found.items()}

    @cached_property
    def label(self) -> str:
        """The column that names a row: the first of texts that differ, else the first of texts."""
        texts = [one for one in self.columns.values() if one.kind == "text"]
        differing = [one for one in texts if one.is_unique]
        some = differing or texts or list(self.columns.values())
        return some[0].name


def table_of(name: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """A table from lists: rows are cut or filled to the header's width, equal names are counted."""
    names: dict[str, None] = {}
    for at, written in enumerate(header):
        plain = " ".join(written.split()) or f"column {at + 1}"
        unique, count = plain, 1
        while any(unique.casefold() == one.casefold() for one in names):
            count += 1
            unique = f"{plain} ({count})"
        names[unique] = None
    width = len(names)
    filled = tuple(tuple([*row, *[""] * width][:width]) for row in rows)
    return Table(name, tuple(names), filled)
