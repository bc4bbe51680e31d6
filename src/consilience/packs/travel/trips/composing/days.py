"""What is done on a day? Sights, meals and the ways between, one after the other by the clock."""

from __future__ import annotations

from dataclasses import replace

from consilience.packs.travel.atlas import Place
from consilience.packs.travel.trips.checking.days import MOST_VISITS
from consilience.packs.travel.trips.composing.boarding import (
    DINNER,
    Hunger,
    choose_table,
    meal_slot,
    only_dinner,
)
from consilience.packs.travel.trips.composing.brief import Brief, dearness
from consilience.packs.travel.trips.composing.choosing import KEPT, Chosen, Moment, choose
from consilience.packs.travel.trips.composing.cities import is_by_day
from consilience.packs.travel.trips.composing.diary import Diary
from consilience.packs.travel.trips.composing.frames import Frame, Presence
from consilience.packs.travel.trips.composing.pressing import can_wait, due_before, last_begin
from consilience.packs.travel.trips.composing.sheets import Sheet, written_day
from consilience.packs.travel.trips.composing.times import LATEST_END, PARTS
from consilience.packs.travel.trips.local import LocalWay, local_way
from consilience.packs.travel.trips.types import MEAL_MIN, SLOTS, Day, Leg, Pace, Slot

QUOTA: dict[Pace, dict[Slot, int]] = {
    "relaxed": {"morning": 1, "afternoon": 1, "evening": 1},
    "balanced": {"morning": 2, "afternoon": 2, "evening": 1},
    "packed": {"morning": 2, "afternoon": 2, "evening": 1},
}
BY_DAY: dict[Pace, int] = {"relaxed": 1, "balanced": 3, "packed": 4}
"""Visits before the evening at each pace."""
_EARLY: dict[Slot, int] = {"morning": 10 * 60 + 45, "afternoon": 15 * 60 + 30, "evening": 0}
"""Whoever is done by then has time for another sight near by."""
_NEAR_MIN = 25
_LUNCH = (11 * 60 + 45, 14 * 60 + 15)
_LATE_LUNCH = (_LUNCH[0], 15 * 60 + 15)
"""When one eats who comes back from a morning far out, once in town."""
_LATE_DINNER = 21 * 60 + 30
_LUNCH_WAY = 45
"""Whoever is further out than so many minutes eats on the way."""
_COVERED = 45
_TOO_DEAR = 4.0
_TASTING = 0.9
"""From this strength on an activity for food is a meal as well."""
_LITTLE_MIN = 240
"""Where visits take less than this by day there is time for another one."""


def fill_day(frame: Frame, woke: Place | None, diary: Diary) -> Day:
    """A day with what is done on it; `woke` is where the night before was spent."""
    first = frame.here[0] if frame.here else None
    sheet = Sheet(
        frame=frame,
        now=first.begins if first else 0,
        city=first.city if first else frame.city,
        at=woke,
    )
    if first is not None and (woke is None or not _is_in(woke, first.city, diary.brief)):
        sheet.at = diary.base(first.city)
    _visits(sheet, "morning", diary)
    if not _has_eaten(sheet) and not _eat(sheet, _LUNCH, diary) and _is_out(sheet, diary):
        _eat(sheet, _LATE_LUNCH, diary)
    _visits(sheet, "afternoon", diary)
    _evening(sheet, diary)
    _to_bed(sheet, diary)
    _tell_gaps(sheet, diary)
    return written_day(sheet, diary)


def _is_in(place: Place, city: str, brief: Brief) -> bool:
    return brief.atlas.city_of(place.id) == city


# --- sights -----------------------------------------------------------------------------


def _visits(sheet: Sheet, slot: Slot, diary: Diary, *, is_bare: bool = False) -> None:
    """Sights for a part of the day, as many as the pace allows."""
    for here in sheet.frame.here:
        if here.begins >= LATEST_END[slot] or here.ends <= PARTS[slot][0]:
            continue
        _enter(sheet, here, diary)
        while _has_room(sheet, slot, diary):
            moment = replace(_moment(sheet, slot, here), is_bare=is_bare)
            found = choose(replace(moment, free_until=_free_until(sheet, here, diary)), diary)
            if found is None or not _is_wanted(sheet, slot, found, diary):
                break
            _visit(sheet, slot, found, diary)
        _last_chance(sheet, slot, here, diary)


def _free_until(sheet: Sheet, here: Presence, diary: Diary) -> int:
    """When one sets out for what has to be seen before dinner, and is done with all else."""
    due = due_before(DINNER[0] + MEAL_MIN, here, sheet.frame, diary)
    begun = [last_begin(one, sheet.frame, diary) or 0 for one in due]
    return min(begun) - _NEAR_MIN if begun else 24 * 60


def _last_chance(sheet: Sheet, slot: Slot, here: Presence, diary: Diary) -> None:
    """On the last day, a sight more for a theme that nothing was for."""
    is_last = sheet.frame.number == max(one.number for one in diary.nights)
    if not is_last or not diary.unmet or len(sheet.seen) >= MOST_VISITS[diary.brief.wish.pace]:
        return
    found = choose(replace(_moment(sheet, slot, here), themes=diary.unmet), diary)
    if found is not None:
        _visit(sheet, slot, found, diary)


def _enter(sheet: Sheet, here: Presence, diary: Diary) -> None:
    """Go where one is by then; a way between cities ends at the bed there."""
    if here.city != sheet.city:
        sheet.city, sheet.at = here.city, diary.base(here.city)
    sheet.now = max(sheet.now, here.begins)


def _moment(sheet: Sheet, slot: Slot, here: Presence) -> Moment:
    return Moment(
        frame=sheet.frame,
        slot=slot,
        city=here.city,
        at=sheet.at,
        now=sheet.now,
        until=here.ends,
        today=tuple(one.place for _, one in sheet.seen),
    )


def _has_room(sheet: Sheet, slot: Slot, diary: Diary) -> bool:
    """Whether the pace leaves room for a visit; one that has to be in the trip finds more."""
    pace = diary.brief.wish.pace
    extra = int(diary.has_must(sheet.city) or diary.waits(sheet.frame.number, slot))
    in_slot = sum(part == slot for part, _ in sheet.seen)
    if slot == "evening":
        return in_slot < QUOTA[pace][slot] + extra and len(sheet.seen) < MOST_VISITS[pace]
    spent = sum(one.ends - one.begins for _, one in sheet.seen)
    extra += pace == "balanced" and spent < _LITTLE_MIN
    most = min(BY_DAY[pace] + extra, MOST_VISITS[pace] - 1)
    return in_slot < QUOTA[pace][slot] + extra and len(sheet.seen) < most


def _is_wanted(sheet: Sheet, slot: Slot, found: Chosen, diary: Diary) -> bool:
    """Whether a second sight in a part of the day is near and in time; the first always is."""
    mine = [one for part, one in sheet.seen if part == slot]
    if found.value > KEPT:
        return True
    if not mine and slot == "evening":
        fits = not is_by_day(found.place) or _leaves_some(sheet, diary)
        return fits and dearness(found.place.price, diary.brief) < _TOO_DEAR
    if not mine:
        return not sheet.seen or _leaves_some(sheet, diary)
    if not _is_plenty(sheet, slot, diary) or dearness(found.place.price, diary.brief) > 0.3:
        return False
    if diary.brief.wish.pace == "packed":
        return True
    near = found.way is None or found.way.minutes <= _NEAR_MIN
    rests = found.begins - sheet.now <= _NEAR_MIN + 35
    return sheet.now <= _EARLY[slot] and near and rests


def _leaves_some(sheet: Sheet, diary: Diary) -> bool:
    """Whether every day that follows has a sight of its own left, where one has to be sparing."""
    if sheet.city not in diary.sparing:
        return True
    return diary.left_by_day(sheet.city) > diary.days_after(sheet.frame.number, sheet.city)


def _is_plenty(sheet: Sheet, slot: Slot, diary: Diary) -> bool:
    """Whether a second sight leaves enough for the rest of this day and for those that follow."""
    if sheet.city in diary.sparing:
        return False
    by_day, late = diary.stock(sheet.city)
    later = diary.days_after(sheet.frame.number, sheet.city)
    wanted = 2 * later + (slot == "morning")
    return by_day + max(0, late - later - 1) > wanted


def _visit(sheet: Sheet, slot: Slot, found: Chosen, diary: Diary) -> None:
    _go(sheet, found.place, found.way, found.begins)
    sheet.seen.append((slot, found))
    sheet.now = found.ends
    diary.visit(found.place)


def _go(sheet: Sheet, place: Place, way: LocalWay | None, begins: int) -> None:
    """A way within the city, so that one is there in time."""
    if way is not None and sheet.at is not None and way.minutes:
        sheet.legs.append(
            Leg(
                start=sheet.at.id,
                end=place.id,
                mode=way.mode,
                minutes=way.minutes,
                begins=begins - way.minutes,
                price=way.price,
                km=way.km,
            )
        )
    sheet.at = place


# --- meals ------------------------------------------------------------------------------


def _eat(sheet: Sheet, span: tuple[int, int], diary: Diary) -> bool:
    """A meal that begins in a span of time, where one is then."""
    first, last = span
    is_lunch = first == _LUNCH[0]
    spared = only_dinner(sheet.frame.city, diary, sheet.frame.on) if is_lunch else ()
    for here in sheet.frame.here:
        begins = max(first, here.begins)
        latest = min(last, here.ends - MEAL_MIN)
        if begins > latest or sheet.now > latest:
            continue
        trial = sheet.copied()
        _enter(trial, here, diary)
        hunger = Hunger(
            city=here.city,
            at=trial.at,
            now=trial.now,
            first=begins,
            last=latest,
            on=sheet.frame.on,
            without=(*(one.place.id for one in sheet.eaten), *spared),
            furthest=_LUNCH_WAY if span == _LUNCH else 24 * 60,
            kept=diary.tabled.get(sheet.frame.number, {}).get(meal_slot(begins), ""),
        )
        found = choose_table(hunger, diary)
        if found is None:
            continue
        _enter(sheet, here, diary)
        _go(sheet, found.place, found.way, found.begins)
        sheet.eaten.append(found)
        sheet.now = found.begins + MEAL_MIN
        diary.eat(found.place)
        return True
    return False


def _has_eaten(sheet: Sheet) -> bool:
    """Whether one has just come from cooking or tasting."""
    last = sheet.seen[-1][1] if sheet.seen else None
    if last is None or last.place.kind != "activity":
        return False
    ate = last.place.themes.get("food", 0.0) >= _TASTING and last.ends - last.begins >= 120
    return ate and last.ends >= _LUNCH[0] - 15


def _is_out(sheet: Sheet, diary: Diary) -> bool:
    """Whether one has spent the morning further out than one goes for lunch."""
    base = diary.base(sheet.city)
    if not sheet.seen or sheet.at is None or base is None or sheet.now < _LUNCH[0]:
        return False
    return local_way(sheet.at, base, diary.brief.atlas).minutes > _LUNCH_WAY


# --- evenings ---------------------------------------------------------------------------


def _evening(sheet: Sheet, diary: Diary) -> None:
    """Dinner and then something to see, or the other way round where that is open earlier."""
    leaves = min((leg.begins for leg in sheet.frame.legs if leg.overnight), default=24 * 60)
    early = (min(DINNER[0], max(17 * 60, leaves - 150)), DINNER[1])
    if _pressed(sheet, diary):
        _visits(sheet, "evening", diary)
        return
    start = sheet.copied()
    if not _eat(sheet, early, diary):
        _visits(sheet, "evening", diary)
        if not _eat(sheet, (DINNER[0], _LATE_DINNER), diary):
            _visits(sheet, "evening", diary, is_bare=True)
        return
    _visits(sheet, "evening", diary)
    if not any(slot == "evening" for slot, _ in sheet.seen):
        _before_dinner(sheet, start, diary)


def _pressed(sheet: Sheet, diary: Diary) -> bool:
    """See what has to be seen and is over before one has dined, then dine; whether that is done.

    Without a table afterwards it waits for another evening, if there is one.
    """
    for here in sheet.frame.here:
        due = due_before(DINNER[0] + MEAL_MIN, here, sheet.frame, diary)
        if not due:
            continue
        trial = sheet.copied()
        _enter(trial, here, diary)
        moment = replace(_moment(trial, "evening", here), only=frozenset(one.id for one in due))
        found = choose(moment, diary)
        if found is None:
            continue
        _visit(trial, "evening", found, diary)
        dined = _eat(trial, (DINNER[0], _LATE_DINNER), diary)
        if not dined and can_wait(found.place, here.city, sheet.frame, diary):
            diary.forget(found.place)
            continue
        sheet.take(trial)
        return True
    return False


def _before_dinner(sheet: Sheet, start: Sheet, diary: Diary) -> None:
    """Put a sight before the dinner, from how the day stood at `start`, if both fit."""
    trial, dinner = start.copied(), sheet.eaten[-1].place
    _visits(trial, "evening", diary)
    if len(trial.seen) == len(start.seen):
        return
    diary.tables[dinner.id] -= 1
    if not _eat(trial, (DINNER[0], _LATE_DINNER), diary):
        diary.tables[dinner.id] += 1
        for _, one in trial.seen[len(start.seen) :]:
            diary.forget(one.place)
        return
    sheet.take(trial)


def _to_bed(sheet: Sheet, diary: Diary) -> None:
    """The way to the bed, where the night has one and one is out."""
    bed = diary.beds.get(sheet.frame.city)
    if not sheet.frame.sleeps or bed is None or sheet.at is None or sheet.city != sheet.frame.city:
        return
    way = local_way(sheet.at, bed, diary.brief.atlas)
    _go(sheet, bed, way, sheet.now + way.minutes)


# --- what is lacking --------------------------------------------------------------------


def _tell_gaps(sheet: Sheet, diary: Diary) -> None:
    frame = sheet.frame
    free = [slot for slot in SLOTS if not _is_covered(sheet, slot)]
    if diary.brief.wish.pace == "relaxed" and len(free) == 1 and sheet.seen:
        free = []
    for slot in free:
        here = [one.city for one in frame.here if one.begins < PARTS[slot][1]]
        name = diary.brief.atlas.name_of(here[-1] if here else frame.city)
        diary.lacking.update(one.city for one in frame.here)
        diary.gaps.append(
            f"day {frame.number}: nothing more that fits is known in {name} for the {slot}"
        )


def _is_covered(sheet: Sheet, slot: Slot) -> bool:
    if any(part == slot for part, _ in sheet.seen):
        return True
    begins, ends = PARTS[slot]
    spans = [(one.begins, one.ends) for _, one in sheet.seen]
    spans += [(one.begins, one.begins + MEAL_MIN) for one in sheet.eaten]
    spans += [(one.begins, one.begins + one.minutes) for one in sheet.frame.legs]
    return sum(max(0, min(last, ends) - max(first, begins)) for first, last in spans) >= _COVERED
