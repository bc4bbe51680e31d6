"""Tables of very many columns: made at once, and bounded."""

from __future__ import annotations

import asyncio
from collections import Counter

import duckdb
import pytest

from consilience.stores import duckdb as tables
from consilience.stores.duckdb import SqlRows, TableStore
from consilience.types import Filter, Locator, Passage, Request


class Counted:
    """A real connection that counts its statements by their first word."""

    def __init__(self) -> None:
        self.real = duckdb.connect()
        self.said: Counter[str] = Counter()

    def execute(self, sql, values=None):
        self.said[sql.split()[0]] += 1
        return self.real.execute(sql, values)

    def fetchall(self):
        return self.real.fetchall()


def row(key, **cells):
    return Passage(
        id=key,
        collection="c",
        document="a.csv",
        kind="row",
        title="T",
        text="x",
        locator=Locator(table="t", row=1),
        metadata=cells,
    )


def found(store, rows, *conditions):
    held = {one.id: one for one in rows}
    source = SqlRows(
        store, "c/sql", lookup=lambda ids: {key: held[key] for key in ids if key in held}
    )
    request = Request(text="q", criteria=conditions)
    return [(one.id, one.score) for one in asyncio.run(source.retrieve(request, limit=9))]


@pytest.mark.parametrize("width", [10, 400])
def test_a_new_table_is_made_in_as_many_statements_whatever_its_width(width):
    cursor = Counted()
    tables._write_rows(cursor, "t", [row("a", **{f"c{n}": n for n in range(width)})])
    assert cursor.said == {"SELECT": 1, "CREATE": 1, "DELETE": 1, "INSERT": 1}


def test_columns_of_later_rows_are_still_added(tmp_path):
    rows = [row("a", one=1), row("b", one=1.5, two="x"), row("c", one="text", two=("x", "y"))]
    store = TableStore(tmp_path / "t.duckdb")
    for each in rows:
        store.write([each])
    assert found(store, rows, Filter("one", ">", 1)) == [("b", 1.0)]
    assert found(store, rows, Filter("two", "=", "x")) == [("b", 1.0), ("c", 1.0)]
    store.close()


def test_a_full_table_takes_no_more_columns_and_still_answers_right(tmp_path, monkeypatch):
    monkeypatch.setattr("consilience.stores.duckdb.MOST_COLUMNS", 30)
    rows = [row(f"r{n}", **{f"c{n}-{m}": m for m in range(20)}, all=n) for n in range(4)]
    rows.append(row("s", all="text", late=("a", "b")))
    store = TableStore(tmp_path / "t.duckdb")
    for each in rows:
        store.write([each])
    with store.reading() as cursor:
        assert len(tables._read_schema(cursor)["t"]) == 30
    assert found(store, rows, Filter("c3-19", "=", 19)) == [("r3", 1.0)]
    assert found(store, rows, Filter("all", "=", "text"), Filter("late", "=", "b")) == [("s", 2.0)]
    store.close()
