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
from functools import cache, cached_property
from typing import Literal

import snowballstemmer

from consilience.understand import words

Kind = Literal["number", "date", "text"]
MOSTLY = 0.75
"""The share of filled cells that must be numbers or dates for the column to be of that type."""
LONGEST_VALUE = 10
"""Words of a cell that a question may say; longer cells are prose."""
_NUMBER = re.compile(r"[-+−–]?\s*[$€£¥#~]?\s*[-−]?(\d{1,3}(?:,\d{3})+|\d+)?(\.\d+)?")
_CLOCK = re.compile(r"(\d+):(\d{2})(?::(\d{2}))?(\.\d+)?(?!\d)")
_JOINED = re.compile(r"\s*[-–—/:]\s*\d")
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.)?\s+([^\W\d_]+)\.?,?\s*(\d{4})?")
_MONTH_FIRST = re.compile(r"([^\W\d_]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s*(\d{4}))?(?!\d)")
_MONTH_YEAR = re.compile(r"([^\W\d_]+)\.?,?\s+(\d{4})")
_WEEKDAY = re.compile(r"^[^\W\d_]{3,9},?\s+(?=\d|[^\W\d_]+\.?\s+\d)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NO_YEAR = 1904  # of dates that are written without one; a leap year, so that each day exists
_SIZES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_stemmer = snowballstemmer.stemmer("english")


def fold(text: str) -> str:
    """A text as values are compared: small letters, no accents, single spaces."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return " ".join(re.findall(r"\d+(?:[.,]\d+)*|[^\W_]+", letters))


@cache
def stem(word: str) -> str:
    """A folded word without its ending."""
    return str(_stemmer.stemWord(word))


@cache
def months() -> Mapping[str, int]:
    """The numbers of months by their folded names, whole and as the first letters."""
    found: dict[str, int] = {"sept": 9}
    for names in words.MONTHS.values():
        for number, name in enumerate(names, start=1):
            found.update({fold(name): number, fold(name)[:3]: number})
    return found


def parse_number(cell: str) -> float | None:
    """The number that a cell begins with; None where there is none or it is part of a range."""
    text = cell.strip()
    if match := _CLOCK.match(text):
        hours, minutes, seconds, rest = match.groups()
        total = int(hours) * 60 + int(minutes)
        return (total * 60 + int(seconds) if seconds else total) + float(rest or 0)
    match = _NUMBER.match(text)
    if not match or not (match[1] or match[2]):
        return None
    after = text[match.end() :]
    word = (after.split() or [""])[0].casefold().strip(".,)")
    size = _SIZES.get(word, 1.0)
    is_name = size == 1 and not after.startswith(" ") and re.match(r"[^\W\d_]{4,}", word)
    if _JOINED.match(after) or is_name:
        return None
    number = size * float((match[1] or "0").replace(",", "") + (match[2] or ""))
    return -number if re.match(r"\s*[-−–]|[^\d]*[-−]", match[0]) else number


def parse_date(cell: str) -> date | None:
    """The day that a cell begins with, the first of the month where it names none."""
    text = fold_date(cell)
    for form in (text, _WEEKDAY.sub("", text)):
        year, month, day = _NO_YEAR, 0, 1
        if match := _ISO.match(form):
            year, month, day = (int(part) for part in match.groups())
        elif (match := _DAY_FIRST.match(form)) and match[2] in months():
            year, month, day = int(match[3] or _NO_YEAR), months()[match[2]], int(match[1])
        elif (match := _MONTH_FIRST.match(form)) and match[1] in months():
            year, month, day = int(match[3] or _NO_YEAR), months()[match[1]], int(match[2])
        elif (match := _MONTH_YEAR.match(form)) and match[1] in months():
            year, month = int(match[2]), months()[match[1]]
        try:
            if month:
                return date(year, month, day)
        except ValueError:
            return None
    return None


def fold_date(cell: str) -> str:
    """A cell in small letters without accents, signs kept."""
    plain = unicodedata.normalize("NFKD", cell.strip()).casefold()
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type, whether all its numbers are years, and no two cells equal."""

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
        return {name: self._column(name) for name in self.header}

    def _column(self, name: str) -> Column:
        cells = [cell for cell in self.cells(name) if fold(cell)]
        is_unique = len({fold(cell) for cell in cells}) == len(cells) > 1
        least = MOSTLY * max(1, len(cells))
        if sum(parse_date(cell) is not None for cell in cells) >= least:
            return Column(name, "date", is_unique=is_unique)
        numbers = [number for cell in cells if (number := parse_number(cell)) is not None]
        if len(numbers) < least:
            return Column(name, "text", is_unique=is_unique)
        bare = sum(bool(re.fullmatch(r"\W*[12]\d{3}\W*", cell)) for cell in cells)
        is_year = bare >= least and all(1000 <= number <= 2100 for number in numbers)
        return Column(name, "number", is_year, is_unique)

    def cells(self, name: str) -> list[str]:
        """All cells of a column as written."""
        at = self.header.index(name)
        return [row[at] for row in self.rows]

    @cached_property
    def values(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """The spellings of a value by its folded form and its column.

        What stands in brackets behind a cell may be left out.
        """
        found: dict[str, dict[str, set[str]]] = {}
        for at, name in enumerate(self.header):
            for cell in {row[at] for row in self.rows}:
                for key in {fold(cell), fold(re.split(r"[(\[†*\n]", cell)[0])} - {""}:
                    if key.count(" ") < LONGEST_VALUE:
                        found.setdefault(key, {}).setdefault(name, set()).add(cell)
        return {
            key: {name: frozenset(cells) for name, cells in columns.items()}
            for key, columns in found.items()
        }

    def spellings(self, column: str, value: str) -> frozenset[str]:
        """How the table writes a value of a column; the value itself where it has none."""
        return self.values.get(fold(value), {}).get(column, frozenset({value}))

    @cached_property
    def vocabulary(self) -> Mapping[str, tuple[str, ...]]:
        """The columns of text that hold a word."""
        found: dict[str, dict[str, None]] = {}
        for at, name in enumerate(self.header):
            if self.columns[name].kind == "text":
                for word in {word for row in self.rows for word in fold(row[at]).split()}:
                    found.setdefault(word, {})[name] = None
        return {word: tuple(names) for word, names in found.items()}

    @cached_property
    def subjects(self) -> tuple[str, ...]:
        """The words that say what it is about: those of its name and title."""
        return tuple(dict.fromkeys(fold(f"{self.name} {self.title}").split()))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What words may be near to in meaning: its columns and its subjects."""
        return (*self.header, *(word for word in self.subjects if word.isalpha()))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all words in it: of its names, its columns and its texts."""
        named = [word for column in self.columns.values() for word in column.words]
        return frozenset(map(stem, {*self.subjects, *named, *self.vocabulary}))

    def _has_names(self, column: str) -> bool:
        """Whether most cells of a column begin with a word."""
        cells = [cell for cell in self.cells(column) if cell.strip()]
        return sum(bool(re.match(r"\W*[^\W\d_]{2}", cell)) for cell in cells) >= MOSTLY * len(cells)

    @cached_property
    def label(self) -> str:
        """The column that names a row: the first of names that differ, else the first of texts."""
        texts = [column for column in self.columns.values() if column.kind == "text"]
        texts = [column for column in texts if self._has_names(column.name)] or texts
        differing = [column for column in texts if column.is_unique]
        return (differing or texts or list(self.columns.values()))[0].name


def make_table(name: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """A table from lists: rows are cut or filled to the header's width, equal names are counted."""
    names: dict[str, str] = {}
    for at, written in enumerate(header):
        plain = " ".join(written.split()) or f"column {at + 1}"
        unique, count = plain, 1
        while unique.casefold() in names:
            count += 1
            unique = f"{plain} ({count})"
        names[unique.casefold()] = unique
    width = len(names)
    filled = tuple(tuple([*row, *[""] * width][:width]) for row in rows)
    return Table(name, tuple(names.values()), filled)
