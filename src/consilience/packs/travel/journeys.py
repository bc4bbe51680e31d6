"""How does one get from one city to another? By the connections that are known, changes counted.

Where the places hold no connection at all, ways by road are estimated from the distance, and say
so. A connection that takes the night leaves in the evening and arrives on the next day.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from consilience.packs.travel.atlas import CHANGE_MIN, Atlas, Connection, Place
from consilience.packs.travel.geography import distance_km
from consilience.packs.travel.itinerary import DAY_MINUTES
from consilience.packs.travel.money import rate, rounded

LONGEST_BY_DAY = 12 * 60
"""Minutes that a journey by day may take."""
LONGEST_BY_NIGHT = 18 * 60
MOST_CHANGES = 3
EARLIEST_DEPARTURE = 6 * 60
LATEST_DEPARTURE = 21 * 60
NIGHT_DEPARTURE = 20 * 60 + 30
ROAD = "car"
ROAD_KMH = 50
_CLOCK = r"([01]?\d|2[0-4])[:.h]([0-5]\d)"
_SPAN = re.compile(rf"\b{_CLOCK}\s*(?:-|–|to|until)\s*{_CLOCK}\b")
_TIME = re.compile(rf"\b{_CLOCK}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """Connections one after the other. `price` is for one person, None where one is not known."""

    connections: tuple[Connection, ...]

    @property
    def origin(self) -> str:
        """Where it leaves."""
        return self.connections[0].start

    @property
    def destination(self) -> str:
        """Where it arrives."""
        return self.connections[-1].end

    @property
    def minutes(self) -> int:
        """From departure to arrival."""
        riding = sum(way.minutes for way in self.connections)
        return riding + CHANGE_MIN * (len(self.connections) - 1)

    @property
    def overnight(self) -> bool:
        """Whether it takes a night."""
        return self.connections[0].overnight

    @property
    def price(self) -> Decimal | None:
        """For one person; None where a part of it has no known price."""
        prices = [way.price for way in self.connections]
        return None if None in prices else sum((p for p in prices if p is not None), Decimal(0))

    @property
    def modes(self) -> frozenset[str]:
        """By what it goes."""
        return frozenset(way.mode for way in self.connections)

    @property
    def night_departure(self) -> int:
        """When a journey that takes the night leaves."""
        evening = [at for at in clock_times(self.connections[0].departures) if at >= 17 * 60]
        return evening[0] if evening else NIGHT_DEPARTURE

    def departures(self) -> tuple[int, int]:
        """The first and the last minute at which it can leave by day, changes considered."""
        earliest, latest, since = 0, DAY_MINUTES, 0
        for way in self.connections:
            first, last = departure_span(way)
            earliest, latest = max(earliest, first - since), min(latest, last - since)
            since += way.minutes + CHANGE_MIN
        return earliest, latest


def departure_span(way: Connection) -> tuple[int, int]:
    """When a connection leaves by day, as far as its passage says: `hourly 06:00-19:00`."""
    found = _SPAN.search(way.departures)
    if found is None:
        return EARLIEST_DEPARTURE, LATEST_DEPARTURE
    first, last = (int(found[group]) * 60 + int(found[group + 1]) for group in (1, 3))
    return (first, last) if first < last else (EARLIEST_DEPARTURE, LATEST_DEPARTURE)


def clock_times(text: str) -> tuple[int, ...]:
    """The clock times in a text, in minutes after midnight."""
    return tuple(int(hour) * 60 + int(minute) for hour, minute in _TIME.findall(text))


def journeys_between(
    origin: str, destination: str, atlas: Atlas, avoiding: Iterable[frozenset[str]] = ()
) -> tuple[Journey, ...]:
    """The journeys worth choosing from: the fastest, each direct mode, and without some modes."""
    found: dict[tuple[str, ...], Journey] = {}
    for way in atlas.direct(origin, destination):
        _keep(found, Journey(connections=(way,)))
    for modes in (frozenset[str](), *avoiding):
        if chain := atlas.fastest(origin, destination, modes):
            _keep(found, Journey(connections=chain))
    if not found and not atlas.connections:
        found.update((("",), road) for road in _estimated(origin, destination, atlas))
    fastest = sorted(found.values(), key=lambda one: (one.minutes, one.price or 0, len(one.modes)))
    return tuple(fastest)


def is_bearable(way: Connection) -> bool:
    """Whether a connection fits into a day, or into a night and the morning after it."""
    return way.minutes <= (LONGEST_BY_NIGHT if way.overnight else LONGEST_BY_DAY)


def _keep(found: dict[tuple[str, ...], Journey], journey: Journey) -> None:
    ways = journey.connections
    night_later = any(way.overnight for way in ways[1:])
    longest = LONGEST_BY_NIGHT if journey.overnight else LONGEST_BY_DAY
    first, last = journey.departures()
    leaves = journey.overnight or first <= last
    if len(ways) <= MOST_CHANGES + 1 and not night_later and leaves and journey.minutes <= longest:
        found.setdefault(tuple(way.passage for way in ways), journey)


def _estimated(origin: str, destination: str, atlas: Atlas) -> Iterator[Journey]:
    """A way by road, where no connection between any places is known."""
    km = atlas.km(origin, destination)
    if km is None:
        return
    minutes = max(15, 5 * round(km * DETOUR / ROAD_KMH * 12))
    if minutes <= LONGEST_BY_DAY:
        road = Connection(
            start=origin,
            end=destination,
            mode=ROAD,
            minutes=minutes,
            price=None,
            passage="",
            computed=True,
        )
        yield Journey(connections=(road,))


def arrival_on_next_day(journey: Journey) -> int:
    """When a journey that takes the night arrives, in minutes after the next midnight."""
    return max(0, journey.night_departure + journey.minutes - DAY_MINUTES)


# --- ways within a city ----------------------------------------


DETOUR = 1.3
WALK_KM = 1.5
WALK_KMH = 4.5
TOWN_KM = 15.0
TOWN_KMH = 25.0
TAXI_ROAD_KMH = 45.0
TAXI_WAIT_MIN = 5
"""Minutes until a taxi is there."""
SHORTEST_RIDE_MIN = 15
"""No taxi is faster than so many minutes, with finding it and paying."""
STEP_MIN = 5
"""Times are rounded up to so many minutes."""
UNKNOWN_KM = 3.0
"""How long a way is taken to be where a place has no coordinates."""
WATER_TYPES = frozenset({"island", "islet", "bay", "archipelago"})
"""Types of places that no road leads to."""
BASE_DOLLARS = Decimal("0.60")
KM_DOLLARS = Decimal("0.50")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalWay:
    """A way within a city or near it; `price` is for a car, 0 on foot, None if unknown."""

    mode: str
    minutes: int
    km: float
    price: Decimal | None


def local_way(start: Place, end: Place, atlas: Atlas) -> LocalWay:
    """The way from one place to another that needs no connection."""
    if start.id == end.id:
        return LocalWay(mode="walk", minutes=0, km=0.0, price=Decimal(0))
    km = way_km(start, end)
    if km < WALK_KM:
        minutes = _round_up(km / WALK_KMH * 60)
        return LocalWay(mode="walk", minutes=minutes, km=km, price=Decimal(0))
    mode = "taxi and boat" if {start.type, end.type} & WATER_TYPES else "taxi"
    return LocalWay(mode=mode, minutes=taxi_minutes(km), km=km, price=taxi_price(km, atlas))


def way_km(start: Place, end: Place) -> float:
    """How long the way is, to a hundred metres."""
    if start.point is None or end.point is None:
        return UNKNOWN_KM
    return round(distance_km(start.point, end.point) * DETOUR, 1)


def taxi_minutes(km: float) -> int:
    """How long a taxi takes, the waiting for it counted."""
    town = min(km, TOWN_KM) / TOWN_KMH
    road = max(0.0, km - TOWN_KM) / TAXI_ROAD_KMH
    return max(SHORTEST_RIDE_MIN, _round_up(TAXI_WAIT_MIN + 60 * (town + road)))


def taxi_price(km: float, atlas: Atlas) -> Decimal | None:
    """What a taxi costs in the currency of the places; None where that has no rate."""
    currency = atlas.currency
    factor = rate("USD", currency, atlas.rates)
    if factor is None:
        return None
    price = (BASE_DOLLARS + KM_DOLLARS * Decimal(str(km))) * factor
    return _round_fare(price, currency)


def _round_fare(price: Decimal, currency: str) -> Decimal:
    """A fare as a driver would name it: two leading figures."""
    if price <= 0:
        return Decimal(0)
    digits = price.adjusted() - 1
    fare = price.quantize(Decimal(1).scaleb(digits)) if digits > 0 else price
    return rounded(Decimal(int(fare)) if digits > 0 else fare, currency)


def _round_up(minutes: float) -> int:
    return STEP_MIN * math.ceil(minutes / STEP_MIN) if minutes > 0 else 0
