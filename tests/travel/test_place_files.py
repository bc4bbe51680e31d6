"""Are files of places read, whatever shape and spelling they have?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from second_country import second_atlas, write_second_country

from consilience.evidence.loaders.json_records import Json
from consilience.packs.travel import place_values as values
from consilience.packs.travel.place_files import load, load_markdown
from consilience.types import Block, Document

TOWER = {"name": "Belem Tower", "type": "tower", "city": "Lisbon"}
SHAPES = {
    "a list": [TOWER],
    "by key": {"belem-tower": TOWER, "castle": {"type": "castle", "city": "Lisbon"}},
    "a wrapper": {"currency": "EUR", "attractions": [{"title": "Belem Tower", "town": "Lisbon"}]},
    "nested": [{"name": "Lisbon", "type": "city", "attractions": [{"name": "Belem Tower"}]}],
    "features": {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": [-9.216, 38.692]},
                "properties": TOWER,
            }
        ],
    },
    "properties": [{"id": "n1", "labels": ["x"], "properties": TOWER}],
}


def _places(document: Document) -> dict[str, Block]:
    return {str(b.metadata["name"]): b for b in document.blocks if b.kind == "place"}


def _write(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_json_gives_the_place_and_its_city(shape: str, tmp_path: Path) -> None:
    places = _places(load(_write(tmp_path / "stuff.json", SHAPES[shape])))
    assert places["Belem Tower"].metadata["city"] == "lisbon"
    assert places["Belem Tower"].metadata["node_kind"] == "attraction"
    assert places["Lisbon"].metadata["node_kind"] == "city"


def test_the_fields_of_a_table_are_known_by_their_usual_names(tmp_path: Path) -> None:
    table = (
        "hotel_name,town,Latitude,lng,pricePerNight,stars,wheelchair,good for,opening hours\n"
        "Casa Azul,Porto,41.15,-8.61,€80-100,4,no,romance 0.8; food 0.6,daily 7am-11pm\n"
    )
    fields = _places(load(_write(tmp_path / "hotels.csv", table)))["Casa Azul"].metadata
    assert (fields["node_kind"], fields["city"]) == ("stay", "porto")
    assert (fields["lat"], fields["lon"]) == (41.15, -8.61)
    assert (fields["price"], fields["currency"], fields["level"]) == (90, "EUR", "mid-range")
    assert fields["themes"] == ("romance", "food")
    assert fields["strengths"] == (0.8, 0.6)
    assert fields["hours"] == "Mo-Su 07:00-23:00"
    assert fields["lacks"] == ("wheelchair",)


def test_references_are_looked_up_in_the_files_beside(tmp_path: Path) -> None:
    _write(
        tmp_path / "cities.json",
        [{"id": "opo", "name": "Porto", "type": "city", "region": "Norte"}],
    )
    sights = _write(
        tmp_path / "sights.json", [{"name": "Ribeira", "type": "area", "city": "Porto"}]
    )
    place = _places(load(sights))["Ribeira"]
    assert place.metadata["city"] == "opo"
    assert "Porto, Norte" in place.text


def test_records_that_are_no_places_are_reported_and_others_are_kept(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "places.json",
        [{"id": "a", "name": "Fort", "type": "fort"}, {"id": "a", "name": "X", "type": "fort"}, {}],
    )
    document = load(path)
    assert list(_places(document)) == ["Fort"]
    assert "record 2 left out: its id 'a' is that of record 1" in document.notes
    assert any("record 3 left out" in note for note in document.notes)


def test_what_lists_no_places_is_read_as_a_table_or_text(tmp_path: Path) -> None:
    table = load(_write(tmp_path / "sums.csv", "quarter,revenue\nQ1,12\nQ2,14\n"))
    assert table.kind == "table"
    text = load(_write(tmp_path / "notes.json", {"intro": "Hello there", "end": "Bye"}))
    assert [block.text for block in text.blocks] == ["Hello there", "Bye"]


def test_connections_have_a_time_and_say_where_it_is_computed(tmp_path: Path) -> None:
    folder = write_second_country(tmp_path / "north")
    edges = {str(b.metadata["target"]): b for b in load(folder / "routes.jsonl").blocks}
    assert edges["elmdal"].metadata["minutes"] == 100
    ferry = edges["storøy"]
    assert ferry.metadata["computed"] is True
    assert "computed from the distance" in ferry.text
    assert "price" not in ferry.metadata


def test_a_country_without_prices_hours_and_kinds_becomes_an_atlas(tmp_path: Path) -> None:
    atlas = second_atlas(tmp_path)
    assert [city.name for city in atlas.cities()] == ["Elmdal", "Norvik", "Storøy"]
    kinds = {
        place.name: place.kind for place in atlas.within("norvik", ("stay", "food", "attraction"))
    }
    assert kinds == {"Herring Museum": "attraction", "Kaia": "food", "Gull Inn": "stay"}
    assert all(place.price is None and not place.hours for place in atlas.places.values())
    assert [way.mode for way in atlas.fastest("elmdal", "storøy")] == ["bus", "ferry"]


def test_a_guide_with_listings_is_places_and_text(tmp_path: Path) -> None:
    guide = """# Boston

A city.

## See

- **Old Church**, 1 Main St. A church of 1723.

## Eat

* **Clam House**. Chowder.
"""
    document = load_markdown(_write(tmp_path / "boston.md", guide))
    assert {name: b.metadata["node_kind"] for name, b in _places(document).items()} == {
        "Old Church": "attraction", "Clam House": "food", "Boston": "city"
    }  # fmt: skip
    plain = load_markdown(_write(tmp_path / "essay.md", "# Essay\n\nOnly **words** here.\n"))
    assert plain.kind != "places"


@pytest.mark.parametrize(
    ("value", "minutes"),
    [("2h 30m", 150), ("1.5 hours", 90), ("half day", 240), (2, 120), (90, 90), ("2-3 hours", 150)],
)
def test_durations(value: str | int, minutes: int) -> None:
    assert values.minutes(value) == minutes


@pytest.mark.parametrize(
    ("value", "amount", "currency"),
    [
        ("120,000 VND", 120_000, "VND"), ("$15", 15, "USD"), ("€12–15", 13.5, "EUR"),
        ("Free", 0, ""), ("20-30k", 25_000, ""), ({"amount": 7, "currency": "chf"}, 7, "CHF"),
    ],
)  # fmt: skip
def test_prices(value: str, amount: float, currency: str) -> None:
    price = values.price(value)
    assert price is not None
    assert (price.amount, price.currency) == (amount, currency)


@pytest.mark.parametrize(
    ("value", "hours"),
    [
        ("Tu-Su 08:00-17:00; Mo off", "Tu-Su 08:00-17:00; Mo off"),
        ("M-Sa 8:30AM-5PM, Su 9AM-6PM", "Mo-Sa 08:30-17:00; Su 09:00-18:00"),
        ("open 24 hours", "24/7"),
        ({"Monday": "closed", "Tuesday": "9-17"}, "Mo off; Tu 09:00-17:00"),
        ("when the tide is out", ""),
    ],
)
def test_opening_hours(value: str, hours: str) -> None:
    assert values.hours(value) == hours


@pytest.mark.parametrize(
    "value",
    [[-9.216, 38.692], "38.692, -9.216", "POINT(-9.216 38.692)", {"lat": 38.692, "lng": -9.216}],
)
def test_points(value: Json) -> None:
    assert values.geometry_point(value) == (38.692, -9.216)
