"""Which sight is next? The one that is liked best of those open, near, and unlike the last ones.

What was found by searches goes before what was not, and what is surely open before what may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from consilience.packs.travel.atlas import Place
from consilience.packs.travel.hours import closed_weekdays
from consilience.packs.travel.trips.checking.wishes import STRONG
from consilience.packs.travel.trips.composing.brief import main_theme, worth
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
    weekdays_open,
)
from consilience.packs.travel.trips.local import LocalWay, local_way
from consilience.packs.travel.trips.types import SLOTS, Slot

MUST, PINNED, KEPT, WELCOME = 3000.0, 2000.0, 1000.0, 500.0
_IN_TURN = 50.0
"""By so much a visit that is kept goes before the next that is kept."""
_FOUND, _SUITED = 8.0, 32.0
_USUALLY = 6
"""On so many weekdays a place is open at a time that is usually so."""
_SELDOM = 60.0
"""What a place loses, where the weekday is not known, that is open then on fewer of them."""
_UNSURE = 0.3
"""What each closing day of a week takes off, where the weekday is not known."""
FROM = {"morning": 8 * 60 + 30, "afternoon": 13 * 60, "evening": 18 * 60}
_LAST_BEGIN = {"morning": 12 * 60, "afternoon": 17 * 60, "evening": 21 * 60 + 30}
_SCARCE = 12.0
_UNMET = 40.0
"""What a place gains for a theme of the wish that nothing was for so far."""
_DAWN, _SETS_OUT = 5 * 60 + 30, 7 * 60 + 30
_BED_TIME = 22 * 60
_LONG_BEGIN = 10 * 60
_FAR_MIN = 45
_OUT_KM, _NEARER = 15.0, 0.85
"""A sight so far from a city is out of town; by this share of the way another one is nearer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Where and when one is looking for a sight: in a city, at a place, from a time to another.

    With `themes` only for one that is for some of them. An evening that `is_bare` of a dinner takes
    what is not meant for evenings, too.
    """

    frame: Frame
    slot: Slot
    city: str
    at: Place | None
    now: int
    until: int
    today: tuple[Place, ...] = ()
    themes: frozenset[str] = frozenset()
    is_bare: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What the rest of the trip wants: themes that nothing was for, and how far each is behind.

    `spared` is what sights for the evening lose by day.
    """

    unmet: frozenset[str]
    lacks: Mapping[str, float]
    spared: float


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
    outlook = _outlook(moment, diary)
    for place in diary.survey.sights.get(moment.city, ()):
        if place.id in diary.used or (place.id in held and place.id not in pinned):
            continue
        if moment.themes and not any(place.themes.get(one, 0.0) >= STRONG for one in moment.themes):
            continue
        minutes = minutes_of(place)
        way = local_way(moment.at, place, diary.brief.atlas) if moment.at else None
        reached = moment.now + (way.minutes if way else 0)
        usual = max(reached, FROM[moment.slot], _SETS_OUT + (way.minutes if way else 0))
        begins, is_sure = _opening(place, moment, usual, diary)
        if begins is None and reached < usual and moment.slot == "morning":
            begins, is_sure = _opening(place, moment, max(reached, _DAWN), diary)
        if begins is None or begins > _last_begin(place, moment, diary):
            continue
        if _has_nearer_base(place, moment, diary):
            continue
        if begins + minutes > _latest(moment, minutes):
            continue
        is_suited = suits_slot(place, moment.slot)
        value = _value(place, moment, diary, way) - abs(begins - usual) / 120
        value += _foreseen(place, outlook)
        value -= 0.0 if is_sure else _unsureness(place, begins, diary)
        if moment.slot == "evening":
            value -= _lateness(place, begins + minutes, moment, diary)
            floor = _FOUND * (place.id in diary.brief.standing) if is_suited else WELCOME
            if value < floor - 1 and not moment.is_bare:
                continue
        value += _SUITED * is_suited
        yield Chosen(place=place, begins=begins, ends=begins + minutes, way=way, value=value)


def _opening(place: Place, moment: Moment, reached: int, diary: Diary) -> tuple[int | None, bool]:
    """When a visit begins, and whether the place is surely open then."""
    minutes, month, on = minutes_of(place), diary.brief.month, moment.frame.on
    begins = earliest(open_times(place.hours, on, month), reached, minutes)
    if begins is not None or on is not None:
        return begins, True
    return earliest(some_times(place.hours, month), reached, minutes), False


def _unsureness(place: Place, begins: int, diary: Diary) -> float:
    """What a place loses that is not open then on every day of a week."""
    count = weekdays_open(place.hours, diary.brief.month, begins, minutes_of(place))
    return _UNSURE * max(1, len(closed_weekdays(place.hours))) + _SELDOM * (count < _USUALLY)


def _has_nearer_base(place: Place, moment: Moment, diary: Diary) -> bool:
    """Whether a sight is clearly nearer to another city, with a whole day to see it from there."""
    atlas, number = diary.brief.atlas, moment.frame.number
    km = atlas.km(place.id, moment.city)
    if km is None or km < _OUT_KM or place.id in diary.held:
        return False
    later = {
        here.city
        for frame in diary.frames
        for here in frame.here
        if frame.number > number
        and here.city != moment.city
        and here.begins <= _SETS_OUT
        and here.ends >= LATEST_END["afternoon"]
        and earliest(open_times(place.hours, frame.on, diary.brief.month), 0, minutes_of(place))
        is not None
    }
    return any(
        place in diary.survey.sights.get(one, ()) and (atlas.km(place.id, one) or km) < _NEARER * km
        for one in later
    )


def _lateness(place: Place, ends: int, moment: Moment, diary: Diary) -> float:
    """What an evening loses by a long way to bed, by a late end, and by bathing in the dark."""
    bed = diary.beds.get(moment.frame.city)
    way = local_way(place, bed, diary.brief.atlas).minutes if bed else 0
    late = max(0, ends + way - _BED_TIME) / 60
    return 0.02 * way + late + 1.5 * ("swimming" in place.features)


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
    if way is not None:
        value -= 0.02 * way.minutes + _farness(way.minutes, minutes_of(place))
        value -= brief.thrift * float(way.price / brief.scale)
    return value + _paired(place, moment, diary)


def _farness(way: int, minutes: int) -> float:
    """What is taken off for going far: more than what was found is worth, for a short look."""
    if way <= _FAR_MIN:
        return 0.0
    return 0.02 * (way - _FAR_MIN) + (_FOUND + 1.0 if 2 * way > minutes else 0.0)


def _outlook(moment: Moment, diary: Diary) -> Outlook:
    late = diary.stock(moment.city)[1]
    evenings = 1 + diary.days_after(moment.frame.number, moment.city)
    spared = 0.3 if late > evenings else _SCARCE
    return Outlook(
        unmet=diary.unmet,
        lacks={theme: diary.lack(theme) for theme in diary.brief.wish.themes},
        spared=0.0 if moment.slot == "evening" else spared,
    )


def _foreseen(place: Place, outlook: Outlook) -> float:
    """What a place gains for themes that are behind, and loses where evenings will want it."""
    value = 0.5 * sum(place.themes.get(theme, 0.0) * lack for theme, lack in outlook.lacks.items())
    value += _UNMET * sum(place.themes.get(theme, 0.0) >= STRONG for theme in outlook.unmet)
    return value - (outlook.spared if outlook.spared and suits_slot(place, "evening") else 0.0)


def _kept(place: Place, moment: Moment, diary: Diary) -> float:
    if place.id in diary.brief.wish.must:
        return MUST
    pinned = diary.pinned.get(moment.frame.number, {})
    if place.id not in pinned:
        return WELCOME * (place.id in diary.welcome)
    turn = _IN_TURN * list(pinned).index(place.id)
    if pinned[place.id] == moment.slot:
        return PINNED - turn
    is_late = SLOTS.index(moment.slot) > SLOTS.index(pinned[place.id])
    return KEPT + _IN_TURN * len(pinned) - turn if is_late else -KEPT


def _sameness(place: Place, moment: Moment, diary: Diary) -> float:
    """What is taken off for having seen the like: today above all."""
    kind = place.type or place.kind
    loss = 0.06 * diary.types[kind]
    main = main_theme(place)
    for number, one in enumerate(reversed(moment.today)):
        if (one.type or one.kind) == kind:
            loss += 0.8 if number == 0 else 0.5
        if main_theme(one) == main:
            loss += 0.15
    return loss


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
