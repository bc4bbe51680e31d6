"""How are passages ranked by meaning and by words? The same over every engine that holds them.

An engine finds the nearest passages by one of two vectors, a dense one (cosine) and a sparse one
(BM25), among those that meet tests on their payloads. What its payload cannot answer is checked on
the passages.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from consilience.errors import StoreError
from consilience.kinds import unsearched_kinds
from consilience.protocols import (
    Likeness,
    Lookup,
    PassageStore,
    QueryVectors,
    Retriever,
    Shelf,
    Vectors,
)
from consilience.stores.common import (
    EngineSource,
    check_limit,
    fetch_filtered,
    filter_passages,
    rank_found,
)
from consilience.stores.payload import Joined, is_indexed, is_valid_id, payload_test
from consilience.stores.word_vectors import WordWeights
from consilience.types import Condition, Found, Request, Signal, Term

DENSE = "dense"
SPARSE = "bm25"
_TIE_MARGIN = 16  # fetched beyond the limit, so that equal scores at the cut are ordered by id

Vector: TypeAlias = list[float] | WordWeights


class PassageEngine(PassageStore, Protocol):
    """What the sources below need of a store. `place` is where it is, for people to read."""

    @property
    def engine(self) -> str: ...

    @property
    def place(self) -> str: ...

    def search(
        self, vector: Vector, using: str, *, only: Joined | None, limit: int, exact: bool
    ) -> list[Found]: ...

    def known(self, ids: Sequence[str], filters: Sequence[Condition] = ()) -> set[str]: ...

    def vectors(self, ids: Sequence[str]) -> tuple[list[str], Vectors]: ...

    def words(self, text: str, terms: Sequence[Term]) -> WordWeights: ...


class _PassageSource(EngineSource):
    """Ranks by one vector of the store, `using` its name; `vectorize` makes that of a request.

    A filter on a text needs `lookup`.
    """

    def __init__(
        self,
        store: PassageEngine,
        name: str,
        using: str,
        vectorize: Callable[[Request], Awaitable[Vector]],
        lookup: Lookup | None,
    ) -> None:
        super().__init__(name, store.engine, store.place, lookup)
        self._store = store
        self._using = using
        self._vectorize = vectorize

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` passages, best first, ties by id."""
        check_limit(limit)
        vector = await self._vectorize(request)
        only, unindexed = payload_test(request.filters), _unindexed(request)

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
            only = payload_test(request.filters, keys)
            found = self._store.search(vector, self._using, only=only, limit=len(keys), exact=True)
            scores = {entry.id: entry.score for entry in found}
            if self._using == SPARSE:
                scores = dict.fromkeys(self._store.known(keys, request.filters), 0.0) | scores
            if unindexed:
                passing = filter_passages(list(scores), unindexed, self._lookup)
                scores = {key: score for key, score in scores.items() if key in passing}
            return {key: scores[key] for key in keys if key in scores}

        return await self._run(search)


class DenseSource(_PassageSource):
    """Ranks by meaning: the cosine of the question's vector with each passage's.

    Every passage has some similarity, so the result is empty only when nothing passes the filters.
    """

    signal = Signal.MEANING

    def __init__(
        self,
        store: PassageEngine,
        name: str,
        *,
        vectors: QueryVectors,
        lookup: Lookup | None = None,
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


class WordSource(_PassageSource):
    """Ranks by words: BM25 over word stems, stop words left out, accents folded.

    The formula is in docs/sources.md; expansion terms count with their weight.
    """

    signal = Signal.WORDS

    def __init__(self, store: PassageEngine, name: str, *, lookup: Lookup | None = None) -> None:
        async def vectorize(request: Request) -> Vector:
            return store.words(request.text, request.terms)

        super().__init__(store, name, SPARSE, vectorize, lookup)


def _unindexed(request: Request) -> list[Condition]:
    return [condition for condition in request.filters if not is_indexed(condition)]


def _valid_ids(ids: Sequence[str]) -> list[str]:
    return [key for key in dict.fromkeys(ids) if is_valid_id(key)]


def make_passage_sources(store: PassageEngine, shelf: Shelf) -> list[Retriever]:
    """The two ways to rank a collection's passages."""
    name, lookup = shelf.collection, shelf.lookup
    return [
        DenseSource(store, f"{name}/dense", vectors=shelf.vectors, lookup=lookup),
        WordSource(store, f"{name}/bm25", lookup=lookup),
    ]


def is_searched(kind: str) -> bool:
    """Whether passages of a kind are searched as text."""
    return kind not in unsearched_kinds()


def check_shape(place: str, count: int, vectors: Vectors | None, dimensions: int) -> None:
    """Refuse vectors of another model."""
    if vectors is not None and vectors.shape != (count, dimensions):
        raise StoreError(
            f"{place} takes {dimensions} numbers for each of {count} "
            f"passages, but the vectors are of shape {vectors.shape}: another model made "
            "them; index the collection again with one model"
        )
