"""What do all stores share? Opening and closing, threads, ranking order, filters on passages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import attrgetter, gt
from pathlib import Path
from typing import TypeVar

from consilience.errors import (
    ConsilienceError,
    SourceError,
    StoreError,
    UsageError,
    WorkspaceBusy,
)
from consilience.filters import leaves, passes
from consilience.protocols import Lookup
from consilience.types import LOCATOR_FIELDS, Condition, Found, Passage, Value
from consilience.worker_pool import UsageGuard, WorkerPool

Result = TypeVar("Result")
UNINDEXED_FIELDS = frozenset({"id", "collection", "document", "text"})
"""Fields that no engine holds: a filter on them is checked against the passage itself.

A document's path is among them because a file may move without its passages being written again.
"""

_FETCH_FACTOR = 4
_LOCK = re.compile(r"\block\b", re.IGNORECASE)  # and not a block
_LOCK_HOLDER = re.compile(r"PID (\d+)")


class OpenGuard:
    """Says whether a store is open: each use keeps it open, and closing waits for them."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._guard = UsageGuard()

    @contextmanager
    def using(self) -> Iterator[None]:
        """The store stays open meanwhile; one that was closed is an error."""
        with self._guard.using() as is_open:
            if not is_open:
                raise StoreError(f"{self._path} was closed; open the store again to use it")
            yield

    def close(self) -> bool:
        """Let nobody in any more and wait for those inside; False when one does not leave."""
        return self._guard.close()


class EngineSource:
    """A source whose engine blocks: it runs in threads of the source's own."""

    blocks = False

    def __init__(self, name: str, engine: str, place: str | Path, lookup: Lookup | None) -> None:
        self.name = name
        self.collection = collection_of(name)
        self._lookup = lookup
        self._where = f"{engine} could not search {place}"
        self._workers = WorkerPool(name)

    async def _run(self, call: Callable[[], Result]) -> Result:
        try:
            return await self._workers.run(call)
        except ConsilienceError:
            raise
        except Exception as error:
            raise SourceError(
                f"{self._where}: {error}; if it happens again, run `consilience rebuild`"
            ) from error


def check_limit(limit: int) -> None:
    """Refuse a limit below 1."""
    if limit < 1:
        raise UsageError(f"limit is {limit}, but a source gives at least 1; ask for 1 or more")


def collection_of(name: str) -> str:
    """The collection in a source's name: `books` in `books/bm25`."""
    collection, slash, last = name.rpartition("/")
    if not (collection and slash and last):
        raise UsageError(f"source name {name!r} is not COLLECTION/KIND; write e.g. 'books/bm25'")
    return collection


def rank_found(found: Iterable[Found], limit: int) -> tuple[Found, ...]:
    """The first `limit`, each id once with its best score: score falling, ties by id rising."""
    ordered = list(found)
    scores = [entry.score for entry in ordered]
    if not all(map(gt, scores, scores[1:])):  # an engine's own order mostly has no ties
        ordered.sort(key=attrgetter("id"))
        ordered.sort(key=attrgetter("score"), reverse=True)
    unique: dict[str, Found] = {}
    for entry in ordered:
        unique.setdefault(entry.id, entry)
    return tuple(unique.values())[:limit]


def filter_fields(passage: Passage) -> dict[str, Value]:
    """The fields by which an engine can filter, as `Passage.value` gives them."""
    places = (*LOCATOR_FIELDS, *dict(passage.locator.extra))
    names = {"kind", "title", *places, *passage.metadata} - UNINDEXED_FIELDS
    values = {name: passage.value(name) for name in sorted(names)}
    return {name: value for name, value in values.items() if value is not None}


def replace_surrogates(text: str) -> str:
    """A text without lone surrogates, which UTF-8 cannot encode and engines refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")


def fold(text: str) -> str:
    """A text as filters compare it."""
    return replace_surrogates(text.casefold())


def fetch_filtered(
    fetch: Callable[[int], Sequence[Found]],
    filters: Sequence[Condition],
    *,
    lookup: Lookup | None,
    limit: int,
) -> Sequence[Found]:
    """Fetch more and more until `limit` passages meet the filters that the engine cannot check."""
    if not filters:
        return fetch(limit)
    depth = limit
    while True:
        depth *= _FETCH_FACTOR
        found = fetch(depth)
        passing = filter_passages([entry.id for entry in found], filters, lookup)
        matches = [entry for entry in found if entry.id in passing]
        if len(matches) >= limit or len(found) < depth:
            return matches


def filter_passages(
    ids: Sequence[str], filters: Sequence[Condition], lookup: Lookup | None
) -> Mapping[str, Passage]:
    """The passages of these ids that meet the filters, read through `lookup`."""
    if lookup is None:
        names = ", ".join(sorted({condition.field for condition in leaves(filters)}))
        raise SourceError(
            f"cannot filter by {names}: the index does not hold it; give the source a lookup"
        )
    return {key: passage for key, passage in lookup(list(ids)).items() if passes(passage, filters)}


def open_error(path: Path, error: Exception) -> StoreError:
    """Why a store's file cannot be opened: another process holds it, or it is damaged."""
    text = str(error)
    if _LOCK.search(text):
        holder = _LOCK_HOLDER.search(text)
        who = f"process {holder[1]}" if holder else "another process"
        return WorkspaceBusy(f"{path} is held by {who}; wait for it, or stop it, and try again")
    return StoreError(
        f"{path} cannot be opened: {text}; if it is damaged, delete it and run `consilience add`, "
        "which writes it again"
    )
