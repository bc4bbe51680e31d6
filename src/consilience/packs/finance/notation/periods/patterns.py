"""How is a time written? The patterns of months, quarters, halves, days, and runs of them.

Each pattern has the name of what makes a period of it (`phrases`). Its groups are the numbers and
names that it found; a group `year` that may be empty leaves the year open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from consilience.packs.finance.notation.measures import words

NUMBERS = {
    word: number
    for number, line in enumerate(
        (
            "one un ein", "two deux zwei", "three trois drei tres tre três", "four vier", "five",
            "six sechs seis sei", "seven", "eight", "nine neuf neun nueve nove", "ten", "eleven",
            "twelve douze zwölf doce dodici", "thirteen", "fourteen",
        ),
        start=1,
    )
    for word in line.split()
}  # fmt: skip
"""Numbers in words."""
NUMBERS |= {"sixteen": 16, "twenty-six": 26, "thirty-nine": 39, "fifty-two": 52, "fifty-three": 53}
RANKS = {
    word: number
    for number, line in enumerate(
        (
            "first 1st 1. 1er 1e 1º premier primer primeiro primo erstes ersten erste",
            "second 2nd 2. 2e 2º deuxième segundo secondo zweites zweiten zweite",
            "third 3rd 3. 3e 3er 3º troisième tercer terceiro terzo drittes dritten dritte",
            "fourth 4th 4. 4e 4º quatrième cuarto quarto viertes vierten vierte",
        ),
        start=1,
    )
    for word in line.split()
}
"""Which quarter or half a word means."""


def _either(names: list[str]) -> str:
    return "(?:" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + ")"


@cache
def month_names() -> dict[str, int]:
    """The months by their names, in lower case."""
    table = words("months").items()
    return {name.casefold(): int(number) for number, names in table for name in names}


YEAR = r"(?:(?:19|20)\d\d|2100)"
"""A year of four digits."""
_YY = rf"(?:{YEAR}|'?\d\d)"
_NUMBER = rf"(?:\d{{1,2}}|{_either(list(NUMBERS))})"
_RANK = _either(list(RANKS))
_FISCAL = (
    r"(?:(?:the\s)?(?:fiscal|financial|business)(?:\syear)?\s|FY\s?'?|year\s|calendar\syear\s)?"
)
_OF = rf"[\s,.'/-]{{0,2}}(?:(?:of|in|de|des|del|di|do|for|von)\s)?{_FISCAL}"
_ORDINAL = r"(?:st|nd|rd|th|er|º|\.)?"
BEGIN = r"(?<![\w$€£¥#])(?:(?<!\d[.,/-])|(?=[^\W\d_]))"
"""No letter, digit or currency before, and nothing that ties a digit to one before."""
END = r"(?![\w%])(?![.,/]\d)"
"""No letter, digit or percent sign behind."""
_TO = r"\s?(?:-|/|to|thru|through|until|till|bis|à|a|au|al|até)\s?"
_ENDED = r"(?:ended|ending|ends|to|through|until|zum|bis(?:\szum)?|clos(?:o|ed)?(?:\sle)?)"
_UNIT = r"(?P<unit>months?|weeks?|quarters?|hal(?:f|ves)(?:[\s-]years?)?|years?|mois|Monate|Wochen)"
_YTD = r"(?:YTD|year[\s-]to[\s-]date)"


@cache
def _m() -> str:
    return _either(list(month_names())) + r"\.?"


@cache
def _only() -> str:
    return rf"(?:(?P<only>{_m()})(?:[\s,-]{{1,2}}(?P<only_year>{_YY}))?)"


@cache
def _date(year: str) -> str:
    """A day; with `?` for `year`, one that may leave its year open."""
    m = _either(list(month_names()))
    return (
        rf"(?:(?P<m>{m})\.?\s?(?P<d>\d{{1,2}}){_ORDINAL}(?:[,:\s]{{1,3}}(?P<y>{YEAR})){year}"
        rf"|(?P<dd>\d{{1,2}}){_ORDINAL}[\s-](?:of\s|de\s)?(?P<mm>{m})\.?"
        rf"(?:[,:\s-]{{1,2}}(?:de\s|del\s)?(?P<yy>{YEAR})){year}"
        rf"|(?P<dn>\d{{1,2}})\.\s?(?P<mn>\d{{1,2}})\.\s?(?P<yn>{YEAR}|\d\d)"
        rf"|(?P<ms>\d{{1,2}})/(?P<ds>\d{{1,2}})/(?P<ys>{YEAR}|\d\d)"
        rf"|(?P<yi>{YEAR})[-/.](?P<mi>\d{{2}})[-/.](?P<di>\d{{2}})"
        rf"|(?P<yr>{YEAR})\s(?P<mr>{m})\.?\s(?P<dr>\d{{1,2}}))"
    )


def _lengths() -> Iterator[tuple[str, str]]:
    """So many months or weeks up to a day, and days."""
    until = rf"(?:{_date('?')}|{_only()})"
    count = rf"(?:(?P<count>{_NUMBER})[\s-])?(?:fiscal\s|financial\s)?"
    yield "ended", rf"{count}{_UNIT}[\s-](?:period\s)?{_ENDED}\s(?:on\s|the\s)?{until}"
    twelve = r"(?:LTM|TTM|(?:last|trailing)\s(?:twelve|12)[\s-]months)"
    yield "twelve", rf"{twelve}\s(?:(?:ended|to|through)\s)?{until}"
    yield "day", _date("")
    yield "day", _date("?")
    number = rf"(?P<count>{_NUMBER})"
    yield "first_months", rf"(?P<count>3|6|9|12)[\s-]?M[\s'-]?(?:FY)?(?P<year>{_YY})"
    of_year = rf"(?:\s(?:of|in))?\s{_FISCAL}(?P<year>{YEAR})"
    yield "first_months", rf"(?:first\s)?{number}[\s-]months?{of_year}"
    yield "first_months", rf"first\s{number}\smonths(?P<year>)"


def _months() -> Iterator[tuple[str, str]]:
    """Months, and runs of months."""
    m = _m()
    run = rf"(?:{_YTD}[\s,:(/-]{{1,2}})?(?P<first>{m}){_TO}(?P<last>{m})"
    yield "month_run", rf"{run}[\s,.'/-]{{1,2}}(?:of\s|de\s)?(?P<year>{_YY})"
    yield "month_run", rf"{run}(?P<year>)"
    yield "month_run", rf"(?P<year>{YEAR})\s{run}"
    month = rf"(?P<month>{m}|\d\d?(?=[/.]))"
    year = rf"[\s,.'/-]{{1,2}}(?P<year>{_YY})"
    at = r"(?:(?:to|through|until|as of|as at|at|in|for|by)\s)?(?:(?:the\s)?end\sof\s)?"
    yield "to_date", rf"{_YTD}[\s,:(/-]{{1,2}}{at}{month}(?:{year})?"
    yield "to_date", rf"{month}{year}[\s,(/-]{{1,2}}(?:{_YTD}|cum\.|cumulative|kumuliert)"
    of = rf"[\s,.-]{{1,2}}(?:(?:of|de|del|di)\s)?{_FISCAL}"
    yield "month", rf"(?P<month>{m}){of}(?P<year>{YEAR}|'\d\d)"
    yield "month", rf"(?P<month>{m})[-'/](?P<year>\d\d)"
    yield "month", rf"(?P<year>{YEAR})[\s-]?(?P<month>{m})"
    sort = r"(?P<sort>quarter|half)"
    yield "called", rf"(?P<month>{m})\s(?P<year>{YEAR})\s{sort}"
    yield "called", rf"(?P<month>{m})\s{sort}(?:[\s,]{{1,2}}(?:of\s)?(?P<year>{YEAR}))?"
    yield "month", rf"(?P<year>{YEAR})(?:[-/]|\s?M)(?P<month>0?[1-9]|1[0-2])"
    yield "month", rf"(?P<month>0?[1-9]|1[0-2])[/.-](?P<year>{YEAR})"


def _parts() -> Iterator[tuple[str, str]]:
    """Quarters, halves, and business years over two of the calendar."""
    year = rf"{_OF}(?P<year>{_YY})"
    run = r"Q(?P<first>[1-4])\s?(?:-|to|through|bis)\s?Q(?P<last>[1-4])"
    yield "quarters", rf"{run}(?:{year})?"
    yield "part", rf"(?P<sort>[QTHS]|HY)[\s-]?(?P<number>[1-4]){year}"
    yield "part", rf"(?P<number>[1-4])(?P<sort>[QTHS]|HY){year}"
    before = rf"{_FISCAL}(?P<year>{YEAR})[\s,:/-]{{0,2}}"
    yield "part", rf"{before}(?P<sort>[QTHS]|HY)(?P<number>[1-4])"
    yield "part", rf"{before}(?P<number>[1-4])(?P<sort>[QH])"
    yield "part", r"(?P<sort>[QH])(?P<number>[1-4])(?P<year>)"
    yield "part", r"(?P<number>[1-4])(?P<sort>[QH])(?P<year>)"
    sort = (
        r"(?P<sort>quarters?|trimest(?:re|er)s?|Quartals?|hal(?:f|ves)(?:[\s-]year)?|"
        r"Halbjahre?s?|semestre)"
    )
    named = rf"(?:[,\s]{{1,2}}(?:(?:of|in|de|del|des)\s)?{_FISCAL}(?P<year>{YEAR}))?"
    yield "part", rf"(?P<rank>{_RANK})[\s-](?:fiscal\s|financial\s)?{sort}{named}"
    called = r"(?:(?:fiscal|financial|business|crop)(?:\syear)?\s|FY\s?|GJ\s?|Geschäftsjahr\s)?"
    yield "broken_year", rf"{called}(?P<year>{YEAR})\s?/\s?(?P<next>{YEAR}|\d\d)"
    yield "broken_year", rf"{called}(?P<year>{YEAR})-(?P<next>\d\d)"


@cache
def patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Every pattern with the name of what makes a period of it."""
    texts = (*_lengths(), *_months(), *_parts())
    return tuple(
        (name, re.compile(f"{BEGIN}(?:{text}){END}", re.IGNORECASE)) for name, text in texts
    )
