"""Rows of reports made by hand, for the tests of the figures."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from consilience.packs.finance.data_model import Datum, Period
from consilience.packs.finance.notation.periods import shifted
from consilience.packs.finance.tables.encoding import dumped
from consilience.types import Locator, Passage, identified

MILLION = 1_000_000


def year(number: int) -> Period:
    return Period(kind="year", start=date(number, 1, 1), end=date(number, 12, 31), year=number)


def month(number: int, at: int) -> Period:
    last = monthrange(number, at)[1]
    return Period(kind="month", start=date(number, at, 1), end=date(number, at, last), year=number)


def day(number: int, at: int, on: int) -> Period:
    when = date(number, at, on)
    return Period(kind="day", start=when, end=when, year=number)


def cell(column: int, text: str, period: Period | None, **known) -> Datum:
    """A number in EUR millions, as printed in English."""
    plain = text.replace(",", "").replace("%", "").strip()
    value = Decimal(f"-{plain[1:-1]}" if plain.startswith("(") else plain)
    percent = "%" in text
    scale = known.pop("scale", 1 if percent else MILLION)
    stated = period
    if known.get("basis") == "last year":
        period = shifted(period, -1)
    datum = Datum(
        row=0,
        column=column,
        text=text,
        value=value,
        number=value * scale,
        scale=scale,
        unit=known.pop("unit", "%" if percent else "EUR"),
        period=period,
        stated=stated,
        header=(known.get("basis", "actual"),),
    )
    return replace(datum, **known)


def row(
    number: int,
    metric: str,
    entity: Sequence[str],
    cells: Sequence[Datum],
    *,
    caption: str = "Key figures",
    table: str = "1.1",
    page: int = 1,
    document: str = "report.pdf",
    title: str = "Veldmark report",
    company: str = "Veldmark",
    label: Sequence[str] = (),
) -> Passage:
    """A row of a table as the loader makes it."""
    own = tuple(label) or (*entity, metric)
    data = [
        replace(one, row=number, metric=metric, entity=tuple(entity), label=own, page=page)
        for one in cells
    ]
    text = f"{metric} {' › '.join(entity)}: {'; '.join(one.text for one in data)}"
    passage = Passage(
        id="",
        collection="reports",
        document=document,
        kind="row",
        title=title,
        text=text,
        locator=Locator(section=(caption,), page=page, table=table, row=number),
        metadata={
            "metric": metric,
            "entity": " › ".join(entity),
            "company": company,
            "unit": "EUR",
            "cells": dumped(data),
        },
    )
    return identified(passage)


def monthly(metric: str, entity: Sequence[str], texts: Sequence[str], at: Period) -> list[Datum]:
    """Actual, budget and last year of a month."""
    bases = ("actual", "budget", "last year")
    return [
        cell(column, text, at, basis=basis)
        for column, (text, basis) in enumerate(zip(texts, bases, strict=True), start=1)
    ]


AUGUST = month(2025, 8)
JULY = month(2025, 7)
_MONTHLY = {
    ("Revenue", ()): ("1,250.4", "1,200.0", "1,180.2"),
    ("Revenue", ("Portugal",)): ("210.5", "205.0", "198.4"),
    ("Revenue", ("Spain",)): ("330.1", "340.0", "325.0"),
    ("Revenue", ("Poland",)): ("95.0", "90.0", "0.0"),
    ("EBITDA", ()): ("188.0", "180.0", "171.5"),
    ("EBITDA", ("Portugal",)): ("12.4", "11.9", "10.8"),
    ("EBITDA", ("Portugal", "Cement")): ("9.1", "8.8", "8.0"),
    ("EBITDA", ("Portugal", "Concrete")): ("3.3", "3.1", "2.8"),
    ("EBITDA", ("Spain",)): ("41.0", "44.5", "40.2"),
    ("EBITDA", ("Poland",)): ("7.5", "7.0", "(2.0)"),
    ("EBITDA margin", ("Portugal",)): ("5.9%", "5.8%", "5.4%"),
    ("EBITDA margin", ("Spain",)): ("12.4%", "13.1%", "12.4%"),
}
_YEARLY = {
    "Revenue": {2021: "9,800.0", 2022: "10,450.0", 2023: "11,020.5", 2024: "11,900.0"},
    "Revenue from contracts with customers": {2023: "10,900.0", 2024: "11,700.0"},
    "Net income": {2021: "(120.0)", 2022: "0.0", 2023: "310.0", 2024: "402.5"},
    "Employees": {2023: "20,100", 2024: "21,350"},
}


def rows() -> list[Passage]:
    """A monthly report, an annual one, and a balance sheet of another company."""
    found = [
        row(
            at,
            metric,
            entity,
            monthly(metric, entity, texts, AUGUST),
            table="3.1",
            page=3,
            caption="Key figures August 2025",
            document="august.pdf",
            title="Veldmark August 2025",
        )
        for at, ((metric, entity), texts) in enumerate(_MONTHLY.items(), start=1)
    ]
    found.append(
        row(
            1,
            "EBITDA",
            ("Portugal",),
            [cell(1, "11.0", JULY)],
            table="3.1",
            page=3,
            document="july.pdf",
            title="Veldmark July 2025",
        )
    )
    for at, (metric, texts) in enumerate(_YEARLY.items(), start=1):
        people = {"unit": "", "scale": 1} if metric == "Employees" else {}
        cells = [
            cell(column, text, year(one), **people)
            for column, (one, text) in enumerate(texts.items(), start=1)
        ]
        found.append(
            row(
                at,
                metric,
                (),
                cells,
                table="12.1",
                page=12,
                document="annual.pdf",
                caption="Consolidated income statement",
                title="Veldmark annual report 2024",
            )
        )
    sheet = [cell(1, "5,400.0", day(2024, 12, 31)), cell(2, "5,100.0", day(2023, 12, 31))]
    found.append(
        row(
            1,
            "Total assets",
            (),
            sheet,
            table="8.1",
            page=8,
            company="Tessenhof",
            caption="Balance sheet",
            document="tess.pdf",
            title="Tessenhof annual report",
        )
    )
    return found
