"""The asynchronous twins: the same answers, and a loop that goes on meanwhile."""

import asyncio
import threading
import time

import httpx
import pytest
from fastapi import FastAPI

from consilience.engine import pipeline
from consilience.errors import UsageError
from consilience.types import Done, Query, Searched

QUESTIONS = [
    "who dovetailed granite?",
    "how tall is Cordouan?",
    "what is Inchcape?",
    "lamps and lenses",
]


@pytest.fixture
def engine_threads(monkeypatch):
    """The threads in which rankings are fused, as they come."""
    seen = []
    real = pipeline.fuse_levels
    monkeypatch.setattr(
        pipeline,
        "fuse_levels",
        lambda *args, **more: seen.append(threading.get_ident()) or real(*args, **more),
    )
    return seen


class Beat:
    """A task of the loop: it counts its steps, and the most processor time between two."""

    def __init__(self):
        self.steps, self.longest_ms = 0, 0.0

    async def __aenter__(self):
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_):
        self._task.cancel()

    async def _run(self):
        last = time.thread_time()
        while True:
            await asyncio.sleep(0.001)
            now = time.thread_time()
            self.longest_ms = max(self.longest_ms, (now - last) * 1000)
            last, self.steps = now, self.steps + 1


def ids(result):
    return [hit.passage.id for hit in result]


def test_the_twins_answer_alike(workspace):
    question = QUESTIONS[0]

    async def ask():
        found = await workspace.asearch(question, limit=3)
        answer = await workspace.aask(question, limit=3)
        events = [event async for event in workspace.astream(question, limit=3)]
        why = await workspace.awhy(question, "1", limit=3)
        lost = await workspace.awhy_not(question, found.hits[1].passage.id, limit=1)
        return found, answer, events, why, lost

    found, answer, events, why, lost = asyncio.run(ask())
    assert ids(found) == ids(workspace.search(question, limit=3))
    assert answer.text == workspace.ask(question, limit=3).text
    assert isinstance(events[0], Searched)
    assert isinstance(events[-1], Done)
    assert events[-1].answer.text == answer.text
    assert [one.lines for one in why.hits] == [
        one.lines for one in workspace.why(question, "1", limit=3).hits
    ]
    assert (lost.step, lost.place) == ("cut", 2) or lost.place is None
    assert lost == workspace.why_not(question, found.hits[1].passage.id, limit=1)


def test_twenty_requests_at_once_never_stall_the_loop(workspace, engine_threads):
    app = FastAPI()

    @app.get("/search")
    async def search(q: str) -> list[str]:
        return ids(await workspace.asearch(q, limit=5))

    @app.get("/ask")
    async def answer(q: str) -> str:
        return (await workspace.aask(q)).text

    expected = {q: ids(workspace.search(q, limit=5)) for q in QUESTIONS}

    async def ask():
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            await client.get("/search", params={"q": QUESTIONS[0]})  # what is loaded once
            await client.get("/ask", params={"q": QUESTIONS[0]})
            engine_threads.clear()
            async with Beat() as beat:
                path = ("/search", "/ask")
                replies = await asyncio.gather(
                    *(
                        client.get(path[n % 2], params={"q": QUESTIONS[n // 2 % 4]})
                        for n in range(20)
                    )
                )
        return replies, beat

    replies, beat = asyncio.run(ask())
    assert [reply.status_code for reply in replies] == [200] * 20
    found = {str(r.url.params["q"]): r.json() for r in replies if r.url.path == "/search"}
    assert found == expected
    assert len(engine_threads) >= 20
    assert threading.get_ident() not in engine_threads  # the loop ran in this thread
    assert beat.steps >= 20
    assert beat.longest_ms < 20


def test_a_stream_that_is_left_stops_and_an_error_is_raised_where_it_is_read(workspace):
    async def leave():
        stream = workspace.astream(QUESTIONS[0])
        async for _ in stream:
            break
        await stream.aclose()
        with pytest.raises(UsageError, match="no words"):
            async for _ in workspace.astream("?"):
                pass
        with pytest.raises(UsageError, match="has its own options"):
            await workspace.aask(Query(text="a"), limit=3)
        return await workspace.asearch(QUESTIONS[0])

    assert asyncio.run(leave()).hits


def test_a_cancelled_search_leaves_the_workspace_usable(workspace):
    async def cancel():
        task = asyncio.create_task(workspace.asearch(QUESTIONS[0]))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await workspace.asearch(QUESTIONS[0])

    assert asyncio.run(cancel()).hits
