"""A small report whose cells stand at known places, and its rows as passages."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from consilience.packs.finance.data_model import Box, Datum
from consilience.packs.finance.tables.encoding import dumped
from consilience.types import Locator, Passage, identified

WIDTH, HEIGHT = 420, 300
HEADINGS = ("2025", "Budget 2025", "2024")
ROWS = {
    "Revenue": ("1,204", "1,180", "1,099"),
    "Cost of sales": ("(804)", "(790)", "(712)"),
    "EBITDA margin": ("18.4%", "18.1%", "17.9%"),
}
CAPTION = "Results of the group (in € millions)"
Prepare = Callable[[Canvas], None]


def box_of(row: int, column: int) -> Box:
    """Where a cell stands, from the upper left corner."""
    left, top = 150.0 + 85 * column, 80.0 + 22 * row
    return Box(left=left, top=top, right=left + 60, bottom=top + 12)


def write_report(path: Path, prepare: Prepare = lambda canvas: None, pages: int = 1) -> Path:
    """A report with the same table on each of its pages."""
    canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT), invariant=True)
    for number in range(1, pages + 1):
        prepare(canvas)
        canvas.setFont("Helvetica", 10)
        canvas.drawString(30, HEIGHT - 30, f"{CAPTION}, page {number}")
        for column, heading in enumerate(HEADINGS):
            canvas.drawRightString(box_of(0, column).right, HEIGHT - 66, heading)
        for row, (label, texts) in enumerate(ROWS.items()):
            canvas.drawString(30, HEIGHT - box_of(row, 0).bottom + 3, label)
            for column, text in enumerate(texts):
                box = box_of(row, column)
                canvas.drawRightString(box.right, HEIGHT - box.bottom + 3, text)
        canvas.showPage()
    canvas.save()
    return path


def row_passages(document: str, page: int | None = 1, collection: str = "reports") -> list[Passage]:
    """The rows of the report's table, as the pack keeps them."""
    return [
        _passage(document, page, collection, number, label, texts)
        for number, (label, texts) in enumerate(ROWS.items(), start=1)
    ]


def _passage(
    document: str,
    page: int | None,
    collection: str,
    number: int,
    label: str,
    texts: tuple[str, ...],
) -> Passage:
    data = [
        Datum(
            row=number,
            column=column + 1,
            text=text,
            value=Decimal(text.strip("()%").replace(",", "")),
            number=Decimal(1),
            metric=label,
            label=(label,),
            header=(HEADINGS[column],),
            page=page,
            box=box_of(number - 1, column) if page else None,
        )
        for column, text in enumerate(texts)
    ]
    told = "; ".join(f"{head}: {text}" for head, text in zip(HEADINGS, texts, strict=True))
    return identified(
        Passage(
            id="",
            collection=collection,
            document=document,
            kind="row",
            title="Annual report",
            text=f"{label}: {told}",
            locator=Locator(section=(CAPTION,), page=page, table=f"{page or 1}.1", row=number),
            metadata={"metric": label, "company": "Veldmark Group", "cells": dumped(data)},
        )
    )
