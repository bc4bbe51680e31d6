"""What does a text hold that can be compared? Its numbers, dates, names, words and moves.

A `Reading` works each of them out once, when it is first asked for, and is kept for the next
statement: an answer compares many sentences with the same few passages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from consilience.answer.checking.dates import Date, dates_in
from consilience.answer.checking.moves import Move, moves_in
from consilience.answer.checking.words import stem, tellings, words_of
from consilience.answer.markup import harmless
from consilience.names import surface
from consilience.numbers import Amount, amounts, units_around
from consilience.types import Exhibit

_CAPITAL = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_INITIALS = re.compile(r"(?<![^\W_])((?:[^\W\d_]\.[\s\u00a0]?)+)(?=[^\W\d_])")
_JOINING_WORDS = "of the and for de la le du des der die das von van et und y e in on"
_JOINING = frozenset(_JOINING_WORDS.split())
_SIGNS = str.maketrans(
    "“”„«»‹›‘’‚`´‐‑‒–—−\u00a0\u202f\u2009", '"""""""' + "'''''" + "------" + "   "
)


class Reading:
    """A text with what can be compared in it, each worked out when first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        """Its numbers, with those of dates."""
        return amounts(self.text)

    @cached_property
    def around(self) -> tuple[frozenset[str], frozenset[int]]:
        """The units and scales it names apart from numbers."""
        return units_around(self.text)

    @cached_property
    def dates(self) -> tuple[Date, ...]:
        """Its dates with a month."""
        return dates_in(self.text)

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """Its chess moves, in order."""
        return moves_in(self.text)

    @cached_property
    def surface(self) -> str:
        """Its words in lower case, without accents, one space around each."""
        return f" {surface(self.text)} "

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words as `surface` gives them."""
        return frozenset(words_of(self.text))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its words by their stems, and pairs of letters of scripts without spaces."""
        return frozenset(stem(word) for word in words_of(self.text))

    @cached_property
    def telling(self) -> frozenset[str]:
        """The stems of its telling words."""
        return frozenset(tellings(self.text))

    @cached_property
    def lower(self) -> frozenset[str]:
        """The words that it spells in small letters somewhere."""
        found = _CAPITAL.findall(self.text)
        return frozenset(surface(word) for word in found if word[0].islower())

    @cached_property
    def capitals(self) -> Mapping[str, str]:
        """The words that it spells with a capital, by surface."""
        return {
            part: word
            for word in _CAPITAL.findall(self.text)
            if word[0].isupper()
            for part in surface(word).split()
        }

    @cached_property
    def initials(self) -> frozenset[str]:
        """The first letters of names that it abbreviates: R. L. Stevenson."""
        return frozenset(
            letter for run in _INITIALS.findall(self.text) for letter in surface(run).split()
        )

    @cached_property
    def short_forms(self) -> frozenset[str]:
        """What its runs of capitalised words would be, abbreviated by their first letters."""
        found: set[str] = set()
        run = ""
        for word in re.findall(r"[^\W\d_]+|[^\w\s-]", self.text):
            if word[0].isupper():
                run += word[0].casefold()
                found.update(run[start:] for start in range(len(run) - 1))
            elif word.casefold() not in _JOINING:
                run = ""
        return frozenset(found)

    @cached_property
    def letters(self) -> str:
        """The text to the letter, but for white space and the shapes of quotes and dashes."""
        return to_the_letter(self.text)


@dataclass(frozen=True, slots=True)
class Source:
    """An exhibit with the reading of all that it says: text, title, headings, fields, label."""

    exhibit: Exhibit
    reading: Reading

    @property
    def mark(self) -> int:
        """The number that statements cite it by."""
        return self.exhibit.mark


def source(exhibit: Exhibit) -> Source:
    """Read an exhibit; the same text is read once."""
    passage = exhibit.passage
    fields = (f"{name}: {_spelt(value)}" for name, value in passage.metadata.items())
    place = passage.locator
    where = (passage.title, *place.section, str(place), exhibit.label)
    return Source(exhibit, read("\n".join((passage.text, *where, *fields))))


@lru_cache(maxsize=1_000)
def read(text: str) -> Reading:
    """The reading of a text, kept."""
    return Reading(text)


def to_the_letter(text: str) -> str:
    """A text for comparing quotations: white space and typographic signs made alike."""
    return re.sub(r"\s+", " ", harmless(text).translate(_SIGNS).replace("''", '"')).strip()


def _spelt(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
