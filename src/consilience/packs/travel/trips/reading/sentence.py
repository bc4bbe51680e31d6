"""What has been understood of a text, and what is left of it to read?

A place stands in it as letters of its own, so that a reader can say "nights in a place"; what
another reader has used is dotted out. Nothing moves: every span is one of the text as it was put.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache

USED = "·"
_FIRST, _LAST = 0xE000, 0xEFFF
PLACE = "[\ue000-\uefff]+"
"""Any place in a sentence."""
_ENDED = re.compile(r"(?<=\w )please\b(?=\s*[,.;!?])", re.IGNORECASE)
"""What ends a list of things that are not wanted: "no rain please, snorkelling"."""
_PLAIN = str.maketrans({"’": "'", "‘": "'", "–": "-", "—": "-", "‑": "-", "\n": " ", "\t": " "})


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A place that a text names: where, as what, and whether the name was spelt otherwise."""

    start: int
    end: int
    place: str
    said: str
    guessed: bool = False


@dataclass(slots=True)
class Sentence:
    """A text as it was put, with the places in it, what is left to read, and what was assumed."""

    text: str
    put: str = ""
    rest: str = ""
    mentions: tuple[Mention, ...] = ()
    assumed: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)
    nightly: tuple[Decimal, str, str] | None = None
    """What a night in a room may cost: the amount, its currency, and how it was put."""

    def __post_init__(self) -> None:
        self.put = self.text
        self.text = self.text.translate(_PLAIN)
        self.rest = self.text

    def name(self, mentions: tuple[Mention, ...]) -> None:
        """Put the places in."""
        self.mentions = mentions
        for number, one in enumerate(mentions):
            letter = chr(min(_FIRST + number, _LAST))
            self.rest = (
                self.rest[: one.start] + letter * (one.end - one.start) + self.rest[one.end :]
            )

    def again(self) -> Sentence:
        """The same, to be read anew: what is taken out of it stays in this one."""
        found = copy(self)
        found.assumed, found.unclear = [*self.assumed], [*self.unclear]
        return found

    def use(self, start: int, end: int) -> None:
        """Take a span out; places in it stay."""
        span = re.sub("[^\ue000-\uefff]", USED, self.rest[start:end])
        self.rest = self.rest[:start] + span + self.rest[end:]

    @property
    def clauses(self) -> str:
        """What is left, with what was used as the end of a clause: no list goes on over it."""
        return _ENDED.sub(lambda one: ";" * len(one[0]), self.rest.replace(USED, ";"))

    def find(self, form: str | re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Where a form stands in what is left, whatever the case."""
        known = compiled(form) if isinstance(form, str) else form
        return known.finditer(self.rest)

    def has(self, form: str | re.Pattern[str]) -> bool:
        """Whether a form stands in what is left."""
        return next(self.find(form), None) is not None

    def places(self, span: str) -> list[Mention]:
        """The places that a piece of what is left names, in their order."""
        found = re.findall(PLACE, span)
        return [self.mentions[ord(one[0]) - _FIRST] for one in found]


@cache
def compiled(form: str) -> re.Pattern[str]:
    """A form to be found whatever the case; the library itself keeps fewer of them."""
    return re.compile(form, re.IGNORECASE)


def either(words: str) -> str:
    """A form of any of these, told on lines or between bars; what is in brackets is one."""
    ordered = sorted(set(_parts(words)), key=lambda one: (-len(one), one))
    return f"(?:{'|'.join(ordered)})"


def _parts(words: str) -> Iterator[str]:
    depth, part = 0, ""
    for letter in words.strip() + "\n":
        depth += (letter == "(") - (letter == ")")
        if depth and letter == "\n":
            continue
        if depth or letter not in "|\n":
            part += letter
        else:
            if part.strip():
                yield part.strip()
            part = ""
