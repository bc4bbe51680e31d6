"""Who travels may do what they are to do, and are as many as a plan and a house can hold."""

import pytest
from atlas_shared import make_atlas, place_passage
from wishes_shared import TODAY, read, velmora

from consilience.packs.travel.trips.granting.rooms import settle_rooms
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.negotiating import negotiate
from consilience.packs.travel.trips.reading.people.ages import ages_told

AGES = {
    "our son is seven": [7],
    "my son Tyler, who turned 13 in May": [13],
    "Jonas will be 14": [14],
    "two kids aged 9 and a nine-year-old": [9, 9],
    "our daughter (10) and little Wyatt who is eight months old": [0, 10],
    "she's 11": [11],
    "we are eight, 3 nights, 2 rooms, at 9 am": [],
    "five days, and the girls of 20": [],
}
IMPOSSIBLE = {  # text: what is told of it
    "Our son is seven. He rides the loop alone on his own 150cc bike. Highmere 3 days": "age of 7",
    "my son Tyler, who turned 13, drives his own motorcycle in Highmere, 3 days": "age of 13",
    "Our son Jonas will be 14. We wish that he rides alone on his own scooter, Highmere, 3 days, "
    "we follow by car with driver": "age of 14",
    "Highmere 4 days, my daughter (12) drives her own scooter": "age of 12",
    "Lindow with our twins aged 10, take the kids clubbing, 3 nights": "18 and more",
    "Lindow 3 days, beer for our kids, they are aged 7 and 9": "alcohol",
    "Lindow 3 days for a class of 85": "class of 85",
    "a choir of sixty in Lindow, 3 days": "choir of sixty",
    "We are a parish choir, 900 singers plus priest, Lindow 3 days": "900 singers",
    "Lindow for our regiment, 2 nights": "regiment",
    "our whole village comes along, Lindow 2 days": "village",
}
ORDINARY = [
    "our son (14) sits behind an easy rider in Highmere, 4 days",
    "our son (9) rides his own bicycle, Lindow 4 days",
    "my husband rides his own motorbike, he is 45; the kids, 6 and 9, go by car, Lindow 5 days",
    "our daughter is 19 and rides her own scooter, Lindow 4 days",
    "my 7-year-old loves motorbikes, Lindow 3 days",
    "kids 6 and 9, grandma babysits while we go clubbing, Lindow 3 days",
    "Lindow, a city of eight million people, 3 days for two",
    "class of 1985 reunion, eight of us, Lindow 4 days",
    "my knees date from 1968 but they hike, Lindow 3 days",
    "a villa from 1902 in Lindow, 3 nights",
    "Lindow 3 days for two, 90,000 rupees in all",
    "my licence broke in 1998, so by bus please, Lindow 3 days",
]


def told_of(text, atlas=None):
    atlas = atlas or velmora()
    found = negotiate(read(text, atlas), atlas, today=TODAY)
    return [found.refusal, *(f"{one.wanted}: {one.reason}" for one in found.compromises)]


@pytest.mark.parametrize("text", AGES)
def test_ages_are_read(text):
    assert [one for one in ages_told(text) if one < 18] == AGES[text]


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_what_is_not_for_them_is_told(text):
    assert any(IMPOSSIBLE[text] in one for one in told_of(text)), told_of(text)


@pytest.mark.parametrize("text", ORDINARY)
def test_what_is_for_them_is_planned(text):
    assert told_of(text) == [""]


def inn(name, about):
    """A stay in Lindow whose text tells of its rooms."""
    passage = place_passage(
        "told-inn", name, "stay", type=about, city="lindow", region="coast", level="mid-range",
        price=50.0, currency="EUR",
    )  # fmt: skip
    return make_atlas(passage)


@pytest.mark.parametrize(
    ("text", "rooms"),
    [
        ("twelve of us, all in the Weir Inn, Lindow 3 nights", "6 rooms"),
        ("seven friends in the Weir Inn, each in a private room, Lindow 3 nights", "7 rooms"),
        ("nine rooms in the Weir Inn for us, Lindow 3 nights", "9 rooms"),
        ("two of us in the Weir Inn, Lindow 3 nights", ""),
        ("seven friends in the Weir Inn, Lindow 3 nights", ""),
    ],
)
def test_a_house_has_no_more_rooms_than_it_tells_of(text, rooms):
    atlas = inn("Weir Inn", "inn of five tiled rooms")
    wish = read(text, atlas)
    talk = Talk(wanted=wish, atlas=atlas, today=TODAY, wish=wish)
    settle_rooms(talk)
    assert [one.wanted for one in talk.compromises] == [f"{rooms} in Weir Inn"] * bool(rooms)


def test_where_beds_are_shared_only_a_room_of_ones_own_counts():
    atlas = inn("Weir Inn", "hostel of dorms and two private rooms")
    assert told_of("ten friends in the Weir Inn, Lindow 2 nights", atlas) == [""]
    own = told_of("ten friends in the Weir Inn, everyone in a room of their own, Lindow 2 nights",
                  atlas)  # fmt: skip
    assert any("it tells of 2 rooms" in one for one in own)
