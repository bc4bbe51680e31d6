"""What cannot be granted is told with its numbers, and the nearest that can is planned."""

import asyncio
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from atlas_shared import make_atlas, place_passage
from wishes_shared import TODAY, quillas, read, velmora

from consilience.packs.travel.trips.composing import compose
from consilience.packs.travel.trips.composing.brief import briefed
from consilience.packs.travel.trips.composing.thrift import cost_of
from consilience.packs.travel.trips.negotiating import negotiate
from consilience.packs.travel.trips.types import Avoid, Budget, Candidates, Group

ORDINARY = [
    "A romantic four-day trip, good food, no hiking, mid-range.",
    "a week in Lindow and Sandmouth",
    "family of four, a week, 3000 euros",
    "5 days, no flights, hiking and nature",
    "a long weekend in Port Aurel",
    "two weeks in the Hills",
    "from Port Aurel to Farpoint in a week",
    "a luxury week for 6000 euros",
    "ten days on a budget for 2000 euros",
    "solo, five days, vegetarian, art and museums",
    "3 nights in Port Aurel and 2 nights in Lindow",
    "a week from one base, beaches",
    "four cities in ten days",
    "round trip from Brackwell, 4 days, packed",
    "my mother is in a wheelchair, 4 days of culture",
    "must see Lindow Museum and Port Aurel Old Fort, 4 days",
    "a week in May for 60 euros a day per person",
    "I get seasick, a week of food and wine",
    "backpacking for ten days at 120 euros a day",
]


def agreed(text, atlas=None):
    atlas = atlas or velmora()
    return negotiate(read(text, atlas), atlas, today=TODAY)


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_wish_is_granted_unchanged(text):
    wish = read(text)
    found = negotiate(wish, velmora(), today=TODAY)
    assert not wish.off_topic
    assert (found.refusal, found.compromises) == ("", ())
    assert found.wish == wish


IMPOSSIBLE = {  # text: what the compromise speaks of
    "luxury week at 20 a day": "luxury",
    "a week in Lindow for 10 euros": "10.00 EUR",
    "five cities in two days": "5 cities",
    "Port Aurel, Lindow, Sandmouth, Highmere and Old Tarn in two days": "2 days",
    "a week in Lindow and Paris": "Paris",
    "a beach trip without beaches": "beach",
    "a week in Lindow, skip Lindow": "Lindow",
    "a week in Lindow from 3 May 2025": "3 May 2025",
    "0 days in Lindow": "0 days",
    "45 days of food": "45 days",
    "0 people, a week in Lindow": "nobody",
    "a trip for 40 people, 3 days": "40 people",
    "Farpoint and Lindow, 3 days, no flights and no trains": "Farpoint",
    "from Lindow to the Isle of Wren in two days, no boats, no flights": "Isle of Wren",
    "a week with halal food": "halal",
    "one base, Lindow and Sandmouth, 5 days": "at most 1 city",
    "3 days, 3 nights in Lindow and 2 nights in Sandmouth": "5 nights",
    "just one day, 23 November 2026, must see Lindow Museum": "Lindow Museum",
    "no boats, must do the Lindow Lake Cruise, 3 days": "Lindow Lake Cruise",
    "in a wheelchair, must see Lindow Lookout, 3 days": "Lindow Lookout",
    "twenty cities in a month": "20 cities",
    "a week of downhill skiing in Highmere": "skiing",
    "leaving yesterday, 4 days in Lindow": "15 November 2026",
    "Must avoid: Lindow. Must see: Lindow Museum. 4 days": "Lindow Museum",
    "a week for 5 XYZ in Lindow, budget 5 dollars": "5.00 USD",
}


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_what_is_impossible_is_told_and_the_nearest_is_planned(text):
    wish = read(text)
    assert not wish.off_topic
    found = negotiate(wish, velmora(), today=TODAY)
    assert not found.refusal
    assert any(IMPOSSIBLE[text] in one.wanted for one in found.compromises)
    for one in found.compromises:
        assert one.reason
        assert one.instead
    again = negotiate(replace(found.wish, text="a trip", unknown=()), velmora(), today=TODAY)
    assert again.compromises == ()  # what is granted can be


def test_luxury_for_little_becomes_the_best_level_that_fits():
    found = agreed("a luxury week for 1200 euros")
    assert found.wish.level == "mid-range"
    assert found.wish.budget == Budget(amount=Decimal(1200), currency="EUR", said="1200 euros")
    (told,) = found.compromises
    assert "1,200.00 EUR" in told.reason
    assert "2 people" in told.reason


@pytest.mark.parametrize(
    "text", ["luxury week at 20 a day", "a week in Lindow for 10 euros", "ten days for 400 dollars"]
)
def test_the_least_budget_that_would_do_does(text):
    found = agreed(text)
    nothing = Candidates(found=())
    days = asyncio.run(compose(found.wish, nothing, velmora()))
    brief = briefed(found.wish, nothing, velmora())
    whole = found.wish.budget.amount * (found.wish.days if found.wish.budget.per == "day" else 1)
    worth = Decimal("0.86") if found.wish.budget.currency == "USD" else 1
    assert found.wish.level == "budget"
    assert cost_of(days, brief) <= whole * worth


def test_more_people_need_a_larger_budget():
    one = agreed("solo, a week for 10 euros").wish.budget.amount
    four = agreed("four people, a week for 10 euros").wish.budget.amount
    assert one < four


def test_the_most_cities_that_fit_are_kept_with_the_least_travel():
    found = agreed("Highmere, Lindow, Sandmouth, Old Tarn and Port Aurel in two days")
    assert found.wish.cities == ("lindow", "sandmouth")
    (told,) = found.compromises
    assert "Highmere, Old Tarn, Port Aurel" in told.instead
    assert "Port Aurel is 1 h 20 min from Lindow" in told.reason
    assert len(agreed("five cities in two days: Highmere, Lindow, Sandmouth").compromises) == 1


def test_a_sight_in_a_city_that_is_left_out_is_left_out_with_it():
    found = agreed("Port Aurel, Lindow and the Old Tarn Museum in two days")
    assert found.wish.must == ("aurel", "lindow")


def test_nothing_known_is_refused_with_what_is_here():
    found = agreed("a week in Paris and Rome")
    assert "Paris" in found.refusal
    assert any("Lindow" in one for one in found.offers)
    assert agreed("a week in Velmora and Paris").refusal == ""


def test_everything_avoided_is_refused():
    wish = replace(
        read("a week"), avoid=Avoid(places=frozenset(one.id for one in velmora().cities()))
    )
    assert "nothing is left" in negotiate(wish, velmora()).refusal


def test_what_is_off_topic_is_refused_for_that_reason():
    assert negotiate(read("write me a poem"), velmora()).refusal


def test_a_date_in_the_past_is_the_same_day_next_time():
    found = agreed("a week in Lindow from 3 May 2025")
    assert found.wish.starts_on == date(2027, 5, 3)
    wish = replace(found.wish, starts_on=date(2024, 2, 29))
    assert negotiate(wish, velmora(), today=TODAY).wish.starts_on == date(2027, 2, 28)
    assert negotiate(wish, velmora()).compromises == ()


def test_a_theme_that_nobody_has_is_shared_out():
    atlas = make_atlas()
    wish = replace(read("a week"), themes={"food": 60, "culture": 40})
    assert negotiate(wish, atlas).compromises == ()
    bare = quillas()
    found = negotiate(
        replace(read("a week in Kepala", bare), themes={"wildlife": 50, "food": 50}, assumed=()),
        bare,
    )
    assert any("wildlife" in one.wanted for one in found.compromises)
    assert sum(found.wish.themes.values()) == 100


def test_a_theme_that_the_city_does_not_have_is_told_with_the_nearest():
    inland = make_atlas(without=("brackwell-strand", "brackwell-kayak-cove"))
    found = negotiate(read("a week of beaches and food in Brackwell, one base", inland), inland)
    assert any(
        "beach in Brackwell" in one.wanted and "nearest" in one.reason for one in found.compromises
    )
    assert "beach" not in found.wish.themes


def test_a_sight_closed_all_the_while_is_left_out_and_told_when_it_opens():
    winter = place_passage(
        "ice-cave",
        "Ice Cave",
        "attraction",
        type="cave",
        city="lindow",
        price=5.0,
        currency="EUR",
        hours="Jun-Aug Mo-Su 09:00-17:00",
        visit_minutes=60,
    )
    atlas = make_atlas(winter)
    found = negotiate(read("must see the Ice Cave, a week in February", atlas), atlas, today=TODAY)
    assert found.wish.must == ()
    (told,) = found.compromises
    assert "1 June 2027" in told.reason
    open_ = negotiate(read("must see the Ice Cave, a week in July", atlas), atlas, today=TODAY)
    assert open_.compromises == ()


def test_more_sights_than_days_hold_are_left_out():
    names = [
        "Museum",
        "Cathedral",
        "Old Fort",
        "Strand",
        "Gallery",
        "Lookout",
        "Hermitage",
        "Town Square",
    ]
    text = "one day, must see " + ", ".join(f"Lindow {one}" for one in names)
    found = agreed(text)
    assert len(found.wish.must) <= 5
    assert found.wish.pace == "packed"
    assert any("left out" in one.instead for one in found.compromises)


def test_a_level_that_a_city_does_not_have_is_told():
    plain = make_atlas(without=("lindow-grand", "lindow-bay-resort"))
    found = negotiate(read("a luxury weekend in Lindow", plain), plain)
    assert any("luxury in Lindow" in one.wanted for one in found.compromises)


def test_a_currency_without_a_rate_is_told_and_the_rest_planned():
    wish = replace(
        read("a week in Lindow"), budget=Budget(amount=Decimal(5), currency="XYZ", said="5 XYZ")
    )
    found = negotiate(wish, velmora())
    assert found.wish.budget is None
    assert any("XYZ" in one.reason for one in found.compromises)


def test_children_do_not_travel_alone():
    wish = replace(read("a week in Lindow"), group=Group(adults=0, children=2))
    assert negotiate(wish, velmora()).wish.group == Group(adults=2, children=2)


def test_a_named_sight_stays_in_spite_of_crowds_and_is_told():
    atlas = make_atlas(
        place_passage("dome", "Verdigris Dome", "attraction", city="lindow", features=("crowds",))
    )
    found = agreed("4 days, must see the Verdigris Dome, no crowds", atlas)
    assert "dome" in found.wish.must
    assert found.compromises == ()
    assert any("Verdigris Dome" in one for one in found.wish.assumed)
    assert "crowds" in found.wish.avoid.features


def test_a_theme_that_the_cities_asked_for_do_not_have_is_told_once():
    found = agreed("a week in Kepala for wildlife and art", quillas())
    about = [one for one in found.compromises if "wildlife" in one.wanted or "art" in one.wanted]
    assert len(about) == 1


def test_a_budget_where_nothing_has_a_price_is_told():
    atlas = make_atlas()
    atlas.currency = ""
    found = negotiate(read("a week for 500 euros"), atlas, today=TODAY)
    assert any("price" in one.reason for one in found.compromises)
    assert found.wish.budget is None
