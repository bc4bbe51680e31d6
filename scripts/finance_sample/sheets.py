"""How are the spreadsheet and the CSV file of the sample made? Cell by cell, without a clock."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import datetime
from decimal import Decimal
from typing import Any

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font, PatternFill

from finance_sample.figures import Group
from finance_sample.grids import Style
from finance_sample.words import LONG

_DATE = (2026, 1, 1, 0, 0, 0)
_HEAD = PatternFill("solid", fgColor="FF1F3A4D")
_TITLES = {
    "Revenue": "US$ million",
    "EBITDA": "US$ million",
    "Volumes": "thousand tonnes; ready-mix in thousand m³",
    "Headcount": "employees at month end",
}


def budget(group: Group, year: int) -> bytes:
    """The workbook of the budget: a sheet a metric, months across, and the assumptions."""
    book = Workbook()
    book.remove(book.active)
    for title, unit in _TITLES.items():
        sheet = book.create_sheet(title)
        sheet["A1"] = f"{group.about['name']} – Budget {year}: {title}"
        sheet["A1"].font = Font(bold=True, size=13)
        sheet["A2"] = unit
        _fill(sheet, group, "Volume" if title == "Volumes" else title, year)
    _assumptions(book.create_sheet("Assumptions"), year)
    book.properties.creator = group.about["legal"]
    book.properties.created = datetime(*_DATE)
    stream = io.BytesIO()
    book.save(stream)
    return _still(stream.getvalue())


def _fill(sheet: Any, group: Group, metric: str, year: int) -> None:
    extra = {"Revenue": "Share of group", "EBITDA": "EBITDA margin"}.get(metric)
    heads = ["Country", "Division", *(one[:3] for one in LONG)]
    heads += ([] if metric == "Headcount" else ["Full year"]) + ([extra] if extra else [])
    sheet.cell(4, 3, f"Budget {year}")
    sheet.merge_cells(start_row=4, start_column=3, end_row=4, end_column=14)
    for column, head in enumerate(heads, start=1):
        if column in (1, 2) or column > 14:
            sheet.cell(4, column, head)
            sheet.merge_cells(start_row=4, start_column=column, end_row=5, end_column=column)
        else:
            sheet.cell(5, column, head)
    for row in (4, 5):
        for column in range(1, len(heads) + 1):
            cell = sheet.cell(row, column)
            cell.font, cell.fill = Font(bold=True, color="FFFFFFFF"), _HEAD
            cell.alignment = Alignment(horizontal="center", vertical="center")
    row = 6
    for land in group.countries:
        parts = group.parts(land)
        sheet.cell(row, 1, land)
        if len(parts) > 1:
            sheet.merge_cells(
                start_row=row, start_column=1, end_row=row + len(parts) - 1, end_column=1
            )
        for part in parts:
            sheet.cell(row, 2, part)
            _numbers(sheet, row, group, (metric, extra), (land, part), year)
            row += 1
    if metric != "Volume":
        sheet.cell(row, 1, "Group total")
        _numbers(sheet, row, group, (metric, extra), (), year)
    for letter, width in (("A", 16), ("B", 13), ("O", 12), ("P", 15)):
        sheet.column_dimensions[letter].width = width
    sheet.freeze_panes = "C6"


def _numbers(
    sheet: Any,
    row: int,
    group: Group,
    metrics: tuple[str, str | None],
    place: tuple[str, ...],
    year: int,
) -> None:
    metric, extra = metrics
    whole = metric in ("Volume", "Headcount")
    keys = [f"{year}-{month:02}" for month in range(1, 13)]
    keys += [] if metric == "Headcount" else [str(year)]
    for column, key in enumerate(keys, start=3):
        cell = sheet.cell(row, column, float(group.value(metric, place, key, "budget")))
        cell.number_format = "#,##0" if whole else "#,##0.0"
    if extra:
        above = group.value(
            "EBITDA" if metric == "EBITDA" else "Revenue", place, str(year), "budget"
        )
        below = group.value("Revenue", place if metric == "EBITDA" else (), str(year), "budget")
        cell = sheet.cell(row, 16, float((above / below).quantize(Decimal("0.0001"))))
        cell.number_format = "0.0%"


def _assumptions(sheet: Any, year: int) -> None:
    rows: list[tuple[object, ...]] = [
        (f"Assumptions of the budget {year}",),
        (),
        ("Assumption", "Unit", year - 1, year),
        ("Petcoke, delivered", "US$/t", 124.0, 118.0),
        ("Power in Spain", "US$/MWh", 71.5, 68.0),
        ("Natural gas in Tunisia", "US$/GJ", 5.2, 5.2),
        ("Mexican peso", "MXN per US$", 18.3, 18.9),
        ("Euro", "US$ per EUR", 1.08, 1.07),
        ("Wage increase, group average", "%", 0.046, 0.038),
        ("Inflation, group average", "%", 0.037, 0.031),
    ]
    for row, values in enumerate(rows, start=1):
        for column, value in enumerate(values, start=1):
            cell = sheet.cell(row, column, value)
            if row in (1, 3):
                cell.font = Font(bold=True)
            if row > 3 and column > 2:
                cell.number_format = "0.0%" if values[1] == "%" else "0.00"
    sheet.column_dimensions["A"].width = 34
    sheet.column_dimensions["B"].width = 14


def _still(content: bytes) -> bytes:
    """The same workbook with the dates of a fixed day, not compressed."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as new,
    ):
        for name in sorted(old.namelist()):
            data = old.read(name)
            if name == "docProps/core.xml":
                data = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"2026-01-01T00:00:00Z", data)
            new.writestr(zipfile.ZipInfo(name, _DATE), data)
    return stream.getvalue()


def employees(group: Group, year: int, months: int, style: Style) -> bytes:
    """Full-time equivalents by country, division and month, with semicolons and commas."""
    lines = ["Country;Division;Month;FTE;FTE prior year"]
    for land, part in group.units:
        for month in range(1, months + 1):
            now = group.value("Headcount", (land, part), f"{year}-{month:02}")
            before = group.value("Headcount", (land, part), f"{year - 1}-{month:02}")
            numbers = ";".join(style.number(one, 1) for one in (now, before))
            lines.append(f"{land};{part};{LONG[month - 1]} {year};{numbers}")
    return ("\n".join(lines) + "\n").encode()
