"""Is what has to be seen in a trip though its hours are few? At dawn, or before dinner."""

import asyncio
from datetime import date

import pytest
from atlas_shared import DAYLIGHT, make_atlas, place_passage, way_passage

from consilience.packs.travel.trips.bill import bill_of
from consilience.packs.travel.trips.checking import check
from consilience.packs.travel.trips.composing import compose
from consilience.packs.travel.trips.types import Advice, Candidate, Candidates, Wish

HALF = ("morning",)
DAWN = ("dawn", {"hours": "Mo-Su 05:00-09:00", "visit_minutes": 180, "slots": HALF})
ISLE = ("isle", {"hours": "Mo-Su 08:00-17:00", "visit_minutes": 240, "slots": HALF})
STROLL = ("stroll", {"hours": "Mo-Su 16:30-20:30", "visit_minutes": 210, "slots": ("evening",)})
GONGS = ("gongs", {"hours": "Mo-Su 18:30-21:00", "visit_minutes": 120, "slots": ("evening",)})
ROAD = way_passage("aurel", "nook", "bus", 210, 20.0, departures="hourly 05:00-21:00")
FRIDAY = date(2027, 3, 5)


def town(*sights, way=ROAD):
    """Nook: a small town on a road to Port Aurel, with lights of an evening and few sights."""
    where = {"city": "nook", "currency": "EUR", "lat": -30.5, "lon": -16.5}
    plain = {"type": "sight", "price": 0.0, "themes": {"culture": 0.8}}
    late = {"slots": ("evening",), "visit_minutes": 60, "hours": "Mo-Su 17:00-23:00"}
    more = [
        place_passage("nook", "Nook", "city", lat=-30.5, lon=-16.5, suggested_days=(1, 2)),
        place_passage("nook-inn", "Nook Inn", "stay", price=60.0, level="mid-range", **where),
        *(place_passage(f"nook-food-{one}", f"Nook Table {one}", "food", price=9.0, **where)
          for one in range(3)),
        *(place_passage(f"nook-{one}", f"Nook Sight {one}", "attraction", visit_minutes=90,
                        slots=DAYLIGHT, **plain, **where) for one in range(8)),
        *(place_passage(f"light-{one}", f"Light {one}", "attraction", **plain, **late, **where)
          for one in range(4)),
        *(place_passage(key, key.title(), "activity", **{**plain, **where, **parts})
          for key, parts in sights),
    ]  # fmt: skip
    return make_atlas(*more, way)


def made(atlas, liked=(), **parts):
    wish = Wish(text="", themes={"culture": 60, "food": 40}, **parts)
    keys = [*liked, *(f"light-{one}" for one in range(4))]
    found = tuple(Candidate(place=one, passage=f"p:{one}", score=0.5) for one in keys)
    days = asyncio.run(compose(wish, Candidates(found=found), atlas))
    advice = Advice(bill=bill_of(wish, days, atlas))
    return days, asyncio.run(check(wish, days, advice, atlas))


def when(days, key):
    return next(
        ((day.number, one.begins) for day in days.days for one in day.visits if one.place == key),
        None,
    )


@pytest.mark.parametrize("starts_on", [None, FRIDAY])
@pytest.mark.parametrize("sight", [STROLL, GONGS])
def test_what_is_over_before_one_has_dined_is_seen_first_and_one_dines_afterwards(sight, starts_on):
    days, found = made(town(sight), days=2, cities=("nook",), must=(sight[0],), starts_on=starts_on)
    number, begins = when(days, sight[0])
    dinner = days.days[number - 1].meals[-1]
    assert dinner.slot == "evening"
    assert dinner.begins >= begins + sight[1]["visit_minutes"]
    assert not found


def test_two_that_are_over_early_have_an_evening_each():
    days, found = made(town(STROLL, GONGS), days=2, cities=("nook",), must=("stroll", "gongs"))
    assert {when(days, "stroll")[0], when(days, "gongs")[0]} == {1, 2}
    assert not found


def test_nothing_else_of_an_afternoon_runs_into_it():
    slow = ("slow", {"hours": "Mo-Su 14:00-18:00", "visit_minutes": 220, "slots": ("afternoon",)})
    days, found = made(town(STROLL, slow), ("slow",), days=1, cities=("nook",), must=("stroll",))
    assert when(days, "stroll") == (1, 990)
    assert when(days, "slow") is None
    assert not found


def test_a_market_of_the_dawn_goes_before_what_is_open_all_day_on_the_only_morning():
    parts = {"start": "aurel", "cities": ("nook",), "nights": {"nook": 1}}
    days, found = made(town(DAWN, ISLE), days=2, must=("isle", "dawn"), **parts)
    number, begins = when(days, "dawn")
    assert (number, begins <= 6 * 60) == (2, True)
    assert when(days, "isle") is not None
    assert not found


def test_one_leaves_later_where_a_morning_would_be_lost_to_the_departure():
    parts = {"start": "aurel", "end": "aurel", "cities": ("nook",), "nights": {"nook": 1}}
    days, found = made(town(ISLE, DAWN), days=2, must=("isle", "dawn"), **parts)
    assert when(days, "dawn")[0] == 2
    assert when(days, "isle") is not None
    (leg,) = (one for one in days.days[1].legs if one.passage)
    assert 12 * 60 < leg.begins <= 21 * 60
    assert not found


def test_nobody_leaves_after_the_last_departure():
    early = way_passage("aurel", "nook", "bus", 210, 20.0, departures="hourly 05:00-08:00")
    parts = {"start": "aurel", "end": "aurel", "cities": ("nook",), "nights": {"nook": 1}}
    days, found = made(town(DAWN, way=early), days=2, must=("dawn",), **parts)
    assert all(leg.begins <= 8 * 60 for day in days.days for leg in day.legs if leg.passage)
    assert [one.rule for one in found if one.rule == "must-missing"] == ["must-missing"]
