"""Does it fit the clock? Nothing at the same time, ways between, doors that are open."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.geography import distance_km
from consilience.packs.travel.hours import is_open
from consilience.packs.travel.trips.checking.spans import DAY_MIN, WIDE, Span, busy, clock, is_way
from consilience.packs.travel.trips.types import MEAL_MIN, Day, Finding, Itinerary, Visit

_WALK_KMH, _RIDE_KMH, _FAST_KMH = 6.0, 35.0, 70.0  # nobody is faster; plans reckon with less
_WALK_KM, _TOWN_KM = 1.5, 15.0
_LEAST_SHARE = 0.5  # of the time that a visit takes
_WEEK = tuple(date(2026, 6, 1) + timedelta(days=one) for one in range(7))


def clock_findings(itinerary: Itinerary, atlas: Atlas) -> Iterator[Finding]:
    """What is wrong with the times of the days."""
    arrives = 0
    for day in itinerary.days:
        yield from _overlaps(day, atlas, arrives)
        for visit in day.visits:
            yield from _visit(visit, day, atlas)
        yield from _rides(day, atlas)
        yield from _meals(day, atlas)
        ends = [leg.begins + leg.minutes for leg in day.legs if is_way(leg, atlas)]
        arrives = max([0, *(one - DAY_MIN for one in ends)])


def _overlaps(day: Day, atlas: Atlas, arrives: int) -> Iterator[Finding]:
    spans = busy(day, atlas)
    if spans and spans[0].begins < arrives:
        told = f"day {day.number}: one arrives at {clock(arrives)} only"
        yield Finding(rule="travel-time", message=told, day=day.number, place=spans[0].start)
    for before, after in pairwise(spans):
        names = f"{atlas.name_of(before.end)} and {atlas.name_of(after.end)}"
        if after.begins < before.ends:
            told = f"day {day.number}: {names} are at the same time, {clock(after.begins)}"
            yield Finding(rule="overlap", message=told, day=day.number, place=after.end)
        elif after.begins - before.ends < (least := least_minutes(before, after, atlas)):
            told = f"day {day.number}: between {names} are {least} minutes at least"
            yield Finding(rule="travel-time", message=told, day=day.number, place=after.end)
    if spans and spans[0].begins < 0:
        told = f"day {day.number} begins before midnight"
        yield Finding(rule="travel-time", message=told, day=day.number, place=spans[0].start)


def _rides(day: Day, atlas: Atlas) -> Iterator[Finding]:
    """Whether rides within a city lead from somewhere to somewhere, in the time they take."""
    for leg in (leg for leg in day.legs if not is_way(leg, atlas)):
        for end in (leg.start, leg.end):
            if end not in atlas.places:
                told = (
                    f"day {day.number}: a {leg.mode} leads by {end!r}, and no such place is known"
                )
                yield Finding(rule="place-unknown", message=told, day=day.number, place=end)
        least = least_way(_km(leg.start, leg.end, atlas))
        if leg.minutes < least:
            names = f"{atlas.name_of(leg.start)} to {atlas.name_of(leg.end)}"
            told = f"day {day.number}: {names} takes {least} minutes at least, not {leg.minutes}"
            yield Finding(rule="travel-time", message=told, day=day.number, place=leg.end)


def least_minutes(before: Span, after: Span, atlas: Atlas) -> int:
    """The least time between two things: as the crow flies, faster than anybody goes.

    Before and after a way between cities one needs none: it is reckoned from centre to centre.
    """
    if "leg" in (before.kind, after.kind):
        return 0
    return least_way(_km(before.end, after.start, atlas))


def least_way(km: float) -> int:
    """The least minutes for a way as the crow flies, faster than anybody goes."""
    if km <= _WALK_KM:
        return int(km / _WALK_KMH * 60)
    town = min(km, _TOWN_KM) / _RIDE_KMH
    return int((town + max(0.0, km - _TOWN_KM) / _FAST_KMH) * 60)


def _km(one: str, other: str, atlas: Atlas) -> float:
    points = [atlas.places[key].point if key in atlas.places else None for key in (one, other)]
    return distance_km(points[0], points[1]) if points[0] and points[1] else 0.0


def _visit(visit: Visit, day: Day, atlas: Atlas) -> Iterator[Finding]:
    known = atlas.places.get(visit.place)
    if known is None:
        return
    first, last = WIDE[visit.slot]
    if not first <= visit.begins < last:
        told = f"day {day.number}: {visit.name} at {clock(visit.begins)} is no {visit.slot}"
        yield _finding("slot-time", told, day, visit)
    if visit.ends - visit.begins < max(1, int(known.minutes * _LEAST_SHARE)):
        told = (
            f"day {day.number}: {visit.name} takes {known.minutes} minutes, and "
            f"{visit.ends - visit.begins} are planned"
        )
        yield _finding("too-short", told, day, visit)
    if not _can_be_open(known.hours, day, visit.begins, visit.ends):
        when = f"{day.on:%A} {day.on}" if day.on else "any day"
        told = (
            f"day {day.number}: {visit.name} is not open from {clock(visit.begins)} to "
            f"{clock(visit.ends)} on {when} ({known.hours})"
        )
        yield _finding("closed", told, day, visit)


def _meals(day: Day, atlas: Atlas) -> Iterator[Finding]:
    for meal in day.meals:
        known = atlas.places.get(meal.place)
        if known is None or _can_be_open(known.hours, day, meal.begins, meal.begins + MEAL_MIN):
            continue
        told = f"day {day.number}: {meal.name} is not open at {clock(meal.begins)} ({known.hours})"
        yield Finding(rule="closed", message=told, day=day.number, slot=meal.slot, place=meal.place)


def _can_be_open(hours: str, day: Day, begins: int, ends: int) -> bool:
    """Whether a place is open then; without a date, on some day of the week."""
    days = (day.on,) if day.on else _WEEK
    return any(is_open(hours, one, begins, ends) for one in days)


def _finding(rule: str, message: str, day: Day, visit: Visit) -> Finding:
    return Finding(rule=rule, message=message, day=day.number, slot=visit.slot, place=visit.place)
