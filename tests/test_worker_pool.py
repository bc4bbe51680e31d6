import asyncio
import subprocess
import sys
import threading
import time

import pytest

from consilience import worker_pool
from consilience.worker_pool import UsageGuard, WorkerPool, iterate_sync


def test_calls_of_two_sources_run_truly_at_once():
    meet = threading.Barrier(2, timeout=5)

    async def both():
        await asyncio.gather(WorkerPool("a").run(meet.wait), WorkerPool("b").run(meet.wait))

    asyncio.run(both())


def test_an_error_reaches_whoever_waits():
    with pytest.raises(ZeroDivisionError):
        asyncio.run(WorkerPool("a").run(lambda: 1 / 0))


def test_threads_are_few_and_used_again():
    workers, seen = WorkerPool("a", threads=2), set()

    async def many():
        await asyncio.gather(
            *(workers.run(lambda: seen.add(threading.get_ident())) for _ in range(20))
        )
        await workers.run(lambda: seen.add(threading.get_ident()))

    asyncio.run(many())
    assert 1 <= len(seen) <= 2


def test_threads_end_when_idle_and_start_again(monkeypatch):
    monkeypatch.setattr(worker_pool, "IDLE_S", 0.02)
    workers = WorkerPool("idle-test")

    def alive():
        return [one for one in threading.enumerate() if one.name == "idle-test"]

    assert asyncio.run(workers.run(lambda: 1)) == 1
    deadline = time.monotonic() + 10
    while alive() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive()
    assert asyncio.run(workers.run(lambda: 2)) == 2


def test_a_source_answers_after_many_questions_at_once_and_a_quiet_while(monkeypatch):
    monkeypatch.setattr(worker_pool, "IDLE_S", 0.02)
    workers = WorkerPool("quiet-test", threads=2)

    async def together(count):
        async with asyncio.timeout(10):
            return await asyncio.gather(
                *(workers.run(lambda: time.sleep(0.01) or 1) for _ in range(count))
            )

    for _ in range(3):
        assert asyncio.run(together(4)) == [1] * 4
        deadline = time.monotonic() + 10
        while any(one.name == "quiet-test" for one in threading.enumerate()):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    assert asyncio.run(together(1)) == [1]


def test_a_closed_pool_ends_its_threads_and_starts_new_ones_when_asked_again():
    workers = WorkerPool("closed-test")
    assert asyncio.run(workers.run(lambda: 1)) == 1
    workers.close()
    assert not [one for one in threading.enumerate() if one.name == "closed-test"]
    assert asyncio.run(workers.run(lambda: 2)) == 2
    workers.close()


def test_a_hung_call_leaves_a_thread_for_the_next():
    workers, hold = WorkerPool("held-test", threads=2), threading.Event()

    async def ask():
        hung = asyncio.ensure_future(workers.run(hold.wait))
        await asyncio.sleep(0.05)
        async with asyncio.timeout(10):
            answers = [await workers.run(lambda: 1) for _ in range(3)]
        hold.set()
        await hung
        return answers

    assert asyncio.run(ask()) == [1, 1, 1]


def test_a_hung_call_does_not_keep_the_program_from_ending():
    code = (
        "import asyncio, time\n"
        "from consilience.worker_pool import WorkerPool\n"
        "async def ask():\n"
        "    try:\n"
        "        async with asyncio.timeout(0.05):\n"
        "            await WorkerPool('hung').run(lambda: time.sleep(60))\n"
        "    except TimeoutError:\n"
        "        print('left')\n"
        "asyncio.run(ask())\n"
    )
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout == "left\n"
    assert time.monotonic() - started < 20


# --- what comes piece by piece ----------------------------------------------------------


def test_what_an_asynchronous_source_gives_is_streamed_in_order():
    async def source():
        for number in range(3):
            await asyncio.sleep(0)
            yield number

    assert list(iterate_sync(source)) == [0, 1, 2]


def test_an_error_of_the_source_is_raised_where_the_items_are_read():
    async def source():
        yield 1
        raise ValueError("gone")

    items = iterate_sync(source)
    assert next(items) == 1
    with pytest.raises(ValueError, match="gone"):
        next(items)


def test_a_reader_that_stops_early_stops_the_source():
    ended = []

    async def source():
        try:
            while True:
                yield 1
                await asyncio.sleep(0.001)
        finally:
            ended.append(True)

    items = iterate_sync(source)
    assert next(items) == 1
    items.close()
    assert ended == [True]


def test_streaming_works_inside_a_running_loop():
    async def source():
        yield 1

    async def inside():
        return list(iterate_sync(source))

    assert asyncio.run(inside()) == [1]


# --- what is shared ---------------------------------------------------------------------


def test_what_is_used_closes_once_nobody_uses_it():
    shared, inside, leave, closed = UsageGuard(), threading.Event(), threading.Event(), []

    def use():
        with shared.using() as is_open:
            assert is_open
            inside.set()
            leave.wait(20)
            closed.append("used")

    user = threading.Thread(target=use)
    user.start()
    assert inside.wait(20)
    assert shared.close(timeout=0.01) is False  # somebody is inside
    with shared.using() as is_open:
        assert not is_open  # and nobody else is let in
    leave.set()
    assert shared.close() is True
    assert closed == ["used"]
    user.join()
    assert shared.close() is True
