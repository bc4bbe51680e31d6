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

from consilience.evidence.loaders import html, markdown
from consilience.evidence.loaders.common import Sections, one_line
from consilience.packs.finance.files.nodes import grid_from, grid_of
from consilience.packs.finance.files.regions import is_note
from consilience.packs.finance.files.sheets import opening_of
from consilience.packs.finance.shapes import Cell, Grid, Report
from consilience.types import Block, Document

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
