"""Which lines that repeat at the edges of pages are no running heads? Those that head a table.

A table that goes on over pages has its headings, and what its numbers are in, on each of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.packs.finance.files.pdf.page import Word
from consilience.packs.finance.files.pdf.rows import Piece, Row
from consilience.packs.finance.notation.measures import measure_of
from consilience.packs.finance.tables.lattice import is_period

_BELOW = 3  # rows below a heading among which numbers begin


def heads_table(words: Sequence[Word], rows: Sequence[Row]) -> bool:
    """Whether a line of a page, given by its words, belongs to a table below it.

    It does if it says what numbers are in ("in € millions"), if times stand apart in it, or if
    it has something above each number of a row that follows.
    """
    measure = measure_of(" ".join(word.text for word in words))
    if measure.unit and measure.scale > 1:
        return True
    first = words[0].at
    at = next((at for at, row in enumerate(rows) if _has(row, first)), None)
    if at is None:
        return False
    pieces = rows[at].pieces
    if sum(is_period(piece.text) for piece in pieces) > 1:
        return True
    return any(_stands_above(pieces, row.pieces) for row in rows[at + 1 : at + 1 + _BELOW])


def _has(row: Row, at: int) -> bool:
    return any(word.at == at for piece in row.pieces for word in piece.words)


def _stands_above(pieces: Sequence[Piece], below: Sequence[Piece]) -> bool:
    """Whether each number below, of two or more, has a text of its own above it."""
    numbers = [piece for piece in below if piece.counts]
    over = [
        next((at for at, one in enumerate(pieces) if _overlap(one, number)), None)
        for number in numbers
    ]
    texts = all(not one.counts for one in pieces)
    return texts and len(numbers) > 1 and None not in over and len(set(over)) == len(over)


def _overlap(one: Piece, two: Piece) -> bool:
    return one.left < two.right and two.left < one.right
