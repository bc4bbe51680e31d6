"""How are office files read? Texts by their headings, slides by number, sheets row by row.

Word and OpenDocument texts become HTML and are read as pages are: the title of the document is its
h1, `Heading 1` an h2. A table with a name in every column is read row by row, other tables as
lines. Of a sheet every region between empty rows is a table; rows keep the numbers of the sheet.
"""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from html import escape
from importlib import import_module
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from selectolax.lexbor import LexborNode

from consilience.errors import LoadError, MissingExtra
from consilience.evidence.loaders import html
from consilience.evidence.loaders.archive import Archive, paragraph_blocks, refuse_bomb
from consilience.evidence.loaders.common import (
    caption,
    one_line,
    plain,
    read_bytes,
    read_text,
    said,
    tidy,
    title_of,
    with_fields,
)
from consilience.evidence.loaders.json_records import MOST_FIELDS
from consilience.evidence.loaders.table import row_blocks, table_lines
from consilience.protocols import Format
from consilience.types import Block, Document, Locator, Value

MOST_CELLS = 3_000_000  # of one workbook
_UNSAVED = re.compile(rb"</f>(?:<v\s*/>|<v></v>)?</c>")
Row = tuple[int, list[str]]
"""The number of a row in its sheet, and its cells as text."""


def load(path: Path) -> Document:
    """Read an office file by the loader of its ending."""
    read_bytes(path)  # a file that cannot be opened is said plainly
    return _LOADERS[path.suffix.lower()](path)


def _library(name: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(name)
    except ImportError as error:
        raise MissingExtra("reading Word, PowerPoint, Excel and RTF files", "office") from error


def _damaged(path: Path, kind: str, error: Exception) -> LoadError:
    reason = one_line(str(error))[:200] or type(error).__name__
    return LoadError(f"{path.name} is not a readable {kind} file: {reason}; save it again")


def _document(
    path: Path,
    blocks: Iterable[Block],
    *,
    title: str = "",
    metadata: dict[str, Value] | None = None,
    notes: Sequence[str] = (),
) -> Document:
    found = with_fields(blocks, metadata or {})
    rows = bool(found) and all(block.kind == "row" for block in found)
    return Document(
        title=one_line(title) or title_of(path),
        kind="table" if rows else "document",
        blocks=found,
        notes=(*notes, *said(path, found)),
    )


def _properties(author: object, changed: object) -> dict[str, Value]:
    found: dict[str, Value] = {"author": one_line(str(author or ""))}
    found["date"] = str(changed or "")[:10]
    return {name: value for name, value in found.items() if value}


# --- texts: Word, OpenDocument, RTF -------------------------------------------------------

_STYLES = "\n".join(
    (
        "p[style-name='Title'] => h1:fresh",
        "p[style-name='Subtitle'] => p:fresh",
        *(f"p[style-name='Heading {n}'] => h{min(n + 1, 6)}:fresh" for n in range(1, 7)),
        *(f"p[style-name='heading {n}'] => h{min(n + 1, 6)}:fresh" for n in range(1, 7)),
    )
)


def _load_docx(path: Path) -> Document:
    mammoth = _library("mammoth")
    refuse_bomb(path, "Word")
    try:
        with path.open("rb") as stream:
            body = mammoth.convert_to_html(
                stream,
                style_map=_STYLES,
                convert_image=mammoth.images.img_element(lambda image: {"src": ""}),
            ).value
    except Exception as error:
        raise _damaged(path, "Word", error) from error
    with closing(Archive(path, "Word")) as archive:
        known = _core(archive.xml("docProps/core.xml")) if archive.has("docProps/core.xml") else {}
    return _from_html(path, body, known)


def _core(root: ElementTree.Element) -> dict[str, str]:
    return {_local(node): (node.text or "").strip() for node in root.iter()}


def _from_html(path: Path, body: str, known: dict[str, str]) -> Document:
    """A document from HTML and its properties; its title is its h1, else that of the properties."""
    page = f"<html><head><title>{escape(known.get('title', ''))}</title></head><body>{body}"
    document = html.read_page(page, path, tables=_TableRows(plain(path.stem)))
    changed = known.get("modified") or known.get("date", "")
    author = known.get("creator") or known.get("initial-creator")
    return replace(document, blocks=with_fields(document.blocks, _properties(author, changed)))


@dataclass(slots=True)
class _TableRows:
    """Reads tables with a name in every column row by row, and counts them."""

    name: str
    count: int = 0

    def __call__(self, node: LexborNode) -> Sequence[Block] | None:
        rows = [
            [one_line(cell.text(separator=" ")) for cell in row.css("td, th")]
            for row in node.css("tr")
        ]
        return self.read(rows)

    def read(self, rows: Sequence[Sequence[str]], **extra: int) -> Sequence[Block] | None:
        rows = [row for row in rows if any(row)]
        if len(rows) < 2 or len(rows[0]) < 2 or not all(rows[0]) or len(rows[0]) > MOST_FIELDS:
            return None
        self.count += 1
        place = Locator(table=f"{self.name} {self.count}", extra=tuple(extra.items()))
        return row_blocks(rows, place)


def _load_rtf(path: Path) -> Document:
    striprtf = _library("striprtf.striprtf")
    text, _ = read_text(path)
    if not text.lstrip().startswith("{\\rtf"):
        raise LoadError(f"{path.name} is not an RTF file: it does not begin with {{\\rtf")
    try:
        words = striprtf.rtf_to_text(text, errors="replace")
    except Exception as error:
        raise _damaged(path, "RTF", error) from error
    lines = "\n\n".join(tidy(line) for line in words.split("\n"))
    return _document(path, paragraph_blocks(lines, Locator()))


# --- OpenDocument: a zip with XML ----------------------------------------------------------

_MOST_REPEATED = 100  # empty cells and rows are repeated to the edge of the sheet
_TAGS = {"list": "ul", "list-item": "li", "table": "table", "table-row": "tr", "table-cell": "td"}
_SILENT = frozenset(("annotation", "tracked-changes", "forms", "settings", "notes", "bookmark"))


def _load_open_document(path: Path) -> Document:
    with closing(Archive(path, "OpenDocument")) as archive:
        if archive.has("META-INF/manifest.xml") and b"encryption-data" in archive.read(
            "META-INF/manifest.xml"
        ):
            raise LoadError(f"{path.name} has a password; save a copy without one")
        content = archive.xml("content.xml")
        known = _core(archive.xml("meta.xml")) if archive.has("meta.xml") else {}
    about = _properties(known.get("creator") or known.get("initial-creator"), known.get("date"))
    if path.suffix.lower() == ".ods":
        sheets = _Sheets(path)
        for table in _all(content, "table"):
            sheets.add(_attribute(table, "name"), _open_rows(table))
        return _document(
            path, sheets.blocks(), title=known.get("title", ""), metadata=about, notes=sheets.notes
        )
    slides = list(_all(content, "page"))
    if not slides:
        return _from_html(path, "".join(_markup(content)), known)
    tables, blocks = _TableRows(plain(path.stem)), list[Block]()
    for number, slide in enumerate(slides, start=1):
        found = html.read_blocks("".join(_markup(slide)), tables=tables)
        blocks += _on_slide(number, found, title=next((b.text for b in found), ""))
    return _document(path, blocks, title=known.get("title", ""), metadata=about)


def _local(node: ElementTree.Element) -> str:
    return node.tag.rpartition("}")[2]


def _attribute(node: ElementTree.Element, name: str) -> str:
    return next((v for key, v in node.attrib.items() if key.rpartition("}")[2] == name), "")


def _all(root: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    return (node for node in root.iter() if _local(node) == name)


def _markup(node: ElementTree.Element) -> Iterator[str]:
    """An element of OpenDocument as HTML."""
    name, tag = _local(node), ""
    if name in _SILENT:
        return
    if name == "h":
        tag = f"h{min(int(_attribute(node, 'outline-level') or 1) + 1, 6)}"
    elif name == "p":
        tag = "h1" if _attribute(node, "style-name") == "Title" else "p"
    elif name in _TAGS:
        tag = _TAGS[name]
    yield f"<{tag}>" if tag else {"s": " ", "tab": " ", "line-break": "<br>"}.get(name, "")
    yield escape(node.text or "")
    for child in node:
        yield from _markup(child)
        yield escape(child.tail or "")
    yield f"</{tag}>" if tag else ""


def _open_rows(table: ElementTree.Element) -> Iterator[Row]:
    number = 0
    for row in _all(table, "table-row"):
        cells: list[str] = []
        for cell in row:
            text = _open_value(cell)
            times = int(_attribute(cell, "number-columns-repeated") or 1)
            cells.extend([text] * (times if text and times <= MOST_FIELDS else min(times, 50)))
        times = int(_attribute(row, "number-rows-repeated") or 1)
        for _ in range(min(times, _MOST_REPEATED) if any(cells) else 1):
            number += 1
            yield number, cells
        number += times - 1 if not any(cells) else 0


def _open_value(cell: ElementTree.Element) -> str:
    """A cell's value; dates and numbers as they are kept, not as they are formatted."""
    value = _attribute(cell, "date-value") or (
        _attribute(cell, "value") if _attribute(cell, "value-type") != "string" else ""
    )
    return value or " ".join("".join(part.itertext()) for part in _all(cell, "p")).strip()


# --- slides: PowerPoint --------------------------------------------------------------------


def _load_pptx(path: Path) -> Document:
    pptx = _library("pptx")
    refuse_bomb(path, "PowerPoint")
    tables, blocks = _TableRows(plain(path.stem)), list[Block]()
    try:
        deck = pptx.Presentation(str(path))
        for number, slide in enumerate(deck.slides, start=1):
            head = slide.shapes.title
            title = one_line(head.text_frame.text) if head is not None else ""
            shapes = [shape for shape in slide.shapes if head is None or shape != head]
            found = [block for shape in shapes for block in _shape_blocks(shape, tables)]
            if slide.has_notes_slide and (words := slide.notes_slide.notes_text_frame):
                found += paragraph_blocks(
                    f"Notes: {words.text}" if words.text.strip() else "", Locator()
                )
            blocks += _on_slide(number, found, title=title)
        known = deck.core_properties
        about, name = _properties(known.author, known.modified), known.title
    except Exception as error:
        raise _damaged(path, "PowerPoint", error) from error
    first = blocks[0].locator.section[:1] if blocks else ()
    if name == "PowerPoint Presentation":
        name = ""
    return _document(path, blocks, title=name or "".join(first), metadata=about)


def _on_slide(number: int, found: Sequence[Block], *, title: str) -> Iterator[Block]:
    """The blocks of a slide under its title; a slide of nothing but a title says that."""
    section = (title,) if title else ()
    for block in found or ([Block(text=title)] if title else []):
        place = replace(block.locator, section=section, extra=(("slide", number),))
        yield replace(block, locator=place)


def _shape_blocks(shape: Any, tables: _TableRows) -> Iterator[Block]:
    if getattr(shape, "shapes", None) is not None:  # a group
        for inner in shape.shapes:
            yield from _shape_blocks(inner, tables)
    elif getattr(shape, "has_table", False) and shape.has_table:
        rows = [[one_line(cell.text) for cell in row.cells] for row in shape.table.rows]
        yield from _table_blocks(rows, tables)
    elif getattr(shape, "has_chart", False) and shape.has_chart:
        plot = next(iter(shape.chart.plots), None)
        if plot is not None:
            series = [(str(one.name or "value"), list(one.values)) for one in plot.series]
            rows = [["", *(name for name, _ in series)]]
            rows[0][0] = "category"
            for at, category in enumerate(plot.categories):
                rows.append([str(category), *(str(values[at]) for _, values in series)])
            yield from _table_blocks(rows, tables)
    elif shape.has_text_frame:
        lines = [
            f"{'  ' * (part.level - 1)}- {words}" if part.level else words
            for part in shape.text_frame.paragraphs
            if (words := one_line(part.text))
        ]
        if lines:
            yield Block(text="\n".join(lines))
    elif words := caption(str(shape._element.xpath("string(.//p:cNvPr/@descr)"))):
        yield Block(text=words)


def _table_blocks(rows: Sequence[Sequence[str]], tables: _TableRows) -> Sequence[Block]:
    found = tables.read(rows)
    return found or [Block(text=text) for text in ["\n".join(table_lines(rows))] if text.strip()]


# --- sheets: Excel -------------------------------------------------------------------------


@dataclass(slots=True)
class _Sheets:
    """Collects the sheets of a workbook: regions between empty rows are tables."""

    path: Path
    notes: list[str] = field(default_factory=list)
    _sheets: list[tuple[str, list[list[Row]]]] = field(default_factory=list)
    _left: int = MOST_CELLS

    def add(self, name: str, rows: Iterable[Row]) -> None:
        """Take a sheet; what is over the bounds is cut, and that is noted."""
        kept: list[Row] = []
        for number, cells in rows:
            texts = [tidy(cell) for cell in cells]
            while texts and not texts[-1]:
                texts.pop()
            self._left -= len(texts)
            if self._left < 0 or len(texts) > MOST_FIELDS:
                self.notes.append(f"sheet {name}: rows from {number} on are too many or too wide")
                break
            kept.append((number, texts))
        self._sheets.append((one_line(plain(name)), _regions(kept)))

    def blocks(self) -> Iterator[Block]:
        """The rows and lines of all sheets."""
        several = sum(bool(regions) for _, regions in self._sheets) > 1
        for name, regions in self._sheets:
            tables = 0
            for region in regions:
                while region and len([cell for cell in region[0][1] if cell]) < 2:
                    number, cells = region.pop(0)
                    place = Locator(section=(name,), row=number)
                    yield Block(text=" ".join(filter(None, cells)), locator=place)
                if not region:
                    continue
                tables += 1
                parts = [plain(self.path.stem), name if several else "", str(tables)]
                table = " ".join(filter(None, parts[: 3 if tables > 1 else 2]))
                place = Locator(section=(name,), table=table)
                yield from _region_blocks(region, place)


def _regions(rows: Sequence[Row]) -> list[list[Row]]:
    groups = groupby(rows, key=lambda row: any(row[1]))
    return [list(group) for filled, group in groups if filled]


def _region_blocks(region: Sequence[Row], place: Locator) -> Iterator[Block]:
    """The rows of a table without the columns that are empty in all of it."""
    width = max(len(cells) for _, cells in region)
    padded = [[*cells, *[""] * (width - len(cells))] for _, cells in region]
    used = [at for at in range(width) if any(row[at] for row in padded)]
    rows = [[row[at] for at in used] for row in padded]
    if len(rows) == 1:
        number = region[0][0]
        yield Block(text="; ".join(filter(None, rows[0])), locator=replace(place, row=number))
    else:
        yield from row_blocks(rows, place, first=region[0][0])


def _load_xlsx(path: Path) -> Document:
    openpyxl = _library("openpyxl")
    refuse_bomb(path, "Excel")
    sheets, empty = _Sheets(path), 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with closing(openpyxl.load_workbook(path, read_only=True, data_only=True)) as book:
                for sheet in book.worksheets:
                    sheet.reset_dimensions()
                    sheets.add(
                        sheet.title,
                        (
                            (number, [_cell_text(value) for value in row])
                            for number, row in enumerate(sheet.iter_rows(values_only=True), start=1)
                        ),
                    )
                known = book.properties
                about, title = _properties(known.creator, known.modified), known.title
            empty = _formulas_without_value(path)
    except Exception as error:
        raise _damaged(path, "Excel", error) from error
    if empty:
        sheets.notes.append(f"{empty} formulas hold no saved value; open and save the file once")
    return _document(path, sheets.blocks(), title=title or "", metadata=about, notes=sheets.notes)


def _formulas_without_value(path: Path) -> int:
    """How many formulas were saved by a program that does not compute them."""
    with zipfile.ZipFile(path) as packed:
        names = [name for name in packed.namelist() if name.startswith("xl/worksheets/sheet")]
        return sum(len(_UNSAVED.findall(packed.read(name))) for name in names)


def _cell_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, datetime | date | time):
        return value.isoformat(*([" "] if isinstance(value, datetime) else []))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


def _load_xls(path: Path) -> Document:
    xlrd = _library("xlrd")
    sheets = _Sheets(path)
    try:
        with xlrd.open_workbook(str(path), on_demand=True, logfile=StringIO()) as book:
            for sheet in book.sheets():
                sheets.add(
                    sheet.name,
                    (
                        (at + 1, [_old_text(xlrd, book, cell) for cell in sheet.row(at)])
                        for at in range(sheet.nrows)
                    ),
                )
    except Exception as error:
        raise _damaged(path, "Excel", error) from error
    return _document(path, sheets.blocks(), notes=sheets.notes)


def _old_text(xlrd: Any, book: Any, cell: Any) -> str:
    if cell.ctype == xlrd.XL_CELL_DATE:
        return _cell_text(xlrd.xldate_as_datetime(cell.value, book.datemode))
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return _cell_text(bool(cell.value))
    return _cell_text(cell.value) if cell.ctype != xlrd.XL_CELL_ERROR else ""


_LOADERS: dict[str, Callable[[Path], Document]] = {
    ".docx": _load_docx,
    ".pptx": _load_pptx,
    **dict.fromkeys((".xlsx", ".xlsm"), _load_xlsx),
    ".xls": _load_xls,
    **dict.fromkeys((".odt", ".ods", ".odp"), _load_open_document),
    ".rtf": _load_rtf,
}
LOADER = Format(endings=tuple(_LOADERS), version=1, load=load)
