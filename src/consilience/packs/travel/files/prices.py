"""What does something cost, and in which currency? `120,000 VND`, `$15`, `€12–15`, `Free`.

A range counts as its middle. Of several prices (`adults 15, children 7`) the first is taken. The
words stay in the text of the place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from consilience.evidence.loaders.json_records import Json
from consilience.packs.travel.files.fields import as_text, meaning_of, spelt
from consilience.packs.travel.files.values import number

_CODE_WORDS = """
AED AFN ALL AMD ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD
CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD
GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD
KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO
NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE
SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST
XAF XCD XOF XPF YER ZAR ZMW ZWG
"""
_CODES = frozenset(_CODE_WORDS.split())
_SIGNS = (
    ("US$", "USD"), ("A$", "AUD"), ("C$", "CAD"), ("NZ$", "NZD"), ("S$", "SGD"), ("HK$", "HKD"),
    ("NT$", "TWD"), ("R$", "BRL"), ("€", "EUR"), ("£", "GBP"), ("₫", "VND"), ("฿", "THB"),
    ("₹", "INR"), ("₩", "KRW"), ("₱", "PHP"), ("₺", "TRY"), ("₽", "RUB"), ("₪", "ILS"),
    ("₴", "UAH"), ("₸", "KZT"), ("₭", "LAK"), ("៛", "KHR"), ("zł", "PLN"), ("Kč", "CZK"),
    ("¥", "JPY"), ("$", "USD"),
)  # fmt: skip
_NAMES = {
    "dong": "VND", "đồng": "VND", "đ": "VND", "baht": "THB", "euro": "EUR", "euros": "EUR",
    "dollar": "USD", "dollars": "USD", "pound": "GBP", "pounds": "GBP", "yen": "JPY",
    "yuan": "CNY", "rmb": "CNY", "won": "KRW", "ringgit": "MYR", "rm": "MYR", "rupiah": "IDR",
    "rp": "IDR", "rupee": "INR", "rupees": "INR", "rs": "INR", "kip": "LAK", "riel": "KHR",
    "kyat": "MMK", "lira": "TRY", "zloty": "PLN", "forint": "HUF", "dirham": "AED", "vnđ": "VND",
}  # fmt: skip
_SHARED = {"USD": frozenset({"AUD", "CAD", "NZD", "SGD", "HKD", "TWD", "MXN", "USD"}),
           "JPY": frozenset({"CNY", "JPY"})}  # fmt: skip
_NUMBER = r"\d{1,3}(?:[.,' \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?"
_AMOUNT = re.compile(rf"({_NUMBER})\s*(k|thousand|million|mio|m)?(?![a-z])", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:[^\d\s-]{0,4}\s*)(?:-|–|—|to)\s*[^\d\s]{0,4}\s*", re.IGNORECASE)
_SCALES = {"k": 1000, "thousand": 1000, "million": 1_000_000, "mio": 1_000_000, "m": 1_000_000}
_FREE = re.compile(
    r"\b(?:free|gratis|no charge|no entrance fee|no fee|complimentary|gratuit|kostenlos|"
    r"eintritt frei|gratuito)\b",
    re.IGNORECASE,
)
_AMOUNTS = (
    "amount", "value", "price", "adult", "adults", "min", "from", "low", "avg", "average", "betrag",
    "montant", "valeur", "erwachsene", "adulte", "importe", "preis", "prix",
)  # fmt: skip
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """An amount in a currency, empty where none is said, and the words it was read from."""

    amount: int | float
    currency: str = ""
    words: str = ""


def price_of(value: Json, name: str = "") -> Price | None:
    """The price that a value tells; None where it tells none."""
    said = _by_name(name)
    if isinstance(value, dict):
        return _of_object(value, said)
    plain = number(value)
    if plain is not None:
        return Price(amount=_whole(plain), currency=said) if plain >= 0 else None
    text = as_text(value)
    match = _AMOUNT.search(text)
    if match is None:
        return Price(amount=0, currency=said, words=text) if _FREE.search(text) else None
    amounts = [_amount(match)]
    between = _RANGE.match(text, match.end())
    if between and (other := _AMOUNT.match(text, between.end())):
        amounts.append(_amount(other))
        if other[2] and not match[2] and amounts[0] < amounts[1] / 100:
            amounts[0] *= _SCALES[other[2].casefold()]  # 20-30k
    middle = sum(amounts) / len(amounts)
    return Price(amount=_whole(middle), currency=currency_in(text) or said, words=text)


def _of_object(value: dict[str, Json], said: str) -> Price | None:
    currency = next(
        (text.upper() for one in value if meaning_of(one) == "currency"
         and (text := as_text(value[one]))), said,
    )  # fmt: skip
    by = {spelt(name): one for name, one in value.items()}
    for name in _AMOUNTS:
        found = price_of(by.get(name))
        if found is not None:
            return Price(amount=found.amount, currency=found.currency or currency)
    return None


def _by_name(name: str) -> str:
    words = spelt(name).upper().split("_")
    return next((one for one in words[1:] if one in _CODES), "")


def _amount(match: re.Match[str]) -> float:
    return _digits(match[1]) * _SCALES.get((match[2] or "").casefold(), 1)


def _digits(text: str) -> float:
    text = re.sub(r"[' \u00a0\u202f]", "", text)
    marks = [one for one in text if one in ".,"]
    if not marks:
        return float(text)
    if len(set(marks)) == 2:
        text = text.replace(marks[0], "").replace(",", ".")
        return float(text)
    groups = text.split(marks[0])
    grouped = all(len(one) == 3 for one in groups[1:]) and 1 <= len(groups[0]) <= 3
    if grouped and groups[0] != "0":
        return float("".join(groups))
    return float(text.replace(",", "."))


def _whole(amount: float) -> int | float:
    return int(amount) if amount == int(amount) else round(amount, 4)


def currency_in(text: str) -> str:
    """The currency that a text names by code, sign or word; empty for none."""
    words = _LETTERS.findall(text)
    found = next((one for one in words if one in _CODES), "")
    if not found:
        found = next((code for sign, code in _SIGNS if sign in text), "")
    return found or next((_NAMES[low] for one in words if (low := one.casefold()) in _NAMES), "")


def settled(said: str, usual: str) -> str:
    """The currency that is meant: `$` of a file in Australian dollars is no American one."""
    if not said:
        return usual
    return usual if usual in _SHARED.get(said, ()) else said


def is_currency(text: str) -> bool:
    """Whether a text is the code of a currency."""
    return text in _CODES
