"""How are files of places read? By `place_files`, once the libraries of the pack are installed."""

from __future__ import annotations

from consilience.packs.travel.extra import later
from consilience.protocols import Format

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
