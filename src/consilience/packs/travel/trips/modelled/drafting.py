"""How do chosen places become a draft of days? With the atlas's own facts, and rough times.

A draft is there to be mended: its names, prices, passages and connections are right, and its clock
is only begun.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.hours import open_spans
from consilience.packs.travel.trips.checking.spans import PARTS
from consilience.packs.travel.trips.types import (
    MEAL_MIN,
    Day,
    Itinerary,
    Leg,
    Meal,
    Slot,
    Stay,
    Visit,
    Wish,
)

_MEALS: tuple[tuple[Slot, int], ...] = (("afternoon", 12 * 60 + 15), ("evening", 18 * 60 + 30))
_FIRST: Mapping[Slot, int] = {
    "morning": PARTS["morning"][0],
    "afternoon": PARTS["afternoon"][0],
    "evening": PARTS["evening"][0] + MEAL_MIN + 10,
}
"""When the first visit of a part of a day begins; in the evening one eats before."""
_WEEK = tuple(date(2026, 6, 1) + timedelta(days=one) for one in range(7))
_VISIT_MIN = 60  # where it is not known how long a visit takes
_BETWEEN_MIN = 20
_CHANGE_MIN = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What was chosen for a day, by ids; empty for what was left open."""

    city: str
    visits: tuple[tuple[Slot, str], ...] = ()
    stay: str = ""
    lunch: str = ""
    dinner: str = ""


def drafted(chosen: Sequence[Chosen], wish: Wish, atlas: Atlas) -> Itinerary:
    """An itinerary of what was chosen, to be mended."""
    days: list[Day] = []
    here = wish.start or chosen[0].city
    for number, one in enumerate(chosen, start=1):
        legs = _legs(here, one.city, wish, atlas)
        night = any(leg.overnight for leg in legs)
        is_last = number == len(chosen)
        on = wish.starts_on + timedelta(days=number - 1) if wish.starts_on else None
        days.append(
            Day(
                number=number,
                city=one.city,
                visits=_visits(one, legs, atlas, on),
                meals=_meals(one, atlas),
                legs=legs,
                stay=None if night or is_last else _stay(one.stay, wish, atlas),
                on=on,
            )
        )
        here = one.city
    return Itinerary(days=tuple(days), currency=atlas.currency)


def _legs(start: str, end: str, wish: Wish, atlas: Atlas) -> tuple[Leg, ...]:
    """The ways from one city to the next, in the morning; those overnight in the evening."""
    legs: list[Leg] = []
    clock = PARTS["morning"][0]
    for way in atlas.fastest(start, end, wish.avoid.modes):
        begins = max(clock, PARTS["evening"][1]) if way.overnight else clock
        legs.append(
            Leg(
                start=way.start,
                end=way.end,
                mode=way.mode,
                minutes=way.minutes,
                begins=begins,
                price=way.price,
                passage=way.passage,
                overnight=way.overnight,
            )
        )
        clock = begins + way.minutes + _CHANGE_MIN
    return tuple(legs)


def _visits(one: Chosen, legs: Sequence[Leg], atlas: Atlas, on: date | None) -> tuple[Visit, ...]:
    visits: list[Visit] = []
    clock = max((leg.begins + leg.minutes for leg in legs if not leg.overnight), default=0)
    for slot, place in one.visits:
        known = atlas.places[place]
        minutes = known.minutes or _VISIT_MIN
        begins = _opens(known.hours, max(clock, _FIRST[slot]), minutes, on)
        ends = begins + minutes
        visits.append(
            Visit(
                slot=slot,
                place=place,
                name=known.name,
                begins=begins,
                ends=ends,
                price=known.price or Decimal(0),
                passage=known.passage,
                why="chosen by the language model",
            )
        )
        clock = ends + _BETWEEN_MIN
    return tuple(visits)


def _opens(hours: str, clock: int, minutes: int, on: date | None) -> int:
    """When a place can be visited from a time on; that time itself where it cannot be that day."""
    for day in (on,) if on else _WEEK:
        for first, last in open_spans(hours, day):
            if max(first, clock) + minutes <= last:
                return max(first, clock)
    return clock


def _meals(one: Chosen, atlas: Atlas) -> tuple[Meal, ...]:
    meals: list[Meal] = []
    for place, (slot, begins) in zip((one.lunch, one.dinner), _MEALS, strict=True):
        known = atlas.places.get(place)
        if known is not None:
            meals.append(
                Meal(
                    slot=slot,
                    place=place,
                    name=known.name,
                    begins=begins,
                    price=known.price or Decimal(0),
                    passage=known.passage,
                )
            )
    return tuple(meals)


def _stay(place: str, wish: Wish, atlas: Atlas) -> Stay | None:
    known = atlas.places.get(place)
    if known is None:
        return None
    return Stay(
        place=place,
        name=known.name,
        rooms=wish.group.rooms,
        price=known.price or Decimal(0),
        passage=known.passage,
    )
