"""What does a journal hold? Every question with what was shown and done, oldest first."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from consilience.errors import StoreError
from consilience.journal.file import open_to_read


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage that was shown; its place is that in the list."""

    passage: str
    kind: str
    collection: str


@dataclass(frozen=True, slots=True)
class Reacted:
    """What somebody did, first at this time; `passage` is empty for the answer as a whole."""

    kind: str
    passage: str
    value: float
    time: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A question, in seconds since 1970, with what was shown and the reactions, first one first.

    `settings` is the digest of those it was answered with, `kept` what the answer cites.
    """

    key: str
    time: float
    text: str
    filters: tuple[str, ...]
    collections: tuple[str, ...]
    bucket: str
    forced: bool
    settings: str
    shown: tuple[Shown, ...]
    kept: tuple[str, ...]
    abstained: bool
    ms: float
    reactions: tuple[Reacted, ...]


def entries_in(path: Path) -> Iterator[Entry]:
    """Every question of a journal as it is at this moment, one after the other."""
    with closing(open_to_read(path)) as db:
        try:
            db.execute("BEGIN")  # one moment for all that is read
            yield from _entries(db)
        except (sqlite3.Error, ValueError) as error:
            raise _damaged(path, error) from error


def settings_in(path: Path) -> dict[str, Mapping[str, Any]]:
    """By digest: the settings, so far as they are not the default."""
    with closing(open_to_read(path)) as db:
        try:
            rows = db.execute("SELECT digest, told FROM settings").fetchall()
            return {digest: json.loads(told) for digest, told in rows}
        except (sqlite3.Error, ValueError) as error:
            raise _damaged(path, error) from error


def _entries(db: sqlite3.Connection) -> Iterator[Entry]:
    every = db.execute(
        "SELECT question, kind, passage, value, time FROM reactions ORDER BY question, time"
    )
    grouped = groupby(every, key=lambda row: row[0])
    of, group = next(grouped, (None, iter(())))
    for row in db.execute("SELECT * FROM questions ORDER BY number"):
        while of is not None and of < row[0]:
            of, group = next(grouped, (None, iter(())))
        done = tuple(Reacted(*one[1:]) for one in group) if of == row[0] else ()
        yield _entry(row, done)


def _entry(row: tuple[Any, ...], reactions: tuple[Reacted, ...]) -> Entry:
    _, key, time, text, filters, collections, bucket, forced, settings, shown, kept, *rest = row
    abstained, ms = rest
    return Entry(
        key=key,
        time=time,
        text=text,
        filters=tuple(json.loads(filters)),
        collections=tuple(json.loads(collections)),
        bucket=bucket,
        forced=bool(forced),
        settings=settings,
        shown=tuple(Shown(*one) for one in json.loads(shown)),
        kept=tuple(json.loads(kept)),
        abstained=bool(abstained),
        ms=ms,
        reactions=reactions,
    )


def _damaged(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"cannot read the journal {path}: {error}; move it away, and a new one is begun"
    )
