"""A means that does not go there, or not in the days, is told; one that does is not."""

import pytest
from atlas_shared import make_atlas, remark_passage
from wishes_shared import TODAY, read, velmora

from consilience.packs.travel.trips.negotiating import negotiate

TOLD = {
    "paddle a kayak from Port Aurel to Farpoint, 3 days": "km",
    "Port Aurel to Farpoint, on foot the entire way, seven days": "on foot",
    "from Port Aurel to Highmere by unicycle in 2 days": "km",
    "skateboard from Port Aurel to Farpoint, 4 days": "km",
    "we want to swim from Sandmouth to the Isle of Wren, 2 days": "swimming",
    "Port Aurel to Farpoint on horseback, 5 days": "km",
    "by tractor from Port Aurel to Farpoint, 2 days": "tractor",
    "roller skates all the way to Highmere from Port Aurel, 2 days": "km",
    "sleeper train all the way from Port Aurel into the old Highmere station, 5 days": "train",
    "over the long bridge from Sandmouth to the Isle of Wren, 3 days": "bridge",
    "by car from Sandmouth to the Isle of Wren by the undersea tunnel, no ferry, 3 days": "Wren",
    "night train from Port Aurel right up to our hotel on the Isle of Wren, 3 days": "train",
    "zipline from Sandmouth to the Isle of Wren, 2 days": "zipline",
    "bicycle Port Aurel to Farpoint, 2 days": "km",
    "Lindow and Highmere, 6 days, one single stay each: we have finished with Lindow before we see "
    "Highmere, and finished with Highmere before we see Lindow": "before the other",
    "hop on the metro in Lindow, 3 days": "metro",
    "Lindow's subway to the old town, 3 days in Lindow": "subway",
    "a campervan from Port Aurel to Lindow, sleeping in the campervan, 5 days": "campervan",
    "renting a motorhome: Port Aurel and Lindow, 6 days": "motorhome",
    "exactly one city the entire trip: Lindow, Highmere, Old Tarn, 8 days": "1 city",
    "Lindow, Highmere and Old Tarn, 8 days, without ever leaving Lindow": "1 city",
    "a different city every day for 20 days": "20 cities",
    "every night another city, 12 days": "12 cities",
    "your map has 8 cities, we want a night in each of them, 4 days": "8 cities",
}
ORDINARY = [
    "two nights in Port Aurel before Lindow and one night in Port Aurel after Lindow, 5 days",
    "exactly one stay each, Port Aurel before Lindow, 5 days",
    "train Port Aurel to Lindow, 4 days",
    "Lindow, 4 days: swimming, cycling, then on to Sandmouth",
    "kayaking, and the train from Port Aurel to Lindow, 5 days",
    "cycle from Lindow to Sandmouth, 5 days",
    "In March from Port Aurel by train to Lindow, 5 days",
    "starting 1 March: five days from Port Aurel to Lindow",
    "train from Port Aurel to Lindow, over the great bridge, 4 days",
    "one day by boat to the Lindow Strand, 3 days in Lindow",
    "the boat into the Lindow Wildlife Reserve, 3 days",
    "a different café every day in Lindow, 4 days",
    "we never leave home without coffee: Lindow, 3 days",
    "I teach it all year, so no schools: Lindow and Sandmouth, 6 days",
    "we once had our own campervan; Lindow, 3 days",
    "you list 20 cities; pick any three for 8 days",
    "walk to the Lindow Museum each morning, 3 days",
    "two days walking in Highmere, bus to Brackwell, 4 days",
]


def told(text, atlas=None):
    atlas = atlas or velmora()
    found = negotiate(read(text, atlas), atlas, today=TODAY).compromises
    return " | ".join(f"{one.wanted}: {one.reason}: {one.instead}" for one in found)


@pytest.mark.parametrize(("text", "about"), TOLD.items())
def test_means_that_do_not_serve_are_told(text, about):
    assert about in told(text)


@pytest.mark.parametrize("text", ORDINARY)
def test_means_that_serve_or_are_only_spoken_of_are_not(text):
    assert not told(text)


def test_a_metro_that_a_city_tells_of_may_be_taken():
    text = "hop on the metro in Lindow, 3 days"
    known = make_atlas(remark_passage("lindow", "getting_around", "The metro has two lines."))
    assert told(text)
    assert not told(text, known)
