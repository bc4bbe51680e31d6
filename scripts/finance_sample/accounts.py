"""Which statements of accounts does an annual report have, with the notes to them?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from finance_sample.figures import rounded
from finance_sample.grids import Column, Line, Sheet, marked
from finance_sample.statements import balance_lines
from finance_sample.years import Year

STATEMENT = (
    "EBITDA", "Depreciation and amortisation", "Operating profit (EBIT)", "Net finance costs",
    "Profit before tax", "Income tax", "Net profit",
)  # fmt: skip
SUMS = (
    "EBITDA", "Operating profit (EBIT)", "Profit before tax", "Net profit", "Free cash flow",
    "Cash flow from operating activities", "Change in cash",
)  # fmt: skip


def income(year: Year) -> Sheet:
    """The income statement."""
    names = ["Revenue", *year.frame.group.about["costs"], *STATEMENT]
    return _statement(year, "Consolidated income statement", names, "lines")


def cash(year: Year) -> Sheet:
    """The cash flow statement."""
    names = [
        "EBITDA", "Change in working capital", "Income tax paid", "Interest paid",
        "Cash flow from operating activities", "Capital expenditure", "Free cash flow",
        "Dividends paid", "Change in borrowings", "Change in cash", "Net debt at start of period",
        "Net debt at end of period",
    ]  # fmt: skip
    return _statement(year, "Consolidated cash flow statement", names, "plain")


def _statement(year: Year, title: str, names: Sequence[str], style: str) -> Sheet:
    words = year.frame.words
    lines = []
    for name in names:
        mark = "" if year.frame.dollars or name != "Net finance costs" else " 1)"
        lines.append(year.line(words(name) + mark, name, kind="total" if name in SUMS else "row"))
    notes = (
        ()
        if year.frame.dollars or style == "plain"
        else ("1) Interest on borrowings less interest received.",)
    )
    return Sheet(
        caption=f"{title} ({year.unit})",
        columns=year.columns()[: 3 if style == "lines" else 2],
        lines=tuple(
            replace(one, numbers=one.numbers[: 3 if style == "lines" else 2]) for one in lines
        ),
        look=style,
        label_width=230,
        size=8.2,
        notes=notes,
    )


def balance(year: Year) -> Sheet:
    """The balance sheet."""
    days = [f"{one}-12-31" for one in (year.key, year.before)]
    columns = tuple(
        Column(heading=("As at", year.frame.words.day(day)), period=day) for day in days
    )
    return Sheet(
        caption=f"Consolidated balance sheet ({year.unit})",
        columns=columns,
        lines=balance_lines(year.frame, columns, year.money),
        look="lines" if year.frame.dollars else "ruled",
        label_width=230,
        size=8.2,
    )


def debt(year: Year) -> Sheet:
    """When borrowings fall due, by kind."""
    total = year.amount(year.frame.group.balance("borrowings", f"{year.key}-12-31"))
    due = [str(year.frame.year + ahead) for ahead in range(1, 6)]
    shares = {
        "Bank loans": (0.08, 0.07, 0.11, 0.05, 0.03, 0.0),
        "Bonds": (0.0, 0.15, 0.0, 0.20, 0.0, 0.14),
        "Lease liabilities": (0.04, 0.03, 0.03, 0.02, 0.02, 0.0),
    }
    rows = {name: [rounded(float(total) * one) for one in row] for name, row in shares.items()}
    rest = total - sum((sum(row) for row in rows.values()), Decimal(0))
    rows["Bank loans"][0] += rest
    rows["Total borrowings"] = [sum(each, Decimal(0)) for each in zip(*rows.values(), strict=True)]
    columns = [Column(heading=("Due in", one), period="") for one in due]
    columns.append(Column(heading=("Due in", "later years"), period=""))
    columns.append(Column(heading=("", "Total"), period=f"{year.key}-12-31"))
    lines = tuple(
        Line(
            label=name,
            path=(name,),
            metric=name,
            kind="total" if name.startswith("Total") else "row",
            numbers=tuple(year.number(one, year.money) for one in [*row, sum(row, Decimal(0))]),
        )
        for name, row in rows.items()
    )
    return Sheet(
        caption=f"Maturity of borrowings at 31 December {year.key} ({year.unit})",
        columns=tuple(columns),
        lines=lines,
        look="ruled",
        label_width=120,
        size=8,
    )


def provisions(year: Year) -> Sheet:
    """How provisions moved in the year."""
    total = year.amount(year.frame.group.balance("provisions", f"{year.key}-12-31"))
    names = ("Quarry restoration", "Pensions", "Restructuring", "Legal and other")
    if not year.frame.dollars:
        names = ("Pensions", "Deposits on crates", "Restructuring", "Legal and other")
    opening = [rounded(float(total) * one) for one in (0.46, 0.27, 0.09)]
    opening.append(total - sum(opening, Decimal(0)))
    added = [rounded(float(total) * one) for one in (0.05, 0.02, 0.03, 0.04)]
    used = [-added[1], -added[2], -added[3], -added[0]]
    day = f"{year.key}-12-31"
    columns = (
        Column(heading=(f"1 January {year.key}",), period=f"{year.key}-01-01"),
        Column(heading=("Additions",), period=year.key),
        Column(heading=("Used",), period=year.key),
        Column(heading=(f"31 December {year.key}",), period=day),
    )
    rows = [[a, b, c, a + b + c] for a, b, c in zip(opening, added, used, strict=True)]
    rows.append([sum(each, Decimal(0)) for each in zip(*rows, strict=True)])
    lines = tuple(
        Line(
            label=name,
            path=(name,),
            metric=name,
            kind="row" if name != "Total provisions" else "total",
            numbers=tuple(year.number(one, year.money) for one in row),
        )
        for name, row in zip([*names, "Total provisions"], rows, strict=True)
    )
    return Sheet(
        caption=f"Provisions ({year.unit})",
        columns=columns,
        lines=lines,
        look="lines",
        label_width=150,
        size=8,
    )


def invested(year: Year) -> Sheet:
    """Capital expenditure by region: by shares of revenue, leaning to where is built."""
    group = year.frame.group
    names = list(group.regions)
    columns = year.columns()
    rows: list[list[Decimal]] = [[] for _ in names]
    for key, lean in ((year.key, 1.3), (year.before, 0.95)):
        total = -year.find("Capital expenditure", (), key)
        weights = [float(year.find("Revenue", (one,), key)) for one in names]
        weights[0] *= lean
        parts = [rounded(float(total) * one / sum(weights)) for one in weights]
        parts[-1] = total - sum(parts[:-1], Decimal(0))
        for row, part in zip(rows, parts, strict=True):
            row.append(part)
    rows.append([sum(each, Decimal(0)) for each in zip(*rows, strict=True)])
    lines = []
    for name, (now, before) in zip([*names, "Group total"], rows, strict=True):
        numbers = (
            year.number(now, year.money),
            year.number(before, year.money),
            year.change(now, before),
        )
        lines.append(
            Line(
                label=name, path=(name,), metric="Capital expenditure",
                entity=(name,) if name in names else (),
                kind="row" if name in names else "total", numbers=numbers,
            )
        )  # fmt: skip
    sheet = Sheet(
        caption=f"Capital expenditure by region ({year.unit})",
        columns=columns,
        lines=tuple(lines),
        look="ruled" if not year.frame.dollars else "lines",
        label_width=180,
        size=8,
    )
    if year.frame.dollars:
        return marked(
            sheet, "Iberia", 0, "¹", "¹ With US$ 3.4 million of interest during building."
        )
    return sheet
