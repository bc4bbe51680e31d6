"""What does an atlas know of places, prices and ways?"""

from __future__ import annotations

from decimal import Decimal

import pytest
from atlas_shared import make_atlas, place_passage, tie_passage, way_passage

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.geography import Point, distance_km

ATLAS = make_atlas()


def test_a_place_is_found_by_any_of_its_names_whatever_the_spelling() -> None:
    more = place_passage("quay", "Café du Port", "food", aliases=("Harbour Café",))
    atlas = make_atlas(more)
    assert atlas.find("cafe du port") == ("quay",)
    assert atlas.find("HARBOUR CAFE") == ("quay",)
    assert atlas.find("nowhere") == ()


def test_a_city_comes_before_a_sight_of_the_same_name() -> None:
    atlas = make_atlas(place_passage("a-sight", "Lindow", "attraction", city="aurel"))
    assert atlas.find("Lindow")[0] == "lindow"


def test_prices_in_another_currency_are_converted_by_the_rates() -> None:
    rates = {"EUR": Decimal(1), "USD": Decimal(2), "XXX": Decimal(4)}
    given = [
        place_passage("a", "A", "city", price=10, currency="EUR"),
        place_passage("b", "B", "attraction", price=10, currency="EUR"),
        place_passage("c", "C", "attraction", price=10, currency="USD"),
        place_passage("d", "D", "attraction", price=10, currency="ZZZ"),
        way_passage("a", "b", "bus", 30, 8, currency="XXX"),
    ]
    atlas = Atlas.of(given, rates=rates)
    assert atlas.currency == "EUR"
    assert atlas.places["c"].price == Decimal(5)
    assert atlas.places["d"].price is None  # no rate: not known
    assert atlas.direct("a", "b")[0].price == Decimal(2)


def test_ways_alone_set_the_currency() -> None:
    atlas = Atlas.of([place_passage("a", "A", "city"), way_passage("a", "b", "bus", 30, 8)])
    assert atlas.currency == "EUR"


def test_a_way_goes_back_only_where_it_says_so() -> None:
    atlas = make_atlas(way_passage("wren", "farpoint", "glider", 60, 5, both_ways=False))
    assert [one.mode for one in atlas.direct("wren", "farpoint")] == ["glider"]
    assert atlas.direct("farpoint", "wren") == ()


def test_the_fastest_way_counts_changes_and_leaves_out_what_is_avoided() -> None:
    assert [one.end for one in ATLAS.fastest("aurel", "wren")] == ["wren"]
    over_land = ATLAS.fastest("aurel", "wren", frozenset({"flight"}))
    assert [one.end for one in over_land][-2:] == ["sandmouth", "wren"]
    assert ATLAS.fastest("aurel", "aurel") == ()
    assert ATLAS.fastest("aurel", "wren", frozenset({"flight", "ferry"})) == ()


def test_a_place_lies_in_all_that_it_is_part_of() -> None:
    atlas = make_atlas(tie_passage("coast", "PART_OF", "velmora"))
    assert atlas.lies_in("lindow-museum", "lindow")
    assert atlas.lies_in("lindow-museum", "coast")
    assert atlas.lies_in("lindow-museum", "velmora")
    assert not atlas.lies_in("lindow-museum", "hills")


def test_what_lies_in_an_area_of_a_city_is_in_the_city() -> None:
    area = place_passage("quarter", "Quarter", "area", city="aurel")
    cafe = place_passage("corner", "Corner", "attraction", city="quarter")
    atlas = make_atlas(area, cafe)
    assert atlas.city_of("corner") == "aurel"
    assert "corner" in {one.id for one in atlas.within("aurel")}


@pytest.mark.parametrize(
    ("one", "other", "km"),
    [
        (Point(21.0285, 105.8542), Point(16.4637, 107.5909), 539),  # Hanoi and Hue
        (Point(0, 0), Point(0, 180), 20015),  # half the globe
        (Point(51.5, 179.9), Point(51.5, -179.9), 14),  # over the date line
        (Point(10, 10), Point(10, 10), 0),
    ],
)
def test_distances_are_those_on_a_sphere(one: Point, other: Point, km: float) -> None:
    assert distance_km(one, other) == pytest.approx(km, abs=max(2, km * 0.01))


def test_the_first_telling_of_a_place_counts() -> None:
    atlas = make_atlas(place_passage("aurel", "Another", "city"))
    assert atlas.name_of("aurel") == "Port Aurel"
    assert atlas.name_of("unheard-of") == "unheard-of"
