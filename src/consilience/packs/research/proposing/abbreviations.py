"""What is an abbreviation short for? The words before it whose letters it has, in their order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.packs.research.proposing.phrases import words_of
from consilience.understand.names import surface

_SHORT = re.compile(r"[A-Za-z0-9][A-Za-z0-9/&+.\-]{1,9}")


def is_short(text: str) -> bool:
    """Whether a word is an abbreviation: two capitals, or one and a digit."""
    capitals = sum(map(str.isupper, text))
    return bool(_SHORT.fullmatch(text)) and (
        capitals > 1 or (capitals == 1 and any(map(str.isdigit, text)))
    )


def singular_short(short: str) -> str:
    """An abbreviation without the `s` of its plural: `RCT` for `RCTs`."""
    return short[:-1] if len(short) > 2 and short[-1] == "s" and short[:-1].isupper() else short


def long_form(short: str, before: str) -> str:
    """The words at the end of a text that an abbreviation stands for, or nothing.

    Its letters stand in them in order; the first begins them, and of all at least half begin a
    word: `CV` is not what `convergence` is short for. The fewest words that fit are taken.
    """
    letters = [one.casefold() for one in singular_short(short) if one.isalnum()]
    most = min(len(letters) + 5, 2 * len(letters))
    words = words_of(before)[-most:]
    if not words or words[-1].end() < len(before.rstrip(" ”\"'’")):
        return ""
    starts = [place for place in range(words[0].start(), len(before)) if _begins(before, place)]
    for start in reversed(starts):
        long = before[start:].strip()
        if before[start].casefold() != letters[0] or len(long) <= len(short):
            continue
        if len(surface(long).split()) > 1 and 2 * _initials(letters, long) >= len(letters):
            return long if not set(long) & set("(),;") else ""
    return ""


def _initials(letters: Sequence[str], long: str) -> int:
    """How many letters can begin a word where all stand in a text in order, the first at once."""
    best = {0: 1} if long[:1].casefold() == letters[0] else {}
    for letter in letters[1:]:
        following: dict[int, int] = {}
        for place, sign in enumerate(long):
            if sign.casefold() == letter:
                before = [number for at, number in best.items() if at < place]
                if before:
                    following[place] = max(before) + _begins(long, place)
        best = following
    return max(best.values(), default=0)


def _begins(text: str, place: int) -> bool:
    return place == 0 or not text[place - 1].isalnum()
