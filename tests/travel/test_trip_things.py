"""Landscapes, beds, people of the past and things by description that nobody here has are told."""

import pytest
from atlas_shared import make_atlas, place_passage
from wishes_shared import TODAY, read

from consilience.packs.travel.trips.negotiating import negotiate

FAR = {"city": "farpoint", "region": "outer", "lat": -27.21, "lon": -12.11}
INLAND = ("farpoint-strand", "farpoint-kayak-cove")
ATLAS = make_atlas(
    place_passage("tomb-of-odovar", "Tomb of Odovar", "attraction", type="tomb", **FAR),
    place_passage("throne-house", "Throne House", "attraction", type="palace", **FAR),
    place_passage("hollow-hill", "Hollow Hill", "attraction", type="cave", **FAR),
    place_passage("silk-works", "Silk Works", "attraction", type="workshop", **FAR),
    without=INLAND,
)

IMPOSSIBLE = {  # text: what is told of it
    # the sea is where it is not
    "a beach bungalow in Farpoint, 4 nights": "the nearest",
    "Farpoint, 3 nights, the ocean right off our deck": "sea",
    "a Farpoint hotel where I step off the porch into the ocean, 3 nights": "sea",
    "Farpoint's beaches, 3 days": "beach",
    "a room with a sea view in Farpoint, 3 nights": "sea view",
    "island hopping in Farpoint, 3 days": "islands",
    "the waterfalls near Farpoint, 3 days": "waterfall",
    # beds in what is no stay
    "sleep both nights in the throne hall of Throne House, Farpoint, 3 days": "Throne House",
    "Farpoint 2 nights, our beds inside the Tomb of Odovar": "Tomb of Odovar",
    "camp on top of the tower in Lindow, 2 nights": "tower",
    "spend the night inside the Lindow Museum, 2 days": "Lindow Museum",
    "pitch our tent in the cathedral, Lindow, 2 nights": "church",
    # the dead, rulers and tales
    "Lindow for 2 days with a dinner hosted in person by Emperor Odovar": "Emperor",
    "tea and a private chat with Queen Berta in Lindow, 2 days": "Queen Berta",
    "Farpoint 2 days, lunch with Odovar": "lunch with Odovar",
    "a concert by Mozart in Lindow, 2 days": "Mozart",
    "play chess with the last king in Lindow, 3 days": "king",
    # things by description
    "visit a chocolate factory in Lindow, 3 days": "chocolate factory",
    "I want to see a space museum, Lindow, 3 days": "space museum",
    "tour the diamond mine near Lindow, 2 days": "diamond mine",
    "sled dogs in Highmere, 3 days": "sled dogs",
    "a planetarium in Lindow, 2 days": "planetarium",
    # others
    "Lindow on a Saturday night with not one other human being in it, 2 days": "promise",
    "Lindow 2 days with not a soul in the streets": "promise",
}
ORDINARY = [
    "a beach bungalow in Sandmouth, 4 nights",
    "Port Aurel and Farpoint, then some days by the sea, 9 days",
    "Farpoint 3 days, we have had enough of the sea",
    "hills and caves in Farpoint, 3 days",
    "no beach, Farpoint 3 days",
    "we sleep near the cathedral in Lindow, 3 nights",
    "sleep in on Sunday, then the Lindow Museum, 3 days",
    "a hotel close to the Tomb of Odovar, Farpoint, 3 nights",
    "the night market and the tower in Lindow, 2 nights",
    "see the Tomb of Odovar with a guide, Farpoint 3 days",
    "a dinner fit for a king in Lindow, 2 days",
    "tea with the monks in Lindow, 3 days",
    "an actor dressed as emperor leads a tour with the emperor's songs, Lindow, 2 days",
    "a king size bed in Lindow, 3 nights",
    "visit a silk factory in Farpoint, 3 days",
    "visit the old museum and a small gallery, Lindow 3 days",
    "a quiet street with few people, Lindow 3 days",
    "no one else of us drives, Lindow 3 days",
]


def told_of(text):
    found = negotiate(read(text, ATLAS), ATLAS, today=TODAY)
    return [found.refusal, *(f"{one.wanted}: {one.reason}" for one in found.compromises)]


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_what_nobody_here_has_is_told(text):
    assert any(IMPOSSIBLE[text] in one for one in told_of(text)), told_of(text)


@pytest.mark.parametrize("text", ORDINARY)
def test_what_only_looks_alike_is_planned(text):
    assert told_of(text) == [""]


def test_the_nearest_city_is_one_by_the_sea():
    told = told_of("a room with a sea view in Farpoint, 3 nights")
    assert any("the nearest city with it is Old Tarn" in one for one in told), told


def test_a_sight_whose_text_tells_of_beds_is_slept_in():
    hut = place_passage("wall", "Long Wall", "attraction", type="fort", **FAR)
    tents = make_atlas(
        place_passage("tent-fort", "Tent Fort campsite", "attraction", type="fort", **FAR), hut
    )
    text = "spend the night inside the {}, Farpoint 2 days"
    held = negotiate(read(text.format("Tent Fort"), tents), tents, today=TODAY)
    closed = negotiate(read(text.format("Long Wall"), tents), tents, today=TODAY)
    assert not held.compromises
    assert [one.wanted for one in closed.compromises] == ["a night in Long Wall"]
