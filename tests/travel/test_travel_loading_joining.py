"""How do records find each other: by ids, codes, names and nearness, in a file and beside it?"""

import pytest
from loading_shared import CITY, Read, passages_of, write

from consilience.evidence.splitter import split
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.loading import LOADER
from consilience.protocols import Room

# --- references, ids, nearness ------------------------------------------------------------


def test_ends_are_looked_up_in_the_files_beside(tmp_path):
    write(tmp_path, countries_json=[{"name": "Portugal", "type": "country", "currency": "EUR"}])
    write(tmp_path, cities_csv="id,name,country\n1,Lisbon,Portugal\n2,Porto,Portugal\n")
    read = write(tmp_path, hotels_csv="id,name,city_id,price\n1,Grand,2,120\n2,Gone,9,10\n")
    grand = read.places["grand"].metadata
    assert (grand["city"], grand["region"], grand["currency"]) == ("porto", "portugal", "EUR")
    assert "is in Porto, Portugal (place to stay)" in read.places["grand"].text
    assert any("'9'" in note for note in read.notes)
    (tmp_path / "cities.csv").write_text("id,name\n2,Braga,\n", encoding="utf-8")
    assert Read(tmp_path / "hotels.csv").places["grand"].metadata["city"] == "braga"


def test_a_place_in_a_city_that_nothing_tells_of_is_part_of_its_country(tmp_path):
    value = [{"name": "Castle", "type": "castle", "city": "Evora", "country": "Portugal"}]
    read = write(tmp_path, x_json=value)
    assert set(read.of("LOCATED_IN")) == {("castle", "evora")}
    assert set(read.of("PART_OF")) == {("castle", "portugal")}
    read = write(tmp_path, x_json=[*value, {"name": "Evora", "type": "city"}])
    assert not read.of("PART_OF")


def test_a_broken_file_beside_does_no_harm(tmp_path):
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    read = write(tmp_path, a_json=[{"name": "Castle", "city": "Nowhere", "type": "castle"}])
    assert read.places["castle"].metadata["city"] == "nowhere"


def test_ids_are_explicit_or_names_and_never_shared(tmp_path):
    rows = "id,name,city\n1,Central Hotel,Rome\n2,Central Hotel,Oslo\nx-1,One,Rome\nx-1,Two,Rome\n"
    read = write(tmp_path, hotels_csv=rows)
    assert set(read.places) == {"central-hotel-rome", "central-hotel-oslo", "x-1", "rome"}
    assert any("row 4 left out: its id was given before (id 'x-1' is that of row 3" in note
               for note in read.notes)  # fmt: skip


def test_a_code_means_the_place_it_is_better_known_for(tmp_path):
    value = {"CD": {"name": "Alpha", "iso": "CD", "fips": "CG", "neighbours": "CG"},
             "CG": {"name": "Beta", "iso": "CG", "neighbours": "CD"}}  # fmt: skip
    read = write(tmp_path, countries_json=value)
    assert set(read.of("BORDERS")) == {("alpha", "beta"), ("beta", "alpha")}


def test_what_is_near_is_computed_among_what_is_in_a_city(tmp_path):
    sights = [{"name": f"Sight {at}", "type": "museum", "lat": 10 + at / 1000, "lon": 20}
              for at in range(12)]  # fmt: skip
    far = [{"name": "Far", "type": "museum", "lat": 11, "lon": 20}]
    write(tmp_path, sights_json=sights + far)
    read = Read(tmp_path / "sights.json")
    near = read.of("NEAR")
    assert all("far" not in pair for pair in near)
    assert near["sight-0", "sight-1"].metadata["km"] == pytest.approx(0.11, abs=0.01)
    assert "0.1 km" in near["sight-0", "sight-1"].text
    assert len({frozenset(pair) for pair in near}) == len(near)
    read = write(tmp_path, stays_csv="name,type,lat,lon\nInn,hotel,10.0001,20\n")
    assert {target for _, target in read.of("NEAR")} == {f"sight-{at}" for at in range(5)}
    towns = [{"name": f"Town {at}", "type": "city", "lat": 10, "lon": 20} for at in range(5)]
    assert not write(tmp_path, towns_json=towns).of("NEAR")


def test_a_stated_nearness_has_its_distance(tmp_path):
    value = [{"id": "a", "name": "A", "type": "temple", "lat": 10, "lon": 20, "near": ["b"]},
             {"id": "b", "name": "B", "type": "temple", "lat": 10.5, "lon": 20}]  # fmt: skip
    assert write(tmp_path, x_json=value).of("NEAR")["a", "b"].metadata["km"] == pytest.approx(
        55.6, abs=0.1
    )


def test_remarks_are_passages_of_their_own_that_the_atlas_reads(tmp_path):
    value = [{**CITY, "safety": "Mind the trams.", "season": "Dry in summer."}]
    read = write(tmp_path, x_json=value)
    atlas = Atlas.of(passages_of(read))
    assert atlas.remark("lisbon", "safety").text == "Mind the trams."
    assert atlas.remark("lisbon", "season") is not None


def test_a_long_place_is_one_passage_and_the_rest_is_found_as_text(tmp_path):
    words = " ".join(f"Sentence number {at} tells of the old town." for at in range(80))
    read = write(tmp_path, x_json=[{**CITY, "description": words}])
    place = read.places["lisbon"]
    assert "number 79" in place.text
    assert len(place.search.split()) < 220
    searched = " ".join([place.search, *(one.text for one in read.blocks if one.kind == "text")])
    assert all(f"number {at} " in searched for at in range(80))


@pytest.mark.parametrize("limit", [40, 90, 400])
def test_a_place_is_one_passage_whatever_an_encoder_reads(tmp_path, limit):
    words = " ".join(f"Sentence number {at} tells of the old town." for at in range(80))
    read = write(tmp_path, x_json=[{**CITY, "description": words}, {**CITY, "name": "Faro"}])
    room = Room(count=lambda texts: [len(one.split()) for one in texts], limit=limit, target=limit)
    fitted = LOADER.cut(read.document, room)
    passages = split(fitted, collection="places", path="x", room=room)
    places = [one for one in passages if one.kind == "place"]
    assert [one.metadata["node"] for one in places] == ["lisbon", "faro"]
    assert all(len(one.indexed.split()) <= limit for one in passages)
    searched = " ".join(one.indexed for one in passages)
    assert all(f"number {at} " in searched for at in range(80))
