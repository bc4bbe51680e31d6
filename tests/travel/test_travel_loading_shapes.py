"""In which shapes and spellings may places come, and what is read of each?"""

import gzip
import json

import pytest
from loading_shared import CITY, Read, write

# --- shapes -------------------------------------------------------------------------------

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
