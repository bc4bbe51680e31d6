"""How does a long job report its progress? Through a `Progress` that it is given.

Files are read in several threads, and each reports how far it is (`consilience.progress`).
`ProgressRelay` keeps the last report of each and passes them on from one thread: a `Progress` need
not be thread-safe.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Protocol, runtime_checkable

from consilience.errors import LoadError
from consilience.progress import FileProgress, listen_to_progress


class Progress(Protocol):
    """Receives the stages of a long job; the command line draws bars from it."""

    def stage(self, name: str, *, total: int, unit: str) -> None:
        """A stage of `total` units begins."""
        ...

    def advance(self, number: int = 1) -> None:
        """`number` more units are done."""
        ...


@runtime_checkable
class Detailed(Progress, Protocol):
    """A progress that also receives how far each file is that is being read."""

    def within(self, paces: Sequence[FileProgress]) -> None:
        """How far each file is that reports it; files that are done are absent."""
        ...


class Silent:
    """A progress that nobody watches."""

    def stage(self, name: str, *, total: int, unit: str) -> None:
        """Nothing is shown."""

    def advance(self, number: int = 1) -> None:
        """Nothing is shown."""


class ProgressRelay:
    """How far the files are that are being read, by the last report of each."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress if isinstance(progress, Detailed) else None
        self._lock = Lock()  # guards the two below
        self._running: dict[str, FileProgress] = {}
        self._ended: set[str] = set()
        self._reported: tuple[FileProgress, ...] = ()
        self._stopped = False

    @contextmanager
    def track(self, path: str) -> Iterator[None]:
        """Take the reports of a file while it is read in this thread."""

        def report(done: int, total: int, unit: str) -> None:
            if self._stopped:
                raise LoadError("reading was stopped")
            with self._lock:
                self._running[path] = FileProgress(path=path, done=done, total=total, unit=unit)

        try:
            with listen_to_progress(report):
                yield
        finally:
            with self._lock:
                self._ended.add(path)

    def relay(self) -> None:
        """Pass on what changed; the last report of a file is passed on once in any case."""
        with self._lock:
            running = tuple(self._running.values())
            for path in self._ended:
                self._running.pop(path, None)
            self._ended.clear()
        if self._progress is not None and running != self._reported:
            self._progress.within(running)
        self._reported = running

    def stop(self) -> None:
        """Stop reading: each file ends at its next report."""
        self._stopped = True
