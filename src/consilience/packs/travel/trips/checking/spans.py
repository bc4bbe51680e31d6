"""When does what happen on a day? Spans of the clock, in minutes after midnight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.types import MEAL_MIN, Day, Leg, Slot

Doing = Literal["visit", "meal", "leg", "local"]
PARTS: Mapping[Slot, tuple[int, int]] = {
    "morning": (8 * 60 + 30, 12 * 60),
    "afternoon": (13 * 60 + 30, 17 * 60 + 30),
    "evening": (18 * 60 + 30, 22 * 60),
}
"""The parts of a day that are filled."""
WIDE: Mapping[Slot, tuple[int, int]] = {
    "morning": (4 * 60, 13 * 60),
    "afternoon": (11 * 60 + 30, 18 * 60 + 30),
    "evening": (16 * 60 + 30, 24 * 60),
}
"""When a visit may begin to belong to a part of a day."""
FULL_DAY_MIN = 300
LONGEST_BY_DAY_MIN = 9 * 60
DAY_MIN = 24 * 60


class Span(NamedTuple):
    """Something that takes time: from where to where, by id; the same for a visit and a meal."""

    begins: int
    ends: int
    kind: Doing
    start: str
    end: str


def is_way(leg: Leg, atlas: Atlas) -> bool:
    """Whether a leg leads from one city to another, and is no ride within one."""
    towns = {atlas.city_of(leg.start) or leg.start, atlas.city_of(leg.end) or leg.end}
    return bool(leg.passage) or (len(towns) == 2 and towns == {leg.start, leg.end})


def busy(day: Day, atlas: Atlas) -> list[Span]:
    """All that takes time on a day, in its order."""
    spans = [
        Span(visit.begins, visit.ends, "visit", visit.place, visit.place) for visit in day.visits
    ]
    spans += [
        Span(meal.begins, meal.begins + MEAL_MIN, "meal", meal.place, meal.place)
        for meal in day.meals
    ]
    spans += [
        Span(
            leg.begins,
            leg.begins + leg.minutes,
            "leg" if is_way(leg, atlas) else "local",
            leg.start,
            leg.end,
        )
        for leg in day.legs
    ]
    return sorted(spans)


def clock(minutes: int) -> str:
    """`09:30`; past midnight with the day: `01:15 the next day`."""
    late = " the next day" if minutes >= DAY_MIN else ""
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}{late}"
