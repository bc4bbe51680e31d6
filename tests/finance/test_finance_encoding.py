"""Are numbers kept with their passage exactly as they were read?"""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

from grids_shared import AUGUST, YEAR
from hypothesis import given
from hypothesis import strategies as some

from consilience.packs.finance.data_model import Box, Datum, Period
from consilience.packs.finance.tables.encoding import dumped, loaded

PERIODS = some.builds(
    Period,
    kind=some.sampled_from(["day", "month", "quarter", "half", "year", "ytd", "span"]),
    start=some.dates(date(1950, 1, 1), date(2050, 1, 1)),
    end=some.dates(date(1950, 1, 1), date(2050, 1, 1)),
    year=some.integers(1950, 2050),
)
NUMBERS = some.decimals(allow_nan=False, allow_infinity=False)
TEXTS = some.text(max_size=8)
SIDES = some.floats(allow_nan=False, allow_infinity=False)
PARTS = some.lists(TEXTS, max_size=3).map(tuple)
BASES = ["actual", "budget", "forecast", "last year", "change"]
DATA = some.builds(
    Datum,
    row=some.integers(0, 9999),
    column=some.integers(0, 99),
    text=TEXTS,
    value=NUMBERS,
    number=NUMBERS,
    unit=TEXTS,
    scale=some.integers(0, 10**12),
    metric=TEXTS,
    entity=PARTS,
    header=PARTS,
    label=PARTS,
    period=some.none() | PERIODS,
    stated=some.none() | PERIODS,
    basis=some.sampled_from(BASES),
    against=some.none() | some.sampled_from(BASES),
    page=some.none() | some.integers(0, 9999),
    box=some.none() | some.builds(Box, left=SIDES, top=SIDES, right=SIDES, bottom=SIDES),
)


@given(some.lists(DATA, max_size=3))
def test_what_is_written_is_read_again(data):
    again = loaded(dumped(data))
    assert again == tuple(data)
    assert [str(one.value) for one in again] == [str(one.value) for one in data]


def test_nothing_is_written_that_goes_without_saying():
    one = Datum(
        row=2,
        column=1,
        text="10",
        value=Decimal(10),
        number=Decimal(10),
        period=AUGUST,
        stated=AUGUST,
    )
    assert json.loads(dumped([one])) == [
        {
            "row": 2,
            "column": 1,
            "text": "10",
            "value": "10",
            "period": "2025-08",
            "kind": "month",
            "start": "2025-08-01",
            "end": "2025-08-31",
        }
    ]


def test_the_time_that_is_stated_is_kept_where_it_differs():
    one = Datum(
        row=1, column=1, text="1", value=Decimal(1), number=Decimal(1), period=YEAR, stated=AUGUST
    )
    two = Datum(row=1, column=1, text="1", value=Decimal(1), number=Decimal(1), period=YEAR)
    assert loaded(dumped([one, two])) == (one, two)
    assert loaded("") == ()
