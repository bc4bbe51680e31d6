"""How is a number of a calculation written? With a point, commas between thousands and its unit."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from consilience.packs.finance.figures.selecting import Fact
from consilience.packs.finance.tables.items import unit_text


def side(fact: Fact, first: Fact, *, brackets: bool = False) -> str:
    """An operand in a formula; with its unit where that is another than the first one's."""
    text = value_of(fact)
    if fact.scale != first.scale or fact.unit != first.unit:
        text = amount_of(fact)
    return f"({text})" if fact.value < 0 and (brackets or fact is not first) else text


def amount_of(fact: Fact) -> str:
    """A number with its unit, as printed."""
    return f"{value_of(fact)} {unit_of(fact)}".strip()


def value_of(fact: Fact) -> str:
    """A number with the decimals that it has in print."""
    return written(fact.value, printed(fact))


def unit_of(fact: Fact) -> str:
    """Its unit with the scale: USD million."""
    return unit_text(fact.unit, fact.scale)


def scaled(number: Decimal, fact: Fact) -> Decimal:
    """A number of whole units in those that a cell is printed in."""
    return number / fact.scale if fact.scale > 1 else number


def decimals(facts: Sequence[Fact]) -> int:
    """The most decimals that any of some numbers has in print."""
    return min(6, max((printed(one) for one in facts), default=0))


def printed(fact: Fact) -> int:
    """The decimals that a number has in print: three of 12.500, though the last tell nothing."""
    least = places(fact.value)
    print_digits = _digits(fact.text)
    fits = (at for at in range(least, least + 5) if _digits(f"{fact.value:.{at}f}") == print_digits)
    return next(fits, least)


def _digits(text: str) -> str:
    return "".join(one for one in text if one.isdecimal())


def places(value: Decimal) -> int:
    """The decimals that a number needs."""
    exponent = value.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def written(value: Decimal, digits: int) -> str:
    """A number with commas between thousands and so many decimals."""
    rounded = value.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    text = f"{abs(rounded):,.{digits}f}"
    return f"−{text}" if rounded < 0 else text


def signed(value: Decimal, digits: int) -> str:
    """The same with its sign, also where it is above zero."""
    text = written(value, digits)
    return text if text.startswith("−") or not text.strip("0.,") else f"+{text}"


def plain(value: Decimal) -> str:
    """A number with all its digits, and nothing else."""
    return f"{value.normalize():f}"
