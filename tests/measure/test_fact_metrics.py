"""A fact is stated when its value is: whole, with its unit, in the right place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from passages_shared import make_passage

from consilience.measure.data_model import Fact
from consilience.measure.metrics import has_value, same_document, states
from consilience.types import Locator
from consilience.understand.amounts import find_numbers

SAME = (
    "1,234.5",
    "1.234,5",
    "1234.5",
    "1 234.5",
    "1\u00a0234,50",
    "1'234.5",
    "$1,234.5",
    "EUR1,234.50",
)


def stated(value, text, *, unit="", **passage):
    return states(Fact(value=value, unit=unit), make_passage(text=text, **passage))


@pytest.mark.parametrize("spelt", SAME)
@pytest.mark.parametrize("value", SAME[:6])
def test_a_number_is_the_same_however_it_is_spelt(value, spelt):
    assert stated(value, f"It came to {spelt}, or so.")
    assert not stated(value, f"It came to {spelt.replace('4', '7')}, or so.")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("-1,234.5", "a loss of (1,234.5) in all"),
        ("(1,234.5)", "a change of −1.234,5"),
        ("(1,234.5)", "-$1,234.5"),
        ("35", "35.0 m"),
        ("35", "35m"),
        ("35", "its height (35)"),
        ("1,234", "1.234 Tonnen"),
        ("1234", "1.234 und 0,5"),
        ("1.234", "1.234 und 0,5"),
        ("1,234,567", "1.234.567"),
        ("1,234,567", "1 234 567 people"),
        ("12,34,567.5", "1234567.5"),
        ("0.5", "about .5 of it"),
        ("1995", "from 1990-1995"),
        ("12.5%", "12.5 percent"),
        ("12.5 %", "a growth (12.5%)"),
        ("35 m", "35 metres tall"),
        ("€ 5", "5 euros"),
        ("17 May 1811", "on 17 May, 1811"),
        ("1.2.3", "version 1.2.3"),
        ("Robert Stevenson", "by ROBERT  Stevenson."),
        ("東京", "首都は東京です"),
        ("007", "agent 007"),
    ],
)
def test_what_states_a_value(value, text):
    assert stated(value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1,234.5", "a loss of (1,234.5) in all"),
        ("1234.5", "-1,234.5"),
        ("-35", "35"),
        ("35", "350"),
        ("35", "1.35"),
        ("35", "35,7"),
        ("35", "A35 and COVID-35"),
        ("35", "the 35th"),
        ("1.2", "version 1.2.3"),
        ("1.234", "1,234 tons"),
        ("1,234", "1.234 and 0.5"),
        ("5", ".5"),
        ("5", "05"),
        ("12.5%", "12.5 tons"),
        ("35 m", "35 many"),
        ("17 May 1811", "17 June, 1811 in May"),
        ("Robert Stevenson", "Stevenson, Robert"),
        ("son", "Stevenson"),
        ("", "anything"),
        ("—", "a — b"),
    ],
)
def test_what_does_not_state_a_value(value, text):
    assert not stated(value, text)


@pytest.mark.parametrize("value", ["EUR/ton", "EUR / t", "%", "USD per tonne", "€", "per cent"])
def test_a_unit_alone_is_never_an_answer(value):
    assert not has_value(Fact(value=value))
    assert not stated(value, f"The price is 5 {value}, in {value}.")
    assert not stated("widgets", "5 widgets", unit="widgets")


def test_the_unit_may_stand_around_the_text_but_must_stand_there():
    assert not stated("1,234.5", "1,234.5 for each", unit="EUR/t")
    assert stated("1,234.5", "1,234.5 €/tonne", unit="EUR/t")
    assert stated("1,234.5", "1,234.5", unit="EUR/t", title="Prices in EUR per ton")
    assert stated("35", "height: 35", unit="m", metadata={"height (m)": 35})
    assert stated("35", "35", unit="m", locator=Locator(section=("Height in metres",)))
    assert not stated("35", "35 of them in many", unit="m")
    assert not stated("5", "5 MW", unit="mW")
    assert stated("5", "5 gigawatts", unit="Gigawatts")


def test_document_and_page_must_be_right_where_they_are_known():
    passage = make_passage(text="35 m", document="/f/a/report.pdf", locator=Locator(page=3))
    for document, page, right in (
        ("", None, True),
        ("report.pdf", 3, True),
        ("a/report.pdf", None, True),
        ("port.pdf", None, False),
        ("b/report.pdf", 3, False),
        ("report.pdf", 4, False),
        ("", 4, False),
    ):
        assert states(Fact(value="35", document=document, page=page), passage) is right


def test_documents_are_the_same_by_the_end_of_their_paths():
    assert same_document("report.pdf", "report.pdf")
    assert same_document("./a/report.pdf", "/f/a/report.pdf")
    assert same_document(r"a\report.pdf", "C:/f/a/report.pdf")
    assert not same_document("a/report.pdf", "report.pdf")


amounts = st.decimals(0, 10**9, places=2, allow_nan=False, allow_infinity=False)


@given(amounts)
def test_any_amount_is_found_in_either_spelling(amount):
    english = f"{amount:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    for spelt in (english, german, english.replace(",", "\u202f")):
        assert amount in find_numbers(f"paid {spelt} then")
        assert -amount in find_numbers(f"lost ({spelt}) then")
        assert stated(english, f"paid {spelt} then")
