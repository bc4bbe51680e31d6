"""Names of the evidence in questions: what is found, under which names, and what is not."""

import tomllib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.packs.finance.notation.periods import month, year_of
from consilience.packs.finance.questions import aliases as module
from consilience.packs.finance.questions.spelling import forms_of, joined, words_of
from consilience.packs.finance.questions.vocabulary import Vocabulary

METRICS = (
    "EBITDA", "EBITDA margin (%)", "Net sales", "Research and development expenses",
    "Total assets", "Net income (loss)", "Cost of materials, in € million", "Goodwill, net¹",
    "Loan-to-value (LTV) ratio", "Property, plant & equipment", "Trade receivables",
    "Change in working capital", "Depreciation expense", "Selling prices", "Like-for-like growth",
)  # fmt: skip
ENTITIES = ("Portugal", "Spain", "Czech Republic", "United States", "Ready-mix concrete", "Cement")
COMPANIES = ("Bramwell Cement Group AG", "Norvale Foods Inc.", "Société Lumière S.A.")


def vocabulary(synonyms=None, **fields):
    given = fields or {"metric": METRICS, "entity": ENTITIES, "company": COMPANIES}
    counts = {name: dict.fromkeys(values, 3) for name, values in given.items()}
    return Vocabulary.of(counts, {}, synonyms=synonyms)


ALL = vocabulary()


def found(text, known=ALL):
    return {(one.field, value, one.how) for one in known.matches(text) for value in one.values}


@pytest.mark.parametrize(
    ("said", "field", "value", "how"),
    [
        ("EBITDA", "metric", "EBITDA", "exact"),
        ("ebitda", "metric", "EBITDA", "exact"),
        ("the EBITDA margin of", "metric", "EBITDA margin (%)", "exact"),
        ("EBITDA-margin", "metric", "EBITDA margin (%)", "exact"),
        ("the assets", "metric", "Total assets", "exact"),
        ("total assets", "metric", "Total assets", "exact"),
        ("net income", "metric", "Net income (loss)", "exact"),
        ("net income (loss)", "metric", "Net income (loss)", "exact"),
        ("cost of materials", "metric", "Cost of materials, in € million", "exact"),
        ("goodwill net", "metric", "Goodwill, net¹", "exact"),
        ("LTV ratio", "metric", "Loan-to-value (LTV) ratio", "exact"),
        ("LTV", "metric", "Loan-to-value (LTV) ratio", "exact"),
        ("property, plant and equipment", "metric", "Property, plant & equipment", "exact"),
        ("the trade receivable", "metric", "Trade receivables", "exact"),
        ("like for like growth", "metric", "Like-for-like growth", "exact"),
        ("Portugal's", "entity", "Portugal", "exact"),
        ("ready mix concrete", "entity", "Ready-mix concrete", "exact"),
        ("Bramwell Cement", "company", "Bramwell Cement Group AG", "exact"),
        ("Norvale Foods", "company", "Norvale Foods Inc.", "exact"),
        ("societe lumiere", "company", "Société Lumière S.A.", "exact"),
        ("Norvale", "company", "Norvale Foods Inc.", "alias"),
        ("turnover", "metric", "Net sales", "alias"),
        ("revenue", "metric", "Net sales", "alias"),
        ("the net revenues", "metric", "Net sales", "alias"),
        ("Umsatz", "metric", "Net sales", "alias"),
        ("chiffre d'affaires", "metric", "Net sales", "alias"),
        ("ventas", "metric", "Net sales", "alias"),
        ("volume de negócios", "metric", "Net sales", "alias"),
        ("profit for the year", "metric", "Net income (loss)", "alias"),
        ("Jahresüberschuss", "metric", "Net income (loss)", "alias"),
        ("R&D", "metric", "Research and development expenses", "alias"),
        ("R & D", "metric", "Research and development expenses", "alias"),
        ("PP&E", "metric", "Property, plant & equipment", "alias"),
        ("accounts receivable", "metric", "Trade receivables", "alias"),
        ("balance sheet total", "metric", "Total assets", "alias"),
        ("Portuguese", "entity", "Portugal", "alias"),
        ("sales in PT", "entity", "Portugal", "alias"),
        ("España", "entity", "Spain", "alias"),
        ("Czechia", "entity", "Czech Republic", "alias"),
        ("U.S.", "entity", "United States", "alias"),
        ("USA", "entity", "United States", "alias"),
        ("American", "entity", "United States", "alias"),
        ("EBTIDA", "metric", "EBITDA", "fuzzy"),
        ("Portgual", "entity", "Portugal", "fuzzy"),
        ("Portugese", "entity", "Portugal", "fuzzy"),
        ("trade recievables", "metric", "Trade receivables", "fuzzy"),
        ("Norvalle Foods", "company", "Norvale Foods Inc.", "fuzzy"),
        ("research expenses", "metric", "Research and development expenses", "partial"),
        ("depreciation", "metric", "Depreciation expense", "alias"),
        ("materials cost", "metric", "Cost of materials, in € million", "partial"),
        ("equipment and property", "metric", "Property, plant & equipment", "partial"),
    ],
)
def test_a_name_is_found(said, field, value, how):
    assert (field, value, how) in found(said)


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("EBIT", ["EBITDA"]),
        ("EBITA", ["EBITDA"]),
        ("EBITDAR", ["EBIT"]),
        ("gross profit", ["Gross margin", "Profit"]),
        ("net debt", ["Debt", "Gross debt"]),
        ("debt", ["Net debt"]),
        ("cost of sales", ["Sales", "Revenue"]),
        ("deferred revenue", ["Revenue"]),
        ("earnings per share", ["Earnings", "Net earnings"]),
        ("Austria", ["Australia"]),
        ("Slovakia", ["Slovenia"]),
        ("Niger", ["Nigeria"]),
        ("what is in it", ["Italy", "India", "Iceland"]),
        ("give us no more", ["United States", "Norway"]),
        ("what is the total of it", ["Total"]),
        ("the change and the growth", ["Change", "Growth"]),
        ("cosh", ["Cash"]),
        ("in 2019", ["2019"]),
        ("referred", ["Deferred"]),
    ],
)
def test_what_is_only_alike_is_not_meant(said, values):
    assert not found(said, vocabulary(metric=values, entity=values))


def test_a_short_name_of_a_company_is_no_other_word():
    names = ["Portugal Telecom SA", "International Trade Systems Ltd", "Hanover Re AG"]
    known = vocabulary(company=names, entity=["Portugal"])
    assert found("its sales in Portugal", known) == {("entity", "Portugal", "exact")}
    assert ("company", "Hanover Re AG", "alias") in found("Hanover 2024", known)
    assert ("company", "Portugal Telecom SA", "exact") in found("Portugal Telecom", known)


def test_an_exact_name_wins_over_every_other():
    known = vocabulary(metric=["Net sales", "Revenue", "Turnover tax", "Total revenue"])
    assert found("revenue", known) == {("metric", "Revenue", "exact")}
    assert found("turnover", known) == {
        ("metric", name, "alias") for name in ("Net sales", "Revenue")
    }


def test_when_its_own_values_lead_nowhere_a_span_means_more():
    known = vocabulary(metric=["Net sales", "Revenue", "Total revenue", "Revenue from services"])
    match = known.matches("revenue")[0]
    steps = [(step.how, step.values) for step in known.wider(match)]
    assert steps[0] == ("exact", ("Total revenue",))
    assert steps[1] == ("alias", ("Net sales",))
    assert [step.score for step in known.wider(match)] == sorted(
        (step.score for step in known.wider(match)), reverse=True
    )
    assert all(step.start == match.start and step.end == match.end for step in known.wider(match))


def test_an_alias_holds_inside_a_longer_name():
    known = vocabulary(metric=["Net sales growth", "EBITDA"])
    assert found("turnover growth", known) == {("metric", "Net sales growth", "alias")}


def test_a_workspace_brings_its_own_synonyms():
    assert not found("house number", vocabulary(metric=["Clinker factor"]))
    known = vocabulary({"clinker factor": ["house number"]}, metric=["Clinker factor"])
    assert found("house number", known) == {("metric", "Clinker factor", "alias")}


def test_one_span_stands_for_several_fields_and_none_overlap_in_one():
    known = vocabulary(metric=["Cement sales", "Sales"], label=["Cement sales"], entity=["Cement"])
    matches = known.matches("cement sales")
    assert {(one.field, one.said) for one in matches} == {
        ("metric", "cement sales"),
        ("label", "cement sales"),
        ("entity", "cement"),
    }


def test_the_longest_span_comes_first_and_says_where_it_stands():
    text = "What was the EBITDA margin of Portugal?"
    first, second = ALL.matches(text)
    assert (first.said, first.values) == ("EBITDA margin", ("EBITDA margin (%)",))
    assert (second.said, second.values) == ("Portugal", ("Portugal",))
    assert all(text[one.start : one.end] == one.said for one in (first, second))


def test_frequent_values_come_first():
    known = Vocabulary.of({"metric": {"REVENUES": 1, "Revenue": 9, "Revenue ²": 4}}, {})
    assert known.matches("revenue")[0].values == ("Revenue", "Revenue ²", "REVENUES")
    assert known.count(known.matches("revenue")[0]) == 14


def test_scores_fall_with_the_distance():
    scores = {
        how: ALL.matches(said)[0].score
        for said, how in (("EBITDA", "exact"), ("turnover", "alias"), ("EBTIDA", "fuzzy"))
    }
    assert scores["exact"] == 1.0 > scores["alias"] > scores["fuzzy"] > 0.5
    assert ALL.matches("research expenses")[0].score < scores["exact"]


def test_a_label_other_is_meant_where_it_is_written_as_a_name():
    known = vocabulary(metric=["Other", "Fixed price"])
    assert found("What is the change in Other in 2019?", known) == {("metric", "Other", "exact")}
    assert not found("What other changes were there?", known)


def test_the_latest_period_is_what_words_are_counted_from():
    periods = {one.key: one for one in (year_of(2024), month(2025, 8), month(2025, 7))}
    assert Vocabulary.of({}, periods).near == month(2025, 8)
    assert Vocabulary.of({}, periods, near=year_of(2024)).near == year_of(2024)
    assert Vocabulary.of({}, {}).near is None
    assert month(2025, 8).end == date(2025, 8, 31)


def test_the_table_of_aliases_is_large_and_no_name_stands_in_two_groups():
    path = Path(module.__file__).with_name("aliases.toml")
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    assert len(table["measures"]) >= 100
    assert sum(len(others) for others in table["measures"].values()) >= 500
    groups = {}
    for part in ("measures", "countries"):
        for name, others in table[part].items():
            for one in (name, *others):
                assert groups.setdefault(joined(words_of(one)), name) == name, one
    assert set(table["codes"]) <= set(table["countries"])


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("EBITDA margin (%)", "ebitda margin"),
        ("Revenue (in € millions)", "revenue"),
        ("Revenue, EUR million", "revenue"),
        ("Goodwill (1)", "goodwill"),
        ("Goodwill¹ ²", "goodwill"),
        ("Goodwill*", "goodwill"),
        ("Goodwill2", "goodwill"),
        ("Headcount (FTE)", "headcount"),
        ("Total revenues", "revenue"),
        ("Expenses, total", "expense"),
        ("Net loss (see note 5)", "net loss"),
        ("Scope 1", "scope 1"),
        ("Recognised amortisation", "recognized amortization"),
    ],
)
def test_a_name_is_known_under_its_plain_form(name, form):
    assert form in {joined(words_of(one)) for one, _ in forms_of(name)}


@given(st.text(max_size=200))
def test_any_text_can_be_read(text):
    for one in ALL.matches(text):
        assert text[one.start : one.end] == one.said
        assert one.values
        assert 0 < one.score <= 1


@given(st.lists(st.text(min_size=1, max_size=40), max_size=20), st.text(max_size=60))
def test_any_names_can_be_known(names, text):
    known = vocabulary(metric=names, entity=names, company=names)
    for one in known.matches(text):
        assert set(one.values) <= set(names)
        known.wider(one)
