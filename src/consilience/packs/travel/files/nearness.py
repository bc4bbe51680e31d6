"""Which sights, stays and restaurants are near one another? The nearest few within a walk or ride.

Places are sorted into cells of the globe, so that each is compared with its neighbours alone.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator

from consilience.packs.travel.files.gazetteer import Known
from consilience.packs.travel.geography import EARTH_KM, Point, distance_km

NEAR_KM = 5.0
NEAREST = 5
MOST = 20_000  # places that are compared
KINDS = frozenset({"attraction", "activity", "area", "stay", "food"})
_DEGREE_KM = 111.0
_ROWS = math.ceil(180 * _DEGREE_KM / NEAR_KM)

_CHORD = (2 * math.sin(NEAR_KM / EARTH_KM / 2)) ** 2

Cell = tuple[int, int]
Vector = tuple[float, float, float]


def near_pairs(own: Iterable[Known], others: Iterable[Known]) -> list[tuple[Known, Known, float]]:
    """Pairs of a place of `own` and a near one, with the kilometres between, each pair once."""
    mine = [one for one in own if one.kind in KINDS and one.point is not None]
    cells: dict[Cell, list[tuple[Known, Vector]]] = {}
    seen = set[str]()
    for one in (*mine, *others):
        if one.kind in KINDS and one.point is not None and one.id not in seen:
            seen.add(one.id)
            cells.setdefault(_cell(one.point), []).append((one, _vector(one.point)))
    pairs: dict[frozenset[str], tuple[Known, Known, float]] = {}
    for one in mine:
        for other, km in _nearest(one, cells):
            pairs.setdefault(frozenset((one.id, other.id)), (one, other, km))
    return list(pairs.values())


def _nearest(
    one: Known, cells: dict[Cell, list[tuple[Known, Vector]]]
) -> list[tuple[Known, float]]:
    """The nearest few; compared by the chord through the earth, which needs no angles."""
    point = one.point
    if point is None:
        return []
    x, y, z = _vector(point)
    found = [
        (chord, other.id, other)
        for cell in _around(point)
        for other, (a, b, c) in cells.get(cell, ())
        if (chord := (x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2) <= _CHORD and other.id != one.id
    ]
    near = [other for _, _, other in heapq.nsmallest(NEAREST, found, key=lambda pair: pair[:2])]
    return [(other, distance_km(point, other.point)) for other in near if other.point is not None]


def _vector(point: Point) -> Vector:
    """A point as one on a ball of radius 1."""
    lat, lon = math.radians(point.lat), math.radians(point.lon)
    return math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)


def _row(lat: float) -> int:
    return min(int((lat + 90) / 180 * _ROWS), _ROWS - 1)


def _columns(row: int) -> int:
    """How many cells a row of the globe has: each at least so wide as near is far."""
    edges = ((row / _ROWS) * 180 - 90, ((row + 1) / _ROWS) * 180 - 90)
    narrow = min(math.cos(math.radians(edge)) for edge in edges)
    return max(1, int(360 * _DEGREE_KM * max(narrow, 0.0) / NEAR_KM))


def _cell(point: Point) -> Cell:
    row = _row(point.lat)
    columns = _columns(row)
    return row, int((point.lon + 180) / 360 * columns) % columns


def _around(point: Point) -> Iterator[Cell]:
    """The cells that may hold what is near: the own one and those round it."""
    own = _row(point.lat)
    for row in range(max(own - 1, 0), min(own + 1, _ROWS - 1) + 1):
        columns = _columns(row)
        column = int((point.lon + 180) / 360 * columns) % columns
        yield from dict.fromkeys((row, (column + step) % columns) for step in (-1, 0, 1))
