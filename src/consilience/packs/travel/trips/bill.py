"""What does a trip cost? Exact sums of what its days say, as a table.

Visits and meals are paid for everybody, rooms by the night, connections for everybody, ways within
a city by the car. A night on a train has no room.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.money import rate, rounded
from consilience.packs.travel.trips.types import Bill, Budget, Cost, Group, Itinerary, Wish

Line = tuple[str, Decimal]


def bill_of(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Bill:
    """The budget table of an itinerary, and what it is in the currency of the wish."""
    costs = costs_of(itinerary, wish.group, atlas)
    total = sum((one.total for one in costs), Decimal(0))
    bill = Bill(costs=costs, total=total, currency=itinerary.currency)
    if wish.budget is None:
        return bill
    worth = rate(wish.budget.currency, itinerary.currency, atlas.rates)
    return Bill(
        costs=costs,
        total=total,
        currency=itinerary.currency,
        wanted=whole(wish.budget, wish.days),
        converted=rounded(total / worth, wish.budget.currency) if worth else None,
        in_currency=wish.budget.currency,
        rate=worth,
    )


def whole(budget: Budget, days: int) -> Decimal:
    """A budget for the whole trip, in its own currency."""
    return budget.amount * days if budget.per == "day" else budget.amount


def costs_of(itinerary: Itinerary, group: Group, atlas: Atlas) -> tuple[Cost, ...]:
    """The lines of the table: what is paid, how often, for how much."""
    counts = Counter[Line]()
    for line, times in _lines(itinerary, group, atlas):
        counts[line] += times
    return tuple(
        Cost(what=what, count=times, each=each, total=each * times)
        for (what, each), times in counts.items()
    )


def _lines(itinerary: Itinerary, group: Group, atlas: Atlas) -> Iterator[tuple[Line, int]]:
    """Each thing that is paid and how many are bought, in the order of the table."""
    days = itinerary.days
    legs = [(day, leg) for day in days for leg in day.legs]
    for stay in (day.stay for day in days if day.stay):
        yield (f"{stay.name}, a room for a night", stay.price), stay.rooms
    for leg in (leg for _, leg in legs if leg.passage):
        ends = " to ".join(atlas.name_of(end) for end in (leg.start, leg.end))
        yield (f"{leg.mode} from {ends}, a person", leg.price), group.people
    for visit in (visit for day in days for visit in day.visits):
        yield (f"{visit.name}, a person", visit.price), group.people
    for meal in (meal for day in days for meal in day.meals):
        yield (f"meal at {meal.name}, a person", meal.price), group.people
    for day, leg in legs:
        if not leg.passage and leg.price:
            yield (f"{leg.mode} in {atlas.name_of(day.city)}, a car", leg.price), group.cars
