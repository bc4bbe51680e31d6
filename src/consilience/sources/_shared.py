"""What do all sources share? The order of a ranking and the fields that an engine holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter, gt
from pathlib import Path

from consilience.errors import SourceError, StoreError, UsageError, WorkspaceBusy
from consilience.filters import passes
from consilience.protocols import Lookup
from consilience.types import Filter, Found, Passage, Value

LATE = frozenset({"id", "collection", "document", "text"})
"""Fields that no engine holds: a filter on them is checked against the passage itself.

A document's path is among them because a file may move without its passages being written again.
"""

_WIDER = 4
_HOLDER = re.compile(r"PID (\d+)")
_PAGE = 500


def checked_limit(limit: int) -> int:
    """The limit, if it asks for something; a source cannot give less than one passage."""
    if limit < 1:
        raise UsageError(f"limit is {limit}, but a source gives at least 1; ask for 1 or more")
    return limit


def collection_of(name: str) -> str:
    """The collection in a source's name: `books` in `books/bm25`."""
    collection, slash, last = name.rpartition("/")
    if not (collection and slash and last):
        raise UsageError(f"source name {name!r} is not COLLECTION/KIND; write e.g. 'books/bm25'")
    return collection


def best(found: Iterable[Found], limit: int) -> tuple[Found, ...]:
    """The first `limit`, each id once with its best score: score falling, ties by id rising."""
    ordered = list(found)
    scores = [one.score for one in ordered]
    if not all(map(gt, scores, scores[1:])):  # an engine's own order mostly has no ties
        ordered.sort(key=attrgetter("id"))
        ordered.sort(key=attrgetter("score"), reverse=True)
    once: dict[str, Found] = {}
    for one in ordered:
        once.setdefault(one.id, one)
    return tuple(once.values())[:limit]


def held(passage: Passage) -> dict[str, Value]:
    """The fields by which an engine can filter, as `Passage.value` gives them."""
    places = passage.locator.parts()
    names = {"kind", "title", *places, *passage.metadata} - LATE
    values = {name: passage.value(name) for name in sorted(names)}
    return {name: value for name, value in values.items() if value is not None}


def clean(text: str) -> str:
    """A text without what UTF-8 cannot write (lone surrogates); engines refuse those."""
    return text.encode("utf-8", "replace").decode("utf-8")


def fold(text: str) -> str:
    """A text as filters compare it."""
    return clean(text.casefold())


def sift(
    fetch: Callable[[int], Sequence[Found]],
    late: Sequence[Filter],
    *,
    lookup: Lookup | None,
    limit: int,
) -> Sequence[Found]:
    """Fetch ever more until `limit` of what was found pass the filters that no engine knows."""
    if not late:
        return fetch(limit)
    wanted = limit
    while True:
        wanted *= _WIDER
        found = fetch(wanted)
        known = passing([one.id for one in found], late, lookup)
        kept = [one for one in found if one.id in known]
        if len(kept) >= limit or len(found) < wanted:
            return kept


def passing(
    ids: Sequence[str], filters: Sequence[Filter], lookup: Lookup | None
) -> Mapping[str, Passage]:
    """The passages of these ids that meet the filters, read through `lookup`."""
    if lookup is None:
        names = ", ".join(sorted({condition.field for condition in filters}))
        raise SourceError(
            f"cannot filter by {names}: the index does not hold it; give the source a lookup"
        )
    return {key: passage for key, passage in lookup(list(ids)).items() if passes(passage, filters)}


def refusal(path: Path, error: Exception) -> StoreError:
    """Why a store's file could not be opened: who holds it, or that it is damaged."""
    text = str(error)
    if "lock" in text.lower():
        holder = _HOLDER.search(text)
        who = f"process {holder[1]}" if holder else "another process"
        return WorkspaceBusy(f"{path} is held by {who}; wait for it, or stop it, and try again")
    return StoreError(
        f"{path} cannot be opened: {text}; if it is damaged, delete it and run `consilience add`, "
        "which writes it again"
    )
