"""Indexing: batches of the right size, written while the next is embedded, resumed after errors."""

import gzip
import json
import threading

import pytest

from consilience.errors import ModelError, StoreError
from consilience.evidence.indexer import BATCH_S, LARGEST_BATCH, SMALLEST_BATCH, _next_size
from consilience.stores.qdrant_edge import EdgeStore
from consilience.stores.word_vectors import token_counts
from consilience.types import Filter

NUMBER = 300
RECORDS = [
    {
        "_id": f"d{n}",
        "title": f"Tower {n}",
        "text": f"The keeper of tower {n} wrote that the lamp burned {n} nights without a fault.",
        "coast": "north" if n % 2 else "south",
    }
    for n in range(NUMBER)
]


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "towers.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, RECORDS)).encode(), mtime=0))
    return path


def test_a_packed_corpus_is_found_filtered_and_known_by_its_ids(opened, texts):
    space = opened()
    report = space.add([texts])
    assert (report.read, report.new, report.indexed, report.failed) == (1, NUMBER, NUMBER, [])
    hits = space.search("keeper of tower 41", filters=[Filter("coast", "=", "north")]).hits
    assert hits[0].passage.metadata["_id"] == "d41"
    assert hits[0].passage.locator.section == ("Tower 41",)
    assert {hit.passage.metadata["coast"] for hit in hits} == {"north"}
    assert space.catalogue.fields()["documents"] == {"_id", "coast"}
    assert space.add([texts]).unchanged == 1


def test_words_are_counted_when_a_file_is_read(opened, texts):
    space = opened()
    space.add([texts])
    passages = list(space.catalogue.each("documents"))
    counts = token_counts(one.indexed for one in passages)
    assert space.catalogue.mean_words("documents") == pytest.approx(sum(counts) / NUMBER)
    assert space.stores.passages("documents").count() == NUMBER


def test_a_sample_of_a_very_large_document_gives_its_mean_length(opened, texts, monkeypatch):
    space = opened()
    monkeypatch.setattr("consilience.evidence.ingest.SAMPLED", 50)
    space.add([texts])
    counts = token_counts(one.indexed for one in space.catalogue.each("documents"))
    mean = space.catalogue.mean_words("documents")
    assert mean == pytest.approx(sum(counts) / NUMBER, rel=0.02)
    assert space.catalogue.uncounted("documents", 1) == []
    assert float(space.catalogue.fact("average:documents")) == mean


def test_an_embedder_that_fails_costs_only_what_it_had_not_done(opened, texts, embedder):
    real, calls = embedder.embed, []

    def failing(some):
        calls.append(len(some))
        if len(calls) == 3:
            raise ModelError("the model is gone")
        return real(some)

    embedder.embed = failing
    space = opened()
    with pytest.raises(ModelError, match="gone"):
        space.add([texts])
    done = sum(calls[:2])
    assert space.catalogue.pending_count() == NUMBER - done
    assert space.stores.passages("documents").count() == done
    embedder.embed = real
    assert space.add([texts]).indexed == NUMBER - done
    assert space.stores.passages("documents").count() == NUMBER


def test_a_batch_that_an_engine_refused_stays_pending(opened, texts, monkeypatch):
    real, written = EdgeStore.write, []

    def refusing(store, passages, vectors):
        if written:
            raise StoreError("the disk is full")
        written.append(len(passages))
        real(store, passages, vectors)

    space = opened()
    monkeypatch.setattr(EdgeStore, "write", refusing)
    with pytest.raises(StoreError, match="the disk is full"):
        space.add([texts])
    assert space.catalogue.pending_count() == NUMBER - written[0]
    monkeypatch.undo()
    assert space.add([texts]).indexed == NUMBER - written[0]
    assert sorted(space.stores.passages("documents").ids()) == sorted(
        one.id for one in space.catalogue.each("documents")
    )


def test_the_next_batch_is_embedded_while_one_is_written(opened, texts, embedder, monkeypatch):
    embedding, real_write, real_embed = threading.Event(), EdgeStore.write, embedder.embed
    calls = []

    def write(store, passages, vectors):
        assert embedding.wait(timeout=60)  # the first batch is written only once the second is
        real_write(store, passages, vectors)

    def embed(some):
        calls.append(len(some))
        if len(calls) == 2:
            embedding.set()
        return real_embed(some)

    monkeypatch.setattr(EdgeStore, "write", write)
    embedder.embed = embed
    assert opened().add([texts]).indexed == NUMBER
    assert calls[:2] == [SMALLEST_BATCH, 2 * SMALLEST_BATCH]


def test_the_embedders_speed_decides_how_much_is_taken_at_once():
    quick, slow = BATCH_S / 100, BATCH_S * 3
    sizes = [SMALLEST_BATCH]
    for seconds in [quick] * 10 + [BATCH_S * 0.75] + [slow] * 10:
        sizes.append(_next_size(sizes[-1], seconds))
    assert sizes[10] == sizes[11] == LARGEST_BATCH == max(sizes)
    assert sizes[-1] == SMALLEST_BATCH == min(sizes)
