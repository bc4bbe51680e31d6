"""Which engines hold a collection? Passages always; tables and a graph where there are such.

Each collection has a folder: `passages/` (Qdrant Edge), `tables.duckdb`, `graph.lbug`. They are
opened when first needed, by the process that owns the workspace, and closed together.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from consilience.errors import UsageError
from consilience.protocols import Index, Lookup, Retriever
from consilience.sources.duckdb import SqlRows, TableStore
from consilience.sources.ladybug import GraphNodes, GraphPaths, GraphStore
from consilience.sources.qdrant_edge import EdgeDense, EdgeStore, EdgeWords, QueryVectors

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}")
ROWS = frozenset({"row"})
GRAPH = frozenset({"node", "edge"})


def checked_name(name: str) -> str:
    """A collection's name is a folder's name too, so it is kept plain."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot name a collection; use small letters, digits, - and _, "
            "starting with a letter"
        )
    return name


class Stores:
    """The engines of a workspace, by collection."""

    def __init__(self, folder: Path, *, dimensions: int, language: str) -> None:
        self._folder = folder
        self._dimensions = dimensions
        self.language = language
        self._passages: dict[str, EdgeStore] = {}
        self._tables: dict[str, TableStore] = {}
        self._graphs: dict[str, GraphStore] = {}

    def passages(self, collection: str, average_length: float) -> EdgeStore:
        """The shard of a collection, made if it is not there."""
        if collection not in self._passages:
            self._passages[collection] = EdgeStore(
                self._at(collection, "passages"),
                self._dimensions,
                language=self.language,
                average_length=average_length,
            )
        return self._passages[collection]

    def tables(self, collection: str) -> TableStore:
        """The tables of a collection, made if they are not there."""
        if collection not in self._tables:
            self._tables[collection] = TableStore(self._at(collection, "tables.duckdb"))
        return self._tables[collection]

    def graph(self, collection: str) -> GraphStore:
        """The graph of a collection, made if it is not there."""
        if collection not in self._graphs:
            self._graphs[collection] = GraphStore(self._at(collection, "graph.lbug"))
        return self._graphs[collection]

    def others(self, collection: str, kinds: Iterable[str]) -> list[Index]:
        """The engines beside the shard that take passages of these kinds."""
        present = set(kinds)
        found: list[Index] = []
        if present & ROWS:
            found.append(self.tables(collection))
        if present & GRAPH:
            found.append(self.graph(collection))
        return found

    def existing(self, collection: str) -> list[Index]:
        """The engines beside the shard that are on disk."""
        kinds: set[str] = set()
        if self._at(collection, "tables.duckdb").exists():
            kinds |= ROWS
        if self._at(collection, "graph.lbug").exists():
            kinds |= GRAPH
        return self.others(collection, kinds)

    def sources(
        self,
        collection: str,
        kinds: Iterable[str],
        *,
        average_length: float,
        vectors: QueryVectors,
        lookup: Lookup,
    ) -> list[Retriever]:
        """The ways to rank a collection that holds passages of these kinds."""
        present = set(kinds)
        shard = self.passages(collection, average_length)
        found: list[Retriever] = [
            EdgeDense(shard, f"{collection}/dense", vectors=vectors, lookup=lookup),
            EdgeWords(shard, f"{collection}/bm25", lookup=lookup),
        ]
        if present & ROWS:
            found.append(SqlRows(self.tables(collection), f"{collection}/sql", lookup=lookup))
        if present & GRAPH:
            graph = self.graph(collection)
            found.append(GraphNodes(graph, f"{collection}/graph", lookup=lookup))
            found.append(GraphPaths(graph, f"{collection}/paths", lookup=lookup))
        return found

    def each_shard(self) -> list[tuple[str, EdgeStore]]:
        """The shards that are open, by collection."""
        return sorted(self._passages.items())

    def close(self) -> None:
        """Write everything to disk and let go of it."""
        opened: list[EdgeStore | TableStore | GraphStore] = [
            *self._passages.values(),
            *self._tables.values(),
            *self._graphs.values(),
        ]
        self._passages.clear()
        self._tables.clear()
        self._graphs.clear()
        for store in opened:
            store.close()

    def wipe(self) -> None:
        """Remove every engine from disk; the catalogue can build them again."""
        self.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _at(self, collection: str, name: str) -> Path:
        folder = self._folder / checked_name(collection)
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name
