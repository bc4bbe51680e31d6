"""When is a place open? Hours in the syntax of OpenStreetMap: `Tu-Su 08:00-17:00; Mo off`."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from consilience.packs.travel.atlas import Place
from consilience.packs.travel.itinerary import DAY_MINUTES

if TYPE_CHECKING:
    from opening_hours import OpeningHours

DAY = 24 * 60


def is_hours(text: str) -> bool:
    """Whether a text is readable as opening hours."""
    return _read(text) is not None


def open_spans(hours: str, on: date) -> tuple[tuple[int, int], ...]:
    """When a place is open on a day, in minutes after midnight; past midnight counts on.

    Hours that are not given or not readable say nothing: open all day.
    """
    return _spans(hours, on) if hours else ((0, DAY),)


def is_open(hours: str, on: date, begins: int, ends: int) -> bool:
    """Whether a place is open all that time."""
    return any(first <= begins and ends <= last for first, last in open_spans(hours, on))


def closed_weekdays(hours: str) -> tuple[int, ...]:
    """The days of the week (0 is Monday) on which a place is never open, in a week like others."""
    monday = date(2026, 6, 1)  # no holiday anywhere near
    days = [monday + timedelta(days=step) for step in range(7)]
    return tuple(day.weekday() for day in days if not open_spans(hours, day))


@lru_cache(4096)
def _spans(hours: str, on: date) -> tuple[tuple[int, int], ...]:
    known = _read(hours)
    if known is None:
        return ((0, DAY),)
    from opening_hours import State  # noqa: PLC0415 - comes with an extra

    midnight = datetime.combine(on, time())
    found: list[tuple[int, int]] = []
    for begin, end, state, _ in known.intervals(midnight, midnight + timedelta(hours=30)):
        if state != State.OPEN:
            continue
        first, last = (int((at - midnight).total_seconds()) // 60 for at in (begin, end))
        if found and found[-1][1] == first:
            found[-1] = (found[-1][0], last)
        elif first < DAY and (first > 0 or begin == midnight):
            found.append((first, last))
    return tuple(found)


@lru_cache(4096)
def _read(text: str) -> OpeningHours | None:
    from opening_hours import OpeningHours, validate  # noqa: PLC0415 - comes with an extra

    return OpeningHours(text) if validate(text) else None


# --- of places ----------------------------------------


Span = tuple[int, int]
_USUAL_MONTH = 6


def usual_spans(place: Place, on: date | None, month: int | None = None) -> tuple[Span, ...]:
    """The spans in which a place is open on a day; without a date those of its open weekdays."""
    if not place.hours:
        return ((0, DAY_MINUTES),)
    if on is not None:
        return open_spans(place.hours, on)
    first = date(2027, month or _USUAL_MONTH, 8)
    every = [open_spans(place.hours, first + timedelta(days=day)) for day in range(7)]
    shared: tuple[Span, ...] | None = None
    for spans in every:
        if spans:
            shared = spans if shared is None else _both(shared, spans)
    return shared or ()


def closed_days(place: Place, month: int | None = None) -> tuple[int, ...]:
    """The days of the week (0 is Monday) on which a place is closed."""
    if not place.hours:
        return ()
    first = date(2027, month or _USUAL_MONTH, 8)
    days = [first + timedelta(days=day) for day in range(7)]
    return tuple(sorted(on.weekday() for on in days if not open_spans(place.hours, on)))


def overlap(one: Span, other: Span) -> int:
    """How many minutes two spans share."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _both(some: tuple[Span, ...], others: tuple[Span, ...]) -> tuple[Span, ...]:
    shared = [(max(one[0], other[0]), min(one[1], other[1])) for one in some for other in others]
    return tuple(span for span in shared if span[0] < span[1])
