"""Plans of the solver: what every one of them holds, and what cannot be had together."""

from __future__ import annotations

import random
from datetime import date
from decimal import Decimal

import pytest
from atlas_shared import make_atlas
from second_country import second_atlas

from consilience.packs.travel.advice import bill_of
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.check import find_faults
from consilience.packs.travel.composer import Composition, compose, frame_of
from consilience.packs.travel.constraints import (
    Appointment,
    Avoid,
    ClockWindow,
    Constraint,
    Dates,
    End,
    FreeTime,
    GoTo,
    Group,
    Length,
    Means,
    Missing,
    Money,
    Need,
    Nights,
    Order,
    Pace,
    Scope,
    Season,
    Start,
    Theme,
    Thing,
    Want,
    Within,
)
from consilience.packs.travel.itinerary import Candidates, Itinerary
from consilience.packs.travel.wish import Wish, complete

TODAY = date(2027, 1, 4)
ATLAS = make_atlas()


def wish_of(*constraints: Constraint) -> Wish:
    return complete(Wish(text="", constraints=constraints))


def composed(*constraints: Constraint, atlas: Atlas = ATLAS) -> Composition:
    return compose(wish_of(*constraints), Candidates(), atlas, today=TODAY)


def days_of(count: int) -> Length:
    return Length(least=count, most=count)


def planned(*constraints: Constraint, atlas: Atlas = ATLAS) -> Itinerary:
    """A plan in which nothing is wrong and every hard constraint is kept or unknown."""
    found = composed(*constraints, atlas=atlas)
    assert found.itinerary is not None
    assert not found.clashes, [[one.state(atlas) for one in c.constraints] for c in found.clashes]
    assert_sound(found.itinerary, constraints, atlas)
    return found.itinerary


def assert_sound(itinerary: Itinerary, constraints: tuple[Constraint, ...], atlas: Atlas) -> None:
    bill = bill_of(wish_of(*constraints), itinerary, atlas)
    assert list(find_faults(itinerary, bill, atlas)) == []
    for one in constraints:
        check = one.check(itinerary, atlas)
        assert check.verdict != "broken", (one.state(atlas), check.reason)


def museum() -> Thing:
    return Thing(by="type", name="museum")


KEPT: dict[str, tuple[Constraint, ...]] = {
    "three days": (days_of(3),),
    "a long way": (days_of(8), Start(place="aurel"), End(place="farpoint")),
    "nights": (days_of(6), Nights(place="lindow", least=2, most=2), GoTo(place="aurel")),
    "order": (days_of(7), Order(places=("highmere", "brackwell", "sandmouth"))),
    "late and early": (days_of(3), ClockWindow(earliest=600), ClockWindow(latest=1230)),
    "region": (days_of(4), Within(places=("hills",))),
    "no museums": (days_of(3), Avoid(things=(museum(),))),
    "museums": (days_of(4), Want(things=(museum(),), least=3)),
    "little money": (days_of(4), Money(amount=Decimal(600), currency="EUR")),
    "cheap meals": (days_of(3), Money(amount=Decimal(20), currency="EUR", per="meal")),
    "wheelchair": (days_of(3), Need(need="wheelchair")),
    "one bed": (days_of(5), Pace(measure="beds", most=0)),
    "few visits": (days_of(4), Pace(measure="visits", most=2)),
    "no plane": (days_of(5), Means(modes=("plane",), rule="never"), GoTo(place="wren")),
    "stretches": (
        days_of(6),
        Theme(theme="romance", scope=Scope(days=(1, 2, 3))),
        Theme(theme="adventure", scope=Scope(days=(4, 5, 6))),
    ),
    "a free afternoon": (days_of(4), FreeTime(scope=Scope(part="afternoon", days=(2,)))),
    "an appointment": (
        days_of(3),
        GoTo(place="lindow"),
        Appointment(title="a call", start=840, end=960, scope=Scope(days=(2,))),
    ),
    "dates": (Dates(start=date(2027, 3, 9), end=date(2027, 3, 12)),),
    "a season": (days_of(5), Season(months=(4,))),
    "a family": (days_of(3), Group(adults=2, children=3)),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_plan_keeps_what_is_asked_for(name):
    planned(*KEPT[name])


def test_the_same_wish_gives_the_same_plan():
    first, second = (composed(*KEPT["order"]) for _ in range(2))
    assert first.itinerary == second.itinerary
    assert (first.value, first.bound) == (second.value, second.bound)


def test_the_value_does_not_pass_the_bound():
    found = composed(days_of(5))
    assert found.value is not None
    assert found.bound is not None
    assert found.value <= found.bound


def test_a_day_reads_well():
    found = planned(days_of(6))
    for day in found.days:
        assert 1 <= len(day.visits) <= 5
        assert len(day.meals) <= 2
        assert all(visit.start >= 8 * 60 for visit in day.visits)
    assert sum(len(day.meals) for day in found.days) >= 6
    places = [visit.place for _, visit in found.visits()]
    assert len(set(places)) == len(places)


def test_a_city_is_not_entered_twice():
    found = planned(days_of(8), Start(place="aurel"))
    cities = [day.city for day in found.days]
    stretches = [city for at, city in enumerate(cities) if at == 0 or cities[at - 1] != city]
    assert len(set(stretches)) == len(stretches)


def test_more_cities_than_days_clash_with_the_length():
    every = tuple(GoTo(place=city) for city in ("aurel", "wren", "farpoint", "highmere"))
    found = composed(days_of(2), *every)
    assert found.itinerary is not None
    named = {one.kind for clash in found.clashes for one in clash.constraints}
    assert named == {"go to", "length"}
    assert all(one.kind == "go to" for one in found.dropped)
    kept = [one for one in every if one not in found.dropped]
    assert all(one.check(found.itinerary, ATLAS).verdict == "kept" for one in kept)


def test_a_clash_is_minimal():
    found = composed(
        days_of(4),
        Want(things=(museum(),)),
        Avoid(things=(museum(),)),
        GoTo(place="lindow"),
        Pace(measure="visits", most=3),
    )
    assert [{one.kind for one in clash.constraints} for clash in found.clashes] == [
        {"want", "avoid"}
    ]


@pytest.mark.parametrize(
    ("constraints", "kinds"),
    [
        ((Missing(name="Paris"), days_of(3), GoTo(place="aurel")), {"missing"}),
        ((days_of(3), Money(amount=Decimal(5), currency="EUR", per="bed")), {"money"}),
        ((days_of(6), Dates(start=date(2027, 3, 1), end=date(2027, 3, 3))), {"length", "dates"}),
        (
            (days_of(4), Nights(place="lindow", least=4, most=4), Nights(place="wren", least=4,
             most=4)),
            {"nights", "length"},
        ),
        ((days_of(3), GoTo(place="wren"), Within(places=("hills",))), {"go to", "within"}),
    ],
)  # fmt: skip
def test_what_is_impossible_is_named(constraints, kinds):
    found = composed(*constraints)
    assert {one.kind for clash in found.clashes for one in clash.constraints} == kinds
    assert found.itinerary is not None


def test_a_soft_constraint_gives_way_without_a_clash():
    found = composed(days_of(3), Within(places=("hills",)), GoTo(place="wren", hard=False))
    assert not found.clashes
    assert found.itinerary is not None
    assert all(ATLAS.lies_in(day.city, "hills") for day in found.itinerary.days)


def test_poor_data_gives_plans_and_says_what_is_assumed(tmp_path):
    atlas = second_atlas(tmp_path)
    found = planned(days_of(3), atlas=atlas)
    assert found.days[0].visits
    assert any("take 1 h 15 min" in words for words in found.assumed)
    assert all(visit.price is None for _, visit in found.visits())


def test_a_season_without_dates_dates_the_plan():
    frame = frame_of((days_of(4), Season(months=(4,))), TODAY)
    assert frame.first is not None
    assert frame.first.month == 4


def test_drawn_constraint_sets_are_kept_or_clash():
    chance = random.Random(26)
    cities = [city.id for city in ATLAS.cities()]
    for _ in range(12):
        one, other = chance.sample(cities, 2)
        drawn: list[Constraint] = [
            days_of(chance.randint(2, 9)),
            chance.choice([Start(place=one), GoTo(place=one), Nights(place=one, least=1, most=3)]),
            chance.choice([End(place=other), GoTo(place=other), ClockWindow(earliest=570)]),
            chance.choice(
                [
                    Pace(measure="visits", most=3),
                    Avoid(things=(museum(),)),
                    Means(modes=("plane",), rule="never"),
                    Money(amount=Decimal(chance.randint(2, 20) * 100), currency="EUR"),
                    Need(need="wheelchair"),
                ]
            ),
        ]
        found = composed(*drawn)
        assert found.itinerary is not None
        left = tuple(constraint for constraint in drawn if constraint not in found.dropped)
        assert_sound(found.itinerary, left, ATLAS)


def test_an_assumed_length_yields_to_what_was_stated():
    stays = tuple(Nights(place=city, least=4, most=99) for city in ("lindow", "wren"))
    route = tuple(GoTo(place=city) for city in ("aurel", "wren", "farpoint", "highmere"))
    late = GoTo(place="lindow", scope=Scope(days=(6,)))
    for stated in (stays, route, (late,), (Pace(measure="nights", least=3), *route[:2])):
        found = composed(*stated)
        assert found.itinerary is not None
        assert not found.clashes
        assert_sound(found.itinerary, stated, ATLAS)
    assert found.length is not None
    assert found.length.assumed
    assert found.length.least == len(found.itinerary.days)
