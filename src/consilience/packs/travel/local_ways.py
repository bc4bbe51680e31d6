"""How long does a way within a city take? On foot where it is near, else by taxi; all estimated.

A way is taken to be a third longer than the straight line. In town a taxi does 25 km an hour, and
45 beyond the first kilometres; prices are those of a car, from round figures in dollars.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from consilience.packs.travel.atlas import Atlas, Place
from consilience.packs.travel.geography import distance_km
from consilience.packs.travel.money import rate, rounded

DETOUR = 1.3
WALK_KM = 1.5
WALK_KMH = 4.5
TOWN_KM = 15.0
TOWN_KMH = 25.0
ROAD_KMH = 45.0
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
    road = max(0.0, km - TOWN_KM) / ROAD_KMH
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
