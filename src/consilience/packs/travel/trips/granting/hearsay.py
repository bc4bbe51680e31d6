"""Is a sight asked for that texts only tell of, so that no visit to it can be planned?

A city may be known for a cave that none of its sights is: a film about it is shown, and nobody
here takes anyone into it. That is told, with the city that tells of it. A region, a river or a
province is no such sight, and what a sight of the atlas shows on its visit is granted.
"""

from __future__ import annotations

import re

from consilience.packs.travel.atlas import SIGHTS, Atlas, Place
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.places.elsewhere import is_elsewhere
from consilience.packs.travel.trips.reading.places.sightings import LANDMARK, Sighting, sightings_in

_WIDE = re.compile(
    r"\s*(?:\w+\s+)?(?:delta|rivers?|province|region|coast|valley|mountains|range|highlands?"
    r"|plateau|peninsula|islands?|archipelago|sea|plain|people|minority|villages?|women|dynasty"
    r"|empire|kings?|era|style|cuisine|county|district|country|basin|lowlands)\b",
    re.IGNORECASE,
)
"""What is no single sight, or no place at all."""
_ONLY_SHOWN = re.compile(
    r"\b(?:films?|cinema|museum|gallery|exhibition|cafes?|bars?|street|restaurant|shop|market|show)"
    r"\b",
    re.IGNORECASE,
)
"""Sights that tell of others and do not lead there."""
_IN_PASSING = re.compile(
    r"\b(?:films?|maps?|stor(?:y|ies)|photos?|pictures?|models?|views?|tales?|books?|talks?)"
    r" (?:[\w ]{0,20})?(?:about|of|on|over|to|towards) (?:the )?$|\bnamed after (?:the )?$",
    re.IGNORECASE,
)
_SAID_NEAR = 60  # letters behind a name in which it is said what it is


def settle_hearsay(talk: Talk) -> None:
    """Tell the sights that are asked for and that texts only tell of."""
    sentence = talk.sentence()
    for one in sightings_in(sentence):
        if one.name in talk.wanted.unknown or is_elsewhere(one.name.casefold()):
            continue
        towns = _towns_telling(one, talk.atlas)
        if towns:
            reason = f"it is told of at {talk.names(towns)}, but no visit to it is known here"
            talk.settle(f"a visit to {one.name}", reason, "planned without it")


def _towns_telling(one: Sighting, atlas: Atlas) -> list[str]:
    """The cities that tell of a sight; none where a visit to it is known, or it is no sight."""
    form = re.compile(rf"(?<!\w){re.escape(one.name)}(?!\w)")
    towns: dict[str, None] = {}
    sight = one.certain
    for place in atlas.places.values():
        for told in form.finditer(place.text):
            if _WIDE.match(place.text, told.end()) or _is_visit(place, told):
                return []
            near = place.text[told.end() : told.end() + _SAID_NEAR]
            sight = sight or LANDMARK.search(near) is not None
            if city := atlas.city_of(place.id):
                towns[city] = None
    return list(towns)[:2] if sight else []


def _is_visit(place: Place, told: re.Match[str]) -> bool:
    """Whether a sight leads to what it tells of."""
    if place.kind not in SIGHTS or _IN_PASSING.search(place.text[: told.start()]):
        return False
    return _ONLY_SHOWN.search(f"{place.name} {place.type}") is None
