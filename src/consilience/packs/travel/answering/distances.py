"""How far from a place are others? As a tie says it, else by the coordinates of both.

A distance that no file states is told by a tie of its own, made from the coordinates, so that an
answer has something to cite for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from consilience.packs.travel.geography import Point, distance_km, is_point
from consilience.packs.travel.meeting import CONTAINERS, kind_of
from consilience.types import Locator, Passage, passage_id

WALK_KM = 5.0
"""What is near a sight; further off only where nothing is so near."""
RIDE_KM = 40.0
"""What is near a city, or near a sight at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A place near another, with the tie that says how far; `made` where no file states it."""

    place: Passage
    tie: Passage
    km: float
    made: bool


def beside(
    here: Sequence[Passage],
    places: Mapping[str, Passage],
    ties: Mapping[str, Passage],
    most: int,
) -> list[Beside]:
    """The nearest of some places, by node, to those that are named; `ties` are known already."""
    found = []
    for node, place in places.items():
        one = _stated(place, ties[node]) if node in ties else _measured(place, here)
        if one is not None:
            found.append(one)
    found.sort(key=lambda one: (one.km, one.place.id))
    if not any(kind_of(one) in CONTAINERS for one in here):
        found = [one for one in found if one.km <= WALK_KM] or found
    return found[:most]


def km_of(tie: Passage) -> float | None:
    """How far apart the ends of a tie are, where it says so."""
    km = tie.metadata.get("km")
    return float(km) if isinstance(km, int | float) else None


def point_of(place: Passage) -> Point | None:
    """Where a place is, if that is known."""
    lat, lon = place.metadata.get("lat"), place.metadata.get("lon")
    if not isinstance(lat, int | float) or not isinstance(lon, int | float):
        return None
    return Point(float(lat), float(lon)) if is_point(float(lat), float(lon)) else None


def _stated(place: Passage, tie: Passage) -> Beside | None:
    km = km_of(tie)
    return None if km is None else Beside(place=place, tie=tie, km=km, made=False)


def _measured(place: Passage, here: Sequence[Passage]) -> Beside | None:
    """A place with its distance to the nearest of those that are named, if that is not far."""
    own = point_of(place)
    others = [(one, point) for one in here if (point := point_of(one)) is not None]
    if own is None or not others:
        return None
    km, at = min((distance_km(own, point), at) for at, (_, point) in enumerate(others))
    if km > RIDE_KM:
        return None
    return Beside(place=place, tie=_tie(place, others[at][0], km), km=km, made=True)


def _tie(place: Passage, other: Passage, km: float) -> Passage:
    """The passage of a nearness that the coordinates tell."""
    names = [str(one.metadata.get("name", one.title)) for one in (place, other)]
    text = f"{names[0]} → (near) → {names[1]}: {km:.1f} km"
    title = f"{names[0]} → {names[1]}"
    return Passage(
        id=passage_id(place.collection, "tie", title, Locator(), text),
        collection=place.collection,
        document=place.document,
        kind="tie",
        title=title,
        text=text,
        metadata={
            "source": place.metadata.get("node", ""),
            "source_name": names[0],
            "target": other.metadata.get("node", ""),
            "target_name": names[1],
            "relation": "NEAR",
            "km": round(km, 2),
            "computed": True,
        },
    )
