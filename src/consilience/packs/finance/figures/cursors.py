"""How long may the engine work on a question? Until its time is over, whatever it is doing then."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb

from consilience.errors import SourceError

_AGAIN_S = 0.02


class Asked:
    """A cursor whose statements are interrupted when the time of the question is over.

    Whatever is asked after that is refused, so no chain of short statements outlasts it either.
    """

    def __init__(self, cursor: duckdb.DuckDBPyConnection, ms: float) -> None:
        self._cursor = cursor
        self._ms = ms
        self._over = threading.Event()

    def rows(self, sql: str, parameters: Sequence[Any] = (), *, most: int = 0) -> list[Any]:
        """The rows of a statement, or the first `most` of them."""
        if self._over.is_set():
            raise self._late()
        try:
            self._cursor.execute(sql, list(parameters))
            return self._cursor.fetchmany(most) if most else self._cursor.fetchall()
        except duckdb.InterruptException as error:
            raise self._late() from error

    def columns(self) -> tuple[str, ...]:
        """The names of the columns that the last statement gave."""
        return tuple(str(one[0]) for one in self._cursor.description or ())

    def watch(self, done: threading.Event) -> None:
        """Wait until it is done or the time is over; then interrupt until it is done.

        Again and again: a statement that began at that very moment has missed the first call.
        """
        if done.wait(self._ms / 1000):
            return
        self._over.set()
        while not done.is_set():
            self._cursor.interrupt()
            done.wait(_AGAIN_S)

    def _late(self) -> SourceError:
        return SourceError(
            f"the figures were not searched within {self._ms:g} ms; ask for one company, figure "
            "or period at a time"
        )


@contextmanager
def limited(cursor: duckdb.DuckDBPyConnection, ms: float) -> Iterator[Asked]:
    """A cursor for one question that has so many milliseconds."""
    asked, done = Asked(cursor, ms), threading.Event()
    watch = threading.Thread(target=asked.watch, args=(done,), name="interrupt", daemon=True)
    watch.start()
    try:
        yield asked
    finally:
        done.set()
        watch.join()
