"""Are places that are wanted when they are closed told, and those when they are open planned?"""

from __future__ import annotations

import pytest
from wishes_shared import TODAY, read, velmora

from consilience.packs.travel.trips.negotiating import negotiate
from consilience.packs.travel.trips.reading.times.clocks import earliest, latest


def compromises(text: str) -> list[str]:
    wish = read(text)
    found = negotiate(wish, velmora(), today=TODAY)
    return [f"{one.wanted}: {one.reason}" for one in found.compromises]


CLOSED = {
    "Two days in Lindow, breakfast at the Lindow Night Market.": "17:00-23:00",
    "Three days in Lindow, the Lindow Museum at 9 pm.": "09:00-17:00",
    "Lindow for 3 days: the Lindow Cathedral at half past ten at night.": "07:00-18:00",
    "3 days Lindow, Lindow Lantern Show at 09:00.": "18:30-21:30",
    "Lindow, 2 nights. The Lindow Old Fort after dark, please.": "08:00-17:30",
    "Two nights in Lindow. The Lindow Old Fort, say eight in the evening with a beer.": "17:30",
    "Lindow for 4 days and the Lindow Museum on Monday.": "Mo off",
    "Lindow, 3 days. We'd like the gallery on Tuesday.": "Tu off",
    "Our only day in Lindow is a Monday, then Sandmouth. The Lindow Museum is a must.": "Mo",
    "Lindow only Monday 11 January 2027, then Port Aurel. Inside the Lindow Museum.": "Mo",
    "Lindow, 4 days. The Lindow Gallery is all we want, on the Tuesday.": "Tu off",
    "Nothing before noon. Lindow 3 days, the Lindow Cathedral at 8am.": "nothing before noon",
    "Three days in Lindow, the night market at sunrise.": "17:00-23:00",
    "Lindow 2 days; we never get up before 5 pm. The Lindow Ridge Walk is a must.": "06:00-18:00",
    "Nothing after 5 pm for us. Lindow 3 days, Lindow Jazz Cellar is a must.": "19:00-24:00",
    "Lindow, 3 days, the Lindow Kayak Cove around 9pm.": "08:00-16:00",
}


@pytest.mark.parametrize("text", CLOSED)
def test_a_place_that_is_closed_then_is_told(text):
    told = compromises(text)
    assert any(CLOSED[text].casefold() in one.casefold() for one in told), told


OPEN = (
    "Two days in Lindow, the Lindow Night Market in the evening.",
    "Three days in Lindow, the Lindow Museum in the morning, drinks at night.",
    "Lindow for 3 days: the Lindow Cathedral, then dinner at 10 pm.",
    "We land at 9pm. 3 days Lindow with the Lindow Museum.",
    "Lindow, 2 nights. The Lindow Lookout after dark, please.",
    "Lindow for 4 days, the Lindow Museum on Tuesday.",
    "Lindow, 4 days. We arrive on Monday and the Lindow Museum is a must.",
    "Lindow, 4 days. The Lindow Museum is closed on Monday, I know.",
    "Lindow 3 days; nothing before 9 please. The Lindow Kitchen School is a must.",
    "In bed by nine every night. Lindow 3 days, the Lindow Lantern Show.",
    "Lindow 3 days, the Lindow Strand at dawn, the Lindow Food Street for dinner.",
    "Lindow 3 days, one morning at the Lindow Botanical Garden.",
)


@pytest.mark.parametrize("text", OPEN)
def test_a_place_that_is_open_then_is_no_compromise(text):
    assert compromises(text) == []


def test_two_places_that_are_open_on_one_day_only():
    text = "Highmere and Sandmouth, the Highmere Jazz Cellar and the Sandmouth Jazz Cellar, 2 days"
    sunday = " from Sunday 17 January 2027"  # a Sunday and a Monday
    assert any("are open on 17 January only" in one for one in compromises(text + sunday))
    assert not any("are open on" in one for one in compromises(text))


HOURS = {
    "nothing before midday": 720,
    "none of us gets out of bed before 11": 660,
    "we never leave the hotel before ten": 600,
    "we don't do mornings, at all": 720,
    "we sleep until noon": 720,
    "I usually get up at 2pm": 840,
}


@pytest.mark.parametrize("text", HOURS)
def test_the_hour_before_which_nothing_is_done(text):
    assert (earliest(text) or (0, ""))[0] == HOURS[text]


@pytest.mark.parametrize(
    "text", ["our flight is not before 11", "we usually get up at 7", "a lie-in every morning"]
)
def test_other_hours_bound_nothing(text):
    assert earliest(text) is None


def test_the_hour_after_which_nothing_is_done():
    assert latest("nothing after 6 pm for us") == (18 * 60, "nothing after 6 pm")
    assert latest("dinner after 6 pm") is None
