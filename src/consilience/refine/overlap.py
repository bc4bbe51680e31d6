"""How much of their words do passages share? All pairs at once, as sets of bits.

A word is a bit of 1,024, so a text is 128 bytes and two texts are compared by counting bits.
Hashing is stable between processes: the same hits give the same order everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from consilience.types import Passage

Overlaps: TypeAlias = NDArray[np.float64]
_BITS = 1024
_WORD = re.compile(rb"[0-9a-z_\x80-\xff]+")  # of a text in lower case, as UTF-8


def overlaps(passages: Sequence[Passage]) -> Overlaps:
    """The share of common words of every pair: 0 none, 1 all (Jaccard, hashed)."""
    if not passages:
        return np.zeros((0, 0))
    rows = np.frombuffer(b"".join(_words(one.text) for one in passages), dtype=np.uint64)
    rows = rows.reshape(len(passages), -1)
    common = np.bitwise_count(rows[:, None, :] & rows[None, :, :]).sum(axis=2, dtype=np.float64)
    sizes = common.diagonal()
    union = sizes[:, None] + sizes[None, :] - common
    shares: Overlaps = np.divide(common, union, out=np.ones_like(common), where=union > 0)
    return shares


@lru_cache(maxsize=50_000)
def _words(text: str) -> bytes:
    words = _WORD.findall(text.casefold().encode("utf-8", "surrogatepass"))
    flags = np.zeros(_BITS, dtype=np.uint8)
    flags[[crc32(word) % _BITS for word in words]] = 1
    return np.packbits(flags).tobytes()
