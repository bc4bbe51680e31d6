"""What happens when a question or a report attacks the figures? Nothing."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from figures_shared import AUGUST, cell, row, rows

from consilience.errors import SourceError
from consilience.packs.finance.figures.facts import FigureSource
from consilience.packs.finance.figures.store import FigureStore, Patience
from consilience.packs.finance.tables.encoding import dumped
from consilience.types import Filter, Request

INJECTIONS = (
    "'; DROP TABLE figures; --",
    "EBITDA of Portugal'; DELETE FROM figures WHERE '1'='1",
    'EBITDA" OR 1=1 --',
    "EBITDA') OR ('a'='a",
    "revenue 2023 UNION SELECT * FROM duckdb_settings()",
    "revenue); ATTACH '/tmp/other.duckdb' AS other; --",
    "EBITDA $$; COPY figures TO '/tmp/stolen.csv'; $$",
    "EBITDA of Portugal in August 2025; PRAGMA database_list",
    "revenue ?; ?; ?",
    "revenue $1 $2 :name @name",
    "EBITDA /* */ UNION /* */ SELECT /* */ 1",
    "revenue \\'; SET enable_external_access = true; --",
    "revenue 2023 \x00'; DROP TABLE figures; --",
    "EBITDA of Portugal \ud800 in August 2025",
    "％27；DROP TABLE figures",
    "revenue {{7*7}} ${jndi:x} %s %d {0}",
)
FILTERS = (
    Filter("company", "=", "'; DROP TABLE figures; --"),
    Filter("company", "=", "Veldmark' OR '1'='1"),
    Filter("metric", "contains", '%" OR 1=1 --'),
    Filter('metric"; DROP TABLE figures; --', "=", "EBITDA"),
    Filter("cells", "contains", "'); DELETE FROM figures; --"),
    Filter("page", ">=", 10**30),
    Filter("title", "!=", "x' UNION SELECT 1 --"),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory):
    made = FigureStore(tmp_path_factory.mktemp("figures") / "figures.duckdb")
    made.write(rows())
    yield made
    made.close()


def contents(store: FigureStore) -> list[object]:
    with store.reading() as cursor:
        return cursor.execute('SELECT * FROM figures ORDER BY passage, "column"').fetchall()


@pytest.fixture
def unchanged(store):
    before = contents(store)
    yield
    assert contents(store) == before


def tell(store: FigureStore, text: str, *filters: Filter):
    known = {one.id: one for one in rows()}
    source = FigureSource(
        store,
        "reports/sql",
        lookup=lambda ids: {key: known[key] for key in ids if key in known},
        deadline_ms=20_000,
    )
    return asyncio.run(source.tell(Request(text=text, filters=filters), limit=10))


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("text", INJECTIONS)
def test_a_question_is_never_sql(store, text):
    told = tell(store, text)
    assert len(told.found) <= 10


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("condition", FILTERS, ids=str)
def test_a_filter_is_never_sql(store, condition):
    known = {one.id: one for one in rows()}
    for found in tell(store, "EBITDA of Portugal in August 2025", condition).found:
        value = known[found.id].value(condition.field)
        assert value is not None
        assert condition.operator in ("!=", "contains", ">=")


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory):
    """A store of reports each of which attacks in every text that it has."""
    made = FigureStore(tmp_path_factory.mktemp("reported") / "figures.duckdb")
    made.write([*map(evil, INJECTIONS), *rows()])
    yield made
    made.close()


def evil(text: str):
    return row(
        1,
        f"EBITDA {text}",
        (f"Portugal {text}", text),
        [cell(1, "12.4", AUGUST), replace(cell(2, "1.0", AUGUST), text=text, unit=text)],
        caption=text,
        table=text,
        document=f"../../{text}.pdf",
        title=text,
        company=text,
        label=(text, text),
    )


@pytest.mark.parametrize("text", INJECTIONS)
def test_what_reports_say_is_never_sql(reported, text):
    plain = text.encode("utf-8", "replace").decode()
    before = contents(reported)
    numbers = sum(len(json.loads(one.metadata["cells"])) for one in rows())
    assert len(before) == 2 * len(INJECTIONS) + numbers
    assert tell(reported, "revenue of Spain in August 2025").found
    assert len(tell(reported, f"EBITDA {text} of Portugal {text}").found) <= 10
    with reported.reading() as cursor:
        saved = cursor.execute("SELECT DISTINCT company FROM figures WHERE title = ?", [plain])
        assert saved.fetchall() == [(plain,)]
    assert contents(reported) == before


def test_an_evil_row_is_forgotten_like_any_other(tmp_path: Path):
    store = FigureStore(tmp_path / "figures.duckdb")
    store.write(list(map(evil, INJECTIONS)))
    store.remove([evil(text).id for text in INJECTIONS[1:]])
    assert list(store.ids()) == [evil(INJECTIONS[0]).id]
    store.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM range(1000000000000)",
        "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b",
        "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT max(n) FROM x",
        "SELECT max(length(repeat('x', 1000))) FROM range(100000000000)",
    ],
)
def test_a_statement_without_end_is_interrupted(store, sql):
    with (
        store.asking(Patience(100)) as asked,
        pytest.raises(SourceError, match="not searched within"),
    ):
        asked.rows(sql)
    assert store.count()


def test_after_the_time_is_over_nothing_more_is_asked(store):
    with store.asking(Patience(50)) as asked:
        with pytest.raises(SourceError):
            asked.rows("SELECT count(*) FROM range(1000000000000)")
        with pytest.raises(SourceError, match="not searched within"):
            asked.rows("SELECT 1")


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM figures",
        "CREATE TABLE x (a INT)",
        "SET memory_limit = '100GB'",
        "SET enable_external_access = true",
        "SELECT * FROM read_text('/etc/hostname')",
        "ATTACH '/tmp/consilience-attached.duckdb' AS other",
        "COPY figures TO '/tmp/consilience-copied.csv'",
        "INSTALL httpfs",
        "LOAD httpfs",
    ],
)
@pytest.mark.usefixtures("unchanged")
def test_the_engine_itself_is_closed(store, sql):
    with store.reading() as cursor, pytest.raises(duckdb.Error):
        cursor.execute(sql)


def test_more_memory_than_allowed_is_an_error_and_no_more(store):
    with store.asking(Patience(20_000)) as asked, pytest.raises((duckdb.Error, SourceError)):
        asked.rows("SELECT len(list(range)) FROM range(400000000)")
    assert store.count()


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    "text",
    [
        "EBITDA of Portugal in August 2025 " + " ".join(str(one) for one in range(1000)),
        "revenue " * 500,
        "Portugal and Spain and " * 170,
        "2021 2022 2023 2024 " * 200,
        "a" * 4000,
        "(" * 4000,
        "EBITDA " + "%" * 3990,
        "revenue in " + ", ".join(f"Q{one % 4 + 1} {1900 + one}" for one in range(300)),
    ],
    ids=lambda text: text[:20],
)
def test_long_questions_end(store, text):
    assert len(tell(store, text).found) <= 10


def test_thousands_of_names_are_searched(tmp_path: Path):
    store = FigureStore(tmp_path / "figures.duckdb")
    one = row(1, "EBITDA", ("Portugal",), [cell(1, "12.4", AUGUST)])
    many = [cell(at, "1.0", AUGUST) for at in range(5_000)]
    data = [replace(each, metric="Measure", label=(f"Item{at}",)) for at, each in enumerate(many)]
    wide = replace(one, id="wide", metadata={**one.metadata, "cells": dumped(data)})
    store.write([one, wide])
    assert store.count() == 5_001
    known = {one.id: one, "wide": wide}
    source = FigureSource(
        store,
        "reports/sql",
        lookup=lambda ids: {key: known[key] for key in ids},
        deadline_ms=20_000,
    )
    told = asyncio.run(source.tell(Request(text="EBITDA of Portugal August 2025"), limit=5))
    assert told.found[0].id == one.id
    asyncio.run(source.tell(Request(text="measure of item7 " * 100), limit=5))
    store.close()
