"""A real llama.cpp server with a real small model: all stages, time-outs, and its sudden death.

What the model says is not looked at, only what becomes of it: 135 million parameters know little.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import llama_shared
import pytest
from llama_shared import Server, serving
from model_shared import TEXTS, by_rule, task

from consilience.answer import outline, prompts, writer
from consilience.answer.prompts import Size
from consilience.answer.task import Log
from consilience.answer.transcript import Transcript
from consilience.answer.writer import LOOPED
from consilience.errors import ModelError
from consilience.models import servers
from consilience.models.generators import Chat
from consilience.protocols import Chunk
from consilience.types import Done, Drafted, Outline, Prompt, Query, Said, Searched, Withdrawn
from consilience.workspace import Workspace

pytestmark = pytest.mark.skipif(bool(llama_shared.missing()), reason=llama_shared.missing())

QUESTION = "What did Robert Stevenson build?"
BRIEF = {
    "concise": Size(sections=1, words=25, closing=0),
    "balanced": Size(sections=2, words=12, closing=8),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


@pytest.fixture(autouse=True)
def _brief(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for length, size in BRIEF.items():
        monkeypatch.setitem(prompts.SIZES, length, size)  # type: ignore[arg-type]


def at(server: Server, **more: Any) -> Chat:
    return Chat("smollm2", servers.Server(**{"url": server.address, "retries": 0, **more}))


def chunks(chat: Chat, prompt: Prompt, **more: Any) -> list[Chunk]:
    async def read() -> list[Chunk]:
        return [one async for one in chat.generate(prompt, **more)]

    return asyncio.run(read())


# --- the model alone --------------------------------------------------------------------


def stages() -> list[Prompt]:
    asked = task(TEXTS[:2])
    plan: Outline = by_rule(asked)
    said = "The Bell Rock tower stands on a reef [1]."
    return [
        prompts.outline(asked),
        prompts.expand(asked, plan, 0),
        prompts.assemble(asked, said, (1,)),
    ]


def test_a_stage_streams_and_the_server_counts(server: Server) -> None:
    found = chunks(at(server), stages()[1], most=8)
    assert len([one for one in found if one.text]) > 2
    assert found[-1].asked > 100
    assert 0 < found[-1].written <= 8


def test_the_server_follows_the_schema_of_the_outline(server: Server) -> None:
    asked = task(TEXTS[:2])
    schema = outline.schema(asked)
    found = chunks(at(server), prompts.outline(asked), most=150, schema=schema)
    reply = "".join(one.text for one in found)
    plan, repairs = outline.parse(reply, asked)
    assert re.match(r'\{\s*"sections":\s*\[\s*\{\s*"heading":', reply)
    assert {mark for one in plan.sections for mark in one.marks} <= {1, 2}
    assert not any("no source" in one for one in repairs)


def test_a_time_out_is_a_failure(server: Server) -> None:
    with pytest.raises(ModelError, match=r"did not finish within 0\.05 s"):
        chunks(at(server, timeout_s=0.05), stages()[0], most=200)


# --- the writer -------------------------------------------------------------------------


def test_outline_expand_and_assemble(server: Server) -> None:
    asked, log = task(TEXTS[:3]), Log()
    transcript = Transcript(asked.exhibits, unsupported="mark")

    events: list[Drafted | Said] = []

    async def read() -> None:
        with suppress(ModelError):  # so small a model may forget to cite
            async for one in writer.write(asked, transcript, at(server), log, fallback=by_rule):
                events.append(one)

    asyncio.run(read())
    assert {one.error for one in log.calls} <= {"", LOOPED}
    called = [one.stage for one in log.calls]
    assert called[0] == "outline"
    assert "expand 1" in called
    assert log.outline is not None
    assert ("assemble" in called) == (len(log.outline.sections) > 1)
    assert {mark for one in log.outline.sections for mark in one.marks} == {1, 2, 3}
    assert len([one for one in events if isinstance(one, Drafted)]) > 10
    assert transcript.text == "".join(one.text for one in events if isinstance(one, Said))
    assert {one.mark for one in transcript.citations} <= {1, 2, 3}


# --- from a question to an answer -------------------------------------------------------


Asking = Callable[..., Callable[[], Iterator[Any]]]


@pytest.fixture
def asking(opened: Callable[..., Workspace], evidence: Path) -> Asking:
    """Gives a way to ask a workspace whose answers a server writes; events come one by one."""

    def asks(server: Server, **values: object) -> Callable[[], Iterator[Any]]:
        space = opened(
            **{
                "models.generate": "openai:smollm2",
                "models.generate_address": server.address,
                "answer.retries": 0,
                "answer.passages": 2,
                "answer.each": 1,
                "answer.unsupported": "mark",
                "refine.floor": 0,
                **values,
            }
        )
        space.add([evidence])
        return lambda: space.stream(Query(text=QUESTION), length="concise")

    return asks


def test_drafts_come_before_the_answer(server: Server, asking: Asking) -> None:
    events = list(asking(server)())
    assert isinstance(events[0], Searched)
    assert isinstance(events[-1], Done)
    assert len([one for one in events if isinstance(one, Drafted)]) > 3
    answer = events[-1].answer
    kept = [one for one in events if isinstance(one, Said)]
    if answer.writer == "extractive":  # so small a model may forget to cite
        place = [type(one) for one in events].index(Withdrawn)
        reason = events[place].reason
        assert "found no answer in the evidence" in reason or "too little for an answer" in reason
        kept = [one for one in events[place:] if isinstance(one, Said)]
    else:
        assert answer.writer == "openai:smollm2"
        assert answer.citations
    assert [one.stage for one in answer.prompts] == ["expand 1"]
    for one in answer.exhibits:
        assert one.introduced in answer.prompts[0].user
    assert answer.text == "".join(one.text for one in kept)
    marks = {int(one) for one in re.findall(r"\[(\d+)\]", answer.text)}
    assert marks == {one.mark for one in answer.citations}


def withdrawn(events: list[Any]) -> None:
    """The model's words were taken back, and the evidence speaks for itself, with a note."""
    (reason,) = (one.reason for one in events if isinstance(one, Withdrawn))
    answer = events[-1].answer
    assert answer.writer == "extractive"
    assert "Robert Stevenson built a tower" in answer.text
    assert reason in {one.message for one in answer.notes}
    assert answer.calls[-1].error
    later = events[[type(one) for one in events].index(Withdrawn) :]
    assert answer.text == "".join(one.text for one in later if isinstance(one, Said))


def test_a_server_that_takes_too_long_is_not_waited_for(server: Server, asking: Asking) -> None:
    withdrawn(list(asking(server, **{"answer.timeout_s": 0.05})()))


def test_a_server_that_is_killed_midway_costs_nobody_the_answer(asking: Asking) -> None:
    with serving() as mortal:
        ask = asking(mortal)
        events = []
        for one in ask():
            events.append(one)
            if isinstance(one, Drafted) and one.text.strip() and mortal.process.poll() is None:
                mortal.kill()
        assert mortal.process.poll() is not None
        withdrawn(events)
        withdrawn(list(ask()))  # and now that nobody listens
