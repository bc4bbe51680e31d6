"""Is a place in the state that is asked for in the months of the trip: golden, in flower, flooded?

What is told of the places of a named city ties such a state to months; where all of these are
others than those of the trip, it cannot be had.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterator

from consilience.packs.travel.atlas import SIGHTS
from consilience.packs.travel.trips.granting.period import period_of
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.spoken.asides import is_aside
from consilience.packs.travel.trips.reading.times.almanac import MONTH, month_number
from consilience.understand.names import singular_or_plural, surface

_STATES = {
    "golden": r"gold(?:en)?|yellow|ripe(?:n\w*)?|harvest\w*",
    "in flower": r"bloom\w*|blossom\w*|flowers?|flowering",
    "under water": r"flooded|mirror\w*|filled with water",
    "in autumn colours": r"autumn colou?rs|fall colou?rs|foliage|(?:red|turning) leaves",
}
"""States that a season brings, and the words for them."""
_DEMANDED = re.compile(
    r"\b(?:must|ha(?:s|ve) to|needs?|insist\w*|essential|guarante\w+|non-negotiable|just for"
    r"|only (?:if|for)|reason|want\w*|com(?:e|ing) for|expect\w*|promised?)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:know|not|no|never|fine|if|whether|than|instead|read|heard|miss\w*|too (?:early|late))\b"
    r"|n't\b",
    re.IGNORECASE,
)
_SPAN = re.compile(
    rf"\b(?P<first>{MONTH})(?:\s*(?:to|-|until|till|through)\s*(?:early |mid-?|late )?"
    rf"(?P<last>{MONTH}))?",
    re.IGNORECASE,
)
_FIELDS = frozenset({"rice", "paddy", "paddies", "field", "fields", "terrace", "terraces"})
_OF_FIELDS = ("golden", "under water")
"""Words for one and the same thing, in the states that it comes in."""
_LETTERS = 4  # of a word that tells what is meant
_TOPICS = ("season", "about")


def settle_states(talk: Talk) -> None:
    """Settle what is to be in a state that it has in other months."""
    wanted = {day.month for day in period_of(talk)}
    for state, said, subjects in _asked(talk.wanted.text) if wanted else ():
        months = {
            month
            for passage in _passages(talk)
            for month in _months_of(passage, _STATES[state], subjects)
        }
        if months and not months & wanted:
            told = " and ".join(month_name[one] for one in sorted(wanted))
            known = ", ".join(month_name[one] for one in sorted(months))
            talk.settle(
                f"'{said}' in {told}",
                f"it is told to be {state} in {known}",
                "planned all the same, as it is in these months",
            )
            return


def _asked(text: str) -> Iterator[tuple[str, str, frozenset[str]]]:
    """The states that are asked for, how that is said, and the words for what is to be in them."""
    for sentence in re.finditer(r"[^.;!?]+", text):
        demanded = _DEMANDED.search(sentence[0])
        for clause in re.finditer(r"(?:(?!,|\band\b).)+", sentence[0]) if demanded else ():
            for state, form in _STATES.items():
                match = re.search(rf"\b(?:{form})\b", clause[0], re.IGNORECASE)
                start = sentence.start() + clause.start()
                if match is None or _DENIED.search(sentence[0][: clause.start() + match.start()]):
                    continue
                if not is_aside(text, start + match.start(), start + match.end()):
                    rest = re.sub(rf"\b(?:{form})\b", " ", clause[0], flags=re.IGNORECASE)
                    words = _words(rest)
                    alike = _FIELDS if words & _FIELDS and state in _OF_FIELDS else frozenset()
                    yield state, clause[0].strip(), words | alike


def _passages(talk: Talk) -> Iterator[str]:
    """What is told of the cities of the wish and of their sights, by sentences."""
    for city in talk.cities():
        remarks = (talk.atlas.remark(city, topic) for topic in _TOPICS)
        texts = [one.text for one in remarks if one is not None]
        texts += [talk.atlas.places[city].text]
        texts += [f"{one.text}" for one in talk.atlas.within(city, SIGHTS)]
        for text in texts:
            yield from re.split(r"(?<=[.;!])\s+", text)


def _months_of(said: str, form: str, subjects: frozenset[str]) -> set[int]:
    """The months in which a sentence tells such a state of one of the subjects."""
    if not subjects & _words(said):
        return set()
    parts = [one for one in said.split(",") if re.search(rf"\b(?:{form})\b", one, re.IGNORECASE)]
    return {month for one in parts for match in _SPAN.finditer(one) for month in _span(match)}


def _span(match: re.Match[str]) -> Iterator[int]:
    first = month_number(match["first"])
    last = month_number(match["last"] or match["first"])
    return ((first - 1 + step) % 12 + 1 for step in range((last - first) % 12 + 1))


def _words(text: str) -> frozenset[str]:
    """The longer words of a text, in both numbers."""
    long = [one for one in surface(text).split() if len(one) >= _LETTERS]
    return frozenset(form for one in long for form in (one, *singular_or_plural(one)))
