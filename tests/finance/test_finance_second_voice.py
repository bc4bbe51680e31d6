"""Do questions in yet other words find the same: by verbs, units, reports and formulas?"""

from __future__ import annotations

import asyncio

import pytest
from figures_shared import cell, day, month, row, rows, year

from consilience.packs.finance.figures.facts import ByFigures
from consilience.packs.finance.figures.holding import FactStore
from consilience.packs.finance.notation.periods import month as in_month
from consilience.packs.finance.questions.asking import read
from consilience.packs.finance.questions.vocabulary import Vocabulary
from consilience.types import Request

KNOWN = Vocabulary.of(
    {
        "metric": dict.fromkeys(
            ("EBITDA", "Revenue", "Net sales", "Net debt", "Headcount", "Sales volume",
             "Share of group", "Average price", "Capital expenditure", "Bonds"), 9
        ),
        "entity": dict.fromkeys(("Spain", "Mexico", "Bakery", "Frozen"), 9),
        "company": {"Norvale Foods": 9},
    },
    {"2025-08": in_month(2025, 8)},
    units={"t": ("Sales volume",)},
)  # fmt: skip
PUT = """
Who sold more in 2024, Mexico or Spain? = highest | sold | 2024
Which country sells the least? = lowest | sells |
Did Mexico sell more than Spain in 2024? = compare | sell | 2024
Who earned less in 2024, Mexico or Spain? = lowest | earned | 2024
Which country employed the fewest people in 2024? = lowest | employed | 2024
How much did Norvale invest in 2024? = - | invest | 2024
Who grew faster in 2024, Spain or Mexico? = highest | grew | 2024
Spain's bakery tonnes sold in April 2025 = - | tonnes | 2025-04
Bakery tonnes, Spain, April 2025 = - | tonnes | 2025-04
Which country shipped more tonnes in 2024, Spain or Mexico? = highest | tonnes | 2024
Net debt history of Norvale, 2020 through 2024 = trend | Net debt | 2020, 2024
Five-year view of Norvale's EBITDA = trend | EBITDA | 2020, 2024
EBITDA of Norvale over the past three years = trend | EBITDA | 2022, 2024
Norvale's leverage, i.e. net debt divided by EBITDA, for 2024 = ratio | net debt, EBITDA | 2024
Net debt over EBITDA (the gearing multiple) of Norvale in 2024 = ratio | Net debt, EBITDA | 2024
Which share of the group's net sales did Spain make in 2024? = share | net sales | 2024
What was Norvale's share of group in 2024? = - | share of group | 2024
What EBITDA had Norvale's Spanish frozen food arm in July 2025? = - | EBITDA | 2025-07
What did a tonne of bakery cost on average in 2024? = - | cost | 2024
What was the total revenue of Bakery in Spain in 2024? = - | revenue | 2024
What was the total revenue of Mexico and Spain in 2024? = sum | revenue | 2024
How far is Spain's EBITDA above that of Mexico in 2024? = difference | EBITDA | 2024
How much EBITDA did Norvale gain in 2024? = difference | EBITDA | 2024
EBITDA from January to August 2025 against the year before = difference | EBITDA | 2025-YTD-08
Wie hat sich der Umsatz in den letzten drei Jahren entwickelt? = trend | Umsatz | 2022, 2024
Which month of 2025 had the strongest EBITDA? = highest | EBITDA | 2025
Umsatz je Mitarbeiter 2024 = ratio | Umsatz, Mitarbeiter | 2024
Walk me through Spain's EBITDA between April and August 2025 = trend | EBITDA | 2025-04, 2025-08
What path did Norvale's net debt take from 2020 to 2024? = trend | net debt | 2020, 2024
Track the net debt of Norvale from 2020 to 2024 = trend | net debt | 2020, 2024
Was Spain's revenue going up or down from April to August 2025? = trend | revenue | 2025-04, 2025-08
Was Spain's EBITDA rising or falling over the first half of 2025? = trend | EBITDA | 2025-H1
Did Spain's EBITDA improve from 2020 to 2024? = trend | EBITDA | 2020, 2024
How did Spain's EBITDA change between 2020 and 2024? = trend | EBITDA | 2020, 2024
By how much did Spain's EBITDA change between 2020 and 2024? = difference | EBITDA | 2020, 2024
How steadily did Norvale's revenue grow between 2020 and 2024? = trend | revenue | 2020, 2024
What was Spain's EBITDA in each month of the first half of 2025? = trend | EBITDA | 2025-H1
Revenue of Spain, monthly, January through August 2025 = trend | Revenue | 2025-01, 2025-08
Spain's revenue from March through to August 2025 = trend | revenue | 2025-03, 2025-08
Spain's revenue from 2021 up to and including 2024 = trend | revenue | 2021, 2024
Revenue of Spain, September to December 2025 = trend | Revenue | 2025-09, 2025-12
EBITDA of Spain, Q1 through Q4 2024 = trend | EBITDA | 2024-Q1, 2024-Q4
EBITDA of Spain over the last three months up to August 2025 = trend | EBITDA | 2025-06, 2025-08
EBITDA of Spain in the last three months before August 2025 = trend | EBITDA | 2025-05, 2025-07
EBITDA of Spain in the two months after May 2025 = trend | EBITDA | 2025-06, 2025-07
EBITDA of Spain in the three months starting in May 2025 = trend | EBITDA | 2025-05, 2025-07
Norvale's EBITDA, all five years = trend | EBITDA | 2020, 2024
Spanish revenue in the summer of 2025 = trend | revenue | 2025-06, 2025-08
Spain's revenue up to August 2025, starting in June = trend | revenue | 2025-08, 2025-06
Did Spain's EBITDA pick up again after June 2025? = trend | EBITDA | 2025-06
How seasonal was Spain's revenue across the quarters of 2024? = trend | revenue | 2024
How was revenue spread over Q1, Q2 and Q3 of 2024? = trend | revenue | 2024-Q1, 2024-Q2, 2024-Q3
What has become of Spain's EBITDA since May 2025? = trend | EBITDA | 2025-05, 2025-08
Wie verlief der Umsatz von Mai bis August 2025? = trend | Umsatz | 2025-05, 2025-08
Umsatz je Quartal 2024 = trend | Umsatz | 2024
What did Spain and Mexico together turn over in 2024? = sum | turn over | 2024
If you add the EBITDA of Spain and Mexico for 2024, what do you get? = sum | EBITDA | 2024
Out of Norvale's whole 2024 EBITDA, what percentage did Spain deliver? = share | EBITDA | 2024
Spain's slice of Norvale's revenue in 2024 = share | revenue | 2024
By what factor did Norvale's revenue exceed its EBITDA in 2024? = ratio | revenue, EBITDA | 2024
By what percentage did revenue in July 2025 beat the year before? = growth | revenue | 2025-07
Where was bakery dearer in June 2025, Spain or Mexico? = - | dearer | 2025-06
How did Spain's revenue in May 2025 measure up to the budget? = difference | revenue | 2025-05
Staffing of Spain in June 2025 = - | Staffing | 2025-06
How stuffed was Spain's EBITDA in June 2025? = - | EBITDA | 2025-06
What kind of EBITDA did Spain make in June 2025? = - | EBITDA | 2025-06
Where did Norvale's headcount end up in June 2025? = - | headcount | 2025-06
"""


@pytest.mark.parametrize("line", PUT.strip().splitlines())
def test_other_words_ask_for_the_same(line):
    question, expected = line.rsplit(" = ", 1)
    wanted = read(question, KNOWN)
    metrics = ", ".join(dict.fromkeys(one.said for one in wanted.metrics))
    times = ", ".join(one.key for one in wanted.periods)
    assert f"{wanted.operation or '-'} | {metrics} | {times}".strip() == expected
    assert wanted.asks_figure
    assert wanted.unknown == ()


@pytest.mark.parametrize(
    "question",
    [
        "Walk me through Spain's EBITDA between April and August 2025",
        "How steadily did Norvale's revenue grow between 2020 and 2024?",
        "What path did Norvale's net debt take from 2020 to 2024?",
    ],
)
def test_words_of_asking_are_nothing_unknown(question):
    assert read(question, KNOWN).unknown == ()


def test_a_report_is_told_from_the_time_of_a_figure():
    for question, times, reports in (
        ("What revenue did Norvale forecast for 2025 in its August report?", "2025", "2025-08"),
        ("According to the monthly report for May 2025, EBITDA in 2025?", "2025", "2025-05"),
        ("Revenue of 2022 in the 2024 annual report", "2022", "2024"),
        ("Did the forecast for 2025 revenue change from the July to the August report?",
         "2025", "2025-07 2025-08"),
        ("Revenue of Spain in the August 2025 report", "2025-08", ""),
    ):  # fmt: skip
        wanted = read(question, KNOWN)
        assert " ".join(one.key for one in wanted.periods) == times, question
        assert " ".join(one.key for one in wanted.reports) == reports, question


def test_people_who_died_and_staff_that_left_are_no_other_figure():
    assert not read("How many people died at Norvale in 2024?", KNOWN).metrics
    assert not read("What was the staff turnover of Norvale in 2024?", KNOWN).metrics
    assert not read("Which company did Norvale sell in 2024?", KNOWN).metrics


def years(*texts: str, **known):
    return [cell(at, text, year(2024 - at), **known) for at, text in enumerate(texts)]


def forecasts(document: str, text: str, at: int):
    one = row(
        1, "Revenue", ("Crete",), [cell(1, text, year(2025), basis="forecast")], document=document
    )
    return type(one)(
        **{name: getattr(one, name) for name in one.__slots__ if name not in ("metadata", "id")},
        id=document,
        metadata={**one.metadata, "period": f"2025-{at:02}"},
    )


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    store = FactStore(tmp_path_factory.mktemp("figures") / "figures.duckdb")
    due = {"header": ("Due in", "2026")}, {"header": ("Due in", "2027")}
    people = {"unit": "employees", "scale": 1}
    tonnes, price = {"unit": "t", "scale": 1000}, {"unit": "EUR/t", "scale": 1}
    budget = [
        [cell(at, text, month(2025, at), basis="budget") for at in range(1, 13)]
        for text in ("1.0", "2.0")
    ]
    made = [
        row(1, "Revenue", ("Crete",), years("110.0", "100.0"), table="5.1"),
        row(2, "Revenue", ("Malta",), years("52.0", "50.0"), table="5.1"),
        row(3, "Revenue", ("Sicily",), years("63.0", "70.0"), table="5.1"),
        row(4, "Revenue", ("Total",), years("225.0", "220.0"), table="5.1"),
        row(5, "EBITDA", ("Crete",), years("11.0", "10.0"), table="5.1"),
        row(6, "EBITDA", ("Malta",), years("9.0", "8.0"), table="5.1"),
        row(7, "Headcount", ("Crete",), years("500", "480", **people), table="5.1"),
        row(8, "Sales volume", ("Crete",), years("20", **tonnes), table="5.2"),
        row(9, "Average price", ("Crete",), years("50.0", **price), table="5.2"),
        row(1, "Inventories", (), [cell(1, "30.0", day(2024, 12, 31))], table="6.1"),
        row(2, "Trade receivables", (), [cell(1, "25.0", day(2024, 12, 31))], table="6.1"),
        row(3, "Trade payables", (), [cell(1, "15.0", day(2024, 12, 31))], table="6.1"),
        row(4, "Bonds", (), [cell(1, "7.0", None, **due[0]), cell(2, "8.0", None, **due[1]),
             cell(3, "15.0", None, header=("Total",))],
            table="6.2", caption="Maturity of borrowings"),
        row(1, "Revenue", ("Corsica", "Wine"), budget[0], table="7.1"),
        row(2, "Revenue", ("Corsica", "Cheese"), budget[1], table="7.1"),
        forecasts("july.pdf", "120.0", 7),
        forecasts("august.pdf", "118.0", 8),
    ]  # fmt: skip
    store.write([*rows(), *made])
    yield ByFigures(store, "reports/sql")
    store.close()


COMPUTED = """
By how much more did Crete's revenue grow than Malta's in 2024? = +10.0 % − (+4.0 %) = +6.0 pp
Whose revenue grew faster in 2024, Crete's or Malta's? = +10.0 % − (+4.0 %) = +6.0 pp
Which country's revenue grew fastest in 2024? = Crete (+10.0 %)
Which country's revenue fell most in 2024? = Sicily (−7.0 EUR million, −10.0 %)
Crete and Malta EBITDA together as a share of their revenue in 2024 = (11.0 + 9.0) / (110.0 + 52.0)
Inventories plus trade receivables less trade payables at the end of 2024 \
= 30.0 + 25.0 − 15.0 = 40.0 EUR million
What is sales volume times average price of Crete in 2024? = 20 thousand t × 50.0 EUR/t
Revenue per employee in Crete in 2024 = 220,000.00 EUR per employee
How much of the bonds falls due in 2026 and 2027 together? = 7.0 + 8.0 = 15.0 EUR million
What share of the bonds is due in 2026? = 7.0 / 15.0 = 46.7 %
How many times EBITDA was revenue of Crete in 2024? = 110.0 / 11.0 = 10.00
Average annual growth of Crete's revenue from 2023 to 2024 = (110.0 / 100.0) ^ (1/1) − 1 = +10.0 %
What is Corsica's revenue budget for the full year 2025? = = 36.0 EUR million
How did the forecast for Crete's 2025 revenue change from the July to the August report? \
= 118.0 − 120.0 = −2.0 EUR million
"""


@pytest.mark.parametrize("line", COMPUTED.strip().splitlines())
def test_what_is_composed_comes_out(source, line):
    question, expected = line.split(" = ", 1)
    told = asyncio.run(source.tell(Request(text=question), limit=10))
    assert told.sure, told
    passage = told.found[0].passage
    assert passage is not None, told.steps
    assert expected in passage.text.partition("\n")[0]


def test_a_part_does_not_stand_for_its_whole(source):
    """Portugal has no headcount here, and its cement has none either: nothing is divided."""
    told = asyncio.run(
        source.tell(Request(text="EBITDA of Corsica per employee in 2024?"), limit=10)
    )
    assert not told.sure


def test_the_report_that_is_named_has_the_figure(source):
    question = "What is the forecast for Crete's 2025 revenue in the {} report?"
    told = asyncio.run(source.tell(Request(text=question.format("July")), limit=10))
    assert told.cells == (("july.pdf", 1),)
    told = asyncio.run(source.tell(Request(text=question.format("March")), limit=10))
    assert told.missing == ("the report for March 2025",)
    assert not told.sure


def test_the_column_of_a_year_says_what_falls_due(source):
    told = asyncio.run(source.tell(Request(text="Which bonds are due in 2027?"), limit=10))
    assert [column for _, column in told.cells] == [2]


def test_a_margin_alone_is_the_one_that_reports_have():
    known = Vocabulary.of({"metric": {"EBITDA margin": 9}, "entity": {"Spain": 9}}, {})
    (found,) = read("Spain's margin in 2024", known).metrics
    assert (found.said, found.values) == ("margin", ("EBITDA margin",))
    assert not read("Spain's gross margin in 2024", known).metrics


def test_costs_are_found_by_what_they_are_the_costs_of():
    known = Vocabulary.of({"metric": {"Energy": 9, "Revenue": 9}}, {})
    (found,) = read("What were the energy costs in 2024?", known).metrics
    assert (found.said, found.values) == ("energy costs", ("Energy",))


def test_a_code_of_a_country_may_begin_a_question():
    known = Vocabulary.of({"metric": {"EBITDA": 9}, "entity": {"United States": 9}}, {})
    assert read("US EBITDA in 2024", known).entities[0].values == ("United States",)
    assert not read("Tell us the EBITDA in 2024", known).entities
