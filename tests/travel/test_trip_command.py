"""Does `consilience trip` tell its steps, print the plan, and refuse with reasons?"""

import json
from datetime import date

import pytest
from atlas_shared import CITIES, FOOD, SIGHTS, STAYS, WAYS
from icalendar import Calendar

from consilience.packs.travel import trip_planner
from consilience.packs.travel.trips.given import Given
from consilience.packs.travel.trips.types import Trip
from consilience.workspace import open_workspace

TOWNS = ("aurel", "lindow")
PLANNED = {}
WISH = "three days in Port Aurel and Lindow, culture and food, mid-range"
LIST = "id,from,to,mode,minutes,price,currency,departures,overnight,both_ways"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two cities of Velmora as files of places and of transport."""
    folder = tmp_path_factory.mktemp("velmora")
    records = []
    for key, name, _, lat, lon, themes, days, _ in CITIES:
        if key in TOWNS:
            records.append(
                {"id": key, "type": "city", "name": name, "lat": lat, "lon": lon,
                 "suits": suits(themes), "suggested_days": list(days), "currency": "EUR",
                 "description": f"{name} is a city."}
            )  # fmt: skip
            records += inside(key, name, lat, lon)
    (folder / "velmora.json").write_text(json.dumps(records), encoding="utf-8")
    ways = [
        f"{one[0]}-{one[1]}-{one[2]},{one[0]},{one[1]},{one[2]},{one[3]},{one[4]},EUR,{one[6]},no,yes"
        for one in WAYS
        if {one[0], one[1]} == set(TOWNS)
    ]
    (folder / "transport.csv").write_text("\n".join((LIST, *ways)) + "\n", encoding="utf-8")
    return folder


def suits(themes):
    return [{"theme": theme, "strength": strength} for theme, strength in themes.items()]


def inside(city, name, lat, lon):
    """Sights, stays and food of a city, as records."""
    found = []
    for at, one in enumerate(SIGHTS[:16]):
        noun, category, kind, themes, hours, minutes, price, slots, effort, features, _ = one
        found.append(
            {"id": f"{city}-{noun.lower().replace(' ', '-')}", "name": f"{name} {noun}",
             "category": category, "type": kind, "city": city, "lat": lat + at / 900, "lon": lon,
             "suits": suits(themes), "hours": hours, "visit_minutes": minutes, "price": price,
             "currency": "EUR", "slots": list(slots), "effort": effort,
             "features": list(features), "description": f"{noun} of {name}."}
        )  # fmt: skip
    for at, (noun, kind, level, price, themes) in enumerate(STAYS):
        found.append(
            {"id": f"{city}-{noun.lower().replace(' ', '-')}", "name": f"{name} {noun}",
             "category": "stay", "type": kind, "city": city, "level": level, "price": price,
             "currency": "EUR", "lat": lat + at / 800, "lon": lon + 0.01, "suits": suits(themes),
             "invented": True, "description": f"{noun} of {name}."}
        )  # fmt: skip
    for at, (noun, kind, level, price, hours, serves, features) in enumerate(FOOD):
        found.append(
            {"id": f"{city}-{noun.lower().replace(' ', '-')}", "name": f"{name} {noun}",
             "category": "food", "type": kind, "city": city, "level": level, "price": price,
             "currency": "EUR", "hours": hours, "lat": lat + at / 700, "lon": lon - 0.01,
             "serves": list(serves), "features": list(features), "suits": suits({"food": 0.8}),
             "invented": True, "description": f"{noun} of {name}."}
        )  # fmt: skip
    return found


@pytest.fixture
def space(files, run):
    folder = files.parent / "trip-space"
    if not folder.exists():
        assert run("init", "travel", folder)[0] == 0
        assert run("add", "-w", folder, files)[0] == 0
    return folder


def test_steps_are_told_as_they_end_and_the_plan_is_printed(run, space):
    code, out, err = run("trip", "-w", space, WISH)
    assert code == 0
    told = [line.split(":")[0] for line in err.splitlines() if line.startswith("✓")]
    assert told[:6] == [
        "✓ analysed", "✓ planned the search", "✓ searched", "✓ composed", "✓ advised", "✓ checked",
    ]  # fmt: skip
    assert out.startswith("3 days: ")
    for part in (
        "Day 1: ",
        "Day 3: ",
        "\nBudget\n",
        "\nSources\n-------\n[1] ",
        "Port Aurel – Lindow by",
    ):
        assert part in out
    assert "✓" not in out


def test_options_go_before_the_words(run, space):
    code, out, _ = run(
        "trip", "-w", space, WISH, "--days", "2", "--start-date", "2027-03-03", "--pace", "relaxed",
        "--budget", "900 EUR", "--from", "Lindow", "--to", "Port Aurel", "--json",
    )  # fmt: skip
    wish = json.loads(out)["wish"]
    assert code == 0
    assert (wish["days"], wish["starts_on"], wish["pace"]) == (2, "2027-03-03", "relaxed")
    assert (wish["budget"]["amount"], wish["budget"]["currency"]) == ("900", "EUR")
    assert (wish["start"], wish["end"]) == ("lindow", "aurel")


@pytest.fixture
def replayed(run, space, monkeypatch):
    """The stages of a trip that was planned once; only what is done with them is tried then."""
    if space not in PLANNED:
        given = Given(starts_on=date(2027, 3, 3))
        with open_workspace(space) as opened:
            PLANNED[space] = list(trip_planner.stream_trip(opened, WISH, given=given))
    monkeypatch.setattr(
        trip_planner, "stream_trip", lambda *_, **__: (one for one in PLANNED[space])
    )
    return space


@pytest.mark.parametrize(
    ("suffix", "begins"),
    [
        (".md", "# 3 days: "), (".txt", "3 days: "), (".json", "{"), (".geojson", "{"),
        (".svg", "<svg "), (".ics", "BEGIN:VCALENDAR"),
    ],
)  # fmt: skip
def test_the_name_of_a_file_says_which_format_it_gets(run, replayed, tmp_path, suffix, begins):
    target = tmp_path / f"trip{suffix}"
    code, out, err = run("trip", "-w", replayed, WISH, "--output", target)
    assert (code, out) == (0, "")
    assert f"written to {target}" in err
    written = target.read_bytes()
    assert written.decode().startswith(begins)
    if suffix == ".ics":
        assert written.count(b"\r\n") == written.count(b"\n")
        assert len(Calendar.from_ical(written).walk("VEVENT")) > 5
    if suffix == ".geojson":
        assert json.loads(written)["type"] == "FeatureCollection"


def test_a_calendar_without_a_date_says_how_to_give_one(run, space):
    code, out, err = run("trip", "-w", space, WISH, "--format", "ics")
    assert (code, out) == (1, "")
    assert "--start-date" in err


@pytest.mark.parametrize(
    ("step", "part"),
    [
        ("analyse", "themes"), ("plan", "searches"), ("retrieve", "found"), ("compose", "days"),
        ("advise", "bill"),
    ],
)  # fmt: skip
def test_each_step_is_printed_alone(run, replayed, step, part):
    code, out, err = run("trip", "-w", replayed, WISH, "--step", step)
    assert code == 0
    assert part in json.loads(out)
    assert ("✓ searched" in err) == (step not in ("analyse", "plan"))


def test_a_step_is_told_before_the_next_begins(run, replayed, monkeypatch, capsys):
    told = []

    def events(*_, **__):
        for stage in PLANNED[replayed]:
            yield stage
            told.append((stage.step, capsys.readouterr().err.split(":")[0]))

    monkeypatch.setattr(trip_planner, "stream_trip", events)
    assert run("trip", "-w", replayed, WISH)[0] == 0
    assert told[:3] == [
        ("analyse", "✓ analysed"), ("plan", "✓ planned the search"), ("retrieve", "✓ searched"),
    ]  # fmt: skip


def test_what_the_check_found_is_a_list(run, replayed):
    code, out, _ = run("trip", "-w", replayed, WISH, "--step", "check")
    assert code == 0
    assert isinstance(json.loads(out), list)


@pytest.mark.parametrize("form", [(), ("--format", "svg")])
def test_what_is_no_trip_is_refused_with_a_reason(run, space, form):
    code, out, err = run("trip", "-w", space, "how do I bake bread?", *form)
    assert (code, out) == (1, "")
    assert "no trip: " in err


def test_a_refused_trip_says_what_can_be_had_and_is_json_all_the_same(run, space):
    code, out, err = run("trip", "-w", space, "three days in Atlantis", "--json")
    found = json.loads(out)
    assert code == 1
    assert found["status"] == "refused"
    assert f"no trip: {found['refusal']}" in " ".join(err.split())
    for offer in found["offers"]:
        assert f"instead: {offer}" in " ".join(err.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--format", "pdf"), "unknown --format 'pdf'; known: text, markdown"),
        (("--step", "pack"), "unknown --step 'pack'; known: analyse"),
        (("--step", "plan", "--format", "svg"), "--step plan is printed as JSON"),
        (("--json", "--format", "svg"), "two formats"),
        (("--start-date", "3 March"), "write it as 2027-03-09"),
        (("--pace", "crazy"), "'crazy' is none of relaxed"),
        (("--budget", "lots"), "'lots' is not like"),
        (("--from", "Atlantis"), "no city 'Atlantis'"),
        (("--output", "/nowhere/at/all.md"), "there is no folder"),
        (("--model",), "no language model is set"),
    ],
)
def test_a_wrong_call_says_what_to_do(run, space, words, told):
    code, out, err = run("trip", "-w", space, WISH, *words)
    assert (code, out) == (1, "")
    assert told in " ".join(err.split())


def test_another_pack_plans_no_trips(run, tmp_path):
    run("init", tmp_path / "plain")
    code, _, err = run("trip", "-w", tmp_path / "plain", WISH)
    assert code == 1
    assert "workspaces of the pack 'travel'" in " ".join(err.split())


def test_the_plan_is_the_one_that_the_workspace_makes(run, space, monkeypatch):
    """Were the command to plan by itself, it would not notice this."""
    made = []
    whole = trip_planner.stream_trip

    def events(*given, **named):
        for stage in whole(*given, **named):
            made.append(stage)
            yield stage

    monkeypatch.setattr(trip_planner, "stream_trip", events)
    _, out, _ = run("trip", "-w", space, WISH, "--json")
    assert isinstance(made[-1].value, Trip)
    days = made[-1].value.itinerary.days
    assert [one["city"] for one in json.loads(out)["itinerary"]["days"]] == [
        day.city for day in days
    ]
