"""What was asked, what was shown, and how did people react? Kept here, sent nowhere.

One SQLite file in the workspace's store folder. It holds questions, passage ids, times and
reactions, and nothing about who asked: no address, no name, no cookie. Only the owner's account can
read the file. Without a path nothing is kept.

All threads share one connection: a row takes a fraction of a millisecond. A journal that cannot be
written costs no answer: the row is lost and counted, `trouble` says why, and writing pauses for a
while.
"""

from __future__ import annotations

import json
import math
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from consilience.errors import StoreError, UsageError
from consilience.types import Result

JOURNAL = "journal.db"
FORMAT = 1
PATIENCE_S = 1.0
"""How long a writer waits for the file before it goes on without."""
_READ_S = 30.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS questions (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, time REAL NOT NULL, text TEXT NOT NULL,
    filters TEXT NOT NULL, collections TEXT NOT NULL, bucket TEXT NOT NULL,
    forced INTEGER NOT NULL, settings TEXT NOT NULL, shown TEXT NOT NULL, kept TEXT NOT NULL,
    abstained INTEGER NOT NULL, ms REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS reactions (
    question INTEGER NOT NULL REFERENCES questions (number) ON DELETE CASCADE,
    kind TEXT NOT NULL, passage TEXT NOT NULL, value REAL NOT NULL, time REAL NOT NULL,
    PRIMARY KEY (question, kind, passage)
) WITHOUT ROWID;
"""


def open_to_write(path: Path) -> sqlite3.Connection:
    """The file, created if it is missing; what is wrong with it is an error of SQLite or ours."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    db = _connect(str(path), timeout=PATIENCE_S)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA foreign_keys = ON")
        if _format(db, path) < FORMAT:
            db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;")
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """The file as it is at this moment, also while a server writes it, or on a read-only disk."""
    if not path.is_file():
        raise UsageError(
            f"there is no journal {path}; it is written while `consilience serve` answers, with "
            'the setting `serve.journal = "on"`'
        )
    db = None
    try:
        for mode in ("mode=ro", "immutable=1"):  # the second where not even a lock can be written
            with suppress(sqlite3.OperationalError):
                db = _connect(f"{path.absolute().as_uri()}?{mode}", timeout=_READ_S)
                if not _format(db, path):
                    raise ValueError("it is empty")
                break
        else:
            raise StoreError(f"cannot read the journal {path}; check the disk and its rights")
        db.row_factory = sqlite3.Row
        db.execute("BEGIN")  # one moment for all that is read
        yield db
    except (sqlite3.Error, ValueError) as error:
        raise StoreError(
            f"cannot read the journal {path}: {error}; move it away, and a new one is begun"
        ) from error
    finally:
        if db is not None:
            db.close()


def _format(db: sqlite3.Connection, path: Path) -> int:
    found = int(db.execute("PRAGMA user_version").fetchone()[0])
    if found > FORMAT:
        raise StoreError(
            f"{path} has format {found}, this version of consilience reads up to {FORMAT}; "
            "upgrade with: pip install -U consilience"
        )
    return found


def _connect(address: str, *, timeout: float) -> sqlite3.Connection:
    return sqlite3.connect(
        address,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,
        uri=address.startswith("file:"),
    )


# --- writing -----------------------------------------------------------------------------


Reaction = Literal["click", "dwell", "kept", "up", "down"]
REACTIONS: tuple[Reaction, ...] = get_args(Reaction)
MOST = 1_000_000
"""Questions that are kept; the oldest go."""
LARGEST = 2**30
"""Bytes that the file may take; the oldest questions go."""
LONGEST_S = 3600.0
"""Seconds that reading one passage counts at most, however often it is said: then somebody left."""
_REST_S = 30.0  # how long nothing is written after it went wrong
_OF_PASSAGE = ("click", "kept")  # never of the answer as a whole
_UNUSED = ("a", False, "")  # columns of the file that nothing reads any more
_READ = ("key", "time", "text", "filters", "collections", "shown", "kept", "abstained", "ms")
_OPPOSITE = {"up": "down", "down": "up"}


class Unasked(UsageError):
    """No such question was kept, or it did not show such a passage."""


class Journal:
    """The questions of one workspace, with what was shown and how people reacted.

    `lost` counts what could not be written.
    """

    def __init__(self, path: Path | None, *, most: int = MOST, largest: int = LARGEST) -> None:
        self._path = path
        self._most, self._largest = most, largest
        self._lock = threading.Lock()  # guards all below
        self._db: sqlite3.Connection | None = None
        self._rests_until = 0.0
        self.lost = 0
        self.trouble = ""

    def asked(self, result: Result, *, ms: float, kept: Sequence[str] = ()) -> str:
        """Keep a question with the ids that were shown; the key under which to react to it.

        `kept` are the passages that a written answer cites. The key is empty where nothing was
        kept.
        """
        if self._path is None:
            return ""
        key, query = secrets.token_urlsafe(12), result.query
        passages = [hit.passage for hit in result.hits]
        shown = [(passage.id, passage.kind, passage.collection) for passage in passages]
        row = (
            key,
            time.time(),
            query.text.encode("utf-8", "replace").decode("utf-8"),
            json.dumps([str(condition) for condition in query.filters]),
            json.dumps(query.collections),
            *_UNUSED,
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
        if kind in _OF_PASSAGE and not passage:
            raise UsageError(f"{kind!r} is about a passage; name its id")
        worth = min(value, LONGEST_S) if kind == "dwell" else 1.0
        self._written(lambda db: _react(db, key, kind, passage, worth))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close_file()
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
            self._close_file()
        finally:
            self._lock.release()
        return False

    def _change(self, path: Path, work: Callable[[sqlite3.Connection], None]) -> None:
        """All of a change, or nothing."""
        if self._db is None:
            self._db = open_to_write(path)
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

    def _close_file(self) -> None:
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.close()
            self._db = None


def _react(db: sqlite3.Connection, key: str, kind: Reaction, passage: str, value: float) -> None:
    row = db.execute("SELECT number, shown, kept FROM questions WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise Unasked(f"no question was kept under {key[:60]!r}; ask it again")
    number, shown, kept = row
    known = {entry[0] for entry in json.loads(shown)} | set(json.loads(kept))
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


# --- reading -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage that was shown; its place is that in the list."""

    passage: str
    kind: str
    collection: str


@dataclass(frozen=True, slots=True)
class Reacted:
    """What somebody did, first at this time; `passage` is empty for the answer as a whole."""

    kind: str
    passage: str
    value: float
    time: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A question, in seconds since 1970, with what was shown and the reactions, first one first.

    `kept` is what the answer cites.
    """

    key: str
    time: float
    text: str
    filters: tuple[str, ...]
    collections: tuple[str, ...]
    shown: tuple[Shown, ...]
    kept: tuple[str, ...]
    abstained: bool
    ms: float
    reactions: tuple[Reacted, ...]


def read_entries(path: Path) -> Iterator[Entry]:
    """Every question of a journal as it is at this moment, one after the other."""
    with _reading(path) as db:
        for row in db.execute("SELECT * FROM questions ORDER BY number"):
            reactions = db.execute(
                "SELECT kind, passage, value, time FROM reactions WHERE question = ? ORDER BY time",
                (row["number"],),
            )
            values = {name: row[name] for name in _READ}
            for name in ("filters", "collections", "kept"):
                values[name] = tuple(json.loads(values[name]))
            values["abstained"] = bool(values["abstained"])
            values["shown"] = tuple(Shown(*shown) for shown in json.loads(values["shown"]))
            yield Entry(**values, reactions=tuple(Reacted(*reaction) for reaction in reactions))
