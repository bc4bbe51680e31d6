"""How do documents and passages stand in the catalogue's rows?"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from consilience.names import Name, names_of
from consilience.types import Locator, Passage, Value

SELECT_PASSAGE = """
SELECT p.id, p.collection, p.document, p.kind, p.title, p.text, p.search, p.locator, p.metadata
FROM passages p
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is known of one file: where it is, what was read from it, and how that went."""

    path: str
    collection: str
    sha256: str
    size: int
    mtime_ns: int
    loader: str
    version: int
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


def put_passages(db: sqlite3.Connection, path: str, passages: Sequence[Passage]) -> int:
    """Write the passages of a document; how many were not known before."""
    new = 0
    for place, one in enumerate(passages):
        db.execute("INSERT OR IGNORE INTO owners VALUES (?, ?, ?)", (one.id, path, place))
        row = _row(one, path)
        inserted = db.execute(
            "INSERT OR IGNORE INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)", row
        ).rowcount
        if inserted:
            new += 1
            _put_names(db, one.id, one.collection, names_of(one))
            fields = [(one.collection, name) for name in one.metadata]
            db.executemany("INSERT OR IGNORE INTO fields VALUES (?, ?)", fields)
        elif not _refresh(db, one, row):
            continue
        pending = (one.id, one.collection)
        db.execute("INSERT OR REPLACE INTO pending VALUES (?, ?, 'write')", pending)
    return new


def _refresh(db: sqlite3.Connection, one: Passage, row: tuple[str, ...]) -> bool:
    """Bring a known passage up to date where its id leaves room: its number, what is searched."""
    name_documents(db, {one.id})
    changed = db.execute(
        "UPDATE passages SET search = ?, locator = ? "
        "WHERE id = ? AND (search <> ? OR locator <> ?)",
        (row[6], row[7], one.id, row[6], row[7]),
    ).rowcount
    return bool(changed)


def _put_names(db: sqlite3.Connection, passage: str, collection: str, names: list[Name]) -> None:
    rows = [(one.surface, collection, one.role, one.field, one.value, passage) for one in names]
    db.executemany("INSERT OR IGNORE INTO names VALUES (?, ?, ?, ?, ?, ?)", rows)


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


def _row(one: Passage, path: str) -> tuple[str, ...]:
    locator = {name: value for name, value in asdict(one.locator).items() if value}
    return (
        one.id,
        one.collection,
        path,
        one.kind,
        one.title,
        one.text,
        one.search,
        json.dumps(locator, ensure_ascii=False),
        json.dumps(dict(one.metadata), ensure_ascii=False),
    )


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
        locator=_locator(json.loads(locator)) if locator != "{}" else Locator(),
        metadata=_metadata(json.loads(metadata)) if metadata != "{}" else {},
    )


def passage_from_json(text: str) -> Passage:
    """A passage that was kept as JSON."""
    values = json.loads(text)
    locator = _locator(values.pop("locator"))
    metadata = _metadata(values.pop("metadata"))
    return Passage(**values, locator=locator, metadata=metadata)


def _locator(values: dict[str, object]) -> Locator:
    section = values.pop("section", None) or ()
    return Locator(section=tuple(section), **values)  # type: ignore[arg-type]


def _metadata(values: dict[str, Any]) -> dict[str, Value]:
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
