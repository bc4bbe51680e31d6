"""Which names do passages give? Those that begin like some words, and the texts of a field."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.catalogue.database import Database
from consilience.names import surface


def near(database: Database, words: Sequence[str], limit: int) -> list[str]:
    """Names with a word that begins like one of these, to see how they are spelt here."""
    found: dict[str, None] = {}
    for word in words:
        begins = surface(word)[:2]
        rows = database.read(
            "SELECT DISTINCT surface FROM names WHERE surface LIKE ? OR surface LIKE ? "
            "ORDER BY 1 LIMIT ?",
            (f"{begins}%", f"% {begins}%", limit),
        )
        found.update(dict.fromkeys(row[0].title() for row in rows if begins))
    return list(found)


def values_of(database: Database, field: str) -> list[str]:
    """The different texts that rows have in a field, in order."""
    query = "SELECT DISTINCT value FROM names WHERE role = 'value' AND field = ? ORDER BY 1"
    return [str(row[0]) for row in database.read(query, (field,))]
