"""Is a day too short for its ways told, and is a day of a longer stay no length of the trip?"""

from __future__ import annotations

import pytest
from wishes_shared import TODAY, read, velmora

from consilience.packs.travel.trips.negotiating import negotiate
from consilience.packs.travel.trips.reading.places.naming import name_places
from consilience.packs.travel.trips.reading.sentence import Sentence
from consilience.packs.travel.trips.reading.times.errands import errand_of
from consilience.packs.travel.trips.reading.times.feasting import feast_in
from consilience.packs.travel.trips.reading.times.lasting import read_length


def compromises(text: str) -> list[str]:
    found = negotiate(read(text), velmora(), today=TODAY)
    return [f"{one.wanted}: {one.reason}" for one in found.compromises]


LENGTHS = {
    "Two divers, five days on Isle of Wren. One day's diving early, then beaches.": 5,
    "Six days in Lindow. A day's cycling, a day's boat trip, the rest for food.": 6,
    "Four days at Sandmouth, two days' sailing lessons.": 4,
    "Seven days in Sandmouth. Diving for one day, the fort on another day.": 7,
    "5 nights in Lindow, a day's canyoning, one day for waterfalls.": 6,
    "4 days in Lindow. One full day of cycling please.": 4,
    "We have five days in Lindow, and one day should be for walking.": 5,
    "Just Saturday free in Lindow, for the museum.": 1,
    "One day in Lindow, please.": 1,
    "Lindow for two nights, then Highmere two nights, then back to Lindow for one more.": 6,
    "To Lindow by train Friday 15 October 2027, a market on the Sunday, back by Tuesday.": 5,
    "Lindow from Friday 15 October 2027, three nights, home by Tuesday at the latest.": 4,
    "Lindow two nights, then an overnight cruise in Sandmouth, back to Lindow.": 4,
    "Lindow two nights, Sandmouth one night, an overnight cruise.": 4,
    "6 days in Lindow and then 3 nights in Highmere.": 10,
    "3 nights in Lindow and then 4 days in Highmere.": 7,
    "Two nights Lindow, two nights Highmere, three nights Sandmouth.": 8,
}


@pytest.mark.parametrize("text", LENGTHS)
def test_a_day_of_a_stay_is_not_all_of_it(text):
    wish = read(text)
    assert wish.days == LENGTHS[text]
    assert sum(wish.nights.values()) < max(2, wish.days)


def test_days_in_a_country_are_the_whole_trip():
    sentence = Sentence("10 days in Velmora, 3 nights in Lindow")
    name_places(sentence, velmora())
    found = read_length(sentence, frozenset({"velmora"}))
    assert (found.days, dict(found.nights)) == (10, {"lindow": 3})


TOO_SHORT = {
    "Bicycle Brackwell to Farpoint, start after breakfast Saturday, be there for Saturday "
    "lunch.": "farpoint",
    "Highmere to Sandmouth by bus: leave after breakfast and arrive there by noon.": "by noon",
    "Sandmouth, 3 nights. The boat dive on our departure day, back at 15:00, then board the 17:00 "
    "plane, and still keep the full 24 hours between the last dive and the flight.": "2 h",
    "Train from Port Aurel to Farpoint, leaving Friday after lunch and in Farpoint for Friday "
    "supper. 4 days.": "10 h 20",
    "Leaving Highmere by road Sunday at dawn, arriving in Sandmouth Sunday at 10 am.": "7 h 10",
    "Just Saturday free in Port Aurel. Farpoint by train, leaving after breakfast and back in Port "
    "Aurel for dinner.": "farpoint",
    "Highmere in a day from Port Aurel by bus, back by lunch.": "within a day",
    "Meeting in Highmere at 9 am and lunch in Sandmouth at 11 am the same day. 2 days.": "2 h",
    "I have to be in Port Aurel at 10:00 on Monday and in Highmere at 11:30 on Monday, 3 days.": (
        "1 h 30"
    ),
    "3 days. On a boat in Sandmouth at 6.00 on Tuesday morning, and at 7.30 the same Tuesday he "
    "sits down, in person, for breakfast in Highmere.": "1 h 30",
    "Farpoint, Isle of Wren and Highmere between Friday 6pm and Sunday 9am.": "in 1 day",
}


@pytest.mark.parametrize("text", TOO_SHORT)
def test_what_a_day_is_too_short_for_is_told(text):
    told = compromises(text)
    assert any(TOO_SHORT[text].casefold() in one.casefold() for one in told), told


ENOUGH = (
    "Port Aurel to Lindow by train, leaving after breakfast, there for lunch. 3 days.",
    "Leave Highmere after breakfast on Saturday, arrive in Sandmouth for lunch on Monday, 5 days.",
    "Four days in Lindow; we start every day after breakfast and are back for dinner.",
    "I have to be in Highmere at 10:00 on Monday and in Sandmouth at 11:30 on Tuesday, 3 days.",
    "Meeting in Port Aurel at 9 am and lunch in Lindow at noon the same day, then 2 days there.",
    (
        "6 days from Port Aurel: Highmere, leaving after breakfast on day one, back in Port Aurel "
        "for dinner on day six."
    ),
    (
        "Fly from Port Aurel to Farpoint after breakfast Saturday, be there for Saturday dinner, "
        "3 days."
    ),
)


@pytest.mark.parametrize("text", ENOUGH)
def test_what_a_day_is_long_enough_for_is_no_compromise(text):
    assert compromises(text) == []


ONLY = {
    "Our only evening in Lindow is Monday 11 January 2027. Four tickets for the Lindow Jazz Cellar "
    "that night.": "Mo off",
    "One evening only in Lindow, Monday 11 January 2027: dinner at Lindow Fish House.": "Mo off",
    "Monday 11 January is our sole evening in Lindow and we want the Lindow Jazz Cellar.": "Mo off",
    "Just Monday evening in Lindow. The Lindow Jazz Cellar is what we come for.": "Mo off",
    "Lindow for one night, Monday 11 January 2027. The Lindow Jazz Cellar that evening.": "Mo off",
    "Lindow just for the evening of Monday 11 January 2027: Lindow Jazz Cellar.": "Mo off",
    "Two days in Lindow. Supper both nights, 5 a.m. sharp: first night at Lindow Tavern, second at "
    "Lindow Fish House.": "11:00-22",
}


@pytest.mark.parametrize("text", ONLY)
def test_a_place_that_is_closed_on_the_only_evening_is_told(text):
    told = compromises(text)
    assert any(ONLY[text] in one for one in told), told


NOT_ONLY = (
    "Our only evening in Lindow is Tuesday 12 January 2027. The Lindow Jazz Cellar that night.",
    "Lindow for one night, Monday 11 January 2027. The Lindow Museum as well.",
    "Three nights in Lindow from Monday 11 January 2027, with the Lindow Jazz Cellar.",
    (
        "Two days in Lindow. Supper both nights, 8 p.m.: first at Lindow Tavern, second at Lindow "
        "Chef's Room."
    ),
)


@pytest.mark.parametrize("text", NOT_ONLY)
def test_other_evenings_are_no_compromise(text):
    assert compromises(text) == []


FEASTS = {
    "Christmas markets in July in Lindow, 4 days.": "Christmas markets in July",
    "Halloween party in Lindow on 5 May 2027, 2 days.": "Halloween in May",
    "Easter processions in Lindow in October, 3 days.": "Easter in October",
}


@pytest.mark.parametrize("text", FEASTS)
def test_a_feast_out_of_its_season_is_told(text):
    assert any(FEASTS[text] in one for one in compromises(text))


SPOKEN_OF = (
    "Lindow in July, 4 days, to use the money from Christmas.",
    "Lindow in October, 3 days; at Easter we are at home.",
    "Lindow in May, 4 days: it was my Christmas present.",
    "Lindow in June, three days; we could not come for New Year.",
    "Lindow in July, 4 days; no Christmas kitsch please.",
)


@pytest.mark.parametrize("text", SPOKEN_OF)
def test_a_feast_that_is_only_spoken_of_is_no_time(text):
    assert feast_in(text, TODAY) is None
    assert compromises(text) == []


def test_an_errand_tells_whether_it_is_on_one_day():
    there = errand_of("start after breakfast Saturday, be there for Saturday lunch")
    assert there is not None
    assert (there.begins, there.ends, there.back, there.certain) == (420, 840, False, True)
    around = errand_of("leaving after breakfast and back in town for dinner")
    assert around is not None
    assert (around.back, around.certain) == (True, False)
    assert errand_of("leave after breakfast on Saturday, arrive for lunch on Monday") is None
