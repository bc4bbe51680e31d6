"""How do paths lead from what is looked for to places, and what is a place worth by them?

A walk starts at the nodes of an interest and goes two steps, from a place that is named three where
each leads into it. weight(path) = Π (edge · m) · 0.5^(length - 1), where m is 1 for a relation that
fits the question and 0.3 for another; an edge weighs what its relation does times its strength. A
place scores the sum, over the interests, of its best path: how many edges it has never counts.

Every query is a fixed text that only reads; values reach it as parameters.
"""

from __future__ import annotations

import heapq
from calendar import month_name
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from consilience.packs.travel.vocabulary import RELATIONS
from consilience.protocols import Vectors
from consilience.stores.graph_paths import DECAY, OFF_INTENT, Edge
from consilience.stores.ladybug import GraphStore
from consilience.types import Passage

FRONTIER = 60
"""Places from which a walk goes a step further, the best of each interest."""
EDGES = 5_000
REMEMBERED = 512  # queries
"""Edges that are read in one direction at a step, the heaviest first."""
INWARDS = ("LOCATED_IN", "PART_OF")
"""Relations of a place to what it is in."""
ONWARDS = (*INWARDS, "NEAR", "PAIRS_WITH", "SIMILAR_TO", "DAY_TRIP_FROM")
"""Relations along which one place leads to another."""
BETWEEN = ("CONNECTED_TO", *ONWARDS, "BORDERS")
"""All relations between two places."""
TOWARDS = ("SUITS", "OFFERS", "SERVES", "KNOWN_FOR", "BEST_IN", "IS_A", "HAS_FEATURE", "GOOD_AT")
"""Relations of a place to what it is like."""
_OWN = frozenset({"kind", "feature", "level", "month", "slot"})
"""What holds of a place alone: a beach is near, but nothing is open in May because of another."""
_FIELDS = "a.id, e.relation, b.id, e.weight, e.passage"
LEAVING = (
    "MATCH (a:Node)-[e:Edge]->(b:Node) WHERE a.id IN $ids AND e.relation IN $relations "
    f"AND e.weight > 0 RETURN {_FIELDS} ORDER BY e.weight DESC, e.passage LIMIT $limit"
)
REACHING = (
    "MATCH (a:Node)-[e:Edge]->(b:Node) WHERE b.id IN $ids AND e.relation IN $relations "
    f"AND e.weight > 0 RETURN {_FIELDS} ORDER BY e.weight DESC, e.passage LIMIT $limit"
)
KNOWN = "MATCH (n:Node) WHERE n.id IN $ids RETURN n.id"
_NUMBERS = frozenset(map(str, range(1, 13)))
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


class Remembering(GraphStore):
    """A graph that remembers what questions walked last, until something is written.

    The searches of one trip start from the same cities and themes again and again.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._found = lru_cache(REMEMBERED)(self._find)
        self._written = 0

    def found(self, query: str, ids: tuple[str, ...], relations: tuple[str, ...]) -> Sequence[Edge]:
        """The edges that a query gives, the heaviest first."""
        return self._found(query, ids, relations, self._written)

    def remove(self, ids: Sequence[str]) -> None:
        """Forget these passages' edges and evidence; an unknown id is no error."""
        super().remove(ids)
        self._written += 1

    def write(self, passages: Sequence[Passage], vectors: Vectors | None = None) -> None:
        """Add nodes and edges, or replace those of the same passage id."""
        super().write(passages, vectors)
        self._written += 1

    def _find(
        self, query: str, ids: tuple[str, ...], relations: tuple[str, ...], written: int
    ) -> tuple[Edge, ...]:
        del written  # what was found before something was written is not found again
        rows = self.run(query, ids=list(ids), relations=list(relations), limit=EDGES)
        return tuple(
            Edge(str(a), str(relation), str(b), min(float(weight), 1.0), str(passage))
            for a, relation, b, weight, passage in rows
        )


class Walk:
    """Walks through one graph for one question that speaks of some `relations`."""

    def __init__(self, store: Remembering, relations: frozenset[str]) -> None:
        self._store = store
        self._relations = relations

    def known(self, nodes: Sequence[str]) -> list[str]:
        """Those of these nodes that the graph has, in their order."""
        found = {str(row[0]) for row in self._store.run(KNOWN, ids=list(nodes))} if nodes else set()
        return [one for one in nodes if one in found]

    def inside(self, places: Sequence[str]) -> frozenset[str]:
        """All that lies in these places, at any depth; without them."""
        found: set[str] = set()
        edge = set(places)
        while edge:
            rows = self._edges(REACHING, sorted(edge), INWARDS)
            edge = {one.source for one in rows} - found - set(places)
            found |= edge
        return frozenset(found)

    def from_nodes(
        self, nodes: Mapping[str, float], own: frozenset[str] = frozenset()
    ) -> dict[str, Way]:
        """The best way to every place, from nodes that say what places are like.

        Those that hold of a place alone, `own` among them, lead no further.
        """
        starts = [Way((node,), (), weight) for node, weight in sorted(nodes.items())]
        first = self._further(starts, (REACHING,), TOWARDS, wanted=frozenset(TOWARDS))
        leading = [way for way in first if not _holds_alone(way.nodes[0], own)]
        second = self._further(_first(leading), (LEAVING, REACHING), ONWARDS, self._relations)
        return _best([*first, *second])

    def from_place(
        self, place: str, *, wanted: frozenset[str], beside: bool = False
    ) -> dict[str, Way]:
        """The best way to every place from one that is named, `wanted` relations first.

        With `beside` what lies in the same city is reached as well: of a sight that is near, of a
        country it says nothing that both are in Europe.
        """
        start = Way((place,), (), 1.0)
        asked = [one for one in BETWEEN if one in wanted and one not in ONWARDS]
        first = self._further([start], (LEAVING, REACHING), (*ONWARDS, *asked), wanted)
        second = self._further(_first(first), (LEAVING, REACHING), ONWARDS, wanted)
        second = [way for way in second if beside or not returns(way)]
        within = [way for way in second if all(e.relation in INWARDS for e in way.edges)]
        third = self._further(_first(within), (REACHING,), INWARDS, wanted)
        return _best([start, *first, *second, *third])

    def alike(self, place: str) -> dict[str, Way]:
        """The best way from a place to those that suit what it suits."""
        start = Way((place,), (), 1.0)
        themes = self._further([start], (LEAVING,), ("SUITS",), self._relations)
        others = self._further(themes, (REACHING,), ("SUITS",), frozenset({"SUITS"}))
        return _best([start, *others])

    def _further(
        self,
        ways: Sequence[Way],
        queries: Sequence[str],
        relations: Sequence[str],
        wanted: frozenset[str],
    ) -> list[Way]:
        """The ways that go one edge further."""
        ends: dict[str, list[Way]] = {}
        for way in ways:
            ends.setdefault(way.end, []).append(way)
        if not ends:
            return []
        longer = []
        for query in queries:
            for edge in self._edges(query, sorted(ends), relations):
                start, end = (
                    (edge.source, edge.target) if query == LEAVING else (edge.target, edge.source)
                )
                longer += [
                    _then(way, edge, end, wanted)
                    for way in ends.get(start, ())
                    if end not in way.nodes
                ]
        return longer

    def _edges(self, query: str, ids: Sequence[str], relations: Sequence[str]) -> Sequence[Edge]:
        return self._store.found(query, tuple(ids), tuple(relations))


def between(
    store: GraphStore, nodes: Sequence[str], relations: Sequence[str], *, limit: int
) -> list[Edge]:
    """The edges of some relations that leave or reach these nodes."""
    found = {}
    for query in (LEAVING, REACHING):
        rows = store.run(query, ids=list(nodes), relations=list(relations), limit=limit)
        for a, relation, b, weight, passage in rows:
            edge = Edge(str(a), str(relation), str(b), float(weight), str(passage))
            found[edge.passage] = edge
    return list(found.values())


def told(
    way: Way, names: Mapping[str, str], whys: Mapping[str, str], kms: Mapping[str, float]
) -> str:
    """A way in words, from the place that it leads to: `suits → romance (lantern-lit lanes)`."""
    line = ""
    for edge, node in zip(reversed(way.edges), reversed(way.nodes[:-1]), strict=True):
        relation = RELATIONS.get(edge.relation)
        forwards = edge.target == node
        word = edge.relation.replace("_", " ").lower()
        if relation is not None:
            word = relation.forwards if forwards else relation.backwards
        km = f", {kms[edge.passage]:.3g} km" if edge.passage in kms else ""
        why = whys.get(edge.passage, "") if edge.relation == "SUITS" else ""
        name = names.get(node, called(node))
        if line and edge.relation in TOWARDS and not forwards:
            line += f", as does {name}"
        else:
            joint = ", which " if line else ""
            line += f"{joint}{word} → {name}{km}{f' ({why})' if why else ''}"
    return line


def called(node: str) -> str:
    """A node that no passage tells of: `romance` of `theme:romance`, `May` of `month:5`."""
    prefix, _, rest = node.partition(":")
    if prefix == "month" and rest in _NUMBERS:
        return month_name[int(rest)]
    return rest.replace("-", " ") or node


def _holds_alone(node: str, own: frozenset[str]) -> bool:
    return node in own or node.partition(":")[0] in _OWN


def returns(way: Way) -> bool:
    """Whether it goes into what the place is in, and out again to another that is in it."""
    if len(way.edges) != 2:
        return False
    up, down = way.edges
    return up.target == down.target and {up.relation, down.relation} <= {*INWARDS}


def _then(way: Way, edge: Edge, end: str, wanted: frozenset[str]) -> Way:
    fits = 1.0 if edge.relation in wanted else OFF_INTENT
    decay = DECAY if way.edges else 1.0
    weight = way.weight * edge.weight * fits * decay
    return Way((*way.nodes, end), (*way.edges, edge), weight)


def _first(ways: Iterable[Way]) -> list[Way]:
    """The best way to each node, of the best nodes: what is walked on from."""
    return heapq.nsmallest(FRONTIER, _best(ways).values(), key=lambda way: way.order)


def _best(ways: Iterable[Way]) -> dict[str, Way]:
    best: dict[str, Way] = {}
    for way in ways:
        known = best.get(way.end)
        if known is None or way.weight > known.weight or way.order < known.order:
            best[way.end] = way
    return best
