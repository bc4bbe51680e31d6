"""Where does a table begin and end on a sheet? Cells in one plane become tables and text.

Empty rows and columns part a sheet. A part under an empty row that has numbers but no headings of
its own goes on with the table above it, as long as its numbers stand in that table's columns; a
part beside an empty column is a table of its own only where it has labels of its own. Lines of
one text above a table are its caption, footnotes below it its notes, and text that belongs to no
table is prose. Empty rows and columns inside a table are left out of its grid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby

from consilience.packs.finance.data_model import Cell, Grid
from consilience.packs.finance.notation.values import NO_VALUE
from consilience.types import Block, Locator

_FIGURE = re.compile(
    r"[-+−–(]*\s*(?:(?-i:[A-Z]{0,3})[$€£¥₹]|(?-i:[A-Z]{3})\s)?\s*[-+−(]*\s*"
    r"(?:\d[\d.,'’\s]*|[.,]\d+)(?:E[+-]?\d+)?\s*"
    r"(?:%|x|pp|bps|bn|mn?|k|thousand|million|billion|mio\.?|mrd\.?|(?-i:[A-Z]{3})|[$€£¥₹])?"
    r"\s*\)?\s*%?(?:\s*\(\d{1,2}\)|\*{1,3})?",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?:FY|CY|AY)?\s*['’]?(?:19|20)\d\d\s*(?:[AEBF]|\(?\d\)?)?\)?\*?|"
    r"(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)\b.*|\W*[A-Z]*[$€£¥]\s*'?000'?s?",
    re.IGNORECASE,
)  # years and days, and thousands that are a unit
_NOTE = re.compile(r"(?:\(?\d{1,2}\)|\(?[a-z]\)|[*†‡¹²³]|note\b|notes\b|source\b)", re.IGNORECASE)
_MEASURE = re.compile(
    r"\(?(?:(?:all\s+)?(?:figures|amounts|values|numbers|angaben|beträge)\s+)?"
    r"(?:in\s+(?:(?-i:[A-Z]{2,4})\b|[$€£¥%]|thousand|million|billion|percent|tausend|mio|mrd|"
    r"milli|mille|k€|m€|t€|tonn)|units?\s*:|[$€£¥]\s*(?:\(|$|m|b|k|'?0))",
    re.IGNORECASE,
)
_OWN = re.compile(
    rf"^{_MEASURE.pattern}|[%$€£¥]|\b(?:headcounts?|employees|staff|fte|volumes?|tonnes|units?|"
    r"number of|ratios?|margins?|in (?:thousands?|millions?|billions?))\b",
    re.IGNORECASE,
)  # a table that says, or implies, what it counts
_LONGEST = 60  # letters of a number with its unit
PROSE = 300  # letters from which a text is no caption

Plane = Mapping[tuple[int, int], Cell]
"""Cells by the row and column in which they begin."""


@lru_cache(maxsize=65_536)
def is_figure(text: str) -> bool:
    """Whether a cell's text is a number, whatever its unit; a year or a date is none.

    One that nobody has counted yet is a number, too.
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return False
    if text == NO_VALUE:
        return True
    return _FIGURE.fullmatch(text) is not None and _TIME.fullmatch(text) is None


def is_note(text: str) -> bool:
    """Whether a line below a table reads like one of its notes."""
    return _NOTE.match(text) is not None


def parts_of(cells: Iterable[Cell], *, section: tuple[str, ...] = ()) -> list[Block | Grid]:
    """The tables and texts of a plane of cells, from top to bottom, then from left to right."""
    plane = {(one.row, one.column): one for one in cells if one.text}
    pane = _Pane(section)
    for bands in _panes(plane):
        pane.read(bands)
    return pane.parts


# --- parting ----------------------------------------------------------------------------


def _panes(plane: Plane) -> Iterator[list[Plane]]:
    """Bands of rows that belong to one column of tables; those side by side come one by one."""
    panes: list[list[Plane]] = []
    starts: list[int] = []
    for band in _bands(plane):
        beside = _beside(band)
        at = _under(starts, beside)
        if at is None:
            above: list[Plane] = []
            if len(panes) == 1 and len(beside) > 1 and not _has_figures(panes[0][-1]):
                above = [panes[0].pop()]  # the title of what stands side by side
            yield from filter(None, panes)
            starts = [_first(part) for part in beside]
            panes = [list(_bands(part)) for part in beside]
            panes[0][:0] = above
        else:
            for number, part in zip(at, beside, strict=True):
                panes[number].extend(_bands(part))
    yield from panes


def _first(part: Plane) -> int:
    return min(column for _, column in part)


def _under(starts: Sequence[int], beside: Sequence[Plane]) -> list[int] | None:
    """Below which panes, by their first columns, the parts of a band stand; None for others."""
    if len(starts) < 2:
        return [0] if len(starts) == len(beside) == 1 else None
    found = []
    for part in beside:
        last = max(column for _, column in part)
        number = sum(start <= _first(part) for start in starts) - 1
        if number < 0 or (number + 1 < len(starts) and last >= starts[number + 1]):
            return None
        found.append(number)
    return found if len(set(found)) == len(found) else None


def _bands(plane: Plane) -> Iterator[Plane]:
    """The parts between empty rows."""
    band: dict[tuple[int, int], Cell] = {}
    end = -1
    for one in sorted(plane.values(), key=lambda one: (one.row, one.column)):
        if band and one.row > end:
            yield band
            band = {}
        band[one.row, one.column] = one
        end = max(end, one.row + one.rows)
    if band:
        yield band


def _beside(band: Plane) -> list[Plane]:
    """The tables that stand side by side: a part that has no labels belongs to its left."""
    columns = {c for one in band.values() for c in range(one.column, one.column + one.columns)}
    parts: list[Plane] = []
    for first, last in _runs(sorted(columns)):
        part = {at: one for at, one in band.items() if first <= at[1] <= last}
        if parts and not (_labelled(part) and _has_figures(parts[-1])):
            part = {**parts.pop(), **part}
        parts.append(part)
    return parts


def _labelled(part: Plane) -> bool:
    """Whether most rows with numbers have a text in the first column, and a heading above."""
    first = _first(part)
    rows = [row for row in _rows(part) if any(is_figure(one.text) for one in row)]
    named = [row for row in rows if row[0].column == first and not is_figure(row[0].text)]
    return bool(rows) and 2 * len(named) > len(rows) and all(len(row) > 1 for row in named)


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of numbers without a gap."""
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        yield run[0], run[-1]


def _rows(part: Plane) -> list[list[Cell]]:
    ordered = sorted(part.values(), key=lambda one: (one.row, one.column))
    return [list(row) for _, row in groupby(ordered, key=lambda one: one.row)]


def _has_figures(part: Plane) -> bool:
    return any(is_figure(one.text) for one in part.values())


# --- reading a pane ---------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _Open:
    """A table that may still go on."""

    caption: list[str]
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    columns: set[int] = field(default_factory=set)

    def add(self, cells: Iterable[Cell]) -> None:
        """Take more cells; `columns` are those that have numbers."""
        for one in cells:
            self.cells[one.row, one.column] = one
            if is_figure(one.text):
                self.columns.add(one.column)

    def fits(self, part: Plane) -> bool:
        """Whether most numbers of a part stand in columns that have numbers here."""
        found = [one.column for one in part.values() if is_figure(one.text)]
        return bool(found) and 2 * sum(one in self.columns for one in found) > len(found)


class _Pane:
    """Reads bands of rows from above: tables, and the texts that belong to them or to nothing."""

    def __init__(self, section: tuple[str, ...]) -> None:
        self.parts: list[Block | Grid] = []
        self._section = section
        self._measure = ""  # the unit that a sheet states above its first table
        self._texts: list[Cell] = []
        self._table: _Open | None = None

    def read(self, bands: Sequence[Plane]) -> None:
        """Take the bands of one pane, which ends all that was open in it."""
        for band in _headed(bands):
            if _has_figures(band) or _is_listing(band):
                self._take(band)
            else:
                self._keep([one for row in _rows(band) for one in row])
        self._close()
        self._release()

    def _take(self, band: Plane) -> None:
        """A band of a table: it goes on with the one above, or begins its own."""
        lines, rest = captioned(band)
        if self._table and not _has_headings(rest) and self._table.fits(rest):
            self._table.add((*self._texts, *band.values()))
            self._texts = []
            return
        self._close()
        texts, self._texts = [*self._texts, *lines], []
        self.parts.extend(self._block(one) for one in texts if len(one.text) >= PROSE)
        caption = [one.text for one in texts if len(one.text) < PROSE]
        if not self.parts:
            self._measure = next((one for one in caption if _MEASURE.match(one)), "")
        elif self._measure and not any(_OWN.search(one) for one in caption):
            caption.append(self._measure)
        self._table = _Open(caption=caption)
        self._table.add(rest.values())

    def _keep(self, cells: Sequence[Cell]) -> None:
        """Texts between tables: notes of the one above, or words for the one below."""
        for one in cells:
            if self._table and not self._texts and is_note(one.text):
                self._table.notes.append(one.text)
            else:
                self._texts.append(one)

    def _close(self) -> None:
        if self._table:
            cells, notes = notes_cut(self._table.cells)
            self.parts.append(
                Grid(
                    cells=packed(cells.values()),
                    caption=" – ".join(dict.fromkeys(self._table.caption)),
                    notes=(*notes, *self._table.notes),
                    section=self._section,
                )
            )
        self._table = None

    def _release(self) -> None:
        self.parts.extend(self._block(one) for one in self._texts)
        self._texts = []

    def _block(self, cell: Cell) -> Block:
        return Block(text=cell.text, locator=Locator(section=self._section))


def _headed(bands: Sequence[Plane]) -> Iterator[Plane]:
    """The bands, with headings that stand above an empty row put to the numbers under it."""
    waiting: Plane = {}
    for band in bands:
        if waiting and _has_figures(band) and not _has_headings(captioned(band)[1]):
            waiting = {**waiting, **band}
        else:
            if waiting:
                yield waiting
            waiting = band
            if not _has_figures(band) and max(map(len, _rows(band))) > 1:
                continue  # may be headings
        yield waiting
        waiting = {}
    if waiting:
        yield waiting


def captioned(band: Plane) -> tuple[list[Cell], Plane]:
    """Lines of one text above the headings, and the rest."""
    rows = _rows(band)
    first = _first(band)
    lines: list[Cell] = []
    while len(rows) > 1 and len(rows[0]) == 1 and not is_figure(rows[0][0].text):
        cell = rows[0][0]
        if cell.column != first and not _MEASURE.match(cell.text):
            break
        lines.append(cell)
        rows = rows[1:]
    rest = {(one.row, one.column): one for row in rows for one in row}
    return (lines, rest) if _has_headings(rest) else ([], band)


def notes_cut(part: Plane) -> tuple[Plane, list[str]]:
    """A table without the notes that stand directly below its last row, and these."""
    rows = _rows(part)
    notes: list[str] = []
    while len(rows) > 1 and len(rows[-1]) == 1 and is_note(rows[-1][0].text):
        if is_figure(rows[-1][0].text):
            break
        notes.insert(0, rows.pop()[0].text)
    return {(one.row, one.column): one for row in rows for one in row}, notes


def _has_headings(part: Plane) -> bool:
    """Whether the first row has texts but no numbers beyond its first column."""
    row = _rows(part)[0]
    first = _first(part)
    beyond = [one for one in row if one.column > first]
    return bool(beyond) and not any(is_figure(one.text) for one in row)


def _is_listing(band: Plane) -> bool:
    """Whether a band without numbers is a table of texts: two rows and columns at least."""
    rows = _rows(band)
    return len(rows) > 1 and 2 * sum(len(row) > 1 for row in rows) > len(rows)


def _is_single(cell: Cell) -> bool:
    return cell.rows == cell.columns == 1


def packed(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """The cells of a table without its empty rows and columns, counted from 0."""
    found = sorted(cells, key=lambda one: (one.row, one.column))
    rows = {row: at for at, row in enumerate(sorted({one.row for one in found}))}
    columns = {column: at for at, column in enumerate(sorted({one.column for one in found}))}

    def place(one: Cell) -> Cell:
        if rows[one.row] == one.row and columns[one.column] == one.column and _is_single(one):
            return one
        down = sum(row in rows for row in range(one.row, one.row + one.rows))
        across = sum(column in columns for column in range(one.column, one.column + one.columns))
        return replace(
            one, row=rows[one.row], column=columns[one.column], rows=down, columns=across
        )

    return tuple(place(one) for one in found)
