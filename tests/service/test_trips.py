"""Trips over HTTP: the whole of one, step by step, as a page, to take along, and as a tool."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import schemathesis
from fastapi.testclient import TestClient
from icalendar import Calendar
from mcp import Client
from schemathesis.python import asgi
from test_openapi import CHECKS
from test_openapi import asked as every_request

from consilience.packs.travel import trip_planner
from consilience.packs.travel.itinerary import Trip
from consilience.packs.travel.web.routes import Planned, file_name
from consilience.service.app import create_app
from consilience.service.auth import digest
from consilience.service.mcp_protocol import make_server
from consilience.service.mcp_tools import tools_of
from consilience.service.service import Options, Service
from consilience.workspace import Workspace, open_workspace
from places_shared import BAD, place_workspace

WISH = "Four romantic days with good food, mid-range"
DATED = {"wish": WISH, "starts_on": "2027-03-01"}
IN_ADDRESS = {"q": WISH, "starts_on": "2027-03-01"}
HTML = {"accept": "text/html"}
STEPS = ["analyse", "plan", "retrieve", "compose", "advise", "check"]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """An open workspace of places, which no test changes."""
    folder = place_workspace(tmp_path_factory.mktemp("trips") / "shore")
    with open_workspace(folder) as space:
        yield space


@pytest.fixture(scope="module")
def client(places: Workspace) -> Iterator[TestClient]:
    with TestClient(create_app(Service([places]))) as client:
        yield client


@pytest.fixture(scope="module")
def planned(client: TestClient) -> dict[str, Any]:
    """A trip with dates, as JSON."""
    reply = client.post("/w/shore/trip", json=DATED)
    assert reply.status_code == 200, reply.text
    return reply.json()


@pytest.fixture(scope="module")
def trip(places: Workspace) -> Trip:
    """The same as the planner gives it."""
    return trip_planner.plan_trip(places, WISH)


def as_planned(found: dict[str, Any]) -> dict[str, Any]:
    """A trip but for its candidates, whose notes tell how long a source took."""
    return {name: value for name, value in found.items() if name != "candidates"}


# --- the whole of it --------------------------------------------------------------------


def test_a_trip_has_days_that_are_cited_and_a_bill_that_adds_up(client, planned):
    assert planned["status"] == "as wished", planned["report"]
    days = planned["itinerary"]["days"]
    assert [one["date"] for one in days] == [f"2027-03-0{day}" for day in (1, 2, 3, 4)]
    visits = [one for day in days for one in day["visits"]]
    assert len(visits) >= 8
    for one in visits:
        found = client.get(f"/w/shore/passages/{one['passage']}").json()
        assert found["metadata"]["name"] == one["name"]
    bill = planned["advice"]["bill"]
    assert sum(Decimal(one["total"]) for one in bill["costs"]) == Decimal(bill["total"]) > 0
    assert [one["step"] for one in planned["stages"]][:6] == STEPS
    assert planned["report"]["faults"] == []
    assert all(line["verdict"] == "kept" for line in planned["report"]["lines"] if line["hard"])


def test_what_is_given_goes_before_the_words(client):
    given = {
        "days": 2,
        "pace": "relaxed",
        "start": "tolven",
        "end": "Tolven",
        "budget": {"amount": 900, "currency": "usd", "per": "trip"},
    }
    found = client.post("/w/shore/trip", json={"wish": WISH, **given}).json()
    kinds = {one["kind"]: one for one in found["wish"]["constraints"]}
    assert (kinds["start"]["place"], kinds["end"]["place"]) == ("tolven", "tolven")
    assert (kinds["length"]["most"], kinds["pace"]["most"]) == (2, 3)
    assert (kinds["money"]["amount"], kinds["money"]["currency"]) == ("900", "USD")
    assert len(found["itinerary"]["days"]) == 2
    assert found["itinerary"]["days"][0]["city"] == "tolven"
    flat = {"days": 2, "pace": "relaxed", "start": "tolven", "end": "Tolven", "amount": 900}
    same = client.get("/w/shore/trip", params={"q": WISH, **flat, "currency": "usd"}).json()
    assert as_planned(same) == as_planned(found)


def test_a_budget_without_a_currency_is_in_that_of_the_places(client):
    spent = {"amount": "1200.50", "per": "trip"}
    found = client.post("/w/shore/trip", json={"wish": WISH, "budget": spent}).json()
    [money] = [one for one in found["wish"]["constraints"] if one["kind"] == "money"]
    assert (money["amount"], money["currency"]) == ("1200.50", "EUR")


def test_fields_that_nobody_filled_in_are_none(client, planned):
    empty = dict.fromkeys(("days", "amount", "pace", "start", "end"), "")
    asked = {**IN_ADDRESS, **empty, "currency": "EUR", "per": "trip"}
    assert as_planned(client.get("/w/shore/trip", params=asked).json()) == as_planned(planned)


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        ({"wish": ""}, 422, "`wish` is empty"),
        ({"wish": WISH, "days": 0}, 422, "`days` has to be at least 1"),
        ({"wish": WISH, "days": 400}, 422, "`days` can be at most 30"),
        ({"wish": WISH, "starts_on": "soon"}, 422, "'soon' is no day; write one as 2027-03-01"),
        ({"wish": WISH, "starts_on": "9999-12-31"}, 422, "is not between"),
        ({"wish": WISH, "starts_on": 5}, 422, "is no day"),
        ({"wish": WISH, "pace": "fast"}, 422, "`pace` has to be `relaxed`, `balanced` or `packed`"),
        ({"wish": WISH, "budget": {"amount": -1}}, 422, "`budget.amount` has to be above 0"),
        ({"wish": WISH, "budget": {"amount": 9, "currency": "euro"}}, 422, "three letters"),
        ({"wish": WISH, "budget": {"amount": 9, "currency": "XXX"}}, 400, "no rate is known"),
        ({"wish": WISH, "budget": {}}, 422, "`budget.amount` is missing"),
        ({"wish": WISH, "start": "Atlantis"}, 400, "no place 'Atlantis' is known here"),
        ({"wish": WISH, "colour": "red"}, 422, "`colour` is not a field of this request"),
    ],
)
def test_what_is_wrong_with_a_wish_is_said(client, given, status, said):
    reply = client.post("/w/shore/trip", json=given)
    assert reply.status_code == status, reply.text
    assert said in reply.json()["error"]["message"]


def test_what_is_no_wish_is_refused_and_other_wishes_are_offered(client):
    asked = "A weekend in Paris"
    found = client.post("/w/shore/trip", json={"wish": asked}).json()
    assert found["status"] == "impossible"
    assert found["itinerary"] is None
    assert "Paris" in found["reason"]
    shown = client.get("/w/shore/trip", params={"q": asked, "whole": 1}, headers=HTML).text
    assert "No trip is planned" in shown
    assert "Five days in Marsk and Tolven" in shown


def test_a_trip_waits_at_the_desk_and_ends_in_time(serving, places):
    late = serving(places, timeout_s=0.001).post("/w/shore/trip", json=DATED)
    assert late.status_code == 504
    assert "took longer" in late.json()["error"]["message"]
    busy = serving(places, seats=0, waiting=0).post("/w/shore/trip", json=DATED)
    assert busy.status_code == 503


def test_a_trip_needs_a_key_where_one_is_needed_and_reading_is_enough(serving, places):
    key = "a-key-of-many-letters"
    client = serving(places, keys={digest(key): "read"})
    assert client.post("/w/shore/trip", json=DATED).status_code == 401
    assert client.get("/w/shore/trip.md", params=IN_ADDRESS).status_code == 401
    known = {"authorization": f"Bearer {key}"}
    assert client.post("/w/shore/trip", json=DATED, headers=known).status_code == 200


@pytest.mark.parametrize("what", ["trip", "trip.ics", "trip.md", "trip.geojson", "trip.svg"])
def test_other_workspaces_plan_no_trips(served, space, places, serving, what):
    assert served.get(f"/w/apiary/{what}", params=IN_ADDRESS).status_code == 404
    beside = serving(space, places).get(f"/w/apiary/{what}", params=IN_ADDRESS)
    assert beside.status_code == 400
    message = beside.json()["error"]["message"]
    assert "planned in workspaces of the pack 'travel'" in message
    assert "consilience init travel" in message


def test_only_the_menu_of_places_has_trips(space, places, serving):
    client = serving(space, places)
    assert '/trip">Trip</a>' in client.get("/w/shore", headers=HTML).text
    assert '/trip">Trip</a>' not in client.get("/w/apiary", headers=HTML).text


# --- step by step -----------------------------------------------------------------------


def events_of(client: TestClient, **asked: Any) -> list[tuple[str, dict[str, Any]]]:
    reply = client.get("/w/shore/trip/events", params=asked)
    assert reply.headers["content-type"].startswith("text/event-stream")
    pieces = [one for one in reply.text.split("\n\n") if one]
    found = [re.fullmatch(r"event: (\w+)\ndata: (.*)", one) for one in pieces]
    return [(one[1], json.loads(one[2])) for one in found if one]


def test_each_step_is_told_as_it_ends_and_the_trip_last(client, planned):
    events = events_of(client, **IN_ADDRESS)
    assert [name for name, _ in events] == ["stage"] * (len(events) - 1) + ["done"]
    assert [told["step"] for _, told in events[:6]] == STEPS
    assert all("html" not in told for _, told in events)
    assert as_planned(events[-1][1]) == as_planned(planned)


def test_with_html_each_event_brings_what_a_page_shows(client):
    events = events_of(client, **IN_ADDRESS, html=1)
    assert all('class="trip-step"' in told["html"] for _, told in events[:-1])
    assert 'data-next="Check and correct"' in events[4][1]["html"]
    assert 'id="day-4"' in events[-1][1]["html"]


def test_what_goes_wrong_on_the_way_is_an_event(client):
    [(name, told)] = events_of(client, q=WISH, start="Atlantis")
    assert name == "error"
    assert told["error"]["kind"] == "UsageError"
    assert "Atlantis" in told["error"]["message"]


# --- as a page --------------------------------------------------------------------------


def test_a_page_to_begin_with_has_a_form_and_three_wishes(client):
    shown = client.get("/w/shore/trip", headers=HTML).text
    assert shown.count('<a class="pill" href="/w/shore/trip?q=') == 3
    assert '<option value="Marsk">' in shown
    assert "<option selected>USD</option>" in shown
    assert "data-stream" not in shown
    said = client.get("/w/shore/trip").json()["error"]["message"]
    assert "say what you want: ?q=" in said


def test_a_page_streams_and_one_without_scripts_is_whole(client):
    streamed = client.get("/w/shore/trip", params=IN_ADDRESS, headers=HTML).text
    assert 'data-stream="/w/shore/trip/events?q=' in streamed
    assert "whole=1" in re.search(r'http-equiv="refresh" content="([^"]*)"', streamed)[1]
    whole = client.get("/w/shore/trip", params={**IN_ADDRESS, "whole": 1}, headers=HTML).text
    assert "data-stream" not in whole
    assert 'id="day-4"' in whole


def test_a_page_shows_all_of_a_trip(client, planned):
    shown = client.get("/w/shore/trip", params={**IN_ADDRESS, "whole": 1}, headers=HTML).text
    for day in planned["itinerary"]["days"]:
        for one in (*day["visits"], *day["meals"]):
            assert f'data-open="{one["passage"]}"' in shown
    assert "Monday 1 March 2027" in shown
    assert "2 adults" in shown
    assert "Your wish, line by line" in shown
    assert 'class="trip-map"' in shown
    total = f"{Decimal(planned['advice']['bill']['total']):,.2f}"
    assert shown.count(total) >= 2
    assert shown.count('class="trip-chip"') == len(planned["wish"]["constraints"])
    for number in range(1, len(planned["citations"]) + 1):
        assert f'id="source-{number}"' in shown
    for what in ("trip.ics", "trip.md", "trip.geojson", "trip.svg"):
        assert f"/w/shore/{what}?q=" in shown
    assert "format=json" in shown


def test_words_not_understood_stand_before_the_plan(client):
    asked = {"q": f"{WISH}, and zorbing with flibbertigibbets", "whole": 1}
    shown = client.get("/w/shore/trip", params=asked, headers=HTML).text
    assert "flibbertigibbets" in shown[shown.index("Not understood") : shown.index('id="day-1"')]
    assert "Planned, not all as wished" in shown


def test_a_constraint_can_be_removed_and_changed(client, planned):
    kept = [one for one in planned["wish"]["constraints"] if one["kind"] not in ("level", "theme")]
    edited = {"constraints": kept, "leftover": []}
    found = client.post(
        "/w/shore/trip", json={"wish": WISH, "edited": edited, "say": "two days"}
    ).json()
    kinds = [one["kind"] for one in found["wish"]["constraints"]]
    assert "level" not in kinds
    assert len(found["itinerary"]["days"]) == 2
    same = client.get(
        "/w/shore/trip", params={"q": WISH, "edited": json.dumps(edited), "say": "two days"}
    ).json()
    assert as_planned(same) == as_planned(found)


def test_what_clashes_is_said(client):
    asked = {"q": "Three days in Marsk, a museum, and no museums", "whole": 1}
    shown = client.get("/w/shore/trip", params=asked, headers=HTML).text
    assert "Cannot be had together" in shown


def test_what_places_are_called_stays_a_name(client, planned):
    assert BAD in str(planned["itinerary"])
    shown = client.get("/w/shore/trip", params={**IN_ADDRESS, "whole": 1}, headers=HTML).text
    assert BAD not in shown
    assert BAD not in events_of(client, **IN_ADDRESS, html=1)[-1][1]["html"]
    assert BAD not in client.get("/w/shore/trip.svg", params=IN_ADDRESS).text
    markdown = client.get("/w/shore/trip.md", params=IN_ADDRESS).text
    assert markdown.count(BAD) == markdown.count(f"\\{BAD}") > 0
    hostile = f"Two days of food {BAD}"
    assert BAD not in client.get("/w/shore/trip", params={"q": hostile}, headers=HTML).text


def test_a_place_is_called_by_its_name_wherever_it_is_found(client, planned):
    first = planned["itinerary"]["days"][0]["visits"][0]
    found = client.get(f"/w/shore/passages/{first['passage']}").json()
    assert found["name"] == first["name"]
    shown = client.get("/w/shore/search", params={"q": "Marsk Museum"}, headers=HTML).text
    assert re.search(r'data-kind="place".*?>\s*(<mark>)?Marsk', shown, re.DOTALL)
    assert "museum · 8 EUR" in re.sub(r"<[^>]+>", "", shown)
    dear = client.get("/w/shore/search", params={"q": "Marsk Grand Hotel"}, headers=HTML).text
    assert "hotel · luxury · 1,260 EUR · invented" in re.sub(r"<[^>]+>", "", dear)


def test_the_language_model_is_offered_only_where_there_is_one(client):
    shown = client.get("/w/shore/trip", headers=HTML).text
    assert 'name="model"' not in shown
    found = client.post("/w/shore/trip", json={"wish": WISH, "model": True}).json()
    assert any("without the language model" in note for note in found["notes"])


def test_a_page_keeps_a_wish_that_has_to_be_corrected(client):
    asked = {"q": WISH, "start": "Atlantis", "whole": 1}
    reply = client.get("/w/shore/trip", params=asked, headers=HTML)
    assert reply.status_code == 400
    assert f">{WISH}</textarea>" in reply.text
    assert 'value="Atlantis"' in reply.text
    assert "is known here" in reply.text


# --- to take along ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        ("ics", "text/calendar; charset=utf-8"),
        ("md", "text/markdown; charset=utf-8"),
        ("geojson", "application/geo+json"),
        ("svg", "image/svg+xml"),
    ],
)
def test_a_trip_can_be_taken_along(client, ending, kind):
    reply = client.get(f"/w/shore/trip.{ending}", params=IN_ADDRESS)
    assert reply.status_code == 200, reply.text
    assert reply.headers["content-type"] == kind
    named = re.fullmatch(
        rf'attachment; filename="(trip-4-days-[a-z-]+\.{ending})"',
        reply.headers["content-disposition"],
    )
    assert named
    if ending == "ics":
        assert len(Calendar.from_ical(reply.text).walk("VEVENT")) >= 8
    if ending == "geojson":
        assert reply.json()["type"] == "FeatureCollection"
    if ending == "svg":
        assert reply.text.startswith("<svg")


def test_a_calendar_needs_a_date_and_a_file_needs_a_plan(client):
    undated = client.get("/w/shore/trip.ics", params={"q": WISH})
    assert undated.status_code == 400
    shown = client.get("/w/shore/trip", params={"q": WISH, "whole": 1}, headers=HTML).text
    assert "trip.ics" not in shown
    assert "trip.md" in shown
    refused = client.get("/w/shore/trip.md", params={"q": "A weekend in Paris"})
    assert refused.status_code == 400
    assert "no plan to take along" in refused.json()["error"]["message"]


# --- what is said of it, and tools ------------------------------------------------------


def test_every_reply_about_a_trip_is_described(places):
    app = create_app(Service([places], Options()))
    checks = {"enabled": False, **{name: {"enabled": True} for name in CHECKS}}
    few = {name: {"enabled": False} for name in ("coverage", "stateful")}
    made_up = {"max-examples": 4, "deterministic": True}
    config = {"seed": 1, "generation": made_up, "phases": few, "checks": checks}
    whole = schemathesis.openapi.from_asgi(
        "/openapi.json", app, config=schemathesis.Config.from_dict(config)
    )
    try:
        count, wrong = every_request(whole.include(path_regex=r"/trip"))
    finally:
        asgi.shutdown_lifespans()
    assert not wrong, "\n".join(wrong[:20])
    assert len(count) == 7
    described = app.openapi()["paths"]["/w/{name}/trip.ics"]["get"]["responses"]["200"]["content"]
    assert list(described) == ["text/calendar"]


def tool(space: Workspace, **given: Any) -> tuple[list[Any], Any]:
    async def run() -> tuple[list[Any], Any]:
        async with Client(make_server(Service([space]))) as client:
            listed = (await client.list_tools()).tools
            return listed, await client.call_tool("plan_trip", given)

    return asyncio.run(run())


def test_an_assistant_plans_a_trip(places, planned):
    listed, result = tool(places, wish=WISH, starts_on="2027-03-01")
    described = {one.name: one for one in listed}["plan_trip"]
    assert not result.is_error, result.content
    told = result.structured_content
    jsonschema.validate(told, described.output_schema)
    assert told["status"] == "as wished"
    assert [one["date"] for one in told["days"]] == [f"2027-03-0{day}" for day in (1, 2, 3, 4)]
    passages = {one["mark"]: one["passage"] for one in told["citations"]}
    first = planned["itinerary"]["days"][0]["visits"][0]
    marked = next(one for one in told["days"][0]["entries"] if one["what"] == first["name"])
    assert passages[marked["mark"]] == first["passage"]
    text = result.content[0].text
    assert f"[{marked['mark']}]" in text
    assert told["total"] in text
    assert len(described.description) < 200


def test_an_assistant_is_told_why_there_is_no_trip(places):
    _, result = tool(places, wish="A weekend in Paris")
    assert result.structured_content["status"] == "impossible"
    assert result.content[0].text.startswith("No trip: ")
    _, wrong = tool(places, wish=WISH, budget={"amount": "much"})
    assert wrong.is_error
    assert "`budget.amount` has to be a number" in wrong.content[0].text


def test_the_tool_is_there_only_with_places(places, space):
    assert "plan_trip" in tools_of(Service([places]))
    assert "plan_trip" not in tools_of(Service([space]))
    both = Service([places, space])
    assert "plan_trip" in tools_of(both)

    async def run() -> Any:
        async with Client(make_server(both)) as client:
            return await client.call_tool("plan_trip", {"wish": WISH, "workspace": "apiary"})

    result = asyncio.run(run())
    assert result.is_error
    assert "workspaces of the pack 'travel'" in result.content[0].text


def test_a_file_is_named_in_letters_that_every_system_takes(places, trip):
    atlas = trip_planner.open_atlas(places)
    found = file_name(Planned(trip=trip, atlas=atlas, stages=()), "ics")
    assert re.fullmatch(r"[a-z0-9-]+\.ics", found)
    assert Path(found).suffix == ".ics"
