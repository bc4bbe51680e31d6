"""How does a blocking engine run beside the others? In daemon threads of its own.

A pool of the standard library joins its threads at exit, so that one hung engine would hang
the whole program. These threads are daemons, and each source has its own, so that a hung
source holds up nobody else. At exit idle threads are asked to end, so that what an engine keeps
for a thread is given back in good order; a hung one is not waited for.
"""

from __future__ import annotations

import asyncio
import atexit
import queue
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

Answer = TypeVar("Answer")
Job = tuple["Future[Any]", Callable[[], Any]]

GRACE_S = 0.2


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
        future: Future[Answer] = Future()
        self._jobs.put((future, call))
        self._grow()
        return await asyncio.wrap_future(future)

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
        while (job := self._jobs.get()) is not None:
            future, call = job
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as error:  # noqa: BLE001 - handed to whoever waits
                    future.set_exception(error)
            del job, future, call  # what the call held goes now, not with the next job
            self._idle.release()


_ALL: weakref.WeakSet[Workers] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for workers in list(_ALL):
        workers.close()
