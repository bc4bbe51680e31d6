"""Which sight is next? The one that is liked best of those open, near, and unlike the last ones.

What was found by searches goes before what was not, and what is surely open before what may be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from consilience.packs.travel.atlas import Place
from consilience.packs.travel.trips.composing.brief import worth
from consilience.packs.travel.trips.composing.diary import Diary
from consilience.packs.travel.trips.composing.frames import Frame
from consilience.packs.travel.trips.composing.times import (
    LATEST_END,
    LONG_MIN,
    earliest,
    minutes_of,
    open_times,
    some_times,
    suits_slot,
)
from consilience.packs.travel.trips.local import LocalWay, local_way
from consilience.packs.travel.trips.types import Slot

MUST, PINNED, KEPT, WELCOME = 300.0, 200.0, 100.0, 60.0
_FOUND, _SURE, _SUITED = 8.0, 16.0, 32.0
FROM = {"morning": 8 * 60 + 30, "afternoon": 13 * 60, "evening": 18 * 60}
_LAST_BEGIN = {"morning": 12 * 60, "afternoon": 17 * 60, "evening": 21 * 60 + 30}
_LONG_BEGIN = 10 * 60
_FAR_MIN = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Where and when one is looking for a sight: in a city, at a place, from a time to another."""

    frame: Frame
    slot: Slot
    city: str
    at: Place | None
    now: int
    until: int
    today: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A sight and when it is visited, and the way there."""

    place: Place
    begins: int
    ends: int
    way: LocalWay | None
    value: float


def choose(moment: Moment, diary: Diary) -> Chosen | None:
    """The best sight for a moment; None where nothing is left that fits."""
    found = list(_fitting(moment, diary))
    return max(found, key=lambda one: (one.value, one.place.id), default=None)


def _fitting(moment: Moment, diary: Diary) -> Iterator[Chosen]:
    pinned = diary.pinned.get(moment.frame.number, {})
    held = diary.held
    for place in diary.survey.sights.get(moment.city, ()):
        if place.id in diary.used or (place.id in held and place.id not in pinned):
            continue
        minutes = minutes_of(place)
        way = local_way(moment.at, place, diary.brief.atlas) if moment.at else None
        reached = moment.now + (way.minutes if way else 0)
        begins, is_sure = _opening(place, moment, max(reached, FROM[moment.slot]), diary)
        if begins is None or begins > _last_begin(place, moment, diary):
            continue
        if begins + minutes > _latest(moment, minutes):
            continue
        value = _value(place, moment, diary, way) - (begins - reached) / 120
        value += _SURE * is_sure + _SUITED * suits_slot(place, moment.slot)
        yield Chosen(place=place, begins=begins, ends=begins + minutes, way=way, value=value)


def _opening(place: Place, moment: Moment, reached: int, diary: Diary) -> tuple[int | None, bool]:
    """When a visit begins, and whether the place is surely open then."""
    minutes, month, on = minutes_of(place), diary.brief.month, moment.frame.on
    begins = earliest(open_times(place.hours, on, month), reached, minutes)
    if begins is not None or on is not None:
        return begins, True
    return earliest(some_times(place.hours, month), reached, minutes), False


def _last_begin(place: Place, moment: Moment, diary: Diary) -> int:
    """The last time to begin; what takes half a day begins early, unless it has to be seen."""
    is_long = minutes_of(place) > LONG_MIN and place.id not in diary.brief.wish.must
    return _LONG_BEGIN if is_long and moment.slot == "morning" else _LAST_BEGIN[moment.slot]


def _latest(moment: Moment, minutes: int) -> int:
    latest = LATEST_END[moment.slot]
    if moment.slot == "morning" and minutes > LONG_MIN:
        latest = LATEST_END["afternoon"]
    return min(latest, moment.until)


def _value(place: Place, moment: Moment, diary: Diary, way: LocalWay | None) -> float:
    brief = diary.brief
    value = worth(place, brief) + _FOUND * (place.id in brief.standing)
    value += _kept(place, moment, diary)
    value -= _sameness(place, moment, diary)
    value += 0.5 * sum(
        strength * diary.lack(theme)
        for theme, strength in place.themes.items()
        if theme in brief.wish.themes
    )
    if moment.slot != "evening" and "evening" in place.slots:
        value -= 0.3
    if way is not None:
        value -= 0.02 * way.minutes + (0.4 if way.minutes > _FAR_MIN else 0.0)
        value -= brief.thrift * float(way.price / brief.scale)
    return value + _paired(place, moment, diary)


def _kept(place: Place, moment: Moment, diary: Diary) -> float:
    if place.id in diary.brief.wish.must:
        return MUST
    slot = diary.pinned.get(moment.frame.number, {}).get(place.id)
    if slot is None:
        return WELCOME * (place.id in diary.welcome)
    return PINNED if slot == moment.slot else KEPT


def _sameness(place: Place, moment: Moment, diary: Diary) -> float:
    """What is taken off for having seen the like: today above all."""
    kind = place.type or place.kind
    loss = 0.06 * diary.types[kind]
    main = _main_theme(place)
    for number, one in enumerate(reversed(moment.today)):
        if (one.type or one.kind) == kind:
            loss += 0.8 if number == 0 else 0.5
        if _main_theme(one) == main:
            loss += 0.15
    return loss


def _main_theme(place: Place) -> str:
    return max(sorted(place.themes), key=lambda one: place.themes[one], default="")


def _paired(place: Place, moment: Moment, diary: Diary) -> float:
    """Something for what one does in the same outing as the last visit."""
    if not moment.today:
        return 0.0
    last, ties = moment.today[-1].id, diary.brief.atlas.ties
    joined = any(
        tie.relation == "PAIRS_WITH" and tie.target == other
        for one, other in ((last, place.id), (place.id, last))
        for tie in ties.get(one, ())
    )
    return 0.4 if joined else 0.0
