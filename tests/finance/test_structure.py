"""Is a grid of a report understood: headings, labels, units, times, and who counts what?"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from grids_shared import ANNUAL, MONTHLY, data, grid, labels, table, the, told
from hypothesis import given, settings
from hypothesis import strategies as some

from consilience.packs.finance.data_model import About, Cell, Grid
from consilience.packs.finance.notation.values import read_value
from consilience.packs.finance.tables.headings import bands, heading_rows, label_columns
from consilience.packs.finance.tables.lattice import lattice_of
from consilience.packs.finance.tables.structure import understand

FILINGS = Path(__file__).parents[3] / "shared/data/finance_tatqa"

INCOME = """
                          | Year ended December 31, |       |
                          | 2019   | 2018
(in € millions)           |        |
Revenue:                  |        |
Products                  | 1,200  | 1,100
Services                  | 300    | 250
Total revenue             | 1,500  | 1,350
Operating expenses:       |        |
Research and development  | (210)  | (190)
Other                     | (12)   | –
Total operating expenses  | (222)  | (190)
Operating income          | 1,278  | 1,160
Earnings per share:       |        |
Basic                     | 1.25   | 1.10
Operating margin          | 85.2   | 85.9
"""

MONTH = """
                   | August 2025 |        |        | YTD    |        |
                   | Actual | Budget | LY     | Actual | Budget | LY
Portugal           |        |        |        |        |        |
Revenue (EUR m)    | 12.4   | 12.0   | 11.1   | 99.0   | 97.5   | 90.2
EBITDA margin (%)  | 23.4   | 24.1   | 22.0   | 23.0   | 24.0   | 21.9
Volumes (kt)       | 310    | 305    | 300    | 2,400  | 2,390  | 2,210
Spain              |        |        |        |        |        |
Revenue (EUR m)    | 8.1    | 8.4    | 7.9    | 66.2   | 67.0   | 64.8
EBITDA margin (%)  | 19.0   | 20.2   | 18.7   | 18.8   | 20.0   | 18.1
"""


def test_an_income_statement():
    found = table(INCOME, ANNUAL, caption="Consolidated income statement")
    assert labels(found) == [
        "Revenue › Products",
        "Revenue › Services",
        "Revenue › Total revenue",
        "Operating expenses › Research and development",
        "Operating expenses › Other",
        "Operating expenses › Total operating expenses",
        "Operating income",
        "Earnings per share › Basic",
        "Earnings per share › Operating margin",
    ]
    spent = the(found, "(210)")
    assert told(spent) == ("Research and development", (), "2019")
    assert (spent.value, spent.number, spent.unit, spent.scale) == (
        -210,
        -210_000_000,
        "EUR",
        10**6,
    )
    assert spent.header == ("Year ended December 31,", "2019")
    assert told(the(found, "1,100")) == ("Revenue", ("Products",), "2018")
    assert the(found, "(12)").metric == "Operating expenses › Other"
    assert len(data(found)) == 17


def test_what_is_per_share_and_a_margin_is_not_in_millions():
    found = table(INCOME, ANNUAL)
    basic, margin = the(found, "1.25"), the(found, "85.2")
    assert (basic.unit, basic.scale, basic.number) == ("EUR/share", 1, Decimal("1.25"))
    assert basic.metric == "Earnings per share › Basic"
    assert (margin.unit, margin.scale) == ("%", 1)


def test_a_monthly_report_with_countries_as_sections():
    found = table(MONTH)
    margin = the(found, "23.4")
    assert told(margin) == ("EBITDA margin", ("Portugal",), "2025-08")
    assert (margin.unit, margin.basis) == ("%", "actual")
    assert told(the(found, "20.2")) == ("EBITDA margin", ("Spain",), "2025-08")
    assert the(found, "20.2").basis == "budget"
    last = the(found, "11.1")
    assert (last.basis, last.period.key, last.stated.key) == ("last year", "2024-08", "2025-08")
    volume = the(found, "2,390")
    assert (volume.period.key, volume.basis) == ("2025-YTD-08", "budget")
    assert (volume.unit, volume.number) == ("t", 2_390_000)
    assert the(found, "66.2").number == 66_200_000


def test_the_report_says_when_where_the_columns_do_not():
    found = table("| Actual | Budget | LY\nRevenue | 5.5 | 5.0 | 4.5\nEBITDA | 1.1 | 1.0 | 0.9")
    assert [one.period.key for one in data(found)][:3] == ["2025-08", "2025-08", "2024-08"]
    assert [one.basis for one in data(found)][:3] == ["actual", "budget", "last year"]
    assert [one.basis for one in data(table("| Col\nRevenue | 1.5"))] == ["actual"]


def test_several_columns_of_labels_whose_blanks_repeat():
    found = table(
        """
Country  | Division | Metric  | 2019 | 2018
Portugal | Cement   | Revenue | 10.1 | 9.1
         |          | EBITDA  | 2.1  | 2.0
         | Concrete | Revenue | 5.1  | 5.0
Spain    | Cement   | Revenue | 7.7  | 7.5
""",
        ANNUAL,
    )
    assert labels(found) == [
        "Portugal › Cement › Revenue",
        "Portugal › Cement › EBITDA",
        "Portugal › Concrete › Revenue",
        "Spain › Cement › Revenue",
    ]
    assert told(the(found, "2.0")) == ("EBITDA", ("Portugal", "Cement"), "2018")


def test_cells_merged_downwards_are_labels_of_all_their_rows():
    cells = [
        Cell(text="Portugal", row=1, column=0, rows=2),
        Cell(text="2019", row=0, column=2),
        Cell(text="Revenue", row=1, column=1),
        Cell(text="1.5", row=1, column=2),
        Cell(text="EBITDA", row=2, column=1),
        Cell(text="2.5", row=2, column=2),
    ]
    found = understand(Grid(cells=tuple(cells)), ANNUAL, "1")
    assert labels(found) == ["Portugal › Revenue", "Portugal › EBITDA"]


def test_periods_in_rows_and_measures_in_columns():
    found = table(
        """
Month          | Revenue | EBITDA | Headcount
               | EUR m   | EUR m  |
January 2025   | 10.5    | 2.1    | 1,204
February 2025  | 11.5    | 2.3    | 1,210
""",
        caption="Portugal – monthly development",
    )
    assert told(the(found, "2.3")) == ("EBITDA", ("Portugal",), "2025-02")
    assert (the(found, "2.3").number, the(found, "1,210").unit in ("", "employees")) == (
        2_300_000,
        True,
    )
    assert the(found, "1,210").number == 1210


def test_quarters_under_a_year():
    found = table(
        "| Price\n2019 |\nFirst quarter | 1.5\nSecond quarter | 1.7\n2020 |\nFirst quarter | 2.5"
    )
    assert [one.period.key for one in data(found)] == ["2019-Q1", "2019-Q2", "2020-Q1"]


def test_names_in_columns():
    found = table(
        "EUR m | Cement | Aggregates | Group\nRevenue | 10 | 5 | 15\nEBITDA | 2 | 1 | 3", ANNUAL
    )
    assert told(the(found, "5")) == ("Revenue", ("Aggregates",), "2019")
    assert told(the(found, "3")) == ("EBITDA", (), "2019")
    assert the(found, "3").number == 3_000_000


def test_a_caption_names_what_is_counted():
    text = "| 2019 | 2018\nCement | 10.0 | 9.0\nAggregates | 5.0 | 4.0\nTotal | 15.0 | 13.0"
    found = table(text, ANNUAL, caption="Revenue by segment (in thousands of US dollars)")
    assert told(the(found, "4.0")) == ("Revenue", ("Aggregates",), "2018")
    assert (the(found, "15.0").entity, the(found, "15.0").number) == ((), 15_000)
    assert the(found, "15.0").unit == "USD"


def test_places_are_never_what_is_counted():
    found = table("| 2019\nGermany | 10\nFrance | 12\nOther | 2", ANNUAL)
    assert [one.entity for one in data(found)] == [("Germany",), ("France",), ("Other",)]
    assert {one.metric for one in data(found)} == {""}


def test_headings_without_spans_stand_over_what_belongs_together():
    found = table(
        """
        | Year ended June 30, |      | Change |
        | 2019 | 2018 | Amount | Percent
Revenue | 50.1 | 40.1 | 10.0   | 25 %
""",
        ANNUAL,
    )
    assert [one.header[0] for one in data(found)] == ["Year ended June 30,"] * 2 + ["Change"] * 2
    change = the(found, "10.0")
    assert (change.basis, change.against, change.period.key) == (
        "change",
        "last year",
        the(found, "50.1").period.key,
    )
    assert the(found, "25 %").unit == "%"


def test_headings_that_come_again_begin_new_groups():
    found = table(
        "| Revenue | | EBITDA |\n | 2019 | 2018 | 2019 | 2018\nCement | 5 | 4 | 2 | 1", ANNUAL
    )
    assert [told(one) for one in data(found)] == [
        ("Revenue", ("Cement",), "2019"),
        ("Revenue", ("Cement",), "2018"),
        ("EBITDA", ("Cement",), "2019"),
        ("EBITDA", ("Cement",), "2018"),
    ]


def test_headings_in_the_midst_of_a_table():
    found = table("| 2019 | 2018\nCash | 5 | 4\n| 2017 | 2016\nCash | 3 | 2", ANNUAL)
    assert [one.period.key for one in data(found)] == ["2019", "2018", "2017", "2016"]


def test_a_row_of_years_under_years_is_a_row():
    found = table("| 2019 | 2018\nStores | 2014 | 1987\nRevenue | 5 | 4", ANNUAL)
    assert [one.text for one in data(found)] == ["2014", "1987", "5", "4"]


def test_rows_set_in_belong_to_the_row_above():
    found = table("| 2019\nRevenue | 10\n  Cement | 6\n  Other | 4\nEBITDA | 3", ANNUAL)
    assert labels(found) == ["Revenue", "Revenue › Cement", "Revenue › Other", "EBITDA"]


def test_sections_end_with_their_totals():
    found = table(
        """
                         | 2019
Assets                   |
Current assets:          |
Cash                     | 1
Total current assets     | 2
Non-current assets:      |
Goodwill                 | 3
Total assets             | 4
Liabilities              |
Borrowings               | 5
""",
        ANNUAL,
    )
    assert labels(found) == [
        "Assets › Current assets › Cash",
        "Assets › Current assets › Total current assets",
        "Assets › Non-current assets › Goodwill",
        "Assets › Total assets",
        "Liabilities › Borrowings",
    ]


def test_notes_are_no_values_and_signs_belong_to_their_numbers():
    found = table("| Note | | 2019 |\nRevenue | 4.1 | $ | 12.5 |\nLoss | 5 | $ | (3.5 | )", ANNUAL)
    assert [(one.text, one.value) for one in data(found)] == [
        ("$12.5", Decimal("12.5")),
        ("$(3.5)", Decimal("-3.5")),
    ]
    assert ("Note", "4.1") in found.rows[0].texts


def test_a_currency_shown_once_holds_for_its_column():
    found = table("| 2019\nRevenue | $ 10\nCosts | 8\nMargin | 20 %", About())
    assert [one.unit for one in data(found)] == ["USD", "USD", "%"]


def test_a_column_of_units():
    found = table(
        "KPI | Unit | 2019\nRevenue | EUR m | 10.5\nVolumes | kt | 310\nEBITDA margin | % | 12",
        ANNUAL,
    )
    assert [(one.metric, one.unit, one.number) for one in data(found)] == [
        ("Revenue", "EUR", 10_500_000),
        ("Volumes", "t", 310_000),
        ("EBITDA margin", "%", 12),
    ]


def test_years_with_units_in_their_headings():
    found = table("| 2019 $'000 | 2018 $'000\nRevenue | 12,500 | 11,500", About())
    assert [told(one) for one in data(found)] == [("Revenue", (), "2019"), ("Revenue", (), "2018")]
    assert (the(found, "12,500").unit, the(found, "12,500").number) == ("USD", 12_500_000)


def test_a_thing_in_a_place_is_no_place():
    found = table("Item | Unit | 2019\nPower in Spain | EUR/MWh | 71.5\nBrazil credit line | % | 8")
    assert [one.metric for one in data(found)] == ["Power in Spain", "Brazil credit line"]


def test_totals_stand_for_the_whole():
    text = "EUR m | 2019\nPortugal |\n  Cement | 5\n  Total Portugal | 7\nGroup total | 9"
    found = table(text, ANNUAL, caption="Revenue by country and division")
    assert [told(one)[:2] for one in data(found)] == [
        ("Revenue", ("Portugal", "Cement")),
        ("Revenue", ("Portugal",)),
        ("Revenue", ()),
    ]


def test_a_total_of_the_group_is_not_that_of_the_last_country():
    found = table("| Revenue | EBITDA\nPortugal | |\nCement | 5 | 1\nGroup total | 9 | 2", ANNUAL)
    assert told(the(found, "9")) == ("Revenue", (), "2019")


def test_german_tables():
    found = table(
        "in Mio. € | 2019 | 2018\n"
        "Umsatzerlöse | 1.234,5 | 1.100,0\nPersonalaufwand | -210,4 | -190,1",
        ANNUAL,
        caption="Gewinn- und Verlustrechnung",
    )
    assert the(found, "1.234,5").number == Decimal("1234500000.0")
    assert the(found, "-210,4").metric == "Personalaufwand"


def test_known_headings_and_an_empty_grid():
    found = table("Volumes | 5\nRevenue | 6", ANNUAL, header=1)
    assert [one.text for one in data(found)] == ["6"]
    assert understand(Grid(cells=()), MONTHLY, "1").rows == ()


def test_texts_without_numbers_are_kept():
    assert labels(table("First remark\nSecond remark")) == ["First remark", "Second remark"]
    found = table("Name | Role\nAnna Berg | Chair\nOle Vik | Member")
    assert [(row.label, row.texts) for row in found.rows] == [
        (("Anna Berg",), (("Role", "Chair"),)),
        (("Ole Vik",), (("Role", "Member"),)),
    ]


# --- any grid ---------------------------------------------------------------------------

KNOWN = """
2019|2018|–|1.5|(3)|$ 4|12 %|Revenue|Total|Portugal|Q3 2025|Budget|EUR m|Note|$|)|Cement:|1,234|
in € millions|Year ended December 31,|Change|n/a|Basic|Other
"""
TEXTS = some.one_of(
    some.sampled_from([one.strip() for one in KNOWN.split("|")]),
    some.text(max_size=12),
)
CELLS = some.builds(
    Cell,
    text=TEXTS,
    row=some.integers(0, 7),
    column=some.integers(0, 5),
    rows=some.integers(1, 2),
    columns=some.integers(1, 3),
    indent=some.sampled_from([0.0, 8.0, 16.0]),
    bold=some.booleans(),
)


@settings(max_examples=100, deadline=None)
@given(
    cells=some.lists(CELLS, max_size=40),
    caption=TEXTS,
    header=some.none() | some.integers(0, 9),
    about=some.sampled_from([MONTHLY, ANNUAL, About()]),
)
def test_any_grid_is_understood_and_every_number_is_one_datum(cells, caption, header, about):
    given_grid = Grid(cells=tuple(cells), caption=caption, header=header)
    found = understand(given_grid, about, "x")
    lattice = lattice_of(given_grid)
    count = heading_rows(lattice, header)
    labels_at, aside = label_columns(lattice, count)
    inside = {r for band in bands(lattice, count, labels_at) for r in range(band.start, band.end)}
    numbers = [
        (one.row + 1, one.column, " ".join(one.text.split()))
        for row in inside
        for one in lattice.lines.get(row, ())
        if one.column not in (*labels_at, *aside) and read_value(one.text, lattice.style)
    ]
    assert sorted((one.row, one.column, one.text) for one in data(found)) == sorted(numbers)
    assert all(one.number == one.value * one.scale for one in data(found))


@settings(max_examples=60, deadline=None)
@given(
    numbers=some.lists(
        some.lists(some.decimals("-9999", "9999", places=1), min_size=3, max_size=3),
        min_size=1,
        max_size=8,
    )
)
def test_every_number_under_a_label_and_a_heading_is_read(numbers):
    rows = [f"Item {chr(65 + at)} | " + " | ".join(map(str, row)) for at, row in enumerate(numbers)]
    found = table("\n".join(["| 2019 | 2018 | 2017", *rows]), ANNUAL)
    assert [[one.value for one in row.data] for row in found.rows] == numbers
    assert all(one.label and one.header and one.period for one in data(found))


@pytest.mark.skipif(not FILINGS.is_dir(), reason="the shared data is not here")
def test_real_filings_are_labelled():
    path = FILINGS / "tatqa_dataset_test_gold.json"
    tables = [one["table"]["table"] for one in json.loads(path.read_text(encoding="utf-8"))][::4]
    labelled = total = 0
    for rows in tables:
        cells = tuple(
            Cell(text=text, row=at, column=column)
            for at, row in enumerate(rows)
            for column, text in enumerate(row)
            if text.strip()
        )
        for one in data(understand(Grid(cells=cells), About(), "x")):
            total += 1
            labelled += bool(one.label and one.header)
    assert total > 1000
    assert labelled >= 0.95 * total


def test_boxes_and_pages_stay_with_their_cells():
    found = understand(grid("| 2019\nRevenue | 10", page=3, boxes=True), ANNUAL, "3.1")
    one = the(found, "10")
    assert (one.page, one.box.left, one.row) == (3, 100.0, 2)
    assert (found.rows[0].box.left, found.rows[0].box.right) == (0.0, 160.0)
