"""How does a trip come onto a map? As GeoJSON (RFC 7946): points of the stops, lines of the ways.

What has no coordinates is in it all the same, without a geometry. A line over the date line is cut
there, as the standard asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.geography import Point
from consilience.packs.travel.trips.checking.spans import clock
from consilience.packs.travel.trips.showing.agenda import Entry, planned, title_of
from consilience.packs.travel.trips.showing.citing import numbers_of, sources_of
from consilience.packs.travel.trips.showing.stops import Line, Stop, lines_of, stops_of
from consilience.packs.travel.trips.types import Trip

_HALF_TURN = 180


def geojson(trip: Trip, atlas: Atlas) -> dict[str, Any]:
    """The route of a trip as a FeatureCollection."""
    days = planned(trip, "map")
    numbers = numbers_of(sources_of(trip, atlas))
    features = [_stop(one, days.currency, numbers) for one in stops_of(days, atlas)]
    features += [_line(one, days.currency, numbers) for one in lines_of(days, atlas)]
    return {"type": "FeatureCollection", "name": title_of(days, atlas), "features": features}


def _stop(stop: Stop, currency: str, numbers: Mapping[str, int]) -> dict[str, Any]:
    geometry = {"type": "Point", "coordinates": _position(stop.point)} if stop.point else None
    told = {"day": stop.day, "order": stop.order, "city": stop.city}
    told |= _told(stop.entry, currency, numbers) | {"invented": stop.entry.invented}
    return {"type": "Feature", "geometry": geometry, "properties": told}


def _line(line: Line, currency: str, numbers: Mapping[str, int]) -> dict[str, Any]:
    entry = line.entry
    told = {"day": line.day, "order": line.order, "mode": entry.mode, "from": entry.start}
    told |= {"minutes": entry.ends - entry.begins, "overnight": entry.overnight}
    told |= _told(entry, currency, numbers)
    return {
        "type": "Feature",
        "geometry": _drawn(*line.ends) if line.ends else None,
        "properties": told,
    }


def _told(entry: Entry, currency: str, numbers: Mapping[str, int]) -> dict[str, Any]:
    timed = entry.kind != "stay"
    return {
        "kind": entry.kind,
        "place": entry.place,
        "name": entry.name,
        "begins": clock(entry.begins) if timed else None,
        "ends": clock(entry.ends) if timed else None,
        "price": None if entry.price is None else format(entry.price, "f"),
        "currency": currency,
        "citation": numbers[entry.passage] if entry.passage else None,
    }


def _drawn(start: Point, end: Point) -> dict[str, Any]:
    """A line, or two where the shorter way is over the date line."""
    across = end.lon - start.lon
    if abs(across) <= _HALF_TURN:
        return {"type": "LineString", "coordinates": [_position(start), _position(end)]}
    edge = _HALF_TURN if across < 0 else -_HALF_TURN
    share = (edge - start.lon) / (across + 2 * edge)
    lat = start.lat + share * (end.lat - start.lat)
    return {
        "type": "MultiLineString",
        "coordinates": [
            [_position(start), _position(Point(lat, edge))],
            [_position(Point(lat, -edge)), _position(end)],
        ],
    }


def _position(point: Point) -> list[float]:
    return [round(point.lon, 6), round(point.lat, 6)]
