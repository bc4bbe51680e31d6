"""Do the sums hold? Added up anew, from the prices of the atlas and not from those of the days."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.money import rate, rounded, told
from consilience.packs.travel.trips.checking.spans import is_way
from consilience.packs.travel.trips.types import Advice, Bill, Finding, Itinerary, Leg, Wish


def purse_findings(
    wish: Wish, itinerary: Itinerary, advice: Advice, atlas: Atlas
) -> Iterator[Finding]:
    """What is wrong with what it costs."""
    total = reckoned(wish, itinerary, atlas)
    if advice.bill is None:
        yield Finding(rule="arithmetic", message="there is no budget table")
    else:
        yield from _sums(advice.bill, itinerary, total)
        yield from _converted(wish, advice.bill, atlas)
    for day in itinerary.days:
        if day.stay is not None and day.stay.rooms != wish.group.rooms:
            message = f"day {day.number}: {wish.group.rooms} rooms are needed, not {day.stay.rooms}"
            yield Finding(rule="arithmetic", message=message, day=day.number, place=day.stay.place)
    yield from _within(wish, itinerary, total, atlas)


def reckoned(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Decimal:
    """What the days cost by the prices that are known."""
    people, rooms, total = wish.group.people, wish.group.rooms, Decimal(0)
    for day in itinerary.days:
        used = [*(one.place for one in day.visits), *(one.place for one in day.meals)]
        total += sum((_price(one, atlas) for one in used), Decimal(0)) * people
        if day.stay is not None:
            total += _price(day.stay.place, atlas) * rooms
        for leg in day.legs:
            fares = people if is_way(leg, atlas) else wish.group.cars
            total += _fare(leg, atlas) * fares
    return total


def _price(place: str, atlas: Atlas) -> Decimal:
    known = atlas.places.get(place)
    return known.price if known is not None and known.price is not None else Decimal(0)


def _fare(leg: Leg, atlas: Atlas) -> Decimal:
    """What a way costs: a connection what its passage says, a ride in a town what is planned."""
    for way in atlas.direct(leg.start, leg.end) if leg.passage else ():
        if way.passage == leg.passage:
            return way.price
    return leg.price


def _sums(bill: Bill, itinerary: Itinerary, total: Decimal) -> Iterator[Finding]:
    for cost in bill.costs:
        if cost.count * cost.each != cost.total:
            message = f"{cost.what}: {cost.count} times {cost.each} is not {cost.total}"
            yield Finding(rule="arithmetic", message=message)
    added = sum((cost.total for cost in bill.costs), Decimal(0))
    if bill.total != added:
        message = f"the lines of the budget add up to {added}, not to {bill.total}"
        yield Finding(rule="arithmetic", message=message)
    if added != total:
        message = f"the days cost {told(total, itinerary.currency or '')}; the table says {added}"
        yield Finding(rule="arithmetic", message=message)


def _converted(wish: Wish, bill: Bill, atlas: Atlas) -> Iterator[Finding]:
    if wish.budget is None or bill.converted is None:
        return
    worth = rate(wish.budget.currency, bill.currency, atlas.rates)
    if worth and bill.converted != rounded(bill.total / worth, wish.budget.currency):
        message = f"{bill.total} {bill.currency} are not {bill.converted} {bill.in_currency}"
        yield Finding(rule="arithmetic", message=message)


def _within(wish: Wish, itinerary: Itinerary, total: Decimal, atlas: Atlas) -> Iterator[Finding]:
    if wish.budget is None or not itinerary.currency:  # where nothing has a price, none is kept
        return
    worth = rate(wish.budget.currency, itinerary.currency, atlas.rates)
    if worth is None:
        message = f"no rate is known from {itinerary.currency} to {wish.budget.currency}"
        yield Finding(rule="budget", message=message)
        return
    days = wish.days if wish.budget.per == "day" else 1
    most = wish.budget.amount * days * worth
    if total > most:
        message = (
            f"it costs {told(total, itinerary.currency)}, and the budget is "
            f"{told(wish.budget.amount * days, wish.budget.currency)} "
            f"({told(most, itinerary.currency)})"
        )
        yield Finding(rule="budget", message=message)
