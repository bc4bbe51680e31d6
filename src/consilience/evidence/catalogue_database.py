"""How is the catalogue's file opened, read and changed?

One connection a thread, closed after the thread has ended. A change is one transaction; errors of
SQLite become errors that a person can act on.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from consilience.errors import DiskFull, StoreError
from consilience.evidence.size_limits import free_bytes

FORMAT = 1
FULL = 2**20  # bytes free, below which the disk is taken for full
CACHE_KB = 65_536  # for a connection that writes
READ_KB = 8_192  # for one that only reads: a server has dozens, and the system keeps pages too
PAGE_BYTES = 8192  # a passage fits a page, and does not spill over into one of its own
WAIT_MS, AT_ONCE_MS = 30_000, 50  # how long a change waits for the lock
LOG_BYTES = 2**26  # to which the log of a large change is cut
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE roots (path TEXT PRIMARY KEY, collection TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE excluded (path TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE documents (
    path TEXT PRIMARY KEY, collection TEXT NOT NULL, sha256 TEXT NOT NULL, size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL, loader TEXT NOT NULL, version INTEGER NOT NULL,
    title TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, notes TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE passages (
    id TEXT PRIMARY KEY, collection TEXT NOT NULL, document TEXT NOT NULL, kind TEXT NOT NULL,
    title TEXT NOT NULL, text TEXT NOT NULL, search TEXT NOT NULL, locator TEXT NOT NULL,
    metadata TEXT NOT NULL, words INTEGER
) WITHOUT ROWID;
CREATE TABLE owners (
    passage TEXT NOT NULL, path TEXT NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (passage, path)
) WITHOUT ROWID;
CREATE TABLE names (
    surface TEXT NOT NULL, collection TEXT NOT NULL, role TEXT NOT NULL, field TEXT NOT NULL,
    value TEXT NOT NULL, passage TEXT NOT NULL,
    PRIMARY KEY (surface, collection, role, field, value, passage)
) WITHOUT ROWID;
CREATE TABLE pending (id TEXT PRIMARY KEY, collection TEXT NOT NULL, action TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE fields (collection TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (collection, name))
    WITHOUT ROWID;
CREATE TABLE made (id TEXT PRIMARY KEY, passage TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX owners_by_path ON owners (path, place);
CREATE INDEX passages_by_collection ON passages (collection, kind);
CREATE INDEX names_by_passage ON names (passage);
CREATE INDEX documents_by_hash ON documents (sha256);
CREATE INDEX unread_documents ON documents (path) WHERE status != 'ok';
"""


class Database:
    """The SQLite file of a catalogue; `read_only` opens it even where nothing may be written."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._read_only = read_only
        self._connections: dict[threading.Thread, sqlite3.Connection] = {}
        self._writers: set[threading.Thread] = set()
        self._opening = threading.Lock()
        self._closed = False
        self._prepare()

    def read(self, query: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        """Run a query; a damaged file is a `StoreError`."""
        try:
            return self._connection.execute(query, values)
        except sqlite3.Error as error:
            raise self._damaged(error) from error

    def write(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement for each row, in one transaction."""
        with self.change() as db:
            db.executemany(statement, rows)

    @contextmanager
    def change(self, *, at_once: bool = False) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it happens, or nothing.

        It waits for that of another thread, unless it is to happen `at_once` or not at all.
        """
        try:
            db = self._connection
        except sqlite3.Error as error:
            raise self._damaged(error) from error
        try:
            self._begin(db, AT_ONCE_MS if at_once else WAIT_MS)
            yield db
            db.execute("COMMIT")
        except sqlite3.Error as error:
            _roll_back(db)
            full = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
            raise (DiskFull if full else StoreError)(
                f"cannot write {self.path}: {error}; nothing was changed. Is the disk full or "
                "read-only?"
            ) from error
        except BaseException:
            _roll_back(db)
            raise

    def close(self) -> None:
        """Close the connection of this thread and refuse later calls.

        Those of other threads are closed by their last user: closing one that is being read would
        crash SQLite.
        """
        with self._opening:
            self._closed = True
            own = self._connections.pop(threading.current_thread(), None)
            if own is not None:
                own.close()
            self._connections.clear()

    @property
    def _connection(self) -> sqlite3.Connection:
        """The calling thread's own; those of threads that have ended are closed."""
        thread = threading.current_thread()
        connection = self._connections.get(thread)
        if connection is None:
            with self._opening:
                if self._closed:
                    raise sqlite3.ProgrammingError("it was closed")
                for ended in [other for other in self._connections if not other.is_alive()]:
                    self._connections.pop(ended).close()
                    self._writers.discard(ended)
                connection = self._connections[thread] = self._open()
        return connection

    def _begin(self, db: sqlite3.Connection, wait_ms: int) -> None:
        """Begin; a thread that writes gets a larger cache, so that a large change is one piece."""
        thread = threading.current_thread()
        if wait_ms == WAIT_MS and thread not in self._writers:
            self._writers.add(thread)
            db.execute(f"PRAGMA cache_size = -{CACHE_KB}")
        db.execute(f"PRAGMA busy_timeout = {wait_ms}")
        db.execute("BEGIN IMMEDIATE")

    def _open(self) -> sqlite3.Connection:
        if not self._read_only:
            connection = _connect(str(self.path), uri=False)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA cache_size = -{READ_KB}")
            connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
            return connection
        for mode in ("mode=ro", "immutable=1"):  # the second where not even a lock can be written
            try:
                address = f"{self.path.absolute().as_uri()}?{mode}"
                connection = _connect(address, uri=True)
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            except sqlite3.OperationalError:
                continue
            return connection
        raise sqlite3.OperationalError(f"cannot read {self.path}")

    def _prepare(self) -> None:
        try:
            if not self._read_only:
                self._create()
            row = self._connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
            version = int(row[0])
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:
            raise self._damaged(error) from error
        if version > FORMAT:
            raise StoreError(
                f"{self.path} has format {version}, this version of consilience reads up to "
                f"{FORMAT}; upgrade with: pip install -U consilience"
            )

    def _create(self) -> None:
        """Create the file, complete before it has its name, in case others open it too."""
        if self.path.exists():
            return
        with TemporaryDirectory(dir=self.path.parent, prefix=".new-") as folder:
            new = Path(folder) / self.path.name
            new.touch(mode=0o600)  # the texts of its owner
            db = _connect(str(new), uri=False)
            db.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            db.execute("PRAGMA journal_mode = WAL")
            for statement in _SCHEMA.split(";"):
                db.execute(statement)
            db.execute("INSERT INTO meta VALUES ('format', ?)", (str(FORMAT),))
            db.close()
            try:
                os.link(new, self.path)
            except FileExistsError:  # another process was first
                return
            except OSError:  # a disk without links
                if not self.path.exists():
                    new.rename(self.path)

    def _damaged(self, error: Exception) -> StoreError:
        if not self._read_only and free_bytes(self.path.parent) < FULL:
            return DiskFull(
                f"cannot open {self.path}: the disk is full; free some space and run the same "
                "again. Nothing is lost"
            )
        return StoreError(
            f"cannot read the catalogue {self.path}: {error}; check the disk and its rights. If "
            "the file is damaged, restore it from a backup, or make a new workspace and add the "
            "files again"
        )


def _connect(address: str, *, uri: bool) -> sqlite3.Connection:
    return sqlite3.connect(
        address, timeout=30, isolation_level=None, check_same_thread=False, uri=uri
    )


def _roll_back(db: sqlite3.Connection) -> None:
    if db.in_transaction:
        db.execute("ROLLBACK")
