"""Which statements does a monthly report have? Income, balance, cash, the year so far, people."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from finance_sample.figures import Group, Place, a_year_before, end_of
from finance_sample.grids import Column, Kind, Line, Number, Sheet
from finance_sample.monthly import Frame


def income(frame: Frame, number: int) -> Sheet:
    """The income statement of the month and the year so far."""
    words = frame.words
    columns = frame.columns() if frame.dollars else frame.columns("short")
    names = ["Revenue", *frame.group.about["costs"], "EBITDA", "Depreciation and amortisation"]
    names += ["Operating profit (EBIT)", "Net finance costs", "Profit before tax", "Income tax"]
    sums = ("EBITDA", "Operating profit (EBIT)", "Profit before tax", "Net profit")
    lines = tuple(
        frame.line(words(name), name, frame.money, columns, kind="total" if name in sums else "row")
        for name in [*names, "Net profit"]
    )
    return Sheet(
        caption=frame.caption(number, words("Income statement")),
        columns=columns,
        lines=lines,
        look="lines",
        label_width=136,
        size=7.2 if frame.dollars else 6.6,
    )


def cash(frame: Frame, number: int) -> Sheet:
    """The cash flow statement."""
    words = frame.words
    columns = tuple(one for one in frame.columns("short") if frame.dollars or one.basis != "change")
    names = [
        "EBITDA",
        "Change in working capital",
        "Income tax paid",
        "Interest paid",
        "Cash flow from operating activities",
        "Capital expenditure",
        "Free cash flow",
        "Dividends paid",
        "Change in borrowings",
        "Change in cash",
    ]
    sums = ("Cash flow from operating activities", "Free cash flow", "Change in cash")
    lines = [
        frame.line(words(one), one, frame.money, columns, kind="total" if one in sums else "row")
        for one in names
    ]
    names = ["Net debt at start of period", "Net debt at end of period"]
    lines += [frame.line(words(one), one, frame.money, columns) for one in names]
    return Sheet(
        caption=frame.caption(number, words("Cash flow statement")),
        columns=columns,
        lines=tuple(lines),
        look="plain" if frame.dollars else "lines",
        label_width=170,
        size=7.2 if frame.dollars else 6.6,
    )


BALANCE = (
    ("Property, plant and equipment", "plant", "row"),
    ("Other non-current assets", "other", "row"),
    ("Non-current assets", "fixed", "total"),
    ("Inventories", "inventories", "row"),
    ("Trade receivables", "receivables", "row"),
    ("Cash and cash equivalents", "cash", "row"),
    ("Current assets", "current", "total"),
    ("Total assets", "assets", "total"),
    ("Equity", "equity", "row"),
    ("Borrowings", "borrowings", "row"),
    ("Provisions", "provisions", "row"),
    ("Trade payables", "payables", "row"),
    ("Total liabilities", "owed", "total"),
    ("Total equity and liabilities", "both", "total"),
    ("Net debt", "net debt", "row"),
)


def balance_lines(frame: Frame, columns: Sequence[Column], kind: Kind) -> tuple[Line, ...]:
    """The lines of the balance sheet for columns of days."""
    lines = []
    for label, name, what in BALANCE:
        numbers = []
        for column in columns:
            value = frame.group.balance(name, column.period)
            if kind.scale == 1_000_000 and not frame.dollars:
                value /= 1000
            text = frame.style.number(value, kind.places)
            value = value.quantize(Decimal(1).scaleb(-kind.places), "ROUND_HALF_UP")
            numbers.append(Number(text=text, value=value, unit=kind.unit, scale=kind.scale))
        words = frame.words
        lines.append(
            Line(
                label=words(label), kind=what, path=(words(label),), metric=label,
                numbers=tuple(numbers),
            )
        )  # fmt: skip
    return tuple(lines)


def balance(frame: Frame, number: int) -> Sheet:
    """The balance sheet at the end of the month, of the month before and of last year."""
    words, year, month = frame.words, frame.year, frame.month
    days = [end_of(year, month), end_of(year, month - 1), end_of(year - 1, 12)]
    if days[1] == days[2]:
        days.pop()
    top = words("As at")
    columns = tuple(Column(heading=(top, words.day(day)), period=day) for day in days)
    return Sheet(
        caption=frame.caption(number, words("Balance sheet")),
        columns=columns,
        lines=balance_lines(frame, columns, frame.money),
        look="ruled" if not frame.dollars else "lines",
        label_width=190,
        size=7.2 if frame.dollars else 6.6,
    )


def trend(frame: Frame, number: int) -> Sheet:
    """The months of the year by country: what was, and what is expected of the rest."""
    words, columns = frame.words, _months(frame)
    lines: list[Line] = []
    for metric in ("Revenue", "EBITDA"):
        head = words(metric)
        lines.append(Line(label=head, kind="head", path=(head,)))
        lines += [
            _trend_line(frame, metric, (land,), words(land), columns)
            for land in frame.group.countries
        ]
        if metric == "EBITDA":
            lines.append(_trend_line(frame, metric, ("Corporate",), words("Corporate"), columns))
        lines.append(_trend_line(frame, metric, (), words("Group total"), columns))
    return Sheet(
        caption=frame.caption(number, words("Months of the year").format(frame.year)),
        columns=columns,
        lines=tuple(lines),
        look="shaded" if frame.dollars else "lines",
        label_width=100,
        size=7.6 if frame.dollars else 6.3,
    )


def _months(frame: Frame) -> tuple[Column, ...]:
    words, made = frame.words, []
    for month in range(1, 13):
        basis = "actual" if month <= frame.month else "forecast"
        top = words("Actual of").format(frame.year)
        top = top if basis == "actual" else words("Forecast of").format(frame.year)
        key = f"{frame.year}-{month:02}"
        made.append(Column(heading=(top, words.short(month)), period=key, basis=basis))
    last = words("Full year")
    year = str(frame.year)
    return (*made, Column(heading=(last, year), period=year, basis="forecast", width=1.15))


def _trend_line(
    frame: Frame, metric: str, place: Place, label: str, columns: Sequence[Column]
) -> Line:
    group, total = frame.group, Decimal(0)
    numbers = []
    for column in columns:
        if len(column.period) == 4:
            value = total
        elif column.basis == "actual":
            value = group.value(metric, place, column.period)
        elif place == ("Corporate",):
            value = group.corporate(frame.year, int(column.period[5:]), "budget")
        else:
            value = group.forecast(metric, place, column.period)
        total += value
        text = frame.style.number(value, 1)
        numbers.append(
            Number(text=text, value=value, unit=frame.money.unit, scale=frame.money.scale)
        )
    return Line(
        label=label,
        level=1,
        kind="row" if place else "total",
        path=(frame.words(metric), label),
        metric=metric,
        entity=place,
        numbers=tuple(numbers),
    )


def people(frame: Frame, number: int) -> Sheet:
    """Headcount by country at the end of the month, with its divisions as columns."""
    words, group = frame.words, frame.group
    places = 0 if frame.dollars else 1
    unit = words("people")
    columns = [
        Column(heading=(words("of which"), words(one)), period=frame.period, entity=(one,))
        for one in group.divisions
    ]
    columns.append(Column(heading=("", words("Sum")), period=frame.period))
    columns.append(
        Column(
            heading=("", words("Sum last year")),
            period=a_year_before(frame.period),
            stated=frame.period,
            basis="last year",
        )
    )
    lines = []
    for land in [*group.countries, "Corporate", ""]:
        values: list[Decimal | None] = []
        for column, part in zip(columns, [*group.divisions, "", ""], strict=True):
            values.append(_heads(group, land, part, column.period))
        numbers = tuple(
            Number(text=frame.style.number(one, places), value=one, unit=unit, scale=1)
            for one in values
        )
        label = words(land) if land else words("Group total")
        lines.append(
            Line(
                label=label,
                path=(label,),
                kind="row" if land else "total",
                metric="Headcount",
                entity=(land,) if land else (),
                numbers=numbers,
            )
        )
    return Sheet(
        caption=frame.caption(number, words("Headcount by country"), words("people long")),
        columns=tuple(columns),
        lines=tuple(lines),
        look="ruled" if frame.dollars else "plain",
        label_width=120,
        size=7.4 if frame.dollars else 6.6,
    )


def _heads(group: Group, land: str, part: str, period: str) -> Decimal | None:
    if land == "Corporate":
        return None if part else group.corporate_staff
    place = tuple(one for one in (land, part) if one)
    if not land and part:
        return group.value("Headcount", (part,), period)
    if not land:
        return group.value("Headcount", (), period)
    return group.value("Headcount", place, period) if group.within(place) else None
