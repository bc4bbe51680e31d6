"""Which passages are close in meaning, and which share words? Qdrant Edge, in this process.

One `EdgeStore` per collection owns a shard with a dense vector (cosine) and a sparse one (BM25;
Qdrant multiplies by IDF when asked). Its sources run in threads of their own; Qdrant releases the
interpreter lock, so they run at the same time.

A shard belongs to one process; its write-ahead log stays on, so that what was written survives a
crash. Any number of threads may search while one writes.

Search by meaning is exhaustive: an HNSW graph would miss passages whose subject few others share,
and takes minutes to build. Up to `exact` passages whole vectors are compared. In a larger shard
`optimize` keeps an 8-bit copy of each vector; all passages are compared by those, and three times
as many as asked for are rescored by their whole vectors. That finds the same in a quarter of the
time. IDF counts removed passages until `optimize` clears them, which it does once a fifth of a
segment of 1,000 or more is gone; word scores drift until then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np
import qdrant_edge as qdrant

from consilience.errors import StoreError, WorkspaceBusy
from consilience.protocols import Shelf, StoreKind, Vectors
from consilience.stores.common import OpenGuard
from consilience.stores.passage_sources import (
    DENSE,
    SPARSE,
    Vector,
    check_shape,
    is_searched,
    make_passage_sources,
)
from consilience.stores.payload import (
    INDEXED_FIELDS,
    HasId,
    InRange,
    Joined,
    Listed,
    PayloadTest,
    Substring,
    make_payload,
    passage_key,
    payload_test,
    point_id,
)
from consilience.stores.word_vectors import WordEncoder, WordWeights
from consilience.types import Condition, Found, Operator, Passage, Term

_WRITE_BATCH = 500
_ID_PAGE = 10_000
_MOST_INDEXES = 64  # a table may have hundreds of columns
_INDEX_FROM = 2000  # passages; a smaller shard filters as fast without indexes
_FLUSH_EVERY = 20_000  # passages; keeps the log small, so that opening is quick
_BYTES_PER_KB = 800  # Qdrant counts 1,024: the 8-bit copy is made a little after it is wanted
_OVERSAMPLING = 3.0

Item = TypeVar("Item")


class EdgeStore:
    """The shard of one collection, opened for this process alone, created if it is not there.

    The average length is part of the stored weights (see `WordEncoder`), and `reweigh` writes them
    again.
    """

    engine = "Qdrant"

    def __init__(
        self,
        folder: Path,
        dimensions: int,
        *,
        language: str = "english",
        average_length: float = 100.0,
        exact: int = 100_000,
    ) -> None:
        self.folder = folder
        self.place = str(folder)
        self.dimensions = dimensions
        self.language = language
        self._exact = exact
        self._encoder = WordEncoder(language, average_length)
        self._shard = _open_shard(folder, dimensions, exact)
        self._guard = OpenGuard(folder)
        self._size = self.count()
        self._closed = False
        self._fields = set(INDEXED_FIELDS)
        self._unflushed = 0

    def write(self, passages: Sequence[Passage], vectors: Vectors | None) -> None:
        """Add the passages, or replace those of the same id; without vectors, words only."""
        check_shape(self.place, len(passages), vectors, self.dimensions)
        for start in range(0, len(passages), _WRITE_BATCH):
            batch = passages[start : start + _WRITE_BATCH]
            dense = None if vectors is None else vectors[start : start + _WRITE_BATCH].tolist()
            payloads = [make_payload(passage) for passage in batch]
            points = [
                qdrant.Point(
                    point_id(passage.id),
                    {SPARSE: self._weights(passage), **({DENSE: dense[at]} if dense else {})},
                    payloads[at],
                )
                for at, passage in enumerate(batch)
            ]
            with self._using() as shard:
                shard.update(qdrant.UpdateOperation.upsert_points(points))
            self._fields |= {
                f"number.{key}" for payload in payloads for key in payload.get("number", ())
            }
        self._unflushed += len(passages)
        with self._using() as shard:
            self._create_indexes(shard)
            self._size = shard.info().points_count
            if self._unflushed >= _FLUSH_EVERY:
                shard.flush()
                self._unflushed = 0

    def remove(self, ids: Sequence[str]) -> None:
        """Forget these passages; an unknown id is no error."""
        for batch in _batches(ids):
            points: list[qdrant.PointId] = [point_id(key) for key in batch]
            with self._using() as shard:
                shard.update(qdrant.UpdateOperation.delete_points(points))

    def reweigh(self, passages: Sequence[Passage], average_length: float) -> None:
        """Write the words of these passages for another average length; may be repeated.

        Every passage of the collection must come, in one call or several; one that the store does
        not hold is skipped.
        """
        self._encoder = WordEncoder(self.language, average_length)
        for batch in _batches(passages):
            known = self.known([passage.id for passage in batch])
            weights = [
                qdrant.PointVectors(point_id(passage.id), {SPARSE: self._weights(passage)})
                for passage in batch
                if passage.id in known
            ]
            if weights:
                with self._using() as shard:
                    shard.update(qdrant.UpdateOperation.update_vectors(weights))

    def optimize(self) -> None:
        """Build the 8-bit copies and clear removed passages; minutes on a large shard."""
        with self._using() as shard:
            shard.optimize()

    def close(self) -> None:
        """Wait for running calls, write everything to disk, release the shard; may be repeated."""
        if self._guard.close() and not self._closed:
            self._closed = True
            self._shard.flush()
            self._shard.close()

    def count(self) -> int:
        """How many passages it holds."""
        with self._using() as shard:
            return shard.count(qdrant.CountRequest(exact=True))

    def ids(self) -> Iterator[str]:
        """The ids of all passages, in rising order."""
        offset: qdrant.PointId | None = None
        while True:
            request = qdrant.ScrollRequest(offset=offset, limit=_ID_PAGE, with_payload=False)
            with self._using() as shard:
                records, offset = shard.scroll(request)
            yield from (passage_key(record.id) for record in records)
            if offset is None:
                return

    def known(self, ids: Sequence[str], filters: Sequence[Condition] = ()) -> set[str]:
        """Which of these it holds and the filters that it can check let through."""
        only = qdrant_filter(payload_test(filters, ids))
        request = qdrant.ScrollRequest(limit=max(len(ids), 1), filter=only, with_payload=False)
        with self._using() as shard:
            records, _ = shard.scroll(request)
        return {passage_key(record.id) for record in records}

    def vectors(self, ids: Sequence[str]) -> tuple[list[str], Vectors]:
        """Those of these that it holds, in any order, and their dense vectors, a row each."""
        points: list[qdrant.PointId] = [point_id(key) for key in ids]
        with self._using() as shard:
            records = shard.retrieve(points, with_payload=False, with_vector=[DENSE])
        pairs = [(record.id, record.vector) for record in records]  # each access copies a vector
        dense = [(point, vector[DENSE]) for point, vector in pairs if isinstance(vector, dict)]
        rows = np.array([row for _, row in dense], dtype=np.float32)
        return [passage_key(point) for point, _ in dense], rows.reshape(len(dense), self.dimensions)

    def indexed(self) -> set[str]:
        """The payload fields that have an index."""
        with self._using() as shard:
            return set(shard.info().payload_schema)

    def words(self, text: str, terms: Sequence[Term]) -> WordWeights:
        """A question as weighted words."""
        return self._encoder.weigh_question(text, terms)

    def search(
        self, vector: Vector, using: str, *, only: Joined | None, limit: int, exact: bool
    ) -> list[Found]:
        """The nearest passages by one of the two vectors; exactly, if asked or if there are few."""
        query = vector if isinstance(vector, list) else _sparse(vector)
        request = qdrant.QueryRequest(
            limit=limit,
            query=qdrant.Query.Nearest(query, using=using),
            filter=qdrant_filter(only),
            params=qdrant.SearchParams(
                exact=exact or self._size <= self._exact,
                quantization=qdrant.QuantizationSearchParams(
                    rescore=True, oversampling=_OVERSAMPLING
                ),
            ),
        )
        with self._using() as shard:
            points = shard.query(request)
        return [Found(passage_key(point.id), point.score) for point in points]

    def _create_indexes(self, shard: qdrant.EdgeShard) -> None:
        if shard.info().points_count < _INDEX_FROM:
            return
        known = self.indexed()
        for field in sorted(self._fields - known)[: max(_MOST_INDEXES - len(known), 0)]:
            kinds = qdrant.PayloadSchemaType
            kind = kinds.Float if field.startswith("number.") else kinds.Keyword
            shard.update(qdrant.UpdateOperation.create_field_index(field, kind))

    def _weights(self, passage: Passage) -> qdrant.SparseVector:
        return _sparse(self._encoder.weigh_passage(passage))

    @contextmanager
    def _using(self) -> Iterator[qdrant.EdgeShard]:
        """The shard, which stays open meanwhile."""
        with self._guard.using():
            yield self._shard


def _sparse(words: WordWeights) -> qdrant.SparseVector:
    return qdrant.SparseVector(words.indices, words.values)


def _open_shard(folder: Path, dimensions: int, exact: int) -> qdrant.EdgeShard:
    threshold = exact * dimensions * 4 // _BYTES_PER_KB
    config = qdrant.EdgeConfig(
        optimizers=qdrant.EdgeOptimizersConfig(indexing_threshold=threshold),
        hnsw_config=qdrant.HnswIndexConfig(
            m=0, ef_construct=16, full_scan_threshold=10
        ),  # no graph
        quantization_config=qdrant.ScalarQuantizationConfig(
            qdrant.ScalarType.Int8,
            quantile=1.0,  # nothing is clipped: unusual passages have the largest numbers
            memory=qdrant.Memory.Pinned,
        ),
        vectors={DENSE: qdrant.EdgeVectorParams(dimensions, qdrant.Distance.Cosine)},
        sparse_vectors={SPARSE: qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf)},
        wal_enabled=True,
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "edge_config.json").exists():
            return qdrant.EdgeShard.load(str(folder), config)
        return qdrant.EdgeShard.create(str(folder), config)
    except Exception as error:
        text = str(error)
        if "WouldBlock" in text:
            raise WorkspaceBusy(
                f"{folder} is held by another process, and a shard belongs to one at a time; "
                "wait for it to finish, or stop it, and try again"
            ) from error
        if "expected vector size" in text:
            raise StoreError(
                f"{folder} holds vectors of another size than {dimensions}: another model made "
                "them; go back to that model, or index the collection again"
            ) from error
        raise StoreError(
            f"{folder} cannot be opened: {text}; if it is damaged, delete this folder and run "
            "`consilience add`, which writes it again"
        ) from error


def _batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), _WRITE_BATCH):
        yield items[start : start + _WRITE_BATCH]


def qdrant_filter(test: Joined | None) -> qdrant.Filter | None:
    """A test of payloads as Qdrant takes it."""
    if test is None:
        return None
    every, some, none = (
        [_condition(part) for part in parts] for parts in (test.every, test.some, test.none)
    )
    return qdrant.Filter(must=every or None, should=some or None, must_not=none or None)


def _condition(test: PayloadTest) -> qdrant.ConditionType:
    if isinstance(test, Listed):
        return qdrant.FieldCondition(test.field, match=qdrant.MatchValue(test.entry))
    if isinstance(test, Substring):
        return qdrant.FieldCondition(f"text.{test.key}", match=qdrant.MatchSubstring(test.piece))
    if isinstance(test, InRange):
        range_ = _RANGES[test.operator](test.bound)
        return qdrant.FieldCondition(f"number.{test.key}", range=range_)
    if isinstance(test, HasId):
        return qdrant.HasIdCondition({point_id(key) for key in test.ids})
    return qdrant_filter(test) or qdrant.Filter()


_RANGES: Mapping[Operator, Callable[[float], qdrant.RangeFloat]] = {
    "<": lambda value: qdrant.RangeFloat(lt=value),
    "<=": lambda value: qdrant.RangeFloat(lte=value),
    ">": lambda value: qdrant.RangeFloat(gt=value),
    ">=": lambda value: qdrant.RangeFloat(gte=value),
}


def _open_store(path: Path, shelf: Shelf) -> EdgeStore:
    return EdgeStore(
        path,
        shelf.dimensions,
        language=shelf.language,
        average_length=shelf.average_length,
        exact=shelf.exact,
    )


PASSAGES = StoreKind(
    takes=is_searched, file="passages", open=_open_store, sources=make_passage_sources
)
