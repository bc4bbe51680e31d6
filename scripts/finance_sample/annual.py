"""Which tables does an annual report have? Each from the group's figures, for one year."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from finance_sample.figures import Place, a_year_before, rounded
from finance_sample.grids import Column, Kind, Line, Number, Sheet, marked
from finance_sample.monthly import Frame
from finance_sample.statements import balance_lines

STATEMENT = (
    "EBITDA", "Depreciation and amortisation", "Operating profit (EBIT)", "Net finance costs",
    "Profit before tax", "Income tax", "Net profit",
)  # fmt: skip
SUMS = (
    "EBITDA", "Operating profit (EBIT)", "Profit before tax", "Net profit", "Free cash flow",
    "Cash flow from operating activities", "Change in cash",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Year:
    """The annual report of a group: its year, and how its amounts are printed."""

    frame: Frame

    @property
    def key(self) -> str:
        """The year."""
        return str(self.frame.year)

    @property
    def before(self) -> str:
        """The year before."""
        return str(self.frame.year - 1)

    @property
    def money(self) -> Kind:
        """Both groups' annual reports are in millions."""
        return Kind(unit=self.frame.money.unit, scale=1_000_000)

    @property
    def unit(self) -> str:
        """The unit as captions have it."""
        return "US$ million" if self.frame.dollars else "€ million"

    def amount(self, value: Decimal) -> Decimal:
        """An amount of the books as this report prints it."""
        return rounded(value if self.frame.dollars else value / 1000)

    def number(self, value: Decimal | None, kind: Kind) -> Number:
        """A number of a kind."""
        text = self.frame.style.number(value, kind.places)
        if value:
            text += kind.sign
        return Number(text=text, value=value, unit=kind.unit, scale=kind.scale)

    def find(self, metric: str, place: Place, period: str) -> Decimal:
        """A figure as printed."""
        value = self.frame.group.value(metric, place, period)
        plain = metric in ("EBITDA margin", "Headcount", "Volume", "Average price")
        return value if plain else self.amount(value)

    def change(self, now: Decimal, before: Decimal, *, share: bool = False) -> Number:
        """By how much a year differs from the one before."""
        style = self.frame.style
        if share:
            value = now - before
            text = style.number(value, 1, signed=True) + (" pp" if value else "")
            return Number(text=text, value=value, unit="pp", scale=1)
        if before == 0 or (now < 0) != (before < 0):
            return Number(text="n/m", value=None, unit="%", scale=1)
        value = rounded(100 * (now - before) / abs(before))
        text = style.number(value, 1, signed=True)
        return Number(text=text, value=value, unit="%", scale=1)

    def columns(self, change: str = "Change %") -> tuple[Column, ...]:
        """The year, the one before, and the change."""
        return (
            Column(heading=(self.key,), period=self.key),
            Column(heading=(self.before,), period=self.before),
            Column(heading=(change,), period=self.key, basis="change", against="last year"),
        )

    def line(self, label: str, metric: str, place: Place = (), **rest: object) -> Line:
        """A row of two years and their change."""
        sort: Kind = rest.pop("sort", self.money)  # type: ignore[assignment]
        now, before = (self.find(metric, place, one) for one in (self.key, self.before))
        numbers = (
            self.number(now, sort),
            self.number(before, sort),
            self.change(now, before, share=sort.share),
        )
        path: tuple[str, ...] = rest.pop("path", ()) or (label,)  # type: ignore[assignment]
        return Line(
            label=label,
            metric=metric,
            entity=place,
            numbers=numbers,
            path=path,
            **rest,  # type: ignore[arg-type]
        )

    @property
    def share(self) -> Kind:
        """A share in percent."""
        return Kind(unit="%", share=True)


def five_years(year: Year) -> Sheet:
    """Five years side by side."""
    group, keys = year.frame.group, [str(year.frame.year - back) for back in range(5)]
    found: dict[str, list[Decimal]] = {}
    for key in keys:
        old = group.about["history"].get(key)
        if old:
            found[key] = [year.amount(Decimal(str(one))) for one in old]
        else:
            names = ("Revenue", "EBITDA", "Net profit")
            found[key] = [year.find(one, (), key) for one in names]
    rows: list[tuple[str, str, Kind, list[Decimal | None]]] = [
        (year.frame.words("Revenue"), "Revenue", year.money, [found[key][0] for key in keys]),
        (
            "Revenue growth (%)" if year.frame.dollars else "Growth (%)",
            "Revenue growth",
            year.share,
            [_growth(found, key) for key in keys],
        ),
        ("EBITDA", "EBITDA", year.money, [found[key][1] for key in keys]),
        ("EBITDA margin (%)", "EBITDA margin", year.share, [
            rounded(100 * found[key][1] / found[key][0]) for key in keys
        ]),
        (year.frame.words("Net profit"), "Net profit", year.money, [found[key][2] for key in keys]),
    ]  # fmt: skip
    lines = tuple(
        Line(
            label=label,
            path=(label,),
            metric=metric,
            numbers=tuple(
                year.number(one, kind)
                if one is not None
                else Number(text="n/a", value=None, unit="%", scale=1)
                for one in values
            ),
        )
        for label, metric, kind, values in rows
    )
    return Sheet(
        caption=f"Five-year summary ({year.unit})",
        columns=tuple(Column(heading=(key,), period=key) for key in keys),
        lines=lines,
        look="shaded",
        label_width=150,
        size=8,
    )


def _growth(found: dict[str, list[Decimal]], key: str) -> Decimal | None:
    before = found.get(a_year_before(key))
    return rounded(100 * (found[key][0] - before[0]) / before[0]) if before else None


def segments(year: Year) -> Sheet:
    """Regions and countries; each year has revenue, EBITDA, margin and share of revenue."""
    words, group = year.frame.words, year.frame.group
    metrics = (
        (words("Revenue"), "Revenue", year.money),
        ("EBITDA", "EBITDA", year.money),
        ("EBITDA margin %", "EBITDA margin", year.share),
        (words("Headcount"), "Headcount", Kind(unit=words("people"), places=0)),
    )
    columns = tuple(
        Column(heading=(key, label), period=key, metric=metric)
        for key in (year.key, year.before)
        for label, metric, _ in metrics
    )

    def numbers(place: Place) -> tuple[Number, ...]:
        return tuple(
            year.number(rounded(year.find(metric, place, key), kind.places), kind)
            for key in (year.key, year.before)
            for _, metric, kind in metrics
        )

    lines: list[Line] = []
    for region, lands in group.regions.items():
        lines.append(Line(label=region, kind="head", path=(region,)))
        lines += [
            Line(label=one, level=1, path=(region, one), entity=(one,), numbers=numbers((one,)))
            for one in lands
        ]
        if len(lands) > 1:
            total = f"Total {region}"
            lines.append(
                Line(
                    label=total, kind="total", path=(region, total), entity=(region,),
                    numbers=numbers((region,)),
                )
            )  # fmt: skip
    label = words("Group total")
    lines.append(Line(label=label, kind="total", path=(label,), numbers=numbers(())))
    return Sheet(
        caption=f"Segment information by country ({year.unit} unless stated)",
        columns=columns,
        lines=tuple(lines),
        look="ruled",
        label_width=116,
        size=7.4 if year.frame.dollars else 6.5,
        notes=("The group total of EBITDA and headcount includes the corporate centre.",),
    )


def detail(year: Year) -> Sheet:
    """Revenue and EBITDA of every country's divisions."""
    words, group = year.frame.words, year.frame.group
    lines: list[Line] = []
    for land in group.countries:
        lines.append(Line(label=land, kind="head", path=(land,)))
        for part in group.parts(land):
            lines.append(Line(label=part, level=1, kind="head", path=(land, part)))
            for label, metric in ((words("Revenue"), "Revenue"), ("EBITDA", "EBITDA")):
                lines.append(
                    year.line(label, metric, (land, part), level=2, path=(land, part, label))
                )
            margin = "EBITDA margin (%)"
            lines.append(
                year.line(
                    margin, "EBITDA margin", (land, part), level=2, path=(land, part, margin),
                    sort=year.share,
                )
            )  # fmt: skip
    caption = f"Divisions by country ({year.unit})"
    return Sheet(
        caption=caption,
        columns=year.columns(),
        lines=tuple(lines),
        corner="Country / division",
        look="lines" if year.frame.dollars else "shaded",
        label_width=190,
        size=7.6,
        repeat_caption=f"{caption}, continued",
    )


def divisions(year: Year) -> Sheet:
    """The divisions of the group."""
    lines: list[Line] = []
    for part in year.frame.group.divisions:
        lines.append(Line(label=part, kind="head", path=(part,)))
        for label, metric in ((year.frame.words("Revenue"), "Revenue"), ("EBITDA", "EBITDA")):
            lines.append(year.line(label, metric, (part,), level=1, path=(part, label)))
        margin = "EBITDA margin"
        sort = replace(year.share, sign="%" if year.frame.dollars else " %")
        lines.append(year.line(margin, margin, (part,), level=1, path=(part, margin), sort=sort))
    return Sheet(
        caption=f"Divisions of the group, in {year.unit}",
        columns=year.columns("Change %"),
        lines=tuple(lines),
        look="plain",
        label_width=180,
        size=8,
    )


def sold(year: Year) -> Sheet:
    """Volumes and prices of the year."""
    frame, lines = year.frame, []
    for part in frame.group.divisions:
        lines.append(Line(label=part, kind="head", path=(part,)))
        measures = _measures(frame, part)
        for label, metric, sort in measures:
            lines.append(Line(label=label, kind="head", level=1, path=(part, label)))
            for land in (one for one in frame.group.countries if part in frame.group.parts(one)):
                path = (part, label, land)
                lines.append(year.line(land, metric, (land, part), level=2, path=path, sort=sort))
    return Sheet(
        caption="Volumes sold and average prices",
        columns=year.columns(),
        lines=tuple(lines),
        look="shaded" if frame.dollars else "plain",
        label_width=190,
        size=7.4,
    )


def _measures(frame: Frame, part: str) -> Iterable[tuple[str, str, Kind]]:
    if not frame.dollars:
        yield "Sales volume (tonnes)", "Volume", Kind(unit="t", places=0)
        yield "Average price (€ per tonne)", "Average price", Kind(unit="€/t")
        return
    name, unit = ("thousand m³", "m³") if part == "Ready-mix" else ("thousand tonnes", "t")
    yield f"Volume ({name})", "Volume", Kind(unit=unit, scale=1000, places=0)
    yield f"Average price (US$ per {unit})", "Average price", Kind(unit=f"US$/{unit}")


def quarters(year: Year) -> Sheet:
    """The quarters of the year."""
    words, group = year.frame.words, year.frame.group
    keys = [f"{year.key}-Q{one}" for one in (1, 2, 3, 4)]
    columns = [Column(heading=(year.key, key[5:]), period=key) for key in keys]
    columns.append(Column(heading=(year.key, "Full year"), period=year.key))
    lines: list[Line] = []
    for metric in ("Revenue", "EBITDA"):
        head = words(metric)
        lines.append(Line(label=head, kind="head", path=(head,)))
        places: list[tuple[str, Place]] = [(one, (one,)) for one in group.regions]
        places.append((words("Group total"), ()))
        for label, place in places:
            values = [year.find(metric, place, one.period) for one in columns]
            lines.append(
                Line(
                    label=label, level=1, kind="row" if place else "total", path=(head, label),
                    metric=metric, entity=place,
                    numbers=tuple(year.number(one, year.money) for one in values),
                )
            )  # fmt: skip
    margins = [year.find("EBITDA margin", (), one.period) for one in columns]
    lines.append(
        Line(
            label="EBITDA margin (%)", path=("EBITDA margin (%)",), metric="EBITDA margin",
            numbers=tuple(year.number(one, year.share) for one in margins),
        )
    )  # fmt: skip
    return Sheet(
        caption=f"Quarterly development {year.key} ({year.unit})",
        columns=tuple(columns),
        lines=tuple(lines),
        look="lines",
        label_width=140,
        size=8,
    )


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


TABLES: dict[str, Callable[[Year], Sheet]] = {
    "five years": five_years,
    "segments": segments,
    "detail": detail,
    "divisions": divisions,
    "sold": sold,
    "quarters": quarters,
    "income": income,
    "cash": cash,
    "balance": balance,
    "debt": debt,
    "provisions": provisions,
    "invested": invested,
}
