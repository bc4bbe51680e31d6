"""What does a graph of concepts state? Concepts, and statements between them, read from passages.

A few thousand statements are held in memory: they are read for one question and forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from consilience.packs.research.relations import read_out
from consilience.stores.graph_paths import Edge, read_edge, read_node
from consilience.types import Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A node of a graph, as the first `passage` that tells of it does; its id, empty for none."""

    node: str
    name: str
    kind: str = ""
    passage: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """That one concept stands in a relation to another; `passage` says so, `words` reads it out.

    `evidence` is the passage that has the words it rests on, where it was looked up.
    """

    start: Concept
    relation: str
    end: Concept
    weight: float
    quote: str
    passage: Passage
    evidence: Passage | None = None

    @property
    def words(self) -> str:
        """`double machine learning requires cross-fitting`."""
        return f"{self.start.name} {read_out(self.relation)} {self.end.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """A concept near another one: how many steps away, and the statement that leads there.

    `words` are the relation as it is read from the nearer end to this concept.
    """

    concept: Concept
    hops: int
    words: str
    statement: Statement


@dataclass(slots=True)
class Graph:
    """Concepts by node, and the statements that leave and reach each, the strongest first."""

    concepts: dict[str, Concept] = field(default_factory=dict)
    outwards: dict[str, list[Statement]] = field(default_factory=dict)
    inwards: dict[str, list[Statement]] = field(default_factory=dict)

    @classmethod
    def of(cls, passages: Iterable[Passage]) -> Graph:
        """The graph that passages tell; an edge of weight 0 is not part of it."""
        graph, edges = cls(), []
        for passage in passages:
            if node := read_node(passage):
                kind = str(passage.metadata.get("node_kind", ""))
                concept = Concept(node=node.id, name=node.name, kind=kind, passage=passage.id)
                known = graph.concepts.setdefault(node.id, concept)
                if kind and not known.kind:  # another passage said only its name
                    graph.concepts[node.id] = concept
            elif (edge := read_edge(passage)) and edge.weight > 0:
                edges.append((edge, passage))
        for edge, passage in sorted(edges, key=lambda one: (-one[0].weight, one[0].passage)):
            graph._add(edge, passage)
        return graph

    def _add(self, edge: Edge, passage: Passage) -> None:
        statement = Statement(
            start=self.concept(edge.source),
            relation=edge.relation,
            end=self.concept(edge.target),
            weight=edge.weight,
            quote=" ".join(str(passage.metadata.get("quote", "")).split()),
            passage=passage,
        )
        self.outwards.setdefault(edge.source, []).append(statement)
        self.inwards.setdefault(edge.target, []).append(statement)

    def concept(self, node: str) -> Concept:
        """What is known of a node; of one that only edges name, its name."""
        return self.concepts.get(node) or Concept(node=node, name=node)

    def leaving(self, node: str, relations: Sequence[str] = ()) -> list[Statement]:
        """The statements about a concept: of several on one other, the strongest of each kind."""
        return _once(self.outwards.get(node, ()), relations)

    def reaching(self, node: str, relations: Sequence[str] = ()) -> list[Statement]:
        """The statements about others that name a concept."""
        return _once(self.inwards.get(node, ()), relations)

    def beside(self, node: str, relations: Sequence[str]) -> list[Statement]:
        """Those of either direction, the strongest first."""
        both = (*self.leaving(node, relations), *self.reaching(node, relations))
        return sorted(both, key=lambda one: -one.weight)

    def around(self, node: str, *, hops: int, relations: Sequence[str] = ()) -> list[Near]:
        """The concepts within so many steps, each where it is first met, the strongest first.

        Of those one step away every relation is given, of others the strongest.
        """
        found = [_near(one, node, 1) for one in self.beside(node, relations)]
        ring = list(dict.fromkeys(one.concept.node for one in found))
        met = {node, *ring}
        for far in range(2, hops + 1):
            ways = (_near(one, here, far) for here in ring for one in self.beside(here, relations))
            every = sorted(ways, key=lambda one: (-one.statement.weight, one.concept.name))
            new: dict[str, Near] = {}
            for one in every:
                if one.concept.node not in met:
                    new.setdefault(one.concept.node, one)
            met |= new.keys()
            ring = list(new)
            found += new.values()
        return found


def _once(statements: Iterable[Statement], relations: Sequence[str]) -> list[Statement]:
    best: dict[tuple[str, str, str], Statement] = {}
    for one in statements:
        if not relations or one.relation in relations:
            best.setdefault((one.start.node, one.relation, one.end.node), one)
    return list(best.values())


def _near(statement: Statement, node: str, far: int) -> Near:
    forward = statement.start.node == node
    return Near(
        concept=statement.end if forward else statement.start,
        hops=far,
        words=read_out(statement.relation, forward=forward),
        statement=statement,
    )
