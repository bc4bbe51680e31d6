"""How are notebooks and Org files read? As the Markdown that they nearly are.

Cells of a Jupyter notebook are read in order, each with its number; what code printed stands below
the code. An Org file is rewritten line by line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from consilience.errors import LoadError
from consilience.evidence.loaders.common import plain, read_text, said, title_of
from consilience.evidence.loaders.markdown import read_body, read_cells
from consilience.protocols import Format
from consilience.types import Block, Document

_MOST_OUTPUT = 20_000  # letters of what one cell printed


def load(path: Path) -> Document:
    """Read a notebook (`.ipynb`) or an Org file (`.org`)."""
    text, notes = read_text(path)
    lone, blocks = _notebook(text, path) if path.suffix.lower() == ".ipynb" else _org(plain(text))
    return Document(
        title=lone or title_of(path),
        kind="document",
        blocks=tuple(blocks),
        notes=(*notes, *said(path, blocks)),
    )


# --- Jupyter ----------------------------------------------------------------------------


def _notebook(text: str, path: Path) -> tuple[str, list[Block]]:
    try:
        found = json.loads(text)
        cells = found.get("cells") or found["worksheets"][0]["cells"]
        sources = [(str(cell.get("cell_type", "")), _joined(cell)) for cell in cells]
        printed = [_printed(cell.get("outputs") or ()) for cell in cells]
    except (ValueError, RecursionError, AttributeError, KeyError, IndexError, TypeError) as error:
        raise LoadError(
            f"{path.name} is not a readable notebook: {error}; save it again"
        ) from error
    texts = [
        source if kind in ("markdown", "heading") else _fenced(source) + _fenced(output)
        for (kind, source), output in zip(sources, printed, strict=True)
    ]
    lone, found_blocks = read_cells(texts)
    blocks = [
        replace(block, locator=replace(block.locator, extra=(("cell", number),)))
        for number, some in enumerate(found_blocks, start=1)
        for block in some
    ]
    return lone, blocks


def _joined(cell: dict[str, Any]) -> str:
    """The source of a cell: a text, or a list of lines."""
    source = cell.get("source", cell.get("input", ""))
    return plain(source if isinstance(source, str) else "".join(map(str, source)))


def _printed(outputs: Any) -> str:
    """What a cell printed and showed as text, errors included."""
    texts = []
    for output in outputs:
        data = output.get("data") or {}
        said_here = output.get("text") or data.get("text/plain") or output.get("evalue") or ""
        texts.append(said_here if isinstance(said_here, str) else "".join(map(str, said_here)))
    return plain("\n".join(texts))[:_MOST_OUTPUT]


def _fenced(text: str) -> str:
    if not text.strip():
        return ""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}\n\n"


# --- Org --------------------------------------------------------------------------------

_STARS = re.compile(r"(\*+)\s+(?:(?:TODO|DONE)\s+)?(.*?)(?:\s+:[\w:@]+:)?$")
_KEYWORD = re.compile(r"#\+(\w+):?\s*(.*)")
_DRAWER = re.compile(r"\s*:(\w+):\s*$")
_LINK = re.compile(r"\[\[([^\]]+)\](?:\[([^\]]+)\])?\]")


def _org(text: str) -> tuple[str, list[Block]]:
    title = next(
        (
            found[2]
            for line in text.split("\n")
            if (found := _KEYWORD.match(line.strip())) and found[1].lower() == "title"
        ),
        "",
    )
    lone, blocks = read_body("\n".join(_markdown(text)))
    return title or lone, blocks


def _markdown(text: str) -> Iterator[str]:
    """The lines of an Org file as Markdown."""
    fenced = drawer = table = False
    for line in text.split("\n"):
        keyword = _KEYWORD.match(line.strip())
        name = keyword[1].lower() if keyword else ""
        if name in ("begin_src", "begin_example"):
            fenced = True
            yield "```"
        elif name in ("end_src", "end_example"):
            fenced = False
            yield "```"
        elif fenced:
            yield line
        elif drawer or ((found := _DRAWER.match(line)) and found[1].isupper()):
            drawer = line.strip().upper() != ":END:"
        elif keyword or line.startswith("# "):
            continue
        else:
            row = line.lstrip().startswith("|")
            rule = row and not line.replace("|", "").strip("-+ ")
            yield from _org_line(line, first=row and not table, rule=rule)
            table = row


def _org_line(line: str, *, first: bool, rule: bool) -> Iterator[str]:
    """A line outside of code; the first row of a table is its header."""
    words = _LINK.sub(lambda found: found[2] or found[1], line)
    stars = _STARS.match(words)
    if stars:
        yield f"\n{'#' * min(len(stars[1]), 6)} {stars[2]}\n"
    elif first and not rule:
        yield from ("", words, f"|{'---|' * (words.strip().strip('|').count('|') + 1)}")
    elif not rule:
        yield words


LOADER = Format(endings=(".ipynb", ".org"), version=1, load=load)
