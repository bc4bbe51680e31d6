"""How many questions are worked on at a time? As many as there are seats; the others wait.

Searching keeps a processor busy, so more at a time than there are processors only makes every one
slower, until sources miss their deadlines. Who cannot even wait is told to come back.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from contextvars import copy_context
from typing import Any, TypeVar

from consilience.errors import ConsilienceError
from consilience.threads import Workers

Answer = TypeVar("Answer")
GRACE_S = 1.0
"""How long a source that is stopped is waited for."""
_END = object()


class Busy(ConsilienceError):
    """Too many wait already."""


class Late(ConsilienceError):
    """It took longer than a request may take."""


class Desk:
    """Seats in which questions are worked on, each a thread; `waiting` others may queue."""

    def __init__(self, name: str, *, seats: int, waiting: int, timeout_s: float) -> None:
        self._workers = Workers(name, threads=seats)
        self._seats = asyncio.Semaphore(seats)
        self._many = seats
        self._room = seats + waiting
        self._timeout_s = timeout_s
        self._inside = 0

    @property
    def inside(self) -> int:
        """How many are worked on or wait."""
        return self._inside

    @property
    def waiting(self) -> int:
        """How many of these wait for a seat."""
        return max(0, self._inside - self._many)

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """Do work that blocks, in a seat. Whoever gives up waiting leaves the seat at once."""
        async with self._seated() as until:
            context = copy_context()  # whoever asks is known in the seat, too
            return await self._within(until, self._workers.run(lambda: context.run(work)))

    async def stream(self, source: Callable[[], AsyncGenerator[Answer]]) -> AsyncGenerator[Answer]:
        """What an asynchronous source gives, as it comes, worked on in a seat.

        The seat is left when the source ends, however slowly its reader reads.
        """
        items: asyncio.Queue[Any] = asyncio.Queue()
        pump = _Pump(source, items)
        work = asyncio.ensure_future(self._pumped(pump, items))
        work.add_done_callback(_heard)
        try:
            while (item := await items.get()) is not _END:
                yield item
            await work  # what went wrong is raised here
        finally:
            pump.stop()
            try:
                await asyncio.wait({work}, timeout=GRACE_S)
            finally:  # a reader that is cancelled may be cancelled at every step
                work.cancel()

    async def _pumped(self, pump: _Pump, items: asyncio.Queue[Any]) -> None:
        context = copy_context()
        try:
            async with self._seated() as until:
                await self._within(until, self._workers.run(lambda: context.run(pump.run)))
        finally:
            pump.stop()
            items.put_nowait(_END)

    def close(self) -> None:
        """Let idle seats go."""
        self._workers.close()

    @asynccontextmanager
    async def _seated(self) -> AsyncIterator[float]:
        """A seat, and the time by which it has to be left."""
        if self._inside >= self._room:
            raise Busy(f"{self._inside} questions are worked on or wait; try again in a moment")
        until = asyncio.get_running_loop().time() + self._timeout_s
        self._inside += 1
        try:
            await self._within(until, self._seats.acquire())
            try:
                yield until
            finally:
                self._seats.release()
        finally:
            self._inside -= 1

    async def _within(self, until: float, work: Awaitable[Answer]) -> Answer:
        try:
            async with asyncio.timeout_at(until):
                return await work
        except TimeoutError as error:
            raise Late(f"it took longer than {self._timeout_s:g} seconds; ask for less") from error


def _heard(work: asyncio.Future[None]) -> None:
    """Take note of a failure that nobody reads any more, or asyncio would print it."""
    if not work.cancelled():
        work.exception()


class _Pump:
    """Runs an asynchronous source in a thread, and hands what it gives to the loop that waits."""

    def __init__(
        self, source: Callable[[], AsyncGenerator[Any]], items: asyncio.Queue[Any]
    ) -> None:
        self._source = source
        self._items = items
        self._reader = asyncio.get_running_loop()
        self._work: tuple[asyncio.AbstractEventLoop, asyncio.Task[None]] | None = None
        self._stopped = False

    def run(self) -> None:
        """To the end of the source, or until it is stopped."""
        with suppress(asyncio.CancelledError):
            asyncio.run(self._pump())

    def stop(self) -> None:
        """Stop the source; nobody reads any more."""
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
        async with aclosing(self._source()) as each:
            async for item in each:
                self._put(item)

    def _put(self, item: object) -> None:
        with suppress(RuntimeError):  # the reader's loop has ended
            self._reader.call_soon_threadsafe(self._items.put_nowait, item)
