"""Does the check find what is wrong, and nothing where nothing is?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from atlas_shared import make_atlas, tie_passage

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.bill import bill_of
from consilience.packs.travel.trips.checking import RULES, check
from consilience.packs.travel.trips.types import (
    Advice,
    Avoid,
    Budget,
    Day,
    Group,
    Itinerary,
    Leg,
    Meal,
    Stay,
    Visit,
    Wish,
)

ATLAS = make_atlas()
MONDAY = date(2027, 3, 1)
CLOCK = {"morning": 540, "afternoon": 840, "evening": 1215}
WISH = Wish(text="two days", days=2, group=Group(adults=2))


def visit(place: str, slot: str, **more: object) -> Visit:
    known = ATLAS.places[place]
    begins = CLOCK[slot]
    made = Visit(
        slot=slot,  # type: ignore[arg-type]
        place=place,
        name=known.name,
        begins=begins,
        ends=begins + known.minutes,
        price=known.price or Decimal(0),
        passage=known.passage,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def meal(place: str, slot: str, begins: int) -> Meal:
    known = ATLAS.places[place]
    return Meal(
        slot=slot,  # type: ignore[arg-type]
        place=place,
        name=known.name,
        begins=begins,
        price=known.price or Decimal(0),
        passage=known.passage,
    )


def stay(place: str) -> Stay:
    known = ATLAS.places[place]
    price = known.price or Decimal(0)
    return Stay(place=place, name=known.name, rooms=1, price=price, passage=known.passage)


def way(start: str, end: str, mode: str, begins: int) -> Leg:
    known = next(one for one in ATLAS.direct(start, end) if one.mode == mode)
    return Leg(
        start=start,
        end=end,
        mode=mode,
        minutes=known.minutes,
        begins=begins,
        price=known.price,
        passage=known.passage,
        overnight=known.overnight,
    )


def sound() -> Itinerary:
    """A day in Port Aurel, then by train to Lindow: nothing is wrong with it."""
    first = Day(
        number=1,
        city="aurel",
        visits=(
            visit("aurel-cathedral", "morning"),
            visit("aurel-botanical-garden", "afternoon"),
            visit("aurel-promenade", "evening"),
        ),
        meals=(
            meal("aurel-tavern", "afternoon", 735),
            meal("aurel-garden-table", "evening", 1100),
        ),
        stay=stay("aurel-inn"),
    )
    second = Day(
        number=2,
        city="lindow",
        legs=(way("aurel", "lindow", "train", 480),),
        visits=(
            visit("lindow-cathedral", "morning", begins=610, ends=655),
            visit("lindow-old-fort", "afternoon"),
            visit("lindow-promenade", "evening"),
        ),
        meals=(meal("lindow-tavern", "evening", 1100),),
    )
    return Itinerary(days=(first, second), currency="EUR")


def found(
    days: Itinerary, wish: Wish = WISH, atlas: Atlas = ATLAS, advice: Advice | None = None
) -> set[str]:
    told = advice or Advice(bill=bill_of(wish, days, atlas))
    return {one.rule for one in asyncio.run(_checked(wish, days, told, atlas))}


async def _checked(wish: Wish, days: Itinerary, advice: Advice, atlas: Atlas) -> list[object]:
    return list(await check(wish, days, advice, atlas))


def with_day(number: int, **parts: object) -> Itinerary:
    days = sound()
    changed = replace(days.days[number - 1], **parts)  # type: ignore[arg-type]
    return replace(days, days=tuple(changed if one.number == number else one for one in days.days))


def first_visit(**parts: object) -> Itinerary:
    """The sound days with the first visit changed."""
    visits = sound().days[0].visits
    return with_day(1, visits=(replace(visits[0], **parts), *visits[1:]))  # type: ignore[arg-type]


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    assert found(sound()) == set()


BROKEN: dict[str, Callable[[], set[str]]] = {
    "day-count": lambda: found(replace(sound(), days=sound().days[:1])),
    "dates": lambda: found(sound(), replace(WISH, starts_on=MONDAY)),
    "day-empty": lambda: found(with_day(1, visits=())),
    "slot-empty": lambda: found(with_day(1, visits=sound().days[0].visits[1:])),
    "stay-missing": lambda: found(with_day(1, stay=None)),
    "meal-missing": lambda: found(with_day(1, meals=sound().days[0].meals[:1])),
    "place-unknown": lambda: found(first_visit(place="nowhere")),
    "not-cited": lambda: found(first_visit(passage="")),
    "wrong-name": lambda: found(first_visit(name="Palace")),
    "price": lambda: found(first_visit(price=Decimal(5))),
    "wrong-kind": lambda: found(with_day(1, stay=stay("aurel-tavern"))),
    "repeated": lambda: found(
        with_day(1, visits=(*sound().days[0].visits[:2], visit("aurel-cathedral", "evening")))
    ),
    "wrong-city": lambda: found(
        with_day(1, visits=(visit("wren-cathedral", "morning"), *sound().days[0].visits[1:]))
    ),
    "route": lambda: found(with_day(2, city="sandmouth")),
    "leg-unknown": lambda: found(
        with_day(2, legs=(replace(sound().days[1].legs[0], mode="airship"),))
    ),
    "travel-time": lambda: found(with_day(2, legs=(replace(sound().days[1].legs[0], minutes=20),))),
    "overlap": lambda: found(first_visit(begins=820, ends=865, slot="afternoon")),
    "slot-time": lambda: found(first_visit(slot="evening")),
    "too-short": lambda: found(first_visit(ends=545)),
    "closed": lambda: found(first_visit(begins=300, ends=345)),
    "pace": lambda: found(
        with_day(1, visits=(*sound().days[0].visits, visit("aurel-lookout", "evening"))),
        replace(WISH, pace="relaxed"),
    ),
    "must-missing": lambda: found(sound(), replace(WISH, must=("aurel-museum",))),
    "nights": lambda: found(sound(), replace(WISH, days=2, nights={"lindow": 1})),
    "avoided": lambda: found(sound(), replace(WISH, avoid=Avoid(types=frozenset({"church"})))),
    "need-unmet": lambda: found(sound(), replace(WISH, needs=frozenset({"vegetarian"}))),
    "theme-missing": lambda: found(sound(), replace(WISH, themes={"wildlife": 60, "food": 40})),
    "start-end": lambda: found(sound(), replace(WISH, end="aurel")),
    "region": lambda: found(sound(), replace(WISH, region="hills")),
    "too-many-cities": lambda: found(sound(), replace(WISH, most_cities=1)),
    "level": lambda: found(sound(), replace(WISH, level="luxury")),
    "budget": lambda: found(
        sound(), replace(WISH, budget=Budget(amount=Decimal(50), currency="EUR"))
    ),
    "arithmetic": lambda: found(sound(), advice=Advice()),
}


@pytest.mark.parametrize("rule", RULES)
def test_every_promise_is_checked(rule: str) -> None:
    assert rule in BROKEN[rule]()


@pytest.mark.parametrize(
    "avoid",
    [
        Avoid(places=frozenset({"aurel-cathedral"})),
        Avoid(places=frozenset({"lindow"})),
        Avoid(themes=frozenset({"spirituality"})),
        Avoid(features=frozenset({"stairs"})),
        Avoid(modes=frozenset({"train"})),
    ],
)
def test_whatever_is_avoided_is_found(avoid: Avoid) -> None:
    assert found(sound(), replace(WISH, avoid=avoid)) == {"avoided"}


def test_what_was_asked_for_by_name_stays_whatever_is_avoided_in_general() -> None:
    avoid = Avoid(types=frozenset({"church"}))
    named = replace(WISH, avoid=avoid, must=("aurel-cathedral", "lindow-cathedral"))
    assert found(sound(), named) == set()
    town = replace(named, avoid=replace(avoid, places=frozenset({"aurel"})))
    assert found(sound(), town) == {"avoided"}


def test_only_the_nights_on_a_mode_may_be_avoided() -> None:
    night = way("aurel", "farpoint", "train", 1230)
    days = with_day(1, city="farpoint", legs=(night,), stay=None)
    avoid = Avoid(modes=frozenset({"overnight train"}))
    assert "avoided" in found(days, replace(WISH, avoid=avoid))
    assert found(sound(), replace(WISH, avoid=avoid)) == set()


def test_a_theme_that_nobody_asked_for_is_not_missed() -> None:
    wish = replace(WISH, themes={"wildlife": 100}, assumed=("no theme is said: wildlife 100 %",))
    assert found(sound(), wish) == set()


def test_a_weak_theme_is_not_avoided() -> None:
    assert found(sound(), replace(WISH, avoid=Avoid(themes=frozenset({"nightlife"})))) == set()


def test_a_closed_day_is_found_where_the_date_is_known() -> None:
    monday = replace(WISH, starts_on=MONDAY)
    visits = (visit("aurel-museum", "morning"), *sound().days[0].visits[1:])
    days = with_day(1, visits=visits, on=MONDAY)
    days = replace(days, days=(days.days[0], replace(days.days[1], on=date(2027, 3, 2))))
    assert found(days, monday) == {"closed"}
    assert found(with_day(1, visits=visits)) == set()  # without a date another day may be meant


def test_eight_hours_do_not_fit_into_a_morning() -> None:
    leg = replace(sound().days[1].legs[0], minutes=480)
    assert {"travel-time", "overlap"} <= found(with_day(2, legs=(leg,)))


def test_a_way_of_more_than_nine_hours_is_for_the_night() -> None:
    days = with_day(2, city="farpoint", visits=(), meals=(), legs=())
    bus = way("old-tarn", "farpoint", "bus", 420)
    rule = found(replace(days, days=(days.days[0], replace(days.days[1], legs=(bus,)))))
    assert "travel-time" in rule


def test_a_night_on_the_train_needs_no_bed_and_arrives_in_the_morning() -> None:
    night = way("aurel", "farpoint", "train", 1230)
    first = replace(sound().days[0], city="farpoint", legs=(night,), stay=None)
    first = replace(first, visits=first.visits[:2])
    cathedral = visit("farpoint-cathedral", "morning", begins=420, ends=465)
    second = Day(
        number=2,
        city="farpoint",
        visits=(
            cathedral,
            visit("farpoint-old-fort", "afternoon"),
            visit("farpoint-promenade", "evening"),
        ),
        meals=(meal("farpoint-tavern", "evening", 1100),),
    )
    days = Itinerary(days=(first, second), currency="EUR")
    assert found(days) == set()
    early = replace(second, visits=(visit("farpoint-cathedral", "morning", begins=400, ends=445),))
    assert "travel-time" in found(replace(days, days=(first, early)))


def test_a_way_without_a_passage_is_not_cited() -> None:
    bare = replace(sound().days[1].legs[0], passage="")
    assert "not-cited" in found(with_day(2, legs=(bare,)))


def test_a_day_trip_is_visited_from_the_city_it_is_tied_to() -> None:
    visits = (visit("brackwell-cathedral", "morning"), *sound().days[0].visits[1:])
    days = with_day(1, visits=visits)
    assert "wrong-city" in found(days)
    tied = make_atlas(tie_passage("brackwell-cathedral", "DAY_TRIP_FROM", "aurel"))
    assert "wrong-city" not in found(days, atlas=tied)


def test_far_places_need_time_between_them() -> None:
    near = visit("aurel-cathedral", "morning")
    morning = [one.id for one in ATLAS.within("aurel") if "morning" in one.slots]
    far = visit(max(morning, key=lambda one: ATLAS.km(near.place, one) or 0), "morning")
    assert (ATLAS.km(near.place, far.place) or 0) > 3
    late = replace(far, begins=near.ends + 1, ends=near.ends + 31)
    assert found(with_day(1, visits=(near, late, *sound().days[0].visits[1:]))) >= {"travel-time"}


def test_every_sum_of_the_table_is_added_up_anew() -> None:
    days = sound()
    bill = bill_of(WISH, days, ATLAS)
    assert found(days, advice=Advice(bill=bill)) == set()
    cost = replace(bill.costs[0], total=bill.costs[0].total + 1)
    for wrong in (
        replace(bill, total=bill.total + 1),
        replace(bill, costs=(cost, *bill.costs[1:])),
        replace(bill, costs=bill.costs[1:], total=bill.total - bill.costs[0].total),
    ):
        assert found(days, advice=Advice(bill=wrong)) == {"arithmetic"}


def test_the_price_of_the_atlas_counts_and_not_that_of_the_days() -> None:
    """A plan that is within the budget only by its own wrong prices is over it."""
    true = bill_of(WISH, sound(), ATLAS).total
    wish = replace(WISH, budget=Budget(amount=true - 1, currency="EUR"))
    cheap = with_day(1, stay=replace(stay("aurel-inn"), price=Decimal(1)))
    assert {"price", "budget", "arithmetic"} <= found(cheap, wish)


def test_a_budget_a_day_is_for_each_day() -> None:
    total = bill_of(WISH, sound(), ATLAS).total
    enough = Budget(amount=total / 2 + 1, currency="EUR", per="day")
    assert found(sound(), replace(WISH, budget=enough)) == set()
    assert found(sound(), replace(WISH, budget=replace(enough, per="trip"))) == {"budget"}


def test_more_people_need_more_rooms() -> None:
    assert "arithmetic" in found(sound(), replace(WISH, group=Group(adults=4)))


def test_an_empty_plan_is_no_plan() -> None:
    assert "day-count" in found(Itinerary(days=(), currency="EUR"))
