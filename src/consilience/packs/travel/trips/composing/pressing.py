"""What has to be seen and cannot wait? That of which the last hour to begin is near, on a day.

A market of the dawn, a walk that ends before dinner: others are laid around it.
"""

from __future__ import annotations

from consilience.packs.travel.atlas import Place
from consilience.packs.travel.trips.composing.diary import Diary
from consilience.packs.travel.trips.composing.frames import Frame, Presence
from consilience.packs.travel.trips.composing.times import (
    minutes_of,
    open_times,
    some_times,
    suits_slot,
)


def last_begin(place: Place, frame: Frame, diary: Diary) -> int | None:
    """When a visit begins at the latest on a day; None where the place is not open for one."""
    minutes, month = minutes_of(place), diary.brief.month
    spans = open_times(place.hours, frame.on, month)
    if not spans and frame.on is None:
        spans = some_times(place.hours, month)
    return max((last - minutes for first, last in spans if last - first >= minutes), default=None)


def can_wait(place: Place, city: str, frame: Frame, diary: Diary) -> bool:
    """Whether a later day is in a city at the hours of a place."""
    later = (one for one in diary.frames if one.number > frame.number)
    return any(
        here.city == city and _takes(here, place, one, diary) for one in later for here in one.here
    )


def due_before(by: int, here: Presence, frame: Frame, diary: Diary) -> tuple[Place, ...]:
    """What has to be seen of an evening, where one is then, and is too late to begin at `by`."""
    pinned = diary.pinned.get(frame.number, {})
    return tuple(
        one
        for one in diary.waiting(here.city)
        if suits_slot(one, "evening")
        and (one.id in pinned or one.id not in diary.held)
        and _takes(here, one, frame, diary)
        and (last_begin(one, frame, diary) or 0) < by
    )


def _takes(here: Presence, place: Place, frame: Frame, diary: Diary) -> bool:
    """Whether one is in a city while a visit may go on."""
    last = last_begin(place, frame, diary)
    if last is None or here.begins > last:
        return False
    spans = open_times(place.hours, frame.on, diary.brief.month)
    first = min((begins for begins, _ in spans), default=0)
    return max(first, here.begins) + minutes_of(place) <= here.ends
