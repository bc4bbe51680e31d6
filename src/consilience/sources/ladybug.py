"""Which nodes and paths of a graph lead away from those in the question? Ladybug, in process.

One `GraphStore` per collection is a database file with nodes, typed edges, and the passages that
are their evidence. `GraphNodes` ranks nodes, `GraphPaths` the paths themselves; what a path
weighs is said in `_paths`, and how two things are joined by one in `_joining`.

Paths are walked hop by hop, and the work on hubs is bounded: at each hop the best `EDGES` edges
are read, of a node the best `DEGREE` are followed, and the best `FRONTIER` paths go on, shared
between the seeds. Below these bounds the answers are exact.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import TypeVar

from consilience.errors import ConsilienceError, SourceError
from consilience.filters import passes
from consilience.kinds import graph_kinds
from consilience.protocols import Lookup, StoreKind
from consilience.sources._graph_store import GraphStore
from consilience.sources._joining import Ways, joined
from consilience.sources._paths import (
    HOPS,
    Edge,
    Path,
    Step,
    apart,
    by_nodes,
    chained,
    cleaned,
    names_of,
    spelt,
    strongest,
    tell,
    walked,
)
from consilience.sources._shared import best, checked_limit, collection_of, passing
from consilience.threads import Workers, finished
from consilience.types import Chain, Found, Request

__all__ = ["GraphNodes", "GraphPaths", "GraphStore"]

DEGREE = 200
EDGES = 10_000
FRONTIER = 500

Answer = TypeVar("Answer")


class GraphNodes:
    """Ranks nodes: score = Σ over seeds of the best path's weight; without seeds, nothing.

    Filters are checked on the passages, through `lookup`.
    """

    def __init__(self, store: GraphStore, name: str, *, lookup: Lookup | None = None) -> None:
        self.name = name
        self.collection = collection_of(name)
        self._store = store
        self._lookup = lookup
        self._workers = Workers(name)

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` passages of nodes, best first, ties by id."""
        checked_limit(limit)
        return await _run(self._workers, self._store, lambda: self._rank(cleaned(request), limit))

    def warm(self) -> None:
        """Connect and prepare the query of edges, so that no question waits for that."""
        finished(_run(self._workers, self._store, lambda: self._store.edges((), (), limit=1)))

    def _rank(self, request: Request, limit: int) -> Sequence[Found]:
        if not request.seeds:
            return ()
        scores = by_nodes(_walk(self._store, request), request.seeds)
        evidence = self._store.evidence(list(scores))
        found = [Found(node.passage, scores[node.id]) for node in evidence]
        if request.filters:
            kept = passing([one.id for one in found], request.filters, self._lookup)
            found = [one for one in found if one.id in kept]
        return best(found, limit)


class GraphPaths:
    """Ranks the paths that start at a seed, each a thing to cite; without seeds, nothing.

    A path of one edge is that edge's passage; a longer one brings a passage made here, which
    tells the chain and quotes the evidence of its edges, read through `lookup`.
    """

    def __init__(self, store: GraphStore, name: str, *, lookup: Lookup) -> None:
        self.name = name
        self.collection = collection_of(name)
        self._store = store
        self._lookup = lookup
        self._workers = Workers(name)

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` paths, best first, ties by id."""
        checked_limit(limit)
        return await _run(self._workers, self._store, lambda: self._rank(cleaned(request), limit))

    def warm(self) -> None:
        """Connect and prepare the query of edges, so that no question waits for that."""
        finished(_run(self._workers, self._store, lambda: self._store.edges((), (), limit=1)))

    def _rank(self, request: Request, limit: int) -> Sequence[Found]:
        if not request.seeds:
            return ()
        scored = strongest(_walk(self._store, request), request.seeds)
        if not request.filters and len(scored) > limit:  # nothing further down can come up
            scored = [pair for pair in scored if pair[0] >= scored[limit - 1][0]]
        paths = [path for _, path in scored]
        names = names_of(self._store.evidence(sorted({key for one in paths for key in one.nodes})))
        edges = sorted({step.edge.passage for path in paths for step in path.steps})
        known = passing(edges, (), self._lookup)
        told = (tell(path, score, names=names, passages=known) for score, path in scored)
        found = [one for one in told if one]
        if request.filters:
            found = [one for one in found if passes(one.passage or known[one.id], request.filters)]
        return best(found, limit)

    async def connect(
        self, starts: Sequence[str], ends: Sequence[str], *, limit: int
    ) -> Sequence[Chain]:
        """At most `limit` chains from one of `starts` to one of `ends`, best first, ties by id."""
        checked_limit(limit)
        return await _run(self._workers, self._store, lambda: self._join(starts, ends, limit))

    def _join(self, starts: Sequence[str], ends: Sequence[str], limit: int) -> list[Chain]:
        paths = joined(_ways(self._store), spelt(starts), spelt(ends), limit=limit)
        names = names_of(self._store.evidence(sorted({key for one in paths for key in one.nodes})))
        edges = sorted({step.edge.passage for path in paths for step in path.steps})
        known = passing(edges, (), self._lookup)
        chains = (chained(path, names=names, passages=known) for path in paths)
        return [chain for chain in chains if chain]


def _walk(store: GraphStore, request: Request) -> list[Path]:
    """The simple paths from the seeds, hop by hop, within the bounds on work.

    Two seeds that are not joined so are looked at from both ends, which reaches farther.
    """
    frontier = [Path.start(seed, request.intents) for seed in request.seeds]
    steps: dict[str, list[Step]] = {}
    paths: list[Path] = []
    for _ in range(HOPS):
        new = sorted({path.end for path in frontier} - steps.keys())
        if new:
            steps |= _steps(store.edges(new, request.intents, limit=EDGES), new, request.intents)
        longer = [
            longer
            for path in frontier
            for step in steps[path.end]
            if step.end not in path.nodes and (longer := path.then(step)).holds
        ]
        paths += longer
        frontier = _best_of_each(longer, limit=FRONTIER // len(request.seeds) or 1)
    for one, other in apart(paths, request.seeds):
        far = joined(_ways(store), [one], [other], limit=1)
        paths += [walked(path, request.intents) for path in far]
    return paths


def _ways(store: GraphStore) -> Ways:
    return lambda nodes: _steps(store.edges(nodes, (), limit=EDGES), nodes, ())


def _steps(
    edges: Sequence[Edge], nodes: Sequence[str], intents: Sequence[str]
) -> dict[str, list[Step]]:
    """The ways out of each node, in both directions, the best `DEGREE` of them."""
    ways: dict[str, list[Path]] = {node: [] for node in nodes}
    for edge in edges:
        for step in (Step(edge, forward=True), Step(edge, forward=False)):
            if step.start in ways:
                ways[step.start].append(Path.start(step.start, intents).then(step))
    return {
        node: [way.steps[0] for way in heapq.nsmallest(DEGREE, found, key=lambda way: way.order)]
        for node, found in ways.items()
    }


def _best_of_each(paths: Sequence[Path], *, limit: int) -> list[Path]:
    """The best paths of each seed, so that a seed on a hub does not crowd out the others."""
    of_seed: dict[str, list[Path]] = {}
    for path in paths:
        of_seed.setdefault(path.nodes[0], []).append(path)
    best_of = (heapq.nsmallest(limit, own, key=lambda path: path.order) for own in of_seed.values())
    return [path for own in best_of for path in own]


async def _run(workers: Workers, store: GraphStore, call: Callable[[], Answer]) -> Answer:
    try:
        return await workers.run(call)
    except ConsilienceError:
        raise
    except RuntimeError as error:
        raise SourceError(
            f"Ladybug could not search {store.path}: {error}; "
            "if it happens again, index the collection anew"
        ) from error


GRAPH = StoreKind(
    takes=lambda kind: kind in graph_kinds(),
    file="graph.lbug",
    open=lambda path, shelf: GraphStore(path),
    sources=lambda store, shelf: [
        GraphNodes(store, f"{shelf.collection}/graph", lookup=shelf.lookup),
        GraphPaths(store, f"{shelf.collection}/paths", lookup=shelf.lookup),
    ],
)
