"""How does a report become a document? Its prose as it stands, its tables row by row.

The reader of a format finds paragraphs and grids; grids that go on over a page are joined, each
is understood as a table, and its rows take its place in the reading order.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path

from consilience.errors import LoadError
from consilience.evidence.loaders import pdf as pdf_loader
from consilience.evidence.loaders.common import one_line, same_heading
from consilience.packs.finance.data_model import About, Grid, Report, Table
from consilience.packs.finance.files import markup, sheets
from consilience.packs.finance.files.front_matter import about_of
from consilience.packs.finance.files.pdf import read_report
from consilience.packs.finance.notation.periods import read_periods, told
from consilience.packs.finance.tables import items
from consilience.packs.finance.tables.continuation import joined
from consilience.packs.finance.tables.structure import understand
from consilience.types import Block, Document, Locator, Value

# --- which parts of a report are no evidence? ---

LEFT_OUT = "the table of contents is left out"
"""The note of a report whose table of contents is no part of the document."""
_Part = Block | Grid
_HEADING = re.compile(
    r"(?i)(?:table of )?contents|inhalt(?:sverzeichnis|sübersicht)?|sommaire|table des matières|"
    r"[íi]ndice|sum[áa]rio|sommario|inhoud(?:sopgave)?|innehåll|index"
)
_PAGE = re.compile(r"(?i)\s+(?:page|seite|pagina|página)(?:\s+part\s+[ivx\d]+)?$")
_ENTRY = re.compile(r"(?P<text>\S.*?)(?P<lead>[\s.·…_]+)(?P<page>\d{1,3})")
_LEADERS = re.compile(r"[·…]|(?:[._]\s?){3,}")
_ENDS = re.compile(r"[.!?:;,]$")
_FIRST = 10  # pages at the beginning that may hold a table of contents
_SCRAP = 12  # words of headings that stand alone
_SHORT = 8  # words of a line between the entries


def without_contents(parts: Sequence[_Part]) -> tuple[list[_Part], bool]:
    """The parts without those of a table of contents, and whether there was one."""
    kept: list[_Part] = []
    lost = False
    for _, group in groupby(parts, key=_page):
        some = list(group)
        left = _without(some)
        lost = lost or len(left) < len(some)
        kept.extend(left)
    return (kept, True) if lost and any(map(_says, kept)) else (list(parts), False)


def _says(part: _Part) -> bool:
    return isinstance(part, Grid) or bool(part.text)


def _page(part: _Part) -> int | None:
    return part.page if isinstance(part, Grid) else part.locator.page


def _without(parts: Sequence[_Part]) -> list[_Part]:
    """The parts of one page without its table of contents."""
    page = _page(parts[0])
    if page is not None and page > _FIRST:
        return list(parts)
    head = next((at for at, one in enumerate(parts) if page is not None and _heads(one)), None)
    out: set[int] = set()
    last = 0
    for at, part in enumerate(parts):
        headed = head is not None and at > head
        pages = _entries(part, headed=headed)
        if pages and pages[0] >= last:
            out.add(at)
            last = pages[-1]
    if head is not None and out:
        between = range(head, max(out))
        out.update(at for at in between if at == head or _is_label(parts[at]))
    return [part for at, part in enumerate(parts) if at not in out]


def _heads(part: _Part) -> bool:
    return isinstance(part, Block) and bool(_HEADING.fullmatch(_PAGE.sub("", part.text.strip())))


def _is_label(part: _Part) -> bool:
    """Whether a text between entries is a word over them: `Page`, `Part II`."""
    if not isinstance(part, Block) or part.kind:
        return False
    return len(part.text.split()) <= _SHORT and not _ENDS.search(part.text.rstrip(". "))


def _entries(part: _Part, *, headed: bool) -> list[int]:
    """The pages that a part lists, in its order; none where it is no list of them.

    Under the heading of a table of contents lines need no leaders; a few may name no page.
    """
    if isinstance(part, Grid):
        lines = _lines(part) if headed else []
    else:
        lines = [] if part.kind else [line.strip() for line in part.text.split("\n")]
    found = [match for line in lines if (match := _ENTRY.fullmatch(line))]
    led = [match for match in found if _LEADERS.search(match["lead"])]
    pages = [int(match["page"]) for match in found]
    if not pages or any(a > b for a, b in pairwise(pages)):
        return []
    if len(led) >= max(2, 0.8 * len(lines)) or (headed and led):
        return pages
    return pages if headed and len(found) >= 0.6 * len(lines) else []


def _lines(grid: Grid) -> list[str]:
    """The rows of a table as lines."""
    rows = groupby(grid.cells, key=lambda cell: cell.row)
    return [" ".join(cell.text for cell in row) for _, row in rows]


# --- headings that stand alone ----------------------------------------------------------


def with_scraps(parts: Sequence[_Part]) -> Iterator[_Part]:
    """The parts; headings with nothing under them are the first lines of what follows them."""
    waiting: list[Block] = []
    for group in _runs(parts):
        first = group[0]
        if isinstance(first, Block) and waiting and _page(first) == _page(waiting[-1]):
            lines = [one.text for one in waiting if not _is_in(one.text, first.locator.section)]
            group[0] = replace(first, text="\n".join((*lines, first.text)))
        else:
            yield from waiting
        waiting = []
        if _is_scrap(group):
            waiting = [one for one in group if isinstance(one, Block)]
        else:
            yield from group
    yield from waiting


def _runs(parts: Sequence[_Part]) -> Iterator[list[_Part]]:
    """The parts in runs under one heading."""
    for _, group in groupby(parts, key=_contents_home):
        yield list(group)


def _contents_home(part: _Part) -> tuple[bool, tuple[str, ...]]:
    """Whether a part is text, and the headings above it."""
    if isinstance(part, Grid):
        return False, part.section
    return not part.kind, part.locator.section


def _is_scrap(group: Sequence[_Part]) -> bool:
    texts = [one.text for one in group if isinstance(one, Block) and not one.kind]
    if len(texts) < len(group) or any(_ENDS.search(text.rstrip()) for text in texts):
        return False
    return sum(len(text.split()) for text in texts) <= _SCRAP


def _is_in(text: str, section: Sequence[str]) -> bool:
    return any(same_heading(text, one) for one in section)


# --- how does a file become a report? ---

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
    try:
        report = read(path)
    except pdf_loader.NoText:
        return pdf_loader.load(path)  # a scan: there is OCR for all packs
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
        raise LoadError(f"{path.name} is not a report that can be read; give it as {known}")
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
