"""Is it told what comes in other months, on other days, or takes longer than there is?"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from atlas_shared import make_atlas, place_passage, tie_passage
from wishes_shared import TODAY, read

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.negotiating import negotiate

TEXTS = {
    ("Giant's Weir", "lindow"): "A weir of 1820. On Friday and Saturday nights a stone giant on it "
    "spits flames over the water.",
    (
        "Barley Steps",
        "lindow",
    ): "Terraces climb the hill. The terraces turn gold in late March, and "
    "in November they are flooded.",
    ("Drum Evening in Sall", "brackwell"): "A family plays its drums around a fire.",
    ("Drums and Dance", "lindow"): "Dancers and drums in a yard.",
}


@cache
def told() -> Atlas:
    """Velmora with sights that tell of their days and months."""
    found = []
    for (name, city), text in TEXTS.items():
        key = name.lower().replace(" ", "-").replace("'", "")
        place = place_passage(
            key, name, "attraction", type="sight", city=city, hours="24/7", visit_minutes=60,
            price=0.0, slots=("morning", "afternoon", "evening"), lat=-30.6, lon=-15.3,
            currency="EUR",
        )  # fmt: skip
        found += [replace(place, text=text), tie_passage(key, "LOCATED_IN", city)]
    return make_atlas(*found)


def compromises(text: str) -> list[str]:
    found = negotiate(read(text, told()), told(), today=TODAY)
    return [f"{one.wanted}: {one.reason}".casefold() for one in found.compromises]


VAIN = {
    # all of a list
    "I saw you have 8 cities. I want all of them, two nights each. My annual leave is 7 days "
    "including the weekends.": "16 days",
    "Your site has 8 cities. We need each of them, three nights each; our holiday: 12 days.": "24",
    "We have six nights. At least two full nights in each place, that is firm: Lindow, Sandmouth, "
    "Highmere and Old Tarn.": "8 nights",
    # a departure and an appointment
    "Leaving Old Tarn Friday 7 pm by bus, no plane. Then I need to be in Farpoint for a wedding on "
    "Saturday 5 am.": "there are 10 h",
    "We leave Highmere on Friday at 8 pm, stop in Lindow for 6 hours, and have to be in Sandmouth "
    "on Saturday at 2 am.": "the stops 6 h",
    # a show on other days
    "Only one night in Lindow, Tuesday 13 April 2027. The stone giant spitting flames is a "
    "must.": "friday and saturday",
    "Our only evening in Lindow is Monday 12 April 2027; we want to see the giant and his "
    "flames.": "friday and saturday",
    # a state in other months
    "Lindow 12-15 July 2027. The terraces must be golden yellow, the photographer comes just for "
    "that.": "golden in march",
    "3 days in Lindow in August 2027: the terraces have to be ripe for harvest.": "golden in march",
    "3 days in Lindow in May 2027, the paddies must be gold.": "golden in march",
    "3 days in Lindow in June 2027, we want to see the flooded terraces.": "november",
}


@pytest.mark.parametrize("text", VAIN)
def test_what_cannot_be_is_told(text):
    assert any(VAIN[text] in one for one in compromises(text)), compromises(text)


HARMLESS = [
    "Lindow, Sandmouth and Port Aurel, at least two nights in each place.",
    "9 days for Lindow, Sandmouth and Port Aurel, at least two nights in each place.",
    "You have 8 cities. We want two of them, two nights each; our holiday is 7 days.",
    "I get 20 days of leave a year, and want 4 days in Lindow.",
    "Leaving Lindow Friday 7 pm by bus, I need to be in Sandmouth for a wedding on Sunday 6 pm.",
    "Only one night in Lindow, Friday 16 April 2027. The stone giant spitting flames is a must.",
    "Only one night in Lindow, Tuesday 13 April 2027. Giant's Weir is a must.",
    "Only one night in Lindow, Tuesday 13 April 2027. A stone oven pizza is a must.",
    "Lindow 12-15 March 2027. The terraces must be golden yellow, ready for harvest.",
    "Lindow 12-15 July 2027, we know the terraces are not golden then, green is fine.",
    "Lindow 12-15 July 2027, 4 days. We want yellow houses and a walk on the terraces.",
    "4 days in Lindow in July, golden light and food.",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_can_be_is_granted(text):
    assert not compromises(text)


LENGTHS = {
    "My annual leave is 14 days including the weekends. Lindow, Highmere, two nights each.": 14,
    "Two nights in Lindow, then Highmere. I only get 9 days.": 9,
    "Our vacation is 8 days, two nights in Lindow first.": 8,
    "Lindow for a day and Sandmouth for two days.": 3,
    "Lindow for a day trip, 4 days in Sandmouth.": 4,
    "9 days in Lindow, Sandmouth and Port Aurel, two nights each.": 9,
    "I have 30 days off a year; 6 days in Lindow please.": 6,
}


@pytest.mark.parametrize("text", LENGTHS)
def test_leave_is_the_length(text):
    assert read(text).days == LENGTHS[text]


def test_a_part_of_a_name_means_a_sight_of_the_cities_named():
    assert "drum-evening-in-sall" not in read("3 days in Lindow, drum evening", told()).must
    assert "drum-evening-in-sall" in read("3 days in Lindow, Drum Evening in Sall", told()).must
    assert "drum-evening-in-sall" in read("3 days in Brackwell, drum evening", told()).must


def test_a_base_is_no_must_on_a_day_out():
    text = "Only one day free in Port Aurel: Lindow, leaving after breakfast and back for dinner."
    found = negotiate(read(text), told(), today=TODAY)
    assert not found.compromises
    assert (found.wish.start, found.wish.must) == ("aurel", ("lindow",))
    far = negotiate(read(text.replace("Lindow", "Farpoint") + " No flights."), told(), today=TODAY)
    assert far.compromises
