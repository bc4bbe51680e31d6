"""Are the nights that were asked for slept where they were asked for? In small towns as well."""

import asyncio
from datetime import date

from atlas_shared import DAYLIGHT, make_atlas, place_passage, way_passage

from consilience.packs.travel.trips.bill import bill_of
from consilience.packs.travel.trips.checking import check
from consilience.packs.travel.trips.composing import compose
from consilience.packs.travel.trips.types import Advice, Candidate, Candidates, Itinerary, Wish

THEMES = {"culture": 60, "food": 40}
SATURDAY = date(2027, 3, 6)
WAYS = (
    way_passage("aurel", "nook", "train", 480, 8.0, overnight=True, departures="nightly 21:30"),
    way_passage("aurel", "nook", "bus", 300, 60.0, departures="hourly 06:00-16:00"),
)


def town(*sights, count=8, ways=None):
    """Nook: a small town a cheap night or a dear day from Port Aurel, with few sights."""
    where = {"city": "nook", "currency": "EUR", "lat": -30.5, "lon": -16.5}
    more = [
        place_passage("nook", "Nook", "city", lat=-30.5, lon=-16.5, suggested_days=(1, 2)),
        place_passage("nook-inn", "Nook Inn", "stay", price=60.0, level="mid-range", **where),
        place_passage("nook-table", "Nook Table", "food", price=9.0, **where),
        place_passage("nook-pot", "Nook Pot", "food", price=7.0, **where),
        *(
            place_passage(f"nook-{one}", f"Nook Sight {one}", "attraction", type=f"kind {one}",
                          visit_minutes=90, slots=DAYLIGHT, price=0.0,
                          themes={"culture": 0.8}, **where)
            for one in range(count)
        ),
        *(place_passage(key, key.title(), "activity", **{**where, **parts})
          for key, parts in sights),
    ]  # fmt: skip
    return make_atlas(*more, *(ways or WAYS))


def made(atlas, liked=(), **parts):
    wish = Wish(text="", themes=THEMES, **parts)
    found = tuple(Candidate(place=one, passage=f"p:{one}", score=0.01) for one in liked)
    days = asyncio.run(compose(wish, Candidates(found=found), atlas))
    advice = Advice(bill=bill_of(wish, days, atlas))
    return days, asyncio.run(check(wish, days, advice, atlas))


def slept(days: Itinerary, city):
    return sum(day.stay is not None and day.city == city for day in days.days)


def modes(days: Itinerary):
    return [("night " if leg.overnight else "") + leg.mode
            for day in days.days for leg in day.legs if leg.passage]  # fmt: skip


def test_no_night_is_spent_on_the_way_where_all_are_asked_for_in_cities():
    nights = {"aurel": 2, "nook": 3}
    days, found = made(town(), days=6, cities=("aurel", "nook"), nights=nights)
    assert (slept(days, "aurel"), slept(days, "nook"), modes(days)) == (2, 3, ["bus"])
    assert not found


def test_a_night_on_the_way_is_taken_where_there_is_one_more():
    parts = {"start": "aurel", "end": "aurel", "cities": ("nook",), "nights": {"nook": 3}}
    days, found = made(town(), days=6, **parts)
    assert "night train" in modes(days)
    assert slept(days, "nook") == 3
    assert not found


def test_a_start_and_an_end_elsewhere_take_no_nights_from_the_city_that_was_asked_for():
    parts = {"start": "aurel", "end": "aurel", "cities": ("nook",), "nights": {"nook": 5}}
    days, found = made(town(), days=6, **parts)
    assert [day.city for day in days.days] == ["nook"] * 5 + ["aurel"]
    assert slept(days, "nook") == 5
    assert not found


def test_no_other_city_comes_in_where_all_nights_are_asked_for():
    days, _ = made(town(count=4), days=6, start="aurel", cities=("nook",), nights={"nook": 5})
    assert {day.city for day in days.days} == {"nook"}


def test_few_sights_are_spread_and_a_free_afternoon_is_no_fault_in_a_town_asked_for():
    days, found = made(town(count=8), days=7, cities=("nook",), nights={"nook": 6})
    assert all(any(one.slot != "evening" for one in day.visits) for day in days.days)
    assert any("afternoon" in gap for gap in days.gaps)
    assert not found


def test_a_free_afternoon_is_a_fault_where_something_is_left_to_see():
    atlas = town(count=8)
    days, _ = made(atlas, days=7, cities=("nook",), nights={"nook": 6})
    fuller = town(count=9)
    wish = Wish(text="", themes=THEMES, days=7, cities=("nook",), nights={"nook": 6})
    found = asyncio.run(check(wish, days, Advice(bill=bill_of(wish, days, atlas)), fuller))
    assert {one.rule for one in found} == {"slot-empty"}
    nobody = Wish(text="", themes=THEMES, days=7)
    found = asyncio.run(check(nobody, days, Advice(bill=bill_of(nobody, days, atlas)), atlas))
    assert "slot-empty" in {one.rule for one in found}


def test_a_day_without_anything_stays_a_fault():
    _, found = made(town(count=3), days=7, cities=("nook",), nights={"nook": 6})
    assert "day-empty" in {one.rule for one in found}


def test_what_is_open_on_one_day_of_the_week_is_seen_on_it_where_sights_are_few():
    market = {"hours": "Su 07:00-12:00", "visit_minutes": 90, "slots": DAYLIGHT, "price": 0.0}
    parts = {"days": 7, "cities": ("nook",), "nights": {"nook": 6}}
    days, found = made(town(("market", market), count=6), starts_on=SATURDAY, **parts)
    assert [one.place for one in days.days[1].visits][:1] == ["market"]
    assert not found


def test_sights_for_mornings_only_leave_the_others_for_the_afternoon_where_they_are_few():
    early = {"visit_minutes": 90, "slots": ("morning",), "hours": "Mo-Su 06:00-11:00"}
    dawns = [(f"dawn-{one}", early) for one in range(3)]
    liked = [f"{kind}-{one}" for kind in ("nook", "dawn") for one in range(3)]
    parts = {"days": 4, "cities": ("nook",), "nights": {"nook": 3}}
    days, found = made(town(*dawns, count=5), liked, **parts)
    assert sum(len(day.visits) for day in days.days) == 8
    assert not days.gaps
    assert not found


def test_a_class_that_runs_into_the_evening_is_taken_where_it_has_to_be():
    late = {"hours": "Mo-Su 15:30-19:00", "visit_minutes": 180, "slots": ("afternoon", "evening")}
    days, found = made(town(("class", late)), days=2, cities=("nook",), must=("nook", "class"))
    assert "class" in [one.place for day in days.days for one in day.visits]
    assert not found


def test_whoever_has_one_day_for_a_long_outing_sets_out_early():
    cruise = {"hours": "Mo-Su 08:00-20:00", "visit_minutes": 480, "slots": ("morning",)}
    atlas = town(("cruise", cruise), ways=[way_passage("aurel", "nook", "bus", 220, 9.0)])
    parts = {"start": "aurel", "end": "aurel", "cities": ("aurel", "nook"), "nights": {"aurel": 2}}
    days, found = made(atlas, days=4, must=("aurel", "nook", "cruise"), **parts)
    assert "cruise" in [one.place for one in days.days[2].visits]
    assert not found


def test_a_short_stay_is_not_shortened_by_nights_on_the_way():
    parts = {"start": "aurel", "end": "aurel", "cities": ("nook",)}
    days, _ = made(town(), days=3, **parts)
    assert modes(days) == ["bus", "bus"]
    assert slept(days, "nook") == 2


def test_a_city_that_is_asked_for_first_and_ends_the_trip_begins_it():
    parts = {"end": "aurel", "cities": ("aurel", "nook"), "nights": {"aurel": 2, "nook": 2}}
    days, found = made(town(), days=5, **parts)
    assert [day.city for day in days.days] == ["aurel", "aurel", "nook", "nook", "aurel"]
    assert not found
