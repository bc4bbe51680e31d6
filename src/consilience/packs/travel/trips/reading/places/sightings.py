"""Which names does a text ask to see, to enter or to climb that no place of the atlas has?

"A stroll through Son Doong", "tickets for Son Doong", and "I read about Son Doong … book me in to
go through it". A name that is only spoken of, and one to travel around in, is none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from consilience.packs.travel.trips.reading.ordinary import is_ordinary
from consilience.packs.travel.trips.reading.places.persons import is_person
from consilience.packs.travel.trips.reading.sentence import PLACE, Sentence, either
from consilience.packs.travel.trips.reading.spoken.meaning import is_meant

LANDMARK = re.compile(
    r"\b(?:caves?|cavern|grotto|temple|pagoda|shrine|monastery|abbey|church|cathedral|mosque|castle"
    r"|palace|fort|fortress|citadel|tower|bridge|museum|waterfall|falls|volcano|peak|summit|mountain"
    r"|crater|gorge|canyon|glacier|tomb|mausoleum|ruins?|statue|lighthouse|dam|tunnels?|garden|park"
    r"|theatre|stadium|aquarium|zoo|mine|observatory|hot springs?|lake|reef|lagoon)\b",
    re.IGNORECASE,
)
"""What a sight is."""
_ENTERED = either("""
tickets? (?:for|to)|entry to|entrance to|(?:go|going|walk|walking|climb|climbing|hike|hiking|crawl
|crawling|stroll|strolling|trek|trekking|get|descend|descending|abseil) (?:right |all the way
|deep )?(?:through|into|inside|down into|up|up to the top of)
(?:stroll|walk|hike|climb|trek|tour|expedition|crawl) (?:through|into|inside|of|up)|enter|entering
climb|climbing|inside
""")
"""What is only done with a sight."""
_SEEN = either("""
see|seeing|visit|visiting|tour|touring|explore|exploring|must[ -]do|must[ -]see|do|doing|book
walk|walking|hike|hiking|trek|trekking
""")
_NAME = r"(?-i:[A-ZÀ-ÝĐ][^\W\d_]+(?: [A-ZÀ-ÝĐ][^\W\d_]+)*)"
_ASKED = re.compile(
    rf"\b(?:(?P<entered>{_ENTERED})|{_SEEN})\s*:?\s+(?:both |also )?(?:the )?"
    rf"(?:(?:all|whole|entire|full|length)(?: of)? )?(?:the )?"
    rf"(?:(?:the )?{PLACE}\s*(?:,|and|&|,\s*and)\s*(?:the )?)*(?P<name>{_NAME})(?!\w)",
    re.IGNORECASE,
)
_OF_IT = re.compile(
    rf"\b(?:{_ENTERED}|{_SEEN}|in and out of)\s+(?:it|all of it|the whole (?:thing|of it))\b", re.I
)
_ANY_NAME = re.compile(rf"(?<![.!?] )(?<!^)(?<!\w){_NAME}(?!\w)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A name that is asked for as a sight, and whether the words leave no doubt that it is one."""

    name: str
    certain: bool


def sightings_in(sentence: Sentence) -> tuple[Sighting, ...]:
    """The sights that a text asks for by a name that is no place of the atlas."""
    found: dict[str, bool] = {}
    for name, certain in (*_named(sentence), *_meant_by_it(sentence)):
        found[name] = found.get(name, False) or certain
    return tuple(Sighting(name=name, certain=certain) for name, certain in found.items())


def _named(sentence: Sentence) -> Iterator[tuple[str, bool]]:
    for match in _ASKED.finditer(sentence.rest):
        start, end = match.span("name")
        if _is_name(sentence, start, end):
            noun = LANDMARK.match(sentence.rest, end + 1)
            yield match["name"], bool(match["entered"] or noun)


def _meant_by_it(sentence: Sentence) -> Iterator[tuple[str, bool]]:
    """The last name before "see it", where no place is named between them that it may be."""
    for match in _OF_IT.finditer(sentence.rest):
        before = sentence.rest[: match.start()]
        names = [one for one in _ANY_NAME.finditer(before) if _is_name(sentence, *one.span())]
        for name in names[-1:]:
            said = before[name.end() : name.end() + 40]
            yield name[0], LANDMARK.search(said) is not None


def _is_name(sentence: Sentence, start: int, end: int) -> bool:
    name = sentence.rest[start:end]
    if all(is_ordinary(one.casefold()) for one in name.split()):
        return False
    return is_meant(sentence.text, start, end) and not is_person(sentence.text, start, end)
