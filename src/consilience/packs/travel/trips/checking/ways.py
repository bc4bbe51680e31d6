"""Where is the traveller, and do the ways lead there? Followed from city to city by the clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from consilience.packs.travel.atlas import Atlas, Connection
from consilience.packs.travel.trips.checking.spans import (
    DAY_MIN,
    LONGEST_BY_DAY_MIN,
    Span,
    busy,
    clock,
    is_way,
)
from consilience.packs.travel.trips.types import Day, Finding, Itinerary, Leg, Wish

_EARLIEST = 4 * 60
_NEAR_KM = 15.0  # a place so near to a city may be eaten at and slept in, whatever town it is in


class _Stand(NamedTuple):
    """Where one is, from when on."""

    city: str
    since: int


def way_findings(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Iterator[Finding]:
    """What is wrong with the ways between cities, and with where one is when."""
    if not itinerary.days:
        return
    here = _Stand(_begins_at(itinerary, atlas), 0)
    if wish.start and here.city != wish.start:
        told = f"the trip begins in {atlas.name_of(here.city)}, not {atlas.name_of(wish.start)}"
        yield Finding(rule="start-end", message=told, day=1, place=wish.start)
    for day in itinerary.days:
        stands = _stands(here, day, atlas)
        yield from _legs(here, day, atlas)
        yield from _wrong_cities(stands, day, atlas)
        last = stands[-1]
        if day.city != last.city:
            told = (
                f"day {day.number} ends in {atlas.name_of(last.city)}, and its night is in "
                f"{atlas.name_of(day.city)}"
            )
            yield Finding(rule="route", message=told, day=day.number, place=day.city)
        here = _Stand(day.city, max(0, last.since - DAY_MIN))
    if wish.end and here.city != wish.end:
        told = f"the trip ends in {atlas.name_of(here.city)}, not {atlas.name_of(wish.end)}"
        yield Finding(rule="start-end", message=told, day=itinerary.days[-1].number, place=wish.end)


def _begins_at(itinerary: Itinerary, atlas: Atlas) -> str:
    """Where the trip begins: where its first way leaves from, else where its first night is."""
    first = itinerary.days[0]
    ways = _between(first, atlas)
    return ways[0].start if ways else first.city


def _between(day: Day, atlas: Atlas) -> list[Leg]:
    """The ways between cities on a day, in their order."""
    return sorted((leg for leg in day.legs if is_way(leg, atlas)), key=lambda leg: leg.begins)


def _stands(here: _Stand, day: Day, atlas: Atlas) -> list[_Stand]:
    """Where one is on a day, from when on; a way takes one where it ends."""
    ways = _between(day, atlas)
    return [here, *(_Stand(leg.end, leg.begins + leg.minutes) for leg in ways)]


# --- ways between cities ----------------------------------------------------------------


def _legs(here: _Stand, day: Day, atlas: Atlas) -> Iterator[Finding]:
    for leg in _between(day, atlas):
        name = f"{leg.mode} from {atlas.name_of(leg.start)} to {atlas.name_of(leg.end)}"
        if leg.start != here.city:
            told = f"day {day.number}: the {name} leaves while one is in {atlas.name_of(here.city)}"
            yield Finding(rule="route", message=told, day=day.number, place=leg.start)
        if leg.begins < here.since or leg.begins < _EARLIEST:
            told = f"day {day.number}: the {name} leaves at {clock(leg.begins)}, too early"
            yield Finding(rule="travel-time", message=told, day=day.number, place=leg.end)
        yield from _known(leg, name, day, atlas)
        yield from _bearable(leg, name, day)
        here = _Stand(leg.end, leg.begins + leg.minutes)


def _known(leg: Leg, name: str, day: Day, atlas: Atlas) -> Iterator[Finding]:
    """Whether there is such a connection, and it takes and costs what it does."""
    ways = [one for one in atlas.direct(leg.start, leg.end) if one.mode == leg.mode]
    if not ways:
        told = f"day {day.number}: there is no {name}"
        yield Finding(rule="leg-unknown", message=told, day=day.number, place=leg.end)
        return
    cited = [one for one in ways if one.passage == leg.passage]
    if not cited:
        told = f"day {day.number}: the {name} is not cited"
        yield Finding(rule="not-cited", message=told, day=day.number, place=leg.end)
        return
    yield from _exact(leg, cited[0], name, day)


def _exact(leg: Leg, way: Connection, name: str, day: Day) -> Iterator[Finding]:
    if leg.minutes != way.minutes or leg.overnight != way.overnight:
        told = f"day {day.number}: the {name} takes {way.minutes} minutes, not {leg.minutes}"
        yield Finding(rule="travel-time", message=told, day=day.number, place=leg.end)
    if leg.price != way.price:
        told = f"day {day.number}: the {name} costs {way.price}, and not {leg.price}"
        yield Finding(rule="price", message=told, day=day.number, place=leg.end)


def _bearable(leg: Leg, name: str, day: Day) -> Iterator[Finding]:
    ends = leg.begins + leg.minutes
    if not leg.overnight and (leg.minutes > LONGEST_BY_DAY_MIN or ends > DAY_MIN):
        told = (
            f"day {day.number}: the {name} takes {leg.minutes // 60} h {leg.minutes % 60} min from "
            f"{clock(leg.begins)}, and does not fit into the day"
        )
        yield Finding(rule="travel-time", message=told, day=day.number, place=leg.end)


# --- places and where one is ------------------------------------------------------------


def _wrong_cities(stands: list[_Stand], day: Day, atlas: Atlas) -> Iterator[Finding]:
    for span in busy(day, atlas):
        if span.kind not in ("visit", "meal") or span.start not in atlas.places:
            continue
        here = _at(stands, span)
        if span.start != here and not belongs(span.start, here, atlas, meal=span.kind == "meal"):
            told = (
                f"day {day.number}: {atlas.name_of(span.start)} is in "
                f"{atlas.name_of(atlas.city_of(span.start)) or 'no city'}, and one is in "
                f"{atlas.name_of(here)} then"
            )
            yield Finding(rule="wrong-city", message=told, day=day.number, place=span.start)
    bed = day.stay.place if day.stay else ""
    if bed in atlas.places and not belongs(bed, day.city, atlas, meal=True):
        told = f"day {day.number}: {atlas.name_of(bed)} is not in {atlas.name_of(day.city)}"
        yield Finding(rule="wrong-city", message=told, day=day.number, place=bed)


def _at(stands: list[_Stand], span: Span) -> str:
    """The city one is in when something begins: where the last way before it ended."""
    reached = [one.city for one in stands if one.since <= span.begins]
    return reached[-1] if reached else stands[0].city


def belongs(place: str, city: str, atlas: Atlas, *, meal: bool = False) -> bool:
    """Whether a place is visited from a city: it is in it, or a day trip from it."""
    if atlas.city_of(place) == city:
        return True
    if meal:
        km = atlas.km(place, city)
        return km is not None and km <= _NEAR_KM
    ties = atlas.ties.get(place, ())
    return any(one.relation == "DAY_TRIP_FROM" and one.target == city for one in ties)
