"""How do figures come into sentences? Each `[[metric|place|period|basis]]` is looked up.

A place is `group`, `Portugal` or `Portugal/Cement`; a period is `month`, `ytd` or a key. A basis is
`actual` (when left out), `budget`, `last year`, `vs budget` or `vs last year`: the last two give
words, `3.2% below budget`. So no sentence can say another figure than the tables.
"""

from __future__ import annotations

import re
from decimal import Decimal

from finance_sample.figures import a_year_before, rounded
from finance_sample.monthly import Frame

_SLOT = re.compile(r"\[\[([^\]]+)\]\]")
_NAMES = {
    "revenue": "Revenue",
    "ebitda": "EBITDA",
    "margin": "EBITDA margin",
    "volume": "Volume",
    "price": "Average price",
    "headcount": "Headcount",
    "ebit": "Operating profit (EBIT)",
    "profit": "Net profit",
    "fcf": "Free cash flow",
    "capex": "Capital expenditure",
    "net debt": "Net debt at end of period",
    "dividend": "Dividends paid",
    "working capital": "Change in working capital",
}


Told = list[tuple[str, str, Decimal]]
"""Figures that sentences tell: the figure's name, the words for it, and its value."""


def told(text: str, frame: Frame) -> tuple[str, Told]:
    """The text with its figures, and which they are."""
    noted: Told = []
    text = _SLOT.sub(lambda found: _figure(found[1].split("|"), frame, noted), text)
    return text, noted


def _figure(parts: list[str], frame: Frame, noted: Told) -> str:
    metric, place, when, basis = [*parts, "month", "actual"][:2] + _rest(parts)
    names = () if place in ("", "group") else tuple(place.split("/"))
    period = {"month": frame.period, "ytd": frame.ytd}.get(when, when)
    name = _NAMES[metric]

    def find(key: str, what: str = "actual") -> Decimal:
        value = frame.group.value(name, names, key, what)
        return abs(value) if metric in ("capex", "dividend", "working capital") else value

    if not basis.startswith("vs"):
        key = a_year_before(period) if basis == "last year" else period
        value = find(key, "budget" if basis == "budget" else "actual")
        said = _printed(metric, names, value, frame)
        slug = "V" if frame.dollars else "T"
        end = "|budget" if basis == "budget" else ""
        if frame.annual and not frame.dollars and _is_money(metric):
            value = rounded(value / 1000)
        noted.append((f"{slug}|{name}|{'/'.join(names)}|{key}{end}", said, value))
        return said
    before = find(period, "budget") if basis == "vs budget" else find(a_year_before(period))
    return _compared(metric, find(period), before, basis[3:], frame)


def _rest(parts: list[str]) -> list[str]:
    when = parts[2] if len(parts) > 2 else "month"
    return [when, parts[3] if len(parts) > 3 else "actual"]


def _printed(metric: str, names: tuple[str, ...], value: Decimal, frame: Frame) -> str:
    if _is_money(metric):
        return _amount(value, frame)
    style, text = frame.style, frame.style.number(abs(value), 1)
    minus = "" if value >= 0 else "minus "
    if metric == "margin":
        return f"{minus}{text}{'%' if frame.dollars else ' %'}"
    if metric == "headcount":
        return style.number(value, 0 if frame.dollars else 1)
    if metric == "volume":
        text = style.number(value, 0)
        if not frame.dollars:
            return f"{text} t"
        return f"{text} thousand {'m³' if 'Ready-mix' in names else 'tonnes'}"
    per = "m³" if "Ready-mix" in names else ("tonne" if frame.dollars else "t")
    return f"US$ {text} per {per}" if frame.dollars else f"{text} €/{per}"


def _is_money(metric: str) -> bool:
    return metric not in ("margin", "headcount", "volume", "price")


def _amount(value: Decimal, frame: Frame) -> str:
    german, millions = frame.words.kind == "deutsch", frame.annual and not frame.dollars
    text = frame.style.number(abs(value) / 1000 if millions else abs(value), 1)
    minus = "" if value >= 0 else "minus "
    if frame.dollars:
        return f"{minus}US$ {text} million"
    if german:
        return f"{minus}{text} T€"
    return f"{minus}€ {text} {'million' if millions else 'thousand'}"


def _compared(metric: str, now: Decimal, before: Decimal, what: str, frame: Frame) -> str:
    german = frame.words.kind == "deutsch"
    name = {"budget": "budget", "last year": "last year"}[what]
    if german:
        name = {"budget": "Plan", "last year": "Vorjahr"}[what]
    elif not frame.dollars and what == "last year":
        name = "the prior year"
    if metric == "margin":
        change = rounded(now) - rounded(before)
        size = frame.style.number(abs(change), 1) + (" PP" if german else " percentage points")
    else:
        change = rounded(100 * (now - before) / abs(before))
        size = frame.style.number(abs(change), 1) + ("%" if frame.dollars else " %")
    if change == 0:
        return f"auf {name}niveau" if german else f"level with {name}"
    if german:
        return f"{size} {'über' if change > 0 else 'unter'} {name}"
    return f"{size} {'above' if change > 0 else 'below'} {name}"
