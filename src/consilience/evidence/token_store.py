"""Where are token vectors stored? In one SQLite file of the workspace, by passage, from one model.

They are derived, like everything in the engines: missing ones are computed at the question or by
the next `consilience add`, and a file that another model made is emptied.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from consilience.errors import StoreError, UsageError
from consilience.protocols import Embedder, Preparing, Reranker
from consilience.types import ID_LENGTH

TOKENS_FILE = "tokens.db"
_SUFFIXES = ("", "-wal", "-shm")  # the file, and what SQLite keeps beside it
_MODES = ("auto", "keep", "live")  # of the setting `models.tokens`

_SCHEMA = """
CREATE TABLE IF NOT EXISTS made_by (name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tokens (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS ids ON tokens (id);  -- small: listing ids must not read the vectors
"""
_SIGNED = 1 << 63  # SQLite's integers are signed, ids are not
_BATCH = 500  # ids of one query
_ID = re.compile(f"[0-9a-f]{{{ID_LENGTH}}}")


class TokenStore:
    """The token vectors of a workspace; `write` and `remove` may be repeated.

    With `read_only` nothing is written, and a file that another model made is refused.
    """

    def __init__(self, path: Path, made_by: str, *, read_only: bool = False) -> None:
        self._path = path
        self._lock = threading.Lock()
        address = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
        try:
            with ExitStack() as opening:  # a file that is refused is closed
                if not read_only and not path.exists():
                    with suppress(OSError):  # SQLite says what is wrong
                        path.touch(mode=0o600)
                self._database = sqlite3.connect(
                    address, uri=True, check_same_thread=False, isolation_level=None
                )
                opening.callback(self._database.close)
                if read_only:
                    self._check(made_by)
                else:
                    self._database.execute("PRAGMA journal_mode = WAL")
                    self._database.execute("PRAGMA synchronous = NORMAL")
                    self._database.executescript(_SCHEMA)
                    self._claim(made_by)
                opening.pop_all()
        except sqlite3.Error as error:
            raise StoreError(
                f"{path} cannot be opened: {error}; delete it, then run `consilience add`"
            ) from error

    def write(self, vectors: Mapping[str, bytes]) -> None:
        """Store the token vectors of these passages."""
        rows = [(_number(key), data) for key, data in vectors.items()]
        with self._using() as database:
            database.executemany("INSERT OR REPLACE INTO tokens VALUES (?, ?)", rows)

    def get(self, ids: Sequence[str]) -> dict[str, bytes]:
        """The stored vectors of these passages; a passage without any is absent."""
        found: dict[str, bytes] = {}
        wanted = [_number(key) for key in ids if _ID.fullmatch(key)]
        for start in range(0, len(wanted), _BATCH):
            numbers = wanted[start : start + _BATCH]
            marks = ",".join("?" * len(numbers))
            query = f"SELECT id, data FROM tokens WHERE id IN ({marks})"  # noqa: S608 - marks only
            with self._using() as database:
                rows = database.execute(query, numbers).fetchall()
            found.update((_key(number), data) for number, data in rows)
        return found

    def remove(self, ids: Iterable[str]) -> None:
        """Remove the vectors of these passages."""
        rows = [(_number(key),) for key in ids]
        with self._using() as database:
            database.executemany("DELETE FROM tokens WHERE id = ?", rows)

    def ids(self) -> set[str]:
        """The passages that have token vectors."""
        with self._using() as database:
            rows = database.execute("SELECT id FROM tokens INDEXED BY ids").fetchall()
        return {_key(number) for (number,) in rows}

    def close(self) -> None:
        """Close the file; may be repeated."""
        with self._lock:
            self._database.close()

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        """The database in a transaction, for one thread at a time."""
        with self._lock:
            try:
                self._database.execute("BEGIN")
                yield self._database
                self._database.execute("COMMIT")
            except sqlite3.Error as error:
                raise StoreError(
                    f"{self._path} cannot be used: {error}; is the disk full? If not, delete it, "
                    "and `consilience add` creates it again"
                ) from error
            finally:
                with suppress(sqlite3.Error):  # as when it was closed in the meantime
                    if self._database.in_transaction:
                        self._database.execute("ROLLBACK")

    def _makers(self) -> set[str]:
        return {name for (name,) in self._database.execute("SELECT name FROM made_by")}

    def _check(self, made_by: str) -> None:
        """Vectors of two models do not compare: refuse those of another one."""
        if self._makers() != {made_by}:
            raise StoreError(f"{self._path} was not made by {made_by!r}; `consilience add` does")

    def _claim(self, made_by: str) -> None:
        """Vectors of two models do not compare: delete those of another one."""
        if self._makers() == {made_by}:
            return
        self._database.execute("BEGIN")
        self._database.execute("DELETE FROM tokens")
        self._database.execute("DELETE FROM made_by")
        self._database.execute("INSERT INTO made_by VALUES (?)", (made_by,))
        self._database.execute("COMMIT")


@dataclass(frozen=True, slots=True)
class TokenKeeper:
    """A reranker that prepares passages, and the store of what it prepares."""

    reranker: Preparing
    store: TokenStore

    def close(self) -> None:
        """Close the file; the reranker computes vectors live from now on. May be repeated."""
        self.reranker.reads_from(no_tokens)
        self.store.close()


def no_tokens(ids: Sequence[str]) -> Mapping[str, bytes]:
    """The lookup of a reranker without stored vectors."""
    return {}


def keeps_tokens(mode: str, reranker: Reranker | None, embedder: Embedder) -> bool:
    """Whether the setting `models.tokens` has token vectors stored for these two models."""
    if mode not in _MODES:
        raise UsageError(f"setting 'models.tokens' is {mode!r}; known: {', '.join(_MODES)}")
    if not isinstance(reranker, Preparing) or mode == "live":
        return False
    return mode == "keep" or reranker.ready(embedder)


def sqlite_size(path: Path) -> int:
    """Bytes that an SQLite file and its side files take on disk; 0 when it is not there."""
    return sum(disk_size(path.with_name(path.name + suffix)) for suffix in _SUFFIXES)


def disk_size(path: Path) -> int:
    """Bytes that a file takes on disk, where engines reserve more than they fill."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return 0
    blocks = getattr(stat, "st_blocks", None)  # not known on every system
    return stat.st_size if blocks is None else min(stat.st_size, blocks * 512)


def delete_sqlite(path: Path) -> None:
    """Delete an SQLite file and its side files."""
    for suffix in _SUFFIXES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _number(key: str) -> int:
    number = int(key, 16)
    return number - (_SIGNED << 1) if number >= _SIGNED else number


def _key(number: int) -> str:
    return f"{number % (_SIGNED << 1):0{ID_LENGTH}x}"
