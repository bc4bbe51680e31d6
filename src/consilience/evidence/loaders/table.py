"""How is a table read? Row by row; each is a block of its own that can be found and cited.

The first row of a CSV file is its header. A row's text names every cell (`Country: France;
Height: 52.0`), and its metadata holds the cells as numbers, booleans and texts.

CSV: every dialect is tried on the first lines. The best gives the most lines of one width, then
the fewest stray quotes, then the most columns; of equal ones the comma comes first. A cell is a
number only where it cannot be read otherwise: `1,234` may be a thousand or a little over one. Where
another cell of the column shows which mark separates thousands (`1,234,567`, `1,234.5`), the whole
column is read that way. A column with a leading zero in some cell (`007`) holds names.

JSON Lines: a file is a table, unless one of the fields `text`, `contents`, `content` and `body` is
prose in more than half of its first 1,000 records; then each record is a block of text. A value is
prose when it has 10 words or more, or 60 characters or more without a space (Chinese, Japanese),
and is at least half of its record. Of such a record the title becomes the section, and the other
fields become metadata. A record without a text is kept as a line of its fields.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, dropwhile, islice
from pathlib import Path

from consilience.errors import LoadError
from consilience.evidence.loaders.common import (
    listed,
    one_line,
    plain,
    read_text,
    said,
    tidy,
    title_of,
)
from consilience.evidence.loaders.json_records import (
    MOST_FIELDS,
    PACKED,
    Json,
    Lines,
    Numbered,
    fault_notes,
    flatten,
    shown,
    unpacked,
)
from consilience.protocols import Format
from consilience.types import Block, Document, Locator, Scalar

_LINES = (".jsonl", ".ndjson")


def load(path: Path) -> Document:
    """Read a file of comma, semicolon, tab or pipe separated values, or of JSON objects."""
    if unpacked(path).suffix.lower() in _LINES:
        return _read_json(path)
    blocks, notes = _read_csv(path)
    return _document(path, "table", blocks, notes)


def _document(path: Path, kind: str, blocks: Sequence[Block], notes: Sequence[str]) -> Document:
    return Document(
        title=title_of(unpacked(path)),
        kind=kind,
        blocks=tuple(blocks),
        notes=(*notes, *said(path, blocks)),
    )


def _read_json(path: Path) -> Document:
    lines = Lines(path)
    records = iter(lines)
    first = list(islice(records, LOOKED_AT))
    field = text_field([record for _, record in first])
    found = chain(first, records)
    place = Locator(table=plain(unpacked(path).stem))
    blocks = list(blocks_of(found, field) if field else _rows(place, found))
    notes = [*lines.notes, *fault_notes(lines.faults)]
    return _document(path, "document" if field else "table", blocks, notes)


def _rows(place: Locator, records: Iterable[Numbered]) -> Iterable[Block]:
    for number, record in records:
        fields = flatten(record)
        text = line_of((name, shown(value)) for name, value in fields.items())
        if text:
            numbered = replace(place, row=number)
            yield Block(text=text, locator=numbered, kind="row", whole=True, metadata=fields)


# --- comma-separated values -------------------------------------------------------------


def _read_csv(path: Path) -> tuple[list[Block], list[str]]:
    rows, dialect, notes = read_rows(path)
    rows = [[tidy(cell) for cell in row] for row in rows]
    rows = list(dropwhile(lambda row: not any(row), rows))
    if not rows:
        return [], list(notes)
    _refuse_wide(path, max(map(len, rows)))
    place = Locator(table=plain(unpacked(path).stem))
    return row_blocks(rows, place, comma_decimals=dialect.delimiter != ","), [
        *notes,
        *_ragged(rows),
    ]


def row_blocks(
    rows: Sequence[Sequence[str]],
    place: Locator,
    *,
    first: int = 0,
    comma_decimals: bool = False,
) -> list[Block]:
    """A block for each row of a table under its header, the first row; `first` is its number."""
    names, body = _names(rows), rows[1:]
    styles = _styles(body, len(names), commas=comma_decimals)
    blocks = []
    for number, row in enumerate(body, start=first + 1):
        cells = [(name, cell, style) for name, cell, style in zip(names, row, styles, strict=False)]
        if any(row):
            text = line_of((name, one_line(cell)) for name, cell, _ in cells)
            fields = {name: typed(cell, style) for name, cell, style in cells if cell}
            numbered = replace(place, row=number)
            blocks.append(
                Block(text=text, locator=numbered, kind="row", whole=True, metadata=fields)
            )
    return blocks


def record_blocks(
    records: Sequence[Numbered], place: Locator, *, rows_only: bool = False
) -> list[Block]:
    """Objects as rows of a table, or as texts where most of them hold one."""
    field = "" if rows_only else text_field([record for _, record in records[:LOOKED_AT]])
    if field:
        return [
            replace(block, locator=replace(place, section=(*place.section, *block.locator.section)))
            for block in blocks_of(records, field)
        ]
    return list(_rows(place, records))


def _refuse_wide(path: Path, width: int) -> None:
    if width > MOST_FIELDS:
        raise LoadError(
            f"{path.name} has {width:,} columns, and a row may have {MOST_FIELDS:,}; keep the "
            "columns that are asked about, or write its columns as rows"
        )


def _styles(body: Sequence[Sequence[str]], width: int, *, commas: bool) -> list[Style]:
    columns: list[list[str]] = [[] for _ in range(width)]
    for row in body:
        for column, cell in zip(columns, row, strict=False):
            column.append(cell)
    return [style_of(column, comma_decimals=commas) for column in columns]


def _names(rows: Sequence[Sequence[str]]) -> list[str]:
    """Names for every column: empty ones are numbered, repeated ones counted: `Name (2)`."""
    width = max(len(row) for row in rows)
    header = [one_line(cell) for cell in rows[0]]
    names: dict[str, None] = {}
    counts: Counter[str] = Counter()
    for at in range(width):
        name = (header[at] if at < len(header) else "") or f"column {at + 1}"
        counts[name] += 1
        unique = name if counts[name] == 1 else f"{name} ({counts[name]})"
        while unique in names:
            counts[name] += 1
            unique = f"{name} ({counts[name]})"
        names[unique] = None
    return list(names)


def _ragged(rows: Sequence[Sequence[str]]) -> list[str]:
    width = len(rows[0])
    numbered = [(n, row) for n, row in enumerate(rows[1:], start=1) if any(row)]
    longer = [n for n, row in numbered if len(row) > width]
    shorter = [n for n, row in numbered if len(row) < width]
    notes = []
    if longer:
        notes.append(f"rows with more cells than the header, kept as 'column N': {listed(longer)}")
    if shorter:
        notes.append(f"rows with fewer cells than the header: {listed(shorter)}")
    return notes


LOADER = Format(
    endings=(".csv", ".tsv", *_LINES, *(ending + PACKED for ending in _LINES)),
    version=3,
    load=load,
)


LOOKED_AT = 1000  # records at the beginning of a file that decide what it holds
_TEXTS = ("text", "contents", "content", "body")
_TITLES = ("title", "heading", "headline")
_NAMES = ("name", "title")
_WORDS = 10
_LETTERS = 60


def text_field(records: Sequence[dict[str, Json]]) -> str:
    """The field that holds the texts of these records; empty when they are rows of a table."""
    for name in _TEXTS:
        if 2 * sum(_is_prose(record, name) for record in records) > len(records):
            return name
    return ""


def blocks_of(records: Iterable[Numbered], name: str) -> Iterator[Block]:
    """One block for each record that says something; `name` is the field of the texts."""
    for _, record in records:
        block = _text_block(record, name)
        if block.text:
            yield block


def _text_block(record: dict[str, Json], name: str) -> Block:
    held = record.pop(name, None)
    text = _tidy(held) if isinstance(held, str) else ""
    if held is not None and not isinstance(held, str):
        record[name] = held
    title = _title(record)
    fields = flatten(record)
    if not text:
        line = line_of((key, shown(value)) for key, value in fields.items())
        text, title = (title or line), ""
    else:
        title = title or _name(record)
    place = Locator(section=(title,)) if title else Locator()
    return Block(text=text, locator=place, whole=True, metadata=fields)


def _tidy(text: str) -> str:
    """`tidy`, without its work on a text that is tidy but for its ends, as most are."""
    return (
        text.strip() if text.isascii() and text.isprintable() and "  " not in text else tidy(text)
    )


def _title(record: dict[str, Json]) -> str:
    """The record's title, taken out of it."""
    for name in _TITLES:
        value = record.get(name)
        if isinstance(value, str) and value.strip():
            del record[name]
            return one_line(value)
    return ""


def _name(record: dict[str, Json]) -> str:
    """What the record is called, in a field that it keeps, or in one of its metadata."""
    inner = record.get("metadata")
    for fields in (record, inner if isinstance(inner, dict) else {}):
        for name in _NAMES:
            value = fields.get(name)
            if isinstance(value, str) and value.strip():
                return one_line(value)
    return ""


def _is_prose(record: dict[str, Json], name: str) -> bool:
    text = record.get(name)
    if not isinstance(text, str):
        return False
    words = text.split()
    long = len(words) >= _WORDS or max(map(len, words), default=0) >= _LETTERS
    return long and 2 * len(text) >= sum(map(_length, record.values()))


def _length(value: Json) -> int:
    """About how many characters a value takes."""
    return len(value) if isinstance(value, str) else len(repr(value))


_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 50
_LONGEST_CELL = 16_000_000


@dataclass(frozen=True, slots=True)
class Dialect:
    """The mark between cells, and whether a backslash stands before a quote inside quotes."""

    delimiter: str
    backslash: bool = False


def sniff(text: str, *, only: str = "") -> Dialect:
    """The dialect of a file; `only` fixes the delimiter."""
    sample = "\n".join(text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES])
    escapes = (False, True) if '\\"' in sample else (False,)
    tried = [Dialect(mark, escape) for mark in only or _DELIMITERS for escape in escapes]
    return max(tried, key=lambda dialect: _fitness(sample, dialect))


def rows_of(text: str, dialect: Dialect) -> list[list[str]]:
    """All rows of a text; may raise `csv.Error`."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=dialect.delimiter,
        doublequote=not dialect.backslash,
        escapechar="\\" if dialect.backslash else None,
        skipinitialspace=True,
    )
    return list(reader)


def _fitness(sample: str, dialect: Dialect) -> tuple[float, int, int]:
    try:
        rows = [row for row in rows_of(sample, dialect) if row]
    except csv.Error:
        return (0.0, 0, 0)
    width, lines = Counter(map(len, rows)).most_common(1)[0] if rows else (0, 0)
    if width < 2:
        return (0.0, 0, 0)
    stray = sum('"' in cell and "\\" in cell for row in rows for cell in row)
    return (round(lines / len(rows), 1), -stray, width)


def read_rows(path: Path) -> tuple[list[list[str]], Dialect, Sequence[str]]:
    """The rows of a file of separated values, how they are separated, and notes on its encoding."""
    text, notes = read_text(path)
    text = plain(text)
    dialect = sniff(text, only="\t" if path.suffix.lower() == ".tsv" else "")
    try:
        return rows_of(text, dialect), dialect, notes
    except csv.Error as error:
        raise LoadError(
            f"{path.name} is not a readable table: {error}; check its quotes near the end"
        ) from error


_DIGITS = 18  # more do not fit the 64-bit integers of the engines
_MAX_FLOAT = 300


@dataclass(frozen=True, slots=True)
class Style:
    """How a column writes numbers: its decimal mark, and whether the other parts thousands."""

    decimal: str = "."
    grouped: bool = False
    text: bool = False


_ZEROS = re.compile(r"-?0\d")
_WHOLE = re.compile(r"-?(?:0|[1-9]\d*)")
_POINT = re.compile(r"-?(?:0|[1-9]\d*)?\.\d+(?:[eE][+-]?\d{1,3})?")
_GROUPS = re.compile(r"-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_SURE_GROUPS = re.compile(r"-?[1-9]\d{0,2}(?:(?:,\d{3}){2,}|(?:,\d{3})+\.\d+)(?:\.\d+)?")
_SURE_COMMA = re.compile(r"-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:\.\d{3})+),(?:\d{1,2}|\d{4,})")
_SURE_ZERO_COMMA = re.compile(r"-?0,\d+")
_TRUTH = {"true": True, "false": False}
_SWAP = str.maketrans(",.", ".,")


def style_of(cells: Iterable[str], *, comma_decimals: bool) -> Style:
    """How a column writes its numbers; decimal commas only where the file may have them."""
    found = list(cells)
    if any(_ZEROS.match(cell) and cell.lstrip("-").isdigit() for cell in found):
        return Style(text=True)
    groups = any(_SURE_GROUPS.fullmatch(cell) for cell in found)
    if comma_decimals and not groups and any(_is_comma(cell) for cell in found):
        return Style(decimal=",", grouped=True)
    return Style(grouped=groups)


def _is_comma(cell: str) -> bool:
    return bool(_SURE_COMMA.fullmatch(cell) or _SURE_ZERO_COMMA.fullmatch(cell))


def typed(cell: str, style: Style = Style()) -> Scalar:  # noqa: B008 - frozen
    """A cell as a whole number, a number, true or false; else its text."""
    if cell.lower() in _TRUTH:
        return _TRUTH[cell.lower()]
    if style.text:
        return cell
    number = cell.replace("−", "-")
    number = number.translate(_SWAP) if style.decimal == "," else number
    if style.grouped and _GROUPS.fullmatch(number):
        number = number.replace(",", "")
    if _WHOLE.fullmatch(number):
        return int(number) if len(number) <= _DIGITS else cell
    if _POINT.fullmatch(number) and len(number) <= _MAX_FLOAT:
        return _finite(float(number), cell)
    return cell


def _finite(number: float, cell: str) -> Scalar:
    return number if abs(number) != float("inf") else cell


def line_of(pairs: Iterable[tuple[str, str]]) -> str:
    """A row to read: `Country: France; Height: 52.0`. Cells without text are left out."""
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def table_lines(rows: Sequence[Sequence[str]], *, header: bool = True) -> list[str]:
    """The rows of a table as lines; with a header, each cell has its column's name before it."""
    if not header or len(rows) < 2:
        return [line_of(("", cell) for cell in row) for row in rows]
    names = rows[0]
    lines = []
    for row in rows[1:]:
        padded = [*names, *[""] * (len(row) - len(names))]
        lines.append(line_of(zip(padded, row, strict=False)))
    return [line for line in lines if line]
