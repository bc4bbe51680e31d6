"""How are the tables of web pages and Markdown read? As grids, with the text around them.

Text is read as the general loaders read it, tables as `nodes` reads them. The lines above a table
that read like its caption are its caption, and footnotes below it are its notes. Filings have no
headings that are marked as such: where a page has none, the lines that name a part, an item or a
note (`Item 7. Management's discussion`) are taken for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from selectolax.lexbor import LexborNode

from consilience.evidence.loaders import html, markdown
from consilience.evidence.loaders.common import Sections, one_line
from consilience.packs.finance.data_model import Cell, Grid, Report
from consilience.packs.finance.files.regions import captioned, is_figure, is_note, notes_cut, packed
from consilience.packs.finance.files.sheets import opening_of
from consilience.types import Block, Document

# --- what does a table of a web page hold? ---

_MOST_SPAN = 1000
_MOST_CELLS = 200_000
_STYLE = 500  # letters of a style that are looked at
_LEADING = re.compile(r"(?:[A-Z]{0,3}[$€£¥₹]|[A-Z]{3})\s*[(−-]?|\(")
_TRAILING = re.compile(r"\s*(?:\)?\s*%?|%\s*\)|[x×]|pp|pts?\.?|bps)\s*")
_DASH = re.compile(r"[(\s]*[-–—−]+[)\s]*")
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_INSET = re.compile(
    r"(?:padding-left|text-indent|margin-left)\s*:\s*(-?\d+(?:\.\d+)?)\s*(pt|px|em|rem|in|%)?",
    re.IGNORECASE,
)
_PADDING = re.compile(
    r"padding\s*:\s*\S+\s+\S+\s+\S+\s+(\d+(?:\.\d+)?)(pt|px|em|in)", re.IGNORECASE
)
_POINTS = {"pt": 1.0, "px": 0.75, "em": 10.0, "rem": 12.0, "in": 72.0, "%": 4.0}
_SPACE = 3.0  # points of a hard space before a label
_BULLETS = frozenset("•●▪■◦○–—-*·")
_PART = re.compile(r"(?:item|part|note|chapter|section|teil|kapitel)\s+[\dIVX]+", re.IGNORECASE)
_PAGE_NODE = re.compile(r"pages?(?: no\.?| number)?|seite|página|pagina", re.IGNORECASE)
_BRIEF = 40  # letters of a cell that is no sentence
_WORDY = 80  # letters of a cell from which it is a paragraph


def grid_of(node: LexborNode) -> Grid | None:
    """A table of a web page; None where it is but a list or a frame for text."""
    rows, header, named = _rows(node)
    cells = [cell for row in rows for cell in _joined(row)]
    if not cells or _is_layout(cells, named=named):
        return None
    caption = node.css_first("caption")
    grid = grid_from(_narrowed(cells), header=header)
    above = _words(caption)[0] if caption else ""
    return replace(grid, caption=" – ".join(filter(None, (above, grid.caption))))


def grid_from(cells: Sequence[Cell], *, header: int) -> Grid:
    """A grid of cells, of which the first rows are headings.

    Lines of one text above them are its caption, notes below the last row its notes.
    """
    plane = {(one.row, one.column): one for one in cells}
    lines, rest = captioned(plane)
    rest, notes = notes_cut(rest)
    heads = {one.row for one in rest.values() if one.row < header}
    sure = heads and not any(is_figure(one.text) for one in rest.values() if one.row in heads)
    return Grid(
        cells=packed(rest.values()),
        caption=" – ".join(one.text for one in lines),
        notes=tuple(notes),
        header=len(heads) if sure else None,
    )


def _is_layout(cells: Sequence[Cell], *, named: bool) -> bool:
    """Whether a table has but one column or row, or sets a list or paragraphs side by side."""
    if len({one.row for one in cells}) < 2 or len({one.column for one in cells}) < 2:
        return True
    first = min(one.column for one in cells)
    labels = [one.text for one in cells if one.column == first]
    if all(set(one) <= _BULLETS for one in labels) or _is_contents([one.text for one in cells]):
        return True
    if any(_counts(one.text) for one in cells if one.column > first):
        return False
    long = sum(len(one.text) > _WORDY for one in cells)
    return not named or 3 * long > len(cells)


def _is_contents(texts: Sequence[str]) -> bool:
    """Whether a table lists the parts of a report with their pages."""
    parts = sum(_PART.match(one) is not None for one in texts)
    pages = [int(one) for one in texts if re.fullmatch(r"\d{1,4}", one)]
    rising = pages == sorted(pages) and len(pages) > 1
    return rising and (3 * parts >= len(texts) - parts or any(map(_PAGE_NODE.fullmatch, texts)))


def _counts(text: str) -> bool:
    """Whether a cell speaks of numbers: one, a dash for none, or a few words with digits."""
    short = len(text) <= _BRIEF and re.search(r"\d", text) is not None
    return short or _DASH.fullmatch(text) is not None


def _rows(node: LexborNode) -> tuple[list[list[Cell]], int, bool]:
    """The cells of each row at their places, how many rows are headings, whether any is named.

    A table of absurd size has none here.
    """
    rows: list[list[Cell]] = []
    taken: set[tuple[int, int]] = set()
    area, header, named = 0, 0, False
    lines = node.css("tr")
    for at, line in enumerate(lines):
        nodes = [one for one in line.iter() if one.tag in ("td", "th")]
        row = list(_row(nodes, at, taken, last=len(lines)))
        area += sum(one.rows * one.columns for one in row)
        if area > _MOST_CELLS:
            return [], 0, False
        for one in row:
            below = range(at + 1, at + one.rows)
            taken.update((down, one.column + n) for down in below for n in range(one.columns))
        heads = bool(nodes) and all(one.tag == "th" for one in nodes)
        named = named or heads
        if header == at and (heads or (line.parent and line.parent.tag == "thead")):
            header = at + 1
        rows.append([one for one in row if one.text])
    return rows, header, named


def _row(
    nodes: Sequence[LexborNode], at: int, taken: set[tuple[int, int]], *, last: int
) -> Iterator[Cell]:
    """The cells of a row, beside those that reach into it from above."""
    column = 0
    for node in nodes:
        while (at, column) in taken:
            column += 1
        cell = _cell(node, at, column)
        yield replace(cell, rows=min(cell.rows, last - at))
        column += cell.columns


def _cell(node: LexborNode, row: int, column: int) -> Cell:
    text, inset = _words(node)
    around = (node, *node.css("p, div, span")[:3])
    style = " ".join((one.attributes.get("style") or "")[:_STYLE] for one in around)
    return Cell(
        text=text,
        row=row,
        column=column,
        rows=_span(node, "rowspan"),
        columns=_span(node, "colspan"),
        indent=inset + _indent(style),
        bold=_BOLD.search(style) is not None or node.css_first("b, strong") is not None,
    )


def _span(node: LexborNode, name: str) -> int:
    value = (node.attributes.get(name) or "").strip()
    return min(max(1, int(value)), _MOST_SPAN) if value.isdecimal() and len(value) < 9 else 1


def _indent(style: str) -> float:
    found = [*_INSET.findall(style), *_PADDING.findall(style)]
    return max(0.0, sum(float(size) * _POINTS.get(unit.lower(), 0.75) for size, unit in found))


def _words(node: LexborNode) -> tuple[str, float]:
    """The text of a cell, and how far hard spaces set it in; raised marks are put in brackets."""
    parts: list[str] = []
    for one in node.traverse(include_text=True):
        tag = one.tag or ""
        if tag == "-text":
            raised = one.parent is not None and one.parent.tag == "sup"
            words = one.text_content or ""
            parts.append(_raised(words, parts) if raised else words)
        elif tag in ("br", "p", "div", "li"):
            parts.append(" ")
    text = "".join(parts).replace("\n", " ").replace("\t", " ").lstrip(" ")
    return one_line(text), _SPACE * (len(text) - len(text.lstrip("\xa0 ")))


def _raised(text: str, before: Sequence[str]) -> str:
    """A raised mark apart from what it stands at: `1,234` with a raised 1 is not `1,2341`."""
    words = text.strip()
    said = "".join(before)[-4:]
    if not words or words.startswith("(") or re.fullmatch(r"(?:.*\W)?[cdkm]?m", said):
        return text
    return f" ({words})" if len(words) <= 3 and words.isalnum() else f" {words}"


# --- cells that belong together ---------------------------------------------------------


def _joined(row: Sequence[Cell]) -> list[Cell]:
    """A row with the signs before and after a number put to it."""
    found: list[Cell] = []
    lead: Cell | None = None
    for cell in row:
        one = cell
        if lead is not None:
            if _is_number(one.text):
                one = _merged(lead, one)
            else:
                found.append(lead)
            lead = None
        elif found and _TRAILING.fullmatch(one.text) and _is_number(found[-1].text):
            one = _merged(found.pop(), one)
        if one is cell and found and _LEADING.fullmatch(one.text):
            lead = one  # the first cell of a row is its label, even if it is a currency
        else:
            found.append(one)
    return [*found, *([lead] if lead else [])]


def _merged(left: Cell, right: Cell) -> Cell:
    columns = right.column + right.columns - left.column
    return replace(left, text=f"{left.text}{right.text}", columns=columns, bold=right.bold)


def _is_number(text: str) -> bool:
    """Whether a text is a number, one whose bracket is closed elsewhere, or a dash for none."""
    return bool(re.search(r"\d", text) and is_figure(text.replace("(", ""))) or bool(
        _DASH.fullmatch(text)
    )


def _narrowed(cells: Sequence[Cell]) -> list[Cell]:
    """The cells with columns put together that no row tells apart, and that some cell spans."""
    width = max(one.column + one.columns for one in cells)
    covering: list[dict[int, Cell]] = [{} for _ in range(width)]
    for one in cells:
        for column in range(one.column, one.column + one.columns):
            covering[column].update(dict.fromkeys(range(one.row, one.row + one.rows), one))
    starts = {one.column for one in cells}
    spanned = {c for one in cells for c in range(one.column + 1, one.column + one.columns)}
    groups = [0] * width
    held: dict[int, Cell] = dict(covering[0])
    for column in range(1, width):
        apart = any(held.get(row, one) is not one for row, one in covering[column].items())
        if column not in starts or (column in spanned and not apart):
            groups[column] = groups[column - 1]
            held.update(covering[column])
        else:
            groups[column] = groups[column - 1] + 1
            held = dict(covering[column])
    return [_regrouped(one, groups) for one in cells]


def _regrouped(cell: Cell, groups: Sequence[int]) -> Cell:
    first, last = groups[cell.column], groups[cell.column + cell.columns - 1]
    return replace(cell, column=first, columns=last - first + 1)


# --- which blocks and tables does a document of markup have? ---

_GRID = "grid"  # the kind, and the field, of the blocks that hold the place of a table
_TITLE_WORDS = 20
_SHORT_WORDS = 12  # a caption of more words is kept as prose as well
_HEADING = re.compile(
    r"(PART(?=\s+[IVX]{1,4}\b)|(?:Item|ITEM|Note|NOTE)(?=\s+\d{1,2}[A-C]?\s*[.:—–-]\s*[A-Z]))"
)
_PAGE = re.compile(r"(?:page\s*)?[-–\s]*(?:F-)?[\divxlc]+[-–\s]*", re.IGNORECASE)
_LEVELS = {"part": 1, "item": 2, "note": 3}
_LONGEST = 400  # letters of a paragraph that may introduce a table
_INTRODUCES = re.compile(
    r":$|\b(?:following|below|tables?|summari[sz]e[sd]?|sets? (?:forth|out)|as follows|"
    r"presents?)\b",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\(?(?:[^.]{0,40}\s)?in\s+(?:[A-Z]{3}|[$€£¥]|thousands?|millions?|billions?|%|percent)", re.I
)


def read_html(path: Path) -> Report:
    """A web page: its prose and its tables, in reading order."""
    grids: list[Grid] = []
    document = html.read(path, tables=lambda node: _held(grids, grid_of(node)))
    return _report(document, grids)


def read_markdown(path: Path) -> Report:
    """A Markdown file: its prose and its tables, in reading order."""
    grids: list[Grid] = []
    tables = markdown.Tables(
        rows=lambda rows: _held(grids, _from_rows(rows)),
        nodes=lambda node: _held(grids, grid_of(node)),
    )
    return _report(markdown.read(path, tables=tables), grids)


def _held(grids: list[Grid], grid: Grid | None) -> Block | None:
    """A block that holds the place of a grid."""
    if grid is None:
        return None
    grids.append(grid)
    return Block(text=grid.caption, kind=_GRID, metadata={_GRID: len(grids) - 1})


def _report(document: Document, grids: Sequence[Grid]) -> Report:
    parts = list(_placed(_sectioned(document.blocks), grids))
    return Report(
        title=document.title,
        parts=tuple(parts),
        opening=opening_of(parts),
        metadata=document.metadata,
        notes=document.notes,
    )


# --- sections of filings ----------------------------------------------------------------


def _sectioned(blocks: Sequence[Block]) -> list[Block]:
    """The blocks under the lines that name parts, items and notes, if no others head them."""
    if any(block.locator.section for block in blocks):
        return list(blocks)
    sections = Sections()
    found: list[Block] = []
    for block in blocks:
        level = _level(block.text)
        if level:
            sections.enter(level, block.text)
        else:
            place = replace(block.locator, section=sections.path)
            found.append(replace(block, locator=place))
    return found


def _level(text: str) -> int:
    """How high a heading a line of a filing is; 0 for none."""
    if "\n" in text or len(text.split()) > _TITLE_WORDS or text[-1:] in ".;,:":
        return 0
    match = _HEADING.match(text)
    return _LEVELS[match[1].lower()] if match else 0


# --- text around a table ----------------------------------------------------------------


def _placed(blocks: Sequence[Block], grids: Sequence[Grid]) -> Iterator[Block | Grid]:
    """Blocks and grids in reading order; captions that say nothing else are no prose."""
    taken: set[int] = set()
    known: dict[int, Grid] = {}
    for at, block in enumerate(blocks):
        if block.kind != _GRID:
            continue
        grid = grids[int(str(block.metadata[_GRID]))]
        lines = _above(blocks, at)
        taken.update(n for n in lines if len(blocks[n].text.split()) <= _SHORT_WORDS)
        caption = [*(_last(blocks[n].text) for n in lines), grid.caption]
        known[at] = replace(
            grid,
            caption=" – ".join(dict.fromkeys(filter(None, caption))),
            notes=(*grid.notes, *_below(blocks, at)),
            section=block.locator.section,
        )
    for at, block in enumerate(blocks):
        if at in known:
            yield known[at]
        elif at not in taken:
            yield block


def _above(blocks: Sequence[Block], at: int) -> list[int]:
    """The blocks directly above a table that read like its caption: two at most."""
    found: list[int] = []
    section = blocks[at].locator.section
    for before in range(at - 1, max(-1, at - 3), -1):
        block = blocks[before]
        if block.kind == _GRID or block.locator.section != section or is_note(block.text):
            break
        names = _is_title(block.text)
        if names or (not found and _introduces(block.text)):
            found.insert(0, before)
        if not names:
            break
    return found


def _is_title(text: str) -> bool:
    """Whether a line is a name and no sentence, or says what a table is counted in."""
    if "\n" in text or len(text.split()) > _TITLE_WORDS or _PAGE.fullmatch(text):
        return False
    return text[-1:] not in ".;,?!" or _UNIT.fullmatch(text.rstrip(".)")) is not None


def _introduces(text: str) -> bool:
    return len(text) <= _LONGEST and _INTRODUCES.search(_last(text)) is not None


def _last(text: str) -> str:
    """The last sentence of a paragraph: what is said directly above the table."""
    parts = re.split(r"(?<=[.!?])\s+(?=[A-Z(])", one_line(text))
    return parts[-1] if parts else ""


def _below(blocks: Sequence[Block], at: int) -> Iterator[str]:
    for block in blocks[at + 1 :]:
        if block.kind == _GRID or not is_note(block.text) or len(block.text) > _LONGEST:
            return
        yield one_line(block.text)


def _from_rows(rows: Sequence[Sequence[str]]) -> Grid | None:
    """A table of Markdown: its first row is its heading."""
    cells = [
        Cell(text=text, row=at, column=column)
        for at, row in enumerate(rows)
        for column, text in enumerate(row)
        if text
    ]
    headed = any(one.row == 0 for one in cells)
    return grid_from(cells, header=int(headed)) if len(rows) > 1 else None
