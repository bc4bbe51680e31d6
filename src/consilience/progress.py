"""How far is the reading of one large file? Whoever reads it says so, to whoever listens.

A loader calls `tell` now and then; where nobody listens that does nothing. So a loader needs no
argument for it, and one that tells nothing is as good as before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProgress:
    """How far one file is: `done` of `total` units, as pages; `path` is as the catalogue has it."""

    path: str
    done: int
    total: int
    unit: str


Hear = Callable[[int, int, str], None]

_listener: ContextVar[Hear | None] = ContextVar("listener", default=None)


def report_progress(done: int, total: int, unit: str) -> None:
    """So many units of the file that is being read are done, of so many."""
    hear = _listener.get()
    if hear is not None:
        hear(done, total, unit)


@contextmanager
def listen_to_progress(hear: Hear) -> Iterator[None]:
    """Have `hear` called with whatever is told meanwhile in this thread."""
    before = _listener.set(hear)
    try:
        yield
    finally:
        _listener.reset(before)
