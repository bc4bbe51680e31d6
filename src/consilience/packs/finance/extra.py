"""Is there what reads PDF tables and spreadsheets? It comes with the `finance` extra only."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from consilience.errors import MissingExtra
from consilience.pack import deferred

_NEEDED = ("pdfplumber", "openpyxl", "rapidfuzz", "sqlglot")


@cache
def _missing() -> list[str]:
    return [name for name in _NEEDED if find_spec(name) is None]


def needed() -> None:
    """Raise `MissingExtra` where something of it is not installed."""
    if _missing():
        raise MissingExtra("finance (tables of reports and spreadsheets)", "finance")


later = deferred("consilience.packs.finance", needed)
"""A function of one of this package's modules, imported when it is first called."""
