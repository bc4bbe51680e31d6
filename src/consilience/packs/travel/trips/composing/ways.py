"""How does one get from city to city? By day within nine hours, or overnight; changes counted.

Ways are weighed in minutes: an hour is worth more money to whoever lives at a higher level, and a
night on the way costs rest. When something leaves is read from what its passage says of it.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count

from consilience.packs.travel.atlas import CHANGE_MIN, CITY, Connection
from consilience.packs.travel.trips.composing.brief import Brief
from consilience.packs.travel.trips.reading.ways.travelling import is_barred

LONGEST_MIN = 9 * 60
"""So long may the ways of one day take."""
MOST_WAYS = 3
_DAY = 24 * 60
_NIGHT_FROM, _NIGHT_TO = 17 * 60, 23 * 60
_NIGHT_DEFAULT = (20 * 60, 22 * 60)
_ARRIVES_FROM, _ARRIVES_EARLY, _ARRIVES_TO = 4 * 60, 8 * 60 + 30, 10 * 60
_ONWARD_MIN = 240
_TIME = re.compile(r"\b([01]?\d|2[0-4])[:.h]([0-5]\d)\b")
_HOUR_WORTH = {"budget": 0.05, "mid-range": 0.15, "luxury": 0.4}
_NIGHT_COSTS = {"budget": 150, "mid-range": 230, "luxury": 500}
_CHANGE_COSTS = 60
_NIGHT_TOIL = 300
_LONG_NIGHT, _LONGEST_NIGHT = 600, 15 * 60
_EXPOSED = frozenset({"motorbike", "bicycle", "bike", "scooter"})
_HARDY = frozenset({"adventure", "budget"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """Ways one after the other; `weight` is what they cost in minutes, all things considered."""

    ways: tuple[Connection, ...]
    weight: float

    @property
    def overnight(self) -> bool:
        """Whether the first of them takes a night."""
        return self.ways[0].overnight

    @property
    def minutes(self) -> int:
        """From the first departure to the last arrival."""
        return sum(one.minutes for one in self.ways) + CHANGE_MIN * (len(self.ways) - 1)

    @property
    def toil(self) -> int:
        """The minutes of days that are lost to it, whatever it costs: a night is some hours."""
        nights = _NIGHT_TOIL - self.ways[0].minutes if self.overnight else 0
        return self.minutes + nights


@dataclass(slots=True)
class Ways:
    """The best journey between any two cities, reckoned when it is first asked for."""

    brief: Brief
    _leaving: Mapping[str, Sequence[Connection]] = field(default_factory=dict)
    _known: dict[str, dict[str, Journey]] = field(default_factory=dict)
    _daily: dict[str, dict[str, Journey]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        found: dict[str, list[Connection]] = {}
        avoided = self.brief.wish.avoid.modes
        for (start, _), ways in sorted(self.brief.atlas.connections.items()):
            found.setdefault(start, []).extend(one for one in ways if not is_barred(one, avoided))
        self._leaving = found

    def best(self, start: str, end: str) -> Journey | None:
        """The best way from one city to another; None where there is none that a day bears."""
        if start not in self._known:
            self._known[start] = self._from(start)
        return self._known[start].get(end)

    def by_day(self, start: str, end: str) -> Journey | None:
        """The best way that takes no night; None where there is none that a day bears."""
        if start not in self._daily:
            self._daily[start] = self._by_day(start, LONGEST_MIN)
        return self._daily[start].get(end)

    def reached(self, start: str) -> Mapping[str, Journey]:
        """All cities that can be reached within a day or a night, and how."""
        self.best(start, start)
        return self._known[start]

    def through(self, start: str, end: str) -> tuple[str, ...]:
        """The cities to spend a night in between two that no single journey joins."""
        best, came = {start: 0.0}, dict[str, str]()
        order = count()
        waiting = [(0.0, next(order), start)]
        while waiting:
            spent, _, here = heapq.heappop(waiting)
            if here == end:
                break
            for other, journey in sorted(self.reached(here).items()):
                late = spent + journey.weight + LONGEST_MIN
                if late < best.get(other, late + 1):
                    best[other], came[other] = late, here
                    heapq.heappush(waiting, (late, next(order), other))
        found: list[str] = []
        while end in came and came[end] != start:
            end = came[end]
            found.append(end)
        return tuple(reversed(found))

    def _from(self, start: str) -> dict[str, Journey]:
        found = self._by_day(start, LONGEST_MIN)
        for way in self._leaving.get(start, ()):
            if not way.overnight or night_departure(way) is None:
                continue
            onward = self._by_day(way.end, _ONWARD_MIN)
            whole = [Journey(ways=(way,), weight=self._weight(way))]
            whole += [
                Journey(ways=(way, *one.ways), weight=self._weight(way) + one.weight + CHANGE_MIN)
                for one in onward.values()
            ]
            for journey in whole:
                known = found.get(journey.ways[-1].end)
                if known is None or journey.weight < known.weight:
                    found[journey.ways[-1].end] = journey
        places = self.brief.atlas.places
        return {
            end: one
            for end, one in found.items()
            if end != start and end in places and places[end].kind == CITY
        }

    def _by_day(self, start: str, longest: int) -> dict[str, Journey]:
        best: dict[str, Journey] = {}
        order = count()
        waiting: list[tuple[float, int, str, tuple[Connection, ...]]] = [
            (0.0, next(order), start, ())
        ]
        while waiting:
            weight, _, here, ways = heapq.heappop(waiting)
            if here in best or (here == start and ways):
                continue
            if ways:
                best[here] = Journey(ways=ways, weight=weight)
            if len(ways) == MOST_WAYS:
                continue
            taken = sum(one.minutes + CHANGE_MIN for one in ways)
            for way in self._leaving.get(here, ()):
                if way.overnight or taken + way.minutes > longest:
                    continue
                more = self._weight(way) + (_CHANGE_COSTS + CHANGE_MIN if ways else 0)
                heapq.heappush(waiting, (weight + more, next(order), way.end, (*ways, way)))
        return best

    def _weight(self, way: Connection) -> float:
        brief = self.brief
        hour = _HOUR_WORTH[brief.level] / (1.0 + brief.thrift)
        money = 60 * float(way.price / (brief.scale * Decimal(str(hour))))
        minutes: float = way.minutes
        if way.overnight:
            minutes = _NIGHT_COSTS[brief.level] + 0.3 * way.minutes
            minutes += max(0, way.minutes - _LONG_NIGHT)
            minutes += 150 if brief.wish.group.children else 0
            minutes += 200 if brief.wish.pace == "relaxed" else 0
        if way.mode in _EXPOSED and not _HARDY & set(brief.wish.themes):
            minutes *= 2
        if way.mode in _EXPOSED and (brief.wish.group.children or brief.wish.needs):
            minutes += LONGEST_MIN
        return minutes + money


def departure_span(way: Connection) -> tuple[int, int] | None:
    """The first and the last departure that a connection tells of; None where it tells none."""
    times = [int(hour) * 60 + int(minute) for hour, minute in _TIME.findall(way.departures)]
    return (min(times), max(times)) if times else None


def night_departure(way: Connection) -> int | None:
    """When an overnight connection is taken: as late as it goes, to arrive early in the morning.

    None where it arrives neither in the night nor in the morning: it takes too long.
    """
    if way.minutes > _LONGEST_NIGHT:
        return None
    first, last = departure_span(way) or _NIGHT_DEFAULT
    latest = min(last if last >= _NIGHT_FROM else _NIGHT_DEFAULT[1], _NIGHT_TO)
    earliest = min(max(first, _NIGHT_FROM), latest)
    for begins in range(latest, earliest - 1, -15):
        if _ARRIVES_FROM <= begins + way.minutes - _DAY <= _ARRIVES_EARLY:
            return begins
    arrives = earliest + way.minutes - _DAY
    return earliest if 0 < arrives <= _ARRIVES_TO else None
