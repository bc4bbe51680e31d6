"""What is fixed of a day before anything is visited? Where one is when, the ways, the bed.

Ways between cities leave in the morning where they can, so that the rest of the day is for the
city they lead to; an overnight one leaves after dinner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from consilience.packs.travel.atlas import CHANGE_MIN
from consilience.packs.travel.trips.composing.cities import Survey
from consilience.packs.travel.trips.composing.legs import day_legs, late_departure, night_leg
from consilience.packs.travel.trips.composing.route import Route, Stop
from consilience.packs.travel.trips.types import Leg

DAY_FROM, DAY_TO = 5 * 60, 23 * 60
"""When one may set out at the earliest, and when a day ends."""
MARGIN_MIN = 20
"""Minutes between a visit and a way out of the city, or one into it."""
_DAY = 24 * 60
_REST_MIN = 45


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """A time that one has in a city."""

    city: str
    begins: int
    ends: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A day with nothing in it yet: `city` is where its night is, `legs` the ways between cities.

    `sleeps` says whether its night needs a bed.
    """

    number: int
    city: str
    legs: tuple[Leg, ...] = ()
    here: tuple[Presence, ...] = ()
    on: date | None = None
    sleeps: bool = True


_Plain = tuple[str, str, tuple[Leg, ...], int]
"""A day: where one wakes, where the night is, ways between cities, and when one arrives."""


def frames_of(route: Route, survey: Survey) -> tuple[Frame, ...]:
    """The days of a route, in order, with the day trips to other cities."""
    starts_on = survey.brief.wish.starts_on
    found = _with_outings(list(_frames(route)), survey)
    return tuple(
        Frame(
            number=number,
            city=city,
            legs=legs,
            here=_presences(start, legs, arrives),
            on=starts_on + timedelta(days=number - 1) if starts_on else None,
            sleeps=number < len(found) and not any(leg.overnight for leg in legs),
        )
        for number, (start, city, legs, arrives) in enumerate(found, start=1)
    )


def _with_outings(days: Sequence[_Plain], survey: Survey) -> list[_Plain]:
    """The days with each day trip on one that is free of ways: not the first or last, if it can be.

    One that is not found a day for stays out, which is told as missing.
    """
    found = list(days)
    ends = (0, len(found) - 1)
    for outing in survey.outings.found:
        free = [
            place
            for place, (start, city, legs, arrives) in enumerate(found)
            if start == city == outing.base and not legs and not arrives
        ]
        if free:
            place = min(free, key=lambda one: (one in ends, one))
            found[place] = (outing.base, outing.base, outing.legs, 0)
    return found


def _frames(route: Route) -> Iterator[_Plain]:
    here = route.begins
    for stop in route.stops:
        yield from _days(stop, here)
        here = stop.city


def _days(stop: Stop, here: str) -> Iterator[_Plain]:
    days, arrives = stop.days, 0
    journey = stop.journey
    if journey is None:
        pass
    elif journey.overnight:
        night = night_leg(journey.ways[0])
        yield here, night.end, (night,), 0
        arrives = night.begins + night.minutes - _DAY
        days -= 1
        if journey.ways[1:]:
            legs = day_legs(journey.ways[1:], after=arrives + CHANGE_MIN)
            yield night.end, stop.city, legs, arrives
            days, arrives = days - 1, 0
    else:
        after = late_departure(journey.ways) if stop.is_late else 0
        legs = day_legs(journey.ways, after=after, is_early=stop.is_early)
        yield here, stop.city, legs, 0
        days -= 1
    for _ in range(days):
        yield stop.city, stop.city, (), arrives
        arrives = 0


def _presences(start: str, legs: tuple[Leg, ...], arrives: int) -> tuple[Presence, ...]:
    """Where one is between the ways of a day."""
    found, city = list[Presence](), start
    since = max(DAY_FROM, arrives + _REST_MIN) if arrives else DAY_FROM
    for leg in legs:
        found.append(Presence(city=city, begins=since, ends=leg.begins - MARGIN_MIN))
        city, since = leg.end, max(DAY_FROM, leg.begins + leg.minutes + MARGIN_MIN)
    found.append(Presence(city=city, begins=since, ends=DAY_TO))
    return tuple(one for one in found if one.ends - one.begins >= 45)
