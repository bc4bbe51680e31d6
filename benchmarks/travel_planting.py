"""Which errors can a plan have? Planted one at a time, into a plan that has none."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.types import Advice, Day, Itinerary, Leg, Trip, Visit

Wrong = tuple[Itinerary, Advice]
KINDS: Mapping[str, frozenset[str]] = {
    "wrong city": frozenset({"wrong-city"}),
    "eight hours in a morning": frozenset({"travel-time", "leg-unknown", "overlap", "route"}),
    "closed": frozenset({"closed"}),
    "double booking": frozenset({"overlap"}),
    "invented place": frozenset({"place-unknown"}),
    "invented connection": frozenset({"leg-unknown"}),
    "arithmetic": frozenset({"arithmetic"}),
    "wrong price": frozenset({"price"}),
    "repeated": frozenset({"repeated"}),
    "not cited": frozenset({"not-cited"}),
    "empty day": frozenset({"day-empty"}),
    "missing day": frozenset({"day-count"}),
    "no bed": frozenset({"stay-missing"}),
    "must left out": frozenset({"must-missing"}),
    "avoided": frozenset({"avoided"}),
}
"""What is planted, and the rules that may catch it."""


def planted(kind: str, trip: Trip, atlas: Atlas, *, seed: int) -> Wrong | None:
    """A plan with one error of a kind; None where this plan has no room for it."""
    assert trip.itinerary is not None
    assert trip.advice is not None
    lot = random.Random(f"{kind} {seed}")
    if kind == "arithmetic":
        return _sum(trip.itinerary, trip.advice, lot)
    days = _PLANTED[kind](trip, atlas, lot)
    return None if days is None else (days, trip.advice)


def _with(days: Itinerary, day: Day) -> Itinerary:
    return replace(days, days=tuple(day if one.number == day.number else one for one in days.days))


def _visited(trip: Trip, lot: random.Random) -> tuple[Day, Visit] | None:
    assert trip.itinerary is not None
    every = [(day, visit) for day in trip.itinerary.days for visit in day.visits]
    return lot.choice(every) if every else None


def _swapped(
    trip: Trip, lot: random.Random, change: Callable[[Day, Visit], Visit | None]
) -> Itinerary | None:
    chosen = _visited(trip, lot)
    if chosen is None or trip.itinerary is None:
        return None
    day, visit = chosen
    new = change(day, visit)
    if new is None:
        return None
    visits = tuple(new if one == visit else one for one in day.visits)
    return _with(trip.itinerary, replace(day, visits=visits))


def _moved(visit: Visit, place: str, atlas: Atlas) -> Visit:
    known = atlas.places[place]
    price = known.price if known.price is not None else Decimal(0)
    return replace(visit, place=place, name=known.name, price=price, passage=known.passage)


def _wrong_city(trip: Trip, atlas: Atlas, lot: random.Random) -> Itinerary | None:
    assert trip.itinerary is not None
    towns = {day.city for day in trip.itinerary.days}
    towns |= {leg.start for day in trip.itinerary.days for leg in day.legs}

    def change(day: Day, visit: Visit) -> Visit | None:
        others = [
            one.id
            for one in atlas.places.values()
            if one.kind == "attraction"
            and atlas.city_of(one.id) not in towns
            and not any(tie.target in towns for tie in atlas.ties.get(one.id, ()))
        ]
        return _moved(visit, lot.choice(sorted(others)), atlas) if others else None

    return _swapped(trip, lot, change)


def _long_leg(trip: Trip, atlas: Atlas, lot: random.Random) -> Itinerary | None:
    """A way of eight hours before lunch, to somewhere far and back to where one is."""
    assert trip.itinerary is not None
    day = lot.choice(trip.itinerary.days)
    far = [one for ways in atlas.connections.values() for one in ways if one.start == day.city]
    if not far:
        return None
    way = max(far, key=lambda one: (one.minutes, one.passage))
    leg = Leg(
        start=way.start,
        end=way.end,
        mode=way.mode,
        minutes=480,
        begins=9 * 60,
        price=way.price,
        passage=way.passage,
    )
    return _with(trip.itinerary, replace(day, legs=(*day.legs, leg)))


def _closed(trip: Trip, atlas: Atlas, lot: random.Random) -> Itinerary | None:
    """A visit in the middle of the night, at a place that has hours."""

    def change(day: Day, visit: Visit) -> Visit | None:
        if not atlas.places[visit.place].hours.startswith(("Mo", "Tu", "We")):
            return None
        return replace(
            visit, begins=4 * 60 + 5, ends=4 * 60 + 5 + visit.ends - visit.begins, slot="morning"
        )

    return _swapped(trip, lot, change)


def _double(trip: Trip, atlas: Atlas, lot: random.Random) -> Itinerary | None:
    assert trip.itinerary is not None
    full = [day for day in trip.itinerary.days if len(day.visits) > 1]
    if not full:
        return None
    day = lot.choice(full)
    first, second = day.visits[:2]
    late = replace(
        second, begins=first.begins + 5, ends=first.begins + 5 + second.ends - second.begins
    )
    return _with(trip.itinerary, replace(day, visits=(first, late, *day.visits[2:])))


def _invented(trip: Trip, atlas: Atlas, lot: random.Random) -> Itinerary | None:
    return _swapped(
        trip,
        lot,
        lambda day, visit: replace(visit, place="palace-of-mirrors", name="Palace of Mirrors"),
    )


def _invented_leg(trip: Trip, atlas: Atlas, lot: random.Random) -> Itinerary | None:
    assert trip.itinerary is not None
    riding = [day for day in trip.itinerary.days if any(leg.passage for leg in day.legs)]
    if not riding:
        return None
    day = lot.choice(riding)
    legs = tuple(replace(leg, mode="airship") if leg.passage else leg for leg in day.legs)
    return _with(trip.itinerary, replace(day, legs=legs))


def _sum(days: Itinerary, advice: Advice, lot: random.Random) -> Wrong | None:
    if advice.bill is None or not advice.bill.costs:
        return None
    bill = advice.bill
    if lot.random() < 0.5:
        return days, replace(advice, bill=replace(bill, total=bill.total + 1000))
    place = lot.randrange(len(bill.costs))
    costs = list(bill.costs)
    costs[place] = replace(costs[place], total=costs[place].total + 1000)
    return days, replace(advice, bill=replace(bill, costs=tuple(costs)))


def _price(trip: Trip, atlas: Atlas, lot: random.Random) -> Itinerary | None:
    return _swapped(trip, lot, lambda day, visit: replace(visit, price=visit.price + 7000))


def _repeated(trip: Trip, atlas: Atlas, lot: random.Random) -> Itinerary | None:
    assert trip.itinerary is not None
    every = [(day, visit) for day in trip.itinerary.days for visit in day.visits]
    same = [
        (day, visit, other)
        for day, visit in every
        for _, other in every
        if visit != other and atlas.city_of(visit.place) == atlas.city_of(other.place)
    ]
    if not same:
        return None
    day, visit, other = lot.choice(same)
    new = _moved(visit, other.place, atlas)
    visits = tuple(new if one == visit else one for one in day.visits)
    return _with(trip.itinerary, replace(day, visits=visits))


def _uncited(trip: Trip, atlas: Atlas, lot: random.Random) -> Itinerary | None:
    return _swapped(trip, lot, lambda day, visit: replace(visit, passage=""))


def _empty(trip: Trip, atlas: Atlas, lot: random.Random) -> Itinerary | None:
    assert trip.itinerary is not None
    still = [day for day in trip.itinerary.days if not any(leg.passage for leg in day.legs)]
    if not still:
        return None
    return _with(trip.itinerary, replace(lot.choice(still), visits=(), legs=()))


def _missing(trip: Trip, atlas: Atlas, lot: random.Random) -> Itinerary | None:
    assert trip.itinerary is not None
    days = trip.itinerary.days
    return replace(trip.itinerary, days=days[:-1]) if len(days) > 1 else None


def _bedless(trip: Trip, atlas: Atlas, lot: random.Random) -> Itinerary | None:
    assert trip.itinerary is not None
    beds = [day for day in trip.itinerary.days[:-1] if day.stay]
    return _with(trip.itinerary, replace(lot.choice(beds), stay=None)) if beds else None


def _unmust(trip: Trip, atlas: Atlas, lot: random.Random) -> Itinerary | None:
    assert trip.itinerary is not None
    assert trip.granted is not None
    wanted = [one for one in trip.granted.must if atlas.places[one].kind not in ("city", "region")]
    for day in trip.itinerary.days:
        kept = tuple(one for one in day.visits if one.place not in wanted)
        if len(kept) < len(day.visits):
            return _with(trip.itinerary, replace(day, visits=kept))
    return None


def _unwanted(trip: Trip, atlas: Atlas, lot: random.Random) -> Itinerary | None:
    assert trip.granted is not None
    avoid = trip.granted.avoid

    def change(day: Day, visit: Visit) -> Visit | None:
        city = atlas.city_of(visit.place)
        bad = [
            one.id
            for one in atlas.within(city)
            if one.features & avoid.features
            or one.type in avoid.types
            or any(one.themes.get(theme, 0) >= 0.5 for theme in avoid.themes)
        ]
        return _moved(visit, lot.choice(sorted(bad)), atlas) if bad else None

    return _swapped(trip, lot, change)


_PLANTED: Mapping[str, Callable[[Trip, Atlas, random.Random], Itinerary | None]] = {
    "wrong city": _wrong_city,
    "eight hours in a morning": _long_leg,
    "closed": _closed,
    "double booking": _double,
    "invented place": _invented,
    "invented connection": _invented_leg,
    "wrong price": _price,
    "repeated": _repeated,
    "not cited": _uncited,
    "empty day": _empty,
    "missing day": _missing,
    "no bed": _bedless,
    "must left out": _unmust,
    "avoided": _unwanted,
}
