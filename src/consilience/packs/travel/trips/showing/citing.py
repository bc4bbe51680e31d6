"""Which number does a source have? The same in every output: in the order in which one reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from consilience.packs.travel.atlas import Atlas, Place
from consilience.packs.travel.trips.showing.agenda import entries
from consilience.packs.travel.trips.types import Advice, Trip

_ABOUT = {"getting_around": "getting around"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A passage that a trip rests on: its number, its id, the place it is about, and in words."""

    number: int
    passage: str
    place: str
    label: str


def sources_of(trip: Trip, atlas: Atlas) -> tuple[Source, ...]:
    """All that a trip cites, numbered from 1."""
    known = _labels(atlas)
    cited = dict.fromkeys(_cited(trip, atlas))
    return tuple(
        Source(number=number, passage=passage, place=place, label=label)
        for number, passage in enumerate(cited, start=1)
        for place, label in (known.get(passage, ("", passage)),)
    )


def numbers_of(sources: Iterable[Source]) -> Mapping[str, int]:
    """The number of each passage."""
    return {one.passage: one.number for one in sources}


def marks(numbers: Iterable[int]) -> str:
    """` [1][4]`, to be set behind what they bear out; empty for none."""
    told = "".join(f"[{one}]" for one in numbers)
    return f" {told}" if told else ""


def _cited(trip: Trip, atlas: Atlas) -> Iterator[str]:
    for day in trip.itinerary.days if trip.itinerary else ():
        yield from (one.passage for one in entries(day, atlas) if one.passage)
    advice = trip.advice or Advice()
    for tips in (advice.transport, advice.season, advice.booking, advice.safety):
        for tip in tips:
            yield from tip.passages


def _labels(atlas: Atlas) -> Mapping[str, tuple[str, str]]:
    """What each passage of the atlas is about: a place by id, and in words."""
    found: dict[str, tuple[str, str]] = {}
    for ways in atlas.connections.values():
        for way in ways:
            ends = f"{atlas.name_of(way.start)} – {atlas.name_of(way.end)}"
            found.setdefault(way.passage, (way.start, f"{ends} by {way.mode}"))
    for (about, topic), remarks in atlas.remarks.items():
        for remark in remarks:
            label = f"{atlas.name_of(about)}: {_ABOUT.get(topic, topic)}"
            found.setdefault(remark.passage, (about, label))
    for place in atlas.places.values():
        found[place.passage] = (place.id, _place_label(place, atlas))
    return found


def _place_label(place: Place, atlas: Atlas) -> str:
    kind = (place.type or place.kind).replace("_", " ")
    where = f" in {atlas.name_of(place.city)}" if place.city and place.city != place.id else ""
    invented = ", invented" if place.invented else ""
    return f"{place.name} ({kind}{where}{invented})"
