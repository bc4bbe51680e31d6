"""What is an amount worth in another currency? By a table of rates, which is dated and told.

The rates are round ones of `RATES_OF`; a workspace's `rates.toml` (`EUR = 0.86`, units for one
dollar) goes before them. A plan says which rate it used.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from pathlib import Path

from consilience.errors import UsageError

RATES_OF = "2026-11"
_UNITS_FOR_A_DOLLAR = """
USD 1
VND 26000
EUR 0.86
GBP 0.75
CHF 0.80
AUD 1.53
NZD 1.73
CAD 1.40
SGD 1.30
HKD 7.78
JPY 150
CNY 7.10
KRW 1420
THB 32.5
INR 88
"""
RATES: Mapping[str, Decimal] = {
    name: Decimal(units)
    for name, units in (line.split() for line in _UNITS_FOR_A_DOLLAR.split("\n") if line)
}
_WHOLE = frozenset({"VND", "JPY", "KRW"})


def read_rates(folder: Path) -> Mapping[str, Decimal]:
    """The rates of a workspace: its own before the built-in ones."""
    path = folder / "rates.toml"
    if not path.exists():
        return RATES
    try:
        own = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
        given = {name.upper(): Decimal(str(units)) for name, units in own.items()}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, InvalidOperation) as error:
        raise UsageError(f"{path} takes lines like `EUR = 0.86`: {error}") from error
    for name, units in given.items():
        if not units.is_finite() or units <= 0:
            raise UsageError(f"{path}: {name} = {units} is no rate; give units for one dollar")
    return {**RATES, **given}


def rate(one: str, other: str, rates: Mapping[str, Decimal] = RATES) -> Decimal | None:
    """How many units of `other` one unit of `one` is worth; None for a currency not known."""
    if one == other:
        return Decimal(1)
    if one not in rates or other not in rates:
        return None
    return rates[other] / rates[one]


def rounded(amount: Decimal, currency: str) -> Decimal:
    """An amount to the smallest unit that is paid."""
    unit = Decimal(1) if currency in _WHOLE else Decimal("0.01")
    return amount.quantize(unit, rounding=ROUND_HALF_EVEN)


def told(amount: Decimal, currency: str) -> str:
    """`1,250,000 VND`, `48.50 USD`."""
    return f"{rounded(amount, currency):,} {currency}"
