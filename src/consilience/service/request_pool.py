"""How many questions run at a time? As many as there are threads; a bounded queue waits.

A search keeps a processor busy. More searches than processors would make all of them slower, until
sources miss their deadlines. When the queue is full, a request is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from contextvars import copy_context
from typing import Any, TypeVar

from consilience.errors import ConsilienceError
from consilience.worker_pool import WorkerPool

Value = TypeVar("Value")
GRACE_S = 1.0
"""How long a stopped stream may take to end."""
_END = object()


class Busy(ConsilienceError):
    """Too many requests wait already."""


class Late(ConsilienceError):
    """It took longer than a request may take."""


class RequestPool:
    """Threads for questions, and a queue in which at most `waiting` others wait."""

    def __init__(self, name: str, *, threads: int, waiting: int, timeout_s: float) -> None:
        self._workers = WorkerPool(name, threads=threads)
        self._free = asyncio.Semaphore(threads)
        self._threads = threads
        self._capacity = threads + waiting
        self._timeout_s = timeout_s
        self._inside = 0

    @property
    def inside(self) -> int:
        """How many run or wait."""
        return self._inside

    @property
    def waiting(self) -> int:
        """How many of these wait for a thread."""
        return max(0, self._inside - self._threads)

    async def run(self, work: Callable[[], Value]) -> Value:
        """Run blocking work in a thread. A caller that is cancelled frees its place at once."""
        async with self._thread() as deadline:
            context = copy_context()  # the work knows the request, too
            return await self._within(deadline, self._workers.run(lambda: context.run(work)))

    async def stream(self, source: Callable[[], AsyncGenerator[Value]]) -> AsyncGenerator[Value]:
        """The items of an asynchronous generator as they come, run in a thread.

        The thread is free when the generator ends, however slowly its reader reads.
        """
        items: asyncio.Queue[Any] = asyncio.Queue()
        pump = _Pump(source, items)
        work = asyncio.ensure_future(self._run_pump(pump, items))
        work.add_done_callback(_retrieve_error)
        try:
            while (item := await items.get()) is not _END:
                yield item
            await work  # raises what went wrong
        finally:
            pump.stop()
            try:
                await asyncio.wait({work}, timeout=GRACE_S)
            finally:  # a reader that is cancelled may be cancelled at every step
                work.cancel()

    async def _run_pump(self, pump: _Pump, items: asyncio.Queue[Any]) -> None:
        context = copy_context()
        try:
            async with self._thread() as deadline:
                await self._within(deadline, self._workers.run(lambda: context.run(pump.run)))
        finally:
            pump.stop()
            items.put_nowait(_END)

    def close(self) -> None:
        """End idle threads."""
        self._workers.close()

    @asynccontextmanager
    async def _thread(self) -> AsyncIterator[float]:
        """A free thread, and the time by which its work must end."""
        if self._inside >= self._capacity:
            raise Busy(f"{self._inside} questions are running or waiting; try again in a moment")
        deadline = asyncio.get_running_loop().time() + self._timeout_s
        self._inside += 1
        try:
            await self._within(deadline, self._free.acquire())
            try:
                yield deadline
            finally:
                self._free.release()
        finally:
            self._inside -= 1

    async def _within(self, deadline: float, work: Awaitable[Value]) -> Value:
        try:
            async with asyncio.timeout_at(deadline):
                return await work
        except TimeoutError as error:
            raise Late(f"it took longer than {self._timeout_s:g} seconds; ask for less") from error


def _retrieve_error(work: asyncio.Future[None]) -> None:
    """Retrieve an error that nobody reads any more, or asyncio would print it."""
    if not work.cancelled():
        work.exception()


class _Pump:
    """Runs an asynchronous generator in a thread and passes its items to the reader's loop."""

    def __init__(
        self, source: Callable[[], AsyncGenerator[Any]], items: asyncio.Queue[Any]
    ) -> None:
        self._source = source
        self._items = items
        self._reader = asyncio.get_running_loop()
        self._work: tuple[asyncio.AbstractEventLoop, asyncio.Task[None]] | None = None
        self._stopped = False

    def run(self) -> None:
        """Run to the end of the generator, or until it is stopped."""
        with suppress(asyncio.CancelledError):
            asyncio.run(self._pump())

    def stop(self) -> None:
        """Stop the generator; nobody reads any more."""
        self._stopped = True
        if self._work is not None:
            loop, task = self._work
            with suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(task.cancel)

    async def _pump(self) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - we are in it
        self._work = (asyncio.get_running_loop(), task)
        if self._stopped:
            return
        async with aclosing(self._source()) as items:
            async for item in items:
                with suppress(RuntimeError):  # the reader's loop has ended
                    self._reader.call_soon_threadsafe(self._items.put_nowait, item)
