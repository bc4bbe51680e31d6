"""What is visited, in which order, and on which day?"""

from datetime import date

import pytest
from atlas_shared import make_atlas, place_passage, tie_passage, way_passage
from composing_shared import ATLAS, MONDAY, cities, composed, faults, listed, visited

from consilience.packs.travel.hours import is_open
from consilience.packs.travel.trips.types import (
    Avoid,
    Candidates,
    Group,
)

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
