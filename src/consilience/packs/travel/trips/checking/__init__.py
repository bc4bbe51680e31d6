"""What is wrong with a trip? Every promise is reckoned anew from the atlas, and none is taken on
trust.

The check knows nothing of how a trip was composed: it reads the days, follows the traveller from
place to place by the clock, and compares every name, price, hour and way with the atlas. Nothing
found means that nothing is wrong; there is no score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.checking.clock import clock_findings
from consilience.packs.travel.trips.checking.days import day_findings
from consilience.packs.travel.trips.checking.facts import fact_findings
from consilience.packs.travel.trips.checking.purse import purse_findings
from consilience.packs.travel.trips.checking.ways import way_findings
from consilience.packs.travel.trips.checking.wishes import wish_findings
from consilience.packs.travel.trips.types import Advice, Finding, Itinerary, Wish

RULES: Mapping[str, str] = {
    "day-count": "there are as many days as were asked for, in order",
    "dates": "the days have the dates that were asked for",
    "day-empty": "every day has something to do",
    "slot-empty": "every part of a day has something to do, as the pace wants it",
    "pace": "no day has more visits than the pace allows",
    "stay-missing": "every night has a place to sleep, or a night train",
    "meal-missing": "there is a dinner where there are places to eat",
    "place-unknown": "every place exists",
    "not-cited": "every place and every connection is cited",
    "wrong-name": "every place has its own name",
    "wrong-kind": "one sleeps where there are beds and eats where there is food",
    "price": "every price is the one that is known",
    "repeated": "nothing is visited twice",
    "wrong-city": "a place is visited from the city that it belongs to",
    "route": "every way begins where one is, and a day ends where its night is",
    "leg-unknown": "every way between cities is a connection that exists",
    "travel-time": "ways take the time they take, and fit the day",
    "overlap": "nothing happens at the same time",
    "slot-time": "a visit is in the part of the day that it says",
    "too-short": "a visit has the time that it needs",
    "closed": "a place is open when it is visited",
    "must-missing": "what has to be in it is in it",
    "nights": "a city has the nights that were asked for",
    "avoided": "nothing of what is to be avoided is in it",
    "need-unmet": "what somebody needs is there",
    "theme-missing": "each theme that was asked for has something for it",
    "start-end": "the trip begins and ends where it was asked to",
    "region": "the trip stays in the region",
    "too-many-cities": "there are no more cities than were asked for",
    "level": "one stays at the level that was asked for",
    "budget": "the trip costs no more than the budget",
    "arithmetic": "the sums are right",
}
"""Every promise that is checked, by the name that findings give it."""


async def check(
    wish: Wish, itinerary: Itinerary, advice: Advice, atlas: Atlas
) -> Sequence[Finding]:
    """What is wrong with a trip, in the order of its days."""
    found = dict.fromkeys(_found(wish, itinerary, advice, atlas))
    return sorted(found, key=lambda one: (one.day, list(RULES).index(one.rule)))


def _found(wish: Wish, itinerary: Itinerary, advice: Advice, atlas: Atlas) -> Iterator[Finding]:
    yield from day_findings(wish, itinerary, atlas)
    yield from fact_findings(itinerary, atlas)
    yield from way_findings(wish, itinerary, atlas)
    yield from clock_findings(itinerary, atlas)
    yield from wish_findings(wish, itinerary, atlas)
    yield from purse_findings(wish, itinerary, advice, atlas)
