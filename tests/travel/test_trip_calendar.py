"""Are days, nights and hours that do not go together told, and ordinary ones read right?"""

from __future__ import annotations

from datetime import date

import pytest
from atlas_shared import make_atlas, place_passage, remark_passage
from wishes_shared import TODAY, read, velmora

from consilience.packs.travel.trips.granting.purse import settle_purse
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.negotiating import negotiate
from consilience.packs.travel.trips.reading.money.penniless import hardly_anything
from consilience.packs.travel.trips.reading.times.moments import gap_of, same_day_gap


def compromises(text: str, atlas=None) -> list[str]:
    found = negotiate(read(text, atlas), atlas or velmora(), today=TODAY)
    return [f"{one.wanted}: {one.reason}" for one in found.compromises]


TOLD = {
    "Lindow for two. Check in March 12, 2027, check out March 9, 2027.": "before the first",
    "Lindow, arriving 14 May 2027 and leaving 10 May 2027.": "before the first",
    "Lindow from 20 March to 10 March.": "before the first",
    "Lindow from 20 June 2027 until 12 June 2027.": "before the first",
    "Lindow from the 20th to the 12th of May.": "before the first",
    "Lindow check-in 12/03/2027, check-out 09/03/2027.": "before the first",
    "A stay of zero days in Lindow, with three nights of hotel.": "3 nights take 4 days",
    "Lindow, 3 days and 6 nights.": "6 nights take 7 days",
    "Lindow in the sixth week of May, 3 days.": "so many weeks",
    "Lindow for 30 days in February 2027.": "28 days",
    "Full moon in Lindow twice in our week there.": "once in a month",
    "Christmas in Lindow twice during our five days.": "once in a year",
    "There are eight towns on your list; two nights in each of them, one week.": "16 days",
    "We land in Port Aurel 11pm Tuesday and fly home from Port Aurel 7am Wednesday. Farpoint in "
    "between with the Farpoint Museum.": "by day",
    "I finish in Port Aurel on Friday at 9pm and must be back by 9pm Saturday. In between "
    "Highmere, the full three days of it.": "that is 24 h",
    "My boat is back at 15:00 and my flight leaves at 17:00 the same day; I keep at least 18 hours "
    "between both. Isle of Wren, 4 nights.": "there are 2 h",
    "Lindow 4 nights, hotel at 1 euro a night.": "the cheapest there",
    "Lindow 4 days, everything gratis.": "the budget is",
    "Lindow 4 days on a budget of a fiver.": "the budget is",
}


@pytest.mark.parametrize("text", TOLD)
def test_what_no_calendar_and_no_clock_has_is_told(text):
    told = compromises(text)
    assert any(TOLD[text] in one for one in told), told


LENGTHS = {
    "6 days in Lindow in April. One lazy day by bike.": 6,
    "Five days in Lindow: one day diving, one day for the museums.": 5,
    "Lindow and Highmere in one day.": 1,
    "Lindow, 28 December to 3 January.": 7,
    "Lindow 28 December 2027 to 3 January 2028.": 7,
    "We marry on 27 February and after, from 8 March 2027: Lindow, 5 nights.": 6,
    "My friend turns 40 on 12 March 2027: from the 8th to the 15th in Lindow.": 8,
    "We land in Lindow on Saturday morning and fly home Sunday night.": 2,
    "Lindow four nights then Highmere two.": 7,
    "By train to Lindow, two nights, then the bus to Sandmouth, two nights.": 5,
    "Lindow, dinner at 9 at night, 3 days": 3,
}


@pytest.mark.parametrize("text", LENGTHS)
def test_the_length_is_that_of_all_of_it(text):
    assert read(text).days == LENGTHS[text]


STARTS = {
    "We marry on 27 February and after, from 8 March 2027: Lindow, 5 nights.": date(2027, 3, 8),
    "After my exams on 3 June: six days in Lindow.": date(2027, 6, 4),
    "Lindow after 19 February, 3 days.": date(2027, 2, 20),
    "Working since Christmas. Lindow from 22 February 2027, 3 days.": date(2027, 2, 22),
}


@pytest.mark.parametrize("text", STARTS)
def test_a_date_of_something_else_is_no_start(text):
    assert read(text).starts_on == STARTS[text]


def test_nights_there_are_of_the_place_before():
    assert read("Highmere from Port Aurel and back, three nights up there").nights == {
        "highmere": 3
    }


FINE = (
    "Lindow 3 days 2 nights.",
    "Lindow, check in 28 December 2027, check out 2 January 2028.",
    "Lindow at full moon in March, 4 nights.",
    "We land in Port Aurel Friday 8pm and leave Monday 10am: Port Aurel Museum, food.",
    "Layover in Port Aurel from 9:00 to 18:00: the Port Aurel Cathedral, a coffee.",
    "Lindow 5 days, 100 euros a night for hotels.",
    "We sold the house last year; Lindow, 3 days.",
    "Lindow 3 days, we carry no cash, cards only.",
)


@pytest.mark.parametrize("text", FINE)
def test_what_looks_alike_is_no_compromise(text):
    assert compromises(text) == []


def test_the_hours_between_two_moments():
    gap = gap_of("we land 11pm Tuesday and fly home 7am Wednesday", TODAY)
    assert gap is not None
    assert (gap.minutes, gap.awake, gap.days) == (480, 60, 2)
    assert gap_of("we land at 11pm and have dinner", TODAY) is None
    short = same_day_gap("back at 15:00, my flight is the same day at 17:00")
    assert short is not None
    assert short.minutes == 120


def test_a_sight_that_stops_in_the_months_of_the_trip_is_told():
    cave = place_passage(
        "river-cave", "River Cave", "activity", type="trek", city="lindow", region="coast",
        best_months=(2, 3, 4, 5, 6, 7, 8), price=10, currency="EUR",
    )  # fmt: skip
    rain = remark_passage(
        "river-cave", "safety", "Rain from mid-September to early December stops every boat."
    )
    text, wet = "Lindow in {}, 3 days, River Cave", make_atlas(rain, cave)
    assert any("stops every boat" in one for one in compromises(text.format("October"), wet))
    assert not compromises(text.format("October"), make_atlas(cave))
    assert not compromises(text.format("March"), wet)


def test_a_purse_without_a_figure():
    assert hardly_anything("a week on a fiver") is not None
    assert hardly_anything("a tip of a dollar for the guide") is None
    wish = read("Lindow 3 days, no money at all to spend")
    talk = Talk(wanted=wish, atlas=velmora(), today=TODAY, wish=wish)
    settle_purse(talk)
    assert talk.compromises
