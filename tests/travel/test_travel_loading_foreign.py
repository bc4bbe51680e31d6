"""Data of strangers: cities that only a column names, ways without minutes, other languages."""

import json

import pytest
from loading_shared import Read, write

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.files.languages import days_in_english, type_in_english
from consilience.packs.travel.files.opened import hours_of
from consilience.packs.travel.files.timing import UNKNOWN_MIN
from consilience.packs.travel.files.values import minutes, months
from consilience.types import Passage

SIGHTS = """\
name,city,category,lat,lon,price
Old Fort,Velm,castle,10.00,20.00,€5
River Park,Velm,park,10.02,20.04,free
Clock Museum,Dorn,museum,11.00,21.00,€7
"""
HOTELS = """\
hotel_name,city,price_per_night,latitude,longitude
Inn Velm,Velm,"€ 78,00",10.01,20.02
Inn Lone,Lone,€60,12.00,22.00
"""


def atlas_of(*reads):
    """The atlas that documents give once they are passages."""
    blocks = [block for read in reads for block in read.blocks]
    return Atlas.of(
        Passage(
            id=f"p{at}", collection="places", document="d", title="t", text=one.text,
            locator=one.locator, kind=one.kind, metadata=one.metadata,
        )
        for at, one in enumerate(blocks)
    )  # fmt: skip


# --- places that only others name ---------------------------------------------------------


def test_a_city_that_two_places_name_is_a_place_in_the_middle_of_them(tmp_path):
    read = write(tmp_path, sights_csv=SIGHTS)
    city = read.places["velm"]
    assert (city.metadata["node_kind"], city.metadata["name"]) == ("city", "Velm")
    assert (city.metadata["lat"], city.metadata["lon"]) == (10.01, 20.02)
    assert city.metadata["computed"] is True
    assert "2 sights (Old Fort, River Park)" in city.text
    assert "No file tells of the city itself" in city.text
    assert "dorn" not in read.places  # one place alone names it
    assert any("made of what is there" in note and "Velm" in note for note in read.notes)
    assert any("'Dorn'" in note for note in read.notes)


def test_a_city_of_several_files_is_told_once_with_all_that_is_in_it(tmp_path):
    write(tmp_path, hotels_csv=HOTELS)
    sights = write(tmp_path, sights_csv=SIGHTS)
    hotels = Read(tmp_path / "hotels.csv")
    assert "velm" in hotels.places
    assert "velm" not in sights.places
    assert "1 place to stay (Inn Velm)" in hotels.places["velm"].text
    assert "2 sights" in hotels.places["velm"].text
    atlas = atlas_of(hotels, sights)
    assert [one.id for one in atlas.cities()] == ["velm"]
    assert {one.id for one in atlas.within("velm")} == {"old-fort", "river-park"}


def test_a_city_that_a_file_tells_of_is_not_made_again(tmp_path):
    write(tmp_path, cities_json=[{"name": "Velm", "type": "City", "lat": 1, "lon": 2}])
    read = write(tmp_path, sights_csv=SIGHTS)
    assert "velm" not in read.places
    assert not any("made of what is there" in note for note in read.notes)


def test_regions_and_countries_that_cities_name_are_places(tmp_path):
    cities = [
        {"id": "city_a", "type": "City", "name": "A-Town", "region": "Westmark", "country": "Ull"},
        {"id": "city_b", "type": "CITY", "name": "B-Town", "region": "Westmark", "country": "Ull"},
        {"id": "city_c", "type": "city", "name": "C-Town", "country": "ULL"},
    ]
    read = write(tmp_path, nodes_json=cities)
    kinds = {one: block.metadata["node_kind"] for one, block in read.places.items()}
    assert kinds["westmark"] == "region"
    assert [kinds[f"city_{one}"] for one in "abc"] == ["city"] * 3
    assert kinds["ull"] == "country"


def test_a_nameless_restaurant_is_not_called_as_its_city(tmp_path):
    rows = "name,type,city\n,museum,Velm\nOne,museum,Velm\nTwo,museum,Velm\n"
    read = write(tmp_path, sights_csv=rows)
    assert read.tally.left_out["it has no name"] == 1
    assert read.places["velm"].metadata["node_kind"] == "city"


def test_a_place_without_a_city_is_in_the_nearest_within_reach(tmp_path):
    rows = "name,type,city,lat,lon\nOne,museum,Velm,10,20\nTwo,museum,Velm,10.01,20.01\n"
    read = write(tmp_path, sights_csv=rows + "Near,park,,10.02,20\nFar,park,,11,21\n")
    assert read.places["near"].metadata["city"] == "velm"
    assert read.places["near"].metadata["city_by"] == "distance"
    assert "city" not in read.places["far"].metadata
    assert any("1 places name no city" in note for note in read.notes)


# --- ways ---------------------------------------------------------------------------------


def _cities(*points, **way):
    first = {"relation": "Connected_To", "target": "city_b", **way}
    spots = [dict(zip(("lat", "lon"), point, strict=True)) for point in points] or [{}, {}]
    return [
        {"id": "city_a", "type": "City", "name": "Aa", "connections": [first], **spots[0]},
        {"id": "city_b", "type": "City", "name": "Bb", **spots[1]},
    ]


def test_a_way_without_minutes_has_them_from_the_distance_and_says_so(tmp_path):
    read = write(tmp_path, nodes_json=_cities((0, 0), (0, 1)))
    way = read.of("CONNECTED_TO")["city_a", "city_b"]
    assert way.metadata["minutes"] == 145  # 111.2 km, a third more by road, at 60 km an hour
    assert (way.metadata["mode"], way.metadata["computed"]) == ("car", True)
    assert "computed from the distance" in way.text
    assert atlas_of(read).direct("city_b", "city_a")[0].minutes == 145


@pytest.mark.parametrize(("mode", "spent"), [("train", 110), ("bus", 175), ("flight", 160)])
def test_the_computed_time_depends_on_how_one_goes(tmp_path, mode, spent):
    read = write(tmp_path, nodes_json=_cities((0, 0), (0, 1), mode=mode))
    assert read.of("CONNECTED_TO")["city_a", "city_b"].metadata["minutes"] == spent


def test_a_long_way_without_a_mode_is_flown(tmp_path):
    read = write(tmp_path, nodes_json=_cities((0, 0), (0, 9)))
    way = read.of("CONNECTED_TO")["city_a", "city_b"].metadata
    assert (way["mode"], way["minutes"]) == ("flight", 236)


def test_a_way_of_which_nothing_is_known_is_counted_as_half_a_day(tmp_path):
    read = write(tmp_path, nodes_json=_cities())
    way = read.of("CONNECTED_TO")["city_a", "city_b"]
    assert (way.metadata["minutes"], way.metadata["computed"]) == (UNKNOWN_MIN, True)
    assert "how long it takes is not told" in way.text


def test_a_stated_time_stays_and_is_not_called_computed(tmp_path):
    read = write(tmp_path, nodes_json=_cities((0, 0), (0, 1), duration="2 h"))
    way = read.of("CONNECTED_TO")["city_a", "city_b"]
    assert way.metadata["minutes"] == 120
    assert "computed" not in way.metadata
    assert "computed" not in way.text


def test_a_way_that_both_ends_state_is_no_double(tmp_path):
    nodes = _cities((0, 0), (0, 1))
    nodes[1]["connections"] = [{"relation": "Connected_To", "target": "city_a"}]
    read = write(tmp_path, nodes_json=nodes)
    assert len(read.of("CONNECTED_TO")) == 2
    assert len(atlas_of(read).direct("city_a", "city_b")) == 1


def test_who_runs_a_way_and_the_night_are_read_from_its_mode(tmp_path):
    edges = [{"source": "aa", "target": "bb", "mode": "Night bus (CTM)", "duration": "ten hours"}]
    read = write(tmp_path, graph_json={"nodes": _cities()[1:], "edges": edges})
    way = read.of("CONNECTED_TO")["aa", "city_b"].metadata
    assert (way["mode"], way["operators"], way["overnight"], way["minutes"]) == (
        "night bus", "CTM", True, 600,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "spent"),
    [("about four and a half hours", 270), ("four hours", 240), ("2 hours and a half", 150),
     ("an hour", 60), ("ten hours overnight", 600), ("half an hour", 30)],
)  # fmt: skip
def test_durations_in_words(said, spent):
    assert minutes(said) == spent


# --- other languages ----------------------------------------------------------------------


def test_fields_and_values_of_german_and_french_are_read(tmp_path):
    lines = [
        {"name": "Elbstadt", "typ": "Stadt", "beschreibung": "Eine Stadt am Fluss."},
        {"name": "Rote Burg", "typ": "Burg", "adresse": {"ort": "Elbstadt", "land": "Nordland"},
         "öffnungszeiten": "Di-So 10:00-18:00", "preis": {"betrag": 14, "waehrung": "EUR"},
         "tags": ["Geschichte", "Familie"]},
        {"nom": "Musée du Lac", "type": "musée", "localisation": {"ville": "Elbstadt"},
         "horaires": "Me-Lu 10h-18h", "prix": 7.5, "devise": "EUR",
         "description": {"fr": "Un musée au bord du lac.", "en": "A museum by the lake."}},
    ]  # fmt: skip
    text = "\n".join(json.dumps(one, ensure_ascii=False) for one in lines)
    read = write(tmp_path, orte_jsonl=text)
    castle, museum = read.places["rote-burg"], read.places["musee-du-lac"]
    assert read.places["elbstadt"].metadata["node_kind"] == "city"
    assert castle.metadata["city"] == museum.metadata["city"] == "elbstadt"
    assert castle.metadata["hours"] == "Tu-Su 10:00-18:00"
    assert museum.metadata["hours"] == "We-Mo 10:00-18:00"
    assert (castle.metadata["price"], castle.metadata["currency"]) == (14, "EUR")
    assert (museum.metadata["price"], museum.metadata["type"]) == (7.5, "museum")
    assert set(castle.metadata["themes"]) == {"history", "family"}
    assert "burg" in castle.metadata["tags"]
    assert castle.metadata["type"] == "castle"
    assert "A museum by the lake." in museum.text


def test_weeks_of_two_languages_are_not_mixed_up():
    assert hours_of("Di 10:00-12:00; Do 10:00-12:00") == "Tu 10:00-12:00; Th 10:00-12:00"
    assert hours_of("Ve-Di 10h-12h") == "Fr-Su 10:00-12:00"
    assert days_in_english("by the tide") == "by the tide"
    assert type_in_english("Kirche") == "church"


def test_months_of_other_languages():
    assert months("Mai bis September") == (5, 6, 7, 8, 9)
    assert months("juin à août") == (6, 7, 8)


# --- what is said without a field for it --------------------------------------------------


def _feature(name, **tags):
    place = {"type": "Point", "coordinates": [20.0, 10.0]}
    return {"type": "Feature", "properties": {"name": name, **tags}, "geometry": place}


def test_openstreetmap_says_by_yes_and_no(tmp_path):
    features = [
        _feature("One", tourism="attraction", historic="castle", fee="no", wheelchair="yes"),
        _feature("Two", amenity="restaurant", wheelchair="no", **{"diet:vegetarian": "only"}),
    ]  # fmt: skip
    read = write(tmp_path, export_geojson={"type": "FeatureCollection", "features": features})
    one, two = read.places["one"].metadata, read.places["two"].metadata
    assert (one["price"], one["features"], one["type"]) == (0, ("wheelchair",), "castle")
    assert (two["features"], two["effort"]) == (("vegetarian",), "not for wheelchairs")
    assert "price" not in two


def test_themes_follow_from_type_and_text_only_where_none_is_stated(tmp_path):
    rows = [
        {"name": "One", "type": "museum", "city": "X"},
        {"name": "Two", "type": "museum", "city": "X", "tags": ["family"]},
        {"name": "Three", "type": "bridge", "city": "X", "description": "Loved for its romance."},
    ]
    read = write(tmp_path, sights_json=rows)
    themes = {one: block.metadata.get("themes") for one, block in read.places.items()}
    assert (themes["one"], themes["two"]) == (("culture",), ("family",))
    assert themes["three"] == ("romance",)
    assert read.places["one"].metadata["whys"] == ("museum",)


def test_levels_slots_and_prose_without_fields_of_their_own(tmp_path):
    rows = [
        {"name": "Inn", "type": "hotel", "city": "X", "tags": ["budget"]},
        {"name": "Bistro", "type": "restaurant", "city": "X", "avg_price": "€€"},
        {"name": "Fado evening", "type": "activity", "city": "X",
         "flavour": "Singers of the old quarter sing of the sea till late."},
        {"name": "Knights Hall", "type": "castle", "city": "X"},
    ]  # fmt: skip
    read = write(tmp_path, places_json=rows)
    assert read.places["inn"].metadata["level"] == "budget"
    assert read.places["bistro"].metadata["level"] == "mid-range"
    assert read.places["fado-evening"].metadata["slots"] == ("evening",)
    assert "slots" not in read.places["knights-hall"].metadata
    assert "Singers of the old quarter" in read.places["fado-evening"].text
    assert "Flavour" not in read.places["fado-evening"].text


def test_a_price_without_a_currency_has_that_of_the_others_in_the_file(tmp_path):
    read = write(tmp_path, sights_csv="name,type,city,price\nOne,museum,X,€5\nTwo,museum,X,7\n")
    assert read.places["two"].metadata["currency"] == "EUR"


def test_a_place_that_is_called_after_two_is_known_by_each(tmp_path):
    rows = [
        {"name": "Long Lake and Tall Son Temple", "type": "temple", "city": "X"},
        {"name": "Ba Hills and the Golden Bridge", "type": "attraction", "city": "X"},
        {"name": "Harbour Walls and Night Market", "type": "market", "city": "X"},
        {"name": "Harbour Walls", "type": "fort", "city": "X"},
    ]
    read = write(tmp_path, sights_json=rows)
    first, second, third, _ = list(read.places.values())[:4]
    assert first.metadata["aliases"] == ("Long Lake", "Tall Son Temple")
    assert second.metadata["aliases"] == ("Ba Hills", "Golden Bridge")
    assert "aliases" not in third.metadata  # a kind of place, and the name of another
    assert first.text.count("Long Lake") == 1


def test_the_country_that_the_texts_of_most_cities_speak_of_is_a_place(tmp_path):
    cities = [
        {"id": f"city_{at}", "type": "City", "name": f"Town {at}", "description": text}
        for at, text in enumerate(
            [
                "A port in Ullmark, old.",
                "Capital of Ullmark.",
                "A town in the hills, Ullmark.",
                "Quiet.",
            ]
        )
    ]
    read = write(tmp_path, nodes_json=cities)
    assert read.places["ullmark"].metadata["node_kind"] == "country"
    assert "3 cities (Town 0, Town 1, Town 2)" in read.places["ullmark"].text
    assert atlas_of(read).lies_in("city_1", "ullmark")
    assert not atlas_of(read).lies_in("city_3", "ullmark")
    for one in cities[1:]:
        one["description"] = "Quiet."
    assert "ullmark" not in write(tmp_path, nodes_json=cities).places


def test_what_relations_say_of_a_place_is_among_its_facts(tmp_path):
    edges = [
        {"source": "dune", "target": "adventure", "label": "good for"},
        {"source": "dune", "target": "camel rides", "label": "offers"},
    ]
    nodes = [{"id": "dune", "label": "Velm", "category": "town"}]
    read = write(tmp_path, graph_json={"nodes": nodes, "edges": edges})
    place = read.places["dune"]
    assert place.metadata["themes"] == ("adventure",)
    assert place.metadata["offers"] == ("camel rides",)
    assert set(read.of("SUITS")) == {("dune", "theme:adventure")}
    assert len(read.relations) == 2
