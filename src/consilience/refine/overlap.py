"""How much of their words do passages share? All pairs at once by bits; two texts exactly.

A word is a bit of 1,024, so that many texts are compared in one go: enough to spread them, and
to find pairs worth a closer look. Hashing is stable between processes: the same hits give the
same order everywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from consilience.types import Passage

Overlaps: TypeAlias = NDArray[np.float64]
_BITS = 1024
_BLOCK = 32  # rows compared with all others at a time
_WORD = re.compile(rb"[0-9a-z_\x80-\xff]+")  # of a text in lower case, as UTF-8
# What must be the same to the letter: numbers with their signs and units, comparisons, arrows.
_EXACT = re.compile(r"\S*[\d<>=≤≥≠→←±$€£¥%]\S*")
_AROUND = ".,;:!?()[]{}\"'“”‘’*_|"


def overlaps(passages: Sequence[Passage]) -> Overlaps:
    """The share of common words of every pair: 0 none, 1 all (Jaccard, hashed)."""
    if not passages:
        return np.zeros((0, 0))
    rows = np.frombuffer(b"".join(_hashed(one.text) for one in passages), dtype=np.uint64)
    rows = rows.reshape(len(passages), -1)
    common = np.empty((len(rows), len(rows)))
    for start in range(0, len(rows), _BLOCK):  # all at once, a thousand would take 128 MB
        both = rows[start : start + _BLOCK, None, :] & rows[None, :, :]
        common[start : start + _BLOCK] = np.bitwise_count(both).sum(axis=2, dtype=np.uint16)
    sizes = common.diagonal()
    union = sizes[:, None] + sizes[None, :] - common
    shares: Overlaps = np.divide(common, union, out=np.ones_like(common), where=union > 0)
    return shares


def normal(text: str) -> str:
    """A text as it is compared: case, spacing and forms of the same letter do not count."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def retold(first: str, second: str, *, threshold: float) -> bool:
    """Whether two texts say the same but for a few words.

    At least `threshold` of their words are common, no number, comparison or arrow differs, and
    no word has moved: "Anna beat Boris" is not "Boris beat Anna". So without the words of which
    one has more than the other, both read alike.
    """
    ours, theirs = _read(first), _read(second)
    if ours.exact != theirs.exact:
        return False
    common = len(ours.counts.keys() & theirs.counts.keys())
    if common < threshold * (len(ours.counts) + len(theirs.counts) - common):
        return False
    uneven = {word for word, _ in ours.counts.items() ^ theirs.counts.items()}
    return ours.without(uneven) == theirs.without(uneven)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A text as it is compared with others: its words in order, counted, and what is exact."""

    words: tuple[bytes, ...]
    counts: Counter[bytes]
    exact: frozenset[str]

    def without(self, some: set[bytes]) -> list[bytes]:
        return [word for word in self.words if word not in some]


@lru_cache(maxsize=5_000)
def _read(text: str) -> _Reading:
    words = _words(text)
    exact = frozenset(one.strip(_AROUND) for one in _EXACT.findall(normal(text)))
    return _Reading(tuple(words), Counter(words), exact)


def _words(text: str) -> list[bytes]:
    return _WORD.findall(text.casefold().encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=50_000)
def _hashed(text: str) -> bytes:
    flags = np.zeros(_BITS, dtype=np.uint8)
    flags[[crc32(word) % _BITS for word in _words(text)]] = 1
    return np.packbits(flags).tobytes()
