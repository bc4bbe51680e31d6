"""Which name is nearly spelt so? By the share of letters that two spellings have in common."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cache
from typing import Protocol

ALIKE = 0.8
"""The share of letters that a word and the name it is read as have in common, at least."""
SURE = 0.9
"""The same where part of the word is a name by itself."""
_SHORTEST = 5  # letters; a shorter word is nearly many names
_TURNED = 7  # letters; of a shorter name, letters may be turned, added or missing, not others
_LONG = 8  # letters from which one more may be wrong


class _Ratio(Protocol):
    def __call__(self, one: str, other: str) -> float: ...


def nearest(word: str, names: Iterable[str], *, alike: float = ALIKE) -> str | None:
    """The name that a word is nearly spelt as, both without spaces; None for none or for two."""
    squeezed = word.replace(" ", "")
    if len(squeezed) < _SHORTEST or not squeezed.isalpha():
        return None
    best: list[tuple[float, str]] = []
    for name in names:
        other = name.replace(" ", "")
        off = abs(len(other) - len(squeezed))
        if other[:1] != squeezed[:1] or off > (2 if len(squeezed) >= _LONG else 1):
            continue
        share = _ratio()(squeezed, other)
        if not off and len(other) < _TURNED and sorted(other) != sorted(squeezed):
            continue
        if alike <= share:
            best.append((-share, name))
    return min(best)[1] if best else None


@cache
def _ratio() -> _Ratio:
    """The measure of the library that is there; both count matching letters twice over all."""
    try:
        from rapidfuzz.fuzz import ratio  # noqa: PLC0415 - an optional package
    except ImportError:
        return lambda one, other: SequenceMatcher(None, one, other, autojunk=False).ratio()
    return lambda one, other: ratio(one, other) / 100
