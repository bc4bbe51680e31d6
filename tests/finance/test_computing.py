"""Is what comes out right to the digit, with its formula and the cells it was made from?"""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from figures_shared import AUGUST, MILLION, cell, day, month, row, rows, year

from consilience.kinds import visible_metadata
from consilience.packs.finance.data_model import Period
from consilience.packs.finance.figures.computing import Computed, compute
from consilience.packs.finance.figures.cursors import Patience
from consilience.packs.finance.figures.facts import FactStore
from consilience.packs.finance.figures.querying import Search
from consilience.packs.finance.questions.asking import read
from consilience.types import identified


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory):
    made = FactStore(tmp_path_factory.mktemp("figures") / "figures.duckdb")
    made.write(rows())
    yield made
    made.close()


def ask(store: FactStore, question: str) -> Computed | None:
    vocabulary = store.vocabulary()
    with store.asking(Patience(20_000)) as asked:
        search = Search(asked, vocabulary, 10)
        answered = search.find(read(question, vocabulary))
        if not answered.whole or answered.met is None:
            return None
        return compute(asked, search, answered.met, answered.rows[0], "reports")


@pytest.mark.parametrize(
    ("question", "result", "value"),
    [
        ("EBITDA of Portugal in August 2025 against budget", "+0.5 EUR million (+4.2 %)", "0.5"),
        ("EBITDA of Spain in August 2025 vs budget", "−3.5 EUR million (−7.9 %)", "-3.5"),
        ("EBITDA of Poland August 2025 vs last year", "+9.5 EUR million", "9.5"),
        ("EBITDA margin of Portugal August 2025 compared with last year", "+0.5 pp", "0.5"),
        (
            "difference between EBITDA of Spain and Portugal in August 2025",
            "+28.6 EUR million (+230.6 %)",
            "28.6",
        ),
        ("How much did revenue grow from 2022 to 2024?", "+13.9 %", "13.8755980861"),
        ("revenue growth in 2024", "+8.0 %", "7.9805816433"),
        ("What is the share of Portugal in group revenue in August 2025?", "16.8 %", None),
        ("What share of the group revenue came from Portugal in August 2025?", "16.8 %", None),
        ("what percentage of revenue was EBITDA in August 2025", "15.0 %", None),
        ("What share of EBITDA of Portugal did Cement account for in August 2025?", "73.4 %", None),
        ("ratio of EBITDA to revenue of Spain in August 2025", "0.1242", None),
        ("sum of EBITDA of Portugal and Spain in August 2025", "53.4 EUR million", "53.4"),
        ("average revenue from 2021 to 2024", "10,792.6 EUR million", "10792.625"),
        ("Which country had the highest EBITDA in August 2025?", "Spain (41.0 EUR million)", "41"),
        ("Which country had the lowest revenue in August 2025?", "Poland (95.0 EUR million)", "95"),
        (
            "top 2 countries by revenue in August 2025",
            "Spain (330.1 EUR million), Portugal (210.5 EUR million)",
            "330.1",
        ),
        ("In which year was revenue highest?", "2024 (11,900.0 EUR million)", "11900"),
        ("How many countries had EBITDA above 10 million in August 2025?", "2 of 3", "2"),
        (
            "How did revenue develop from 2021 to 2024?",
            "9,800.0 → 11,900.0 EUR million, +2,100.0 (+21.4 %)",
            "2100",
        ),
    ],
)
def test_what_comes_out_is_exact(store, question, result, value):
    computed = ask(store, question)
    assert computed is not None
    assert computed.passage.metadata["result"] == result
    if value is not None:
        assert computed.passage.metadata["value"] == value


def test_a_calculation_cites_its_cells(store):
    computed = ask(store, "EBITDA of Portugal in August 2025 against budget")
    passage = computed.passage
    assert passage.kind == "calculation"
    assert passage == identified(passage)
    assert (passage.document, passage.title) == ("august.pdf", "Veldmark August 2025")
    assert (passage.locator.page, passage.locator.table) == (3, "3.1")
    first, *lines = passage.text.splitlines()
    assert first == (
        "EBITDA of Portugal, August 2025 against budget: 12.4 − 11.9 = +0.5 EUR million (+4.2 %)"
    )
    assert lines[0] == "More exactly: +4.20 %"
    assert lines[2].startswith("11.9 EUR million: ")
    assert "page 3, table 3.1, row 6" in lines[1]
    operands = json.loads(passage.metadata["operands"])
    assert [one["text"] for one in operands] == ["12.4", "11.9"]
    source = next(one for one in rows() if one.id == operands[0]["passage"])
    assert source.metadata["entity"] == "Portugal"
    assert computed.operands == (source.id,)
    assert "figures" in computed.query
    assert "operands" not in visible_metadata(passage)
    known = passage.metadata
    assert (known["metric"], known["entity"], known["period"]) == ("EBITDA", "Portugal", "2025-08")
    assert known["operation"] == "difference"


def test_growth_from_a_negative_base_is_not_meaningful(store):
    computed = ask(store, "growth of net income from 2021 to 2023")
    assert computed.passage.metadata["result"].startswith("not meaningful")
    assert computed.passage.metadata["value"] == ""


@pytest.mark.parametrize(
    "question",
    [
        "growth of net income from 2022 to 2023",  # from nothing
        "revenue growth in 2021",  # no 2020
        "EBITDA of Germany in August 2025 against budget",
        "EBITDA of Portugal in July 2025 against budget",
        "What was the EBITDA of Portugal in August 2025?",
        "Which country had the highest capex in August 2025?",
    ],
)
def test_nothing_is_computed_without_all_operands(store, question):
    assert ask(store, question) is None


def test_thousands_and_millions_go_together(tmp_path: Path):
    store = FactStore(tmp_path / "figures.duckdb")
    store.write(
        [
            row(1, "Revenue", ("Spain",), [cell(1, "1.5", AUGUST)], document="a.pdf"),
            row(1, "Revenue", ("Italy",), [cell(1, "900", AUGUST, scale=1000)], document="b.pdf"),
        ]
    )
    computed = ask(store, "difference between the revenue of Spain and Italy in August 2025")
    assert "1.5 − 900 EUR thousand = +0.6 EUR million" in computed.passage.text
    assert Decimal(computed.passage.metadata["value"]) * MILLION == 600_000
    store.close()


def test_different_units_are_never_reckoned_with(tmp_path: Path):
    store = FactStore(tmp_path / "figures.duckdb")
    store.write(
        [
            row(1, "Revenue", ("Spain",), [cell(1, "1.5", AUGUST)]),
            row(2, "Revenue", ("Mexico",), [cell(1, "2.5", AUGUST, unit="MXN")]),
        ]
    )
    assert ask(store, "sum of the revenue of Spain and Mexico in August 2025") is None
    assert ask(store, "difference between revenue of Spain and Mexico in August 2025") is None
    store.close()


def test_operands_come_from_one_table_where_possible(tmp_path: Path):
    store = FactStore(tmp_path / "figures.duckdb")
    a = [cell(1, "10.0", year(2023)), cell(2, "12.0", year(2024))]
    b = [cell(1, "10.5", year(2023)), cell(2, "99.0", year(2022))]
    store.write(
        [
            row(1, "Revenue", (), a, document="new.pdf", table="2.1"),
            row(1, "Revenue", (), b, document="old.pdf", table="7.1"),
        ]
    )
    computed = ask(store, "growth of revenue from 2023 to 2024")
    assert computed.passage.metadata["result"] == "+20.0 %"
    store.close()


def test_the_months_of_a_year_are_its_series(tmp_path: Path):
    store = FactStore(tmp_path / "figures.duckdb")
    cells = [cell(at, f"{at}.5", month(2025, at)) for at in range(1, 7)]
    store.write([row(1, "Revenue", (), cells)])
    computed = ask(store, "Which month of 2025 had the highest revenue?")
    assert computed.passage.metadata["result"] == "June 2025 (6.5 EUR million)"
    quarters = [
        Period(kind="quarter", start=date(2025, 1, 1), end=date(2025, 3, 31), year=2025),
        Period(kind="quarter", start=date(2025, 4, 1), end=date(2025, 6, 30), year=2025),
    ]
    more = [cell(at, f"{at}8.0", one) for at, one in enumerate(quarters, start=1)]
    store.write([row(2, "Revenue", (), more)])
    computed = ask(store, "How did quarterly revenue develop in 2025?")
    assert computed.passage.metadata["value"] == "10"
    computed = ask(store, "How did revenue develop since March 2025?")
    assert computed.passage.metadata["value"] == "3"
    store.close()


def test_what_stands_under_one_heading_is_compared(tmp_path: Path):
    store = FactStore(tmp_path / "figures.duckdb")
    found = []
    labels = (
        (("Spain",), "5.0"),
        (("Italy",), "7.0"),
        (("By division", "Cement"), "8.0"),
        (("By division", "Concrete"), "4.0"),
        (("Group total",), "12.0"),
    )
    for at, (label, text) in enumerate(labels):
        found.append(row(at, "Revenue", label[-1:], [cell(1, text, AUGUST)], label=label))
    store.write(found)
    computed = ask(store, "Which country had the highest revenue in August 2025?")
    assert computed.passage.metadata["result"] == "Italy (7.0 EUR million)"
    computed = ask(store, "Which division had the highest revenue in August 2025?")
    assert computed.passage.metadata["result"] == "Cement (8.0 EUR million)"
    store.close()


def test_a_debt_on_a_day_goes_with_what_was_earned_until_then(tmp_path: Path):
    store = FactStore(tmp_path / "figures.duckdb")
    store.write(
        [
            row(1, "Net debt", (), [cell(1, "300.0", day(2024, 12, 31))]),
            row(2, "EBITDA", (), [cell(1, "200.0", year(2024))]),
            row(3, "EBITDA", (), [cell(1, "20.0", month(2024, 11))]),
        ]
    )
    computed = ask(store, "What was the ratio of net debt to EBITDA at the end of 2024?")
    assert computed.passage.metadata["result"] == "1.50"
    store.close()


def test_the_share_of_a_row_is_taken_of_the_total_below_it(tmp_path: Path):
    store = FactStore(tmp_path / "figures.duckdb")
    names = {"Land": "10.0", "Buildings": "30.0", "Total property": "40.0", "Total": "90.0"}
    store.write(
        [
            row(at, name, (), [cell(1, text, year(2024))], label=(name,))
            for at, (name, text) in enumerate(names.items(), start=1)
        ]
    )
    computed = ask(store, "What percentage of the total were buildings in 2024?")
    assert computed.passage.metadata["result"] == "75.0 %"
    assert "30.0 / 40.0" in computed.passage.text
    store.close()


def test_business_years_are_meant_by_their_number_and_none_may_lack(tmp_path: Path):
    store = FactStore(tmp_path / "figures.duckdb")
    years = [
        Period(kind="year", start=date(at - 1, 7, 1), end=date(at, 6, 30), year=at)
        for at in (2017, 2018, 2019)
    ]
    cells = [cell(at, f"{at}.0", one) for at, one in enumerate(years, start=1)]
    store.write([row(1, "Revenue", (), cells)])
    computed = ask(store, "average revenue from 2017 to 2019")
    assert computed.passage.metadata["value"] == "2"
    assert ask(store, "average revenue from 2016 to 2019") is None
    store.close()
