"""Which currency is meant by a sign, a code or a word?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from consilience.packs.travel.money import RATES, rate

_SIGNS = {
    "US$": "USD", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD", "S$": "SGD", "NZ$": "NZD",
    "HK$": "HKD", "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₫": "VND", "฿": "THB",
    "₩": "KRW", "₹": "INR",
}  # fmt: skip
_WORDS = {
    "us dollars?": "USD", "american dollars?": "USD", "aussie dollars?": "AUD",
    "australian dollars?": "AUD", "canadian dollars?": "CAD", "singapore dollars?": "SGD",
    "new zealand dollars?": "NZD", "hong kong dollars?": "HKD", "dollars?": "USD", "bucks": "USD",
    "euros?": "EUR", "pounds?(?: sterling)?": "GBP", "quid": "GBP", "(?:swiss )?francs?": "CHF",
    "yen": "JPY", "yuan": "CNY", "rmb": "CNY", "renminbi": "CNY", "won": "KRW", "baht": "THB",
    "rupees?": "INR", "dongs?": "VND", "đồng": "VND", "đ": "VND",
}  # fmt: skip
SIGN = "|".join(re.escape(one) for one in sorted(_SIGNS, key=len, reverse=True))
WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_WEAK = Decimal(100)  # units for a dollar from which nobody speaks of hundreds
_LARGE = Decimal(50_000)


def codes(local: str) -> str:
    """A form of the codes that are known, that of the places among them."""
    return "|".join(sorted({*RATES, *([local] if local else [])}))


def currency_of(said: str, local: str) -> str:
    """The code for a sign, a word or a code; empty for none of them."""
    spelt = said.strip()
    if spelt.upper() in {*RATES, local}:
        return spelt.upper()
    if spelt.upper() in _SIGNS:
        return _SIGNS[spelt.upper()]
    for word, code in _WORDS.items():
        if re.fullmatch(word, spelt, re.IGNORECASE):
            return code
    return ""


def unsaid(amount: Decimal, local: str, rates: Mapping[str, Decimal]) -> str:
    """The currency of an amount that has none: that of the places, unless so little is meant that
    it is dollars.
    """
    worth = rate("USD", local, rates)
    if not local or (worth is not None and worth >= _WEAK and amount < _LARGE):
        return "USD"
    return local
