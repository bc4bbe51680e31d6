"""Public data of places: every record of it comes in, or is told of."""

from itertools import islice
from pathlib import Path

import pytest
from loading_shared import Read

SHARED = Path(__file__).parents[3] / "shared" / "data"

needs = pytest.mark.skipif(
    not (SHARED / "travel_geonames").exists(), reason="the shared data is not here"
)


@needs
@pytest.mark.parametrize(
    ("file", "records", "places"),
    [
        ("travel_countries/countries.json", 250, 250),
        ("travel_geonames/cities500_vietnam.json", 893, 893),
        ("travel_geonames/countries.json", 252, 252),
        ("travel_openflights/countries.dat", 261, 261),
        ("travel_wikivoyage_sample/boston_structured.json", 186, 34),
    ],
)
def test_lists_of_places_come_in_whole(file, records, places):
    tally = Read(SHARED / file).tally
    assert (tally.records, tally.places) == (records, places)


@needs
def test_countries_border_one_another():
    read = Read(SHARED / "travel_countries" / "countries.json")
    assert ("vietnam", "laos") in read.of("BORDERS")
    assert (read.tally.said, read.tally.kept, read.tally.made["BORDERS"]) == (649, 649, 649)
    vietnam = read.places["vietnam"].metadata
    assert vietnam["node_kind"] == "country"
    assert vietnam["currency"] == "VND"
    assert "VNM" in vietnam["codes"]
    assert "Viet Nam" in vietnam["aliases"]


@needs
def test_cities_are_part_of_the_country_that_the_file_beside_tells_of():
    read = Read(SHARED / "travel_geonames" / "cities500_vietnam.json")
    assert {target for _, target in read.of("PART_OF")} == {"vietnam"}
    assert not read.of("NEAR")
    assert read.notes == ()


@needs
def test_routes_join_the_airports_of_the_file_beside(tmp_path):
    source = SHARED / "travel_openflights"
    wanted = {"SGN", "HAN", "DAD"}
    with (source / "airports.dat").open(encoding="utf-8") as lines:
        some = [line for line in lines if any(f'"{code}"' in line for code in wanted)]
    (tmp_path / "airports.dat").write_text("".join(some), encoding="utf-8")
    with (source / "routes.dat").open(encoding="utf-8") as lines:
        flown = (line for line in lines if wanted & set(line.split(",")[2:5:2]))
        (tmp_path / "routes.dat").write_text("".join(islice(flown, 400)), encoding="utf-8")
    read = Read(tmp_path / "routes.dat")
    assert read.tally.records == 400
    assert read.tally.relations + read.tally.together == 400
    ways = read.of("CONNECTED_TO")
    assert ("noi-bai-international-airport", "tan-son-nhat-international-airport") in ways
    assert any("known by their name alone" in note for note in read.notes)


@needs
def test_the_factbook_is_read_as_documents_of_sections():
    read = Read(SHARED / "travel_factbook" / "east-n-southeast-asia" / "vm.json")
    assert (read.document.kind, read.document.title) == ("document", "Vietnam")
    climate = [one for one in read.blocks if one.locator.section[-1:] == ("Climate",)]
    assert "monsoonal" in climate[0].text
    assert not any("<br>" in one.text or "&rsquo;" in one.text for one in read.blocks)


@needs
def test_a_guide_of_wikivoyage_is_a_place_with_listings_and_prose():
    read = Read(SHARED / "travel_wikivoyage_sample" / "boston_structured.json")
    boston = read.places["boston"].metadata
    assert (boston["node_kind"], boston["lat"]) == ("city", 42.359)
    assert len(read.of("LOCATED_IN")) == 33
    topics = {
        one.metadata.get("topic") for one in read.blocks if one.metadata.get("about") == "boston"
    }
    assert {"safety", "getting_around", "season"} <= topics
    assert not any("](" in one.text for one in read.blocks if one.kind == "text")
