"""Do two tables stand beside each other? Where labels begin again, and so do their headings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from consilience.packs.finance.files.pdf.headers import Placed

_Lines = Sequence[Sequence[Placed]]


def beside(lines: _Lines, header: int) -> list[tuple[list[list[Placed]], int]]:
    """The lines of a table, or of several side by side, each with its count of heading rows."""
    cut = _cut(lines, header)
    if not cut:
        return [([list(line) for line in lines], header)]
    left = [[cell for cell in line if cell.column < cut] for line in lines]
    right = [
        [replace(cell, column=cell.column - cut) for cell in line if cell.column >= cut]
        for line in lines
    ]
    return [_kept(left, header), *beside(*_kept(right, header))]


def _kept(lines: _Lines, header: int) -> tuple[list[list[Placed]], int]:
    """The lines that hold something."""
    kept = [list(line) for line in lines if line]
    return kept, sum(1 for line in lines[:header] if line)


def _cut(lines: _Lines, header: int) -> int:
    """The column where a second table begins; 0 where there is none."""
    body = [line for line in lines[header:] if len(line) > 1]
    width = max((cell.column for line in lines for cell in line), default=0) + 1
    for column in range(2, width - 1):
        texts = [_texts(line, column) for line in body]
        labels = [text for text in texts if text]
        if len(labels) < max(2, 0.6 * len(body)) or not _follows(body, column):
            continue
        if any(
            cell.column < column < cell.column + cell.columns for line in lines for cell in line
        ):
            continue
        again = sum(_texts(line, 0) == text for line, text in zip(body, texts, strict=True) if text)
        if again >= 0.5 * len(labels) or _same_headings(lines[:header], column, width):
            return column
    return 0


def _texts(line: Sequence[Placed], column: int) -> str:
    """The label that a line has in a column, empty where it has a number or nothing."""
    return " ".join(
        piece.text
        for cell in line
        if cell.column == column
        for piece in cell.pieces
        if not piece.number
    )


def _follows(body: _Lines, column: int) -> bool:
    """Whether numbers stand on both sides of a column, right after it too."""
    before = sum(any(_is_number(cell) for cell in line if cell.column < column) for line in body)
    after = sum(any(_is_number(cell) for cell in line if cell.column > column) for line in body)
    return min(before, after) >= 0.5 * len(body)


def _is_number(cell: Placed) -> bool:
    return all(piece.number for piece in cell.pieces)


def _same_headings(lines: _Lines, column: int, width: int) -> bool:
    """Whether the headings of the numbers begin again after a column."""
    if width != 2 * column or not lines:
        return False
    names = {cell.column: " ".join(piece.text for piece in cell.pieces) for cell in lines[-1]}
    first = [names.get(at, "") for at in range(1, column)]
    return any(first) and first == [names.get(at, "") for at in range(column + 1, width)]
