"""Numbers are read with their values, signs, units and scales, in digits and in words."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.understand.amounts import (
    ORDINAL,
    amounts,
    find_numbers,
    is_unit,
    parse_quantity,
    units_around,
)


def only(text):
    (found,) = amounts(text)
    return found


def values(amount):
    return {one for one in amount.numbers if isinstance(one, Decimal)}


@pytest.mark.parametrize(
    ("text", "value", "meanings"),
    [
        ("48 m", 48, {("m", 1), ("", 10**6)}),
        ("48-metre", 48, {("m", 1)}),
        ("48 metres", 48, {("m", 1)}),
        ("157 ft", 157, {("ft", 1)}),
        ("16 nautical miles", 16, {("nmi", 1)}),
        ("20 °C", 20, {("°C", 1)}),
        ("a 5-year term", 5, {("year", 1)}),
        ("12,000 km²", 12000, {("km²", 1)}),
        ("5 pounds", 5, {("GBP", 1), ("lb", 1)}),
        ("€ 3.2 million", "3.2", {("EUR", 10**6)}),
        ("3.2 million dollars", "3.2", {("USD", 10**6)}),
        ("$3.2m", "3.2", {("USD", 10**6)}),
        ("12k", 12, {("", 1000)}),
        ("height_m: 48", 48, {("m", 1)}),
        ("Range (nmi): 16", 16, {("nmi", 1)}),
        ("first_lit: 1870", 1870, {("", 1)}),
        ("the 1990s", 1990, {("", 1)}),
        ("24 candles", 24, {("", 1)}),
        ("twenty-four candles", 24, {("", 1)}),
        ("one hundred and five men", 105, {("", 1)}),
        ("three million tonnes", 3_000_000, {("t", 1)}),
        ("eighteen kilometres", 18, {("km", 1)}),
        ("the 19th century", 19, {(ORDINAL, 1)}),
        ("the twenty-first time", 21, {(ORDINAL, 1)}),
    ],
)
def test_a_number_has_its_value_and_what_it_is_counted_in(text, value, meanings):
    found = only(text)
    assert values(found) == {Decimal(value)}
    assert found.meanings == meanings


@pytest.mark.parametrize(
    ("text", "value"),
    [("-3.2 %", "-3.2"), ("−$5", -5), ("a loss of (1,234.5)", "-1234.5"), ("up 3.2 %", "3.2")],
)
def test_a_sign_belongs_to_the_number(text, value):
    assert values(only(text)) == {Decimal(value)}


def test_numbers_stand_where_they_stand():
    text = "It cost £61,331, and twenty-four men died."
    money, men = amounts(text)
    assert text[money.start : money.end] == money.spelt == "£61,331"
    assert text[men.start : men.end] == "twenty-four"
    assert men.in_words
    assert not money.in_words


def test_a_unit_holds_for_a_whole_range_and_for_no_more():
    first, last = amounts("between 2.5 and 3 million")
    assert ("", 10**6) in first.meanings
    assert last.meanings == {("", 10**6)}
    first, last = amounts("24 men built 3 km of it")
    assert first.meanings == {("", 1)}


def test_the_end_of_a_span_of_years_may_be_short():
    _, last = amounts("built 1807–11")
    assert Decimal(1811) in last.numbers
    _, last = amounts("rooms 7-11")
    assert values(last) == {Decimal(11)}


def test_a_spaced_number_is_given_whole_and_in_parts():
    assert [one.spelt for one in amounts("1 234 men")] == ["1 234", "1", "234"]


@pytest.mark.parametrize(
    ("text", "units", "scales"),
    [
        ("in € millions", {"EUR"}, {10**6}),
        ("(in thousands)", set(), {1000}),
        ("($m)", {"USD"}, {10**6}),
        ("Height (m)", {"m"}, set()),
        ("temperature in °C", {"°C"}, set()),
        ("48 m and 3 million", set(), set()),
        ("nothing at all", set(), set()),
    ],
)
def test_units_named_apart_from_numbers_are_known(text, units, scales):
    found = units_around(text)
    assert found[0] >= units
    assert found[1] == scales
    assert units or not found[0]


def test_a_unit_alone_is_told_from_a_number():
    assert is_unit("EUR/ton")
    assert not is_unit("5 EUR")
    assert parse_quantity("five") is None
    assert parse_quantity("€ 5") == (frozenset({Decimal(5), "5"}), "€")


@given(st.integers(0, 999_999))
def test_any_number_is_read_out_of_a_sentence(number):
    assert any(Decimal(number) in one.numbers for one in amounts(f"There were {number:,} of them."))


@given(st.text(max_size=80))
def test_any_text_can_be_read(text):
    units_around(text)
    digits = {number for one in amounts(text) if not one.in_words for number in one.numbers}
    assert find_numbers(text) <= digits
