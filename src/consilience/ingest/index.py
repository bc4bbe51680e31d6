"""What do the engines still have to do? Take up what is pending: embed, write, remove, settle.

Every call to an engine may be repeated without harm, and a passage is settled only after all
its engines have it, so this can be killed at any moment and run again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from consilience.catalogue import Catalogue, Pending
from consilience.errors import StoreError
from consilience.ingest.progress import Progress
from consilience.protocols import Embedder
from consilience.settings import Settings
from consilience.sources.qdrant_edge import token_counts
from consilience.stores import Stores

BATCHES = 2  # embedding batches taken up at a time: enough to sort by length, little to redo
COUNTED = 1000  # passages whose words are counted at a time


@dataclass(frozen=True, slots=True)
class Work:
    """What writing a batch needs."""

    catalogue: Catalogue
    stores: Stores
    embedder: Embedder
    settings: Settings


def index(
    catalogue: Catalogue,
    stores: Stores,
    embedder: Embedder,
    *,
    settings: Settings,
    progress: Progress,
) -> int:
    """Bring the engines up to date with the catalogue; how many passages that took."""
    check_model(catalogue, embedder)
    check_language(catalogue, settings.passages.language)
    catalogue.set_fact("model", embedder.name)
    catalogue.set_fact("language", settings.passages.language)
    for collection in catalogue.counts():
        _repair(collection, catalogue, stores)
    for collection in catalogue.pending_collections():
        _weigh(collection, catalogue, stores, settings)
    total = catalogue.pending_count()
    progress.stage("Indexing", total=total, unit="passages")
    while batch := catalogue.pending(BATCHES * settings.models.batch):
        for (collection, action), some in groupby(batch, key=lambda p: (p.collection, p.action)):
            done = list(some)
            if action == "remove":
                _remove(collection, done, catalogue, stores)
            else:
                _write(collection, done, Work(catalogue, stores, embedder, settings))
            progress.advance(len(done))
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


def _write(collection: str, batch: Sequence[Pending], work: Work) -> None:
    known = work.catalogue.get([one.id for one in batch])
    passages = list(known.values())
    vectors = work.embedder.embed([passage.indexed for passage in passages])
    for store in work.stores.taking(collection, {passage.kind for passage in passages}):
        store.write(passages, vectors)
    work.catalogue.settle(batch)


def _remove(
    collection: str, batch: Sequence[Pending], catalogue: Catalogue, stores: Stores
) -> None:
    ids = [one.id for one in batch]
    for store in stores.existing(collection):
        store.remove(ids)
    catalogue.settle(batch)


def _repair(collection: str, catalogue: Catalogue, stores: Stores) -> None:
    """Queue what an engine should have and has not, as when its files were lost or damaged."""
    for name, kinds in stores.absent(collection, catalogue.counts()[collection]):
        catalogue.queue(sorted(catalogue.ids(collection, kinds)), collection, "write")
        stores.store(collection, name)
    shard = stores.passages(collection)
    if shard.count() == catalogue.settled(collection):
        return
    held, wanted = set(shard.ids()), catalogue.ids(collection)
    catalogue.queue(sorted(wanted - held), collection, "write")


def _weigh(collection: str, catalogue: Catalogue, stores: Stores, settings: Settings) -> None:
    """Decide the average length; when it has moved far, write the word vectors anew.

    The new average is remembered only afterwards: killed in between, the next run does it again.
    """
    while batch := catalogue.uncounted(collection, COUNTED):
        texts = [one.indexed for one in batch]
        counts = token_counts(texts, language=settings.passages.language)
        catalogue.count_words(dict(zip((one.id for one in batch), counts, strict=True)))
    average = catalogue.mean_words(collection)
    used = float(catalogue.fact(f"average:{collection}") or 0.0)
    if used and abs(average / used - 1) <= settings.passages.drift:
        return
    shard = stores.passages(collection)
    shard.reweigh(list(catalogue.each(collection)) if shard.count() else [], average)
    catalogue.set_fact(f"average:{collection}", repr(average))
