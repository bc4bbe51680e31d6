"""How is a journal's file opened? SQLite, in one format, readable while it is written.

What people ask is nobody else's business: the file is readable by its owner's account alone.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from consilience.errors import StoreError, UsageError

JOURNAL = "journal.db"
FORMAT = 1
PATIENCE_S = 1.0
"""How long a writer waits for the file before it goes on without."""
_PATIENT_S = 30.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS settings (digest TEXT PRIMARY KEY, told TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS questions (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, time REAL NOT NULL, text TEXT NOT NULL,
    filters TEXT NOT NULL, collections TEXT NOT NULL, bucket TEXT NOT NULL,
    forced INTEGER NOT NULL, settings TEXT NOT NULL, shown TEXT NOT NULL, kept TEXT NOT NULL,
    abstained INTEGER NOT NULL, ms REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS reactions (
    question INTEGER NOT NULL REFERENCES questions (number) ON DELETE CASCADE,
    kind TEXT NOT NULL, passage TEXT NOT NULL, value REAL NOT NULL, time REAL NOT NULL,
    PRIMARY KEY (question, kind, passage)
) WITHOUT ROWID;
"""


def open_to_write(path: Path) -> sqlite3.Connection:
    """The file, made if need be; what is wrong with it is an error of SQLite or of ours."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    db = _connect(str(path), timeout=PATIENCE_S, uri=False)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA foreign_keys = ON")
        if _format(db, path) < FORMAT:
            db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;")
    except BaseException:
        db.close()
        raise
    return db


def open_to_read(path: Path) -> sqlite3.Connection:
    """The file as it is, also while a server writes it, and where nothing may be written."""
    if not path.is_file():
        raise UsageError(
            f"there is no journal {path}; it is written while `consilience serve` answers, with "
            'the setting `serve.journal = "on"`'
        )
    for how in ("mode=ro", "immutable=1"):  # the second where not even a lock can be written
        try:
            db = _connect(f"{path.absolute().as_uri()}?{how}", timeout=_PATIENT_S, uri=True)
            found = _format(db, path)
        except sqlite3.OperationalError:
            continue
        except sqlite3.DatabaseError as error:
            raise _damaged(path, error) from error
        if not found:
            db.close()
            raise _damaged(path, "it is empty")
        return db
    raise StoreError(f"cannot read the journal {path}; check the disk and its rights")


def _format(db: sqlite3.Connection, path: Path) -> int:
    found = int(db.execute("PRAGMA user_version").fetchone()[0])
    if found > FORMAT:
        raise StoreError(
            f"{path} has format {found}, this version of consilience reads up to {FORMAT}; "
            "upgrade with: pip install -U consilience"
        )
    return found


def _damaged(path: Path, reason: object) -> StoreError:
    return StoreError(
        f"cannot read the journal {path}: {reason}; move it away, and a new one is begun"
    )


def _connect(address: str, *, timeout: float, uri: bool) -> sqlite3.Connection:
    return sqlite3.connect(
        address, timeout=timeout, isolation_level=None, check_same_thread=False, uri=uri
    )
