"""Where do a collection's vectors and words live? In one Qdrant shard, in this process.

A shard belongs to one process; its write-ahead log stays on, so that what was written survives a
crash. Any number of threads may search while one writes. A question is compared with every
passage: a graph (HNSW) would miss a few passages of one subject among many of another altogether,
and takes minutes to build. Up to `exact` passages whole vectors are compared. In a larger shard
`optimize` keeps a copy of each number in 8 bits; all passages are compared by those, and the best
few times as many as are asked for by their whole vectors, which finds the same at a quarter of the
time. IDF counts removed passages until `optimize` clears them away, which it does once a fifth of
a segment of 1,000 or more is gone; word scores drift until then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np
import qdrant_edge as qdrant

from consilience.errors import StoreError, UsageError, WorkspaceBusy
from consilience.protocols import Vectors
from consilience.sources._edge_filters import INDEXED, condition, payload
from consilience.sources._shared import clean
from consilience.threads import Shared
from consilience.types import ID_LENGTH, Filter, Found, Passage, Term

DENSE = "dense"
SPARSE = "bm25"
K1 = 1.2
B = 0.75
K3 = 8.0
_BATCH = 500
_PAGE = 10_000
_INDEXES = 64  # a table may have hundreds of columns
_LARGE = 2000
_FLUSHED = 20_000  # passages written before the log is emptied: it stays small, opening is quick
_SLACK = 800  # bytes counted as a kilobyte: the short copy is made a little after it is wanted
_AGAIN = 3.0  # so many times the wanted passages are compared again by their whole vectors
_ID = re.compile(f"[0-9a-f]{{{ID_LENGTH}}}")
_LINEAR = 1e6  # with a k1 as large as this and b = 0, a BM25 weight is the word's count

Item = TypeVar("Item")
Vector = list[float] | qdrant.SparseVector


def token_counts(texts: Iterable[str], *, language: str = "english") -> list[int]:
    """How many words of each text BM25 counts: no stop words, a repeated word each time."""
    model = _model(language, 1.0, k1=_LINEAR, b=0.0)
    return [sum(map(round, model.embed_document(clean(text)).values)) for text in texts]


class EdgeStore:
    """The shard of one collection, opened for this process alone, made if it is not there.

    `average_length` is the mean of `token_counts` over the collection's `Passage.indexed`; it is
    baked into what is written, and `reweigh` writes that anew. Up to `exact` passages meaning is
    compared by whole vectors, beyond that by short ones first.
    """

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
        self.dimensions = dimensions
        self.language = language
        self._exact = exact
        self._bm25 = _model(language, average_length)
        self._asked = _model(language, 1.0, k1=K3, b=0.0)
        self._shard = _open(folder, dimensions, exact)
        self._shared = Shared()
        self._size = self.count()
        self._closed = False
        self._fields = set(INDEXED)
        self._unflushed = 0

    def write(self, passages: Sequence[Passage], vectors: Vectors | None) -> None:
        """Add the passages, or replace those of the same id; without vectors, words only."""
        if vectors is not None and vectors.shape != (len(passages), self.dimensions):
            raise StoreError(
                f"{self.folder} takes {self.dimensions} numbers for each of {len(passages)} "
                f"passages, but the vectors are of shape {vectors.shape}: another model made "
                "them; index the collection again with one model"
            )
        for start in range(0, len(passages), _BATCH):
            batch = passages[start : start + _BATCH]
            dense = None if vectors is None else vectors[start : start + _BATCH].tolist()
            payloads = [payload(passage) for passage in batch]
            points = [
                qdrant.Point(
                    _point(passage.id),
                    {SPARSE: self._weights(passage), **({DENSE: dense[at]} if dense else {})},
                    payloads[at],
                )
                for at, passage in enumerate(batch)
            ]
            with self._using() as shard:
                shard.update(qdrant.UpdateOperation.upsert_points(points))
            self._fields |= {f"number.{key}" for one in payloads for key in one.get("number", ())}
        self._unflushed += len(passages)
        with self._using() as shard:
            self._index(shard)
            self._size = shard.info().points_count
            if self._unflushed >= _FLUSHED:
                shard.flush()
                self._unflushed = 0

    def remove(self, ids: Sequence[str]) -> None:
        """Forget these passages; an unknown id is no error."""
        for batch in _batches(ids):
            points: list[qdrant.PointId] = [_point(key) for key in batch]
            with self._using() as shard:
                shard.update(qdrant.UpdateOperation.delete_points(points))

    def reweigh(self, passages: Sequence[Passage], average_length: float) -> None:
        """Write the words of these passages anew for another average length; may be repeated.

        Every passage of the collection must come, in one call or several; one that the store
        does not hold is passed over.
        """
        self._bm25 = _model(self.language, average_length)
        for batch in _batches(passages):
            known = self.known([passage.id for passage in batch])
            weights = [
                qdrant.PointVectors(_point(passage.id), {SPARSE: self._weights(passage)})
                for passage in batch
                if passage.id in known
            ]
            if weights:
                with self._using() as shard:
                    shard.update(qdrant.UpdateOperation.update_vectors(weights))

    def optimize(self) -> None:
        """Build indexes and drop what was removed; blocks, for minutes on a large shard."""
        with self._using() as shard:
            shard.optimize()

    def close(self) -> None:
        """Write everything to disk and let others open the shard; may be repeated.

        Calls that are under way are waited for; later ones are refused.
        """
        if self._shared.close() and not self._closed:
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
            request = qdrant.ScrollRequest(offset=offset, limit=_PAGE, with_payload=False)
            with self._using() as shard:
                records, offset = shard.scroll(request)
            yield from (_key(record.id) for record in records)
            if offset is None:
                return

    def known(self, ids: Sequence[str], filters: Sequence[Filter] = ()) -> set[str]:
        """Which of these it holds, and the filters that it can answer let through."""
        limit, only = max(len(ids), 1), named(ids, filters)
        request = qdrant.ScrollRequest(limit=limit, filter=only, with_payload=False)
        with self._using() as shard:
            records, _ = shard.scroll(request)
        return {_key(record.id) for record in records}

    def vectors(self, ids: Sequence[str]) -> tuple[list[str], Vectors]:
        """Those of these that it holds, in any order, and their vectors of meaning, a row each."""
        points: list[qdrant.PointId] = [_point(key) for key in ids]
        with self._using() as shard:
            records = shard.retrieve(points, with_payload=False, with_vector=[DENSE])
        # Each look at `vector` copies it, so one is all that is taken.
        read = [(one.id, one.vector) for one in records]
        held = [(_key(key), vector[DENSE]) for key, vector in read if isinstance(vector, dict)]
        rows = np.array([row for _, row in held], dtype=np.float32)
        return [key for key, _ in held], rows.reshape(len(held), self.dimensions)

    def indexed(self) -> set[str]:
        """The payload fields that have an index."""
        with self._using() as shard:
            return set(shard.info().payload_schema)

    def words(self, text: str, terms: Sequence[Term]) -> qdrant.SparseVector:
        """A question in words, with weights; a word of a term has the term's if that is larger.

        A word that the question has n times weighs n · 9 / (n + 8): the same curve as for a
        passage, with k3 = 8 and no regard to length.
        """
        asked = self._asked.embed_document(clean(text))
        weights = dict(zip(asked.indices, asked.values, strict=True))
        for term in terms:
            for index in self._bm25.embed_query(clean(term.text)).indices:
                weights[index] = max(weights.get(index, 0.0), term.weight)
        return qdrant.SparseVector(list(weights), list(weights.values()))

    def search(
        self, vector: Vector, using: str, *, only: qdrant.Filter | None, limit: int, exact: bool
    ) -> list[Found]:
        """The nearest passages by one of the two vectors; exactly, if asked or if there are few."""
        request = qdrant.QueryRequest(
            limit=limit,
            query=qdrant.Query.Nearest(vector, using=using),
            filter=only,
            params=qdrant.SearchParams(
                exact=exact or self._size <= self._exact,
                quantization=qdrant.QuantizationSearchParams(rescore=True, oversampling=_AGAIN),
            ),
        )
        with self._using() as shard:
            points = shard.query(request)
        return [Found(_key(point.id), point.score) for point in points]

    def _index(self, shard: qdrant.EdgeShard) -> None:
        """Index the fields of a shard that has become large; a small one is as fast without."""
        known, large = self.indexed(), shard.info().points_count >= _LARGE
        new = sorted(self._fields - known)
        room = max(_INDEXES - len(known), 0) if large else 0
        for field in new[:room]:
            kind = qdrant.PayloadSchemaType
            schema = kind.Float if field.startswith("number.") else kind.Keyword
            shard.update(qdrant.UpdateOperation.create_field_index(field, schema))

    def _weights(self, passage: Passage) -> qdrant.SparseVector:
        return self._bm25.embed_document(clean(passage.indexed))

    @contextmanager
    def _using(self) -> Iterator[qdrant.EdgeShard]:
        """The shard, which is not closed meanwhile."""
        with self._shared.using() as is_open:
            if not is_open:
                raise StoreError(f"{self.folder} was closed; open the store again to use it")
            yield self._shard


def _open(folder: Path, dimensions: int, exact: int) -> qdrant.EdgeShard:
    config = qdrant.EdgeConfig(
        optimizers=qdrant.EdgeOptimizersConfig(indexing_threshold=exact * dimensions * 4 // _SLACK),
        hnsw_config=qdrant.HnswIndexConfig(
            m=0, ef_construct=16, full_scan_threshold=10
        ),  # no graph
        quantization_config=qdrant.ScalarQuantizationConfig(
            qdrant.ScalarType.Int8,
            quantile=1.0,  # nothing is clipped: passages that stand alone have the largest numbers
            memory=qdrant.Memory.Pinned,
        ),
        vectors={DENSE: qdrant.EdgeVectorParams(dimensions, qdrant.Distance.Cosine)},
        sparse_vectors={SPARSE: qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf)},
        wal_enabled=True,
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "edge_config.json").exists():
            shard = qdrant.EdgeShard.load(str(folder), config)
        else:
            shard = qdrant.EdgeShard.create(str(folder), config)
        return shard
    except Exception as error:
        raise _refusal(folder, dimensions, error) from error


def _refusal(folder: Path, dimensions: int, error: Exception) -> StoreError:
    text = str(error)
    if "WouldBlock" in text:
        return WorkspaceBusy(
            f"{folder} is held by another process, and a shard belongs to one at a time; "
            "wait for it to finish, or stop it, and try again"
        )
    if "expected vector size" in text:
        return StoreError(
            f"{folder} holds vectors of another size than {dimensions}: another model made "
            "them; go back to that model, or index the collection again"
        )
    return StoreError(
        f"{folder} cannot be opened: {text}; if it is damaged, delete this folder and run "
        "`consilience add`, which writes it again"
    )


def _model(language: str, average: float, *, k1: float = K1, b: float = B) -> qdrant.Bm25:
    try:
        return qdrant.Bm25(
            qdrant.Bm25Config(k=k1, b=b, avg_len=average, language=language, ascii_folding=True)
        )
    except ValueError as error:
        raise UsageError(
            f"BM25 cannot read {language!r} with an average length of {average}: {error}; set "
            "passages.language to a language such as 'english' or 'german'"
        ) from error


def named(ids: Sequence[str], filters: Sequence[Filter]) -> qdrant.Filter:
    """Only these passages, and of them what the filters let through."""
    names = qdrant.HasIdCondition({_point(key) for key in ids})
    only = condition(filters)
    return qdrant.Filter(must=[names, only] if only else [names])


def is_id(key: str) -> bool:
    """Whether a text is an id that a passage can have."""
    return _ID.fullmatch(key) is not None


def _point(key: str) -> int:
    if not is_id(key):
        raise UsageError(
            f"passage id {key!r} is not {ID_LENGTH} hexadecimal digits; use passage_id()"
        )
    return int(key, 16)


def _key(point: qdrant.PointId) -> str:
    return f"{point:0{ID_LENGTH}x}"


def _batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), _BATCH):
        yield items[start : start + _BATCH]
