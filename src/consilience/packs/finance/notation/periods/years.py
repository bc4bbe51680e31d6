"""Which numbers of a text are years, and not amounts?

A number of four digits from 1900 to 2100 that stands alone is one: not `$2019`, `2,019`, `page
2019` or `2019 units`. `FY19`, `2020E` and `BUD25` are years as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from consilience.packs.finance.notation.periods.writing import BEGIN, YEAR
from consilience.packs.finance.shapes import Basis


@dataclass(frozen=True, slots=True, kw_only=True)
class Year:
    """A year in a text; `bare` where it is nothing but its number."""

    start: int
    end: int
    year: int
    bare: bool = False
    basis: Basis | None = None


_FULL_YEAR = re.compile(
    rf"{BEGIN}(?:(?:fiscal|financial|business|calendar|full|reporting|tax)[\s-]years?\s(?:of\s)?|"
    rf"fiscal\s|(?:FY|CY|GJ|YE)[\s']?|(?-i:F)|years?\s|Geschäftsjahr\s|Gesamtjahr\s|Jahr\s|exercice\s|ejercicio\s|"
    rf"exercício\s|esercizio\s)(?P<year>{YEAR}|(?<=F)\d\d|(?<=FY)\d\d|(?<=FY')\d\d|(?<=FY\s)\d\d)(?P<tag>[AEFBP]?)"
    rf"(?:[⁰¹²³⁴-⁹]|(?:(?<=FY\d\d)|(?<=FY\d{{4}}))[1-9](?!\w)|(?!\w))(?!%|[.,/]\d)",
    re.IGNORECASE,
)
_BARE_YEAR = re.compile(
    rf"(?:(?<![\w$€£¥#.,/'+-])|(?<=(?:19|20)\d\d[-/]))(?<![$€£¥#]\s)(?P<year>{YEAR})"
    rf"(?P<tag>(?:[AEFBPe]|\s?\([AEFBPe]\)|\s[AEFB](?=\s*$))?)"
    rf"(?:[⁰¹²³⁴-⁹]|(?![\w%$€£]))(?![.,:']\d|[-/](?!{YEAR}(?!\d))\d)"
)
_WITH_BASIS = re.compile(
    r"(?<![\w'])(?P<word>ACT|AC|Actual|BUD|Budget|FC|Fcst|Plan|Ist)(?:['-]?(?P<year>\d\d)|"
    rf"[ ](?P<spaced>\d\d)(?=\s*$)|[-']?(?P<full>{YEAR}))(?![\w%.,/])",
    re.IGNORECASE,
)
_WORDS: dict[str, Basis] = {"a": "actual", "i": "actual", "b": "budget", "p": "budget"}
_WORDS |= {"f": "forecast"}
_TAGS: dict[str, Basis] = {"A": "actual", "E": "forecast", "F": "forecast", "B": "budget"}
_TAGS |= {"P": "forecast"}
_COUNTED = re.compile(
    r"[ -](?:units?|shares?|employees|people|persons|tonn?e?s?|tons?|t|kt|kg|km|stores|customers|"
    r"pages?|bps|pp|x|FTEs?|million|thousand|billion|m|bn|mio|MW|kWh|MWh|GWh|days|hours|items|"
    r"pieces|percent|basis|dollars|euros|locations|properties|vehicles|homes)\b",
    re.IGNORECASE,
)
_MONEY = re.compile(r"[ ]?(?:[€$£¥]|(?:EUR|USD|GBP|CHF|JPY)\b)")
_OVER = re.compile(r"\bover\s\Z", re.IGNORECASE)  # more than so many, or in the course of a year
_STOPS = re.compile(r"\s*(?:[?.!,;:)]|$|and\b|to\b|compared\b|vs)", re.IGNORECASE)
_NO_YEAR_BEFORE = re.compile(
    r"(?:\b(?:page|pages|pp?\.|no\.?|nos\.|number|note|section|§|item|room|route|rule|form|asu|ias|ifrs|"
    r"eur|usd|gbp|chf|jpy|tsd\.?|about|approximately|some|than|act of)[ ]?|[(~<>=]\s?-)\Z",
    re.IGNORECASE,
)
_YEAR_BEFORE = re.compile(
    r"\b(?:in|of|for|since|during|year|fiscal|and|from|to|until|between|through|the|by|vs\.?)\s$",
    re.IGNORECASE,
)


def years_in(text: str) -> Iterator[Year]:
    """Every year of a text."""
    for match in _FULL_YEAR.finditer(text):
        yield _tagged(match)
    for match in _BARE_YEAR.finditer(text):
        if _is_year(text, match):
            yield _tagged(match, bare=True)
    for match in _WITH_BASIS.finditer(text):
        yield Year(
            start=match.start(),
            end=match.end(),
            year=year_in(match["year"] or match["spaced"] or match["full"]),
            bare=True,
            basis=_WORDS[match["word"][0].casefold()],
        )


def year_in(text: str) -> int:
    """A year of four digits, or of two: `'98`, `25`."""
    number = int(text.strip("'"))
    return number if number >= 100 else number + (2000 if number < 70 else 1900)


def _tagged(match: re.Match[str], *, bare: bool = False) -> Year:
    basis = _TAGS.get(match["tag"].strip().strip("()").upper())
    return Year(
        start=match.start(), end=match.end(), year=year_in(match["year"]), bare=bare, basis=basis
    )


def _is_year(text: str, match: re.Match[str]) -> bool:
    """Whether a number of four digits is a year where it stands."""
    before = text[max(0, match.start() - 24) : match.start()]
    if _NO_YEAR_BEFORE.search(before):
        return False
    if _OVER.search(before):
        return _STOPS.match(text, match.end()) is not None
    if _YEAR_BEFORE.search(before):
        return True
    if _MONEY.match(text, match.end()):
        return not text[: match.start()].strip()
    return not _COUNTED.match(text, match.end())
