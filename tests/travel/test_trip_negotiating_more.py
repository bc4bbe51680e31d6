"""Many kinds of impossible wishes are noticed, each with a true reason; near misses are not."""

import pytest
from atlas_shared import make_atlas, place_passage
from wishes_shared import TODAY, read, velmora

from consilience.packs.travel.trips.negotiating import negotiate

IMPOSSIBLE = {  # text: what is told of it
    "all of Lindow in 2 hours": "2 hours",
    "Lindow in three seconds": "seconds",
    "Lindow and Farpoint before lunch": "before lunch",
    "every city in Velmora in 3 days": "8 cities",
    "the whole country in one day": "regions",
    "north, centre and south in one day": "3 parts",
    "every single museum in 2 days": "museum",
    "visit 100 museums in 2 days": "100 museums",
    "sunset in Farpoint and dinner in Sandmouth the same evening": "same evening",
    "breakfast in Farpoint, lunch in Lindow, dinner in Highmere": "breakfast",
    "by helicopter from Port Aurel to Lindow, 3 days": "helicopter",
    "walk from Port Aurel to Farpoint in 4 days": "km",
    "from Port Aurel to Farpoint in 5 minutes, 4 days": "takes",
    "we want to see penguins, one week": "penguins",
    "a snow holiday, 5 days": "snow",
    "watch a bullfight in Lindow, 2 days": "bullfight",
    "see living quaggas, 4 days": "quaggas",
    "a trekking week, but no walking at all": "walking",
    "a museum week but nothing indoors": "indoors",
    "my mother is in a wheelchair and wants to go trekking, 4 days": "wheelchair",
    "a motorbike loop with our 3-year-old, 4 days in Highmere": "small child",
    "vegan, a seafood restaurant every night, 3 days in Lindow": "diet",
    "a week in Lindow, I want to pay nothing": "0.00 EUR",
    "4 days in Lindow, budget minus 200 euros": "0.00 EUR",
    "five-star hotel for 3 euros a night, Lindow, 4 days": "luxury",
    "a seven-star hotel in Lindow, 3 days": "five stars",
    "sleep in a castle in Lindow, 3 nights": "castle",
    "our own private island for a week": "private",
    "from 30 February 2027, 5 days in Lindow": "calendar",
    "leaving on 29 February 2027, 5 days in Lindow": "calendar",
    "Velmora in 1968, one week": "past",
    "60,000 fans in Lindow for 3 days": "60,000",
    "minus 3 days in Lindow": "minus",
    "Lindow Museum in Farpoint, 3 days": "is in Lindow",
    "meet the first queen in person in Lindow, 2 days": "past",
    "3 days in Lindow, guarantee no rain": "promise",
    "Lindow all to ourselves, 2 days": "promise",
    "smuggle antiques out of Lindow, 3 days": "law",
    "stonehenge and Lindow, 4 days": "stonehenge",
}
ORDINARY = [
    "we don't want to ski, just hills, 4 days",
    "I lived in Paris and want something like it, 4 days",
    "like Bali but quieter, 5 days",
    "we are tired of Disneyland; culture for the kids, 4 days",
    "the kids love lions, 3 days in Lindow",
    "a castle-like hotel would be nice, 3 days in Lindow",
    "I promised my wife a romantic week in Lindow",
    "see the best of Lindow in one day",
    "a 2-hour massage each day, 4 days in Lindow",
    "train from Port Aurel to Lindow, 4 days",
    "swimming but no diving, 4 days in Sandmouth",
    "I shoot landscapes, 5 days in Highmere",
    "we saw the pyramids last year; now temples, 5 days",
    "Lindow Museum in Lindow, 2 days",
    "free walking tours and cheap eats, 4 days in Lindow",
]


def agreed(text, atlas=None):
    atlas = atlas or velmora()
    return negotiate(read(text, atlas), atlas, today=TODAY)


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_what_cannot_be_is_told(text):
    found = agreed(text)
    told = [found.refusal, *(f"{one.wanted} {one.reason}" for one in found.compromises)]
    assert any(IMPOSSIBLE[text] in one for one in told), told
    assert all(one.reason and one.instead for one in found.compromises)


@pytest.mark.parametrize("text", ORDINARY)
def test_a_near_miss_stays_an_ordinary_wish(text):
    found = agreed(text)
    assert (found.refusal, found.compromises) == ("", ())


def test_a_thing_that_a_place_tells_of_is_no_compromise():
    hall = place_passage(
        "hall", "Snow and Penguins Hall", "attraction", city="lindow", features=("animals",)
    )
    atlas = make_atlas(hall)
    for text in ("a snow holiday, 5 days", "we want to see penguins, one week"):
        assert agreed(text).compromises
        assert agreed(text, atlas).compromises == ()


def test_a_thing_that_only_another_city_has_is_told_with_it():
    casino = place_passage("dice", "Dice Hall", "attraction", city="farpoint", type="casino")
    atlas = make_atlas(casino)
    assert agreed("a casino weekend in Farpoint", atlas).compromises == ()
    (told,) = agreed("a casino weekend in Sandmouth", atlas).compromises
    assert "Farpoint" in told.reason


def test_a_sight_in_the_wrong_city_is_planned_where_it_is():
    granted = agreed("Lindow Museum in Farpoint, 3 days").wish
    assert "lindow-museum" in granted.must
    assert "farpoint" not in granted.cities


def test_a_city_that_only_ruled_out_ways_lead_to_is_told():
    found = agreed("Isle of Wren by train only, 3 days")
    assert any("reached only by" in one.reason for one in found.compromises)
