"""Which stretch of time does a question mean by a number of months, or by a season?

"The last five years", "the three months before September 2025", "the two quarters after Q1 2024",
"summer 2025": each is a first and a last time, and all that lies between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from consilience.packs.finance.data_model import Kind, Period
from consilience.packs.finance.notation.periods import Spoken, after, before, half, month, quarter
from consilience.packs.finance.notation.periods.times import inside
from consilience.packs.finance.questions.operations import NUMBERS

MOST = 60
"""Times that a stretch may have."""
_ZAHLEN = ("ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn")
_COUNT = rf"(?P<number>\d{{1,2}}|{'|'.join((*NUMBERS, *_ZAHLEN[1:]))})"
_SORT = r"(?:fiscal\s+|full\s+|business\s+|financial\s+|complete\s+|closed\s+)?"
_UNIT = r"(?P<unit>year|quarter|month)s"
_EINHEIT = r"(?P<unit>jahr|quartal|monat)e[n]?"
_VIEW = (
    r"(?:views?|histor\w+|summar\w+|overviews?|records?|trends?|development|evolution|series|"
    r"comparison|picture|path|trajectory|figures|numbers|run|review|perspective|look|course|table)"
)
_STRETCHES = tuple(
    re.compile(rf"(?i)\b{way}\b")
    for way in (
        rf"(?:last|past|previous|latest|recent|preceding|closing|final)\s+{_COUNT}\s+{_SORT}{_UNIT}",
        rf"(?:all|these|those|over|across|for|in|of)\s+(?:the\s+)?{_COUNT}\s+{_SORT}{_UNIT}",
        rf"{_COUNT}[ -](?P<unit>year|quarter|month)s?(?:['’]s?)?[ -](?:\w+ )?{_VIEW}",
        rf"(?:letzten|vergangenen|vorigen)\s+{_COUNT}\s+(?:\w+\s+)?{_EINHEIT}",
    )
)
_BESIDE = re.compile(
    rf"(?i)\b{_COUNT}\s+(?:\w+\s+)?(?P<unit>year|quarter|month|jahr|quartal|monat)(?:s|en|e)\s+"
    r"(?P<side>(?:right\s|just\s|immediately\s)?(?:up\s+to(?:\s+and\s+including)?|leading\s+up\s+to|"
    r"until|through(?:\s+to)?|to|ending(?:\s+(?:in|with|on))?|bis|before|prior\s+to|preceding|"
    r"ahead\s+of|vor|from|starting(?:\s+(?:in|with|from))?|beginning(?:\s+(?:in|with))?|ab|"
    r"after|following|nach))\s+(?:the\s+|dem\s+|der\s+)?$"
)
_EARLIER = ("before", "prior", "preceding", "ahead", "vor")
_LATER = ("after", "following", "nach")
_FORWARD = ("from", "starting", "beginning", "ab", *_LATER)
_UNITS: dict[str, Kind] = {"year": "year", "quarter": "quarter", "month": "month"}
_UNITS |= {"jahr": "year", "quartal": "quarter", "monat": "month"}
_SEASON = re.compile(
    r"(?i)\b(?P<season>spring|summer|autumn|frühjahr|frühling|sommer|herbst)"
    r"(?:\smonths)?(?:\sof|\sin)?\s(?P<year>(?:19|20)\d\d)(?![\w%/-]|[.,]\d)"
)
_RANKS = ("first", "second", "third", "fourth")
_GERMAN_RANKS = ("ersten", "zweiten", "dritten", "vierten")
_RANK = rf"(?P<rank>{'|'.join((*_RANKS, *_GERMAN_RANKS))})"
_ELIDED = re.compile(
    r"(?i)\b(?:than|from|to|and|or|over|against|versus|vs\.?|with|exceeds?|beat|als|gegenüber|und)\s"
    rf"(?:(?:in|for|of|that of|those of|during)\s)?(?:the|im|dem|das)\s{_RANK}(?: one)?"
    r"(?=\W*$|\s?[,;:)?]|\s(?:of|in) (?:that|the same) year)"
)
_BEFORE = re.compile(
    rf"(?i)\b(?:the|im|dem)\s{_RANK}\s(?:and|or|to|versus|vs\.?|over|against|und|bis)\s"
    r"(?:(?:in|im|dem)\s)?(?:the\s)?$"
)
_BEGINS = {"spring": 3, "summer": 6, "autumn": 9, "frühjahr": 3, "frühling": 3}
_BEGINS |= {"sommer": 6, "herbst": 9}


def counted(text: str, spoken: Sequence[Spoken], near: Period) -> tuple[Period, ...]:
    """The first and the last of a number of times, beside the one that is named, else up to
    `near`; none where a question counts none.
    """
    named = [one for one in spoken if one.period]
    beside = _BESIDE.search(text, 0, named[0].start) if named else None
    if beside and named[0].period:
        return _beside(beside, named[0].period)
    for way in _STRETCHES:
        said = way.search(text)
        if said and not (named and way is _STRETCHES[1]):
            return _up_to(said, (named[0].period if named else None) or near)
    return ()


def seasons(text: str) -> Iterator[Spoken]:
    """The first and the last month of a season of a year: the summer of 2025."""
    for match in _SEASON.finditer(text):
        first, year = _BEGINS[match["season"].lower()], int(match["year"])
        start, end = match.span()
        middle = match.end("season")
        yield Spoken(period=month(year, first), start=start, end=middle, role="from")
        yield Spoken(period=month(year, first + 2), start=middle, end=end, role="to")


def elided(text: str, found: Sequence[Spoken]) -> Iterator[Spoken]:
    """Quarters and halves that are named by their rank alone, beside another: higher in the fourth
    quarter of 2024 than in the first.
    """
    for one in found:
        if one.period is None or one.period.kind not in ("quarter", "half"):
            continue
        for match in (_BEFORE.search(text, 0, one.start), _ELIDED.search(text, one.end)):
            period = _ranked(match["rank"].lower(), one.period) if match else None
            if match and period and period != one.period:
                start, end = match.span("rank")
                yield Spoken(period=period, start=start, end=end)


def _ranked(rank: str, beside: Period) -> Period | None:
    """The quarter or half of so much in the year of another."""
    number = (_RANKS if rank in _RANKS else _GERMAN_RANKS).index(rank) + 1
    if beside.kind == "quarter":
        return quarter(beside.year, number)
    return half(beside.year, number) if number <= 2 else None


def _up_to(said: re.Match[str], until: Period) -> tuple[Period, ...]:
    kind = _UNITS[said["unit"].lower()]
    last = until if until.kind == kind else inside(kind, until)
    if last and kind == "year" and last.end > until.end:
        last = before(last)  # a year that is not over has no figures of its own
    return _stretch(said, last, forward=False)


def _beside(said: re.Match[str], named: Period) -> tuple[Period, ...]:
    """So many times up to one, before it, from it on, or after it."""
    kind, side = _UNITS[said["unit"].lower()], said["side"].lower().split()
    at = named if named.kind == kind else inside(kind, named)
    if at and any(one in _EARLIER for one in side):
        at = before(at)
    if at and any(one in _LATER for one in side):
        at = after(at)
    return _stretch(said, at, forward=any(one in _FORWARD for one in side))


def _stretch(said: re.Match[str], at: Period | None, *, forward: bool) -> tuple[Period, ...]:
    number = said["number"].lower()
    names = _ZAHLEN if number in _ZAHLEN else NUMBERS
    count = int(number) if number.isdecimal() else names.index(number) + 1
    if at is None or not 1 < count <= MOST:
        return ()
    other = at
    for _ in range(count - 1):
        other = after(other) if forward else before(other)
    return (at, other) if forward else (other, at)
