"""What is a table of a report made of? Cells as they were found, and numbers as they are meant.

A `Grid` is what a reader of files found: texts in rows and columns, and where they stand. A
`Table` is what is understood of it: rows with their labels, and for each number a `Datum` that
says what it is the value of. Everything further (passages, SQL, answers, the outlined cell on its
page) is made of tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Literal

from consilience.page_pictures import Box as Box  # noqa: PLC0414 - for the modules of files
from consilience.types import Block, Metadata

BETWEEN = " › "
"""What stands between the parts of a label, a heading or an entity."""
Kind = Literal["day", "month", "quarter", "half", "year", "ytd", "span"]
"""What a period is: a day is the date of a balance, `ytd` a year up to one of its months."""
Basis = Literal["actual", "budget", "forecast", "last year", "change"]
"""What a number tells of its period: what was, what was planned or is expected, the same a year
before, or by how much two of those differ.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A text in a grid; a merged one spans more than one row or column.

    `indent` is how far a label is set in from the leftmost one of its column, in points. `exact`
    is the number of a workbook's cell with all its digits, where its text shows fewer.
    """

    text: str
    row: int
    column: int
    rows: int = 1
    columns: int = 1
    page: int | None = None
    box: Box | None = None
    indent: float = 0.0
    bold: bool = False
    exact: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table as it stands in a file: cells that are not empty, by row, then by column.

    `caption` is the text that names it and says its unit, `notes` are the lines below it that
    belong to it. `page` counts from 1; `section` are the headings above it. `header` is how many
    first rows are known to be headings, None where nobody knows.
    """

    cells: tuple[Cell, ...]
    caption: str = ""
    notes: tuple[str, ...] = ()
    section: tuple[str, ...] = ()
    page: int | None = None
    box: Box | None = None
    header: int | None = None

    @property
    def size(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        rows = max((one.row + one.rows for one in self.cells), default=0)
        return rows, max((one.column + one.columns for one in self.cells), default=0)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Period:
    """A time that a number is about, from its first to its last day.

    `year` is the (business) year it is counted to: that of its last day, unless it is named
    otherwise.
    """

    kind: Kind
    start: date
    end: date
    year: int

    @property
    def key(self) -> str:
        """Its name in SQL: `2025`, `2025-H1`, `2025-Q3`, `2025-08`, `2025-YTD-08`, `2025-12-31`.

        Two periods with one key are the same time. A month, quarter or half that is counted in
        weeks has the name of the one that it is mostly in. What is a whole month, quarter, half
        or year anyway (January to June) has its name: `2025-H1`.
        """
        at = self.start + (self.end - self.start) / 2
        names = {
            "year": f"{self.year}",
            "half": f"{at.year}-H{1 if at.month <= 6 else 2}",
            "quarter": f"{at.year}-Q{(at.month + 2) // 3}",
            "month": f"{at.year}-{at.month:02}",
            "day": self.end.isoformat(),
        }
        return names.get(self.whole) or self._other_key()

    @property
    def whole(self) -> Kind:
        """Its kind; that of a year to date or a span which is a whole month, quarter or year."""
        if self.kind not in {"ytd", "span"}:
            return self.kind
        ends = (self.end + timedelta(days=1)).day == 1 and self.start.day == 1
        months = (self.end.year - self.start.year) * 12 + self.end.month - self.start.month + 1
        kinds: dict[int, Kind] = {1: "month", 3: "quarter", 6: "half", 12: "year"}
        fits = months in kinds and (self.start.month - 1) % months == 0
        return kinds[months] if ends and fits else self.kind

    def _other_key(self) -> str:
        if self.kind == "ytd":
            return f"{self.year}-YTD-{(self.end - timedelta(days=7)).month:02}"
        return f"{self.start.isoformat()}..{self.end.isoformat()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Datum:
    """One number of a table, with all that says what it is.

    `text` is the cell as printed. `value` is the number it says, with all digits where the file
    holds more of them, `number` the same in whole
    units: 12.5 in millions is 12,500,000, and 3.4 % stays 3.4. `metric` is what is counted
    (`EBITDA margin`), `entity` of whom or what (`Portugal › Cement`), `header` the headings of its
    column, `label` those of its row. `period` is when it is about; `stated` is the period that
    the column names, which differs where it tells of the year before. `against` is what a
    change is counted from.
    """

    row: int
    column: int
    text: str
    value: Decimal
    number: Decimal
    unit: str = ""
    scale: int = 1
    metric: str = ""
    entity: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    period: Period | None = None
    stated: Period | None = None
    basis: Basis = "actual"
    against: Basis | None = None
    page: int | None = None
    box: Box | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a table under its headings: its label from the outermost inwards, and its cells.

    `texts` are its cells with the headings of their columns, as printed, without the label.
    """

    number: int
    label: tuple[str, ...]
    texts: tuple[tuple[str, str], ...] = ()
    data: tuple[Datum, ...] = ()
    page: int | None = None
    box: Box | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table as it is understood.

    `name` tells it from the others of its document: `12.1` is the first on page 12, and a sheet
    has its own name. A table that goes on over pages has the name of its beginning.
    """

    name: str
    caption: str
    rows: tuple[Row, ...]
    section: tuple[str, ...] = ()
    page: int | None = None
    unit: str = ""
    scale: int = 1
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What is known of a report: whose it is, for which time, the symbol of its shares."""

    company: str = ""
    ticker: str = ""
    period: Period | None = None
    currency: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A file as its reader found it: paragraphs and grids in reading order.

    `opening` are the first lines of it, as printed: they say whose report it is, and for when.
    `notes` are what the user should know of the reading: pages without text, tables left as text.
    """

    title: str
    parts: tuple[Block | Grid, ...]
    opening: tuple[str, ...] = ()
    metadata: Metadata = field(default_factory=dict)
    notes: tuple[str, ...] = ()
