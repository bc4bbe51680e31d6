"""Which days come of a wish: cities, ways, visits, meals, beds and money."""

import asyncio
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from atlas_shared import make_atlas, place_passage, tie_passage, way_passage

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.hours import is_open
from consilience.packs.travel.trips.bill import bill_of
from consilience.packs.travel.trips.checking import check
from consilience.packs.travel.trips.composing import compose
from consilience.packs.travel.trips.local import local_way, taxi_price
from consilience.packs.travel.trips.types import (
    Advice,
    Avoid,
    Budget,
    Candidate,
    Candidates,
    Group,
    Wish,
)

ATLAS = make_atlas()
MONDAY = date(2027, 3, 1)


def candidates_for(wish, atlas=ATLAS, count=150):
    """What a search by themes would give."""

    def score(place):
        return sum(place.themes.get(one, 0.0) * share for one, share in wish.themes.items())

    places = [one for one in atlas.places.values() if one.kind not in ("region", "country")]
    order = sorted(places, key=lambda one: (-score(one), one.id))[:count]
    return listed(order)


def listed(places):
    return Candidates(
        found=tuple(
            Candidate(place=one.id, passage=one.passage, score=1 / (60 + rank))
            for rank, one in enumerate(places, start=1)
        )
    )


def composed(atlas=ATLAS, candidates=None, **parts):
    wish = Wish(text="", **{"themes": {"culture": 60, "food": 40}, **parts})
    found = candidates if candidates is not None else candidates_for(wish, atlas)
    return asyncio.run(compose(wish, found, atlas))


def faults(itinerary, atlas=ATLAS, **parts):
    wish = Wish(text="", **{"themes": {"culture": 60, "food": 40}, **parts})
    advice = Advice(bill=bill_of(wish, itinerary, atlas))
    return asyncio.run(check(wish, itinerary, advice, atlas))


def cities(itinerary):
    return list(dict.fromkeys(day.city for day in itinerary.days))


def visited(itinerary):
    return [visit.place for day in itinerary.days for visit in day.visits]


def ways(itinerary):
    return [leg for day in itinerary.days for leg in day.legs if leg.passage]


def cost(itinerary, **parts):
    return bill_of(Wish(text="", **parts), itinerary, ATLAS).total


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


# --- visits -----------------------------------------------------------------------------


def test_the_order_of_the_candidates_decides_who_is_visited():
    places = ATLAS.within("aurel")
    there = composed(days=1, cities=("aurel",), candidates=listed(places))
    back = composed(days=1, cities=("aurel",), candidates=listed(places[::-1]))
    assert set(visited(there)) != set(visited(back))


def test_what_searches_found_goes_before_what_they_did_not():
    found = [ATLAS.places[f"aurel-{one}"] for one in ("cathedral", "hermitage", "town-square")]
    trip = composed(days=1, cities=("aurel",), candidates=listed(found), themes={"history": 100})
    assert {one.id for one in found} <= set(visited(trip))


def test_without_candidates_themes_fill_the_days():
    trip = composed(days=3, themes={"art": 100}, cities=("aurel",), candidates=Candidates(found=()))
    assert {"aurel-gallery", "aurel-weavers-lane"} <= set(visited(trip))
    assert not faults(trip, days=3, cities=("aurel",))


def test_what_has_to_be_seen_is_seen():
    must = ("highmere-ridge-walk", "lindow-jazz-cellar", "lindow-tavern", "highmere-grand")
    parts = {"days": 7, "must": must, "themes": {"beach": 100}}
    trip = composed(**parts)
    assert {"highmere-ridge-walk", "lindow-jazz-cellar"} <= set(visited(trip))
    assert "lindow-tavern" in {meal.place for day in trip.days for meal in day.meals}
    assert "highmere-grand" in {day.stay.place for day in trip.days if day.stay}
    assert not faults(trip, **parts)


@pytest.mark.parametrize(
    "avoid",
    [
        Avoid(themes=frozenset({"history"})),
        Avoid(features=frozenset({"stairs", "crowds"})),
        Avoid(types=frozenset({"museum", "beach"})),
        Avoid(places=frozenset({"lindow", "aurel-promenade"})),
    ],
)
def test_what_is_avoided_is_not_in_it(avoid):
    trip = composed(days=5, avoid=avoid, themes={"history": 50, "romance": 50})
    places = [ATLAS.places[one] for one in visited(trip)]
    assert not any(one.features & avoid.features for one in places)
    assert not any(one.type in avoid.types for one in places)
    assert not any(one.themes.get(theme, 0) >= 0.5 for one in places for theme in avoid.themes)
    assert not avoid.places & {*visited(trip), *cities(trip)}


def test_a_closed_day_is_not_visited():
    places = [ATLAS.places[f"aurel-{one}"] for one in ("museum", "gallery", "jazz-cellar")]
    trip = composed(days=3, cities=("aurel",), candidates=listed(places), starts_on=MONDAY)
    for day in trip.days:
        for visit in day.visits:
            hours = ATLAS.places[visit.place].hours
            assert is_open(hours, day.on, visit.begins, visit.ends), visit
    assert "aurel-museum" not in [one.place for one in trip.days[0].visits]
    assert "aurel-gallery" not in [one.place for one in trip.days[1].visits]
    assert {"aurel-museum", "aurel-gallery"} <= set(visited(trip))


def test_without_a_date_places_without_closing_days_are_preferred():
    always, seldom = (
        place_passage(
            key, key, "attraction", type="hall", city="aurel", lat=-30.0, lon=-15.0, hours=hours,
            visit_minutes=200, slots=("morning",), themes={"art": 1.0},
        )
        for key, hours in (("always", "Mo-Su 08:00-18:00"), ("seldom", "Sa 08:00-18:00"))
    )  # fmt: skip
    atlas = make_atlas(always, seldom)
    parts = {"days": 1, "cities": ("aurel",), "themes": {"art": 100}}
    found = [atlas.places[one] for one in ("seldom", "always")]
    assert visited(composed(atlas, candidates=listed(found), **parts))[0] == "always"
    saturday = composed(atlas, candidates=listed(found), starts_on=date(2027, 3, 6), **parts)
    assert visited(saturday)[0] == "seldom"


def test_sights_of_a_day_lie_near_one_another():
    spots = {"north": -30.0, "south": -30.2}  # 22 km apart
    more = [place_passage("twin", "Twin", "city", lat=-30.1, lon=-15.0, suggested_days=(2,))]
    for part, lat in spots.items():
        for number, slot in enumerate(("morning", "afternoon", "evening") * 2):
            more.append(
                place_passage(
                    f"{part}-{number}", f"{part} {number}", "attraction", city="twin", lat=lat,
                    lon=-15.0 + number / 1000, type=f"kind {part} {number}", visit_minutes=90,
                    slots=(slot,),
                )
            )  # fmt: skip
    atlas = make_atlas(*more)
    trip = composed(atlas, days=2, cities=("twin",), candidates=Candidates(found=()))
    for day in trip.days:
        assert len({visit.place.split("-")[0] for visit in day.visits}) == 1


def test_pace_decides_how_much_is_seen():
    trips = {pace: composed(days=4, pace=pace) for pace in ("relaxed", "balanced", "packed")}
    counts = {pace: len(visited(trip)) for pace, trip in trips.items()}
    assert counts["relaxed"] <= 8
    assert counts["relaxed"] < counts["balanced"] <= counts["packed"] <= 20


def test_a_season_is_minded():
    halves = {"early": (1, 2, 3, 4, 5, 6), "late": (7, 8, 9, 10, 11, 12)}
    more = [
        place_passage(
            key, key, "attraction", type="garden", city="aurel", lat=-30.0, lon=-15.0,
            visit_minutes=200, slots=("morning",), themes={"nature": 1.0}, best_months=months,
        )
        for key, months in halves.items()
    ]  # fmt: skip
    atlas = make_atlas(*more)
    for month, wanted in ((3, "early"), (9, "late")):
        parts = {"days": 1, "cities": ("aurel",), "themes": {"nature": 100}, "month": month}
        trip = composed(atlas, candidates=Candidates(found=()), **parts)
        assert visited(trip)[0] == wanted


def test_children_are_not_taken_to_cellars_or_up_ridges():
    themes = {"nature": 50, "culture": 50}
    trip = composed(days=6, group=Group(adults=2, children=2), themes=themes)
    kinds = {ATLAS.places[one].type for one in visited(trip)}
    assert "trek" not in kinds
    assert not any("alcohol" in ATLAS.places[one].features for one in visited(trip))


def test_a_wheelchair_gets_everywhere():
    needs = frozenset({"wheelchair", "vegetarian"})
    trip = composed(days=4, needs=needs)
    assert not faults(trip, days=4, needs=needs)
    meals = [meal.place for day in trip.days for meal in day.meals]
    assert meals
    assert all("vegetarian" in ATLAS.places[one].features for one in meals)


def test_a_day_trip_is_made_from_the_city_it_is_tied_to():
    ruin = place_passage(
        "far-ruin", "Far Ruin", "attraction", type="ruin", city="old-tarn", lat=-29.95, lon=-14.6,
        visit_minutes=90, themes={"history": 1.0}, slots=("morning", "afternoon"),
    )  # fmt: skip
    atlas = make_atlas(ruin, tie_passage("far-ruin", "DAY_TRIP_FROM", "brackwell"))
    parts = {"days": 3, "cities": ("brackwell",), "must": ("brackwell",)}
    found = listed([atlas.places["far-ruin"]])
    trip = composed(atlas, candidates=found, **parts)
    assert "far-ruin" in visited(trip)
    assert not faults(trip, atlas, **parts)


def test_what_opens_early_and_takes_long_is_begun_early():
    dive = place_passage(
        "dive", "Dive", "activity", type="diving", city="sandmouth", lat=-31.1, lon=-15.1,
        hours="Mo-Su 07:30-14:30", visit_minutes=420, slots=("morning",), themes={"beach": 1.0},
    )  # fmt: skip
    atlas = make_atlas(dive)
    parts = {"days": 2, "cities": ("sandmouth",), "must": ("sandmouth", "dive")}
    trip = composed(atlas, **parts)
    assert "dive" in visited(trip)
    assert not faults(trip, atlas, **parts)


def test_sights_are_spread_so_that_no_part_of_a_day_is_empty():
    parts = {"days": 6, "cities": ("old-tarn",), "pace": "packed", "themes": {"history": 100}}
    trip = composed(**parts)
    assert not faults(trip, **parts)


def test_days_that_a_city_cannot_fill_go_to_another_city():
    few = [place_passage("hamlet", "Hamlet", "city", lat=-30.1, lon=-15.1, suggested_days=(2,))]
    few += [way_passage("hamlet", "aurel", "bus", 60, 5.0)]
    few += [place_passage("hamlet-inn", "Inn", "stay", city="hamlet", price=40.0)]
    few += [place_passage("hamlet-pub", "Pub", "food", city="hamlet", price=9.0)]
    for number in range(5):
        few.append(
            place_passage(
                f"hamlet-{number}", f"Sight {number}", "attraction", city="hamlet", lat=-30.1,
                lon=-15.1, visit_minutes=60,
            )
        )  # fmt: skip
    atlas = make_atlas(*few)
    parts = {"days": 6, "cities": ("hamlet",), "must": ("hamlet",)}
    trip = composed(atlas, **parts)
    assert len(cities(trip)) > 1
    assert not faults(trip, atlas, **parts)


def test_far_sights_are_not_worth_a_short_look_but_a_day():
    far = {
        key: place_passage(
            key, key, "attraction", type=key, city="aurel", lat=-30.6, lon=-15.0,
            visit_minutes=minutes, slots=("morning",), themes={"culture": 1.0},
        )
        for key, minutes in (("glance", 30), ("outing", 300))
    }  # fmt: skip
    atlas = make_atlas(*far.values())
    for key, is_seen in (("glance", False), ("outing", True)):
        found = listed([atlas.places[key]])
        trip = composed(atlas, days=2, cities=("aurel",), candidates=found)
        assert (key in visited(trip)) is is_seen


def test_every_day_begins_at_the_bed_and_ends_there():
    trip = composed(days=3, cities=("aurel",))
    for day in trip.days[:-1]:
        ways = sorted((leg for leg in day.legs), key=lambda one: one.begins)
        assert ways[0].start == ways[-1].end == day.stay.place


# --- beds, tables, money ----------------------------------------------------------------


@pytest.mark.parametrize("level", ["budget", "mid-range", "luxury"])
def test_beds_are_of_the_level_and_the_same_in_a_city(level):
    trip = composed(days=6, level=level)
    beds = [(day.city, day.stay) for day in trip.days if day.stay]
    assert {ATLAS.places[stay.place].level for _, stay in beds} == {level}
    assert len({city for city, _ in beds}) == len({stay.place for _, stay in beds})
    assert trip.days[-1].stay is None


def test_the_order_of_the_candidates_decides_the_bed():
    pair = [ATLAS.places["aurel-inn"], ATLAS.places["aurel-courtyard-hotel"]]
    for first in (pair, pair[::-1]):
        trip = composed(days=2, cities=("aurel",), candidates=listed(first))
        assert trip.days[0].stay.place == first[0].id


def test_rooms_are_as_many_as_are_needed():
    trip = composed(days=2, group=Group(adults=5))
    assert trip.days[0].stay.rooms == 3


def test_lunch_and_dinner_are_eaten_at_different_tables():
    trip = composed(days=4, cities=("aurel",), themes={"history": 100})
    for day in trip.days:
        assert [meal.slot for meal in day.meals] == ["afternoon", "evening"]
        assert len({meal.place for meal in day.meals}) == 2
    assert len({meal.place for day in trip.days for meal in day.meals}) >= 4


def test_whoever_has_just_cooked_does_not_lunch_as_well():
    found = listed([ATLAS.places["aurel-kitchen-school"]])
    trip = composed(days=1, cities=("aurel",), candidates=found)
    assert visited(trip)[0] == "aurel-kitchen-school"
    assert [meal.slot for meal in trip.days[0].meals] == ["evening"]


def test_every_theme_of_some_weight_has_something():
    themes = {"history": 40, "water-sports": 30, "nightlife": 30}
    for pace in ("relaxed", "balanced"):
        trip = composed(days=2, cities=("sandmouth",), themes=themes, pace=pace)
        places = [ATLAS.places[one] for one in visited(trip)]
        for theme in themes:
            assert any(one.themes.get(theme, 0) >= 0.5 for one in places), (pace, theme)


def test_a_budget_is_kept_and_not_undercut_without_need():
    parts = {"days": 4, "themes": {"relaxation": 50, "romance": 50}}
    free = composed(**parts)
    most = cost(free, days=4) * Decimal("0.7")
    budget = Budget(amount=most, currency="EUR")
    trip = composed(**parts, budget=budget)
    assert cost(trip, days=4) <= most
    assert not faults(trip, **parts, budget=budget)
    plenty = replace(budget, amount=cost(free, days=4))
    assert composed(**parts, budget=plenty) == free


def test_a_budget_in_another_currency_and_by_the_day():
    budget = Budget(amount=Decimal(120), currency="USD", per="day")
    trip = composed(days=4, budget=budget)
    assert cost(trip, days=4) <= Decimal(480) * Decimal("0.86")
    assert not faults(trip, days=4, budget=budget)


def test_a_budget_that_cannot_be_kept_is_told():
    trip = composed(days=3, level="luxury", budget=Budget(amount=Decimal(90), currency="EUR"))
    assert any("budget" in gap for gap in trip.gaps)
    assert {ATLAS.places[day.stay.place].level for day in trip.days if day.stay} == {"luxury"}


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
