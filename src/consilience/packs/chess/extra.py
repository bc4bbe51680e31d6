"""Is python-chess there? It is GPL-3 and comes with the `chess` extra only."""

from __future__ import annotations

from importlib.util import find_spec

from consilience.errors import MissingExtra
from consilience.pack import deferred


def needed() -> None:
    """Raise `MissingExtra` where python-chess is not installed."""
    if find_spec("chess") is None or find_spec("rapidfuzz") is None:
        raise MissingExtra("chess (books and games with their moves)", "chess")


later = deferred("consilience.packs.chess", needed)
"""A function of one of this package's modules, imported when it is first called."""
