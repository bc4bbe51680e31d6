"""How far apart are two places? On a sphere; good to half a per cent."""

from __future__ import annotations

import math
from typing import NamedTuple

EARTH_KM = 6371.0088


class Point(NamedTuple):
    """A place on the globe, in degrees."""

    lat: float
    lon: float


def is_point(lat: float, lon: float) -> bool:
    """Whether these are degrees that a place on the globe can have."""
    return math.isfinite(lat) and math.isfinite(lon) and abs(lat) <= 90 and abs(lon) <= 180


def distance_km(one: Point, other: Point) -> float:
    """The great-circle distance (haversine)."""
    north, east = math.radians(other.lat - one.lat), math.radians(other.lon - one.lon)
    across = math.cos(math.radians(one.lat)) * math.cos(math.radians(other.lat))
    chord = math.sin(north / 2) ** 2 + across * math.sin(east / 2) ** 2
    return 2 * EARTH_KM * math.asin(min(1.0, math.sqrt(chord)))
