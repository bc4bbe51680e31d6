"""How is a spreadsheet read? Every sheet as tables and text, every number as it is meant.

Cells come as their number formats show them (see `shown`): what a reader of the sheet would see;
the number with all its digits is kept beside. Hidden sheets are read too and named in the notes. A
workbook holds at most `MOST_CELLS` cells here; what is over the bounds of a sheet is cut, and that
is said.
"""

from __future__ import annotations

import re
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from importlib import import_module
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from consilience.errors import LoadError
from consilience.evidence.loaders.common import one_line, read_bytes, said, title_of
from consilience.evidence.loaders.table import read_rows
from consilience.evidence.size_limits import short
from consilience.packs.finance.extra import needed
from consilience.packs.finance.files.regions import is_figure, parts_of
from consilience.packs.finance.files.shown import exact, shown
from consilience.packs.finance.notation.values import NO_VALUE
from consilience.packs.finance.shapes import Cell, Grid, Report
from consilience.types import Block, Value

MOST_ROWS = 100_000
"""Rows of one sheet that are read."""
MOST_COLUMNS = 512
"""Columns of one sheet that are read."""
MOST_CELLS = 1_000_000
"""Cells of one file that are read, over all sheets."""
MOST_BYTES = 300_000_000
"""To how much a workbook may unpack."""
MOST_RATIO = 200
_SMALL = 20_000_000  # a small file may be packed as well as it likes
_OLD = b"\xd0\xcf\x11\xe0"  # the container of .xls, and of workbooks with a password
_OPENING = 12
_LETTER = 120  # letters of a line of the opening
_INDENT = 9.0  # points of one step of indentation
_SPACE = 3.0  # points of a space before a label
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
_UNCOUNTED = re.compile(
    rb"<(?:\w+:)?c\s(?P<of>[^<>]*)>\s*<(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_PLACE = re.compile(rb'\br="([A-Z]{1,3})(\d{1,7})"')
_TEXT = re.compile(rb'\bt="str"')  # a formula that gives an empty text has a value
_DECLARED = re.compile(rb"<!(?:ENTITY|DOCTYPE)")
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)
_BROKEN = (KeyError, TypeError, IndexError, AttributeError, SyntaxError, OverflowError)
_COPY = "save a copy as .xlsx without a password"
_TOOLS = {"openpyxl", "microsoft office user", "xlsxwriter", "apache poi", "unknown"}


@dataclass(slots=True)
class _Count:
    """How much of a file was read, and what had to be left."""

    left: int = MOST_CELLS
    uncounted: int = 0
    notes: list[str] = field(default_factory=list)

    def told(self) -> list[str]:
        """All that the reader should know."""
        if not self.uncounted:
            return self.notes
        lost = f"formulas without a value in the file: {self.uncounted:,}"
        return [*self.notes, f"{lost}; open it in a spreadsheet program and save it there"]


def read_workbook(path: Path) -> Report:
    """The sheets of an XLSX file: tables, and the texts around them."""
    data = read_bytes(path)
    with _archive(data, path) as archive, closing(_opened(data, path.name)) as book:
        count = _Count()
        try:
            found = list(_sheets(book, archive, count))
            metadata, title = _properties(book)
        except (*_DAMAGED, *_BROKEN) as error:
            raise LoadError(f"{path.name} cannot be read: {error}; save it again") from error
    return Report(
        title=short(title) or title_of(path),
        parts=tuple(found),
        opening=opening_of(found),
        metadata=metadata,
        notes=(*count.told(), *said(path, found)),
    )


def _sheets(book: Any, archive: zipfile.ZipFile, count: _Count) -> Iterator[Block | Grid]:
    for sheet in book.worksheets:
        name = one_line(sheet.title)
        if sheet.sheet_state != "visible":
            count.notes.append(f"sheet {name!r} is hidden; it was read all the same")
        data = archive.read(getattr(sheet, "_worksheet_path", "").lstrip("/"))
        lost = _uncounted(data)
        count.uncounted += len(lost)
        merged = {one[0]: one for one in map(_range, _MERGED.finditer(data))}
        del data
        cells = _bounded(_rows(sheet, lost), count, f"sheet {name!r}")
        spread = (_spread(cell, merged.get((cell.row, cell.column))) for cell in cells)
        yield from parts_of(spread, section=(name,))


def read_csv(path: Path) -> Report:
    """A file of separated values: one table or more, with the lines above them as captions."""
    rows, _, notes = read_rows(path)
    count = _Count()
    found = parts_of(_bounded(map(_separated, rows), count, path.name))
    return Report(
        title=title_of(path),
        parts=tuple(found),
        opening=opening_of(found),
        notes=(*notes, *count.notes, *said(path, found)),
    )


def opening_of(parts: Iterable[Block | Grid]) -> tuple[str, ...]:
    """The first lines of a report: sections, captions and short texts, in reading order."""
    lines: dict[str, None] = {}
    for part in islice(parts, _OPENING):
        if isinstance(part, Grid):
            lines.update(dict.fromkeys((*part.section, *part.caption.split(" – "))))
        else:
            lines.update(dict.fromkeys((*part.locator.section, *part.text.split("\n"))))
    return tuple(islice((one for one in lines if 0 < len(one) <= _LETTER), _OPENING))


# --- cells ------------------------------------------------------------------------------

_Placed = tuple[int, Cell]
_Corner = tuple[int, int]


def _bounded(rows: Iterable[Iterable[_Placed]], count: _Count, name: str) -> Iterator[Cell]:
    """The cells of so many rows and columns as are read, with their places."""
    wide = False
    for at, row in enumerate(rows):
        if at >= MOST_ROWS or count.left <= 0:
            count.notes.append(f"{name}: only the first {at:,} rows were read")
            break
        for column, cell in row:
            if column >= MOST_COLUMNS:
                wide = wide or bool(cell.text)
            elif cell.text:
                count.left -= 1
                yield replace(cell, row=at, column=column)
    if wide:
        count.notes.append(f"{name}: only the first {MOST_COLUMNS:,} columns were read")


def _separated(row: Iterable[str]) -> Iterator[_Placed]:
    """The cells of a row of separated values."""
    for at, text in enumerate(row):
        inset = len(text) - len(text.lstrip())
        yield at, Cell(text=one_line(text), row=0, column=0, indent=_SPACE * inset)


def _rows(sheet: Any, lost: frozenset[_Corner]) -> Iterator[Iterable[_Placed]]:
    """The cells of a sheet row by row; what the file says of its own size may be wrong.

    A formula without a value, at a place of `lost`, is a cell that says so, where it stands
    behind the label of its row: the row is still one.
    """
    sheet.reset_dimensions()
    rows = sheet.iter_rows(max_row=MOST_ROWS + 1, max_col=MOST_COLUMNS + 1)
    for number, row in enumerate(rows):
        found = [(at, _cell(one)) for at, one in enumerate(row) if one.value is not None]
        if lost and found and not _heads(found):
            behind = range(found[0][0] + 1, len(row))
            places = (at for at in behind if (number, at) in lost)
            found += [(at, Cell(text=NO_VALUE, row=0, column=0)) for at in places]
        yield sorted(found, key=lambda one: one[0])


def _heads(row: Sequence[_Placed]) -> bool:
    """Whether a row may be headings: two texts or more, and no number; one lost is not missed."""
    return len(row) > 1 and not any(is_figure(cell.text) for _, cell in row)


def _uncounted(data: bytes) -> frozenset[_Corner]:
    """Where a sheet has formulas whose values nobody has counted, from 0."""
    found = [one["of"] for one in _UNCOUNTED.finditer(data)]
    places = [_PLACE.search(one) for one in found if not _TEXT.search(one)]
    return frozenset((int(one[2]) - 1, _number(one[1]) - 1) for one in places if one)


def _cell(cell: Any) -> Cell:
    value = cell.value
    inset = len(value) - len(value.lstrip()) if isinstance(value, str) else 0
    step = float(getattr(cell.alignment, "indent", 0) or 0)
    return Cell(
        text=shown(value, cell.number_format),
        row=0,
        column=0,
        indent=_INDENT * step + _SPACE * inset,
        bold=bool(getattr(cell.font, "b", False)),
        exact=exact(value, cell.number_format),
    )


def _spread(cell: Cell, size: tuple[_Corner, _Corner] | None) -> Cell:
    """A cell with the rows and columns that it is merged over."""
    return replace(cell, rows=size[1][0], columns=size[1][1]) if size else cell


def _range(found: re.Match[bytes]) -> tuple[_Corner, _Corner]:
    """Where merged cells begin, and how many rows and columns they go over, within bounds."""
    left, right = (_number(found[at]) for at in (1, 3))
    top, bottom = int(found[2]), int(found[4])
    rows = min(max(1, bottom - top + 1), MOST_ROWS)
    return (top - 1, left - 1), (rows, min(max(1, right - left + 1), MOST_COLUMNS))


def _number(letters: bytes) -> int:
    """The number of a column by its letters: A is 1, AA is 27."""
    number = 0
    for letter in letters[:3]:
        number = 26 * number + letter - 64
    return number


# --- the file ---------------------------------------------------------------------------


def _archive(data: bytes, path: Path) -> zipfile.ZipFile:
    """The file as a zip; other formats, passwords and bombs are refused."""
    if path.suffix.lower() == ".xls":
        raise LoadError(f"{path.name} is in the old format of Excel; save it as .xlsx")
    if data.startswith(_OLD):
        raise LoadError(f"{path.name} needs a password, or is in an old format; {_COPY}")
    try:
        archive = zipfile.ZipFile(BytesIO(data))
        _refuse_bombs(path, archive)
    except _DAMAGED as error:
        raise LoadError(f"{path.name} is not a workbook: {error}; save it as .xlsx") from error
    return archive


def _refuse_bombs(path: Path, archive: zipfile.ZipFile) -> None:
    infos = archive.infolist()
    size = sum(info.file_size for info in infos)
    packed = max(1, sum(info.compress_size for info in infos))
    if size > MOST_BYTES or (size > _SMALL and size / packed > MOST_RATIO):
        raise LoadError(
            f"{path.name} would unpack to {size // 1_000_000} MB from {packed // 1000} kB; "
            "split it into smaller workbooks"
        )
    for info in infos:
        if info.flag_bits & 1:
            raise LoadError(f"{path.name} needs a password; {_COPY}")
        if info.filename.endswith((".xml", ".rels")):
            with archive.open(info) as stream:
                if _DECLARED.search(stream.read(4096)):
                    raise LoadError(f"{path.name} declares entities; refused as unsafe")


def _opened(data: bytes, name: str) -> Any:
    needed()
    load_workbook = import_module("openpyxl").load_workbook
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and validations, which nobody asks for here
        try:
            return load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        except Exception as error:  # a damaged part fails in any way
            raise LoadError(
                f"{name} is not a readable workbook: {error}; save it again as .xlsx"
            ) from error


def _properties(book: Any) -> tuple[dict[str, Value], str]:
    """What a workbook says of itself: who made it and for which company, and its title."""
    told = book.properties
    found: dict[str, Value] = {}
    for name, value in (("author", told.creator), ("subject", told.subject)):
        words = one_line(str(value or ""))
        if words and words.lower() not in _TOOLS:
            found[name] = words
    return found, one_line(str(told.title or ""))
