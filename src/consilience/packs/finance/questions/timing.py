"""Which times does a question ask for, and does it mean all that lies between them?

The words are read by `periods`; questions also put runs of times in ways of their own: "2019-2021",
"between May and August 2025", "the last five years", "since 2020".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from consilience.packs.finance.data_model import Period
from consilience.packs.finance.notation.periods import (
    Spoken,
    before,
    month,
    quarter,
    read_periods,
    year_of,
)
from consilience.packs.finance.notation.periods.phrases import month_in
from consilience.packs.finance.notation.periods.times import inside
from consilience.packs.finance.questions.operations import Bound, Operation
from consilience.packs.finance.questions.stretches import counted, elided, seasons

_Y = r"(?:19|20)\d\d"
_WORD = r"[^\W\d_]{3,10}\.?"
_RUN = re.compile(rf"(?<![\w.,/-])(?P<first>{_Y})\s?[-–—/]\s?(?P<last>{_Y})(?![\w%/-]|[.,]\d)")
_THROUGHOUT = re.compile(rf"(?i)\b(?:over|throughout)\s(?P<year>{_Y})(?![\w%/-]|[.,]\d)")
_BETWEEN = re.compile(
    rf"(?i)\b(?:between|from)\s(?P<first>{_WORD})\s(?:and|to)\s(?P<last>{_WORD})\s(?P<year>{_Y})\b"
)
_MONTHS = re.compile(rf"(?i){_WORD}\s*(?:to|until|through|thru|till|bis|[-–—])\s*{_WORD}(?:\W|$)")
_QUARTERS = re.compile(r"(?i)Q[1-4]\s?(?:to|until|through|thru|till|bis|[-–—])\s?Q[1-4](?:\W|$)")
_STRETCH = re.compile(f"{_MONTHS.pattern}|{_QUARTERS.pattern.removeprefix('(?i)')}")
_SINCE = re.compile(r"(?i)\bsince\s+(?:the\s+|fiscal\s+|year\s+)*$")
_TO = re.compile(
    r"(?i)\s*,?\s*(?:(?:right |all the way |on )?(?:to|through(?: to)?|thru|until|up until|till|"
    r"up to(?: and including)?)|bis(?: einschließlich)?|and (?:on )?(?:to|up to|until)|[-–—])\s*"
    r"(?:the\s|fiscal\s|financial\s|full\s|end\sof\s|years?\s|months?\s(?:of\s)?)*"
)
_OPENS = re.compile(
    r"(?i)\b(?:starting|beginning|commencing|from|since|ab|seit|von)(?: in| with| at| on| from)?"
    r"(?: the)?(?: end of| start of| beginning of| month of)?\s*$"
)
_CLOSES = re.compile(
    r"(?i)\b(?:ending|finishing|closing|up to(?: and including)?|until|till|through(?: to)?|to|bis)"
    r"(?: in| with| at| on)?(?: the)?(?: end of| month of)?\s*$"
)
_DUE = re.compile(
    rf"(?i)\b(?:due|matur(?:e|es|ed|ing)|repa(?:id|yable)|expir(?:e|es|ing)|fällig(?:e[nrs]?)?)"
    rf"(?: for repayment)?(?: by| in| on| during| until)?\s+{_Y}"
    rf"(?:(?:,| and| or| to|,? plus)\s?{_Y})*"
)
_PAPER = (
    r"(?:(?:annual|yearly|monthly|quarterly|half-?yearly|interim|financial|management|full-year|"
    r"year-end|latest) )*(?:reports?|reporting|accounts|filings?|issues?|editions?|updates?|"
    r"statements?|publications?|monatsberichts?|quartalsberichts?|geschäftsberichts?|berichts?)"
)
_MONTHLY = re.compile(rf"\b(?P<month>[A-Z][^\W\d_]{{2,9}})(?:['’]s)? (?i:{_PAPER})\b")
_REPORTED = re.compile(
    rf"(?i)(?:['’]s)?[ -]{_PAPER}\b|\s(?:and|to|und|bis|or|vs\.?|versus)\s(?:the |its |that of )?"
)
_REPORTING = re.compile(rf"(?i)\b{_PAPER} (?:for|of|from|dated|as of|vom|für|zum)?(?: the)?\s*$")
_JOINTS = frozenset({"and", "to", "und", "bis", "or", "vs", "vs.", "versus"})
_A_MONTH = 28
_STEP = re.compile(
    r"(?i)\b(?P<unit>month|quarter)[ -]o(?:n|ver)[ -](?:month|quarter)\b|"
    r"\b(?P<short>mom|qoq|m/m|q/q)\b"
)
_SHORT = {"m": "month", "q": "quarter"}


def times_in(text: str, near: Period | None, bound: Bound | None) -> list[Spoken]:
    """The times of a question; what bounds a figure is none, and neither is a basis alone."""
    found = [
        one
        for one in read_periods(text, near=near)
        if one.period and (one.basis is None or re.search(r"\d", text[one.start : one.end]))
    ]
    found += [one for one in _runs(text) if not _is_read(one, found)]
    found += [one for one in elided(text, found) if not _is_read(one, found)]
    if parts := list(seasons(text)):  # unless its months are named, too
        months = any(one.period and one.period.kind == "month" for one in found)
        found = found if months else [*(one for one in found if not _is_read(one, parts)), *parts]
    return [
        one
        for one in sorted(found, key=lambda one: one.start)
        if bound is None or one.end <= bound.start or bound.end <= one.start
    ]


def due_in(text: str, spoken: Sequence[Spoken]) -> list[Spoken]:
    """The years in which something falls due: no time that a figure is for, but its column."""
    spans = [match.span() for match in _DUE.finditer(text)]
    return [
        one
        for one in spoken
        if one.period
        and one.period.kind == "year"
        and any(start < one.start and one.end <= end for start, end in spans)
    ]


def times_and_reports(
    text: str, near: Period | None, bound: Bound | None
) -> tuple[list[Spoken], list[Spoken]]:
    """The times that figures are asked for, and those of the reports that they are to stand in.

    "The forecast for 2025 in the August report"; a lone time is that of the figure, too.
    """
    found = times_in(text, near, bound)
    lone = [one for one in _lone_months(text, near) if not _is_read(one, found)]
    found = sorted((*found, *lone), key=lambda one: one.start)
    reports = _reports(text, found)
    if not reports:
        return found, []
    letters = list(text)
    for one in reports:
        letters[one.start : one.end] = " " * (one.end - one.start)
    others = times_in("".join(letters), near, bound)
    return (others, reports) if others else (found, [])


def _is_read(one: Spoken, found: Sequence[Spoken]) -> bool:
    return any(one.start < other.end and other.start < one.end for other in found)


def _lone_months(text: str, near: Period | None) -> Iterator[Spoken]:
    """Months before the word for a report, also those that are common words: the May report."""
    for match in _MONTHLY.finditer(text) if near else ():
        number = month_in(match["month"])
        if number and near:
            at = near.year if number <= near.end.month else near.year - 1
            start, end = match.span("month")
            yield Spoken(period=month(at, number), start=start, end=end)


def _reports(text: str, spoken: Sequence[Spoken]) -> list[Spoken]:
    """The times that say which report is meant, each or several of them together."""
    found: list[Spoken] = []
    for one in reversed(spoken):
        behind = _REPORTED.match(text, one.end)
        listed = bool(found) and behind is not None and behind.end() == found[-1].start
        named = behind is not None and behind[0].split()[0].casefold() not in _JOINTS
        if named or listed or _REPORTING.search(text[: one.start]):
            found.append(one)
    return found[::-1]


def periods_of(text: str, spoken: Sequence[Spoken], near: Period | None) -> tuple[Period, ...]:
    """The periods of a question: of a number of them, or since a time, the first and the last."""
    periods = tuple(dict.fromkeys(one.period for one in spoken if one.period))
    if len(periods) == 1 and (step := _STEP.search(text)):
        unit = (step["unit"] or _SHORT[step["short"][0].lower()]).lower()
        return (before(periods[0]), *periods) if periods[0].kind == unit else periods
    if near is None or len(periods) > 1:
        return periods
    if stretch := counted(text, spoken, near):
        return stretch
    if periods and _SINCE.search(text[: spoken[0].start]):
        last = inside(periods[0].kind, near)
        if last and last.kind == "year" and near.kind != "year" and last.end > near.end:
            last = before(last)  # a year that is not over has no figures of its own
        return (*periods, last) if last and last.end > periods[0].end else periods
    return periods


def parted(text: str, spoken: Sequence[Spoken], periods: tuple[Period, ...]) -> tuple[Period, ...]:
    """The first and the last month or quarter, where one time is said by both: May to August."""
    if len(periods) != 1 or len(spoken) != 1 or periods[0].kind in ("month", "day"):
        return periods
    first, last = periods[0].start, periods[0].end
    if _QUARTERS.match(text, spoken[0].start, spoken[0].end):
        return quarter(first.year, first.month // 3 + 1), quarter(last.year, last.month // 3)
    if (
        first.day != 1
        or periods[0].kind == "year"
        or not _MONTHS.match(text, spoken[0].start, spoken[0].end)
    ):
        return periods
    return month(first.year, first.month), month(last.year, last.month)


def is_stretch(text: str, spoken: Sequence[Spoken], periods: Sequence[Period]) -> bool:
    """Whether one time is said by its first and its last month, and is no part of a year that
    reports have figures for: from September to December 2025.
    """
    if len(spoken) != 1 or len(periods) != 1:
        return False
    whole = (periods[0].start.month, periods[0].end.month) == (1, 12)
    form = _QUARTERS if whole else _STRETCH
    said = form.match(text, spoken[0].start, spoken[0].end) is not None
    return said and (whole or periods[0].kind == "span")


def is_range(
    text: str,
    spoken: Sequence[Spoken],
    periods: Sequence[Period],
    operation: Operation | None,
) -> bool:
    """Whether all the time between the first and the last is meant: from 2019 to 2023."""
    if operation in ("difference", "growth", "compare"):
        return False
    if any(one.role for one in spoken) or len(periods) > max(len(spoken), 1):
        return True
    if len(spoken) != 2:
        return operation == "trend" and bool(spoken)
    joint = text[spoken[0].end : spoken[1].start]
    return operation == "trend" or bool(_TO.fullmatch(joint)) or _is_edged(text, spoken)


def _is_edged(text: str, spoken: Sequence[Spoken]) -> bool:
    """Whether one of two times opens a range and the other closes it, in whichever order."""
    before = [text[: one.start] for one in spoken]
    return any(
        _OPENS.search(first) is not None and _CLOSES.search(last) is not None
        for first, last in (before, before[::-1])
    )


def is_run(text: str, spoken: Sequence[Spoken], periods: Sequence[Period]) -> bool:
    """Whether a range has times between its first and its last: 2020 to 2024, not 2023 to 2024."""
    if len(periods) < 2 or not is_range(text, spoken, periods, None):
        return False
    first, last = min(periods, key=lambda one: one.end), max(periods, key=lambda one: one.end)
    return (last.end - first.end).days > 1.5 * max((first.end - first.start).days, _A_MONTH)


def _runs(text: str) -> Iterator[Spoken]:
    """Times that only a question puts so."""
    for match in _RUN.finditer(text):
        first, last = year_of(int(match["first"])), year_of(int(match["last"]))
        start, end = match.span("first")
        yield Spoken(period=first, start=start, end=end, role="from")
        start, end = match.span("last")
        yield Spoken(period=last, start=start, end=end, role="to")
    for match in _THROUGHOUT.finditer(text):
        start, end = match.span("year")
        yield Spoken(period=year_of(int(match["year"])), start=start, end=end)
    for match in _BETWEEN.finditer(text):
        number = month_in(match["first"])
        if number and month_in(match["last"]):
            start, end = match.span("first")
            period = month(int(match["year"]), number)
            yield Spoken(period=period, start=start, end=end, role="from")
