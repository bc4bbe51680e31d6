"""Is every day there, dated, filled, and neither too full nor without a bed?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from consilience.packs.travel.atlas import FOOD, STAY, Atlas
from consilience.packs.travel.trips.checking.spans import FULL_DAY_MIN, PARTS, busy, is_way
from consilience.packs.travel.trips.checking.spent import is_spent
from consilience.packs.travel.trips.types import SLOTS, Day, Finding, Itinerary, Slot, Wish

MOST_VISITS = {"relaxed": 3, "balanced": 5, "packed": 7}
_COVERED_MIN = 45  # minutes of a part of a day that make it a filled one


def day_findings(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Iterator[Finding]:
    """What is wrong with the days themselves."""
    numbers = [day.number for day in itinerary.days]
    if numbers != list(range(1, wish.days + 1)):
        told = f"{wish.days} days were asked for; the days are {numbers}"
        yield Finding(rule="day-count", message=told)
    for place, day in enumerate(itinerary.days):
        due = wish.starts_on + timedelta(days=place) if wish.starts_on else None
        if day.on != due and due is not None:
            told = f"day {day.number} is on {day.on}, and should be on {due}"
            yield Finding(rule="dates", message=told, day=day.number)
        yield from _filled(wish, day, itinerary, atlas)
        is_last = place == len(itinerary.days) - 1
        yield from _provided(day, atlas, is_last=is_last)


def _filled(wish: Wish, day: Day, itinerary: Itinerary, atlas: Atlas) -> Iterator[Finding]:
    on_the_way = sum(leg.minutes for leg in day.legs if is_way(leg, atlas))
    if not day.visits and on_the_way < FULL_DAY_MIN:
        yield Finding(rule="day-empty", message=f"day {day.number} has no visit", day=day.number)
        return
    free = [slot for slot in SLOTS if not _covered(day, slot, atlas)]
    if len(free) == 1 and (
        wish.pace == "relaxed" or is_spent(day, free[0], wish, itinerary, atlas)
    ):
        free = []
    for slot in free:
        told = f"nothing is planned for the {slot} of day {day.number}"
        yield Finding(rule="slot-empty", message=told, day=day.number, slot=slot)
    most = MOST_VISITS[wish.pace]
    if len(day.visits) > most:
        told = f"day {day.number} has {len(day.visits)} visits, and a {wish.pace} pace {most}"
        yield Finding(rule="pace", message=told, day=day.number, place=day.visits[-1].place)


def _covered(day: Day, slot: Slot, atlas: Atlas) -> bool:
    """Whether something goes on in a part of a day: a visit that says so, or time that is taken."""
    if any(visit.slot == slot for visit in day.visits):
        return True
    begins, ends = PARTS[slot]
    taken = sum(
        max(0, min(span.ends, ends) - max(span.begins, begins))
        for span in busy(day, atlas)
        if span.kind != "local"
    )
    return taken >= _COVERED_MIN


def _provided(day: Day, atlas: Atlas, *, is_last: bool) -> Iterator[Finding]:
    """A bed, and a dinner: where the atlas knows any."""
    rides = any(leg.overnight for leg in day.legs)
    has_beds = bool(atlas.within(day.city, {STAY}))
    if day.stay is None and not rides and not is_last and has_beds:
        told = f"no place to sleep after day {day.number} in {atlas.name_of(day.city)}"
        yield Finding(rule="stay-missing", message=told, day=day.number, place=day.city)
    has_food = bool(atlas.within(day.city, {FOOD}))
    if has_food and not any(meal.slot == "evening" for meal in day.meals) and not _late(day, atlas):
        told = f"no dinner on day {day.number} in {atlas.name_of(day.city)}"
        yield Finding(
            rule="meal-missing", message=told, day=day.number, slot="evening", place=day.city
        )


def _late(day: Day, atlas: Atlas) -> bool:
    """Whether the evening is spent on the way."""
    begins, ends = PARTS["evening"]
    return any(
        span.kind == "leg" and span.begins < ends and span.ends > begins + 60
        for span in busy(day, atlas)
    )
