"""When on a day can a place be visited? By its hours; without a date, on whatever weekday it is.

A place that is open at that time on all days of the week is sure; one with closing days may be
taken where nothing else is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache

from consilience.packs.travel.atlas import Place
from consilience.packs.travel.hours import DAY, open_spans
from consilience.packs.travel.trips.types import Slot

Spans = Sequence[tuple[int, int]]
PARTS: Mapping[Slot, tuple[int, int]] = {
    "morning": (8 * 60 + 30, 12 * 60),
    "afternoon": (13 * 60 + 30, 17 * 60 + 30),
    "evening": (18 * 60 + 30, 22 * 60),
}
LATEST_END: Mapping[Slot, int] = {
    "morning": 12 * 60 + 30,
    "afternoon": 18 * 60,
    "evening": 22 * 60 + 45,
}
LONG_MIN = 225
"""A visit that takes longer runs from the morning into the afternoon."""
_LATE_OPEN = 20 * 60 + 30
_USUAL = {"activity": 120}
_UNTOLD_MIN = 60
_STEP = 5


def minutes_of(place: Place) -> int:
    """How long a visit takes; a usual time where it is not told."""
    return place.minutes or _USUAL.get(place.kind, _UNTOLD_MIN)


def takes_morning(place: Place) -> bool:
    """Whether a visit takes most of a day, and is begun in the morning only."""
    slots = place.slots
    return minutes_of(place) > LONG_MIN and "morning" in slots and "afternoon" not in slots


def open_times(hours: str, on: date | None, month: int | None) -> Spans:
    """When a place is open on a day; without one, when it is on all days of a week."""
    return open_spans(hours, on) if on else _every_day(hours, month or 6)


def some_times(hours: str, month: int | None) -> Spans:
    """When a place is open on some day of a week."""
    return _some_day(hours, month or 6)


@lru_cache(4096)
def weekdays_open(hours: str, month: int | None, begins: int, minutes: int) -> int:
    """On how many days of a week a place is open for all of a visit at a time."""
    weeks = (open_spans(hours, on) for on in _week(month or 6))
    return sum(
        any(first <= begins and begins + minutes <= last for first, last in spans)
        for spans in weeks
    )


def earliest(spans: Spans, begins: int, minutes: int) -> int | None:
    """The first time from `begins` on at which a visit fits into the hours."""
    rounded = [(-(-max(first, begins) // _STEP) * _STEP, last) for first, last in spans]
    return min((first for first, last in rounded if first + minutes <= last), default=None)


def suits_slot(place: Place, slot: Slot) -> bool:
    """Whether a place is good then; where nothing is said, by day, and late where it is open."""
    if place.slots:
        return slot in place.slots
    if slot != "evening":
        return True
    return bool(place.hours) and any(last >= _LATE_OPEN for _, last in _every_day(place.hours, 6))


def _week(month: int) -> list[date]:
    first = date(2027, month, 8)
    return [first + timedelta(days=one) for one in range(7)]


@lru_cache(4096)
def _every_day(hours: str, month: int) -> tuple[tuple[int, int], ...]:
    common: list[tuple[int, int]] = [(0, 2 * DAY)]
    for on in _week(month):
        spans = open_spans(hours, on)
        common = [
            (max(first, begin), min(last, end))
            for first, last in common
            for begin, end in spans
            if max(first, begin) < min(last, end)
        ]
    return tuple(common)


@lru_cache(4096)
def _some_day(hours: str, month: int) -> tuple[tuple[int, int], ...]:
    return tuple(dict.fromkeys(span for on in _week(month) for span in open_spans(hours, on)))
