"""What questions ask of the figures: names, times, bases, and what is to be computed."""

import json
import re
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.packs.finance.notation.periods import month, read_periods
from consilience.packs.finance.questions.asking import read
from consilience.packs.finance.questions.vocabulary import Vocabulary

METRICS = (
    "EBITDA", "EBITDA margin (%)", "Net sales", "EBIT", "Research and development expenses",
    "Total assets", "Net income (loss)", "Change in working capital", "Like-for-like growth",
    "Capital expenditure", "Headcount", "Share capital", "Average price", "Operating expenses",
    "Market share", "Increase in provisions", "4.5% notes due 2027",
)  # fmt: skip
ENTITIES = ("Portugal", "Spain", "Tunisia", "Cement", "Ready-mix concrete", "Group")
KNOWN = Vocabulary.of(
    {
        "metric": dict.fromkeys(METRICS, 9),
        "entity": dict.fromkeys(ENTITIES, 9),
        "company": {"Bramwell Cement Group AG": 9, "Norvale Foods Inc.": 9},
        "caption": {"Key figures by country": 9},
        "label": {"Clinker factor": 2},
        "header": {"Budget": 9, "Kiln utilisation": 3},
    },
    {"2025-08": month(2025, 8)},
)
SHARED = Path(__file__).parents[3] / "shared" / "data"


def told(question):
    """Operation, metrics, entities and periods of a question, in a line."""
    wanted = read(question, KNOWN)
    return " | ".join(
        (
            wanted.operation or "-",
            ", ".join(one.said for one in wanted.metrics),
            ", ".join(one.said for one in wanted.entities),
            ", ".join(one.key for one in wanted.periods) + (" all" if wanted.is_range else ""),
        )
    )


LOOKED_UP = """
EBITDA Portugal August 2025 = - | EBITDA | Portugal | 2025-08
ebitda portugal aug 2025 = - | ebitda | portugal | 2025-08
What was the EBITDA of Portugal in August 2025? = - | EBITDA | Portugal | 2025-08
EBITDA margin Spain Q3 2024 = - | EBITDA margin | Spain | 2024-Q3
What were net sales in 2024? = - | net sales |  | 2024
How much revenue did Spain have in 2023? = - | revenue | Spain | 2023
What was the EBITDA of Portugal Cement in August 2025? = - | EBITDA | Portugal, Cement | 2025-08
Umsatz PT 08/2025 = - | Umsatz | PT | 2025-08
Wie hoch war der Umsatz in Portugal 2024? = - | Umsatz | Portugal | 2024
Quel était le chiffre d'affaires en 2024 ? = - | chiffre d'affaires |  | 2024
What were total assets at the end of 2024? = - | total assets |  | 2024-12-31
What was the change in working capital in 2024? = - | change in working capital |  | 2024
like-for-like growth Portugal 2024 = - | like-for-like growth | Portugal | 2024
share capital 2024 = - | share capital |  | 2024
What was the average price of cement in Spain in 2024? = - | average price | cement, Spain | 2024
market share in Tunisia 2023 = - | market share | Tunisia | 2023
What was the increase in provisions in 2023? = - | increase in provisions |  | 2023
How many employees did Spain have in 2024? = - | employees | Spain | 2024
What was the number of employees in 2024? = - | number of employees |  | 2024
What did Norvale spend on capex in 2023? = - | capex |  | 2023
How much EBITDA is included for Spain in 2024? = - | EBITDA | Spain | 2024
EBITDA of Portugal and Spain in 2024 = - | EBITDA | Portugal, Spain | 2024
What was EBITDA in Q3 2024 and Q3 2025? = - | EBITDA |  | 2024-Q3, 2025-Q3
What were total assets in 2023 and 2024, respectively? = - | total assets |  | 2023, 2024
EBTIDA Portgual 2024 = - | EBTIDA | Portgual | 2024
List the EBITDA of all countries in August 2025 = - | EBITDA |  | 2025-08
Show me revenue by country for 2024 = - | revenue |  | 2024
What was revenue last year? = - | revenue |  | 2024
revenue last month = - | revenue |  | 2025-07
EBITDA this year = - | EBITDA |  | 2025
EBITDA YTD August 2025 = - | EBITDA |  | 2025-YTD-08
What was the EBITDA? = - | EBITDA |  |
What was the balance of the 4.5% notes due 2027 in 2024? = - | 4.5% notes due 2027 |  | 2024
how many people worked for Norvale in 2023 = - | people |  | 2023
Show net sales for the last five years up to 2024 = trend | net sales |  | 2020, 2024 all
kiln utilisation Spain 2024 = - | kiln utilisation | Spain | 2024
clinker factor in 2024 = - | clinker factor |  | 2024
Portugal 2024 = - |  | Portugal | 2024
What was Bramwell Cement's EBITDA in 2024? = - | EBITDA |  | 2024
Please give me the R&D expense for fiscal 2023. = - | R&D expense |  | 2023
What is the group's EBITDA for 2024? = - | EBITDA | group | 2024
"""

COMPUTED = """
Wie hoch war der Anteil von Spanien am Umsatz 2024? = share | Umsatz | Spanien | 2024
Welches Land hatte 2024 das höchste EBITDA? = highest | EBITDA |  | 2024
Durchschnitt des EBITDA in Spanien 2023 und 2024 = average | EBITDA | Spanien | 2023, 2024
Contrast the EBITDA of Spain in 2024 and 2023 = compare | EBITDA | Spain | 2024, 2023
What has happened to EBITDA from 2020 to 2024, year for year? = trend | EBITDA |  | 2020, 2024 all
EBITDA of Spain over the years 2020 to 2024 = trend | EBITDA | Spain | 2020, 2024 all
What was the change in net sales between 2018 and 2019? = difference | net sales |  | 2018, 2019
What is the difference in EBITDA between 2023 and 2024? = difference | EBITDA |  | 2023, 2024
How much did headcount fall between 2023 and 2024? = difference | headcount |  | 2023, 2024
By how much did EBITDA increase from 2023 to 2024? = difference | EBITDA |  | 2023, 2024
What is the increase / (decrease) in EBITDA from 2018 to 2019? = difference | EBITDA |  | 2018, 2019
net sales 2024 vs 2023 = difference | net sales |  | 2024, 2023
What were net sales in 2024 compared to 2023? = difference | net sales |  | 2024, 2023
How much higher was EBITDA in Portugal than in Spain in 2024? \
= difference | EBITDA | Portugal, Spain | 2024
How much more did Spain sell than Portugal in 2024? = difference | sell | Spain, Portugal | 2024
What was the change in the change in working capital between 2023 and 2024? \
= difference | change in working capital |  | 2023, 2024
How much did the share capital change in 2024? = difference | share capital |  | 2024
EBITDA minus capex in 2024 = difference | EBITDA, capex |  | 2024
What is the gap between EBITDA and EBIT in 2024? = difference | EBITDA, EBIT |  | 2024
What was the percentage change in revenue from 2018 to 2019? = growth | revenue |  | 2018, 2019
By what percentage did revenue grow in 2024? = growth | revenue |  | 2024
By what % did EBITDA fall between 2023 and 2024? = growth | EBITDA |  | 2023, 2024
What was the growth rate of net sales in 2024? = growth | net sales |  | 2024
revenue growth 2024 = growth | revenue |  | 2024
year-over-year growth of EBITDA in Q2 2024 = growth | EBITDA |  | 2024-Q2
How fast did net sales grow in Spain in 2024? = growth | net sales | Spain | 2024
What was the CAGR of net sales from 2020 to 2024? = growth | net sales |  | 2020, 2024
What is the % change in EBIT between 2023 and 2024? = growth | EBIT |  | 2023, 2024
What was the percentage increase / decrease in EBITDA in 2024? = growth | EBITDA |  | 2024
What is the percentage difference in EBIT between 2023 and 2024? = growth | EBIT |  | 2023, 2024
How many percent did headcount rise in 2024? = growth | headcount |  | 2024
What was the change (%) of EBITDA between 2018 and 2019? = growth | EBITDA |  | 2018, 2019
What was the growth of the share capital from 2022 to 2023? = growth | share capital |  | 2022, 2023
What share of total revenue came from Portugal in 2024? = share | revenue | Portugal | 2024
What percentage of operating expenses was R&D in 2023? = share | operating expenses, R&D |  | 2023
What proportion of group EBITDA did Spain contribute in 2024? = share | EBITDA | group, Spain | 2024
What is Portugal's share of Group net sales in 2024? = share | net sales | Portugal, Group | 2024
R&D as a percentage of net sales in 2024 = share | R&D, net sales |  | 2024
How much of net sales came from Cement in 2024? = share | net sales | Cement | 2024
What is R&D expressed as a percentage of operating expenses in 2024? \
= share | R&D, operating expenses |  | 2024
What was the contribution of Spain to EBITDA in 2024? = share | EBITDA | Spain | 2024
What is the ratio of EBITDA to net sales in 2024? = ratio | EBITDA, net sales |  | 2024
EBITDA / net sales in 2024 = ratio | EBITDA, net sales |  | 2024
EBITDA divided by headcount in 2024 = ratio | EBITDA, headcount |  | 2024
net sales per employee in 2024 = ratio | net sales, employee |  | 2024
What was the EBITDA-to-sales ratio of Portugal in 2024? = ratio | EBITDA, sales | Portugal | 2024
average EBITDA for 2021-2023 = average | EBITDA |  | 2021, 2023 all
What was the average EBITDA for 2022 and 2023? = average | EBITDA |  | 2022, 2023
What is the average net income from 2017 to 2019? = average | net income |  | 2017, 2019 all
mean headcount between 2020 and 2024 = average | headcount |  | 2020, 2024 all
What did EBITDA amount to on average in Portugal, Spain and Tunisia? \
= average | EBITDA | Portugal, Spain, Tunisia |
What was the average of the average price in 2023 and 2024? \
= average | average price |  | 2023, 2024
What was the total EBITDA of Portugal, Spain and Tunisia in 2024? \
= sum | EBITDA | Portugal, Spain, Tunisia | 2024
What is the sum of EBITDA and capex in 2024? = sum | EBITDA, capex |  | 2024
Combined EBITDA of Portugal and Spain = sum | EBITDA | Portugal, Spain |
What is the total capex for 2022 and 2023? = sum | capex |  | 2022, 2023
How much did Portugal and Spain sell together in 2024? = sum | sell | Portugal, Spain | 2024
What was the total capex from 2020 to 2023? = sum | capex |  | 2020, 2023 all
capex plus R&D in 2024 = sum | capex, R&D |  | 2024
Which country had the highest EBITDA margin in 2024? = highest | EBITDA margin |  | 2024
Which division sold the most in 2024? = highest | sold |  | 2024
top three countries by EBITDA in 2024 = highest | EBITDA |  | 2024
Rank countries by headcount = highest | headcount |  |
In which year was EBITDA larger? = highest | EBITDA |  |
In which year was the EBITDA margin (%) higher? = highest | EBITDA margin |  |
Which month had the highest EBITDA in 2025? = highest | EBITDA |  | 2025
Which of Portugal and Spain had the larger headcount in 2024? \
= highest | headcount | Portugal, Spain | 2024
Which country had the lowest EBITDA in 2024? = lowest | EBITDA |  | 2024
What were the five smallest countries by net sales in 2024? = lowest | net sales |  | 2024
In which year was headcount lower? = lowest | headcount |  |
Which segment had the least capex in 2023? = lowest | capex |  | 2023
How many countries had an EBITDA margin above 20 % in August 2025? \
= count | EBITDA margin |  | 2025-08
In how many years did EBITDA exceed 100 million? = count | EBITDA |  |
How many years had EBITDA below 5,000? = count | EBITDA |  |
number of divisions with negative EBITDA in 2024 = count | EBITDA |  | 2024
In which years was EBITDA below 5,000? = - | EBITDA |  |
How did EBITDA develop over 2025? = trend | EBITDA |  | 2025 all
How has EBITDA evolved since 2020? = trend | EBITDA |  | 2020, 2024 all
How did EBITDA develop since March 2025? = trend | EBITDA |  | 2025-03, 2025-08 all
How much has headcount grown since 2021? = growth | headcount |  | 2021, 2024
What is the trend in net sales? = trend | net sales |  |
EBITDA in Spain month by month in 2025 = trend | EBITDA | Spain | 2025 all
development of headcount from 2020 to 2024 = trend | headcount |  | 2020, 2024 all
How did net sales change over the years 2020 to 2024? = trend | net sales |  | 2020, 2024 all
How did EBITDA develop from May to August 2025? = trend | EBITDA |  | 2025-05, 2025-08 all
How did EBITDA evolve between May and August 2025? \
= trend | EBITDA |  | 2025-05, 2025-08 all
average monthly EBITDA from January to June 2025 \
= average | EBITDA |  | 2025-01, 2025-06 all
What was the change in EBITDA from January to June 2025? \
= difference | EBITDA |  | 2025-01, 2025-06
What was the average EBITDA over the last 3 months? \
= average | EBITDA |  | 2025-06, 2025-08 all
What is the ratio of EBIT to EBITDA in 2024? = ratio | EBIT, EBITDA |  | 2024
quarterly EBITDA of Spain in 2024 = trend | EBITDA | Spain | 2024 all
Was Portugal's EBITDA higher than Spain's in 2024? = compare | EBITDA | Portugal, Spain | 2024
Was EBITDA higher in Portugal or Spain in 2024? = compare | EBITDA | Portugal, Spain | 2024
Compare the EBITDA of Portugal and Spain in 2024 = compare | EBITDA | Portugal, Spain | 2024
Did EBITDA exceed capex in 2024? = compare | EBITDA, capex |  | 2024
"""


def table(text):
    return [tuple(line.rsplit(" = ", 1)) for line in text.strip().splitlines()]


@pytest.mark.parametrize(("question", "expected"), table(LOOKED_UP))
def test_a_question_names_figures(question, expected):
    assert told(question).rstrip() == expected
    assert read(question, KNOWN).asks_figure


@pytest.mark.parametrize(("question", "expected"), table(COMPUTED))
def test_a_question_asks_to_compute(question, expected):
    assert told(question).rstrip() == expected
    assert read(question, KNOWN).asks_figure


PROSE = """
Why did EBITDA fall in Portugal in 2024?
How is EBITDA defined?
How was net income calculated in 2024?
What is EBITDA?
What is meant by like-for-like growth?
What does net sales include?
Explain the EBITDA margin of Spain in August 2025
Describe the outlook for Portugal in 2025
What risks affect net sales in Spain?
What are the main risks for net sales?
What drove EBITDA in 2024?
What was the reason for the decrease in net income in 2024?
According to management, what hurt EBITDA in August 2025?
How does Norvale recognise revenue?
What is included in operating expenses?
Who is the auditor of Norvale?
When was Bramwell founded?
What factors contributed to the increase in EBITDA in 2024?
What was the increase in capex in 2024 driven by?
What happened to EBITDA in Portugal in August 2025?
Summarise the results of Spain for 2024
How will the new plant affect EBITDA?
What policies apply to share capital?
Tell me about Portugal
Were there any changes in share capital in 2024?
How often is goodwill tested?
What was the weather in Lisbon in 2024?
Who won the match?
Which policies apply to net sales?
Which discount rate does Norvale use for provisions?
Is freight included in net sales?
Does the headcount include temporary workers?
What counts as capital expenditure?
What went wrong in Spain in August 2025?
What is the useful life of a kiln?
Warum ist das EBITDA in Portugal 2024 gesunken?
Wie ist das EBITDA definiert?
Was versteht Norvale unter EBITDA?
Wie werden Vorräte bewertet?
"""


@pytest.mark.parametrize("question", PROSE.strip().splitlines())
def test_a_question_for_prose_asks_for_no_figure(question):
    wanted = read(question, KNOWN)
    assert not wanted.asks_figure
    assert wanted.operation is None


BASES = """
Um wie viel Prozent ist der Umsatz in Spanien 2024 gegenüber dem Vorjahr gewachsen? \
= actual, last year / last year / growth
Wie hat sich das EBITDA in Spanien im August 2025 im Vergleich zum Plan entwickelt? \
= actual, budget / budget / difference
What was the EBITDA margin of Portugal Cement in August 2025 against budget? \
= actual, budget / budget / difference
EBITDA vs budget, Spain, August 2025 = actual, budget / budget / difference
How did EBITDA compare with plan in August 2025? = actual, budget / budget / difference
How far was EBITDA of Tunisia below plan in August 2025? = actual, budget / budget / difference
EBITDA variance to budget for Spain, August 2025 = actual, budget / budget / difference
How much did Portugal miss its EBITDA budget by in August 2025? \
= actual, budget / budget / difference
What was the difference between actual and budgeted EBITDA in Spain in August 2025? \
= actual, budget / budget / difference
Did Spain exceed its budgeted EBITDA in August 2025? = actual, budget / budget / difference
Was the budget for capex met in August 2025? = actual, budget / budget / difference
What were net sales in the first half of 2025 compared to forecast? \
= actual, forecast / forecast / difference
By how many percentage points was the EBITDA margin above budget in August 2025? \
= actual, budget / budget / difference
By what percentage was EBITDA above budget in August 2025? = actual, budget / budget / growth
budgeted EBITDA of Spain for August 2025 = budget / None / None
What is the budget for capex in 2025? = budget / None / None
What is the forecast EBITDA for 2026? = forecast / None / None
How did EBITDA in August 2025 compare with last year? = actual, last year / last year / difference
EBITDA YTD August 2025 vs prior year = actual, last year / last year / difference
What was the change in EBITDA in August 2025 compared to the same period of the previous year? \
= actual, last year / last year / difference
How much did net sales grow in 2024? = actual, last year / last year / growth
revenue growth year on year in August 2025 = actual, last year / last year / growth
What was the increase in capex in 2024? = actual, last year / last year / difference
What was the change in EBITDA between 2023 and 2024? =  / None / difference
How much higher was EBITDA in Portugal than in Spain in 2024? =  / None / difference
EBITDA 2024 =  / None / None
"""


@pytest.mark.parametrize(("question", "expected"), table(BASES))
def test_a_question_names_what_a_figure_is_compared_with(question, expected):
    wanted = read(question, KNOWN)
    assert f"{', '.join(wanted.bases)} / {wanted.against} / {wanted.operation}" == expected


BOUNDS = [
    ("Which countries had an EBITDA margin above 20 %?", ">", 20, "%"),
    ("Which countries had net sales of more than € 1.5 million?", ">", 1_500_000, "EUR"),
    ("In which years was EBITDA below 5,000?", "<", 5000, ""),
    ("Which divisions had at least 250 employees?", ">=", 250, None),
    ("In which year was net income less than 100.0 million?", "<", 100_000_000, ""),
    ("In which years did headcount exceed 2000?", ">", 2000, ""),
    ("countries with EBITDA margin >= 12.5%", ">=", Decimal("12.5"), "%"),
    ("Which countries had negative EBITDA in 2024?", "<", 0, ""),
    ("Which countries had EBITDA up to EUR 50m in 2024?", "<=", 50_000_000, "EUR"),
]


@pytest.mark.parametrize(("question", "comparison", "number", "unit"), BOUNDS)
def test_a_question_bounds_figures(question, comparison, number, unit):
    bound = read(question, KNOWN).bound
    assert (bound.comparison, bound.number) == (comparison, number)
    assert unit is None or bound.unit == unit


@pytest.mark.parametrize(
    "question",
    [
        "Was EBITDA higher than 2018?",
        "EBITDA over 2025",
        "Was EBITDA more than in Spain?",
        "EBITDA",
    ],
)
def test_a_time_or_a_name_bounds_nothing(question):
    assert read(question, KNOWN).bound is None


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("top three countries by EBITDA", 3),
        ("What are the top 5 countries by EBITDA?", 5),
        ("Which three countries of Bramwell had the highest EBITDA in 2024?", 3),
        ("the two largest divisions by net sales", 2),
        ("Which country had the second highest EBITDA?", 2),
        ("Rank the countries by EBITDA", 0),
        ("Which country had the highest EBITDA?", 1),
    ],
)
def test_a_question_says_how_many(question, number):
    assert read(question, KNOWN).number == number


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("What share of total revenue came from Portugal in 2024?", "revenue"),
        ("What percentage of operating expenses was R&D in 2023?", "operating expenses"),
        ("R&D as a percentage of net sales in 2024", "net sales"),
        ("What is the share of R&D in operating expenses in 2024?", "operating expenses"),
        ("What was the contribution of Spain to EBITDA in 2024?", "EBITDA"),
    ],
)
def test_a_share_is_taken_of_a_whole(question, whole):
    assert read(question, KNOWN).whole.said == whole


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("net debt 2024", ("net debt",)),
        ("What was the adjusted EBITDA in 2024?", ("adjusted EBITDA",)),
        ("What was the deferred revenue of Norvale in 2024?", ("deferred revenue",)),
        ("EBITDA of Atlantis in 2024", ("Atlantis",)),
        ("EBITDA of Brazil in 2024", ("Brazil",)),
        ("recurring EBIT of Spain", ("recurring",)),
        ("What was the EBITDA of Hooli Systems in 2024?", ("Hooli Systems",)),
        ("What was reported as EBITDA for Portugal in August 2025, please?", ()),
        ("Which country contributed the highest EBITDA in 2024?", ()),
        ("How far did EBITDA deviate from budget in August 2025?", ()),
    ],
)
def test_what_nothing_is_known_of_is_said(question, unknown):
    assert read(question, KNOWN).unknown == unknown


def test_companies_and_places_are_told_apart_from_entities():
    wanted = read("EBITDA of Bramwell Cement Group in the key figures by country 2024", KNOWN)
    assert [one.values for one in wanted.companies] == [("Bramwell Cement Group AG",)]
    assert [one.said for one in wanted.places] == ["key figures by country"]
    assert not wanted.entities


def test_a_name_that_is_metric_and_entity_is_what_the_question_lacks():
    known = Vocabulary.of(
        {"metric": {"Cement": 2, "EBITDA": 2}, "entity": {"Cement": 5, "Spain": 2}}, {}
    )
    with_metric = read("EBITDA Cement 2024", known)
    assert [one.field for one in (*with_metric.metrics, *with_metric.entities)] == [
        "metric",
        "entity",
    ]
    with_entity = read("Cement Spain 2024", known)
    assert [one.said for one in with_entity.metrics] == ["Cement"]
    assert [one.said for one in with_entity.entities] == ["Spain"]


def test_words_about_time_are_counted_from_the_latest_period():
    assert read("EBITDA last month", KNOWN).periods == (month(2025, 7),)
    without = Vocabulary.of({"metric": {"EBITDA": 1}}, {})
    assert read("EBITDA last month", without).periods == ()
    assert read("EBITDA", KNOWN).periods == ()


def test_a_label_is_a_name_only_where_no_metric_is():
    wanted = read("clinker factor Spain 2024", KNOWN)
    assert [(one.field, one.values) for one in wanted.metrics] == [("label", ("Clinker factor",))]
    assert [(one.field, one.said) for one in wanted.entities] == [("entity", "Spain")]


@given(st.text(max_size=300))
def test_any_text_can_be_asked(text):
    wanted = read(text, KNOWN)
    assert wanted.question == text


WORDS = (
    "EBITDA", "Portugal", "2024", "August 2025", "budget", "than", "how much", "share of", "top 3",
    "vs", "last year", "above 20 %", "total", "which", "higher", "(", ")", "%", "?", "and",
    "2019-2021",
)  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=14))
def test_any_words_can_be_asked(words):
    wanted = read(" ".join(words), KNOWN)
    assert wanted.number >= 0
    assert all(one.said in wanted.question for one in (*wanted.metrics, *wanted.entities))


# --- real questions ---------------------------------------------------------------------


def computed(question):
    """What the derivation of an answer computes; empty where it is of another kind."""
    sums = re.sub(r"[\s$%]", "", question["derivation"])
    number = r"[-(\[]*[\d,.]+[)\]]*"
    forms = {
        "growth": rf"[\[(]*{number}-{number}[)\]]*/{number}",
        "average": rf"[\[(]*{number}(?:\+{number})+[)\]]*/[2345]",
        "difference": rf"\(?{number}-{number}\)?",
    }
    if question["answer_type"] == "count":
        return "count"
    if question["answer_type"] != "arithmetic":
        return ""
    return next((name for name, form in forms.items() if re.fullmatch(form, sums)), "")


@pytest.mark.skipif(not (SHARED / "finance_tatqa").exists(), reason="the shared data is not here")
def test_real_questions_are_read_as_people_computed_their_answers():
    path = SHARED / "finance_tatqa" / "tatqa_dataset_dev.json"
    right, asked = Counter(), Counter()
    for entry in json.loads(path.read_text(encoding="utf-8"))[::3]:
        labels = Counter(row[0] for row in entry["table"]["table"] if row[0].strip())
        heads = [cell for row in entry["table"]["table"][:3] for cell in row[1:]]
        spoken = [one.period for cell in heads for one in read_periods(cell) if one.period]
        known = Vocabulary.of({"metric": labels}, {one.key: one for one in spoken})
        for question in entry["questions"]:
            wanted, expected = read(question["question"], known), computed(question)
            asked[expected] += bool(expected)
            right[expected] += bool(expected) and wanted.operation == expected
    assert sum(asked.values()) > 150
    assert sum(right.values()) / sum(asked.values()) > 0.9
