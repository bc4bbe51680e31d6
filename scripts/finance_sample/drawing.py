"""How does a table come onto the page? Drawn cell by cell, and noted where each cell went."""

from __future__ import annotations

from typing import Any

from reportlab.lib.colors import Color, HexColor, black, white
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable

from finance_sample.grids import Sheet

PAD = 3.0
STEP = 9.0
AIR = 4.2


class Drawn(Flowable):  # type: ignore[misc]
    """A sheet, or a part of one when it goes on over pages, with its caption and headings."""

    def __init__(self, sheet: Sheet, look: dict[str, Any], first: int = 0, last: int = 0) -> None:
        super().__init__()
        self.sheet, self.look = sheet, look
        self.first, self.last = first, last or len(sheet.lines)
        self.spaceBefore, self.spaceAfter = 8, 10

    # --- sizes ------------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """How many rows of headings there are."""
        return max(len(one.heading) for one in self.sheet.columns)

    def _font(self, kind: str) -> str:
        return str(self.look["font" if kind == "row" else "bold"])

    def _edges(self, width: float) -> list[float]:
        sheet = self.sheet
        shares = [one.width for one in sheet.columns]
        unit = min(
            (width - sheet.label_width) / sum(shares),
            78,
        )
        edges = [0.0, sheet.label_width]
        for share in shares:
            edges.append(edges[-1] + share * unit)
        return edges

    def _label_lines(self, row: int) -> list[str]:
        line = self.sheet.lines[row]
        room = self.sheet.label_width - 2 * PAD - STEP * line.level
        if line.kind == "head":
            room = 400
        bold = self._font(line.kind)
        found: list[str] = simpleSplit(line.label, bold, self.sheet.size, room)
        return found

    def _height(self, row: int) -> float:
        lead = self.sheet.size * 1.2
        return lead * len(self._label_lines(row)) + AIR

    def _spans(self, level: int) -> list[tuple[int, int, str]]:
        """The headings of one level: first column, last column, text."""
        found: list[tuple[int, int, str]] = []
        columns = self.sheet.columns
        at = 0
        while at < len(columns):
            end = at
            while (
                end + 1 < len(columns)
                and level < self.depth - 1
                and columns[end + 1].heading[: level + 1] == columns[at].heading[: level + 1]
                and len(columns[at].heading) > level + 1
            ):
                end += 1
            if level < len(columns[at].heading) and columns[at].heading[level]:
                found.append((at, end, columns[at].heading[level]))
            at = end + 1
        return found

    def _header_heights(self) -> list[float]:
        edges, size = self._edges(self.width), self.sheet.size
        heights = []
        for level in range(self.depth):
            most = 1
            for start, end, text in self._spans(level):
                room = edges[end + 2] - edges[start + 1] - 2 * PAD
                most = max(most, len(simpleSplit(text, self._font("head"), size, room)))
            heights.append(most * size * 1.2 + AIR)
        return heights

    def _caption(self) -> str:
        if self.first == 0:
            return self.sheet.caption
        return self.sheet.repeat_caption

    def _caption_lines(self) -> list[str]:
        text = self._caption()
        found: list[str] = simpleSplit(text, self.look["bold"], 9, self.width) if text else []
        return found

    def wrap(self, width: float, _height: float) -> tuple[float, float]:
        """How much room it takes."""
        self.width = width
        rows = sum(self._height(row) for row in range(self.first, self.last))
        self.height = rows + sum(self._header_heights()) + 12 * len(self._caption_lines()) + 4
        return width, self.height

    def split(self, width: float, height: float) -> list[Flowable]:
        """The part that fits, and the rest; totals are not parted from what they add up."""
        self.wrap(width, height)
        room = height - sum(self._header_heights()) - 12 * len(self._caption_lines()) - 4
        row = self.first
        while row < self.last and room >= self._height(row):
            room -= self._height(row)
            row += 1
        while row > self.first and self.sheet.lines[row - 1].kind == "head":
            row -= 1
        if row - self.first < 4:
            return []
        parts = [Drawn(self.sheet, self.look, self.first, row)]
        return [*parts, Drawn(self.sheet, self.look, row, self.last)]

    # --- ink ----------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draw it, and note the page and the place of every cell."""
        canvas, edges = self.canv, self._edges(self.width)
        top = self.height
        for text in self._caption_lines():
            canvas.setFillColor(self.look["ink"])
            canvas.setFont(self.look["bold"], 9)
            canvas.drawString(0, top - 9, text)
            top -= 12
        top -= 4
        start = top
        for level, tall in enumerate(self._header_heights()):
            self._draw_header(level, edges, top, tall)
            top -= tall
        if self.sheet.look in ("lines", "ruled"):
            self._rule(edges[0], edges[-1], top, 0.8)
        for row in range(self.first, self.last):
            tall = self._height(row)
            self._draw_row(row, edges, top, tall)
            top -= tall
        if self.sheet.look == "ruled":
            self._grid(edges, start, top)
        elif self.sheet.look == "lines":
            self._rule(edges[0], edges[-1], start, 0.8)
            self._rule(edges[0], edges[-1], top, 0.8)

    def _rule(self, left: float, right: float, at: float, width: float) -> None:
        self.canv.setStrokeColor(self.look["line"])
        self.canv.setLineWidth(width)
        self.canv.line(left, at, right, at)

    def _grid(self, edges: list[float], start: float, end: float) -> None:
        self.canv.setStrokeColor(self.look["line"])
        self.canv.setLineWidth(0.4)
        self.canv.line(edges[0], start, edges[-1], start)
        heads = self._header_heights()
        below = start - sum(heads)
        at = start
        for level, tall in enumerate(heads):
            for first, last, _ in self._spans(level):
                left, right = edges[first + 1], edges[last + 2]
                self.canv.line(left, at, left, at - tall)
                self.canv.line(right, at, right, at - tall)
                if level + 1 < self.depth:
                    self.canv.line(left, at - tall, right, at - tall)
            at -= tall
        for edge in (edges[0], edges[1], edges[-1]):
            self.canv.line(edge, start, edge, end)
        for edge in edges[2:-1]:
            self.canv.line(edge, below, edge, end)
        for row in range(self.first, self.last):
            below -= self._height(row)
            self.canv.line(edges[0], below, edges[-1], below)

    def _fill(self, box: tuple[float, float, float, float], color: Color) -> None:
        left, top, right, bottom = box
        self.canv.setFillColor(color)
        self.canv.rect(left, bottom, right - left, top - bottom, stroke=0, fill=1)

    def _draw_header(self, level: int, edges: list[float], top: float, tall: float) -> None:
        sheet, canvas, size = self.sheet, self.canv, self.sheet.size
        filled = sheet.look in ("shaded", "ruled")
        if filled:
            self._fill((edges[0], top, edges[-1], top - tall), self.look["head"])
        ink = self.look["head_ink"] if filled else self.look["ink"]
        canvas.setFillColor(ink)
        canvas.setFont(self._font("head"), size)
        if level == self.depth - 1 and sheet.corner:
            canvas.drawString(edges[0] + PAD, top - tall + 3.4, sheet.corner)
        boxes = []
        for start, end, text in self._spans(level):
            left, right = edges[start + 1], edges[end + 2]
            lines = simpleSplit(text, self._font("head"), size, right - left - 2 * PAD)
            at = top - tall + 3.4 + (len(lines) - 1) * size * 1.2
            for one in lines:
                if end > start:
                    canvas.drawCentredString((left + right) / 2, at, one)
                else:
                    canvas.drawRightString(right - PAD, at, one)
                at -= size * 1.2
            if end > start and sheet.look == "lines":
                self._rule(left + 4, right - 4, top - tall, 0.4)
            boxes.append(self._boxed(left, top, right, top - tall))
        if self.first == 0:
            sheet.headed[level] = boxes

    def _draw_row(self, row: int, edges: list[float], top: float, tall: float) -> None:
        sheet, canvas, size = self.sheet, self.canv, self.sheet.size
        line = sheet.lines[row]
        if sheet.look == "shaded" and line.kind == "total":
            self._fill((edges[0], top, edges[-1], top - tall), self.look["band"])
        elif sheet.look == "shaded" and row % 2:
            self._fill((edges[0], top, edges[-1], top - tall), self.look["zebra"])
        if line.kind == "total" and sheet.look == "lines":
            self._rule(edges[0], edges[-1], top, 0.4)
        canvas.setFillColor(black)
        canvas.setFont(self._font(line.kind), size)
        at = top - size * 1.2 + 0.4 - AIR / 2 + 1.4
        for text in self._label_lines(row):
            canvas.drawString(edges[0] + PAD + STEP * line.level, at, text)
            at -= size * 1.2
        at += size * 1.2
        boxes = [self._boxed(edges[0], top, edges[1], top - tall)]
        for column, number in enumerate(line.numbers):
            if number is not None:
                self._draw_number(number.text, edges[column + 2] - PAD, at, line.kind)
            boxes.append(self._boxed(edges[column + 1], top, edges[column + 2], top - tall))
        sheet.placed[row] = (canvas.getPageNumber(), boxes)

    def _draw_number(self, text: str, right: float, at: float, kind: str) -> None:
        """Numbers end at the right; a closing parenthesis hangs out, so that digits align."""
        font, size = self._font(kind), self.sheet.size
        hang = stringWidth(")", font, size) if not text.endswith(")") else 0
        self.canv.drawRightString(right - (hang if self.look["hang"] else 0), at, text)

    def _boxed(self, left: float, top: float, right: float, bottom: float) -> list[float]:
        """The box in points from the page's upper left corner."""
        x, y = self.canv.absolutePosition(0, 0)
        tall = self.canv._pagesize[1]
        return [
            round(one, 1) for one in (x + left, tall - (y + top), x + right, tall - (y + bottom))
        ]


def look(name: str) -> dict[str, Any]:
    """The colours and fonts of a group."""
    if name == "veldmark":
        return {
            "font": "Helvetica",
            "bold": "Helvetica-Bold",
            "italic": "Helvetica-Oblique",
            "ink": HexColor("#1f3a4d"),
            "line": HexColor("#1f3a4d"),
            "head": HexColor("#1f3a4d"),
            "head_ink": white,
            "band": HexColor("#d5dee4"),
            "zebra": HexColor("#f1f4f6"),
            "accent": HexColor("#c7702e"),
            "hang": True,
        }
    return {
        "font": "Vera",
        "bold": "VeraBd",
        "italic": "VeraIt",
        "ink": HexColor("#2f5d3a"),
        "line": HexColor("#7a8a7c"),
        "head": HexColor("#dfe9dc"),
        "head_ink": HexColor("#22422a"),
        "band": HexColor("#dfe9dc"),
        "zebra": HexColor("#f5f8f3"),
        "accent": HexColor("#b58a1b"),
        "hang": False,
    }
