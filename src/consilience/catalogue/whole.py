"""What does a passage belong to? The game that it is a piece of, the table that it is a row of."""

from __future__ import annotations

from consilience.catalogue.database import Database
from consilience.catalogue.rows import SELECT_PASSAGE, passage_of
from consilience.types import Passage

MOST_ROWS = 200
"""Rows of a table that are given at once: those nearest to the one that is asked about."""


def pieces(database: Database, passage: Passage) -> list[Passage]:
    """All pieces of the whole that a passage is a part of, as its locator names it."""
    if not passage.locator.extra:
        return []
    name, number = passage.locator.extra[0]
    query = (
        f"{SELECT_PASSAGE} WHERE p.collection = ? AND p.kind = ? AND p.document = ?"
        " AND json_extract(p.locator, '$.' || ?) = ?"
    )
    place = (passage.collection, passage.kind, passage.document, name, number)
    return [passage_of(row) for row in database.read(query, place)]


def table_of(database: Database, passage: Passage) -> list[Passage]:
    """The rows of the table that a passage is one of, in order, and no more than are bearable."""
    at = passage.locator
    if at.table is None:
        return []
    query = (
        f"{SELECT_PASSAGE} WHERE p.id IN (SELECT passage FROM owners WHERE path = ?)"  # noqa: S608
        " AND p.collection = ? AND p.kind = ? AND json_extract(p.locator, '$.table') = ?"
        " ORDER BY abs(coalesce(json_extract(p.locator, '$.row'), 0) - ?), p.id LIMIT ?"
    )
    place = (passage.document, passage.collection, passage.kind, at.table)
    rows = database.read(query, (*place, at.row or 0, MOST_ROWS))
    return sorted(map(passage_of, rows), key=_place)


def _place(passage: Passage) -> tuple[int, int, str]:
    at = passage.locator
    return at.row or 0, at.part or 0, passage.id
