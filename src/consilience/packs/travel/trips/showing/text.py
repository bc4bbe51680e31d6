"""How does a trip read in a terminal? Days by the clock, a table that adds up, numbered sources."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.showing.blocks import (
    Block,
    Heading,
    Items,
    Lines,
    Table,
    Told,
)
from consilience.packs.travel.trips.showing.citing import marks
from consilience.packs.travel.trips.showing.page import page
from consilience.packs.travel.trips.types import Trip

WIDTH = 88
_GAP = 2
_NARROWEST = 16  # letters of the column that is wrapped


def text(trip: Trip, atlas: Atlas, *, width: int = WIDTH) -> str:
    """A trip as text of lines no longer than `width`, as far as words allow."""
    blocks = page(trip, atlas)
    plain = [one for one in blocks if isinstance(one, Table) and one.plain]
    shared = [max(widths) for widths in zip(*map(_widths, plain), strict=True)]
    lines = [line.rstrip() for one in blocks for line in _laid_out(one, width, shared)]
    return "\n".join(lines).strip("\n") + "\n"


def _laid_out(block: Block, width: int, shared: Sequence[int]) -> Iterator[str]:
    match block:
        case Heading():
            yield from ("", *_wrapped(block.text, width), *_ruled(block, width))
        case Lines():
            for name, told in block.lines:
                yield from _hanging(f"{name}: {_said(told)}" if name else _said(told), 2, width)
        case Items():
            for number, told in enumerate(block.items, start=1):
                first = f"[{number}] " if block.numbered else "- "
                yield from _hanging(first + _said(told), len(first), width)
        case Table():
            yield from _table(block, width, shared if block.plain else _widths(block))


def _ruled(heading: Heading, width: int) -> tuple[str, ...]:
    sign = "=" if heading.level == 1 else "-"
    return (sign * min(_cells(heading.text), width),)


def _said(told: Told) -> str:
    note = f": {told.note}" if told.note else ""
    return f"{told.text}{marks(told.marks)}{note}"


def _hanging(said: str, indent: int, width: int) -> Iterator[str]:
    """Lines of a text, all but the first indented."""
    for place, line in enumerate(_wrapped(said, max(_NARROWEST, width - indent))):
        yield f"{' ' * indent if place else ''}{line}"


# --- tables -----------------------------------------------------------------------------


def _table(table: Table, width: int, natural: Sequence[int]) -> Iterator[str]:
    widths = list(natural)
    others = sum(widths) - widths[table.wide] + _GAP * (len(widths) - 1)
    widths[table.wide] = max(_NARROWEST, min(widths[table.wide], width - others))
    rule = "-" * (sum(widths) + _GAP * (len(widths) - 1))
    if not table.plain:
        yield from _row(table.columns, widths, table)
        yield rule
    for place, row in enumerate(table.rows):
        if table.total and place == len(table.rows) - 1:
            yield rule
        yield from _row([_said(cell) for cell in row], widths, table)


def _widths(table: Table) -> list[int]:
    """How wide each column would be; tables of days share it, so that prices stand in line."""
    rows = [[_said(cell) for cell in row] for row in table.rows]
    named = [] if table.plain else [list(table.columns)]
    return [max(map(_cells, column)) for column in zip(*named, *rows, strict=True)]


def _row(row: Sequence[str], widths: Sequence[int], table: Table) -> Iterator[str]:
    wrapped = _wrapped(row[table.wide], widths[table.wide]) or [""]
    for place, line in enumerate(wrapped):
        cells = [cell if place == 0 else "" for cell in row]
        cells[table.wide] = line
        yield (" " * _GAP).join(
            _padded(cell, wide, right=column in table.right)
            for column, (cell, wide) in enumerate(zip(cells, widths, strict=True))
        )


def _padded(cell: str, wide: int, *, right: bool) -> str:
    space = " " * max(0, wide - _cells(cell))
    return space + cell if right else cell + space


def _wrapped(said: str, width: int) -> list[str]:
    """Lines that a terminal shows within a width; a word that is longer is broken."""
    lines = [""]
    for word in said.split():
        for piece in _pieces(word, width):
            if lines[-1] and _cells(lines[-1]) + 1 + _cells(piece) > width:
                lines.append("")
            lines[-1] += f" {piece}" if lines[-1] else piece
    return lines if lines != [""] else []


def _pieces(word: str, width: int) -> Iterator[str]:
    piece = ""
    for sign in word:
        if _cells(piece + sign) > width:
            yield piece
            piece = ""
        piece += sign
    yield piece


def _cells(said: str) -> int:
    """How wide a terminal shows a text: signs of East Asia take two places, accents none."""
    return sum(
        0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "WF")
        for sign in said
    )
