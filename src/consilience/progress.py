"""How far is the reading of one large file? Its loader reports it to a listener, if there is one.

A loader calls `report_progress` now and then, and needs no argument for it. Loaders that report
nothing work as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProgress:
    """How far one file is: `done` of `total` units, as pages; `path` is as in the catalogue."""

    path: str
    done: int
    total: int
    unit: str


Listener = Callable[[int, int, str], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report_progress(done: int, total: int, unit: str) -> None:
    """Report how many units of the file that is being read are done, of how many."""
    listener = _listener.get()
    if listener is not None:
        listener(done, total, unit)


@contextmanager
def listen_to_progress(listener: Listener) -> Iterator[None]:
    """Call `listener` with what is reported meanwhile in this thread."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)
