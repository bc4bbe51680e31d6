"""Into which portions is a long comment cut? Whole sentences, as many as fit; else clauses, words.

A comment may have millions of words, or one word of millions of letters: texts are measured in
batches, and what is far too long is first cut by its letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

Measure = Callable[[Sequence[str]], Sequence[int]]

LETTERS = 12  # letters a token has at most, on average, in anything worth reading
_LEVELS = (
    re.compile(r"(?<=[.!?…])\s+(?![a-z])|(?<=[.!?…][\"'”’)\]])\s+(?![a-z])|(?<=[。！？])(?=\S)"),
    re.compile(r"(?<=[,;:—–])\s+|(?<=[，；、：])(?=\S)"),
)


def portions(text: str, most: int, measure: Measure) -> list[str]:
    """The text in portions of at most `most` tokens, in order; single letters are not cut."""
    parts = _sized([text], most, measure)
    for cut in _cuts(most):
        if all(size <= most for _, size in parts):
            break
        fresh = [_gathered(cut(part), most) if size > most else [] for part, size in parts]
        sized = iter(_sized([part for some in fresh for part in some], most, measure))
        parts = [
            one
            for part, some in zip(parts, fresh, strict=True)
            for one in ([next(sized) for _ in some] or [part])
        ]
    return _joined(parts, most)


def _cuts(most: int) -> Iterator[Callable[[str], list[str]]]:
    """Ways to cut a text, from the best to the shortest."""
    for level in _LEVELS:
        yield level.split
    width = 2 * most
    while width:
        yield _by_width(width)
        width = width // 2


def _sized(texts: Sequence[str], most: int, measure: Measure) -> list[tuple[str, int]]:
    """Texts with their tokens; those that are plainly too long are not measured."""
    near = [len(text) <= LETTERS * most for text in texts]
    sizes = iter(measure([text for text, short in zip(texts, near, strict=True) if short]))
    return [
        (text, next(sizes) if short else most + 1) for text, short in zip(texts, near, strict=True)
    ]


def _gathered(texts: Sequence[str], most: int) -> list[str]:
    """Neighbours joined that are sure to fit, as a token has at least one letter."""
    joined: list[list[str]] = []
    letters = most + 1
    for text in filter(None, texts):
        if letters + len(text) < most:
            joined[-1].append(text)
        else:
            joined.append([text])
            letters = 0
        letters += len(text) + 1
    return [" ".join(some) for some in joined]


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


def _joined(parts: Sequence[tuple[str, int]], most: int) -> list[str]:
    """Neighbours joined as long as they fit."""
    joined: list[list[str]] = []
    size = letters = 0
    for part, tokens in parts:
        fits = size + tokens <= most and letters + len(part) <= LETTERS * most
        if joined and fits:
            joined[-1].append(part)
        else:
            joined.append([part])
            size = letters = 0
        size, letters = size + tokens, letters + len(part) + 1
    return [" ".join(some) for some in joined]
