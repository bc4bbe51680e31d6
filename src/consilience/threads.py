"""How does a blocking engine run beside the others? In daemon threads of its own.

A pool of the standard library joins its threads at exit, so that one hung engine would hang
the whole program. These threads are daemons, and each source has its own, so that a hung
source holds up nobody else. At exit idle threads are asked to end, so that what an engine keeps
for a thread is given back in good order; a hung one is not waited for.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import queue
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

Answer = TypeVar("Answer")
Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[], Any]]

GRACE_S = 0.2
IDLE_S = 60.0


class Workers:
    """A few daemon threads that run blocking calls for one source."""

    def __init__(self, name: str, *, threads: int = 2) -> None:
        self._name = name
        self._limit = threads
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        _ALL.add(self)

    async def run(self, call: Callable[[], Answer]) -> Answer:
        """Run `call` in a thread; cancelling stops the waiting, not the thread."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        self._jobs.put((loop, future, call))
        self._grow()
        return await future

    def close(self) -> None:
        """Let idle threads end; a busy one ends after its call, and is not waited for long."""
        with self._lock:
            threads, self._threads = self._threads, []
        for _ in threads:
            self._jobs.put(None)
        for thread in threads:
            thread.join(GRACE_S)

    def _grow(self) -> None:
        if self._idle.acquire(blocking=False):
            return
        with self._lock:
            if len(self._threads) >= self._limit:
                return
            thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            loop, future, call = job
            if not future.cancelled():
                _hand_over(loop, future, _outcome(call))
            del job, loop, future, call  # what the call held goes now, not with the next job
            self._idle.release()

    def _next(self) -> Job | None:
        """The next job; None to end, as after a while without any, so that none is left over."""
        while True:
            try:
                return self._jobs.get(timeout=IDLE_S)
            except queue.Empty:
                if self._idle.acquire(blocking=False):  # else a job is on its way
                    with self._lock, contextlib.suppress(ValueError):
                        self._threads.remove(threading.current_thread())
                    return None


def _outcome(call: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    try:
        return call(), None
    except BaseException as error:  # noqa: BLE001 - handed to whoever waits
        return None, error


def _hand_over(
    loop: asyncio.AbstractEventLoop,
    future: asyncio.Future[Any],
    outcome: tuple[Any, BaseException | None],
) -> None:
    """Wake whoever waits; nobody does when the loop has ended or the wait was given up."""

    def settle() -> None:
        if future.cancelled():
            return
        answer, error = outcome
        if error is None:
            future.set_result(answer)
        else:
            future.set_exception(error)

    with contextlib.suppress(RuntimeError):  # the loop was closed in the meantime
        loop.call_soon_threadsafe(settle)


_ALL: weakref.WeakSet[Workers] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for workers in list(_ALL):
        workers.close()
