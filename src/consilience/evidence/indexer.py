"""What do the engines still have to do? Work off what is pending: embed, write, remove, settle.

Every call to an engine may be repeated, and a passage leaves the queue only after all its engines
have it, so this can be killed at any moment and run again. While a batch is written, the next one
is embedded: engines and embedders release the interpreter lock.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from consilience.errors import StoreError
from consilience.evidence.catalogue import Catalogue, Pending
from consilience.evidence.ingest_progress import Progress
from consilience.evidence.token_store import TokenKeeper
from consilience.models.embedders import checked_rows
from consilience.open_stores import Stores, check_collection_name
from consilience.pack import Pack
from consilience.protocols import Embedder, Room, Vectors
from consilience.settings import Settings
from consilience.stores.word_vectors import token_counts
from consilience.types import Document, Passage

COUNT_BATCH = 1000  # passages whose words are counted at a time
REMOVE_BATCH = 1000  # passages removed at a time
SMALLEST_BATCH, LARGEST_BATCH = 64, 2048  # passages embedded and written at a time
BATCH_S = 0.5  # about how long embedding a batch may take: what a kill costs is twice that


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What ingest works on: the catalogue, the engines, the models, the settings and the pack."""

    home: Path
    catalogue: Catalogue
    stores: Stores
    embedder: Embedder
    keeping: TokenKeeper | None
    settings: Settings
    pack: Pack

    @property
    def room(self) -> Room:
        """How much fits into a passage."""
        target = self.settings.passages.target
        return Room(count=self.embedder.count, limit=self.embedder.limit, target=target)

    def collection(self, document: Document, asked: str) -> str:
        """The collection of a document: as asked, else the pack's for its kind."""
        known = self.pack.files.collections
        return check_collection_name(asked or known.get(document.kind) or known["*"])


@dataclass(frozen=True, slots=True)
class _Batch:
    """Passages of one collection with their vectors; none where they are not searched as text."""

    passages: Sequence[Passage]
    vectors: Vectors | None = None
    tokens: Sequence[bytes] = ()


def bring_up_to_date(evidence: Evidence, progress: Progress) -> int:
    """Have the engines do what is pending; how many passages that was.

    A store that fails costs only itself. If the one for passages does, that is an error, once all
    others have theirs.
    """
    catalogue, stores = evidence.catalogue, evidence.stores
    language = evidence.settings.passages.language
    check_model(catalogue, evidence.embedder)
    check_language(catalogue, language)
    catalogue.set_fact("model", evidence.embedder.name)
    catalogue.set_fact("language", language)
    stores.retry()
    queue_missing(catalogue, stores)
    if evidence.keeping is not None:
        _queue_missing_tokens(catalogue, stores, evidence.keeping)
    for collection in catalogue.pending_collections():
        _update_average_length(collection, evidence)
    total = catalogue.pending_count()
    progress.stage("Indexing", total=total, unit="passages")
    _remove_pending(evidence, progress)
    for collection in catalogue.pending_collections():
        _write_pending(collection, evidence, progress)
    if total or not stores.is_published:
        stores.optimize()
    for collection in catalogue.counts():
        stores.check_passages(collection)
    return total


def check_model(catalogue: Catalogue, embedder: Embedder) -> None:
    """Refuse a workspace of another model: vectors of two models do not compare."""
    made_by = catalogue.fact("model")
    if made_by and made_by != embedder.name:
        raise StoreError(
            f"this workspace was indexed with the model {made_by!r}, the settings ask for "
            f"{embedder.name!r}; run `consilience rebuild` to index everything again, or go back "
            "to that model"
        )


def check_language(catalogue: Catalogue, language: str, *, changing: bool = False) -> None:
    """Refuse a workspace of another language: questions must be stemmed like passages."""
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


def _write_pending(collection: str, evidence: Evidence, progress: Progress) -> None:
    """Write what is pending; at any time one batch is being embedded and one written."""
    running: tuple[_Batch, Future[bool]] | None = None

    def settle() -> None:
        """Wait until the engines have the batch, then take it off the queue."""
        if running is not None:
            batch, writing = running
            if writing.result():
                done = [Pending(passage.id, collection, "write") for passage in batch.passages]
                evidence.catalogue.settle(done)
            progress.advance(len(batch.passages))

    with ThreadPoolExecutor(1, thread_name_prefix="write") as writer:
        try:
            for batch in _embed_pending(collection, evidence):
                settle()
                running = batch, writer.submit(_write, batch, evidence.stores, evidence.keeping)
        finally:  # what was written before an error is done
            settle()


def _embed_pending(collection: str, evidence: Evidence) -> Iterator[_Batch]:
    """What is pending in a collection, embedded, in batches that fit the embedder's speed."""
    size, after = SMALLEST_BATCH, ""
    while passages := evidence.catalogue.to_write(collection, size, after=after):
        started = time.perf_counter()
        stores = evidence.stores
        searched = stores.searched({passage.kind for passage in passages})
        searched = searched if stores.has_passages(collection) else []  # written later
        embedded = _embed([passage for passage in passages if passage.kind in searched], evidence)
        seconds = time.perf_counter() - started
        plain = _Batch([passage for passage in passages if passage.kind not in searched])
        yield from (batch for batch in (embedded, plain) if batch.passages)
        after = passages[-1].id
        size = _next_size(size, seconds)


def _embed(passages: Sequence[Passage], evidence: Evidence) -> _Batch:
    """The passages with all vectors; each network runs once."""
    texts = [passage.indexed for passage in passages]
    if not texts:
        return _Batch(())
    if evidence.keeping is None:
        embedder = evidence.embedder
        rows = checked_rows(
            embedder.embed(texts),
            count=len(texts),
            dimensions=embedder.dimensions,
            name=embedder.name,
        )
        return _Batch(passages, rows)
    return _Batch(passages, *evidence.keeping.reranker.prepare(texts, evidence.embedder))


def _next_size(size: int, seconds: float) -> int:
    """A batch twice as large after a quick one, half as large after a slow one."""
    if seconds < BATCH_S / 2:
        return min(LARGEST_BATCH, 2 * size)
    return max(SMALLEST_BATCH, size // 2) if seconds > BATCH_S else size


def _write(batch: _Batch, stores: Stores, keeping: TokenKeeper | None) -> bool:
    """Write a batch to its engines; whether the one for passages has it."""
    written = stores.write(batch.passages, batch.vectors)
    if keeping is not None and batch.tokens:
        ids = (passage.id for passage in batch.passages)
        keeping.store.write(dict(zip(ids, batch.tokens, strict=True)))
    return written


def _remove_pending(evidence: Evidence, progress: Progress) -> None:
    while batch := evidence.catalogue.pending(REMOVE_BATCH):
        removals = [item for item in batch if item.action == "remove"]
        if not removals:
            return
        for collection in sorted({item.collection for item in removals}):
            ids = [item.id for item in removals if item.collection == collection]
            if not evidence.stores.remove(collection, ids):
                removals = [item for item in removals if item.collection != collection]
            elif evidence.keeping is not None:
                evidence.keeping.store.remove(ids)
        if not removals:
            return
        evidence.catalogue.settle(removals)
        progress.advance(len(removals))


def queue_missing(catalogue: Catalogue, stores: Stores, *, behind: bool = True) -> int:
    """Queue what a store should have and has not, as after its files were lost; how many.

    Without `behind`, stores that failed earlier stay as they are and can be searched.
    """
    before = catalogue.pending_count()
    for collection, there in catalogue.counts().items():
        for name, kinds in stores.absent(collection, there, behind=behind):
            if stores.create(collection, name):
                catalogue.queue(sorted(catalogue.ids(collection, kinds)), collection, "write")
                stores.complete(collection, name)
        if not (searched := stores.searched(there)):
            continue
        with stores.isolate(collection, stores.passage_store):
            shard = stores.passages(collection)
            if shard.count() == catalogue.settled(collection, searched):
                continue
            if missing := catalogue.ids(collection, searched) - set(shard.ids()):
                catalogue.queue(sorted(missing), collection, "write")
    return catalogue.pending_count() - before


def _queue_missing_tokens(catalogue: Catalogue, stores: Stores, keeping: TokenKeeper) -> None:
    """Queue passages whose token vectors should be stored and are not, as when `late` is new.

    Vectors without a settled passage are removed: it is gone, or waits to be written.
    """
    kept = keeping.store.ids()
    for collection, there in catalogue.counts().items():
        searched = stores.searched(there)
        wanted = catalogue.ids(collection, searched) if searched else set()
        if missing := wanted - kept:
            catalogue.queue(sorted(missing), collection, "write")
        kept -= wanted
    keeping.store.remove(kept)


def _update_average_length(collection: str, evidence: Evidence) -> None:
    """Compute the average length; when it has moved far, write the word vectors again.

    The new average is stored only afterwards: killed in between, the next run does it again.
    """
    catalogue, stores, settings = evidence.catalogue, evidence.stores, evidence.settings.passages
    if not (searched := stores.searched(catalogue.counts()[collection])):
        return
    while batch := catalogue.uncounted(collection, COUNT_BATCH):
        texts = [passage.indexed for passage in batch]
        counts = token_counts(texts, language=settings.language)
        ids = (passage.id for passage in batch)
        catalogue.count_words(dict(zip(ids, counts, strict=True)))
    average = catalogue.mean_words(collection, searched)
    used = float(catalogue.fact(f"average:{collection}") or 0.0)
    if used and abs(average / used - 1) <= settings.drift:
        return
    with stores.isolate(collection, stores.passage_store):
        shard = stores.passages(collection)
        shard.reweigh(list(catalogue.each(collection)) if shard.count() else [], average)
        catalogue.set_fact(f"average:{collection}", repr(average))
