"""Where do a collection's nodes and edges live? In one Ladybug database, in this process.

The file belongs to one process, and each of its threads has a connection of its own. Values reach
Cypher only as parameters.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import ladybug

from consilience.errors import StoreError
from consilience.protocols import Vectors
from consilience.sources._paths import OFF_INTENT, Edge, Node, read_edge, read_node
from consilience.sources._shared import refusal
from consilience.threads import Shared
from consilience.types import Passage, Scalar

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
    """The graph of one collection in one file, opened for this process, made if not there.

    A passage of kind `node` or `work` is evidence of the node in its field `node`; several
    passages may tell of one node. A passage of kind `edge` or `citation` is an edge from `source`
    to `target`; an edge may come before the nodes it joins. Passages of other kinds are ignored.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = _open(path)
        self._connections: dict[threading.Thread, ladybug.Connection] = {}
        self._shared = Shared()
        self._writing = threading.Lock()
        self._opening = threading.Lock()
        for statement in _SCHEMA:
            self.run(statement)

    def write(self, passages: Sequence[Passage], vectors: Vectors | None = None) -> None:
        """Add nodes and edges, or replace those of the same passage id."""
        del vectors  # a graph is walked, not measured
        for start in range(0, len(passages), _BATCH):
            batch = {one.id: one for one in passages[start : start + _BATCH]}.values()
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
        """Write everything to disk and let others open the file; may be repeated.

        Calls that are under way are waited for; later ones are refused.
        """
        if not self._shared.close():
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
        """What passages tell of these nodes."""
        rows = self.run(_EVIDENCE, ids=list(nodes))
        return [Node(str(node), str(name), str(passage)) for node, name, passage in rows]

    def edges(self, nodes: Sequence[str], intents: Sequence[str], *, limit: int) -> list[Edge]:
        """The edges that leave or reach these nodes, the best `limit` in each direction.

        One of weight 0 is never walked, and left out.
        """
        relations = [intent.casefold() for intent in intents]
        found = {}
        for query in (_EDGES_FROM, _EDGES_TO):
            rows = self.run(query, ids=list(nodes), intents=relations, off=OFF_INTENT, limit=limit)
            for source, relation, target, weight, passage, stated in rows:
                ends = (str(source), str(relation), str(target))
                edge = Edge(*ends, float(weight), str(passage), stated=bool(stated))
                found[edge.passage] = edge
        return list(found.values())

    def run(self, query: str, **parameters: Parameter) -> list[Row]:
        """The rows that a query gives, on the calling thread's own connection."""
        with self._shared.using() as is_open:
            if not is_open:
                raise StoreError(f"{self.path} was closed; open the store again to use it")
            result: Any = self._connection().execute(query, parameters)  # one query, one result
            rows: list[Row] = result.get_all()
            result.close()
            return rows

    def _connection(self) -> ladybug.Connection:
        """The calling thread's own; those of threads that have ended are closed."""
        me = threading.current_thread()
        connection = self._connections.get(me)
        if connection is None:
            with self._opening:
                for other in [one for one in self._connections if not one.is_alive()]:
                    self._connections.pop(other).close()
                connection = self._connections[me] = ladybug.Connection(self._database)
        return connection

    def _write(self, nodes: Sequence[Node], edges: Sequence[Edge]) -> None:
        ends = {end for edge in edges for end in (edge.source, edge.target)}
        known = sorted(ends | {node.id for node in nodes})
        if known:
            self.run(_ADD_NODES, rows=[{"id": key} for key in known])
        if nodes:
            rows = [{"passage": one.passage, "node": one.id, "name": one.name} for one in nodes]
            self.run(_ADD_EVIDENCE, rows=rows)
        if edges:
            self.run(_DROP_EDGES, ids=[edge.passage for edge in edges])
            self.run(_ADD_EDGES, rows=[_row(edge) for edge in edges])

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._writing, self._shared.using():
            self.run("BEGIN TRANSACTION")
            try:
                yield
            except BaseException:
                self.run("ROLLBACK")
                raise
            self.run("COMMIT")


def _row(edge: Edge) -> dict[str, Scalar]:
    return {
        "source": edge.source,
        "relation": edge.relation,
        "target": edge.target,
        "weight": edge.weight,
        "passage": edge.passage,
        "stated": edge.stated,
    }


def _open(path: Path) -> ladybug.Database:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        database = ladybug.Database(str(path))
        database.init_database()
    except (RuntimeError, OSError) as error:
        raise refusal(path, error) from error
    return database
