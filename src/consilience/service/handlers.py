"""What does an address give? The same for a page, for JSON, for a stream and for tools.

Everything that touches a workspace is done at a desk, the making of JSON included: only what is
ready comes back to the loop that serves everybody.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import asdict
from typing import Any

from consilience import explain, render
from consilience.service.bodies import MOST, Asked, AskedAnswer, AskedPath, AskedWhy, AskedWhyNot
from consilience.service.core import Service, Space
from consilience.service.hiding import hidden
from consilience.service.printed import found_passage, standing_view
from consilience.service.views import answer_view, drawn, result_view
from consilience.types import Answer, Done, Drafted, Event, Result, Said, Searched, Withdrawn
from consilience.workspace.bearing import bearing

Told = tuple[str, dict[str, Any]]
Shown = Callable[[str, dict[str, Any]], str]


class Handlers:
    """What can be asked of a workspace."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def search(self, space: Space, asked: Asked) -> dict[str, Any]:
        """The results of a question."""
        space.jobs.ready()
        bucket, asking = space.buckets.choose(asked.bucket, asked.query)
        query, began = asked.wanted(), time.perf_counter()

        def work() -> dict[str, Any]:
            result = asking.find(query)
            noted = self._noted(space, result, asked, bucket=bucket, began=began)
            return {**result_view(space, result, bucket=bucket), **noted}

        return await self.service.searching.run(work)

    async def answer(self, space: Space, asked: AskedAnswer) -> dict[str, Any]:
        """The written answer to a question."""
        *_, (_, found) = [told async for told in self.told(space, asked, whole=True)]
        return found

    async def told(
        self, space: Space, asked: AskedAnswer, *, whole: bool = False, shown: Shown | None = None
    ) -> AsyncGenerator[Told]:
        """The answer while it is written: each event by its name and as JSON, `done` the last.

        With `whole` only that one comes. `shown` gives what a page shows of an event.
        """
        space.jobs.ready()
        bucket, asking = space.buckets.choose(asked.bucket, asked.query)
        query, began = asked.wanted(), time.perf_counter()

        def found(event: Event) -> dict[str, Any]:
            if isinstance(event, Done):
                return self._answered(space, event.answer, asked, bucket=bucket, began=began)
            return _event_view(space, event, bucket)

        async def source() -> AsyncGenerator[Told]:
            stream = asking.events(query, length=asked.length, model=asked.model)
            async with aclosing(stream) as events:
                async for event in events:
                    if not whole or isinstance(event, Done):
                        name, told = type(event).__name__.lower(), found(event)
                        yield name, {**told, "html": shown(name, told)} if shown else told

        desk = self.service.desk(asking, model=asked.model)
        async with aclosing(desk.stream(source)) as events:  # who stops reading stops the work
            async for told in events:
                yield told

    async def why(self, space: Space, asked: AskedWhy) -> dict[str, Any]:
        """How the results of a question came about."""
        space.jobs.ready()
        query = asked.wanted()

        def work() -> dict[str, Any]:
            result = space.workspace.find(query)
            account = explain.account(result, space.workspace, asked.passage)
            return hidden(render.account_json(result, account))

        return await self.service.searching.run(work)

    async def why_not(self, space: Space, asked: AskedWhyNot) -> dict[str, Any]:
        """At which step a passage was lost."""
        space.jobs.ready()
        query = asked.wanted()

        def work() -> dict[str, Any]:
            catalogue, engine = space.workspace.catalogue, space.workspace.engine
            found = catalogue.resolve(asked.passage)
            pending = catalogue.is_pending(found.id)
            absence = explain.why_not(query, found, engine, pending=pending, most=MOST)
            return hidden(render.absence_json(asyncio.run(absence)))

        return await self.service.searching.run(work)

    async def plan(self, space: Space, asked: Asked) -> dict[str, Any]:
        """What each source would be asked for a question, and by which rule."""
        space.jobs.ready()
        query = asked.wanted()
        return await self.service.searching.run(
            lambda: {"query": query.text, **render.plan_json(space.workspace.plan(query))}
        )

    async def path(self, space: Space, asked: AskedPath) -> dict[str, Any]:
        """How two things of a graph connect."""
        space.jobs.ready()

        def found() -> dict[str, Any]:
            chains = space.workspace.paths(asked.start, asked.end, limit=asked.limit)
            return hidden(render.paths_json(chains, bearing(space.workspace.catalogue)))

        return await self.service.searching.run(found)

    async def passage(self, space: Space, key: str, column: int | None = None) -> dict[str, Any]:
        """A passage, whole, and where it stands; of a row, `column` is the cell that is meant."""

        def work() -> dict[str, Any]:
            found = found_passage(space, key)
            standing = standing_view(space, found, column)
            lines = found.text.replace("; ", ";\n") if "cells" in standing else render.told(found)
            told = {"text": found.text, "told": lines}
            return hidden({**render.passage_json(found), **told, **standing})

        return await self.service.searching.run(work)

    def _answered(
        self, space: Space, answer: Answer, asked: Asked, *, bucket: str, began: float
    ) -> dict[str, Any]:
        """A written answer as JSON, noted in the journal with the passages that it cites."""
        kept = [one.passage.id for one in answer.citations]
        noted = self._noted(space, answer.result, asked, bucket=bucket, began=began, kept=kept)
        self.service.metrics.answered(space.name, answer)
        return {**answer_view(space, answer, bucket=bucket), **noted}

    def _noted(
        self,
        space: Space,
        result: Result,
        asked: Asked,
        *,
        bucket: str,
        began: float,
        kept: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Count a question and keep it in the journal: under which key, and in which bucket."""
        self.service.metrics.searched(space.name, result)
        ms, forced = (time.perf_counter() - began) * 1000, bool(asked.bucket)
        key = space.journal.asked(result, bucket=bucket, ms=ms, kept=kept, forced=forced)
        return {"asked": key, "bucket": bucket}


def _event_view(space: Space, event: Event, bucket: str) -> dict[str, Any]:
    """What an event on the way says, as JSON."""
    match event:
        case Searched():
            return result_view(space, event.result, bucket=bucket)
        case Drafted():
            cited = hidden(render.citation_json(event.citation)) if event.citation else None
            return {"text": event.text, "citation": cited}
        case Said():
            return {
                "text": event.text,
                "citations": [hidden(render.citation_json(one)) for one in event.citations],
                "faults": [asdict(fault) for fault in event.faults],
                "figures": [drawn(space, one) for one in event.figures],
            }
        case Withdrawn():
            return {"reason": event.reason}
        case Done():
            raise AssertionError("the last event is the answer itself")
