"""How does an answer reach a page while it is written? As server-sent events, one for each step."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import asdict
from typing import Any, Protocol

from consilience import render
from consilience.errors import ConsilienceError
from consilience.service.bodies import AskedAnswer
from consilience.service.core import Service, Space
from consilience.service.pages import fragments
from consilience.service.views import drawn, result_view
from consilience.types import Answer, Done, Drafted, Event, Said, Searched, Withdrawn

Shown = Callable[[str, Mapping[str, Any]], str]


class Answering(Protocol):
    """What notes a finished answer in the journal and gives it as JSON."""

    service: Service

    def answered(
        self, space: Space, answer: Answer, *, bucket: str, began: float
    ) -> dict[str, Any]:
        """The answer as JSON."""
        ...


async def told_as_events(
    handlers: Answering, space: Space, asked: AskedAnswer, *, html: bool
) -> AsyncIterator[str]:
    """The events of an answer: searched, drafted, said, withdrawn, done; or an error, the last.

    With `html` each brings what a page shows of it.
    """
    began = time.perf_counter()
    try:
        bucket, asking = space.buckets.choose(asked.bucket)
        desk = handlers.service.desk(space, model=asked.model)
        query = asked.wanted()
        async for event in desk.stream(
            lambda: asking.events(query, length=asked.length, model=asked.model)
        ):
            name, found = type(event).__name__.lower(), _found(space, event)
            if isinstance(event, Done):
                found = handlers.answered(space, event.answer, bucket=bucket, began=began)
            if html:
                found["html"] = fragments.shown(name, found, space=space.name)
            yield _event(name, found)
    except ConsilienceError as error:
        yield _event("error", {"error": {"kind": type(error).__name__, "message": str(error)}})


def _event(name: str, found: Mapping[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(found, ensure_ascii=False)}\n\n"


def _found(space: Space, event: Event) -> dict[str, Any]:
    """What an event says, as JSON."""
    match event:
        case Searched():
            return result_view(space, event.result)
        case Drafted():
            cited = render.citation_json(event.citation) if event.citation else None
            return {"text": event.text, "citation": cited}
        case Said():
            return {
                "text": event.text,
                "citations": [render.citation_json(one) for one in event.citations],
                "faults": [asdict(fault) for fault in event.faults],
                "figures": [drawn(space, one) for one in event.figures],
            }
        case Withdrawn():
            return {"reason": event.reason}
        case Done():
            return {}
