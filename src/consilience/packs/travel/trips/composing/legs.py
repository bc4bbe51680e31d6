"""When do connections leave? In the morning where they go then; an overnight one after dinner."""

from __future__ import annotations

from consilience.packs.travel.atlas import CHANGE_MIN, Connection
from consilience.packs.travel.trips.composing.ways import departure_span, night_departure
from consilience.packs.travel.trips.types import Leg

EARLIEST = 6 * 60
"""Nobody sets out before, by day."""
_LATEST_ARRIVAL = 22 * 60


def night_leg(way: Connection) -> Leg:
    """An overnight connection on its evening."""
    return _leg(way, night_departure(way) or _LATEST_ARRIVAL)


def day_legs(
    ways: tuple[Connection, ...], after: int = 0, *, is_early: bool = False
) -> tuple[Leg, ...]:
    """Connections one after the other, in the morning where they go then; as early as can be."""
    total = sum(one.minutes for one in ways) + CHANGE_MIN * (len(ways) - 1)
    usual = 7 * 60 if total > 360 else 8 * 60 if total > 180 else 8 * 60 + 30
    begins = max(after, EARLIEST if is_early else usual)
    legs: list[Leg] = []
    for way in ways:
        left = total - sum(leg.minutes + CHANGE_MIN for leg in legs)
        may_wait = bool(legs) or after > 0
        begins = _boarding(way, begins, _LATEST_ARRIVAL - left, is_ready=not may_wait)
        legs.append(_leg(way, begins))
        begins += way.minutes + CHANGE_MIN
    return tuple(legs)


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
