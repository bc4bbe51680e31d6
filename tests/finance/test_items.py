"""Do tables become passages that people can read, that fit, and that hold their numbers?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grids_shared import AUGUST, MONTHLY, grid, lines, table
from hypothesis import given, settings
from hypothesis import strategies as some

from consilience.packs.finance.data_model import Grid
from consilience.packs.finance.tables.encoding import loaded
from consilience.packs.finance.tables.items import blocks_of, cut, pairs_of, unit_text, whole_table
from consilience.packs.finance.tables.structure import understand
from consilience.protocols import Room
from consilience.types import Block, Document, Locator, Passage
from tests_shared import make_passage

MONTH = """
                  | Actual | Budget | LY   | Note
Portugal          |        |        |      |
Revenue (EUR m)   | 12.4   | 12.0   | 11.1 | 3
EBITDA margin     | 23.4 % | 24.1   | 22.0 |
"""


REVENUE = (
    "Item: Portugal › Revenue (EUR m); Actual: 12.4; Budget: 12.0; LY: 11.1; Note: 3; "
    "Unit: EUR million"
)


def counted(texts: Sequence[str]) -> list[int]:
    return [len(re.findall(r"\w+|[^\w\s]", text)) for text in texts]


def room(limit: int) -> Room:
    return Room(count=counted, limit=limit, target=limit)


def document(blocks: Sequence[Block]) -> Document:
    return Document(title="Report", kind="report", blocks=tuple(blocks))


def passages(blocks: Sequence[Block]) -> list[Passage]:
    return [
        make_passage(str(at), one.text, kind="row", locator=one.locator, metadata=one.metadata)
        for at, one in enumerate(blocks)
    ]


def test_a_row_names_every_cell_under_its_heading():
    blocks = blocks_of(table(MONTH, page=7, section=("Portugal",), caption="Key figures"), MONTHLY)
    assert [one.text for one in blocks] == [
        REVENUE,
        "Item: Portugal › EBITDA margin; Actual: 23.4 %; Budget: 24.1; LY: 22.0; Unit: %",
    ]
    first = blocks[0]
    assert first.locator == Locator(section=("Portugal", "Key figures"), page=7, table="1.1", row=3)
    assert (first.kind, first.whole) == ("row", True)
    known = {name: value for name, value in first.metadata.items() if name != "cells"}
    assert known == {
        "metric": "Revenue",
        "entity": "Portugal",
        "unit": "EUR million",
        "company": "Tejo Group",
        "period": AUGUST.key,
    }
    cells = loaded(str(first.metadata["cells"]))
    assert [one.basis for one in cells] == ["actual", "budget", "last year"]
    assert [one.row for one in cells] == [3, 3, 3]


def test_units_that_differ_stand_with_their_cells():
    found = table(
        "Month | Revenue (EUR m) | Volumes (kt)\nMay 2025 | 10.5 | 31\nJune 2025 | 11.5 | 30"
    )
    assert blocks_of(found, MONTHLY)[0].text == (
        "Item: May 2025; Revenue (EUR m): 10.5; Volumes (kt): 31 thousand t; Unit: EUR million"
    )
    assert blocks_of(found, MONTHLY)[0].metadata["metric"] == ("Revenue", "Volumes")


def test_what_parts_cells_is_no_part_of_them():
    found = table("A; b: c | Price: net; \nx; y | 5 EUR; 6 EUR\nz | 7", header=1)
    text = blocks_of(found, MONTHLY)[0].text
    assert dict(pairs_of(text)) == {"Item": "x, y", "Price net": "5 EUR, 6 EUR"}


def test_units_for_people():
    assert unit_text("EUR", 10**6) == "EUR million"
    assert unit_text("t", 1000) == "thousand t"
    assert unit_text("%", 1) == "%"
    assert unit_text("", 1) == ""


def test_headings_that_come_again_are_told_apart():
    found = table("| Change | Change\nRevenue | 1.5 | 2.5")
    assert "Change: 1.5; Change (2): 2.5" in blocks_of(found, MONTHLY)[0].text


def wide(columns: int) -> Grid:
    heads = ["Metric", *(f"Division number {at} actual" for at in range(columns))]
    return grid(
        lines([heads, ["Revenue", *(f"{at}.5" for at in range(columns))]]), caption="Key figures"
    )


def test_a_long_row_is_parted_by_columns():
    blocks = blocks_of(understand(wide(40), MONTHLY, "2.1"), MONTHLY)
    assert len(blocks) == 1
    found = cut(document(blocks), room(60)).blocks
    assert len(found) > 5
    assert max(room(60).sizes("Report", found)) <= 60
    assert all(one.text.startswith("Item: Revenue; ") for one in found)
    cells = [one for block in found for one in loaded(str(block.metadata["cells"]))]
    assert cells == list(loaded(str(blocks[0].metadata["cells"])))
    for block in found:
        texts = dict(pairs_of(block.text)).values()
        assert all(
            any(text.startswith(one.text) for text in texts)
            for one in loaded(str(block.metadata["cells"]))
        )
    assert [block.metadata["part"] for block in found] == list(range(1, len(found) + 1))


def test_what_fits_stays_as_it_is():
    blocks = [*blocks_of(table(MONTH), MONTHLY), Block(text="prose " * 90)]
    assert cut(document(blocks), room(80)).blocks == tuple(blocks)


def test_a_long_text_in_a_cell_is_cut_between_words_and_put_together_again():
    words = " ".join(f"word{at}" for at in range(200))
    blocks = blocks_of(table(f"Risk | Remark\nFire | {words}\nFlood | none at all"), MONTHLY)
    found = cut(document(blocks), room(50)).blocks
    assert max(room(50).sizes("Report", found)) <= 50
    headings, rows = whole_table(passages(found))
    assert headings == ("Item", "Remark")
    assert rows == [("Fire", words), ("Flood", "none at all")]


def test_the_whole_table_of_some_rows():
    blocks = blocks_of(table(MONTH, caption="Key figures"), MONTHLY)
    headings, rows = whole_table(passages(list(reversed(blocks))))
    assert headings == ("Item", "Actual", "Budget", "LY", "Note", "Unit")
    assert rows == [
        ("Portugal › Revenue (EUR m)", "12.4", "12.0", "11.1", "3", "EUR million"),
        ("Portugal › EBITDA margin", "23.4 %", "24.1", "22.0", "", "%"),
    ]
    pieces = cut(
        document(blocks_of(understand(wide(30), MONTHLY, "2.1"), MONTHLY)), room(60)
    ).blocks
    headings, rows = whole_table(passages(list(reversed(pieces))))
    assert len(headings) == 32
    assert rows[0][:3] == ("Revenue", "0.5", "1.5")
    assert whole_table([]) == ((), [])


CELLS = some.lists(
    some.lists(some.text(max_size=20), min_size=2, max_size=6), min_size=2, max_size=5
)


@settings(max_examples=60, deadline=None)
@given(CELLS, some.integers(24, 80))
def test_every_number_is_in_one_passage_whatever_is_cut(rows, limit):
    text = lines(
        [
            *[[one.replace("\n", " ").replace("\r", " ") for one in row] for row in rows],
            ["Revenue", "1.5", "2.5"],
        ]
    )
    found = understand(grid(text, caption="Key figures"), MONTHLY, "1")
    blocks = blocks_of(found, MONTHLY)
    pieces = cut(document(blocks), room(limit)).blocks
    expected = [one for row in found.rows for one in row.data]
    held = [one for block in pieces for one in loaded(str(block.metadata.get("cells", "")))]
    assert held == expected


def test_a_row_says_what_is_counted_where_only_the_heading_of_its_labels_does():
    text = "Revenue (EUR m) | 2024 | 2023\nNorway | 100 | 90\nSweden | 200 | 180\n"
    first = "Item: Norway › Revenue; 2024: 100; 2023: 90; Unit: EUR million"
    assert blocks_of(table(text), MONTHLY)[0].text == first
    under = blocks_of(table(text, caption="Revenue by country"), MONTHLY)[0].text
    assert under == first.replace(" › Revenue", "")
