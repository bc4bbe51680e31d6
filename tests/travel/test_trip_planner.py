"""A trip from its words to its files: five steps, a report, exports, the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from icalendar import Calendar
from typer.testing import CliRunner

from consilience.cli.app import app
from consilience.packs.travel import exports, trip_planner
from consilience.packs.travel.constraints import Length
from consilience.packs.travel.itinerary import Trip
from consilience.packs.travel.wish import Options, edited_json, edited_wish
from consilience.workspace import Workspace, open_workspace
from places_shared import place_workspace

WISH = "Three days in Marsk from 9 March 2027, vegetarian food, no museums"
STEPS = ["analyse", "plan", "retrieve", "compose", "advise", "check", "done"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place_workspace(tmp_path_factory.mktemp("trips") / "shore")


@pytest.fixture(scope="module")
def space(folder: Path) -> Iterator[Workspace]:
    with open_workspace(folder) as found:
        yield found


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that nobody has open."""
    return place_workspace(tmp_path_factory.mktemp("commands") / "shore")


@pytest.fixture(scope="module")
def trip(space: Workspace) -> Trip:
    return trip_planner.plan_trip(space, WISH)


def test_five_steps_come_one_after_the_other(space):
    stages = list(trip_planner.stream_trip(space, WISH))
    assert [stage.step for stage in stages] == STEPS
    assert all(stage.summary for stage in stages)


def test_a_wish_is_planned_and_every_line_has_a_verdict(trip):
    assert trip.status == "as wished"
    assert trip.itinerary is not None
    assert [day.city for day in trip.itinerary.days] == ["marsk"] * 3
    assert len(trip.report.lines) == len(trip.wish.constraints)
    assert {line.check.verdict for line in trip.report.lines} == {"kept"}
    assert trip.report.faults == ()


def test_words_not_understood_are_shown_and_the_plan_is_not_as_wished(space):
    found = trip_planner.plan_trip(space, f"{WISH}, and a zorbing flibbertigibbet")
    assert found.wish.leftover
    assert found.status == "planned"


def test_places_that_are_not_here_are_named(space):
    found = trip_planner.plan_trip(space, "A weekend in Paris")
    assert found.status == "impossible"
    assert "Paris" in found.reason


def test_options_go_before_the_words(space):
    atlas = trip_planner.open_atlas(space)
    options = Options(days=2, start="Tolven", budget="900 EUR", pace="relaxed")
    found = trip_planner.plan_trip(space, WISH, changes=options.constraints(atlas))
    assert found.itinerary is not None
    assert len(found.itinerary.days) == 2
    assert {"start", "money", "pace"} <= {one.kind for one in found.wish.constraints}


def test_an_edited_wish_is_planned_as_it_is(space, trip):
    atlas = trip_planner.open_atlas(space)
    kept = [one for one in trip.wish.constraints if one.kind != "avoid"]
    edited = edited_json(kept, ["quietly"])
    wish = edited_wish(WISH, edited, "four days", atlas, today=trip.itinerary.days[0].date)
    assert wish.first(Length) is not None
    assert wish.first(Length).most == 4
    found = trip_planner.plan_trip(space, WISH, wish=wish)
    assert len(found.itinerary.days) == 4
    assert found.status != "as wished"
    assert found.report.leftover == ("quietly",)


def test_a_model_that_is_not_there_is_no_reason_not_to_plan(space):
    found = trip_planner.plan_trip(space, WISH, model=True)
    assert found.itinerary is not None
    assert any("without the language model" in note.message for note in found.notes)
    assert found.steps["analyse"] == "grammar"


def test_a_trip_is_written_in_every_format(space, trip):
    atlas = trip_planner.open_atlas(space)
    events = list(Calendar.from_ical(exports.calendar(trip, atlas)).walk("VEVENT"))
    assert len({str(event["uid"]) for event in events}) == len(events) > 6
    drawn = exports.geojson(trip, atlas)
    assert {
        feature["geometry"]["type"] for feature in drawn["features"] if feature["geometry"]
    } == {
        "Point",
        "LineString",
    }
    assert exports.svg(trip, atlas).startswith("<svg")
    assert "## Day 1" in exports.markdown(trip, atlas)
    assert "kept: no museum" in exports.trip_text(trip, atlas)
    found = json.loads(json.dumps(exports.trip_json(trip, atlas)))
    assert found["report"]["as_wished"] is True
    assert found["citations"][0]["number"] == 1


def test_the_command_prints_the_plan(closed, tmp_path):
    run = CliRunner().invoke(app, ["trip", "-w", str(closed), WISH, "--days", "2"])
    assert run.exit_code == 0, run.output
    assert "2 days: Marsk" in run.stdout
    out = tmp_path / "trip.ics"
    run = CliRunner().invoke(app, ["trip", "-w", str(closed), WISH, "--output", str(out)])
    assert run.exit_code == 0, run.output
    assert out.read_bytes().startswith(b"BEGIN:VCALENDAR")
    run = CliRunner().invoke(app, ["trip", "-w", str(closed), WISH, "--step", "analyse"])
    assert json.loads(run.stdout)["constraints"]


def test_the_command_says_why_there_is_no_trip(closed):
    run = CliRunner().invoke(app, ["trip", "-w", str(closed), "A weekend in Paris"])
    assert run.exit_code == 1
    assert "Paris" in run.output
