"""Which days is a period made of, which one comes before it, and how near are two?"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

from consilience.packs.finance.data_model import Basis, Kind, Period

EARLIEST, LATEST = 1900, 2100
"""The years that a number of four digits may mean."""
_FIRST = ("January", "February", "March", "April", "May", "June", "July", "August")
_MONTHS = (*_FIRST, "September", "October", "November", "December")
_KINDS: dict[int, Kind] = {1: "month", 3: "quarter", 6: "half", 12: "year"}
_COUNTS = {3: "three", 6: "six", 9: "nine", 12: "twelve"}
_LENGTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12}
_MOST = 400  # periods in a range


def last_day(year: int, month: int) -> date:
    """The last day of a month."""
    return date(year, month, monthrange(year, month)[1])


def moved(at: date, months: int) -> date:
    """A day some months later or earlier; the last of a month stays the last of one."""
    years, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    year = min(max(years, 2), 9998)
    last = last_day(year, month + 1)
    is_last = at == last_day(at.year, at.month)
    return last if is_last or at.day > last.day else date(year, month + 1, at.day)


def counted(end: date) -> int:
    """The year that a period with this last day is counted to; weeks may end some days later."""
    return (end - timedelta(days=7)).year


def day(at: date) -> Period:
    """The day of a balance."""
    return Period(kind="day", start=at, end=at, year=at.year)


def months(count: int, end: date) -> Period:
    """Some months up to a day."""
    start = moved(end, -count) + timedelta(days=1)
    return of_days(start, end, _KINDS.get(count))


def weeks(count: int, end: date) -> Period:
    """Some weeks up to a day: 52 are a year, 13 a quarter."""
    kinds: dict[int, Kind] = {4: "month", 5: "month", 12: "quarter", 13: "quarter", 14: "quarter"}
    kinds |= {26: "half", 27: "half", 52: "year", 53: "year"}
    return of_days(end - timedelta(days=7 * count - 1), end, kinds.get(count))


def of_days(start: date, end: date, kind: Kind | None = None) -> Period:
    """The period between two days: a year to date where it begins with the year, else a span."""
    if kind is None:
        first = abs((start - date(counted(end), 1, 1)).days) <= 7
        kind = "ytd" if first and end > start else "span"
    return Period(kind=kind, start=start, end=end, year=counted(end))


def month(year: int, number: int) -> Period:
    """A month of the calendar."""
    return months(1, last_day(year, number))


def quarter(year: int, number: int) -> Period:
    """A quarter of the calendar."""
    return months(3, last_day(year, number * 3))


def half(year: int, number: int) -> Period:
    """A half of the calendar year."""
    return months(6, last_day(year, number * 6))


def year_of(year: int) -> Period:
    """A year of the calendar."""
    return Period(kind="year", start=date(year, 1, 1), end=date(year, 12, 31), year=year)


def broken_year(year: int) -> Period:
    """A business year over two of the calendar (`2018/19` is 2019), as if from July."""
    return Period(kind="year", start=date(year - 1, 7, 1), end=date(year, 6, 30), year=year)


def to_date(year: int, number: int) -> Period:
    """A year from its beginning to the end of one of its months."""
    end = last_day(year, number)
    return Period(kind="ytd", start=date(year, 1, 1), end=end, year=year)


def month_run(year: int, first: int, last: int) -> Period:
    """From one month to another: `January to August`; a run over the year's end ends in `year`."""
    if first == 1:
        return to_date(year, last) if last > 1 else month(year, 1)
    count = (last - first) % 12 + 1
    fits = count in _KINDS and (first - 1) % count == 0
    start = date(year if first <= last else year - 1, first, 1)
    return of_days(start, last_day(year, last), _KINDS[count] if fits else "span")


def shifted(period: Period, years: int) -> Period:
    """The same time some years later (or, with a negative number, earlier)."""
    start = moved(period.start, 12 * years)
    if period.start.day == 1 or period.kind != "day":
        start = moved(period.start - timedelta(days=1), 12 * years) + timedelta(days=1)
    end = moved(period.end, 12 * years)
    return replace(
        period, start=end if period.kind == "day" else start, end=end, year=period.year + years
    )


def before(period: Period) -> Period:
    """The previous period of its kind; of a day and of a year to date, the one a year before."""
    return _next(period, -1)


def after(period: Period) -> Period:
    """The next period of its kind; of a day and of a year to date, the one a year later."""
    return _next(period, 1)


def _next(period: Period, step: int) -> Period:
    count = _LENGTHS.get(period.kind)
    if count is None or period.kind == "year":
        return shifted(period, step)
    end = moved(period.end, count * step)
    start = moved(period.start - timedelta(days=1), count * step) + timedelta(days=1)
    return replace(period, start=start, end=end, year=counted(end))


def through(first: Period, last: Period) -> tuple[Period, ...]:
    """All periods from one to another of its kind, both included; the two where they differ."""
    first, last = sorted((first, last), key=lambda one: one.end)
    if first.kind != last.kind or first.kind in {"span"}:
        return (first, last)
    found = list(_until(first, last))
    return (*found[:-1], last) if found and found[-1].key == last.key else (first, last)


def _until(first: Period, last: Period) -> Iterator[Period]:
    for _ in range(_MOST):
        yield first
        if first.end >= last.end:
            return
        first = after(first)


def inside(kind: Kind, near: Period) -> Period | None:
    """The month, quarter, half, year or year to date that a report for a time speaks of.

    A report for a year speaks of no one part of it.
    """
    year, at = near.year, (near.end - timedelta(days=7 if near.kind != "day" else 0))
    made = {
        "month": lambda: month(at.year, at.month),
        "quarter": lambda: quarter(at.year, (at.month + 2) // 3),
        "half": lambda: half(at.year, 1 if at.month <= 6 else 2),
        "ytd": lambda: to_date(at.year, at.month),
        "day": lambda: day(near.end),
    }
    if kind == near.kind:
        return near
    if kind == "year":
        return year_of(year)
    if near.kind == "year" and kind != "day":
        return None
    return made[kind]() if kind in made else None


def closeness(asked: Period, held: Period) -> float:
    """How well a period that is held is the one that is asked for: 1 the same, 0 another.

    A balance of a day is that of the month, quarter, half or year that ends with it, and the
    other way round. The day on which a business year ends may be any.
    """
    if asked.key == held.key:
        return 1.0
    if (asked.start, asked.end) == (held.start, held.end):
        return 0.98
    if "day" in {asked.kind, held.kind} and asked.kind != held.kind:
        return _by_day(asked, held)
    return 0.0


def _by_day(asked: Period, held: Period) -> float:
    at, over = (asked, held) if asked.kind == "day" else (held, asked)
    if abs((at.end - over.end).days) <= 3:
        return {"month": 0.95, "quarter": 0.93, "half": 0.92, "year": 0.9}.get(over.kind, 0.85)
    is_last = at.end == last_day(at.end.year, at.end.month)
    return 0.4 if over.kind == "year" and at.year == over.year and is_last else 0.0


def told(period: Period, basis: Basis | None = None) -> str:
    """A period for people: `August 2025`, `Q3 2025`, `31 December 2019`, `January–August 2025`."""
    text = _told(period)
    return f"{text}, {basis}" if basis and basis != "actual" else text


def told_day(at: date) -> str:
    """A day for people: `31 December 2019`."""
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


def _told(period: Period) -> str:
    end = period.end
    if period.kind == "day":
        return told_day(end)
    if period.kind == "ytd" and period == to_date(end.year, end.month) and end.month > 1:
        return f"January–{_MONTHS[end.month - 1]} {end.year}"
    if period.kind == "year":
        plain = period == year_of(period.year)
        return f"{period.year}" if plain else f"year ended {told_day(end)}"
    named = {"month": f"{_MONTHS[end.month - 1]} {end.year}"}
    named["quarter"] = f"Q{(end.month + 2) // 3} {end.year}"
    named["half"] = f"H{1 if end.month <= 6 else 2} {end.year}"
    count = _LENGTHS.get(period.kind, 0)
    if count and period == months(count, last_day(end.year, -(-end.month // count) * count)):
        return named[period.kind]
    return _told_long(period)


def _told_long(period: Period) -> str:
    """A period that has no name of its own, by its length and its last day."""
    start, end = period.start, period.end
    last = start - timedelta(days=1)
    count = _LENGTHS.get(period.kind) or (end.year - last.year) * 12 + end.month - last.month
    if count and period == months(count, end):
        return f"{_COUNTS.get(count, count)} months ended {told_day(end)}"
    days = (end - start).days + 1
    if days % 7 == 0 and days < 400:
        return f"{days // 7} weeks ended {told_day(end)}"
    return f"{told_day(start)} to {told_day(end)}"
