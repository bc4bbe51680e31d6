"""Which time does a phrase mean, and what does it tell of it?

`read_periods` reads a heading, a label or a question, `joined_header` the headings of a column
from the outermost inwards. With `near`, the time that the report is for, words alone have a
meaning: `Budget`, `Last year`, `YTD`.
"""

from __future__ import annotations

from consilience.packs.finance.notation.periods.headings import joined_header
from consilience.packs.finance.notation.periods.parser import Spoken, read_periods
from consilience.packs.finance.notation.periods.times import (
    after,
    before,
    closeness,
    day,
    half,
    month,
    quarter,
    shifted,
    through,
    to_date,
    told,
    year_of,
)

__all__ = [
    "Spoken",
    "after",
    "before",
    "closeness",
    "day",
    "half",
    "joined_header",
    "month",
    "quarter",
    "read_periods",
    "shifted",
    "through",
    "to_date",
    "told",
    "year_of",
]
