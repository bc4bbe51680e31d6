"""Where on a page does a table stand that has no rules? Where numbers stand one above another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from consilience.packs.finance.files.pdf.rows import Piece, Row

_WORD = re.compile(r"[^\W\d_]{2,}")
_WORDY = 8  # words in a row without numbers: a sentence, not a label
_TALK = 5  # words beside the numbers: a text in a column, not a label
_FAR = 4.0  # sizes of type between two rows of one table
_UNIT = re.compile(r"\(?\b(?:in|amounts?|dollars|unaudited|audited|expressed)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """Rows of a page from `start` up to `end` (not with it) that a table is made of."""

    start: int
    end: int


def values(row: Row) -> list[Piece]:
    """The numbers of a row that stand alone in it; one that leads a text is a mark of a list."""
    found = [piece for piece in row.pieces if piece.number]
    if len(row.pieces) > 1 and row.pieces[0].number and not row.pieces[1].number:
        return found[1:]
    return found


def words_in(text: str) -> int:
    """How many words of letters there are."""
    return len(_WORD.findall(text))


def is_prose(row: Row) -> bool:
    """Whether a row is a line of a sentence, with or without numbers in it."""
    if words_in(row.text) < _WORDY or (row.text.startswith("(") and row.text.endswith(")")):
        return False
    gaps = [b.left - a.right for a, b in pairwise(row.pieces)]
    return max(gaps, default=0.0) < 1.3 * row.size or (
        not row.pieces[-1].number and words_in(row.pieces[-1].text) >= _WORDY
    )


def is_heading(row: Row) -> bool:
    """Whether a row names columns: years and dates only, with at most a unit as its label."""
    found = values(row)
    if not found or not all(piece.named for piece in found):
        return False
    rest = [piece for piece in row.pieces if not piece.number]
    return not rest or (len(found) > 1 and all(_UNIT.search(piece.text) for piece in rest))


def regions(rows: Sequence[Row]) -> list[Region]:
    """Runs of rows that hold numbers in columns, from the top down."""
    found: list[Region] = []
    at = 0
    while at < len(rows):
        if not _opens(rows[at]):
            at += 1
            continue
        end = _end(rows, at)
        some = rows[at:end]
        listed = _is_contents(some) or _is_list(some)
        if not listed and _is_table(some, above=_above(rows, at)):
            found.append(Region(start=at, end=end))
            at = end
        else:
            at = end if listed else at + 1
    return found


def _above(rows: Sequence[Row], at: int) -> Row | None:
    """The nearest row above that may hold headings: several texts; a unit may stand between."""
    return next((row for row in reversed(rows[max(0, at - 2) : at]) if len(row.pieces) > 1), None)


def _opens(row: Row) -> bool:
    """Whether a table may begin with this row: numbers and a label, or several numbers."""
    found = values(row)
    return bool(found) and len(row.pieces) > 1 and not is_prose(row) and not row.leaders


def _end(rows: Sequence[Row], start: int) -> int:
    """The row after the last one with numbers that belongs to the table begun at `start`."""
    edge = min(piece.core for piece in values(rows[start]))
    seen: list[Piece] = list(values(rows[start]))
    counted = any(piece.counts for piece in seen)
    end = start + 1
    for at in range(start + 1, len(rows)):
        row, last = rows[at], rows[at - 1]
        if row.base - last.base > _FAR * max(row.size, last.size, 8.0) or row.leaders:
            break
        found = values(row)
        if not found or (len(row.pieces) == 1 and row.pieces[0].named):
            wordy = words_in(row.pieces[-1].text) >= _TALK and row.pieces[-1].left > edge
            if row.right > edge and (is_prose(row) or wordy or at - end >= 4):
                break
            if is_prose(row) and row.text.endswith("."):
                break
            if at - end >= 6:
                break
            continue
        again = counted and (is_heading(row) or _heads_again(row, found, rows[start].left))
        if again or is_prose(row) or not _fits(row, found, seen, last):
            break
        edge = min(edge, *(piece.core for piece in found))
        seen.extend(found)
        counted = counted or any(piece.counts for piece in found)
        end = at + 1
    return end


def _heads_again(row: Row, found: Sequence[Piece], left: float) -> bool:
    """Whether a row below numbers has years only, and no label: a new table begins."""
    return (
        len(found) > 1
        and all(piece.named for piece in found)
        and all(
            piece.number or piece.left > left + 20 or _UNIT.search(piece.text)
            for piece in row.pieces
        )
    )


def _fits(row: Row, found: Sequence[Piece], seen: Sequence[Piece], last: Row) -> bool:
    """Whether the numbers of a row stand below others of the table; a lone one must."""
    below = any(over(piece, other) for piece in found for other in seen[-60:])
    if len(row.pieces) == 1:
        return below and row.base - last.base < 2.5 * row.size
    return below or len(found) > 1 or all(piece.named for piece in seen)


def over(one: Piece, other: Piece) -> bool:
    """Whether two numbers stand in one column."""
    return min(one.right, other.right) - max(one.core, other.core) > 0


def _is_table(rows: Sequence[Row], *, above: Row | None) -> bool:
    """At least two rows of numbers that are not years, one above the other, and no list."""
    data = [found for found in map(values, rows) if any(piece.counts for piece in found)]
    if len(data) < 2:
        return bool(data) and _is_headed(rows, data[0], above=above)
    pairs = sum(any(over(a, b) for a in one for b in two) for one, two in pairwise(data))
    return pairs >= 0.5 * (len(data) - 1)


def _is_headed(rows: Sequence[Row], data: Sequence[Piece], *, above: Row | None) -> bool:
    """Whether one row of several numbers stands right under headings of its columns."""
    heading = rows[0] if len(rows) > 1 else above
    counted = [piece for piece in data if piece.counts]
    if heading is None or len(counted) < 2 or is_prose(heading):
        return False
    if rows[-1].base - heading.base > 3 * _FAR * heading.size or len(heading.pieces) < 2:
        return False
    under = sum(
        any(one.left - 12 < piece.right and piece.left < one.right + 12 for one in heading.pieces)
        for piece in counted
    )
    return under >= 0.6 * len(counted)


def _is_list(rows: Sequence[Row]) -> bool:
    """Whether most numbers are dates and most words sentences: exhibits, lives of officers."""
    found = [piece for row in rows for piece in values(row)]
    dates = sum(piece.dated for piece in found) / len(found)
    texts = [piece for row in rows for piece in row.pieces if not piece.number]
    wordy = sum(words_in(piece.text) >= _TALK for piece in texts) / max(len(texts), 1)
    filled = [row for row in rows if values(row)]
    aside = sum(_aside(row) > _TALK for row in filled)
    return (dates > 0.25 and wordy > 0.2) or aside > 0.5 * len(filled)


def _aside(row: Row) -> int:
    """How many words stand in a row beside its label."""
    return sum(words_in(piece.text) for piece in row.pieces[1:] if not piece.number)


def _is_contents(rows: Sequence[Row]) -> bool:
    """Whether it is a table of contents: one column of whole numbers that go up."""
    found = [values(row) for row in rows if values(row)]
    if len(found) < 3 or any(len(one) > 1 for one in found):
        return False
    texts = [one[0].text for one in found]
    if sum(text.isdigit() and len(text) <= 3 for text in texts) < 0.9 * len(texts):
        return False
    numbers = [int(text) for text in texts if text.isdigit()]
    return sum(a <= b for a, b in pairwise(numbers)) >= 0.9 * (len(numbers) - 1)
