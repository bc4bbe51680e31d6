"""Which cities are seen on a day trip? Those asked for as one, if both ways fit the same day.

One goes there and comes back to a city that is stayed in. Where the ways leave too little time, it
is no day trip: the city is stayed in like others, and that is told.
"""

from __future__ import annotations

from dataclasses import dataclass

from consilience.packs.travel.atlas import CITY
from consilience.packs.travel.trips.composing.brief import Brief
from consilience.packs.travel.trips.composing.legs import day_legs
from consilience.packs.travel.trips.composing.ways import (
    LONGEST_MIN,
    Journey,
    Ways,
    departure_span,
)
from consilience.packs.travel.trips.types import Leg

_THERE_MIN = 240
"""So long one is there at least, a meal counted."""
_BACK_BY = 19 * 60
"""One comes back by then, if that leaves the time there."""
_BACK_AT_LAST = 21 * 60 + 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Outing:
    """A city that is gone to from another and back on a day."""

    city: str
    base: str
    legs: tuple[Leg, ...]

    @property
    def minutes(self) -> int:
        """How long the ways take, both of them."""
        return sum(one.minutes for one in self.legs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outings:
    """The day trips to cities, others that were asked for and are `none`, and why."""

    found: tuple[Outing, ...] = ()
    none: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()

    def of(self, base: str) -> tuple[Outing, ...]:
        """Those from a city."""
        return tuple(one for one in self.found if one.base == base)


def find_outings(brief: Brief, ways: Ways) -> Outings:
    """The day trips of a wish: cities that have to be in it and are none to stay in."""
    wish, places = brief.wish, brief.atlas.places
    stays = {*wish.cities, *wish.nights, wish.start, wish.end}
    asked = [one for one in wish.must if one in places and places[one].kind == CITY]
    asked = [one for one in dict.fromkeys(asked) if one not in stays]
    bases = [one for one in dict.fromkeys((*wish.cities, *wish.nights)) if one in places]
    bases = bases or [one for one in dict.fromkeys((wish.start, wish.end)) if one in places]
    found: list[Outing] = []
    none: list[str] = []
    gaps: list[str] = []
    for city in asked if bases else ():
        tried = [one for base in bases if (one := _outing(city, base, ways)) is not None]
        if tried:
            found.append(min(tried, key=lambda one: (one.minutes, one.base)))
        else:
            none.append(city)
            names = " or ".join(brief.atlas.name_of(one) for one in bases)
            gaps.append(
                f"{brief.atlas.name_of(city)} is no day trip from {names}: "
                "the ways there and back do not fit into a day"
            )
    return Outings(found=tuple(found), none=tuple(none), gaps=tuple(gaps))


def _outing(city: str, base: str, ways: Ways) -> Outing | None:
    """The day trip to a city from another; None where the ways leave too little time."""
    there, back = ways.best(base, city), ways.best(city, base)
    if there is None or back is None or there.overnight or back.overnight:
        return None
    if there.minutes + back.minutes > LONGEST_MIN:
        return None
    for is_early in (False, True):
        legs = _both(there, back, is_early=is_early)
        if legs:
            return Outing(city=city, base=base, legs=legs)
    return None


def _both(there: Journey, back: Journey, *, is_early: bool) -> tuple[Leg, ...]:
    """The ways there and back by the clock; none where that leaves too little time."""
    out = day_legs(there.ways, is_early=is_early)
    arrives = out[-1].begins + out[-1].minutes
    leaves = max(arrives + _THERE_MIN, _BACK_BY - back.minutes)
    span = departure_span(back.ways[0])
    home = day_legs(back.ways, after=min(leaves, span[1]) if span else leaves)
    is_long = home[0].begins - arrives >= _THERE_MIN
    in_time = home[-1].begins + home[-1].minutes <= _BACK_AT_LAST
    return (*out, *home) if is_long and in_time else ()
