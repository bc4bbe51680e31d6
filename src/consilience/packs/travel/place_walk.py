"""How do paths lead from what is looked for to places, and what is a place worth by them?

A walk starts at the nodes of an interest and goes two steps; from a named place three, where each
leads into it. weight(path) = Π (edge · m) · 0.5^(length - 1), where m is 1 for a relation that fits
the question and 0.3 for another; an edge weighs what its relation does times its strength. A place
scores the sum, over the interests, of its best path: how many edges it has never counts.

Every query is a fixed text that only reads; values reach it as parameters.
"""

from __future__ import annotations

import heapq
from calendar import month_name
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from consilience.packs.travel.place_records import relations
from consilience.protocols import Vectors
from consilience.stores.graph_paths import DECAY, OFF_INTENT, Edge
from consilience.stores.ladybug import GraphStore
from consilience.types import Passage

FRONTIER = 60
"""Places from which a walk goes a step further, the best of each interest."""
EDGES = 5_000
"""Edges that are read in one direction at a step, the heaviest first."""
CACHED_QUERIES = 512
INWARDS = ("LOCATED_IN", "PART_OF")
"""Relations of a place to what it is in."""
ONWARDS = (*INWARDS, "NEAR", "PAIRS_WITH", "SIMILAR_TO", "DAY_TRIP_FROM")
"""Relations along which one place leads to another."""
BETWEEN = ("CONNECTED_TO", *ONWARDS, "BORDERS")
"""All relations between two places."""
TOWARDS = ("SUITS", "OFFERS", "SERVES", "KNOWN_FOR", "BEST_IN", "IS_A", "HAS_FEATURE", "GOOD_AT")
"""Relations of a place to what it is like."""
_OWN = frozenset({"kind", "feature", "level", "month", "slot"})
"""What holds of a place alone: nothing is open in May because of a neighbour."""
_FIELDS = "a.id, e.relation, b.id, e.weight, e.passage"
_QUERY = (
    "MATCH (a:Node)-[e:Edge]->(b:Node) WHERE {end}.id IN $ids AND e.relation IN $relations "
    f"AND e.weight > 0 RETURN {_FIELDS} ORDER BY e.weight DESC, e.passage LIMIT $limit"
)
LEAVING, REACHING = _QUERY.format(end="a"), _QUERY.format(end="b")
KNOWN = "MATCH (n:Node) WHERE n.id IN $ids RETURN n.id"
QUERIES = (LEAVING, REACHING, KNOWN)
"""All that a walk ever asks of the graph."""


@dataclass(frozen=True, slots=True)
class Way:
    """A path from what is looked for (`nodes[0]`) to a place, by edges in that order."""

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]
    weight: float

    @property
    def end(self) -> str:
        """The node it has reached."""
        return self.nodes[-1]

    @property
    def order(self) -> tuple[float, int, tuple[str, ...], tuple[str, ...]]:
        """Best first when sorted: weight falling, then the shorter, then by names."""
        return (-self.weight, len(self.edges), self.nodes, tuple(e.passage for e in self.edges))

    @property
    def is_sibling(self) -> bool:
        """Whether it goes into what the place is in, and out again to another that is in it."""
        if len(self.edges) != 2:
            return False
        up, down = self.edges
        return up.target == down.target and {up.relation, down.relation} <= {*INWARDS}

    def describe(
        self, names: Mapping[str, str], whys: Mapping[str, str], kms: Mapping[str, float]
    ) -> str:
        """In words, from the place that it leads to: `suits → romance (lantern-lit lanes)`."""
        line = ""
        for edge, node in zip(reversed(self.edges), reversed(self.nodes[:-1]), strict=True):
            known = relations().get(edge.relation)
            forwards = edge.target == node
            words = edge.relation.replace("_", " ").lower()
            if known is not None:
                words = str(known["forwards" if forwards else "backwards"])
            km = f", {kms[edge.passage]:.3g} km" if edge.passage in kms else ""
            why = whys.get(edge.passage, "") if edge.relation == "SUITS" else ""
            name = names.get(node, node_name(node))
            if line and edge.relation in TOWARDS and not forwards:
                line += f", as does {name}"
            else:
                joint = ", which " if line else ""
                line += f"{joint}{words} → {name}{km}{f' ({why})' if why else ''}"
        return line


class CachedGraph(GraphStore):
    """A graph that remembers the edges of the last queries, until something is written."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._find = lru_cache(CACHED_QUERIES)(self._query)

    def find_edges(self, query: str, ids: Sequence[str], wanted: Sequence[str]) -> tuple[Edge, ...]:
        """The edges that a query gives, the heaviest first."""
        return self._find(query, tuple(ids), tuple(wanted))

    def remove(self, ids: Sequence[str]) -> None:
        """Forget these passages' edges and evidence; an unknown id is no error."""
        super().remove(ids)
        self._find.cache_clear()

    def write(self, passages: Sequence[Passage], vectors: Vectors | None = None) -> None:
        """Add nodes and edges, or replace those of the same passage id."""
        super().write(passages, vectors)
        self._find.cache_clear()

    def _query(self, query: str, ids: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[Edge, ...]:
        rows = self.run(query, ids=list(ids), relations=list(wanted), limit=EDGES)
        return tuple(
            Edge(str(a), str(relation), str(b), min(float(weight), 1.0), str(passage))
            for a, relation, b, weight, passage in rows
        )


class Walk:
    """Walks through one graph for one question that mentions some `relations`."""

    def __init__(self, store: CachedGraph, mentioned: frozenset[str]) -> None:
        self._store = store
        self._mentioned = mentioned

    def known(self, nodes: Sequence[str]) -> list[str]:
        """Those of these nodes that the graph has, in their order."""
        found = {str(row[0]) for row in self._store.run(KNOWN, ids=list(nodes))} if nodes else set()
        return [node for node in nodes if node in found]

    def inside(self, places: Sequence[str]) -> frozenset[str]:
        """All that lies in these places, at any depth; without them."""
        found: set[str] = set()
        edge = set(places)
        while edge:
            rows = self._store.find_edges(REACHING, sorted(edge), INWARDS)
            edge = {row.source for row in rows} - found - set(places)
            found |= edge
        return frozenset(found)

    def from_nodes(
        self, nodes: Mapping[str, float], own: frozenset[str] = frozenset()
    ) -> dict[str, Way]:
        """The best way to every place, from nodes that say what places are like.

        Those that hold of a place alone, `own` among them, lead no further.
        """
        starts = [Way((node,), (), weight) for node, weight in sorted(nodes.items())]
        first = self._extend(starts, (REACHING,), TOWARDS, wanted=frozenset(TOWARDS))
        leading = [
            way
            for way in first
            if way.nodes[0] not in own and way.nodes[0].partition(":")[0] not in _OWN
        ]
        second = self._extend(_best_ways(leading), (LEAVING, REACHING), ONWARDS, self._mentioned)
        return _best([*first, *second])

    def from_place(
        self, place: str, *, wanted: frozenset[str], beside: bool = False
    ) -> dict[str, Way]:
        """The best way to every place from a named one, `wanted` relations first.

        With `beside` what lies in the same city is reached as well.
        """
        start = Way((place,), (), 1.0)
        asked = [name for name in BETWEEN if name in wanted and name not in ONWARDS]
        first = self._extend([start], (LEAVING, REACHING), (*ONWARDS, *asked), wanted)
        second = self._extend(_best_ways(first), (LEAVING, REACHING), ONWARDS, wanted)
        second = [way for way in second if beside or not way.is_sibling]
        within = [way for way in second if all(e.relation in INWARDS for e in way.edges)]
        third = self._extend(_best_ways(within), (REACHING,), INWARDS, wanted)
        return _best([start, *first, *second, *third])

    def alike(self, place: str) -> dict[str, Way]:
        """The best way from a place to those that suit what it suits."""
        start = Way((place,), (), 1.0)
        themes = self._extend([start], (LEAVING,), ("SUITS",), self._mentioned)
        others = self._extend(themes, (REACHING,), ("SUITS",), frozenset({"SUITS"}))
        return _best([start, *others])

    def _extend(
        self,
        ways: Sequence[Way],
        queries: Sequence[str],
        followed: Sequence[str],
        wanted: frozenset[str],
    ) -> list[Way]:
        """The ways that go one edge further."""
        ends: dict[str, list[Way]] = {}
        for way in ways:
            ends.setdefault(way.end, []).append(way)
        longer: list[Way] = []
        for query in queries if ends else ():
            for edge in self._store.find_edges(query, sorted(ends), followed):
                start, end = (
                    (edge.source, edge.target) if query == LEAVING else (edge.target, edge.source)
                )
                longer += [
                    _step(way, edge, end, wanted)
                    for way in ends.get(start, ())
                    if end not in way.nodes
                ]
        return longer


def node_name(node: str) -> str:
    """The name of a node without a passage: `romance` of `theme:romance`, `May` of `month:5`."""
    prefix, _, rest = node.partition(":")
    if prefix == "month" and rest.isdigit() and 1 <= int(rest) <= 12:
        return month_name[int(rest)]
    return rest.replace("-", " ") or node


def _step(way: Way, edge: Edge, end: str, wanted: frozenset[str]) -> Way:
    fits = 1.0 if edge.relation in wanted else OFF_INTENT
    decay = DECAY if way.edges else 1.0
    return Way((*way.nodes, end), (*way.edges, edge), way.weight * edge.weight * fits * decay)


def _best_ways(ways: Iterable[Way]) -> list[Way]:
    """The best way to each node, of the best nodes: what is walked on from."""
    return heapq.nsmallest(FRONTIER, _best(ways).values(), key=lambda way: way.order)


def _best(ways: Iterable[Way]) -> dict[str, Way]:
    best: dict[str, Way] = {}
    for way in ways:
        known = best.get(way.end)
        if known is None or way.weight > known.weight or way.order < known.order:
            best[way.end] = way
    return best
