"""Where on paper is a place? On a flat map with the same scale along and across, north up.

The map is true along its middle latitude, and good enough for a country. Its height follows what is
on it, within bounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from consilience.packs.travel.geography import EARTH_KM, Point
from consilience.packs.travel.trips.showing.stops import unrolled

KM_A_DEGREE = EARTH_KM * math.pi / 180
_LEAST_KM = 0.6  # what a map shows at least: of a single place, its surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """From degrees to units of a drawing `height` high; `per_km` units are a kilometre."""

    west: float
    north: float
    along: float
    per_km: float
    left: float
    top: float
    height: float

    def placed(self, point: Point) -> tuple[float, float]:
        """Where a place is drawn."""
        lon = point.lon if point.lon >= self.west - 1e-9 else point.lon + 360
        return (
            self.left + (lon - self.west) * self.along * self.per_km,
            self.top + (self.north - point.lat) * KM_A_DEGREE * self.per_km,
        )

    def bar(self, most: float) -> tuple[int, float]:
        """A round number of metres that fits into so many units, and how many it takes."""
        metres = most / self.per_km * 1000
        power = 10 ** math.floor(math.log10(metres))
        told = max(step * power for step in (1, 2, 5) if step * power <= metres)
        return int(told), told / 1000 * self.per_km


def fitted(
    points: Sequence[Point], *, width: float, margin: float, heights: tuple[float, float]
) -> Projection:
    """The projection that shows all points within a width, as large as the heights allow."""
    longitudes = unrolled([one.lon for one in points])
    south, north = min(one.lat for one in points), max(one.lat for one in points)
    west, east = min(longitudes), max(longitudes)
    along = KM_A_DEGREE * max(0.01, math.cos(math.radians((south + north) / 2)))
    wide = max((east - west) * along, _LEAST_KM)
    high = max((north - south) * KM_A_DEGREE, _LEAST_KM)
    least, most = heights
    height = min(most, max(least, (width - 2 * margin) * high / wide + 2 * margin))
    per_km = min((width - 2 * margin) / wide, (height - 2 * margin) / high)
    return Projection(
        west=west,
        north=north,
        along=along,
        per_km=per_km,
        left=(width - (east - west) * along * per_km) / 2,
        top=(height - (north - south) * KM_A_DEGREE * per_km) / 2,
        height=height,
    )
