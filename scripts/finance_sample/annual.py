"""Which tables does an annual report have? Each from the group's figures, for one year."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from decimal import Decimal

from finance_sample.accounts import balance, cash, debt, income, invested, provisions
from finance_sample.figures import Place, a_year_before, rounded
from finance_sample.grids import Column, Kind, Line, Number, Sheet
from finance_sample.monthly import Frame
from finance_sample.years import Year


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
