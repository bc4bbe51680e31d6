"""What tests of composing share: candidates by theme, days made of them, and what is in them."""

import asyncio
from datetime import date

from atlas_shared import make_atlas

from consilience.packs.travel.trips.bill import bill_of
from consilience.packs.travel.trips.checking import check
from consilience.packs.travel.trips.composing import compose
from consilience.packs.travel.trips.types import (
    Advice,
    Candidate,
    Candidates,
    Wish,
)

ATLAS = make_atlas()
MONDAY = date(2027, 3, 1)


def candidates_for(wish, atlas=ATLAS, count=150):
    """What a search by themes would give."""

    def score(place):
        return sum(place.themes.get(one, 0.0) * share for one, share in wish.themes.items())

    places = [one for one in atlas.places.values() if one.kind not in ("region", "country")]
    order = sorted(places, key=lambda one: (-score(one), one.id))[:count]
    return listed(order)


def listed(places):
    return Candidates(
        found=tuple(
            Candidate(place=one.id, passage=one.passage, score=1 / (60 + rank))
            for rank, one in enumerate(places, start=1)
        )
    )


def composed(atlas=ATLAS, candidates=None, **parts):
    wish = Wish(text="", **{"themes": {"culture": 60, "food": 40}, **parts})
    found = candidates if candidates is not None else candidates_for(wish, atlas)
    return asyncio.run(compose(wish, found, atlas))


def faults(itinerary, atlas=ATLAS, **parts):
    wish = Wish(text="", **{"themes": {"culture": 60, "food": 40}, **parts})
    advice = Advice(bill=bill_of(wish, itinerary, atlas))
    return asyncio.run(check(wish, itinerary, advice, atlas))


def cities(itinerary):
    return list(dict.fromkeys(day.city for day in itinerary.days))


def visited(itinerary):
    return [visit.place for day in itinerary.days for visit in day.visits]


def ways(itinerary):
    return [leg for day in itinerary.days for leg in day.legs if leg.passage]


def cost(itinerary, **parts):
    return bill_of(Wish(text="", **parts), itinerary, ATLAS).total
