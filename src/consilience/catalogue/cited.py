"""What do the papers here cite? Read from the passages of their references."""

from __future__ import annotations

from consilience.catalogue.database import Database

_READ = """
SELECT {fields} FROM passages
WHERE collection IN (SELECT DISTINCT collection FROM passages) AND kind = ?
"""
_WORKS = _READ.format(fields="document, json_extract(metadata, '$.node')")
_PAIRS = _READ.format(
    fields="DISTINCT json_extract(metadata, '$.source'), json_extract(metadata, '$.target')"
)


def works(database: Database) -> dict[str, str]:
    """The key of the paper that each document is; one that is several is left out."""
    found: dict[str, set[str]] = {}
    for document, key in database.read(_WORKS, ("work",)):
        if key is not None:
            found.setdefault(document, set()).add(str(key))
    return {document: keys.pop() for document, keys in found.items() if len(keys) == 1}


def citations(database: Database) -> list[tuple[str, str]]:
    """Who cites whom, by their keys."""
    rows = database.read(_PAIRS, ("citation",))
    return [(str(source), str(target)) for source, target in rows if None not in (source, target)]
