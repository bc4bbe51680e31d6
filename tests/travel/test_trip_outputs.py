"""Do all outputs show the same trip, whole, cited alike, and harmless?"""

import json
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from xml.etree import ElementTree

import pytest
from atlas_shared import make_atlas, place_passage, way_passage
from icalendar import Calendar
from trip_shared import STARTS_ON, leg, make_days, make_trip, make_wish, meal, stay, visit, way

from consilience.errors import UsageError
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.bill import bill_of
from consilience.packs.travel.trips.checking import RULES
from consilience.packs.travel.trips.showing.agenda import entries, title_of
from consilience.packs.travel.trips.showing.calendar import calendar
from consilience.packs.travel.trips.showing.citing import sources_of
from consilience.packs.travel.trips.showing.data import plainly, trip_json
from consilience.packs.travel.trips.showing.drawing import svg
from consilience.packs.travel.trips.showing.map import geojson
from consilience.packs.travel.trips.showing.markdown import markdown
from consilience.packs.travel.trips.showing.text import text
from consilience.packs.travel.trips.types import (
    Advice,
    Budget,
    Compromise,
    Day,
    Finding,
    Itinerary,
    Tip,
    Trip,
)
from consilience.types import Note

STAMPED = datetime(2026, 11, 16, 10, tzinfo=UTC)
UNSEEN = "\x07\u202e\uffff"
HOSTILE = 'Café <script>alert("1")</script> & [7] | **bold** `x`'


@pytest.fixture(scope="module")
def atlas():
    return make_atlas()


@pytest.fixture(scope="module")
def trip(atlas):
    return make_trip(atlas)


def hostile_trip():
    """A day at a place with an awkward name."""
    bad = place_passage("bad", HOSTILE + UNSEEN, "attraction", city="aurel", price=1.0,
                        visit_minutes=60, lat=-30.0, lon=-15.0)  # fmt: skip
    atlas = make_atlas(bad)
    day = Day(number=1, city="aurel", visits=(visit(atlas, "bad", "morning", 540),), on=STARTS_ON)
    days = Itinerary(days=(day,), currency="EUR")
    advice = Advice(safety=(Tip(text=f"{HOSTILE} is odd", passages=("p:bad",)),),
                    bill=bill_of(make_wish(), days, atlas))  # fmt: skip
    wish = make_wish(text=HOSTILE, days=1)
    return Trip(wish=wish, status="planned", itinerary=days, advice=advice), atlas


# --- citations --------------------------------------------------------------------------


def test_sources_are_numbered_in_the_order_in_which_one_reads(trip, atlas):
    sources = sources_of(trip, atlas)
    assert [one.number for one in sources] == list(range(1, len(sources) + 1))
    first = [one.passage for one in entries(trip.itinerary.days[0], atlas) if one.passage]
    assert [one.passage for one in sources[: len(first)]] == first
    assert sources[0].label == "Port Aurel Museum (museum in Port Aurel)"
    assert {one.passage for one in sources} >= {"w:aurel-lindow-train", "r:aurel-safety"}
    [train] = [one for one in sources if one.passage == "w:aurel-lindow-train"]
    assert train.label == "Port Aurel – Lindow by train"


def test_all_outputs_number_alike(trip, atlas):
    numbers = {one.passage: one.number for one in sources_of(trip, atlas)}
    data = trip_json(trip, atlas)
    assert {one["passage"]: one["number"] for one in data["citations"]} == numbers
    here = {one["properties"]["place"]: one["properties"]["citation"]
            for one in geojson(trip, atlas)["features"]
            if one["properties"]["kind"] == "visit"}  # fmt: skip
    for day in trip.itinerary.days:
        for one in day.visits:
            mark = numbers[one.passage]
            assert here[one.place] == mark
            assert f"{one.name} [{mark}]" in text(trip, atlas)
            assert f"{one.name} [{mark}]" in markdown(trip, atlas)
            assert f"Source [{mark}]: {one.passage}" in unfolded(calendar(trip, atlas))


def test_every_mark_of_the_text_is_a_source(trip, atlas):
    shown = text(trip, atlas)
    used = {int(one) for one in re.findall(r"\[(\d+)\]", shown.split("Sources\n")[0])}
    listed = {int(one) for one in re.findall(r"^\[(\d+)\] ", shown, re.MULTILINE)}
    assert used == listed == set(range(1, len(sources_of(trip, atlas)) + 1))


# --- text and Markdown ------------------------------------------------------------------


def test_the_text_has_what_was_understood_the_days_and_the_times(trip, atlas):
    shown = text(trip, atlas)
    assert shown.startswith("4 days: Port Aurel, Lindow and Farpoint\n===")
    for said in (
        "Time: 4 days from Tuesday 2 March 2027",
        "Themes: culture 60 %, food 40 %",
        "Travellers: 2 adults (couple)",
        "Assumed: two people travel",
        "Day 1, Tuesday 2 March 2027: Port Aurel",
        "Day 3, Thursday 4 March 2027: Lindow – Port Aurel – Farpoint",
        "lunch at Port Aurel Tavern (invented)",
        "taxi to Port Aurel Gallery, 15 min, 4.2 km",
        "paintings of the port",
        "Places marked as invented are examples",
    ):
        assert said in shown
    assert re.search(r"^09:00–10:30 +Port Aurel Museum \[1\] +12\.50 EUR a person$", shown, re.M)
    assert re.search(r"^20:30–06:50 \+1 +overnight train from Port Aurel to Farpoint", shown, re.M)
    assert re.search(r"^night +Port Aurel Inn \(invented\) \[6\]: 1 room +82\.00 EUR a room$",
                     shown, re.M)  # fmt: skip


@pytest.mark.parametrize("width", [60, 88, 120])
def test_no_line_is_wider_than_the_terminal(trip, atlas, width):
    assert max(map(len, text(trip, atlas, width=width).split("\n"))) <= width


def test_the_budget_table_is_aligned_and_adds_up(trip, atlas):
    shown = text(trip, atlas)
    table = shown.split("\nBudget\n")[1].split("Free:")[0].strip("-\n").split("\n")
    rows = [line for line in table if re.search(r"\d\.\d\d$", line)]
    assert len({len(line) for line in rows}) == 1
    *lines, total = [Decimal(line.split()[-1].replace(",", "")) for line in rows]
    assert sum(lines) == total == trip.advice.bill.total
    assert "Budget: 1,500.00 USD, 780.47 USD left" in shown
    assert "719.53 USD at 0.86 EUR for 1 USD" in shown


def test_a_budget_that_does_not_do_says_how_much_is_missing(atlas):
    days = make_days(atlas)
    wish = make_wish(budget=Budget(amount=Decimal(100), currency="EUR", per="day"))
    advice = Advice(bill=bill_of(wish, days, atlas))
    shown = text(Trip(wish=wish, status="planned", itinerary=days, advice=advice), atlas)
    assert "Budget: 400.00 EUR, 218.80 EUR too little" in shown


def test_a_place_without_a_price_is_not_called_free():
    unknown = place_passage("vault", "Vault", "attraction", city="aurel", visit_minutes=60)
    atlas = make_atlas(unknown, way_passage("aurel", "lindow", "cart", 300, 0.0))
    day = Day(number=1, city="lindow", visits=(visit(atlas, "vault", "morning", 540),),
              legs=(leg(atlas, "aurel", "lindow", "cart", 700),))  # fmt: skip
    days = Itinerary(days=(day,), currency="EUR")
    advice = Advice(bill=bill_of(make_wish(), days, atlas))
    shown = text(Trip(wish=make_wish(), status="planned", itinerary=days, advice=advice), atlas)
    assert "Not counted, as no price is known: Vault and cart to Lindow" in shown
    assert "Free" not in shown
    assert shown.count("price not known") == 2


def test_compromises_faults_gaps_notes_and_the_unknown_are_told(atlas):
    days = replace(make_days(atlas), gaps=("no food was found in Farpoint",))
    finding = Finding(rule="closed", message="day 1: Port Aurel Museum is closed", day=1)
    odd = make_trip(
        atlas,
        wish=make_wish(unknown=("Atlantis",), unclear=("zorbing",)),
        status="negotiated",
        itinerary=days,
        compromises=(
            Compromise(wanted="five cities", reason="two days are too few.", instead="two"),
            Compromise(wanted=RULES["closed"], reason="x", instead="y"),
        ),
        findings=(finding,),
        notes=(Note(origin="graph", message="left out"),),
    )
    for shown in (text(odd, atlas), markdown(odd, atlas)):
        for said in (
            "Atlantis", "zorbing", "five cities: two days are too few. Instead: two.",
            "day 1: Port Aurel Museum is closed (closed)", "no food was found in Farpoint",
            "graph: left out",
        ):  # fmt: skip
            assert said in shown
        assert RULES["closed"] not in shown  # it is told once, among the faults


def test_a_refused_trip_says_why_and_what_can_be_had(atlas):
    refused = Trip(wish=make_wish(), status="refused", refusal="20 EUR a day buy no bed.",
                   offers=("4 days on 90 EUR a day",))  # fmt: skip
    for shown in (text(refused, atlas), markdown(refused, atlas)):
        assert "This trip is not planned" in shown
        assert "20 EUR a day buy no bed." in shown
        assert "4 days on 90 EUR a day" in shown
        assert "Sources" not in shown
    for show in (calendar, geojson, svg):
        with pytest.raises(UsageError, match="20 EUR a day buy no bed"):
            show(refused, atlas)


def test_markdown_has_tables_of_as_many_cells_as_columns(trip, atlas):
    shown = markdown(trip, atlas)
    assert "| Time | What | Price |\n| --- | --- | ---: |" in shown
    assert "| **Total** |  |  | **618.80** |" in shown
    for block in shown.split("\n\n"):
        if block.startswith("|"):
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.split("\n")}) == 1


def test_words_of_others_stay_words():
    odd, atlas = hostile_trip()
    for shown in (text(odd, atlas), markdown(odd, atlas)):
        assert "[7]" not in shown
        assert "(7)" in shown
    shown = markdown(odd, atlas)
    assert not re.search(r"(?<!\\)<script", shown)
    rows = [line for line in shown.split("\n") if line.startswith("| 09:00")]
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 4
    drawn = svg(odd, atlas)
    root = ElementTree.fromstring(drawn)
    assert not [one for one in root.iter() if one.tag.endswith("script")]
    assert any(HOSTILE in (one.text or "") for one in root.iter())


# --- data -------------------------------------------------------------------------------


def test_the_json_has_all_of_the_trip_and_amounts_stay_exact(trip, atlas):
    data = json.loads(json.dumps(trip_json(trip, atlas)))
    assert data["wish"]["starts_on"] == "2027-03-02"
    assert data["wish"]["budget"]["amount"] == "1500"
    assert data["advice"]["bill"]["total"] == str(trip.advice.bill.total)
    assert sum(Decimal(one["total"]) for one in data["advice"]["bill"]["costs"]) == Decimal(
        data["advice"]["bill"]["total"]
    )
    assert data["itinerary"]["days"][0]["visits"][0]["price"] == "12.5"
    used = {leg["start"] for day in data["itinerary"]["days"] for leg in day["legs"]}
    assert used <= set(data["places"])
    assert data["places"]["aurel-inn"]["invented"] is True
    assert {"number", "passage", "place", "label"} == set(data["citations"][0])
    assert plainly(frozenset({"b", "a"})) == ["a", "b"]
    assert plainly(Decimal("1E+3")) == "1000"


# --- calendar ---------------------------------------------------------------------------


def unfolded(written: bytes) -> str:
    return written.decode().replace("\r\n ", "")


def events_of(trip, atlas):
    read = Calendar.from_ical(calendar(trip, atlas, stamped=STAMPED))
    return read.walk("VEVENT")


def test_the_calendar_is_read_back_with_floating_times(trip, atlas):
    events = {str(one["SUMMARY"]): one for one in events_of(trip, atlas)}
    museum = events["Port Aurel Museum"]
    assert museum.decoded("DTSTART") == datetime(2027, 3, 2, 9)
    assert museum.decoded("DTSTART").tzinfo is None
    assert museum.decoded("DTEND") == datetime(2027, 3, 2, 10, 30)
    assert str(museum["LOCATION"]) == "Port Aurel Museum, Port Aurel"
    assert (museum["GEO"].latitude, museum["GEO"].longitude) == (-30.0, -15.0)
    lunch = events["Lunch at Port Aurel Tavern"]
    assert "To get there: walk to Port Aurel Tavern, 20 min, 1.4 km" in lunch["DESCRIPTION"]
    assert "invented" in lunch["DESCRIPTION"]
    visits = sum(len(day.visits) + len(day.meals) for day in trip.itinerary.days)
    assert len(events_of(trip, atlas)) == visits + 3 + 2  # three legs, two nights


def test_a_night_train_ends_on_the_next_day(trip, atlas):
    [night] = [one for one in events_of(trip, atlas) if "Overnight" in one["SUMMARY"]]
    assert night.decoded("DTSTART") == datetime(2027, 3, 4, 20, 30)
    assert night.decoded("DTEND") == datetime(2027, 3, 5, 6, 50)


def test_nights_at_one_place_are_one_event_of_whole_days(atlas):
    days = tuple(
        Day(number=at + 1, city="aurel", on=STARTS_ON + timedelta(days=at),
            stay=stay(atlas, "aurel-grand" if at == 2 else "aurel-inn"))
        for at in range(5)
    )  # fmt: skip
    many = Trip(wish=make_wish(), status="planned", itinerary=Itinerary(days=days, currency="EUR"))
    events = events_of(many, atlas)
    spans = [(one.decoded("DTSTART"), one.decoded("DTEND")) for one in events]
    assert spans == [
        (date(2027, 3, 2), date(2027, 3, 4)),
        (date(2027, 3, 4), date(2027, 3, 5)),
        (date(2027, 3, 5), date(2027, 3, 7)),
    ]
    assert all(str(one["TRANSP"]) == "TRANSPARENT" for one in events)


def test_events_have_identifiers_that_stay_and_differ(trip, atlas):
    uids = [str(one["UID"]) for one in events_of(trip, atlas)]
    assert len(set(uids)) == len(uids)
    assert uids == [str(one["UID"]) for one in events_of(trip, atlas)]
    other = make_trip(atlas, starts_on=STARTS_ON + timedelta(days=1))
    assert not set(uids) & {str(one["UID"]) for one in events_of(other, atlas)}
    written = calendar(trip, atlas, stamped=STAMPED)
    assert written == calendar(trip, atlas, stamped=STAMPED)
    assert b"DTSTAMP:20261116T100000Z" in written


def test_a_calendar_without_dates_says_how_to_give_them(atlas):
    with pytest.raises(UsageError, match="--start-date"):
        calendar(make_trip(atlas, starts_on=None), atlas)


# --- maps -------------------------------------------------------------------------------


def test_geojson_has_a_point_for_every_stop_and_a_line_for_every_way(trip, atlas):
    features = geojson(trip, atlas)["features"]
    points = [one for one in features if one["geometry"]["type"] == "Point"]
    lines = [one for one in features if one["geometry"]["type"] == "LineString"]
    assert len(points) == 14
    assert len(lines) == 5
    museum = points[0]
    assert museum["geometry"]["coordinates"] == [-15.0, -30.0]
    assert museum["properties"]["day"] == museum["properties"]["order"] == 1
    [night] = [one for one in lines if one["properties"]["overnight"]]
    assert night["geometry"]["coordinates"] == [[-15.0, -30.0], [-12.1, -27.2]]
    assert night["properties"]["mode"] == "train"
    assert night["properties"]["minutes"] == 620
    for day in range(1, 5):
        orders = [one["properties"]["order"] for one in points if one["properties"]["day"] == day]
        assert orders == list(range(1, len(orders) + 1))


def island_atlas():
    """Two islands on both sides of the date line, and a hut that nobody has measured."""
    return Atlas.of(
        [
            place_passage("west", "West Isle", "city", lat=-17.0, lon=179.0),
            place_passage("east", "East Isle", "city", lat=-16.0, lon=-179.0),
            place_passage("hut", "Hut", "attraction", city="east", visit_minutes=60, price=0.0),
            place_passage("bay", "Bay", "attraction", city="east", lat=-16.1, lon=-179.05,
                          visit_minutes=60, price=0.0),
            way_passage("west", "east", "ferry", 90, 4.0),
        ]
    )  # fmt: skip


def island_trip(atlas):
    day = Day(
        number=1, city="east", legs=(leg(atlas, "west", "east", "ferry", 540),),
        visits=(visit(atlas, "hut", "afternoon", 840), visit(atlas, "bay", "evening", 1140)),
    )  # fmt: skip
    return Trip(wish=make_wish(), status="planned",
                itinerary=Itinerary(days=(day,), currency="EUR"))  # fmt: skip


def test_a_line_over_the_date_line_is_cut_there_and_drawn_the_short_way():
    atlas = island_atlas()
    trip = island_trip(atlas)
    hut, _, ferry = geojson(trip, atlas)["features"]
    assert hut["geometry"] is None
    assert ferry["geometry"]["type"] == "MultiLineString"
    assert ferry["geometry"]["coordinates"] == [
        [[179.0, -17.0], [180.0, -16.5]],
        [[-180.0, -16.5], [-179.0, -16.0]],
    ]
    drawn = ElementTree.fromstring(svg(trip, atlas))
    [path] = [one for one in elements(drawn, "path") if one.get("class") == "map-leg"]
    x1, *_, x2, _ = map(float, re.findall(r"-?\d+\.\d", path.get("d")))
    assert x1 < x2  # eastwards
    assert "Not drawn, as nobody knows where it is: 1.1 Hut" in "".join(drawn.itertext())


def elements(root, name):
    return [one for one in root.iter() if one.tag.rpartition("}")[2] == name]


def test_the_svg_says_what_it_shows_and_names_every_stop(trip, atlas):
    root = ElementTree.fromstring(svg(trip, atlas))
    assert root.get("role") == "img"
    [title, *_] = elements(root, "title")
    [desc] = elements(root, "desc")
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert title.text == title_of(trip.itinerary, atlas)
    assert "Day 2, Lindow: " in desc.text
    told = " ".join(one.text or "" for one in elements(root, "text"))
    hints = {one.text for one in elements(root, "title")}
    for day in trip.itinerary.days:
        for one in day.visits:
            assert one.name.split()[-1] in told
    assert "1.1 Port Aurel Museum" in hints
    assert "day 3: overnight train from Port Aurel to Farpoint, 10 h 20 min" in hints


def test_days_have_a_number_and_a_colour_and_modes_a_pattern(trip, atlas):
    root = ElementTree.fromstring(svg(trip, atlas))
    legs = [one for one in elements(root, "path") if one.get("class") == "map-leg"]
    assert len(legs) == 3
    assert len({one.get("stroke") for one in legs}) == 2  # of days 2 and 3
    key = next(one for one in elements(root, "g") if one.get("class") == "map-key")
    assert [one.text for one in elements(key, "text")] == [
        "day ", "1", "2", "3", "4", "train", "walk", "taxi",
    ]  # fmt: skip
    assert len({one.get("stroke-dasharray") for one in elements(key, "line")}) == 3


def boxes_of(root):
    """Every label of every map as a box, by about how wide its letters are."""
    found = []
    for group in elements(root, "g"):
        if not (group.get("transform") or "").startswith("translate"):
            continue
        for one in group.findall("{*}text"):
            if "map-ink" not in one.get("class"):
                continue
            size, x, y = (float(one.get(name)) for name in ("font-size", "x", "y"))
            wide = len(one.text) * size * 0.5
            left = {"start": x, "middle": x - wide / 2, "end": x - wide}[one.get("text-anchor")]
            found.append((id(group), left, left + wide, y - size * 0.7, y))
    return found


def test_labels_do_not_cover_one_another(atlas):
    places = [f"aurel-{one}" for one in (
        "museum", "cathedral", "night-market", "promenade", "botanical-garden", "old-fort",
        "strand", "kitchen-school", "gallery", "lookout", "spa-house", "weavers-lane",
    )]  # fmt: skip
    days = tuple(
        Day(number=at + 1, city="aurel",
            visits=tuple(visit(atlas, one, "morning", 540) for one in places[at * 4 : at * 4 + 4]))
        for at in range(3)
    )  # fmt: skip
    trip = Trip(wish=make_wish(), status="planned", itinerary=Itinerary(days=days, currency="EUR"))
    root = ElementTree.fromstring(svg(trip, atlas))
    boxes = boxes_of(root)
    assert len(boxes) >= 8
    for at, one in enumerate(boxes):
        for other in boxes[at + 1 :]:
            across = min(one[2], other[2]) - max(one[1], other[1])
            down = min(one[4], other[4]) - max(one[3], other[3])
            assert one[0] != other[0] or across <= 0 or down <= 0
    told = " ".join("".join(one.itertext()) for one in elements(root, "text"))
    for one in places:
        assert atlas.places[one].name.split()[-1] in told


def test_one_place_alone_has_a_map_with_a_scale(atlas):
    day = Day(number=1, city="aurel", visits=(visit(atlas, "aurel-museum", "morning", 540),))
    trip = Trip(wish=make_wish(), status="planned",
                itinerary=Itinerary(days=(day,), currency="EUR"))  # fmt: skip
    root = ElementTree.fromstring(svg(trip, atlas))
    texts = [one.text for one in elements(root, "text")]
    assert "Port Aurel Museum" in texts
    assert any(re.fullmatch(r"\d+ (m|km)", one or "") for one in texts)
    assert "The whole way" not in texts


def test_the_scale_bar_is_as_long_as_it_says(trip, atlas):
    root = ElementTree.fromstring(svg(trip, atlas))
    group = next(one for one in elements(root, "g") if (one.get("transform") or ""))
    [bar] = [one for one in group.findall("{*}path") if one.get("class") == "map-scale"]
    long = float(re.search(r"h([\d.]+)", bar.get("d"))[1])
    night = [one for one in group.findall("{*}path") if one.get("class") == "map-leg"][-1]
    x1, y1, _, _, x2, y2 = map(float, re.findall(r"-?\d+\.?\d*", night.get("d")))
    km = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 / long * 100
    assert km == pytest.approx(atlas.km("aurel", "farpoint"), rel=0.02)


def test_a_part_of_a_page_has_no_style_of_its_own(trip, atlas):
    inline = svg(trip, atlas, alone=False)
    assert "<style" not in inline
    assert "style=" not in inline
    root = ElementTree.fromstring(inline)
    assert root.get("width") is None
    assert root.get("viewBox")
    assert "prefers-color-scheme: dark" in svg(trip, atlas)


def test_a_place_that_is_come_to_again_has_one_mark(atlas):
    days = tuple(
        Day(number=at, city="aurel", stay=stay(atlas, "aurel-inn"),
            meals=(meal(atlas, "aurel-tavern", "evening", 1110),),
            legs=(way("aurel-tavern", "aurel-inn", "walk", 9, 1180),))
        for at in (1, 2, 3)
    )  # fmt: skip
    trip = Trip(wish=make_wish(), status="planned", itinerary=Itinerary(days=days, currency="EUR"))
    root = ElementTree.fromstring(svg(trip, atlas))
    hints = [one.text for one in elements(root, "title")]
    assert "1.2, 2.2 and 3.2 Port Aurel Inn (night)" in hints
    assert "1.1, 2.1 and 3.1 Port Aurel Tavern (dinner)" in hints
