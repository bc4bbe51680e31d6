"""On which days is the trip, as far as it is said?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from consilience.packs.travel.trips.granting.talk import Talk

_MONDAY = date(2026, 6, 1)  # a week like others, no holiday anywhere near
A_WEEK = tuple(_MONDAY + timedelta(days=one) for one in range(7))
"""A week for trips that say no date."""


def period_of(talk: Talk) -> Sequence[date]:
    """The days of the trip, or all of its month; none where neither is said."""
    wish = talk.wish
    if wish.starts_on is not None:
        return [wish.starts_on + timedelta(days=one) for one in range(wish.days)]
    if wish.month is None or talk.today is None:
        return []
    year = talk.today.year + (wish.month < talk.today.month)
    first = date(year, wish.month, 1)
    days = [first + timedelta(days=one) for one in range(31)]
    return [one for one in days if one.month == wish.month]
