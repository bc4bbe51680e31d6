"""Health says how each source is, costs little, and never hangs."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest
from hanging_source_shared import hanging

from consilience import __version__
from consilience.errors import StoreError
from consilience.service import health
from consilience.service.app import create_app
from consilience.service.health import Monitor, overall
from consilience.service.jobs import Rebuilding
from consilience.service.service import Options, Service
from consilience.workspace import init_workspace, open_workspace

BM25 = "documents/bm25"


def test_every_source_is_asked(serving, space):
    reply = serving(space).get("/health")
    assert reply.status_code == 200
    found = reply.json()
    assert (found["status"], found["version"]) == ("ok", __version__)
    own = found["workspaces"]["apiary"]
    assert own["collections"] == space.catalogue.counts()
    assert (own["pending"], own["jobs"], own["status"]) == (0, 0, "ok")
    assert set(own["sources"]) == set(space.engine.sources)
    assert own["sources"][BM25]["status"] in ("ok", "empty")
    assert own["sources"]["documents/dense"]["count"] == 1


def test_what_a_first_question_would_load_is_loaded_before(made):
    """Packs import what they read questions with when first asked: no deadline pays for it."""
    with open_workspace(made) as space:
        read, own = [], space.pack.questions.identifiers
        spied = replace(
            space.pack.questions, identifiers=lambda text: read.append(text) or own(text)
        )
        space.pack = replace(space.pack, questions=spied)
        _ = space.engine
    assert read


def test_a_source_that_hangs_is_slow_and_the_rest_goes_on(serving, space):
    with hanging(space, BM25, hard_ms=1000) as source:
        reply = serving(space).get("/health")
        assert source.asked.is_set()
    assert reply.status_code == 200
    own = reply.json()["workspaces"]["apiary"]
    assert reply.json()["status"] == own["status"] == "degraded"
    assert own["sources"][BM25]["status"] == "slow"
    assert "no answer within 1000 ms" in own["sources"][BM25]["reason"]
    assert own["sources"]["documents/dense"]["status"] == "ok"


def test_what_was_seen_holds_for_a_while(serving, space):
    client = serving(space)
    client.get("/health")
    with hanging(space, BM25, hard_ms=100) as source:
        assert client.get("/health").json()["status"] == "ok"
        assert not source.asked.is_set()


def test_a_source_that_rests_is_left_alone(serving, space):
    with hanging(space, BM25, hard_ms=100) as source:
        breaker = space.engine.breakers.of(BM25)
        breaker.until, breaker.reason = float("inf"), "failed 3 times in a row"
        own = serving(space).get("/health").json()["workspaces"]["apiary"]
        assert not source.asked.is_set()
    assert own["sources"][BM25]["status"] == "failed"
    assert "failed 3 times in a row; asked again" in own["sources"][BM25]["reason"]


def test_where_nothing_answers_it_is_failing(serving, space, monkeypatch):
    def broken(_space):
        raise StoreError("the catalogue is gone")

    monkeypatch.setattr(health, "probe", broken)
    reply = serving(space).get("/health")
    assert reply.status_code == 503
    assert reply.json()["status"] == "failing"
    assert reply.json()["workspaces"]["apiary"]["reason"] == "the catalogue is gone"


def test_what_is_rebuilt_is_not_opened(serving, made):
    with open_workspace(made) as space:
        service = Service([space])

        def rebuilding():
            raise Rebuilding("it is rebuilt")

        jobs = service.spaces["apiary"].jobs
        jobs.ready = rebuilding
        found = health.probe(service.spaces["apiary"])
        assert (found["status"], found["reason"]) == ("degraded", "it is rebuilt")
        assert found["sources"] == {}
        assert space._engine is None
        service.close()


def test_an_empty_workspace_is_no_fault(serving, tmp_path):
    with open_workspace(init_workspace(tmp_path / "new")) as space:
        found = serving(space).get("/health")
    assert found.status_code == 200
    assert found.json()["status"] == "ok"
    assert found.json()["workspaces"]["new"]["status"] == "empty"


def test_it_never_waits_for_a_seat_for_long(space, monkeypatch):
    monkeypatch.setattr(health, "LIMIT_S", 0.05)
    gate = threading.Event()

    async def look():
        service = Service([space], Options(seats=1, waiting=1))
        held = asyncio.ensure_future(service.searching.run(gate.wait))
        await asyncio.sleep(0)
        look = Monitor(service, service.spaces["apiary"])
        late = await look.check()
        again = await look.check()
        gate.set()
        await held
        await look._running
        well = await look.check()
        service.close()
        return late, again, well

    late, again, well = asyncio.run(look())
    assert late["status"] == again["status"] == "degraded"
    assert "the check took more than" in late["reason"]
    assert well["status"] == "ok"


def test_a_full_house_is_told(space):
    gate = threading.Event()

    async def look():
        service = Service([space], Options(seats=1, waiting=0))
        held = asyncio.ensure_future(service.searching.run(gate.wait))
        await asyncio.sleep(0)
        found = await Monitor(service, service.spaces["apiary"]).check()
        gate.set()
        await held
        service.close()
        return found

    found = asyncio.run(look())
    assert (found["status"], found["reason"].split(";")[1]) == (
        "degraded", " try again in a moment",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("states", "all_of_it"),
    [
        ([], "ok"),
        (["ok", "empty"], "ok"),
        (["empty"], "ok"),
        (["ok", "degraded"], "degraded"),
        (["ok", "failing"], "degraded"),
        (["failing", "empty"], "failing"),
        (["failing", "failing"], "failing"),
    ],
)
def test_all_of_it_is_as_well_as_its_parts(states, all_of_it):
    assert overall(states) == all_of_it


def test_health_is_wired(space):
    service = Service([space])
    assert "/health" in create_app(service).openapi()["paths"]
    service.close()
