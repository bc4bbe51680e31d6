"""How is an itinerary put right that a check found wanting? What is right of it stays.

Days without a finding stay as they are. A day with one is laid anew around the visits that may
stay, with names, prices and citations from the atlas; a place that was closed is welcome at
another time. Where the way itself is wrong, the cities are joined anew, in the days they had if
that can be.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from consilience.packs.travel.atlas import CITY, FOOD, STAY, Atlas, Connection
from consilience.packs.travel.trips.checking.ways import belongs
from consilience.packs.travel.trips.composing.brief import Brief, may_eat, may_use, may_visit
from consilience.packs.travel.trips.composing.cities import Survey, demanded
from consilience.packs.travel.trips.composing.frames import Frame, frames_of
from consilience.packs.travel.trips.composing.route import Route, Stop, find_route
from consilience.packs.travel.trips.composing.trip import Kept, survey_of, written
from consilience.packs.travel.trips.composing.ways import Journey, night_departure
from consilience.packs.travel.trips.reading.ways.travelling import is_barred
from consilience.packs.travel.trips.types import Day, Finding, Itinerary, Leg, Slot

OF_THE_WHOLE = frozenset(
    {"day-count", "start-end", "nights", "too-many-cities", "region", "must-missing"}
)
"""Findings that may need another route."""
OF_A_WAY = frozenset({"route", "leg-unknown", "travel-time", "avoided", "price", "not-cited"})
"""Findings for which the connection of a day is looked for anew."""
ELSEWHERE = frozenset({"closed", "wrong-city", "overlap", "travel-time", "slot-time"})
"""Findings after which a place is welcome at another time."""
NOT_HERE = frozenset(
    {"place-unknown", "wrong-kind", "wrong-city", "avoided", "need-unmet", "closed", "level"}
)
"""Findings after which a place does not stay where it is."""


MISSING = frozenset({"must-missing", "theme-missing"})
"""Findings of something that should be in it, and is not."""


@dataclass(frozen=True, slots=True)
class _Case:
    """An itinerary and what is wrong with it."""

    survey: Survey
    before: Itinerary
    findings: tuple[Finding, ...]

    @property
    def brief(self) -> Brief:
        return self.survey.brief

    @property
    def atlas(self) -> Atlas:
        return self.survey.brief.atlas

    def faults(self, day: int, rules: Collection[str]) -> frozenset[str]:
        """The places at fault on a day by some rules."""
        found = (one for one in self.findings if one.day == day and one.rule in rules)
        return frozenset(one.place for one in found)


def mended(brief: Brief, before: Itinerary, findings: Sequence[Finding]) -> Itinerary:
    """The itinerary with what was found wrong put right, as far as it can be."""
    case = _Case(survey_of(brief), before, tuple(findings))
    route = _route(case)
    frames = frames_of(route, case.survey)
    thrifty = brief.thrift > 0
    kept = Kept(
        route=route,
        sights=_sights(case, frames),
        tables={} if thrifty else _tables(case),
        beds=frozenset() if thrifty else _beds(case),
        days={} if thrifty else _whole_days(case, frames),
        welcome=_welcome(case),
    )
    return written(case.survey, kept)


# --- the way ----------------------------------------------------------------------------


def _route(case: _Case) -> Route:
    """The route as it was, if it can be; else one through its cities and those demanded."""
    wish = case.brief.wish
    towns = [_town(day, case.atlas) for day in case.before.days]
    if not _needs_another(case, towns):
        route = _same(case, towns)
        if route is not None:
            return route
    known = [one for one in dict.fromkeys(towns) if _may_stay_in(one, case)]
    asked = [one for one in demanded(case.survey) if one not in known]
    cities = [*asked, *known]
    if not cities:
        return find_route(case.survey)
    most = wish.most_cities or wish.days
    while len(cities) > max(1, most):
        spare = [one for one in cities if one not in demanded(case.survey)]
        if not spare:
            break
        cities.remove(min(spare, key=lambda one: (case.survey.worths.get(one, 0.0), one)))
    return find_route(case.survey, cities)


def _town(day: Day, atlas: Atlas) -> str:
    """The city that most of a day says its night is in."""
    votes: dict[str, float] = {}

    def vote(city: str, weight: float) -> None:
        if city in atlas.places and atlas.places[city].kind == CITY:
            votes[city] = votes.get(city, 0.0) + weight

    vote(day.city, 1.1)
    if day.stay is not None:
        vote(atlas.city_of(day.stay.place), 1.0)
    ways = [leg for leg in day.legs if leg.passage]
    if ways:
        vote(max(ways, key=lambda leg: leg.begins).end, 1.0)
    for visit in day.visits:
        vote(atlas.city_of(visit.place), 0.6 if visit.slot == "evening" else 0.3)
    for meal in day.meals:
        vote(atlas.city_of(meal.place), 0.5 if meal.slot == "evening" else 0.2)
    return max(sorted(votes), key=lambda one: votes[one], default="")


def _needs_another(case: _Case, towns: Sequence[str]) -> bool:
    """Whether the cities or their days are not what they should be."""
    wish = case.brief.wish
    if len(towns) != wish.days or not all(_may_stay_in(one, case) for one in towns):
        return True
    if any(one not in towns for one in demanded(case.survey)):
        return True
    rules = {one.rule for one in case.findings} & OF_THE_WHOLE
    return bool(rules - {"must-missing"}) or bool(wish.end and towns[-1] != wish.end)


def _may_stay_in(city: str, case: _Case) -> bool:
    place = case.atlas.places.get(city)
    wish = case.brief.wish
    if place is None or not may_use(place, case.brief):
        return False
    named = {*demanded(case.survey), wish.start, wish.end}
    return not wish.region or city in named or case.atlas.lies_in(city, wish.region)


def _same(case: _Case, towns: Sequence[str]) -> Route | None:
    """The route through the same cities in the same days; None where no journeys join them."""
    wish = case.brief.wish
    blocks = [(city, len(list(days))) for city, days in groupby(towns)]
    begins = wish.start or _begins(case, blocks[0][0])
    stops: list[Stop] = []
    here, number = begins, 1
    for city, days in blocks:
        journey = None
        if city != here:
            journey = _journey(case, here, city, number, days)
            if journey is None:
                return None
        stops.append(Stop(city=city, days=days, journey=journey))
        here, number = city, number + days
    return Route(begins=begins, stops=tuple(stops))


def _begins(case: _Case, first: str) -> str:
    """Where the trip begins: where its first way leaves from, if that leads where it goes."""
    ways = [leg for leg in case.before.days[0].legs if leg.passage]
    if ways and min(ways, key=lambda leg: leg.begins).start == first:
        return first
    for leg in ways:
        if leg.end == first and _known_way(leg, case) is not None:
            return leg.start
    return first


def _journey(case: _Case, here: str, city: str, number: int, days: int) -> Journey | None:
    """How one gets to the next city: as before if nothing was wrong with it, else the best way."""
    day = case.before.days[number - 1]
    ways = [_known_way(leg, case) for leg in day.legs if leg.passage]
    wrong = any(one.day == number and one.rule in OF_A_WAY for one in case.findings)
    known = tuple(one for one in ways if one is not None)
    if known and len(known) == len(ways) and not wrong and not case.brief.thrift:
        joined = [here, *(one.end for one in known)]
        fits = all(one.start == at for one, at in zip(known, joined, strict=False))
        if fits and known[-1].end == city and (not known[0].overnight or days > 1):
            return Journey(ways=known, weight=0.0)
    best = case.survey.ways.best(here, city)
    return None if best is None or (best.overnight and days < 2) else best


def _known_way(leg: Leg, case: _Case) -> Connection | None:
    """The connection that a leg takes; None where there is none, or it is to be avoided."""
    avoided = case.brief.wish.avoid.modes
    for way in case.atlas.direct(leg.start, leg.end):
        leaves = not way.overnight or night_departure(way) is not None
        if way.passage == leg.passage and leaves and not is_barred(way, avoided):
            return way
    return None


# --- what stays -------------------------------------------------------------------------


def _sights(case: _Case, frames: Sequence[Frame]) -> dict[int, dict[str, Slot]]:
    """The visits that each day keeps, each place once: on its own day, or on one in its city."""
    found: dict[int, dict[str, Slot]] = {}
    seen = set[str]()
    for day in case.before.days:
        gone = case.faults(day.number, NOT_HERE)
        for visit in day.visits:
            if visit.place in seen or visit.place in gone or not _may_keep(visit.place, case):
                continue
            number = _day_for(visit.place, day.number, frames, case)
            if number:
                seen.add(visit.place)
                found.setdefault(number, {})[visit.place] = visit.slot
    return found


def _may_keep(place: str, case: _Case) -> bool:
    """Whether a visit may stay at all; a dear one does not where the budget is short."""
    known = case.atlas.places.get(place)
    if known is None or known.kind == STAY or not may_visit(known, case.brief):
        return False
    return float((known.price or 0) / case.brief.scale) * case.brief.thrift <= 0.2


def _day_for(place: str, number: int, frames: Sequence[Frame], case: _Case) -> int:
    """The day on which a place is visited: its own, else the first in its city; 0 for none."""
    there = [
        frame.number
        for frame in frames
        if any(belongs(place, here.city, case.atlas) for here in frame.here)
    ]
    return number if number in there else next(iter(there), 0)


def _tables(case: _Case) -> dict[int, dict[Slot, str]]:
    found: dict[int, dict[Slot, str]] = {}
    for day in case.before.days:
        gone = case.faults(day.number, NOT_HERE)
        for meal in day.meals:
            place = case.atlas.places.get(meal.place)
            if place is None or place.kind != FOOD or meal.place in gone:
                continue
            if may_eat(place, case.brief):
                found.setdefault(day.number, {})[meal.slot] = meal.place
    return found


def _beds(case: _Case) -> frozenset[str]:
    """The stays that nothing was wrong with, in the city of their night."""
    wrong = {one.place for one in case.findings if one.rule in NOT_HERE}
    return frozenset(
        day.stay.place
        for day in case.before.days
        if day.stay is not None
        and day.stay.place not in wrong
        and case.atlas.city_of(day.stay.place) == day.city
    )


def _whole_days(case: _Case, frames: Sequence[Frame]) -> dict[int, Day]:
    """The days that stay as they are: without a finding, on the same way, in the same city."""
    faulty = {one.day for one in case.findings if one.day}
    waiting = _waiting(case)
    found: dict[int, Day] = {}
    for frame, day in zip(frames, case.before.days, strict=False):
        sound = day.number not in faulty and day.number == frame.number and day.city == frame.city
        ways = tuple(leg for leg in day.legs if leg.passage)
        free = not any(here.city in waiting for here in frame.here)
        if sound and free and _alike(ways, frame.legs):
            found[day.number] = day
    return {
        number: day
        for number, day in found.items()
        if number - 1 in found or not _after_night(case, number)
    }


def _alike(ways: Sequence[Leg], others: Sequence[Leg]) -> bool:
    """Whether two days take the same connections, whenever they leave."""
    return [one.passage for one in ways] == [one.passage for one in others]


def _after_night(case: _Case, number: int) -> bool:
    """Whether a day begins with the arrival of a night on the way."""
    before = [day for day in case.before.days if day.number == number - 1]
    return any(leg.overnight for day in before for leg in day.legs)


def _waiting(case: _Case) -> frozenset[str]:
    """The cities in which something that has to be seen is missing."""
    missing = [one.place for one in case.findings if one.rule in MISSING]
    return frozenset(map(case.atlas.city_of, missing))


def _welcome(case: _Case) -> frozenset[str]:
    """Places that were in it at a wrong time, or in a wrong city: good at another."""
    found = {one.place for one in case.findings if one.rule in ELSEWHERE}
    visited = {visit.place for day in case.before.days for visit in day.visits}
    missing = {one.place for one in case.findings if one.rule == "theme-missing"}
    return frozenset(found & visited) | missing
