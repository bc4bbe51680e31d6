"""What does the workspace hold? The truth: documents, their passages, and what is still to index.

One SQLite file. Engines are derived from it and can be rebuilt from it at any time. A document
is stored in one transaction together with an entry in `pending` for every passage that engines
have yet to write or remove, so a process killed at any moment loses nothing: the next one takes
up what is pending. Several documents may own one passage (copies of a file); it goes when the
last owner goes.

Readers in other processes may look at any time; writing is for the process that holds the
workspace.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from consilience.catalogue.rows import (
    SELECT_PASSAGE,
    Record,
    drop_orphans,
    name_documents,
    owned,
    passage_from_json,
    passage_of,
    put_passages,
    put_record,
    record_of,
)
from consilience.errors import StoreError, UsageError
from consilience.names import Mention
from consilience.types import Passage

__all__ = ["Catalogue", "Pending", "Record", "Stored"]

FORMAT = 1
MAPPED = 1 << 30  # bytes of the file that reading maps instead of copying
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
    metadata TEXT NOT NULL
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
CREATE TABLE made (id TEXT PRIMARY KEY, passage TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX owners_by_path ON owners (path, place);
CREATE INDEX passages_by_collection ON passages (collection, kind);
CREATE INDEX names_by_passage ON names (passage);
CREATE INDEX documents_by_hash ON documents (sha256);
"""
Action = Literal["write", "remove"]


@dataclass(frozen=True, slots=True)
class Pending:
    """A passage that engines have yet to write or remove."""

    id: str
    collection: str
    action: Action


@dataclass(frozen=True, slots=True)
class Stored:
    """What storing a document changed: passages new, kept and gone."""

    new: int
    kept: int
    gone: int


class Catalogue:
    """The passages and documents of a workspace."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._prepare()

    # --- documents ----------------------------------------------------------------------

    def documents(self, under: str = "") -> list[Record]:
        """Every document, by path; with `under`, that path itself and what lies below it."""
        rows = self._db.execute(
            "SELECT d.*, (SELECT count(*) FROM owners o WHERE o.path = d.path) "
            "FROM documents d ORDER BY d.path"
        )
        records = [record_of(row) for row in rows]
        prefix = under.rstrip("/") + "/"
        return [one for one in records if not under or one.path == under or _under(one, prefix)]

    def document(self, path: str) -> Record | None:
        """The document at this path, if it is known."""
        row = self._db.execute(
            "SELECT d.*, (SELECT count(*) FROM owners o WHERE o.path = d.path) "
            "FROM documents d WHERE d.path = ?",
            (path,),
        ).fetchone()
        return record_of(row) if row else None

    def store(self, record: Record, passages: Sequence[Passage]) -> Stored:
        """Replace a document and its passages, and note what engines have to do, at once."""
        with self._change() as db:
            before = {row[0] for row in owned(db, record.path)}
            db.execute("DELETE FROM owners WHERE path = ?", (record.path,))
            put_record(db, record)
            new = put_passages(db, record.path, passages)
            gone = drop_orphans(db, before - {one.id for one in passages})
        return Stored(new, len(passages) - new, gone)

    def touch(self, record: Record) -> None:
        """Update what is known of a file without changing its passages."""
        with self._change() as db:
            put_record(db, record)

    def rename(self, old: str, new: str) -> None:
        """A file moved: its passages, their ids and what is indexed stay."""
        with self._change() as db:
            db.execute("UPDATE documents SET path = ? WHERE path = ?", (new, old))
            db.execute("UPDATE owners SET path = ? WHERE path = ?", (new, old))
            name_documents(db, {row[0] for row in owned(db, new)})

    def forget(self, path: str) -> int:
        """Remove a document; how many passages went with it."""
        with self._change() as db:
            before = {row[0] for row in owned(db, path)}
            db.execute("DELETE FROM owners WHERE path = ?", (path,))
            db.execute("DELETE FROM documents WHERE path = ?", (path,))
            return drop_orphans(db, before)

    # --- roots --------------------------------------------------------------------------

    def roots(self) -> dict[str, str]:
        """The files and folders that were added, with the collection asked for or ``."""
        return dict(self._db.execute("SELECT path, collection FROM roots ORDER BY path"))

    def add_root(self, path: str, collection: str) -> None:
        """Remember what was added, so that it can be looked at again."""
        with self._change() as db:
            db.execute("INSERT OR REPLACE INTO roots VALUES (?, ?)", (path, collection))

    def drop_root(self, path: str) -> None:
        """Forget that this path was added."""
        with self._change() as db:
            db.execute("DELETE FROM roots WHERE path = ?", (path,))

    def excluded(self) -> set[str]:
        """Files that were removed by hand from what was added."""
        return {row[0] for row in self._db.execute("SELECT path FROM excluded")}

    def exclude(self, path: str) -> None:
        """Leave a file out when what was added is looked at again."""
        with self._change() as db:
            db.execute("INSERT OR IGNORE INTO excluded VALUES (?)", (path,))

    def include(self, paths: Sequence[str]) -> None:
        """These were asked for again."""
        with self._change() as db:
            db.executemany("DELETE FROM excluded WHERE path = ?", [(path,) for path in paths])

    # --- passages -----------------------------------------------------------------------

    def get(self, ids: Sequence[str]) -> Mapping[str, Passage]:
        """The passages of these ids; an unknown id is absent."""
        found: dict[str, Passage] = {}
        for start in range(0, len(ids), 500):
            some = tuple(ids[start : start + 500])
            marks = ",".join("?" * len(some))
            rows = self._db.execute(f"{SELECT_PASSAGE} WHERE p.id IN ({marks})", some)
            found.update((row[0], passage_of(row)) for row in rows)
        return found

    def resolve(self, prefix: str) -> Passage:
        """The one passage whose id starts so; none or several is refused."""
        if len(prefix) < 4 or not set(prefix) <= set("0123456789abcdef"):
            raise UsageError(f"{prefix!r} is not a passage id; copy one from a search")
        span = (prefix, prefix + "g")  # the first text after every id that starts so
        rows = self._db.execute(f"{SELECT_PASSAGE} WHERE p.id >= ? AND p.id < ? LIMIT 2", span)
        found = [passage_of(row) for row in rows]
        if not found:
            made = self._db.execute("SELECT passage FROM made WHERE id >= ? AND id < ?", span)
            found = [passage_from_json(row[0]) for row in made]
        if not found:
            raise UsageError(f"no passage has the id {prefix!r}; it may have changed or gone")
        if len(found) > 1:
            raise UsageError(f"several passages start with {prefix!r}; give more characters")
        return found[0]

    def keep_made(self, passages: Sequence[Passage]) -> None:
        """Keep passages that a source made for a question, so that they can be shown again."""
        if not passages:
            return
        known = {row[0] for row in self._db.execute("SELECT id FROM made")}
        new = [one for one in passages if one.id not in known]
        if new:
            with self._change() as db:
                rows = [(one.id, json.dumps(asdict(one))) for one in new]
                db.executemany("INSERT OR IGNORE INTO made VALUES (?, ?)", rows)

    def each(self, collection: str) -> Iterator[Passage]:
        """Every passage of a collection, by id."""
        query = f"{SELECT_PASSAGE} WHERE p.collection = ? ORDER BY p.id"
        yield from (passage_of(row) for row in self._db.execute(query, (collection,)))

    def counts(self) -> dict[str, dict[str, int]]:
        """How many passages of each kind each collection holds."""
        counts: dict[str, dict[str, int]] = {}
        for collection, kind, number in self._db.execute(
            "SELECT collection, kind, count(*) FROM passages GROUP BY 1, 2 ORDER BY 1, 2"
        ):
            counts.setdefault(collection, {})[kind] = number
        return counts

    def mentions(self, surfaces: Sequence[str]) -> list[Mention]:
        """The names among these surfaces: values of tables, nodes and relations of graphs."""
        marks = ",".join("?" * len(surfaces))
        rows = self._db.execute(
            "SELECT DISTINCT surface, collection, role, field, value FROM names "  # noqa: S608
            f"WHERE surface IN ({marks}) ORDER BY 1, 2, 3, 4, 5",
            tuple(surfaces),
        )
        return [Mention(*row) for row in rows]

    def has_names(self) -> bool:
        """Whether there is any name that a question could mention."""
        return self._db.execute("SELECT 1 FROM names LIMIT 1").fetchone() is not None

    def aliases(self, node: str) -> list[str]:
        """Every name under which a node is known, as a question would spell it."""
        rows = self._db.execute(
            "SELECT DISTINCT surface FROM names WHERE role = 'node' AND value = ? ORDER BY 1",
            (node,),
        )
        return [row[0] for row in rows]

    # --- what engines have to do --------------------------------------------------------

    def pending(self, limit: int) -> list[Pending]:
        """The next passages to remove or write, removals first."""
        rows = self._db.execute(
            "SELECT id, collection, action FROM pending ORDER BY action, collection, id LIMIT ?",
            (limit,),
        )
        return [Pending(*row) for row in rows]

    def pending_count(self) -> int:
        """How many passages engines have yet to write or remove."""
        return int(self._db.execute("SELECT count(*) FROM pending").fetchone()[0])

    def pending_collections(self) -> list[str]:
        """The collections in which engines have something to write."""
        rows = self._db.execute(
            "SELECT DISTINCT collection FROM pending WHERE action = 'write' ORDER BY 1"
        )
        return [row[0] for row in rows]

    def pending_passages(self, collection: str) -> Iterator[Passage]:
        """Every passage of a collection that engines have yet to write."""
        query = (
            f"{SELECT_PASSAGE} JOIN pending q ON q.id = p.id "
            "WHERE q.collection = ? AND q.action = 'write' ORDER BY p.id"
        )
        yield from (passage_of(row) for row in self._db.execute(query, (collection,)))

    def settle(self, done: Sequence[Pending], facts: Mapping[str, str]) -> None:
        """Engines have done this: remember it, with facts that go with it, at once.

        What changed again in the meantime stays pending.
        """
        with self._change() as db:
            rows = [(one.id, one.action) for one in done]
            db.executemany("DELETE FROM pending WHERE id = ? AND action = ?", rows)
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(facts.items()))

    def start_over(self) -> int:
        """Have every passage written again, as after a change of model; how many there are."""
        with self._change() as db:
            db.execute("DELETE FROM pending")
            db.execute("INSERT INTO pending SELECT id, collection, 'write' FROM passages")
            db.execute("DELETE FROM meta WHERE key NOT IN ('format')")
        return self.pending_count()

    # --- facts --------------------------------------------------------------------------

    def fact(self, key: str) -> str:
        """A remembered fact, such as the model that made the store; empty when unknown."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def set_fact(self, key: str, value: str) -> None:
        """Remember a fact."""
        with self._change() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def close(self) -> None:
        """Close every connection; the catalogue is not used afterwards."""
        for connection in self._connections:
            connection.close()
        self._connections.clear()

    # --- inside -------------------------------------------------------------------------

    @property
    def _db(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(
                self._path, timeout=30, isolation_level=None, check_same_thread=False
            )
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA mmap_size = {MAPPED}")
            self._local.connection = connection
            self._connections.append(connection)
        return connection

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        db = self._db
        try:
            db.execute("BEGIN IMMEDIATE")
            yield db
            db.execute("COMMIT")
        except sqlite3.Error as error:
            _roll_back(db)
            raise StoreError(f"cannot write {self._path}: {error}; nothing was changed") from error
        except BaseException:
            _roll_back(db)
            raise

    def _prepare(self) -> None:
        try:
            db = self._db
            tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if not tables:
                db.execute("PRAGMA journal_mode = WAL")
                db.executescript(f"BEGIN;{_SCHEMA}COMMIT;")
                self.set_fact("format", str(FORMAT))
            found = int(self.fact("format") or 0)
        except (sqlite3.Error, ValueError) as error:
            raise StoreError(
                f"cannot open the catalogue {self._path}: {error}; "
                "restore it from a backup, or remove the store folder and add the files again"
            ) from error
        if found > FORMAT:
            raise StoreError(
                f"{self._path} has format {found}, this version of consilience reads up to "
                f"{FORMAT}; upgrade with: pip install -U consilience"
            )


def _roll_back(db: sqlite3.Connection) -> None:
    if db.in_transaction:
        db.execute("ROLLBACK")


def _under(record: Record, prefix: str) -> bool:
    return record.path.startswith(prefix)
