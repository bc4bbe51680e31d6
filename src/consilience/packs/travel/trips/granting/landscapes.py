"""Does a city have the landscape that is asked for there: a beach, caves, a volcano?

A place in it or within some 40 km has to tell of it, by its type, its name or its text. Where none
does, the nearest city that has it is told.
"""

from __future__ import annotations

import re

from consilience.packs.travel.atlas import SIGHTS, STAY, Place
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.places.landscapes import SEA, Asked, landscapes_asked

_AROUND_KM = 40.0  # what is so near belongs to a city
_NEAR_KM = 120.0  # what is so near can be reached from it in a day
_TELLING = {  # words and types of places that tell of a kind
    SEA: r"beach(?:es)?|seaside|sea ?front|sea ?shore|coastal|lagoons?|oceanfront|shoreline"
    r"|(?:on|by|over|into|facing|above|behind|along|in) the (?:sea|ocean|coast)|sea ?views?"
    r"|snorkel\w*|surf(?:ing|ers?)?|kite ?surf\w*|coral|seaport|fishing harbour|(?:sea"
    r"|ocean) bath\w*",
    "islands": r"islands?|islets?|archipelago|isles?|karsts? in the bay",
    "caves": r"caves?|caverns?|grotto(?:e?s)?|caving",
    "a volcano": r"volcan\w+|lava|craters?",
    "a desert": r"deserts?|dunes?",
    "a waterfall": r"waterfalls?|cascades?|falls",
    "mountains": r"mountains?|peaks?|summits?|hills?|highlands?|pass|ridges?|cliffs?|karsts?",
    "a zoo": r"zoos?|aquariums?|oceanarium|safari",
    "an amusement park": r"(?:amusement|theme|water) ?parks?|roller ?coasters?|coasters?|rides",
    "a rainforest": r"(?:rain ?)?forests?|jungles?|national parks?|woods",
}  # fmt: skip
_THEMES = {SEA: ("beach",), "mountains": ("hiking",)}
_KNOWN = 0.6  # strength from which a city is known for a theme
_STRONG = 0.3  # strength from which a place has something of a theme


def settle_landscapes(talk: Talk) -> None:
    """Settle landscapes that are asked for where no place tells of them."""
    sentence = talk.sentence()
    told = set[str]()
    for one in landscapes_asked(sentence, talk.cities()):
        towns = [key for key in one.cities if talk.is_city(key)]
        if not towns or one.kind in told or _is_told(talk, one):
            continue
        within = _NEAR_KM if one.near else _AROUND_KM
        if any(_has(talk, town, one.kind, within) for town in towns):
            continue
        told.add(one.kind)
        _settle(talk, one, towns, within)


def _settle(talk: Talk, asked: Asked, towns: list[str], within: float) -> None:
    names = talk.names(towns)
    others = [one.id for one in talk.atlas.cities() if _is_known_for(talk, one, asked.kind)]
    nearest = sorted(others, key=lambda one: (talk.atlas.km(one, towns[0]) or 1e9, one))[:1]
    where = ""
    if nearest:
        km = talk.atlas.km(nearest[0], towns[0])
        apart = f", {round(km)} km away" if km is not None else ""
        where = f"; the nearest city with it is {talk.names(nearest)}{apart}"
    talk.settle(
        f"'{asked.said.strip()}' in {names}",
        f"no place within {round(within)} km of {names} tells of {asked.kind}{where}",
        f"planned for what {names} has",
    )


def _is_told(talk: Talk, asked: Asked) -> bool:
    """Whether a compromise on themes or things has told of it already."""
    themes = _THEMES.get(asked.kind, ())
    return any(
        one.wanted.startswith(f"{theme} in ") for one in talk.compromises for theme in themes
    ) or any(asked.said.casefold() in one.wanted.casefold() for one in talk.compromises)


def _has(talk: Talk, town: str, kind: str, within: float) -> bool:
    atlas = talk.atlas
    inside = {one.id for one in atlas.within(town, {*SIGHTS, STAY, "food"})} | {town}
    form = re.compile(rf"\b(?:{_TELLING[kind]})\b", re.IGNORECASE)
    return any(
        (one.id in inside or _is_near(talk, town, one, within)) and _tells(one, kind, form)
        for one in atlas.places.values()
        if one.kind not in ("country", "region", "airport")
    )


def _is_known_for(talk: Talk, town: Place, kind: str) -> bool:
    """Whether a city or a sight of it is of the kind by its name, type or theme."""
    form = re.compile(rf"\b(?:{_TELLING[kind]})\b", re.IGNORECASE)
    themes = _THEMES.get(kind, ())
    return any(
        any(one.themes.get(theme, 0) >= _KNOWN for theme in themes)
        or form.search(f"{one.name} {one.type}") is not None
        for one in (town, *talk.atlas.within(town.id, SIGHTS))
    )


def _is_near(talk: Talk, town: str, place: Place, within: float) -> bool:
    km = talk.atlas.km(town, place.id)
    return km is not None and km <= within


def _tells(place: Place, kind: str, form: re.Pattern[str]) -> bool:
    if any(place.themes.get(theme, 0) >= _STRONG for theme in _THEMES.get(kind, ())):
        return True
    told = " ".join((place.name, place.type, *place.offers, place.text))
    return form.search(told) is not None
