"""How does a blocking engine run beside the others? In daemon threads of its own.

A pool of the standard library joins its threads at exit, so one hung engine would hang the whole
program. These threads are daemons, and each source has its own, so that a hung source holds up
nobody else. Idle threads end when a workspace closes, at exit, or after a minute, so that engines
can release what they keep per thread; a hung thread is not waited for.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import queue
import threading
import weakref
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Answer = TypeVar("Answer")
Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[], Any]]

GRACE_S = 0.2
IDLE_S = 60.0
REACTION_S = 0.02  # a loop that takes longer to react is taken for blocked
STOPPING_S = 1.0  # how long a stopped stream may take to end
LEAVING_S = 60.0  # how long a store that closes waits for a running call


class WorkerPool:
    """A few daemon threads that run blocking calls for one source.

    There is always a thread for every waiting job, up to the limit. A pool whose threads have
    ended starts new ones when it is used again.
    """

    def __init__(self, name: str, *, threads: int = 2) -> None:
        self._name = name
        self._limit = threads
        self.reset()
        _POOLS.add(self)

    def reset(self) -> None:
        """Start without threads and jobs, as in a forked process, which inherits none."""
        self._jobs: deque[Job] = deque()
        self._threads: set[threading.Thread] = set()
        self._idle: set[threading.Thread] = set()
        self._ending: set[threading.Thread] = set()
        self._changed = threading.Condition()  # guards all four

    async def run(self, call: Callable[[], Answer]) -> Answer:
        """Run `call` in a thread; cancelling stops the waiting, not the thread."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        with self._changed:
            self._jobs.append((loop, future, call))
            if len(self._jobs) > len(self._idle) and len(self._threads) < self._limit:
                thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                thread.start()
                self._threads.add(thread)
                self._idle.add(thread)
            self._changed.notify()
        return await future

    def close(self) -> None:
        """End the threads: idle ones now, busy ones after their call, which is not waited for."""
        with self._changed:
            idle = list(self._idle)
            self._ending |= self._threads
            self._changed.notify_all()
        for thread in idle:
            thread.join(GRACE_S)

    def _work(self) -> None:
        while (job := self._next()) is not None:
            loop, future, call = job
            if not future.cancelled():
                settle = _settlement(future, call)
                with self._changed:  # first: the caller may close the pool as soon as it is settled
                    self._idle.add(threading.current_thread())
                with contextlib.suppress(RuntimeError):  # the loop was closed in the meantime
                    loop.call_soon_threadsafe(settle)
                del settle
            del job, loop, future, call  # release what the call held now, not with the next job

    def _next(self) -> Job | None:
        """The next job; None to end: after a while without any, or when the pool closes."""
        me = threading.current_thread()
        with self._changed:
            self._idle.add(me)
            self._changed.wait_for(lambda: self._jobs or me in self._ending, timeout=IDLE_S)
            self._idle.discard(me)
            if self._jobs:
                return self._jobs.popleft()
            self._threads.discard(me)
            self._ending.discard(me)
            return None


def _settlement(future: asyncio.Future[Any], call: Callable[[], Any]) -> Callable[[], None]:
    """Run a call; what gives its outcome to the task that waits, if it still does."""
    answer, failure = None, None
    try:
        answer = call()
    except BaseException as error:  # noqa: BLE001 - raised where it is awaited
        failure = error

    def settle() -> None:
        if future.cancelled():
            return
        if failure is None:
            future.set_result(answer)
        else:
            future.set_exception(failure)

    return settle


class CoroutineThread:
    """A daemon thread with an event loop, for coroutines that may block it.

    A loop that does not react after a caller gave up is left to itself, and the next call starts
    another. It starts when first used.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.reset()
        _POOLS.add(self)

    def reset(self) -> None:
        """Start without a thread, as in a forked process."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._starting = threading.Lock()
        self._reacts = threading.Event()
        self._reacts.set()

    async def run(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        """Await what `call` returns in the thread; cancelling stops the waiting at once."""

        async def guarded() -> Answer:
            try:
                return await call()
            except (SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                # its own: the first two would end the loop
                raise RuntimeError(f"{type(error).__name__}: {error}") from error

        with self._starting:
            loop = self._usable_loop()
            future = asyncio.run_coroutine_threadsafe(guarded(), loop)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            with self._starting:
                if self._loop is loop:
                    self._reacts.clear()
                    loop.call_soon_threadsafe(self._reacts.set)
            raise

    def _usable_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is not None and self._reacts.wait(REACTION_S):
            return self._loop
        self._leave_loop()
        self._reacts = threading.Event()
        self._reacts.set()
        self._loop = loop = asyncio.new_event_loop()

        def serve() -> None:
            loop.run_forever()
            loop.close()

        threading.Thread(target=serve, name=self._name, daemon=True).start()
        return loop

    def close(self) -> None:
        """End the thread, after its calls if it is busy; the next call starts another."""
        with self._starting:
            self._leave_loop()

    def _leave_loop(self) -> None:
        if (loop := self._loop) is None:
            return

        async def finish() -> None:
            running = asyncio.all_tasks() - {asyncio.current_task()}
            await asyncio.gather(*running, return_exceptions=True)
            loop.stop()

        self._loop = None
        asyncio.run_coroutine_threadsafe(finish(), loop)


_POOLS: weakref.WeakSet[WorkerPool | CoroutineThread] = weakref.WeakSet()


_APART: dict[int, tuple[CoroutineThread, object]] = {}


def _end_apart(key: int) -> None:
    _APART.pop(key)[0].close()


async def run_apart(source: object, call: Callable[[], Awaitable[Answer]]) -> Answer:
    """Await a call of a source: in the source's own thread, unless it promises never to block."""
    if not getattr(source, "blocks", True):
        return await call()
    key = id(source)
    if key not in _APART:
        kept: object = source
        with contextlib.suppress(TypeError):  # some objects cannot be referred to weakly
            weakref.finalize(source, _end_apart, key).atexit = False
            kept = None
        _APART[key] = CoroutineThread(str(getattr(source, "name", source))), kept
    return await _APART[key][0].run(call)


@atexit.register
def end_idle_threads() -> None:
    """End the idle threads of all pools; they start again where they are needed."""
    for pool in list(_POOLS):
        pool.close()


def _reset_pools() -> None:
    for pool in list(_POOLS):
        pool.reset()


os.register_at_fork(after_in_child=_reset_pools)


class UsageGuard:
    """Counts the users of something, so that it is closed only once there are none."""

    def __init__(self) -> None:
        self._users = 0
        self._open = True
        self._changed = threading.Condition()  # guards both

    @contextlib.contextmanager
    def using(self) -> Iterator[bool]:
        """Whether it is open; if so, it stays open meanwhile."""
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
        """Refuse new users and wait for the others; False if one does not leave in time."""
        with self._changed:
            self._open = False
            return self._changed.wait_for(lambda: not self._users, timeout)


def run_sync(work: Coroutine[None, None, Answer]) -> Answer:
    """Run a coroutine to its end, in a thread of its own if a loop is running already."""
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
    """Iterate over an asynchronous source from synchronous code.

    It runs in a thread of its own. A caller that stops early stops the source too.
    """
    items: queue.SimpleQueue[Any] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()

    async def pump() -> None:
        async with contextlib.aclosing(source()) as stream:
            async for item in stream:
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


async def stream_from_thread(
    source: Callable[[], AsyncGenerator[Answer]],
    run: Callable[[Callable[[], None]], Awaitable[None]],
) -> AsyncGenerator[Answer]:
    """The items of an asynchronous generator, as they come; `run` runs blocking work in a thread.

    The thread is free when the generator ends, however slowly its reader reads. A reader that stops
    early stops the generator.
    """
    items: asyncio.Queue[Any] = asyncio.Queue()
    pump = _Pump(source, items)

    async def work() -> None:
        try:
            await run(pump.run)
        finally:
            pump.stop()
            items.put_nowait(_END)

    working = asyncio.ensure_future(work())
    working.add_done_callback(_retrieve_error)
    try:
        while (item := await items.get()) is not _END:
            yield item
        await working  # raises what went wrong
    finally:
        pump.stop()
        try:
            await asyncio.wait({working}, timeout=STOPPING_S)
        finally:  # a reader that is cancelled may be cancelled at every step
            working.cancel()


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
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(self._pump())

    def stop(self) -> None:
        """Stop the generator; nobody reads any more."""
        self._stopped = True
        if self._work is not None:
            loop, task = self._work
            with contextlib.suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(task.cancel)

    async def _pump(self) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - we are in it
        self._work = (asyncio.get_running_loop(), task)
        if self._stopped:
            return
        async with contextlib.aclosing(self._source()) as items:
            async for item in items:
                with contextlib.suppress(RuntimeError):  # the reader's loop has ended
                    self._reader.call_soon_threadsafe(self._items.put_nowait, item)
