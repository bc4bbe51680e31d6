"""Which passages hold the position, line, opening or game that a question names? SQLite.

One `PositionStore` per collection knows under which positions (EPD), ECO codes and opening names
each passage can be found. A FEN in the question is one position, whatever its counters say; moves
in any notation lead to one, so two orders of moves that meet there find the same; where nobody
has played on so far, the last position of the line that is known counts, for less. An opening, by
its code or its name, is looked up where it begins, and less by all that belongs to it. A game is
looked up by its players, before what merely has the same opening.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from consilience.errors import StoreError
from consilience.packs.chess.extra import later
from consilience.packs.chess.openings import begins, prefixes
from consilience.protocols import Lookup, Retriever, Shelf, StoreKind, Vectors
from consilience.stores.common import (
    check_limit,
    collection_of,
    filter_passages,
    open_error,
    rank_found,
)
from consilience.types import Found, Passage, Request, Signal, SourceReply
from consilience.worker_pool import WorkerPool

if TYPE_CHECKING:
    from consilience.packs.chess.games import Fit
    from consilience.packs.chess.questions import Sought

POSITION, OPENING, MEMBER = 3.0, 2.0, 1.0
"""What a match is worth: the position itself, where an opening begins that is named by its code or
name, and all else that belongs to that opening.
"""
FOCUS = 1.5
"""What it is worth more that a passage speaks of the position, and does not only pass it by."""
BEHIND = 2.0
"""What the last known position of a line is worth, times how far along the line it stands."""
_POSITIONS = ("positions", "mentioned")
GAME = 1.0
"""What each sign is worth by which a question names a game: a player, the year, the event."""
_read_question = later("questions", "read_question")
_find_players = later("games", "find_players")
_players_of = later("games", "players_of")
_fits = later("games", "fits")
_canonical = later("openings", "canonical")
_TOLD = 40.0  # words of comment that are worth half of what the best notes are
_MOST = 5000  # passages looked at for one name: thousands of games have the same opening
_SCHEMA = """
CREATE TABLE IF NOT EXISTS passages (id TEXT PRIMARY KEY, told REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS held (
    key TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (key, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS held_by_passage ON held (id);
"""
_VERSION = 2  # of the keys; passages stored under older ones are looked up and written again
_BATCH = 500


class PositionStore:
    """What each passage can be found under; opened for this process, made if it is not there."""

    def __init__(self, path: Path, *, lookup: Lookup | None = None) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._players: tuple[str, ...] | None = None
        try:
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_SCHEMA)
            if self._version() < _VERSION:
                self._write_again(lookup)
        except sqlite3.Error as error:
            raise open_error(path, error) from error

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def _write_again(self, lookup: Lookup | None) -> None:
        """Keep what an older version wrote under all keys that there are now."""
        ids = [str(row[0]) for row in self._db.execute("SELECT id FROM passages")]
        for start in range(0, len(ids) if lookup else 0, _BATCH):
            known = lookup(ids[start : start + _BATCH]) if lookup else {}
            self.write(list(known.values()), None)
        self._db.execute(f"PRAGMA user_version = {_VERSION}")

    def write(self, passages: Sequence[Passage], vectors: Vectors | None) -> None:
        """Keep under what these can be found; what was known of them before is forgotten."""
        ids = [(one.id,) for one in passages]
        told = [(one.id, _told(one)) for one in passages]
        keys = [(key, one.id) for one in passages for key in sorted(keys_of(one))]
        with self._change() as db:
            db.executemany("DELETE FROM held WHERE id = ?", ids)
            db.executemany("INSERT OR REPLACE INTO passages VALUES (?, ?)", told)
            db.executemany("INSERT OR IGNORE INTO held VALUES (?, ?)", keys)

    def remove(self, ids: Sequence[str]) -> None:
        """Forget passages; those that are not there are no matter."""
        rows = [(one,) for one in ids]
        with self._change() as db:
            db.executemany("DELETE FROM held WHERE id = ?", rows)
            db.executemany("DELETE FROM passages WHERE id = ?", rows)

    def having(self, key: str) -> list[tuple[str, float]]:
        """The passages under a key, best told first, with how well they are told in [0, 1)."""
        query = (
            "SELECT p.id, p.told FROM held h JOIN passages p ON p.id = h.id WHERE h.key = ? "
            "ORDER BY p.told DESC, p.id LIMIT ?"
        )
        with self._lock:
            try:
                return list(self._db.execute(query, (key, _MOST)))
            except sqlite3.Error as error:
                raise open_error(self.path, error) from error

    def players(self) -> tuple[str, ...]:
        """The players of all games here, as their names sound."""
        with self._lock:
            if self._players is None:
                query = "SELECT DISTINCT key FROM held WHERE key >= 'player ' AND key < 'player!'"
                rows = self._db.execute(query)
                self._players = tuple(str(row[0]).removeprefix("player ") for row in rows)
            return self._players

    def close(self) -> None:
        """Write everything to disk and let go of it."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._players = None
            try:
                self._db.execute("BEGIN")
                yield self._db
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise StoreError(f"cannot write {self.path}: {error}; is the disk full?") from error


def keys_of(passage: Passage) -> set[str]:
    """The keys under which a passage is found: positions, codes, names and what they belong to."""
    known = passage.metadata
    keys = {f"at {one}" for name in _POSITIONS for one in _texts(known.get(name))}
    keys |= {f"on {one}" for one in _texts(known.get("focus"))}
    keys |= {f"eco {one}" for name in ("eco", "ecos") for one in _texts(known.get(name))}
    keys |= {f"player {one}" for one in _players_of(passage) if one}
    names = [one for name in ("opening", "openings") for one in _texts(known.get(name))]
    return keys | {
        f"name {part.casefold()}"
        for one in names
        for own in _canonical(one)
        for part in prefixes(own)
    }


def _texts(value: object) -> tuple[str, ...]:
    values = value if isinstance(value, tuple | list) else (value,)
    return tuple(one for one in values if isinstance(one, str) and one)


def _told(passage: Passage) -> float:
    """How much a passage tells, in [0, 1): by its words of comment, or all of a book's."""
    notes = passage.metadata.get("notes")
    words = float(notes) if isinstance(notes, int | float) else 0.0
    if passage.kind == "book":
        words = float(len(passage.text.split()))
    return words / (words + _TOLD)


class ByPosition:
    """Ranks passages by what of the question they hold; a question that names nothing finds none.

    The score adds up what each match is worth, and half a point at most for how well the passage
    is annotated. Filters are checked on the passages, through `lookup`.
    """

    signal = Signal.IDENTIFIERS

    def __init__(self, store: PositionStore, name: str, *, lookup: Lookup | None = None) -> None:
        self.name = name
        self.collection = collection_of(name)
        self._store = store
        self._lookup = lookup
        self._workers = WorkerPool(name)

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` passages, best first, ties by id."""
        return (await self.tell(request, limit=limit)).found

    async def tell(self, request: Request, *, limit: int) -> SourceReply:
        """The same, and the one game that the question names."""
        check_limit(limit)
        return await self._workers.run(lambda: self._find(request, limit))

    def _find(self, request: Request, limit: int) -> SourceReply:
        sought: Sought = _read_question(request.text)
        scores: dict[str, float] = {}
        told: dict[str, float] = {}
        games = self._games(sought)
        others = () if any(fit.sure for _, fit in games.values()) else self._matches(sought)
        for found, worth in others:
            for key, notes in found:
                scores[key] = scores.get(key, 0.0) + worth
                told[key] = notes
        for key, (notes, fit) in games.items():
            scores[key] = scores.get(key, 0.0) + GAME * fit.worth
            told[key] = notes
        ranked = [Found(key, score + told[key] / 2) for key, score in scores.items()]
        if request.filters and ranked:
            passed = filter_passages([one.id for one in ranked], request.filters, self._lookup)
            ranked = [one for one in ranked if one.id in passed]
        first = tuple(rank_found(ranked, limit))
        best = [one.id for one in first[:1] if one.id in games and games[one.id][1].sure]
        return SourceReply(found=first, sure=tuple(best))

    def _games(self, sought: Sought) -> dict[str, tuple[float, Fit]]:
        """The games whose players a question names, with how well they are told and fit; where
        there are games of two players that it names, no others.
        """
        named: dict[str, int] = _find_players(sought, self._store.players())
        told: dict[str, float] = {}
        met: dict[str, int] = {}
        for player in named:
            for key, notes in self._store.having(f"player {player}"):
                told[key] = notes
                met[key] = met.get(key, 0) + 1
        most = max(met.values(), default=0)
        keys = [key for key, count in met.items() if count == most]
        known = self._lookup(keys) if self._lookup else {}
        return {key: (told[key], fit) for key, fit in _fits(known, sought, named).items()}

    def _matches(self, sought: Sought) -> Iterator[tuple[list[tuple[str, float]], float]]:
        """What is found for each thing that the question names, and what that is worth."""
        having = self._store.having
        for epd in sought.fens:
            yield having(f"at {epd}"), POSITION
            yield having(f"on {epd}"), FOCUS
        for line in sought.lines:
            yield from self._along(line.positions)
        for kind, named in (("eco", sought.ecos), ("name", sought.names)):
            for one in named:
                for epd in begins(one):
                    yield having(f"at {epd}"), OPENING
                    yield having(f"on {epd}"), FOCUS
                yield having(f"{kind} {one if kind == 'eco' else one.casefold()}"), MEMBER

    def _along(self, positions: Sequence[str]) -> Iterator[tuple[list[tuple[str, float]], float]]:
        """The passages at the end of a line, or where it was last known to be."""
        for place in range(len(positions), 0, -1):
            epd = positions[place - 1]
            if found := self._store.having(f"at {epd}"):
                whole = place == len(positions)
                yield found, POSITION if whole else BEHIND * place / len(positions)
                yield self._store.having(f"on {epd}"), FOCUS if whole else FOCUS / 2
                return


def _open(path: Path, shelf: Shelf) -> PositionStore:
    return PositionStore(path, lookup=shelf.lookup)


def _sources(store: PositionStore, shelf: Shelf) -> Sequence[Retriever]:
    return [ByPosition(store, f"{shelf.collection}/position", lookup=shelf.lookup)]


POSITIONS = StoreKind(
    takes=lambda kind: kind in {"game", "book"},
    packs=frozenset({"chess"}),
    file="positions.db",
    open=_open,
    sources=_sources,
)
