"""How are files of places read? (being written)"""

from __future__ import annotations

from pathlib import Path

from consilience.errors import LoadError
from consilience.protocols import Format
from consilience.types import Document


def load(path: Path) -> Document:
    """Read a file of places."""
    raise LoadError(f"{path.name}: not yet")


LOADER = Format(endings=(".geojson",), version=1, load=load, packs=frozenset({"travel"}))
