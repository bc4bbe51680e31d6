"""What tests of tables share: a grid from lines of text, and a table as it is understood."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from consilience.packs.finance.data_model import About, Box, Cell, Datum, Grid, Period, Table
from consilience.packs.finance.tables.structure import understand

AUGUST = Period(kind="month", start=date(2025, 8, 1), end=date(2025, 8, 31), year=2025)
YEAR = Period(kind="year", start=date(2019, 1, 1), end=date(2019, 12, 31), year=2019)
MONTHLY = About(company="Tejo Group", period=AUGUST, currency="EUR")
ANNUAL = About(company="Tejo Group", period=YEAR, currency="EUR")


def rows_of(text: str) -> list[list[str]]:
    """Lines with bars between their cells."""
    return [[cell.strip() for cell in line.split("|")] for line in text.strip("\n").splitlines()]


def grid(text: str, *, page: int | None = None, boxes: bool = False, **more: object) -> Grid:
    """A grid of such lines; labels keep the spaces they are set in by, as points."""
    cells = []
    for row, line in enumerate(text.strip("\n").splitlines()):
        for column, raw in enumerate(line.split("|")):
            if not raw.strip():
                continue
            indent = 5.0 * (len(raw) - len(raw.lstrip())) if column == 0 else 0.0
            box = Box(
                left=100.0 * column,
                top=12.0 * row,
                right=100.0 * column + 60,
                bottom=12.0 * row + 10,
            )
            cells.append(
                Cell(
                    text=raw.strip(),
                    row=row,
                    column=column,
                    indent=indent,
                    page=page,
                    box=box if boxes else None,
                )
            )
    return Grid(cells=tuple(cells), page=page, **more)  # type: ignore[arg-type]


def table(text: str, about: About = MONTHLY, **more: object) -> Table:
    """The table that a text is understood as."""
    return understand(grid(text, **more), about, "1.1")  # type: ignore[arg-type]


def data(found: Table) -> list[Datum]:
    """All numbers of a table."""
    return [one for row in found.rows for one in row.data]


def the(found: Table, text: str, nth: int = 0) -> Datum:
    """The number that is printed so."""
    return [one for one in data(found) if one.text == text][nth]


def labels(found: Table) -> list[str]:
    """The labels of all rows."""
    return [" › ".join(row.label) for row in found.rows]


def told(one: Datum) -> tuple[str, tuple[str, ...], str]:
    """What a number counts, of whom, and when."""
    return one.metric, one.entity, one.period.key if one.period else ""


def lines(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as a text that `grid` reads."""
    return "\n".join(" | ".join(cell.replace("|", "/") for cell in row) for row in rows)
