"""Does it fit the budget? The dearest choices that still do are kept; cheaper ones come in turn.

Prices count more and more until the sum fits: cheaper beds of the level, free sights, slower ways,
and at last fewer cities. Where not even that suffices the cheapest is given, and it is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal

from consilience.packs.travel.money import rate, told
from consilience.packs.travel.trips.bill import costs_of, whole
from consilience.packs.travel.trips.composing.brief import Brief
from consilience.packs.travel.trips.types import LEVELS, Itinerary

Write = Callable[[Brief], Itinerary]
STEPS = (0.0, 0.7, 2.0, 6.0, 30.0, 150.0)
"""How much prices count, step by step."""
_FEWER = 2


def limit_of(brief: Brief) -> Decimal | None:
    """What may be spent, in the currency of the places; None where nothing is said or known."""
    budget = brief.wish.budget
    if budget is None:
        return None
    worth = rate(budget.currency, brief.atlas.currency, brief.atlas.rates)
    return whole(budget, brief.wish.days) * worth if worth else None


def cost_of(itinerary: Itinerary, brief: Brief) -> Decimal:
    """What an itinerary costs all of them."""
    costs = costs_of(itinerary, brief.wish.group, brief.atlas)
    return sum((one.total for one in costs), Decimal(0))


def within_budget(brief: Brief, write: Write) -> Itinerary:
    """The itinerary that is liked best of those that fit the budget."""
    first = write(brief)
    limit = limit_of(brief)
    if limit is None or cost_of(first, brief) <= limit:
        return first
    tried = [first]
    for ladder in _ladders(brief):
        last = write(ladder[-1])
        tried.append(last)
        if cost_of(last, brief) <= limit:
            return _dearest(ladder, last, limit, write)
    cheapest = min(tried, key=lambda one: cost_of(one, brief))
    over = (
        f"nothing cheaper than {told(cost_of(cheapest, brief), cheapest.currency)} was found; "
        f"the budget is {told(limit, cheapest.currency)}"
    )
    return replace(cheapest, gaps=(*cheapest.gaps, over))


def _ladders(brief: Brief) -> Iterator[list[Brief]]:
    """Ways to spend less, each from dear to cheap."""
    yield [replace(brief, thrift=step) for step in STEPS[1:]]
    levels = [] if brief.wish.level else LEVELS[: LEVELS.index(brief.level)]
    cheaper = replace(brief, level=levels[0]) if levels else brief
    if levels:
        yield [replace(cheaper, thrift=step) for step in STEPS]
    for fewer in range(1, _FEWER + 1):
        yield [replace(cheaper, thrift=STEPS[-1], fewer=fewer)]


def _dearest(ladder: list[Brief], last: Itinerary, limit: Decimal, write: Write) -> Itinerary:
    """The dearest rung of a ladder that fits, between the first and the last, which does."""
    low, high, best = 0, len(ladder) - 1, last
    while low < high:
        middle = (low + high) // 2
        found = write(ladder[middle])
        if cost_of(found, ladder[middle]) <= limit:
            high, best = middle, found
        else:
            low = middle + 1
    return best
