"""In which unit, and in how many of it, is a number of a table? The nearest word on it counts.

A cell's own sign comes first, then its row's label, its column's heading, and what stands around
the table (`in € millions`). That scale holds for amounts only: a margin, a price, a headcount and
what is per share are not in millions because the table is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from consilience.packs.finance.notation.measures import CURRENCIES
from consilience.packs.finance.notation.values import Measure, Value, measure_of, narrowed

_SHARES = re.compile(
    r"(?i)\b(?:margins?|percentages?|per ?cent|yield|"
    r"(?:tax|interest|growth|discount|churn|occupancy) rates?|"
    r"roce|roe|roi|roic|marge|margem|margen|margine|\w*marge|\w*quote|\w*rendite|utili[sz]ation|"
    r"volatility|auslastung)\b"
)
_RATIOS = re.compile(
    r"(?i)\b(?:ratio|leverage|gearing|multiple|verschuldungsgrad|"
    r"(?:debt|liabilities|borrowings|loans?|equity|capital|expenditure|capex)\s?(?:to|/)\s?"
    r"(?:ebitda|equity|assets|capital|sales|revenue))\b"
)
_COUNTS = re.compile(
    r"(?i)\b(?:headcount|employees|ftes?|workforce|mitarbeiter\w*|beschäftigte|effectifs?|plantilla|"
    r"number of (?!shares|options|ordinary|common)\w+|anzahl|stores|customers|subscribers)\b"
    r"(?!\s+(?:cost|expense|benefit|compensation|payable|contribution)s?)"
)
_TOWARDS = re.compile(r"(?i)\b(?:to|from|with|for)(?: \w+){0,2} $")
_NUMBER_OF = re.compile(r"(?i)\b(?:number|count|anzahl|nombre|número) (?:of|der|de|an) ")
_QUANTITIES = re.compile(
    r"(?i)\b(?:\w*volumes?|tonnage|\w*mengen?|\w*absatz|capacity|production|output)\b"
)
_PRICES = re.compile(
    r"(?i)\b(?:(?:average|exercise|unit|selling|market|closing|share) prices?|\w*preise?)\b"
)
_NO_MONEY = re.compile(
    r"(?i)\b(?:shares?|options?|factors?|members(?:hips?)?|memberships?|users|visitors|aircraft|"
    r"vehicles|rooms|restaurants|warehouses|square f(?:ee|oo)t|hours|"
    r"(?:remaining|expected|contractual|useful|average) (?:\w+ ){0,2}(?:terms?|life|lives|age))\b|"
    r"^(?:years?|dates?|number) (?:of|that|in)\b"
)
_RATES = ("%", "pp", "bps", "x")


def around(texts: Iterable[str]) -> Measure:
    """What the numbers of a table are in, said by the first of these texts that says it."""
    unit, scale = "", 0
    exceptions: tuple[str, ...] = ()
    for text in texts:
        found = measure_of(text)
        if not scale and (found.scale or found.unit) and found.unit not in _RATES:
            unit, scale, exceptions = unit or found.unit, found.scale, found.exceptions
        if unit and scale:
            break
    return Measure(unit=unit, scale=scale, exceptions=exceptions)


def measured(
    value: Value,
    table: Measure,
    header: Sequence[str],
    label: Sequence[str],
    more: tuple[str, str],
) -> tuple[str, int]:
    """The unit of a number and its scale, by all that is said of it.

    `more` are what is counted, and the currency of amounts of which nobody says it.
    """
    metric, currency = more
    if any(way(one) for one in label[-1:] for way in (_SHARES.search, _RATIOS.search, _counts)):
        label = label[-1:]
    top = narrowed(Measure(), *header)
    side = narrowed(Measure(), *label)
    if top.unit in _RATES or (top.unit and not side.unit):
        texts = (*label, *header)
    else:
        texts = (*header, *label)
    outer = narrowed(_meant(table, label, (*header, metric)), *texts)
    unit, scale = _with_cell(value, outer, table)
    if not unit and currency and _is_money(label, (*header, metric), table):
        unit = currency
    return unit, scale or 1


def _meant(table: Measure, label: Sequence[str], header: Sequence[str]) -> Measure:
    """What the table is in, as far as it holds for a row with this label."""
    said = " ".join((*label[-2:], *header))
    if _SHARES.search(said):
        return replace(table, unit="%", scale=1)
    counted = table.unit in CURRENCIES and _NUMBER_OF.search(said)
    if _counts(said) and table.unit and table.unit not in CURRENCIES:
        return table
    if counted or _RATIOS.search(said) or _counts(said):
        return replace(table, unit="", scale=1)
    if table.unit in CURRENCIES and _QUANTITIES.search(said) and not _has_money(said):
        return replace(table, unit="", scale=1)
    if _PRICES.search(said):
        return replace(table, scale=1)
    return table


def _counts(text: str) -> bool:
    """Whether a text counts people or things; in `Sales to wholesale customers` it does not."""
    return any(not _TOWARDS.search(text, 0, one.start()) for one in _COUNTS.finditer(text))


def _has_money(text: str) -> bool:
    return measure_of(text).unit in CURRENCIES


def _with_cell(value: Value, outer: Measure, table: Measure) -> tuple[str, int]:
    if not value.unit:
        return outer.unit, value.scale or outer.scale
    if value.unit not in CURRENCIES:
        return value.unit, value.scale or 1
    if "/" in outer.unit:
        return f"{value.unit}/{outer.unit.partition('/')[2]}", value.scale or 1
    if value.scale or outer.unit in CURRENCIES or not outer.unit:
        return value.unit, value.scale or outer.scale
    return value.unit, table.scale if outer.unit in _RATES and table.scale else 1


def _is_money(label: Sequence[str], header: Sequence[str], table: Measure) -> bool:
    """Whether a number without any unit is an amount of money, as far as its words tell."""
    said = " ".join((*label, *header))
    others = (_SHARES, _RATIOS, _QUANTITIES, _NO_MONEY)
    if _counts(said) or any(way.search(said) for way in others):
        return False
    return not table.unit
