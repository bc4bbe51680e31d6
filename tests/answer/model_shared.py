"""What the tests of the language-model writer share: evidence, a plan, and reading what comes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from consilience.answer import writer
from consilience.answer.exhibits import exhibits_of
from consilience.answer.task import Log, Task
from consilience.answer.transcript import Transcript
from consilience.settings import Answering
from consilience.types import Drafted, Exhibit, Hit, Outline, Said, Section
from tests_shared import make_passage

TEXTS = (
    "The Bell Rock tower was built by Robert Stevenson between 1807 and 1810. It stands on a reef.",
    "John Smeaton finished his tower on the Eddystone rocks in 1759. He dovetailed granite blocks.",
    "Augustin Fresnel arranged prisms in rings around a lamp. His lens was first lit in 1823.",
    "The lamp of Bell Rock burned sperm oil. Its light was seen for 35 miles.",
)
QUESTION = "How were lighthouses built and lit?"
PLAN = {
    "answer": "Towers stood on reefs, and lenses carried their light.",
    "sections": [
        {"heading": "Towers at sea", "sources": [1, 2], "point": "how the towers were built"},
        {"heading": "Lamps and lenses", "sources": [3, 4], "point": "how they were lit"},
    ],
}
REPLIES = {
    "outline": json.dumps(PLAN),
    "expand 1": "Robert Stevenson built the Bell Rock tower between 1807 and 1810 [1]. "
    "John Smeaton finished his tower on the Eddystone rocks in 1759 [2].",
    "expand 2": "Augustin Fresnel arranged prisms in rings around a lamp [3]. "
    "The lamp of Bell Rock burned sperm oil [4].",
    "assemble": "## Taken together\n\nThe Bell Rock tower stands on a reef [1], and its lamp "
    "burned sperm oil [4].",
}


def exhibits(texts: Sequence[str] = TEXTS, **more: Any) -> tuple[Exhibit, ...]:
    hits = [
        Hit(passage=make_passage(f"p{place}", text, title=f"Note {place}", **more), score=1.0)
        for place, text in enumerate(texts, start=1)
    ]
    return exhibits_of(hits)


def task(texts: Sequence[str] = TEXTS, **more: Any) -> Task:
    values = {
        "question": QUESTION,
        "exhibits": exhibits(texts),
        "settings": Answering(),
        "length": "in-depth",
    }
    return Task(**{**values, **more})


def by_rule(asked: Task) -> Outline:
    """An outline as the other writer makes it."""
    marks = tuple(one.mark for one in asked.exhibits)
    return Outline(
        opening="A sentence of its own [1].",
        sections=(
            Section(heading="By rule", marks=marks[:1]),
            Section(heading="The rest", marks=marks[1:]),
        ),
    )


@dataclass
class Written:
    """What came, and what it left behind."""

    events: list[Drafted | Said]
    transcript: Transcript
    log: Log

    @property
    def text(self) -> str:
        return self.transcript.text

    @property
    def drafts(self) -> str:
        return "".join(one.text for one in self.events if isinstance(one, Drafted))

    @property
    def said(self) -> list[str]:
        return [one.text for one in self.events if isinstance(one, Said) and one.text]

    @property
    def notes(self) -> str:
        return " | ".join(one.message for one in self.log.notes)


def write(generator: Any, asked: Task | None = None, log: Log | None = None) -> Written:
    asked = asked or task()
    transcript, log = Transcript(asked.exhibits), log or Log()

    async def read() -> list[Drafted | Said]:
        stream = writer.write(asked, transcript, generator, log, fallback=by_rule)
        events = [one async for one in stream]
        assert len(asyncio.all_tasks()) == 1, "a task was left running"
        return events

    return Written(asyncio.run(read()), transcript, log)
