"""Where does one sleep and eat, and is the budget kept?"""

from dataclasses import replace
from decimal import Decimal

import pytest
from composing_shared import (
    ATLAS,
    composed,
    cost,
    faults,
    listed,
    visited,
)

from consilience.packs.travel.trips.types import (
    Budget,
    Group,
)

# --- beds, tables, money ----------------------------------------------------------------


@pytest.mark.parametrize("level", ["budget", "mid-range", "luxury"])
def test_beds_are_of_the_level_and_the_same_in_a_city(level):
    trip = composed(days=6, level=level)
    beds = [(day.city, day.stay) for day in trip.days if day.stay]
    assert {ATLAS.places[stay.place].level for _, stay in beds} == {level}
    assert len({city for city, _ in beds}) == len({stay.place for _, stay in beds})
    assert trip.days[-1].stay is None


def test_the_order_of_the_candidates_decides_the_bed():
    pair = [ATLAS.places["aurel-inn"], ATLAS.places["aurel-courtyard-hotel"]]
    for first in (pair, pair[::-1]):
        trip = composed(days=2, cities=("aurel",), candidates=listed(first))
        assert trip.days[0].stay.place == first[0].id


def test_rooms_are_as_many_as_are_needed():
    trip = composed(days=2, group=Group(adults=5))
    assert trip.days[0].stay.rooms == 3


def test_lunch_and_dinner_are_eaten_at_different_tables():
    trip = composed(days=4, cities=("aurel",), themes={"history": 100})
    for day in trip.days:
        assert [meal.slot for meal in day.meals] == ["afternoon", "evening"]
        assert len({meal.place for meal in day.meals}) == 2
    assert len({meal.place for day in trip.days for meal in day.meals}) >= 4


def test_whoever_has_just_cooked_does_not_lunch_as_well():
    found = listed([ATLAS.places["aurel-kitchen-school"]])
    trip = composed(days=1, cities=("aurel",), candidates=found)
    assert visited(trip)[0] == "aurel-kitchen-school"
    assert [meal.slot for meal in trip.days[0].meals] == ["evening"]


def test_every_theme_of_some_weight_has_something():
    themes = {"history": 40, "water-sports": 30, "nightlife": 30}
    for pace in ("relaxed", "balanced"):
        trip = composed(days=2, cities=("sandmouth",), themes=themes, pace=pace)
        places = [ATLAS.places[one] for one in visited(trip)]
        for theme in themes:
            assert any(one.themes.get(theme, 0) >= 0.5 for one in places), (pace, theme)


def test_a_budget_is_kept_and_not_undercut_without_need():
    parts = {"days": 4, "themes": {"relaxation": 50, "romance": 50}}
    free = composed(**parts)
    most = cost(free, days=4) * Decimal("0.7")
    budget = Budget(amount=most, currency="EUR")
    trip = composed(**parts, budget=budget)
    assert cost(trip, days=4) <= most
    assert not faults(trip, **parts, budget=budget)
    plenty = replace(budget, amount=cost(free, days=4))
    assert composed(**parts, budget=plenty) == free


def test_a_budget_in_another_currency_and_by_the_day():
    budget = Budget(amount=Decimal(120), currency="USD", per="day")
    trip = composed(days=4, budget=budget)
    assert cost(trip, days=4) <= Decimal(480) * Decimal("0.86")
    assert not faults(trip, days=4, budget=budget)


def test_a_budget_that_cannot_be_kept_is_told():
    trip = composed(days=3, level="luxury", budget=Budget(amount=Decimal(90), currency="EUR"))
    assert any("budget" in gap for gap in trip.gaps)
    assert {ATLAS.places[day.stay.place].level for day in trip.days if day.stay} == {"luxury"}
