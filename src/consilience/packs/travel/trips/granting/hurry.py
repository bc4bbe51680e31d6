"""Is there time enough: hours for a city, a week for every one of them, one evening for two?"""

from __future__ import annotations

from itertools import pairwise

from consilience.names import surface
from consilience.packs.travel.atlas import SIGHTS, Place
from consilience.packs.travel.trips.granting.talk import Talk, counted
from consilience.packs.travel.trips.reading.hurrying import (
    every_kind,
    haste_of,
    meals_apart,
    numbered,
    sides_in,
    together,
    wants_every_city,
    wants_everything,
)
from consilience.packs.travel.trips.reading.naming import name_places
from consilience.packs.travel.trips.reading.sentence import Sentence
from consilience.packs.travel.trips.wording import duration, joined
from consilience.packs.travel.vocabulary import kinds_in

_LEAST = 180  # minutes in which a city can be looked at
_A_DAY = 5  # sights that a full day holds
_MOST_A_DAY = 7  # visits of the fullest day
_EACH_REGION = 2  # days that a region takes with the way there, at least


def settle_hurry(talk: Talk) -> None:
    """Settle what there is no time for."""
    _hours(talk)
    _at_once(talk)
    _every_city(talk)
    _every_kind(talk)
    _numbers(talk)
    _regions(talk)


def _named(talk: Talk) -> list[str]:
    """The cities of a wish, its ends among them."""
    wish = talk.wish
    ends = [one for one in (wish.start, wish.end) if one and talk.is_city(one)]
    return list(dict.fromkeys((*talk.cities(), *ends)))


def _between(talk: Talk, towns: list[str]) -> int:
    """Minutes that the ways between cities take in the order they are named."""
    ways = [talk.atlas.fastest(one, other) for one, other in pairwise(towns)]
    return sum(one.minutes for way in ways for one in way)


def _hours(talk: Talk) -> None:
    """Hours instead of days: too few for what is asked."""
    haste = haste_of(talk.wanted.text)
    if haste is None or any("taken as home" in one for one in talk.wish.assumed):
        return
    said_days = talk.wish.days > 1 and not any("no length" in one for one in talk.wish.assumed)
    if said_days:
        return
    towns, places = _named(talk), talk.atlas.places
    sights = [places[one].minutes or 60 for one in talk.wish.must if places[one].kind in SIGHTS]
    needed = max(_LEAST, sum(sights)) + _between(talk, towns)
    text = talk.wanted.text
    asked = (wants_everything(text), wants_every_city(text), every_kind(text), not towns)
    wide = any(asked)
    if haste.minutes >= needed and not wide:
        return
    what = talk.names(towns) or "the trip"
    reason = "a country is not seen in hours"
    if towns:
        reason = f"it takes {duration(needed)} at least" if haste.minutes < needed else (
            "all of it takes longer"
        )  # fmt: skip
    talk.grant(days=max(1, len(towns)))
    talk.settle(f"{what} in {haste.said}", reason, counted(talk.wish.days, "day"))


def _at_once(talk: Talk) -> None:
    """Two cities at the same time that are too far apart for it."""
    said, towns = together(talk.wanted.text), talk.cities()
    if not said and any("no length" in one for one in talk.wish.assumed):
        sentence = Sentence(talk.wanted.text)
        name_places(sentence, talk.atlas)
        said = joined(meals_apart(sentence.rest))
    minutes = _between(talk, towns)
    if not said or len(towns) < 2 or minutes <= _LEAST / 2:
        return
    talk.settle(
        f"{talk.names(towns)} {said}",
        f"the way between them takes {duration(minutes)}",
        "one after the other",
    )
    talk.grant(days=max(talk.wish.days, len(towns)))


def _here(talk: Talk) -> list[Place]:
    region, atlas = talk.wish.region, talk.atlas
    return [one for one in atlas.cities() if not region or atlas.lies_in(one.id, region)]


def _every_city(talk: Talk) -> None:
    said, here = wants_every_city(talk.wanted.text), _here(talk)
    if not said or talk.cities() or talk.wish.days >= len(here):
        return
    talk.settle(
        said,
        f"{counted(len(here), 'city')} are known here, and each takes a day at least with the way "
        f"there; there are {talk.wish.days}",
        "as many as the days allow",
    )


def _every_kind(talk: Talk) -> None:
    """All places of a kind: more of them than the days hold."""
    for said in every_kind(talk.wanted.text):
        types = {one.type for one in kinds_in(said) if one.type}
        towns = _named(talk) or [one.id for one in _here(talk)]
        sights = [one for town in towns for one in talk.atlas.within(town) if one.type in types]
        cities = {talk.atlas.city_of(one.id) for one in sights}
        days = talk.wish.days
        if types and (len(sights) > days * _A_DAY or len(cities) > max(days, len(talk.cities()))):
            reason = f"{len(sights)} are known in {counted(len(cities), 'city')}, and the days are "
            talk.settle(f"all: {said}", f"{reason}{days}", "those that fit into the days")


def _numbers(talk: Talk) -> None:
    """More places of a kind than the days hold, or than there are."""
    for count, said, daily in numbered(talk.wanted.text):
        types = {one.type or one.kind for one in kinds_in(said) if one.kind in {*SIGHTS, "food"}}
        asked = count * talk.wish.days if daily else count
        room = talk.wish.days * _MOST_A_DAY
        if types and asked > room:
            talk.settle(
                f"{asked} {said} in {counted(talk.wish.days, 'day')}",
                f"a day holds {_MOST_A_DAY} places at most",
                f"{room} at most, of the best",
            )


def _regions(talk: Talk) -> None:
    """All of a country or several of its regions in fewer days than they take."""
    said, text = wants_everything(_marked(talk)), f" {surface(talk.wanted.text)} "
    held = {one.region for one in talk.atlas.cities() if one.region}
    known = [talk.atlas.places[one] for one in sorted(held) if one in talk.atlas.places]
    named = [one.id for one in known if any(f" {surface(name)} " in text for name in _names(one))]
    days = talk.wish.days
    if said and not talk.cities() and not talk.wish.region and days < _EACH_REGION * len(held):
        count = counted(len(held), "region")
        reason = f"its {count} take {_EACH_REGION} days each at least with the ways between them"
        talk.settle(f"'{said}' in {counted(days, 'day')}", reason, "a part of it")
    elif days < (sides := len(sides_in(talk.wanted.text))) and not talk.cities():
        reason = f"{counted(sides, 'part')} of a country take a day each at least"
        talk.settle(f"{counted(sides, 'part')} in {counted(days, 'day')}", reason, "one of them")
    elif len(named) > max(1, days):
        reason = f"they are {len(named)}, and the trip has {counted(days, 'day')}"
        talk.settle(talk.names(sorted(named)), reason, "a part of them")


def _names(place: Place) -> tuple[str, ...]:
    return (place.name, *place.names)


def _marked(talk: Talk) -> str:
    """The text with the countries in it as places."""
    text = talk.wanted.text
    for one in talk.atlas.places.values():
        if one.kind == "country":
            for name in _names(one):
                text = text.replace(name, "\ue000")
    return text
