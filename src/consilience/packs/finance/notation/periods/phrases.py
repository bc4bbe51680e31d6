"""Which phrases of a text name a time? Months, quarters, halves, years, days, and runs of them.

A phrase that leaves its year open ("Q3", "three months ended June 30") is kept with what it would
be in a year.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date

from consilience.packs.finance.data_model import Basis, Period
from consilience.packs.finance.notation.periods import times
from consilience.packs.finance.notation.periods.patterns import (
    BEGIN,
    NUMBERS,
    RANKS,
    YEAR,
    month_names,
    patterns,
)

# --- which numbers of a text are years, and not amounts? ---


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


# --- which words stand for which time? ---

Made = Callable[[int], Period | None]
"""What a phrase is in a year."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A phrase that names a time: the period, or what it is in a year where it names none.

    `bare` is a year and nothing else. `basis` is what the phrase says itself: `2020E`.
    """

    start: int
    end: int
    period: Period | None = None
    made: Made | None = None
    bare: bool = False
    basis: Basis | None = None


def month_in(text: str) -> int:
    """The month of a name or number; 0 for none."""
    if text.isdecimal():
        return int(text) if 1 <= int(text) <= 12 else 0
    return month_names().get(text.casefold().rstrip("."), 0)


_DATES = [(f"y{way}", f"m{way}", f"d{way}") for way in ("", "n", "s", "i", "r")]
_DATES.append(("yy", "mm", "dd"))


def _day_parts(match: re.Match[str]) -> tuple[int | None, int, int] | None:
    """The year (None where it is open), month and day of a date."""
    for names in _DATES:
        year, month, day = (match[name] for name in names)
        if month and day:
            one, two = month_in(month), int(day)
            if names[0] == "ys" and not one:  # 31/12/2019
                one, two = (two if two <= 12 else 0), int(month)
            return (_year_in(year), one, two) if one else None
    return None


def _year_in(text: str | None) -> int | None:
    return year_in(text) if text else None


def _on(year: int, month: int, day: int) -> date | None:
    if not (1 <= month <= 12 and times.EARLIEST <= year <= times.LATEST):
        return None
    last = times.last_day(year, month)
    if month == 2 and day == 29:
        return last
    return date(year, month, day) if 1 <= day <= last.day else None


def _days(match: re.Match[str], of: Callable[[date], Period | None]) -> Period | Made | None:
    parts = _day_parts(match)
    if parts is None:
        return None
    year, month, day = parts

    def made(in_year: int) -> Period | None:
        at = _on(in_year, month, day)
        return of(at) if at else None

    return made(year) if year else made


def _day(match: re.Match[str]) -> Period | Made | None:
    return _days(match, times.day)


def _ended(match: re.Match[str]) -> Period | Made | None:
    """`three months ended …`, `fifty-two weeks ended …`, `quarter ended …`."""
    count = match["count"]
    number = 1 if not count else int(count) if count.isdecimal() else NUMBERS[count.casefold()]
    word = match["unit"].casefold()
    if not 1 <= number <= (60 if word.startswith(("week", "woche")) else 36):
        return None

    def of(at: date) -> Period | None:
        if word.startswith(("week", "woche")):
            return times.weeks(number, at)
        each = {"m": 1, "q": 3, "h": 6, "s": 6, "t": 3}.get(word[0], 12)
        return times.months(number * each, at) if number * each <= 36 else None

    if match["only"]:
        month, year = month_in(match["only"]), _year_in(match["only_year"])

        def made(in_year: int) -> Period | None:
            return of(times.last_day(in_year, month))

        return made(year) if year else made
    return _days(match, of)


def _of_year(make: Callable[[int], Period | None], year: str | None) -> Period | Made | None:
    number = _year_in(year)
    return make(number) if number else make


def _month(match: re.Match[str]) -> Period | Made | None:
    number = month_in(match["month"])
    if not number:
        return None
    return _of_year(lambda year: times.month(year, number), match["year"])


def _called(match: re.Match[str]) -> Period | Made | None:
    """`December 2017 quarter`: the quarter that ends with that month."""
    number, count = month_in(match["month"]), 3 if match["sort"][0] in "qQ" else 6
    if not number:
        return None
    return _of_year(lambda year: times.months(count, times.last_day(year, number)), match["year"])


def _month_run(match: re.Match[str]) -> Period | Made | None:
    first, last = month_in(match["first"]), month_in(match["last"])
    if not (first and last):
        return None
    return _of_year(lambda year: times.month_run(year, first, last), match["year"])


def _part(match: re.Match[str]) -> Period | Made | None:
    """A quarter or a half by its number."""
    found = match.groupdict()
    text = (found.get("number") or found["rank"]).casefold()
    number = int(text) if text.isdecimal() else RANKS[text]
    if found.get("sort", "q")[0].casefold() in "qt":
        return _of_year(lambda year: times.quarter(year, number), match["year"])
    if number > 2:
        return None
    return _of_year(lambda year: times.half(year, number), match["year"])


def _quarters(match: re.Match[str]) -> Period | Made | None:
    first, last = int(match["first"]), int(match["last"])
    if first >= last:
        return None
    return _of_year(lambda year: times.month_run(year, first * 3 - 2, last * 3), match["year"])


def _first_months(match: re.Match[str]) -> Period | Made | None:
    text = match["count"].casefold()
    number = int(text) if text.isdecimal() else NUMBERS[text]
    if not 1 <= number <= 12:
        return None
    return _of_year(lambda year: times.months(number, times.last_day(year, number)), match["year"])


def _to_date(match: re.Match[str]) -> Period | Made | None:
    number = month_in(match["month"])
    if not number:
        return None
    return _of_year(lambda year: times.to_date(year, number), match["year"])


def _twelve(match: re.Match[str]) -> Period | Made | None:
    def of(at: date) -> Period:
        return times.of_days(times.months(12, at).start, at, "span")

    if match["only"]:
        number = month_in(match["only"])
        return _of_year(lambda year: of(times.last_day(year, number)), match["only_year"])
    return _days(match, of)


def _broken_year(match: re.Match[str]) -> Period | None:
    first, last = int(match["year"]), int(match["next"])
    last = last if last > 100 else first // 100 * 100 + last + (100 if last == 0 else 0)
    return times.broken_year(last) if last == first + 1 else None


_MAKERS: dict[str, Callable[[re.Match[str]], Period | Made | None]] = {
    "ended": _ended,
    "twelve": _twelve,
    "day": _day,
    "first_months": _first_months,
    "month_run": _month_run,
    "to_date": _to_date,
    "month": _month,
    "called": _called,
    "quarters": _quarters,
    "part": _part,
    "broken_year": _broken_year,
}
_SHORT_MONTH = re.compile(r"(?m)^\W*(?P<month>[^\W\d_]{3,9})\.?[ ](?P<year>\d\d)\W*$")


def phrases_in(text: str) -> Iterator[Phrase]:
    """Every phrase that names a time, overlapping ones included, the likelier of two first."""
    yield from _short_months(text)
    for name, pattern in patterns():
        for match in pattern.finditer(text):
            found = _MAKERS[name](match)
            if isinstance(found, Period):
                yield Phrase(start=match.start(), end=match.end(), period=found)
            elif found is not None:
                yield Phrase(start=match.start(), end=match.end(), made=found)
    for one in years_in(text):
        period = times.year_of(one.year)
        yield Phrase(start=one.start, end=one.end, period=period, bare=one.bare, basis=one.basis)


def _short_months(text: str) -> Iterator[Phrase]:
    """`Aug 25`, unless that is the last day of the month."""
    for match in _SHORT_MONTH.finditer(text):
        number, year = month_in(match["month"]), year_in(match["year"])
        if number and int(match["year"]) != times.last_day(year, number).day:
            period = times.month(year, number)
            yield Phrase(start=match.start("month"), end=match.end("year"), period=period)
