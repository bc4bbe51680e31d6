"""Where are the numbers of all tables? In one database file a collection, DuckDB in this process.

Values reach SQL only as parameters; the database reads no other file, loads no extension, and its
settings are locked.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from consilience.errors import StoreError
from consilience.packs.finance.figures import rows as figures
from consilience.packs.finance.figures.cursors import Asked, Patience, limited
from consilience.packs.finance.figures.wholes import DISTINCT, Wholes
from consilience.packs.finance.questions.vocabulary import Vocabulary
from consilience.protocols import Vectors
from consilience.stores.common import open_error
from consilience.types import Passage
from consilience.worker_pool import UsageGuard

_SAFE = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "memory_limit": "512MB",
    "threads": "2",
    "temp_directory": "",
}
_LOCKED = ("enable_external_access = false", "lock_configuration = true")
_BATCH = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of the numbers before a question comes."""

    vocabulary: Vocabulary
    wholes: Wholes


class FactStore:
    """The numbers of one collection in one file, opened for this process, made if not there.

    `synonyms` are names of equal standing beside those that are known everywhere.
    """

    def __init__(self, path: Path, synonyms: Mapping[str, Iterable[str]] | None = None) -> None:
        self.path = path
        self._synonyms = dict(synonyms or {})
        self._connection = _open(path)
        self._shared = UsageGuard()
        self._writing = threading.Lock()
        self._known: Known | None = None
        self._version = 0  # goes up with each change, so that no older vocabulary is kept

    def write(self, passages: Sequence[Passage], vectors: Vectors | None = None) -> None:
        """Add the numbers of rows, or replace what was there of them; other kinds have none."""
        del vectors  # numbers are found by what they are the values of
        rows = list({one.id: one for one in passages if one.kind == "row"}.values())
        for start in range(0, len(rows), _BATCH):
            with self._changing() as cursor:
                figures.write(cursor, rows[start : start + _BATCH])

    def remove(self, ids: Sequence[str]) -> None:
        """Forget the numbers of these rows; an unknown id is no error."""
        with self._changing() as cursor:
            figures.remove(cursor, ids)

    def close(self) -> None:
        """Write everything to disk and let others open the file; may be repeated.

        Calls that are under way are waited for; later ones are refused.
        """
        if self._shared.close():
            self._connection.close()

    def count(self) -> int:
        """How many numbers it holds."""
        with self.reading() as cursor:
            found = cursor.execute("SELECT count(*) FROM figures").fetchone()
            return int(found[0]) if found else 0

    def ids(self) -> Iterator[str]:
        """The ids of the rows that hold a number, in rising order."""
        with self.reading() as cursor:
            cursor.execute("SELECT DISTINCT passage FROM figures ORDER BY 1")
            yield from (row[0] for row in cursor.fetchall())

    def vocabulary(self) -> Vocabulary:
        """The words that the numbers are named by; kept until something changes."""
        return self.known().vocabulary

    def known(self) -> Known:
        """What the numbers are named by and what they are of; kept until something changes."""
        known, version = self._known, self._version
        if known is None:
            with self.reading() as cursor:
                words = figures.vocabulary(cursor, self._synonyms)
                wholes = Wholes(cursor.execute(DISTINCT).fetchall())
            known = Known(vocabulary=words, wholes=wholes)
            with self._writing:
                if version == self._version:
                    self._known = known
        return known

    @contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor of the caller's own, in a transaction that cannot write; closed after use."""
        with self._open():
            cursor = self._connection.cursor()
            try:
                cursor.execute("BEGIN TRANSACTION READ ONLY")
                yield cursor
            finally:
                cursor.close()

    @contextmanager
    def asking(self, patience: Patience) -> Iterator[Asked]:
        """The same for one question, interrupted when its time is over."""
        with self.reading() as cursor, limited(cursor, patience) as asked:
            yield asked

    @contextmanager
    def _changing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._writing, self._open():
            self._version += 1
            self._known = None
            self._connection.execute("BEGIN TRANSACTION")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
            self._version += 1
            self._known = None

    @contextmanager
    def _open(self) -> Iterator[None]:
        """The file is not closed meanwhile."""
        with self._shared.using() as is_open:
            if not is_open:
                raise StoreError(f"{self.path} was closed; open the store again to use it")
            yield


def _open(path: Path) -> duckdb.DuckDBPyConnection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = duckdb.connect(str(path), config=dict(_SAFE))
        figures.make(connection)
        for one in _LOCKED:
            connection.execute(f"SET {one}")
    except (duckdb.Error, OSError) as error:
        raise open_error(path, error) from error
    return connection
