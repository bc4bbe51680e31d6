"""Do the places exist, under these names and prices, and is each of them cited?"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from consilience.packs.travel.atlas import FOOD, STAY, Atlas, Place
from consilience.packs.travel.trips.types import Day, Finding, Itinerary, Slot

_UNKNOWN_PRICE = Decimal(0)


class _Use(NamedTuple):
    """A place as an itinerary uses it."""

    place: str
    name: str
    price: Decimal
    passage: str
    kind: str
    slot: Slot | None = None


def fact_findings(itinerary: Itinerary, atlas: Atlas) -> Iterator[Finding]:
    """What the days say of places that the atlas does not."""
    seen: dict[str, int] = {}
    for day in itinerary.days:
        if day.city not in atlas.places:
            told = f"day {day.number} is spent in {day.city!r}, and no such place is known"
            yield Finding(rule="place-unknown", message=told, day=day.number, place=day.city)
        for use in _uses(day):
            yield from _facts(use, day, atlas)
        yield from _repeated(day, seen)


def _uses(day: Day) -> Iterator[_Use]:
    for visit in day.visits:
        yield _Use(visit.place, visit.name, visit.price, visit.passage, "visit", visit.slot)
    for meal in day.meals:
        yield _Use(meal.place, meal.name, meal.price, meal.passage, "meal", meal.slot)
    if day.stay is not None:
        yield _Use(day.stay.place, day.stay.name, day.stay.price, day.stay.passage, "stay")


def _facts(use: _Use, day: Day, atlas: Atlas) -> Iterator[Finding]:
    known = atlas.places.get(use.place)
    if known is None:
        told = f"day {day.number}: no place {use.name or use.place!r} is known"
        yield _finding("place-unknown", told, day, use)
        return
    if use.passage != known.passage:
        yield _finding("not-cited", f"day {day.number}: {known.name} is not cited", day, use)
    if use.name != known.name:
        told = f"day {day.number}: {known.name} is called {use.name!r}"
        yield _finding("wrong-name", told, day, use)
    if use.price != (known.price if known.price is not None else _UNKNOWN_PRICE):
        told = f"day {day.number}: {known.name} costs {known.price}, and not {use.price}"
        yield _finding("price", told, day, use)
    if not _fits(use, known):
        told = (
            f"day {day.number}: {known.name} is a {known.type or known.kind}; it is no {use.kind}"
        )
        yield _finding("wrong-kind", told, day, use)


def _fits(use: _Use, known: Place) -> bool:
    if use.kind == "stay":
        return known.kind == STAY
    if use.kind == "meal":
        return known.kind == FOOD
    return known.kind != STAY


def _repeated(day: Day, seen: dict[str, int]) -> Iterator[Finding]:
    for visit in day.visits:
        if visit.place in seen:
            told = f"{visit.name} is visited on day {seen[visit.place]} and on day {day.number}"
            yield Finding(
                rule="repeated", message=told, day=day.number, slot=visit.slot, place=visit.place
            )
        seen.setdefault(visit.place, day.number)
    tables = [meal.place for meal in day.meals]
    for place in sorted({one for one in tables if tables.count(one) > 1}):
        told = f"day {day.number} has two meals at the same place"
        yield Finding(rule="repeated", message=told, day=day.number, place=place)


def _finding(rule: str, message: str, day: Day, use: _Use) -> Finding:
    return Finding(rule=rule, message=message, day=day.number, slot=use.slot, place=use.place)
