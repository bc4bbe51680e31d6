"""Which tables stand on a page? Ruled ones first, then those that numbers make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from consilience.packs.finance.files.pdf.around import caption_of, notes_below
from consilience.packs.finance.files.pdf.page import Page, Word
from consilience.packs.finance.files.pdf.rows import rows_of
from consilience.packs.finance.files.pdf.ruled import ruled
from consilience.packs.finance.files.pdf.unruled import Found, unruled
from consilience.packs.finance.shapes import Grid

MOST_WORDS = 10_000  # on one page: more is no page that anybody reads


@dataclass(frozen=True, slots=True, kw_only=True)
class OnPage:
    """A table of a page, and the places of the words that it uses up."""

    grid: Grid
    used: frozenset[int]
    first: int


def tables_of(page: Page, words: Sequence[Word], *, usual: float) -> list[OnPage]:
    """The tables among some words of a page, from the top down.

    `usual` is the size of most type in the document; what is larger is no caption. A page with
    more than `MOST_WORDS` words is refused with a ValueError.
    """
    if not words:
        return []
    if len(words) > MOST_WORDS:
        raise ValueError(f"{len(words):,} words on page {page.number + 1}")
    rows = rows_of(words)
    tables = ruled(page, words)
    within = {word.at for table in tables for word in table.words}
    rest = rows_of(word for word in words if word.at not in within) if within else rows
    tables.extend(unruled(page, rest))
    tables.sort(key=lambda table: (table.box.top, table.box.left))
    taken = frozenset(word.at for table in tables for word in table.words)
    found = []
    for table in tables:
        caption, above = caption_of(rows, table.box, taken=taken, usual=usual)
        taken |= {word.at for word in above}
        notes, below = notes_below(rows, table.box, taken=taken)
        taken |= {word.at for word in below}
        used = frozenset(word.at for word in (*table.words, *above, *below))
        found.append(_on_page(table, page, caption=caption, notes=tuple(notes), used=used))
    return found


def _on_page(
    table: Found, page: Page, *, caption: str, notes: tuple[str, ...], used: frozenset[int]
) -> OnPage:
    grid = Grid(
        cells=table.cells,
        caption=caption,
        notes=notes,
        page=page.number + 1,
        box=table.box,
        header=table.header,
    )
    return OnPage(grid=grid, used=used, first=min(used))
