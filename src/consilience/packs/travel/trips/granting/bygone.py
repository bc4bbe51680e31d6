"""Can those be met whom a wish wants to meet, or are they dead, rulers or beings of tales?"""

from __future__ import annotations

from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.sentence import Sentence
from consilience.packs.travel.trips.reading.things.bygone import named_asked, rulers_asked
from consilience.packs.travel.trips.reading.things.forbidden import bygone_asked
from consilience.packs.travel.vocabulary import kinds_in
from consilience.understand.names import surface

_GRAVES = frozenset({"tomb", "mausoleum", "palace", "monument", "memorial", "statue", "museum"})
"""Types of sights that are called after people of the past."""


def settle_bygone(talk: Talk) -> None:
    """Settle meetings that nobody can arrange, each once."""
    text = Sentence(talk.wanted.text).text
    told = dict.fromkeys(bygone_asked(text))
    told.update((one, None) for one in rulers_asked(text) if not _overlaps(one, told))
    if not told:
        found = named_asked(talk.sentence())
        told = {whole: None for whole, key in found if _is_person(talk, whole, key)}
    for said in told:
        reason = "it belongs to the past or to tales, or is nobody's to arrange"
        talk.settle(f"'{said}'", reason, "planned with what is there today")


def _overlaps(one: str, told: dict[str, None]) -> bool:
    return any(one in said or said in one for said in told)


def _is_person(talk: Talk, said: str, key: str) -> bool:
    """Whether a name stands for a person of the past: it is that of a tomb without "tomb"."""
    place = talk.atlas.places[key]
    words = surface(said)
    bare = not any(one.kind == "attraction" for one in kinds_in(words))
    return bare and place.type.casefold() in _GRAVES and surface(place.name) not in words
