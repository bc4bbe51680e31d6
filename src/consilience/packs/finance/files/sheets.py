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
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from importlib import import_module
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from consilience.errors import LoadError
from consilience.evidence.loaders.common import one_line, read_bytes, said, title_of
from consilience.evidence.loaders.table import read_rows
from consilience.evidence.size_limits import short
from consilience.packs.finance.data_model import Cell, Grid, Report
from consilience.packs.finance.extra import needed
from consilience.packs.finance.files.regions import is_figure, parts_of
from consilience.packs.finance.notation.values import NO_VALUE
from consilience.types import Block, Value

# --- what does a cell of a workbook say? ---

_EXACT = Context(prec=15)  # digits that a spreadsheet keeps
_SHORT = Context(prec=10, rounding=ROUND_HALF_UP)  # digits shown where no format says how many
_WIDE = Context(prec=400)
_GROUP = 3  # decimals: `1.234` could be a thousand elsewhere
_MOST = 30  # decimals of a format
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[0-9A-Fa-f]+)?\]")
_BRACKETED = re.compile(r"\[[^\]]*\]")  # colours and conditions
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|_.|\*.')
_DIGITS = re.compile(r"[#0?][#0?,.]*")
_SCALED = re.compile(r"[#0?](,+)(?![#0?])")
_DECIMALS = re.compile(r"\.([0#?]*)")
_DAY = re.compile(r"d", re.IGNORECASE)
_MONTH = re.compile(r"m", re.IGNORECASE)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_FORMAT = 255  # letters of a number format; a spreadsheet allows no more
_LONGEST = 40  # characters of a number; longer ones are written with an exponent


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    """One section of a number format: how it groups, scales, and what it writes around."""

    before: str = ""
    after: str = ""
    least: int = 0
    decimals: int = 0
    grouped: bool = False
    percent: bool = False
    thousands: int = 0
    general: bool = False


def shown(value: object, number_format: str = "General") -> str:
    """A cell's value as text; an empty one is an empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime | date):
        return _dated(value, number_format or "")
    if isinstance(value, int | float | Decimal):
        return _numbered(value, number_format or "General")
    if isinstance(value, time | timedelta):
        return str(value)
    return one_line(str(value))


# --- numbers ----------------------------------------------------------------------------


def exact(value: object, number_format: str = "General") -> str:
    """The number that a cell shows, with all its digits; empty where the text has them all."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return ""
    number, style, _ = _scaled(value, number_format or "General")
    if not number.is_finite():
        return ""
    rounded = _rounded(number, style)
    clear = rounded == number and _decimals(rounded, style) != _GROUP
    return "" if clear else f"{number.normalize():f}"


def _scaled(value: float | Decimal, number_format: str) -> tuple[Decimal, _Style, bool]:
    """The number as it is shown, its style, and whether that style is one of negative numbers."""
    number = _EXACT.create_decimal(str(value))
    sections = _sections(number_format[:_FORMAT])
    signed = number.is_signed() and bool(number) and len(sections) > 1
    style = _style(sections[1] if signed else sections[0])
    if number.is_finite():
        number = number * (100 if style.percent else 1) / (Decimal(1000) ** style.thousands)
    return number, style, signed


def _numbered(value: float | Decimal, number_format: str) -> str:
    number, style, signed = _scaled(value, number_format)
    if not number.is_finite():
        return ""
    body = _written(abs(number) if signed else number, style)
    if signed and not re.search(r"[-−(]", style.before):
        body = f"-{body}"  # negative by its colour only
    return one_line(f"{style.before}{body}{style.after}")


def _written(number: Decimal, style: _Style) -> str:
    number = _rounded(number, style)
    mark = "," if style.grouped else ""
    text = f"{number:{mark}.{_decimals(number, style)}f}"
    return text if len(text) <= _LONGEST else f"{number.normalize():E}"


def _rounded(number: Decimal, style: _Style) -> Decimal:
    """A number as far as its style shows it; one without a format has so many digits in all."""
    if not style.general:
        step = Decimal(1).scaleb(-style.decimals)
        return number.quantize(step, ROUND_HALF_UP, _WIDE)
    return number if number == number.to_integral_value() else _SHORT.plus(number)


def _decimals(number: Decimal, style: _Style) -> int:
    exponent = number.normalize().as_tuple().exponent
    own = max(0, -exponent) if isinstance(exponent, int) else 0
    return own if style.general else max(own, style.least)


@lru_cache(maxsize=1024)
def _sections(number_format: str) -> list[str]:
    """The sections of a format, for positive, negative and zero; marks inside quotes part none."""
    return re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', number_format)


@lru_cache(maxsize=1024)
def _style(section: str) -> _Style:
    if section.strip().lower() in ("general", "", "@"):
        return _Style(general=True)
    plain = _BRACKETED.sub("", _CURRENCY.sub(lambda found: f'"{found[1]}"', section))
    held = _LITERAL.sub(" ", plain)
    place = _DIGITS.search(_LITERAL.sub(lambda found: " " * len(found[0]), plain))
    if place is None:
        return _Style(general=True)
    code = place[0]
    decimals = _DECIMALS.search(code)
    scaled = _SCALED.search(code)
    return _Style(
        before=_said(plain[: place.start()]),
        after=_said(plain[place.end() :]),
        least=decimals[1].count("0") if decimals else 0,
        decimals=min(len(decimals[1]), _MOST) if decimals else 0,
        grouped="," in code[: scaled.start(1)] if scaled else "," in code,
        percent="%" in held,
        thousands=len(scaled[1]) if scaled else 0,
    )


def _said(part: str) -> str:
    """What a part of a format writes as it is: quoted words, currency signs, brackets."""
    found = _LITERAL.sub(lambda match: match[1] or match[2] or " ", part)
    return re.sub(r"[#0?@]|[Ee][+-]0*", "", found)


# --- dates ------------------------------------------------------------------------------


def _dated(value: date, number_format: str) -> str:
    code = _LITERAL.sub("", _BRACKETED.sub("", number_format[:_FORMAT]))
    month = _MONTHS[value.month - 1]
    if _DAY.search(code) or not re.search(r"y", code, re.IGNORECASE):
        return f"{value.day} {month} {value.year}"
    return f"{month} {value.year}" if _MONTH.search(code) else f"{value.year}"


# --- which sheets does a workbook have? ---

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
