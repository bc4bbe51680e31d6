"""Files of places: what is read of them, whatever their shape and spelling, and what is told."""

import gzip
import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loading_shared import Read, write

from consilience.errors import LoadError
from consilience.ingest import formats
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.files.documents import load
from consilience.packs.travel.loading import LOADER
from consilience.protocols import Room
from consilience.split import split

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


def passages_of(read):
    room = Room(count=lambda texts: [len(one.split()) for one in texts], limit=400, target=200)
    return split(read.document, collection="places", path="x", room=room)


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


# --- shapes -------------------------------------------------------------------------------

CITY = {"name": "Lisbon", "type": "city", "lat": 38.7, "lng": -9.1}
WAY = {"from": "Lisbon", "to": "Porto", "mode": "train", "duration": "2h 50m", "cost": "€31"}


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        ([CITY], {"lisbon"}),
        ({"places": [CITY]}, {"lisbon"}),
        ({"meta": "x", "nodes": [CITY]}, {"lisbon"}),
        ({"LIS": CITY, "OPO": {"name": "Porto", "type": "city"}}, {"lisbon", "porto"}),
        ({"lisbon": {"lat": 38.7, "lon": -9.1}, "porto": {"lat": 41.1, "lon": -8.6}},
         {"lisbon", "porto"}),
        ([{"type": "node", "id": "7", "labels": ["City"], "properties": {"name": "Lisbon"}}],
         {"lisbon"}),
        ([{"city": "Lisbon", "country": "Portugal"}], {"lisbon"}),
        ([{"name": {"common": "Portugal", "official": "Portuguese Republic"}, "cca2": "PT",
           "region": "Europe"}], {"portugal"}),
    ],
)  # fmt: skip
def test_places_are_found_in_many_shapes(tmp_path, value, ids):
    assert set(write(tmp_path, data_json=value).places) == ids


@pytest.mark.parametrize("key", ["relations", "edges", "connections", "links", "routes"])
def test_relations_may_stand_beside_the_places(tmp_path, key):
    read = write(tmp_path, data_json={"places": [CITY, {**CITY, "name": "Porto"}], key: [WAY]})
    (edge,) = read.relations
    assert edge.kind == "edge"
    wanted = {"source": "lisbon", "target": "porto", "mode": "train", "minutes": 170, "price": 31,
              "currency": "EUR", "both_ways": True}  # fmt: skip
    assert {name: edge.metadata[name] for name in wanted} == wanted
    assert edge.text == "Lisbon → (is connected to) → Porto: by train; 2 h 50 min; 31 EUR"


def test_triples_and_edges_of_graphs_are_relations(tmp_path):
    nodes = [{"id": "tower", "label": "Tower", "type": "monument"}, {"id": "lis", **CITY}]
    edges = [{"source": "tower", "target": "lis", "type": "located in"}]
    read = write(tmp_path, graph_json={"nodes": nodes, "edges": edges})
    assert set(read.of("LOCATED_IN")) == {("tower", "lis")}
    assert read.places["tower"].metadata["city"] == "lis"
    read = write(
        tmp_path, more_json={"nodes": nodes, "edges": [["lis", "has_attraction", "tower"]]}
    )
    assert set(read.of("LOCATED_IN")) == {("tower", "lis")}
    assert (read.tally.records, read.tally.relations) == (3, 1)


def test_places_inside_a_place_are_in_it(tmp_path):
    value = [{**CITY, "attractions": [{"name": "Castle", "price": 15}],
              "hotels": [{"name": "Inn", "stars": 5}]}]  # fmt: skip
    read = write(tmp_path, guide_json={"currency": "EUR", "cities": value})
    castle, inn = read.places["castle"], read.places["inn"]
    assert (castle.metadata["city"], castle.metadata["node_kind"]) == ("lisbon", "attraction")
    assert (castle.metadata["price"], castle.metadata["currency"]) == (15, "EUR")
    assert (inn.metadata["node_kind"], inn.metadata["level"]) == ("stay", "luxury")
    assert read.tally.records == 3


def test_features_of_a_map_are_places_at_the_middle_of_their_geometry(tmp_path):
    square = [[[0, 0], [0, 2], [2, 2], [2, 0], [0, 0]]]
    features = [
        {"type": "Feature", "id": "way/1", "geometry": {"type": "Polygon", "coordinates": square},
         "properties": {"name": "Park", "leisure": "park", "addr:city": "Oslo"}},
        {"type": "Feature", "geometry": {"type": "LineString", "coordinates": [[10, 60], [11, 61]]},
         "properties": {"name": "Trail", "category": "activity"}},
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [10.7, 59.9]},
         "properties": {"name": "Café", "amenity": "cafe", "wheelchair": "yes"}},
        {"type": "Feature", "geometry": None, "properties": {"amenity": "bench"}},
    ]  # fmt: skip
    read = write(tmp_path, oslo_geojson={"type": "FeatureCollection", "features": features})
    places = {one.metadata["name"]: one.metadata for one in read.places.values()}
    assert [(one["lat"], one["lon"]) for one in places.values()] == [
        (1, 1),
        (60.5, 10.5),
        (59.9, 10.7),
    ]
    kinds = {name: one["node_kind"] for name, one in places.items()}
    assert kinds == {"Park": "attraction", "Trail": "activity", "Café": "food"}
    assert places["Café"]["wheelchair"] == "yes"
    assert any("feature 4 left out: it has no name" in note for note in read.notes)


@pytest.mark.parametrize("ending", ["jsonl", "ndjson", "jsonl.gz"])
def test_lines_of_json_are_places_one_by_one(tmp_path, ending):
    lines = [json.dumps(CITY), "not json", json.dumps({"name": "Castle", "city": "Lisbon"})]
    path = tmp_path / f"places.{ending}"
    data = "\n".join(lines).encode()
    path.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    read = Read(path)
    assert set(read.places) == {"lisbon", "castle"}
    assert any("line 2 left out" in note for note in read.notes)


def test_tables_with_names_are_places_and_others_rows(tmp_path):
    read = write(tmp_path, hotels_csv="Hotel Name;Town;Price per night;Suits\nInn;Évora;45,50 €;"
                                      "romance 0.8\n")  # fmt: skip
    inn = read.places["inn"].metadata
    assert (inn["node_kind"], inn["city"], inn["price"], inn["currency"]) == (
        "stay",
        "evora",
        45.5,
        "EUR",
    )
    assert (inn["themes"], inn["strengths"]) == (("romance",), (0.8,))
    read = write(tmp_path, figures_csv="year,value\n2020,3\n")
    assert (read.document.kind, read.blocks[0].kind) == ("table", "row")
    assert read.blocks[0].metadata == {"year": 2020, "value": 3}


def test_a_table_of_ways_is_read_whole(tmp_path):
    rows = """\
from,to,mode,hours,fare,overnight,operator
A,B,bus,1.5,4 EUR,no,X
B,A,bus,1.5,4 EUR,no,X
A,B,bus,1.5,4 EUR,no,Y
A,C,train,9,,yes,Z
A,A,bus,1,1,no,X
,B,bus,1,1,no,X
"""
    read = write(tmp_path, transport_csv=rows)
    ways = read.of("CONNECTED_TO")
    assert set(ways) == {("a", "b"), ("b", "a"), ("a", "c")}
    there = ways["a", "b"].metadata
    assert (there["minutes"], there["both_ways"], there["operators"]) == (90, False, ("X", "Y"))
    assert ways["a", "c"].metadata["both_ways"] is True
    assert ways["a", "c"].metadata["overnight"] is True
    assert (read.tally.relations, read.tally.together) == (3, 1)
    told = " ".join(read.notes)
    assert "row 5 left out: it relates a place to itself" in told
    assert "row 6 left out: it lacks one of its two ends" in told


def test_a_table_without_a_header_is_known_by_its_cells(tmp_path):
    airports = """\
1,"Velm","Velm","Utopia","VLM","UTVM",10.5,20.5,5282,10,"U","X/Y","airport","S"
2,"Dor","Dor","Utopia","DOR",\\N,11.5,20.5,5282,10,"U","X/Y","airport","S"
"""
    write(tmp_path, airports_dat=airports)
    read = write(tmp_path, routes_dat="2B,410,VLM,1,DOR,2,,0,CR2\nS7,11,VLM,1,DOR,2,,0,CR2\n"
                                      "2B,410,VLM,1,QQQ,9,,0,CR2\n")  # fmt: skip
    assert set(read.of("CONNECTED_TO")) == {("velm", "dor"), ("velm", "qqq")}
    way = read.of("CONNECTED_TO")["velm", "dor"]
    assert (way.metadata["mode"], way.metadata["both_ways"]) == ("flight", False)
    assert way.metadata["operators"] == ("2B", "S7")
    assert any("known by their name alone: 'QQQ'" in note for note in read.notes)
    read = write(tmp_path, planes_dat='"Bird 1","BR1","BIRD"\n"Bird 2","BR2","BIR2"\n')
    assert [one.kind for one in read.blocks] == ["row", "row"]


def test_nested_json_is_a_document_of_sections(tmp_path):
    told = "A <b>long</b> story.<br>It&rsquo;s true."
    capital = {"name": {"text": "Amaurot"}, "x": {"text": ""}}
    country = {"conventional short form": {"text": "Utopia"}}
    value = {
        "Introduction": {"Background": {"text": told}},
        "Government": {"Country name": country, "Capital": capital},
    }
    read = write(tmp_path, ut_json=value)
    assert (read.document.kind, read.document.title) == ("document", "Utopia")
    first = read.blocks[0]
    assert (first.locator.section, first.text) == (
        ("Introduction", "Background"), "A long story.\nIt’s true.",
    )  # fmt: skip
    assert any("Amaurot" in one.text for one in read.blocks)
    assert (read.tally.records, read.tally.texts, read.tally.left_out) == (
        4,
        3,
        {"empty values": 1},
    )


# --- files as others publish them ---------------------------------------------------------


def test_elements_of_openstreetmap_are_places(tmp_path):
    tags = {"name": "Hotel Blau", "tourism": "hotel", "stars": "4", "addr:city": "Ulm"}
    park = {"name": "Garten", "leisure": "park", "opening_hours": "24/7"}
    elements = [
        {"type": "node", "id": 123, "lat": 48.1, "lon": 11.5, "tags": tags},
        {"type": "way", "id": 5, "center": {"lat": 48.2, "lon": 11.6}, "tags": park},
    ]
    places = write(tmp_path, map_json={"version": 0.6, "elements": elements}).places
    blue, garden = places["hotel-blau"].metadata, places["garten"].metadata
    assert (blue["node_kind"], blue["city"], blue["level"]) == ("stay", "ulm", "mid-range")
    assert (garden["type"], garden["lat"], garden["hours"]) == ("park", 48.2, "24/7")


def test_answers_of_a_search_for_places_are_places(tmp_path):
    hours = {"open_now": True, "weekday_text": ["Monday: 9:00 AM – 5:00 PM", "Sunday: Closed"]}
    found = {"place_id": "ChIJ1", "name": "Tower", "types": ["tourist_attraction"], "rating": 4.7,
             "geometry": {"location": {"lat": 48.8, "lng": 2.2}}, "price_level": 1,
             "opening_hours": hours}  # fmt: skip
    tower = (
        write(tmp_path, found_json={"status": "OK", "results": [found]}).places["ChIJ1"].metadata
    )
    assert (tower["lat"], tower["level"], tower["node_kind"]) == (48.8, "budget", "attraction")
    assert tower["hours"] == "Mo 09:00-17:00; Su off"


def test_units_may_stand_in_the_names_of_columns_and_times_of_day_in_the_best_time(tmp_path):
    rows = """\
State,City,Name,Type,time needed to visit in hrs,Entrance Fee in INR,Best Time to visit
Delhi,Delhi,India Gate,War Memorial,0.5,30,Evening
"""
    gate = write(tmp_path, india_csv=rows).places["india-gate"].metadata
    assert (gate["visit_minutes"], gate["price"], gate["currency"]) == (30, 30, "INR")
    assert (gate["city"], gate["slots"]) == ("delhi", ("evening",))


def test_a_list_of_cities_may_name_them_under_city_with_codes_of_their_countries(tmp_path):
    rows = """\
city,city_ascii,lat,lng,country,iso2,admin_name,id
Tōkyō,Tokyo,35.68,139.69,Japan,JP,Tōkyō,1392685764
"""
    tokyo = write(tmp_path, worldcities_csv=rows).places["tokyo"].metadata
    assert (tokyo["node_kind"], tokyo["region"], tokyo["aliases"]) == ("city", "japan", ("Tokyo",))
    assert "codes" not in tokyo


def test_a_hotel_may_be_named_under_hotel_and_stars_of_a_restaurant_are_no_level(tmp_path):
    deal = {"hotel": "Sea View", "destination": "Bali", "rate": "USD 120/night"}
    stay = write(tmp_path, deals_json=[deal]).places["sea-view"].metadata
    assert (stay["node_kind"], stay["city"], stay["price"]) == ("stay", "bali", 120)
    food = {"name": "Abby", "categories": "Restaurants, Mexican", "stars": 5.0, "city": "Ulm",
            "hours": {"Monday": "8:0-22:0"}}  # fmt: skip
    found = write(tmp_path, food_json=[food]).places["abby"].metadata
    assert (found["type"], found["hours"], found["stars"]) == ("restaurant", "Mo 08:00-22:00", 5.0)
    assert "level" not in found


@pytest.mark.parametrize(("lat", "months"), [(40, (6, 7, 8)), (-40, (1, 2, 12)), (3, None)])
def test_a_season_means_months_where_it_is_known_which(tmp_path, lat, months):
    value = [{**CITY, "lat": lat, "best_time_to_visit": "Summer"}]
    found = write(tmp_path, x_json=value).places["lisbon"]
    assert found.metadata.get("best_months") == months
    assert "Summer" in found.text


def test_a_table_of_flights_joins_cities(tmp_path):
    rows = "airline,flight,source_city,destination_city,duration,price\nX,X1,Delhi,Goa,2.5,5953\n"
    way = write(tmp_path, flights_csv=rows).of("CONNECTED_TO")["delhi", "goa"].metadata
    assert (way["mode"], way["minutes"], way["operators"]) == ("flight", 150, "X")


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
