"""A source that never answers, put into a workspace while it is served."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace


class Hung:
    """A source that is asked and does not answer; it knows when it was given up."""

    def __init__(self, name, collection):
        self.name = name
        self.collection = collection
        self.asked = threading.Event()
        self.stopped = threading.Event()

    async def retrieve(self, request, *, limit):
        self.asked.set()
        try:
            await asyncio.sleep(600)
        finally:
            self.stopped.set()


@contextmanager
def hanging(space, name, **limits) -> Iterator[Hung]:
    """Put a source that hangs in the place of another, under limits of one's own."""
    engine = space.engine
    source = Hung(name, engine.sources[name].collection)
    retrieve = replace(engine.settings.retrieve, **limits)
    space._engine = replace(
        engine,
        sources={**engine.sources, name: source},
        settings=replace(engine.settings, retrieve=retrieve),
        breakers=type(engine.breakers)(),
    )
    try:
        yield source
    finally:
        space._engine = engine
