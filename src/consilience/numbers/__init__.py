"""Which numbers stand in a text, what may they mean, and in what unit?

Numbers are compared as numbers: 1,234.5 is 1.234,5 and 1 234.5 and 1234.50; (1,234.5) is
negative, as accountants write it. Where 1.234 may be read in two ways, the other numbers of the
text decide, and without them both readings hold. A number is never part of a longer one, of a
code (A35) or of a version (1.2.3). English number words ("twenty-four") and ordinals are read
as well. A unit, a currency or a scale (million) belongs to the number it stands by, or to the
number behind its label, as in `height_m: 48`.
"""

from __future__ import annotations

from consilience.numbers.amounts import ORDINAL, Amount, amounts, units_around
from consilience.numbers.digits import Number, numbers_in, parted
from consilience.numbers.units import is_unit, number_of, unit_pattern

__all__ = [
    "ORDINAL",
    "Amount",
    "Number",
    "amounts",
    "is_unit",
    "number_of",
    "numbers_in",
    "parted",
    "unit_pattern",
    "units_around",
]
