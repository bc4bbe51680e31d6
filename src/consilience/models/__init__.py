"""Which model reads the evidence? Models by name, and a shared cache of question vectors."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from threading import Lock
from typing import Any

from consilience import plugins
from consilience.errors import ConsilienceError, ModelError, UsageError
from consilience.protocols import Embedder, Generator, Preparing, Reranker, Vectors
from consilience.settings import Settings
from consilience.worker_pool import WorkerPool

__all__ = ["QueryVectors", "open_embedder", "open_generator", "open_reranker"]


def open_embedder(name: str, settings: Settings) -> Embedder:
    """The embedder of a name: `fast`, `fine`, `fastembed:<model>`, `openai:<model>` or another."""
    embedder: Embedder = _open("embedders", "embedder", name, settings)
    return embedder


def open_generator(name: str, settings: Settings) -> Generator | None:
    """The language model of a name: `gguf:<path>`, `openai:<model>` or another; `none` is none."""
    if name == "none":
        return None
    generator: Generator = _open("generators", "language model", name, settings, also=("none",))
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
    wanted = "late" if name == "auto" else name
    reranker: Reranker = _open("rerankers", "reranker", wanted, settings, also=("auto", "none"))
    if name == "auto":
        embedder = embedder or open_embedder(settings.models.embed, settings)
        return reranker if isinstance(reranker, Preparing) and reranker.ready(embedder) else None
    return reranker


def _open(
    group: str, what: str, name: str, settings: Settings, *, also: tuple[str, ...] = ()
) -> Any:
    """What stands before the first colon names the plug-in, which is given the rest."""
    kind, _, argument = name.partition(":")
    known = plugins.find(group)
    if kind not in known:
        raise UsageError(f"unknown {what} {name!r}; known: {', '.join((*also, *known))}")
    return plugins.load(group, kind)(argument, settings)


class QueryVectors:
    """Vectors of questions: at most `cache` are kept, the longest unused goes first.

    Sources that ask for the same text at the same moment wait for one embedding. One that
    stops waiting does not stop it for the others; a failure is handed to all who wait and is
    not kept. Questions may come from several threads, each with a loop of its own.
    """

    def __init__(self, embedder: Embedder, cache: int) -> None:
        self._embedder = embedder
        self._cache = cache
        self._cached: OrderedDict[str, Vectors] = OrderedDict()
        self._running: dict[str, asyncio.Task[Vectors]] = {}
        self._lock = Lock()  # guards both
        self._workers = WorkerPool("embed-query")

    async def get(self, text: str) -> Vectors:
        """The one-dimensional unit vector of a question; read-only, because it is shared."""
        with self._lock:
            if text in self._cached:
                self._cached.move_to_end(text)
                return self._cached[text]
            task = self._running.get(text)
            if task is None or task.get_loop() is not asyncio.get_running_loop():
                task = asyncio.create_task(self._embed(text))
                task.add_done_callback(_consume_exception)
                self._running[text] = task
        return await asyncio.shield(task)

    async def _embed(self, text: str) -> Vectors:
        try:
            vector = await self._workers.run(lambda: self._vector(text))
            vector.setflags(write=False)
            self._keep(text, vector)
            return vector
        finally:
            with self._lock:
                if self._running.get(text) is asyncio.current_task():
                    del self._running[text]

    def _vector(self, text: str) -> Vectors:
        """What the embedder gives; whatever it raises, and nonsense, is an error with its name."""
        from consilience.models.embedders import checked_rows  # noqa: PLC0415 - loads numpy

        name, dimensions = self._embedder.name, self._embedder.dimensions
        try:
            found = self._embedder.embed_query(text)
        except ConsilienceError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise ModelError(f"embedder {name!r} failed with {reason}") from error
        row: Vectors = checked_rows([found], count=1, dimensions=dimensions, name=name)[0]
        return row

    def _keep(self, text: str, vector: Vectors) -> None:
        with self._lock:
            self._cached[text] = vector
            while len(self._cached) > self._cache:
                self._cached.popitem(last=False)


def _consume_exception(task: asyncio.Task[Vectors]) -> None:
    """Take note of a failure that nobody waits for any more, or asyncio would print it."""
    if not task.cancelled():
        task.exception()
