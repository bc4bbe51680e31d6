"""What is ruled out in many words is left out, and what it cuts off is told."""

import asyncio

import pytest
from atlas_shared import make_atlas, place_passage, way_passage
from wishes_shared import TODAY, read, velmora

from consilience.packs.travel.tellings import Connection
from consilience.packs.travel.trips.composing import compose
from consilience.packs.travel.trips.negotiating import negotiate
from consilience.packs.travel.trips.reading.ways.travelling import families_in, is_barred
from consilience.packs.travel.trips.types import Candidate, Candidates

NO_BOATS = frozenset({"boat", "ferry"})


def told(text, atlas=None):
    atlas = atlas or velmora()
    found = negotiate(read(text, atlas), atlas, today=TODAY).compromises
    return " | ".join(f"{one.wanted}: {one.reason}" for one in found)


def way(mode, note="", departures="", *, overnight=False):
    passage = way_passage(
        "aurel", "wren", mode, 100, 1.0, note=note, departures=departures, overnight=overnight
    )
    atlas = make_atlas(passage)
    found = [one for one in atlas.connections["aurel", "wren"] if one.passage == passage.id]
    assert isinstance(found[0], Connection)
    return found[0]


@pytest.mark.parametrize(
    "said",
    [
        "I will not set foot in Lindow. {}",
        "{} Without ever setting foot in Lindow.",
        "Under no circumstances Lindow. {}",
        "Lindow is strictly off limits for us. {}",
        "We refuse to go near Lindow. {}",
        "On no account Lindow. {}",
        "None of us will enter Lindow. {}",
        "Lindow is out of the question. {}",
    ],
)
def test_a_city_that_is_ruled_out_and_asked_for_is_told(said):
    wish = read(said.format("Four days in Lindow, please."))
    assert "lindow" in wish.avoid.places
    assert "left out" in told(said.format("Four days in Lindow, please."))
    assert "left out" in told(said.format("Four days with the Lindow Museum, please."))


@pytest.mark.parametrize(
    "text",
    [
        "There's no way I'm skipping Lindow, 4 days",
        "We would never skip Lindow, 4 days",
        "Don't miss Lindow, 4 days",
        "We haven't seen Lindow yet, 4 days there",
    ],
)
def test_a_city_that_must_not_be_missed_is_not_left_out(text):
    assert not read(text).avoid.places


@pytest.mark.parametrize(
    "ban",
    [
        "Tom will not get on any aircraft, ever, and I will not set foot on any boat or ferry",
        "we refuse planes, boats and ferries",
        "under no circumstances by plane or by boat",
        "my aunt refuse plane, bus, car, taxi, van, boat",
        "every leg by rail",
        "exclusively by train",
        "only train she accepts",
        "strictly by bus or train",
        "no flights, and boats are off limits",
        "none of us flies or sails",
        "nothing but trains",
        "all the way by train",
    ],
)
def test_an_island_without_boats_and_flights_is_told(ban):
    assert "Isle of Wren" in told(f"Isle of Wren for five nights, {ban}.")
    assert "Isle of Wren" in told(f"Five nights on the Isle of Wren from Port Aurel, {ban}.")


@pytest.mark.parametrize(
    "text",
    [
        "Isle of Wren for five nights, no buses please",
        "Port Aurel and Lindow by train only, 5 days",
        "Boats only with life jackets. Isle of Wren for five nights",
        "We don't mind boats or planes. Isle of Wren for five nights",
        "Isle of Wren for five nights, 900 euros not counting flights from home",
        "Old Tarn and Brackwell, 5 days, by train and bus, no flights",
        "Train only to Brackwell, then the bus to Highmere, 6 days from Port Aurel",
    ],
)
def test_what_can_be_reached_by_what_is_left_is_not_told(text):
    assert not told(text)


def test_road_is_a_family_of_ways():
    modes = read("Port Aurel and Old Tarn, 5 days, no road transfers").avoid.modes
    assert {"bus", "car", "van", "motorbike"} <= modes
    assert "train" not in modes
    assert families_in("the coach or a taxi") == {"bus", "car"}
    assert "Highmere" in told("Highmere from Port Aurel, 5 days, no road transport at all")


def test_a_way_that_changes_to_what_is_ruled_out_is_barred():
    assert is_barred(way("bus", "Coach to the pier, then takes the speedboat."), NO_BOATS)
    assert is_barred(way("car", departures="any time while the ferry runs"), NO_BOATS)
    assert is_barred(way("bus", "Ferry first, then a coach through the hills."), NO_BOATS)
    assert is_barred(way("van", "One ticket for van, short ferry and island minibus."), NO_BOATS)
    assert is_barred(way("train", overnight=True), frozenset({"overnight train"}))
    road = frozenset({"bus", "car", "van", "motorbike"})
    assert is_barred(way("train", "Two hours to Mill, then a taxi of 35 km."), road)
    assert not is_barred(way("train", "Two hours to Mill, then a taxi of 35 km."), NO_BOATS)


@pytest.mark.parametrize(
    "note",
    [
        "The station lies 8 km from the boats of the lake.",
        "Steadier than the ferry, and cheaper.",
        "Ends at the ferry station.",
        "Runs along the harbour with its museum ship.",
    ],
)
def test_what_is_only_spoken_of_bars_no_way(note):
    assert not is_barred(way("bus", note), NO_BOATS)
    assert not is_barred(way("bus", f"{note} Then takes the ferry."), frozenset())


def test_a_bus_over_the_sea_does_not_reach_an_island_without_boats():
    atlas = make_atlas(
        place_passage("skerry", "Skerry", "city", lat=-31.0, lon=-16.5, region="outer"),
        way_passage("aurel", "skerry", "bus", 240, 12.0, note="One ticket for coach and ferry."),
    )
    text = "Skerry from Port Aurel, 4 days, no boats or ferries"
    assert "every way from Port Aurel to Skerry changes to what is ruled out" in told(text, atlas)
    assert "Skerry without boat" in told("Skerry for 4 days, no boats or ferries", atlas)
    assert not told("Skerry from Port Aurel, 4 days, no planes", atlas)


def composed(text, atlas):
    wish = read(text, atlas)
    found = [one for one in atlas.places.values() if one.kind not in ("region", "country")]
    candidates = Candidates(
        found=tuple(
            Candidate(place=one.id, passage=one.passage, score=1 / (60 + rank))
            for rank, one in enumerate(sorted(found, key=lambda one: one.id))
        )
    )
    return asyncio.run(compose(wish, candidates, atlas))


def test_a_plan_takes_no_bus_that_changes_to_a_boat():
    note = "By the coast, then takes the ferry."
    atlas = make_atlas(way_passage("aurel", "sandmouth", "van", 60, 1.0, note=note))

    def taken(text):
        legs = [one for day in composed(text, atlas).days for one in day.legs]
        return {one.mode for one in legs if one.passage}

    assert "van" in taken("Sandmouth from Port Aurel, 4 days")
    assert "van" not in taken("Sandmouth from Port Aurel, 4 days, no boats or ferries")


def test_a_plan_leaves_out_a_place_that_tells_of_a_banned_noun():
    hall = place_passage(
        "lindow-hall", "Music Hall", "attraction", type="hall", city="lindow", region="coast",
        lat=-30.6, lon=-15.3, offers=("barrel organ",), themes={"art": 1.0}, hours="24/7",
        visit_minutes=60, price=0.0, slots=("morning", "afternoon", "evening"), effort="none",
    )  # fmt: skip
    atlas = make_atlas(hall)

    def visited(text):
        return {one.place for day in composed(text, atlas).days for one in day.visits}

    assert "lindow-hall" in visited("Lindow, 4 days of art")
    assert "lindow-hall" not in visited("Lindow, 4 days of art, no barrel organs")


@pytest.mark.parametrize(
    ("text", "told_of"),
    [
        ("Port Aurel and Highmere, 6 days, no leg longer than 2 hours", "2 hours"),
        ("A baby who lasts one hour in a car: Port Aurel and Highmere, 6 days", "one hour"),
        ("Port Aurel to Highmere, 6 days, every drive under 90 minutes", "90 minutes"),
        ("Port Aurel and Highmere, 6 days, no leg longer than 5 hours", ""),
        ("Port Aurel and Highmere, 6 days, at most two hours a day in museums", ""),
    ],
)
def test_a_way_that_is_longer_than_somebody_bears_is_told(text, told_of):
    assert (told_of in told(text)) if told_of else not told(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Sandmouth, a beach week, no beach bars", "beach"),
        ("Port Aurel, 3 days, eating well, but no spicy food", "food"),
        ("Port Aurel, 3 days of shopping, no shopping malls", "shopping"),
    ],
)
def test_a_ban_on_one_kind_is_none_on_the_theme(text, kept):
    assert kept not in read(text).avoid.themes


def test_back_to_where_one_comes_from_ends_there():
    for text in (
        "Lindow from Port Aurel and back, 4 days",
        "Lindow, by train from Port Aurel and return, 4 days",
        "Lindow from Port Aurel by train both ways, 4 days",
    ):
        wish = read(text)
        assert (wish.start, wish.end) == ("aurel", "aurel")
    assert read("Lindow from Port Aurel, return to Sandmouth, 6 days").end == "sandmouth"
