"""Which tables stand on a page? Ruled ones first, then those that numbers make."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import pairwise
from typing import Any

from consilience.packs.finance.data_model import Box, Cell, Grid
from consilience.packs.finance.files.pdf.page import Page, Word
from consilience.packs.finance.files.pdf.regions import is_prose, values, words_in
from consilience.packs.finance.files.pdf.rows import NUMBER, Row, is_named, rows_of
from consilience.packs.finance.files.pdf.unruled import Found, box_of, text_of, unruled

# --- how is a table read whose cells are ruled off? ---

MOST_RULES = 4000
MOST_PAIRS = 100_000  # of an upright and a level rule
MOST_CROSSINGS = 2500
_HEIGHT = 20.0  # points: boxes are looked up by such strips of the page
_NEAR = 3.0  # points between rules that are meant to meet
_LONGEST = 150  # words in a cell: more is text in a frame
_GAP = 0.9  # sizes of type between words of two columns
_Span = tuple[int, int, int, int]  # row, column, rows, columns


def ruled(page: Page, words: Sequence[Word]) -> list[Found]:
    """The tables of a page that have rules around their cells, from the top down."""
    if not 4 <= len(page.rules) <= MOST_RULES:
        return []
    upright = [rule for rule in page.rules if _is_upright(rule)]
    if len({round(rule.left / _NEAR) for rule in upright}) < 2:
        return []
    found = []
    left = list(words)
    for boxes in _lattices(page.rules):
        table = _table(boxes, left, page=page)
        if table:
            found.append(table)
            used = {word.at for word in table.words}
            left = [word for word in left if word.at not in used]
    return sorted(found, key=lambda table: (table.box.top, table.box.left))


def _is_upright(rule: Box) -> bool:
    return rule.bottom - rule.top > rule.right - rule.left


def _lattices(rules: Sequence[Box]) -> list[list[Box]]:
    """The cells that rules enclose, by table."""
    table = import_module("pdfplumber.table")
    edges = [_edge(rule) for rule in rules]
    merged = table.merge_edges(
        edges,
        snap_x_tolerance=_NEAR,
        snap_y_tolerance=_NEAR,
        join_x_tolerance=_NEAR,
        join_y_tolerance=_NEAR,
    )
    upright = sum(edge["orientation"] == "v" for edge in merged)
    if upright * (len(merged) - upright) > MOST_PAIRS:
        return []
    crossings = table.edges_to_intersections(merged, _NEAR, _NEAR)
    if len(crossings) > MOST_CROSSINGS:
        return []
    cells = table.intersections_to_cells(crossings)
    return [
        [Box(left=left, top=top, right=right, bottom=bottom) for left, top, right, bottom in group]
        for group in table.cells_to_tables(cells)
        if len(group) >= 4
    ]


def _edge(rule: Box) -> dict[str, Any]:
    upright = _is_upright(rule)
    x, y = (rule.left + rule.right) / 2, (rule.top + rule.bottom) / 2
    left, right = (x, x) if upright else (rule.left, rule.right)
    top, bottom = (rule.top, rule.bottom) if upright else (y, y)
    return {
        "x0": left,
        "x1": right,
        "top": top,
        "bottom": bottom,
        "width": right - left,
        "height": bottom - top,
        "orientation": "v" if upright else "h",
        "object_type": "line",
    }


def _holds(box: Box, word: Word) -> bool:
    x, y = (word.left + word.right) / 2, word.base - 0.3 * word.size
    return box.left <= x <= box.right and box.top <= y <= box.bottom


# --- cells ------------------------------------------------------------------------------


def _table(boxes: Sequence[Box], words: Sequence[Word], *, page: Page) -> Found | None:
    """A grid of the cells that hold words; None where they are no table of one row a line."""
    parted = _parted(_filled(boxes, words), page.rules)
    filled = [(box, rows_of(some)) for box, some in parted]
    spans = _spans([box for box, _ in filled])
    if not filled or not _is_table(filled, spans):
        return None
    cells = [
        _cell(rows, span, page=page.number + 1)
        for (_, rows), span in zip(filled, spans, strict=True)
    ]
    cells.sort(key=lambda cell: (cell.row, cell.column))
    used = tuple(
        word for _, rows in filled for row in rows for piece in row.pieces for word in piece.words
    )
    return Found(
        cells=_indented(cells), words=used, box=box_of(used), header=_header(cells, page=page)
    )


def _filled(boxes: Sequence[Box], words: Sequence[Word]) -> list[tuple[Box, list[Word]]]:
    """The boxes that hold words, with those; only boxes at the height of a word are looked at."""
    near: dict[int, list[int]] = {}
    for at, box in enumerate(boxes):
        for height in range(int(box.top // _HEIGHT), int(box.bottom // _HEIGHT) + 1):
            near.setdefault(height, []).append(at)
    found: dict[int, list[Word]] = {}
    for word in words:
        for at in near.get(int((word.base - 0.3 * word.size) // _HEIGHT), ()):
            if _holds(boxes[at], word):
                found.setdefault(at, []).append(word)
                break
    return [(boxes[at], some) for at, some in sorted(found.items())]


def _parted(
    filled: Sequence[tuple[Box, list[Word]]], rules: Sequence[Box]
) -> list[tuple[Box, list[Word]]]:
    """The boxes, one that is wider than a column parted where each column has its own words.

    Rules that end beside a taller cell leave headings beside one another in one box.
    """
    cuts = _cuts([box.left for box, _ in filled])
    found: list[tuple[Box, list[Word]]] = []
    for box, words in filled:
        inner = [x for x in cuts if box.left + _NEAR < x < box.right - _NEAR]
        edges = [box.left, *inner, box.right]
        parts = [
            [word for word in words if left <= (word.left + word.right) / 2 < right]
            for left, right in pairwise(edges)
        ]
        if inner and all(parts) and all(_is_cut(x, words, box, rules) for x in inner):
            sides = zip(pairwise(edges), parts, strict=True)
            found.extend((replace(box, left=a, right=b), part) for (a, b), part in sides)
        else:
            found.append((box, words))
    return found


def _is_cut(at: float, words: Sequence[Word], box: Box, rules: Sequence[Box]) -> bool:
    """Whether words keep off a column's edge: a rule parts them there, or more than a space."""
    if any(word.left < at - 1 and word.right > at + 1 for word in words):
        return False
    if any(
        _is_upright(rule)
        and abs((rule.left + rule.right) / 2 - at) <= _NEAR
        and min(rule.bottom, box.bottom) - max(rule.top, box.top) > words[0].size
        for rule in rules
    ):
        return True
    return all(
        right.left - left.right > _GAP * right.size
        for row in rows_of(words)
        for left, right in pairwise([one for piece in row.pieces for one in piece.words])
        if left.right <= at + 1 and right.left >= at - 1
    )


def _spans(filled: Sequence[Box]) -> list[_Span]:
    """Row, column, rows and columns of each box; what holds no words at all counts for none."""
    xs = _cuts([box.left for box in filled])
    ys = _cuts([box.top for box in filled])
    found = []
    for box in filled:
        row, column = _place(ys, box.top), _place(xs, box.left)
        last, end = _place(ys, box.bottom - 2 * _NEAR), _place(xs, box.right - 2 * _NEAR)
        found.append((row, column, max(last - row, 0) + 1, max(end - column, 0) + 1))
    return found


def _cuts(places: Sequence[float]) -> list[float]:
    found: list[float] = []
    for place in sorted(places):
        if not found or place - found[-1] > _NEAR:
            found.append(place)
    return found


def _place(cuts: Sequence[float], at: float) -> int:
    return max(bisect_left(cuts, at + _NEAR) - 1, 0)


def _is_table(filled: Sequence[tuple[Box, list[Row]]], spans: Sequence[_Span]) -> bool:
    rows, columns = {span[0] for span in spans}, {span[1] for span in spans}
    if len(rows) < 2 or len(columns) < 2 or len(filled) < 4:
        return False
    stacked: dict[int, int] = {}
    for (_, lines), span in zip(filled, spans, strict=True):
        if sum(words_in(line.text) for line in lines) > _LONGEST:
            return False
        several = sum(1 for line in lines if any(piece.counts for piece in values(line))) > 1
        stacked[span[0]] = stacked.get(span[0], 0) + several
    return not any(count > 1 for count in stacked.values())


def _cell(rows: Sequence[Row], span: _Span, *, page: int) -> Cell:
    pieces = [piece for row in rows for piece in row.pieces]
    words = [word for piece in pieces for word in piece.words]
    return Cell(
        text=text_of(pieces),
        row=span[0],
        column=span[1],
        rows=span[2],
        columns=span[3],
        page=page,
        box=box_of(words),
        indent=min(word.left for word in words),
        bold=all(word.bold for word in words),
    )


def _indented(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Labels with how far they are set in from the leftmost one."""
    margin = min((cell.indent for cell in cells if not cell.column), default=0.0)
    return tuple(
        replace(cell, indent=0.0 if cell.column else round(cell.indent - margin, 1))
        for cell in cells
    )


def _header(cells: Sequence[Cell], *, page: Page) -> int | None:
    """How many first rows are headings: bold or shaded ones, where the next is neither."""
    depth = 0
    for row in range(max(cell.row for cell in cells)):
        some = [cell for cell in cells if cell.row == row]
        if row and some and some[0].column == 0 and any(_counts(cell) for cell in some[1:]):
            break
        if not some or not (all(cell.bold for cell in some) or _shaded(some, page)):
            break
        depth = row + max(cell.rows for cell in some)
    rest = [cell for cell in cells if cell.row == depth]
    numbers = any(_counts(cell) for cell in rest[1:])
    return depth or None if rest and (numbers or not _shaded(rest, page)) else None


def _counts(cell: Cell) -> bool:
    """Whether a cell is a number that is no year."""
    return NUMBER.fullmatch(cell.text) is not None and not is_named(cell.text)


def _shaded(cells: Sequence[Cell], page: Page) -> bool:
    return all(
        any(
            shade.left <= box.left
            and shade.right >= box.right
            and shade.top <= box.top + 2
            and shade.bottom >= box.bottom - 2
            for shade in page.shades
        )
        for cell in cells
        if (box := cell.box)
    )


# --- what belongs to a table but stands outside of it? ---

_NOTED = re.compile(
    r"(?:\((?:\d{1,2}|[a-z]{1,2})\)|(?:\d{1,2}|[a-z])\)|\[\d{1,2}\]|[*†‡§¹²³⁴⁵⁶⁷⁸⁹]+|"
    r"Notes?:|Sources?:|See accompanying|See (?:the )?(?:accompanying )?notes|"
    r"(?:NM|N/M|NP|n\.m\.|n/a|N/A)\s*[-–—=:])\s*",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\(.{3,160}\)|(?:all |amounts |figures |dollars )*in .{0,25}"
    r"(?:thousand|million|billion|tausend|mio|mrd|tsd|mn\b|bn\b|€|\$|£|EUR|USD|%).{0,30}",
    re.IGNORECASE,
)
_TABLE = re.compile(
    r"(?:table|tabelle|tableau|tabla|tabela|tabella|tabel|quadro|cuadro)\s+[\dIVXA-Z]",
    re.IGNORECASE,
)
_LINES = 4
_WORDS = 14
_NOTE_LINES = 40
_SENTENCE = re.compile(r"[a-z]{2,}\.$")


def caption_of(
    rows: Sequence[Row], box: Box, *, taken: frozenset[int], usual: float
) -> tuple[str, list[Word]]:
    """The lines right above a table that name it, and their words."""
    found: list[Row] = []
    top, step = box.top, 2.2
    above = None
    for row in reversed([one for one in rows if one.bottom <= box.top + 1]):
        above = row
        if len(found) >= _LINES or top - row.bottom > step * row.size:
            break
        if not _names(row, box, taken=taken, usual=usual):
            break
        found.append(row)
        top, step, above = row.top, 0.9, None
    if found and above and _ends(above, found[-1]):
        return "", []
    found.reverse()
    return " ".join(row.text for row in found), _words(found)


def _ends(above: Row, row: Row) -> bool:
    """Whether a line is the end of a paragraph rather than a title under one."""
    close = row.top - above.bottom < 0.5 * row.size and abs(row.size - above.size) < 0.5
    open_ended = is_prose(above) and not above.text.endswith((".", ":", "!", "?"))
    bolder = row.pieces[0].bold and not above.pieces[-1].bold
    return close and open_ended and not bolder and not _UNIT.fullmatch(row.text)


def _names(row: Row, box: Box, *, taken: frozenset[int], usual: float) -> bool:
    """Whether a line may name the table below it."""
    if any(word.at in taken for word in _words([row])) or row.leaders:
        return False
    if _UNIT.fullmatch(row.text) or _TABLE.match(row.text):
        return True
    if row.size > 1.15 * usual or row.left >= box.right or not 0 < words_in(row.text) <= _WORDS:
        return False
    if is_prose(row) and row.text.endswith((":", ",", ";")):
        return False
    if _SENTENCE.search(row.text) or row.text[:1] in "•▪◦●■" or _NOTED.match(row.text):
        return False
    return not (values(row) and len(row.pieces) > 1)


def notes_below(
    rows: Sequence[Row], box: Box, *, taken: frozenset[int]
) -> tuple[list[str], list[Word]]:
    """The notes under a table, each as one text, and their words."""
    notes: list[list[Row]] = []
    last, step = box.bottom, 3.0
    for row in [one for one in rows if one.top >= box.bottom - 2]:
        if row.top - last > step * row.size or sum(map(len, notes)) >= _NOTE_LINES:
            break
        if any(word.at in taken for word in _words([row])):
            break
        if _is_note(row):
            notes.append([row])
        elif notes and _goes_on(notes[-1], row):
            notes[-1].append(row)
        else:
            break
        last, step = row.bottom, 1.6
    return [" ".join(row.text for row in note) for note in notes], _words(
        [row for note in notes for row in note]
    )


def _is_note(row: Row) -> bool:
    if _NOTED.match(row.text) and not (len(row.pieces) > 2 and values(row)):
        return True
    words = [word for piece in row.pieces for word in piece.words]
    return len(words) > 2 and words[0].size < 0.85 * words[1].size and words[0].text.isdigit()


def _goes_on(note: Sequence[Row], row: Row) -> bool:
    """Whether a line is the next one of a note: close below, set in or after a full line."""
    first, last = note[0], note[-1]
    if row.top - last.bottom > 0.6 * row.size or not 0.9 < row.size / last.size < 1.1:
        return False
    hung = row.left > first.left + 3
    return (
        hung
        or (len(note) > 1 and abs(row.left - last.left) < 2)
        or (last.right > 0.9 * max(row.right, last.right) and abs(row.left - first.left) < 3)
    )


def _words(rows: Sequence[Row]) -> list[Word]:
    return [word for row in rows for piece in row.pieces for word in piece.words]


# --- which tables does a page have? ---

MOST_WORDS = 10_000  # on one page: more is no page that anybody reads


@dataclass(frozen=True, slots=True, kw_only=True)
class OnPage:
    """A table of a page, and the places of the words that it uses up."""

    grid: Grid
    used: frozenset[int]
    first: int


def tables_of(page: Page, words: Sequence[Word], *, usual: float) -> list[OnPage]:
    """The tables among some words of a page, from the top down.

    `usual` is the size of most type in the document; what is larger is no caption. A page with
    more than `MOST_WORDS` words is refused with a ValueError.
    """
    if not words:
        return []
    if len(words) > MOST_WORDS:
        raise ValueError(f"{len(words):,} words on page {page.number + 1}")
    rows = rows_of(words)
    tables = ruled(page, words)
    within = {word.at for table in tables for word in table.words}
    rest = rows_of(word for word in words if word.at not in within) if within else rows
    tables.extend(unruled(page, rest))
    tables.sort(key=lambda table: (table.box.top, table.box.left))
    taken = frozenset(word.at for table in tables for word in table.words)
    found = []
    for table in tables:
        caption, above = caption_of(rows, table.box, taken=taken, usual=usual)
        taken |= {word.at for word in above}
        notes, below = notes_below(rows, table.box, taken=taken)
        taken |= {word.at for word in below}
        used = frozenset(word.at for word in (*table.words, *above, *below))
        found.append(_on_page(table, page, caption=caption, notes=tuple(notes), used=used))
    return found


def _on_page(
    table: Found, page: Page, *, caption: str, notes: tuple[str, ...], used: frozenset[int]
) -> OnPage:
    grid = Grid(
        cells=table.cells,
        caption=caption,
        notes=notes,
        page=page.number + 1,
        box=table.box,
        header=table.header,
    )
    return OnPage(grid=grid, used=used, first=min(used))
