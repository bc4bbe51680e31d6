"""Where a passage stands, in a terminal: its table, its operands, and its page as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path, PurePath
from typing import Any, Literal

from rich.markup import escape
from rich.table import Table

from consilience import plugins
from consilience.attribution import Attribution, Whole, joined
from consilience.catalogue import Catalogue
from consilience.cli.app import out, print_table, tell, warn, writable
from consilience.errors import MissingExtra, UsageError
from consilience.settings import read_settings
from consilience.types import Passage

_HERE = "→"
_LABEL = 28  # letters of a row's label, or of a cell, that stay on one line


def attribution(
    passage: Passage, folder: Path, catalogue: Catalogue, column: int | None
) -> Attribution:
    """Where a passage of a workspace stands, as the workspace's pack tells it."""
    pack = plugins.load("packs", read_settings(folder).pack)
    return Attribution(passage, folder=folder, catalogue=catalogue, pack=pack, column=column)


def write_images(found: Attribution, path: Path) -> list[Path]:
    """Write a picture of each page; of several, `page.png` becomes `page-1.png`, `page-2.png` …"""
    if path.suffix.lower() != ".png":
        raise UsageError(f"--image {path}: a picture is a PNG; name a file that ends in .png")
    writable(path, "--image")
    every = [found.page(at) for at in range(1, max(1, len(found.pages)) + 1)]
    paths = [path]
    if len(every) > 1:
        paths = [path.with_stem(f"{path.stem}-{at}") for at in range(1, len(every) + 1)]
    for one, printed in zip(paths, every, strict=True):
        one.write_bytes(printed.draw())
    return paths


def standing_json(found: Attribution) -> dict[str, Any]:
    """What a row or a calculation stands on, as JSON; nothing for other passages."""
    told: dict[str, Any] = {}
    if found.cells:
        told["cells"] = found.cells
    if found.operands:
        told["operands"] = found.operands
    if (table := _table(found)) is not None:
        told["table"] = asdict(table)
    return told


def print_standing(found: Attribution, images: list[Path]) -> None:
    """The table with this row marked, or the operands; then its pages, or how to see them."""
    if (table := _table(found)) is not None:
        _print_table(table)
    for place, one in enumerate(found.operands, start=1):
        tell(f"{place}. {_operand(one)}")
    if found.operands:
        tell("")
    try:
        pages = found.pages
    except MissingExtra as error:
        warn(f"note: {error}", style="yellow")
        return
    for printed, path in zip(pages, images, strict=False):
        tell(f"{PurePath(printed.document).name}, {printed.caption}: {path}")
    if pages and not images:
        told = " and ".join(dict.fromkeys(f"page {one.page}" for one in pages))
        shown = ", outlined" if found.cells or found.operands else ""
        tell(f"{told}{shown}: add --image page.png", style="dim")


def _table(found: Attribution) -> Whole | None:
    """The table of a row; without the extra that reads it, there is a note instead."""
    try:
        return found.table
    except MissingExtra as error:
        warn(f"note: {error}", style="yellow")
        return None


def _print_table(table: Whole) -> None:
    """A table with its row marked; in a terminal, a last column that says the same in every row is
    said once.
    """
    texts = [line.texts for line in table.rows]
    alike = len(texts) > 1 and len({one[-1] for one in texts}) == 1
    if not out.is_terminal or not alike:
        _print_rows(table.caption, table)
        return
    less = replace(
        table,
        headings=table.headings[:-1],
        rows=tuple(replace(line, texts=line.texts[:-1]) for line in table.rows),
    )
    _print_rows(f"{table.caption} ({table.headings[-1]}: {texts[0][-1]})", less)


def _print_rows(name: str, table: Whole) -> None:
    tell(name, style="bold")
    if out.is_terminal:
        for columns in _groups(table):
            out.print(_drawn(table, columns))
            tell("")
        return
    rows = [(_HERE if line.here else "", *line.texts) for line in table.rows]
    print_table(("", *table.headings), rows)
    tell("")


def _groups(table: Whole) -> list[dict[int, int]]:
    """The columns that fit side by side, each with its width; the labels come with every group."""
    widths = [
        max(_widest([heading], " "), _widest(line.texts[at] for line in table.rows))
        for at, heading in enumerate(table.headings)
    ]
    label, *others = (min(one, _LABEL) for one in widths)
    groups: list[dict[int, int]] = []
    for at, width in enumerate(others, start=1):
        if not groups or sum(groups[-1].values()) + len(groups[-1]) + width + 3 > out.width:
            groups.append({0: label})
        groups[-1][at] = width
    return groups or [{0: label}]


def _widest(texts: Iterable[str], parts: str = "\n") -> int:
    return max((len(part) for text in texts for part in text.split(parts)), default=1)


def _drawn(table: Whole, columns: Mapping[int, int]) -> Table:
    shown = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    shown.add_column("", width=1)
    for at, width in columns.items():
        justify: Literal["left", "right"] = "right" if at else "left"
        shown.add_column(escape(table.headings[at]), width=width, justify=justify, overflow="fold")
    for line in table.rows:
        mark, style = (_HERE, "bold green") if line.here else ("", "")
        shown.add_row(mark, *(escape(line.texts[at]) for at in columns), style=style)
    return shown


def _operand(one: dict[str, Any]) -> str:
    """`Revenue, 2025: 1,204 (report.pdf, page 7, table 7.1, row 4; passage 0123abcd)`."""
    name = ", ".join(filter(None, (joined(one.get("label")), joined(one.get("header")))))
    file = PurePath(str(one.get("document", ""))).name
    parts = [f"{part} {one[part]}" for part in ("page", "table", "row") if one.get(part)]
    place = ", ".join(filter(None, (file, *parts)))
    return f"{name}: {one.get('text', '')} ({place}; passage {str(one.get('passage', ''))[:12]})"
