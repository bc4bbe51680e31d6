"""What cells does a row have, as they are printed? Of a table, or of lines inside a document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from consilience.answer.sentences import one_line, sentences
from consilience.types import Exhibit

_KEY = re.compile(r"[^\W_](?:[^:;,.!?“”\[\]]|\.(?=\S)){0,40}")
_DIGITS = re.compile(r"[-+−]?\d[\d\s\u00a0']*(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its exhibit and its cells as printed, by column."""

    exhibit: Exhibit
    cells: Mapping[str, str]
    text: str

    @property
    def mark(self) -> int:
        """The mark of its exhibit."""
        return self.exhibit.mark


def record(exhibit: Exhibit, text: str) -> Row | None:
    """A line of names and values in a document, `name: value; name: value`, as a row."""
    line = one_line(text)
    pairs: list[tuple[str, str]] = []
    for part in line.split("; "):
        name, sign, value = part.partition(": ")
        if sign and value and _KEY.fullmatch(name):
            pairs.append((name, value))
        elif pairs and not sign:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]}; {part}")
        else:
            return None
    if len(pairs) < 2 or line.endswith((".", "!", "?")):
        return None
    return Row(exhibit, dict(pairs), text)


def row_of(exhibit: Exhibit) -> Row:
    """The cells of a row as its text prints them, `name: value; name: value`.

    The names are those of its fields; where the text has none of these, what stands before a colon.
    """
    text, columns = exhibit.passage.text, list(exhibit.passage.metadata)
    starts: list[tuple[str, int, int]] = []
    at = 0
    for column in columns:
        found = text.find(f"{column}: ", at)
        if found >= 0 and (found == 0 or text[:found].endswith("; ")):
            starts.append((column, found, found + len(column) + 2))
            at = found + len(column) + 2
    if not starts:
        pairs = [part.partition(": ") for part in text.split("; ")]
        named = {name: value.strip() for name, colon, value in pairs if colon}
        return Row(exhibit, named or {"": text}, text)
    ends = [begin - 2 for _, begin, _ in starts[1:]] + [len(text)]
    cells = {
        column: text[value:end].strip()
        for (column, _, value), end in zip(starts, ends, strict=True)
    }
    return Row(exhibit, cells, text)


def records(exhibit: Exhibit) -> list[Row]:
    """The lines of names and values of a document, such as a table that a page holds."""
    if exhibit.passage.kind in ("row", "game", "node", "edge", "path"):
        return []
    found = (record(exhibit, one.text) for one in sentences(exhibit.passage.text))
    return [row for row in found if row is not None]


def tables(exhibits: Sequence[Exhibit]) -> list[list[Row]]:
    """The rows of the evidence by the table they stand in, in order."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for one in exhibits:
        passage = one.passage
        if passage.kind == "row":
            key = (passage.collection, passage.document, passage.locator.table or passage.title)
            found.setdefault(key, []).append(row_of(one))
    return list(found.values())


def printed(exhibits: Sequence[Exhibit]) -> list[list[Row]]:
    """Tables that documents hold, one for each passage that has two or more lines of one."""
    return [found for one in exhibits if len(found := records(one)) > 1]


def columns_of(rows: Sequence[Row]) -> list[str]:
    """All columns that any of the rows has, in order."""
    return list(dict.fromkeys(column for row in rows for column in row.cells))


def name_column(rows: Sequence[Row]) -> str:
    """The column that names rows: the first of texts that differ from row to row."""
    columns = columns_of(rows)
    for column in columns:
        values = [row.cells[column] for row in rows if column in row.cells]
        texts = [value for value in values if as_number(value) is None]
        if len(texts) == len(rows) and len(set(values)) == len(values):
            return column
    return columns[0]


def number(row: Row, column: str) -> float | None:
    """The number in a cell: as the table's reader understood it, else as it is printed."""
    value = row.exhibit.passage.metadata.get(column)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return as_number(row.cells.get(column, ""))


def as_number(cell: str) -> float | None:
    """A cell that is a number and nothing else; 1,234.5 and 67,5 are read as they are meant."""
    if not _DIGITS.fullmatch(cell.strip()):
        return None
    bare = re.sub(r"[\s\u00a0']", "", cell).replace("−", "-")
    if re.fullmatch(r"[-+]?\d+,\d+", bare) and not re.fullmatch(r"[-+]?\d{1,3},\d{3}", bare):
        bare = bare.replace(",", ".")
    try:
        return float(bare.replace(",", ""))
    except ValueError:
        return None
