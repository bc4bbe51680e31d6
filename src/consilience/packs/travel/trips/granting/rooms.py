"""Has a house that is asked for as many rooms as those who travel need?

Counted from its text ("eighteen rooms", "two private rooms at the back"). Where it has dormitories
as well, only a wish for a room of one's own counts.
"""

from __future__ import annotations

import re

from consilience.packs.travel.atlas import STAY, Place
from consilience.packs.travel.trips.granting.talk import Talk, counted
from consilience.packs.travel.trips.reading.counting import NUMBER, value
from consilience.packs.travel.trips.reading.spoken.asides import is_aside

_ROOMS = re.compile(
    rf"\b(?P<count>{NUMBER})\s+(?:[\w-]+\s){{0,2}}?(?P<what>rooms?|bungalows?|villas?|cabins?"
    r"|doubles|suites?|twins"
    r"|chalets?|tents|pods|cottages?|huts?)\b(?! (?:per|a) )",
    re.IGNORECASE,
)
_SHARED = re.compile(
    r"\b(?:dorm\w*|bunks?|mattress\w*|shared|loft of|pod beds?|capsules?)\b", re.IGNORECASE
)
_OWN = re.compile(
    r"\b(?:(?:each|every(?:one|body)?|all)\b[^.;!?]{0,40}\b(?:private|own|single|separate)\b"
    r"[^.;!?]{0,15}\brooms?"
    r"|(?:a |one )?(?:private |single |own |separate )?rooms? (?:of (?:his|her|their|our"
    r"|one's) own|each|apiece|per person)"
    r"|(?:single|separate|private) rooms? for (?:each|every|all)|no sharing|nobody shares"
    r"|rooms? to (?:him|her|them|our)sel(?:f|ves))\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"\b(?P<count>{NUMBER})\s+(?:[\w-]+\s){{0,2}}?(?:rooms|doubles|suites|bungalows|villas"
    r"|singles)\b",
    re.IGNORECASE,
)


def settle_rooms(talk: Talk) -> None:
    """Settle more rooms than a house by name tells of."""
    text, group = talk.wanted.text, talk.wanted.group
    own = _OWN.search(text)
    asked = [
        value(one["count"]) for one in _COUNTED.finditer(text) if not is_aside(text, *one.span())
    ]
    for key in talk.wish.must:
        place = talk.atlas.places.get(key)
        has = _rooms(place) if place is not None and place.kind == STAY else 0
        if place is None or not has:
            continue
        shared = _SHARED.search(place.text) is not None
        needed = group.people if own else max([*asked, 0 if shared else group.rooms])
        if needed > has:
            talk.settle(
                f"{needed} rooms in {place.name}",
                f"it tells of {counted(has, 'room')}",
                "as many as it has there, the others in stays near by",
            )


def _rooms(stay: Place) -> int:
    """The rooms that a text tells of; 0 where it tells of none by number."""
    return sum(value(one["count"]) for one in _ROOMS.finditer(stay.text) if value(one["count"]))
