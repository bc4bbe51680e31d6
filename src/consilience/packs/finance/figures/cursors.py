"""How long may the engine work on a question? Until its time is over, or nobody waits any more."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb

from consilience.errors import SourceError

_AGAIN_S = 0.02


class Patience:
    """How long a question is worked on: so many milliseconds, less when it is given up."""

    def __init__(self, ms: float) -> None:
        self.ms = ms
        self.is_over = False
        self._is_done = False
        self._wake = threading.Event()

    def give_up(self) -> None:
        """Nobody waits for the answer any more; may be called from any thread."""
        self.is_over = True
        self._wake.set()

    def finish(self) -> None:
        """The work is done."""
        self._is_done = True
        self._wake.set()

    def watch(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Wait until the work is done or its time is over; then interrupt until it is done.

        Again and again: a statement that began at that very moment has missed the first call.
        """
        self._wake.wait(self.ms / 1000)
        if not self._is_done:
            self.is_over = True
        while not self._is_done:
            cursor.interrupt()
            self._wake.clear()
            if not self._is_done:
                self._wake.wait(_AGAIN_S)


class Asked:
    """A cursor whose statements are interrupted when the time of the question is over.

    Whatever is asked after that is refused, so no chain of short statements outlasts it either.
    """

    def __init__(self, cursor: duckdb.DuckDBPyConnection, patience: Patience) -> None:
        self._cursor = cursor
        self._patience = patience

    def rows(self, sql: str, parameters: Sequence[Any] = (), *, most: int = 0) -> list[Any]:
        """The rows of a statement, or the first `most` of them."""
        if self._patience.is_over:
            raise self._late()
        try:
            self._cursor.execute(sql, list(parameters))
            return self._cursor.fetchmany(most) if most else self._cursor.fetchall()
        except duckdb.InterruptException as error:
            raise self._late() from error

    def columns(self) -> tuple[str, ...]:
        """The names of the columns that the last statement gave."""
        return tuple(str(one[0]) for one in self._cursor.description or ())

    def _late(self) -> SourceError:
        return SourceError(
            f"the figures were not searched within {self._patience.ms:g} ms; ask for one company, "
            "figure or period at a time"
        )


@contextmanager
def limited(cursor: duckdb.DuckDBPyConnection, patience: Patience) -> Iterator[Asked]:
    """A cursor for one question, as long as it is waited for."""
    name = "interrupt"
    watch = threading.Thread(target=patience.watch, args=(cursor,), name=name, daemon=True)
    watch.start()
    try:
        yield Asked(cursor, patience)
    finally:
        patience.finish()
        watch.join()
