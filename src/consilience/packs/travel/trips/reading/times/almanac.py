"""Which day is meant by its name: a date in words, a month, a day of the week?"""

from __future__ import annotations

import re
from datetime import date

_NAMES = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)s?\b"
)
DAY = rf"(?:{WEEKDAY},? )?(?:the )?(?P<day{{0}}>[0-3]?\d)(?:st|nd|rd|th)?"
YEAR = r"(?:,? ?(?P<year{0}>20\d\d))?"


def a_date(number: str = "") -> str:
    """A day and a month in either order, a year behind."""
    return (
        rf"(?:{DAY.format(number + 'a')}(?: of)? (?P<month{number}a>{MONTH})"
        rf"{YEAR.format(number + 'a')}|(?P<month{number}b>{MONTH}) {DAY.format(number + 'b')}"
        rf"(?!\d|:){YEAR.format(number + 'b')})"
    )


def month_number(name: str) -> int:
    """The number of a month by its name or the beginning of it."""
    return _NAMES.index(name[:3].casefold()) + 1


def next_day(today: date, month: int, day: int, year: str | None = None) -> date | None:
    """A day in that year, or the next such day; None for one that no month has."""
    try:
        if year:
            return date(int(year) + (2000 if len(year) == 2 else 0), month, day)
        found = date(today.year, month, day)
        return found if found >= today else date(today.year + 1, month, day)
    except ValueError:
        return None


def weekday_number(name: str) -> int:
    """The number of a day of the week by its name or the beginning of it; 0 is Monday."""
    return next(i for i, one in enumerate(_WEEKDAYS) if one.startswith(name[:3].casefold()))


_A_DAY = re.compile(
    rf"\s*(?:(?P<weekday>{WEEKDAY}),?\s*(?:the |on )?)?(?P<date>{a_date()})?", re.IGNORECASE
)


def day_at(text: str, start: int, today: date) -> tuple[int, date | None, int] | None:
    """The day of the week that a text tells at a place of it, the date if told, and its end."""
    match = _A_DAY.match(text, start)
    if match is None or not (match["weekday"] or match["date"]):
        return None
    found = date_of(match, today) if match["date"] else None
    if match["weekday"]:
        return weekday_number(match["weekday"]), found, match.end()
    return (found.weekday(), found, match.end()) if found else None


def date_of(
    match: re.Match[str], today: date, which: str = "", year: str | None = None
) -> date | None:
    """The day that a form of `a_date` tells, in its own year or else in `year`."""
    side = "a" if match[f"month{which}a"] else "b"
    own = match[f"year{which}{side}"]
    month, day = month_number(match[f"month{which}{side}"]), int(match[f"day{which}{side}"])
    return next_day(today, month, day, own or year)
