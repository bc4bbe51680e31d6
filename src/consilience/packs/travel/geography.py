"""How far apart are places, and which are near? On a sphere; good to half a per cent."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

EARTH_KM = 6371.0088
MOST_NEAR = 20_000
"""Places up to which `near_pairs` compares all with all."""


class Point(NamedTuple):
    """A place on the globe, in degrees."""

    lat: float
    lon: float


def is_point(lat: float, lon: float) -> bool:
    """Whether these are degrees that a place on the globe can have."""
    return math.isfinite(lat) and math.isfinite(lon) and abs(lat) <= 90 and abs(lon) <= 180


def distance_km(start: Point, end: Point) -> float:
    """The great-circle distance (haversine)."""
    north, east = math.radians(end.lat - start.lat), math.radians(end.lon - start.lon)
    across = math.cos(math.radians(start.lat)) * math.cos(math.radians(end.lat))
    chord = math.sin(north / 2) ** 2 + across * math.sin(east / 2) ** 2
    return 2 * EARTH_KM * math.asin(min(1.0, math.sqrt(chord)))


def near_pairs(
    keys: Sequence[str], points: Mapping[str, Point], *, km: float, most: int
) -> Iterator[tuple[str, str, float]]:
    """For each key the nearest other points within a distance, at most so many; each pair once.

    Nothing for more than `MOST_NEAR` points.
    """
    if not keys or len(points) > MOST_NEAR:
        return
    names = sorted(points)
    degrees = np.radians(np.array([points[name] for name in names]))
    lat, lon = degrees[:, 0], degrees[:, 1]
    vectors = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)
    least = math.cos(km / EARTH_KM)
    at = {name: row for row, name in enumerate(names)}
    seen = set[frozenset[str]]()
    for key in keys:
        cosines = vectors @ vectors[at[key]]
        near = [names[row] for row in np.flatnonzero(cosines >= least) if names[row] != key]
        ranked = sorted((distance_km(points[key], points[name]), name) for name in near)
        for distance, name in ranked[:most]:
            if distance <= km and frozenset((key, name)) not in seen:
                seen.add(frozenset((key, name)))
                yield key, name, distance
