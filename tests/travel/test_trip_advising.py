"""Is everything that is advised in the atlas, and cited?"""

import asyncio
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from atlas_shared import make_atlas, place_passage, remark_passage, way_passage
from trip_shared import STARTS_ON, leg, make_days, make_wish, visit

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.hours import is_open
from consilience.packs.travel.trips.advising import MOST_TIPS, advise
from consilience.packs.travel.trips.bill import bill_of
from consilience.packs.travel.trips.types import Avoid, Day, Itinerary
from consilience.packs.travel.trips.wording import briefly, duration, joined, months_of


def advised(atlas, days, **parts):
    return asyncio.run(advise(make_wish(**parts), days, atlas))


def tips_of(advice):
    return (*advice.transport, *advice.season, *advice.booking, *advice.safety)


def known_passages(atlas):
    found = {one.passage for one in atlas.places.values()}
    found |= {one.passage for ways in atlas.connections.values() for one in ways}
    return found | {one.passage for told in atlas.remarks.values() for one in told}


def single(atlas, *places, on=None, city="aurel"):
    """One day of some visits."""
    slots = ("morning", "afternoon", "evening")
    visits = tuple(
        visit(atlas, place, slots[at], (540, 840, 1200)[at]) for at, place in enumerate(places)
    )
    return Itinerary(days=(Day(number=1, city=city, visits=visits, on=on),), currency="EUR")


def test_every_leg_is_told_with_its_time_price_and_departures_and_cites_its_connection():
    atlas = make_atlas()
    first, back, night, *_ = advised(atlas, make_days(atlas)).transport
    assert first.text.startswith("Port Aurel to Lindow: train (1 h 20 min, 14.00 EUR a person)")
    assert "departures about ten a day 06:00-21:00" in first.text
    assert first.passages[0] == "w:aurel-lindow-train"
    assert back.text.startswith("Lindow to Port Aurel: train")
    assert "overnight train (10 h 20 min, 42.00 EUR a person)" in night.text
    assert "nightly 20:30" in night.text


def test_other_ways_of_the_atlas_are_offered_and_cited_but_none_that_is_avoided():
    atlas = make_atlas()
    days = make_days(atlas)
    *_, night = advised(atlas, days).transport[:3]
    assert night.text.endswith("Otherwise: flight (1 h 15 min, 96.00 EUR a person).")
    assert night.passages == ("w:aurel-farpoint-train-night", "w:aurel-farpoint-flight")
    avoid = Avoid(modes=frozenset({"flight"}))
    *_, night = advised(atlas, days, avoid=avoid).transport[:3]
    assert "flight" not in night.text
    assert night.passages == ("w:aurel-farpoint-train-night",)


def test_the_note_of_a_connection_is_told():
    way = way_passage("wren", "lindow", "boat", 95, 12.5, note="Sit on the left for the cliffs")
    atlas = make_atlas(way)
    days = Itinerary(
        days=(Day(number=1, city="lindow", legs=(leg(atlas, "wren", "lindow", "boat", 540),)),),
        currency="EUR",
    )
    assert "Sit on the left for the cliffs." in advised(atlas, days).transport[0].text


def test_a_time_that_nobody_says_is_told_as_computed():
    way = way_passage("wren", "lindow", "boat", 90, 5.0, computed=True)
    atlas = make_atlas(way)
    days = Itinerary(
        days=(Day(number=1, city="lindow", legs=(leg(atlas, "wren", "lindow", "boat", 540),)),),
        currency="EUR",
    )
    assert "computed from the distance" in advised(atlas, days).transport[0].text


def test_no_leg_is_left_out_however_many_there_are():
    towns = [f"town{at}" for at in range(10)]
    atlas = Atlas.of(
        [place_passage(one, one.title(), "city") for one in towns]
        + [way_passage(*pair, "bus", 60, 3.0) for pair in pairwise(towns)]
        + [remark_passage(one, "getting_around", f"{one} is small.") for one in towns]
    )
    days = tuple(
        Day(number=at, city=end, legs=(leg(atlas, start, end, "bus", 540),))
        for at, (start, end) in enumerate(pairwise(towns), start=1)
    )
    told = advised(atlas, Itinerary(days=days, currency="EUR")).transport
    assert [tip.text.split(":")[0] for tip in told[:9]] == [
        f"Town{at} to Town{at + 1}" for at in range(9)
    ]


@pytest.mark.parametrize(
    ("on", "said"),
    [
        (date(2027, 10, 4), "Lindow is best in April, May and September, not in October."),
        (date(2027, 4, 5), "April suits Lindow: it is best in April, May and September."),
        (None, "Lindow is best in April, May and September."),
    ],
)
def test_the_month_of_the_trip_is_held_against_the_best_months(on, said):
    atlas = make_atlas()
    advice = advised(atlas, single(atlas, "lindow-museum", on=on, city="lindow"))
    tip = advice.season[0]
    assert tip.text.startswith(said)
    assert tip.passages == ("p:lindow", "r:lindow-season")
    assert "the dry months are best" in tip.text


def test_a_month_without_dates_counts_and_a_place_out_of_season_is_told():
    atlas = make_atlas()
    days = single(atlas, "aurel-strand")
    told = [tip.text for tip in advised(atlas, days, month=7).season]
    assert "Port Aurel Strand is best from November to March, not in July." in told
    assert not any("not in" in tip.text for tip in advised(atlas, days, month=1).season)


def test_without_a_month_the_months_that_suit_all_cities_are_told():
    more = [
        place_passage("ebb", "Ebb", "city", best_months=(3, 4, 5)),
        place_passage("flow", "Flow", "city", best_months=(4, 5, 6)),
    ]
    atlas = make_atlas(*more)
    days = Itinerary(days=(Day(number=1, city="ebb"), Day(number=2, city="flow")), currency="EUR")
    first = advised(atlas, days).season[0]
    assert first.text == "Ebb and Flow are all at their best in April and May."
    assert first.passages == ("p:ebb", "p:flow")


def test_closing_days_are_told_of_a_trip_without_dates_only():
    atlas = make_atlas()
    days = single(atlas, "aurel-museum", "aurel-gallery", "aurel-jazz-cellar")
    told = [tip.text for tip in advised(atlas, days).booking]
    assert "Port Aurel Museum and Port Aurel Jazz Cellar are closed on Mondays." in told
    assert "Port Aurel Gallery is closed on Tuesdays." in told
    dated = single(atlas, "aurel-museum", "aurel-gallery", on=date(2027, 3, 3))
    assert not any("closed" in tip.text for tip in advised(atlas, dated).booking)


def test_the_days_to_begin_on_are_those_on_which_all_is_open():
    atlas = make_atlas()
    days = make_days(atlas)
    [told] = [tip.text for tip in advised(atlas, days).booking if tip.text.startswith("Begin")]
    assert told.startswith("Begin on any day but a Monday or a Tuesday:")
    for begins in range(7):
        first = date(2027, 6, 7) + timedelta(days=begins)
        opened = all(
            is_open(atlas.places[one.place].hours, first + timedelta(days=at), one.begins, one.ends)
            for at, day in enumerate(days.days)
            for one in day.visits
        )
        assert opened == (begins not in (0, 1))


def test_that_no_day_to_begin_on_suits_is_said():
    shut = place_passage("odd", "Odd House", "attraction", city="aurel", hours="Mo 09:00-12:00",
                         visit_minutes=60, price=1.0)  # fmt: skip
    other = place_passage("even", "Even House", "attraction", city="aurel",
                          hours="Tu 13:00-18:00", visit_minutes=60, price=1.0)  # fmt: skip
    atlas = make_atlas(shut, other)
    told = [tip.text for tip in advised(atlas, single(atlas, "odd", "even")).booking]
    assert any(text.startswith("Whatever day the trip begins on") for text in told)


def test_a_night_on_the_way_is_told_with_its_day():
    atlas = make_atlas()
    booking = advised(atlas, make_days(atlas, starts_on=STARTS_ON)).booking
    assert (
        booking[0].text == "The night of day 3 is spent on the train from Port Aurel to Farpoint."
    )
    assert booking[0].passages == ("w:aurel-farpoint-train-night",)


def test_what_is_remarked_of_a_place_comes_before_what_is_of_its_city():
    more = [
        remark_passage("aurel-museum", "booking", "Tickets sell out; order a day ahead"),
        remark_passage("aurel-museum", "safety", "The tower stairs have no rail."),
    ]
    atlas = make_atlas(*more)
    advice = advised(atlas, single(atlas, "aurel-museum", on=STARTS_ON))
    expected = "Port Aurel Museum: Tickets sell out; order a day ahead."
    assert advice.booking[0].text == expected
    assert advice.booking[0].passages == ("r:aurel-museum-booking",)
    assert advice.safety[0].passages == ("r:aurel-museum-safety",)
    assert advice.safety[-1].passages == ("r:aurel-safety",)


def test_what_is_hard_or_steep_or_on_the_water_is_told():
    lake = place_passage("lake", "Highmere Lake", "attraction", city="highmere", price=0.0,
                         visit_minutes=60, features=("swimming", "boat"))  # fmt: skip
    atlas = make_atlas(lake)
    days = single(atlas, "highmere-ridge-walk", "highmere-kayak-cove", "lake", city="highmere")
    tip = advised(atlas, days).safety[0]
    assert tip.text == (
        "Be ready for hard going, steep ground and heights at Highmere Ridge Walk; "
        "for a boat and swimming at Highmere Kayak Cove and Highmere Lake."
    )
    assert tip.passages == ("p:highmere-ridge-walk", "p:highmere-kayak-cove", "p:lake")


def test_every_tip_cites_passages_of_the_atlas_and_none_is_said_twice():
    atlas = make_atlas()
    for starts_on in (None, STARTS_ON):
        advice = advised(atlas, make_days(atlas, starts_on=starts_on))
        tips = tips_of(advice)
        assert len(tips) > 10
        assert all(tip.passages and set(tip.passages) <= known_passages(atlas) for tip in tips)
        assert len({tip.text for tip in tips}) == len(tips)
        for subject in (advice.season, advice.booking, advice.safety):
            assert len(subject) <= MOST_TIPS


def test_an_atlas_that_remarks_nothing_gives_no_advice():
    atlas = Atlas.of(
        [
            place_passage("ebb", "Ebb", "city"),
            place_passage("quay", "Quay", "attraction", city="ebb", visit_minutes=60, price=2.0),
        ]
    )
    advice = advised(atlas, single(atlas, "quay", city="ebb"))
    assert tips_of(advice) == ()
    assert advice.bill.total == Decimal("4.0")


def test_the_bill_is_that_of_the_days_and_the_group():
    atlas = make_atlas()
    days = make_days(atlas)
    wish = make_wish()
    bill = advised(atlas, days).bill
    assert bill == bill_of(wish, days, atlas)
    assert sum(one.count * one.each for one in bill.costs) == bill.total
    alone = replace(wish.group, adults=1)
    assert advised(atlas, days, group=alone).bill.total < bill.total


@pytest.mark.parametrize(
    ("months", "said"),
    [
        ((3,), "in March"),
        ((2, 3, 4, 5), "from February to May"),
        ((11, 12, 1, 2), "from November to February"),
        ((12, 1), "in December and January"),
        ((8, 3, 4), "in March, April and August"),
        ((1, 5, 6, 7), "in January and from May to July"),
        (tuple(range(1, 13)), "all year"),
    ],
)
def test_months_are_told_in_runs(months, said):
    assert months_of(months) == said


def test_times_lists_and_long_texts_in_words():
    assert [duration(one) for one in (0, 45, 60, 190)] == ["0 min", "45 min", "1 h", "3 h 10 min"]
    assert [joined(list(one)) for one in ("", "a", "ab", "abc")] == ["", "a", "a and b",
                                                                     "a, b and c"]  # fmt: skip
    assert briefly("One two. Three four five. Six.", most=5) == "One two. Three four five."
    assert briefly("one two three four", most=3) == "one two three …"
    assert briefly("See [3] there.") == "See (3) there."
