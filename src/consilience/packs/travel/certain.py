"""What does the graph know for certain to answer a question? Places that meet all of it.

"Vegetarian restaurants in Hue" are those that lie in Hue, are restaurants and have the feature;
what is near a place is told by the ties that say how far it is. Such passages belong to what an
answer is written from, however they rank. A question that names a place nobody here knows is
left to the search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from consilience.names import surface
from consilience.packs.travel.meeting import CONTAINERS, Limits, kind_of, limits_in, loosened, meets
from consilience.packs.travel.reading import Asked, Role, named
from consilience.packs.travel.routing import strangers
from consilience.packs.travel.walking import EDGES, Remembering, Walk, between
from consilience.protocols import Lookup
from consilience.sources._paths import Edge
from consilience.types import Passage

MOST = 12
"""Places that meet all that is asked for, at most: so many an answer may tell of."""
LOOKED_AT = 400
"""Places inside another that are looked at; of a whole country the search finds the best."""
NEAREST = 8
"""Places near one that is named, at most."""
Places = Callable[[Sequence[str]], Mapping[str, Sequence[Passage]]]
"""The passages of some nodes."""


@dataclass(frozen=True, slots=True)
class Certain:
    """Finds what is certain in one graph."""

    store: Remembering
    places: Places
    lookup: Lookup

    def found(
        self,
        text: str,
        asked: Asked,
        names: Mapping[str, Sequence[str]],
        scores: Mapping[str, float],
    ) -> tuple[str, ...]:
        """The passages that are certain to answer, those of the best `scores` first."""
        known = frozenset(surface(one) for each in names.values() for one in each)
        if not names or strangers(text, known):
            return ()
        limits = limits_in(named(text, names)[1], asked)
        found = self._inside(asked, limits, scores)
        near = _of_role(asked, "near")
        if not found and not near and asked.kinds:
            near = _of_role(asked, "in")  # hotels "in" a quarter that no file places them in
        if "DAY_TRIP_FROM" in asked.relations:
            found += self._trips(near)
        found += self._beside(near, asked, limits)
        if len(names) > 1 and (found or not limits.rare):
            found += self._ways(asked)
        return tuple(found)

    def _inside(self, asked: Asked, limits: Limits, scores: Mapping[str, float]) -> list[str]:
        """The places that meet all of it in the one that is named, and that one."""
        where = {
            node: some[0].id
            for node, some in self.places(
                [*_of_role(asked, "in"), *_of_role(asked, "near")]
            ).items()
            if kind_of(some[0]) in CONTAINERS
        }
        if not where or not (asked.kinds or asked.interests or limits):
            return []
        nodes = Walk(self.store, frozenset()).inside(list(where))
        inside = self.places(sorted(nodes)) if len(nodes) <= LOOKED_AT else {}
        for one in (asked, loosened(asked)):
            if fits := [node for node, some in inside.items() if meets(some[0], one, limits)]:
                break
        fits.sort(key=lambda node: (-scores.get(node, 0.0), node))
        return [*(inside[node][0].id for node in fits[:MOST]), *(where.values() if fits else ())]

    def _trips(self, nodes: Sequence[str]) -> list[str]:
        """The day trips from these places, each with the place that it leads to."""
        edges = between(self.store, nodes, ("DAY_TRIP_FROM",), limit=EDGES) if nodes else []
        places = self.places([one.source for one in edges if one.target in nodes])
        return [
            key
            for one in edges[:NEAREST]
            if one.source in places
            for key in (one.passage, places[one.source][0].id)
        ]

    def _beside(self, nodes: Sequence[str], asked: Asked, limits: Limits) -> list[str]:
        """The nearest places of the kind asked for, each behind the tie that says how far it is."""
        edges = between(self.store, nodes, ("NEAR",), limit=EDGES) if nodes else []
        ties = self.lookup([one.passage for one in edges])
        far = {key: km for key, one in ties.items() if (km := _km(one)) is not None}
        ends = {
            one.passage: one.target if one.source in nodes else one.source
            for one in edges
            if one.passage in far
        }
        places = self.places(sorted({*ends.values()}))
        found: dict[str, list[str]] = {}
        for key in sorted(ends, key=lambda key: (far[key], key)):
            place = places.get(ends[key])
            if place and meets(place[0], asked, limits):
                found.setdefault(ends[key], [key, place[0].id])
        return [key for pair in list(found.values())[:NEAREST] for key in pair]

    def _ways(self, asked: Asked) -> list[str]:
        """The connections between the places that are named; where none joins two of them, those
        that do with a change, and else the fastest to each.
        """
        nodes = _of_role(asked, "in")
        edges = between(self.store, nodes, ("CONNECTED_TO",), limit=EDGES)
        known = self.lookup([one.passage for one in edges])
        ways = [(one, _minutes(known[one.passage])) for one in edges if one.passage in known]
        direct = [one.passage for one, _ in ways if {one.source, one.target} <= {*nodes}]
        if direct:
            return sorted(direct)
        first = {node: _by_end(node, ways) for node in nodes}
        shared = {end for one in first.values() for end in one}
        for one in first.values():
            shared &= one.keys()
        if shared:
            best = min(shared, key=lambda end: (sum(each[end][0] for each in first.values()), end))
            return [each[best][1] for each in first.values()]
        return [min(each.values())[1] for each in first.values() if each]


def _by_end(node: str, ways: Sequence[tuple[Edge, float]]) -> dict[str, tuple[float, str]]:
    """The fastest way between a place and each that it is connected to: minutes and passage."""
    found: dict[str, tuple[float, str]] = {}
    for edge, minutes in ways:
        if node in (edge.source, edge.target):
            end = edge.target if edge.source == node else edge.source
            found[end] = min(found.get(end, (minutes, edge.passage)), (minutes, edge.passage))
    return found


def _minutes(way: Passage) -> float:
    minutes = way.metadata.get("minutes")
    return float(minutes) if isinstance(minutes, int | float) else float("inf")


def _of_role(asked: Asked, role: Role) -> list[str]:
    return [node for node, own in asked.places.items() if own == role]


def _km(tie: Passage) -> float | None:
    km = tie.metadata.get("km")
    return float(km) if isinstance(km, int | float) else None
