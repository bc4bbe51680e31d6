"""How long does a way take whose record does not say? Reckoned from the distance, and told as such.

Where the ends have no coordinates either, half a day is counted: the record says that there is a
way, and a plan has to leave time for it.
"""

from __future__ import annotations

from consilience.packs.travel.files.joining import Ends, Joint
from consilience.packs.travel.files.relating import CONNECTED
from consilience.packs.travel.geography import distance_km

UNKNOWN_MIN = 240
"""Minutes of a way of which neither the time nor the distance is known."""
_CITY = frozenset({"city"})
_DETOUR = 1.3  # of roads, against the straight line
_FLOWN_KM = 600  # from here on a way without a mode is flown
_FLIGHT = (700.0, 150)  # kilometres an hour, and minutes at the airports
_CAR_KMH = 60.0
_SPEEDS = (
    ("train", 80.0), ("rail", 80.0), ("bus", 50.0), ("coach", 50.0), ("ferry", 30.0),
    ("boat", 30.0), ("ship", 30.0), ("motorbike", 40.0), ("bicycle", 15.0), ("bike", 15.0),
)  # fmt: skip
_FLYING = ("flight", "plane", "air", "fly")


def timed(joint: Joint, ends: Ends) -> Joint:
    """A way between two cities with its minutes, computed where its record has none."""
    way = joint.way
    if joint.relation != CONNECTED or "minutes" in way:
        return joint
    places = [ends.look(one, _CITY) for one in (joint.source, joint.target)]
    known = [one for one in places if one is not None and one.kind == "city"]
    if len(known) < 2:
        return joint
    points = [one.point for one in known if one.point is not None]
    straight = distance_km(points[0], points[1]) if len(points) == 2 else None
    way["computed"] = True
    mode = str(way.get("mode", ""))
    if joint.km is None and straight is None:
        way["minutes"] = UNKNOWN_MIN
        return joint
    km = joint.km if joint.km is not None else (straight or 0.0) * _DETOUR
    if not mode:
        way["mode"] = mode = "flight" if km > _FLOWN_KM * _DETOUR else "car"
    if joint.km is None:
        joint.km = straight
    way["minutes"] = _minutes(km, mode)
    return joint


def _minutes(km: float, mode: str) -> int:
    if any(word in mode for word in _FLYING):
        speed, besides = _FLIGHT
        return besides + round(km / _DETOUR / speed * 60)
    speed = next((speed for word, speed in _SPEEDS if word in mode), _CAR_KMH)
    return max(5, 5 * round(km / speed * 12))
