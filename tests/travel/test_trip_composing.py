"""Which cities does a trip go to, by which ways, and how does one get about in them?"""

from datetime import date

import pytest
from atlas_shared import make_atlas, place_passage, way_passage
from composing_shared import ATLAS, cities, composed, faults, visited, ways

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.local import local_way, taxi_price
from consilience.packs.travel.trips.types import (
    Avoid,
    Candidates,
)

# --- cities and ways --------------------------------------------------------------------


def test_a_trip_is_sound_and_the_same_every_time():
    trip = composed(days=6)
    assert not faults(trip, days=6)
    assert trip == composed(days=6)
    assert len(trip.days) == 6


def test_cities_asked_for_are_gone_to_in_the_order_of_the_least_travel():
    trip = composed(days=6, cities=("sandmouth", "aurel", "lindow"))
    assert cities(trip) in (["sandmouth", "lindow", "aurel"], ["aurel", "lindow", "sandmouth"])


def test_start_and_end_are_kept():
    parts = {"days": 7, "start": "brackwell", "end": "brackwell", "cities": ("highmere",)}
    trip = composed(**parts)
    assert ways(trip)[0].start == "brackwell" or trip.days[0].city == "brackwell"
    assert trip.days[-1].city == "brackwell"
    assert "highmere" in cities(trip)
    assert not faults(trip, **parts)


def test_themes_decide_where_a_trip_goes():
    assert cities(composed(days=2, themes={"hiking": 100})) == ["highmere"]
    assert cities(composed(days=2, themes={"romance": 100})) == ["lindow"]


def test_nights_asked_for_are_slept():
    parts = {"days": 6, "cities": ("aurel", "lindow"), "nights": {"lindow": 4}}
    trip = composed(**parts)
    assert sum(day.stay is not None and day.city == "lindow" for day in trip.days) == 4
    assert not faults(trip, **parts)


def test_there_are_no_more_cities_than_were_allowed_and_none_outside_the_region():
    assert len(cities(composed(days=9, most_cities=2))) <= 2
    trip = composed(days=8, region="hills")
    assert set(cities(trip)) <= {"highmere", "old-tarn", "brackwell"}


def test_modes_that_are_avoided_are_not_taken():
    parts = {"days": 6, "cities": ("aurel", "wren")}
    assert "flight" in {leg.mode for leg in ways(composed(**parts))}
    avoid = Avoid(modes=frozenset({"flight"}))
    trip = composed(**parts, avoid=avoid)
    assert "wren" in cities(trip)
    assert "flight" not in {leg.mode for leg in ways(trip)}
    assert not faults(trip, **parts, avoid=avoid)


def test_a_night_on_the_way_needs_no_bed_and_is_followed_by_its_morning():
    avoid = Avoid(modes=frozenset({"flight"}))
    parts = {"days": 5, "cities": ("aurel", "farpoint"), "start": "aurel", "avoid": avoid}
    trip = composed(**parts)
    night = next(day for day in trip.days if any(leg.overnight for leg in day.legs))
    leg = next(leg for leg in night.legs if leg.overnight)
    after = trip.days[night.number]
    assert night.stay is None
    assert night.city == leg.end == "farpoint"
    assert leg.begins == 20 * 60 + 30  # what its passage says
    assert min(visit.begins for visit in after.visits) >= leg.begins + leg.minutes - 24 * 60
    assert not faults(trip, **parts)


def test_a_way_of_more_than_nine_hours_is_broken_by_a_night():
    more = [
        place_passage("edge", "Edge", "city", lat=-25.0, lon=-12.0, themes={"culture": 0.9}),
        way_passage("farpoint", "edge", "bus", 500, 20.0),
        place_passage("edge-inn", "Edge Inn", "stay", city="edge", price=50.0, currency="EUR"),
        place_passage("edge-tower", "Edge Tower", "attraction", city="edge", visit_minutes=60),
    ]
    atlas = make_atlas(*more)
    trip = composed(atlas, days=6, cities=("aurel", "edge"), start="aurel")
    assert cities(trip) == ["aurel", "farpoint", "edge"]
    assert all(leg.minutes <= 540 or leg.overnight for leg in ways(trip))


def test_a_city_that_no_way_leads_to_is_told():
    island = place_passage("atoll", "Atoll", "city", lat=-33.0, lon=-20.0)
    trip = composed(make_atlas(island), days=4, cities=("aurel", "atoll"))
    assert any("Atoll" in gap for gap in trip.gaps)
    assert len(trip.days) == 4


def test_where_no_ways_are_known_one_stays_in_the_city_that_was_asked_for():
    more = []
    for key in ("abbey", "zenith"):
        more.append(place_passage(key, key.title(), "city", lat=-40.0, lon=-10.0))
        more.append(place_passage(f"{key}-bed", "Bed", "stay", city=key))
        for number in range(9):
            more.append(place_passage(f"{key}-{number}", f"S {number}", "attraction", city=key))
    atlas = Atlas.of(more)
    assert cities(composed(atlas, days=3, cities=("zenith",), must=("zenith",))) == ["zenith"]
    both = composed(atlas, days=4, cities=("zenith", "abbey"), must=("zenith", "abbey"))
    assert cities(both) == ["zenith"]
    assert any("Abbey" in gap for gap in both.gaps)


def test_more_cities_than_days_are_told():
    trip = composed(days=2, cities=("aurel", "lindow", "sandmouth", "highmere", "wren"))
    assert len(trip.days) == 2
    assert trip.gaps


# --- an atlas that says little ----------------------------------------------------------


def test_places_without_hours_prices_coordinates_and_slots_make_a_trip():
    more = [place_passage("bare", "Bare", "city")]
    more += [place_passage(f"bare-{n}", f"Sight {n}", "attraction", city="bare") for n in range(12)]
    more += [place_passage("bare-bed", "Bed", "stay", city="bare")]
    atlas = make_atlas(*more)
    trip = composed(atlas, days=2, cities=("bare",), candidates=Candidates(found=()))
    assert len(visited(trip)) >= 6
    assert all(visit.price == 0 for day in trip.days for visit in day.visits)
    assert trip.days[0].stay.name == "Bed"


def test_a_city_without_anything_is_told():
    way = way_passage("aurel", "void", "bus", 60, 1)
    atlas = make_atlas(place_passage("void", "Void", "city"), way)
    trip = composed(atlas, days=2, cities=("void",))
    assert trip.gaps


# --- ways within a city -----------------------------------------------------------------


def test_near_is_walked_and_far_is_driven():
    near, far, further = (
        place_passage(key, key, "attraction", lat=lat, lon=0.0)
        for key, lat in (("near", 0.005), ("far", 0.05), ("further", 0.3))
    )
    centre = place_passage("here", "here", "attraction", lat=0.0, lon=0.0)
    atlas = make_atlas(centre, near, far, further)
    here = atlas.places["here"]
    walk, ride, drive = (
        local_way(here, atlas.places[one], atlas) for one in ("near", "far", "further")
    )
    assert (walk.mode, walk.price) == ("walk", 0)
    assert ride.mode == drive.mode == "taxi"
    assert walk.km == pytest.approx(0.005 * 111.2 * 1.3, abs=0.1)
    assert 15 <= ride.minutes < drive.minutes < 90
    assert ride.price == taxi_price(ride.km, atlas) < drive.price
    assert local_way(here, here, atlas).minutes == 0


@pytest.mark.parametrize("city", ["highmere", "sandmouth"])
def test_a_market_of_sundays_is_reached_on_the_day_before(city):
    where = ATLAS.places[city].point
    atlas = make_atlas(
        place_passage(
            "fair",
            "Harrow Fair",
            "attraction",
            city=city,
            hours="Su 08:00-14:00",
            visit_minutes=180,
            slots=("morning",),
            lat=where.lat,
            lon=where.lon,
        )
    )
    friday = date(2027, 5, 7)
    found = composed(atlas, days=5, must=("fair",), start="aurel", starts_on=friday)
    assert "fair" in {visit.place for visit in found.days[2].visits}


def test_no_day_is_empty_where_fewer_visits_a_day_fill_them_all():
    sights = {one.id for one in ATLAS.within("lindow", {"attraction", "activity"})}
    kept = sorted(sights)[:5]
    atlas = make_atlas(without=tuple(sights - set(kept)))
    found = composed(atlas, days=4, cities=("lindow",), must=("lindow",), most_cities=1)
    assert all(day.visits for day in found.days)
