"""Is there such a way: a train to an island, a bus of two hours where it takes twelve?

A way by road can be driven, ridden and cycled; walking and cycling take their days. Any other means
has to be one that a connection is told of.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations, pairwise
from math import ceil

from consilience.packs.travel.atlas import SIGHTS, Atlas, Connection
from consilience.packs.travel.trips.granting.talk import Talk, counted
from consilience.packs.travel.trips.reading.sentence import Sentence
from consilience.packs.travel.trips.reading.ways.bearing import read_bound
from consilience.packs.travel.trips.reading.ways.riding import (
    HOMES,
    Ride,
    hires_asked,
    lengths_asked,
    local_asked,
    means_throughout,
    rides_asked,
    times_asked,
)
from consilience.packs.travel.trips.reading.ways.travelling import ROAD, family_of, is_barred
from consilience.packs.travel.trips.wording import duration, joined

_A_DAY_KM = {
    "swimming": 5.0, "kayak": 30.0, "skates": 35.0, "foot": 25.0, "bicycle": 80.0, "horse": 35.0,
    "tractor": 120.0,
}  # fmt: skip
_OVER_LAND = frozenset({"skates", "foot", "bicycle", "horse", "tractor", "tunnel", "bridge"})
_ON_WATER = frozenset({"swimming", "kayak"})
_NOT_LAND = frozenset({"boat", "flight", "ferry", "speedboat"})
_OUTINGS = frozenset(
    {"boat", "cable car", "horse", "bridge", "tunnel", "foot", "bicycle", "kayak", "zipline"}
)
"""What goes to a sight from the city that it is in."""
_RAIL = {"tunnel": ("train",), "bridge": ("train",)}
_HOW = {
    "foot": "on foot", "horse": "on the back of an animal", "skates": "on such wheels",
    "swimming": "swimming", "kayak": "under paddle or oar",
}  # fmt: skip
_WINDING = 1.3
_NEAR_KM = 40.0  # from a place to another whose station or port serves it as well
_SLACK = 0.8  # of the time that a way takes: who asks for less asks for too little


def settle_rides(talk: Talk) -> None:
    """Settle ways by means that do not go there, and times that nothing keeps."""
    sentence = talk.sentence()
    told = set[str]()
    for ride in rides_asked(sentence):
        start, end = talk.atlas.city_of(ride.start), talk.atlas.city_of(ride.end)
        if ride.means in _OUTINGS and not start and not talk.is_city(ride.end):
            continue
        reason = _why_not(talk, ride, start, end) if end and start != end else ""
        if reason and end not in told:
            told.add(end)
            way = f"from {talk.atlas.name_of(start)} " if start else ""
            talk.settle(f"{ride.said} {way}to {talk.atlas.name_of(end)}", reason, "by another way")
    _end_to_end(talk, sentence)
    _throughout(talk, sentence)
    _too_long(talk, sentence)
    _hired(talk, sentence)
    for said, place in local_asked(sentence):
        city = talk.atlas.city_of(place)
        if city and city not in told and (reason := _within(talk, said, city)):
            told.add(city)
            talk.settle(f"{said} in {talk.atlas.name_of(city)}", reason, "by what there is")
    for first, last, minutes, said in times_asked(sentence):
        start, end = talk.atlas.city_of(first), talk.atlas.city_of(last)
        ways = talk.atlas.fastest(start, end) if start and end else ()
        least = sum(one.minutes for one in ways)
        if minutes < least * _SLACK and end not in told:
            talk.settle(
                f"{talk.atlas.name_of(start)} to {talk.atlas.name_of(end)} in {said}",
                f"the fastest that is known, by {_modes(ways)}, takes {duration(least)}",
                "planned with the time that it takes",
            )


def _too_long(talk: Talk, sentence: Sentence) -> None:
    """Ways that take longer than somebody bears, whichever is taken."""
    bound = read_bound(sentence)
    ends = [*talk.cities(), talk.wish.start, talk.wish.end]
    cities = [one for one in dict.fromkeys(ends) if one]
    for city in cities if bound and len(cities) > 1 else ():
        leaving = [
            (way.minutes, other, way)
            for other in cities
            for way in talk.atlas.direct(other, city)
            if not is_barred(way, talk.wish.avoid.modes)
        ]
        least, other, way = min(leaving, default=(0, "", None), key=lambda one: one[0])
        if bound and way is not None and least > bound[0]:
            names = f"{talk.atlas.name_of(other)} to {talk.atlas.name_of(city)}"
            talk.settle(
                bound[1],
                f"the shortest way from {names}, by {way.mode}, takes {duration(least)}",
                "planned with the ways that there are",
            )
            return


def _throughout(talk: Talk, sentence: Sentence) -> None:
    """Cities that lie further apart than the days allow by one's own strength."""
    ends = [talk.wish.start, *talk.cities(), talk.wish.end]
    cities = list(dict.fromkeys(one for one in ends if one))
    legs = [talk.atlas.km(one, other) or 0.0 for one, other in pairwise(cities)]
    for means, said in means_throughout(sentence):
        km = sum(legs) * _WINDING
        days = ceil(km / _A_DAY_KM[means])
        if days > talk.wish.days:
            reason = f"about {round(km)} km between the cities take {counted(days, 'day')} so"
            talk.settle(f"'{said}'", reason, "by other ways between the cities")
        return


def _end_to_end(talk: Talk, sentence: Sentence) -> None:
    """A country that is longer than the days allow by one's own strength."""
    atlas = talk.atlas
    for means, said, land in lengths_asked(sentence):
        cities = [one.id for one in atlas.cities() if not land or atlas.lies_in(one.id, land)]
        kms = (atlas.km(one, other) or 0.0 for one, other in combinations(cities, 2))
        km = max(kms, default=0.0) * _WINDING
        days = ceil(km / _A_DAY_KM[means])
        if days > talk.wish.days:
            reason = f"about {round(km)} km from end to end take {counted(days, 'day')} so"
            talk.settle(f"the whole length by '{said}'", reason, "a part of it, or by other ways")
            return


def _hired(talk: Talk, sentence: Sentence) -> None:
    """A vehicle to live in, where no place tells of any or of pitches for it."""
    for said in hires_asked(sentence):
        if not any(HOMES.search(f"{one.text} {one.type}") for one in talk.atlas.places.values()):
            reason = "no place here tells of hiring one, or of pitches for it"
            talk.settle(f"a trip by {said}", reason, "planned with rooms and the ways between them")
        return


def _modes(ways: tuple[Connection, ...]) -> str:
    return joined(list(dict.fromkeys(one.mode for one in ways)))


def _why_not(talk: Talk, ride: Ride, start: str, end: str) -> str:
    """Why one cannot get there so; empty where one can."""
    if not talk.atlas.connections:
        return ""
    if ride.means in _A_DAY_KM and (reason := _too_far(talk, ride, start, end)):
        return reason
    if ride.means in _ON_WATER:
        return ""
    fitting = _fitting(talk, ride.means)
    if not any(fitting.connections.values()):
        modes = {one.mode for some in talk.atlas.connections.values() for one in some}
        offered = joined(sorted({family_of(one) for one in modes}))
        return f"no way here is by {ride.means}; known are {offered}"
    if start:
        served = bool(fitting.fastest(start, end))
    else:
        towns = [end] if ride.strict else _around(talk.atlas, end)
        served = any(to in towns and some for (_, to), some in fitting.connections.items())
    if served:
        return ""
    arriving = [way for (_, to), some in talk.atlas.connections.items() if to == end
                for way in some]  # fmt: skip
    ways = sorted({one.mode for one in arriving})
    return f"no such way there is known; it is reached by {joined(ways)}" if ways else ""


def _fitting(talk: Talk, means: str) -> Atlas:
    """The atlas with no ways but those that some means can take."""
    ruled = talk.wish.avoid.modes & _NOT_LAND
    return replace(
        talk.atlas,
        connections={
            ends: [one for one in some if _serves(one, means, ruled)]
            for ends, some in talk.atlas.connections.items()
        },
    )


def _serves(way: Connection, means: str, ruled: frozenset[str]) -> bool:
    """Whether a way is one of some means; what has a road can be driven and ridden on."""
    family = family_of(way.mode)
    if means in _OVER_LAND:
        return family in {*ROAD, *_RAIL.get(means, ())} and not is_barred(way, _NOT_LAND)
    if means in {"car", "motorbike"}:
        return family in ROAD and not is_barred(way, ruled)
    return family == means or means in way.mode


def _too_far(talk: Talk, ride: Ride, start: str, end: str) -> str:
    atlas = talk.atlas
    starts = [start] if start else [one for one in (*talk.cities(), talk.wish.start) if one != end]
    if not start and not talk.is_city(ride.end):
        return ""
    kms = [km for one in starts if one and (km := atlas.km(one, end)) is not None]
    if not kms:
        return ""
    km = min(kms)
    days = ceil(km * _WINDING / _A_DAY_KM[ride.means])
    if days <= talk.wish.days:
        return ""
    how = _HOW.get(ride.means, f"by {ride.means}")
    return f"about {round(km * _WINDING)} km take {counted(days, 'day')} {how}"


def _around(atlas: Atlas, city: str) -> list[str]:
    """A city and those near it, whose stations serve it as well; an island is served by none."""
    near = [
        one.id
        for one in atlas.cities()
        if one.id != city
        and (atlas.km(one.id, city) or 1e9) <= _NEAR_KM
        and any(family_of(way.mode) in ROAD for way in atlas.direct(one.id, city))
    ]
    return [city, *near]


def _within(talk: Talk, said: str, city: str) -> str:
    """Why a city has no such means; empty where something there tells of it."""
    inside = talk.atlas.within(city, {*SIGHTS, "station", "airport", "transport"})
    told = [talk.atlas.places[city].text, *(one.text for one in inside)]
    told += [
        one.text for (place, _), some in talk.atlas.remarks.items() if place == city for one in some
    ]
    form = re.compile(rf"\b{said.rstrip('s')}s?\b", re.IGNORECASE)
    return "" if any(map(form.search, told)) else f"nothing that is known there tells of a {said}"
