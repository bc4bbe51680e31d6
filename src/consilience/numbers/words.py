"""Which numbers does a text spell out in English?"""

from __future__ import annotations

import re
from collections.abc import Iterator

_ONES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NTHS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
"""
_TENTHS = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"
_WORDS = {
    **{word: value for value, word in enumerate(_ONES.split())},
    **{word: 20 + 10 * value for value, word in enumerate(_TENS.split())},
}
_RANKS = {
    **{word: 1 + value for value, word in enumerate(_NTHS.split())},
    **{word: 20 + 10 * value for value, word in enumerate(_TENTHS.split())},
}
_TIMES = {"dozen": 12, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_WORD = "|".join(sorted((*_WORDS, *_RANKS, *_TIMES), key=len, reverse=True))
_RUN = re.compile(rf"\b(?:{_WORD})(?:(?:[\s-]+|\s+and\s+)(?:{_WORD}))*\b", re.IGNORECASE)
_ONE_WORD = re.compile(r"[^\W\d_]+")

Spelt = tuple[int, int, int, bool]
"""Where a number stands, from and to, its value, and whether it is an ordinal."""


def spelt_out(text: str) -> Iterator[Spelt]:
    """The numbers and ordinals that a text spells out: twenty-four, nineteenth."""
    for run in _RUN.finditer(text):
        tally = _Tally()
        for word in _ONE_WORD.finditer(run[0]):
            name = word[0].casefold()
            if name == "and":
                tally.joined = True
                continue
            start, end = run.start() + word.start(), run.start() + word.end()
            if (done := tally.take(name, start, end)) is not None:
                yield (*done, False)
            if name in _RANKS and (ranked := tally.close()) is not None:
                yield (*ranked, True)
        if (last := tally.close()) is not None:
            yield (*last, False)


class _Tally:
    """Adds up the words of a number; a word that cannot go on with it begins another one."""

    def __init__(self) -> None:
        self.joined = False
        self._total = self._part = 0
        self._span: tuple[int, int] | None = None

    def take(self, name: str, start: int, end: int) -> tuple[int, int, int] | None:
        """Take a word; a number that ended before it is given back."""
        value = _WORDS.get(name, _RANKS.get(name))
        done = None if self._goes_on(value) else self.close()
        self.joined = False
        if value is None:
            factor = _TIMES[name]
            self._part = (self._part or 1) * factor
            if factor >= 1000:
                self._total, self._part = self._total + self._part, 0
        else:
            self._part += value
        self._span = (self._span[0] if self._span else start, end)
        return done

    def _goes_on(self, value: int | None) -> bool:
        if self._span is None:
            return True
        left = self._part % 100
        if value is None:
            return not self.joined
        if left == 0:
            return bool(self._part or self._total)
        return left >= 20 and left % 10 == 0 and 0 < value < 10 and not self.joined

    def close(self) -> tuple[int, int, int] | None:
        """The number so far with where it stands, and begin anew."""
        span, value = self._span, self._total + self._part
        self._span, self._total, self._part = None, 0, 0
        return (*span, value) if span else None
