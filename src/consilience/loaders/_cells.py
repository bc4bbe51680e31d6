"""What does a table cell say? Its value, with a type, and a row as a line of text.

A number is a number only where it cannot be read otherwise: `1,234` may be a thousand or a
little over one. The column decides: where another cell shows which mark parts thousands
(`1,234,567`, `1,234.5`), the whole column is read that way. A column in which some cell has a
leading zero (`007`) holds names, not numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from consilience.types import Scalar

_DIGITS = 18  # more do not fit the 64-bit integers of the engines
_MAX_FLOAT = 300


@dataclass(frozen=True, slots=True)
class Style:
    """How a column writes numbers: its decimal mark, and whether the other parts thousands."""

    decimal: str = "."
    grouped: bool = False
    text: bool = False


_ZEROS = re.compile(r"-?0\d")
_WHOLE = re.compile(r"-?(?:0|[1-9]\d*)")
_POINT = re.compile(r"-?(?:0|[1-9]\d*)?\.\d+(?:[eE][+-]?\d{1,3})?")
_GROUPS = re.compile(r"-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_SURE_GROUPS = re.compile(r"-?[1-9]\d{0,2}(?:(?:,\d{3}){2,}|(?:,\d{3})+\.\d+)(?:\.\d+)?")
_SURE_COMMA = re.compile(r"-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:\.\d{3})+),(?:\d{1,2}|\d{4,})")
_SURE_ZERO_COMMA = re.compile(r"-?0,\d+")
_TRUTH = {"true": True, "false": False}
_SWAP = str.maketrans(",.", ".,")


def style_of(cells: Iterable[str], *, comma_decimals: bool) -> Style:
    """How a column writes its numbers; decimal commas only where the file may have them."""
    found = list(cells)
    if any(_ZEROS.match(cell) and cell.lstrip("-").isdigit() for cell in found):
        return Style(text=True)
    groups = any(_SURE_GROUPS.fullmatch(cell) for cell in found)
    if comma_decimals and not groups and any(_is_comma(cell) for cell in found):
        return Style(decimal=",", grouped=True)
    return Style(grouped=groups)


def _is_comma(cell: str) -> bool:
    return bool(_SURE_COMMA.fullmatch(cell) or _SURE_ZERO_COMMA.fullmatch(cell))


def typed(cell: str, style: Style = Style()) -> Scalar:  # noqa: B008 - frozen
    """A cell as a whole number, a number, true or false; else its text."""
    if cell.lower() in _TRUTH:
        return _TRUTH[cell.lower()]
    if style.text:
        return cell
    number = cell.replace("−", "-")
    number = number.translate(_SWAP) if style.decimal == "," else number
    if style.grouped and _GROUPS.fullmatch(number):
        number = number.replace(",", "")
    if _WHOLE.fullmatch(number):
        return int(number) if len(number) <= _DIGITS else cell
    if _POINT.fullmatch(number) and len(number) <= _MAX_FLOAT:
        return _finite(float(number), cell)
    return cell


def _finite(number: float, cell: str) -> Scalar:
    return number if abs(number) != float("inf") else cell


def line_of(pairs: Iterable[tuple[str, str]]) -> str:
    """A row to read: `Country: France; Height: 52.0`. Cells without text are left out."""
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def table_lines(rows: Sequence[Sequence[str]], *, header: bool = True) -> list[str]:
    """The rows of a table as lines; with a header, each cell has its column's name before it."""
    if not header or len(rows) < 2:
        return [line_of(("", cell) for cell in row) for row in rows]
    names = rows[0]
    lines = []
    for row in rows[1:]:
        padded = [*names, *[""] * (len(row) - len(names))]
        lines.append(line_of(zip(padded, row, strict=False)))
    return [line for line in lines if line]
