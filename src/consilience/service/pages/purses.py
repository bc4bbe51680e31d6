"""What does a trip cost, as a page shows it? By what is paid for, line by line, to the same sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.money import rounded, told
from consilience.packs.travel.trips.bill import costs_of
from consilience.packs.travel.trips.showing.blocks import Lines
from consilience.packs.travel.trips.showing.paying import bill_blocks
from consilience.packs.travel.trips.types import Day, Itinerary, Trip
from consilience.service.pages.words import plural


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """A line of the budget table, in words; where prices differ, `each` is the range of them."""

    what: str
    count: str
    each: str
    total: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Purse:
    """One part of the budget table: what it is for, its lines and their sum."""

    name: str
    total: str
    lines: tuple[Paid, ...]


def cost(trip: Trip) -> str:
    """`10,016,000 VND for 2 people`, and what that is in the currency of the wish."""
    bill = trip.advice.bill if trip.advice else None
    if bill is None:
        return ""
    people = (trip.granted or trip.wish).group.people
    own = told(bill.total, bill.currency)
    if bill.converted is not None and bill.in_currency != bill.currency:
        own = f"{own} ({told(bill.converted, bill.in_currency)})"
    return f"{own} for {plural(people, 'person', 'people')}"


def purses(trip: Trip, atlas: Atlas) -> Iterator[Purse]:
    """The budget table by what is paid for; the lines are those of the bill, and add up to it."""
    if trip.itinerary is None or trip.advice is None or trip.advice.bill is None:
        return
    group, currency = (trip.granted or trip.wish).group, trip.advice.bill.currency
    for name, days in _kinds(trip.itinerary):
        lines: dict[str, list[tuple[int, Decimal]]] = {}
        for one in costs_of(replace(trip.itinerary, days=days), group, atlas):
            if one.total:
                lines.setdefault(one.what, []).append((one.count, one.each))
        if lines:
            total = sum(
                (times * each for line in lines.values() for times, each in line), Decimal()
            )
            yield Purse(
                name=name,
                total=f"{rounded(total, currency):,}",
                lines=tuple(_paid(what, line, currency) for what, line in lines.items()),
            )


def _kinds(itinerary: Itinerary) -> Iterator[tuple[str, tuple[Day, ...]]]:
    """The days of an itinerary with nothing on them but what is paid for in one way."""
    bare = [replace(day, visits=(), meals=(), legs=(), stay=None) for day in itinerary.days]
    both = list(zip(bare, itinerary.days, strict=True))
    yield "Nights", tuple(replace(one, stay=day.stay) for one, day in both)
    for name, between in (("From city to city", True), ("In town", False)):
        legs = [tuple(leg for leg in day.legs if bool(leg.passage) == between) for _, day in both]
        yield name, tuple(replace(one, legs=found) for one, found in zip(bare, legs, strict=True))
    yield "Visits", tuple(replace(one, visits=day.visits) for one, day in both)
    yield "Meals", tuple(replace(one, meals=day.meals) for one, day in both)


def _paid(what: str, line: Sequence[tuple[int, Decimal]], currency: str) -> Paid:
    each = sorted({rounded(price, currency) for _, price in line})
    total = sum((times * price for times, price in line), Decimal())
    return Paid(
        what=f"{what[:1].upper()}{what[1:]}",
        count=f"{sum(times for times, _ in line):,}",
        each=f"{each[0]:,}" if len(each) == 1 else f"{each[0]:,} to {each[-1]:,}",
        total=f"{rounded(total, currency):,}",
    )


def comparing(trip: Trip, atlas: Atlas) -> Iterator[tuple[str, str]]:
    """What is free, what has no price, and how the whole compares with the budget."""
    if trip.itinerary is None or trip.advice is None or trip.advice.bill is None:
        return
    for block in bill_blocks(trip.advice.bill, trip.itinerary, atlas):
        if isinstance(block, Lines):
            yield from ((name, one.text) for name, one in block.lines)
