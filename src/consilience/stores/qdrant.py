"""Which passages are close in meaning, and which share words? A Qdrant server or cluster.

The same two vectors, payloads and word weights as in the engine in this process, so the same
ranking, as far as the server's own arithmetic goes: up to `store.exact` passages it compares whole
vectors, in more it walks its HNSW graph over vectors of 8 bits a number and rescores by whole ones.

Each write waits until the server has applied it, and is tried again while the server is
overloaded; what it does not take stays in the queue. A rebuild fills a collection beside the
searched one, and an alias switches at its end.

An address without a host, `qdrant:///folder`, is the client's own small engine, to try things out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import numpy as np

from consilience.errors import ConsilienceError, MissingExtra, WorkspaceBusy
from consilience.protocols import Shelf, StoreKind, Vectors
from consilience.settings import Settings
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
from consilience.stores.servers import Handle, Server, no_answer, read_server, retry_overloaded
from consilience.stores.word_vectors import WordEncoder, WordWeights
from consilience.types import Condition, Found, Passage, Term

try:
    from qdrant_client import QdrantClient, models
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse
except ImportError as error:
    raise MissingExtra("passages on a Qdrant server", "qdrant") from error

_BATCH = 500
_ID_PAGE = 10_000
_MOST_INDEXES = 64  # a table may have hundreds of columns
_OVERSAMPLING = 3.0
_TIMEOUT_S = 30
_OVERLOADED = frozenset({429, 502, 503, 504})

Result = TypeVar("Result")


class QdrantStore:
    """The passages of one collection on a server; `path` is the file of its handle.

    Nothing is asked of the server before the store is used.
    """

    engine = "Qdrant"

    def __init__(
        self,
        path: Path,
        server: Server,
        *,
        dimensions: int,
        language: str = "english",
        average_length: float = 100.0,
        exact: int = 100_000,
        shards: int = 1,
        replicas: int = 1,
    ) -> None:
        self._path = path
        self._exact = exact
        self._shards, self._replicas = shards, replicas
        self.dimensions = dimensions
        self._encoder = WordEncoder(language, average_length)
        self._handle = Handle.open(path, dimensions=dimensions)
        self.place = f"{server.place}/{self._handle.name}"
        self._is_local = is_local(server)
        self._client = _connect(server, self._handle.name)
        self._turn = threading.RLock() if self._is_local else nullcontext()
        self._guard = OpenGuard(self.place)
        self._is_there = False
        self._size = 0
        self._fields: set[str] = set()

    # --- writing --------------------------------------------------------------------------

    def write(self, passages: Sequence[Passage], vectors: Vectors | None) -> None:
        """Add the passages, or replace those of the same id; without vectors, words only."""
        check_shape(self.place, len(passages), vectors, self.dimensions)
        for start in range(0, len(passages), _BATCH):
            batch = passages[start : start + _BATCH]
            dense = None if vectors is None else vectors[start : start + _BATCH].tolist()
            payloads = [make_payload(passage) for passage in batch]
            points = [
                models.PointStruct(
                    id=point_id(passage.id),
                    vector={
                        SPARSE: self._weights(passage),
                        **({DENSE: dense[at]} if dense else {}),
                    },
                    payload=dict(payloads[at]),
                )
                for at, passage in enumerate(batch)
            ]
            self._call(partial(self._client.upsert, points=points, wait=True))
            numbers = {f"number.{key}" for one in payloads for key in one.get("number", ())}
            self._create_indexes(sorted(numbers - self._fields))
        self._size = 0  # asked for again

    def remove(self, ids: Sequence[str]) -> None:
        """Forget these passages; an unknown id is no error."""
        for start in range(0, len(ids), _BATCH):
            points = models.PointIdsList(points=[point_id(key) for key in ids[start:][:_BATCH]])
            self._call(partial(self._client.delete, points_selector=points, wait=True))
        self._size = 0

    def reweigh(self, passages: Sequence[Passage], average_length: float) -> None:
        """Write the words of these passages for another average length; may be repeated."""
        self._encoder = WordEncoder(self._encoder.language, average_length)
        for start in range(0, len(passages), _BATCH):
            batch = passages[start : start + _BATCH]
            found = self._call(
                partial(
                    self._client.retrieve,
                    ids=[point_id(passage.id) for passage in batch],
                    with_payload=False,
                )
            )
            known = {passage_key(record.id) for record in found}
            weights = [
                models.PointVectors(
                    id=point_id(passage.id), vector={SPARSE: self._weights(passage)}
                )
                for passage in batch
                if passage.id in known
            ]
            if weights:
                self._call(partial(self._client.update_vectors, points=weights, wait=True))

    def optimize(self) -> None:
        """Have what a rebuild wrote searched from now on; the server optimizes by itself."""
        if self._handle.is_published:
            return
        old, new = (self._physical(at) for at in (self._handle.searched, self._handle.written))
        self._ask(partial(self._point_alias, new))
        self._handle = self._handle.publish()
        self._handle.save(self._path)
        self._ask(partial(self._client.delete_collection, old))
        self._size = 0

    @property
    def is_published(self) -> bool:
        """Whether what is written is what is searched."""
        return self._handle.is_published

    def renew(self) -> None:
        """Write to an empty collection from now on; `optimize` has it searched."""
        if not self._handle.is_published:  # a rebuild that never ended
            self._call(self._client.delete_collection)
        self._handle = self._handle.renew(self.dimensions)
        self._handle.save(self._path)
        self._is_there = False
        self._ask(self._make)

    def close(self) -> None:
        """Wait for running calls, let go of the connection; may be repeated."""
        if self._guard.close():
            self._client.close()

    def drop(self) -> None:
        """Delete it from the server; the store cannot be used any more."""
        for at in {self._handle.searched, self._handle.written}:
            self._ask(partial(self._client.delete_collection, self._physical(at)))
        self._path.unlink(missing_ok=True)
        self.close()

    # --- reading --------------------------------------------------------------------------

    def count(self) -> int:
        """How many passages it holds."""
        return int(self._call(lambda name: self._client.count(name, exact=True).count))

    def ids(self) -> Iterator[str]:
        """The ids of all passages, in rising order."""
        for records in self._pages(with_vectors=False):
            yield from (passage_key(record.id) for record in records)

    def dense_vectors(self) -> Iterator[tuple[list[str], Vectors]]:
        """All passages with their dense vectors, page by page; those without one are left out."""
        for records in self._pages(with_vectors=True):
            yield _dense_rows(records, self.dimensions)

    def known(self, ids: Sequence[str], filters: Sequence[Condition] = ()) -> set[str]:
        """Which of these it holds and the filters that it can check let through."""
        only = qdrant_filter(payload_test(filters, ids))
        records, _ = self._search(
            lambda name: self._client.scroll(
                name, scroll_filter=only, limit=max(len(ids), 1), with_payload=False
            )
        )
        return {passage_key(record.id) for record in records}

    def vectors(self, ids: Sequence[str]) -> tuple[list[str], Vectors]:
        """Those of these that it holds, in any order, and their dense vectors, a row each."""
        points = [point_id(key) for key in ids]
        records = self._search(
            lambda name: self._client.retrieve(
                name, points, with_payload=False, with_vectors=[DENSE]
            )
        )
        return _dense_rows(records, self.dimensions)

    def words(self, text: str, terms: Sequence[Term]) -> WordWeights:
        """A question as weighted words."""
        return self._encoder.weigh_question(text, terms)

    def search(
        self, vector: Vector, using: str, *, only: Joined | None, limit: int, exact: bool
    ) -> list[Found]:
        """The nearest passages by one of the two vectors; exactly, if asked or if there are few."""
        if not exact and not self._size:
            self._size = self._search(lambda name: self._client.count(name, exact=False).count)
        params = models.SearchParams(
            exact=exact or self._size <= self._exact,
            quantization=models.QuantizationSearchParams(rescore=True, oversampling=_OVERSAMPLING),
        )
        found = self._search(
            lambda name: self._client.query_points(
                name,
                query=vector if isinstance(vector, list) else _sparse(vector),
                using=using,
                query_filter=qdrant_filter(only),
                limit=limit,
                with_payload=False,
                search_params=None if self._is_local else params,
            )
        )
        return [Found(passage_key(point.id), point.score) for point in found.points]

    # --- the server -----------------------------------------------------------------------

    def _call(self, call: Callable[[str], Result]) -> Result:
        """Do something with the collection that is written, which is made if it is not there."""
        return self._ask(lambda: call(self._make()))

    def _search(self, call: Callable[[str], Result]) -> Result:
        """Do something with the collection that is searched.

        During a rebuild for vectors of another size that is already the new one.
        """
        handle = self._handle
        is_usable = handle.is_published or handle.dimensions == self.dimensions
        name = handle.name if is_usable else self._physical(handle.written)
        return self._ask(lambda: call(name))

    def _ask(self, call: Callable[[], Result]) -> Result:
        with self._guard.using(), self._turn:
            try:
                return retry_overloaded(call, _is_overloaded)
            except ConsilienceError:
                raise
            except (ResponseHandlingException, UnexpectedResponse, ValueError, OSError) as error:
                raise no_answer(self.engine, self.place, error) from error

    def _make(self) -> str:
        """The name of the collection that is written, made if it is not there."""
        name = self._physical(self._handle.written)
        if self._is_there:
            return name
        if not self._client.collection_exists(name):
            self._client.create_collection(
                name,
                vectors_config={
                    DENSE: models.VectorParams(
                        size=self.dimensions, distance=models.Distance.COSINE
                    )
                },
                sparse_vectors_config={
                    SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)
                },
                shard_number=self._shards,
                replication_factor=self._replicas,
                write_consistency_factor=self._replicas // 2 + 1,
                quantization_config=models.ScalarQuantization(
                    scalar=models.ScalarQuantizationConfig(
                        type=models.ScalarType.INT8,
                        quantile=1.0,  # nothing is clipped: unusual passages have the largest
                    )
                ),
            )
            self._fields = set()
        if self._handle.is_published:
            self._point_alias(name)
        self._is_there = True
        self._create_indexes(INDEXED_FIELDS)
        return name

    def _point_alias(self, name: str) -> None:
        create = models.CreateAlias(collection_name=name, alias_name=self._handle.name)
        self._client.update_collection_aliases([models.CreateAliasOperation(create_alias=create)])

    def _create_indexes(self, fields: Sequence[str]) -> None:
        if not self._is_local:
            for field in fields[: max(_MOST_INDEXES - len(self._fields), 0)]:
                kinds = models.PayloadSchemaType
                kind = kinds.FLOAT if field.startswith("number.") else kinds.KEYWORD
                name = self._physical(self._handle.written)
                self._client.create_payload_index(name, field, kind, wait=False)
        self._fields |= set(fields)

    def _pages(self, *, with_vectors: bool) -> Iterator[list[models.Record]]:
        offset: models.ExtendedPointId | None = None
        while True:
            records, offset = self._call(
                partial(
                    self._client.scroll,
                    limit=_BATCH if with_vectors else _ID_PAGE,
                    offset=offset,
                    with_payload=False,
                    with_vectors=[DENSE] if with_vectors else False,
                )
            )
            yield records
            if offset is None:
                return

    def _physical(self, generation: int) -> str:
        return f"{self._handle.name}_{generation}"

    def _weights(self, passage: Passage) -> models.SparseVector:
        return _sparse(self._encoder.weigh_passage(passage))


def is_local(server: Server) -> bool:
    """Whether it is the client's own engine: it serves one call at a time, and has no indexes."""
    return server.url.startswith("qdrant:///")


def _connect(server: Server, name: str) -> QdrantClient:
    parts = urlsplit(server.url)
    if is_local(server):
        try:
            return QdrantClient(path=f"{parts.path}/{name}")
        except RuntimeError as error:
            if "already accessed" in str(error):
                raise WorkspaceBusy(
                    f"{parts.path}/{name} is held by another process, and the client's own engine "
                    "serves one at a time; wait for it, or use a server, and try again"
                ) from error
            raise
    scheme = "http" if parts.scheme == "qdrant" else parts.scheme
    return QdrantClient(
        url=f"{scheme}://{parts.netloc.rpartition('@')[2]}",
        port=parts.port or 6333,
        prefix=parts.path.strip("/") or None,
        api_key=server.key or None,
        timeout=_TIMEOUT_S,
        check_compatibility=False,  # it would ask before anything is wanted
    )


def _is_overloaded(error: Exception) -> bool:
    return isinstance(error, UnexpectedResponse) and error.status_code in _OVERLOADED


def _sparse(words: WordWeights) -> models.SparseVector:
    return models.SparseVector(indices=words.indices, values=words.values)


def _dense_rows(records: Sequence[models.Record], dimensions: int) -> tuple[list[str], Vectors]:
    pairs = [(record.id, record.vector) for record in records]
    dense = [
        (point, vector[DENSE])
        for point, vector in pairs
        if isinstance(vector, dict) and DENSE in vector
    ]
    rows = np.array([row for _, row in dense], dtype=np.float32)
    return [passage_key(point) for point, _ in dense], rows.reshape(len(dense), dimensions)


def qdrant_filter(test: Joined | None) -> models.Filter | None:
    """A test of payloads as Qdrant takes it."""
    if test is None:
        return None
    every, some, none = (
        [_condition(part) for part in parts] or None for parts in (test.every, test.some, test.none)
    )
    return models.Filter(must=every, should=some, must_not=none)


def _condition(test: PayloadTest) -> models.Condition:
    if isinstance(test, Listed):
        return models.FieldCondition(key=test.field, match=models.MatchValue(value=test.entry))
    if isinstance(test, Substring):
        piece = models.MatchSubstring(substring=test.piece)
        return models.FieldCondition(key=f"text.{test.key}", match=piece)
    if isinstance(test, InRange):
        bounds = {_BOUNDS[test.operator]: test.bound}
        return models.FieldCondition(key=f"number.{test.key}", range=models.Range(**bounds))
    if isinstance(test, HasId):
        return models.HasIdCondition(has_id=[point_id(key) for key in test.ids])
    return qdrant_filter(test) or models.Filter()


_BOUNDS = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}


def open_passages(settings: Settings) -> StoreKind:
    """The passages on the server that the settings name."""
    server = read_server("passages", settings)

    def open_store(path: Path, shelf: Shelf) -> QdrantStore:
        return QdrantStore(
            path,
            server,
            dimensions=shelf.dimensions,
            language=shelf.language,
            average_length=shelf.average_length,
            exact=shelf.exact,
            shards=settings.store.shards,
            replicas=settings.store.replicas,
        )

    return StoreKind(
        takes=is_searched, file=server.file, open=open_store, sources=make_passage_sources
    )
