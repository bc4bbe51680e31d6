"""What stands above the numbers of a table? Heading rows, and which columns each text spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from consilience.packs.finance.data_model import Box
from consilience.packs.finance.files.pdf.columns import Column
from consilience.packs.finance.files.pdf.regions import is_prose, values
from consilience.packs.finance.files.pdf.rows import Piece, Row

_LARGER = 1.15  # than the body: a title, not a heading of columns
_MOST = 8  # rows of headings
_LABELS = 3  # labels without numbers above the first row with some
_CENTRED = 0.2  # of its width: how far a text over several columns may stand off, doubled
_STEP = 2.8  # sizes of type between two rows of headings
_WIDEST = 4.0  # the same where the rows of the body are as far apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Pieces that make one cell, its first column and how many it spans."""

    pieces: tuple[Piece, ...]
    column: int
    columns: int = 1


def first_body(rows: Sequence[Row], start: int, columns: Sequence[Column], *, floor: int) -> int:
    """The first row of a table begun at `start` that is no heading: numbers, or labels above them.

    Labels above the first numbers belong to the body where headings stand above them.
    """
    body = next(
        (at for at in range(start, len(rows)) if any(one.counts for one in values(rows[at]))),
        len(rows),
    )
    above = body
    while above > floor and body - above < _LABELS and _labels_only(rows[above - 1], columns):
        if rows[above].base - rows[above - 1].base > _STEP * rows[above].size:
            break
        above -= 1
    headed = above > floor and _heads(rows[above - 1], columns)
    return above if above >= start or headed else body


def _labels_only(row: Row, columns: Sequence[Column]) -> bool:
    """A row that stands wholly in the column of labels, and names no unit."""
    return (
        len(columns) > 1
        and all(piece.left < columns[1].left for piece in row.pieces)
        and not (len(row.pieces) > 1 and any(piece.named for piece in row.pieces))
        and row.left < columns[0].right
        and not row.text.startswith("(")
    )


def first_heading(rows: Sequence[Row], body: int, *, floor: int, columns: Sequence[Column]) -> int:
    """The first heading row above `body`: rows go up while they have texts over the columns."""
    at = body
    pitch = rows[body + 1].base - rows[body].base if body + 1 < len(rows) else 0.0
    while at > max(floor, body - _MOST):
        row, below = rows[at - 1], rows[at] if at < len(rows) else rows[at - 1]
        size = max(row.size, below.size)
        step = max(_STEP * size, min(1.2 * pitch, _WIDEST * size))
        if below.base - row.base > step or not _heads(row, columns):
            break
        if row.size > _LARGER * rows[min(body, len(rows) - 1)].size:
            break
        at -= 1
    if at < body and not _over(rows[at], columns):
        return at + 1 if at + 1 < body else at
    return at


def _heads(row: Row, columns: Sequence[Column]) -> bool:
    """Whether a row stands above columns of numbers: as texts over them, or as a unit beside."""
    if is_prose(row) or row.leaders:
        return False
    return bool(_over(row, columns)) or (
        len(row.pieces) == 1 and row.text.startswith("(") and row.right < _start(columns)
    )


def _start(columns: Sequence[Column]) -> float:
    return columns[1].left if len(columns) > 1 else columns[0].left


def _over(row: Row, columns: Sequence[Column]) -> list[Piece]:
    """The pieces of a row that stand over columns of numbers."""
    start, end = _start(columns), columns[-1].right
    lonely = len(row.pieces) == 1
    return [
        piece
        for piece in row.pieces
        if (
            (piece.left + piece.right) / 2 > start - (0 if lonely else 6)
            or piece.left > columns[0].right + 2
        )
        and piece.left > columns[0].left + 8
        and piece.left < end
        and not (lonely and _is_title(piece, columns))
    ]


def _is_title(piece: Piece, columns: Sequence[Column]) -> bool:
    """Whether a lone text stands in the middle of the whole table rather than of its numbers."""
    whole = (columns[0].left + columns[-1].right) / 2
    own = (_start(columns) + columns[-1].right) / 2
    at = (piece.left + piece.right) / 2
    return abs(at - whole) < abs(at - own) and piece.left < _start(columns) - 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Below:
    """The heading row under another, and whether it is as close as a line of the same text."""

    cells: Sequence[Placed]
    tight: bool


# --- spans ------------------------------------------------------------------------------


def placed(
    row: Row, columns: Sequence[Column], *, rules: Sequence[Box], below: Below
) -> list[Placed]:
    """The cells of a heading row above the cells `below`.

    One spans the columns it is ruled off from, those of a heading right under it, or those it
    is centred over: as many as possible where the texts of the row then share all columns.
    """
    over = {id(piece) for piece in _over(row, columns)} if len(columns) > 1 else set()
    stub = tuple(piece for piece in row.pieces if id(piece) not in over)
    first = [Placed(pieces=stub, column=0)] if stub else []
    some = [piece for piece in row.pieces if id(piece) in over]
    ruled = [_ruled(piece, columns, rules=rules, row=row) for piece in some]
    if again := _over_again(some, columns, below.cells):
        return [*first, *again]
    if below.cells and not below.tight:
        wide = _placed(some, columns, ruled=ruled, below=below)
        spans = {(cell.pieces[0].text, cell.columns) for cell in wide}
        alike = len(spans) == len({cell.pieces[0].text for cell in wide})
        if alike and sum(cell.columns for cell in wide) == len(columns) - 1:
            return [*first, *wide]
    close = Below(cells=below.cells, tight=True)
    return [*first, *_placed(some, columns, ruled=ruled, below=close)]


def _over_again(
    pieces: Sequence[Piece], columns: Sequence[Column], below: Sequence[Placed]
) -> list[Placed]:
    """Pieces over headings that come again under each: `May | YTD` over `Actual | Budget` twice."""
    names = {
        cell.column: " ".join(one.text for one in cell.pieces)
        for cell in below
        if cell.columns == 1
    }
    count = len(pieces)
    for size in range((len(columns) - 1) // count if count > 1 else 0, 1, -1):
        start = len(columns) - count * size
        groups = [range(start + at * size, start + (at + 1) * size) for at in range(count)]
        texts = [[names.get(column, "") for column in group] for group in groups]
        if not all(texts[0]) or any(one != texts[0] for one in texts):
            continue
        spans = [(columns[group[0]].left, columns[group[-1]].right) for group in groups]
        if all(
            abs(left + right - piece.left - piece.right) < _CENTRED * (right - left)
            for piece, (left, right) in zip(pieces, spans, strict=True)
        ):
            return [
                Placed(pieces=(piece,), column=group[0], columns=size)
                for piece, group in zip(pieces, groups, strict=True)
            ]
    return []


def _placed(
    pieces: Sequence[Piece],
    columns: Sequence[Column],
    *,
    ruled: Sequence[Sequence[tuple[int, int]]],
    below: Below,
) -> list[Placed]:
    found: list[Placed] = []
    homes = [_home(piece, columns) for piece in pieces]
    for at, piece in enumerate(pieces):
        before = found[-1] if found else None
        low = before.column + before.columns if before else min(1, len(columns) - 1)
        high = homes[at + 1][0] - 1 if at + 1 < len(pieces) else len(columns) - 1
        first, last = _span(
            piece, homes[at], columns, ruled=ruled[at], limits=(low, high), below=below
        )
        some: tuple[Piece, ...] = (piece,)
        if before and before.column + before.columns > first:
            found.pop()
            some = (*before.pieces, piece)
            first, last = before.column, max(last, before.column + before.columns - 1)
        found.append(Placed(pieces=some, column=first, columns=last - first + 1))
    return found


def _home(piece: Piece, columns: Sequence[Column]) -> tuple[int, int]:
    """The columns that a piece stands over, at least the nearest."""
    near = [
        at
        for at, one in enumerate(columns)
        if at and min(piece.right, one.right) - max(piece.left, one.core) > 0.25 * _wide(one)
    ]
    if near:
        return near[0], near[-1]
    middle = (piece.left + piece.right) / 2
    one = min(range(1, len(columns)), key=lambda at: abs(columns[at].middle - middle))
    return one, one


def _wide(column: Column) -> float:
    return column.right - column.core


def _span(
    piece: Piece,
    home: tuple[int, int],
    columns: Sequence[Column],
    *,
    ruled: Sequence[tuple[int, int]],
    limits: tuple[int, int],
    below: Below,
) -> tuple[int, int]:
    low, high = min(limits[0], home[0]), max(limits[1], home[1])
    middle = (piece.left + piece.right) / 2
    wide = piece.right - piece.left
    aligned = _under(piece, below.cells) if below.tight else []
    for first, last in (*ruled, *aligned):
        if low <= first <= home[0] and home[1] <= last <= high:
            return first, last

    def off(first: int, last: int) -> float:
        return abs((columns[first].left + columns[last].right) / 2 - middle)

    best = home
    if below.cells and not below.tight:
        near = 0.35 * (columns[-1].right - columns[0].right) / max(len(columns) - 1, 1)
        ranges = [(a, b) for a in range(low, home[0] + 1) for b in range(home[1], high + 1)]
        good = [one for one in ranges if off(*one) <= near]
        if good:
            return max(good, key=lambda one: (one[1] - one[0], -off(*one)))
    if home[0] == home[1] and off(*home) <= max(0.3 * wide, 6.0):
        return home
    for first in range(low, home[0] + 1):
        for last in range(home[1], high + 1):
            if off(first, last) + 4.0 < off(*best):
                best = (first, last)
    return best


def _under(piece: Piece, below: Sequence[Placed]) -> list[tuple[int, int]]:
    """The columns of the heading under a piece that is set like it: to one side, or centred."""
    found = []
    for cell in below:
        left = min(one.left for one in cell.pieces)
        right = max(one.right for one in cell.pieces)
        centred = abs(left + right - piece.left - piece.right) < 6
        if cell.column and (centred or abs(left - piece.left) < 2 or abs(right - piece.right) < 2):
            found.append((cell.column, cell.column + cell.columns - 1))
    return found


def _ruled(
    piece: Piece, columns: Sequence[Column], *, rules: Sequence[Box], row: Row
) -> list[tuple[int, int]]:
    """The columns above rules right below a piece: one it is centred on first, then all."""
    near = [rule for rule in rules if _is_under(rule, piece, row)]
    middle = (piece.left + piece.right) / 2
    centred = [rule for rule in near if abs(rule.left + rule.right - 2 * middle) < 12.0]
    spans = [(rule.left, rule.right) for rule in centred]
    spans.sort(key=lambda span: span[0] - span[1])
    if near:
        spans.append((min(rule.left for rule in near), max(rule.right for rule in near)))
    found = []
    for left, right in spans:
        inside = [
            at
            for at, one in enumerate(columns)
            if at and left - 2 <= one.core and one.right <= right + 6
        ]
        if inside:
            found.append((inside[0], inside[-1]))
    return found


def _is_under(rule: Box, piece: Piece, row: Row) -> bool:
    return (
        rule.right - rule.left > 4 * (rule.bottom - rule.top)
        and row.base - 1 <= rule.top <= row.base + 0.9 * row.size
        and min(rule.right, piece.right) - max(rule.left, piece.left) > 0
    )


def goes_on(
    above: Sequence[Placed], below: Sequence[Placed], *, rows: tuple[Row, Row], rules: Sequence[Box]
) -> bool:
    """Whether the second of two heading rows goes on with the texts of the first."""
    one, two = rows
    if two.base - one.base > 1.5 * max(one.size, two.size):
        return False
    spans = {(cell.column, cell.columns) for cell in above}
    taken = {at for cell in above for at in range(cell.column, cell.column + cell.columns)}
    shared = False
    for cell in below:
        if cell.column == 0:
            continue
        if (cell.column, cell.columns) in spans:
            shared = True
        elif any(at in taken for at in range(cell.column, cell.column + cell.columns)):
            return False
    return shared and not any(
        one.base - 1 <= rule.top <= two.base - 0.5 * two.size
        and rule.right - rule.left > 4 * (rule.bottom - rule.top)
        and any(
            min(rule.right, piece.right) - max(rule.left, piece.left) > 0
            for cell in above
            if cell.column
            for piece in cell.pieces
        )
        for rule in rules
    )
