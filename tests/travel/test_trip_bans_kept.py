"""Does a plan keep what was ruled out by a noun, or by what a way changes to? And is it checked?"""

import asyncio
from dataclasses import replace

from atlas_shared import make_atlas, place_passage, way_passage
from trip_shared import make_days, make_wish

from consilience.packs.travel.trips.checking.wishes import wish_findings
from consilience.packs.travel.trips.composing import compose
from consilience.packs.travel.trips.types import Avoid, Candidate, Candidates, Wish

HALL = place_passage(
    "lindow-hall", "Music Hall", "attraction", type="hall", city="lindow", region="coast",
    lat=-30.6, lon=-15.3, offers=("barrel organ",), price=5.0, currency="EUR", visit_minutes=90,
    themes={"culture": 0.9}, slots=("morning", "afternoon"),
)  # fmt: skip
CROSSING = "Coach to the pier, then takes the speedboat."


def visited(avoid):
    atlas = make_atlas(HALL)
    wish = Wish(text="", days=2, themes={"culture": 100}, cities=("lindow",), must=("lindow",),
                avoid=avoid)  # fmt: skip
    found = Candidates(found=(Candidate(place="lindow-hall", passage="p:lindow-hall", score=1.0),))
    days = asyncio.run(compose(wish, found, atlas))
    return {visit.place for day in days.days for visit in day.visits}


def test_a_place_that_tells_of_a_banned_noun_is_not_planned():
    assert "lindow-hall" in visited(Avoid())
    assert "lindow-hall" not in visited(Avoid(words=frozenset({"barrel organs"})))


def test_the_check_finds_a_place_that_tells_of_a_banned_noun():
    atlas = make_atlas()
    name = atlas.name_of("aurel-gallery")
    wish = make_wish(avoid=Avoid(words=frozenset({atlas.places["aurel-gallery"].type})))
    told = [one.message for one in wish_findings(wish, make_days(atlas), atlas)]
    assert any(name in one and "it tells of" in one for one in told)


def crossing():
    """Nook, to which a coach goes that changes to a boat."""
    nook = place_passage("nook", "Nook", "city", lat=-30.5, lon=-16.5, suggested_days=(1, 2))
    coach = way_passage("aurel", "nook", "bus", 120, 6.0, note=CROSSING, departures="hourly")
    return make_atlas(nook, coach)


def test_a_way_that_changes_to_what_is_ruled_out_is_not_planned():
    atlas = crossing()
    wish = Wish(text="", days=3, themes={"culture": 100}, start="aurel", cities=("nook",))
    ruled = replace(wish, avoid=Avoid(modes=frozenset({"boat"})))
    legs = [
        {leg.end for day in asyncio.run(compose(one, Candidates(found=()), atlas)).days
         for leg in day.legs if leg.passage}
        for one in (wish, ruled)
    ]  # fmt: skip
    assert "nook" in legs[0]
    assert "nook" not in legs[1]


def test_the_check_finds_a_way_that_changes_to_what_is_ruled_out():
    atlas = crossing()
    wish = make_wish(cities=("nook",), avoid=Avoid(modes=frozenset({"boat"})))
    plain = replace(wish, avoid=Avoid())
    days = asyncio.run(compose(replace(plain, start="aurel"), Candidates(found=()), atlas))
    assert any(leg.end == "nook" for day in days.days for leg in day.legs)
    found = [one for one in wish_findings(wish, days, atlas) if one.rule == "avoided"]
    assert any("bus is to be avoided" in one.message for one in found)
