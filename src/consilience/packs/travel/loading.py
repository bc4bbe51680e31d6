"""How are files of places read? As `files` does, once what reads opening hours is installed."""

from __future__ import annotations

from consilience.packs.travel.extra import later
from consilience.protocols import Format

LOADER = Format(
    packs=frozenset({"travel"}),
    endings=(
        *(".json", ".geojson", ".csv", ".tsv", ".dat"),
        *(".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    ),
    version=1,
    load=later("files.documents", "load"),
    cut=later("files.fitting", "cut"),
)
