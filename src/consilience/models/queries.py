"""How is a question embedded only once? By a bounded memory that sources share."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from consilience.threads import Workers

if TYPE_CHECKING:
    from consilience.protocols import Embedder, Vectors


class QueryVectors:
    """Vectors of questions: at most `cache` are kept, the longest unused goes first.

    Sources that ask for the same text at the same moment wait for one embedding. One that
    stops waiting does not stop it for the others; a failure is handed to all who wait and is
    not kept. Questions may come from several threads, each with a loop of its own.
    """

    def __init__(self, embedder: Embedder, cache: int) -> None:
        self._embedder = embedder
        self._cache = cache
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._under_way: dict[str, asyncio.Task[Vectors]] = {}
        self._changing = Lock()  # guards both
        self._workers = Workers("embed-query")

    async def get(self, text: str) -> Vectors:
        """The one-dimensional unit vector of a question; read-only, because it is shared."""
        with self._changing:
            if text in self._kept:
                self._kept.move_to_end(text)
                return self._kept[text]
            task = self._under_way.get(text)
            if task is None or task.get_loop() is not asyncio.get_running_loop():
                task = asyncio.create_task(self._make(text))
                task.add_done_callback(_heard)
                self._under_way[text] = task
        return await asyncio.shield(task)

    async def _make(self, text: str) -> Vectors:
        try:
            vector = await self._workers.run(lambda: self._embedder.embed_query(text))
            vector.setflags(write=False)
            self._keep(text, vector)
            return vector
        finally:
            with self._changing:
                if self._under_way.get(text) is asyncio.current_task():
                    del self._under_way[text]

    def _keep(self, text: str, vector: Vectors) -> None:
        with self._changing:
            self._kept[text] = vector
            while len(self._kept) > self._cache:
                self._kept.popitem(last=False)


def _heard(task: asyncio.Task[Vectors]) -> None:
    """Take note of a failure that nobody waits for any more, or asyncio would print it."""
    if not task.cancelled():
        task.exception()
