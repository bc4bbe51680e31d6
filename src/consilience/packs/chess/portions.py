"""Into which portions is a long comment cut? Whole sentences, as many as fit; else clauses, words.

A comment may have millions of words, or one word of millions of letters: texts are measured in
batches, and what is far too long is first cut by its letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Measure = Callable[[Sequence[str]], Sequence[int]]

LETTERS = 12  # letters a token has at most, on average, in anything worth reading
_LEVELS = (
    re.compile(r"(?<=[.!?…])\s+(?![a-z])|(?<=[.!?…][\"'”’)\]])\s+(?![a-z])|(?<=[。！？])(?=\S)"),
    re.compile(r"(?<=[,;:—–])\s+|(?<=[，；、：])(?=\S)"),
)


def portions(text: str, most: int, measure: Measure) -> list[str]:
    """The text in portions of at most `most` tokens, in order; single letters are not cut."""
    pieces = [text]
    for level in _LEVELS:
        pieces = _divided(pieces, most, measure, into=level.split)
    width = 2 * most
    while width and any(_over(pieces, most, measure)):
        pieces = _divided(pieces, most, measure, into=_by_width(width))
        width = width // 2
    return _joined(pieces, most, measure)


def _over(pieces: Sequence[str], most: int, measure: Measure) -> list[bool]:
    """Which of the pieces are too long; those that plainly are need not be measured."""
    near = [piece for piece in pieces if len(piece) <= LETTERS * most]
    sizes = iter(measure(near))
    return [len(piece) > LETTERS * most or next(sizes) > most for piece in pieces]


def _divided(
    pieces: Sequence[str], most: int, measure: Measure, *, into: Callable[[str], list[str]]
) -> list[str]:
    over = _over(pieces, most, measure)
    return [
        part
        for piece, long in zip(pieces, over, strict=True)
        for part in (into(piece) if long else [piece])
        if part
    ]


def _by_width(width: int) -> Callable[[str], list[str]]:
    """Cuts before a word where there is one within so many letters, else inside it."""

    def cut(text: str) -> list[str]:
        parts, start = [], 0
        while len(text) - start > width:
            space = text.rfind(" ", start + 1, start + width + 1)
            end = space if space > start else start + width
            parts.append(text[start:end].strip())
            start = end
        return [*parts, text[start:].strip()]

    return cut


def _joined(pieces: Sequence[str], most: int, measure: Measure) -> list[str]:
    """Neighbours joined as long as they fit."""
    joined: list[list[str]] = []
    size = letters = 0
    for piece, tokens in zip(pieces, measure(pieces), strict=True):
        fits = size + tokens <= most and letters + len(piece) <= LETTERS * most
        if joined and fits:
            joined[-1].append(piece)
        else:
            joined.append([piece])
            size = letters = 0
        size, letters = size + tokens, letters + len(piece) + 1
    return [" ".join(some) for some in joined]
