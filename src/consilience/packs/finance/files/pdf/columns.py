"""Which columns does a table without rules have? Those that its numbers and texts stand in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from consilience.packs.finance.files.pdf.regions import is_heading, values
from consilience.packs.finance.files.pdf.rows import Piece, Row

_CLOSE = 10.0  # points between two columns that may be one


@dataclass(slots=True, kw_only=True)
class Column:
    """From where to where the texts of a column stand; `left` counts currency signs in."""

    core: float
    right: float
    left: float

    @property
    def middle(self) -> float:
        """Half way between its edges."""
        return (self.left + self.right) / 2


def columns_of(rows: Sequence[Row]) -> list[Column]:
    """The columns of rows that belong to one table, from left to right; the first are labels."""
    data = [row for row in rows if values(row)]
    body = [row for row in data if any(piece.counts for piece in values(row))]
    rows_of_numbers = [values(row) for row in body]
    numbers = _one(_grouped(rows_of_numbers), rows_of_numbers)
    if not numbers:
        return []
    for row in data:
        if is_heading(row):
            _crowded(values(row), numbers)
    first = numbers[0].left
    labels: list[list[Piece]] = []
    others: list[list[Piece]] = []
    for row in body:
        known = {id(piece) for piece in values(row)}
        texts = [piece for piece in row.pieces if id(piece) not in known]
        inside = [piece for piece in texts if not any(_lies(piece, one) for one in numbers)]
        labels.append([piece for piece in inside if piece.left < first])
        others.append([piece for piece in inside if piece.left >= first])
    found = [*_labels(labels), *numbers, *_grouped(others, clear=numbers)]
    return sorted(found, key=lambda column: column.core)


def _one(columns: list[Column], rows: Sequence[Sequence[Piece]]) -> list[Column]:
    """Neighbours that are close and never filled in one row are one column, set unevenly."""
    found: list[Column] = []
    for column in columns:
        last = found[-1] if found else None
        if last and column.core - last.right < _CLOSE and not _both(last, column, rows):
            last.right = column.right
            last.left = min(last.left, column.left)
        else:
            found.append(column)
    return found


def _both(one: Column, other: Column, rows: Sequence[Sequence[Piece]]) -> bool:
    """Whether a row has a number in each of two columns."""
    for row in rows:
        first = [piece for piece in row if _lies(piece, one)]
        if first and any(_lies(piece, other) and piece not in first for piece in row):
            return True
    return False


def _crowded(headings: Sequence[Piece], numbers: list[Column]) -> None:
    """Add columns for headings that have none of their own: all their cells are blank."""
    taken: set[int] = set()
    for piece in sorted(headings, key=lambda one: min(_apart(one, two) for two in numbers)):
        home = min(range(len(numbers)), key=lambda at: _apart(piece, numbers[at]))
        if id(numbers[home]) in taken:
            numbers.append(Column(core=piece.core, right=piece.right, left=piece.left))
        taken.add(id(numbers[home]))
    numbers.sort(key=lambda column: column.core)


def _apart(piece: Piece, column: Column) -> float:
    return max(piece.left - column.right, column.left - piece.right, 0.0)


def _labels(rows: Sequence[Sequence[Piece]]) -> list[Column]:
    """Columns of texts before the first numbers: one, unless many rows have several."""
    some = [row for row in rows if row]
    several = sum(len(row) > 1 for row in some)
    if several >= max(2, 0.3 * len(some)):
        return _grouped(some)
    pieces = [piece for row in some for piece in row]
    if not pieces:
        return []
    left = min(piece.left for piece in pieces)
    return [Column(core=left, left=left, right=max(piece.right for piece in pieces))]


def _grouped(rows: Iterable[Sequence[Piece]], *, clear: Sequence[Column] = ()) -> list[Column]:
    """Pieces that stand one above another; the fullest rows say which columns there are."""
    found: list[Column] = []
    for row in sorted(rows, key=len, reverse=True):
        for piece in row:
            near = [one for one in found if _lies(piece, one)]
            if not near:
                if not any(_lies(piece, one) for one in clear):
                    found.append(Column(core=piece.core, right=piece.right, left=piece.left))
            elif len(near) == 1:
                _stretch(near[0], piece, [one for one in found if one is not near[0]])
    return sorted(found, key=lambda column: column.core)


def _lies(piece: Piece, column: Column) -> bool:
    return min(piece.right, column.right) - max(piece.core, column.core) > 0


def _stretch(column: Column, piece: Piece, others: Sequence[Column]) -> None:
    """Widen a column by a piece that stands in it, not into another one."""
    lower = max((one.right for one in others if one.right <= column.core), default=-1e9)
    upper = min((one.core for one in others if one.core >= column.right), default=1e9)
    column.core = max(min(column.core, piece.core), min(lower, column.core))
    column.left = max(min(column.left, piece.left), min(lower, column.left))
    column.right = min(max(column.right, piece.right), max(upper, column.right))


def column_of(piece: Piece, columns: Sequence[Column]) -> int:
    """The column that a piece stands in: the one it shares most with, or the nearest."""
    shared = [min(piece.right, one.right) - max(piece.core, one.core) for one in columns]
    if not piece.number and piece.left < columns[0].right and shared[0] > 0:
        return 0
    return max(range(len(columns)), key=shared.__getitem__)
