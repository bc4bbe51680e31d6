"""Which files are reports? Those of this pack's formats, in workspaces of this pack.

What reads them (`reports`) needs the `finance` extra and is imported with the first file.
"""

from __future__ import annotations

from consilience.packs.finance.extra import later
from consilience.protocols import Format

LOADER = Format(
    packs=frozenset({"finance"}),
    endings=(
        *(".pdf", ".xlsx", ".xlsm", ".xls", ".csv", ".tsv"),
        *(".html", ".htm", ".xhtml", ".md", ".markdown"),
    ),
    version=2,
    load=later("files.reports", "load"),
    cut=later("tables.items", "cut"),
)
