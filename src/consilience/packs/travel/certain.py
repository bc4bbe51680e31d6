"""What does the graph know for certain to answer a question? Places that meet all of it.

"Vegetarian restaurants in Hue" are those that lie in Hue, are restaurants and have the feature;
places for romance and food are those that suit both, the best of them first. What is near a place
comes with the ties that say how far it is; where none does, the coordinates tell. Such passages
belong to what an answer is written from, however they rank. A question that names a place nobody
here knows is left to the search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from consilience.packs.travel.answering.distances import Beside, beside, km_of, point_of
from consilience.packs.travel.meeting import (
    ALIKE,
    CONTAINERS,
    LIKE_ENOUGH,
    Limits,
    is_theme,
    kind_of,
    limits_in,
    loosened,
    meets,
    meets_most,
    order,
)
from consilience.packs.travel.reading import Asked, Role, named
from consilience.packs.travel.refusing.strangers import strangers
from consilience.packs.travel.walking import EDGES, REACHING, TOWARDS, Remembering, Walk, between
from consilience.protocols import Lookup
from consilience.stores.graph_paths import Edge
from consilience.types import Passage
from consilience.understand.names import surface

MOST = 12
"""Places that meet all that is asked for, at most: so many an answer may tell of."""
LOOKED_AT = 400
"""Places inside another that are looked at; of a whole country the search finds the best."""
BEST = 6
"""Places anywhere that suit all themes of a question, at most."""
NEAREST = 6
"""Places near one that is named, at most."""
_BARE_WORDS = """
a an and any anywhere are as at be best can could destination destinations do does fans find for get
give go good great have holiday i ideas in is it like list looking lover lovers me more most my near
nice of on one or our place places please really recommend should show some somewhere spot spots
suggest suit suitable suits that the their there they to top travel trip us very visit want we what
where which with would you your
"""
_BARE = frozenset(_BARE_WORDS.split())
"""Words of a question that say nothing of what is looked for."""
Places = Callable[[Sequence[str]], Mapping[str, Sequence[Passage]]]
"""The passages of some nodes."""


@dataclass(frozen=True, slots=True)
class Sure:
    """The passages that are certain to answer, and those ties among them that no file states."""

    ids: tuple[str, ...] = ()
    made: tuple[Passage, ...] = ()


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
    ) -> Sure:
        """The passages that are certain to answer, the best first."""
        known = frozenset(surface(one) for each in names.values() for one in each)
        if strangers(text, known):
            return Sure()
        rest = named(text, names)[1] if names else text
        limits = limits_in(rest, asked)
        if not names:
            return Sure(tuple(self._anywhere(rest, asked, limits)))
        near = _of_role(asked, "near")
        measured = near if asked.kinds else []
        some = self._beside(measured, asked, limits)
        found = [] if some else self._inside(asked, limits, scores)
        if not found and not near and asked.kinds:
            near = _of_role(asked, "in")  # hotels "in" a quarter that no file places them in
        if "DAY_TRIP_FROM" in asked.relations:
            found += self._trips(near)
        some = some or self._beside(near, asked, limits)
        found += [*(one.place.id for one in some), *(one.tie.id for one in some)]
        found += [each[0].id for each in self.places(near).values()] if some else []
        if len(names) > 1 and (found or not limits.rare):
            found += self._ways(asked)
        return Sure(tuple(dict.fromkeys(found)), tuple(one.tie for one in some if one.made))

    def _anywhere(self, text: str, asked: Asked, limits: Limits) -> list[str]:
        """The best places that suit all themes of a question, and meet the rest of it; where none
        suits all of three or more, those that suit all but one.

        Of one theme nothing is certain where the question says more than that: the search reads
        the rest of its words.
        """
        themes = [one for one in asked.interests if is_theme(one)]
        whole = bool(asked.kinds) and all(kind in CONTAINERS for kind, _ in asked.kinds)
        if not themes or (len(themes) == 1 and not whole and not _is_bare(text, asked)):
            return []
        met = [self._like(sorted(one.nodes)) for one in themes]
        sums: dict[str, float] = {}
        for each in met:
            for node, weight in each.items():
                sums[node] = sums.get(node, 0.0) + weight
        kind = self._like(sorted(_kind_nodes(asked))) if whole else sums
        for fewest in (len(themes), len(themes) - 1)[: 2 if len(themes) > 2 else 1]:
            nodes = [one for one in sums if one in kind and _count(one, met) >= fewest]
            first = sorted(nodes, key=lambda node: (-sums[node], node))[:LOOKED_AT]
            known = [some[0] for some in self.places(first).values()]
            if fits := [one for one in known if meets_most(one, asked, limits, fewest)]:
                return [one.id for one in order(fits, asked, text)[:BEST]]
        return []

    def _like(self, nodes: Sequence[str]) -> dict[str, float]:
        """The places that lead to one of these nodes, each with its heaviest edge."""
        found: dict[str, float] = {}
        for edge in self.store.found(REACHING, tuple(nodes), TOWARDS) if nodes else ():
            found.setdefault(edge.source, edge.weight)
        return found

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

    def _beside(self, nodes: Sequence[str], asked: Asked, limits: Limits) -> list[Beside]:
        """The nearest places of the kind asked for, each with the tie that says how far it is."""
        edges = between(self.store, nodes, ("NEAR",), limit=EDGES) if nodes else []
        stated = self.lookup([one.passage for one in edges])
        ties: dict[str, Passage] = {}
        for one in edges:
            end = one.target if one.source in nodes else one.source
            if one.passage in stated and km_of(stated[one.passage]) is not None:
                ties.setdefault(end, stated[one.passage])
        here = [some[0] for some in self.places(nodes).values()] if nodes else []
        around = {*ties, *self._around(here, asked)} if here else set()
        places = self.places(sorted(around - {*nodes}))
        fits = {node: some[0] for node, some in places.items() if meets(some[0], asked, limits)}
        return beside(here, fits, ties, NEAREST)

    def _around(self, here: Sequence[Passage], asked: Asked) -> set[str]:
        """The places that may be near these: of the kind asked for, else in the same city."""
        if not any(point_of(one) for one in here):
            return set()
        if asked.kinds:
            return set(sorted(self._like(sorted(_kind_nodes(asked))))[:EDGES])
        themes = [one for one in asked.interests if is_theme(one)]
        if themes:
            return set.intersection(*(set(self._like(sorted(one.nodes))) for one in themes))
        cities = {str(one.metadata.get("city") or one.metadata.get("node", "")) for one in here}
        return {*Walk(self.store, frozenset()).inside(sorted(cities))}

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


def _count(node: str, met: Sequence[Mapping[str, float]]) -> int:
    return sum(node in one for one in met)


def _is_bare(text: str, asked: Asked) -> bool:
    """Whether a question says nothing but what it looks for."""
    said = {word for one in asked.interests for word in surface(one.label).split()}
    return {*surface(text).split()} <= said | _BARE


def _kind_nodes(asked: Asked) -> set[str]:
    """The nodes of the kinds and types that are asked for, and of those that are meant as well."""
    found = {f"type:{type_of}" for _, type_of in asked.kinds if type_of}
    for kind, type_of in asked.kinds:
        alike = ALIKE.get(kind, {kind: 1.0}) if not type_of else {}
        found |= {f"kind:{one}" for one, likeness in alike.items() if likeness >= LIKE_ENOUGH}
    return found
