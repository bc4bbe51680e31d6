"""Where does a trip stop, and which lines does it draw? With coordinates, for maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.geography import Point
from consilience.packs.travel.trips.showing.agenda import Entry, entries
from consilience.packs.travel.trips.types import Itinerary


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A visit, a meal or a night: the `order`-th of its day; `point` is None where nobody knows."""

    day: int
    order: int
    city: str
    entry: Entry
    point: Point | None

    @property
    def number(self) -> str:
        """`2.3` for the third stop of the second day."""
        return f"{self.day}.{self.order}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A way from one place to another; `ends` is None where an end has no coordinates."""

    day: int
    order: int
    entry: Entry
    ends: tuple[Point, Point] | None


def stops_of(itinerary: Itinerary, atlas: Atlas) -> tuple[Stop, ...]:
    """All places where the trip stops, day by day."""
    return tuple(
        Stop(
            day=day.number, order=order, entry=entry, point=point_of(entry.place, atlas),
            city=atlas.city_of(entry.place) or day.city,
        )
        for day in itinerary.days
        for order, entry in enumerate(_of_kinds(entries(day, atlas), "visit", "meal", "stay"), 1)
    )  # fmt: skip


def lines_of(itinerary: Itinerary, atlas: Atlas) -> tuple[Line, ...]:
    """All ways, between cities and within them, day by day."""
    return tuple(
        Line(day=day.number, order=order, entry=entry, ends=_ends(entry, atlas))
        for day in itinerary.days
        for order, entry in enumerate(_of_kinds(entries(day, atlas), "leg", "way"), 1)
    )


def point_of(place: str, atlas: Atlas) -> Point | None:
    """Where a place is; of a city without coordinates, the middle of what is in it."""
    known = atlas.places.get(place)
    if known is None or known.point is not None:
        return known.point if known else None
    inside = [atlas.places[one].point for one in atlas.inside.get(place, ())]
    points = [one for one in inside if one is not None]
    if not points:
        return None
    lon = sum(unrolled([one.lon for one in points])) / len(points)
    return Point(sum(one.lat for one in points) / len(points), (lon + 180) % 360 - 180)


def unrolled(longitudes: Sequence[float]) -> list[float]:
    """Longitudes without the jump at the date line: counted on from behind their widest gap."""
    if not longitudes:
        return []
    order = sorted(set(longitudes))
    following = [*order[1:], order[0] + 360]
    gaps = [(after - one, after) for one, after in zip(order, following, strict=True)]
    widest, behind = max(gaps)
    first = order[0] if widest == gaps[-1][0] else behind
    return [one if one >= first else one + 360 for one in longitudes]


def _ends(entry: Entry, atlas: Atlas) -> tuple[Point, Point] | None:
    start, end = point_of(entry.start, atlas), point_of(entry.place, atlas)
    return None if start is None or end is None else (start, end)


def _of_kinds(found: Sequence[Entry], *kinds: str) -> list[Entry]:
    return [one for one in found if one.kind in kinds]
