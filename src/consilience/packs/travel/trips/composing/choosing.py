"""Which sight is next? The one that is liked best of those open, near, and unlike the last ones.

What was found by searches goes before what was not, and what is surely open before what may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from consilience.packs.travel.atlas import Place
from consilience.packs.travel.hours import closed_weekdays
from consilience.packs.travel.trips.checking.wishes import STRONG
from consilience.packs.travel.trips.composing.brief import main_theme, worth
from consilience.packs.travel.trips.composing.diary import Diary
from consilience.packs.travel.trips.composing.frames import Frame
from consilience.packs.travel.trips.composing.pressing import can_wait, last_begin
from consilience.packs.travel.trips.composing.times import (
    LATEST_END,
    LONG_MIN,
    earliest,
    minutes_of,
    open_times,
    some_times,
    suits_slot,
    takes_morning,
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
_MAIN = 1.5
"""What the main thing of a city gains where it takes a day."""
_DAWN, _SETS_OUT = 5 * 60 + 30, 7 * 60 + 30
_DUSK = 16 * 60 + 30
"""When an evening may begin for what ends before one would dine."""
_BED_TIME = 22 * 60
_LONG_BEGIN = 10 * 60
_FAR_MIN = 45
_INTO_EVENING = 19 * 60
"""When an afternoon ends with what may not be left out and takes long, or is for evenings too."""
_SELDOM_OPEN, _TODAY_ONLY = 4, 4.0
"""What a place gains that is closed on so many weekdays, where it is open and sights are scarce."""
_MORNING_ONLY = 2.0
"""What a place for mornings only gains then: others are left for the afternoon."""
_OUT_KM, _NEARER = 15.0, 0.85
"""A sight so far from a city is out of town; by this share of the way another one is nearer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Where and when one is looking for a sight: in a city, at a place, from a time to another.

    With `themes` only for one that is for some of them, with `only` for one of these, which may
    begin before the evening. What need not be seen ends by `free_until`. An evening that `is_bare`
    of a dinner takes what is not meant for evenings, too.
    """

    frame: Frame
    slot: Slot
    city: str
    at: Place | None
    now: int
    until: int
    today: tuple[Place, ...] = ()
    themes: frozenset[str] = frozenset()
    only: frozenset[str] = frozenset()
    free_until: int = 24 * 60
    is_bare: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What the rest of the trip wants: themes that nothing was for, and how far each is behind.

    `spared` is what sights for the evening lose by day. `main` is what one came to the city for,
    if it takes a day.
    """

    unmet: frozenset[str]
    lacks: Mapping[str, float]
    spared: float
    main: str = ""


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
    best = max(found, key=lambda one: (one.value, one.place.id), default=None)
    return _in_turn(best, found, moment, diary) if best is not None else None


def _in_turn(best: Chosen, found: Sequence[Chosen], moment: Moment, diary: Diary) -> Chosen:
    """What has to be seen and could not be after the best, nor later on, if that one can wait."""
    frame = moment.frame
    musts = [one for one in found if one.place.id in diary.brief.wish.must]
    if best not in musts or len(musts) < 2:
        return best
    begun = {one.place.id: last_begin(one.place, frame, diary) or 0 for one in musts}
    lost = [
        one
        for one in musts
        if begun[one.place.id] < best.ends
        and one.ends < begun[best.place.id]
        and not can_wait(one.place, moment.city, frame, diary)
    ]
    return min(lost, key=lambda one: (begun[one.place.id], one.place.id), default=best)


def _fitting(moment: Moment, diary: Diary) -> Iterator[Chosen]:
    pinned = diary.pinned.get(moment.frame.number, {})
    held = diary.held
    outlook = _outlook(moment, diary)
    for place in diary.survey.sights.get(moment.city, ()):
        if place.id in diary.used or (place.id in held and place.id not in pinned):
            continue
        if moment.themes and not any(place.themes.get(one, 0.0) >= STRONG for one in moment.themes):
            continue
        if moment.only and place.id not in moment.only:
            continue
        minutes = minutes_of(place)
        way = local_way(moment.at, place, diary.brief.atlas) if moment.at else None
        reached = moment.now + (way.minutes if way else 0)
        usual = max(reached, FROM[moment.slot], _SETS_OUT + (way.minutes if way else 0))
        begins, is_sure = _begun(place, moment, (reached, usual), diary)
        if begins is None or not _is_in_time(place, begins, moment, diary, way):
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


def _begun(
    place: Place, moment: Moment, times: tuple[int, int], diary: Diary
) -> tuple[int | None, bool]:
    """When a visit begins at the usual time, or else from when one can be there; if it is sure."""
    reached, usual = times
    begins, is_sure = _opening(place, moment, usual, diary)
    if begins is None and reached < usual and moment.slot == "morning":
        begins, is_sure = _opening(place, moment, max(reached, _DAWN), diary)
    if begins is None and moment.only:
        begins, is_sure = _opening(place, moment, max(reached, _DUSK), diary)
    return begins, is_sure


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


def _is_better_later(place: Place, begins: int, moment: Moment, diary: Diary) -> bool:
    """Whether a sight waits for a whole day that follows: nearer to it, or begun in time there.

    What is out of town is seen from the nearest city of the trip, and what takes half a day is not
    begun at noon where a morning comes.
    """
    atlas, known = diary.brief.atlas, diary.survey.sights
    km = atlas.km(place.id, moment.city) or 0.0
    is_late = minutes_of(place) > LONG_MIN and begins > _LONG_BEGIN
    if place.id in diary.held or not (is_late or km > _OUT_KM):
        return False
    return any(
        (is_late and city == moment.city)
        or (place in known.get(city, ()) and (atlas.km(place.id, city) or km) < _NEARER * km)
        for city in _whole_days_after(place, moment, diary)
    )


def _whole_days_after(place: Place, moment: Moment, diary: Diary) -> set[str]:
    """The cities that have a day of their own later on, at which a place is open."""
    month, minutes = diary.brief.month, minutes_of(place)
    return {
        here.city
        for frame in diary.frames
        if frame.number > moment.frame.number
        and earliest(open_times(place.hours, frame.on, month), 0, minutes) is not None
        for here in frame.here
        if here.begins <= _SETS_OUT and here.ends >= LATEST_END["afternoon"]
    }


def _lateness(place: Place, ends: int, moment: Moment, diary: Diary) -> float:
    """What an evening loses by a long way to bed, by a late end, and by bathing in the dark."""
    bed = diary.beds.get(moment.frame.city)
    way = local_way(place, bed, diary.brief.atlas).minutes if bed else 0
    late = max(0, ends + way - _BED_TIME) / 60
    return 0.02 * way + late + 1.5 * ("swimming" in place.features)


def _is_in_time(
    place: Place, begins: int, moment: Moment, diary: Diary, way: LocalWay | None
) -> bool:
    """Whether a visit that begins then fits the part of the day, and is not better later on."""
    latest = _latest(place, moment, diary, way)
    if begins > _last_begin(place, moment, diary) or begins + minutes_of(place) > latest:
        return False
    return not _is_better_later(place, begins, moment, diary)


def _last_begin(place: Place, moment: Moment, diary: Diary) -> int:
    """The last time to begin; what takes half a day begins early, unless it has to be seen."""
    is_long = minutes_of(place) > LONG_MIN and place.id not in diary.brief.wish.must
    return _LONG_BEGIN if is_long and moment.slot == "morning" else _LAST_BEGIN[moment.slot]


def _latest(place: Place, moment: Moment, diary: Diary, way: LocalWay | None) -> int:
    """When a visit ends at the latest; to one that may not be left out the way is counted."""
    latest, minutes = LATEST_END[moment.slot], minutes_of(place)
    is_due = moment.city in diary.sparing or place.id in diary.brief.wish.must
    if is_due and way is not None and way.minutes > _FAR_MIN:
        minutes += way.minutes
    is_long = moment.slot == "morning" and minutes > LONG_MIN
    if is_long:
        latest = LATEST_END["afternoon"]
    if is_due and (is_long or (moment.slot == "afternoon" and "evening" in place.slots)):
        latest = _INTO_EVENING
    if place.id not in diary.brief.wish.must:
        latest = min(latest, moment.free_until)
    return min(latest, moment.until)


def _value(place: Place, moment: Moment, diary: Diary, way: LocalWay | None) -> float:
    brief = diary.brief
    value = worth(place, brief) + _FOUND * (place.id in brief.standing)
    value += _kept(place, moment, diary) + _now_only(place, moment, diary)
    value -= _sameness(place, moment, diary)
    if way is not None:
        value -= 0.02 * way.minutes + _farness(way.minutes, minutes_of(place))
        value -= brief.thrift * float(way.price / brief.scale)
    return value + _paired(place, moment, diary)


def _now_only(place: Place, moment: Moment, diary: Diary) -> float:
    """Something for what is hardly seen at another time, where nothing may be left out."""
    if moment.city not in diary.sparing:
        return 0.0
    is_rare = moment.frame.on is not None and len(closed_weekdays(place.hours)) >= _SELDOM_OPEN
    is_early = moment.slot == "morning" and bool(place.slots) and "afternoon" not in place.slots
    return _TODAY_ONLY * is_rare + _MORNING_ONLY * is_early


def _farness(way: int, minutes: int) -> float:
    """What is taken off for going far: more than what was found is worth, for a short look."""
    if way <= _FAR_MIN:
        return 0.0
    return 0.02 * (way - _FAR_MIN) + (_FOUND + 1.0 if 2 * way > minutes else 0.0)


def _outlook(moment: Moment, diary: Diary) -> Outlook:
    late = diary.stock(moment.city)[1]
    evenings = 1 + diary.days_after(moment.frame.number, moment.city)
    main = diary.survey.main(moment.city)
    spared = 0.3 if late > evenings else _SCARCE
    return Outlook(
        unmet=diary.unmet,
        lacks={theme: diary.lack(theme) for theme in diary.brief.wish.themes},
        spared=0.0 if moment.slot == "evening" else spared,
        main=main.id if main is not None and takes_morning(main) else "",
    )


def _foreseen(place: Place, outlook: Outlook) -> float:
    """What a place gains for themes that are behind, and loses where evenings will want it."""
    value = 0.5 * sum(place.themes.get(theme, 0.0) * lack for theme, lack in outlook.lacks.items())
    value += _MAIN * (place.id == outlook.main)
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
