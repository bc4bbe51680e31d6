"""Do these words stand in that text? Compared by letters and digits, however they are set.

Case, spaces, line breaks, hyphens at line ends, quotation marks, dashes and ligatures differ
between a quotation and a file, and between one way of reading the file and the next. So both
are brought down to their letters and digits in a row, and a quotation stands in a text where its
row is part of the text's, from the beginning of a word to the end of one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_RUN = re.compile(r"[^\W_]+")
_SPACED = "\u0e00"  # from here on scripts put no spaces between words, or need none


@dataclass(frozen=True, slots=True)
class Letters:
    """A text as its letters and digits in a row, with its words and the places they begin at."""

    row: str
    starts: frozenset[int]
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.row)

    def parts_at(self, place: int) -> bool:
        """Whether one word ends and another begins here."""
        if place in self.starts or place in (0, len(self.row)):
            return True
        if place > len(self.row):
            return False
        return max(self.row[place - 1 : place + 1]) >= _SPACED


def letters(text: str) -> Letters:
    """A text in the form in which quotations are compared."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    runs = _RUN.findall(plain)
    starts, at = [], 0
    for run in runs:
        starts.append(at)
        at += len(run)
    return Letters("".join(runs), frozenset(starts), tuple(runs))


def stands_in(quote: Letters, text: Letters) -> bool:
    """Whether a quotation stands in a text, as whole words."""
    if not quote.row or quote.row not in text.row:
        return False
    return any(
        text.parts_at(at) and text.parts_at(at + len(quote)) for at in _places(quote.row, text.row)
    )


def begun_at_end(quote: Letters, text: Letters) -> Iterator[int]:
    """How many letters of a quotation a text ends with, where it goes on elsewhere."""
    tail = text.row[-len(quote) + 1 :] if len(quote) > 1 else ""
    offset = len(text) - len(tail)
    for at in _places(quote.row[:1], tail):
        if quote.row.startswith(tail[at:]) and text.parts_at(offset + at):
            yield len(tail) - at


def taken_up(quote: Letters, done: int, text: Letters) -> int:
    """How many letters of a quotation a text goes on with, after so many; 0 if it does not."""
    rest = quote.row[done:]
    if text.row.startswith(rest):
        return len(rest) if text.parts_at(len(rest)) else 0
    return len(text) if rest.startswith(text.row) else 0


def _places(piece: str, row: str) -> Iterator[int]:
    at = row.find(piece) if piece else -1
    while at >= 0:
        yield at
        at = row.find(piece, at + 1)
