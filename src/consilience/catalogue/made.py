"""What becomes of passages that a source made for a question? They are kept, to be shown again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from threading import Lock

from consilience.catalogue.database import Database
from consilience.catalogue.rows import passage_from_json
from consilience.errors import StoreError
from consilience.types import Passage

MOST = 1000  # that wait in memory


class Made:
    """Passages that sources made.

    While a file is being stored they wait in memory: a question does not wait for a file.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._waiting: dict[str, Passage] = {}
        self._lock = Lock()

    def keep(self, passages: Sequence[Passage]) -> None:
        """Keep these, and those that wait."""
        if not passages:
            return
        with self._lock:
            self._waiting.update((one.id, one) for one in passages)
            some = list(self._waiting.items())[-MOST:]
            self._waiting = dict(some)
            with suppress(StoreError), self._db.change(at_once=True) as db:
                rows = [
                    (key, json.dumps({**asdict(one), "locator": one.locator.parts()}))
                    for key, one in some
                ]
                db.executemany("INSERT OR REPLACE INTO made VALUES (?, ?)", rows)
                self._waiting = {}

    def starting(self, prefix: str) -> list[Passage]:
        """Those whose ids start so."""
        span = (prefix, prefix + "g")  # the first text after every id that starts so
        rows = self._db.read("SELECT passage FROM made WHERE id >= ? AND id < ?", span)
        found = {one.id: one for one in (passage_from_json(row[0]) for row in rows)}
        waiting = self._waiting
        return list(
            {**found, **{key: waiting[key] for key in waiting if key.startswith(prefix)}}.values()
        )
