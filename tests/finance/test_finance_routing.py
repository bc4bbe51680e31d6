"""Which questions go to SQL, which to prose, and what they prefer: by rule, with its reasons."""

import pytest

from consilience.pack import Reading
from consilience.packs.finance.routing import about, boosts, has, route
from consilience.types import Locator, Passage

KNOWN = {
    "metric": ["Revenue", "EBITDA margin", "Net debt", "Capital expenditure"],
    "entity": ["Portugal › Cement", "Spain"],
    "company": ["Acme Materials", "Umber Foods"],
}


def reading(text):
    return Reading(text=text, known=lambda field: KNOWN.get(field, []))


@pytest.mark.parametrize(
    "text",
    [
        "What was the revenue of Portugal in August 2025?",
        "EBITDA margin Spain May 2025 vs budget",
        "By how much did net debt fall in 2024?",
        "Which country had the highest revenue?",
    ],
)
def test_a_question_for_a_figure_asks_sql(text):
    rule = route(reading(text))
    assert rule.intent == "figure"
    assert "sql" not in rule.skips
    assert rule.weights["sql"] > 1


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Why did the EBITDA margin fall in Spain?", "prose"),
        ("What risks does Acme see?", "prose"),
        ("How is net debt defined?", "definition"),
        ("What is meant by EBITDA margin?", "definition"),
    ],
)
def test_a_question_for_words_asks_every_source_and_prefers_paragraphs(text, intent):
    rule = route(reading(text))
    assert rule.intent == intent
    assert not rule.skips
    assert any(str(one.condition) == "kind = report" for one in rule.prefers)
    assert str(rule.again) == "kind = report"


def test_company_time_and_section_are_read_as_preferences():
    question = reading("What does Acme say in its outlook for August 2025?")
    assert about(question) == {
        "company": ("Acme Materials",),
        "period": ("2025-08",),
        "section": ("outlook",),
    }
    assert {str(one.condition) for one in boosts(question)} == {
        "company = Acme Materials",
        "period = 2025-08",
        "section contains outlook",
    }


def test_of_several_times_none_is_preferred():
    assert about(reading("Revenue in 2023 and 2024"))["period"] == ()


def test_a_time_stands_in_a_passage_in_any_spelling():
    passage = Passage(
        id="a",
        collection="c",
        document="d",
        kind="report",
        title="Report",
        text="In Aug. 2025 sales rose.",
        locator=Locator(),
    )
    assert has(passage, "August 2025")
    assert has(passage, "sales")
    assert not has(passage, "May 2025")
    assert not has(passage, "Brazil")
