"""How does a PDF become a report? Its pages' words are tables or prose, each of them once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import median

import pypdfium2

from consilience.evidence.loaders import pdf
from consilience.evidence.loaders.common import is_ornament, listed, read_bytes, same_heading
from consilience.evidence.loaders.pdf import (
    LOCK,
    Line,
    Paragraph,
    metadata_of,
    notes_of,
    read_pdf,
    section_starts,
    title_in,
    without_running,
)
from consilience.packs.finance.data_model import Grid, Report
from consilience.packs.finance.files.pdf import headings
from consilience.packs.finance.files.pdf.headings import Starts, Type
from consilience.packs.finance.files.pdf.page import Page, Word, read_page
from consilience.packs.finance.files.pdf.repeating import heads_table
from consilience.packs.finance.files.pdf.rows import Row, rows_of
from consilience.packs.finance.files.pdf.tables import OnPage, tables_of
from consilience.types import Block, Locator

_OPENING = 40  # lines
_MANY_ASIDE = 6  # numbers that stand sideways: a table
_LONGEST_LEAD = 400  # characters of a sentence that leads to a table
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def read_report(path: Path) -> Report:
    """Read a PDF; pages without text are named in the notes, none at all is an error."""
    data = read_bytes(path)
    seen = _Seen()
    with LOCK:
        read = read_pdf(data, path.name, lines=seen.lines)
    pages, running = without_running(read, path.name, keep=seen.heads)
    usual = headings.usual(pages, seen.types)
    laid = [seen.laid(number, lines, usual=usual) for number, lines in enumerate(pages)]
    rest = [one.lines for one in laid]
    if read.marks:
        starts = section_starts(rest, read.marks)
    else:
        starts = headings.starts(rest, seen.types, usual=usual)
    title = title_in(read, path)
    parts = _parts(laid, starts=starts, title=title)
    failed = [number for number, one in enumerate(laid, start=1) if one.failed]
    notes = notes_of(read, running)
    if failed:
        notes = (*notes, f"pages whose tables are left as text: {listed(failed)}")
    return Report(
        title=title,
        parts=tuple(_led(parts)),
        opening=tuple(line.text for lines in read.pages[:3] for line in lines)[:_OPENING],
        metadata=metadata_of(read.fields),
        notes=notes,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Laid:
    """A page as it is laid out: its lines of prose, and tables by the line that they precede."""

    lines: list[Line]
    tables: Mapping[int, list[Grid]]
    failed: bool = False


class _Seen:
    """The pages as they were read, with the words of each of their lines."""

    def __init__(self) -> None:
        self._pages: dict[int, Page] = {}
        self._words: dict[int, list[Word]] = {}
        self._homes: dict[int, Page] = {}
        self._rows: dict[int, list[Row]] = {}
        self._kept: list[Line] = []  # a line is known by its identity as long as it is kept
        self.types: dict[int, Type] = {}

    def lines(self, document: pypdfium2.PdfDocument, number: int) -> list[Line]:
        """Read a page: all of its lines as they follow in the file."""
        page = read_page(document, number)
        self._pages[number] = page
        groups: dict[int, list[Word]] = {}
        for word in page.words:
            groups.setdefault(word.line, []).append(word)
        return [self._line(words, page) for words in groups.values()]

    def _line(self, words: list[Word], page: Page) -> Line:
        text = " ".join(word.text for word in words)
        hyphen = words[0].line in page.hyphens and text.endswith("-")
        line = Line(
            text=text[:-1] if hyphen else text,
            left=words[0].left,
            right=words[-1].right,
            top=page.height - words[0].top,
            bottom=page.height - words[0].bottom,
            hyphen=hyphen,
        )
        self._words[id(line)], self._homes[id(line)] = words, page
        self._kept.append(line)
        size = median([word.size for word in words])
        self.types[id(line)] = Type(size=size, bold=all(word.bold for word in words))
        return line

    def heads(self, line: Line) -> bool:
        """Whether a line that repeats belongs to a table that goes on over pages."""
        page = self._homes[id(line)]
        if page.number not in self._rows:
            self._rows[page.number] = rows_of(page.words)
        return heads_table(self._words[id(line)], self._rows[page.number])

    def laid(self, number: int, lines: Sequence[Line], *, usual: float) -> _Laid:
        """The page with its tables taken out of its lines."""
        page = self._pages.get(number)
        if page is None:
            return _Laid(lines=list(lines), tables={})
        words = [word for line in lines for word in self._words[id(line)] if not word.aside]
        try:
            tables = tables_of(page, words, usual=usual)
        except (ArithmeticError, LookupError, ValueError):
            return _Laid(lines=list(lines), tables={}, failed=True)
        used = frozenset[int]().union(*(table.used for table in tables))
        rest = [one for line in lines if (one := self._without(line, used, page))]
        aside = sum(word.aside and any(map(str.isdigit, word.text)) for word in page.words)
        return _Laid(
            lines=rest, tables=self._between(rest, tables, page), failed=aside >= _MANY_ASIDE
        )

    def _without(self, line: Line, used: frozenset[int], page: Page) -> Line | None:
        words = self._words[id(line)]
        rest = [word for word in words if word.at not in used]
        if len(rest) == len(words):
            return line
        return self._line(rest, page) if rest else None

    def _between(
        self, lines: Sequence[Line], tables: Sequence[OnPage], page: Page
    ) -> dict[int, list[Grid]]:
        """Tables by the line they precede: by height, or as in the file where lines go up again."""
        bottoms = [line.bottom for line in lines]
        falling = all(a >= b - 1 for a, b in pairwise(bottoms))
        found: dict[int, list[Grid]] = {}
        for table in tables:
            top = page.height - (table.grid.box.top if table.grid.box else 0.0)
            at = next(
                (
                    at
                    for at, line in enumerate(lines)
                    if (line.top < top if falling else self._words[id(line)][0].at > table.first)
                ),
                len(lines),
            )
            found.setdefault(at, []).append(_shown(table.grid, page))
        return found


def _shown(grid: Grid, page: Page) -> Grid:
    """A table of a page that was turned to be read, with boxes on the page as it is shown."""
    if not page.turned:
        return grid
    cells = (replace(one, box=page.shown(one.box)) if one.box else one for one in grid.cells)
    return replace(grid, cells=tuple(cells), box=page.shown(grid.box) if grid.box else None)


# --- parts in reading order -------------------------------------------------------------


def _parts(laid: Sequence[_Laid], *, starts: Starts, title: str) -> Iterator[Block | Grid]:
    pages = [one.lines for one in laid]
    tables = {
        (page, at): grids for page, one in enumerate(laid) for at, grids in one.tables.items()
    }
    found = pdf.paragraphs(
        pages, breaks=lambda page, at: (page, at) in starts or (page, at) in tables
    )
    words = pdf.vocabulary(pages)
    places = {id(line): (p, at) for p, lines in enumerate(pages) for at, line in enumerate(lines)}
    section = _Section(starts, title)
    waiting = sorted(tables)
    for paragraph in found:
        place = places[id(paragraph.lines[0])]
        while waiting and waiting[0] <= place:
            yield from _grids(tables[waiting[0]], section.at(waiting.pop(0), before=True))
        block = _block(paragraph, section.at(place), words=words)
        if block:
            yield block
    for place in waiting:
        yield from _grids(tables[place], section.at(place, before=True))


class _Section:
    """The headings above a place; places are asked for in their order."""

    def __init__(self, starts: Starts, title: str) -> None:
        self._starts = starts
        self._order = sorted(starts)
        self._title = title
        self._path: tuple[str, ...] = ()

    def at(self, place: tuple[int, int], *, before: bool = False) -> tuple[str, ...]:
        """The path at a place; `before` its own heading, where it has one."""
        while self._order and (self._order[0] < place or (self._order[0] == place and not before)):
            self._path = self._starts[self._order.pop(0)]
        path = self._path
        return path[1:] if path and same_heading(path[0], self._title) else path


def _grids(grids: Sequence[Grid], section: tuple[str, ...]) -> Iterator[Grid]:
    for grid in grids:
        yield replace(grid, section=section)


def _block(
    paragraph: Paragraph, section: tuple[str, ...], *, words: frozenset[str]
) -> Block | None:
    text = pdf.joined(paragraph.lines, words)
    if is_ornament(text):
        return None
    return Block(text=text, locator=Locator(section=section, page=paragraph.page + 1))


def _led(parts: Iterator[Block | Grid]) -> Iterator[Block | Grid]:
    """A sentence that leads to a table ("… as follows (in millions):") is its caption."""
    last: Block | None = None
    for part in parts:
        if isinstance(part, Block):
            if last:
                yield last
            last = part
            continue
        grid, last = _with_lead(part, last)
        if last:
            yield last
            last = None
        yield grid
    if last:
        yield last


def _with_lead(grid: Grid, before: Block | None) -> tuple[Grid, Block | None]:
    """A table with the sentence that leads to it as its caption, and the block without it."""
    if before is None or not before.text.endswith(":") or before.locator.page != grid.page:
        return grid, before
    *rest, lead = _SENTENCE.split(before.text)
    if len(lead) > _LONGEST_LEAD:
        return grid, before
    grid = replace(grid, caption=f"{lead} {grid.caption}".strip())
    return grid, replace(before, text=" ".join(rest)) if rest else None
