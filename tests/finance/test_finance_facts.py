"""Does the store of figures hold what rows say, and does its source tell what it did?"""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path

import pytest
from figures_shared import AUGUST, cell, row, rows, year

from consilience.errors import StoreError, UsageError, WorkspaceBusy
from consilience.packs.finance.figures.facts import FIGURES, FigureSource
from consilience.packs.finance.figures.store import FigureStore
from consilience.protocols import Retriever, Teller
from consilience.types import Filter, Passage, Request


@pytest.fixture
def store(tmp_path: Path):
    made = FigureStore(tmp_path / "figures.duckdb")
    yield made
    made.close()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory):
    made = FigureStore(tmp_path_factory.mktemp("figures") / "figures.duckdb")
    made.write(rows())
    known = {one.id: one for one in rows()}
    yield FigureSource(
        made,
        "reports/sql",
        lookup=lambda ids: {key: known[key] for key in ids if key in known},
        deadline_ms=20_000,
    )
    made.close()


def ask(source: FigureSource, text: str, *filters: Filter, limit: int = 10):
    return asyncio.run(source.tell(Request(text=text, filters=filters), limit=limit))


def test_a_row_has_one_figure_a_number_with_all_that_says_what_it_is(store):
    one = row(7, "EBITDA", ("Portugal", "Cement"), [cell(2, "(12.40)", AUGUST)], page=3)
    store.write([one])
    with store.reading() as cursor:
        cursor.execute("SELECT * FROM figures")
        names = [column[0] for column in cursor.description]
        found = dict(zip(names, cursor.fetchone(), strict=True))
    assert found["passage"] == one.id
    assert found["entity"] == "Portugal › Cement"
    assert (found["page"], found["table"], found["row"], found["column"]) == (3, "1.1", 7, 2)
    assert (found["period"], found["kind"], found["basis"]) == ("2025-08", "month", "actual")
    assert found["value"] == Decimal("-12.4")
    assert found["number"] == Decimal(-12_400_000)
    assert found["text"] == "(12.40)"
    assert (found["company"], found["caption"]) == ("Veldmark", "Key figures")


def test_numbers_are_exact_and_what_is_too_large_stays_out(store):
    texts = ["0.1", "0.2", "123456789012345.0123456789", "1" + "0" * 40]
    store.write([row(1, "Cash", (), [cell(at, one, AUGUST) for at, one in enumerate(texts)])])
    with store.reading() as cursor:
        cursor.execute('SELECT value FROM figures ORDER BY "column"')
        found = [one[0] for one in cursor.fetchall()]
    assert found == [Decimal(one) for one in texts[:3]]
    assert found[0] + found[1] == Decimal("0.3")


def test_writing_again_replaces_and_removing_forgets(store):
    some = rows()
    store.write(some)
    count = store.count()
    assert count == sum(len(json.loads(one.metadata["cells"])) for one in some)
    store.write(some)
    assert store.count() == count
    assert list(store.ids()) == sorted(one.id for one in some)
    store.remove([one.id for one in some[1:]] + ["unknown"])
    assert list(store.ids()) == [some[0].id]


def test_other_passages_and_rows_without_numbers_have_no_figures(store):
    prose = Passage(id="p", collection="c", document="d", kind="text", title="t", text="x")
    plain = Passage(id="r", collection="c", document="d", kind="row", title="t", text="x")
    store.write([prose, plain])
    assert store.count() == 0
    assert ask(FigureSource(store, "reports/sql"), "EBITDA of Portugal").found == ()


def test_the_lexicon_is_kept_until_something_changes(store):
    store.write(rows()[:3])
    first = store.lexicon()
    assert store.lexicon() is first
    assert first.latest["Veldmark"] == AUGUST
    store.write([row(1, "Capital expenditure", (), [cell(1, "5.0", year(2026))])])
    assert store.lexicon() is not first
    assert "2026" in store.lexicon().periods


def test_a_closed_store_and_a_second_process_are_refused(tmp_path: Path):
    store = FigureStore(tmp_path / "figures.duckdb")
    store.write(rows())
    store.close()
    store.close()
    with pytest.raises(StoreError, match="was closed"):
        store.count()
    again = FigureStore(tmp_path / "figures.duckdb")
    assert again.count()
    again.close()
    (tmp_path / "broken.duckdb").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match="cannot be opened"):
        FigureStore(tmp_path / "broken.duckdb")
    assert issubclass(WorkspaceBusy, StoreError)


def test_it_is_registered_in_place_of_the_tables_of_this_pack():
    assert FIGURES.takes("row")
    assert not FIGURES.takes("page")
    assert FIGURES.packs == {"finance"}
    assert FIGURES.replaces == {"tables"}


def test_the_source_finds_the_cell_first_and_tells_how(source):
    assert isinstance(source, Teller)
    one: Retriever = source
    assert (one.name, one.collection) == ("reports/sql", "reports")
    told = ask(source, "What was the EBITDA of Portugal in August 2025?")
    best = next(each for each in rows() if each.id == told.found[0].id)
    assert (best.metadata["metric"], best.metadata["entity"]) == ("EBITDA", "Portugal")
    assert told.sure[0] == best.id
    assert told.query.startswith("SELECT")
    assert best.id in told.query
    assert "?" not in told.query
    scores = [each.score for each in told.found]
    assert scores == sorted(scores, reverse=True)
    assert told == ask(source, "What was the EBITDA of Portugal in August 2025?")
    got = asyncio.run(source.retrieve(Request(text="EBITDA of Portugal"), limit=2))
    assert len(got) == 2


def test_a_question_that_names_nothing_finds_nothing(source):
    assert ask(source, "How is the weather today?").found == ()
    assert ask(source, "").found == ()
    with pytest.raises(UsageError):
        ask(source, "EBITDA", limit=0)


def test_filters_bind_rows_and_calculations(source):
    question = "EBITDA of Portugal in August 2025 against budget"
    told = ask(source, question, Filter("company", "=", "veldmark"))
    assert told.found[0].passage is not None
    told = ask(source, question, Filter("document", "=", "july.pdf"))
    assert "August 2025" in " ".join(told.missing)
    assert all(one.passage is None for one in told.found)
    assert ask(source, question, Filter("company", "=", "Tessenhof")).found == ()


def test_what_no_figure_has_is_missing_and_nothing_is_sure(source):
    told = ask(source, "What was the EBITDA of Germany in August 2025?")
    assert told.missing == ("Germany",)
    assert told.sure == ()
    assert ask(source, "What was the EBITDA of Portugal in August 2025?").missing == ()
