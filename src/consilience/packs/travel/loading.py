"""How are files of places read? By `place_files`, once the libraries of the pack are installed."""

from __future__ import annotations

from importlib.util import find_spec

from consilience.errors import MissingExtra
from consilience.pack import deferred
from consilience.protocols import Format


def needed() -> None:
    """Raise `MissingExtra` where opening hours, calendars or the solver cannot be imported."""
    if any(find_spec(name) is None for name in ("opening_hours", "icalendar", "ortools")):
        raise MissingExtra("travel (places, opening hours and trips)", "travel")


later = deferred("consilience.packs.travel", needed)
"""A function of one of this package's modules, imported when it is first called."""
LOADER = Format(
    packs=frozenset({"travel"}),
    endings=(
        *(".json", ".geojson", ".csv", ".tsv"),
        *(".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    ),
    version=2,
    load=later("place_files", "load"),
    cut=later("place_files", "cut"),
)
LISTINGS = Format(
    packs=frozenset({"travel"}),
    endings=(".md", ".markdown"),
    version=1,
    load=later("place_files", "load_markdown"),
    cut=later("place_files", "cut"),
)
