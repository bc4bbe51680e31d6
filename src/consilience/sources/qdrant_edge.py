"""Which passages are near in meaning, and which share words? Qdrant in this process.

One `EdgeStore` per collection owns a shard with a dense vector (cosine) and a sparse one (BM25;
Qdrant multiplies by IDF when asked). `EdgeDense` and `EdgeWords` rank and score its passages,
each in threads of its own; Qdrant lets go of the interpreter, so they run at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from consilience.errors import ConsilienceError, SourceError
from consilience.kinds import unsearched_kinds
from consilience.protocols import Likeness, Lookup, QueryVectors, Retriever, Shelf, StoreKind
from consilience.sources._edge_filters import condition
from consilience.sources._edge_store import (
    DENSE,
    SPARSE,
    EdgeStore,
    Vector,
    is_id,
    named,
    token_counts,
)
from consilience.sources._shared import (
    LATE,
    best,
    checked_limit,
    collection_of,
    passing,
    sift,
)
from consilience.threads import Workers
from consilience.types import Filter, Found, Request

__all__ = ["PASSAGES", "EdgeDense", "EdgeStore", "EdgeWords", "token_counts"]

_SPARE = 16  # fetched beyond the limit, so that equal scores at the cut are ordered by id

Answer = TypeVar("Answer")


class EdgeDense:
    """Ranks by meaning: the cosine of the question's vector with each passage's.

    Every passage is near to some degree, so this source is empty only when nothing passes the
    filters. A filter on a text needs `lookup`, which gives the passages themselves.
    """

    def __init__(
        self, store: EdgeStore, name: str, *, vectors: QueryVectors, lookup: Lookup | None = None
    ) -> None:
        self.name = name
        self.collection = collection_of(name)
        self._vectors = vectors
        self._search = _Search(store, name, using=DENSE, lookup=lookup)

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` passages, nearest first, ties by id."""
        checked_limit(limit)
        return await self._search.retrieve(await self._vector(request), request, limit=limit)

    async def score(self, request: Request, ids: Sequence[str]) -> Mapping[str, float]:
        """The exact cosine of each named passage."""
        return await self._search.score(await self._vector(request), request, ids)

    async def compare(self, ids: Sequence[str]) -> Likeness:
        """The cosines between these passages."""
        return await self._search.compare(ids)

    async def _vector(self, request: Request) -> list[float]:
        row: list[float] = (await self._vectors.get(request.text)).tolist()
        return row


class EdgeWords:
    """Ranks by words: BM25 over word stems, stop words left out, accents folded.

    The formula is that of `memory.ByWords`; expansion terms count with their weight. A filter
    on a text needs `lookup`, which gives the passages themselves.
    """

    def __init__(self, store: EdgeStore, name: str, *, lookup: Lookup | None = None) -> None:
        self.name = name
        self.collection = collection_of(name)
        self._store = store
        self._search = _Search(store, name, using=SPARSE, lookup=lookup)

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` passages that share a word with the request, best first, ties by id."""
        checked_limit(limit)
        vector = self._store.words(request.text, request.terms)
        return await self._search.retrieve(vector, request, limit=limit)

    async def score(self, request: Request, ids: Sequence[str]) -> Mapping[str, float]:
        """The score of each named passage; 0 where it shares no word."""
        vector = self._store.words(request.text, request.terms)
        return await self._search.score(vector, request, ids)


class _Search:
    """Asks one vector of the store, in threads of its own."""

    def __init__(self, store: EdgeStore, name: str, *, using: str, lookup: Lookup | None) -> None:
        self._store = store
        self._using = using
        self._lookup = lookup
        self._workers = Workers(name)

    async def retrieve(self, vector: Vector, request: Request, *, limit: int) -> Sequence[Found]:
        only, late = condition(request.filters), _late(request)

        def fetch(wanted: int) -> Sequence[Found]:
            spare = wanted + _SPARE
            found = self._store.search(vector, self._using, only=only, limit=spare, exact=False)
            return best((one for one in found if _matches(one, self._using)), wanted)

        def call() -> Sequence[Found]:
            return sift(fetch, late, lookup=self._lookup, limit=limit)[:limit]

        return await self._run(call)

    async def score(
        self, vector: Vector, request: Request, ids: Sequence[str]
    ) -> Mapping[str, float]:
        names, late = [key for key in dict.fromkeys(ids) if is_id(key)], _late(request)

        def call() -> Mapping[str, float]:
            if not names:
                return {}
            only = named(names, request.filters)
            kept = self._store.search(vector, self._using, only=only, limit=len(names), exact=True)
            scores = {one.id: one.score for one in kept}
            if self._using == SPARSE:  # a passage that shares no word is held all the same
                scores = dict.fromkeys(self._store.known(names, request.filters), 0.0) | scores
            let = passing(list(scores), late, self._lookup) if late else scores
            return {key: scores[key] for key in names if key in scores and key in let}

        return await self._run(call)

    async def compare(self, ids: Sequence[str]) -> Likeness:
        names = [key for key in dict.fromkeys(ids) if is_id(key)]

        def call() -> Likeness:
            known, rows = self._store.vectors(names)
            # Row by row: for a product this small, waking BLAS's threads takes longer.
            return Likeness(ids=tuple(known), matrix=np.array([rows @ row for row in rows]))

        return await self._run(call)

    async def _run(self, call: Callable[[], Answer]) -> Answer:
        try:
            return await self._workers.run(call)
        except ConsilienceError:
            raise
        except Exception as error:
            raise SourceError(
                f"Qdrant could not search {self._store.folder}: {error}; "
                "if it happens again, index the collection anew"
            ) from error


def _late(request: Request) -> list[Filter]:
    return [one for one in request.filters if one.field in LATE]


def _matches(found: Found, using: str) -> bool:
    return using == DENSE or found.score > 0


def _open(path: Path, shelf: Shelf) -> EdgeStore:
    return EdgeStore(
        path,
        shelf.dimensions,
        language=shelf.language,
        average_length=shelf.average_length,
        exact=shelf.exact,
    )


def _sources(store: EdgeStore, shelf: Shelf) -> list[Retriever]:
    name, lookup = shelf.collection, shelf.lookup
    return [
        EdgeDense(store, f"{name}/dense", vectors=shelf.vectors, lookup=lookup),
        EdgeWords(store, f"{name}/bm25", lookup=lookup),
    ]


PASSAGES = StoreKind(
    takes=lambda kind: kind not in unsearched_kinds(), file="passages", open=_open, sources=_sources
)
