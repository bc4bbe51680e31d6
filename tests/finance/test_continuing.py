"""Is a table that goes on on the next page one table, and are two tables two?"""

from __future__ import annotations

import pytest
from grids_shared import ANNUAL, data, grid, labels
from hypothesis import given, settings
from hypothesis import strategies as some

from consilience.packs.finance.data_model import Cell, Grid
from consilience.packs.finance.tables.continuation import goes_on, joined
from consilience.packs.finance.tables.structure import understand

FIRST = "EUR m | 2019 | 2018\nRevenue | 10.5 | 9.5\nCosts | 8.5 | 8.0"
NEXT = "Depreciation | 1.5 | 1.0\nInterest | 0.5 | 0.4"
WITH_HEADINGS = f"EUR m | 2019 | 2018\n{NEXT}"
CAPTION = "Income statement"


def pages(first: str, second: str, **more: object) -> list[Grid]:
    options = {"caption": "", **more}
    return [
        grid(first, page=4, boxes=True, caption=CAPTION),
        grid(second, page=5, boxes=True, **options),
    ]


@pytest.mark.parametrize(
    ("second", "caption"),
    [
        (WITH_HEADINGS, ""),
        (WITH_HEADINGS, CAPTION),
        (WITH_HEADINGS, "Income statement (continued)"),
        (NEXT, "Income statement – Fortsetzung"),
        (NEXT, "Income statement (cont’d)"),
        (NEXT, ""),
    ],
)
def test_a_table_goes_on(second, caption):
    (one,) = joined(pages(FIRST, second, caption=caption))
    found = understand(one, ANNUAL, "4.1")
    assert labels(found) == ["Revenue", "Costs", "Depreciation", "Interest"]
    assert [datum.page for datum in data(found)] == [4, 4, 4, 4, 5, 5, 5, 5]
    assert all(datum.header == ("2019",) for row in found.rows for datum in row.data[:1])
    assert {datum.scale for datum in data(found)} == {10**6}
    assert one.page == 4
    assert one.caption == CAPTION


@pytest.mark.parametrize(
    ("second", "more"),
    [
        (WITH_HEADINGS, {"caption": "Cash flow statement"}),
        (NEXT, {"caption": "Balance sheet (continued)"}),
        (NEXT, {"section": ("Other notes",)}),
        ("EUR m | Land | Plant\nGross | 1.5 | 2.5\nNet | 1.0 | 2.0", {}),
        (f"{NEXT.replace('|', '| |', 1)}", {}),
        (FIRST, {}),
    ],
    ids=["caption", "another goes on", "section", "headings", "columns", "the same rows"],
)
def test_another_table_is_another(second, more):
    assert len(joined(pages(FIRST, second, **more))) == 2


def test_a_table_two_pages_on_or_below_on_the_page_is_another():
    one, two = pages(FIRST, NEXT)
    far = Grid(cells=two.cells, page=6)
    assert len(joined([one, far])) == 2
    same = grid(NEXT, page=4)
    assert len(joined([one, same])) == 2


def test_columns_that_stand_elsewhere_are_others():
    one, two = pages(FIRST, NEXT)
    moved = [
        Cell(
            text=cell.text,
            row=cell.row,
            column=cell.column,
            page=5,
            box=None
            if cell.box is None
            else type(cell.box)(
                left=cell.box.left * 0.55 + 30 * cell.column,
                right=cell.box.left * 0.55 + 30 * cell.column + 8,
                top=cell.box.top,
                bottom=cell.box.bottom,
            ),
        )
        for cell in two.cells
    ]
    assert len(joined([one, Grid(cells=tuple(moved), page=5)])) == 2


def test_a_table_over_three_pages_and_the_sections_in_it():
    parts = [
        grid("| 2019\nAssets |\nCash | 1", page=1, caption="Balance sheet"),
        grid("| 2019\nGoodwill | 2\nLiabilities |", page=2, caption="Balance sheet (continued)"),
        grid("| 2019\nBorrowings | 3", page=3, caption="Balance sheet (continued)"),
        grid("| 2019\nTrade | 4", page=4, caption="Segments"),
    ]
    first, last = joined(parts)
    assert labels(understand(first, ANNUAL, "1.1")) == [
        "Assets › Cash",
        "Assets › Goodwill",
        "Liabilities › Borrowings",
    ]
    assert last is parts[3]


def test_notes_of_both_parts_are_kept():
    one, two = pages(FIRST, NEXT, notes=("1 restated",))
    (found,) = joined([one, two])
    assert found.notes == ("1 restated",)


@pytest.mark.parametrize(
    "caption", ["Contingent liabilities", "Contracts", "Discontinued operations", "Suites"]
)
def test_words_that_only_look_like_it(caption):
    assert not goes_on(caption)


@settings(max_examples=60, deadline=None)
@given(
    some.lists(
        some.builds(
            grid,
            some.sampled_from([FIRST, NEXT, WITH_HEADINGS, "A | 1", "", "x"]),
            page=some.integers(1, 3),
            boxes=some.booleans(),
            caption=some.sampled_from(["", CAPTION, "Income statement (continued)", "Other"]),
        ),
        max_size=5,
    )
)
def test_no_cell_with_a_number_is_lost(grids):
    def numbers(found: list[Grid]) -> list[tuple[str, int | None]]:
        cells = [cell for one in found for cell in one.cells]
        return sorted((cell.text, cell.page) for cell in cells if "." in cell.text)

    assert numbers(joined(grids)) == numbers(grids)
