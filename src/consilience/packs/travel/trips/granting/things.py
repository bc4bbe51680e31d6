"""Is what a wish asks for told of anywhere here, and is it anybody's to give?

Things to do and to see, and beds of a rare kind, have to be told of by some place. A promise that
nobody can give, what the law forbids and what is long past are told and left out.
"""

from __future__ import annotations

import re

from consilience.packs.travel.atlas import Place
from consilience.packs.travel.trips.granting.animals import settle_animals
from consilience.packs.travel.trips.granting.beds import settle_beds
from consilience.packs.travel.trips.granting.bygone import settle_bygone
from consilience.packs.travel.trips.granting.hearsay import settle_hearsay
from consilience.packs.travel.trips.granting.landscapes import settle_landscapes
from consilience.packs.travel.trips.granting.rooms import settle_rooms
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.things.describing import described_in
from consilience.packs.travel.trips.reading.things.doing import animals_asked, things_asked
from consilience.packs.travel.trips.reading.things.forbidden import (
    promises_asked,
    unlawful_asked,
)
from consilience.packs.travel.vocabulary import themes_in
from consilience.understand.names import surface

_NEAR_KM = 120.0  # what is so near can be reached from a city in a day


def settle_things(talk: Talk) -> None:
    """Settle what nobody here has, and what nobody can give."""
    _asked(talk)
    settle_animals(talk)
    settle_hearsay(talk)
    settle_landscapes(talk)
    settle_beds(talk)
    settle_rooms(talk)
    text = talk.wanted.text
    for said in dict.fromkeys(promises_asked(text)):
        talk.settle(f"'{said}'", "nobody can promise that", "planned without the promise")
    for said in dict.fromkeys(unlawful_asked(text)):
        reason = "it is against the law nearly everywhere, or harms others"
        talk.settle(f"'{said}'", reason, "planned without it")
    settle_bygone(talk)


def _asked(talk: Talk) -> None:
    """Things by name or by where they stand that no place here, or none there, tells of."""
    text, every = talk.wanted.text, list(talk.atlas.places.values())
    wild = [one for one in every if "animals" in one.features or one.themes.get("wildlife", 0) > 0]
    animals = dict(animals_asked(text))
    for name, stem in animals.items():
        _told(talk, name, stem, wild)
    for name, stem in things_asked(text):
        if name not in animals:
            _told(talk, name, stem, every)
    _described(talk, every)


def _described(talk: Talk, places: list[Place]) -> None:
    """Things by description of which no place tells both words, the kind and what it is."""
    for one in described_in(talk.wanted.text):
        told = (set(surface(_telling(place)).split()) for place in places)
        if not any(words & one.kinds and words & one.heads for words in told):
            talk.settle(one.said, f"no place here tells of a {one.said}", "planned without it")


def _told(talk: Talk, name: str, stem: str, places: list[Place]) -> None:
    form = re.compile(rf"(?<!jet )(?<!water )(?<!-)\b(?:{stem})\b", re.IGNORECASE)
    telling = [one for one in places if form.search(_telling(one))]
    if not telling:
        talk.settle(name, f"no place here tells of {name}", "planned without it")
        return
    towns = {talk.atlas.city_of(one.id) for one in telling} - {""}
    named = talk.cities() or [one for one in (talk.wish.start, talk.wish.end) if one]
    near = {
        one for one in towns if any((talk.atlas.km(one, two) or 0) <= _NEAR_KM for two in named)
    }
    if not named or near or not towns or _in_themes(talk, stem):
        return
    where = talk.names(sorted(towns)[:2])
    reason = f"no place there tells of {name}; one does in {where}"
    talk.settle(f"{name} in {talk.names(named)}", reason, "planned without it")


def _in_themes(talk: Talk, stem: str) -> bool:
    """Whether a compromise on themes or places has told of it already."""
    themes = {
        one.theme
        for found in re.finditer(stem, talk.wanted.text, re.I)
        for one in themes_in(found[0])
    }
    return any(theme in one.wanted for one in talk.compromises for theme in themes)


def _telling(place: Place) -> str:
    return " ".join((place.name, place.type, *place.offers, place.text))
