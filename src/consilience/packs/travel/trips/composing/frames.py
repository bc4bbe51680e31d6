"""What is fixed of a day before anything is visited? Where one is when, the ways, the bed.

Ways between cities leave in the morning where they can, so that the rest of the day is for the
city they lead to; an overnight one leaves after dinner.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from consilience.packs.travel.atlas import CHANGE_MIN, Connection
from consilience.packs.travel.trips.composing.brief import Brief
from consilience.packs.travel.trips.composing.route import Route, Stop
from consilience.packs.travel.trips.composing.ways import departure_span, night_departure
from consilience.packs.travel.trips.types import Leg

DAY_FROM, DAY_TO = 5 * 60, 23 * 60
"""When one may set out at the earliest, and when a day ends."""
MARGIN_MIN = 20
"""Minutes between a visit and a way out of the city, or one into it."""
_DAY = 24 * 60
_REST_MIN = 45
_EARLIEST, _LATEST_ARRIVAL = 6 * 60, 22 * 60


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


def frames_of(route: Route, brief: Brief) -> tuple[Frame, ...]:
    """The days of a route, in order."""
    starts_on = brief.wish.starts_on
    found = list(_frames(route))
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


def _frames(route: Route) -> Iterator[tuple[str, str, tuple[Leg, ...], int]]:
    """Per day: where one wakes, where the night is, ways between cities, and when one arrives."""
    here = route.begins
    for stop in route.stops:
        yield from _days(stop, here)
        here = stop.city


def _days(stop: Stop, here: str) -> Iterator[tuple[str, str, tuple[Leg, ...], int]]:
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
        yield here, stop.city, day_legs(journey.ways), 0
        days -= 1
    for _ in range(days):
        yield stop.city, stop.city, (), arrives
        arrives = 0


def night_leg(way: Connection) -> Leg:
    """An overnight connection on its evening."""
    return _leg(way, night_departure(way) or _LATEST_ARRIVAL)


def day_legs(ways: tuple[Connection, ...], after: int = 0) -> tuple[Leg, ...]:
    """Connections one after the other, in the morning where they go then."""
    total = sum(one.minutes for one in ways) + CHANGE_MIN * (len(ways) - 1)
    begins = max(after, 7 * 60 if total > 360 else 8 * 60 if total > 180 else 8 * 60 + 30)
    legs: list[Leg] = []
    for way in ways:
        left = total - sum(leg.minutes + CHANGE_MIN for leg in legs)
        may_wait = bool(legs) or after > 0
        begins = _boarding(way, begins, _LATEST_ARRIVAL - left, is_ready=not may_wait)
        legs.append(_leg(way, begins))
        begins += way.minutes + CHANGE_MIN
    return tuple(legs)


def _boarding(way: Connection, wanted: int, latest: int, *, is_ready: bool) -> int:
    """When a connection is boarded: as soon as it goes, earlier only where one `is_ready`."""
    span = departure_span(way)
    if span is None:
        return wanted
    first, last = span
    if last < wanted:
        return max(last, _EARLIEST) if is_ready else wanted
    return max(wanted, first) if max(wanted, first) <= latest else wanted


def _leg(way: Connection, begins: int) -> Leg:
    return Leg(
        start=way.start,
        end=way.end,
        mode=way.mode,
        minutes=way.minutes,
        begins=begins,
        price=way.price,
        passage=way.passage,
        overnight=way.overnight,
    )


def _presences(start: str, legs: tuple[Leg, ...], arrives: int) -> tuple[Presence, ...]:
    """Where one is between the ways of a day."""
    found, city = list[Presence](), start
    since = max(DAY_FROM, arrives + _REST_MIN) if arrives else DAY_FROM
    for leg in legs:
        found.append(Presence(city=city, begins=since, ends=leg.begins - MARGIN_MIN))
        city, since = leg.end, max(DAY_FROM, leg.begins + leg.minutes + MARGIN_MIN)
    found.append(Presence(city=city, begins=since, ends=DAY_TO))
    return tuple(one for one in found if one.ends - one.begins >= 45)
