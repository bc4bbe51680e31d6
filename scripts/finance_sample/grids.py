"""What does a table of a report say, cell by cell? Headings, labels, numbers and what they mean.

A `Sheet` is drawn by `drawing` and written down by `truth`; both take it as it is, so that what is
kept as true is what is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from finance_sample.figures import Place, a_year_before, rounded

Find = Callable[[str, str], Decimal]
"""A figure by its period and its basis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a group prints its numbers."""

    point: str = "."
    thousands: str = ","
    parentheses: bool = True
    minus: str = "-"
    nil: str = "–"
    plus: bool = False

    def number(self, value: Decimal | None, places: int, *, signed: bool = False) -> str:
        """A number as printed; nothing and zero are a dash."""
        if value is None or value == 0:
            return self.nil
        text = f"{abs(rounded(value, places)):,.{places}f}"
        text = text.translate({ord(","): self.thousands, ord("."): self.point})
        if value < 0:
            return f"({text})" if self.parentheses and not signed else f"{self.minus}{text}"
        return f"+{text}" if signed and self.plus else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of numbers: its headings from the outermost inwards, and what it is about."""

    heading: tuple[str, ...]
    period: str
    basis: str = "actual"
    stated: str = ""
    against: str = ""
    width: float = 1.0
    metric: str = ""
    entity: Place = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number in its cell: as printed and as meant."""

    text: str
    value: Decimal | None
    unit: str
    scale: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A row: its label, how deep it stands, and its numbers; a heading has none."""

    label: str
    level: int = 0
    kind: str = "row"
    path: tuple[str, ...] = ()
    metric: str = ""
    entity: Place = ()
    numbers: tuple[Number | None, ...] = ()


@dataclass(slots=True, kw_only=True)
class Sheet:
    """A table. `columns` are those of numbers, `corner` stands above the labels.

    `look` is `ruled`, `lines`, `shaded` or `plain`. `placed` is filled by drawing: for each row
    its page and its boxes.
    """

    caption: str
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    corner: str = ""
    look: str = "lines"
    label_width: float = 150
    notes: tuple[str, ...] = ()
    size: float = 7.6
    repeat_caption: str = ""
    placed: dict[int, tuple[int, list[list[float]]]] = field(default_factory=dict)
    headed: dict[int, list[list[float]]] = field(default_factory=dict)


# --- what the numbers of a row are ------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What kind of number a row has: its unit, scale and decimals; a share changes by points."""

    unit: str
    scale: int = 1
    places: int = 1
    share: bool = False
    sign: str = ""
    printed: str = ""


def filled(
    columns: Sequence[Column], find: Find, kind: Kind, style: Style, *, points: str = "pp"
) -> tuple[Number, ...]:
    """The numbers of a row for its columns, looked up by `find`."""
    made: list[Number] = []
    for column in columns:
        if column.basis == "text":
            made.append(Number(text=kind.printed, value=None, unit="", scale=1))
            continue
        try:
            if column.basis == "change":
                made.append(_change(column, find, kind, style, points))
                continue
            value = find(column.period, "actual" if column.basis == "last year" else column.basis)
        except KeyError:
            made.append(Number(text="n/a", value=None, unit=kind.unit, scale=kind.scale))
            continue
        exact = rounded(value, kind.places)
        text = style.number(exact, kind.places)
        if kind.sign and value:
            text += kind.sign
        made.append(Number(text=text, value=exact, unit=kind.unit, scale=kind.scale))
    return tuple(made)


def _change(column: Column, find: Find, kind: Kind, style: Style, points: str) -> Number:
    now = find(column.period, "actual")
    before = (
        find(column.period, "budget")
        if column.against == "budget"
        else find(a_year_before(column.period), "actual")
    )
    if kind.share:
        value = rounded(now, 1) - rounded(before, 1)
        text = style.number(value, 1, signed=True)
        return Number(text=text + (f" {points}" if value else ""), value=value, unit="pp", scale=1)
    if before == 0 or (now < 0) != (before < 0):
        return Number(text="n/m", value=None, unit="%", scale=1)
    value = rounded(100 * (now - before) / abs(before))
    return Number(text=style.number(value, 1, signed=True), value=value, unit="%", scale=1)


def marked(sheet: Sheet, label: str, column: int, mark: str, note: str) -> Sheet:
    """The sheet with the mark of a footnote at one number, and the note below."""
    lines = list(sheet.lines)
    at = next(row for row, line in enumerate(lines) if " › ".join(line.path) == label)
    numbers = list(lines[at].numbers)
    one = numbers[column]
    if one is None:
        raise ValueError(f"{label} has no number there")
    numbers[column] = replace(one, text=one.text + mark)
    lines[at] = replace(lines[at], numbers=tuple(numbers))
    sheet.lines, sheet.notes = tuple(lines), (*sheet.notes, note)
    return sheet
