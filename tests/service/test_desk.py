"""Questions wait for a seat, are told when there is no room, and are given up in time."""

from __future__ import annotations

import asyncio
import threading

import pytest

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
