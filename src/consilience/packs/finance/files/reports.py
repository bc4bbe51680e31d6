"""How does a report become a document? Its prose as it stands, its tables row by row.

The reader of a format finds paragraphs and grids; grids that go on over a page are joined, each
is understood as a table, and its rows take its place in the reading order.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from consilience.errors import LoadError
from consilience.evidence.loaders.common import one_line
from consilience.packs.finance.files import markup, sheets
from consilience.packs.finance.files.about import about_of
from consilience.packs.finance.files.contents import LEFT_OUT, with_scraps, without_contents
from consilience.packs.finance.files.pdf import read_report
from consilience.packs.finance.notation.periods import read_periods, told
from consilience.packs.finance.shapes import About, Grid, Report, Table
from consilience.packs.finance.tables import items
from consilience.packs.finance.tables.continuing import joined
from consilience.packs.finance.tables.structure import understand
from consilience.types import Block, Document, Locator, Value

_BOOKS = (".xlsx", ".xlsm", ".xls")
_READERS: Mapping[str, Callable[[Path], Report]] = {
    ".pdf": read_report,
    **dict.fromkeys(_BOOKS, sheets.read_workbook),
    **dict.fromkeys((".csv", ".tsv"), sheets.read_csv),
    **dict.fromkeys((".html", ".htm", ".xhtml"), markup.read_html),
    **dict.fromkeys((".md", ".markdown"), markup.read_markdown),
}


_AMOUNTS = re.compile(
    r"(?i)\((?:(?:all )?(?:tabular )?(?:dollar )?(?:amounts?|figures?|dollars?) )?(?:are )?"
    r"(?:expressed |stated |presented )?in (?:[^()]{0,20} )?(?:thousands|millions|billions)\b"
    r"[^()]{0,160}\)"
)  # "(amounts in millions, except per share data)" in a page's head


_TABLES = re.compile(r"(?i)\bfollowing tables\b")  # the caption of several


def load(path: Path) -> Document:
    """Read a report: PDF, workbook, separated values, web page or Markdown."""
    report = read(path)
    about = about_of(report, path)
    found, listed = without_contents(list(_whole(report.parts)))
    parts = list(with_scraps(found))
    tables = dict(_tables(parts, about, sheets=path.suffix.lower() in _BOOKS))
    prose = {one_line(part.text) for part in parts if isinstance(part, Block)}
    blocks: list[Block] = []
    for at, part in enumerate(parts):
        if isinstance(part, Block):
            blocks.append(part)
        else:
            rows = items.blocks_of(tables[at], about) or [_as_text(part)]
            blocks.extend(_with_words(part, rows, prose))
    return Document(
        title=_title(report.title, about),
        kind="report",
        blocks=tuple(one for one in blocks if one.text),
        metadata={**report.metadata, **_known(about)},
        notes=(*report.notes, *([LEFT_OUT] if listed else []), *_told(list(tables.values()))),
    )


def _title(title: str, about: About) -> str:
    """The title with the time that the report is for, where it does not name any."""
    if about.period is None or any(one.period for one in read_periods(title)):
        return title
    return f"{title}, {told(about.period)}"


def _whole(parts: Sequence[Block | Grid]) -> Iterator[Block | Grid]:
    """The parts with tables that go on over pages as one, where they begin."""
    tables = deque(joined([part for part in parts if isinstance(part, Grid)]))
    for part in parts:
        if isinstance(part, Block):
            yield part
        elif tables and tables[0].cells[:1] == part.cells[:1]:
            yield tables.popleft()
    yield from tables


def _with_words(grid: Grid, rows: Sequence[Block], prose: set[str]) -> Iterator[Block]:
    """The rows of a table, with those of its own words that stand nowhere else.

    A caption is told in the sections of the rows, unless it is too long for that; notes are told
    where they stand as text, and below the rows where they are a part of the table.
    """
    place = Locator(section=grid.section, page=grid.page)
    told = any(grid.caption in one.locator.section for one in rows)
    if grid.caption and not told and one_line(grid.caption) not in prose:
        yield Block(text=grid.caption, locator=place)
    yield from rows
    notes = [one for one in grid.notes if one_line(one) not in prose]
    if notes:
        yield Block(text="\n".join(notes), locator=place)


def _as_text(grid: Grid) -> Block:
    """A table in which no row was found, as lines of text."""
    lines = groupby(grid.cells, key=lambda one: one.row)
    text = "\n".join("; ".join(one.text for one in line) for _, line in lines)
    return Block(text=text, locator=Locator(section=grid.section, page=grid.page))


def read(path: Path) -> Report:
    """A file as the reader of its format finds it."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        known = ", ".join(_READERS)
        raise LoadError(f"{path.name} is no report that can be read; give it as {known}")
    return reader(path)


def _tables(
    parts: Sequence[Block | Grid], about: About, *, sheets: bool
) -> Iterator[tuple[int, Table]]:
    """The tables by their places among the parts, named as a reader would look for them."""
    said = dict(_said(parts))
    grids = {at: part for at, part in enumerate(parts) if isinstance(part, Grid)}
    homes = {at: _home(grid, sheets=sheets) for at, grid in grids.items()}
    whole = Counter(homes.values())
    seen: Counter[str] = Counter()
    for at, grid in grids.items():
        home = homes[at]
        seen[home] += 1
        name = _name(grid, home, seen[home], alone=whole[home] == 1)
        yield at, understand(grid, about, name, said.get(at, ()))


def _said(parts: Sequence[Block | Grid]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """What the text on top of a page says all its numbers are in, by the tables of that page."""
    page: int | None = None
    said: tuple[str, ...] = ()
    for at, part in enumerate(parts):
        here = part.page if isinstance(part, Grid) else part.locator.page
        if here != page:
            page, said = here, ()
        if isinstance(part, Grid):
            yield at, said
            said = (part.caption,) if _TABLES.search(part.caption) else said
        elif here is not None and (match := _AMOUNTS.search(part.text)):
            said = (match[0],)


def _home(grid: Grid, *, sheets: bool) -> str:
    """Where a table is counted: on its page, on its sheet, or in the whole document."""
    if grid.page is not None:
        return str(grid.page)
    return grid.section[0] if sheets and grid.section else ""


def _name(grid: Grid, home: str, number: int, *, alone: bool) -> str:
    """`12.1` is the first on page 12; a sheet's only table has its name, the second `Costs 2`."""
    if grid.page is not None:
        return f"{home}.{number}"
    return home if home and alone else f"{home} {number}".strip()


def _known(about: About) -> dict[str, Value]:
    """What a report is known by: whose it is and for when."""
    known: Mapping[str, str] = {
        "company": about.company,
        "period": about.period.key if about.period else "",
    }
    return {name: value for name, value in known.items() if value}


def _told(tables: Sequence[Table]) -> list[str]:
    """How much was read of tables: `14 tables, 1,203 numbers`."""
    numbers = sum(len(row.data) for table in tables for row in table.rows)
    if not tables:
        return []
    return [f"{_counted(len(tables), 'table')}, {_counted(numbers, 'number')}"]


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"
