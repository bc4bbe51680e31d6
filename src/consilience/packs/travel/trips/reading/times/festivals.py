"""When is a feast, this year or next? Fixed days, Easter by the calendar, others by the moon."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta

Day = Callable[[int], date]
_MONTH_OF_THE_MOON = 29.530588861  # days from one new moon to the next, on average
_A_NEW_MOON = datetime(2000, 1, 6, 18, 14)


def easter(year: int) -> date:
    """Easter Sunday, by the rule of the Gregorian calendar (Meeus)."""
    golden, century, rest = year % 19, year // 100, year % 100
    leap, left = divmod(century, 4)
    shift = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - leap - shift + 15) % 30
    quarter, days = divmod(rest, 4)
    sunday = (32 + 2 * left + 2 * quarter - epact - days) % 7
    late = (golden + 11 * epact + 22 * sunday) // 451
    month, day = divmod(epact + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def lunar_new_year(year: int) -> date:
    """The new moon between 21 January and 20 February, east of India; right within a day."""
    first = datetime(year, 1, 20, 16)
    moons = -(-(first - _A_NEW_MOON) / timedelta(days=_MONTH_OF_THE_MOON) // 1)
    moon = _A_NEW_MOON + timedelta(days=moons * _MONTH_OF_THE_MOON, hours=8)
    return moon.date()


def _thanksgiving(year: int) -> date:
    first = date(year, 11, 1)
    return first + timedelta(days=(3 - first.weekday()) % 7 + 21)


FEASTS: Mapping[str, tuple[str, Day]] = {
    r"easter": ("Easter", lambda year: easter(year) - timedelta(days=2)),
    r"christmas|xmas": ("Christmas", lambda year: date(year, 12, 23)),
    r"tet|lunar new year|chinese new year": ("the lunar new year", lunar_new_year),
    r"new year'?s?(?: eve| day)?": ("New Year", lambda year: date(year, 12, 30)),
    r"valentine'?s?(?: day)?": ("Valentine's Day", lambda year: date(year, 2, 13)),
    r"thanksgiving": ("Thanksgiving", _thanksgiving),
    r"halloween": ("Halloween", lambda year: date(year, 10, 30)),
}
"""Feasts by what people call them: a name, and the day a trip around it begins."""


def next_feast(day: Day, today: date, year: int | None = None) -> date:
    """The day in a year, or the next one that is not over."""
    if year:
        return day(year)
    return day(today.year) if day(today.year) >= today else day(today.year + 1)
