"""Where on the globe is a record? From two numbers, a text, a list, an object or a geometry.

Numbers that no place on the globe has are told, and the place is kept without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.evidence.loaders.json_records import Json
from consilience.evidence.size_limits import short
from consilience.packs.travel.files.fields import Fields, as_text, meaning_of, spelt
from consilience.packs.travel.files.values import number
from consilience.packs.travel.geography import Point, is_point

_LAT_FIRST = ("latlng", "latlon", "lat_lng", "lat_lon", "lat_long", "latitude_longitude")
_WITHIN = ("location", "center", "centre", "position", "coordinate")
_SIGNED = re.compile(r"-?\d+(?:\.\d+)?")
_DEGREES = re.compile(
    r"(\d{1,3}(?:\.\d+)?)[°\s]*(?:(\d{1,2}(?:\.\d+)?)['′\s]*)?(?:(\d{1,2}(?:\.\d+)?)[\"″\s]*)?"
    r"\s*([NSEW])\b",
    re.IGNORECASE,
)
_WKT = re.compile(r"(?:SRID=\d+;)?\s*POINT\s*Z?\s*\(([^)]*)\)", re.IGNORECASE)
_PAIR = re.compile(r"[(\[]?\s*-?\d+(?:\.\d+)?\s*[,;\s]\s*-?\d+(?:\.\d+)?\s*[)\]]?")


def spot_of(fields: Fields) -> tuple[Point | None, str]:
    """Where a record says that it is, and what is wrong with that; both may be nothing."""
    if "lat" in fields or "lon" in fields:
        found = _checked(fields.first("lat"), fields.first("lon"))
        if found[0] is not None or "point" not in fields:
            return found
    for meaning in ("point", "location"):
        for name, value in fields.each(meaning):
            point, fault = read_point(value, name)
            if point is not None or (fault and meaning == "point"):
                return point, fault
    return None, ""


def _checked(lat: Json, lon: Json) -> tuple[Point | None, str]:
    known = _degrees(lat), _degrees(lon)
    if known[0] is not None and known[1] is not None and is_point(known[0], known[1]):
        return Point(known[0], known[1]), ""
    said = f"{short(str(lat), 30)}, {short(str(lon), 30)}"
    return None, f"the coordinates {said} are none (latitude -90 to 90, longitude -180 to 180)"


def _degrees(value: Json) -> float | None:
    plain = number(value)
    if plain is not None:
        return plain
    found = _in_degrees(as_text(value))
    return found[0][0] if len(found) == 1 else None


def _in_degrees(text: str) -> list[tuple[float, str]]:
    found = []
    for match in _DEGREES.finditer(text):
        parts = [float(one or 0) for one in match.group(1, 2, 3)]
        side = match[4].upper()
        size = parts[0] + parts[1] / 60 + parts[2] / 3600
        found.append((-size if side in "SW" else size, side))
    return found


def read_point(value: Json, name: str = "") -> tuple[Point | None, str]:
    """The point that a value tells, and what is wrong with it."""
    if isinstance(value, dict):
        return _of_object(value)
    if isinstance(value, list):
        centre = centre_of(value)
        if centre is None:
            return None, ""
        return _ordered(centre[0], centre[1], lat_first=spelt(name) in _LAT_FIRST)
    return _of_text(as_text(value))


def _of_object(value: dict[str, Json]) -> tuple[Point | None, str]:
    if "coordinates" in value:
        centre = centre_of(value["coordinates"])
        if centre is None:
            return None, ""
        return _checked(centre[1], centre[0])
    within = next((value[one] for one in _WITHIN if isinstance(value.get(one), dict)), None)
    if isinstance(within, dict):
        return _of_object(within)
    by = {meaning_of(name): one for name, one in value.items()}
    if "lat" in by and "lon" in by:
        return _checked(by["lat"], by["lon"])
    if {"1", "2"} <= value.keys():
        return _checked(value["1"], value["2"])
    return None, ""


def _of_text(text: str) -> tuple[Point | None, str]:
    if match := _WKT.match(text):
        found = _SIGNED.findall(match[1])
        return _checked(found[1], found[0]) if len(found) >= 2 else (None, "")
    sides = {side: size for size, side in _in_degrees(text)}
    if len(sides) == 2:
        lat = next((sides[one] for one in "NS" if one in sides), None)
        lon = next((sides[one] for one in "EW" if one in sides), None)
        return _checked(lat, lon)
    if not _PAIR.fullmatch(text):
        return None, ""
    found = _SIGNED.findall(text)
    return _ordered(float(found[0]), float(found[1]), lat_first=True)


def _ordered(one: float, other: float, *, lat_first: bool) -> tuple[Point | None, str]:
    """Two numbers in the usual order, or in the other where only that is possible."""
    lat, lon = (one, other) if lat_first else (other, one)
    if abs(lat) > 90 >= abs(lon):
        lat, lon = lon, lat
    return _checked(lat, lon)


def centre_of(value: Json) -> tuple[float, float] | None:
    """The middle of the positions of a geometry; of a single one, itself."""
    found = list(dict.fromkeys(_positions(value)))
    if not found:
        return None
    return sum(one for one, _ in found) / len(found), sum(two for _, two in found) / len(found)


def _positions(value: Json) -> Iterator[tuple[float, float]]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if not isinstance(one, list):
            continue
        pair = [number(part) for part in one[:2]]
        if len(pair) == 2 and pair[0] is not None and pair[1] is not None:
            yield pair[0], pair[1]
        else:
            waiting.extend(reversed(one))
