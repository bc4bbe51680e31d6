"""Is a question refused only where it names for sure what no figure has?"""

from __future__ import annotations

import asyncio

import pytest
from figures_shared import cell, row, rows, year

from consilience.packs.finance.data_model import Datum
from consilience.packs.finance.figures.facts import ByFigures
from consilience.packs.finance.figures.holding import FactStore
from consilience.packs.finance.routing import has
from consilience.types import Locator, Passage, Request, identified

YEAR = year(2024)


def cells(*texts: str) -> list[Datum]:
    return [cell(at, text, year(2023 + at)) for at, text in enumerate(texts)]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    store = FactStore(tmp_path_factory.mktemp("figures") / "figures.duckdb")
    leases = row(1, "Leases due 2031", (), cells("4.0", "5.0"), document="notes.pdf", table="2.1")
    untimed = row(2, "Hedge ratio", (), [cell(1, "1.5", None, unit="")], document="notes.pdf")
    store.write([*rows(), leases, untimed])
    yield ByFigures(store, "reports/sql")
    store.close()


def ask(source, question):
    return asyncio.run(source.tell(Request(text=question), limit=10))


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What was the EBITDA of Germany in August 2025?", ("Germany",)),
        ("EBITDA in germany in August 2025", ("germany",)),
        ("What was the EBITDA of Hooli Systems in August 2025?", ("Hooli Systems",)),
        ("What was Hooli's EBITDA in August 2025?", ("Hooli",)),
        ("Hooli EBITDA August 2025", ("Hooli",)),
        ("What was the net debt of Veldmark in 2024?", ("net debt",)),
        ("How many trucks did Portugal lease in August 2025?", ("trucks",)),
        ("What was the EBITDA of Portugal in March 2019?", ("March 2019",)),
        ("What was the budget for revenue in 2023?", ("2023",)),
        ("Revenue of Tessenhof in 2024", ("Tessenhof",)),
        ("How much EBITDA did Heidelberg Revenue make in August 2025?", ("Heidelberg",)),
        ("How many litres of beer did Portugal sell in August 2025?", ("beer",)),
        ("How much steel did Portugal sell in August 2025?", ("steel",)),
        ("EBITDA at the Krakow bakery in August 2025", ("Krakow",)),
    ],
)
def test_a_name_that_no_figure_has_is_missing(source, question, missing):
    told = ask(source, question)
    assert told.missing == missing
    assert told.sure == ()


@pytest.mark.parametrize(
    "question",
    [
        "What is the percentage constitution of EBITDA in revenue in August 2025?",
        "What was the reported consolidated EBITDA figure of Portugal in August 2025?",
        "What is the lifespan of the leases due 2031?",
        "What Was The EBITDA Of Portugal Shown In The Monthly Overview For August 2025?",
        "What was the hedge ratio in 2024?",
        "What was the actual EBITDA of Portugal in August 2025?",
        "How much EBITDA did the operations in Portugal yield in August 2025?",
    ],
)
def test_an_ordinary_word_is_never_missing(source, question):
    told = ask(source, question)
    assert told.missing == ()
    assert told.found


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
        ("dividend per share", "It proposes a dividend of US$ 0.5 per share.", True),
        ("energy costs hedged", "Energy is hedged for six months.", True),
        ("grazing cows", "A third comes from cows that graze.", True),
        ("order backlog", "An order was won. There is no backlog.", False),
        ("Hooli", "Energy is hedged for six months.", False),
        ("May 2025", "It fell in June 2025. May was good.", False),
    ],
)
def test_a_passage_speaks_of_a_name_where_one_sentence_has_its_words(name, text, speaks):
    assert has(prose(text), name) == speaks


def test_a_basis_that_no_figure_has_is_missing(tmp_path):
    store = FactStore(tmp_path / "figures.duckdb")
    flow = row(1, "Free cash flow", (), cells("4.0", "5.0"))
    debt = row(2, "Revenue", (), [cell(1, "7.0", YEAR, basis="budget")])
    store.write([flow, debt])
    told = ask(ByFigures(store, "reports/sql"), "What was the budget for free cash flow in 2024?")
    assert told.missing == ("budget",)
    assert "budget" in told.named
    store.close()


def test_a_row_without_the_word_for_what_was_spent_is_found(tmp_path):
    store = FactStore(tmp_path / "figures.duckdb")
    store.write(
        [
            row(1, "Personnel", (), cells("4.0", "5.0"), company="Veldmark"),
            row(2, "Personnel expenses", (), cells("6.0", "7.0"), company="Tessenhof"),
        ]
    )
    told = ask(ByFigures(store, "reports/sql"), "Personnel costs of Veldmark in 2024")
    assert told.missing == ()
    assert told.sure
    store.close()


def test_a_word_that_nothing_is_known_of_makes_it_less_sure(source):
    assert ask(source, "EBITDA of Portugal in August 2025").sure
    told = ask(source, "frobnicated EBITDA of Portugal in August 2025")
    assert told.found
    assert (told.sure, told.missing) == ((), ())


def test_a_figure_without_a_time_is_neither_missing_nor_sure(source):
    told = ask(source, "What was the hedge ratio in 2024?")
    assert told.sure == ()
    assert any("for which time" in step for step in told.steps)


def test_an_empty_cell_of_one_of_two_years_is_told_and_not_missing(source):
    told = ask(source, "Employees in 2022 and 2023")
    assert told.missing == ()
    assert any("2022" in step for step in told.steps)


def test_where_nobody_knows_whose_figures_they_are_a_company_is_not_missing(tmp_path):
    store = FactStore(tmp_path / "figures.duckdb")
    store.write([row(1, "Goodwill", (), cells("4.0", "5.0"), company="")])
    told = ask(ByFigures(store, "reports/sql"), "What was Hooli's goodwill in 2024?")
    assert told.missing == ()
    store.close()
