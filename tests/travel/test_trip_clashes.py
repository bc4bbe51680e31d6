"""A wish that contradicts itself is noticed; one that only leaves a part out is not."""

import pytest
from wishes_shared import TODAY, read, velmora

from consilience.packs.travel.trips.negotiating import negotiate
from consilience.packs.travel.trips.reading.things.clashing import clashes_in
from consilience.packs.travel.trips.reading.things.opposites import (
    contraries_in,
    homes_in,
    neither_in,
)

CLASHES = {
    "a diving week, but I will not go on or in the water under any circumstances": "diving",
    "a beach week, and I never want to be anywhere near sand or sea": "beach",
    "a hiking week, though I refuse to walk a single step": "hiking",
    "a cruise, but I won't board any boat": "cruise",
    "a street food tour, but I don't eat anything": "street food",
    "a hotel with no rooms": "hotel",
    "a cycling tour; I cannot ride a bike": "cycling tour",
    "snorkelling, and I must stay completely dry": "snorkelling",
    "nightlife, but we are in bed by eight every night": "nightlife",
    "a jazz tour, but no jazz": "jazz",
}
NO_CLASHES = [
    "diving, but I won't go in the water before ten",
    "hiking but no climbing",
    "shopping but no malls",
    "a spa but no massages",
    "pool and swimming, no sea for me",
    "a motorbike loop behind an easy rider, I don't ride",
    "museums but no war museums",
    "a beach week; my wife will not go in the sea",
    "no motorbikes, but a bike tour",
    "a hotel with no lift is fine",
    "a boat trip, no big boats please",
]
IMPOSSIBLE = {
    "Lindow 4 days, never indoors and never outdoors": "neither indoors nor outdoors",
    "Lindow 3 days, no walking and no vehicles of any kind": "walking",
    "Lindow 3 days, we want to be awake and asleep at the same time": "awake",
    "a completely empty and very crowded market in Lindow, 2 days": "crowded",
    "a 5 day trip to Lindow without leaving my sofa": "sofa",
    "the night of 10 April both sleeping in Lindow and also both sleeping in Farpoint": "one night",
    "no hotels, no hostels, no homestays, no camping: Lindow 3 nights": "any other bed",
}
ORDINARY = [
    "we sleep in Lindow and also in Farpoint, 3 nights each",
    "Lindow without leaving the hotel much, 3 days",
    "no hotels, no hostels, a homestay in Lindow, 3 nights",
    "outdoors by day, indoors when it rains, Lindow 3 days",
    "vegetarian, but my husband wants a steak once, Lindow 3 days",
]


@pytest.mark.parametrize("text", CLASHES)
def test_what_cannot_be_without_the_other_is_found(text):
    assert [asked for asked, _ in clashes_in(text)] == [CLASHES[text]]


@pytest.mark.parametrize("text", NO_CLASHES)
def test_what_leaves_a_part_out_is_no_clash(text):
    assert list(clashes_in(text)) == []


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_nonsense_is_told(text):
    found = negotiate(read(text, velmora()), velmora(), today=TODAY)
    told = [f"{one.wanted}: {one.reason}" for one in found.compromises]
    assert any(IMPOSSIBLE[text] in one for one in told), told


@pytest.mark.parametrize("text", ORDINARY)
def test_what_only_looks_like_nonsense_is_planned(text):
    found = negotiate(read(text, velmora()), velmora(), today=TODAY)
    assert found.compromises == ()


def test_opposites_are_found_in_one_sentence_only():
    assert not list(contraries_in("Total silence by day. Loud music by night."))
    assert not list(neither_in("no walking, but vehicles"))
    assert not list(homes_in("we leave our home on Monday"))
