"""Where is one on which day? Stops with their days, and the journeys between them.

Every city gets a day at least, then the days it is worth, then what is left by what it holds. A
night on the way belongs to the city that it leads to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from consilience.packs.travel.trips.composing.brief import Brief
from consilience.packs.travel.trips.composing.cities import Survey, choose_cities, demanded
from consilience.packs.travel.trips.composing.order import in_order
from consilience.packs.travel.trips.composing.ways import Journey, Ways

_LONG_VISIT_MIN = 240
_MUSTS_A_DAY = 2
_EARLY_MIN, _EARLY_FOR_MUST = 195, 270
"""Whoever leaves early has a morning after a way of so many minutes; for what has to be seen, of
more.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A city, the days whose nights are counted to it, and how one gets there.

    Without `journey` one is there already. What is not chosen is only passed through. One sets
    out early where the best of the city would be lost to the arrival, and late where what has to
    be seen before would be lost to the departure.
    """

    city: str
    days: int
    journey: Journey | None = None
    is_chosen: bool = True
    is_early: bool = False
    is_late: bool = False

    @property
    def least(self) -> int:
        """The fewest days that it takes."""
        return 2 if self.journey is not None and self.journey.overnight else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The stops in order, where the trip begins, and what had to be left out."""

    begins: str
    stops: tuple[Stop, ...]
    gaps: tuple[str, ...] = ()


def find_route(survey: Survey, cities: Sequence[str] | None = None) -> Route:
    """The route through the best cities, or through those given."""
    brief = survey.brief
    wish = brief.wish
    chosen = list(choose_cities(survey) if cities is None else cities)
    gaps = list(survey.outings.gaps)
    while True:
        order = in_order(chosen, survey.ways, wish.start, wish.end, asked=wish.cities)
        route, missing = _joined(order, survey)
        route = _by_day(route, chosen, survey)
        taken = sum(stop.least for stop in route.stops)
        if (taken <= wish.days and not missing) or len(chosen) <= 1:
            break
        dropped = _dropped(missing, chosen, survey) if missing else _least_worth(chosen, survey)
        chosen.remove(dropped)
        gaps.append(_left_out(dropped, brief, reachable=not missing))
    if missing:
        gaps.append(_left_out(missing, brief, reachable=False))
    while sum(stop.least for stop in route.stops) > wish.days:
        route, dropped = _shorter(route)
        gaps.append(_left_out(dropped, brief, reachable=True))
    stops = tuple(replace(one, is_chosen=one.city in chosen) for one in route.stops)
    return replace(route, stops=_allotted(stops, survey), gaps=tuple(gaps))


def _shorter(route: Route) -> tuple[Route, str]:
    """The route without its last stop, which is told; without any, one stays where it begins."""
    stops = route.stops[:-1] or (Stop(city=route.begins, days=1),)
    return replace(route, stops=stops), route.stops[-1].city


def _left_out(city: str, brief: Brief, *, reachable: bool) -> str:
    name = brief.atlas.name_of(city)
    if not reachable:
        return f"no way to {name} was found that fits into a day or a night"
    return f"{brief.wish.days} days do not suffice for {name} as well"


def _dropped(missing: str, chosen: Sequence[str], survey: Survey) -> str:
    """The city to be left out where one is not reached: that one, unless it was asked for first."""
    asked = demanded(survey)
    if survey.brief.wish.start or missing not in asked:
        return missing if missing in chosen else _least_worth(chosen, survey)
    others = [one for one in chosen if one not in asked]
    return _least_worth(others, survey) if others else max(chosen, key=asked.index)


def _least_worth(chosen: Sequence[str], survey: Survey) -> str:
    """The city to be left out first: not demanded, or as a day trip only, of the least worth."""
    asked, none = demanded(survey), survey.outings.none
    rank = {one: 1 if one in none else 2 for one in asked}
    return min(chosen, key=lambda one: (rank.get(one, 0), survey.worths.get(one, 0.0), one))


def _joined(order: Sequence[str], survey: Survey) -> tuple[Route, str]:
    """The stops with their journeys, nights on long ways put in; or a city that is not reached."""
    wish, ways = survey.brief.wish, survey.ways
    begins = wish.start or (order[0] if order else wish.end)
    visited = list(order)
    if wish.end and (not visited or visited[-1] != wish.end):
        visited.append(wish.end)
    stops: list[Stop] = []
    here = begins
    if visited and visited[0] == begins:
        stops.append(Stop(city=begins, days=1))
        visited = visited[1:]
    for city in visited:
        for step in (*_between(here, city, ways), city):
            journey = ways.best(here, step)
            if journey is None:
                known = stops or [Stop(city=begins, days=1)]
                return Route(begins=begins, stops=tuple(known)), city
            stops.append(Stop(city=step, days=1, journey=journey))
            here = step
    if not stops:
        stops = [Stop(city=begins, days=1)]
    return Route(begins=begins, stops=tuple(stops)), ""


def _by_day(route: Route, chosen: Sequence[str], survey: Survey) -> Route:
    """The route with ways by day instead of nights on the way, as far as the days demand it.

    A night on the way is none in a city: where all nights are asked for, none is left for it. And
    it gives a day to where one only sets out, or comes back to, that is short where one goes.
    """
    days, stops = survey.brief.wish.days, list(route.stops)
    while True:
        if sum(_due(stops, survey)) > days:
            places = list(range(len(stops)))
        elif _is_hasty(stops, chosen, survey):
            outer = ((0, route.begins), (len(stops) - 1, stops[-1].city))
            places = [place for place, city in outer if city not in chosen]
        else:
            break
        swaps = list(_swaps(stops, places, survey.ways))
        if not swaps:
            break
        _, place, other = min(swaps, key=lambda one: one[:2])
        stops[place] = replace(stops[place], journey=other)
    return replace(route, stops=tuple(stops))


def _swaps(
    stops: Sequence[Stop], places: Iterable[int], ways: Ways
) -> Iterator[tuple[float, int, Journey]]:
    """The ways by day for nights on the way to some stops, and how much more each costs."""
    for place in places:
        journey = stops[place].journey
        if journey is None or not journey.overnight:
            continue
        other = ways.by_day(journey.ways[0].start, stops[place].city)
        if other is not None:
            yield other.weight - journey.weight, place, other


def _is_hasty(stops: Sequence[Stop], chosen: Sequence[str], survey: Survey) -> bool:
    """Whether the cities that were asked for have fewer days than they are worth."""
    brief = survey.brief
    if brief.thrift or not brief.wish.cities or brief.wish.nights:
        return False
    lost = sum(stop.least - (stop.city in chosen) for stop in stops)
    return brief.wish.days - lost < sum(survey.suggested(one)[1] for one in chosen)


def _due(stops: Sequence[Stop], survey: Survey) -> list[int]:
    """The days that each stop takes at least: its nights, that of the way there, and a last day.

    Nights that were asked for in a city that one comes back to are those of the first time.
    """
    asked, due = dict(survey.brief.wish.nights), list[int]()
    for place, stop in enumerate(stops):
        nights = asked.pop(stop.city, 0)
        last = int(place == len(stops) - 1)
        due.append(max(stop.least, nights + stop.least - 1 + last) if nights else stop.least)
    return due


def _between(here: str, city: str, ways: Ways) -> tuple[str, ...]:
    return () if ways.best(here, city) else ways.through(here, city)


def _allotted(stops: Sequence[Stop], survey: Survey) -> tuple[Stop, ...]:
    """The stops with all days of the trip given out."""
    counts = [stop.least for stop in stops]
    left = survey.brief.wish.days - sum(counts)
    for place, due in enumerate(_due(stops, survey)):
        given = max(0, min(left, due - counts[place]))
        counts[place] += given
        left -= given
    while left > 0:
        place = max(range(len(stops)), key=lambda one: (_need(stops, counts, one, survey), -one))
        counts[place] += 1
        left -= 1
    return tuple(
        replace(stop, days=days, is_early=_is_early(stop, days, survey))
        for stop, days in zip(stops, counts, strict=True)
    )


def _is_early(stop: Stop, days: int, survey: Survey) -> bool:
    """Whether to set out early: the only morning is that of the arrival, and it suffices then."""
    journey = stop.journey
    if journey is None or journey.overnight or days > 1 or not stop.is_chosen:
        return False
    longest = _EARLY_FOR_MUST if survey.has_long_must(stop.city) else _EARLY_MIN
    return journey.minutes <= longest and survey.needs_morning(stop.city)


def _need(stops: Sequence[Stop], counts: Sequence[int], place: int, survey: Survey) -> float:
    """How much another day is wanted at a stop."""
    stop = stops[place]
    wish = survey.brief.wish
    if stop.city in wish.nights:
        return -100.0 - counts[place]
    lost = stop.least - 1 + (0 if stop.journey is None else _lost_share(stop.journey))
    leaves_late = place + 1 < len(stops) and stops[place + 1].least > 1
    days = counts[place] - lost + leaves_late
    least, most = survey.suggested(stop.city)
    if counts[place] - (stop.least - 1) + leaves_late < _days_of_musts(stop, survey):
        return 40.0
    if _lacks_morning(stop, counts[place], survey):
        return 30.0
    worth = survey.worths.get(stop.city, 0.0)
    if days < least and stop.is_chosen:
        return 20.0 + worth + (least - days)
    if counts[place] < min(most, survey.holds(stop.city)) and stop.is_chosen:
        return 10.0 + worth + (most - days) / 10
    return worth - 2.0 * (days / max(1, survey.holds(stop.city)))


def _lacks_morning(stop: Stop, days: int, survey: Survey) -> bool:
    """Whether all mornings go to the arrival or to day trips, and one is wanted."""
    arrival = int(stop.journey is not None and not stop.journey.overnight)
    mornings = days - (stop.least - 1) - arrival
    away = len(survey.outings.of(stop.city))
    return mornings < away or (
        mornings - away < 1 and stop.is_chosen and survey.needs_morning(stop.city)
    )


def _lost_share(journey: Journey) -> int:
    """The days that a journey by day takes: one, or none where it is short."""
    return 0 if journey.overnight else round(journey.minutes / 600)


def _days_of_musts(stop: Stop, survey: Survey) -> int:
    """The days that what has to be seen in a city takes: a full one, if one arrives by day."""
    musts = set(survey.brief.wish.must)
    found = [one for one in survey.sights.get(stop.city, ()) if one.id in musts]
    if not found:
        return 0
    long = sum(one.minutes >= _LONG_VISIT_MIN for one in found)
    return max(long, -(-len(found) // _MUSTS_A_DAY)) + (stop.journey is not None)
