"""Which places are there, where, and how does one get from one to another? All of them in memory.

Made from the passages of a workspace, so that whatever is planned can be cited. Names are looked up
as `surface` spells them; a connection goes both ways where its passage says so.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count

from consilience.names import surface
from consilience.packs.travel.geography import Point, distance_km
from consilience.packs.travel.money import RATES
from consilience.types import Passage, Value

CITY = "city"
SIGHTS = frozenset({"attraction", "activity", "area"})
STAY = "stay"
FOOD = "food"
TOPICS = ("season", "getting_around", "safety", "booking")
"""What is told of a place besides what it is; each a passage of its own."""
_UPWARDS = ("LOCATED_IN", "PART_OF")
CHANGE_MIN = 30
"""Minutes that a change from one connection to the next takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place as its passage tells of it.

    `kind` is country, region, city, area, attraction, activity, stay, food or airport; `type` says
    it more exactly (pagoda, hostel). `city` is where it is, by id, empty for none. `price` is for
    one person, of a stay for a room and a night, None where it is not known; `minutes` is how long
    a visit takes. `months` are those it is best in, none for all. `themes` have a strength from 0
    to 1, and `whys` a reason.
    """

    id: str
    name: str
    kind: str
    passage: str
    type: str = ""
    city: str = ""
    region: str = ""
    point: Point | None = None
    names: tuple[str, ...] = ()
    themes: Mapping[str, float] = field(default_factory=dict)
    whys: Mapping[str, str] = field(default_factory=dict)
    price: Decimal | None = None
    currency: str = ""
    hours: str = ""
    minutes: int = 0
    slots: tuple[str, ...] = ()
    months: tuple[int, ...] = ()
    effort: str = ""
    features: frozenset[str] = frozenset()
    level: str = ""
    days: tuple[int, ...] = ()
    offers: tuple[str, ...] = ()
    serves: tuple[str, ...] = ()
    invented: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """A way from one place to another that a passage tells of."""

    start: str
    end: str
    mode: str
    minutes: int
    price: Decimal
    passage: str
    overnight: bool = False
    departures: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """A relation between two places, or a place and a theme, month or thing it offers."""

    source: str
    relation: str
    target: str
    passage: str
    weight: float = 1.0
    km: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What a passage says of a place on one of `TOPICS`."""

    text: str
    passage: str


@dataclass(slots=True)
class Atlas:
    """All places by id, and what joins them.

    `currency` is that of most prices, empty where there is none, and `rates` are units of
    currencies for one dollar.
    """

    places: dict[str, Place] = field(default_factory=dict)
    connections: dict[tuple[str, str], list[Connection]] = field(default_factory=dict)
    ties: dict[str, list[Tie]] = field(default_factory=dict)
    remarks: dict[tuple[str, str], list[Remark]] = field(default_factory=dict)
    named: dict[str, list[str]] = field(default_factory=dict)
    inside: dict[str, list[str]] = field(default_factory=dict)
    rates: Mapping[str, Decimal] = field(default_factory=lambda: RATES)
    currency: str = ""

    @classmethod
    def of(cls, passages: Iterable[Passage]) -> Atlas:
        """The atlas that passages tell; the first that tells of a place counts."""
        atlas = cls()
        for passage in passages:
            fields = passage.metadata
            if passage.kind == "place" and str(fields.get("node", "")) not in atlas.places:
                atlas._add_place(read_place(passage))
            elif "about" in fields and "topic" in fields:
                key = (str(fields["about"]), str(fields["topic"]))
                remark = Remark(text=passage.text, passage=passage.id)
                atlas.remarks.setdefault(key, []).append(remark)
            elif fields.get("relation") == "CONNECTED_TO" and fields.get("minutes") is not None:
                atlas._add_connection(passage)
            elif passage.kind in ("tie", "edge") and "relation" in fields:
                tie = _read_tie(passage)
                atlas.ties.setdefault(tie.source, []).append(tie)
        atlas.currency = _usual_currency(atlas.places.values())
        return atlas

    def _add_place(self, place: Place) -> None:
        self.places[place.id] = place
        for name in dict.fromkeys(map(surface, (place.name, *place.names))):
            self.named.setdefault(name, []).append(place.id)
        if place.city:
            self.inside.setdefault(place.city, []).append(place.id)

    def _add_connection(self, passage: Passage) -> None:
        there = _read_connection(passage, backwards=False)
        self.connections.setdefault((there.start, there.end), []).append(there)
        if passage.metadata.get("both_ways", True):
            back = _read_connection(passage, backwards=True)
            self.connections.setdefault((back.start, back.end), []).append(back)

    # --- places -------------------------------------------------------------------------

    def find(self, name: str) -> tuple[str, ...]:
        """The places of a name, cities first."""
        found = self.named.get(surface(name), ())
        return tuple(sorted(found, key=lambda one: (self.places[one].kind != CITY, one)))

    def name_of(self, place: str) -> str:
        """What a place is called; one that is not known, as its id is spelt."""
        known = self.places.get(place)
        return known.name if known else place

    def cities(self) -> tuple[Place, ...]:
        """The places one can stay in, by id."""
        return tuple(one for _, one in sorted(self.places.items()) if one.kind == CITY)

    def within(self, city: str, kinds: Iterable[str] = SIGHTS) -> tuple[Place, ...]:
        """The places of some kinds in a city, or in an area of it, by id."""
        wanted, ids = frozenset(kinds), list(self.inside.get(city, ()))
        areas = [one for one in ids if self.places[one].kind == "area"]
        ids += [one for area in areas for one in self.inside.get(area, ())]
        return tuple(
            self.places[one] for one in sorted(set(ids)) if self.places[one].kind in wanted
        )

    def city_of(self, place: str) -> str:
        """The city that a place is in, or is itself; empty for none."""
        seen = set[str]()
        while place and place not in seen:
            seen.add(place)
            known = self.places.get(place)
            if known is None:
                return ""
            if known.kind == CITY:
                return place
            place = known.city
        return ""

    def lies_in(self, place: str, whole: str) -> bool:
        """Whether a place is another one or lies in it: a sight in a region of a country."""
        waiting, seen = [place], set[str]()
        while waiting:
            here = waiting.pop()
            if here == whole:
                return True
            if here in seen:
                continue
            seen.add(here)
            known = self.places.get(here)
            waiting += [one for one in ((known.city, known.region) if known else ()) if one]
            waiting += [one.target for one in self.ties.get(here, ()) if one.relation in _UPWARDS]
        return False

    def km(self, one: str, other: str) -> float | None:
        """How far apart two places are; None where one of them has no coordinates."""
        points = [self.places[key].point if key in self.places else None for key in (one, other)]
        if points[0] is None or points[1] is None:
            return None
        return distance_km(points[0], points[1])

    def remark(self, place: str, topic: str) -> Remark | None:
        """What is told of a place on a topic; None for nothing."""
        return next(iter(self.remarks.get((place, topic), ())), None)

    # --- ways ---------------------------------------------------------------------------

    def direct(
        self, start: str, end: str, avoiding: frozenset[str] = frozenset()
    ) -> tuple[Connection, ...]:
        """The connections from one place to another, the fastest first."""
        found = [one for one in self.connections.get((start, end), ()) if one.mode not in avoiding]
        return tuple(sorted(found, key=lambda one: (one.minutes, one.price, one.passage)))

    def fastest(
        self, start: str, end: str, avoiding: frozenset[str] = frozenset()
    ) -> tuple[Connection, ...]:
        """The connections that lead from one place to another in the least time, changes counted.

        Empty where there is no way, and where start is end.
        """
        best: dict[str, int] = {start: 0}
        came: dict[str, Connection] = {}
        order = count()
        waiting: list[tuple[int, int, str]] = [(0, next(order), start)]
        leaving = self._leaving()
        while waiting:
            spent, _, here = heapq.heappop(waiting)
            if here == end:
                break
            if spent > best[here]:
                continue
            for way in leaving.get(here, ()):
                change = CHANGE_MIN if here != start else 0
                late = spent + way.minutes + change
                if way.mode not in avoiding and late < best.get(way.end, late + 1):
                    best[way.end], came[way.end] = late, way
                    heapq.heappush(waiting, (late, next(order), way.end))
        return _back(came, start, end)

    def _leaving(self) -> Mapping[str, Sequence[Connection]]:
        found: dict[str, list[Connection]] = {}
        for (start, _), ways in self.connections.items():
            found.setdefault(start, []).extend(ways)
        return found


def _usual_currency(places: Iterable[Place]) -> str:
    counts = Counter(one.currency for one in places if one.price is not None and one.currency)
    return max(sorted(counts), key=lambda one: counts[one], default="")


def _back(came: Mapping[str, Connection], start: str, end: str) -> tuple[Connection, ...]:
    ways: list[Connection] = []
    while end != start:
        if end not in came:
            return ()
        ways.append(came[end])
        end = came[end].start
    return tuple(reversed(ways))


def read_place(passage: Passage) -> Place:
    """The place that a passage tells of."""
    fields = passage.metadata
    lat, lon = fields.get("lat"), fields.get("lon")
    located = isinstance(lat, int | float) and isinstance(lon, int | float)
    themes, strengths = _texts(fields.get("themes")), _numbers(fields.get("strengths"))
    whys = _texts(fields.get("whys"))
    return Place(
        id=str(fields["node"]),
        name=str(fields.get("name", fields["node"])),
        kind=str(fields.get("node_kind", "")),
        passage=passage.id,
        type=str(fields.get("type", "")),
        city=str(fields.get("city", "")),
        region=str(fields.get("region", "")),
        point=Point(float(str(lat)), float(str(lon))) if located else None,
        names=_texts(fields.get("aliases")),
        themes=dict(zip(themes, strengths, strict=True)) if strengths else dict.fromkeys(themes, 1),
        whys=dict(zip(themes, whys, strict=False)),
        price=_amount(fields.get("price")),
        currency=str(fields.get("currency", "")),
        hours=str(fields.get("hours", "")),
        minutes=int(_numbers(fields.get("visit_minutes", 0))[0]),
        slots=_texts(fields.get("slots")),
        months=tuple(int(one) for one in _numbers(fields.get("best_months"))),
        effort=str(fields.get("effort", "")),
        features=frozenset(_texts(fields.get("features"))),
        level=str(fields.get("level", "")),
        days=tuple(int(one) for one in _numbers(fields.get("suggested_days"))),
        offers=_texts(fields.get("offers")),
        serves=_texts(fields.get("serves")),
        invented=bool(fields.get("invented", False)),
        text=passage.text,
    )


def _read_connection(passage: Passage, *, backwards: bool) -> Connection:
    fields = passage.metadata
    start, end = str(fields["source"]), str(fields["target"])
    return Connection(
        start=end if backwards else start,
        end=start if backwards else end,
        mode=str(fields.get("mode", "")),
        minutes=int(_numbers(fields.get("minutes", 0))[0]),
        price=_amount(fields.get("price")) or Decimal(0),
        passage=passage.id,
        overnight=bool(fields.get("overnight", False)),
        departures=str(fields.get("departures", "")),
        note=str(fields.get("note", "")),
    )


def _read_tie(passage: Passage) -> Tie:
    fields = passage.metadata
    km = fields.get("km")
    return Tie(
        source=str(fields.get("source", "")),
        relation=str(fields["relation"]),
        target=str(fields.get("target", "")),
        passage=passage.id,
        weight=_numbers(fields.get("weight", 1.0))[0],
        km=float(km) if isinstance(km, int | float) else None,
        why=str(fields.get("why", "")),
    )


def _texts(value: Value | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


def _numbers(value: Value | None) -> tuple[float, ...]:
    found = value if isinstance(value, tuple) else (value,)
    return tuple(float(one) for one in found if isinstance(one, int | float))


def _amount(value: Value | None) -> Decimal | None:
    """A price, exactly as it was written."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return Decimal(str(value))
