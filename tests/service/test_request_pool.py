"""Questions wait for a thread, are refused when there is no room, and are given up in time."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hanging_source_shared import hanging

from consilience.service.request_pool import Busy, Late, RequestPool


def desk(**limits):
    return RequestPool("test", **{"threads": 1, "waiting": 1, "timeout_s": 5.0, **limits})


def test_no_more_are_worked_on_than_there_are_seats():
    inside, most, lock = 0, 0, threading.Lock()
    gate = threading.Event()

    def work():
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        gate.wait(0.02)
        with lock:
            inside -= 1

    async def ask():
        seats = desk(threads=2, waiting=10)
        await asyncio.gather(*(seats.run(work) for _ in range(8)))
        assert seats.inside == 0

    asyncio.run(ask())
    assert most == 2


def test_who_finds_no_room_is_told_to_come_back():
    async def ask():
        seats, gate = desk(), threading.Event()
        held = [asyncio.ensure_future(seats.run(gate.wait)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="2 questions"):
            await seats.run(gate.wait)
        gate.set()
        await asyncio.gather(*held)
        assert await seats.run(lambda: "again") == "again"

    asyncio.run(ask())


def test_what_takes_too_long_is_given_up():
    async def ask():
        seats, gate = desk(timeout_s=0.05), threading.Event()
        with pytest.raises(Late, match=r"0\.05 seconds"):
            await seats.run(gate.wait)
        gate.set()
        assert seats.inside == 0

    asyncio.run(ask())


async def counting(ended):
    try:
        for number in range(3):
            yield number
            await asyncio.sleep(0)
        if ended is not None:
            await asyncio.sleep(60)
    finally:
        if ended is not None:
            ended.set()


def test_a_stream_comes_as_it_is_made():
    async def ask():
        return [item async for item in desk().stream(lambda: counting(None))]

    assert asyncio.run(ask()) == [0, 1, 2]


def test_whoever_stops_reading_stops_the_source():
    ended = threading.Event()

    async def ask():
        seats = desk()
        stream = seats.stream(lambda: counting(ended))
        assert await anext(stream) == 0
        await stream.aclose()
        assert ended.wait(5)
        assert seats.inside == 0

    asyncio.run(ask())


def test_what_goes_wrong_in_a_stream_is_raised_where_it_is_read():
    async def broken():
        yield 1
        raise ValueError("in the middle")

    async def ask():
        return [item async for item in desk().stream(broken)]

    with pytest.raises(ValueError, match="in the middle"):
        asyncio.run(ask())


def test_a_reader_that_does_not_read_keeps_no_seat():
    async def ask():
        seats = desk()
        slow = seats.stream(lambda: counting(None))
        assert await anext(slow) == 0  # and then reads no more
        for _ in range(3):
            assert [item async for item in seats.stream(lambda: counting(None))] == [0, 1, 2]
        assert [item async for item in slow] == [1, 2]
        assert seats.inside == 0

    asyncio.run(ask())


AT = "/w/apiary"
BM25 = "documents/bm25"


def test_a_source_that_hangs_costs_a_note_and_nothing_else(serving, space):
    client = serving(space, timeout_s=20.0)
    with hanging(space, BM25, hard_ms=200, answer_ms=200, failures=100) as source:
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
