"""How does a table without rules become a grid? Columns, headings, then rows of the body."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from consilience.packs.finance.data_model import Box, Cell
from consilience.packs.finance.files.pdf.columns import Column, column_of, columns_of
from consilience.packs.finance.files.pdf.headers import (
    Below,
    Placed,
    first_body,
    first_heading,
    goes_on,
    placed,
)
from consilience.packs.finance.files.pdf.page import Page, Word
from consilience.packs.finance.files.pdf.regions import Region, regions, values
from consilience.packs.finance.files.pdf.rows import Piece, Row

# --- do two tables stand beside each other? ---

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


# --- how is a table read that no rules divide? ---

_OPEN = re.compile(
    r"(?:[,–-]|\b(?:of|to|and|or|for|the|in|on|by|from|with|a|an|at|as|than|per|de|und|der|et))$",
    re.IGNORECASE,
)
_LINES = 5  # of one label
_THINNEST = 4.0  # points: rules that are closer are one
_TIGHT = 1.45  # sizes of type: rows no further apart may be lines of one label


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A table on a page: its cells, the words in them, its box, how many rows are headings."""

    cells: tuple[Cell, ...]
    words: tuple[Word, ...]
    box: Box
    header: int | None = None


def unruled(page: Page, rows: Sequence[Row]) -> list[Found]:
    """The tables among rows, from the top down."""
    found: list[Found] = []
    floor = 0
    for region in regions(rows):
        if region.start >= floor:
            tables, floor = _tables(page, rows, region, floor=floor)
            found.extend(tables)
    return found


def _tables(
    page: Page, rows: Sequence[Row], region: Region, *, floor: int
) -> tuple[list[Found], int]:
    """The table of a region, or two that stand beside each other, and the first row after it."""
    columns = columns_of(rows[region.start : region.end])
    if len(columns) < 2:
        return [], floor
    for row in rows[region.start : region.end]:
        if row.left < columns[0].right and row.pieces[0].right < columns[1].left:
            columns[0].right = max(columns[0].right, row.pieces[0].right)
    bands = _bands(page, columns)
    body = first_body(rows[: region.end], region.start, columns, floor=floor)
    top = first_heading(rows, body, floor=floor, columns=columns)
    end = _last(rows, region.end, columns, bands=bands)
    rules = [rule for rule in page.rules if rule.bottom > rows[top].top - 4]
    heads = _headings(rows[top:body], columns, rules=rules)
    lines = [*heads, *_body(rows[body:end], columns, bands=bands)]
    found = [
        made(part, page=page.number + 1, header=header)
        for part, header in beside(lines, len(heads))
    ]
    return found, end


def _last(
    rows: Sequence[Row],
    end: int,
    columns: Sequence[Column],
    *,
    bands: Sequence[tuple[float, float]],
) -> int:
    """The row after the last line of a table: its last label may run over below its numbers."""
    group = [rows[end - 1]]
    while end < len(rows) and len(group) < _LINES and rows[end].right < columns[1].left:
        if not _one_row(group, rows[end], columns, bands=bands):
            break
        group.append(rows[end])
        end += 1
    return end


def made(lines: Sequence[Sequence[Placed]], *, page: int, header: int | None) -> Found:
    """A grid of placed cells, row by row."""
    margin = min(
        (piece.left for line in lines for cell in line if not cell.column for piece in cell.pieces),
        default=0.0,
    )
    cells = [
        _cell(cell, number, page=page, margin=margin)
        for number, line in enumerate(lines)
        for cell in sorted(line, key=lambda one: one.column)
    ]
    words = tuple(
        word for line in lines for cell in line for piece in cell.pieces for word in piece.words
    )
    return Found(cells=tuple(cells), words=words, box=box_of(words), header=header)


def box_of(words: Sequence[Word]) -> Box:
    """The box around some words."""
    return Box(
        left=min(word.left for word in words),
        top=min(word.top for word in words),
        right=max(word.right for word in words),
        bottom=max(word.bottom for word in words),
    )


def text_of(pieces: Sequence[Piece]) -> str:
    """The text of pieces of one cell; a word that a hyphen cuts at a line's end goes on."""
    text = ""
    last: Piece | None = None
    for piece in pieces:
        below = last is not None and piece.words[0].base > last.words[-1].base + 2
        cut = below and text.endswith("-") and text[-2:-1].isalpha() and piece.text[:1].islower()
        text += ("" if cut or not text else " ") + piece.text
        last = piece
    return text


def _cell(cell: Placed, row: int, *, page: int, margin: float) -> Cell:
    words = [word for piece in cell.pieces for word in piece.words]
    return Cell(
        text=text_of(cell.pieces),
        row=row,
        column=cell.column,
        columns=cell.columns,
        page=page,
        box=box_of(words),
        indent=round(words[0].left - margin, 1) if cell.column == 0 else 0.0,
        bold=all(piece.bold for piece in cell.pieces),
    )


# --- headings ---------------------------------------------------------------------------


def _headings(
    rows: Sequence[Row], columns: Sequence[Column], *, rules: Sequence[Box]
) -> list[list[Placed]]:
    """Heading rows; the lines of a text that runs over several are put together."""
    found: list[list[Placed]] = []
    last: Row | None = None
    for row in reversed(rows):
        below = found[-1] if found else []
        tight = last is not None and last.base - row.base <= _TIGHT * max(last.size, row.size)
        cells = placed(row, columns, rules=rules, below=Below(cells=below, tight=tight))
        if last and goes_on(cells, below, rows=(row, last), rules=rules):
            found[-1] = joined(cells, below)
        else:
            found.append(cells)
        last = row
    found.reverse()
    return found


def joined(above: Sequence[Placed], below: Sequence[Placed]) -> list[Placed]:
    """Two lines of one row as one."""
    cells = {(cell.column, cell.columns): cell for cell in above}
    for cell in below:
        key = (cell.column, cell.columns)
        before = cells[key].pieces if key in cells else ()
        cells[key] = Placed(
            pieces=(*before, *cell.pieces), column=cell.column, columns=cell.columns
        )
    return list(cells.values())


# --- body -------------------------------------------------------------------------------


def _body(
    rows: Sequence[Row], columns: Sequence[Column], *, bands: Sequence[tuple[float, float]]
) -> list[list[Placed]]:
    found: list[list[Placed]] = []
    for group in _groups(rows, columns, bands=bands):
        line: list[Placed] = []
        for row in group:
            line = joined(line, _placed(row, columns))
        found.append(line)
    return found


def _placed(row: Row, columns: Sequence[Column]) -> list[Placed]:
    cells: dict[int, list[Piece]] = {}
    known = {id(piece) for piece in values(row)}
    for at, piece in enumerate(row.pieces):
        label = not at and (id(piece) not in known or len(row.pieces) == 1)
        label = label and piece.left < columns[1].left - 2
        column = 0 if label else column_of(piece, columns)
        cells.setdefault(column, []).append(piece)
    return [Placed(pieces=tuple(pieces), column=at) for at, pieces in cells.items()]


def _bands(page: Page, columns: Sequence[Column]) -> list[tuple[float, float]]:
    """The heights of rows that are shaded, or that stand between two rules."""
    left, right = columns[0].left, columns[0].right

    def covers(box: Box) -> bool:
        return box.left <= left + 4 and box.right >= min(right, left + 20)

    found = {(one.top, one.bottom) for one in page.shades if covers(one)}
    flat = sorted({round(one.top, 1) for one in page.rules if _is_level(one) and covers(one)})
    found.update((a, b) for a, b in pairwise(flat) if b - a > _THINNEST)
    return sorted(found)


def _is_level(rule: Box) -> bool:
    return rule.right - rule.left > 4 * (rule.bottom - rule.top)


def _groups(
    rows: Sequence[Row], columns: Sequence[Column], *, bands: Sequence[tuple[float, float]]
) -> Iterator[list[Row]]:
    """The lines of the body that make one row each."""
    group: list[Row] = []
    for row in rows:
        if group and not _one_row(group, row, columns, bands=bands):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _one_row(
    group: Sequence[Row],
    row: Row,
    columns: Sequence[Column],
    *,
    bands: Sequence[tuple[float, float]],
) -> bool:
    """Whether a line goes on with the row before it: one shade, or a label that runs over."""
    last = group[-1]
    step = row.base - last.base
    filled = any(values(one) for one in group)
    if filled and values(row):
        return False
    inside, before = _band(row, bands), _band(last, bands)
    if inside and inside == before:
        return True
    if bands and (inside or before) and inside != before:
        return False
    if step > _TIGHT * max(row.size, last.size):
        return False
    if last.text.endswith(":") or (last.left < columns[0].left - 1):
        return False
    return _runs_over(last, row, columns, filled=filled)


def _band(row: Row, bands: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    at = row.base - 0.3 * row.size
    return next(
        (one for one in bands if one[0] <= at <= one[1] and one[1] - one[0] < 5 * row.size), None
    )


def _runs_over(last: Row, row: Row, columns: Sequence[Column], *, filled: bool) -> bool:
    """Whether the label of a row is the rest of the one above it."""
    label, rest = last.pieces[0], row.pieces[0]
    if rest.number or rest.left >= columns[1].left or label.left >= columns[1].left:
        return False
    if rest.bold != label.bold:
        return False
    small = rest.text[:1].islower() or rest.text[:1] in "(&/" or bool(_OPEN.search(label.text))
    space = 0.25 * row.size + rest.words[0].right - rest.words[0].left
    full = label.right + space > columns[0].right
    if filled:
        return len(row.pieces) == 1 and (small or full) and rest.left >= label.left - 1
    return small or full
