"""One source that hangs, or too many who ask, leave everything else answering in time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hung_shared import hanging

AT = "/w/apiary"
BM25 = "documents/bm25"


def test_a_source_that_hangs_costs_a_note_and_nothing_else(serving, space):
    client = serving(space, timeout_s=20.0)
    with hanging(space, BM25, hard_ms=200, failures=100) as source:
        for address in ("/search?q=when do bees swarm", "/ask?q=when do bees swarm"):
            found = client.get(AT + address)
            assert found.status_code == 200
            assert found.json()["results"]
            assert found.json()["outcomes"][BM25]["status"] == "slow"
            noted = [one for one in found.json()["notes"] if one["origin"] == BM25]
            assert noted[0]["message"] == "no answer within 200 ms; left out"
        assert source.asked.is_set()
        events = client.get(AT + "/ask/events?q=when do bees swarm").text
        assert "event: done" in events
        assert client.get("/health").json()["status"] == "degraded"
        assert client.get(AT).status_code == 200
        assert client.get("/metrics").status_code == 200


def test_what_takes_too_long_is_given_up_and_told(serving, space):
    client = serving(space, timeout_s=0.3)
    with hanging(space, BM25, hard_ms=5_000) as source:
        for reply in (
            client.get(AT + "/search?q=bees"),
            client.post(AT + "/ask", json={"query": "bees"}),
        ):
            assert reply.status_code == 504
            assert reply.json()["error"]["kind"] == "Late"
            assert "longer than 0.3 seconds" in reply.json()["error"]["message"]
        events = client.get(AT + "/ask/events?q=bees").text
        assert '"kind": "Late"' in events
        assert source.stopped.wait(20)


@pytest.mark.parametrize("browser", [False, True])
def test_too_many_at_once_are_told_to_come_back(serving, space, monkeypatch, browser):
    inside, gate = threading.Semaphore(0), threading.Event()
    find = type(space).find

    def slow(self, query):
        inside.release()
        gate.wait(30)
        return find(self, query)

    monkeypatch.setattr(type(space), "find", slow)
    client = serving(space, seats=1, waiting=1)
    with ThreadPoolExecutor(2) as pool:
        held = [pool.submit(client.get, AT + "/search?q=bees") for _ in range(2)]
        assert inside.acquire(timeout=20)
        while 'worker_pool_inside{pool="search"} 2.0' not in client.get("/metrics").text:
            gate.wait(0.01)
        headers = {"accept": "text/html"} if browser else {}
        refused = client.get(AT + "/search?q=bees", headers=headers)
        said = client.get("/metrics").text
        gate.set()
        served = [one.result() for one in held]
    assert refused.status_code == 503
    assert int(refused.headers["retry-after"]) >= 1
    if not browser:
        assert refused.json()["error"]["kind"] == "Busy"
        assert "2 questions are running or waiting" in refused.json()["error"]["message"]
    assert 'consilience_worker_pool_inside{pool="search"} 2.0' in said
    assert 'consilience_worker_pool_waiting{pool="search"} 1.0' in said
    assert [one.status_code for one in served] == [200, 200]
