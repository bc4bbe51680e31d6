"""Pages for owners: status, settings, reports; each with its JSON twin, and all of it escaped."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from consilience.measure import report as reports
from consilience.measure.evaluation import evaluate
from consilience.measure.golden import read_golden
from consilience.service.admin import FILES, timelines
from consilience.service.pages import Renderer
from consilience.settings import (
    TABLE,
    build_settings,
    describe_settings,
    hide_secret,
    read_settings,
)
from consilience.workspace import STORE, open_workspace
from consilience.workspace.layout import workspace_status

PAGE = {"Accept": "text/html"}
GOLDEN = """
name: apiary
questions:
  - id: winter
    text: What do bees eat in winter?
    judgements:
      - document: keeping.md
        quote: eat the honey that was left to them
        grade: 1
  - id: swarm
    text: Why does a colony swarm?
    judgements:
      - document: keeping.md
        quote: A colony that lacks room swarms
        grade: 1
"""
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def evaluation(space, tmp_path_factory):
    path = tmp_path_factory.mktemp("golden") / "golden.yaml"
    path.write_text(GOLDEN, encoding="utf-8")
    return evaluate(space, read_golden(path), path="golden.yaml")


# --- status -----------------------------------------------------------------------------


def test_status_says_what_the_command_says_and_more(served, space):
    found = served.get("/w/apiary/status").json()
    by_command = workspace_status(space.folder, space.catalogue)
    assert {**found, "documents": None} == {**found, **by_command, "documents": None}
    assert [one["path"] for one in found["documents"]] == [
        one["path"] for one in by_command["documents"]
    ]
    assert found["files"] == 3
    assert found["problems"] == []
    assert found["jobs"] == []
    assert found["models"]["embed"] == {
        "setting": "fast",
        "name": space.embedder.name,
        "problem": "",
    }


def test_the_status_page_shows_its_json(served):
    found, page = (
        served.get("/w/apiary/status").json(),
        served.get("/w/apiary/status", headers=PAGE),
    )
    assert page.headers["content-type"].startswith("text/html")
    for one in found["documents"]:
        assert one["path"] in page.text
        assert f">{one['passages']}<" in page.text
    for collection in found["collections"]:
        assert collection in page.text
    assert found["models"]["embed"]["name"] in page.text


def test_files_are_found_by_words_and_come_in_pages(served, space, monkeypatch):
    found = served.get("/w/apiary/status", params={"find": "KEEPING documents"}).json()
    assert [one["path"] for one in found["documents"]] == [
        one.path for one in space.catalogue.documents() if one.path.endswith("keeping.md")
    ]
    assert (found["found"], found["files"]) == (1, 3)
    assert served.get("/w/apiary/status", params={"find": "nothing has this"}).json()["found"] == 0
    monkeypatch.setattr("consilience.service.admin.FILES", 2)
    second = served.get("/w/apiary/status", params={"page": 2}).json()
    assert (second["page"], second["pages"], len(second["documents"])) == (2, 2, 1)
    last = served.get("/w/apiary/status", params={"page": 99}).json()
    assert last["page"] == 2
    page = served.get("/w/apiary/status", params={"find": "a&b"}, headers=PAGE)
    assert 'value="a&amp;b"' in page.text
    assert "page=2" in served.get("/w/apiary/status", headers=PAGE).text
    assert FILES == 200


def test_a_file_that_cannot_be_read_is_told_with_its_reason_as_text(made, serving):
    bad = made / f"{HOSTILE.replace('/', '')}.pdf"
    bad.write_bytes(b"%PDF-1.4 nothing")
    titled = made / "titled.md"
    titled.write_text(f"# {HOSTILE}\n\nBees.\n", encoding="utf-8")
    with open_workspace(made) as space:
        space.add([bad, titled])
        client = serving(space)
        found = client.get("/w/apiary/status").json()
        page = client.get("/w/apiary/status", headers=PAGE).text
    (problem,) = found["problems"]
    assert problem["path"] == bad.name
    assert "not a readable PDF" in problem["reason"]
    assert "not a readable PDF" in page
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_only_who_may_write_is_offered_to(space, serving):
    page = serving(space).get("/w/apiary/status", headers=PAGE).text
    assert "data-drop" in page
    assert page.count("data-remove=") == 3
    page = serving(space, read_only=True).get("/w/apiary/status", headers=PAGE).text
    assert "data-drop" not in page
    assert "data-remove" not in page


# --- settings ---------------------------------------------------------------------------


def test_every_setting_is_there_with_value_default_and_meaning(served):
    found = served.get("/w/apiary/settings").json()
    rows = {one["name"]: one for part in found["sections"] for one in part["settings"]}
    assert list(rows) == [row.name for row in TABLE]
    assert rows["models.embed"]["value"] == "fast"
    assert rows["models.embed"]["changed"]
    assert rows["models.embed"]["rebuild"]
    assert not rows["fusion.k"]["changed"]
    assert found["changed"] == sum(one["changed"] for one in rows.values())
    page = served.get("/w/apiary/settings", headers=PAGE).text
    for row in TABLE:
        assert row.variable in page
    assert page.count("badge good") == found["changed"]


def test_keys_and_passwords_are_never_shown(space, serving):
    secret = {
        "models.embed": "fast",
        "models.generate_key": "sk-very-secret",
        "models.address": "https://me:very-secret@models.example/v1",
        "models.generate": HOSTILE,
    }
    settings = build_settings(secret)
    values = {one["name"]: one["value"] for one in describe_settings(settings)}
    assert values["models.generate_key"] == "(set)"
    assert values["models.rerank_key"] == ""
    assert values["models.address"] == "https://(set)@models.example/v1"
    assert hide_secret("models.address", "http://a:b@c/d@host/v1?key=e&x") == (
        "http://(set)@host/v1?key=(set)&x"
    )
    assert hide_secret("models.address", "http://host/v1") == "http://host/v1"
    assert hide_secret("fusion.k", 60.0) == 60.0
    before, space.settings = space.settings, settings
    try:
        client = serving(space)
        answers = [client.get("/w/apiary/settings", headers=one).text for one in (PAGE, {})]
    finally:
        space.settings = before
    for text in answers:
        assert "very-secret" not in text
        assert "(set)" in text
    assert HOSTILE not in answers[0]


# --- reports ----------------------------------------------------------------------------


def test_an_evaluation_is_kept_and_listed(evaluation, tmp_path):
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    first = reports.archive_report(tmp_path, evaluation, now=now)
    second = reports.archive_report(tmp_path, evaluation, now=now)  # within the same second
    third = reports.archive_report(tmp_path, evaluation, now=now + timedelta(days=1))
    assert first.id == "2026-03-01-120000-apiary"
    assert [one.id for one in reports.list_reports(tmp_path)] == [
        third.id,
        second.id,
        first.id,
    ]
    assert first.merged == evaluation.mean("merged")
    assert (first.best, first.single) == (
        evaluation.singles[0],
        evaluation.mean(evaluation.singles[0]),
    )
    assert first.verdict
    assert first.controls == len(evaluation.controls)
    assert reports.read_report_json(tmp_path, first.id) == json.loads(
        json.dumps(evaluation.as_json())
    )
    assert first.verdict.split("(")[0] in reports.read_report_page(tmp_path, first.id)


def test_only_the_newest_are_kept_and_what_is_damaged_is_left_out(
    evaluation, tmp_path, monkeypatch
):
    monkeypatch.setattr(reports, "MOST_REPORTS", 2)
    now = datetime(2026, 3, 1, tzinfo=UTC)
    cards = [
        reports.archive_report(tmp_path, evaluation, now=now + timedelta(days=n)) for n in range(4)
    ]
    assert [one.id for one in reports.list_reports(tmp_path)] == [cards[3].id, cards[2].id]
    folder = tmp_path / STORE / reports.REPORTS
    assert len(list(folder.iterdir())) == 6
    (folder / "odd.card.json").write_text("{", encoding="utf-8")
    card = folder / f"{cards[3].id}.card.json"
    (folder / "copied.card.json").write_text(card.read_text(encoding="utf-8"), encoding="utf-8")
    card.write_text('{"id": 1}', encoding="utf-8")
    assert [one.id for one in reports.list_reports(tmp_path)] == [cards[2].id]


def test_reports_are_served_with_a_policy_for_exactly_their_script(space, evaluation, serving):
    hostile = replace(evaluation, golden=replace(evaluation.golden, name=f"<script>{HOSTILE}"))
    cards = [
        reports.archive_report(space.folder, one, now=datetime(2026, 1, day, tzinfo=UTC))
        for day, one in ((1, evaluation), (2, evaluation), (3, hostile))
    ]
    client = serving(space)
    found = client.get("/w/apiary/reports").json()["reports"]
    assert [one["id"] for one in found] == [one.id for one in reversed(cards)]
    page = client.get("/w/apiary/reports", headers=PAGE).text
    for one in found:
        assert f"/w/apiary/reports/{one['id']}" in page
    assert "<script>&lt;" not in page
    assert "onerror=alert(1)>" not in page
    assert page.count('<polyline class="merged" points=') == 2  # the line and its key
    for card in cards:
        report = client.get(f"/w/apiary/reports/{card.id}", headers=PAGE)
        policy = report.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "'self'" not in policy
        (script,) = re.findall(r"<script>(.*?)</script>", report.text, re.DOTALL)
        (style,) = re.findall(r"<style>(.*?)</style>", report.text, re.DOTALL)
        assert f"script-src '{_digest(script)}'" in policy
        assert f"style-src '{_digest(style)}'" in policy
        assert "style=" not in report.text
    assert client.get(f"/w/apiary/reports/{cards[0].id}").json() == reports.read_report_json(
        space.folder, cards[0].id
    )


def _digest(text):
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@pytest.mark.parametrize(
    "key", ["nothing", "%2e%2e%2fcatalogue.db", "..%2F..%2Fconsilience.toml", "a%00b"]
)
def test_a_report_is_a_name_from_the_list(served, key):
    reply = served.get(f"/w/apiary/reports/{key}")
    assert reply.status_code == 404
    assert set(reply.json()["error"]) == {"kind", "message"}


def test_a_line_has_a_dot_for_each_report_oldest_first():
    cards = [
        {
            "id": f"r{n}",
            "date": f"2026-01-0{n}T00:00:00+00:00",
            "golden": "g",
            "measure": "nDCG@10",
            "merged": n / 10,
            "low": n / 10 - 0.05,
            "high": n / 10 + 0.05,
            "single": None if n == 1 else 0.1,
            "controls": 3,
            "passed": 3 if n > 1 else 2,
        }
        for n in (3, 2, 1)
    ]
    (plot,) = timelines(cards)
    assert [point["id"] for point in plot["points"]] == ["r1", "r2", "r3"]
    context = {"space": "apiary", "found": {"reports": []}, "lines": [plot]}
    text = Renderer().render("reports.html", **context)
    dots = re.findall(r'<circle class="dot( doubtful)?" cx="[\d.]+" cy="([\d.]+)"', text)
    assert [bool(doubtful) for doubtful, _ in dots] == [True, False, False]
    assert float(dots[0][1]) > float(dots[2][1])  # higher values stand higher
    (single,) = re.findall(r'<polyline class="single" points="([^"]+ )"/>', text)
    assert len(single.split()) == 2
    assert timelines(cards[:1]) == []


def test_the_page_knows_how_large_a_file_may_be(space, serving):
    text = serving(space, upload_bytes=5_000_000).get("/w/apiary/status", headers=PAGE).text
    assert 'data-most="5000000"' in text
    assert "4.8 MiB" in text


def test_an_owner_changes_settings_and_a_reader_does_not(made, serving):
    with open_workspace(made) as space:
        client = serving(space)
        address = "/w/apiary/settings"
        told = client.put(address, json={"name": "answer.length", "value": "concise"})
        assert told.json() == {"name": "answer.length", "value": "concise", "rebuild": False}
        assert client.put(address, json={"name": "passages.target", "value": "150"}).json() == {
            "name": "passages.target",
            "value": 150,
            "rebuild": True,
        }
        text = (made / "consilience.toml").read_text()
        assert 'embed = "fast"' in text  # the rest stays
        assert read_settings(made, {}).answer.length == "concise"
        rows = {
            row["name"]: row
            for part in client.get(address).json()["sections"]
            for row in part["settings"]
        }
        assert (rows["answer.length"]["saved"], rows["answer.length"]["value"]) == (
            "concise",
            "balanced",
        )
        page = client.get(address, headers={"accept": "text/html"}).text
        assert 'data-setting="answer.length"' in page
        for name, value in (
            ("answer.length", "endless"),
            ("passages.target", "many"),
            ("no.such", 1),
            ("models.generate_address", "http://elsewhere.example"),
            ("models.generate_key", "x"),
            ("serve.other", "/etc/passwd"),
            ("pack", "chess"),
        ):
            refused = client.put(address, json={"name": name, "value": value})
            assert refused.status_code == 400, name
        assert (made / "consilience.toml").read_text() == text
        reader = serving(space, read_only=True)
        assert (
            reader.put(address, json={"name": "answer.length", "value": "balanced"}).status_code
            == 403
        )
        assert "data-setting" not in reader.get(address, headers={"accept": "text/html"}).text
