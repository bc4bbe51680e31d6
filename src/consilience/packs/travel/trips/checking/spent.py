"""Is anything left to see in a part of a day? Not where all of a city that one may see is seen.

Whoever asks for six nights in a small town has an afternoon of their own there: that is no fault of
the plan. In a city that nobody asked for it is one, since another would have had more.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from consilience.packs.travel.atlas import SIGHTS, Atlas, Place
from consilience.packs.travel.hours import open_spans
from consilience.packs.travel.trips.checking.clock import least_way
from consilience.packs.travel.trips.checking.spans import PARTS
from consilience.packs.travel.trips.checking.wishes import VISIT_NEEDS, meets, why_avoided
from consilience.packs.travel.trips.types import Day, Itinerary, Slot, Wish

_WEEK = tuple(date(2027, 6, 7) + timedelta(days=one) for one in range(7))
_SETS_OUT: dict[Slot, int] = {"morning": 7 * 60, "afternoon": 12 * 60 + 45, "evening": 17 * 60}
"""When one sets out for a part of the day."""
_LATER_MIN = 60
"""By so much a visit may outlast the part of the day that it is in."""


def is_spent(day: Day, slot: Slot, wish: Wish, itinerary: Itinerary, atlas: Atlas) -> bool:
    """Whether a part of a day is free because its cities, all asked for, have nothing more."""
    towns = {day.city, *(end for leg in day.legs if leg.passage for end in (leg.start, leg.end))}
    asked = {*wish.cities, *wish.nights, *wish.must, wish.start, wish.end}
    if day.city not in {*wish.cities, *wish.nights} or not towns <= asked:
        return False
    seen = {visit.place for one in itinerary.days for visit in one.visits}
    return not any(
        place.id not in seen
        and _may_be_seen(place, wish, atlas)
        and _fits(place, slot, day.on, least_way(_nearest_km(place, towns, atlas)))
        for place in _sights(towns, atlas)
    )


def _sights(towns: set[str], atlas: Atlas) -> Iterator[Place]:
    """What is visited from some cities: in them, or a day trip from them."""
    for place in atlas.places.values():
        if place.kind not in SIGHTS:
            continue
        ties = atlas.ties.get(place.id, ())
        trips = {one.target for one in ties if one.relation == "DAY_TRIP_FROM"}
        if towns & {atlas.city_of(place.id), *trips}:
            yield place


def _may_be_seen(place: Place, wish: Wish, atlas: Atlas) -> bool:
    needs = wish.needs & VISIT_NEEDS
    return not why_avoided(place, wish.avoid, atlas) and all(meets(place, one) for one in needs)


def _nearest_km(place: Place, towns: set[str], atlas: Atlas) -> float:
    return min((atlas.km(place.id, one) or 0.0 for one in towns), default=0.0)


def _fits(place: Place, slot: Slot, on: date | None, way: int) -> bool:
    """Whether a place is for a part of the day, and open for a visit after the way there."""
    if place.slots and slot not in place.slots:
        return False
    begins, ends = PARTS[slot]
    begins = max(begins, _SETS_OUT[slot] + way)
    return any(
        max(first, begins) + place.minutes <= min(last, ends + _LATER_MIN)
        for one in ((on,) if on else _WEEK)
        for first, last in open_spans(place.hours, one)
    )
