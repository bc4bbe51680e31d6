"""How do documents and passages stand in the catalogue's rows?"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from consilience.names import Name, names_of
from consilience.types import Locator, Passage, Value

_SOME = 500  # passages written at a time
_Row = tuple[str, str, str, str, str, str, str, str, str, float | None]
_dumped = json.JSONEncoder(ensure_ascii=False).encode
SELECT_PASSAGE = """
SELECT p.id, p.collection, p.document, p.kind, p.title, p.text, p.search, p.locator, p.metadata
FROM passages p
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is known of one file: where it is, what was read from it, and how that went."""

    path: str
    collection: str
    loader: str
    version: int
    sha256: str = ""
    size: int = 0
    mtime_ns: int = 0
    title: str = ""
    status: Literal["ok", "failed"] = "ok"
    reason: str = ""
    notes: tuple[str, ...] = ()
    passages: int = 0


def owned(db: sqlite3.Connection, path: str) -> list[tuple[str]]:
    """The ids of the passages that a document owns."""
    return db.execute("SELECT passage FROM owners WHERE path = ?", (path,)).fetchall()


def record_of(row: Sequence[str]) -> Record:
    """A document's row as a value."""
    path, collection, sha256, size, mtime, loader, version, title, status, reason, notes, n = row
    return Record(
        path=path,
        collection=collection,
        sha256=sha256,
        size=int(size),
        mtime_ns=int(mtime),
        loader=loader,
        version=int(version),
        title=title,
        status="ok" if status == "ok" else "failed",
        reason=reason,
        notes=tuple(json.loads(notes)),
        passages=int(n),
    )


def put_record(db: sqlite3.Connection, record: Record) -> None:
    """Write a document's row."""
    values = asdict(record) | {"notes": json.dumps(record.notes)}
    del values["passages"]
    names = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    db.execute(f"INSERT OR REPLACE INTO documents ({names}) VALUES ({marks})", values)  # noqa: S608


def below(path: str, root: str) -> bool:
    """Whether a catalogue name lies at or below another; `.` is the workspace itself."""
    if root == ".":
        return not Path(path).is_absolute()
    return path == root or path.startswith(root.rstrip("/") + "/")


def put_passages(
    db: sqlite3.Connection, path: str, passages: Sequence[Passage], words: Mapping[str, float]
) -> int:
    """Write the passages of a document, with the words known of them; how many were new.

    They are written in the order of their ids, in which the table is kept: a large document
    then fills it from end to end instead of all over.
    """
    new = 0
    order = sorted(range(len(passages)), key=lambda at: passages[at].id)
    for start in range(0, len(order), _SOME):
        some = {passages[at].id: (at, passages[at]) for at in order[start : start + _SOME]}
        owners = [(key, path, at) for key, (at, _) in some.items()]
        known = _known(db, list(some))
        rows = {key: _row(one, path, words.get(key)) for key, (_, one) in some.items()}
        db.executemany("INSERT OR IGNORE INTO owners VALUES (?, ?, ?)", owners)
        fresh = [one for key, (_, one) in some.items() if key not in known]
        _insert(db, fresh, [rows[one.id] for one in fresh])
        moved = [rows[key] for key, before in known.items() if before != rows[key][6:8]]
        _refresh(db, set(known), moved)
        written = [(one.id, one.collection) for one in fresh] + [row[:2] for row in moved]
        db.executemany("INSERT OR REPLACE INTO pending VALUES (?, ?, 'write')", written)
        new += len(fresh)
    return new


def _known(db: sqlite3.Connection, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
    """What may change of the passages that are there already: what is searched, their place."""
    marks = ",".join("?" * len(ids))
    query = f"SELECT id, search, locator FROM passages WHERE id IN ({marks})"  # noqa: S608
    return {key: (search, locator) for key, search, locator in db.execute(query, ids)}


def _insert(db: sqlite3.Connection, passages: Sequence[Passage], rows: Sequence[_Row]) -> None:
    db.executemany("INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    names = [_name(one, name) for one in passages for name in names_of(one)]
    db.executemany("INSERT OR IGNORE INTO names VALUES (?, ?, ?, ?, ?, ?)", names)
    fields = {(one.collection, name) for one in passages for name in one.metadata}
    db.executemany("INSERT OR IGNORE INTO fields VALUES (?, ?)", sorted(fields))


def _name(one: Passage, name: Name) -> tuple[str, ...]:
    return (name.surface, one.collection, name.role, name.field, name.value, one.id)


def _refresh(db: sqlite3.Connection, known: set[str], moved: Sequence[_Row]) -> None:
    """Bring known passages up to date where their ids leave room: number, what is searched."""
    name_documents(db, known)
    db.executemany(
        "UPDATE passages SET search = ?, locator = ? WHERE id = ?",
        [(row[6], row[7], row[0]) for row in moved],
    )


def name_documents(db: sqlite3.Connection, ids: set[str]) -> None:
    """A passage that several documents own is cited from the first of them by path."""
    db.executemany(
        "UPDATE passages SET document = (SELECT min(path) FROM owners WHERE passage = passages.id)"
        " WHERE id = ?",
        [(one,) for one in ids],
    )


def drop_orphans(db: sqlite3.Connection, ids: set[str]) -> int:
    """Drop those of the passages that no document owns any more; how many."""
    gone = 0
    for one in ids:
        if db.execute("SELECT 1 FROM owners WHERE passage = ?", (one,)).fetchone():
            name_documents(db, {one})
            continue
        db.execute(
            "INSERT OR REPLACE INTO pending SELECT id, collection, 'remove' FROM passages "
            "WHERE id = ?",
            (one,),
        )
        db.execute("DELETE FROM passages WHERE id = ?", (one,))
        db.execute("DELETE FROM names WHERE passage = ?", (one,))
        gone += 1
    if gone:
        db.execute("DELETE FROM made")  # what was made of them may be out of date
    return gone


def _row(one: Passage, path: str, words: float | None) -> _Row:
    return (
        one.id,
        one.collection,
        path,
        one.kind,
        one.title,
        one.text,
        one.search,
        _place(one.locator),
        _dumped(dict(one.metadata)) if one.metadata else "{}",
        words,
    )


def _place(locator: Locator) -> str:
    """A locator as JSON, without what it does not say."""
    return _dumped(locator.parts())


def passage_of(row: Sequence[str]) -> Passage:
    """A passage's row as a value."""
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
        metadata=_metadata(json.loads(metadata)) if metadata != "{}" else {},
    )


def passage_from_json(text: str) -> Passage:
    """A passage that was kept as JSON."""
    values = json.loads(text)
    locator = Locator.of(values.pop("locator"))
    metadata = _metadata(values.pop("metadata"))
    return Passage(**values, locator=locator, metadata=metadata)


def _metadata(values: dict[str, Any]) -> dict[str, Value]:
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
