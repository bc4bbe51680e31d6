"""Which files are papers and notes? Those of these endings, in workspaces of this pack."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from consilience.packs.research.papers.works import as_work
from consilience.protocols import Format
from consilience.types import Document

_READERS: Mapping[str, tuple[str, str]] = {
    ".pdf": ("pdf", "load"),
    **dict.fromkeys((".md", ".markdown", ".qmd", ".rmd"), ("sources", "load_markdown")),
    **dict.fromkeys((".html", ".htm", ".xhtml"), ("sources", "load_html")),
    ".rst": ("rest", "load"),
    **dict.fromkeys((".tex", ".latex"), ("tex", "load")),
}


def load(path: Path) -> Document:
    """Read a paper or a note, with what it says of itself and what it cites."""
    module, name = _READERS[path.suffix.lower()]
    read: Callable[[Path], Document] = getattr(
        import_module(f"consilience.packs.research.papers.{module}"), name
    )
    return as_work(read(path))


LOADER = Format(packs=frozenset({"research"}), endings=tuple(_READERS), version=1, load=load)
