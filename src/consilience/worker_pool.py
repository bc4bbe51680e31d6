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
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Answer = TypeVar("Answer")
Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[], Any]]

GRACE_S = 0.2
IDLE_S = 60.0
LEAVING_S = 60.0  # how long a store that is to close waits for a call that is under way


class WorkerPool:
    """A few daemon threads that run blocking calls for one source.

    A thread is idle from when it is made until it takes a job, and again after each. There is
    always a thread for every job that waits, up to the limit, however long it was quiet before.
    """

    def __init__(self, name: str, *, threads: int = 2) -> None:
        self._name = name
        self._limit = threads
        self._jobs: deque[Job] = deque()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._changed = threading.Condition()  # guards all three
        _ALL.add(self)

    async def run(self, call: Callable[[], Answer]) -> Answer:
        """Run `call` in a thread; cancelling stops the waiting, not the thread."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        with self._changed:
            self._jobs.append((loop, future, call))
            self._grow()
            self._changed.notify()
        return await future

    def close(self) -> None:
        """Let idle threads end; a busy one ends after its call, and is not waited for long."""
        with self._changed:
            threads, self._threads = self._threads, []
            self._changed.notify_all()
        for thread in threads:
            thread.join(GRACE_S)

    def _grow(self) -> None:
        if len(self._jobs) <= self._idle or len(self._threads) >= self._limit:
            return
        thread = threading.Thread(target=self._work, name=self._name, daemon=True)
        thread.start()
        self._threads.append(thread)
        self._idle += 1

    def _work(self) -> None:
        while (job := self._next()) is not None:
            loop, future, call = job
            if not future.cancelled():
                _hand_over(loop, future, _outcome(call))
            del job, loop, future, call  # what the call held goes now, not with the next job
            with self._changed:
                self._idle += 1

    def _next(self) -> Job | None:
        """The next job; None to end, as after a while without any, so that none is left over."""
        me = threading.current_thread()
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or me not in self._threads, timeout=IDLE_S)
            self._idle -= 1
            if self._jobs:
                return self._jobs.popleft()
            if me in self._threads:
                self._threads.remove(me)
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


class UsageGuard:
    """Counts who uses something, so that it is closed only once nobody does."""

    def __init__(self) -> None:
        self._users = 0
        self._open = True
        self._changed = threading.Condition()  # guards both

    @contextlib.contextmanager
    def using(self) -> Iterator[bool]:
        """Whether it is open; if so it stays open meanwhile."""
        with self._changed:
            is_open = self._open
            self._users += is_open
        try:
            yield is_open
        finally:
            with self._changed:
                self._users -= is_open
                self._changed.notify_all()

    def close(self, timeout: float = LEAVING_S) -> bool:
        """Let nobody in any more and wait for those inside; False when one does not leave."""
        with self._changed:
            self._open = False
            return self._changed.wait_for(lambda: not self._users, timeout)


_ALL: weakref.WeakSet[WorkerPool] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for workers in list(_ALL):
        workers.close()


def run_sync(work: Coroutine[None, None, Answer]) -> Answer:
    """Run work to its end, in a thread of its own where a loop is running already."""
    answers: list[Answer] = []

    # `asyncio.run` prints its task for the signal handler, with the task's result: milliseconds
    # for the result of a search. So the task itself returns nothing.
    async def keep_answer() -> None:
        answers.append(await work)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(keep_answer())
    else:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, keep_answer()).result()
    return answers[0]


_END = object()


def iterate_sync(source: Callable[[], AsyncGenerator[Answer]]) -> Generator[Answer]:
    """What an asynchronous source gives, one after the other, for a caller that is not.

    It runs in a thread of its own. A caller that stops early stops the source too.
    """
    items: queue.SimpleQueue[Any] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()

    async def pump() -> None:
        async with contextlib.aclosing(source()) as each:
            async for item in each:
                items.put(item)

    work = loop.create_task(pump())

    def run() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            try:
                loop.run_until_complete(work)
            except BaseException as error:  # noqa: BLE001 - raised where the items are read
                items.put(error)
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
        items.put(_END)

    thread = threading.Thread(target=run, name="stream", daemon=True)
    thread.start()
    try:
        while (item := items.get()) is not _END:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        with contextlib.suppress(RuntimeError):  # it has ended by itself
            loop.call_soon_threadsafe(work.cancel)
        thread.join()
