"""What tables of filings mean: years that are open, what is due, movements between two days."""

from __future__ import annotations

from decimal import Decimal

import pytest
from grids_shared import ANNUAL, MONTHLY, data, grid, labels, table, the

from consilience.packs.finance.data_model import About, Cell, Grid
from consilience.packs.finance.notation.measures import measure_of
from consilience.packs.finance.notation.periods import month, read_periods
from consilience.packs.finance.notation.values import Style, read_value
from consilience.packs.finance.tables.continuation import joined
from consilience.packs.finance.tables.lattice import sort_of
from consilience.packs.finance.tables.structure import understand


def when(found, text):
    one = the(found, text)
    return one.period.key if one.period else None, one.basis


def test_a_year_that_goes_on_after_the_report_is_a_forecast():
    text = "EUR m | Actual H1 2025 | Forecast H2 2025 | Full year 2025\nRevenue | 5 | 6 | 11"
    assert when(table(text), "11") == ("2025", "forecast")
    assert (
        when(table("EUR m | Full year 2025 | Full year 2024\nRevenue | 8 | 9"), "8")[1]
        == "forecast"
    )
    assert (
        when(table("EUR m | Full year 2025 | Full year 2024\nRevenue | 8 | 9"), "9")[1] == "actual"
    )
    assert when(table("EUR m | Full year 2019\nRevenue | 8", ANNUAL), "8") == ("2019", "actual")


def test_what_is_due_in_a_year_is_not_of_that_year():
    cells = [
        Cell(text="Due in", row=0, column=1, columns=2),
        Cell(text="Total", row=0, column=3),
        *(Cell(text=text, row=1, column=at) for at, text in ((1, "2025"), (2, "later years"))),
        *(Cell(text=text, row=2, column=at) for at, text in enumerate(("Bonds", "5", "6", "11"))),
    ]
    found = understand(Grid(cells=tuple(cells), header=2), ANNUAL, "1.1")
    assert when(found, "5") == (None, "actual")
    assert the(found, "6").header == ("Due in", "later years")
    assert when(found, "11") == ("2019", "actual")


def test_rows_between_two_balances_are_of_the_year_between():
    text = (
        "| Shares\nOptions outstanding May 31, 2017 | 135\n  Exercised | (22)\n"
        "Options outstanding May 31, 2018 | 127\n  Exercised | (27)\n"
        "Options outstanding May 31, 2019 | 116"
    )
    found = table(text, ANNUAL)
    assert [when(found, one)[0] for one in ("135", "(22)", "(27)", "116")] == [
        "2017-05-31",
        "2018",
        "2019",
        "2019-05-31",
    ]
    assert "Year ended 31 May 2018 › Exercised" in labels(found)


def test_a_column_without_a_time_has_that_of_the_others():
    text = "EUR m | December 31, 2018 | Level 1 | Level 2\nCash | 7 | 5 | 2"
    assert {when(table(text, ANNUAL), one)[0] for one in ("7", "5", "2")} == {"2018-12-31"}


def test_days_over_quarterly_data_are_the_ends_of_quarters():
    text = "| December 31 | September 30\n2018 | |\nRevenue | 9 | 8"
    found = table(text, ANNUAL, caption="Selected quarterly financial data")
    assert [when(found, one)[0] for one in ("9", "8")] == ["2018-Q4", "2018-Q3"]


def test_a_margin_under_the_total_of_the_group_is_that_of_the_group():
    text = (
        "EUR m | 2019\nSpain | 5\n  EBITDA margin (%) | 11\nGroup total | 9\n"
        "  EBITDA margin (%) | 12\n  Other costs | 3"
    )
    found = table(text, ANNUAL, caption="EBITDA by country")
    assert the(found, "12").label == ("Group total", "EBITDA margin (%)")
    assert the(found, "3").label == ("Other costs",)


def test_parts_of_a_total_do_not_hold_the_total():
    text = "FTE | of which | | |\n| Dairy | Bakery | Total | Total PY\nSpain | 1 | 2 | 3 | 4"
    found = table(text, MONTHLY, header=2)
    assert [one.header[0] for one in data(found)] == ["of which", "of which", "Total", "Total PY"]


def test_a_unit_over_the_middle_holds_for_all_columns():
    cells = [
        *(Cell(text=str(2019 - at), row=0, column=at + 1) for at in range(4)),
        Cell(text="(in thousands, except per share data)", row=1, column=2, columns=2),
        *(Cell(text=text, row=2, column=at) for at, text in enumerate(("Sales", *"5678"))),
    ]
    found = understand(Grid(cells=tuple(cells), header=2), ANNUAL, "1.1")
    assert {one.scale for one in data(found)} == {1000}


@pytest.mark.parametrize(
    ("caption", "metric"),
    [
        ("The following table shows debt maturities by year (in millions):", "debt maturities"),
        ("Table 3. Goodwill", "Goodwill"),
        ("5.2 Goodwill by segment (EUR m)", "Goodwill"),
        ("Goodwill consisted of the following (in millions):", "Goodwill"),
    ],
)
def test_a_total_alone_counts_what_the_caption_names(caption, metric):
    assert the(table("| 2019\nTotal | 5", ANNUAL, caption=caption), "5").metric == metric


def test_what_a_page_says_of_its_numbers_holds_for_its_tables():
    found = understand(
        grid("| 2019\nRevenue | $5"),
        ANNUAL,
        "1.1",
        ("(amounts in millions, except per share data)",),
    )
    assert the(found, "$5").number == 5_000_000


def test_an_exact_number_counts_and_its_text_is_shown():
    cells = (
        Cell(text="2019", row=0, column=1),
        Cell(text="Margin", row=1, column=0),
        Cell(text="23.4%", row=1, column=1, exact="23.4471"),
    )
    found = understand(Grid(cells=cells), ANNUAL, "1.1")
    assert the(found, "23.4%").value == Decimal("23.4471")
    assert found.rows[0].texts == (("2019", "23.4%"),)


def test_a_bold_first_row_of_a_continuation_is_no_heading():
    heads = "Country | May 2025 | PY\n"
    one = grid(f"{heads}Spain | 5.0 | 4.0\nItaly | |", page=1, header=1, caption="EBITDA (€m)")
    two = grid(f"{heads}Total Italy | 1.0 | 2.0\nGroup | 6.0 | 6.0", page=2, header=2)
    (whole,) = joined([one, two])
    assert [cell.text for cell in whole.cells if cell.page == 2][:3] == [
        "Total Italy",
        "1.0",
        "2.0",
    ]


@pytest.mark.parametrize("text", ["2018 (4)", "FY181", "FY2018(1)", "F18", "Gesamtjahr 2018"])
def test_years_with_marks_are_years(text):
    assert sort_of(text, Style.POINT) == "period"
    assert [one.period.key for one in read_periods(text)] == ["2018"]


def test_a_year_that_is_set_wide_is_one():
    assert the(table("| 2 0 1 8 | 2 0 1 7\nRevenue | 5 | 6", ANNUAL), "6").period.key == "2017"


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("How did EBITDA develop over 2025?", ["2025"]),
        ("over 2000 employees", []),
        ("between May and August 2025", ["2025-05", "2025-08"]),
        ("year to date at the end of July 2025", ["2025-YTD-07"]),
        ("2021-2023", ["2021", "2023"]),
    ],
)
def test_times_in_questions(text, keys):
    assert [one.period.key for one in read_periods(text, near=month(2025, 8))] == keys


def test_units_of_other_spellings():
    assert read_value("+0,5 PP", Style.COMMA).unit == "pp"
    assert measure_of("Mitarbeiter (VZÄ)").unit == "FTE"
    assert measure_of("Vollzeitäquivalente").unit == "FTE"
    assert measure_of("Emissions (t per $ million of revenues)").unit == "t/$ million"
    assert measure_of("A one-percentage-point change (in millions)").scale == 1_000_000
    assert measure_of("SFRS(I) 15").unit == ""


def test_a_unit_under_the_middle_year_holds_for_all_years():
    cells = [
        Cell(text="Year ended December 31,", row=0, column=1, columns=3),
        *(Cell(text=str(2019 - at), row=1, column=at + 1) for at in range(3)),
        Cell(text="(In millions)", row=2, column=2),
        *(Cell(text=text, row=3, column=at) for at, text in enumerate(("Net income", *"567"))),
    ]
    found = understand(Grid(cells=tuple(cells), header=3), ANNUAL, "1.1")
    assert {one.scale for one in data(found)} == {1_000_000}
    assert [one.period.key for one in data(found)] == ["2019", "2018", "2017"]


def test_what_counts_things_is_no_money_and_what_is_sold_to_people_is():
    units = table("| 2019\nAlabama | 101", ANNUAL, caption="Unit counts by state")
    assert the(units, "101").unit == ""
    sales = "| 2019\nSales to wholesale customers | 22\nCustomers | 7"
    found = table(sales, ANNUAL, caption="Revenue (in € millions)")
    assert (the(found, "22").unit, the(found, "22").scale) == ("EUR", 1_000_000)
    assert (the(found, "7").unit, the(found, "7").scale) == ("", 1)


UNHEADED = """
Sales     | 100 | 90
Costs     | 50  | 45
Year 2021 | 12  | 11
"""


def test_several_columns_that_nothing_tells_apart_have_not_the_time_of_the_report():
    found = table(UNHEADED, ANNUAL, caption="Annual report 2019")
    assert [one.period and one.period.key for one in data(found)] == [*[None] * 4, "2021", "2021"]
    units = table("Item | EUR m | EUR m\nSales | 100 | 90\n", ANNUAL)
    assert {one.period for one in data(units)} == {None}


def test_one_column_without_a_heading_and_several_with_have_the_time_of_the_report():
    for text in ("Sales | 100\nCosts | 50\n", "Item | EUR m | %\nSales | 100 | 90\n"):
        assert {one.period for one in data(table(text, ANNUAL))} == {ANNUAL.period}


def test_people_are_no_full_time_equivalents():
    found = table("Item | 2024\nHeadcount | 12\nEmployees (FTE) | 11.5\n")
    assert [one.unit for one in data(found)] == ["employees", "FTE"]


def test_a_letter_a_gap_in_a_text_and_stars_around_a_word_are_labels():
    text = "Item | 2024\nx | 7\n%s {0} | 5\n**bold** – more | 9\nGrowth % | 3\nLeverage (x) | 2\n"
    assert [(one.metric, one.unit) for one in data(table(text, About()))] == [
        ("x", ""),
        ("%s {0}", ""),
        ("**bold** – more", ""),
        ("Growth %", "%"),
        ("Leverage", "x"),
    ]
    units = table("Item | Unit | 2024\nVolume | t | 7\nLeverage | x | 3\n")
    assert [one.unit for one in data(units)] == ["t", "x"]
