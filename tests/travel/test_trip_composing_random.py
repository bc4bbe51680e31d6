"""What holds for the days of any wish: nothing at once, nothing twice, every way real."""

import asyncio
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise

from atlas_shared import make_atlas
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consilience.packs.travel.hours import is_open
from consilience.packs.travel.trips.bill import bill_of
from consilience.packs.travel.trips.composing import compose
from consilience.packs.travel.trips.local import local_way
from consilience.packs.travel.trips.types import (
    MEAL_MIN,
    Avoid,
    Budget,
    Candidate,
    Candidates,
    Group,
    Wish,
)
from consilience.packs.travel.vocabulary import THEMES

ATLAS = make_atlas()
CITIES = sorted(one.id for one in ATLAS.cities())
PLACES = sorted(one.id for one in ATLAS.places.values() if one.kind not in ("region", "country"))
DAY = 24 * 60


@st.composite
def wishes(draw):
    days = draw(st.integers(1, 12))
    names = draw(st.lists(st.sampled_from(THEMES), min_size=1, max_size=4, unique=True))
    cities = draw(st.lists(st.sampled_from(CITIES), max_size=max(1, days // 3), unique=True))
    amount = draw(st.none() | st.integers(40, 600))
    modes = draw(st.sets(st.sampled_from(["flight", "bus", "train", "ferry"]), max_size=1))
    features = draw(st.sets(st.sampled_from(["stairs", "museum", "boat", "crowds"]), max_size=2))
    return Wish(
        text="",
        days=days,
        themes=dict.fromkeys(names, 100 // len(names)),
        cities=tuple(cities),
        must=tuple(cities),
        start=draw(st.sampled_from(["", *CITIES])),
        end=draw(st.sampled_from(["", "", *CITIES])) if days > 4 else "",
        pace=draw(st.sampled_from(["relaxed", "balanced", "packed"])),
        level=draw(st.sampled_from([None, "budget", "mid-range", "luxury"])),
        starts_on=draw(
            st.none() | st.integers(0, 400).map(lambda one: date(2027, 1, 1) + timedelta(one))
        ),
        group=Group(adults=draw(st.integers(1, 5)), children=draw(st.integers(0, 2))),
        budget=Budget(amount=Decimal(amount), currency="USD", per="day") if amount else None,
        avoid=Avoid(modes=frozenset(modes), features=frozenset(features)),
    )


@st.composite
def findings(draw):
    order = draw(st.permutations(PLACES))[: draw(st.integers(0, 200))]
    return Candidates(
        found=tuple(
            Candidate(place=key, passage=ATLAS.places[key].passage, score=1 / (60 + rank))
            for rank, key in enumerate(order, start=1)
        )
    )


@given(wishes(), findings())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_wish_becomes_days_that_can_be_lived(wish, candidates):
    trip = asyncio.run(compose(wish, candidates, ATLAS))
    assert [day.number for day in trip.days] == list(range(1, wish.days + 1))
    _nothing_twice(trip)
    _one_thing_at_a_time(trip)
    _where_one_is(trip, wish)
    _as_the_atlas_says(trip, wish)
    _within_the_budget(trip, wish)
    assert trip == asyncio.run(compose(wish, candidates, ATLAS))


def _nothing_twice(trip):
    places = [visit.place for day in trip.days for visit in day.visits]
    assert len(places) == len(set(places))


def _one_thing_at_a_time(trip):
    arrives = 0
    for day in trip.days:
        spans = [(one.begins, one.ends) for one in day.visits]
        spans += [(one.begins, one.begins + MEAL_MIN) for one in day.meals]
        spans += [(one.begins, one.begins + one.minutes) for one in day.legs if one.minutes]
        spans.sort()
        assert all(before[1] <= after[0] for before, after in pairwise(spans)), day
        assert not spans or spans[0][0] >= arrives
        arrives = max([0, *(end - DAY for _, end in spans)])


def _where_one_is(trip, wish):
    here = wish.start or trip.days[0].city
    first = [leg for leg in trip.days[0].legs if leg.passage]
    here = first[0].start if first else here
    for day in trip.days:
        things = [(one.begins, one.place) for one in (*day.visits, *day.meals)]
        ways = sorted((one for one in day.legs if one.passage), key=lambda one: one.begins)
        for way in ways:
            assert all(ATLAS.city_of(key) == here for at, key in things if at < way.begins)
            things = [(at, key) for at, key in things if at >= way.begins]
            assert way.start == here
            known = [one for one in ATLAS.direct(here, way.end) if one.passage == way.passage]
            assert [(one.minutes, one.price, one.mode) for one in known] == [
                (way.minutes, way.price, way.mode)
            ]
            assert way.mode not in wish.avoid.modes
            assert way.overnight or way.minutes <= 540
            here = way.end
        assert all(ATLAS.city_of(key) == here for _, key in things)
        assert day.city == here
        assert day.stay is None or ATLAS.city_of(day.stay.place) == here


def _as_the_atlas_says(trip, wish):
    for number, day in enumerate(trip.days):
        assert day.on == (wish.starts_on + timedelta(number) if wish.starts_on else None)
        for visit in day.visits:
            place = ATLAS.places[visit.place]
            assert (visit.name, visit.passage) == (place.name, place.passage)
            assert visit.price == place.price
            assert visit.ends - visit.begins == place.minutes
            assert not place.features & wish.avoid.features
            if day.on:
                assert is_open(place.hours, day.on, visit.begins, visit.ends)
        for leg in (one for one in day.legs if not one.passage):
            way = local_way(ATLAS.places[leg.start], ATLAS.places[leg.end], ATLAS)
            assert (leg.minutes, leg.price, leg.mode) == (way.minutes, way.price, way.mode)


def _within_the_budget(trip, wish):
    if wish.budget is None or any("budget" in gap for gap in trip.gaps):
        return
    assert bill_of(wish, trip, ATLAS).total <= wish.budget.amount * wish.days * Decimal("0.86")
