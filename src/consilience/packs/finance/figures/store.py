"""Where are the numbers of all tables? In one DuckDB file a collection, a row for each number.

Numbers are DECIMAL(38, 10), not floating: 12.4 - 11.9 is 0.5 to the last digit. A number beyond
that stays in its passage and is left out here. Values reach SQL only as parameters; the database
reads no other file, loads no extension, and its settings are locked. A statement is interrupted
when the time of its question is over.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from consilience.errors import SourceError, StoreError
from consilience.packs.finance.data_model import BETWEEN, Datum, Kind, Period
from consilience.packs.finance.figures.lexicon import Lexicon
from consilience.packs.finance.tables.encoding import loaded
from consilience.protocols import Vectors
from consilience.stores.common import open_error, replace_surrogates
from consilience.types import Passage
from consilience.worker_pool import UsageGuard

DECIMAL = "DECIMAL(38,10)"
COLUMNS: Mapping[str, str] = {
    "passage": "VARCHAR",
    "document": "VARCHAR",
    "title": "VARCHAR",
    "page": "INTEGER",
    "table": "VARCHAR",
    "row": "INTEGER",
    "column": "INTEGER",
    "caption": "VARCHAR",
    "section": "VARCHAR",
    "company": "VARCHAR",
    "entity": "VARCHAR",
    "metric": "VARCHAR",
    "label": "VARCHAR",
    "header": "VARCHAR",
    "period": "VARCHAR",
    "stated": "VARCHAR",
    "year": "INTEGER",
    "kind": "VARCHAR",
    "starts": "DATE",
    "ends": "DATE",
    "basis": "VARCHAR",
    "against": "VARCHAR",
    "value": DECIMAL,
    "number": DECIMAL,
    "unit": "VARCHAR",
    "scale": "BIGINT",
    "text": "VARCHAR",
    "box": "VARCHAR",
}
"""What a question may ask of a number, and where it is printed."""
HELPERS: Mapping[str, str] = {"_report": "VARCHAR", "_names": "VARCHAR"}
"""The period of the report, and what else its company is called there, such as a ticker."""
_ALL = {**COLUMNS, **HELPERS}
_BEYOND = Decimal(10) ** 24
_WHOLE = 2**53
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


_AGAIN_S = 0.02
LONGEST = 12
"""Values of a list that people are shown of a statement's parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A number of a table: what it is, where it is printed, and how well it fits a question."""

    passage: str
    document: str
    title: str
    page: int | None
    table: str
    row: int | None
    column: int
    caption: str
    section: str
    company: str
    entity: str
    metric: str
    label: str
    header: str
    period: str | None
    stated: str | None
    year: int | None
    kind: Kind | None
    starts: date | None
    ends: date | None
    basis: str
    against: str | None
    value: Decimal
    number: Decimal
    unit: str
    scale: int
    text: str
    score: float = 0.0

    @property
    def parts(self) -> tuple[str, ...]:
        """The entity from the outermost inwards."""
        return tuple(self.entity.split(BETWEEN)) if self.entity else ()

    @property
    def cell(self) -> tuple[str, int]:
        """What tells it from all others."""
        return self.passage, self.column

    @property
    def time(self) -> Period | None:
        """The period that it is about."""
        if self.kind is None or self.starts is None or self.ends is None:
            return None
        year = self.ends.year if self.year is None else self.year
        return Period(kind=self.kind, start=self.starts, end=self.ends, year=year)


FACT_COLUMNS = tuple(one.name for one in fields(Fact) if one.name != "score")
LISTED = ", ".join(f'"{name}"' for name in FACT_COLUMNS)


def facts_of(rows: Iterable[Sequence[Any]]) -> list[Fact]:
    """The rows of a SELECT of `LISTED`."""
    return [Fact(**dict(zip(FACT_COLUMNS, row, strict=True))) for row in rows]


def shown(sql: str, parameters: Sequence[Any]) -> str:
    """A statement with its parameters in their places, for people to read; it is never run."""
    pieces = sql.split("?")
    told = [_literal(one) for one in parameters]
    return "".join(piece + (told[at] if at < len(told) else "") for at, piece in enumerate(pieces))


def _literal(value: Any) -> str:
    if isinstance(value, list | tuple):
        more = ", …" if len(value) > LONGEST else ""
        return f"[{', '.join(_literal(one) for one in value[:LONGEST])}{more}]"
    if isinstance(value, str | date):
        return "'" + str(value).replace("'", "''") + "'"
    return "NULL" if value is None else str(value)


# --- the time of a question -------------------------------------------------------------


class Patience:
    """How long a question is worked on: so many milliseconds, less when it is given up."""

    def __init__(self, ms: float) -> None:
        self.ms = ms
        self.is_over = False
        self._is_done = False
        self._wake = threading.Event()

    def give_up(self) -> None:
        """Nobody waits for the answer any more; may be called from any thread."""
        self.is_over = True
        self._wake.set()

    def finish(self) -> None:
        """The work is done."""
        self._is_done = True
        self._wake.set()

    def watch(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Wait until the work is done or its time is over; then interrupt until it is done.

        Again and again: a statement that began at that very moment has missed the first call.
        """
        self._wake.wait(self.ms / 1000)
        if not self._is_done:
            self.is_over = True
        while not self._is_done:
            cursor.interrupt()
            self._wake.clear()
            if not self._is_done:
                self._wake.wait(_AGAIN_S)


class Asked:
    """A cursor whose statements are interrupted when the time of the question is over.

    Whatever is asked after that is refused, so no chain of short statements outlasts it either.
    """

    def __init__(self, cursor: duckdb.DuckDBPyConnection, patience: Patience) -> None:
        self._cursor = cursor
        self._patience = patience

    def rows(self, sql: str, parameters: Sequence[Any] = (), *, most: int = 0) -> list[Any]:
        """The rows of a statement, or the first `most` of them."""
        if self._patience.is_over:
            raise self._late()
        try:
            self._cursor.execute(sql, list(parameters))
            return self._cursor.fetchmany(most) if most else self._cursor.fetchall()
        except duckdb.InterruptException as error:
            raise self._late() from error

    def columns(self) -> tuple[str, ...]:
        """The names of the columns that the last statement gave."""
        return tuple(str(one[0]) for one in self._cursor.description or ())

    def _late(self) -> SourceError:
        return SourceError(
            f"the figures were not searched within {self._patience.ms:g} ms; ask for one company, "
            "figure or period at a time"
        )


@contextmanager
def limited(cursor: duckdb.DuckDBPyConnection, patience: Patience) -> Iterator[Asked]:
    """A cursor for one question, as long as it is waited for."""
    name = "interrupt"
    watch = threading.Thread(target=patience.watch, args=(cursor,), name=name, daemon=True)
    watch.start()
    try:
        yield Asked(cursor, patience)
    finally:
        patience.finish()
        watch.join()


# --- the store --------------------------------------------------------------------------


class FigureStore:
    """The numbers of one collection in one file, opened for this process, made if not there.

    `synonyms` are names of equal standing beside those that are known everywhere.
    """

    def __init__(self, path: Path, synonyms: Mapping[str, Iterable[str]] | None = None) -> None:
        self.path = path
        self._synonyms = dict(synonyms or {})
        self._connection = _open(path)
        self._shared = UsageGuard()
        self._writing = threading.Lock()
        self._lexicon: Lexicon | None = None
        self._version = 0  # goes up with each change, so that no older lexicon is kept

    def write(self, passages: Sequence[Passage], vectors: Vectors | None = None) -> None:
        """Add the numbers of rows, or replace what was there of them; other kinds have none."""
        del vectors  # numbers are found by what they are the values of
        rows = list({one.id: one for one in passages if one.kind == "row"}.values())
        for start in range(0, len(rows), _BATCH):
            with self._changing() as cursor:
                _write(cursor, rows[start : start + _BATCH])

    def remove(self, ids: Sequence[str]) -> None:
        """Forget the numbers of these rows; an unknown id is no error."""
        with self._changing() as cursor:
            _remove(cursor, ids)

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

    def lexicon(self) -> Lexicon:
        """The words that the numbers are named by; kept until something changes."""
        known, version = self._lexicon, self._version
        if known is None:
            with self.reading() as cursor:
                known = Lexicon.read(cursor, self._synonyms)
            with self._writing:
                if version == self._version:
                    self._lexicon = known
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
            self._lexicon = None
            self._connection.execute("BEGIN TRANSACTION")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
            self._version += 1
            self._lexicon = None

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
        _make(connection)
        for one in _LOCKED:
            connection.execute(f"SET {one}")
    except (duckdb.Error, OSError) as error:
        raise open_error(path, error) from error
    return connection


# --- a number as a row of SQL -----------------------------------------------------------


def _make(cursor: duckdb.DuckDBPyConnection) -> None:
    """Make the table where it is not there; one of an earlier version gets what it lacks."""
    made = ", ".join(f'"{name}" {kind}' for name, kind in _ALL.items())
    cursor.execute(f"CREATE TABLE IF NOT EXISTS figures ({made})")
    for name, kind in HELPERS.items():
        cursor.execute(f'ALTER TABLE figures ADD COLUMN IF NOT EXISTS "{name}" {kind}')


def _write(cursor: duckdb.DuckDBPyConnection, passages: Sequence[Passage]) -> None:
    """Add the numbers of these rows; what was known of the same rows before is forgotten."""
    _remove(cursor, [one.id for one in passages])
    records = [record for one in passages for record in records_of(one)]
    if not records:
        return
    names = ", ".join(f'"{name}"' for name in _ALL)
    lists = ", ".join(f'unnest(?::{kind}[]) AS "{name}"' for name, kind in _ALL.items())
    cursor.execute(
        f"INSERT INTO figures ({names}) SELECT {lists}",
        [[record.get(name) for record in records] for name in _ALL],
    )


def _remove(cursor: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> None:
    """Forget the numbers of these passages."""
    sql = "DELETE FROM figures WHERE passage IN (SELECT unnest(?::VARCHAR[]))"
    cursor.execute(sql, [list(ids)])


def records_of(passage: Passage) -> Iterator[dict[str, Any]]:
    """One record a number; a row without numbers has none."""
    cells = passage.metadata.get("cells")
    if not isinstance(cells, str) or not cells:
        return
    common = _place(passage)
    for datum in loaded(cells):
        if abs(datum.value) < _BEYOND and abs(datum.number) < _BEYOND:
            yield common | _datum(datum)


def _place(passage: Passage) -> dict[str, Any]:
    at = passage.locator
    section = [replace_surrogates(one) for one in at.section]
    known = {name: passage.metadata.get(name, "") for name in ("company", "period", "ticker")}
    texts = {name: replace_surrogates(str(value)) for name, value in known.items()}
    return {
        "passage": passage.id,
        "document": replace_surrogates(passage.document),
        "title": replace_surrogates(passage.title),
        "page": at.page,
        "table": replace_surrogates(at.table or ""),
        "row": at.row,
        "caption": section[-1] if section else "",
        "section": BETWEEN.join(section[:-1]),
        "company": texts["company"],
        "_report": texts["period"],
        "_names": texts["ticker"],
    }


def _datum(datum: Datum) -> dict[str, Any]:
    period, stated, box = datum.period, datum.stated, datum.box
    label = [replace_surrogates(one) for one in datum.label]
    record: dict[str, Any] = {
        "column": datum.column,
        "entity": BETWEEN.join(replace_surrogates(one) for one in datum.entity),
        "metric": replace_surrogates(datum.metric),
        "label": BETWEEN.join(label),
        "header": BETWEEN.join(replace_surrogates(one) for one in datum.header),
        "basis": datum.basis,
        "against": datum.against,
        "value": str(datum.value),
        "number": str(datum.number),
        "unit": replace_surrogates(datum.unit),
        "scale": min(datum.scale, _WHOLE),
        "text": replace_surrogates(datum.text),
    }
    if period:
        record |= {"period": period.key, "year": period.year, "kind": period.kind}
        record |= {"starts": period.start, "ends": period.end}
    if stated or period:
        record["stated"] = (stated or period).key  # type: ignore[union-attr]
    if box:
        record["box"] = json.dumps([box.left, box.top, box.right, box.bottom])
    if datum.page is not None:
        record["page"] = datum.page
    return record
