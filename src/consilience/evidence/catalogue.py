"""What does the workspace hold? Documents, their passages, and what is still to be indexed.

One SQLite file, the source of truth: engines are derived from it and can be rebuilt at any time. A
document is stored in one transaction together with an entry in `pending` for every passage that
engines have yet to write or remove, so a process killed at any moment loses nothing: the next one
works off what is pending. Several documents may own one passage (copies of a file); it goes when
the last owner goes.

Other processes may read at any time; only the process that holds the workspace writes.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from consilience.errors import StoreError, UsageError
from consilience.evidence.catalogue_database import Database
from consilience.types import ID_LENGTH, Locator, Passage, Value
from consilience.understand.names import Mention, names_of, surface

MOST_TABLE_ROWS = 200
"""Rows of a table that are given at once: those nearest to the given one."""
MEMORY = "memory://"
"""What the names of documents begin with that no file holds; no path of a file does."""
_MOST_UNSAVED = 1000  # made passages that wait in memory
_BATCH = 500  # ids of one query, passages written at a time
_SELECT_PASSAGE = """
SELECT p.id, p.collection, p.document, p.kind, p.title, p.text, p.search, p.locator, p.metadata
FROM passages p
"""
_RECORD: tuple[str, ...] = (
    "path",
    "collection",
    "sha256",
    "size",
    "mtime_ns",
    "loader",
    "version",
    "title",
)
_RECORD += ("status", "reason", "notes", "passages")
"""The columns of `_SELECT_DOCUMENT`."""
_SELECT_DOCUMENT = """
SELECT d.*, (SELECT count(*) FROM owners o WHERE o.path = d.path) FROM documents d
"""
_SETTLED = """
SELECT {}, kind FROM passages WHERE collection = ? AND id NOT IN (SELECT id FROM pending)
"""
_encode_json = json.JSONEncoder(ensure_ascii=False).encode

Action = Literal["write", "remove"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is known of one file: where it is, what was read from it, and whether that worked."""

    path: str
    collection: str
    loader: str
    version: int
    sha256: str = ""
    size: int = 0
    mtime_ns: int = 0
    title: str = ""
    # `skipped` is what no loader is for, `empty` what was read and holds no text.
    status: Literal["ok", "failed", "skipped", "empty"] = "ok"
    reason: str = ""
    notes: tuple[str, ...] = ()
    passages: int = 0


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


def below(path: str, root: str) -> bool:
    """Whether a catalogue name lies at or below another; `.` is the workspace itself."""
    if root == ".":
        return not Path(path).is_absolute() and not path.startswith(MEMORY)
    return path == root or path.startswith(root.rstrip("/") + "/")


class Catalogue:
    """The passages and documents of a workspace."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._db = Database(path, read_only=read_only)
        self._unsaved: dict[str, Passage] = {}
        self._saving = Lock()  # guards the passages that wait

    # --- documents ----------------------------------------------------------------------

    def documents(self, under: str = "") -> list[Record]:
        """Every document, by path; with `under`, that path itself and what lies below it."""
        records = map(_to_record, self._db.read(f"{_SELECT_DOCUMENT} ORDER BY d.path"))
        return [record for record in records if not under or below(record.path, under)]

    def unread(self) -> list[Record]:
        """The files that were not read, by path, each with the reason."""
        rows = self._db.read(f"{_SELECT_DOCUMENT} WHERE d.status != 'ok' ORDER BY d.path")
        return [_to_record(row) for row in rows]

    def document(self, path: str) -> Record | None:
        """The document at this path, if it is known."""
        row = self._db.read(f"{_SELECT_DOCUMENT} WHERE d.path = ?", (path,)).fetchone()
        return _to_record(row) if row else None

    def store(
        self, record: Record, passages: Sequence[Passage], words: Mapping[str, float] | None = None
    ) -> Stored:
        """Replace a document and its passages and queue the engines' work, in one transaction.

        `words` gives the words that BM25 counts in passages, by id, where that is known already.
        """
        return self.store_all([(record, passages)], words)

    def store_all(
        self,
        documents: Sequence[tuple[Record, Sequence[Passage]]],
        words: Mapping[str, float] | None = None,
    ) -> Stored:
        """The same for several documents, all in one transaction."""
        new = gone = 0
        with self._db.change() as db:
            for record, passages in documents:
                before = _owned_ids(db, record.path)
                db.execute("DELETE FROM owners WHERE path = ?", (record.path,))
                _put_record(db, record)
                new += _put_passages(db, record.path, passages, words or {})
                gone += _drop_orphans(db, before - {passage.id for passage in passages})
        return Stored(new, sum(len(passages) for _, passages in documents) - new, gone)

    def touch(self, record: Record) -> None:
        """Update what is known of a file without changing its passages."""
        with self._db.change() as db:
            _put_record(db, record)

    def rename(self, old: str, new: str) -> None:
        """A file moved: its passages, their ids and what is indexed stay."""
        with self._db.change() as db:
            db.execute("UPDATE documents SET path = ? WHERE path = ?", (new, old))
            db.execute("UPDATE owners SET path = ? WHERE path = ?", (new, old))
            _update_documents(db, _owned_ids(db, new))

    def forget(self, path: str) -> int:
        """Remove a document; how many passages went with it."""
        with self._db.change() as db:
            before = _owned_ids(db, path)
            db.execute("DELETE FROM owners WHERE path = ?", (path,))
            db.execute("DELETE FROM documents WHERE path = ?", (path,))
            return _drop_orphans(db, before)

    # --- roots --------------------------------------------------------------------------

    def roots(self) -> dict[str, str]:
        """The files and folders that were added, each with the collection asked for, or ``."""
        return dict(self._db.read("SELECT path, collection FROM roots ORDER BY path"))

    def add_root(self, path: str, collection: str) -> None:
        """Remember what was added, so that it can be looked at again."""
        self._db.write("INSERT OR REPLACE INTO roots VALUES (?, ?)", [(path, collection)])

    def drop_root(self, path: str) -> None:
        """Forget that this path was added."""
        self._db.write("DELETE FROM roots WHERE path = ?", [(path,)])

    def excluded(self) -> set[str]:
        """Files that were removed by hand from what was added."""
        return {row[0] for row in self._db.read("SELECT path FROM excluded")}

    def exclude(self, path: str) -> None:
        """Leave a file out when what was added is looked at again."""
        self._db.write("INSERT OR IGNORE INTO excluded VALUES (?)", [(path,)])

    def include(self, paths: Sequence[str]) -> None:
        """No longer leave these out."""
        self._db.write("DELETE FROM excluded WHERE path = ?", [(path,) for path in paths])

    # --- passages -----------------------------------------------------------------------

    def get(self, ids: Sequence[str]) -> Mapping[str, Passage]:
        """The passages of these ids; an unknown id is absent."""
        found: dict[str, Passage] = {}
        for start in range(0, len(ids), _BATCH):
            batch = tuple(ids[start : start + _BATCH])
            passages = self._select(f"WHERE p.id IN ({_marks(batch)})", *batch)
            found.update((passage.id, passage) for passage in passages)
        return found

    def _select(self, condition: str, *values: object) -> Iterator[Passage]:
        return map(_to_passage, self._db.read(f"{_SELECT_PASSAGE} {condition}", values))

    def resolve(self, prefix: str) -> Passage:
        """The only passage whose id starts so; none or several is refused."""
        if len(prefix) < 4 or not set(prefix) <= set("0123456789abcdef"):
            raise UsageError(
                f"{prefix!r} is not a passage id; copy one from a search, or its first 4 "
                "characters or more"
            )
        span = (prefix, prefix + "g")  # the first text after every id that starts so
        stored = self._select("WHERE p.id >= ? AND p.id < ? LIMIT 2", *span)
        found = list(stored) or self._made_passages(prefix)
        if not found:
            raise UsageError(f"no passage has the id {prefix!r}; it may have changed or gone")
        if len(found) > 1:
            raise UsageError(f"several passages start with {prefix!r}; give more characters")
        return found[0]

    def keep_made(self, passages: Sequence[Passage]) -> None:
        """Keep passages that a source made for a question, so that they can be shown again.

        While a file is being stored they wait in memory: a question does not wait for a file.
        """
        if not passages:
            return
        with self._saving:
            self._unsaved.update((passage.id, passage) for passage in passages)
            waiting = dict(list(self._unsaved.items())[-_MOST_UNSAVED:])
            self._unsaved = waiting
            with suppress(StoreError), self._db.change(at_once=True) as db:
                rows = [(key, _to_json(passage)) for key, passage in waiting.items()]
                db.executemany("INSERT OR REPLACE INTO made VALUES (?, ?)", rows)
                self._unsaved = {}

    def _made_passages(self, prefix: str) -> list[Passage]:
        """Passages that sources made, whose ids start so."""
        span = (prefix, prefix + "g")
        rows = self._db.read("SELECT passage FROM made WHERE id >= ? AND id < ?", span)
        found = {passage.id: passage for passage in (_from_json(row[0]) for row in rows)}
        unsaved = self._unsaved
        found.update((key, unsaved[key]) for key in unsaved if key.startswith(prefix))
        return list(found.values())

    def of_document(self, path: str) -> list[Passage]:
        """The passages of a document, in their order in it."""
        join = "JOIN owners o ON o.passage = p.id WHERE o.path = ? ORDER BY o.place"
        return list(self._select(join, path))

    def each(self, collection: str) -> Iterator[Passage]:
        """Every passage of a collection, by id."""
        yield from self._select("WHERE p.collection = ? ORDER BY p.id", collection)

    def counts(self) -> dict[str, dict[str, int]]:
        """How many passages of each kind each collection holds."""
        counts: dict[str, dict[str, int]] = {}
        for collection, kind, number in self._db.read(
            "SELECT collection, kind, count(*) FROM passages GROUP BY 1, 2 ORDER BY 1, 2"
        ):
            counts.setdefault(collection, {})[kind] = number
        return counts

    def sample(self, number: int) -> list[Passage]:
        """So many passages from anywhere: the first by their ids, which are digests."""
        return list(self._select("ORDER BY p.id LIMIT ?", number))

    def fingerprint(self) -> str:
        """A digest of the corpus: other passages give another one.

        Ids are derived from content, so the same files give the same one wherever they are.
        """
        digest = hashlib.sha256()
        for (key,) in self._db.read("SELECT id FROM passages ORDER BY id"):
            digest.update(str(key).encode())
        return digest.hexdigest()[:ID_LENGTH]

    def mentions(self, surfaces: Sequence[str]) -> list[Mention]:
        """The names among these surfaces: values of tables, nodes and relations of graphs."""
        rows = self._db.read(
            "SELECT DISTINCT surface, collection, role, field, value FROM names "  # noqa: S608
            f"WHERE surface IN ({_marks(surfaces)}) ORDER BY 1, 2, 3, 4, 5",
            tuple(surfaces),
        )
        return [Mention(*row) for row in rows]

    def names_near(self, words: Sequence[str], limit: int = 500) -> list[str]:
        """Names with a word that begins like one of these, to suggest spellings."""
        found: dict[str, None] = {}
        for word in words:
            start = surface(word)[:2]
            rows = self._db.read(
                "SELECT DISTINCT surface FROM names WHERE surface LIKE ? OR surface LIKE ? "
                "ORDER BY 1 LIMIT ?",
                (f"{start}%", f"% {start}%", limit),
            )
            found.update(dict.fromkeys(row[0].title() for row in rows if start))
        return list(found)

    def values_of(self, field: str) -> list[str]:
        """The different texts that rows have in a field, in order."""
        query = "SELECT DISTINCT value FROM names WHERE role = 'value' AND field = ? ORDER BY 1"
        return [str(row[0]) for row in self._db.read(query, (field,))]

    def has_names(self) -> bool:
        """Whether there is any name that a question could mention."""
        return self._db.read("SELECT 1 FROM names LIMIT 1").fetchone() is not None

    def aliases(self, node: str, collection: str) -> list[str]:
        """Every name under which a node of a collection is known, as a question would spell it."""
        rows = self._db.read(
            "SELECT DISTINCT surface FROM names "
            "WHERE role = 'node' AND value = ? AND collection = ? ORDER BY 1",
            (node, collection),
        )
        return [row[0] for row in rows]

    def fields(self) -> dict[str, frozenset[str]]:
        """The metadata fields that passages of each collection have."""
        found: dict[str, set[str]] = {}
        for collection, name in self._db.read("SELECT collection, name FROM fields"):
            found.setdefault(collection, set()).add(name)
        return {collection: frozenset(names) for collection, names in found.items()}

    def pieces(self, passage: Passage) -> list[Passage]:
        """All passages that were cut from the same larger thing as a passage.

        They share its document, kind and collection, and the first extra part of its locator.
        """
        if not passage.locator.extra:
            return []
        name, number = passage.locator.extra[0]
        condition = (
            "WHERE p.collection = ? AND p.kind = ? AND p.document = ?"
            " AND json_extract(p.locator, ?) = ?"
        )
        whole = (passage.collection, passage.kind, passage.document, f"$.{name}", number)
        return list(self._select(condition, *whole))

    def table_of(self, passage: Passage) -> list[Passage]:
        """The rows of the table that a passage is one of, in order; of a long one those nearby."""
        locator = passage.locator
        if locator.table is None:
            return []
        condition = (
            "WHERE p.id IN (SELECT passage FROM owners WHERE path = ?)"
            " AND p.collection = ? AND p.kind = ? AND json_extract(p.locator, '$.table') = ?"
            " ORDER BY abs(coalesce(json_extract(p.locator, '$.row'), 0) - ?), p.id LIMIT ?"
        )
        table = (passage.document, passage.collection, passage.kind, locator.table)
        rows = self._select(condition, *table, locator.row or 0, MOST_TABLE_ROWS)
        return sorted(rows, key=lambda row: (row.locator.row or 0, row.locator.part or 0, row.id))

    def with_phrase(self, phrase: str, limit: int) -> list[Passage]:
        """Passages whose title or text has the words of a phrase in order, perhaps with others.

        It scans every passage, so it is for the few questions that quote; the caller checks the
        exact words.
        """
        words = re.findall(r"\w+", phrase)
        if not words:
            return []
        # LIKE ignores case for ASCII alone: any other letter may be any letter
        plain = "%".join(words).encode("ascii", "replace").decode().replace("?", "_")
        like = f"%{plain}%"
        condition = "WHERE p.text LIKE ? OR p.title LIKE ? ORDER BY p.id LIMIT ?"
        return list(self._select(condition, like, like, limit))

    # --- the queue of engines -----------------------------------------------------------

    def pending(self, limit: int) -> list[Pending]:
        """The next passages to remove or write, removals first."""
        rows = self._db.read(
            "SELECT id, collection, action FROM pending ORDER BY action, collection, id LIMIT ?",
            (limit,),
        )
        return [Pending(*row) for row in rows]

    def to_write(self, collection: str, limit: int, *, after: str = "") -> list[Passage]:
        """The next passages of a collection that engines have yet to write, by id."""
        query = (
            "SELECT id FROM pending WHERE id > ? AND collection = ? AND action = 'write' "
            "ORDER BY id LIMIT ?"
        )
        rows = self._db.read(query, (after, collection, limit)).fetchall()
        ids = [row[0] for row in rows]
        found = self.get(ids)
        return [found[key] for key in ids if key in found]

    def pending_count(self) -> int:
        """How many passages engines have yet to write or remove."""
        return int(self._db.read("SELECT count(*) FROM pending").fetchone()[0])

    def is_pending(self, key: str) -> bool:
        """Whether engines have yet to write or remove this passage."""
        return bool(self._db.read("SELECT 1 FROM pending WHERE id = ?", (key,)).fetchone())

    def pending_collections(self) -> list[str]:
        """The collections in which engines have something to write."""
        rows = self._db.read(
            "SELECT DISTINCT collection FROM pending WHERE action = 'write' ORDER BY 1"
        )
        return [row[0] for row in rows]

    def settle(self, done: Sequence[Pending]) -> None:
        """Take off what engines have done. What changed again in the meantime stays pending."""
        rows = [(item.id, item.action) for item in done]
        self._db.write("DELETE FROM pending WHERE id = ? AND action = ?", rows)

    def start_over(self, purpose: str = "") -> int:
        """Have every file read and every passage written again; how many passages there are.

        With a `purpose`, such as a model, the same again changes nothing until all is done: a run
        that was killed goes on where it stopped.
        """
        if purpose and self.fact("rebuild") == purpose:
            return self.pending_count()
        with self._db.change() as db:
            db.execute("DELETE FROM pending")
            db.execute("INSERT INTO pending SELECT id, collection, 'write' FROM passages")
            db.execute("DELETE FROM meta WHERE key NOT IN ('format')")
            db.execute("UPDATE passages SET words = NULL")
            db.execute("DELETE FROM made")
            db.execute("INSERT INTO meta VALUES ('wipe', 'yes')")
            db.execute("INSERT INTO meta VALUES ('rebuild', ?)", (purpose,))
            unread = "UPDATE documents SET sha256 = '', mtime_ns = -1 WHERE path NOT LIKE ?"
            db.execute(unread, (f"{MEMORY}%",))
        return self.pending_count()

    def end_rebuild(self) -> None:
        """Note that all was read and written again, if it was."""
        unread = "SELECT 1 FROM documents WHERE mtime_ns = -1 AND status IN ('ok', 'empty') LIMIT 1"
        if not self.pending_count() and self._db.read(unread).fetchone() is None:
            self.drop_fact("rebuild")

    def queue(self, ids: Sequence[str], collection: str, action: Action) -> None:
        """Have engines write or remove these passages again."""
        rows = [(key, collection, action) for key in ids]
        self._db.write("INSERT OR REPLACE INTO pending VALUES (?, ?, ?)", rows)

    def settled(self, collection: str, kinds: Sequence[str] = ()) -> int:
        """How many of a collection's passages, of these kinds, engines should have by now."""
        rows = self._db.read(_SETTLED.format("count(*)") + " GROUP BY kind", (collection,))
        return sum(number for number, kind in rows if not kinds or kind in kinds)

    def ids(self, collection: str, kinds: Sequence[str] = ()) -> set[str]:
        """The ids of a collection's passages, of these kinds, that engines should have by now."""
        rows = self._db.read(_SETTLED.format("id"), (collection,))
        return {key for key, kind in rows if not kinds or kind in kinds}

    # --- facts --------------------------------------------------------------------------

    def fact(self, key: str) -> str:
        """A remembered fact, such as the model that made the store; empty when unknown."""
        row = self._db.read("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def set_fact(self, key: str, value: str) -> None:
        """Remember a fact."""
        self._db.write("INSERT OR REPLACE INTO meta VALUES (?, ?)", [(key, value)])

    def drop_fact(self, key: str) -> None:
        """Forget a fact."""
        self._db.write("DELETE FROM meta WHERE key = ?", [(key,)])

    def count_words(self, counts: Mapping[str, int]) -> None:
        """Remember how many words BM25 counts in passages, by id."""
        rows = [(words, key) for key, words in counts.items()]
        self._db.write("UPDATE passages SET words = ? WHERE id = ?", rows)

    def uncounted(self, collection: str, limit: int) -> list[Passage]:
        """Passages of a collection whose words were not counted yet."""
        return list(
            self._select("WHERE p.collection = ? AND p.words IS NULL LIMIT ?", collection, limit)
        )

    def mean_words(self, collection: str, kinds: Sequence[str] = ()) -> float:
        """Words in the mean passage of a collection, of these kinds; 1 when there is none."""
        only = f"AND kind IN ({_marks(kinds)})" if kinds else ""
        query = f"SELECT avg(words) FROM passages WHERE collection = ? {only}"  # noqa: S608
        row = self._db.read(query, (collection, *kinds))
        return float(row.fetchone()[0] or 1.0)

    def close(self) -> None:
        """Close every connection; the catalogue is not used afterwards."""
        self._db.close()


# --- rows -------------------------------------------------------------------------------

_Row = tuple[str, str, str, str, str, str, str, str, str, float | None]


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _owned_ids(db: sqlite3.Connection, path: str) -> set[str]:
    """The ids of the passages that a document owns."""
    return {row[0] for row in db.execute("SELECT passage FROM owners WHERE path = ?", (path,))}


def _to_record(row: Sequence[Any]) -> Record:
    values = dict(zip(_RECORD, row, strict=True))
    return Record(**{**values, "notes": tuple(json.loads(values["notes"]))})


def _put_record(db: sqlite3.Connection, record: Record) -> None:
    values = asdict(record) | {"notes": json.dumps(record.notes)}
    columns = [values[name] for name in _RECORD[:-1]]
    db.execute(f"INSERT OR REPLACE INTO documents VALUES ({_marks(columns)})", columns)  # noqa: S608


def _put_passages(
    db: sqlite3.Connection, path: str, passages: Sequence[Passage], words: Mapping[str, float]
) -> int:
    """Write the passages of a document, with the words counted in them; how many were new.

    They are written in the order of their ids, in which the table is kept: a large document then
    fills it from end to end instead of all over.
    """
    new = 0
    order = sorted(range(len(passages)), key=lambda at: passages[at].id)
    for start in range(0, len(order), _BATCH):
        batch = {passages[at].id: (at, passages[at]) for at in order[start : start + _BATCH]}
        owners = [(key, path, at) for key, (at, _) in batch.items()]
        query = f"SELECT id, search, locator FROM passages WHERE id IN ({_marks(owners)})"  # noqa: S608
        known = {key: (search, locator) for key, search, locator in db.execute(query, list(batch))}
        rows = {key: _to_row(passage, path, words.get(key)) for key, (_, passage) in batch.items()}
        db.executemany("INSERT OR IGNORE INTO owners VALUES (?, ?, ?)", owners)
        fresh = [passage for key, (_, passage) in batch.items() if key not in known]
        _insert_passages(db, fresh, [rows[passage.id] for passage in fresh])
        # Text and metadata decide an id; what is searched and the place may differ under one.
        moved = [rows[key] for key, before in known.items() if before != rows[key][6:8]]
        _update_documents(db, set(known))
        db.executemany(
            "UPDATE passages SET search = ?, locator = ? WHERE id = ?",
            [(row[6], row[7], row[0]) for row in moved],
        )
        written = [(passage.id, passage.collection) for passage in fresh] + [
            row[:2] for row in moved
        ]
        db.executemany("INSERT OR REPLACE INTO pending VALUES (?, ?, 'write')", written)
        new += len(fresh)
    return new


def _insert_passages(
    db: sqlite3.Connection, passages: Sequence[Passage], rows: Sequence[_Row]
) -> None:
    db.executemany("INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    names = [
        (name.surface, passage.collection, name.role, name.field, name.value, passage.id)
        for passage in passages
        for name in names_of(passage)
    ]
    db.executemany("INSERT OR IGNORE INTO names VALUES (?, ?, ?, ?, ?, ?)", names)
    fields = {(passage.collection, name) for passage in passages for name in passage.metadata}
    db.executemany("INSERT OR IGNORE INTO fields VALUES (?, ?)", sorted(fields))


def _update_documents(db: sqlite3.Connection, ids: set[str]) -> None:
    """A passage that several documents own is cited from the first of them by path."""
    db.executemany(
        "UPDATE passages SET document = (SELECT min(path) FROM owners WHERE passage = passages.id)"
        " WHERE id = ?",
        [(key,) for key in ids],
    )


def _drop_orphans(db: sqlite3.Connection, ids: set[str]) -> int:
    """Drop those of the passages that no document owns any more; how many."""
    gone = 0
    for key in ids:
        if db.execute("SELECT 1 FROM owners WHERE passage = ?", (key,)).fetchone():
            _update_documents(db, {key})
            continue
        db.execute(
            "INSERT OR REPLACE INTO pending SELECT id, collection, 'remove' FROM passages "
            "WHERE id = ?",
            (key,),
        )
        db.execute("DELETE FROM passages WHERE id = ?", (key,))
        db.execute("DELETE FROM names WHERE passage = ?", (key,))
        gone += 1
    if gone:
        db.execute("DELETE FROM made")  # what was made of them may be out of date
    return gone


def _to_row(passage: Passage, path: str, words: float | None) -> _Row:
    return (
        passage.id,
        passage.collection,
        path,
        passage.kind,
        passage.title,
        passage.text,
        passage.search,
        _encode_json(passage.locator.parts()),
        _encode_json(dict(passage.metadata)) if passage.metadata else "{}",
        words,
    )


def _to_passage(row: Sequence[str]) -> Passage:
    key, collection, document, kind, title, text, search, locator, metadata = row
    return Passage(
        id=key,
        collection=collection,
        document=document,
        kind=kind,
        title=title,
        text=text,
        search=search,
        locator=Locator.of(json.loads(locator)) if locator != "{}" else Locator(),
        metadata=_to_metadata(json.loads(metadata)) if metadata != "{}" else {},
    )


def _from_json(text: str) -> Passage:
    values = json.loads(text)
    locator = Locator.of(values.pop("locator"))
    metadata = _to_metadata(values.pop("metadata"))
    return Passage(**values, locator=locator, metadata=metadata)


def _to_json(passage: Passage) -> str:
    return json.dumps({**asdict(passage), "locator": passage.locator.parts()})


def _to_metadata(values: dict[str, Any]) -> dict[str, Value]:
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
