"""How does long work tell where it stands? Through a `Progress` that it is handed.

Files are read in several threads, and each says how far it is (`pace`). `Paces` keeps the last
word of each, so that one thread tells all of them: a `Progress` need not be safe for several.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Protocol, runtime_checkable

from consilience.errors import LoadError
from consilience.pace import Pace, listening


class Progress(Protocol):
    """Hears of the stages of a long job; the command line draws bars from it."""

    def stage(self, name: str, *, total: int, unit: str) -> None:
        """A stage begins; so many units lie ahead."""
        ...

    def advance(self, number: int = 1) -> None:
        """So many units are done."""
        ...


@runtime_checkable
class Detailed(Progress, Protocol):
    """A progress that wants to know as well how far the files are that are being read."""

    def within(self, paces: Sequence[Pace]) -> None:
        """How far each file is that says so; those that are done are not there any more."""
        ...


class Silent:
    """A progress nobody watches."""

    def stage(self, name: str, *, total: int, unit: str) -> None:
        """Nothing is shown."""

    def advance(self, number: int = 1) -> None:
        """Nothing is shown."""


class Paces:
    """How far the files are that are being read, as their readers said last."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress if isinstance(progress, Detailed) else None
        self._lock = Lock()  # guards the two below
        self._now: dict[str, Pace] = {}
        self._ended: set[str] = set()
        self._told: tuple[Pace, ...] = ()
        self._over = False

    @contextmanager
    def of(self, path: str) -> Iterator[None]:
        """Listen to what is told of a file while it is read in this thread."""

        def hear(done: int, total: int, unit: str) -> None:
            if self._over:
                raise LoadError("reading was stopped")
            with self._lock:
                self._now[path] = Pace(path=path, done=done, total=total, unit=unit)

        try:
            with listening(hear):
                yield
        finally:
            with self._lock:
                self._ended.add(path)

    def relay(self) -> None:
        """Tell the progress what changed; the last word of a file is told once in any case."""
        with self._lock:
            now = tuple(self._now.values())
            for path in self._ended:
                self._now.pop(path, None)
            self._ended.clear()
        if self._progress is not None and now != self._told:
            self._progress.within(now)
        self._told = now

    def stop(self) -> None:
        """Nobody waits for the files any more: their reading ends where it next says how far."""
        self._over = True
