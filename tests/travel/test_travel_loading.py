"""Files of places: what is read of them, whatever their shape and spelling, and what is told."""

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loading_shared import CITY, Read, passages_of, write

from consilience.errors import LoadError
from consilience.evidence.ingest import formats
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.files.documents import load
from consilience.packs.travel.loading import LOADER

PUBLIC = [
    {
        "id": "city_hanoi", "type": "City", "name": "Hanoi", "region": "Northern Vietnam",
        "description": "The capital.", "best_time_to_visit": "February to May",
        "tags": ["culture", "street food", "heritage", "lakes"],
        "semantic_text": "Lakes, lanes and soup.",
        "connections": [
            {"relation": "Connected_To", "target": "city_ninh_binh"},
            {"relation": "Twinned_With", "target": "city_ninh_binh"},
        ],
    },
    {
        "id": "city_ninh_binh", "type": "City", "name": "Ninh Binh", "region": "Northern Vietnam",
        "connections": [{"relation": "Connected_To", "target": "city_hanoi"}],
    },
    {
        "id": "attraction_lake", "type": "Attraction", "name": "Sword Lake",
        "entrance_fee": "Free", "opening_hours": "Open 24 hours", "tags": ["romantic"],
        "connections": [
            {"relation": "Located_In", "target": "city_hanoi"},
            {"relation": "Near", "target": "hotel_reed"},
        ],
    },
    {
        "id": "hotel_reed", "type": "Hotel", "name": "Reed House", "price": "$45", "rating": 4.5,
        "connections": [{"relation": "Located_In", "target": "city_hanoi"}],
    },
    {
        "id": "activity_soup", "type": "Activity", "name": "Soup class", "duration": "3 hours",
        "connections": [{"relation": "Located_In", "target": "city_hanoi"}],
    },
]  # fmt: skip


# --- the best-known shape -----------------------------------------------------------------


def test_a_list_of_places_with_connections_loads_whole_and_typed(tmp_path):
    read = write(tmp_path, vietnam_json=PUBLIC)
    assert read.document.kind == "places"
    assert {one.metadata["node_kind"] for one in read.places.values()} == {
        "city", "attraction", "stay", "activity", "region", "country",
    }  # fmt: skip
    hanoi = read.places["city_hanoi"]
    assert hanoi.metadata["best_months"] == (2, 3, 4, 5)
    assert set(hanoi.metadata["themes"]) >= {"culture", "food"}
    assert "heritage" in hanoi.metadata["tags"]
    for words in ("City in Northern Vietnam", "The capital.", "soup", "February to May", "lakes"):
        assert words in hanoi.text
    assert set(read.of("CONNECTED_TO")) == {
        ("city_hanoi", "city_ninh_binh"), ("city_ninh_binh", "city_hanoi"),
    }  # fmt: skip
    assert {one.kind for one in read.of("CONNECTED_TO").values()} == {"edge"}
    assert set(read.of("LOCATED_IN")) == {
        (one, "city_hanoi") for one in ("attraction_lake", "hotel_reed", "activity_soup")
    }
    assert set(read.of("NEAR")) == {("attraction_lake", "hotel_reed")}
    assert set(read.of("TWINNED_WITH")) == {("city_hanoi", "city_ninh_binh")}
    assert (read.tally.said, read.tally.kept) == (7, 7)


def test_what_only_a_relation_locates_is_in_that_city_and_facts_are_read(tmp_path):
    read = write(tmp_path, vietnam_json=PUBLIC)
    atlas = Atlas.of(passages_of(read))
    assert [one.id for one in atlas.within("city_hanoi", {"stay"})] == ["hotel_reed"]
    lake, stay = atlas.places["attraction_lake"], atlas.places["hotel_reed"]
    assert (lake.price, lake.hours, lake.themes) == (0, "24/7", {"romance": 0.7})
    assert (stay.price, stay.currency) == (45, "USD")
    assert atlas.places["activity_soup"].minutes == 180
    assert atlas.find("Hanoi") == ("city_hanoi",)
    assert "Rating: 4.5" in stay.text
    assert read.places["hotel_reed"].metadata["rating"] == 4.5


# --- what is wrong ------------------------------------------------------------------------


def test_broken_json_is_refused_with_its_line_and_column(tmp_path):
    (tmp_path / "x.json").write_text('[\n {"name": "A",}\n]', encoding="utf-8")
    with pytest.raises(LoadError, match=r"x\.json is no JSON: .* in line 2, column 15"):
        load(tmp_path / "x.json")


@pytest.mark.parametrize("content", ["", "  \n", "[]", "{}", "null"])
def test_an_empty_file_says_so(tmp_path, content):
    read = write(tmp_path, x_json=content)
    assert not read.blocks
    assert read.notes == ("x.json holds no text",)


def test_wrong_coordinates_and_relations_to_itself_cost_only_themselves(tmp_path):
    value = [{"id": "a", "name": "A", "type": "city", "lat": 991, "lon": 5, "near": ["a"]}, CITY, 7]
    read = write(tmp_path, x_json=value)
    assert set(read.places) == {"a", "lisbon"}
    assert "lat" not in read.places["a"].metadata
    told = "\n".join(read.notes)
    assert "record 1: the coordinates 991, 5 are none" in told
    assert "record 1: a relation left out: it relates a place to itself" in told
    assert "record 3 left out: it is no object with fields but int" in told
    assert "3 records: 2 places, 1 left out (it is no object with fields)" in told


def test_a_clean_file_has_nothing_to_tell(tmp_path):
    assert write(tmp_path, x_json=[CITY]).notes == ()


def test_json_nested_beyond_reading_is_refused(tmp_path):
    (tmp_path / "x.json").write_text('{"a":' * 5000 + "1" + "}" * 5000, encoding="utf-8")
    with pytest.raises(LoadError, match="nest"):
        load(tmp_path / "x.json")


# --- wires --------------------------------------------------------------------------------


def test_the_pack_reads_its_files_by_this_loader():
    known = formats("travel")
    for ending in LOADER.endings:
        assert known[ending][1].load is LOADER.load
    assert formats("general")[".csv"][1].load is not LOADER.load


def test_the_loader_as_it_is_registered_reads(tmp_path):
    (tmp_path / "x.json").write_text(json.dumps([CITY]), encoding="utf-8")
    assert LOADER.load(tmp_path / "x.json").kind == "places"


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
WORDS = """
id name type city lat lon location tags price hours near connections country description from to
relation target best_time_to_visit duration coordinates children attractions
"""
NAMES = st.sampled_from(WORDS.split()) | st.text(max_size=8)
JSON = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=25,
)


@given(JSON)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_whatever_json_holds_every_record_is_accounted_for(tmp_path, value):
    read = write(tmp_path, any_json=json.dumps(value))
    ids = [one.metadata["node"] for one in read.blocks if one.kind == "place"]
    assert len(ids) == len(set(ids)) == read.tally.places
    for one in read.relations:
        assert one.metadata["source"] != one.metadata["target"]
        assert 0 <= one.metadata["weight"] <= 1
    assert all(one.text for one in read.blocks)
    assert Read(tmp_path / "any.json").document == read.document


@given(st.lists(st.lists(st.text(max_size=6), max_size=5), max_size=6), st.sampled_from(",;\t"))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50
)
def test_whatever_a_table_holds_every_row_is_accounted_for(tmp_path, rows, mark):
    header = ["name", "type", "from", "to"]
    lines = [mark.join(cell.replace("\n", " ") for cell in row) for row in [header, *rows]]
    with suppress(LoadError):  # a cell may leave a quotation open
        write(tmp_path, any_csv="\n".join(lines))
