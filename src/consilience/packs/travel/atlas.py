"""Which places are there, where, and how does one get from one to another? All of them in memory.

Made from the passages of a workspace, so that whatever is planned can be cited. Names are looked up
as `surface` spells them; a connection goes both ways where its passage says so.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import count
from typing import Any, TypeVar

from consilience.packs.travel.geography import distance_km
from consilience.packs.travel.money import RATES, rate, rounded
from consilience.packs.travel.tellings import (
    Connection,
    Place,
    Remark,
    Tie,
    read_connection,
    read_place,
    read_tie,
)
from consilience.types import Passage
from consilience.understand.names import surface

__all__ = ["Atlas", "Connection", "Place", "Remark", "Tie"]

CITY = "city"
SIGHTS = frozenset({"attraction", "activity", "area"})
STAY = "stay"
FOOD = "food"
TOPICS = ("season", "getting_around", "safety", "booking")
"""What is told of a place besides what it is; each a passage of its own."""
_UPWARDS = ("LOCATED_IN", "PART_OF")
CHANGE_MIN = 30
"""Minutes that a change from one connection to the next takes."""


Value = TypeVar("Value")


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
    _reckoned: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls, passages: Iterable[Passage], *, rates: Mapping[str, Decimal] | None = None
    ) -> Atlas:
        """The atlas that passages tell; the first that tells of a place counts.

        All prices are in one currency, that of most of them: others are converted by the `rates`,
        and not known where there is none.
        """
        atlas = cls(rates=rates or RATES)
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
                tie = read_tie(passage)
                atlas.ties.setdefault(tie.source, []).append(tie)
        atlas._settle_prices()
        return atlas

    def _add_place(self, place: Place) -> None:
        self.places[place.id] = place
        for name in dict.fromkeys(map(surface, (place.name, *place.names))):
            self.named.setdefault(name, []).append(place.id)
        if place.city:
            self.inside.setdefault(place.city, []).append(place.id)

    def _add_connection(self, passage: Passage) -> None:
        there = read_connection(passage, backwards=False)
        self.connections.setdefault((there.start, there.end), []).append(there)
        if passage.metadata.get("both_ways", True):
            back = read_connection(passage, backwards=True)
            self.connections.setdefault((back.start, back.end), []).append(back)

    def _settle_prices(self) -> None:
        """Find the usual currency, and put every price into it."""
        ways = [one for some in self.connections.values() for one in some]
        counts = Counter(one.currency for one in self.places.values() if one.price and one.currency)
        counts += Counter(one.currency for one in ways if one.price and one.currency)
        self.currency = max(sorted(counts), key=lambda one: counts[one], default="")
        for key, place in self.places.items():
            if place.price is not None and place.currency not in ("", self.currency):
                price = self._converted(place.price, place.currency)
                self.places[key] = replace(place, price=price, currency=self.currency)
        for some in self.connections.values():
            some[:] = [
                replace(
                    one,
                    price=self._converted(one.price, one.currency) or Decimal(0),
                    currency=self.currency,
                )
                if one.currency not in ("", self.currency)
                else one
                for one in some
            ]

    def _converted(self, price: Decimal, currency: str) -> Decimal | None:
        worth = rate(currency, self.currency, self.rates)
        return rounded(price * worth, self.currency) if worth else None

    def reckoned(self, what: str, make: Callable[[Atlas], Value]) -> Value:
        """What is made of all places, made once: an atlas does not change after it is read."""
        if what not in self._reckoned:
            self._reckoned[what] = make(self)
        found: Value = self._reckoned[what]
        return found

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


def _back(came: Mapping[str, Connection], start: str, end: str) -> tuple[Connection, ...]:
    ways: list[Connection] = []
    while end != start:
        if end not in came:
            return ()
        ways.append(came[end])
        end = came[end].start
    return tuple(reversed(ways))
