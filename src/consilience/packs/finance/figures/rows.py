"""How does a number of a table stand in SQL? As a row of `figures`, with all that says what it is.

Numbers are DECIMAL(38, 10), not floating: 12.4 - 11.9 is 0.5 to the last digit, ten digits behind
the point hold all that reports print, and 24 before it hold a budget of any state in its smallest
coin, with room to add them up. A number beyond that stays in its passage and is left out here.
"""

from __future__ import annotations

import json
import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any

import duckdb

from consilience.packs.finance.data_model import BETWEEN, Datum, Period
from consilience.packs.finance.questions.counting import is_quantity
from consilience.packs.finance.questions.vocabulary import Vocabulary
from consilience.packs.finance.tables.encoding import loaded
from consilience.stores.common import replace_surrogates
from consilience.types import Passage
from consilience.understand.names import surface

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
HELPERS: Mapping[str, str] = {
    "_parts": "VARCHAR[]",
    "_words": "INTEGER",
    "_depth": "INTEGER",
    "_place": "VARCHAR",
    "_main": "INTEGER",
    "_report": "VARCHAR",
    "_until": "DATE",
    "_whole": "UBIGINT",
}
"""What only the ranking reads: the entity's parts as they are compared, how many words the row's
label has, how many of the parts are no total, the words of the headings and the caption, 1 for a
main statement and -1 for a note, the period of the report and its last day, and a number for all
that it is of: the same for the same parts, company and headings.
"""
LONGEST_NAME = 300
MOST_NAMES = 50_000
_PARTS = "unnest(string_split({}, '" + BETWEEN + "'))"
_NAMES: Mapping[str, str] = {
    "metric": "metric",
    "entity": _PARTS.format("entity"),
    "company": "company",
    "caption": "caption",
    "section": _PARTS.format("section"),
    "label": f"list_last(string_split(label, '{BETWEEN}'))",
    "header": _PARTS.format("header"),
}
"""What the vocabulary is made of; names of several parts are known by each of them."""
_ALL = {**COLUMNS, **HELPERS}
_WHOLE_OF = "hash(_parts, company, _place)"
_PARTS_OF_YEAR = frozenset({"month", "quarter", "half"})
_BEYOND = Decimal(10) ** 24
_WHOLE = 2**53
_TOTALS = frozenset(
    {
        *("group", "total", "totals", "consolidated", "sum", "all", "overall", "company", "whole"),
        *("the", "of", "operations", "segments", "countries", "regions", "divisions", "gesamt"),
        *("konzern", "summe", "insgesamt"),
    }
)
_KEY = re.compile(
    r"(?P<year>[12]\d{3})(?:-(?:YTD-)?(?P<month>\d\d)(?:-(?P<day>\d\d))?|-(?P<part>[QH][1-4]))?"
)
_MAIN = (
    "income statement",
    "statement of income",
    "statements of income",
    "statement of profit",
    "profit and loss",
    "statement of operations",
    "statements of operations",
    "statement of comprehensive",
    "balance sheet",
    "statement of financial position",
    "statement of cash flow",
    "statements of cash flow",
    "cash flow statement",
    "key figures",
    "highlights",
    "at a glance",
    "overview",
    "summary",
)


def make(cursor: duckdb.DuckDBPyConnection) -> None:
    """Make the table where it is not there."""
    made = ", ".join(f'"{name}" {kind}' for name, kind in _ALL.items())
    cursor.execute(f"CREATE TABLE IF NOT EXISTS figures ({made})")
    cursor.execute('ALTER TABLE figures ADD COLUMN IF NOT EXISTS "_whole" UBIGINT')
    cursor.execute(f"UPDATE figures SET _whole = {_WHOLE_OF} WHERE _whole IS NULL")  # noqa: S608


def write(cursor: duckdb.DuckDBPyConnection, passages: Sequence[Passage]) -> None:
    """Add the numbers of these rows; what was known of the same rows before is forgotten."""
    remove(cursor, [one.id for one in passages])
    records = [record for one in passages for record in records_of(one)]
    if not records:
        return
    given = {name: kind for name, kind in _ALL.items() if name != "_whole"}
    names = ", ".join(f'"{name}"' for name in given)
    lists = ", ".join(f'unnest(?::{kind}[]) AS "{name}"' for name, kind in given.items())
    chosen = f"SELECT {names}, {_WHOLE_OF} FROM (SELECT {lists})"  # noqa: S608 - all written here
    cursor.execute(
        f'INSERT INTO figures ({names}, "_whole") {chosen}',
        [[record.get(name) for record in records] for name in given],
    )


def remove(cursor: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> None:
    """Forget the numbers of these passages."""
    sql = "DELETE FROM figures WHERE passage IN (SELECT unnest(?::VARCHAR[]))"
    cursor.execute(sql, [list(ids)])


def vocabulary(
    cursor: duckdb.DuckDBPyConnection, synonyms: Mapping[str, Iterable[str]] | None = None
) -> Vocabulary:
    """The words that the numbers are named by, each with how many numbers have it."""
    values = {name: _distinct(cursor, sql) for name, sql in _NAMES.items()}
    cursor.execute(
        "SELECT period, any_value(kind), min(starts), max(ends), any_value(year), "
        "period IN (SELECT _report FROM figures), count(*) FILTER (basis = 'actual') "
        "FROM figures WHERE ends IS NOT NULL GROUP BY period"
    )
    periods: dict[str, Period] = {}
    told: dict[str, tuple[bool, int]] = {}
    for key, kind, starts, ends, year, reported, actual in cursor.fetchall():
        periods[key] = Period(kind=kind, start=starts, end=ends, year=year)
        told[key] = reported, actual
    near, units = _latest(periods, told), _units(cursor)
    return Vocabulary.of(values, periods, near=near, synonyms=synonyms, units=units)


def _units(cursor: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, ...]]:
    """The quantities that figures are counted in, each with its metrics, most frequent first."""
    cursor.execute(
        "SELECT unit, metric, count(*) AS often FROM figures WHERE metric <> '' AND unit <> '' "
        "AND length(metric) <= ? GROUP BY unit, metric ORDER BY often DESC, metric LIMIT ?",
        [LONGEST_NAME, MOST_NAMES],
    )
    found: dict[str, tuple[str, ...]] = {}
    for unit, metric, _ in cursor.fetchall():
        if is_quantity(unit):
            found[unit] = (*found.get(unit, ()), metric)
    return found


def _latest(periods: Mapping[str, Period], told: Mapping[str, tuple[bool, int]]) -> Period | None:
    """The latest time that a report is for; without such, the latest that many figures tell of.

    A lone later one is no report's: the loan that is due in 2031. Neither is a year whose months
    are told of to August only: that one is planned.
    """
    often = max((actual for _, actual in told.values()), default=0)
    common = [periods[key] for key, (_, actual) in told.items() if actual * 10 >= often > 0]
    reported = [periods[key] for key, (is_reported, _) in told.items() if is_reported]
    past = [one for one in reported if not _is_ahead(one, common)]
    return max(past or reported or common, key=lambda one: (one.end, one.start), default=None)


def _is_ahead(period: Period, common: Sequence[Period]) -> bool:
    """Whether what is told of parts of a period ends before it does."""
    parts = [
        one.end
        for one in common
        if period.start <= one.start and one.end <= period.end and one.kind in _PARTS_OF_YEAR
    ]
    whole = period.kind not in _PARTS_OF_YEAR
    return whole and bool(parts) and max(parts) < period.end


def _distinct(cursor: duckdb.DuckDBPyConnection, name: str) -> dict[str, int]:
    cursor.execute(
        f"SELECT name, count(*) AS often FROM (SELECT {name} AS name FROM figures) "  # noqa: S608
        "WHERE name <> '' AND length(name) <= ? GROUP BY name ORDER BY often DESC, name LIMIT ?",
        [LONGEST_NAME, MOST_NAMES],
    )
    return {name: int(often) for name, often in cursor.fetchall()}


def records_of(passage: Passage) -> Iterator[dict[str, Any]]:
    """One record a number; a row without numbers has none."""
    cells = passage.metadata.get("cells")
    if not isinstance(cells, str) or not cells:
        return
    common = _place(passage)
    for datum in loaded(cells):
        if abs(datum.value) < _BEYOND and abs(datum.number) < _BEYOND:
            yield common | _datum(datum)


@lru_cache(maxsize=1 << 16)
def compared(name: str) -> str:
    """An entity as it is compared: `Total Portugal` is Portugal."""
    words = surface(name).split()
    kept = [one for one in words if one not in ("total", "subtotal")]
    return " ".join(kept or words)


def is_total(name: str) -> bool:
    """Whether an entity, as it is compared, is the whole of something: `Group total`."""
    return set(name.split()) <= _TOTALS


def _place(passage: Passage) -> dict[str, Any]:
    at = passage.locator
    section = [replace_surrogates(one) for one in at.section]
    place = surface(" ".join(section))
    report = replace_surrogates(str(passage.metadata.get("period", "")))
    return {
        "passage": passage.id,
        "document": replace_surrogates(passage.document),
        "title": replace_surrogates(passage.title),
        "page": at.page,
        "table": replace_surrogates(at.table or ""),
        "row": at.row,
        "caption": section[-1] if section else "",
        "section": BETWEEN.join(section[:-1]),
        "company": replace_surrogates(str(passage.metadata.get("company", ""))),
        "_place": place,
        "_main": _weight(place),
        "_report": report,
        "_until": _last_day(report),
    }


def _last_day(key: str) -> date | None:
    """The last day of a period by its key; a business year may end earlier than its number says."""
    match = _KEY.fullmatch(key)
    if not match:
        return None
    year, day = int(match["year"]), match["day"]
    if day:
        return date.fromisoformat(f"{match['year']}-{match['month']}-{day}")
    month = int(match["month"] or 12)
    if match["part"]:
        month = int(match["part"][1]) * (3 if match["part"][0] == "Q" else 6)
    return date(year, month, monthrange(year, month)[1]) if 1 <= month <= 12 else None


def _weight(place: str) -> int:
    """1 for a table that reports put first, -1 for one in the notes, 0 for others."""
    words = place.split()
    if "note" in words or "notes" in words:
        return -1
    return int(any(one in place for one in _MAIN))


def _datum(datum: Datum) -> dict[str, Any]:
    period, stated, box = datum.period, datum.stated, datum.box
    label = [replace_surrogates(one) for one in datum.label]
    parts = [compared(one) for one in datum.entity]
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
        "_parts": parts,
        "_depth": sum(not is_total(one) for one in parts),
        "_words": len(surface(" ".join(label)).split()),
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
