"""How does a question come into the journal? One line each, and what people did with it.

All threads share one connection, one after the other: a line takes a fraction of a millisecond.
A journal that cannot be written costs no answer: the line is lost and counted, `trouble` says
why, and for a while nothing more is tried.
"""

from __future__ import annotations

import hashlib
import json
import math
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, get_args

from consilience.errors import StoreError, UsageError
from consilience.journal.file import PATIENCE_S, open_to_write
from consilience.settings import TABLE, Settings
from consilience.types import Result

Reaction = Literal["click", "dwell", "kept", "up", "down"]
REACTIONS: tuple[Reaction, ...] = get_args(Reaction)
MOST = 1_000_000
"""Questions that are kept; the oldest go."""
LARGEST = 2**30
"""Bytes that the file may take; the oldest questions go."""
LONGEST_S = 3600.0
"""Seconds that reading one passage counts at most, however often it is said: then somebody left."""
_REST_S = 30.0  # how long nothing is written after it went wrong
_ABOUT_ONE = ("click", "kept")  # of one passage, never of the answer as a whole
_OPPOSITE = {"up": "down", "down": "up"}


class Unasked(UsageError):
    """No such question was kept, or it did not show such a passage."""


class Journal:
    """The questions of one workspace, with what was shown and how people reacted.

    `settings` are those of each bucket: their digest is kept with each question, and once what
    of them is not the default. `lost` counts what could not be written.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        settings: Mapping[str, Settings] | None = None,
        most: int = MOST,
        largest: int = LARGEST,
    ) -> None:
        self._path = path
        self._digests = {name: digest_of(one) for name, one in (settings or {}).items()}
        self._told = {digest_of(one): json.dumps(told(one)) for one in (settings or {}).values()}
        self._most, self._largest = most, largest
        self._lock = threading.Lock()  # guards all below
        self._db: sqlite3.Connection | None = None
        self._rests_until = 0.0
        self.lost = 0
        self.trouble = ""

    def asked(
        self,
        result: Result,
        *,
        bucket: str,
        ms: float,
        kept: Sequence[str] = (),
        forced: bool = False,
    ) -> str:
        """Keep a question with the ids that were shown; the key under which to react to it.

        `kept` are the passages that a written answer cites. A bucket is `forced` when whoever
        asks wanted it: chance did not choose it, and it says nothing about which is better. The
        key is empty where nothing was kept.
        """
        if self._path is None:
            return ""
        key, query = secrets.token_urlsafe(12), result.query
        shown = [(one.passage.id, one.passage.kind, one.passage.collection) for one in result.hits]
        row = (
            key,
            time.time(),
            query.text.encode("utf-8", "replace").decode("utf-8"),
            json.dumps([str(one) for one in query.filters]),
            json.dumps(query.collections),
            bucket,
            forced,
            self._digests.get(bucket, ""),
            json.dumps(shown),
            json.dumps(list(dict.fromkeys(kept))),
            result.abstained,
            round(ms, 3),
        )
        return key if self._written(lambda db: self._put(db, row)) else ""

    def reacted(self, key: str, kind: Reaction, *, passage: str = "", value: float = 1.0) -> None:
        """Keep what somebody did with a passage that was shown, or with the answer as a whole.

        `value` is the seconds of `dwell`; they add up. `up` takes `down` back, and the reverse.
        """
        if self._path is None:
            raise UsageError("this workspace keeps no journal: the setting `serve.journal` is off")
        if kind not in REACTIONS:
            raise UsageError(f"unknown reaction {kind!r}; known: {', '.join(REACTIONS)}")
        if not (math.isfinite(value) and value >= 0):
            raise UsageError(f"the value of a reaction is a number of 0 or more, not {value!r}")
        if kind in _ABOUT_ONE and not passage:
            raise UsageError(f"{kind!r} is about a passage; name its id")
        worth = min(value, LONGEST_S) if kind == "dwell" else 1.0
        self._written(lambda db: _react(db, key, kind, passage, worth))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._let_go()
            self._path = None

    # --- inside -------------------------------------------------------------------------

    def _written(self, work: Callable[[sqlite3.Connection], None]) -> bool:
        """Whether a change was made; one that could not be is counted, and costs nothing else."""
        if not self._lock.acquire(timeout=PATIENCE_S):
            self.lost += 1
            return False
        try:
            if time.monotonic() >= self._rests_until and self._path is not None:
                self._change(self._path, work)
                self.trouble = ""
                return True
            self.lost += 1
        except (sqlite3.Error, OSError, StoreError) as error:
            self.lost += 1
            self.trouble = f"the journal cannot be written: {error}"
            self._rests_until = time.monotonic() + _REST_S
            self._let_go()
        finally:
            self._lock.release()
        return False

    def _change(self, path: Path, work: Callable[[sqlite3.Connection], None]) -> None:
        """All of a change, or nothing."""
        if self._db is None:
            self._db = open_to_write(path)
            rows = list(self._told.items())
            self._db.executemany("INSERT OR IGNORE INTO settings VALUES (?, ?)", rows)
        self._db.execute("BEGIN IMMEDIATE")
        try:
            work(self._db)
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _put(self, db: sqlite3.Connection, row: Sequence[object]) -> None:
        marks = ", ".join("?" * len(row))
        newest = db.execute(f"INSERT INTO questions VALUES (NULL, {marks})", row).lastrowid  # noqa: S608 (marks only)
        assert newest is not None  # noqa: S101 - it was just put in
        db.execute("DELETE FROM questions WHERE number <= ?", (newest - self._most,))
        if _bytes(db) > self._largest:
            oldest = db.execute("SELECT min(number) FROM questions").fetchone()[0]
            gone = oldest + (newest - oldest) // 100
            db.execute("DELETE FROM questions WHERE number <= ? AND number < ?", (gone, newest))

    def _let_go(self) -> None:
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.close()
            self._db = None


def digest_of(settings: Settings) -> str:
    """A few digits that change with any setting on which an answer depends."""
    values = {
        name: value for name, value in asdict(settings).items() if name not in ("serve", "store")
    }
    values["models"] = {
        name: value for name, value in values["models"].items() if not name.endswith("_key")
    }
    text = json.dumps(values, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def told(settings: Settings) -> dict[str, Any]:
    """The settings that are not at their default, without keys and addresses."""
    found = {}
    for row in TABLE:
        section, _, last = row.name.rpartition(".")
        value = getattr(getattr(settings, section) if section else settings, last)
        hidden = row.name.endswith(("_key", "address")) or section == "serve"
        if value != row.default and not hidden:
            found[row.name] = dict(value) if isinstance(value, Mapping) else value
    return found


def _react(db: sqlite3.Connection, key: str, kind: Reaction, passage: str, value: float) -> None:
    row = db.execute("SELECT number, shown, kept FROM questions WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise Unasked(f"no question was kept under {key[:60]!r}; ask it again")
    number, shown, kept = row
    known = {one[0] for one in json.loads(shown)} | set(json.loads(kept))
    if passage and passage not in known:
        raise Unasked(f"the passage {passage[:60]!r} was not among what this question showed")
    opposite = _OPPOSITE.get(kind, "")
    where = (number, opposite, passage)
    db.execute("DELETE FROM reactions WHERE question = ? AND kind = ? AND passage = ?", where)
    db.execute(
        "INSERT INTO reactions VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
        "value = CASE kind WHEN 'dwell' THEN min(value + excluded.value, ?) ELSE value END",
        (number, kind, passage, value, time.time(), LONGEST_S),
    )


def _bytes(db: sqlite3.Connection) -> int:
    """What the file takes, less what is free in it."""
    count, free, size = (
        int(db.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (count - free) * size
