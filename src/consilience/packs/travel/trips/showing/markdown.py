"""How does a trip read as Markdown? The same page as the text, with tables."""

from __future__ import annotations

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
from consilience.text_markup import escape_markdown


def markdown(trip: Trip, atlas: Atlas) -> str:
    """A trip as Markdown, in which words of others are shown as they stand."""
    return "\n\n".join("\n".join(_laid_out(block)) for block in page(trip, atlas)) + "\n"


def _laid_out(block: Block) -> Iterator[str]:
    match block:
        case Heading():
            yield f"{'#' * block.level} {_plain(block.text)}"
        case Lines():
            for name, told in block.lines:
                yield f"- **{_plain(name)}:** {_said(told)}" if name else _said(told)
        case Items():
            for number, told in enumerate(block.items, start=1):
                yield f"- [{number}] {_said(told)}" if block.numbered else f"- {_said(told)}"
        case Table():
            yield from _table(block)


def _table(table: Table) -> Iterator[str]:
    yield _row([_plain(one) for one in table.columns])
    sides = ["---:" if place in table.right else "---" for place in range(len(table.columns))]
    yield _row(sides)
    for place, row in enumerate(table.rows):
        cells = [_said(cell) for cell in row]
        is_total = table.total and place == len(table.rows) - 1
        yield _row([f"**{cell}**" if is_total and cell else cell for cell in cells])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _said(told: Told) -> str:
    note = f": {_plain(told.note)}" if told.note else ""
    return f"{_plain(told.text)}{marks(told.marks)}{note}"


def _plain(text: str) -> str:
    """Text of others on one line, as it stands."""
    return escape_markdown(" ".join(text.split()))
