"""How does a job outlive the server? As a row of a small SQLite file in the workspace's store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from consilience.errors import StoreError
from consilience.service.jobs.job import Job, Order

LOG = "jobs.db"
KEPT = 100
"""Jobs that are over and still shown."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, wanted TEXT NOT NULL, state TEXT NOT NULL,
    left INTEGER NOT NULL, begun INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS uploaded (path TEXT PRIMARY KEY) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """A job from the file: `left` when it is still to be done, `begun` how often it was begun."""

    job: Job
    order: Order
    left: bool
    begun: int


class Log:
    """The jobs of a workspace on disk; the file is made with the first job."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._db: sqlite3.Connection | None = None

    def read(self) -> list[Kept]:
        """Every job that is kept, the oldest first."""
        if not self._path.exists():
            return []
        with self._using() as db:
            rows = db.execute("SELECT id, wanted, state, left, begun FROM jobs ORDER BY id")
            return [
                Kept(_job(str(key), state), _order(wanted), bool(left), begun)
                for key, wanted, state, left, begun in rows
            ]

    def new(self, order: Order, *, asked: float) -> Job:
        """Keep a new job; on return it is on disk."""
        job = Job(id="", kind=order.kind, what=order.paths, asked=asked)
        with self._using() as db:
            if order.part:
                rows = [(path,) for path in order.paths]
                db.executemany("INSERT OR IGNORE INTO uploaded VALUES (?)", rows)
            key = db.execute(
                "INSERT INTO jobs (wanted, state, left, begun) VALUES (?, ?, 1, 0)",
                (json.dumps(asdict(order)), _state(job)),
            ).lastrowid
        return _job(str(key), _state(job))

    def begin(self, job: Job) -> None:
        """A job is begun, once more than before."""
        with self._using() as db:
            values = (_state(job), int(job.id))
            db.execute("UPDATE jobs SET state = ?, begun = begun + 1 WHERE id = ?", values)

    def end(self, job: Job, *, left: bool) -> None:
        """How a job ended; one of which something is left is begun again another time."""
        with self._using() as db:
            begun = "0" if left else "begun"  # stopped in good order: it did nothing wrong
            db.execute(
                f"UPDATE jobs SET state = ?, left = ?, begun = {begun} WHERE id = ?",  # noqa: S608
                (_state(job), left, int(job.id)),
            )
            db.execute(
                "DELETE FROM jobs WHERE NOT left AND id NOT IN "
                "(SELECT id FROM jobs WHERE NOT left ORDER BY id DESC LIMIT ?)",
                (KEPT,),
            )

    def uploaded(self, path: str) -> bool:
        """Whether the file of this name came by upload."""
        if not self._path.exists():
            return False
        with self._using() as db:
            query = "SELECT 1 FROM uploaded WHERE path = ?"
            return db.execute(query, (path,)).fetchone() is not None

    def forget_uploaded(self, path: str) -> None:
        """The file was deleted."""
        with self._using() as db:
            db.execute("DELETE FROM uploaded WHERE path = ?", (path,))

    def close(self) -> None:
        """Let go of the file; it is opened again when next needed."""
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        """A transaction, for one thread at a time."""
        with self._lock:
            try:
                db = self._db = self._db or self._open()
                db.execute("BEGIN IMMEDIATE")
                yield db
                db.execute("COMMIT")
            except sqlite3.Error as error:
                raise StoreError(
                    f"{self._path} cannot be used: {error}; is the disk full? If not, stop the "
                    "server and delete this file: it lists the jobs of the workspace, and those "
                    "that are not done have to be handed in again"
                ) from error
            finally:
                if self._db is not None and self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA synchronous = FULL")  # what was promised holds through a power cut
            db.executescript(_SCHEMA)
        except sqlite3.Error:
            db.close()
            raise
        return db


def _state(job: Job) -> str:
    return json.dumps(asdict(job))


def _job(key: str, state: str) -> Job:
    values: dict[str, Any] = json.loads(state)
    return Job(**{**values, "id": key, "what": tuple(values["what"]), "inside": ()})


def _order(wanted: str) -> Order:
    values: dict[str, Any] = json.loads(wanted)
    return Order(**{**values, "paths": tuple(values["paths"])})
