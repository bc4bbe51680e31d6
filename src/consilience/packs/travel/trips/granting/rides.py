"""Is there such a way: a train to an island, a bus of two hours where it takes twelve?

A way by road can be driven, ridden and cycled; walking and cycling take their days. Any other means
has to be one that a connection is told of.
"""

from __future__ import annotations

from math import ceil

from consilience.packs.travel.atlas import Atlas, Connection
from consilience.packs.travel.trips.granting.talk import Talk, counted
from consilience.packs.travel.trips.reading.naming import name_places
from consilience.packs.travel.trips.reading.riding import Ride, rides_asked, times_asked
from consilience.packs.travel.trips.reading.sentence import Sentence
from consilience.packs.travel.trips.reading.travelling import family_of
from consilience.packs.travel.trips.wording import duration, joined

_ROAD = frozenset({"bus", "car", "van", "motorbike"})
_A_DAY_KM = {"foot": 25.0, "bicycle": 80.0, "horse": 35.0}
_WINDING = 1.3
_NEAR_KM = 40.0  # from a place to another whose station or port serves it as well
_SLACK = 0.8  # of the time that a way takes: who asks for less asks for too little


def settle_rides(talk: Talk) -> None:
    """Settle ways by means that do not go there, and times that nothing keeps."""
    sentence = Sentence(talk.wanted.text)
    name_places(sentence, talk.atlas)
    told = set[str]()
    for ride in rides_asked(sentence):
        start, end = talk.atlas.city_of(ride.start), talk.atlas.city_of(ride.end)
        reason = _why_not(talk, ride, start, end) if end and start != end else ""
        if reason and end not in told:
            told.add(end)
            way = f"from {talk.atlas.name_of(start)} " if start else ""
            talk.settle(f"{ride.said} {way}to {talk.atlas.name_of(end)}", reason, "by another way")
    _cut_off(talk, told)
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


def _cut_off(talk: Talk, told: set[str]) -> None:
    """Cities that are reached only by what is ruled out."""
    barred = talk.wish.avoid.modes
    for city in talk.cities() if barred else ():
        modes = {way.mode for (_, to), some in talk.atlas.connections.items() if to == city
                 for way in some}  # fmt: skip
        if modes and modes <= barred and city not in told and not talk.wish.start:
            told.add(city)
            name = talk.atlas.name_of(city)
            reason = f"it is reached only by {joined(sorted(modes))}, which is ruled out"
            talk.settle(
                f"{name} without that", reason, f"planned in {name}, the way there left open"
            )


def _modes(ways: tuple[Connection, ...]) -> str:
    return joined(list(dict.fromkeys(one.mode for one in ways)))


def _why_not(talk: Talk, ride: Ride, start: str, end: str) -> str:
    """Why one cannot get there so; empty where one can."""
    atlas = talk.atlas
    if not atlas.connections:
        return ""
    modes = {one.mode for some in atlas.connections.values() for one in some}
    kept = {one for one in modes if _serves(one, ride.means)}
    if ride.means in _A_DAY_KM and (reason := _too_far(talk, ride, start, end)):
        return reason
    if not kept:
        offered = joined(sorted({family_of(one) for one in modes}))
        return f"no way here is by {ride.means}; known are {offered}"
    if start:
        served = bool(atlas.fastest(start, end, frozenset(modes - kept)))
    else:
        towns = [end] if ride.strict else _around(atlas, end)
        served = any(_arrives(atlas, one, kept) for one in towns)
    if served:
        return ""
    ways = sorted(
        {one.mode for (_, to), some in atlas.connections.items() if to == end for one in some}
    )
    return f"no such way there is known; it is reached by {joined(ways)}" if ways else ""


def _serves(mode: str, means: str) -> bool:
    """Whether a mode is one of some means; what has a road can be driven and ridden on."""
    family = family_of(mode)
    if means in {"car", "motorbike", "foot", "bicycle", "horse"}:
        return family in _ROAD
    return family == means or means in mode


def _too_far(talk: Talk, ride: Ride, start: str, end: str) -> str:
    km = talk.atlas.km(start, end) if start else None
    if km is None:
        return ""
    days = ceil(km * _WINDING / _A_DAY_KM[ride.means])
    if days <= talk.wish.days:
        return ""
    return f"about {round(km * _WINDING)} km take {counted(days, 'day')} by {ride.means}"


def _around(atlas: Atlas, city: str) -> list[str]:
    """A city and those near it, whose stations serve it as well; an island is served by none."""
    near = [
        one.id
        for one in atlas.cities()
        if one.id != city
        and (atlas.km(one.id, city) or 1e9) <= _NEAR_KM
        and any(family_of(way.mode) in _ROAD for way in atlas.direct(one.id, city))
    ]
    return [city, *near]


def _arrives(atlas: Atlas, city: str, modes: set[str]) -> bool:
    return any(
        way.mode in modes
        for (_, to), some in atlas.connections.items()
        if to == city
        for way in some
    )
