"""What stands on a page of a PDF? Its letters by place, put together to printed lines.

A raised or lowered letter stays in its line, an accent is put on its letter, and what a wide gap
sets apart is a piece of its own: that is how columns and the names in a head are told.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import closing
from ctypes import c_double, create_string_buffer
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pypdfium2
from pypdfium2 import raw

from consilience.evidence.loaders import pdf
from consilience.evidence.loaders.pdf import Line

_ACCENTS = {
    "¨": "\u0308",
    "´": "\u0301",
    "`": "\u0300",
    "ˆ": "\u0302",
    "˜": "\u0303",
    "ˇ": "\u030c",
    "¸": "\u0327",
    "˚": "\u030a",
    "¯": "\u0304",
    "˘": "\u0306",
    "˙": "\u0307",
    "˝": "\u030b",
    "˛": "\u0328",
}
_BRACKETS = {
    **dict.fromkeys((0, 16, 18), "("),
    **dict.fromkeys((1, 17, 19), ")"),
    **dict.fromkeys((2, 20, 104), "["),
    **dict.fromkeys((3, 21, 105), "]"),
    **dict.fromkeys((8, 26), "{"),
    **dict.fromkeys((9, 27), "}"),
}  # where fonts of formulas keep their tall brackets
_SIGNS = {
    "CMEX": dict(zip("PQRSTXYZ[\\abcdef", "∑∏∫∪∩∑∏∫∪∩      ", strict=True)),
    "CMSY": dict(zip("0hijk", "′⟨⟩|∥", strict=True)),
}  # letters that the fonts of TeX show as signs, where a file does not say so
_PRIVATE = range(0xE000, 0xF900)  # parts of tall brackets, and whatever else has no letter
_DOUBTED = frozenset(ord(letter) for signs in _SIGNS.values() for letter in signs)
_PLAUSIBLE = (0.85, 1.25)  # of its size, that a letter is high as a rule
_BOLD = re.compile(r"bold|black|heavy|demi|-medi|cmbx", re.IGNORECASE)
_HEAVY = 600  # weight of a bold font
_GAP = 1.0  # of the type's size: what is wider apart is not one run of words
_LEAD = 8  # letters at the beginning of a line that are bold where a heading begins in words
_NEAR = 0.62  # of the type's size: a letter that is raised or lowered by less stays in its line


@dataclass(frozen=True, slots=True, kw_only=True)
class Print(Line):
    """A printed line with its type: its size, whether it is bold, and the line it stands on.

    `lead` says whether its first letters are bold.
    `pieces` are its runs of words with where they begin and end; `column` counts from 0.
    """

    size: float
    bold: bool = False
    lead: bool = False
    base: float = 0.0
    pieces: tuple[tuple[float, float, str], ...] = ()
    column: int = 0


@dataclass(slots=True)
class _Glyph:
    text: str
    left: float
    right: float
    top: float
    bottom: float
    base: float
    size: float
    bold: bool
    spaced: bool  # a space stands before it


@dataclass(slots=True)
class _Run:
    """Letters that follow one another on one line, as PDFium gives them."""

    glyphs: list[_Glyph]
    hyphen: bool = False

    @property
    def main(self) -> _Glyph:
        return max(self.glyphs, key=lambda one: one.size)


def printed_lines(document: pypdfium2.PdfDocument, number: int) -> list[Line]:
    """The printed lines of one page, in the order in which they were set."""
    page = document[number]
    with closing(page):
        textpage = page.get_textpage()
        with closing(textpage):
            runs = _accented(list(_runs(textpage)))
    lines = (_line(rows) for rows in _rows(runs))
    return [line for line in lines if line.text]


def _runs(textpage: pypdfium2.PdfTextPage) -> Iterator[_Run]:
    """Letters up to a break; at a hyphen that ends a line the run says so."""
    glyphs: list[_Glyph] = []
    spaced = named = False
    page = textpage.raw
    measure = _Measure(page)
    for at in range(textpage.count_chars()):
        code = raw.FPDFText_GetUnicode(page, at)
        if code in (10, 13):
            if glyphs:
                yield _Run(glyphs)
            glyphs, spaced = [], False
        elif code in (32, 160):
            spaced = True
        elif code in (2, 0xFFFE) and raw.FPDFText_IsHyphen(page, at) == 1:
            if glyphs:
                yield _Run(glyphs, hyphen=True)
            glyphs, spaced = [], False
        else:
            if not glyphs or spaced:
                named = measure.named_bold(at)
            bold = named or raw.FPDFText_GetFontWeight(page, at) >= _HEAVY
            one = measure.glyph(at, code, bold=bold, spaced=spaced)
            if one.text:
                glyphs.append(one)
                spaced = False
    if glyphs:
        yield _Run(glyphs)


class _Measure:
    """Measures the letters of one page, given as PDFium itself knows it."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._box = raw.FS_RECTF()
        self._matrix = raw.FS_MATRIX()
        self._font = create_string_buffer(64)
        self._x, self._y = c_double(), c_double()

    def _size(self, at: int, height: float) -> float:
        """The size of a letter as it is printed: programs scale what they call its size."""
        size = raw.FPDFText_GetFontSize(self._page, at)
        if not _PLAUSIBLE[0] * size <= height <= _PLAUSIBLE[1] * size:
            raw.FPDFText_GetMatrix(self._page, at, self._matrix)
            size *= math.hypot(self._matrix.c, self._matrix.d)
        return size or height

    def _sign(self, at: int, code: int) -> str:
        """What a letter of a font for formulas stands for; else the letter itself."""
        if code < 32:
            return _BRACKETS.get(code, "")
        if code in _PRIVATE:
            return ""
        return _SIGNS.get(self._name(at)[:4], {}).get(chr(code), chr(code)).strip()

    def _name(self, at: int) -> str:
        raw.FPDFText_GetFontInfo(self._page, at, self._font, len(self._font), None)
        return self._font.value.decode("latin-1").rpartition("+")[2]

    def named_bold(self, at: int) -> bool:
        """Whether the font of a letter is called bold: not every font tells its weight."""
        return _BOLD.search(self._name(at)) is not None

    def glyph(self, at: int, code: int, *, bold: bool, spaced: bool) -> _Glyph:
        """The letter at a place of the page's text."""
        box = self._box
        raw.FPDFText_GetLooseCharBox(self._page, at, box)
        raw.FPDFText_GetCharOrigin(self._page, at, self._x, self._y)
        left, right, top, bottom = box.left, box.right, box.top, box.bottom
        return _Glyph(
            text=self._sign(at, code)
            if code < 32 or code in _DOUBTED or code in _PRIVATE
            else chr(code),
            left=left,
            right=right,
            top=top,
            bottom=bottom,
            base=self._y.value,
            size=self._size(at, top - bottom),
            bold=bold,
            spaced=spaced,
        )


# --- accents ----------------------------------------------------------------------------


def _accented(runs: list[_Run]) -> list[_Run]:
    """The runs with accents that were set by themselves put on the letters they stand over."""
    moved: set[int] = set()
    for at, run in enumerate(runs):
        for one in [one for one in run.glyphs if one.text in _ACCENTS]:
            near = [glyph for other in runs[max(0, at - 1) : at + 2] for glyph in other.glyphs]
            letter = _under(one, near)
            if letter:
                whole = unicodedata.normalize("NFC", _plain(letter.text) + _ACCENTS[one.text])
                letter.text = whole
                one.text = ""
                moved.add(id(letter))
    for run in runs:
        behind = {id(after) for one, after in pairwise(run.glyphs) if not one.text}
        run.glyphs[:] = [one for one in run.glyphs if one.text]
        for before, one in pairwise(run.glyphs):
            if {id(one), id(before)} & moved or id(one) in behind:  # PDFium took it for a gap
                one.spaced = one.left - before.right > 0.12 * one.size
    return [run for run in runs if run.glyphs]


def _plain(letter: str) -> str:
    return {"ı": "i", "ȷ": "j"}.get(letter, letter)


def _under(accent: _Glyph, glyphs: Sequence[_Glyph]) -> _Glyph | None:
    """The letter that an accent was set over: the one that shares most of its breadth."""
    middle = (accent.left + accent.right) / 2
    fits = [
        one
        for one in glyphs
        if one is not accent
        and one.text.isalpha()
        and one.left - 0.5 <= middle <= one.right + 0.5
        and abs(one.base - accent.base) < one.size * 0.5
    ]
    return min(fits, key=lambda one: abs((one.left + one.right) / 2 - middle), default=None)


# --- lines ------------------------------------------------------------------------------


def _rows(runs: Sequence[_Run]) -> Iterator[list[_Run]]:
    """Runs that belong to one printed line: raised and lowered ones, and the rest behind them."""
    row: list[_Run] = []
    for run in runs:
        if row and not _continues(row, run):
            yield row
            row = []
        row.append(run)
    if row:
        yield row


def _continues(row: Sequence[_Run], run: _Run) -> bool:
    if row[-1].hyphen:
        return False
    main = max((one.main for one in row), key=lambda one: one.size)
    size = max(main.size, run.main.size)
    if abs(main.base - run.main.base) > _NEAR * size and not _beside(main, run):
        return False
    small = run.main.size < 0.85 * main.size
    full = [one for one in row if one.main.size >= 0.85 * main.size] if small else row
    end = max((one.glyphs[-1].right for one in full), default=run.glyphs[0].left)
    return run.glyphs[0].left >= end - 0.35 * size


def _beside(main: _Glyph, run: _Run) -> bool:
    """Whether a tall sign, a bracket or a sum, stands beside the letters of a line."""
    one = run.glyphs[0]
    shared = min(main.top, one.top) - max(main.bottom, one.bottom)
    return len(run.glyphs) == 1 and shared > 0.6 * min(main.top - main.bottom, one.top - one.bottom)


def _line(row: Sequence[_Run]) -> Print:
    glyphs = [glyph for run in row for glyph in run.glyphs]
    starts = {id(run.glyphs[0]) for run in row}
    main = max((run.main for run in row), key=lambda one: one.size)
    parts: list[list[str]] = [[glyphs[0].text]]
    ends: list[list[float]] = [[glyphs[0].left, glyphs[0].right]]
    for before, one in pairwise(glyphs):
        gap = one.left - before.right
        if gap > _GAP * main.size:
            parts.append([])
            ends.append([one.left, one.right])
        elif one.spaced or (id(one) in starts and gap > 0.15 * main.size):
            parts[-1].append(" ")
        parts[-1].append(one.text)
        ends[-1][1] = max(ends[-1][1], one.right)
    pieces = tuple(
        (left, right, pdf.clean("".join(part)))
        for (left, right), part in zip(ends, parts, strict=True)
    )
    heavy = sum(one.bold for one in glyphs)
    return Print(
        text=" ".join(text for _, _, text in pieces if text),
        left=min(one.left for one in glyphs),
        right=max(one.right for one in glyphs),
        top=max(one.top for one in glyphs if one.size >= 0.85 * main.size),
        bottom=min(one.bottom for one in glyphs if one.size >= 0.85 * main.size),
        hyphen=row[-1].hyphen,
        size=round(main.size, 1),
        bold=heavy > 0.7 * len(glyphs),
        lead=all(one.bold for one in glyphs[:_LEAD]) and len(glyphs) > _LEAD,
        base=main.base,
        pieces=pieces,
    )


def part_of(line: Print, pieces: Sequence[tuple[float, float, str]], *, last: bool) -> Print:
    """The line with some of its pieces only; `last` when its end is among them."""
    return replace(
        line,
        text=" ".join(text for _, _, text in pieces if text),
        left=pieces[0][0],
        right=pieces[-1][1],
        pieces=tuple(pieces),
        hyphen=line.hyphen and last,
    )
