"""What number a cell says, and in what unit."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.packs.finance.notation.measures import Measure
from consilience.packs.finance.notation.values import (
    Style,
    is_blank,
    measure_of,
    narrowed,
    read_value,
    style_of,
    without_marks,
)

POINT, COMMA = Style.POINT, Style.COMMA

NUMBERS = [
    ("1,234", "1234"),
    ("1,234.5", "1234.5"),
    ("12,345,678", "12345678"),
    ("1,23,45,678", "12345678"),
    ("1'234.5", "1234.5"),
    ("1’234’567", "1234567"),
    ("1 234", "1234"),
    ("1 234.5", "1234.5"),
    ("1 234 567", "1234567"),
    ("1234.567", "1234.567"),
    (".5", "0.5"),
    ("0.123", "0.123"),
    ("2019", "2019"),
    ("-12", "-12"),
    ("−12", "-12"),
    ("–12.5", "-12.5"),
    ("12-", "-12"),
    ("+5.2", "5.2"),
    ("(12.3)", "-12.3"),
    ("( 12.3 )", "-12.3"),
    ("(1,234", "-1234"),
    ("1,234)", "-1234"),
    ("-(5)", "-5"),
    ("（12）", "-12"),
    ("１２３", "123"),
    ("٣", "3"),
    ("(1)", "-1"),
    ("0", "0"),
    ("(0)", "0"),
    ("12,5", "12.5"),  # can be no thousands
    ("1.234.567", "1234567"),  # can be no decimals
    ("1.234,5", "1234.5"),
]


@pytest.mark.parametrize(("text", "value"), NUMBERS)
def test_a_number_is_read(text, value):
    found = read_value(text, POINT)
    assert found is not None
    assert (found.value, found.unit, found.scale, found.marks) == (Decimal(value), "", 0, ())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.234", "1234"),
        ("1.234,5", "1234.5"),
        ("12,5", "12.5"),
        ("1,234", "1.234"),
        ("0,5", "0.5"),
        ("(1.234,50)", "-1234.5"),
        ("1 234,5", "1234.5"),
        ("12.5", "12.5"),
        ("1,234.5", "1234.5"),
    ],
)
def test_a_number_with_a_decimal_comma_is_read(text, value):
    found = read_value(text, COMMA)
    assert found is not None
    assert found.value == Decimal(value)


MEASURED = [
    ("12.3%", "12.3", "%", 1),
    ("12.3 %", "12.3", "%", 1),
    ("(12.3)%", "-12.3", "%", 1),
    ("(12.3%)", "-12.3", "%", 1),
    ("(12.3) %", "-12.3", "%", 1),
    ("1.2x", "1.2", "x", 1),
    ("15 bps", "15", "bps", 1),
    ("15 basis points", "15", "bps", 1),
    ("-0.4 pp", "-0.4", "pp", 1),
    ("0.4 p.p.", "0.4", "pp", 1),
    ("1.5 percentage points", "1.5", "pp", 1),
    ("45 EUR/t", "45", "EUR/t", 1),
    ("45 €/t", "45", "EUR/t", 1),
    ("$ (1,234)", "-1234", "USD", 0),
    ("$(1,234.5)", "-1234.5", "USD", 0),
    ("($1,234)", "-1234", "USD", 0),
    ("-$5", "-5", "USD", 0),
    ("€ 5", "5", "EUR", 0),
    ("5 €", "5", "EUR", 0),
    ("EUR 5", "5", "EUR", 0),
    ("£1.5bn", "1.5", "GBP", 10**9),
    ("US$ 5.2bn", "5.2", "USD", 10**9),
    ("$12.3 million", "12.3", "USD", 10**6),
    ("€ 12.5 Mio.", "12.5", "EUR", 10**6),
    ("12.5 Mio. €", "12.5", "EUR", 10**6),
    ("€5m", "5", "EUR", 10**6),
    ("5 TEUR", "5", "EUR", 1000),
    ("TEUR 5", "5", "EUR", 1000),
    ("3.2 m²", "3.2", "m²", 1),
    ("5 kt", "5", "t", 1000),
    ("12.5 million tonnes", "12.5", "t", 10**6),
    ("12 months", "12", "months", 1),
    ("$0.52 per share", "0.52", "USD/share", 1),
    ("₹ 12 crore", "12", "INR", 10**7),
]


@pytest.mark.parametrize(("text", "value", "unit", "scale"), MEASURED)
def test_a_number_has_the_unit_that_its_cell_says(text, value, unit, scale):
    found = read_value(text, POINT)
    assert found is not None
    assert (found.value, found.unit, found.scale) == (Decimal(value), unit, scale)


@pytest.mark.parametrize(
    ("text", "value", "marks"),
    [
        ("1,234 (1)", "1234", ("1",)),
        ("1,234¹", "1234", ("1",)),
        ("1,234¹²", "1234", ("12",)),
        ("1,234*", "1234", ("*",)),
        ("12.3 a)", "12.3", ("a",)),
        ("12.3a)", "12.3", ("a",)),
        ("1,234 1)", "1234", ("1",)),
        ("(1,234) (2)", "-1234", ("2",)),
        ("(12.3)%(1)", "-12.3", ("1",)),
        ("12.3%†", "12.3", ("†",)),
        ("1,234 (1)(2)", "1234", ("1", "2")),
        ("12 [3]", "12", ("3",)),
        ("* 12", "12", ("*",)),
        ("(a) 12", "12", ("a",)),
        ("< 0.1", "0.1", ("<",)),
    ],
)
def test_marks_of_notes_are_no_digits(text, value, marks):
    found = read_value(text, POINT)
    assert found is not None
    assert (found.value, found.marks) == (Decimal(value), marks)


@pytest.mark.parametrize(
    "text",
    [
        "", "-", "—", "n.a.", "Revenue", "31.12.2019", "2019-12-31", "12/31/2019", "12/2019", "Q3",
        "Q3 2019", "FY19", "10-K", "007", "1e5", "2018 2019", "1.2.3", "12:30", "5 or 6", "1–2",
        "Note 5", "December 31, 2019", "1,2345,6", "€ 5 $", "9" * 31, "IFRS 16", "COVID-19",
    ],
)  # fmt: skip
def test_what_is_no_number_is_not_read(text):
    assert read_value(text, POINT) is None


@pytest.mark.parametrize(
    "text",
    ["", " ", "—", "–", "-", "--", "$ —", "— %", "$-", "nil", "Nil", "n.a.", "n/a", "N/A", "NM",
     "n.m.", "…", "(—)", "— (1)", "n/a²", "not meaningful", "k.A.", "#N/A"],
)  # fmt: skip
def test_a_blank_is_a_blank(text):
    assert is_blank(text)
    assert read_value(text, POINT) is None


@pytest.mark.parametrize("text", ["0", "(1)", "12", "Revenue", "2019", "a", "$ 0", "*5"])
def test_others_are_no_blanks(text):
    assert not is_blank(text)


@pytest.mark.parametrize(
    ("texts", "style"),
    [
        (["1.234,5", "12"], COMMA),
        (["1,234.5"], POINT),
        (["12,5", "3,25"], COMMA),
        (["1,234", "2,345", "999"], POINT),
        (["1.234", "2.345", "12,5"], COMMA),
        (["1,234", "12.5"], POINT),
        (["1'234.50"], POINT),
        (["1 234,50", "5"], COMMA),
        (["1.234.567"], COMMA),
        (["1,234,567"], POINT),
        (["0,125"], COMMA),
        (["0.125", "1.234"], POINT),
        (["€ 1.234,5 Mio.", "12,3 %"], COMMA),
        (["(12.3)", "(4.5)", "1,5"], POINT),
        (["31.12.2019", "1,234.5"], POINT),
        (["31.12.", "30.09.", "12,5"], COMMA),
        ([], POINT),
    ],
)
def test_the_style_is_decided_from_all_cells(texts, style):
    assert style_of(texts) is style


def test_a_hint_decides_where_the_cells_do_not():
    assert style_of(["1.234"], hint="en") is POINT
    assert style_of(["1.234"], hint=Style.POINT) is POINT
    assert style_of(["1,234"], hint="de") is COMMA
    assert style_of(["1,234"], hint=",") is COMMA
    assert style_of(["12.5"], hint="de") is POINT


@pytest.mark.parametrize(
    ("text", "label", "marks"),
    [
        ("Revenue (1)", "Revenue", ("1",)),
        ("Revenue (1)(2)", "Revenue", ("1", "2")),
        ("Revenue (1), (2)", "Revenue", ("1", "2")),
        ("Revenue (1, 2)", "Revenue", ("1, 2",)),
        ("Sales²", "Sales", ("2",)),
        ("Net debt*", "Net debt", ("*",)),
        ("Net debt (a)", "Net debt", ("a",)),
        ("Umsatz 1)", "Umsatz", ("1",)),
        ("EBITDA1", "EBITDA", ("1",)),
        ("* Restated", "Restated", ("*",)),
        ("Revenue", "Revenue", ()),
        ("Level 1", "Level 1", ()),
        ("Derivative (see note 24)", "Derivative (see note 24)", ()),
        ("Scope1", "Scope1", ()),
        ("CO2", "CO2", ()),
        ("Area in m²", "Area in m²", ()),
        ("Volumes (kt)", "Volumes (kt)", ()),
        ("Total (unaudited)", "Total (unaudited)", ()),
        ("(1)", "(1)", ()),
        ("", "", ()),
    ],
)
def test_labels_lose_their_marks(text, label, marks):
    assert without_marks(text) == (label, marks)


MEASURES = [
    ("in € millions", "EUR", 10**6),
    ("(EUR million)", "EUR", 10**6),
    ("€m", "EUR", 10**6),
    ("€ in Mio.", "EUR", 10**6),
    ("EUR '000", "EUR", 1000),
    ("£'000", "GBP", 1000),
    ("£000", "GBP", 1000),
    ("$000s", "USD", 1000),
    ("k€", "EUR", 1000),
    ("TEUR", "EUR", 1000),
    ("T€", "EUR", 1000),
    ("M€", "EUR", 10**6),
    ("EURm", "EUR", 10**6),
    ("CHF m", "CHF", 10**6),
    ("in Tsd. EUR", "EUR", 1000),
    ("Mio. EUR", "EUR", 10**6),
    ("in Mio. €", "EUR", 10**6),
    ("Mrd. €", "EUR", 10**9),
    ("US$ bn", "USD", 10**9),
    ("in thousands of dollars", "USD", 1000),
    ("(Dollars in millions)", "USD", 10**6),
    ("U.S. Dollars in thousands", "USD", 1000),
    ("(in millions of US$)", "USD", 10**6),
    ("$ in thousands", "USD", 1000),
    ("Yen in millions", "JPY", 10**6),
    ("RMB million", "CNY", 10**6),
    ("NOK million", "NOK", 10**6),
    ("₹ crore", "INR", 10**7),
    ("en milliers d'euros", "EUR", 1000),
    ("en millions d'euros", "EUR", 10**6),
    ("em milhares de reais", "BRL", 1000),
    ("Amounts in thousands of Euros unless otherwise stated", "EUR", 1000),
    ("Consolidated income statement (in millions)", "", 10**6),
    ("(in thousands)", "", 1000),
    ("In thousands", "", 1000),
    ("(000s)", "", 1000),
    ("EUR", "EUR", 0),
    ("Cost ($)", "USD", 0),
    ("in euros", "EUR", 0),
    ("in %", "%", 1),
    ("% of sales", "%", 1),
    ("EBITDA margin (%)", "%", 1),
    ("Percentage change", "%", 1),
    ("Change (pp)", "pp", 1),
    ("in percentage points", "pp", 1),
    ("bps", "bps", 1),
    ("Net debt / EBITDA (x)", "x", 1),
    ("kt", "t", 1000),
    ("Volumes (kt)", "t", 1000),
    ("thousand tonnes", "t", 1000),
    ("Sales volumes in thousand tons", "t", 1000),
    ("Mt", "t", 10**6),
    ("tonnes", "t", 1),
    ("million m³", "m³", 10**6),
    ("EUR/t", "EUR/t", 1),
    ("Cement price (EUR per tonne)", "EUR/t", 1),
    ("€/MWh", "EUR/MWh", 1),
    ("per share", "/share", 1),
    ("Earnings per share ($)", "USD/share", 1),
    ("Diluted EPS", "/share", 1),
    ("headcount", "employees", 1),
    ("number of employees (persons)", "employees", 1),
    ("VZÄ", "FTE", 1),
    ("full-time equivalents", "FTE", 1),
    ("%s {0}", "", 0),
    ("%(name)s of it", "", 0),
    ("100 %% {%}", "", 0),
    ("Employees (FTE)", "FTE", 1),
    ("shares in thousands", "shares", 1000),
    ("All figures in USD ‘000", "USD", 1000),
    ("RMB’Million", "CNY", 10**6),
    ("Installments of $125,000, plus interest", "", 0),
    ("Effects of adoption of SFRS(I) 15", "", 0),
    ("Revenue", "", 0),
    ("", "", 0),
    ("Notes 5% due 2025", "", 0),
    ("Over 5 million customers", "", 0),
    ("Dollar General", "", 0),
    ("Mar-25", "", 0),
    ("Trade and other receivables", "", 0),
    ("Time deposits", "", 0),
]


@pytest.mark.parametrize(("text", "unit", "scale"), MEASURES)
def test_a_text_says_its_unit(text, unit, scale):
    found = measure_of(text)
    assert (found.unit, found.scale) == (unit, scale)


def test_what_a_caption_exempts_is_kept():
    found = measure_of("($ in thousands, except per share data)")
    assert found == Measure(unit="USD", scale=1000, exceptions=("/share",))
    found = measure_of("in millions, except share and per share amounts")
    assert found == Measure(scale=10**6, exceptions=("/share", "shares"))


@pytest.mark.parametrize(
    ("caption", "label", "unit", "scale"),
    [
        ("($ in thousands, except per share data)", "Revenue", "USD", 1000),
        ("($ in thousands, except per share data)", "Earnings per share", "USD/share", 1),
        ("(in thousands, except per share data)", "Diluted EPS ($)", "USD/share", 1),
        ("in € millions", "EBITDA margin (%)", "%", 1),
        ("in € millions", "Volumes (kt)", "t", 1000),
        ("in € millions", "Net sales (€ thousand)", "EUR", 1000),
        ("in € millions", "Net sales (USD)", "USD", 10**6),
        ("($ in millions, except shares)", "Weighted average shares", "shares", 1),
        ("$ in millions", "Weighted average diluted shares", "shares", 10**6),
        ("$ in millions", "Diluted shares (in thousands)", "shares", 1000),
        ("in kt", "Price (EUR/t)", "EUR/t", 1),
        ("", "Headcount", "employees", 1),
    ],
)
def test_a_label_narrows_its_caption(caption, label, unit, scale):
    found = narrowed(measure_of(caption), label)
    assert (found.unit, found.scale) == (unit, scale)


@given(st.text(max_size=120))
def test_any_text_is_read_without_harm(text):
    for style in Style:
        found = read_value(text, style)
        assert found is None or found.value.is_finite()
    without_marks(text)
    is_blank(text)
    measure_of(text)
    style_of([text])


@given(st.text(alphabet="0123456789.,'() -%$€¹*abx", max_size=30))
def test_any_cell_is_read_without_harm(text):
    for style in Style:
        read_value(text, style)
    style_of([text])
    without_marks(text)


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=2, min_value=-(10**12), max_value=10**12
    )
)
def test_a_printed_number_is_read_back(number):
    printed = f"{number:,.2f}"
    swapped = printed.translate(str.maketrans(",.", ".,"))
    spaced = printed.replace(",", "\u202f")
    bracketed = f"({printed.lstrip('-')})" if number < 0 else printed
    assert read_value(printed, POINT).value == number
    assert read_value(swapped, COMMA).value == number
    assert read_value(spaced, POINT).value == number
    assert read_value(bracketed, POINT).value == number
