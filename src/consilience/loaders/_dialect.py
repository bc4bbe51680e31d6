"""How does a CSV file part its cells? Every dialect is tried on the first lines.

The best one gives the most lines of one width, then the fewest stray quotes, then the most
columns; ties go to the order of the table below, in which the comma comes first.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from consilience.errors import LoadError
from consilience.loaders._text import plain, read_text

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
