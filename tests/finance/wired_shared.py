"""Three small files about one group: two reports of a month as PDF, and a table of employees."""

from __future__ import annotations

from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import (
    Flowable,
    PageBreak,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
    TableStyle,
)

STYLES = getSampleStyleSheet()
RULED = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)])
COUNTRIES = ("Portugal", "Spain", "Morocco")
COMMENT = {
    "July": "A storm closed the harbour of Sines for nine days, so no ship could be loaded.",
    "August": "The fleet of lorries was renewed: all of the forty new ones are electric.",
}
VALUES = {
    ("July", "Revenue"): (
        ("41.0", "40.0", "38.0"),
        ("60.5", "61.0", "59.0"),
        ("12.1", "11.3", "10.2"),
    ),
    ("July", "EBITDA"): (("8.2", "8.5", "7.0"), ("15.5", "15.1", "14.3"), ("2.7", "2.5", "1.9")),
    ("August", "Revenue"): (
        ("44.0", "42.0", "39.0"),
        ("58.5", "62.0", "57.0"),
        ("13.4", "11.7", "10.6"),
    ),
    ("August", "EBITDA"): (("9.2", "8.9", "7.7"), ("13.5", "15.2", "14.6"), ("2.4", "2.6", "2.1")),
}
"""By month and metric, a line for each country: this year, budget, last year."""
PAGES = {"Revenue": 2, "EBITDA": 3}
STAFF = """Employees by country (FTE)

Country,July 2025,August 2025
Portugal,210,214
Spain,305,301
"""


def write_files(folder: Path) -> Path:
    """The files in a new folder."""
    folder.mkdir(parents=True)
    for month in COMMENT:
        _report(folder / f"norvale-{month.lower()}.pdf", month)
    (folder / "norvale-staff.csv").write_text(STAFF, encoding="utf-8")
    return folder


def _report(path: Path, month: str) -> None:
    title = f"Norvale Group – Monthly report {month} 2025"
    story: list[Flowable] = [
        Paragraph(title, STYLES["Title"]),
        Paragraph("Management comment", STYLES["Heading1"]),
        Paragraph(COMMENT[month], STYLES["BodyText"]),
    ]
    head = ["€ million", f"{month} 2025", f"Budget {month} 2025", f"{month} 2024"]
    for number, metric in enumerate(PAGES, start=1):
        rows = zip(COUNTRIES, VALUES[month, metric], strict=True)
        story += [
            PageBreak(),
            Paragraph(f"{metric} by country", STYLES["Heading1"]),
            Paragraph(f"Table {number}. {metric} by country (€ million)", STYLES["BodyText"]),
            Spacer(1, 8),
            Table([head, *([country, *values] for country, values in rows)], style=RULED),
        ]
    SimpleDocTemplate(str(path), title=title, invariant=True).build(story)
