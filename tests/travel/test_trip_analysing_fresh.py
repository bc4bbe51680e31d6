"""Wishes in other voices: short forms, lists of kin, nicknames, bases, directions."""

from datetime import date
from decimal import Decimal

import pytest
from atlas_shared import make_atlas, place_passage
from wishes_shared import TODAY, quillas, read

from consilience.packs.travel.trips.composing.brief import briefed
from consilience.packs.travel.trips.composing.ways import Ways
from consilience.packs.travel.trips.negotiating import negotiate
from consilience.packs.travel.trips.types import Candidates


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("5d Lindow", 5),
        ("1 wk of food", 7),
        ("2w hiking", 14),
        ("4d3n Lindow", 4),
        ("two years in Lindow", 730),
        ("half an hour in Lindow", 1),
        ("a week with one child (4 years)", 7),
    ],
)
def test_lengths_in_short_forms(text, days):
    assert read(text).days == days


@pytest.mark.parametrize(
    ("text", "adults", "children"),
    [
        ("two adults and one child (4 years), 5 days", 2, 1),
        ("family of four, kids 8 and 10, 5 days in Lindow", 2, 2),
        ("Me, wife, 2 teens. 5 days", 2, 2),
        ("Grandma (82), mum, me and baby. 5 days", 3, 1),
        ("my parents and we (two), a week", 4, 0),
        ("I'm 22 and don't sleep. 5 days, museums", 1, 0),
        ("work leaves me with 2 free days in Lindow", 1, 0),
        ("I'm planning a week of food", 2, 0),
        ("I have a week, a romantic trip", 2, 0),
    ],
)
def test_people_in_other_words(text, adults, children):
    found = read(text).group
    assert (found.adults, found.children) == (adults, children)


def test_shares_before_their_words_count_whoever_is_named_first():
    found = read("a week with my girlfriend: 40% nature, 30% food, 20% culture, 10% nightlife")
    assert found.themes == {"nature": 40, "food": 30, "culture": 20, "nightlife": 10}


def test_half_of_the_time_is_half():
    assert read("a week, beach half of the time, some culture").themes["beach"] == 50


def test_flat_walks_are_no_hikes():
    assert "hiking" not in read("flat walks only, 5 days of food").themes
    assert "hiking" in read("long walks in the hills, 5 days").themes


def test_please_ends_what_is_not_wanted():
    found = read("a week, no museums please, snorkelling and food")
    assert "museum" in found.avoid.types
    assert "snorkelling" not in found.avoid.types


def test_what_is_implied_is_told_as_what_it_is():
    found = read("my mother is in a wheelchair, 4 days of culture")
    assert "stairs" in found.avoid.said
    assert not any("wheelchair" in one for one in found.avoid.said)
    assert "museum" in read("no museums, 4 days of food").avoid.said[0]


def test_a_price_a_night_is_a_level_and_told():
    atlas = make_atlas()
    cheap = read("a week in Lindow, 5 euros a night", atlas)
    dear = read("a week in Lindow, 5000 euros a night", atlas)
    assert (cheap.level, dear.level) == ("budget", "luxury")
    assert any("5000 euros a night" in one for one in dear.assumed)
    assert dear.budget is None


def test_a_second_amount_is_told():
    found = read("a week, my parents spend 150 euros a day, my friend and I 60 euros a day")
    assert found.budget.amount == Decimal(150)
    assert any("60 euros a day" in one for one in found.unclear)


@pytest.mark.parametrize("text", ["Lindow, 6 days, solo, budget", "4 days, budget hotels, 500 EUR"])
def test_budget_alone_is_a_level(text):
    assert read(text).level == "budget"


def test_only_night_buses_are_ruled_out():
    wish = read("a week of food, no night buses")
    assert "overnight bus" in wish.avoid.modes
    assert "bus" not in wish.avoid.modes
    atlas = make_atlas()
    left = Ways(briefed(wish, Candidates(found=()), atlas))
    kept = [way for ways in left._leaving.values() for way in ways]
    assert any(one.mode == "bus" for one in kept)
    assert not any(one.mode == "bus" and one.overnight for one in kept)


def test_who_only_travels_by_train_travels_by_nothing_else():
    found = read("we only travel by train, a week of food").avoid.modes
    assert "bus" in found
    assert "train" not in found


def test_an_outing_is_no_place_to_stay():
    found = read("Lindow as a day trip from Sandmouth, 3 days")
    assert found.cities == ("sandmouth",)
    assert "lindow" in found.must


def test_from_one_base_other_cities_are_outings():
    found = read("5 days, base in Sandmouth, day trips to Lindow and Highmere")
    assert found.cities == ("sandmouth",)


def test_a_chain_that_comes_back_begins_and_ends_there():
    found = read("ten days Lindow → Sandmouth → Highmere → Lindow")
    assert (found.start, found.end) == ("lindow", "lindow")
    assert found.cities == ("sandmouth", "highmere")


def test_north_to_south_goes_from_one_end_to_the_other():
    found = read("a week, whole country, north to south", quillas())
    assert (found.start, found.end) == ("nice", "ile-doree")
    assert any("north to south" in one for one in found.assumed)


def test_in_the_middle_is_no_region():
    assert read("a week, a beach in the middle for 3 nights").region == ""


def with_sights():
    return make_atlas(
        place_passage(
            "glass-gate", "Glasswing Hills and the Amber Gate", "attraction", city="lindow"
        ),
        place_passage(
            "otters", "Reedmere Otter Watching", "attraction", city="lindow", best_months=(6, 7)
        ),
    )


@pytest.mark.parametrize("text", ["4 days, see the Amber Gate", "4 days, the Glasswing gate"])
def test_a_part_of_a_name_is_the_sight(text):
    assert "glass-gate" in read(text, with_sights()).must


def test_the_words_of_a_name_are_known_in_another_order_where_its_city_is_named():
    assert "otters" in read("4 days in Lindow, the otter Reedmere", with_sights()).must


def test_small_words_are_no_part_of_a_name():
    assert "glass-gate" not in read("4 days in Lindow and the rest", with_sights()).must


def test_what_is_seen_in_other_months_is_told_and_planned():
    atlas = with_sights()
    winter = negotiate(read("otters in Lindow in January, 4 days", atlas), atlas, today=TODAY)
    summer = negotiate(read("otters in Lindow in July, 4 days", atlas), atlas, today=TODAY)
    assert any("Otter" in one.wanted and "June" in one.reason for one in winter.compromises)
    assert not any("Otter" in one.wanted for one in summer.compromises)


def test_a_name_that_texts_tell_of_is_known():
    atlas = make_atlas(
        place_passage("mill", "Mill", "attraction", city="lindow", type="mill on the Brandle"),
        place_passage("weir", "Weir", "attraction", city="lindow", type="weir on the Brandle"),
    )
    found = read("4 days around Brandle", atlas)
    assert found.unknown == ()
    assert "lindow" in found.cities
    assert read("4 days around Brandle").unknown == ("Brandle",)


def test_a_place_elsewhere_stays_unknown_whoever_tells_of_it():
    atlas = make_atlas(
        place_passage("mill", "Mill", "attraction", city="lindow", type="mill as in Paris"),
        place_passage("weir", "Weir", "attraction", city="lindow", type="weir as in Paris"),
    )
    assert read("4 days in Lindow and Paris", atlas).unknown == ("Paris",)


def test_a_language_is_no_place():
    assert read("sorry, in English: a week of food").unknown == ()


def test_a_weekday_in_a_month():
    found = read("5 days starting on a Friday in May 2027, markets on Sunday")
    assert found.starts_on == date(2027, 5, 7)
    assert read("5 days from the last Monday of May 2027").starts_on == date(2027, 5, 31)


def test_a_span_that_is_turned_round_is_told():
    wish = read("from 10 May to 5 May in Lindow")
    found = negotiate(wish, make_atlas(), today=TODAY)
    assert (found.wish.days, found.wish.starts_on) == (6, date(2027, 5, 5))
    assert "before" in found.compromises[0].reason


def test_a_year_that_is_over_is_told():
    found = negotiate(read("5 days in 2019, March"), make_atlas(), today=TODAY)
    assert "2019" in found.compromises[0].wanted


def test_a_feast_in_another_month_is_told():
    found = negotiate(read("Christmas in August, Lindow, 3 days"), make_atlas(), today=TODAY)
    assert any("August" in one.wanted for one in found.compromises)
    fine = negotiate(read("Christmas in December, Lindow, 3 days"), make_atlas(), today=TODAY)
    assert fine.compromises == ()


@pytest.mark.parametrize("text", ["five easy days in Lindow", "four quiet days in Lindow"])
def test_easy_days_are_relaxed(text):
    assert read(text).pace == "relaxed"


@pytest.mark.parametrize(
    "text",
    [
        "Plan my wedding for 80 guests in March, budget 20000",
        "Plan a 5-day training programme for new employees",
        "Trip hazard in warehouse, two days lost, who do I report to?",
        "I had a great trip to Lindow last year, thank you!",
        "four weeks of marathon training, budget for shoes 150 EUR",
        "Tell me the history of the old dynasty",
    ],
)
def test_what_only_sounds_like_a_trip_is_none(text):
    assert read(text).off_topic


@pytest.mark.parametrize(
    "text", ["Plan our wedding trip, 5 days", "Plan a party weekend in Lindow for 4 friends"]
)
def test_a_trip_for_a_feast_is_one(text):
    assert not read(text).off_topic
