"""How many questions run at a time? As many as there are threads; a bounded queue waits.

A search keeps a processor busy. More searches than processors would make all of them slower, until
sources miss their deadlines. When the queue is full, a request is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from contextvars import copy_context
from typing import TypeVar

from consilience.errors import ConsilienceError
from consilience.worker_pool import WorkerPool, stream_from_thread

Value = TypeVar("Value")


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
        async with aclosing(stream_from_thread(source, self._run_stream)) as items:
            async for item in items:
                yield item

    async def _run_stream(self, work: Callable[[], None]) -> None:
        context = copy_context()
        async with self._thread() as deadline:
            await self._within(deadline, self._workers.run(lambda: context.run(work)))

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
