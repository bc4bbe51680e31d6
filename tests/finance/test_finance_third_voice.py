"""Do calculations in a third voice come out: by plans, heads, ranks, verbs and in German?"""

from __future__ import annotations

import asyncio

import pytest
from figures_shared import cell, month, row, rows

from consilience.packs.finance.figures.facts import ByFigures
from consilience.packs.finance.figures.holding import FactStore
from consilience.packs.finance.notation.periods import month as in_month
from consilience.packs.finance.questions.asking import read
from consilience.packs.finance.questions.vocabulary import Vocabulary
from consilience.types import Request

KNOWN = Vocabulary.of(
    {
        "metric": dict.fromkeys(
            ("EBITDA", "EBITDA margin", "Revenue", "Headcount", "Sales volume", "Average price",
             "Umsatzerlöse"), 9
        ),
        "entity": dict.fromkeys(("Spain", "Mexico", "Bakery", "Dairy", "Austria"), 9),
        "label": {"Total Austria": 9},
        "company": {"Norvale Foods": 9},
    },
    {"2025-08": in_month(2025, 8)},
    units={"t": ("Sales volume",), "m³": ("Sales volume",)},
)  # fmt: skip
PLANNED = """
How many US$ million short of plan was Spain's EBITDA in July 2025?
How far short of plan was Spain's EBITDA in July 2025?
By how much did Spain's EBITDA fall short of plan in July 2025?
How much did Spain's EBITDA miss the plan by in July 2025?
How much below plan did Spain's EBITDA come in in July 2025?
How many million dollars under plan was Spain's EBITDA in July 2025?
Spain's EBITDA was how much off plan in July 2025?
What was the gap to plan of Spain's EBITDA in July 2025?
How far behind plan was Spain's EBITDA in July 2025?
By how many US$ million did EBITDA in Spain undershoot the plan in July 2025?
How large was the shortfall against plan of Spain's EBITDA in July 2025?
Spain's EBITDA in July 2025 was how far shy of plan?
Um wie viel verfehlte das EBITDA in Spain im Juli 2025 den Plan?
Wie viel höher war das EBITDA in Spain im Juli 2025 als geplant?
"""
PUT = """
How many per cent below plan was Spain's EBITDA in July 2025? = growth | EBITDA | 2025-07
Under the 2025 budget, what share of Norvale's May revenue is Spain's? = share | revenue | 2025-05
According to the budget for 2025, what part of revenue comes from Spain? = share | revenue | 2025
How many tonnes were sold per bakery employee in Spain in 2024? \
= ratio | tonnes, employee | 2024
Tonnes of bakery goods sold per bakery FTE in Spain, July 2025? = ratio | Tonnes, FTE | 2025-07
How many tonnes did each bakery employee in Spain sell in 2024? = ratio | tonnes, employee | 2024
Bakery tonnes per employee, Spain, 2024 = ratio | tonnes, employee | 2024
Tonnes sold per head in Spain in 2024 = ratio | Tonnes, head | 2024
How many m³ per worker did Spain sell in 2024? = ratio | m³, worker | 2024
Wie viele Tonnen wurden je Vollzeitkraft in Spain 2024 verkauft? \
= ratio | Tonnen, Vollzeitkraft | 2024
Welchen Umsatz pro Kopf hatte Spain 2024? = ratio | Umsatz, Kopf | 2024
Welchen Umsatz je Vollzeitäquivalent erzielte Spain 2024, in Tausend Euro? \
= ratio | Umsatz, Vollzeitäquivalent | 2024
Wie viel Umsatz kam in Spain 2024 auf einen Beschäftigten? = ratio | Umsatz, Beschäftigten | 2024
Revenue per thousand tonnes of Spain in 2024 = ratio | Revenue, thousand tonnes | 2024
Revenue of Spain per tonne in 2024 = ratio | Revenue, tonne | 2024
What EBITDA did Spain make per tonne in 2024? = ratio | EBITDA, tonne | 2024
What was the average price per tonne in Spain in 2024? = - | average price | 2024
How many tonnes did Spain sell in 2024? = - | tonnes | 2024
What did Spain sell per month on average between April and June 2025? \
= average | sell | 2025-04, 2025-06
What did Spain and Mexico sell together in 2024? = sum | sell | 2024
How many euros more per tonne did Spain's bakery fetch in June 2025 than in June 2024? \
= difference | fetch | 2025-06, 2024-06
How many US$ more per tonne did Spain's dairy bring in 2024 than in 2023? \
= difference | bring | 2024, 2023
What did Spain's dairy fetch per tonne in June 2025? = - | fetch | 2025-06
How many euros a tonne did Spain's dairy cost in June 2025? = - | cost | 2025-06
What did a m³ of Spain's dairy cost in June 2025? = - | cost | 2025-06
How much dearer was Spain's dairy in June 2025 than in June 2024? \
= difference | dearer | 2025-06, 2024-06
How much higher was revenue in the fourth quarter of 2024 than in the first? \
= difference | revenue | 2024-Q4, 2024-Q1
How much lower was revenue in the first quarter of 2024 than in the second? \
= difference | revenue | 2024-Q1, 2024-Q2
Difference of revenue between the first and the fourth quarter of 2024 \
= difference | revenue | 2024-Q1, 2024-Q4
How much higher was revenue in the second half of 2024 than in the first? \
= difference | revenue | 2024-H2, 2024-H1
What was revenue in the first quarter of 2024? = - | revenue | 2024-Q1
How much higher was Spain's revenue in July 2025 than in May? \
= difference | revenue | 2025-07, 2025-05
Um wie viele Prozentpunkte lag die EBITDA-Marge in Spain im Juli 2025 unter dem Vorjahresmonat? \
= difference | EBITDA-Marge | 2025-07
Um wie viele Tausend Euro lag der Umsatz in Spain im Juli 2025 über der des Vorjahres? \
= difference | Umsatz | 2025-07
Total the Austrian EBITDA of July and August 2025. = sum | EBITDA | 2025-07, 2025-08
Please total the EBITDA of Spain and Mexico for 2024. = sum | EBITDA | 2024
Total up the EBITDA of Spain for June and July 2025. = sum | EBITDA | 2025-06, 2025-07
Tot up Spain's EBITDA of June and July 2025. = sum | EBITDA | 2025-06, 2025-07
Can you add the EBITDA of Spain for June and July 2025? = sum | EBITDA | 2025-06, 2025-07
How much is Spain's EBITDA for June plus July 2025? = sum | EBITDA | 2025-06, 2025-07
Total EBITDA of Spain in 2024 = - | EBITDA | 2024
"""


@pytest.mark.parametrize("question", PLANNED.strip().splitlines())
def test_a_plan_that_was_missed_is_what_it_is_counted_from(question):
    """Never the year before, which the question does not name."""
    wanted = read(question, KNOWN)
    assert (wanted.operation, wanted.bases, wanted.against) == (
        "difference",
        ("actual", "budget"),
        "budget",
    )
    assert not wanted.unknown


@pytest.mark.parametrize("line", PUT.strip().splitlines())
def test_how_it_is_put(line):
    question, expected = (part.strip() for part in line.rsplit(" = ", 1))
    wanted = read(question, KNOWN)
    said = dict.fromkeys(one.said for one in sorted(wanted.metrics, key=lambda one: one.start))
    times = ", ".join(one.key for one in wanted.periods)
    assert f"{wanted.operation or '-'} | {', '.join(said)} | {times}".strip() == expected
    assert not wanted.unknown


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    store = FactStore(tmp_path_factory.mktemp("figures") / "figures.duckdb")
    people, tonnes = {"unit": "employees", "scale": 1}, {"unit": "t", "scale": 1000}
    price = {"unit": "EUR/t", "scale": 1}
    may, june = ({"table": table, "document": f"{table}.pdf"} for table in ("5.1", "6.1"))
    made = [
        row(1, "Revenue", ("Crete",), one(5, "40.0", "44.0"), **may),
        row(2, "Sales volume", ("Crete",), one(5, "30", **tonnes), **may),
        row(3, "Headcount", ("Crete",), one(5, "200", **people), **may),
        row(4, "Average price", ("Crete",), one(5, "55.0", **price), **may),
        row(5, "Revenue", ("Germany",), one(5, "70.0"), **may),
        row(1, "Revenue", ("Crete",), one(6, "50.0"), **june),
        row(2, "Average price", ("Crete",), one(6, "57.5", **price), **june),
        row(3, "Umsatzerlöse", ("Deutschland",), one(6, "80.0"), **june),
        row(4, "Revenue", ("Germany",), [cell(1, "75.0", month(2025, 6), basis="budget")], **may),
    ]
    store.write([*rows(), *made])
    yield ByFigures(store, "reports/sql")
    store.close()


def one(at, text, budget="", **known):
    """What was in a month of 2025, and what was planned."""
    cells = [cell(1, text, month(2025, at), **known)]
    return cells + ([cell(2, budget, month(2025, at), basis="budget", **known)] if budget else [])


COMPUTED = """
How far short of plan was Crete's revenue in May 2025? = 40.0 − 44.0 = −4.0 EUR million
How many per cent below plan was Crete's revenue in May 2025? = (40.0 − 44.0) / 44.0 = −9.1 %
How many tonnes were sold per employee in Crete in May 2025? = 150.00 t per employee
How many thousand tonnes were sold per employee in Crete in May 2025? \
= 0.1500 thousand t per employee
Revenue in thousand euros per employee of Crete, May 2025 = 200.00 EUR thousand per employee
Revenue per employee of Crete, May 2025 = 200,000.00 EUR per employee
How many euros more per tonne did Crete fetch in June 2025 than in May 2025? = = +2.5 EUR/t
What did Crete sell on average in May and June 2025? = (50.0 + 40.0) / 2 = 45.0 EUR million
Total the revenue of Crete for May and June 2025. = 50.0 + 40.0 = 90.0 EUR million
What was German revenue in May and June 2025 combined? = 80.0 + 70.0 = 150.0 EUR million
How much higher was German revenue in June 2025 than in May? = 80.0 − 70.0 = +10.0 EUR million
"""


@pytest.mark.parametrize("line", COMPUTED.strip().splitlines())
def test_it_comes_out(source, line):
    question, expected = line.split(" = ", 1)
    told = asyncio.run(source.tell(Request(text=question), limit=10))
    assert told.sure, told
    passage = told.found[0].passage
    assert passage is not None, told.steps
    assert expected in passage.text.partition("\n")[0]


def test_a_total_that_is_told_to_be_made_is_no_row():
    wanted = read("Total the Austrian EBITDA of July and August 2025.", KNOWN)
    assert [one.values for one in wanted.entities] == [("Austria",)]
    (row_of,) = read("Total Austria EBITDA in July 2025", KNOWN).entities
    assert row_of.values == ("Total Austria",)
