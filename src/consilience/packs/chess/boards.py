"""Which position does a board show that is drawn with letters? Its placement, as in a FEN.

Texts without pictures draw diagrams: eight rows of eight cells, parted by bars or blanks, with or
without numbers at the side. White's men and Black's are told apart by a sign (`^K`, `#K`), by a
letter (`wK`, `bK`) or by case (`K`, `k`). What has not eight rows of eight, or could not stand on
a board, is no diagram.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import chess

_MEN = {"K": "k", "Q": "q", "R": "r", "B": "b", "KT": "n", "N": "n", "S": "n", "P": "p"}
_SIDES = {"^": True, "#": False, "w": True, "W": True, "b": False, "*": False}
_EMPTY = frozenset({"", ".", "-", "_", "+", "::", "...", "*", "=", "#", "##", "###"})
_RULE = re.compile(r"[\s|+:'`.,_=-]*")
_NUMBER = re.compile(r"^\s*[1-8](?=\s*[|:\s])|[|\s][1-8]\s*$")
_TALLEST = 30  # lines of a board, with those between its rows
_FILES = re.compile(r"\s*[|+]?\s*a\W+b\W+c\W+d\W+e\W+f\W+g\W+h\W*", re.IGNORECASE)


def drawn_in(text: str) -> Iterator[tuple[int, int, str]]:
    """The boards that are drawn in a text: first line, line behind the last, and placement."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        end, rows = _rows(lines, at)
        placement = _placement(rows) if len(rows) == 8 else ""
        if placement:
            yield at, end, placement
            at = end
        else:
            at += 1


def _rows(lines: list[str], at: int) -> tuple[int, list[list[str]]]:
    """The rows of eight cells from a line on, and the line behind all that belongs to them."""
    rows: list[list[str]] = []
    end = at
    for place in range(at, min(at + _TALLEST, len(lines))):
        line = lines[place]
        cells = _cells(line) if len(rows) < 8 else []
        if len(cells) == 8:
            rows.append(cells)
        elif not (_FILES.fullmatch(line) if len(rows) in {0, 8} else False) and not (
            line.strip() and _RULE.fullmatch(line)
        ):
            break
        end = place + 1
    return end, rows


def _cells(line: str) -> list[str]:
    """The eight cells of a row; nothing for any other line."""
    inner = _NUMBER.sub(lambda found: " " if found[0][0] != "|" else "|", line)
    if inner.count("|") >= 7:
        inner = inner.strip()
        inner = inner.removeprefix("|").removesuffix("|")
        cells = [cell.strip() for cell in inner.split("|")]
    else:
        cells = inner.split()
    if len(cells) != 8 or _RULE.fullmatch(line):
        return cells if _blank_row(cells) else []
    return cells if all(_man(cell) is not None for cell in cells) else []


def _blank_row(cells: list[str]) -> bool:
    return len(cells) == 8 and all(cell in _EMPTY for cell in cells)


def _man(cell: str) -> str | None:
    """The letter of a FEN for a cell, empty for an empty one; None where it is no man."""
    if cell in _EMPTY:
        return ""
    side = _SIDES.get(cell[0]) if len(cell) > 1 else None
    name = cell[1:].strip() if side is not None else cell
    letter = _MEN.get(name.upper())
    if letter is None or (side is not None and not name[:1].isupper()):
        return None
    white = side if side is not None else name[0].isupper()
    return letter.upper() if white else letter


def _placement(rows: list[list[str]]) -> str:
    """The rows as a FEN has them; empty where there can be no such position."""
    written = []
    for row in rows:
        men = "".join(_man(cell) or " " for cell in row)
        written.append(re.sub(" +", lambda found: str(len(found[0])), men))
    placement = "/".join(written)
    boards = (chess.Board(f"{placement} {turn} - - 0 1") for turn in "wb")
    return placement if any(board.is_valid() for board in boards) else ""
