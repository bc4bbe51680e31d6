"""Do questions that are put in other ways ask for the same calculation?"""

from __future__ import annotations

import asyncio

import pytest
from figures_shared import cell, day, month, row, rows, year

from consilience.packs.finance.figures.facts import ByFigures
from consilience.packs.finance.figures.holding import FactStore
from consilience.packs.finance.notation.periods import month as in_month
from consilience.packs.finance.notation.periods import quarter
from consilience.packs.finance.questions.asking import read
from consilience.packs.finance.questions.vocabulary import Vocabulary
from consilience.types import Request

END = day(2024, 12, 31)
KNOWN = Vocabulary.of(
    {
        "metric": dict.fromkeys(
            ("EBITDA", "Revenue", "Headcount", "Change in working capital", "Current assets",
             "Trade payables", "Average price", "Sales volume", "EBIT", "Net finance costs"), 9
        ),
        "entity": dict.fromkeys(("Spain", "Portugal", "Cement"), 9),
    },
    {"2025-08": in_month(2025, 8)},
)  # fmt: skip
PUT = """
Revenue in June 2025 less its EBITDA in the same month = difference | Revenue, EBITDA | 2025-06
Was Spain's revenue more than twice as high as Portugal's in 2024? = ratio | revenue | 2024
EBITDA to revenue in 2024, in per cent = share | EBITDA, revenue | 2024
How did revenue in June 2025 change month over month? = difference | revenue | 2025-05, 2025-06
Which country came third by EBITDA in 2024? = highest | EBITDA | 2024
Working capital (current assets minus trade payables) in 2024 \
= difference | current assets, trade payables | 2024
Interest cover: EBIT over net finance costs, 2024 = ratio | EBIT, net finance costs | 2024
What did a tonne of cement cost in Spain in 2024? = - | cost | 2024
EBITDA per head in 2024 = ratio | head, EBITDA | 2024
EBITDA per tonne of cement in 2024 = ratio | tonne, EBITDA | 2024
How many percentage points did EBITDA fall short of budget in 2024? = difference | EBITDA | 2024
How has headcount moved since 31 December 2024 up to 30 June 2025? \
= trend | headcount | 2024-12-31, 2025-06-30
How did headcount evolve from 2020 to 2024? = trend | headcount | 2020, 2024
"""


@pytest.mark.parametrize("line", PUT.strip().splitlines())
def test_other_ways_to_put_a_question(line):
    question, expected = line.rsplit(" = ", 1)
    wanted = read(question, KNOWN)
    metrics = ", ".join(one.said for one in wanted.metrics)
    times = ", ".join(one.key for one in wanted.periods)
    assert f"{wanted.operation or '-'} | {metrics} | {times}" == expected
    assert wanted.unknown == ()


def test_one_country_is_set_against_another_and_not_against_last_year():
    for question in (
        "By how much did Spain's revenue exceed Portugal's in July 2025?",
        "How far ahead of Portugal was Spain in revenue in June 2025?",
        "By how much did Spain's revenue differ from Portugal's in July 2025?",
    ):
        wanted = read(question, KNOWN)
        assert (wanted.operation, wanted.against, len(wanted.entities)) == ("difference", None, 2)
    assert read("By how much did Spain's revenue rise in July 2025?", KNOWN).against == "last year"


def test_a_colon_parts_a_name_from_what_follows():
    known = Vocabulary.of(
        {"metric": {"Headcount": 9}, "entity": {"Spain": 9, "Total Spain": 9, "Portugal": 9}}, {}
    )
    wanted = read("Portugal and Spain: total headcount in 2024?", known)
    assert wanted.operation == "sum"
    assert [one.said for one in wanted.entities] == ["Portugal", "Spain"]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    store = FactStore(tmp_path_factory.mktemp("figures") / "figures.duckdb")
    quarters = [cell(at, f"1{at}.0", quarter(2024, at)) for at in (1, 2, 3, 4)]
    made = [
        row(1, "Revenue", ("Iberia",), quarters, table="9.1"),
        row(2, "Income tax", (), [cell(1, "(26.0)", year(2024))], table="9.2"),
        row(3, "Profit before tax", (), [cell(1, "100.0", year(2024))], table="9.2"),
        row(4, "EBIT", (), [cell(1, "(8.0)", year(2024))], table="9.2"),
        row(8, "Energy", (), [cell(1, "(9.0)", year(2024))], table="9.2"),
        row(9, "Marketing", (), [cell(1, "(4.0)", year(2024))], table="9.2"),
        row(6, "Order intake", ("Iberia",), [cell(1, "3.0", month(2025, 6))], table="9.3"),
        row(7, "Order intake", ("Group total",), [cell(1, "12.0", month(2025, 6))], table="9.3"),
    ]
    store.write([*rows(), *made])
    yield ByFigures(store, "reports/sql")
    store.close()


@pytest.mark.parametrize(
    ("question", "formula"),
    [
        ("What was Iberia's second half 2024 revenue?", "13.0 + 14.0 = 27.0 EUR million"),
        ("What was the effective tax rate for 2024?", "|−26.0| / 100.0 = 26.0 %"),
        ("Which was larger in 2024, energy or marketing?", "highest of 2: Energy"),
        ("What was the EBIT margin in 2024?", "−8.0 / 11,900.0 = −0.1 %"),
        ("How much of the group's order intake did Iberia bring in during June 2025?", "= 25.0 %"),
    ],
)
def test_what_is_made_from_what_is_printed(source, question, formula):
    told = asyncio.run(source.tell(Request(text=question), limit=10))
    assert told.found[0].passage is not None, (told.steps, told.missing)
    assert formula in told.found[0].passage.text


def test_a_month_that_is_a_common_word_counts_in_a_list_of_months():
    for question in (
        "Revenue in April, May and June 2025 combined",
        "Combined revenue for May, June and April 2025",
    ):
        keys = {one.key for one in read(question, KNOWN).periods}
        assert keys == {"2025-04", "2025-05", "2025-06"}
    assert not read("Revenue, may it grow", KNOWN).periods
