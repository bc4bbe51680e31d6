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
from consilience.answer.checking.words import tellings, words_of
from consilience.answer.words import root
from consilience.kinds import visible_metadata
from consilience.markup import harmless, visible
from consilience.names import surface
from consilience.numbers import Amount, amounts, units_around
from consilience.numbers.units import units_called
from consilience.types import Exhibit

_CAPITAL = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_INITIALS = re.compile(r"(?<![^\W_])((?:[^\W\d_]\.[\s\u00a0]?){1,6})([^\W\d_]{2,})")
_DOTTED = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.){2,}")
_JOINING_WORDS = "of the and for de la le du des der die das von van et und y e in on"
_JOINING = frozenset(_JOINING_WORDS.split())
_LONGEST_SHORT = 8  # letters of a short form that is told from its words
_SIGNS = {
    **dict.fromkeys(map(ord, "“”„«»‹›"), '"'),
    **dict.fromkeys(map(ord, "‘’‚´"), "'"),
    **dict.fromkeys(map(ord, "‐‑‒–—−"), "-"),
    **dict.fromkeys(map(ord, "*_`~\\\u00ad")),
}


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
        dotted = (one.replace(".", "").casefold() for one in _DOTTED.findall(self.text))
        return frozenset((*words_of(self.text), *dotted))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its words by their stems, and pairs of letters of scripts without spaces."""
        return frozenset(root(word) for word in words_of(self.text))

    @cached_property
    def telling(self) -> frozenset[str]:
        """The stems of its telling words."""
        return frozenset(tellings(self.text))

    @cached_property
    def places(self) -> Mapping[str, tuple[int, ...]]:
        """Where each of its words stands, counted in words."""
        found: dict[str, list[int]] = {}
        for place, word in enumerate(self.surface.split()):
            found.setdefault(word, []).append(place)
        return {word: tuple(at) for word, at in found.items()}

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
    def initials(self) -> frozenset[tuple[str, str]]:
        """The first letters of names that it abbreviates, with the name: r and l, stevenson."""
        return frozenset(
            (letter, surface(name))
            for letters, name in _INITIALS.findall(self.text)
            if name[0].isupper()
            for letter in surface(letters).split()
        )

    @cached_property
    def short_forms(self) -> frozenset[str]:
        """What its runs of capitalised words would be, abbreviated by their first letters."""
        found: set[str] = set()
        run = ""
        for word in re.findall(r"[^\W\d_]+|[^\w\s-]", self.text):
            if word[0].isupper():
                found.add(run + word.casefold())  # WWII
                run = (run + word[0].casefold())[-_LONGEST_SHORT:]
                found.update(run[start:] for start in range(len(run) - 1))
            elif word.casefold() not in _JOINING:
                run = ""
        return frozenset(found)

    @cached_property
    def first_letters(self) -> str:
        """The first letters of its words but for joining ones: led, light-emitting diode."""
        return "".join(word[0] for word in self.surface.split() if word not in _JOINING)

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
    fields = (f"{name}: {_spelt(value)}" for name, value in visible_metadata(passage).items())
    place = passage.locator
    units = (f"({value})" for value in visible_metadata(passage).values() if _is_unit(value))
    where = (passage.title, *place.section, str(place), exhibit.label)
    return Source(exhibit, read(visible("\n".join((passage.text, *where, *fields, *units)))))


@lru_cache(maxsize=1_000)
def read(text: str) -> Reading:
    """The reading of a text, kept."""
    return Reading(text)


def to_the_letter(text: str) -> str:
    """A text for comparing quotations: white space and the shapes of quotes and dashes made
    alike, signs of emphasis and code left out.
    """
    letters = harmless(text).translate(_SIGNS).replace("''", "'").replace('"', "'")
    return " ".join(letters.split())


def _is_unit(value: object) -> bool:
    """Whether the value of a field is the unit of another: `unit: m`."""
    return isinstance(value, str) and bool(units_called(value.strip()))


def _spelt(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
