"""What does a grid of texts say? Rows with labels, and numbers with all that says what they are.

`understand` puts the parts together: headings over the columns (`headings`), labels of the rows
(`labels`), what is counted and of whom (`roles`), in which unit (`measuring`), and when
(`dating`). A band is a part of a table under headings of its own; most tables have one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

from consilience.packs.finance.notation.values import (
    Measure,
    Style,
    Value,
    measure_of,
    read_value,
)
from consilience.packs.finance.shapes import BETWEEN, About, Box, Cell, Datum, Grid, Row, Table
from consilience.packs.finance.tables.dating import Among, among_of, between_days, when_of
from consilience.packs.finance.tables.headings import Band, bands, heading_rows, label_columns
from consilience.packs.finance.tables.labels import Part, label_paths
from consilience.packs.finance.tables.lattice import Lattice, lattice_of, tidy, without_periods
from consilience.packs.finance.tables.measuring import around, measured
from consilience.packs.finance.tables.roles import Roles, roles_of, told_apart
from consilience.packs.finance.tables.wording import is_only_unit

_THINGS = re.compile(
    r"(?i)\b(?:unit counts?|(?:number|count) of|employee count|square feet|warehouses|patents)\b"
)
Paths = Mapping[int, tuple[Part, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What is known of a band, and of the table around it, when its numbers are read.

    `names` are the headings of its columns as they are printed, `money` the currencies that some
    cells of its columns show, `currency` that of other amounts, `among` what its columns say
    together of times, and `between` when rows are about that stand between two balances.
    """

    lattice: Lattice
    about: About
    labels: tuple[int, ...]
    aside: frozenset[int]
    roles: Roles
    measure: Measure
    context: tuple[str, ...]
    band: Band
    names: Mapping[int, str]
    money: Mapping[int, str]
    currency: str
    among: Among
    between: Mapping[int, str]


def understand(grid: Grid, about: About, name: str, said: Sequence[str] = ()) -> Table:
    """The table that a grid is, under a name that tells it from the others of its document.

    `said` are texts of its page that say what all numbers there are in.
    """
    lattice = lattice_of(grid)
    count = heading_rows(lattice, grid.header)
    labels, aside = label_columns(lattice, count)
    parts = bands(lattice, count, labels)
    paths = label_paths(lattice, range(count, lattice.rows), labels, _heads(parts))
    first = parts[0]
    outer = around((*_said_around(grid, first), *said))
    shared = (lattice, about, labels, aside, _roles(grid, parts, paths, aside))
    moved = between_days({row: path[-1].text for row, path in sorted(paths.items()) if path})
    readings = [replace(_reading(grid, band, outer, shared), between=moved) for band in parts]
    rows = [row for reading in readings for row in _rows(reading, paths)]
    return Table(
        name=name,
        caption=tidy(grid.caption) or tidy(" ".join(first.title)),
        rows=tuple(rows),
        section=grid.section,
        page=grid.page,
        unit=outer.unit,
        scale=outer.scale or 1,
        notes=grid.notes,
    )


def _heads(parts: Sequence[Band]) -> set[int]:
    """The rows of headings between bands."""
    return {row for one, two in pairwise(parts) for row in range(one.end, two.start)}


def _said_around(grid: Grid, first: Band) -> tuple[str, ...]:
    """The texts around a table that may say what its numbers are in, the nearest first."""
    return (*first.corner.values(), *first.title, grid.caption, *grid.notes, *grid.section[::-1])


def _roles(grid: Grid, parts: Sequence[Band], paths: Paths, aside: frozenset[int]) -> Roles:
    columns = [path for band in parts for c, path in band.columns.items() if c not in aside]
    near = (*parts[0].title, grid.caption)
    return roles_of(paths, columns, parts[0].corner, (near, grid.section[::-1]))


def _reading(
    grid: Grid,
    band: Band,
    outer: Measure,
    shared: tuple[Lattice, About, tuple[int, ...], frozenset[int], Roles],
) -> _Reading:
    lattice, about, labels, aside, roles = shared
    own = around(band.corner.values())
    return _Reading(
        lattice=lattice,
        about=about,
        labels=labels,
        aside=aside,
        roles=roles,
        measure=own if own.unit or own.scale else outer,
        context=(*band.corner.values(), *band.title, grid.caption, *grid.section[::-1]),
        band=band,
        names=header_names(band.columns),
        money=_money(lattice, band, labels),
        currency="" if _counts_things((*band.title, grid.caption)) else about.currency,
        between={},
        among=among_of(
            (path for column, path in band.columns.items() if column not in aside),
            (band.columns.get(column, ()) for column in _filled(lattice, band, labels, aside)),
        ),
    )


def _filled(
    lattice: Lattice, band: Band, labels: Sequence[int], aside: frozenset[int]
) -> frozenset[int]:
    """The columns of a band that have numbers."""
    return frozenset(
        cell.column
        for row in range(band.start, band.end)
        for cell in lattice.lines.get(row, ())
        if cell.column not in labels
        and cell.column not in aside
        and read_value(cell.text, lattice.style) is not None
    )


def _counts_things(texts: Iterable[str]) -> bool:
    """Whether a table is said to count things: then numbers without a sign are no money."""
    return any(map(_THINGS.search, texts))


def _money(lattice: Lattice, band: Band, labels: Sequence[int]) -> dict[int, str]:
    """The currency of each column where some of its cells show one: often the first and last."""
    found: dict[int, Counter[str]] = {}
    for row in range(band.start, band.end):
        for cell in lattice.lines.get(row, ()):
            value = read_value(cell.text, lattice.style) if cell.column not in labels else None
            if value is not None and len(value.unit) == 3 and value.unit.isupper():
                found.setdefault(cell.column, Counter())[value.unit] += 1
    return {column: units.most_common(1)[0][0] for column, units in found.items()}


# --- rows and numbers -------------------------------------------------------------------


def _rows(reading: _Reading, paths: Paths) -> Iterable[Row]:
    for at in range(reading.band.start, reading.band.end):
        if at in paths and (row := _row(reading, at, paths[at])) is not None:
            yield row


def _row(reading: _Reading, at: int, path: tuple[Part, ...]) -> Row | None:
    cells = reading.lattice.lines.get(at, [])
    values = [one for one in cells if one.column not in reading.labels]
    if not path and not values:
        return None
    data = tuple(
        _datum(reading, path, one, value)
        for one in values
        if one.column not in reading.aside
        and (value := _value(one, reading.lattice.style)) is not None
    )
    page = next((one.page for one in cells if one.page is not None), None)
    label = tuple(one.text for one in path)
    return Row(
        number=at + 1,
        label=(reading.between[at], *label) if at in reading.between else label,
        texts=_texts(reading, values, label),
        data=data,
        page=page,
        box=_around(one.box for one in cells if one.page == page),
    )


def _value(cell: Cell, style: Style) -> Value | None:
    """The number that a cell says, with all its digits where the file has them beside its text."""
    found = read_value(cell.text, style)
    if found is None or not cell.exact:
        return found
    return replace(found, value=Decimal(cell.exact))


def _texts(
    reading: _Reading, values: Sequence[Cell], label: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """The cells of a row with their headings; a label that stands elsewhere is no cell."""
    return tuple(
        (reading.names.get(one.column, ""), tidy(one.text))
        for one in values
        if not (len(values) == 1 and label == (tidy(one.text).rstrip(" :"),))
    )


def _datum(reading: _Reading, path: tuple[Part, ...], cell: Cell, value: Value) -> Datum:
    header = reading.band.columns.get(cell.column, ())
    label = tuple(one.text for one in path)
    metric, entity = told_apart(reading.roles, path, header)
    letter = _letter(path)
    money = reading.money.get(cell.column) or reading.currency
    heads = [one if measure_of(one).unit else without_periods(one, bases=True) for one in header]
    named = label[:-1] if letter else label
    unit, scale = measured(value, reading.measure, heads, named, (metric, money))
    spoken = (*label, reading.between[cell.row]) if cell.row in reading.between else label
    when = when_of(header, spoken, reading.context, reading.about.period, reading.among)
    return Datum(
        row=cell.row + 1,
        column=cell.column,
        text=tidy(cell.text),
        value=value.value,
        number=value.value * scale,
        unit=unit,
        scale=scale,
        metric=metric or letter,
        entity=entity,
        header=header,
        label=label,
        period=when.period,
        stated=when.stated,
        basis=when.basis,
        against=when.against,
        page=cell.page,
        box=cell.box,
    )


def _letter(path: Sequence[Part]) -> str:
    """The label of a row that is one letter and no more: a name, and not a unit such as x or t."""
    own = [one for one in path if one.column is not None]
    alone = len(own) == 1 and own[0] == path[-1] and len(own[0].text) == 1
    return own[0].text if alone and own[0].text.isalpha() else ""


# --- headings for people ----------------------------------------------------------------


def header_names(columns: Mapping[int, Sequence[str]]) -> dict[int, str]:
    """Each column's headings as one, without units where columns differ without them."""
    short = {
        c: header_text([p for p in path if not is_only_unit(p)]) for c, path in columns.items()
    }
    counts = Counter(short.values())
    return {
        column: short[column] if short[column] and counts[short[column]] == 1 else header_text(path)
        for column, path in columns.items()
    }


def header_text(path: Sequence[str]) -> str:
    """Headings as one: `Year ended December 31, 2018`, `Change › Amount`."""
    text = ""
    for part in path:
        if not text:
            text = part
        else:
            text += (" " if text.endswith((",", "-", "–")) else BETWEEN) + part
    return text


def _around(boxes: Iterable[Box | None]) -> Box | None:
    """The smallest box that holds all of these."""
    found = [one for one in boxes if one is not None]
    if not found:
        return None
    return Box(
        left=min(one.left for one in found),
        top=min(one.top for one in found),
        right=max(one.right for one in found),
        bottom=max(one.bottom for one in found),
    )
