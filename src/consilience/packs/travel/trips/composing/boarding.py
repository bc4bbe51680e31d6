"""Where does one sleep and eat? At the level of the wish, by what was found, near by, in turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from statistics import median

from consilience.packs.travel.atlas import FOOD, SIGHTS, STAY, Place
from consilience.packs.travel.trips.composing.brief import Brief, dearness, may_eat, may_use, worth
from consilience.packs.travel.trips.composing.diary import Diary
from consilience.packs.travel.trips.composing.times import earliest, open_times, some_times
from consilience.packs.travel.trips.local import LocalWay, local_way, way_km
from consilience.packs.travel.trips.types import LEVELS, MEAL_MIN, Slot

_LIGHT = frozenset({"cafe", "café", "bar", "bakery", "tea house", "coffee shop"})
DINNER = (18 * 60 + 30, 20 * 60 + 30)
"""When a dinner begins."""
_MUST = 300.0
_REMOTE, _REMOTEST = 0.02, 0.5


def choose_bed(city: str, brief: Brief, kept: Iterable[str] = ()) -> Place | None:
    """The stay of a city: of the level, or the nearest to it, then by what is preferred."""
    known = set(kept)
    found = brief.atlas.within(city, {STAY})
    if not found:
        return None
    wanted = {one.id for one in found if one.id in brief.wish.must}
    return max(
        found,
        key=lambda one: (
            one.id in wanted,
            -_levels_apart(one, brief),
            may_use(one, brief),
            _bed_value(one, brief, known),
            one.id,
        ),
    )


def _bed_value(place: Place, brief: Brief, kept: set[str]) -> float:
    value = worth(place, brief) - 0.1 * float((place.price or 0) / brief.scale)
    value -= min(_REMOTE * _remoteness(place, brief), _REMOTEST)
    return value - dearness(place.price, brief) + 5.0 * (place.id in kept)


def _remoteness(bed: Place, brief: Brief) -> float:
    """How far, in kilometres, a bed is from what one goes to in its city, usually."""
    there = brief.atlas.within(brief.atlas.city_of(bed.id), {*SIGHTS, FOOD})
    return median([way_km(bed, one) for one in there]) if there else 0.0


def _levels_apart(place: Place, brief: Brief) -> float:
    if place.level not in LEVELS:
        return 0.5  # nothing is said of it: less than a level that is right
    return abs(LEVELS.index(place.level) - LEVELS.index(brief.level))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunger:
    """Where and when one looks for a table: in a city, at a place, to begin from a time to another.

    `without` are tables that are not for this meal, `kept` is the one that was there before. It is
    not worth a way of more than `furthest` minutes.
    """

    city: str
    at: Place | None
    now: int
    first: int
    last: int
    on: date | None = None
    without: tuple[str, ...] = ()
    kept: str = ""
    furthest: int = 24 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A place to eat, when, and the way there."""

    place: Place
    begins: int
    way: LocalWay | None
    value: float


def choose_table(hunger: Hunger, diary: Diary) -> Table | None:
    """The best table; None where none is open."""
    found = list(_tables(hunger, diary))
    return max(found, key=lambda one: (one.value, one.place.id), default=None)


def _tables(hunger: Hunger, diary: Diary) -> Iterator[Table]:
    brief = diary.brief
    for place in brief.atlas.within(hunger.city, {FOOD}):
        if place.id in hunger.without or not may_eat(place, brief):
            continue
        way = local_way(hunger.at, place, brief.atlas) if hunger.at else None
        reached = max(hunger.first, hunger.now + (way.minutes if way else 0))
        spans = open_times(place.hours, hunger.on, brief.month)
        begins, is_sure = earliest(spans, reached, MEAL_MIN), True
        if begins is None and hunger.on is None:
            begins = earliest(some_times(place.hours, brief.month), reached, MEAL_MIN)
            is_sure = False
        if way is not None and way.minutes > hunger.furthest:
            continue
        if begins is not None and begins <= hunger.last:
            value = _table_value(place, diary, way) + 2.0 * is_sure
            value += 5.0 * (place.id == hunger.kept) - (begins - reached) / 60
            yield Table(place=place, begins=begins, way=way, value=value)


def _table_value(place: Place, diary: Diary, way: LocalWay | None) -> float:
    brief = diary.brief
    value = worth(place, brief) - 1.4 * diary.tables[place.id]
    value -= _above_or_below(place, brief)
    value -= 0.7 * (place.type in _LIGHT)
    value += _MUST * (place.id in brief.wish.must and not diary.tables[place.id])
    if way is not None:
        value -= 0.03 * way.minutes + brief.thrift * float(way.price / brief.scale)
    return value


def _above_or_below(place: Place, brief: Brief) -> float:
    """What a table of another level loses: a dearer one more than a plainer one."""
    if place.level not in LEVELS:
        return 0.0
    steps = LEVELS.index(place.level) - LEVELS.index(brief.level)
    below = 1.0 if brief.level == "luxury" else 0.6
    return 2.5 * steps if steps > 0 else -below * steps / (1.0 + brief.thrift)


def only_dinner(city: str, diary: Diary, on: date | None) -> tuple[str, ...]:
    """The one table of a city that there is for dinner, which lunch then leaves free."""
    hunger = Hunger(city=city, at=None, now=0, first=DINNER[0], last=DINNER[1], on=on)
    found = [one.place.id for one in _tables(hunger, diary)]
    return tuple(found) if len(found) == 1 else ()


def meal_slot(begins: int) -> Slot:
    """The part of the day that a meal belongs to."""
    return "evening" if begins >= 17 * 60 else "afternoon"
