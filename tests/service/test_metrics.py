"""What is counted is what happened: requests by template, sources, questions, desks, passages."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from hanging_source_shared import hanging
from prometheus_client.parser import text_string_to_metric_families

from consilience.journal import JOURNAL
from consilience.service.app import create_app
from consilience.service.service import Service
from consilience.workspace import STORE, open_workspace


@pytest.fixture
def client(serving, space):
    return serving(space)


def read(client):
    reply = client.get("/metrics")
    assert reply.status_code == 200
    assert reply.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(reply.text)
        for sample in family.samples
    }


def value(found, name, **labels):
    return found[f"consilience_{name}", tuple(sorted(labels.items()))]


def test_requests_are_counted_by_template_and_never_by_what_was_asked(client):
    client.get("/w/apiary/search?q=secretword")
    client.get("/w/apiary/search?q=secretword&limit=0")
    client.get("/w/apiary/passages/secretword")
    client.get("/secretword")
    client.request("SECRETWORD", "/w/apiary")
    client.get("/static/page.css")
    found = read(client)
    count = {"route": "/w/{name}/search", "method": "GET"}
    assert value(found, "requests_total", **count, status="200") == 1
    assert value(found, "requests_total", **count, status="422") == 1
    assert value(found, "requests_total", route="other", method="GET", status="404") == 1
    assert value(found, "requests_total", route="/w/{name}", method="other", status="405") == 1
    assert value(found, "requests_total", route="/static", method="GET", status="200") == 1
    assert value(found, "request_seconds_count", route="/w/{name}/search") == 2
    assert "secretword" not in client.get("/metrics").text.casefold()


def test_questions_answers_and_sources_are_counted(client):
    client.get("/w/apiary/search?q=when do bees swarm")
    client.post("/w/apiary/ask", json={"query": "when do bees swarm"})
    client.get("/w/apiary/ask/events?q=when do bees swarm")
    found = read(client)
    assert value(found, "questions_total", workspace="apiary") == 3
    assert value(found, "answers_total", workspace="apiary", writer="extractive") == 2
    source = {"workspace": "apiary", "source": "documents/bm25"}
    assert value(found, "source_outcomes_total", **source, status="ok") == 3
    assert value(found, "source_seconds_count", **source) == 3


def test_lines_that_are_lost_and_jobs_that_failed_are_counted(made, tmp_path):
    (made / STORE / JOURNAL).mkdir()  # where a file should be
    with (
        open_workspace(made) as space,
        TestClient(create_app(service := Service([space]))) as client,
    ):
        client.get("/w/apiary/search?q=when do bees swarm")
        jobs = service.spaces["apiary"].jobs
        *_, last = jobs.follow(jobs.add([tmp_path / "nowhere.md"]).id)
        assert (last.status, last.error_kind) == ("failed", "UsageError")
        found, health = read(client), client.get("/health").json()
    for name in ("journal_lost", "journal_trouble", "jobs_failed"):
        assert value(found, name, workspace="apiary") == 1
    own = health["workspaces"]["apiary"]
    assert (own["status"], own["failed"], own["journal"]["lost"]) == ("degraded", 1, 1)
    assert "the journal cannot be written" in own["journal"]["trouble"]
    assert own["journal"]["trouble"] in own["reason"]


def test_a_question_that_nothing_answers_is_counted(client):
    said = client.get("/w/apiary/search?q=quantum chromodynamics of gluons").json()
    assert said["abstained"]
    assert value(read(client), "abstained_total", workspace="apiary") == 1


def test_a_source_that_hangs_shows(client, space):
    with hanging(space, "documents/bm25", hard_ms=100):
        client.get("/w/apiary/search?q=bees")
    source = {"workspace": "apiary", "source": "documents/bm25"}
    assert value(read(client), "source_outcomes_total", **source, status="slow") == 1


def test_what_stands_is_looked_at_when_somebody_reads(client, space):
    found = read(client)
    held = space.catalogue.counts()
    for name, kinds in held.items():
        count = value(found, "passages", workspace="apiary", collection=name)
        assert count == sum(kinds.values())
    assert value(found, "worker_pool_inside", pool="search") == 0
    assert value(found, "worker_pool_waiting", pool="write") == 0
    assert value(found, "jobs", workspace="apiary") == 0
    assert found["process_resident_memory_bytes", ()] > 1e6


def test_two_servers_count_each_for_itself(client, serving, space):
    other = serving(space)
    other.get("/w/apiary/search?q=bees")
    assert ("consilience_questions_total", (("workspace", "apiary"),)) not in read(client)
    assert value(read(other), "questions_total", workspace="apiary") == 1
