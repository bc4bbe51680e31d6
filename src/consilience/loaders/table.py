"""How is a table read? Row by row; each is a whole block that can be found and cited.

The first row of a CSV file is its header. A row's text names every cell (`Country: France;
Height: 52.0`), and its metadata holds the cells as numbers, truths and texts. Lines of JSON are
rows too, unless `_texts` finds that they hold texts: those become a document of prose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, dropwhile, islice
from pathlib import Path

from consilience.errors import LoadError
from consilience.loaders._cells import Style, line_of, style_of, typed
from consilience.loaders._dialect import read_rows
from consilience.loaders._records import (
    MOST_FIELDS,
    PACKED,
    Lines,
    Numbered,
    fault_notes,
    flatten,
    shown,
    unpacked,
)
from consilience.loaders._text import listed, one_line, plain, said, tidy, title_of
from consilience.loaders._texts import LOOKED_AT, blocks_of, text_field
from consilience.protocols import Format
from consilience.types import Block, Document, Locator, Metadata

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


def _block(path: Path, number: int, *, text: str, fields: Metadata) -> Block:
    place = Locator(table=plain(unpacked(path).stem), row=number)
    return Block(text=text, locator=place, kind="row", whole=True, metadata=fields)


def _read_json(path: Path) -> Document:
    lines = Lines(path)
    records = iter(lines)
    first = list(islice(records, LOOKED_AT))
    field = text_field([record for _, record in first])
    found = chain(first, records)
    blocks = list(blocks_of(found, field) if field else _rows(path, found))
    notes = [*lines.notes, *fault_notes(lines.faults)]
    return _document(path, "document" if field else "table", blocks, notes)


def _rows(path: Path, records: Iterable[Numbered]) -> Iterable[Block]:
    for number, record in records:
        fields = flatten(record)
        text = line_of((name, shown(value)) for name, value in fields.items())
        if text:
            yield _block(path, number, text=text, fields=fields)


# --- comma-separated values -------------------------------------------------------------


def _read_csv(path: Path) -> tuple[list[Block], list[str]]:
    rows, dialect, told = read_rows(path)
    rows = [[tidy(cell) for cell in row] for row in rows]
    rows = list(dropwhile(lambda row: not any(row), rows))
    if not rows:
        return [], list(told)
    _refuse_wide(path, max(map(len, rows)))
    names, body = _names(rows), rows[1:]
    styles = _styles(body, len(names), commas=dialect.delimiter != ",")
    blocks = []
    for number, row in enumerate(body, start=1):
        cells = [(name, cell, style) for name, cell, style in zip(names, row, styles, strict=False)]
        if any(row):
            text = line_of((name, one_line(cell)) for name, cell, _ in cells)
            fields = {name: typed(cell, style) for name, cell, style in cells if cell}
            blocks.append(_block(path, number, text=text, fields=fields))
    return blocks, [*told, *_ragged(rows)]


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
    version=2,
    load=load,
)
