"""What is a path through a graph, what does it weigh, and how does it read?

Sources of a graph find paths in their own way; here is what they find and how it is scored.

An edge may be a statement that has a direction: its passage says how it reads backwards (`inverse`:
"is required by"). A chain of statements is an explanation only while it keeps its sense: what A
requires and B requires as well joins the two far less than what A requires and this requires in
turn. So turning round counts as a step more, and so does passing between a statement and a
relation without direction; where two say the same of one thing (both address it), that counts
once more. Chains with statements go `STATED` steps at most, counted so: beyond that they join
everything with everything. One turn is free there: what tests a thing and what requires it meet in
it, and say something of one another. How many edges a node has never counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from consilience.filters import is_number
from consilience.kinds import edge_kinds, node_kinds
from consilience.sources._shared import clean
from consilience.types import Chain, Found, Link, Locator, Passage, Request, Value, passage_id

DECAY = 0.5
OFF_INTENT = 0.3
BETWEEN_SEEDS = 4.0  # what joins two things that the question names outweighs one edge more
HOPS = 3
PAIRS = 3  # of named things that are joined from farther away, where nothing nearer joins them
STATED = 4  # steps of a chain of statements, its turns counted
_MEETING = frozenset({"TESTS", "REQUIRES"})


@dataclass(frozen=True, slots=True)
class Node:
    """A node as one passage tells of it."""

    id: str
    name: str
    passage: str


@dataclass(frozen=True, slots=True)
class Edge:
    """A typed, weighted edge, and the passage that is its evidence; `stated` has a direction."""

    source: str
    relation: str
    target: str
    weight: float
    passage: str
    stated: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """An edge as a path walks it: from source to target, or backwards."""

    edge: Edge
    forward: bool

    @property
    def start(self) -> str:
        """The node it leaves."""
        return self.edge.source if self.forward else self.edge.target

    @property
    def end(self) -> str:
        """The node it reaches."""
        return self.edge.target if self.forward else self.edge.source

    @property
    def sense(self) -> int:
        """1 along a statement, -1 against it, 0 where the relation has no direction."""
        return (1 if self.forward else -1) if self.edge.stated else 0

    def reverse(self) -> Step:
        """The same edge, walked the other way."""
        return replace(self, forward=not self.forward)

    def after(self, other: Step) -> int:
        """How many steps it counts for behind another: 1, and more where the chain turns."""
        if self.sense == other.sense:
            return 1
        alike = self.edge.relation == other.edge.relation
        return 3 if alike and self.faces(other) else 2

    def faces(self, other: Step) -> bool:
        """Whether both are statements about the thing between them."""
        return other.sense == 1 and self.sense == -1

    def meets(self, other: Step) -> bool:
        """Whether one tests what the other requires."""
        return self.faces(other) and {self.edge.relation, other.edge.relation} == _MEETING


@dataclass(frozen=True, slots=True)
class Path:
    """A walk that repeats no node: weight = Π (edge.weight · m) · 0.5^(length - 1).

    Its length counts edges and turns.
    """

    nodes: tuple[str, ...]
    steps: tuple[Step, ...]
    weight: float
    intents: frozenset[str]
    length: int = 0

    @classmethod
    def start(cls, seed: str, intents: Sequence[str]) -> Path:
        """A path that stands on its seed and has no edge yet; weight 1."""
        return cls((seed,), (), 1.0, frozenset(intent.casefold() for intent in intents))

    @property
    def holds(self) -> bool:
        """Whether it explains anything: no edge of weight 0, and no chain of statements too long.

        A path that does not hold is no part of one that does.
        """
        if self.length <= STATED or not any(step.edge.stated for step in self.steps):
            return self.weight > 0
        free = any(step.meets(before) for before, step in pairwise(self.steps))
        return self.weight > 0 and self.length <= STATED + free

    @property
    def end(self) -> str:
        """The node it has reached."""
        return self.nodes[-1]

    @property
    def order(self) -> tuple[float, int, tuple[str, ...], tuple[str, ...]]:
        """Best first when sorted: weight falling, then the shorter, then nodes, then passages."""
        told = tuple(step.edge.passage for step in self.steps)
        return (-self.weight, len(self.steps), self.nodes, told)

    def then(self, step: Step) -> Path:
        """The path that walks one edge further."""
        more = step.after(self.steps[-1]) if self.steps else 1
        decay = DECAY**more if self.steps else 1.0
        return replace(
            self,
            nodes=(*self.nodes, step.end),
            steps=(*self.steps, step),
            weight=self.weight * worth(step, self.intents) * decay,
            length=self.length + more,
        )

    def reverse(self) -> Path:
        """The same path from its other end; it weighs the same."""
        steps = tuple(step.reverse() for step in reversed(self.steps))
        return replace(self, nodes=self.nodes[::-1], steps=steps)


def worth(step: Step, intents: frozenset[str]) -> float:
    """What a step weighs in a path: its edge's weight, less where other relations are wanted.

    The one place where an edge is judged. How many edges a node has never counts.
    """
    wanted = not intents or step.edge.relation.casefold() in intents
    return step.edge.weight * (1.0 if wanted else OFF_INTENT)


def cleaned(request: Request) -> Request:
    """The request with seeds and intents spelled as `read_node` and `read_edge` spell names."""
    return replace(request, seeds=spelt(request.seeds), intents=spelt(request.intents))


def spelt(names: Iterable[str]) -> tuple[str, ...]:
    """Names as `read_node` and `read_edge` spell them, each once."""
    return tuple(dict.fromkeys(map(_name, names)))


def read_node(passage: Passage) -> Node | None:
    """The node that a passage tells of; None for any other passage."""
    key = passage.value("node")
    if passage.kind not in node_kinds() or key is None:
        return None
    name = passage.metadata.get("name", key)
    return Node(_name(key), _name(name), passage.id)


def read_edge(passage: Passage) -> Edge | None:
    """The edge that a passage is evidence of; None for any other passage.

    A weight that is no number, or below 0, counts as 1; an edge of weight 0 is never walked.
    """
    ends = [passage.metadata.get(name) for name in ("source", "target")]
    if passage.kind not in edge_kinds() or None in ends:
        return None
    return Edge(
        source=_name(ends[0]),
        relation=_name(passage.metadata.get("relation", "related to")),
        target=_name(ends[1]),
        weight=_weight(passage.metadata.get("weight")),
        passage=passage.id,
        stated="inverse" in passage.metadata,
    )


def _name(value: Value | None) -> str:
    return clean(str(value)).replace("\0", " ")


def _weight(value: Value | None) -> float:
    usable = isinstance(value, int | float) and is_number(value) and 0 <= value < math.inf
    return float(value) if usable and isinstance(value, int | float) else 1.0


def by_nodes(paths: Iterable[Path], seeds: Sequence[str]) -> Mapping[str, float]:
    """score(node) = Σ over seeds of the best path's weight; a seed scores 1 from itself."""
    strongest = {(seed, seed): 1.0 for seed in seeds}
    for path in paths:
        ends = (path.nodes[0], path.end)
        strongest[ends] = max(strongest.get(ends, 0.0), path.weight)
    scores: dict[str, float] = {}
    for (_, node), weight in sorted(strongest.items()):
        scores[node] = scores.get(node, 0.0) + weight
    return scores


def strongest(paths: Iterable[Path], seeds: Sequence[str]) -> list[tuple[float, Path]]:
    """One path for each sequence of nodes, with its score, best first; of parallel edges the best.

    A path between two seeds scores four times as much, and the best of statements between each
    pair one more: what joins two named things comes before what leads away from one. It is found
    from both ends and kept once, in the direction in which more of its edges point.
    """
    kept: dict[tuple[str, ...], Path] = {}
    for path in sorted(paths, key=lambda one: one.order):
        told = _direct(path, seeds)
        kept.setdefault(told.nodes, told)
    led: set[frozenset[str]] = set()
    scored = []
    for path in sorted(kept.values(), key=lambda one: one.order):
        ends = frozenset((path.nodes[0], path.end))
        joins = path.end in seeds
        first = joins and ends not in led and any(step.edge.stated for step in path.steps)
        led |= {ends} if joins else set()
        scored.append((path.weight * (BETWEEN_SEEDS if joins else 1.0) + first, path))
    return sorted(scored, key=lambda pair: (-pair[0], pair[1].order))


def apart(paths: Iterable[Path], seeds: Sequence[str]) -> list[tuple[str, str]]:
    """The first pairs of seeds that no path joins yet: for these it is worth to look farther."""
    joined = {frozenset((path.nodes[0], path.end)) for path in paths}
    pairs = combinations(dict.fromkeys(seeds), 2)
    return [pair for pair in pairs if frozenset(pair) not in joined][:PAIRS]


def walked(path: Path, intents: Sequence[str]) -> Path:
    """The same path, weighed for a question that speaks of these relations."""
    found = Path.start(path.nodes[0], intents)
    for step in path.steps:
        found = found.then(step)
    return found


def tell(
    path: Path, score: float, *, names: Mapping[str, str], passages: Mapping[str, Passage]
) -> Found | None:
    """A path as a thing to cite: of one edge, that edge's passage; of several, one made here.

    None when the evidence of an edge is not among the passages.
    """
    keys = [step.edge.passage for step in path.steps]
    if any(key not in passages for key in keys):
        return None
    if len(keys) == 1:
        return Found(keys[0], score)
    made = _passage(path, names, evidence=[passages[key] for key in keys])
    return Found(made.id, score, made)


def chained(
    path: Path, *, names: Mapping[str, str], passages: Mapping[str, Passage]
) -> Chain | None:
    """A path as a chain of links, told by the passage that `tell` gives; None where it has none."""
    told = tell(path, path.weight, names=names, passages=passages)
    if told is None:
        return None
    links = tuple(
        Link(
            start=names.get(step.start, step.start),
            relation=spoken(step.edge.relation),
            end=names.get(step.end, step.end),
            passage=passages[step.edge.passage],
            forward=step.forward,
        )
        for step in path.steps
    )
    return Chain(links=links, score=path.weight, passage=told.passage or passages[told.id])


def spoken(relation: str) -> str:
    """A relation in words: `built by` of `BUILT_BY`."""
    return relation.replace("_", " ").lower()


def names_of(nodes: Iterable[Node]) -> dict[str, str]:
    """The name of each node; where passages differ, that of the first by id."""
    return {node.id: node.name for node in sorted(nodes, key=lambda one: one.passage)[::-1]}


def _direct(path: Path, seeds: Sequence[str]) -> Path:
    """From its seed; between two seeds the way more edges point, then from the first named."""
    if path.end not in seeds:
        return path
    return min(path, path.reverse(), key=lambda one: (_backwards(one), seeds.index(one.nodes[0])))


def _backwards(path: Path) -> int:
    return sum(not step.forward for step in path.steps)


def _passage(path: Path, names: Mapping[str, str], *, evidence: Sequence[Passage]) -> Passage:
    told = [names.get(node, node) for node in path.nodes]
    chain = told[0]
    for step, name in zip(path.steps, told[1:], strict=True):
        arrow = "→" if step.forward else "←"
        chain += f" {arrow} ({spoken(step.edge.relation)}) {arrow} {name}"
    title = f"{told[0]} → {told[-1]}"
    text = "\n".join([chain, *(passage.text for passage in evidence)])
    collection = evidence[0].collection
    return Passage(
        id=passage_id(collection, "path", title, Locator(), text),
        collection=collection,
        document=evidence[0].document,
        kind="path",
        title=title,
        text=text,
        metadata={
            "source": path.nodes[0],
            "target": path.end,
            "relations": tuple(step.edge.relation for step in path.steps),
            "length": len(path.steps),
            "nodes": path.nodes,
        },
    )
