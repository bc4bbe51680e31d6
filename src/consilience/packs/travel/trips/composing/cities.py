"""Which cities does a trip go to? Those asked for, and further ones that are worth the way.

A city is worth what was found in it and what it suits itself; the way there counts against it.
Further cities come in while the days suffice to see each of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from consilience.packs.travel.atlas import CITY, STAY, Place
from consilience.packs.travel.trips.checking.wishes import LEAST_SHARE, STRONG
from consilience.packs.travel.trips.composing.brief import (
    Brief,
    appeal,
    may_use,
    out_of_season,
    sights_of,
    worth,
)
from consilience.packs.travel.trips.composing.order import (
    APART,
    in_order,
    journey_toil,
    journey_weight,
)
from consilience.packs.travel.trips.composing.outings import Outings, find_outings
from consilience.packs.travel.trips.composing.times import takes_morning
from consilience.packs.travel.trips.composing.ways import LONGEST_MIN, Ways
from consilience.packs.travel.trips.local import local_way, way_km
from consilience.packs.travel.trips.types import Pace

VISITS: Mapping[Pace, float] = {"relaxed": 1.0, "balanced": 2.2, "packed": 2.6}
"""Visits before the evening that fill a day at each pace."""
MOST_CITIES: Mapping[Pace, float] = {"relaxed": 0.34, "balanced": 0.5, "packed": 0.67}
"""Cities for each day at each pace, where nobody asks for more."""
_FAR_KM = 40.0
_TOP = 8
_LEAST_GAIN = 0.15
_DEAREST = 2.0
_NEARLY = 1
_ASIDE = 300.0
"""Where cities are named, no other lengthens the way by more than so many minutes."""
_USUAL_DAYS = (1, 2)
_NEW_THEME = 1.5
"""What a city gains for all of the wish, if nothing of it is served by the cities before."""
_HASTE = 4
"""In how many days a way counts twice what it counts in a long trip."""


@dataclass(slots=True)
class Survey:
    """What each city has to give, reckoned once: sights, worth, and how many days they fill.

    `limits` are the days of cities that turned out to fill no more.
    """

    brief: Brief
    ways: Ways
    sights: dict[str, tuple[Place, ...]] = field(default_factory=dict)
    worths: dict[str, float] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    outings: Outings = field(default_factory=Outings)
    _mains: dict[str, Place | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        atlas = self.brief.atlas
        self.outings = find_outings(self.brief, self.ways)
        for city in atlas.cities():
            self.sights[city.id] = sights_of(city.id, self.brief)
        raw = {city.id: self._found(city.id) for city in atlas.cities()}
        most = max(raw.values(), default=0.0) or 1.0
        for city in atlas.cities():
            value = raw[city.id] / most + appeal(city, self.brief)
            value -= 0.35 * out_of_season(city, self.brief)
            if self.brief.thrift:
                dear = self._dearness(city)
                value -= _DEAREST * min(1.0, self.brief.thrift / 6) * dear / (dear + 0.5)
            self.worths[city.id] = value

    def _found(self, city: str) -> float:
        scores = self.brief.scores
        top = sorted((scores.get(one.id, 0.0) for one in self.sights[city]), reverse=True)[:_TOP]
        return sum(top) + 2 * scores.get(city, 0.0)

    def _dearness(self, city: Place) -> float:
        """What a day in a city costs one person, by its cheapest sights and bed, in usual rooms."""
        atlas, group = self.brief.atlas, self.brief.wish.group
        cars = Decimal(2 * group.cars) / group.people
        costs = sorted(
            (one.price or Decimal(0)) + cars * local_way(city, one, atlas).price
            for one in self.sights[city.id]
        )[:_TOP]
        beds = [one.price or Decimal(0) for one in atlas.within(city.id, {STAY})]
        day = sum(costs, Decimal(0)) / max(1, len(costs)) * 3 + min(beds, default=Decimal(0)) / 2
        return float(day / self.brief.scale)

    def holds(self, city: str) -> int:
        """How many days the sights of a city fill; one that is far out counts half."""
        known = self.brief.atlas.places[city]
        sights = [one for one in self.sights.get(city, ()) if is_by_day(one)]
        near = sum(1.0 if way_km(known, one) <= _FAR_KM else 0.5 for one in sights)
        days = max(1, int(near / VISITS[self.brief.wish.pace])) if sights else 0
        days += len(self.outings.of(city))
        return min(days, self.limits.get(city, days))

    def main(self, city: str) -> Place | None:
        """What one goes to a city for: the sight most like it, of those that suit the wish."""
        if city not in self._mains:
            self._mains[city] = self._most_like(city)
        return self._mains[city]

    def _most_like(self, city: str) -> Place | None:
        brief, known = self.brief, self.brief.atlas.places[city]
        fitting = [one for one in self.sights.get(city, ()) if is_by_day(one)]
        fitting = [one for one in fitting if one.id in brief.standing and _suits(one, brief)]
        return max(
            fitting,
            key=lambda one: (_likeness(one, known), worth(one, brief), one.id),
            default=None,
        )

    def needs_morning(self, city: str) -> bool:
        """Whether its main thing, or one that has to be seen, takes a day from its morning on."""
        main = self.main(city)
        return (main is not None and takes_morning(main)) or self.has_long_must(city)

    def has_long_must(self, city: str) -> bool:
        """Whether something that has to be seen in a city takes a day from its morning on."""
        musts = self.brief.wish.must
        return any(one.id in musts and takes_morning(one) for one in self.sights.get(city, ()))

    def suggested(self, city: str) -> tuple[int, int]:
        """The fewest and the most days that a city is worth."""
        days = self.brief.atlas.places[city].days or _USUAL_DAYS
        away = len(self.outings.of(city))
        least, most = min(days) + away, max(days) + away
        if self.brief.wish.pace == "relaxed":
            least = max(least, min(2, most))
        return max(1, least), max(1, most)


def is_by_day(place: Place) -> bool:
    """Whether a place is for the morning or the afternoon, too."""
    return not place.slots or "morning" in place.slots or "afternoon" in place.slots


def _suits(place: Place, brief: Brief) -> bool:
    """Whether a place is for some theme that the wish gives weight to."""
    themes = [one for one, share in brief.wish.themes.items() if share >= LEAST_SHARE]
    return not themes or any(place.themes.get(one, 0.0) >= STRONG for one in themes)


def _likeness(place: Place, city: Place) -> float:
    """How much a place is for what its city is for."""
    return sum(strength * place.themes.get(one, 0.0) for one, strength in city.themes.items())


def demanded(survey: Survey) -> tuple[str, ...]:
    """The cities that have to be stayed in, in the order asked for; none of the day trips."""
    wish, atlas = survey.brief.wish, survey.brief.atlas
    away = survey.outings.found
    named = [*wish.cities, *wish.nights, *(one.base for one in away)]
    toured = {one.city for one in away} - set(named)
    named += [city for one in wish.must if (city := atlas.city_of(one)) not in toured]
    known = [one for one in named if one in atlas.places and atlas.places[one].kind == CITY]
    return tuple(dict.fromkeys(known))


def choose_cities(survey: Survey) -> tuple[str, ...]:
    """The cities of the trip, those demanded first; start and end are among them only if so."""
    wish = survey.brief.wish
    chosen = list(demanded(survey))
    chosen += [one for one in _wider(survey) if one not in chosen]
    most = _most(survey, chosen)
    if not chosen:
        chosen = _first(survey)
    while _has_nights(survey, chosen) and (
        _is_short(survey, chosen) or (len(chosen) < most and _days_left(survey, chosen) > 0)
    ):
        if wish.most_cities is not None and len(chosen) >= max(1, wish.most_cities):
            break
        if wish.cities and wish.days <= sum(survey.suggested(one)[1] + 1 for one in chosen):
            break
        found = _next(survey, chosen)
        if found is None:
            break
        chosen.append(found)
    return tuple(chosen)


def _wider(survey: Survey) -> list[str]:
    """The best city of each region that has to be in the trip."""
    brief, found = survey.brief, list[str]()
    for key in brief.wish.must:
        place = brief.atlas.places.get(key)
        if place is None or place.kind not in ("region", "country"):
            continue
        inside = [one for one in _open(survey) if brief.atlas.places[one].region == key]
        found += inside[:1]
    return found


def _most(survey: Survey, chosen: Sequence[str]) -> int:
    """How many cities there may be; `fewer` of them where the purse demands it."""
    wish = survey.brief.wish
    usual = math.ceil(wish.days * MOST_CITIES[wish.pace])
    most = wish.most_cities if wish.most_cities is not None else usual
    most = max(1, most - survey.brief.fewer)
    held = sum(max(survey.holds(one), survey.suggested(one)[1]) for one in chosen)
    if wish.cities and held >= wish.days:
        return len(chosen)
    return max(len(chosen), most)


def _first(survey: Survey) -> list[str]:
    start, end = survey.brief.wish.start, survey.brief.wish.end
    found = _open(survey)
    if start or end:
        best = _next(survey, [])
        return [best] if best else [one for one in (start or end,) if one]
    return found[:1]


def _open(survey: Survey) -> list[str]:
    """The cities that may come in, the most worth first."""
    brief = survey.brief
    places = brief.atlas.places
    found = [
        city
        for city in survey.worths
        if survey.sights[city]
        and survey.limits.get(city, 1)
        and may_use(places[city], brief)
        and brief.atlas.within(city, {STAY})
        and _in_region(places[city], brief)
    ]
    return sorted(found, key=lambda one: (-survey.worths[one], one))


def _in_region(city: Place, brief: Brief) -> bool:
    region = brief.wish.region
    return not region or brief.atlas.lies_in(city.id, region)


def _is_short(survey: Survey, chosen: Sequence[str]) -> bool:
    """Whether the sights of the cities do not fill the days, nor nearly so."""
    held = sum(survey.holds(one) for one in chosen)
    return held + (0 if survey.limits else _NEARLY) < survey.brief.wish.days


def _has_nights(survey: Survey, chosen: Sequence[str]) -> bool:
    """Whether the nights that were asked for in cities leave one for another city."""
    wish = survey.brief.wish
    taken = sum(wish.nights.get(one, 1) for one in chosen)
    return not wish.nights or taken < max(1, wish.days - 1)


def _days_left(survey: Survey, chosen: Sequence[str]) -> int:
    nights = survey.brief.wish.nights
    taken = sum(nights.get(one, _wanted(survey, one)) for one in chosen)
    return survey.brief.wish.days - taken


def _wanted(survey: Survey, city: str) -> int:
    """Days that a city has before another comes in."""
    least, most = survey.suggested(city)
    days = {"packed": least, "balanced": (least + most) // 2, "relaxed": most}
    wanted = max(days[survey.brief.wish.pace], 1 if survey.brief.wish.pace == "packed" else 2)
    return max(1, min(wanted, max(1, survey.holds(city))))


def _next(survey: Survey, chosen: Sequence[str]) -> str | None:
    """The city whose worth exceeds the longer way by most; None where none is worth it."""
    wish = survey.brief.wish
    ends = (wish.start, wish.end)
    length = journey_weight if survey.brief.thrift else journey_toil
    before = length(in_order(chosen, survey.ways, *ends), survey.ways, *ends)
    left = _days_left(survey, chosen)
    any_gain = not chosen or _is_short(survey, chosen)
    best: tuple[float, str] | None = None
    for city in _open(survey):
        too_long = survey.suggested(city)[0] > left + 1 and not any_gain
        if city in chosen or too_long:
            continue
        order = in_order([*chosen, city], survey.ways, *ends)
        longer = length(order, survey.ways, *ends) - before
        if chosen and longer >= (_ASIDE if wish.cities and not survey.brief.thrift else APART):
            continue
        gain = survey.worths[city] + _NEW_THEME * _new_themes(survey, city, chosen)
        gain -= (1 + _HASTE / wish.days) * longer / LONGEST_MIN
        if (any_gain or gain > _LEAST_GAIN) and (best is None or gain > best[0]):
            best = (gain, city)
    return best[1] if best else None


def _new_themes(survey: Survey, city: str, chosen: Sequence[str]) -> float:
    """The share of the wish, from 0 to 1, that a city is for itself and no city before is."""
    themes, places = survey.brief.wish.themes, survey.brief.atlas.places
    new = [
        share
        for theme, share in themes.items()
        if share >= LEAST_SHARE
        and places[city].themes.get(theme, 0.0) >= STRONG
        and not any(_serves(survey, one, theme) for one in chosen)
    ]
    return sum(new) / (sum(themes.values()) or 1)


def _serves(survey: Survey, city: str, theme: str) -> bool:
    """Whether a city, or something to see there, is for a theme."""
    known = (survey.brief.atlas.places[city], *survey.sights.get(city, ()))
    return any(one.themes.get(theme, 0.0) >= STRONG for one in known)
