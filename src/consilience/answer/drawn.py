"""Is a piece of text a drawing? A position in letters and digits, a board of signs, an image.

Such lines stand between the sentences of books on chess and other matters. Nobody reads them as
words: where figures can be drawn a position is shown as one, else it is passed over.
"""

from __future__ import annotations

import re

_ROW = r"(?:[1-8pnbrqkPNBRQK]{1,8})"
FEN = re.compile(
    rf"(?<![\w/])(?:{_ROW}/){{7}}{_ROW}(?:\s+[wb](?:\s+(?:-|[KQkqA-Ha-h]{{1,4}})"
    r"(?:\s+(?:-|[a-h][36]))?(?:\s+\d+\s+\d+)?)?)?(?![\w/])"
)
"""A chess position as it is written down, with or without what stands behind the board."""
_IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_BOARD_ROW = re.compile(
    r"\s*(?:[1-8]\s*[|│]?\s*)?(?:[|│]?\s*(?:[pnbrqkPNBRQK.·*#+_-]|[♔-♟])\s*[|│]?\s*){8}(?:\s*[1-8])?\s*"
)
_FRAME = re.compile(r"\s*[+|│─┌┐└┘┬┴├┤┼=\s-]{5,}\s*|\s*[a-h](?:\s+[a-h]){7}\s*")
_LABEL_WORDS = 3
_LEAST_ROWS = 3


def is_drawn(text: str) -> bool:
    """Whether a block is nothing but a drawing, with a word or two that name it."""
    rest, count = FEN.subn(" ", text)
    rest, images = _IMAGE.subn(" ", rest)
    if count or images:
        return len(re.findall(r"[^\W\d_]{2,}", rest)) <= _LABEL_WORDS
    return _is_board(text)


def has_drawing(text: str) -> bool:
    """Whether a drawing stands somewhere in a text."""
    return bool(FEN.search(text) or _IMAGE.search(text)) or _is_board(text)


def positions(text: str) -> list[str]:
    """The positions that are written down in a text, in order."""
    return [" ".join(found[0].split()) for found in FEN.finditer(text)]


def _is_board(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    rows = [line for line in lines if _BOARD_ROW.fullmatch(line)]
    framed = [line for line in lines if line in rows or _FRAME.fullmatch(line)]
    return len(rows) >= _LEAST_ROWS and len(framed) == len(lines)
