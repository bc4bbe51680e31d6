"""When do connections leave? In the morning where they go then; an overnight one after dinner."""

from __future__ import annotations

from consilience.packs.travel.atlas import CHANGE_MIN, Connection
from consilience.packs.travel.trips.composing.ways import departure_span, night_departure
from consilience.packs.travel.trips.types import Leg

EARLIEST = 6 * 60
"""Nobody sets out before, by day."""
_USUAL = 8 * 60 + 30
_LATEST_ARRIVAL = 22 * 60
_FOR_DINNER = 19 * 60
"""Whoever leaves late arrives by then."""


def night_leg(way: Connection) -> Leg:
    """An overnight connection on its evening."""
    return _leg(way, night_departure(way) or _LATEST_ARRIVAL)


def day_legs(
    ways: tuple[Connection, ...], after: int = 0, *, is_early: bool = False
) -> tuple[Leg, ...]:
    """Connections one after the other, in the morning where they go then; as early as can be."""
    total = sum(one.minutes for one in ways) + CHANGE_MIN * (len(ways) - 1)
    usual = 7 * 60 if total > 360 else 8 * 60 if total > 180 else _USUAL
    begins = max(after, EARLIEST if is_early else usual)
    legs: list[Leg] = []
    for way in ways:
        left = total - sum(leg.minutes + CHANGE_MIN for leg in legs)
        may_wait = bool(legs) or after > 0
        begins = _boarding(way, begins, _LATEST_ARRIVAL - left, is_ready=not may_wait)
        legs.append(_leg(way, begins))
        begins += way.minutes + CHANGE_MIN
    return tuple(legs)


def late_departure(ways: tuple[Connection, ...]) -> int:
    """The last time to leave by day so that one arrives for dinner; 0 where there is none.

    Nor is there where one has to change.
    """
    if len(ways) != 1:
        return 0
    span = departure_span(ways[0])
    wanted = _FOR_DINNER - ways[0].minutes
    latest = min(wanted, span[1]) if span else wanted
    return latest if latest > _USUAL else 0


def _boarding(way: Connection, wanted: int, latest: int, *, is_ready: bool) -> int:
    """When a connection is boarded: as soon as it goes, earlier only where one `is_ready`."""
    span = departure_span(way)
    if span is None:
        return wanted
    first, last = span
    if last < wanted:
        return max(last, EARLIEST) if is_ready else wanted
    return max(wanted, first) if max(wanted, first) <= latest else wanted


def _leg(way: Connection, begins: int) -> Leg:
    return Leg(
        start=way.start,
        end=way.end,
        mode=way.mode,
        minutes=way.minutes,
        begins=begins,
        price=way.price,
        passage=way.passage,
        overnight=way.overnight,
    )
