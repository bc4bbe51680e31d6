"""Where are token vectors kept? In one file of the workspace, by passage, made by one model.

They are derived, like everything in the engines: what is missing is made at the question or by
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

TOKENS = "tokens.db"
ENDS = ("", "-wal", "-shm")  # the file, and what SQLite keeps beside it
KEEP = ("auto", "keep", "live")
"""What the setting `models.tokens` can be."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS made_by (name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tokens (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS ids ON tokens (id);  -- small: listing ids must not read the vectors
"""
_SIGNED = 1 << 63  # SQLite's integers have a sign, ids have none
_ASKED = 500  # ids in one question to SQLite
_ID = re.compile(f"[0-9a-f]{{{ID_LENGTH}}}")


class KeptTokens:
    """The token vectors of a workspace. Writing again and removing twice do no harm.

    With `read_only` nothing is written, and what another model made is refused.
    """

    def __init__(self, path: Path, made_by: str, *, read_only: bool = False) -> None:
        self._path = path
        self._lock = threading.Lock()
        address = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
        try:
            with ExitStack() as opening:  # a file that is refused is let go of
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
                f"{path} cannot be opened: {error}; delete it, and `consilience add` makes it anew"
            ) from error

    def write(self, found: Mapping[str, bytes]) -> None:
        """Keep the token vectors of these passages."""
        rows = [(_number(key), data) for key, data in found.items()]
        with self._using() as database:
            database.executemany("INSERT OR REPLACE INTO tokens VALUES (?, ?)", rows)

    def get(self, ids: Sequence[str]) -> dict[str, bytes]:
        """What is kept for these passages; one that nothing is kept for is absent."""
        found: dict[str, bytes] = {}
        wanted = [_number(key) for key in ids if _ID.fullmatch(key)]
        for start in range(0, len(wanted), _ASKED):
            numbers = wanted[start : start + _ASKED]
            marks = ",".join("?" * len(numbers))
            statement = f"SELECT id, data FROM tokens WHERE id IN ({marks})"  # noqa: S608 - marks only
            with self._using() as database:
                rows = database.execute(statement, numbers).fetchall()
            found.update((_key(number), data) for number, data in rows)
        return found

    def remove(self, ids: Iterable[str]) -> None:
        """Forget what was kept for these passages."""
        rows = [(_number(key),) for key in ids]
        with self._using() as database:
            database.executemany("DELETE FROM tokens WHERE id = ?", rows)

    def ids(self) -> set[str]:
        """The passages that token vectors are kept for."""
        with self._using() as database:
            rows = database.execute("SELECT id FROM tokens INDEXED BY ids").fetchall()
        return {_key(number) for (number,) in rows}

    def close(self) -> None:
        """Let go of the file; may be repeated."""
        with self._lock:
            self._database.close()

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        """The database for one thread at a time; what fails changes nothing."""
        with self._lock:
            try:
                self._database.execute("BEGIN")
                yield self._database
                self._database.execute("COMMIT")
            except sqlite3.Error as error:
                raise StoreError(
                    f"{self._path} cannot be used: {error}; is the disk full? If not, delete it, "
                    "and `consilience add` makes it anew"
                ) from error
            finally:
                with suppress(sqlite3.Error):  # as when it was closed in the meantime
                    if self._database.in_transaction:
                        self._database.execute("ROLLBACK")

    def _makers(self) -> set[str]:
        return {name for (name,) in self._database.execute("SELECT name FROM made_by")}

    def _check(self, made_by: str) -> None:
        """Vectors of two models do not compare: what another one made is not read."""
        if self._makers() != {made_by}:
            raise StoreError(f"{self._path} was not made by {made_by!r}; `consilience add` does")

    def _claim(self, made_by: str) -> None:
        """Vectors of two models do not compare: what another one made goes."""
        if self._makers() == {made_by}:
            return
        self._database.execute("BEGIN")
        self._database.execute("DELETE FROM tokens")
        self._database.execute("DELETE FROM made_by")
        self._database.execute("INSERT INTO made_by VALUES (?)", (made_by,))
        self._database.execute("COMMIT")


@dataclass(frozen=True, slots=True)
class Keeping:
    """A reranker that prepares passages, and where what it prepares is kept."""

    reranker: Preparing
    store: KeptTokens

    def close(self) -> None:
        """Let go of the file; the reranker reads live from now on. May be repeated."""
        self.reranker.reads_from(nothing_kept)
        self.store.close()


def nothing_kept(ids: Sequence[str]) -> Mapping[str, bytes]:
    """The look-up of a reranker that nothing is kept for."""
    return {}


def is_kept(wanted: str, reranker: Reranker | None, embedder: Embedder) -> bool:
    """Whether the setting `models.tokens` has token vectors kept for these two models."""
    if wanted not in KEEP:
        known = ", ".join(KEEP)
        raise UsageError(f"setting 'models.tokens' is {wanted!r}; known: {known}")
    if not isinstance(reranker, Preparing) or wanted == "live":
        return False
    return wanted == "keep" or reranker.ready(embedder)


def size_of(path: Path) -> int:
    """Bytes that the file and what stands beside it take; 0 when it is not there."""
    return sum(taken(path.with_name(path.name + end)) for end in ENDS)


def taken(path: Path) -> int:
    """Bytes that a file takes on disk, where engines reserve more than they fill."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0
    blocks = getattr(found, "st_blocks", None)  # not known on every system
    return found.st_size if blocks is None else min(found.st_size, blocks * 512)


def drop(path: Path) -> None:
    """Delete the file and what stands beside it."""
    for end in ENDS:
        path.with_name(path.name + end).unlink(missing_ok=True)


def _number(key: str) -> int:
    number = int(key, 16)
    return number - (_SIGNED << 1) if number >= _SIGNED else number


def _key(number: int) -> str:
    return f"{number % (_SIGNED << 1):0{ID_LENGTH}x}"
