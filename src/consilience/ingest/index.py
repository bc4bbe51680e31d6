"""What do the engines still have to do? Take up what is pending: embed, write, remove, settle.

Every call to an engine may be repeated without harm, and a passage is settled only after all
its engines have it, so this can be killed at any moment and run again. While a batch is
written, the next one is embedded: engines and embedders let other threads run meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from consilience.catalogue import Catalogue, Pending
from consilience.errors import StoreError
from consilience.ingest.progress import Progress
from consilience.protocols import Embedder, Store, Vectors
from consilience.settings import Settings
from consilience.sources.qdrant_edge import token_counts
from consilience.stores import Stores
from consilience.tokens import Keeping
from consilience.types import Passage

COUNTED = 1000  # passages whose words are counted at a time
REMOVED = 1000  # passages removed at a time
SMALLEST, LARGEST = 64, 2048  # passages embedded and written at a time
SECONDS = 0.5  # about how long embedding a batch may take: what a kill costs is twice that


Taking = Sequence[tuple[Store, Sequence[str]]]
"""Engines, each with the kinds of passages that it takes."""


@dataclass(frozen=True, slots=True)
class Work:
    """What writing a batch needs."""

    catalogue: Catalogue
    stores: Stores
    embedder: Embedder
    progress: Progress
    keeping: Keeping | None


@dataclass(frozen=True, slots=True)
class Batch:
    """Passages of one collection with all that engines are to know of them.

    Those that are not searched as text have neither vectors nor tokens.
    """

    passages: Sequence[Passage]
    vectors: Vectors | None = None
    tokens: Sequence[bytes] = ()


def index(
    catalogue: Catalogue,
    stores: Stores,
    embedder: Embedder,
    *,
    settings: Settings,
    progress: Progress,
    keeping: Keeping | None = None,
) -> int:
    """Bring the engines up to date with the catalogue; how many passages that took."""
    check_model(catalogue, embedder)
    check_language(catalogue, settings.passages.language)
    catalogue.set_fact("model", embedder.name)
    catalogue.set_fact("language", settings.passages.language)
    for collection in catalogue.counts():
        _repair(collection, catalogue, stores)
    if keeping is not None:
        _repair_tokens(catalogue, stores, keeping)
    for collection in catalogue.pending_collections():
        _weigh(collection, catalogue, stores, settings)
    total = catalogue.pending_count()
    progress.stage("Indexing", total=total, unit="passages")
    work = Work(catalogue, stores, embedder, progress, keeping)
    _remove_pending(work)
    for collection in catalogue.pending_collections():
        _write_pending(collection, work)
    for shard in stores.shards() if total else ():
        shard.optimize()
    return total


def check_model(catalogue: Catalogue, embedder: Embedder) -> None:
    """A store made by another model is refused: vectors of two models do not compare."""
    made_by = catalogue.fact("model")
    if made_by and made_by != embedder.name:
        raise StoreError(
            f"this workspace was indexed with the model {made_by!r}, the settings ask for "
            f"{embedder.name!r}; run `consilience rebuild` to index everything again, or go back "
            "to that model"
        )


def check_language(catalogue: Catalogue, language: str, *, changing: bool = False) -> None:
    """Words were indexed in the forms of one language; a question must use the same."""
    token_counts((), language=language)  # an unknown language is refused first
    made_in = "" if changing else catalogue.fact("language")
    if made_in and made_in != language:
        raise StoreError(
            f"this workspace was indexed with passages.language {made_in!r}, the settings say "
            f"{language!r}; set it back, or run `consilience rebuild` to index everything again"
        )


def average_length(catalogue: Catalogue, collection: str) -> float:
    """The mean length that the word vectors of a collection were made with."""
    return float(catalogue.fact(f"average:{collection}") or 1.0)


def _write_pending(collection: str, work: Work) -> None:
    """Write what is pending; at any time one batch is being embedded and one written."""
    under_way: tuple[Batch, Future[None]] | None = None
    with ThreadPoolExecutor(1, thread_name_prefix="write") as writer:
        try:
            for batch in _embedded(collection, work):
                _settle(under_way, work)
                stores = work.stores.taking(collection, {one.kind for one in batch.passages})
                under_way = batch, writer.submit(_write, batch, stores, work.keeping)
        finally:  # what was written before an error is done
            _settle(under_way, work)


def _embedded(collection: str, work: Work) -> Iterator[Batch]:
    """What is pending in a collection, embedded. The embedder's speed decides how much at once."""
    size, after = SMALLEST, ""
    while passages := work.catalogue.to_write(collection, size, after=after):
        started = time.perf_counter()
        kinds = work.stores.searched({one.kind for one in passages})
        read = _read([one for one in passages if one.kind in kinds], work)
        seconds = time.perf_counter() - started
        unread = Batch([one for one in passages if one.kind not in kinds])
        yield from (batch for batch in (read, unread) if batch.passages)
        after = passages[-1].id
        size = _next_size(size, seconds)


def _read(passages: Sequence[Passage], work: Work) -> Batch:
    """Everything that models make of passages; each network runs once."""
    texts = [passage.indexed for passage in passages]
    if not texts:
        return Batch(())
    if work.keeping is None:
        return Batch(passages, work.embedder.embed(texts))
    return Batch(passages, *work.keeping.reranker.prepare(texts, work.embedder))


def _next_size(size: int, seconds: float) -> int:
    """A batch twice as large after a quick one, half as large after a slow one."""
    if seconds < SECONDS / 2:
        return min(LARGEST, 2 * size)
    return max(SMALLEST, size // 2) if seconds > SECONDS else size


def _write(batch: Batch, stores: Taking, keeping: Keeping | None) -> None:
    """Hand a batch to its engines, to each what it takes."""
    for store, kinds in stores:
        store.write(*_of_kinds(batch, kinds))
    if keeping is not None and batch.tokens:
        ids = (passage.id for passage in batch.passages)
        keeping.store.write(dict(zip(ids, batch.tokens, strict=True)))


def _of_kinds(batch: Batch, kinds: Sequence[str]) -> tuple[Sequence[Passage], Vectors | None]:
    """The passages of these kinds, with their vectors where they have any."""
    at = [place for place, one in enumerate(batch.passages) if one.kind in kinds]
    if len(at) == len(batch.passages):
        return batch.passages, batch.vectors
    vectors = None if batch.vectors is None else batch.vectors[at]
    return [batch.passages[place] for place in at], vectors


def _settle(under_way: tuple[Batch, Future[None]] | None, work: Work) -> None:
    """Wait until all engines have a batch, then take it off what is pending."""
    if under_way is not None:
        batch, writing = under_way
        writing.result()
        done = [Pending(one.id, one.collection, "write") for one in batch.passages]
        work.catalogue.settle(done)
        work.progress.advance(len(done))


def _remove_pending(work: Work) -> None:
    while batch := work.catalogue.pending(REMOVED):
        gone = [one for one in batch if one.action == "remove"]
        if not gone:
            return
        for collection in sorted({one.collection for one in gone}):
            ids = [one.id for one in gone if one.collection == collection]
            for store in work.stores.existing(collection):
                store.remove(ids)
            if work.keeping is not None:
                work.keeping.store.remove(ids)
        work.catalogue.settle(gone)
        work.progress.advance(len(gone))


def _repair(collection: str, catalogue: Catalogue, stores: Stores) -> None:
    """Queue what an engine should have and has not, as when its files were lost or damaged."""
    there = catalogue.counts()[collection]
    for name, kinds in stores.absent(collection, there):
        catalogue.queue(sorted(catalogue.ids(collection, kinds)), collection, "write")
        stores.store(collection, name)
    if not (searched := stores.searched(there)):
        return
    shard = stores.passages(collection)
    if shard.count() == catalogue.settled(collection, searched):
        return
    held, wanted = set(shard.ids()), catalogue.ids(collection, searched)
    catalogue.queue(sorted(wanted - held), collection, "write")


def _repair_tokens(catalogue: Catalogue, stores: Stores, keeping: Keeping) -> None:
    """Queue passages whose token vectors are to be kept and are not, as when `late` is new.

    What is left over goes: of passages removed while none were kept, or that wait to be written.
    """
    kept = keeping.store.ids()
    for collection, there in catalogue.counts().items():
        searched = stores.searched(there)
        wanted = catalogue.ids(collection, searched) if searched else set()
        if missing := wanted - kept:
            catalogue.queue(sorted(missing), collection, "write")
        kept -= wanted
    keeping.store.remove(kept)


def _weigh(collection: str, catalogue: Catalogue, stores: Stores, settings: Settings) -> None:
    """Decide the average length; when it has moved far, write the word vectors anew.

    The new average is remembered only afterwards: killed in between, the next run does it again.
    """
    if not (searched := stores.searched(catalogue.counts()[collection])):
        return
    while batch := catalogue.uncounted(collection, COUNTED):
        texts = [one.indexed for one in batch]
        counts = token_counts(texts, language=settings.passages.language)
        catalogue.count_words(dict(zip((one.id for one in batch), counts, strict=True)))
    average = catalogue.mean_words(collection, searched)
    used = float(catalogue.fact(f"average:{collection}") or 0.0)
    if used and abs(average / used - 1) <= settings.passages.drift:
        return
    shard = stores.passages(collection)
    shard.reweigh(list(catalogue.each(collection)) if shard.count() else [], average)
    catalogue.set_fact(f"average:{collection}", repr(average))
