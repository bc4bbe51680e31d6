"""Which passages are close in meaning, and which share words? Qdrant Edge, in this process.

One `EdgeStore` per collection owns a shard with a dense vector (cosine) and a sparse one (BM25;
Qdrant multiplies by IDF when asked). `EdgeDense` and `EdgeWords` rank and score its passages, each
in threads of its own; Qdrant releases the interpreter lock, so they run at the same time.

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

import math
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np
import qdrant_edge as qdrant

from consilience.errors import (
    StoreError,
    UsageError,
    WorkspaceBusy,
)
from consilience.filters import as_float, is_number, leaves, orders_dates
from consilience.kinds import unsearched_kinds
from consilience.protocols import (
    Likeness,
    Lookup,
    QueryVectors,
    Retriever,
    Shelf,
    StoreKind,
    Vectors,
)
from consilience.stores.common import (
    UNINDEXED_FIELDS,
    EngineSource,
    OpenGuard,
    check_limit,
    fetch_filtered,
    filter_fields,
    filter_passages,
    fold,
    rank_found,
    replace_surrogates,
)
from consilience.types import (
    ID_LENGTH,
    Condition,
    Filter,
    Found,
    Operator,
    Passage,
    Request,
    Scalar,
    Signal,
    Term,
)

DENSE = "dense"
SPARSE = "bm25"
K1, B, K3 = 1.2, 0.75, 8.0
_LINEAR_K1 = 1e6  # with a k1 this large and b = 0, a BM25 weight is the word's count
_WRITE_BATCH = 500
_ID_PAGE = 10_000
_MOST_INDEXES = 64  # a table may have hundreds of columns
_INDEX_FROM = 2000  # passages; a smaller shard filters as fast without indexes
_FLUSH_EVERY = 20_000  # passages; keeps the log small, so that opening is quick
_BYTES_PER_KB = 800  # Qdrant counts 1,024: the 8-bit copy is made a little after it is wanted
_OVERSAMPLING = 3.0
_TIE_MARGIN = 16  # fetched beyond the limit, so that equal scores at the cut are ordered by id
_ID = re.compile(f"[0-9a-f]{{{ID_LENGTH}}}")

Item = TypeVar("Item")
Vector = list[float] | qdrant.SparseVector


class _EdgeSource(EngineSource):
    """Ranks by one vector of the store, `using` its name; `vectorize` makes that of a request.

    A filter on a text needs `lookup`.
    """

    def __init__(
        self,
        store: EdgeStore,
        name: str,
        using: str,
        vectorize: Callable[[Request], Awaitable[Vector]],
        lookup: Lookup | None,
    ) -> None:
        super().__init__(name, "Qdrant", store.folder, lookup)
        self._store = store
        self._using = using
        self._vectorize = vectorize

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` passages, best first, ties by id."""
        check_limit(limit)
        vector = await self._vectorize(request)
        only, unindexed = qdrant_filter(request.filters), _unindexed(request)

        def fetch(depth: int) -> Sequence[Found]:
            found = self._store.search(
                vector, self._using, only=only, limit=depth + _TIE_MARGIN, exact=False
            )
            if self._using == SPARSE:
                found = [entry for entry in found if entry.score > 0]
            return rank_found(found, depth)

        def search() -> Sequence[Found]:
            return fetch_filtered(fetch, unindexed, lookup=self._lookup, limit=limit)[:limit]

        return await self._run(search)

    async def score(self, request: Request, ids: Sequence[str]) -> Mapping[str, float]:
        """The exact score of each named passage that is held and passes the filters.

        By words, a passage that shares none has 0.
        """
        vector = await self._vectorize(request)
        keys, unindexed = _valid_ids(ids), _unindexed(request)

        def search() -> Mapping[str, float]:
            if not keys:
                return {}
            only = _id_filter(keys, request.filters)
            found = self._store.search(vector, self._using, only=only, limit=len(keys), exact=True)
            scores = {entry.id: entry.score for entry in found}
            if self._using == SPARSE:
                scores = dict.fromkeys(self._store.known(keys, request.filters), 0.0) | scores
            if unindexed:
                passing = filter_passages(list(scores), unindexed, self._lookup)
                scores = {key: score for key, score in scores.items() if key in passing}
            return {key: scores[key] for key in keys if key in scores}

        return await self._run(search)


class EdgeDense(_EdgeSource):
    """Ranks by meaning: the cosine of the question's vector with each passage's.

    Every passage has some similarity, so the result is empty only when nothing passes the filters.
    """

    signal = Signal.MEANING

    def __init__(
        self, store: EdgeStore, name: str, *, vectors: QueryVectors, lookup: Lookup | None = None
    ) -> None:
        async def vectorize(request: Request) -> Vector:
            row: list[float] = (await vectors.get(request.text)).tolist()
            return row

        super().__init__(store, name, DENSE, vectorize, lookup)

    async def compare(self, ids: Sequence[str]) -> Likeness:
        """The cosines between these passages."""
        keys = _valid_ids(ids)

        def compare() -> Likeness:
            known, rows = self._store.vectors(keys)
            # Row by row: for a product this small, waking BLAS's threads takes longer.
            return Likeness(ids=tuple(known), matrix=np.array([rows @ row for row in rows]))

        return await self._run(compare)


class EdgeWords(_EdgeSource):
    """Ranks by words: BM25 over word stems, stop words left out, accents folded.

    The formula is in docs/sources.md; expansion terms count with their weight.
    """

    signal = Signal.WORDS

    def __init__(self, store: EdgeStore, name: str, *, lookup: Lookup | None = None) -> None:
        async def vectorize(request: Request) -> Vector:
            return store.words(request.text, request.terms)

        super().__init__(store, name, SPARSE, vectorize, lookup)


def _unindexed(request: Request) -> list[Condition]:
    return [condition for condition in request.filters if not _is_indexed(condition)]


def _valid_ids(ids: Sequence[str]) -> list[str]:
    return [key for key in dict.fromkeys(ids) if _ID.fullmatch(key)]


# --- the store --------------------------------------------------------------------------


def token_counts(texts: Iterable[str], *, language: str = "english") -> list[int]:
    """How many words of each text BM25 counts: no stop words, a repeated word each time."""
    model = _bm25(language, 1.0, k1=_LINEAR_K1, b=0.0)
    counts = (model.embed_document(replace_surrogates(text)).values for text in texts)
    return [sum(map(round, values)) for values in counts]


class EdgeStore:
    """The shard of one collection, opened for this process alone, created if it is not there.

    `average_length` is the mean of `token_counts` over the collection's `Passage.indexed`; it is
    part of the stored weights, and `reweigh` writes them again.
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
        self._bm25 = _bm25(language, average_length)
        self._question_bm25 = _bm25(language, 1.0, k1=K3, b=0.0)
        self._shard = _open_shard(folder, dimensions, exact)
        self._guard = OpenGuard(folder)
        self._size = self.count()
        self._closed = False
        self._fields = set(_INDEXED_FIELDS)
        self._unflushed = 0

    def write(self, passages: Sequence[Passage], vectors: Vectors | None) -> None:
        """Add the passages, or replace those of the same id; without vectors, words only."""
        if vectors is not None and vectors.shape != (len(passages), self.dimensions):
            raise StoreError(
                f"{self.folder} takes {self.dimensions} numbers for each of {len(passages)} "
                f"passages, but the vectors are of shape {vectors.shape}: another model made "
                "them; index the collection again with one model"
            )
        for start in range(0, len(passages), _WRITE_BATCH):
            batch = passages[start : start + _WRITE_BATCH]
            dense = None if vectors is None else vectors[start : start + _WRITE_BATCH].tolist()
            payloads = [make_payload(passage) for passage in batch]
            points = [
                qdrant.Point(
                    _point_id(passage.id),
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
            points: list[qdrant.PointId] = [_point_id(key) for key in batch]
            with self._using() as shard:
                shard.update(qdrant.UpdateOperation.delete_points(points))

    def reweigh(self, passages: Sequence[Passage], average_length: float) -> None:
        """Write the words of these passages for another average length; may be repeated.

        Every passage of the collection must come, in one call or several; one that the store does
        not hold is skipped.
        """
        self._bm25 = _bm25(self.language, average_length)
        for batch in _batches(passages):
            known = self.known([passage.id for passage in batch])
            weights = [
                qdrant.PointVectors(_point_id(passage.id), {SPARSE: self._weights(passage)})
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
            yield from (_passage_id(record.id) for record in records)
            if offset is None:
                return

    def known(self, ids: Sequence[str], filters: Sequence[Condition] = ()) -> set[str]:
        """Which of these it holds and the filters that it can check let through."""
        only = _id_filter(ids, filters)
        request = qdrant.ScrollRequest(limit=max(len(ids), 1), filter=only, with_payload=False)
        with self._using() as shard:
            records, _ = shard.scroll(request)
        return {_passage_id(record.id) for record in records}

    def vectors(self, ids: Sequence[str]) -> tuple[list[str], Vectors]:
        """Those of these that it holds, in any order, and their dense vectors, a row each."""
        points: list[qdrant.PointId] = [_point_id(key) for key in ids]
        with self._using() as shard:
            records = shard.retrieve(points, with_payload=False, with_vector=[DENSE])
        pairs = [(record.id, record.vector) for record in records]  # each access copies a vector
        dense = [(point, vector[DENSE]) for point, vector in pairs if isinstance(vector, dict)]
        rows = np.array([row for _, row in dense], dtype=np.float32)
        return [_passage_id(point) for point, _ in dense], rows.reshape(len(dense), self.dimensions)

    def indexed(self) -> set[str]:
        """The payload fields that have an index."""
        with self._using() as shard:
            return set(shard.info().payload_schema)

    def words(self, text: str, terms: Sequence[Term]) -> qdrant.SparseVector:
        """A question as weighted words; a word of a term has the term's weight if that is larger.

        A word that the question has n times weighs n · 9 / (n + 8): BM25's curve with k3 = 8,
        without regard to length.
        """
        question = self._question_bm25.embed_document(replace_surrogates(text))
        weights = dict(zip(question.indices, question.values, strict=True))
        for term in terms:
            for index in self._bm25.embed_query(replace_surrogates(term.text)).indices:
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
                quantization=qdrant.QuantizationSearchParams(
                    rescore=True, oversampling=_OVERSAMPLING
                ),
            ),
        )
        with self._using() as shard:
            points = shard.query(request)
        return [Found(_passage_id(point.id), point.score) for point in points]

    def _create_indexes(self, shard: qdrant.EdgeShard) -> None:
        if shard.info().points_count < _INDEX_FROM:
            return
        known = self.indexed()
        for field in sorted(self._fields - known)[: max(_MOST_INDEXES - len(known), 0)]:
            kinds = qdrant.PayloadSchemaType
            kind = kinds.Float if field.startswith("number.") else kinds.Keyword
            shard.update(qdrant.UpdateOperation.create_field_index(field, kind))

    def _weights(self, passage: Passage) -> qdrant.SparseVector:
        return self._bm25.embed_document(replace_surrogates(passage.indexed))

    @contextmanager
    def _using(self) -> Iterator[qdrant.EdgeShard]:
        """The shard, which stays open meanwhile."""
        with self._guard.using():
            yield self._shard


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


def _bm25(language: str, average: float, *, k1: float = K1, b: float = B) -> qdrant.Bm25:
    try:
        return qdrant.Bm25(
            qdrant.Bm25Config(k=k1, b=b, avg_len=average, language=language, ascii_folding=True)
        )
    except ValueError as error:
        raise UsageError(
            f"BM25 cannot read {language!r} with an average length of {average}: {error}; set "
            "passages.language to a language such as 'english' or 'german'"
        ) from error


def _point_id(key: str) -> int:
    if not _ID.fullmatch(key):
        raise UsageError(
            f"passage id {key!r} is not {ID_LENGTH} hexadecimal digits; use passage_id()"
        )
    return int(key, 16)


def _passage_id(point: qdrant.PointId) -> str:
    return f"{point:0{ID_LENGTH}x}"


def _batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), _WRITE_BATCH):
        yield items[start : start + _WRITE_BATCH]


# --- payloads and filters ---------------------------------------------------------------
#
# A payload serves the meaning that `consilience.filters` defines, not Qdrant's own types:
# - `has` lists the fields of the passage, so that a missing field meets no condition, while a field
#   without values (which Qdrant counts as missing) still differs from everything; fields that
#   every passage has are not listed;
# - `is` lists `field=value` for every value, numbers in one spelling, so that equality is exact for
#   texts, numbers and booleans alike; both lists are indexed, whatever the field is;
# - `text` and `number` hold, by field, the folded texts for `contains` and the floats for order, a
#   single one without a list, because every list and text costs time to hand over. Numbers are
#   indexed as they appear, of the texts those that every passage has. A number of more than 15
#   digits may come back from storage off by its last bit, so order around such a number relies on
#   `is`: equal ones are exact, only its nearest neighbours cannot be told apart from it.
# A field's name is written as a key that needs no quoting in a JSON path.

Payload = dict[str, list[str] | dict[str, str | list[str]] | dict[str, float | list[float]]]

_INDEXED_FIELDS = ("has", "is", "text.kind", "text.section", "text.title")
_IN_EVERY_PASSAGE = frozenset({"kind", "title"})
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_LARGEST = 1.7976931348623157e308  # JSON has no infinity
_NEVER = ""  # no passage has an empty entry in `is`


def make_payload(passage: Passage) -> Payload:
    """What is stored beside a passage's vectors: only what filters need."""
    tokens: list[str] = []
    texts: dict[str, str | list[str]] = {}
    numbers: dict[str, float | list[float]] = {}
    fields = {_field_key(name): value for name, value in filter_fields(passage).items()}
    for key, field in fields.items():
        values = field if isinstance(field, tuple) else (field,)
        tokens += [token for value in values if (token := _equality_token(key, value)) != _NEVER]
        if words := [fold(value) for value in values if isinstance(value, str)]:
            texts[key] = words if len(words) > 1 else words[0]
        if figures := [_float(value) for value in values if _is_figure(value)]:
            numbers[key] = figures if len(figures) > 1 else figures[0]
    has = [key for key in fields if key not in _IN_EVERY_PASSAGE]
    payload: Payload = {"has": has, "is": tokens, "text": texts}
    if numbers:
        payload["number"] = numbers
    return payload


def qdrant_filter(filters: Sequence[Condition]) -> qdrant.Filter | None:
    """The filters that the payload can answer, all of which must hold; None when there is none."""
    parts: list[qdrant.ConditionType] = [
        _to_qdrant(condition) for condition in filters if _is_indexed(condition)
    ]
    return qdrant.Filter(must=parts) if parts else None


def _is_indexed(condition: Condition) -> bool:
    """Whether the payload can answer a condition, all of it; it does not order dates."""
    return not any(
        leaf.field in UNINDEXED_FIELDS or orders_dates(leaf) for leaf in leaves([condition])
    )


def _to_qdrant(condition: Condition) -> qdrant.Filter:
    if isinstance(condition, Filter):
        return _OPERATORS[condition.operator](_field_key(condition.field), condition)
    parts: list[qdrant.ConditionType] = [_to_qdrant(part) for part in condition.parts]
    if condition.join == "or":
        return qdrant.Filter(should=parts)
    return qdrant.Filter(must_not=parts) if condition.join == "not" else qdrant.Filter(must=parts)


def _id_filter(ids: Sequence[str], filters: Sequence[Condition]) -> qdrant.Filter:
    """Only these passages, and of them what the filters let through."""
    has_id = qdrant.HasIdCondition({_point_id(key) for key in ids})
    only = qdrant_filter(filters)
    return qdrant.Filter(must=[has_id, only] if only else [has_id])


def _equals(key: str, condition: Filter) -> qdrant.Filter:
    return qdrant.Filter(must=[_match("is", _equality_token(key, condition.value))])


def _differs(key: str, condition: Filter) -> qdrant.Filter:
    equal = _match("is", _equality_token(key, condition.value))
    return qdrant.Filter(must=_has(key), must_not=[equal])


def _contains(key: str, condition: Filter) -> qdrant.Filter:
    substring = qdrant.MatchSubstring(fold(str(condition.value)))
    field = qdrant.FieldCondition(f"text.{key}", match=substring)
    return qdrant.Filter(must=[*_has(key), field])


def _order(key: str, condition: Filter) -> qdrant.Filter:
    if not _is_figure(condition.value):
        return qdrant.Filter(must=[_match("is", _NEVER)])
    bound = _float(condition.value)
    either: list[qdrant.ConditionType] = [_range(key, condition.operator, bound)]
    if _may_lose_a_bit(bound):
        strict = _STRICT[condition.operator]
        either = [_range(key, strict, math.nextafter(bound, _TOWARDS[strict]))]
        if strict != condition.operator:
            either.append(_match("is", _equality_token(key, condition.value)))
    return qdrant.Filter(must=[*_has(key), qdrant.Filter(should=either)])


def _may_lose_a_bit(number: float) -> bool:
    """Whether a stored number of this size may come back from JSON off by its last bit."""
    whole = number.is_integer() and abs(number) <= 2**53
    return not whole and float(f"{number:.15g}") != number


def _range(key: str, operator: Operator, bound: float) -> qdrant.FieldCondition:
    return qdrant.FieldCondition(f"number.{key}", range=_RANGES[operator](bound))


_STRICT: Mapping[Operator, Operator] = {"<": "<", "<=": "<", ">": ">", ">=": ">"}
_TOWARDS: Mapping[Operator, float] = {"<": -math.inf, ">": math.inf}
_RANGES: Mapping[Operator, Callable[[float], qdrant.RangeFloat]] = {
    "<": lambda value: qdrant.RangeFloat(lt=value),
    "<=": lambda value: qdrant.RangeFloat(lte=value),
    ">": lambda value: qdrant.RangeFloat(gt=value),
    ">=": lambda value: qdrant.RangeFloat(gte=value),
}
_OPERATORS: Mapping[Operator, Callable[[str, Filter], qdrant.Filter]] = {
    "=": _equals,
    "!=": _differs,
    "contains": _contains,
    **dict.fromkeys(_RANGES, _order),
}


def _has(key: str) -> list[qdrant.ConditionType]:
    return [] if key in _IN_EVERY_PASSAGE else [_match("has", key)]


def _match(field: str, value: str) -> qdrant.FieldCondition:
    return qdrant.FieldCondition(field, match=qdrant.MatchValue(value))


def _field_key(name: str) -> str:
    """A plain name as it is, any other in hexadecimal: no dots, brackets or quotes remain."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    return f"-{name.encode('utf-8', 'surrogatepass').hex()}"


def _equality_token(key: str, value: Scalar) -> str:
    """One spelling for all that is equal: `year=n:1900` for 1900 and 1900.0; none for NaN."""
    if isinstance(value, str):
        return f"{key}=t:{fold(value)}"
    if isinstance(value, bool):
        return f"{key}=b:{value}"
    if isinstance(value, float) and not value.is_integer():
        return f"{key}=n:{value!r}" if not math.isnan(value) else _NEVER
    return f"{key}=n:{int(value)}"


def _is_figure(value: Scalar) -> bool:
    return is_number(value) and not (isinstance(value, float) and math.isnan(value))


def _float(value: Scalar) -> float:
    return min(max(as_float(value), -_LARGEST), _LARGEST)


def _open_store(path: Path, shelf: Shelf) -> EdgeStore:
    return EdgeStore(
        path,
        shelf.dimensions,
        language=shelf.language,
        average_length=shelf.average_length,
        exact=shelf.exact,
    )


def _make_sources(store: EdgeStore, shelf: Shelf) -> list[Retriever]:
    name, lookup = shelf.collection, shelf.lookup
    return [
        EdgeDense(store, f"{name}/dense", vectors=shelf.vectors, lookup=lookup),
        EdgeWords(store, f"{name}/bm25", lookup=lookup),
    ]


PASSAGES = StoreKind(
    takes=lambda kind: kind not in unsearched_kinds(),
    file="passages",
    open=_open_store,
    sources=_make_sources,
)
