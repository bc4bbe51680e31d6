"""Is a figure that no report prints made from others, and only where all of them are there?"""

from __future__ import annotations

import asyncio
import json

import pytest
from figures_shared import cell, day, month, row, rows, year

from consilience.packs.finance.figures.facts import ByFigures
from consilience.packs.finance.figures.holding import FactStore
from consilience.types import Request

END = day(2024, 12, 31)


def months(*texts: str, first: int = 4, **known):
    return [cell(at, text, month(2025, first + at), **known) for at, text in enumerate(texts)]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    store = FactStore(tmp_path_factory.mktemp("figures") / "figures.duckdb")
    people = {"unit": "FTE", "scale": 1}
    made = [
        row(1, "Revenue", ("Italy",), months("10.0", "11.5", "12.0"), table="9.1"),
        row(2, "Revenue", ("Greece",), months("10.0", "11.5"), table="9.1"),
        row(3, "EBITDA margin", ("Italy",), months("10%", "12%", "11%"), table="9.1"),
        row(4, "Net debt", ("Italy",), months("50.0", "52.0", "49.0"), table="9.1"),
        row(5, "Average price", ("Italy",), months("1.0", "2.0", "3.0", unit="EUR/t"), table="9.2"),
        row(1, "Equity", (), [cell(1, "40.0", END)], document="sheet.pdf", table="7.1"),
        row(2, "Total assets", (), [cell(1, "80.0", END)], document="sheet.pdf", table="7.1"),
        row(3, "Borrowings", (), [cell(1, "9.0", END)], document="sheet.pdf", table="7.1"),
        row(4, "Headcount", (), [cell(1, "500", year(2024), **people)], company="Tessenhof"),
        row(5, "Personnel", (), [cell(1, "(70.0)", year(2024))], company="Tessenhof"),
        row(6, "EBITDA", ("Cement", "Spain"), months("1.0"), caption="Cement, concrete"),
        row(7, "EBITDA", ("Concrete",), months("4.0"), caption="Cement, concrete"),
        row(8, "EBITDA", ("Cement",), months("6.0"), caption="Cement, concrete"),
    ]
    store.write([*rows(), *made])
    yield ByFigures(store, "reports/sql")
    store.close()


def ask(source, question):
    return asyncio.run(source.tell(Request(text=question), limit=10))


def made(source, question):
    told = ask(source, question)
    assert told.sure
    assert told.found[0].passage is not None, told.steps
    return told.found[0].passage


def test_a_quarter_is_the_sum_of_its_months(source):
    one = made(source, "What was the revenue of Italy in the second quarter of 2025?")
    assert "10.0 + 11.5 + 12.0 = 33.5 EUR million" in one.text
    assert len(json.loads(one.metadata["operands"])) == 3


@pytest.mark.parametrize(
    "question",
    [
        "What was the revenue of Greece in the second quarter of 2025?",
        "What was the EBITDA margin of Italy in the second quarter of 2025?",
        "Net debt of Italy in Q2 2025",
        "Average price of Italy in Q2 2025",
        "Revenue of Italy in Q3 2025",
    ],
)
def test_what_lacks_a_month_or_does_not_add_up_is_missing(source, question):
    told = ask(source, question)
    assert told.sure == ()
    assert any("2025" in one for one in told.missing)


def test_from_one_month_to_another_is_told_month_by_month(source):
    one = made(source, "Average price of Italy, April through June 2025")
    assert one.metadata["operation"] == "trend"
    assert "1.0 → 3.0" in one.text


def test_a_known_ratio_is_divided(source):
    one = made(source, "What was Veldmark's equity ratio at the end of 2024?")
    assert "40.0 / 80.0 = 50.0 %" in one.text
    one = made(source, "Veldmark's net profit margin in 2024")
    assert "402.5 / 11,900.0 = 3.4 %" in one.text


@pytest.mark.parametrize("name", ["debt ratio", "gross margin", "leverage"])
def test_a_ratio_without_its_parts_is_missing(source, name):
    told = ask(source, f"What was Veldmark's {name} at the end of 2024?")
    assert (told.sure, told.missing) == ((), (name,))


def test_a_printed_ratio_is_looked_up(source):
    told = ask(source, "EBITDA margin of Portugal in August 2025")
    assert told.sure
    assert all(one.passage is None for one in told.found)


def test_a_company_is_asked_by_its_own_names(source):
    told = ask(source, "How many employees did Tessenhof have in 2024?")
    assert any("Headcount" in one for one in told.steps)
    assert not any("Personnel" in one for one in told.steps)  # what they cost
    assert len(told.sure) == 1


def test_nothing_in_another_unit_is_sure(source):
    assert ask(source, "Revenue of Italy in May 2025").sure
    assert ask(source, "How many tonnes of revenue did Italy have in May 2025?").sure == ()
    assert ask(source, "Revenue of Italy in May 2025 in percent").sure == ()


@pytest.mark.parametrize(
    "question",
    [
        "What revenue did Italy make with concrete in May 2025?",
        "Revenue of Italy from concrete in May 2025",
        "Revenue in May 2025: Italy, concrete",
    ],
)
def test_a_country_and_a_division_are_meant_at_once(source, question):
    told = ask(source, question)
    assert told.sure == ()
    assert told.missing


def test_two_divisions_in_one_heading_are_compared_each(source):
    one = made(source, "How much higher was EBITDA of Cement than that of Concrete in April 2025?")
    assert "6.0 − 4.0 = +2.0" in one.text


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What share of Veldmark's revenue in 2024 comes from online orders?", "online"),
        ("Revenue from solar panels in 2024", "solar panels"),
    ],
)
def test_what_nothing_was_earned_with_is_missing(source, question, missing):
    assert ask(source, question).missing == (missing,)


def test_whose_revenue_it_is_may_be_said_in_other_words(source):
    assert ask(source, "Revenue from external customers in 2024").missing == ()
