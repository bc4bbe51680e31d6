"""Which model reads the evidence? Models by name, and a shared cache of question vectors."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from threading import Lock

from consilience import plugins
from consilience.errors import UsageError
from consilience.protocols import Embedder, Generator, Preparing, Reranker, Vectors
from consilience.settings import Settings
from consilience.worker_pool import WorkerPool

__all__ = ["QueryVectors", "open_embedder", "open_generator", "open_reranker"]


def open_embedder(name: str, settings: Settings) -> Embedder:
    """The embedder of a name: `fast`, `fine`, `fastembed:<model>`, `openai:<model>` or a plug-in's.

    What stands before the first colon names the kind, the rest is handed to it. An unknown
    kind is refused with the known ones.
    """
    kind, _, argument = name.partition(":")
    if not kind.strip():
        known = ", ".join(plugins.find("embedders"))
        raise UsageError(f"no embedder is named in {name!r}; known: {known}")
    embedder: Embedder = plugins.load("embedders", kind)(argument, settings)
    return embedder


def open_generator(name: str, settings: Settings) -> Generator | None:
    """The language model of a name: `openai:<model>` or a plug-in's; `none` is none."""
    if name == "none":
        return None
    kind, _, argument = name.partition(":")
    if kind not in plugins.find("generators"):
        known = ", ".join(("none", *plugins.find("generators")))
        raise UsageError(f"unknown language model {name!r}; known: {known}")
    generator: Generator = plugins.load("generators", kind)(argument, settings)
    return generator


def open_reranker(
    name: str, settings: Settings, embedder: Embedder | None = None
) -> Reranker | None:
    """The reranker of a name: `late`, one by name or a plug-in's; `none` is none.

    `auto` is `late` beside an embedder whose run makes its token vectors as well, and none beside
    another: there it would cost every question, and may not know the language.
    """
    if name == "none":
        return None
    kind, _, argument = ("late" if name == "auto" else name).partition(":")
    if kind not in plugins.find("rerankers"):
        known = ", ".join(("auto", "none", *plugins.find("rerankers")))
        raise UsageError(f"unknown reranker {name!r}; known: {known}")
    reranker: Reranker = plugins.load("rerankers", kind)(argument, settings)
    if name == "auto":
        embedder = embedder or open_embedder(settings.models.embed, settings)
        return reranker if isinstance(reranker, Preparing) and reranker.ready(embedder) else None
    return reranker


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
        self._workers = WorkerPool("embed-query")

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
