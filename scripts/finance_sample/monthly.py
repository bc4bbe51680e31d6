"""Which tables does a monthly report have? Each from the group's figures, for one month."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from finance_sample.figures import Group, Place, a_year_before
from finance_sample.grids import Column, Kind, Line, Sheet, Style, filled
from finance_sample.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A group and a month, with the words and the numbers' style of its report."""

    group: Group
    year: int
    month: int
    words: Words
    style: Style
    annual: bool = False

    @property
    def period(self) -> str:
        """The month's key."""
        return f"{self.year}-{self.month:02}"

    @property
    def ytd(self) -> str:
        """The key of the year up to this month."""
        return f"{self.year}-YTD-{self.month:02}"

    @property
    def dollars(self) -> bool:
        """Whether this is the group that reports in dollars."""
        return bool(self.group.about["currency"] == "US$")

    @property
    def narrow(self) -> float:
        """How wide a column of changes is beside one of amounts."""
        return 0.95 if self.dollars else 0.8

    @property
    def money(self) -> Kind:
        """Amounts as the monthly reports print them."""
        if self.dollars:
            return Kind(unit="US$", scale=1_000_000)
        return Kind(unit="€", scale=1_000, printed=self.words("€k"))

    def caption(self, number: int, title: str, unit: str = "") -> str:
        """The words above a table, with its unit."""
        unit = unit or self.words("in money")
        if self.dollars:
            return f"Table {number}. {title} ({unit})"
        return f"{title}, {unit}"

    def columns(self, look: str = "") -> tuple[Column, ...]:
        """The month and the year so far, against budget and last year."""
        words, made = self.words, []
        for name, key in ((words.month(self.period), self.period), (words.ytd(self.ytd), self.ytd)):
            before = a_year_before(key)
            tops = (name, "") if self.dollars else (name,)
            change = (name, words("Change on")) if self.dollars else (name,)
            made += [
                Column(heading=(*tops, words("Actual")), period=key),
                Column(heading=(*tops, words("Budget")), period=key, basis="budget"),
                Column(
                    heading=(*tops, words("Last year")),
                    period=before,
                    stated=key,
                    basis="last year",
                ),
                Column(
                    heading=(*change, words("budget %")),
                    period=key,
                    basis="change",
                    against="budget",
                    width=self.narrow,
                ),
                Column(
                    heading=(*change, words("last year %")),
                    period=key,
                    basis="change",
                    against="last year",
                    width=self.narrow,
                ),
            ]
        if look == "short":
            made = [one for one in made if one.basis != "budget" and one.against != "budget"]
        return tuple(made)

    def line(
        self, label: str, metric: str, sort: Kind, columns: Sequence[Column], **rest: object
    ) -> Line:
        """A row of a metric for a place (`entity`), or of the group."""
        place: Place = rest.pop("entity", ())  # type: ignore[assignment]
        sign = -1 if rest.pop("turned", False) else 1

        def find(period: str, basis: str) -> Decimal:
            if basis == "forecast":
                return self.group.forecast(metric, place, period)
            return sign * self.group.value(metric, place, period, basis)

        numbers = filled(columns, find, sort, self.style, points=self.words("pp"))
        path: tuple[str, ...] = rest.pop("path", ()) or (label,)  # type: ignore[assignment]
        return Line(
            label=label,
            metric=metric,
            entity=place,
            numbers=numbers,
            path=path,
            **rest,  # type: ignore[arg-type]
        )


def percent(frame: Frame) -> Kind:
    """Shares in percent; the dollars' reports print the sign."""
    return Kind(unit="%", share=True, sign="%" if frame.dollars else "", printed="%")


def overview(frame: Frame) -> Sheet:
    """The key figures of the group."""
    words, money = frame.words, frame.money
    columns = frame.columns()
    if not frame.dollars:
        columns = (
            Column(heading=("", words("Unit")), period="", basis="text", width=0.75),
            *columns,
        )
    people = Kind(unit=words("people"), places=0 if frame.dollars else 1, printed=words("people"))
    mark = "¹" if frame.dollars else ""
    rows = [
        frame.line(words("Revenue"), "Revenue", money, columns),
        frame.line(words("EBITDA") + mark, "EBITDA", money, columns),
        frame.line(words("EBITDA margin"), "EBITDA margin", percent(frame), columns),
        frame.line(words("EBIT"), "Operating profit (EBIT)", money, columns),
        frame.line(words("Net profit"), "Net profit", money, columns),
        frame.line(
            words("Capital expenditure"), "Capital expenditure", money, columns, turned=True
        ),
        frame.line(
            words("Free cash flow") + ("²" if mark else "*"), "Free cash flow", money, columns
        ),
        frame.line(words("Net debt"), "Net debt at end of period", money, columns),
        frame.line(
            words("Headcount") + (f" ({people.unit})" if frame.dollars else ""),
            "Headcount",
            people,
            columns,
        ),
    ]
    notes = (words("note ebitda"), words("note fcf"))
    caption = frame.caption(1, words("Key figures"))
    if not frame.dollars:
        caption = words("Key figures of the group")
    return Sheet(
        caption=caption,
        columns=columns,
        lines=tuple(rows),
        look="ruled" if frame.dollars else "shaded",
        label_width=118 if frame.dollars else 112,
        notes=notes,
        size=7.4 if frame.dollars else 6.4,
    )


def by_place(frame: Frame, number: int, metric: str) -> Sheet:
    """A metric by country and division, with the group at the end."""
    columns, words = frame.columns(), frame.words
    lines: list[Line] = []
    for land in frame.group.countries:
        lines += _country(frame, land, metric, columns)
    lines += _divisions(frame, metric, columns)
    if metric == "EBITDA":
        lines.append(
            frame.line(words("Corporate"), metric, frame.money, columns, entity=("Corporate",))
        )
    lines.append(frame.line(words("Group total"), metric, frame.money, columns, kind="total"))
    title = words("by country and division").format(words(metric))
    return Sheet(
        caption=frame.caption(number, title),
        columns=columns,
        lines=tuple(lines),
        corner=words("Country / division"),
        look="lines" if frame.dollars else "shaded",
        label_width=108,
        size=7.2 if frame.dollars else 6.2,
    )


def _country(frame: Frame, land: str, metric: str, columns: Sequence[Column]) -> list[Line]:
    words, kind, name = frame.words, frame.money, frame.words(land)
    parts = [
        frame.line(
            words(part),
            metric,
            kind,
            columns,
            entity=(land, part),
            level=1,
            path=(name, words(part)),
        )
        for part in frame.group.parts(land)
    ]
    if frame.dollars:
        return [frame.line(name, metric, kind, columns, entity=(land,), kind="total"), *parts]
    total = words("Total").format(name)
    return [
        Line(label=name, kind="head", path=(name,)),
        *parts,
        frame.line(total, metric, kind, columns, entity=(land,), kind="total", path=(name, total)),
    ]


def _divisions(frame: Frame, metric: str, columns: Sequence[Column]) -> list[Line]:
    words = frame.words
    lines = [Line(label=words("By division"), kind="head", path=(words("By division"),))]
    for part in frame.group.divisions:
        path = (words("By division"), words(part))
        lines.append(
            frame.line(
                words(part), metric, frame.money, columns, entity=(part,), level=1, path=path
            )
        )
    return lines


def earnings(frame: Frame, number: int) -> Sheet:
    """EBITDA and its margin by country and division: three levels of labels, over two pages."""
    columns, words = frame.columns(), frame.words
    lines: list[Line] = []
    for land in frame.group.countries:
        name = words(land)
        lines.append(Line(label=name, kind="head", path=(name,)))
        places = [(part, (land, part)) for part in frame.group.parts(land)]
        for label, place in [*places, (words("Total").format(name), (land,))]:
            lines += _earned(frame, words(label), name, place, columns)
    for part in frame.group.divisions:
        top = words("By division")
        if part == frame.group.divisions[0]:
            lines.append(Line(label=top, kind="head", path=(top,)))
        lines += _earned(frame, words(part), top, (part,), columns)
    corporate, total = words("Corporate"), words("Group total")
    lines.append(frame.line(corporate, "EBITDA", frame.money, columns, entity=("Corporate",)))
    lines.append(frame.line(total, "EBITDA", frame.money, columns, kind="total"))
    lines.append(
        frame.line(
            words("EBITDA margin %"),
            "EBITDA margin",
            replace(percent(frame), sign=""),
            columns,
            level=1,
            path=(total, words("EBITDA margin %")),
        )
    )
    caption = frame.caption(number, words("EBITDA and margin by country"))
    return Sheet(
        caption=caption,
        columns=columns,
        lines=tuple(lines),
        corner=words("Country / division"),
        look="shaded" if frame.dollars else "ruled",
        label_width=112,
        size=7.0 if frame.dollars else 6.2,
        repeat_caption=caption + words("continued") if frame.dollars else "",
    )


def _earned(
    frame: Frame, label: str, above: str, place: Place, columns: Sequence[Column]
) -> list[Line]:
    margin = frame.words("EBITDA margin %")
    kind = "total" if len(place) == 1 and place[0] in frame.group.countries else "row"
    return [
        frame.line(
            label,
            "EBITDA",
            frame.money,
            columns,
            entity=place,
            level=1,
            kind=kind,
            path=(above, label),
        ),
        frame.line(
            margin,
            "EBITDA margin",
            replace(percent(frame), sign=""),
            columns,
            entity=place,
            level=2,
            path=(above, label, margin),
        ),
    ]


def volumes(frame: Frame, number: int) -> Sheet:
    """Volumes and average prices: country, then division, then metric; no rules at all."""
    words, columns = frame.words, frame.columns("short")
    lines: list[Line] = []
    for part in frame.group.divisions:
        name = words(part)
        lines.append(Line(label=name, kind="head", path=(name,)))
        measures = _measures(frame, part)
        for land in (one for one in frame.group.countries if part in frame.group.parts(one)):
            path = (name, words(land))
            lines.append(Line(label=words(land), kind="head", level=1, path=path))
            for label, metric, kind in measures:
                lines.append(
                    frame.line(
                        label,
                        metric,
                        kind,
                        columns,
                        entity=(land, part),
                        level=2,
                        path=(*path, label),
                    )
                )
    title = words("Volumes and prices")
    return Sheet(
        caption=f"Table {number}. {title}" if frame.dollars else title,
        columns=columns,
        lines=tuple(lines),
        look="plain",
        label_width=170,
        size=7.0 if frame.dollars else 6.4,
        repeat_caption=f"Table {number}. {title}{words('continued')}" if frame.dollars else "",
    )


def _measures(frame: Frame, part: str) -> list[tuple[str, str, Kind]]:
    words = frame.words
    if not frame.dollars:
        return [
            (words("Sales volume (t)"), "Volume", Kind(unit="t", places=0)),
            (words("Average price (€/t)"), "Average price", Kind(unit="€/t")),
        ]
    solid = part != "Ready-mix"
    name, unit = ("kt", "t") if solid else ("thousand m³", "m³")
    return [
        (f"Volume ({name})", "Volume", Kind(unit=unit, scale=1000, places=0)),
        (f"Average price (US$/{unit})", "Average price", Kind(unit=f"US$/{unit}")),
    ]
