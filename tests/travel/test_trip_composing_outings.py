"""Which day trips a trip has, and whether the best of a city is lost to hours or arrivals."""

import asyncio
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from atlas_shared import CITIES, make_atlas, place_passage, tie_passage, way_passage

from consilience.packs.travel.trips.bill import bill_of
from consilience.packs.travel.trips.checking import check
from consilience.packs.travel.trips.composing import compose
from consilience.packs.travel.trips.types import Advice, Avoid, Candidate, Candidates, Wish

ATLAS = make_atlas()
MONDAY = date(2027, 3, 1)
THEMES = {"culture": 60, "food": 40}


def found_for(wish, atlas):
    """All places in the order of a search by themes."""

    def score(place):
        return sum(place.themes.get(one, 0.0) * share for one, share in wish.themes.items())

    places = [one for one in atlas.places.values() if one.kind not in ("region", "country")]
    order = sorted(places, key=lambda one: (-score(one), one.id))[:150]
    return Candidates(
        found=tuple(
            Candidate(place=one.id, passage=one.passage, score=1 / (60 + rank))
            for rank, one in enumerate(order, start=1)
        )
    )


def composed(wish, atlas=ATLAS, **more):
    return asyncio.run(compose(wish, found_for(wish, atlas), atlas, **more))


def faults(wish, trip, atlas=ATLAS):
    advice = Advice(bill=bill_of(wish, trip, atlas))
    return list(asyncio.run(check(wish, trip, advice, atlas)))


def wished(**parts):
    return Wish(text="", **{"themes": THEMES, **parts})


def ways(day):
    return [(leg.start, leg.end) for leg in day.legs if leg.passage]


def day_of(trip, place):
    return next(day for day in trip.days if place in {one.place for one in day.visits})


# --- day trips to cities ----------------------------------------------------------------


@pytest.mark.parametrize("days", [1, 2, 3, 5])
@pytest.mark.parametrize("starts_on", [None, MONDAY])
def test_a_day_trip_to_a_city_goes_there_and_back_on_the_same_day(days, starts_on):
    wish = wished(days=days, cities=("aurel",), must=("aurel", "lindow"), starts_on=starts_on)
    trip = composed(wish)
    away = [day for day in trip.days if ways(day)]
    assert [ways(day) for day in away] == [[("aurel", "lindow"), ("lindow", "aurel")]]
    assert {day.city for day in trip.days} == {"aurel"}
    assert any(ATLAS.city_of(one.place) == "lindow" for one in away[0].visits)
    assert not faults(wish, trip)


def test_a_day_trip_is_neither_on_the_first_nor_on_the_last_day_of_three():
    trip = composed(wished(days=3, cities=("aurel",), must=("lindow",)))
    assert [bool(ways(day)) for day in trip.days] == [False, True, False]


def test_each_day_trip_goes_from_the_nearest_city_that_is_stayed_in():
    wish = wished(days=6, cities=("aurel", "lindow"), must=("brackwell", "sandmouth"))
    trip = composed(wish)
    legs = [way for day in trip.days for way in ways(day)]
    assert {("aurel", "brackwell"), ("brackwell", "aurel")} <= set(legs)
    assert {("lindow", "sandmouth"), ("sandmouth", "lindow")} <= set(legs)
    assert {day.city for day in trip.days} == {"aurel", "lindow"}
    assert not faults(wish, trip)


def test_what_is_too_far_for_a_day_is_no_day_trip_and_that_is_told():
    avoid = Avoid(modes=frozenset({"flight"}))
    wish = wished(days=6, cities=("aurel",), must=("farpoint",), avoid=avoid)
    trip = composed(wish)
    assert any("Farpoint is no day trip from Port Aurel" in one for one in trip.gaps)
    assert "farpoint" in {day.city for day in trip.days}
    near = composed(wished(days=3, cities=("aurel",), must=("lindow",)))
    assert not any("no day trip" in one for one in near.gaps)


def test_the_city_that_is_stayed_in_goes_before_a_day_trip_that_is_none():
    trip = composed(wished(days=1, cities=("brackwell",), must=("sandmouth",)))
    assert {day.city for day in trip.days} == {"brackwell"}
    assert any("Sandmouth is no day trip" in one for one in trip.gaps)


def test_one_leaves_for_a_day_trip_early_where_the_last_way_back_is_early():
    wish = wished(days=2, cities=("highmere",), must=("old-tarn",))
    trip = composed(wish)
    away = next(day for day in trip.days if ways(day))
    first, last = [leg for leg in away.legs if leg.passage]
    assert (first.begins, last.begins) == (8 * 60, 15 * 60)  # the first bus, and the last one
    assert not faults(wish, trip)


def test_the_last_way_back_bounds_a_day_trip():
    early = way_passage("aurel", "hamlet", "bus", 60, 5, departures="two a day 08:00 and 10:00")
    hamlet = place_passage("hamlet", "Hamlet", "city", type="city", lat=-30.1, lon=-15.1)
    atlas = make_atlas(hamlet, early)
    trip = composed(wished(days=3, cities=("aurel",), must=("hamlet",)), atlas)
    assert any("Hamlet is no day trip" in one for one in trip.gaps)


def test_a_day_trip_is_still_there_when_a_price_on_it_was_mended():
    wish = wished(days=3, cities=("aurel",), must=("lindow",))
    trip = composed(wish)
    number = next(day.number for day in trip.days if ways(day))
    day = trip.days[number - 1]
    visits = tuple(replace(one, price=one.price + Decimal(7)) for one in day.visits)
    wrong = replace(trip, days=tuple(
        replace(one, visits=visits) if one.number == number else one for one in trip.days
    ))  # fmt: skip
    found = faults(wish, wrong)
    assert found
    mended = composed(wish, before=wrong, findings=found)
    assert ways(mended.days[number - 1]) == ways(day)
    assert not faults(wish, mended)


def test_the_only_day_is_mended_with_its_day_trip():
    wish = wished(days=1, cities=("aurel",), must=("lindow",))
    trip = composed(wish)
    day = trip.days[0]
    wrong = replace(trip, days=(replace(day, meals=()),))
    mended = composed(wish, before=wrong, findings=faults(wish, wrong))
    assert ways(mended.days[0]) == ways(day)
    assert not faults(wish, mended)


# --- sights out of town -----------------------------------------------------------------


RUINS = (
    place_passage(
        "ruins", "The Ruins", "attraction", type="ruins", city="lindow", lat=-30.35, lon=-15.22,
        themes={"history": 0.9, "culture": 0.9}, hours="Mo-Su 06:00-17:00", visit_minutes=240,
        price=8.0, slots=("morning",), currency="EUR",
    ),
    tie_passage("ruins", "DAY_TRIP_FROM", "aurel"),
)  # fmt: skip


@pytest.mark.parametrize("days", [4, 5, 6])
def test_a_sight_out_of_town_is_seen_from_the_nearer_city_and_lunch_is_kept(days):
    atlas = make_atlas(*RUINS)
    wish = wished(days=days, cities=("aurel", "lindow"), start="aurel", must=("ruins",))
    trip = composed(wish, atlas)
    day = day_of(trip, "ruins")
    assert day.city == "lindow"
    assert not ways(day)  # not on the day of the arrival
    assert [meal.slot for meal in day.meals] == ["afternoon", "evening"]
    assert not faults(wish, trip, atlas)


def test_it_is_seen_from_the_farther_city_where_the_trip_stays_there():
    apart = RUINS[0].metadata | {"city": ""}
    atlas = make_atlas(
        replace(RUINS[0], metadata=apart), RUINS[1], tie_passage("ruins", "DAY_TRIP_FROM", "lindow")
    )
    wish = wished(days=2, cities=("aurel",), must=("ruins",))
    trip = composed(wish, atlas)
    day = day_of(trip, "ruins")
    assert day.city == "aurel"
    assert "afternoon" in {meal.slot for meal in day.meals}
    assert not faults(wish, trip, atlas)


# --- arrivals ---------------------------------------------------------------------------


CRUISE = place_passage(
    "cruise", "Long Cruise", "activity", type="cruise", city="brackwell", lat=-30.05, lon=-14.55,
    themes={"food": 0.9, "art": 0.9, "culture": 0.9, "shopping": 0.9}, hours="Mo-Su 08:00-18:00",
    visit_minutes=420, price=30.0, slots=("morning",), currency="EUR",
)  # fmt: skip


@pytest.mark.parametrize("days", [5, 6, 7])
def test_the_main_thing_of_a_city_is_not_lost_to_the_arrival(days):
    atlas = make_atlas(CRUISE)
    cities = ("highmere", "brackwell", "aurel")
    wish = wished(days=days, cities=cities, start="highmere", end="aurel")
    trip = composed(wish, atlas)
    assert not ways(day_of(trip, "cruise"))
    assert not faults(wish, trip, atlas)


def test_one_sets_out_early_where_no_other_morning_is_left():
    cities = ("old-tarn", "brackwell", "aurel")
    wish = wished(days=3, cities=cities, start="old-tarn", end="aurel")
    trip = composed(wish, make_atlas(CRUISE))
    day = day_of(trip, "cruise")
    assert ways(day) == [("old-tarn", "brackwell")]
    assert not faults(wish, trip, make_atlas(CRUISE))
    usual = composed(wish)
    first = next(day for day in usual.days if ways(day) == [("old-tarn", "brackwell")])
    assert min(leg.begins for leg in day.legs) < min(leg.begins for leg in first.legs)


# --- hours without dates ----------------------------------------------------------------


def test_without_dates_a_place_open_on_a_single_weekday_is_no_choice():
    mass = place_passage(
        "mass", "Evening Mass", "attraction", type="church", city="aurel", lat=-30.0, lon=-15.0,
        themes={"culture": 1.0, "food": 1.0}, hours="Su 18:00-22:00", visit_minutes=45, price=0.0,
        slots=("evening",), currency="EUR",
    )  # fmt: skip
    fair = place_passage(
        "fair", "Sunday Fair", "attraction", type="market", city="aurel", lat=-30.0, lon=-15.0,
        themes={"culture": 1.0, "food": 1.0}, hours="Su 08:00-18:00", visit_minutes=60, price=0.0,
        slots=("morning", "afternoon"), currency="EUR",
    )  # fmt: skip
    atlas = make_atlas(mass, fair)
    undated = composed(wished(days=3, cities=("aurel",)), atlas)
    seen = {one.place for day in undated.days for one in day.visits}
    assert not {"mass", "fair"} & seen
    sunday = composed(wished(days=1, cities=("aurel",), starts_on=date(2027, 3, 7)), atlas)
    assert {"mass", "fair"} <= {one.place for one in sunday.days[0].visits}
    asked = composed(wished(days=3, cities=("aurel",), must=("mass",)), atlas)
    assert "mass" in {one.place for day in asked.days for one in day.visits}


# --- what cities are for ----------------------------------------------------------------


@pytest.mark.parametrize("days", [8, 10])
def test_a_city_that_alone_is_for_a_theme_is_worth_a_night_on_the_way(days):
    reserves = tuple(f"{one[0]}-wildlife-reserve" for one in CITIES)
    atlas = make_atlas(without=(*reserves, "wren"))
    avoid = Avoid(modes=frozenset({"flight"}))
    wish = wished(days=days, themes={"culture": 45, "food": 20, "wildlife": 35}, avoid=avoid)
    assert "farpoint" in {day.city for day in composed(wish, atlas).days}
    plain = wished(days=days, themes={"culture": 65, "food": 35}, avoid=avoid)
    assert "farpoint" not in {day.city for day in composed(plain, atlas).days}
