"""Which numbers of the reports does a question ask for? DuckDB in this process, one row a number.

One `FactStore` per collection holds the numbers of all tables in a database file. `ByFigures` reads
the question with the words that the numbers themselves are named by, looks them up, and tells what
it did: the SQL, what it took for what, and what no number has. Values reach SQL only as parameters;
the database reads no other file, loads no extension, and its settings are locked.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from consilience.errors import SourceError, StoreError
from consilience.filters import passes
from consilience.packs.finance.figures import rows as figures
from consilience.packs.finance.figures.computing import Computed, compute
from consilience.packs.finance.figures.cursors import Asked, limited
from consilience.packs.finance.figures.querying import Allowed, Answered, Search
from consilience.packs.finance.figures.selecting import shown
from consilience.packs.finance.questions.asking import Wanted, read
from consilience.packs.finance.questions.vocabulary import Vocabulary
from consilience.protocols import Lookup, Shelf, StoreKind, Vectors
from consilience.sources._shared import checked_limit, collection_of, passing, refusal
from consilience.threads import Shared, Workers
from consilience.types import Found, Passage, Request, Told

DEADLINE_MS = 400.0
"""How long the engine may work on a question."""
_CALCULATED, _OPERANDS = 2.0, 1.0
"""How far above the best row a calculation stands, and what it was calculated from."""
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
_NEAR = 0.25
_MOST_SURE = 5


class FactStore:
    """The numbers of one collection in one file, opened for this process, made if not there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = _open(path)
        self._shared = Shared()
        self._writing = threading.Lock()
        self._known: Vocabulary | None = None
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
        known, version = self._known, self._version
        if known is None:
            with self.reading() as cursor:
                known = figures.vocabulary(cursor)
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
    def asking(self, ms: float = DEADLINE_MS) -> Iterator[Asked]:
        """The same for one question, interrupted when its time is over."""
        with self.reading() as cursor, limited(cursor, ms) as asked:
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
        raise refusal(path, error) from error
    return connection


class ByFigures:
    """Ranks the rows whose numbers a question asks for, best first, ties by id.

    Where it asks for a calculation, that comes first, with the rows it was made from behind it. The
    score adds up how well each thing that is named is met (see `querying`). Filters bind: they are
    checked on the passages, through `lookup`.
    """

    def __init__(
        self,
        store: FactStore,
        name: str,
        *,
        lookup: Lookup | None = None,
        deadline_ms: float = DEADLINE_MS,
    ) -> None:
        self.name = name
        self.collection = collection_of(name)
        self._store = store
        self._lookup = lookup
        self._deadline_ms = deadline_ms
        self._workers = Workers(name)

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` rows."""
        return (await self.tell(request, limit=limit)).found

    async def tell(self, request: Request, *, limit: int) -> Told:
        """The same, with the statement, the steps that led there and what no number has."""
        checked_limit(limit)
        try:
            return await self._workers.run(lambda: self._tell(request, limit))
        except duckdb.Error as error:
            raise SourceError(
                f"DuckDB could not search {self._store.path}: {error}; "
                "if it happens again, index the collection anew"
            ) from error

    def _tell(self, request: Request, limit: int) -> Told:
        vocabulary = self._store.vocabulary()
        wanted = read(request.text, vocabulary)
        if not (wanted.metrics or wanted.entities):
            return Told(found=(), missing=_missing(wanted, wanted.unknown))
        allowed = self._allowed(request)
        with self._store.asking(self._deadline_ms) as asked:
            search = Search(asked, vocabulary, limit, allowed)
            answered = search.find(wanted)
            computed = self._computed(asked, search, answered)
        if computed and not passes(computed.passage, request.filters):
            computed = None
        return _told(wanted, answered, computed, limit)

    def _computed(self, asked: Asked, search: Search, answered: Answered) -> Computed | None:
        """What the question asks to compute; without time left the rows alone are told."""
        if not answered.whole or answered.met is None:
            return None
        try:
            return compute(asked, search, answered.met, answered.rows[0], self.collection)
        except SourceError:
            return None

    def _allowed(self, request: Request) -> Allowed | None:
        if not request.filters:
            return None
        return lambda ids: passing(list(ids), request.filters, self._lookup).keys()


def _told(wanted: Wanted, answered: Answered, computed: Computed | None, limit: int) -> Told:
    rows = {one.passage: one.score for one in reversed(answered.rows)}
    top = max(rows.values(), default=0.0)
    found: dict[str, Found] = {}
    steps, query = answered.steps, shown(answered.sql, answered.parameters)
    if computed:
        one = computed.passage
        found[one.id] = Found(one.id, top + _CALCULATED, one)
        for at, key in enumerate(computed.operands):
            found.setdefault(key, Found(key, top + _OPERANDS - at / 1000))
        steps, query = (*computed.steps, *steps), f"{query};\n{computed.query}"
    for key, score in sorted(rows.items(), key=lambda one: (-one[1], _place(answered, one[0]))):
        found.setdefault(key, Found(key, score - len(found) / 1e6))
    kept = tuple(found.values())[:limit]
    return Told(
        found=kept,
        query=query,
        steps=steps,
        missing=_missing(wanted, answered.missing),
        sure=_sure(kept, top) if answered.whole and wanted.asks_figure else (),
    )


def _sure(found: Sequence[Found], top: float) -> tuple[str, ...]:
    """What meets all that is named and fits about as well as the best; first the calculation."""
    return tuple(one.id for one in found if one.score >= top - _NEAR)[:_MOST_SURE]


def _place(answered: Answered, key: str) -> int:
    return next(at for at, one in enumerate(answered.rows) if one.passage == key)


def _missing(wanted: Wanted, missing: Sequence[str]) -> tuple[str, ...]:
    """What is missing of a question for a figure; prose may tell of what no figure has."""
    return tuple(missing) if wanted.asks_figure else ()


def _sources(store: FactStore, shelf: Shelf) -> list[ByFigures]:
    store.vocabulary()  # before the first question, so that its deadline does not pay for it
    return [ByFigures(store, f"{shelf.collection}/sql", lookup=shelf.lookup)]


FIGURES = StoreKind(
    kinds=frozenset({"row"}),
    packs=frozenset({"finance"}),
    file="figures.duckdb",
    replaces=frozenset({"tables"}),
    open=lambda path, shelf: FactStore(path),
    sources=_sources,
)
