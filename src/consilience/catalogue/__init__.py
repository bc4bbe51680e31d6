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

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from consilience.catalogue import cited, named, whole
from consilience.catalogue.database import Database
from consilience.catalogue.made import Made
from consilience.catalogue.rows import (
    SELECT_PASSAGE,
    Record,
    below,
    drop_orphans,
    name_documents,
    owned,
    passage_of,
    put_passages,
    put_record,
    record_of,
)
from consilience.errors import UsageError
from consilience.names import Mention
from consilience.types import ID_LENGTH, Passage

__all__ = ["Catalogue", "Pending", "Record", "Stored", "below"]

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

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._db = Database(path, read_only=read_only)
        self._made = Made(self._db)

    # --- documents ----------------------------------------------------------------------

    def documents(self, under: str = "") -> list[Record]:
        """Every document, by path; with `under`, that path itself and what lies below it."""
        rows = self._db.read(
            "SELECT d.*, (SELECT count(*) FROM owners o WHERE o.path = d.path) "
            "FROM documents d ORDER BY d.path"
        )
        return [one for one in map(record_of, rows) if not under or below(one.path, under)]

    def document(self, path: str) -> Record | None:
        """The document at this path, if it is known."""
        row = self._db.read(
            "SELECT d.*, (SELECT count(*) FROM owners o WHERE o.path = d.path) "
            "FROM documents d WHERE d.path = ?",
            (path,),
        ).fetchone()
        return record_of(row) if row else None

    def store(
        self, record: Record, passages: Sequence[Passage], words: Mapping[str, float] | None = None
    ) -> Stored:
        """Replace a document and its passages, and note what engines have to do, at once.

        `words` says how many words BM25 counts in passages, by id, where that is known already.
        """
        with self._db.change() as db:
            before = {row[0] for row in owned(db, record.path)}
            db.execute("DELETE FROM owners WHERE path = ?", (record.path,))
            put_record(db, record)
            new = put_passages(db, record.path, passages, words or {})
            gone = drop_orphans(db, before - {one.id for one in passages})
        return Stored(new, len(passages) - new, gone)

    def touch(self, record: Record) -> None:
        """Update what is known of a file without changing its passages."""
        with self._db.change() as db:
            put_record(db, record)

    def rename(self, old: str, new: str) -> None:
        """A file moved: its passages, their ids and what is indexed stay."""
        with self._db.change() as db:
            db.execute("UPDATE documents SET path = ? WHERE path = ?", (new, old))
            db.execute("UPDATE owners SET path = ? WHERE path = ?", (new, old))
            name_documents(db, {row[0] for row in owned(db, new)})

    def forget(self, path: str) -> int:
        """Remove a document; how many passages went with it."""
        with self._db.change() as db:
            before = {row[0] for row in owned(db, path)}
            db.execute("DELETE FROM owners WHERE path = ?", (path,))
            db.execute("DELETE FROM documents WHERE path = ?", (path,))
            return drop_orphans(db, before)

    # --- roots --------------------------------------------------------------------------

    def roots(self) -> dict[str, str]:
        """The files and folders that were added, with the collection asked for or ``."""
        return dict(self._db.read("SELECT path, collection FROM roots ORDER BY path"))

    def add_root(self, path: str, collection: str) -> None:
        """Remember what was added, so that it can be looked at again."""
        with self._db.change() as db:
            db.execute("INSERT OR REPLACE INTO roots VALUES (?, ?)", (path, collection))

    def drop_root(self, path: str) -> None:
        """Forget that this path was added."""
        with self._db.change() as db:
            db.execute("DELETE FROM roots WHERE path = ?", (path,))

    def excluded(self) -> set[str]:
        """Files that were removed by hand from what was added."""
        return {row[0] for row in self._db.read("SELECT path FROM excluded")}

    def exclude(self, path: str) -> None:
        """Leave a file out when what was added is looked at again."""
        with self._db.change() as db:
            db.execute("INSERT OR IGNORE INTO excluded VALUES (?)", (path,))

    def include(self, paths: Sequence[str]) -> None:
        """These were asked for again."""
        with self._db.change() as db:
            db.executemany("DELETE FROM excluded WHERE path = ?", [(path,) for path in paths])

    # --- passages -----------------------------------------------------------------------

    def get(self, ids: Sequence[str]) -> Mapping[str, Passage]:
        """The passages of these ids; an unknown id is absent."""
        found: dict[str, Passage] = {}
        for start in range(0, len(ids), 500):
            some = tuple(ids[start : start + 500])
            marks = ",".join("?" * len(some))
            rows = self._db.read(f"{SELECT_PASSAGE} WHERE p.id IN ({marks})", some)
            found.update((row[0], passage_of(row)) for row in rows)
        return found

    def resolve(self, prefix: str) -> Passage:
        """The one passage whose id starts so; none or several is refused."""
        if len(prefix) < 4 or not set(prefix) <= set("0123456789abcdef"):
            raise UsageError(
                f"{prefix!r} is not a passage id; copy one from a search, or its first 4 "
                "characters or more"
            )
        span = (prefix, prefix + "g")  # the first text after every id that starts so
        rows = self._db.read(f"{SELECT_PASSAGE} WHERE p.id >= ? AND p.id < ? LIMIT 2", span)
        found = [passage_of(row) for row in rows] or self._made.starting(prefix)
        if not found:
            raise UsageError(f"no passage has the id {prefix!r}; it may have changed or gone")
        if len(found) > 1:
            raise UsageError(f"several passages start with {prefix!r}; give more characters")
        return found[0]

    def keep_made(self, passages: Sequence[Passage]) -> None:
        """Keep passages that a source made for a question, so that they can be shown again."""
        self._made.keep(passages)

    def each(self, collection: str) -> Iterator[Passage]:
        """Every passage of a collection, by id."""
        query = f"{SELECT_PASSAGE} WHERE p.collection = ? ORDER BY p.id"
        yield from (passage_of(row) for row in self._db.read(query, (collection,)))

    def counts(self) -> dict[str, dict[str, int]]:
        """How many passages of each kind each collection holds."""
        counts: dict[str, dict[str, int]] = {}
        for collection, kind, number in self._db.read(
            "SELECT collection, kind, count(*) FROM passages GROUP BY 1, 2 ORDER BY 1, 2"
        ):
            counts.setdefault(collection, {})[kind] = number
        return counts

    def headings(self, among: int) -> list[str]:
        """The headings under which passages stand, of so many passages that stand first by id."""
        query = (
            "SELECT DISTINCT json_extract(locator, '$.section[#-1]') FROM "
            "(SELECT locator FROM passages ORDER BY id LIMIT ?)"
        )
        return [str(row[0]) for row in self._db.read(query, (among,)) if row[0]]

    def fingerprint(self) -> str:
        """What the corpus holds, as a few digits: other passages give another one.

        Ids are derived from content, so the same files give the same wherever they lie.
        """
        digest = hashlib.sha256()
        for (key,) in self._db.read("SELECT id FROM passages ORDER BY id"):
            digest.update(str(key).encode())
        return digest.hexdigest()[:ID_LENGTH]

    def mentions(self, surfaces: Sequence[str]) -> list[Mention]:
        """The names among these surfaces: values of tables, nodes and relations of graphs."""
        marks = ",".join("?" * len(surfaces))
        rows = self._db.read(
            "SELECT DISTINCT surface, collection, role, field, value FROM names "  # noqa: S608
            f"WHERE surface IN ({marks}) ORDER BY 1, 2, 3, 4, 5",
            tuple(surfaces),
        )
        return [Mention(*row) for row in rows]

    def names_near(self, words: Sequence[str], limit: int = 500) -> list[str]:
        """Names with a word that begins like one of these, to see how they are spelt here."""
        return named.near(self._db, words, limit)

    def values_of(self, field: str) -> list[str]:
        """The different texts that rows have in a field."""
        return named.values_of(self._db, field)

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
        """All pieces of the game that a passage is one of."""
        return whole.pieces(self._db, passage)

    def table_of(self, passage: Passage) -> list[Passage]:
        """The rows of the table that a passage is one of, in order; of a long one those nearby."""
        return whole.table_of(self._db, passage)

    def citations(self) -> tuple[dict[str, str], list[tuple[str, str]]]:
        """The key of the paper that each document is, and who cites whom, by their keys."""
        return cited.works(self._db), cited.citations(self._db)

    def with_phrase(self, phrase: str, limit: int) -> list[Passage]:
        """Passages whose title or text has the words of a phrase in order, perhaps with others.

        Reads every passage, so it is for the few questions that quote; the caller looks closer.
        """
        words = re.findall(r"\w+", phrase)
        if not words:
            return []
        # LIKE ignores case for ASCII alone: any other letter may be any letter
        plain = "%".join(words).encode("ascii", "replace").decode().replace("?", "_")
        like = f"%{plain}%"
        query = f"{SELECT_PASSAGE} WHERE p.text LIKE ? OR p.title LIKE ? ORDER BY p.id LIMIT ?"
        return [passage_of(row) for row in self._db.read(query, (like, like, limit))]

    # --- what engines have to do --------------------------------------------------------

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
        """Engines have done this. What changed again in the meantime stays pending."""
        with self._db.change() as db:
            rows = [(one.id, one.action) for one in done]
            db.executemany("DELETE FROM pending WHERE id = ? AND action = ?", rows)

    def start_over(self) -> int:
        """Have every passage written again, as after a change of model; how many there are."""
        with self._db.change() as db:
            db.execute("DELETE FROM pending")
            db.execute("INSERT INTO pending SELECT id, collection, 'write' FROM passages")
            db.execute("DELETE FROM meta WHERE key NOT IN ('format')")
            db.execute("UPDATE passages SET words = NULL")
            db.execute("DELETE FROM made")
            db.execute("INSERT INTO meta VALUES ('wipe', 'yes')")
        return self.pending_count()

    def queue(self, ids: Sequence[str], collection: str, action: Action) -> None:
        """Have engines write or remove these passages again."""
        with self._db.change() as db:
            rows = [(one, collection, action) for one in ids]
            db.executemany("INSERT OR REPLACE INTO pending VALUES (?, ?, ?)", rows)

    def settled(self, collection: str, kinds: Sequence[str] = ()) -> int:
        """How many of a collection's passages, of these kinds, engines should have by now."""
        rows = self._db.read(
            "SELECT kind, count(*) FROM passages WHERE collection = ? "
            "AND id NOT IN (SELECT id FROM pending) GROUP BY 1",
            (collection,),
        )
        return sum(number for kind, number in rows if not kinds or kind in kinds)

    def ids(self, collection: str, kinds: Sequence[str] = ()) -> set[str]:
        """The ids of a collection's passages, of these kinds, that engines should have by now."""
        rows = self._db.read(
            "SELECT id, kind FROM passages WHERE collection = ? "
            "AND id NOT IN (SELECT id FROM pending)",
            (collection,),
        )
        return {key for key, kind in rows if not kinds or kind in kinds}

    # --- facts --------------------------------------------------------------------------

    def fact(self, key: str) -> str:
        """A remembered fact, such as the model that made the store; empty when unknown."""
        row = self._db.read("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def set_fact(self, key: str, value: str) -> None:
        """Remember a fact."""
        with self._db.change() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def drop_fact(self, key: str) -> None:
        """Forget a fact."""
        with self._db.change() as db:
            db.execute("DELETE FROM meta WHERE key = ?", (key,))

    def count_words(self, counts: Mapping[str, int]) -> None:
        """Remember how many words BM25 counts in passages, by id."""
        with self._db.change() as db:
            rows = [(words, key) for key, words in counts.items()]
            db.executemany("UPDATE passages SET words = ? WHERE id = ?", rows)

    def uncounted(self, collection: str, limit: int) -> list[Passage]:
        """Passages of a collection whose words were not counted yet."""
        query = f"{SELECT_PASSAGE} WHERE p.collection = ? AND p.words IS NULL LIMIT ?"
        return [passage_of(row) for row in self._db.read(query, (collection, limit))]

    def mean_words(self, collection: str, kinds: Sequence[str] = ()) -> float:
        """Words in the mean passage of a collection, of these kinds; 1 when there is none."""
        only = f"AND kind IN ({','.join('?' * len(kinds))})" if kinds else ""
        query = f"SELECT avg(words) FROM passages WHERE collection = ? {only}"  # noqa: S608
        row = self._db.read(query, (collection, *kinds))
        return float(row.fetchone()[0] or 1.0)

    def close(self) -> None:
        """Close every connection; the catalogue is not used afterwards."""
        self._db.close()
