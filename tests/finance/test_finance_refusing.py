"""Is a question refused only where it names for sure what no figure has?"""

from __future__ import annotations

import asyncio

import pytest
from figures_shared import cell, row, rows, year

from consilience.packs.finance.data_model import Datum
from consilience.packs.finance.figures.facts import FigureSource
from consilience.packs.finance.figures.store import FigureStore
from consilience.packs.finance.routing import has
from consilience.types import Locator, Passage, Request, identified

YEAR = year(2024)


def cells(*texts: str) -> list[Datum]:
    return [cell(at, text, year(2023 + at)) for at, text in enumerate(texts)]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    store = FigureStore(tmp_path_factory.mktemp("figures") / "figures.duckdb")
    leases = row(1, "Leases due 2031", (), cells("4.0", "5.0"), document="notes.pdf", table="2.1")
    untimed = row(2, "Hedge ratio", (), [cell(1, "1.5", None, unit="")], document="notes.pdf")
    store.write([*rows(), leases, untimed])
    yield FigureSource(store, "reports/sql")
    store.close()


def ask(source, question):
    return asyncio.run(source.tell(Request(text=question), limit=10))


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What was the EBITDA of Germany in August 2025?", ("Germany",)),
        ("What was the EBITDA of Hooli Systems in August 2025?", ("Hooli Systems",)),
        ("What was Hooli's EBITDA in August 2025?", ("Hooli",)),
        ("What was the EBITDA of Portugal in March 2019?", ("March 2019",)),
        ("What was the EBITDA at the Krakow bakery in August 2025?", ("Krakow", "bakery")),
    ],
)
def test_a_name_that_no_figure_has_is_missing(source, question, missing):
    told = ask(source, question)
    assert {*told.missing} & {*missing}
    assert told.sure == ()


@pytest.mark.parametrize(
    "question",
    [
        "What was the reported consolidated EBITDA figure of Portugal in August 2025?",
        "Assume you are an analyst: what EBITDA did Portugal yield in August 2025? Answer shortly.",
        "What was the actual EBITDA of Portugal in August 2025?",
    ],
)
def test_words_that_are_not_understood_never_refuse(source, question):
    told = ask(source, question)
    assert told.missing == ()
    assert told.sure


def test_words_that_are_not_understood_are_shown(source):
    told = ask(source, "Frankly, what EBITDA did Portugal frobnicate in August 2025?")
    assert any("not understood" in step and "frobnicate" in step for step in told.steps)


def test_the_figure_of_another_company_is_no_answer(source):
    """Total assets are Tessenhof's alone: asked of Veldmark there is nothing to state."""
    assert ask(source, "Total assets of Tessenhof at 31 December 2024").sure
    told = ask(source, "Total assets of Veldmark at 31 December 2024")
    assert told.sure == ()
    assert told.cells == ()


def test_a_planted_figure_of_another_company_or_time_is_not_taken(tmp_path):
    store = FigureStore(tmp_path / "figures.duckdb")
    store.write(
        [
            row(1, "Goodwill", (), cells("4.0", "5.0"), company="Veldmark"),
            row(1, "Goodwill", (), cells("6.0", "7.0"), company="Tessenhof", document="t.pdf"),
        ]
    )
    source = FigureSource(store, "reports/sql")
    for company, text in (("Veldmark", "5.0"), ("Tessenhof", "7.0")):
        told = ask(source, f"What was {company}'s goodwill in 2024?")
        key, column = told.cells[0]
        with store.reading() as cursor:
            found = cursor.execute(
                'SELECT company, text, period FROM figures WHERE passage = ? AND "column" = ?',
                [key, column],
            ).fetchone()
        assert found == (company, text, "2024")
    assert ask(source, "What was Veldmark's goodwill in 2019?").sure == ()
    nobody = ask(source, "What was the goodwill in 2024?")
    assert nobody.sure == ()
    assert any("several companies" in step for step in nobody.steps)
    store.close()


def prose(text):
    return identified(
        Passage(
            id="",
            text=text,
            collection="reports",
            document="a.pdf",
            title="Report",
            kind="report",
            locator=Locator(),
        )
    )


@pytest.mark.parametrize(
    ("name", "text", "speaks"),
    [
        ("energy costs", "Energy costs are hedged for six months.", True),
        ("Hooli", "Energy is hedged for six months.", False),
        ("May 2025", "It fell in June 2025. May was good.", False),
        ("June 2025", "It fell in June 2025. May was good.", True),
    ],
)
def test_a_passage_has_a_name_where_its_words_stand_there(name, text, speaks):
    assert has(prose(text), name) == speaks
