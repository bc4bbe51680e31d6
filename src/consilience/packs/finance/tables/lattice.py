"""What stands at a place of a grid, and what kind of text is it?

A merged cell stands at every place it covers. A text is a number, a period (`2018`, `Q3 2025`,
`Year ended December 31,`), a mark for no number (`–`, `n/a`), a unit (`EUR m`), or words. A year
alone may be either a period or a number: only its surroundings tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from consilience.packs.finance.data_model import Cell, Grid
from consilience.packs.finance.notation.measures import unit_by_number
from consilience.packs.finance.notation.periods import Spoken, month, read_periods
from consilience.packs.finance.notation.values import (
    Style,
    is_blank,
    measure_of,
    plain,
    read_value,
    style_of,
)
from consilience.packs.finance.tables.lists import listed

Sort = Literal["nothing", "number", "none", "year", "period", "unit", "words"]

_YEAR_AT = re.compile(r"^(?:19|20)\d\d\s+(?=[^\d%\s])|(?<=[^\d\s])\s+(?:19|20)\d\d$")
_SPREAD = re.compile(r"(?:1 9|2 0) \d \d")
_NOTED = re.compile(r"\s?(?:\(\d{1,2}\)|\([a-z]\)|\[\d{1,2}\])$")
_YEAR = re.compile(r"(?:19|20)\d\d")
SOME = month(2000, 6)
"""A time to read words near that have no meaning alone."""
_BASES = (None, "budget", "forecast", "last year")
_TO_DATE = re.compile(r"(?i)ytd|year[\s-]to[\s-]date")
_BEFORE = re.compile(
    r"(?i)(?:as (?:of|at)|at|for the|(?:for )?(?:the )?(?:(?:\w+ )?months|quarters?|"
    r"(?:fiscal )?years?|weeks|period)[ -]end(?:ed|ing)?)(?: the)?"
)
_LEADING = re.compile(
    r"(?i)(?:\b(?:as|of|at|in|on|for|the|year|years|fiscal|ended|ending|per|zum|am|im|to|from|and|"
    r"during|until|bis|den)\s*)+$"
)
_CLOSING = re.compile(r"\)\s?%?|%")
_OPENED = re.compile(r"[-+$€£\s]*\([^()]*\d[^()]*|[-+−–$€£(\s]*(?!(?:19|20)\d\d$)\d[\d.,\s]*")
_MONEY = re.compile(r"(?:US|A|AU|C|CA|HK|NT|S|R)?\$|[€£¥₹]|\(\$|\(")
_DIGIT = re.compile(r"\d")
_UNIT_FILLERS = listed("units")
_FILLERS = listed("times")


@dataclass(frozen=True, slots=True)
class Lattice:
    """A grid by its places; `lines` are the cells by the row they begin in, from left to right,
    and `style` is how it writes numbers.
    """

    rows: int
    columns: int
    places: Mapping[tuple[int, int], Cell]
    lines: Mapping[int, list[Cell]]
    style: Style

    def cell(self, row: int, column: int) -> Cell | None:
        """The cell that covers a place."""
        return self.places.get((row, column))

    def text(self, row: int, column: int) -> str:
        """The text at a place, in one line; empty where nothing stands."""
        found = self.places.get((row, column))
        return _closed(tidy(found.text)) if found else ""

    def sort(self, row: int, column: int) -> Sort:
        """What kind of text stands at a place."""
        return sort_of(self.text(row, column), self.style)


def lattice_of(grid: Grid) -> Lattice:
    """The grid by its places. Where two cells claim one, the first has it."""
    rows, columns = grid.size
    lines: dict[int, list[Cell]] = {}
    for cell in grid.cells:
        if tidy(cell.text):
            lines.setdefault(cell.row, []).append(cell)
    lines = {
        row: _mended(sorted(cells, key=lambda one: one.column)) for row, cells in lines.items()
    }
    places: dict[tuple[int, int], Cell] = {}
    for cells in lines.values():
        for cell in cells:
            for place in covered(cell):
                places.setdefault(place, cell)
    style = style_of([tidy(one.text) for one in grid.cells if not one.exact])
    return Lattice(rows=rows, columns=columns, places=places, lines=lines, style=style)


def _mended(cells: Sequence[Cell]) -> list[Cell]:
    """Cells with the signs that stand beside their numbers: `$ | 12 | )` is one number."""
    found: list[Cell] = []
    sign: Cell | None = None
    for cell in cells:
        text = tidy(cell.text)
        if found and _CLOSING.fullmatch(text) and _OPENED.fullmatch(tidy(found[-1].text)):
            found[-1] = replace(found[-1], text=f"{tidy(found[-1].text)}{text}", exact="")
            continue
        if sign is not None:
            if _DIGIT.search(text) and cell.column - sign.column <= 2:
                found.append(replace(cell, text=f"{tidy(sign.text)}{text}", exact=""))
                sign = None
                continue
            found.append(sign)
        sign = cell if _MONEY.fullmatch(text) else None
        if sign is None:
            found.append(cell)
    return found if sign is None else [*found, sign]


def covered(cell: Cell) -> Iterable[tuple[int, int]]:
    """Every place a cell covers; at most a few hundred, however it was marked."""
    for row in range(cell.row, cell.row + min(max(cell.rows, 1), 200)):
        for column in range(cell.column, cell.column + min(max(cell.columns, 1), 200)):
            yield row, column


def _closed(text: str) -> str:
    """A heading with its year as one: `2 0 1 8` is set wide."""
    return text.replace(" ", "") if _SPREAD.fullmatch(text) else text


def tidy(text: str) -> str:
    """A text in one line."""
    return " ".join(text.split())


@lru_cache(maxsize=50_000)
def sort_of(text: str, style: Style) -> Sort:
    """What kind of text this is."""
    if not text:
        return "nothing"
    if _YEAR.fullmatch(text):
        return "year"
    if not _DIGIT.search(text):
        return _sort_of_words(text)
    if is_period(text) or _is_year_with_unit(text) or is_period(_NOTED.sub("", text)):
        return "period"
    if read_value(text, style) is not None:
        return "number"
    return "unit" if is_unit(text) else "words"


def _is_year_with_unit(text: str) -> bool:
    """Whether a heading is a year and what its numbers are in: `2019 $'000`, `£m 2018`."""
    rest = _YEAR_AT.sub("", text, count=1)
    return rest != text and bool(rest.strip()) and is_unit(rest)


def _sort_of_words(text: str) -> Sort:
    if is_unit(text):
        return "unit"
    if is_blank(text):
        return "none"
    return "period" if is_period(text) else "words"


@lru_cache(maxsize=20_000)
def is_period(text: str) -> bool:
    """Whether a text says when, or on which basis, and nothing else."""
    found = _spans(text)
    return not _left(text, found) if found else bool(_BEFORE.fullmatch(text.strip(" ,:")))


@lru_cache(maxsize=20_000)
def without_periods(text: str, *, bases: bool = False) -> str:
    """What is left of a text when the times in it, and the words that lead to them, are left out.

    With `bases` the words for a plan, a forecast or the year before are left out as well. A
    change stays: `Change in inventories` is what is counted.
    """
    if is_period(text):
        return ""
    out = _BASES if bases else (None,)
    sure = {one.start for one in read_periods(text)}
    named = tuple(
        one
        for one in _spans(text)
        if one.basis in out and (one.start in sure or _TO_DATE.fullmatch(text, one.start, one.end))
    )
    return _left(text, named) if named else text


def is_basis(text: str) -> bool:
    """Whether a text names a basis (`Change`, `Budget`) and no time."""
    found = read_periods(text)
    return bool(found) and all(one.basis and one.period is None for one in found)


def _spans(text: str) -> tuple[Spoken, ...]:
    return read_periods(text, near=SOME)


def _left(text: str, spans: Sequence[Spoken]) -> str:
    left, at = [], 0
    for one in sorted(spans, key=lambda one: one.start):
        left.append(_LEADING.sub("", text[at : max(at, one.start)]))
        at = max(at, one.end)
    left.append(text[at:])
    rest = " ".join(left)
    if not set(_words(rest)) - _FILLERS and not re.search(r"\d", rest):
        return ""
    return tidy(rest).strip(" ,;:()[]–-")


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


@lru_cache(maxsize=20_000)
def is_unit(text: str) -> bool:
    """Whether a text is a unit and nothing else: `EUR m`, `in %`, `(US$ thousands)`."""
    bare = plain(text).strip(" ()[]:.")
    if not bare or len(bare) > 160:
        return False
    if unit_by_number(re.sub(r"(?i)^in\s+", "", bare)) is not None:
        return True
    found = measure_of(bare)
    if not (found.unit or found.scale) or is_period(bare):
        return False
    words = re.findall(r"[^\s,;()/]+", bare)
    open_words = [one for one in words if one.casefold().strip(".") not in _UNIT_FILLERS]
    return all(unit_by_number(one) is not None for one in open_words)
