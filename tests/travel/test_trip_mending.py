"""An itinerary with errors becomes sound, and what was right of it stays."""

import asyncio
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from atlas_shared import make_atlas

from consilience.packs.travel.trips.bill import bill_of
from consilience.packs.travel.trips.checking import check
from consilience.packs.travel.trips.composing import compose
from consilience.packs.travel.trips.types import (
    Advice,
    Avoid,
    Budget,
    Candidate,
    Candidates,
    Itinerary,
    Leg,
    Wish,
)

ATLAS = make_atlas()
WISH = Wish(
    text="",
    days=6,
    themes={"culture": 50, "food": 50},
    cities=("aurel", "brackwell", "highmere"),
    must=("aurel", "brackwell", "highmere"),
    starts_on=date(2027, 3, 2),
)
FOUND = Candidates(
    found=tuple(
        Candidate(place=one.id, passage=one.passage, score=1 / (60 + rank))
        for rank, one in enumerate(
            sorted(
                (one for one in ATLAS.places.values() if one.kind not in ("region", "country")),
                key=lambda one: (-one.themes.get("culture", 0) - one.themes.get("food", 0), one.id),
            )[:150],
            start=1,
        )
    )
)


def made(wish=WISH, **more):
    return asyncio.run(compose(wish, FOUND, ATLAS, **more))


def faults(itinerary, wish=WISH):
    advice = Advice(bill=bill_of(wish, itinerary, ATLAS))
    return asyncio.run(check(wish, itinerary, advice, ATLAS))


def mended(itinerary, wish=WISH):
    found = faults(itinerary, wish)
    assert found, "the error is not noticed"
    return made(wish, before=itinerary, findings=found)


def with_day(itinerary, number, **parts):
    days = list(itinerary.days)
    days[number - 1] = replace(days[number - 1], **parts)
    return replace(itinerary, days=tuple(days))


def with_visit(itinerary, number, which, **parts):
    visits = list(itinerary.days[number - 1].visits)
    visits[which] = replace(visits[which], **parts)
    return with_day(itinerary, number, visits=tuple(visits))


def seen(itinerary):
    return {(day.number, visit.place) for day in itinerary.days for visit in day.visits}


def travelling(itinerary):
    """The number of the first day with a way between cities."""
    return next(day.number for day in itinerary.days if any(leg.passage for leg in day.legs))


# --- errors that are planted ------------------------------------------------------------


def invented(trip):
    return with_visit(trip, 2, 0, place="castle", name="Castle of Nowhere", passage="none")


def elsewhere(trip):
    other = ATLAS.places["wren-museum"]
    parts = {"place": other.id, "name": other.name, "price": other.price, "passage": other.passage}
    return with_visit(trip, 2, 1, **parts)


def closed(trip):
    return with_visit(trip, 2, 0, begins=3 * 60, ends=4 * 60 + 30)


def at_once(trip):
    first, second = trip.days[1].visits[:2]
    ends = first.begins + second.ends - second.begins
    return with_visit(trip, 2, 1, begins=first.begins, ends=ends, slot=first.slot)


def twice(trip):
    first = trip.days[0].visits[0]
    return with_visit(trip, 2, 0, place=first.place, name=first.name, passage=first.passage)


def eight_hours(trip):
    number = travelling(trip)
    legs = trip.days[number - 1].legs
    longer = tuple(replace(leg, minutes=480) if leg.passage else leg for leg in legs)
    return with_day(trip, number, legs=longer)


def by_nothing(trip):
    number = travelling(trip)
    legs = trip.days[number - 1].legs
    parts = {"mode": "balloon", "passage": "none"}
    gone = tuple(replace(leg, **parts) if leg.passage else leg for leg in legs)
    return with_day(trip, number, legs=gone)


def stranded(trip):
    number = travelling(trip)
    legs = trip.days[number - 1].legs
    return with_day(trip, number, legs=tuple(leg for leg in legs if not leg.passage))


def misnamed(trip):
    return with_visit(trip, 3, 0, name="Something else", passage="none", price=Decimal(99))


def unhoused(trip):
    return with_day(trip, 2, stay=None)


def overhoused(trip):
    return with_day(trip, 2, stay=replace(trip.days[1].stay, rooms=4))


def unfed(trip):
    return with_day(trip, 3, meals=())


def empty(trip):
    return with_day(trip, 2, visits=())


def shortened(trip):
    return replace(trip, days=trip.days[:-1])


def misplaced(trip):
    return with_day(trip, 1, city="wren")


def misdated(trip):
    return with_day(trip, 2, on=date(2027, 5, 1))


ERRORS = (
    invented, elsewhere, closed, at_once, twice, eight_hours, by_nothing, stranded, misnamed,
    unhoused, overhoused, unfed, empty, shortened, misplaced, misdated,
)  # fmt: skip


@pytest.mark.parametrize("error", ERRORS, ids=lambda one: one.__name__)
def test_a_planted_error_is_mended_and_the_rest_stays(error):
    trip = made()
    assert not faults(trip)
    after = mended(error(trip))
    assert not faults(after)
    kept = seen(trip) & seen(after)
    assert len(kept) >= 0.8 * len(seen(trip))


@pytest.mark.parametrize("error", [invented, closed, twice, unfed, misnamed, overhoused])
def test_days_without_an_error_stay_as_they_are(error):
    trip = made()
    wrong = error(trip)
    touched = {day.number for day, other in zip(trip.days, wrong.days, strict=True) if day != other}
    after = mended(wrong)
    for day, other in zip(trip.days, after.days, strict=True):
        assert day.number in touched or day == other


def test_all_errors_at_once_are_mended():
    trip = made()
    for error in (invented, eight_hours, misnamed, overhoused, unfed):
        trip = error(trip)
    assert not faults(mended(trip))


def test_facts_are_put_right_from_the_atlas():
    trip = made()
    assert mended(misnamed(trip)) == trip


def test_a_place_that_was_closed_finds_another_time():
    trip = made()
    place = trip.days[1].visits[0].place
    assert place in {key for _, key in seen(mended(closed(trip)))}


def test_what_has_to_be_seen_is_put_in():
    trip = made()
    wish = replace(WISH, must=(*WISH.must, "brackwell-hermitage"))
    before = Itinerary(
        days=tuple(
            replace(day, visits=tuple(one for one in day.visits if "hermitage" not in one.place))
            for day in trip.days
        ),
        currency="EUR",
    )
    after = mended(before, wish)
    assert "brackwell-hermitage" in {key for _, key in seen(after)}
    assert not faults(after, wish)


def test_what_is_avoided_is_replaced():
    trip = made()
    wish = replace(WISH, avoid=Avoid(features=frozenset({"museum"}), modes=frozenset({"train"})))
    after = mended(trip, wish)
    assert not faults(after, wish)
    assert not any("museum" in ATLAS.places[key].features for _, key in seen(after))


def test_a_city_that_was_not_allowed_is_left_out():
    wish = replace(WISH, cities=("aurel",), must=("aurel",), most_cities=1)
    after = mended(made(), wish)
    assert {day.city for day in after.days} == {"aurel"}
    assert not [one for one in faults(after, wish) if one.rule == "too-many-cities"]


def test_a_trip_over_the_budget_becomes_cheaper():
    trip = made()
    most = bill_of(WISH, trip, ATLAS).total * Decimal("0.8")
    wish = replace(WISH, budget=Budget(amount=most, currency="EUR"))
    after = mended(trip, wish)
    assert bill_of(wish, after, ATLAS).total <= most
    assert not faults(after, wish)
    assert {day.city for day in after.days} == {day.city for day in trip.days}


def test_a_draft_without_meals_beds_and_times_becomes_a_trip_of_the_same_visits():
    trip = made()
    rough = {"morning": 9 * 60, "afternoon": 14 * 60, "evening": 19 * 60}
    draft = replace(
        trip,
        days=tuple(
            replace(
                day,
                meals=(),
                stay=None,
                legs=(),
                visits=tuple(
                    replace(one, begins=rough[one.slot], ends=rough[one.slot] + 60)
                    for one in day.visits
                ),
            )
            for day in trip.days
        ),
    )
    after = mended(draft)
    assert not faults(after)
    assert len(seen(trip) & seen(after)) >= 0.85 * len(seen(trip))


def test_a_draft_in_cities_that_no_way_joins_is_told():
    wish = replace(WISH, avoid=Avoid(modes=frozenset({"bus", "train"})))
    after = mended(made(), wish)
    assert not [one for one in faults(after, wish) if one.rule in ("avoided", "leg-unknown")]
    assert any("no way" in gap for gap in after.gaps)


def test_a_leg_that_leads_nowhere_does_not_break_the_mending():
    trip = made()
    stray = Leg(
        start="atlantis", end="aurel", mode="bus", minutes=60, begins=500, price=Decimal(1),
        passage="x",
    )  # fmt: skip
    after = mended(with_day(trip, 2, legs=(stray, *trip.days[1].legs)))
    assert not faults(after)


def test_an_empty_itinerary_is_composed_anew():
    assert made(before=Itinerary(days=(), currency="EUR")) == made()


def test_it_is_the_itinerary_from_before_that_is_mended_and_not_a_new_one():
    other = replace(FOUND, found=FOUND.found[::-1])
    before = asyncio.run(compose(WISH, other, ATLAS))
    assert len(seen(before) & seen(made())) < 0.6 * len(seen(before))
    after = mended(invented(before))
    assert len(seen(before) & seen(after)) >= 0.8 * len(seen(before))
    assert not faults(after)
