"""Which times does a question ask for, and does it mean all that lies between them?

The words are read by `periods`; questions also put runs of times in ways of their own: "2019-2021",
"between May and August 2025", "the last five years", "since 2020".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from consilience.packs.finance.notation.periods import Spoken, before, month, read_periods, year_of
from consilience.packs.finance.notation.periods.phrases import month_in
from consilience.packs.finance.notation.periods.times import inside
from consilience.packs.finance.questions.operations import NUMBERS, Bound, Operation
from consilience.packs.finance.shapes import Kind, Period

_Y = r"(?:19|20)\d\d"
_WORD = r"[^\W\d_]{3,10}\.?"
_RUN = re.compile(rf"(?<![\w.,/-])(?P<first>{_Y})\s?[-–—/]\s?(?P<last>{_Y})(?![\w%/-]|[.,]\d)")
_THROUGHOUT = re.compile(rf"(?i)\b(?:over|throughout)\s(?P<year>{_Y})(?![\w%/-]|[.,]\d)")
_BETWEEN = re.compile(
    rf"(?i)\b(?:between|from)\s(?P<first>{_WORD})\s(?:and|to)\s(?P<last>{_WORD})\s(?P<year>{_Y})\b"
)
_MONTHS = re.compile(rf"(?i){_WORD}\s*(?:to|until|through|till|[-–—])\s*{_WORD}(?:\W|$)")
_LAST = re.compile(
    rf"(?i)\b(?:last|past|previous)\s+(?P<number>\d{{1,2}}|{'|'.join(NUMBERS)})\s+(?:fiscal\s+)?"
    r"(?P<unit>year|quarter|month)s\b"
)
_SINCE = re.compile(r"(?i)\bsince\s+(?:the\s+|fiscal\s+|year\s+)*$")
_TO = re.compile(
    r"(?i)\s*,?\s*(?:to|through|thru|until|till|up to|[-–—])\s*"
    r"(?:the\s|fiscal\s|financial\s|full\s|end\sof\s|years?\s)*"
)
_A_MONTH = 28
_STEP = re.compile(
    r"(?i)\b(?P<unit>month|quarter)[ -]o(?:n|ver)[ -](?:month|quarter)\b|"
    r"\b(?P<short>mom|qoq|m/m|q/q)\b"
)
_SHORT = {"m": "month", "q": "quarter"}
_UNITS: dict[str, Kind] = {"year": "year", "quarter": "quarter", "month": "month"}


def times_in(text: str, near: Period | None, bound: Bound | None) -> list[Spoken]:
    """The times of a question; what bounds a figure is none, and neither is a basis alone."""
    found = [
        one
        for one in read_periods(text, near=near)
        if one.period and (one.basis is None or re.search(r"\d", text[one.start : one.end]))
    ]
    found += [
        one
        for one in _runs(text)
        if not any(one.start < other.end and other.start < one.end for other in found)
    ]
    return [
        one
        for one in sorted(found, key=lambda one: one.start)
        if bound is None or one.end <= bound.start or bound.end <= one.start
    ]


def periods_of(text: str, spoken: Sequence[Spoken], near: Period | None) -> tuple[Period, ...]:
    """The periods of a question: of a number of them, or since a time, the first and the last."""
    periods = tuple(dict.fromkeys(one.period for one in spoken if one.period))
    if len(periods) == 1 and (step := _STEP.search(text)):
        unit = (step["unit"] or _SHORT[step["short"][0].lower()]).lower()
        return (before(periods[0]), *periods) if periods[0].kind == unit else periods
    if near is None or len(periods) > 1:
        return periods
    counted = _LAST.search(text)
    if counted:
        return _counted(counted, periods[0] if periods else near) or periods
    if periods and _SINCE.search(text[: spoken[0].start]):
        last = inside(periods[0].kind, near)
        if last and last.kind == "year" and near.kind != "year" and last.end > near.end:
            last = before(last)  # a year that is not over has no figures of its own
        return (*periods, last) if last and last.end > periods[0].end else periods
    return periods


def parted(text: str, spoken: Sequence[Spoken], periods: tuple[Period, ...]) -> tuple[Period, ...]:
    """The first and the last month, where one time is said by both: from May to August 2025."""
    if len(periods) != 1 or len(spoken) != 1 or periods[0].kind in ("month", "day", "year"):
        return periods
    first, last = periods[0].start, periods[0].end
    if first.day != 1 or not _MONTHS.match(text, spoken[0].start, spoken[0].end):
        return periods
    return month(first.year, first.month), month(last.year, last.month)


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
    return operation == "trend" or bool(_TO.fullmatch(joint))


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


def _counted(said: re.Match[str], until: Period) -> tuple[Period, ...]:
    """The first and the last of a number of periods up to one: the last five years."""
    kind, number = _UNITS[said["unit"].lower()], said["number"].lower()
    last = until if until.kind == kind else inside(kind, until)
    count = int(number) if number.isdecimal() else NUMBERS.index(number) + 1
    if last is None or not 1 < count <= 60:
        return ()
    first = last
    for _ in range(count - 1):
        first = before(first)
    return first, last
