"""What is a trip as data? All of it as JSON, with the places it speaks of and its sources.

Amounts are strings, so that they stay exact; dates are as ISO 8601 writes them; clock times are
minutes after midnight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import asdict, fields, is_dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from consilience.packs.travel.atlas import Atlas, Place
from consilience.packs.travel.trips.showing.citing import sources_of
from consilience.packs.travel.trips.types import Trip, Wish


def trip_json(trip: Trip, atlas: Atlas) -> dict[str, Any]:
    """A trip as JSON values; fields are added over time, never renamed."""
    known = {one: atlas.places[one] for one in _spoken_of(trip) if one in atlas.places}
    return {
        **plainly(trip),
        "places": {key: _place(place) for key, place in known.items()},
        "citations": [asdict(one) for one in sources_of(trip, atlas)],
    }


def plainly(value: object) -> Any:
    """What a step gives as JSON values."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plainly(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plainly(one) for key, one in value.items()}
    if isinstance(value, AbstractSet):
        return sorted(plainly(one) for one in value)
    if isinstance(value, tuple | list):
        return [plainly(one) for one in value]
    if isinstance(value, date):
        return value.isoformat()
    return format(value, "f") if isinstance(value, Decimal) else value


def _spoken_of(trip: Trip) -> list[str]:
    """The places a trip has, in its order, and those of its wish."""
    found: list[str] = []
    for day in trip.itinerary.days if trip.itinerary else ():
        found += [day.city]
        found += [one.place for one in day.visits]
        found += [one.place for one in day.meals]
        found += [end for leg in day.legs for end in (leg.start, leg.end)]
        found += [day.stay.place] if day.stay else []
    for wish in (trip.wish, trip.granted):
        found += _wished(wish) if wish else ()
    return list(dict.fromkeys(one for one in found if one))


def _wished(wish: Wish) -> Iterator[str]:
    yield from (*wish.cities, *wish.must, *wish.nights, *sorted(wish.avoid.places))
    yield from (wish.start, wish.end, wish.region)


def _place(place: Place) -> dict[str, Any]:
    return {
        "name": place.name,
        "kind": place.kind,
        "type": place.type,
        "city": place.city,
        "lat": place.point.lat if place.point else None,
        "lon": place.point.lon if place.point else None,
        "invented": place.invented,
        "passage": place.passage,
    }
