"""When can a place be visited? On a date exactly; without one, whenever it usually is open.

Hours that are not known leave the day open, within the hours of the day; the report says so.
"""

from __future__ import annotations

from datetime import date, timedelta

from consilience.packs.travel.atlas import Place
from consilience.packs.travel.hours import open_spans
from consilience.packs.travel.itinerary import DAY_MINUTES

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
