"""Where may a text be cut? At its lines, else its sentences, its clauses, its words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

_WORD = re.compile(r"\S{1,64}\s*")  # a longer word is shared out in pieces
LEVELS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<!\s)\s*\n",
        r"(?<=[.!?…])\s+(?![a-z])|(?<=[.!?…][\"'”’)\]])\s+(?![a-z])|(?<=[。！？])(?=\S)",
        r"(?<=[,;:—–])\s+|(?<=[，；、：])(?=\S)",
        r"\s+",
    )
)
"""The boundaries, the best first. Each reads a run of spaces once, however long it is."""


def spans(text: str, boundary: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The pieces of a text between boundaries, each with the boundary behind it."""
    start = 0
    for match in boundary.finditer(text):
        if match.start() > start:
            yield text[start : match.start()], match[0]
            start = match.end()
    if start < len(text):
        yield text[start:], ""


def shares(text: str, pieces: Sequence[tuple[str, str]]) -> list[str]:
    """A shown text in pieces that go with those of its search text, by their words."""
    words = _WORD.findall(text)
    counts = [len(_WORD.findall(span)) for span, _ in pieces]
    sums = [0, *accumulate(counts)]
    cuts = [len(words) * at // (sums[-1] or 1) for at in sums]
    return ["".join(words[a:b]).strip() for a, b in pairwise(cuts)]
