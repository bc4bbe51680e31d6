"""What answers at once: only cells that the source of figures is sure of, headed as printed."""

import json
from datetime import date
from decimal import Decimal

from consilience.packs.finance.data_model import Datum, Period
from consilience.packs.finance.openings import label, opens
from consilience.packs.finance.tables.encoding import dumped
from consilience.types import Exhibit, Locator, Passage

AUGUST = Period(kind="month", start=date(2025, 8, 1), end=date(2025, 8, 31), year=2025)


def datum(column, text, **more):
    values = {
        "metric": "Revenue",
        "entity": ("Portugal",),
        "label": ("Portugal",),
        "unit": "EUR",
        "scale": 10**6,
        "period": AUGUST,
        **more,
    }
    value = Decimal(text)
    number = value * values["scale"]
    return Datum(row=1, column=column, text=text, value=value, number=number, **values)


def exhibit(mark, data=(), *, key="a", kind="row", text="", **known):
    passage = Passage(
        id=key,
        collection="reports",
        document="r.pdf",
        kind=kind,
        title="Acme",
        text=text,
        locator=Locator(page=3, section=("Revenue by country",)),
        metadata={"cells": dumped(data), **known},
    )
    return Exhibit(mark=mark, passage=passage, label="", text=text)


ROW = (
    datum(1, "12.4", header=("August 2025", "Actual")),
    datum(2, "11.9", header=("August 2025", "Budget"), basis="budget"),
)


def said(*args):
    return [one.text for one in opens(*args)]


def test_the_cell_that_is_sure_is_told_under_its_headings():
    told = said("revenue of Portugal", [exhibit(1, ROW)], {"a": [2]})
    assert told == ["Portugal, Revenue, August 2025, Budget: **11.9 EUR million** [1]"]


def test_nothing_is_told_of_rows_that_nobody_is_sure_of():
    assert said("revenue of Portugal", [exhibit(1, ROW)], {}) == []
    assert said("revenue of Portugal", [exhibit(1, ROW)], {"b": [1]}) == []
    assert said("revenue", [], {}) == []


def test_all_places_that_print_a_figure_are_cited():
    other = exhibit(2, [datum(4, "12.4", header=("Aug",))], key="b")
    cells = {"a": [1], "b": [4]}
    told = said("revenue of Portugal", [exhibit(1, ROW), other], cells)
    assert told == ["Portugal, Revenue, August 2025, Actual: **12.4 EUR million** [1] [2]"]


def test_a_scale_that_is_no_money_stands_beside_the_number_as_printed():
    volume = datum(1, "84", metric="Volume", unit="m³", scale=1000, header=("April 2025",))
    told = said("volume of Portugal", [exhibit(1, [volume])], {"a": [1]})
    assert told == ["Portugal, Volume, April 2025: **84** (in thousand m³) [1]"]


def test_a_calculation_is_told_with_its_operands_and_their_marks():
    operands = [
        {"passage": "a", "label": "Portugal", "header": "Actual", "text": "12.4"},
        {"passage": "gone", "label": "Spain", "header": "Actual", "text": "30.1"},
    ]
    text = "Revenue, August 2025: 12.4 − 30.1 = −17.7 EUR million (−58.8 %)\n12.4 EUR million: …"
    made = exhibit(1, key="c", kind="calculation", text=text, operands=json.dumps(operands))
    headline, table = said("difference", [made, exhibit(2, ROW)], {})
    assert headline == (
        "Revenue, August 2025: 12.4 − 30.1 = **−17.7 EUR million (−58.8 %)** [1] [2]"
    )
    assert "| Portugal | Actual | 12.4 [2] |" in table
    assert "| Spain | Actual | 30.1 [1] |" in table


def test_text_of_others_is_never_a_mark_or_markdown():
    sly = datum(1, "5", metric="[2] **x**", label=("[3] <b>",), header=("a | b",), unit="", scale=1)
    told = said("x", [exhibit(1, [sly])], {"a": [1]})[0]
    assert told.endswith("**5** [1]")
    assert told.count("[") == 1
    assert "**x**" not in told


def test_a_source_is_named_by_title_page_and_table():
    assert label(exhibit(1).passage) == 'Table - "Acme", page 3, Revenue by country'
    made = exhibit(1, kind="calculation").passage
    assert label(made).startswith("Calculation - ")
