"""How does a brief become an itinerary? A route, its days one by one, and what it lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from consilience.packs.travel.atlas import CITY, FOOD, SIGHTS, STAY, Place
from consilience.packs.travel.trips.composing.boarding import choose_bed
from consilience.packs.travel.trips.composing.brief import Brief
from consilience.packs.travel.trips.composing.cities import Survey, demanded
from consilience.packs.travel.trips.composing.days import fill_day
from consilience.packs.travel.trips.composing.diary import Diary
from consilience.packs.travel.trips.composing.frames import Frame, frames_of
from consilience.packs.travel.trips.composing.route import Route, find_route
from consilience.packs.travel.trips.composing.ways import Ways
from consilience.packs.travel.trips.types import Day, Itinerary, Slot

_TRIES = 3
"""So often other days are given to cities, where some part of a day stays empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What of an earlier itinerary is to stay: its way, sights and tables by day, beds, whole days.

    What is `welcome` had its place and lost it: it goes before others wherever it fits.
    """

    route: Route | None = None
    sights: Mapping[int, Mapping[str, Slot]] = field(default_factory=dict)
    tables: Mapping[int, Mapping[Slot, str]] = field(default_factory=dict)
    beds: frozenset[str] = frozenset()
    days: Mapping[int, Day] = field(default_factory=dict)
    welcome: frozenset[str] = frozenset()


def survey_of(brief: Brief) -> Survey:
    """What the cities have to give for a brief."""
    return Survey(brief, Ways(brief))


def written(survey: Survey, kept: Kept | None = None) -> Itinerary:
    """The itinerary for a brief, with what is kept of an earlier one."""
    kept = kept or Kept()
    best = _draft(kept.route or find_route(survey), survey, kept)
    latest = best
    for _ in range(_TRIES if kept.route is None else 0):
        if not latest.diary.lacking:
            break
        counts = Counter(day.city for day in latest.days)
        survey.limits.update({one: max(0, counts[one] - 1) for one in latest.diary.lacking})
        latest = _draft(find_route(survey), survey, kept)
        best = min(best, latest, key=_lacks)
    if kept.route is None:
        best = _with_musts(best, survey, kept)
    best = _with_later_ways(best, survey, kept)
    if kept.route is None:
        best = _without_empty_days(best, survey, kept)
    route, diary, days = best.route, best.diary, best.days
    gaps = (
        *route.gaps,
        *diary.gaps,
        *_missing(survey.brief, days),
        *_without_beds(diary.nights, diary),
    )
    currency = survey.brief.atlas.currency
    return Itinerary(days=days, currency=currency, gaps=tuple(dict.fromkeys(gaps)))


def _with_musts(best: _Draft, survey: Survey, kept: Kept) -> _Draft:
    """Where something is missing that has to be in it: once more, without what nobody asked for.

    A market of Sundays is met by whoever is there on Saturday, not after two days elsewhere.
    """
    brief, before, latest = survey.brief, dict(survey.limits), best
    for _ in range(2 * _TRIES):
        others = {one.city for one in latest.route.stops} - set(demanded(survey))
        if not others or not _missing(brief, best.days):
            break
        survey.limits.update(dict.fromkeys(others, 0))
        latest = _draft(find_route(survey), survey, kept)
        best = min(best, latest, key=lambda one: (len(_missing(brief, one.days)), _lacks(one)))
    survey.limits.clear()
    survey.limits.update(before)
    return best


def _with_later_ways(best: _Draft, survey: Survey, kept: Kept) -> _Draft:
    """Where something that has to be seen is missing: once more, leaving its city late."""
    brief, atlas = survey.brief, survey.brief.atlas
    if not _missing(brief, best.days):
        return best
    seen = {one.place for day in best.days for one in day.visits}
    towns = {atlas.city_of(one) for one in brief.wish.must if one not in seen}
    before = (best.route.begins, *(one.city for one in best.route.stops))
    stops = tuple(
        replace(stop, is_late=city in towns)
        for city, stop in zip(before, best.route.stops, strict=False)
    )
    if stops == best.route.stops:
        return best
    latest = _draft(replace(best.route, stops=stops), survey, kept)
    return min(best, latest, key=lambda one: len(_missing(brief, one.days)))


def _without_empty_days(best: _Draft, survey: Survey, kept: Kept) -> _Draft:
    """Where a day has nothing at all: once more with less in each of them."""
    if survey.brief.wish.pace == "relaxed" or survey.brief.thrift or not _empty(best):
        return best
    calm = survey_of(replace(survey.brief, wish=replace(survey.brief.wish, pace="relaxed")))
    latest = _draft(find_route(calm), calm, kept)
    return min(best, latest, key=lambda one: (_empty(one), len(_missing(survey.brief, one.days))))


def _empty(draft: _Draft) -> int:
    """How many days have neither a visit by day nor a way between cities."""
    return sum(
        all(one.slot == "evening" for one in day.visits)
        and not any(one.passage for one in day.legs)
        for day in draft.days
    )


class _Draft(NamedTuple):
    """A route, its days, and the diary that was kept of them."""

    route: Route
    diary: Diary
    days: tuple[Day, ...]


def _lacks(draft: _Draft) -> tuple[int, int]:
    """What is wanting: whole days that are empty before all, then all that could not be filled."""
    return _empty(draft), len(draft.route.gaps) + len(draft.diary.gaps)


def _draft(route: Route, survey: Survey, kept: Kept) -> _Draft:
    """The days of a route; where some part of one stays empty, once more and more sparingly."""
    frames = frames_of(route, survey)
    first = _Draft(route, *_filled(frames, survey, kept))
    if not first.diary.lacking:
        return first
    spared = _filled(frames, survey, kept, frozenset(first.diary.lacking))
    return min(first, _Draft(route, *spared), key=_lacks)


def _filled(
    frames: tuple[Frame, ...], survey: Survey, kept: Kept, sparing: frozenset[str] = frozenset()
) -> tuple[Diary, tuple[Day, ...]]:
    """The days of a route, and the diary that was kept of them."""
    diary = Diary(
        survey=survey,
        beds=_beds(frames, survey.brief, kept),
        pinned=kept.sights,
        tabled=kept.tables,
        welcome=kept.welcome,
        nights=frames,
        frames=tuple(one for one in frames if one.number not in kept.days),
        sparing=sparing,
    )
    _remember(kept.days.values(), diary)
    return diary, _days(frames, diary, kept.days)


def _beds(frames: Sequence[Frame], brief: Brief, kept: Kept) -> dict[str, Place]:
    cities = {one.city for frame in frames for one in frame.here} | {one.city for one in frames}
    found = {city: choose_bed(city, brief, kept.beds) for city in sorted(cities)}
    return {city: bed for city, bed in found.items() if bed is not None}


def _remember(days: Iterable[Day], diary: Diary) -> None:
    """Count what whole days that are kept have used up."""
    places = diary.brief.atlas.places
    for day in days:
        for visit in day.visits:
            diary.visit(places[visit.place])
        for meal in day.meals:
            diary.eat(places[meal.place])


def _days(frames: Sequence[Frame], diary: Diary, kept: Mapping[int, Day]) -> tuple[Day, ...]:
    days: list[Day] = []
    woke: Place | None = None
    for frame in frames:
        day = kept.get(frame.number) or fill_day(frame, woke, diary)
        days.append(day)
        woke = diary.beds.get(frame.city) if frame.sleeps else None
    return tuple(days)


def _missing(brief: Brief, days: Sequence[Day]) -> list[str]:
    """What has to be in the trip and is not."""
    atlas = brief.atlas
    used = {one.place for day in days for one in day.visits}
    used |= {one.place for day in days for one in day.meals}
    used |= {day.stay.place for day in days if day.stay}
    cities = {day.city for day in days} | {atlas.city_of(one) for one in used}
    gaps: list[str] = []
    for key in brief.wish.must:
        place = atlas.places.get(key)
        if place is None:
            gaps.append(f"no place {key!r} is known")
        elif place.kind in {*SIGHTS, FOOD, STAY} and key not in used:
            gaps.append(f"no time was found at which {place.name} can be visited")
        elif place.kind == CITY and key not in cities:
            gaps.append(f"{place.name} is not in the trip")
    return gaps


def _without_beds(frames: Sequence[Frame], diary: Diary) -> list[str]:
    bare = sorted({one.city for one in frames if one.sleeps and one.city not in diary.beds})
    return [f"no place to stay is known in {diary.brief.atlas.name_of(one)}" for one in bare]
