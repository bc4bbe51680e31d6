"""What stands on a page? Words, rules and shades, in points from its upper left corner."""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pypdfium2
from pypdfium2 import raw

from consilience.evidence.loaders.pdf import HYPHEN, clean
from consilience.packs.finance.data_model import Box

MOST_CHARACTERS = 400_000  # on one page: what lies beyond is not text that people read
MOST_OBJECTS = 30_000
_SLANT = 30.0  # degrees
_SIDEWAYS = (90, 270)
_THIN = 2.5  # points: what is not thicker is a rule
_SHORTEST = 4.0
_WHITE = 250
_RETURN = 13
_BREAKS = frozenset({10, _RETURN})
_HYPHENS = frozenset({2, ord(HYPHEN)})
_Colour = tuple[int, int, int] | None
_ASCENT, _DESCENT = 0.76, 0.22  # of the size of the type


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word, its box, the line its characters stand on (`base`), and the size of its type.

    `line` is the line of text it belongs to as the file tells it, `at` its place in the file.
    `aside` is whether it stands in another direction than most of the page.
    """

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool
    line: int
    at: int
    aside: bool = False

    @property
    def top(self) -> float:
        """Where its type begins."""
        return self.base - _ASCENT * self.size

    @property
    def bottom(self) -> float:
        """Where its type ends."""
        return self.base + _DESCENT * self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page: its number from 0, its size, its words as they follow in the file, its drawing.

    A rule is a thin box, a shade a filled one; `hyphens` are the lines that end in a hyphen
    whose word may go on below. Where most of its text stands sideways, the page is read as if it
    was turned by `turned` degrees, so that the text is upright; `shown` turns a box back.
    """

    number: int
    width: float
    height: float
    words: tuple[Word, ...]
    rules: tuple[Box, ...] = ()
    shades: tuple[Box, ...] = ()
    hyphens: frozenset[int] = frozenset()
    turned: int = 0

    def shown(self, box: Box) -> Box:
        """A box of the page as it is read, on the page as it is shown."""
        if self.turned == 90:
            low, high = self.width - box.right, self.width - box.left
            return Box(left=box.top, top=low, right=box.bottom, bottom=high)
        if self.turned == 270:
            low, high = self.height - box.bottom, self.height - box.top
            return Box(left=low, top=box.left, right=high, bottom=box.right)
        return box


def read_page(document: pypdfium2.PdfDocument, number: int) -> Page:
    """Read one page; PDFium's errors are the caller's."""
    page = document[number]
    with closing(page):
        textpage = page.get_textpage()
        with closing(textpage):
            directions = _directions(textpage.raw)
            frame = _Frame(page, directions)
            words, hyphens = _Reader(textpage.raw, frame, directions).read()
        rules, shades = _drawing(page, frame)
        return Page(
            number=number,
            width=frame.width,
            height=frame.height,
            words=tuple(words),
            rules=tuple(rules),
            shades=tuple(shades),
            hyphens=frozenset(hyphens),
            turned=frame.turned,
        )


class _Frame:
    """From the page's own coordinates to those of the page as it is read."""

    def __init__(self, page: pypdfium2.PdfPage, directions: Sequence[int | None]) -> None:
        left, bottom, right, top = page.get_bbox()
        shown = page.get_rotation() % 360
        self.turned = _mostly(directions, shown)
        self.turn = (shown + self.turned) % 360
        self._box = (min(left, right), min(bottom, top), max(left, right), max(bottom, top))
        wide, high = self._box[2] - self._box[0], self._box[3] - self._box[1]
        self.width, self.height = (high, wide) if self.turn in (90, 270) else (wide, high)

    def point(self, x: float, y: float) -> tuple[float, float]:
        left, bottom, right, top = self._box
        if self.turn == 90:
            return y - bottom, x - left
        if self.turn == 180:
            return right - x, y - bottom
        if self.turn == 270:
            return top - y, right - x
        return x - left, top - y

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        x, y = self.point(left, bottom)
        u, v = self.point(right, top)
        return Box(left=min(x, u), top=min(y, v), right=max(x, u), bottom=max(y, v))


def _directions(text: Any) -> list[int | None]:
    """By how many degrees to the left each character is turned on the page's own paper.

    Spaces and those that stand askew have none; a slant is no turn.
    """
    found: list[int | None] = []
    for at in range(min(raw.FPDFText_CountChars(text), MOST_CHARACTERS)):
        if _char(raw.FPDFText_GetUnicode(text, at)).isspace():
            found.append(None)
            continue
        angle = -math.degrees(raw.FPDFText_GetCharAngle(text, at)) % 360
        near = 90 * round(angle / 90)
        found.append(near % 360 if abs(angle - near) <= _SLANT else None)
    return found


def _mostly(directions: Sequence[int | None], shown: int) -> int:
    """By how many degrees a page is to be turned for most of its text to be upright."""
    counts = Counter((one - shown) % 360 for one in directions if one is not None)
    most = counts.most_common(1)[0][0] if counts else 0
    return most if most in _SIDEWAYS else 0


# --- words ------------------------------------------------------------------------------


class _Reader:
    """Characters of a page, put together to words."""

    def __init__(self, text: Any, frame: _Frame, directions: Sequence[int | None]) -> None:
        self._text = text
        self._frame = frame
        upright = (frame.turn, (frame.turn + 180) % 360)
        self._aside = [one not in upright for one in directions]
        self._fonts: dict[int, tuple[float, bool]] = {}
        self._sides = (ctypes.c_double(), ctypes.c_double(), ctypes.c_double(), ctypes.c_double())
        self._x, self._y = ctypes.c_double(), ctypes.c_double()

    def read(self) -> tuple[list[Word], set[int]]:
        """The words as they follow in the file, and the lines that end in a hyphen."""
        words, hyphens = list[Word](), set[int]()
        some: list[tuple[str, Box]] = []
        line, first, apart = 0, 0, False

        def close() -> None:
            if some and (word := self._word(some, first=first, line=line)):
                words.append(word)
            some.clear()

        count = min(raw.FPDFText_CountChars(self._text), MOST_CHARACTERS)
        for at in range(count):
            code = raw.FPDFText_GetUnicode(self._text, at)
            if code in _HYPHENS:
                hyphens.add(line)
                some.append(("-", some[-1][1] if some else self._box(at)))
            if code in _BREAKS or code in _HYPHENS:
                close()
                line += code != _RETURN
                continue
            char = _char(code)
            if char.isspace():
                apart = True
                continue
            box = self._box(at)
            if some and (
                self._aside[at] != self._aside[first]
                or not self._goes_on(some[-1][1], box, at=at, apart=apart)
            ):
                close()
            apart = False
            if not some:
                first = at
            some.append((char, box))
        close()
        return words, hyphens

    def _goes_on(self, last: Box, box: Box, *, at: int, apart: bool) -> bool:
        """Whether a character goes on with the word before it; askew, only a space tells."""
        return not apart if self._aside[at] else _follows(last, box, apart=apart)

    def _box(self, at: int) -> Box:
        left, right, bottom, top = self._sides
        raw.FPDFText_GetCharBox(self._text, at, left, right, bottom, top)
        return self._frame.box(left.value, bottom.value, right.value, top.value)

    def _word(self, some: list[tuple[str, Box]], *, first: int, line: int) -> Word | None:
        text = clean("".join(char for char, _ in some))
        if not text:
            return None
        size, bold = self._font(first)
        raw.FPDFText_GetCharOrigin(self._text, first, self._x, self._y)
        base = self._frame.point(self._x.value, self._y.value)[1]
        boxes = [box for _, box in some]
        if not (min(box.top for box in boxes) - size <= base <= boxes[0].bottom + size):
            base = max(box.bottom for box in boxes)
        return Word(
            text=text,
            left=min(box.left for box in boxes),
            right=max(box.right for box in boxes),
            base=base,
            size=size,
            bold=bold,
            line=line,
            at=first,
            aside=self._aside[first],
        )

    def _font(self, at: int) -> tuple[float, bool]:
        """The size of the type as printed, and whether it is bold."""
        part = raw.FPDFText_GetTextObject(self._text, at)
        key = ctypes.cast(part, ctypes.c_void_p).value or 0
        if key not in self._fonts:
            matrix = raw.FS_MATRIX()
            raw.FPDFText_GetMatrix(self._text, at, matrix)
            scale = math.hypot(matrix.c, matrix.d) or 1.0
            size = raw.FPDFText_GetFontSize(self._text, at) * scale
            self._fonts[key] = (min(max(size, 1.0), 200.0), _is_bold(part))
        return self._fonts[key]


def _char(code: int) -> str:
    """The character of a code; a space where there is none."""
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else " "


def _is_bold(part: Any) -> bool:
    font = raw.FPDFTextObj_GetFont(part) if part else None
    if not font:
        return False
    name = ctypes.create_string_buffer(128)
    raw.FPDFFont_GetBaseFontName(font, name, 128)
    said = name.value.decode("utf-8", "ignore").casefold()
    return any(word in said for word in ("bold", "black", "heavy", "semibold", "demi"))


def _follows(last: Box, box: Box, *, apart: bool) -> bool:
    """Whether a character goes on with the word of the one before it.

    `apart` is whether the file has a space between them: one of no width is none.
    """
    high = max(last.bottom - last.top, box.bottom - box.top, 4.0)
    gap = box.left - last.right
    if apart:
        return -0.15 * high < gap < 0.04 * high and abs(last.bottom - box.bottom) < 0.4 * high
    level = min(last.bottom, box.bottom) - max(last.top, box.top) > -0.6 * high
    return level and -1.2 * high < gap < 0.5 * high


# --- rules and shades -------------------------------------------------------------------


def _drawing(page: pypdfium2.PdfPage, frame: _Frame) -> tuple[list[Box], list[Box]]:
    """Rules and shades; a thin strip in the colour of a shade is a part of it, not a rule."""
    rules: list[Box] = []
    shades: list[tuple[Box, _Colour]] = []
    strips: list[tuple[Box, _Colour]] = []
    for number, path in enumerate(_paths(page)):
        if number >= MOST_OBJECTS:
            break
        box = frame.box(*_bounds(path))
        wide, high = box.right - box.left, box.bottom - box.top
        filled, stroked = _painted(path)
        colour = _colour(path) if filled else None
        if min(wide, high) <= _THIN:
            if max(wide, high) >= _SHORTEST and (stroked or colour):
                strips.append((box, None if stroked else colour))
            continue
        if stroked:
            rules.extend(_strokes(path, frame))
        if colour and wide * high < 0.8 * frame.width * frame.height:
            shades.append((box, colour))
    colours = {colour for _, colour in shades}
    rules.extend(box for box, colour in strips if colour is None or colour not in colours)
    return rules, [box for box, _ in shades]


def _paths(page: pypdfium2.PdfPage) -> Iterator[Any]:
    for number in range(min(raw.FPDFPage_CountObjects(page.raw), 10 * MOST_OBJECTS)):
        part = raw.FPDFPage_GetObject(page.raw, number)
        if raw.FPDFPageObj_GetType(part) == raw.FPDF_PAGEOBJ_PATH:
            yield part


def _bounds(path: Any) -> tuple[float, float, float, float]:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(path, left, bottom, right, top)
    return left.value, bottom.value, right.value, top.value


def _painted(path: Any) -> tuple[bool, bool]:
    """Whether a path is filled, and whether it is drawn."""
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path, mode, stroke)
    return mode.value != raw.FPDF_FILLMODE_NONE, bool(stroke.value)


def _colour(path: Any) -> _Colour:
    """The colour a path is filled with; None where it cannot be seen on white paper."""
    parts = tuple(ctypes.c_uint() for _ in range(4))
    raw.FPDFPageObj_GetFillColor(path, *parts)
    red, green, blue, alpha = (part.value for part in parts)
    return (red, green, blue) if min(red, green, blue) < _WHITE and alpha else None


def _strokes(path: Any, frame: _Frame) -> Iterator[Box]:
    """The upright and level lines of a path that is drawn."""
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(path, matrix)
    start = last = (0.0, 0.0)
    for number in range(min(raw.FPDFPath_CountSegments(path), 2000)):
        segment = raw.FPDFPath_GetPathSegment(path, number)
        x, y = ctypes.c_float(), ctypes.c_float()
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        point = frame.point(
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == raw.FPDF_SEGMENT_LINETO:
            yield from _level(last, point)
        if raw.FPDFPathSegment_GetClose(segment):
            yield from _level(point, start)
        last = point


def _level(a: tuple[float, float], b: tuple[float, float]) -> Iterator[Box]:
    across, down = abs(a[0] - b[0]), abs(a[1] - b[1])
    if min(across, down) <= 1.0 and max(across, down) >= _SHORTEST:
        xs, ys = sorted((a[0], b[0])), sorted((a[1], b[1]))
        yield Box(left=xs[0], top=ys[0], right=xs[1], bottom=ys[1])
