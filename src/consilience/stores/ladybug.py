"""Which nodes and paths of a graph lead away from those in the question? Ladybug, in this process.

One `GraphStore` per collection is a database file with nodes, typed edges, and the passages that
are their evidence. `GraphNodes` ranks nodes, `GraphPaths` the paths themselves; `graph_paths` has
the weight of a path and the search between two nodes. The file belongs to one process, each of its
threads has a connection of its own, and values reach Cypher only as parameters.

Paths are walked hop by hop, and the work on hubs is bounded: at each hop the best `EDGES` edges are
read, of a node the best `DEGREE` are followed, and the best `FRONTIER` paths go on, shared between
the seeds. Below these bounds the answers are exact.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import ladybug

from consilience.filters import passes
from consilience.kinds import graph_kinds
from consilience.protocols import Lookup, StoreKind, Vectors
from consilience.stores.common import (
    EngineSource,
    OpenGuard,
    check_limit,
    filter_passages,
    open_error,
    rank_found,
)
from consilience.stores.graph_paths import (
    HOPS,
    OFF_INTENT,
    Edge,
    GraphPath,
    Node,
    Step,
    clean_names,
    clean_request,
    find_paths,
    make_chain,
    make_found,
    node_names,
    read_edge,
    read_node,
    reweigh_path,
    score_nodes,
    score_paths,
    unjoined_pairs,
)
from consilience.types import Chain, Found, Passage, Request, Scalar, Signal
from consilience.worker_pool import run_sync

DEGREE = 200
EDGES = 10_000
FRONTIER = 500

Result = TypeVar("Result")
Rank = Callable[[Request, int], Sequence[Found]]
"""Ranks a request that has seeds: at most so many, best first."""


class _GraphSource(EngineSource):
    """A way to `rank` what a request's seeds lead to; without seeds, nothing."""

    def __init__(self, store: GraphStore, name: str, rank: Rank, lookup: Lookup | None) -> None:
        super().__init__(name, "Ladybug", store.path, lookup)
        self._store = store
        self._rank = rank

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` passages, best first, ties by id."""
        check_limit(limit)
        request = clean_request(request)
        return await self._run(lambda: self._rank(request, limit) if request.seeds else ())

    def warm(self) -> None:
        """Connect and prepare the query of edges before the first question."""
        run_sync(self._run(lambda: self._store.edges((), (), limit=1)))


class GraphNodes(_GraphSource):
    """Ranks nodes: score = Σ over seeds of the best path's weight.

    Filters are checked on the passages, through `lookup`.
    """

    signal = Signal.NODES

    def __init__(self, store: GraphStore, name: str, *, lookup: Lookup | None = None) -> None:
        super().__init__(store, name, self._rank_nodes, lookup)

    def _rank_nodes(self, request: Request, limit: int) -> Sequence[Found]:
        scores = score_nodes(walk(self._store, request), request.seeds)
        evidence = self._store.evidence(list(scores))
        found = [Found(node.passage, scores[node.id]) for node in evidence]
        if request.filters:
            ids = [entry.id for entry in found]
            passing = filter_passages(ids, request.filters, self._lookup)
            found = [entry for entry in found if entry.id in passing]
        return rank_found(found, limit)


class GraphPaths(_GraphSource):
    """Ranks the paths that start at a seed, each a thing to cite.

    A path of one edge is that edge's passage; a longer one brings a passage made here, which shows
    the chain and quotes the evidence of its edges, read through `lookup`.
    """

    signal = Signal.PATHS

    def __init__(self, store: GraphStore, name: str, *, lookup: Lookup) -> None:
        super().__init__(store, name, self._rank_paths, lookup)

    async def connect(
        self, starts: Sequence[str], ends: Sequence[str], *, limit: int
    ) -> Sequence[Chain]:
        """At most `limit` chains from one of `starts` to one of `ends`, best first, ties by id."""
        check_limit(limit)
        return await self._run(lambda: self._find_chains(starts, ends, limit))

    def _rank_paths(self, request: Request, limit: int) -> Sequence[Found]:
        scored = score_paths(walk(self._store, request), request.seeds)
        if not request.filters and len(scored) > limit:  # nothing further down can come up
            scored = [pair for pair in scored if pair[0] >= scored[limit - 1][0]]
        names, passages = self._read_evidence([path for _, path in scored])
        candidates = (
            make_found(path, score, names=names, passages=passages) for score, path in scored
        )
        found = [entry for entry in candidates if entry]
        if request.filters:
            found = [
                entry
                for entry in found
                if passes(entry.passage or passages[entry.id], request.filters)
            ]
        return rank_found(found, limit)

    def _find_chains(self, starts: Sequence[str], ends: Sequence[str], limit: int) -> list[Chain]:
        steps_from = _make_steps_from(self._store)
        paths = find_paths(steps_from, clean_names(starts), clean_names(ends), limit=limit)
        names, passages = self._read_evidence(paths)
        chains = (make_chain(path, names=names, passages=passages) for path in paths)
        return [chain for chain in chains if chain]

    def _read_evidence(
        self, paths: Sequence[GraphPath]
    ) -> tuple[Mapping[str, str], Mapping[str, Passage]]:
        """The names of all nodes of the paths, and the passages of all edges."""
        nodes = sorted({node for path in paths for node in path.nodes})
        edges = sorted({step.edge.passage for path in paths for step in path.steps})
        return node_names(self._store.evidence(nodes)), filter_passages(edges, (), self._lookup)


def walk(store: GraphStore, request: Request) -> list[GraphPath]:
    """The simple paths from the seeds, hop by hop, within the bounds on work.

    Two seeds that are not joined so are searched from both ends, which reaches farther.
    """
    frontier = [GraphPath.start(seed, request.intents) for seed in request.seeds]
    steps: dict[str, list[Step]] = {}
    paths: list[GraphPath] = []
    for _ in range(HOPS):
        new = sorted({path.end for path in frontier} - steps.keys())
        if new:
            edges = store.edges(new, request.intents, limit=EDGES)
            steps |= _best_steps(edges, new, request.intents)
        longer = [
            longer
            for path in frontier
            for step in steps[path.end]
            if step.end not in path.nodes and (longer := path.then(step)).is_valid
        ]
        paths += longer
        frontier = _best_of_each_seed(longer, limit=FRONTIER // len(request.seeds) or 1)
    for start, end in unjoined_pairs(paths, request.seeds):
        joining = find_paths(_make_steps_from(store), [start], [end], limit=1)
        paths += [reweigh_path(path, request.intents) for path in joining]
    return paths


def _make_steps_from(store: GraphStore) -> Callable[[Sequence[str]], dict[str, list[Step]]]:
    return lambda nodes: _best_steps(store.edges(nodes, (), limit=EDGES), nodes, ())


def _best_steps(
    edges: Sequence[Edge], nodes: Sequence[str], intents: Sequence[str]
) -> dict[str, list[Step]]:
    """The steps out of each node, in both directions, the best `DEGREE` of them."""
    paths: dict[str, list[GraphPath]] = {node: [] for node in nodes}
    for edge in edges:
        for step in (Step(edge, forward=True), Step(edge, forward=False)):
            if step.start in paths:
                paths[step.start].append(GraphPath.start(step.start, intents).then(step))
    return {
        node: [path.steps[0] for path in heapq.nsmallest(DEGREE, own, key=lambda path: path.order)]
        for node, own in paths.items()
    }


def _best_of_each_seed(paths: Sequence[GraphPath], *, limit: int) -> list[GraphPath]:
    """The best paths of each seed, so that a seed on a hub does not crowd out the others."""
    by_seed: dict[str, list[GraphPath]] = {}
    for path in paths:
        by_seed.setdefault(path.nodes[0], []).append(path)
    return [
        path
        for own in by_seed.values()
        for path in heapq.nsmallest(limit, own, key=lambda path: path.order)
    ]


# --- the store --------------------------------------------------------------------------

_BATCH = 1000
_SCHEMA = (
    "CREATE NODE TABLE IF NOT EXISTS Node(id STRING PRIMARY KEY)",
    """CREATE NODE TABLE IF NOT EXISTS
    Evidence(passage STRING PRIMARY KEY, node STRING, name STRING)""",
    """CREATE REL TABLE IF NOT EXISTS
    Edge(FROM Node TO Node, passage STRING, relation STRING, weight DOUBLE)""",
    "ALTER TABLE Edge ADD IF NOT EXISTS stated BOOLEAN DEFAULT false",
)
_ADD_NODES = "UNWIND $rows AS row MERGE (n:Node {id: row.id})"
_ADD_EVIDENCE = (
    "UNWIND $rows AS row MERGE (v:Evidence {passage: row.passage}) "
    "SET v.node = row.node, v.name = row.name"
)
_ADD_EDGES = (
    "UNWIND $rows AS row MATCH (a:Node {id: row.source}), (b:Node {id: row.target}) "
    "CREATE (a)-[:Edge {passage: row.passage, relation: row.relation, weight: row.weight, "
    "stated: row.stated}]->(b)"
)
_DROP_EDGES = "MATCH ()-[e:Edge]->() WHERE e.passage IN $ids DELETE e"
_DROP_EVIDENCE = "MATCH (v:Evidence) WHERE v.passage IN $ids DELETE v"
_EVIDENCE = "MATCH (v:Evidence) WHERE v.node IN $ids RETURN v.node, v.name, v.passage"
_IDS = (
    "MATCH (v:Evidence) RETURN v.passage AS id UNION ALL "
    "MATCH ()-[e:Edge]->() RETURN e.passage AS id"
)
_EDGES = (
    "MATCH (a:Node)-[e:Edge]->(b:Node) WHERE {end}.id IN $ids AND e.weight > 0 "
    "RETURN a.id, e.relation, b.id, e.weight, e.passage, e.stated "
    "ORDER BY e.weight * CASE WHEN size($intents) = 0 OR lower(e.relation) IN $intents "
    "THEN 1.0 ELSE $off END DESC, e.passage LIMIT $limit"
)
_EDGES_FROM, _EDGES_TO = _EDGES.format(end="a"), _EDGES.format(end="b")

Parameter: TypeAlias = "Scalar | Sequence[str] | Sequence[Mapping[str, Scalar]]"
Row = list[str | float]


class GraphStore:
    """The graph of one collection in one file, opened for this process, created if not there.

    A passage of a node kind is evidence of the node in its field `node`; several passages may
    describe one node. A passage of an edge kind is an edge from `source` to
    `target`; an edge may come before the nodes it joins. Passages of other kinds are ignored.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = ladybug.Database(str(path))
            self._database.init_database()
        except (RuntimeError, OSError) as error:
            raise open_error(path, error) from error
        self._connections: dict[threading.Thread, ladybug.Connection] = {}
        self._guard = OpenGuard(path)
        self._writing = threading.Lock()
        self._opening = threading.Lock()
        for statement in _SCHEMA:
            self.run(statement)

    def write(self, passages: Sequence[Passage], vectors: Vectors | None = None) -> None:
        """Add nodes and edges, or replace those of the same passage id."""
        del vectors  # a graph is walked, not compared by vectors
        for start in range(0, len(passages), _BATCH):
            batch = {passage.id: passage for passage in passages[start : start + _BATCH]}.values()
            nodes = [node for node in map(read_node, batch) if node]
            edges = [edge for edge in map(read_edge, batch) if edge]
            with self._changing():
                self._write(nodes, edges)

    def remove(self, ids: Sequence[str]) -> None:
        """Forget these passages' edges and evidence; an unknown id is no error."""
        with self._changing():
            self.run(_DROP_EDGES, ids=list(ids))
            self.run(_DROP_EVIDENCE, ids=list(ids))

    def close(self) -> None:
        """Wait for running calls, write everything to disk, release the file; may be repeated."""
        if not self._guard.close():
            return
        with self._opening:
            for connection in self._connections.values():
                connection.close()
            self._connections.clear()
            self._database.close()

    def count(self) -> int:
        """How many passages it holds."""
        return sum(1 for _ in self.ids())

    def ids(self) -> Iterator[str]:
        """The passage ids of all nodes and edges, in rising order."""
        yield from sorted(str(row[0]) for row in self.run(_IDS))

    def evidence(self, nodes: Sequence[str]) -> list[Node]:
        """What passages say of these nodes."""
        rows = self.run(_EVIDENCE, ids=list(nodes))
        return [Node(str(node), str(name), str(passage)) for node, name, passage in rows]

    def edges(self, nodes: Sequence[str], intents: Sequence[str], *, limit: int) -> list[Edge]:
        """The edges that leave or reach these nodes, the best `limit` in each direction.

        An edge of weight 0 is never walked, and left out.
        """
        relations = [intent.casefold() for intent in intents]
        edges = {}
        for query in (_EDGES_FROM, _EDGES_TO):
            rows = self.run(query, ids=list(nodes), intents=relations, off=OFF_INTENT, limit=limit)
            for source, relation, target, weight, passage, stated in rows:
                ends = (str(source), str(relation), str(target))
                edge = Edge(*ends, float(weight), str(passage), stated=bool(stated))
                edges[edge.passage] = edge
        return list(edges.values())

    def run(self, query: str, **parameters: Parameter) -> list[Row]:
        """The rows that a query gives, on the calling thread's own connection."""
        with self._guard.using():
            result: Any = self._connection().execute(query, parameters)  # one query, one result
            rows: list[Row] = result.get_all()
            result.close()
            return rows

    def _connection(self) -> ladybug.Connection:
        """The calling thread's own; those of threads that have ended are closed."""
        thread = threading.current_thread()
        connection = self._connections.get(thread)
        if connection is None:
            with self._opening:
                for ended in [other for other in self._connections if not other.is_alive()]:
                    self._connections.pop(ended).close()
                connection = self._connections[thread] = ladybug.Connection(self._database)
        return connection

    def _write(self, nodes: Sequence[Node], edges: Sequence[Edge]) -> None:
        ends = {end for edge in edges for end in (edge.source, edge.target)}
        known = sorted(ends | {node.id for node in nodes})
        if known:
            self.run(_ADD_NODES, rows=[{"id": key} for key in known])
        if nodes:
            rows = [{"passage": node.passage, "node": node.id, "name": node.name} for node in nodes]
            self.run(_ADD_EVIDENCE, rows=rows)
        if edges:
            self.run(_DROP_EDGES, ids=[edge.passage for edge in edges])
            self.run(_ADD_EDGES, rows=[asdict(edge) for edge in edges])

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._writing, self._guard.using():
            self.run("BEGIN TRANSACTION")
            try:
                yield
            except BaseException:
                self.run("ROLLBACK")
                raise
            self.run("COMMIT")


GRAPH = StoreKind(
    takes=lambda kind: kind in graph_kinds(),
    file="graph.lbug",
    open=lambda path, shelf: GraphStore(path),
    sources=lambda store, shelf: [
        GraphNodes(store, f"{shelf.collection}/graph", lookup=shelf.lookup),
        GraphPaths(store, f"{shelf.collection}/paths", lookup=shelf.lookup),
    ],
)
