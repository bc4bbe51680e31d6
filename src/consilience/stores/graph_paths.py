"""What is a path through a graph, what does it weigh, how does it read, and which join two nodes?

Sources of a graph search for paths in their own way; here is what they find and how it is scored.

An edge may be a statement that has a direction: its passage says how it reads backwards (`inverse`:
"is required by"). A chain of statements explains something only while it keeps its direction: that
A and B both require C says less about A and B than that A requires C and C requires B. So a turn
counts as one more step, and so does passing between a statement and a relation without direction;
where two statements of the same relation face each other (both address it), that counts once more.
Chains with statements have at most `STATED` steps, counted so: longer ones connect everything with
everything. One turn is free there: between what tests a thing and what requires it. The number of
edges of a node never counts.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from consilience.filters import is_number
from consilience.kinds import edge_kinds, node_kinds
from consilience.stores.common import replace_surrogates
from consilience.types import (
    Chain,
    Found,
    Link,
    Locator,
    Passage,
    Request,
    Value,
    passage_id,
)

DECAY = 0.5
OFF_INTENT = 0.3
BETWEEN_SEEDS = 4.0  # what joins two things that the question names outweighs one edge more
HOPS = 3
PAIRS = 3  # of seeds that are joined from farther away, where nothing nearer joins them
STATED = 4  # steps of a chain of statements, its turns counted
_FREE_TURN = frozenset({"TESTS", "REQUIRES"})


@dataclass(frozen=True, slots=True)
class Node:
    """A node as one passage describes it."""

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
    def direction(self) -> int:
        """1 along a statement, -1 against it, 0 where the relation has no direction."""
        return (1 if self.forward else -1) if self.edge.stated else 0

    def reverse(self) -> Step:
        """The same edge, walked the other way."""
        return replace(self, forward=not self.forward)

    def length_after(self, before: Step) -> int:
        """How many steps it counts for behind another: 1, and more where the chain turns."""
        if self.direction == before.direction:
            return 1
        same_relation = self.edge.relation == before.edge.relation
        return 3 if same_relation and self._faces(before) else 2

    def turns_freely(self, before: Step) -> bool:
        """Whether one tests what the other requires."""
        return self._faces(before) and {self.edge.relation, before.edge.relation} == _FREE_TURN

    def _faces(self, before: Step) -> bool:
        """Whether both are statements about the node between them."""
        return before.direction == 1 and self.direction == -1


@dataclass(frozen=True, slots=True)
class GraphPath:
    """A walk that repeats no node: weight = Π (edge.weight · m) · 0.5^(length - 1).

    Its length counts edges and turns.
    """

    nodes: tuple[str, ...]
    steps: tuple[Step, ...]
    weight: float
    intents: frozenset[str]
    length: int = 0

    @classmethod
    def start(cls, seed: str, intents: Sequence[str]) -> GraphPath:
        """A path that stands on its seed and has no edge yet; weight 1."""
        return cls((seed,), (), 1.0, frozenset(intent.casefold() for intent in intents))

    @property
    def is_valid(self) -> bool:
        """Whether it explains anything: no edge of weight 0, and no chain of statements too long.

        An invalid path is no part of a valid one.
        """
        if self.length <= STATED or not any(step.edge.stated for step in self.steps):
            return self.weight > 0
        free = any(step.turns_freely(before) for before, step in pairwise(self.steps))
        return self.weight > 0 and self.length <= STATED + free

    @property
    def end(self) -> str:
        """The node it has reached."""
        return self.nodes[-1]

    @property
    def order(self) -> tuple[float, int, tuple[str, ...], tuple[str, ...]]:
        """Best first when sorted: weight falling, then the shorter, then nodes, then passages."""
        passages = tuple(step.edge.passage for step in self.steps)
        return (-self.weight, len(self.steps), self.nodes, passages)

    def then(self, step: Step) -> GraphPath:
        """The path that walks one edge further.

        Of a relation that the intents do not name, the edge's weight counts only in part.
        """
        added = step.length_after(self.steps[-1]) if self.steps else 1
        decay = DECAY**added if self.steps else 1.0
        wanted = not self.intents or step.edge.relation.casefold() in self.intents
        weight = step.edge.weight * (1.0 if wanted else OFF_INTENT)
        return replace(
            self,
            nodes=(*self.nodes, step.end),
            steps=(*self.steps, step),
            weight=self.weight * weight * decay,
            length=self.length + added,
        )

    def reverse(self) -> GraphPath:
        """The same path from its other end; it weighs the same."""
        steps = tuple(step.reverse() for step in reversed(self.steps))
        return replace(self, nodes=self.nodes[::-1], steps=steps)


def clean_request(request: Request) -> Request:
    """The request with seeds and intents spelled as `read_node` and `read_edge` spell names."""
    return replace(request, seeds=clean_names(request.seeds), intents=clean_names(request.intents))


def clean_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names as `read_node` and `read_edge` spell them, each once."""
    return tuple(dict.fromkeys(map(_clean_name, names)))


def read_node(passage: Passage) -> Node | None:
    """The node that a passage describes; None for any other passage."""
    key = passage.value("node")
    if passage.kind not in node_kinds() or key is None:
        return None
    return Node(_clean_name(key), _clean_name(passage.metadata.get("name", key)), passage.id)


def read_edge(passage: Passage) -> Edge | None:
    """The edge that a passage is evidence of; None for any other passage.

    A weight that is no number, or below 0, counts as 1; an edge of weight 0 is never walked.
    """
    source, target = (passage.metadata.get(name) for name in ("source", "target"))
    if passage.kind not in edge_kinds() or source is None or target is None:
        return None
    weight = passage.metadata.get("weight")
    usable = isinstance(weight, int | float) and is_number(weight) and 0 <= weight < math.inf
    return Edge(
        source=_clean_name(source),
        relation=_clean_name(passage.metadata.get("relation", "related to")),
        target=_clean_name(target),
        weight=float(weight) if usable and isinstance(weight, int | float) else 1.0,
        passage=passage.id,
        stated="inverse" in passage.metadata,
    )


def _clean_name(value: Value) -> str:
    return replace_surrogates(str(value)).replace("\0", " ")


# --- scores -----------------------------------------------------------------------------


def score_nodes(paths: Iterable[GraphPath], seeds: Sequence[str]) -> Mapping[str, float]:
    """score(node) = Σ over seeds of the best path's weight; a seed scores 1 from itself."""
    best = {(seed, seed): 1.0 for seed in seeds}
    for path in paths:
        ends = (path.nodes[0], path.end)
        best[ends] = max(best.get(ends, 0.0), path.weight)
    scores: dict[str, float] = {}
    for (_, node), weight in sorted(best.items()):
        scores[node] = scores.get(node, 0.0) + weight
    return scores


def score_paths(paths: Iterable[GraphPath], seeds: Sequence[str]) -> list[tuple[float, GraphPath]]:
    """One path for each sequence of nodes, with its score, best first; of parallel edges the best.

    A path between two seeds scores four times as much, and the best of statements between each
    pair one more: what joins two named things comes before what leads away from one. It is found
    from both ends and kept once, in the direction in which more of its edges point.
    """
    unique: dict[tuple[str, ...], GraphPath] = {}
    for path in sorted(paths, key=lambda path: path.order):
        directed = _direct(path, seeds)
        unique.setdefault(directed.nodes, directed)
    joined: set[frozenset[str]] = set()
    scored = []
    for path in sorted(unique.values(), key=lambda path: path.order):
        ends = frozenset((path.nodes[0], path.end))
        joins = path.end in seeds
        first = joins and ends not in joined and any(step.edge.stated for step in path.steps)
        joined |= {ends} if joins else set()
        scored.append((path.weight * (BETWEEN_SEEDS if joins else 1.0) + first, path))
    return sorted(scored, key=lambda pair: (-pair[0], pair[1].order))


def _direct(path: GraphPath, seeds: Sequence[str]) -> GraphPath:
    """From its seed; between two seeds the way more edges point, then from the first named."""
    if path.end not in seeds:
        return path

    def rank(path: GraphPath) -> tuple[int, int]:
        return sum(not step.forward for step in path.steps), seeds.index(path.nodes[0])

    return min(path, path.reverse(), key=rank)


def unjoined_pairs(paths: Iterable[GraphPath], seeds: Sequence[str]) -> list[tuple[str, str]]:
    """The first pairs of seeds that no path joins yet: for these a wider search is worth it."""
    joined = {frozenset((path.nodes[0], path.end)) for path in paths}
    pairs = combinations(dict.fromkeys(seeds), 2)
    return [pair for pair in pairs if frozenset(pair) not in joined][:PAIRS]


def reweigh_path(path: GraphPath, intents: Sequence[str]) -> GraphPath:
    """The same path, weighed for a question that speaks of these relations."""
    reweighed = GraphPath.start(path.nodes[0], intents)
    for step in path.steps:
        reweighed = reweighed.then(step)
    return reweighed


# --- paths as passages ------------------------------------------------------------------


def node_names(nodes: Iterable[Node]) -> dict[str, str]:
    """The name of each node; where passages differ, that of the first by id."""
    return {node.id: node.name for node in sorted(nodes, key=lambda node: node.passage)[::-1]}


def make_found(
    path: GraphPath, score: float, *, names: Mapping[str, str], passages: Mapping[str, Passage]
) -> Found | None:
    """A path as a thing to cite: of one edge, that edge's passage; of several, one made here.

    None when the evidence of an edge is not among the passages.
    """
    keys = [step.edge.passage for step in path.steps]
    if any(key not in passages for key in keys):
        return None
    if len(keys) == 1:
        return Found(keys[0], score)
    passage = _make_passage(path, names, evidence=[passages[key] for key in keys])
    return Found(passage.id, score, passage)


def make_chain(
    path: GraphPath, *, names: Mapping[str, str], passages: Mapping[str, Passage]
) -> Chain | None:
    """A path as a chain of links, with the passage of `make_found`; None where there is none."""
    found = make_found(path, path.weight, names=names, passages=passages)
    if found is None:
        return None
    links = tuple(
        Link(
            start=names.get(step.start, step.start),
            relation=relation_words(step.edge.relation),
            end=names.get(step.end, step.end),
            passage=passages[step.edge.passage],
            forward=step.forward,
        )
        for step in path.steps
    )
    return Chain(links=links, score=path.weight, passage=found.passage or passages[found.id])


def relation_words(relation: str) -> str:
    """A relation in words: `built by` of `BUILT_BY`."""
    return relation.replace("_", " ").lower()


def _make_passage(
    path: GraphPath, names: Mapping[str, str], *, evidence: Sequence[Passage]
) -> Passage:
    shown = [names.get(node, node) for node in path.nodes]
    chain = shown[0]
    for step, name in zip(path.steps, shown[1:], strict=True):
        arrow = "→" if step.forward else "←"
        chain += f" {arrow} ({relation_words(step.edge.relation)}) {arrow} {name}"
    title = f"{shown[0]} → {shown[-1]}"
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


# --- paths between two nodes ------------------------------------------------------------
#
# Walked from both ends and joined where they meet: half as many steps from each end reach as far as
# all of them from one, and a hub between the two is met without being walked through. The work is
# bounded: from each end at most `REACH` steps, at each step the `FRONTIER` best paths go on and the
# `WIDTH` best to a node are kept, and at most `TRIES` meetings are tried. Below these bounds the
# answer is exact.

REACH = 3
FRONTIER = 500
WIDTH = 20
TRIES = 20_000

StepsFrom = Callable[[Sequence[str]], Mapping[str, Sequence[Step]]]
"""Gives the steps that lead out of nodes, the best of each node first."""
Reached = dict[str, list[GraphPath]]


def find_paths(
    steps_from: StepsFrom, starts: Sequence[str], ends: Sequence[str], *, limit: int
) -> list[GraphPath]:
    """The best paths from a start to an end, best first: of parallel edges the best, ties by id."""
    here, there = _reach(steps_from, starts), _reach(steps_from, ends)
    paths: dict[tuple[str, ...], GraphPath] = {}
    best: list[float] = []  # weights of the best so far, the weakest first
    for weight, head, tail in _meetings(here, there):
        if len(best) == limit and weight < best[0] * (1 - 1e-9):  # whatever the rounding
            break
        path = _join_halves(head, tail)
        if path is None:
            continue
        known = paths.get(path.nodes)
        if known is not None and known.order <= path.order:
            continue
        paths[path.nodes] = path
        if known is not None:
            best = heapq.nlargest(limit, (path.weight for path in paths.values()))[::-1]
        elif len(best) < limit:
            heapq.heappush(best, path.weight)
        else:
            heapq.heappushpop(best, path.weight)
    return sorted(paths.values(), key=lambda path: path.order)[:limit]


def _reach(steps_from: StepsFrom, seeds: Sequence[str]) -> Reached:
    """The best paths from seeds to each node that they reach, the seeds themselves included."""
    frontier = [GraphPath.start(seed, ()) for seed in dict.fromkeys(seeds)]
    reached: Reached = {path.end: [path] for path in frontier}
    steps: dict[str, Sequence[Step]] = {}
    for _ in range(REACH):
        new = sorted({path.end for path in frontier} - steps.keys())
        if new:
            steps.update((node, _drop_parallel(out)) for node, out in steps_from(new).items())
        longer: Reached = {}
        for path in frontier:
            for step in steps.get(path.end, ()):
                if step.end not in path.nodes and (extended := path.then(step)).is_valid:
                    longer.setdefault(step.end, []).append(extended)
        arrived = {
            end: heapq.nsmallest(WIDTH, paths, key=lambda path: path.order)
            for end, paths in longer.items()
        }
        for end, paths in arrived.items():
            reached.setdefault(end, []).extend(paths)
        everything = (path for paths in arrived.values() for path in paths)
        frontier = heapq.nsmallest(FRONTIER, everything, key=lambda path: path.order)
    for paths in reached.values():
        paths.sort(key=lambda path: (-_half_weight(path), path.order))
    return reached


def _drop_parallel(steps: Sequence[Step]) -> list[Step]:
    """Of parallel edges the best, which comes first; of statements the best of each kind."""
    best: dict[tuple[str, int, str], Step] = {}
    for step in steps:
        relation = step.edge.relation if step.direction else ""
        best.setdefault((step.end, step.direction, relation), step)
    return list(best.values())


def _meetings(here: Reached, there: Reached) -> Iterator[tuple[float, GraphPath, GraphPath]]:
    """Two halves that meet at a node, and what they weigh together at most; the best first."""
    heap = [
        (-DECAY * _half_weight(here[node][0]) * _half_weight(there[node][0]), node, 0, 0)
        for node in here.keys() & there.keys()
    ]
    heapq.heapify(heap)
    for _ in range(TRIES):
        if not heap:
            return
        weight, node, first, second = heapq.heappop(heap)
        yield -weight, here[node][first], there[node][second]
        following = [(first, second + 1), *([(first + 1, 0)] if second == 0 else [])]
        for head, tail in following:
            if head < len(here[node]) and tail < len(there[node]):
                pair = DECAY * _half_weight(here[node][head]) * _half_weight(there[node][tail])
                heapq.heappush(heap, (-pair, node, head, tail))


def _half_weight(path: GraphPath) -> float:
    """What a half brings: two that have steps are joined by one more step, others by none."""
    return path.weight if path.steps else 1 / DECAY


def _join_halves(head: GraphPath, tail: GraphPath) -> GraphPath | None:
    """Two halves as one path; None where it repeats a node, has no step, or is not valid."""
    back = tail.reverse()
    if set(head.nodes[:-1]) & set(back.nodes) or not (head.steps or back.steps):
        return None
    path = GraphPath.start(head.nodes[0], ())
    for step in (*head.steps, *back.steps):
        path = path.then(step)
    return path if path.is_valid else None
