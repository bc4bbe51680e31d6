"""The store of words and vectors: what its engine is asked, and that it finds all there is."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from engines_shared import PASSAGE_ENGINES
from shelves import MANY, Questions, ask, make, ones

from consilience.errors import StoreError, UsageError
from consilience.stores.common import collection_of
from consilience.stores.passage_sources import DenseSource, WordSource
from consilience.stores.payload import payload_test
from consilience.stores.qdrant_edge import EdgeStore
from consilience.stores.word_vectors import token_counts
from consilience.types import Filter, Locator, Request, Term

each_engine = pytest.mark.parametrize("engine", PASSAGE_ENGINES)


def test_vectors_of_another_model_are_refused(tmp_path):
    store = EdgeStore(tmp_path / "edge", 2)
    with pytest.raises(StoreError, match=r"takes 2 numbers .* shape \(1, 3\)"):
        store.write([make("fox")], np.ones((1, 3), dtype=np.float32))
    store.close()
    with pytest.raises(StoreError, match="vectors of another size than 3"):
        EdgeStore(tmp_path / "edge", 3)


@each_engine
def test_an_unknown_language_and_a_bad_id_are_the_caller_s_mistakes(engine, tmp_path):
    with pytest.raises(UsageError, match=r"'klingon'.*passages\.language"):
        engine(tmp_path / "edge", 2, language="klingon")
    store = engine(tmp_path / "edge", 2)
    with pytest.raises(UsageError, match="'x' is not 16 hexadecimal digits"):
        store.write([replace(make("fox"), id="x")], ones(1))
    assert asyncio.run(WordSource(store, "c/bm25").score(Request(text="fox"), ["x"])) == {}
    store.close()


def test_a_name_without_a_collection_is_refused():
    with pytest.raises(UsageError, match="source name 'bm25' is not COLLECTION/KIND"):
        collection_of("bm25")


@each_engine
def test_word_forms_stop_words_and_accents_are_known(engine, tmp_path):
    assert token_counts(["The foxes of the café", "fox fox", "the"]) == [2, 2, 0]
    store = engine(tmp_path / "edge", 2)
    passage = make("The foxes were running to the CAFÉ")
    store.write([passage, make("the")], ones(2))
    source = WordSource(store, "c/bm25")
    for text in ("fox", "runs", "cafe"):
        assert [one.id for one in ask(source, text=text)] == [passage.id]
    assert ask(source, text="the of") == []
    store.close()


@each_engine
def test_expansion_terms_reach_the_engine(engine, tmp_path):
    store = engine(tmp_path / "edge", 2)
    fox, hen = make("fox"), make("hen")
    store.write([fox, hen], ones(2))
    source = WordSource(store, "c/bm25")
    plain = ask(source, text="fox")
    term = Term(text="hens", weight=0.5, origin="synonym")
    wider = ask(source, text="fox", terms=(term,))
    assert [one.id for one in plain] == [fox.id]
    assert [one.id for one in wider] == [fox.id, hen.id]
    assert wider[1].score == pytest.approx(wider[0].score / 2)
    again = Term(text="foxes", weight=0.5, origin="synonym")
    assert ask(source, text="fox", terms=(again,)) == plain
    store.close()


@each_engine
def test_reweighing_is_writing_with_the_new_average(engine, tmp_path):
    passages = [make("fox"), make("fox hen corn barn whale")]
    old = engine(tmp_path / "old", 2, average_length=2.0)
    old.write(passages, ones(2))
    before = ask(WordSource(old, "c/bm25"), text="fox")
    old.reweigh([*passages, make("never written")], 8.0)
    new = engine(tmp_path / "new", 2, average_length=8.0)
    new.write(passages, ones(2))
    after = ask(WordSource(old, "c/bm25"), text="fox")
    assert after == ask(WordSource(new, "c/bm25"), text="fox") != before
    assert old.count() == 2
    assert [one.score for one in ask(DenseSource(old, "c/dense", vectors=Questions()))] == (
        pytest.approx([0.5**0.5] * 2)
    )
    old.close()
    new.close()


def test_optimizing_forgets_what_was_removed(tmp_path):
    store, fresh = EdgeStore(tmp_path / "edge", 2), EdgeStore(tmp_path / "fresh", 2)
    store.write(MANY, ones(len(MANY)))
    store.remove([one.id for one in MANY[2:]])
    fresh.write(MANY[:2], ones(2))
    expected = ask(WordSource(fresh, "c/bm25"), text="fox")
    assert ask(WordSource(store, "c/bm25"), text="fox") != expected  # removed ones still count
    store.optimize()
    assert ask(WordSource(store, "c/bm25"), text="fox") == expected
    store.close()
    fresh.close()


def test_filters_mean_the_same_once_a_shard_is_large_enough_for_indexes(tmp_path):
    store = EdgeStore(tmp_path / "edge", 2)
    passages = [make(f"fox {at}", locator=Locator(page=at), **{"a.b": at}) for at in range(2100)]
    for half in (passages[:1500], passages[1500:]):
        store.write(half, ones(len(half)))
    source = WordSource(store, "c/bm25")
    for condition, count in (
        (Filter("a.b", ">=", 2000), 100),
        (Filter("page", "=", 7), 1),
        (Filter("page", "!=", 7), 2099),
        (Filter("title", "contains", "LEN"), 2100),
        (Filter("absent", "!=", 7), 0),
    ):
        assert len(ask(source, 5000, text="fox", filters=(condition,))) == count
    assert {"has", "is", "text.title", "number.page"} <= store.indexed()
    store.close()


@each_engine
def test_ties_beyond_the_limit_are_cut_by_id(engine, tmp_path):
    store = engine(tmp_path / "edge", 2)
    twins = [make("fox", locator=Locator(page=page)) for page in range(20)]
    store.write(twins, ones(20))
    first = sorted(one.id for one in twins)[:5]
    assert [one.id for one in ask(WordSource(store, "c/bm25"), 5, text="fox")] == first
    store.close()


class Listening:
    """Takes a shard's place and remembers how it was asked."""

    def __init__(self):
        self.exact = []

    def query(self, request):
        self.exact.append(request.params.exact)
        return []


def test_few_passages_are_compared_by_whole_vectors_and_many_by_short_ones_first(tmp_path):
    for exact, asked, wanted in ((100, False, True), (2, False, False), (2, True, True)):
        store = EdgeStore(tmp_path / f"{exact}{asked}", 2, exact=exact)
        some = [make(f"passage {at}") for at in range(5)]
        store.write(some, ones(5))
        shard, store._shard = store._shard, Listening()
        store.search([1.0, 0.0], "dense", only=None, limit=3, exact=asked)
        assert store._shard.exact == [wanted]
        store._shard = shard
        store.close()


def test_short_vectors_find_what_whole_ones_find_and_lose_nothing_that_stands_alone(tmp_path):
    chance = np.random.default_rng(3)
    crowd = chance.standard_normal((3000, 32)) * 0.1 + np.eye(32)[0]
    apart = chance.standard_normal((4, 32)) * 0.02 - np.eye(32)[7]
    vectors = np.concatenate([crowd, apart]).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    passages = [make(f"passage {at}", half=at % 2) for at in range(len(vectors))]
    whole, short = EdgeStore(tmp_path / "whole", 32), EdgeStore(tmp_path / "short", 32, exact=1000)
    for store in (whole, short):
        store.write(passages, vectors)
        store.optimize()
    assert not list(whole.folder.rglob("quantized*"))
    assert list(short.folder.rglob("quantized*"))
    for only in (None, payload_test([Filter("half", "=", 1)])):
        for vector in [*vectors[:20], *vectors[-4:]]:
            for store in (whole, short):
                store.found = store.search(
                    vector.tolist(), "dense", only=only, limit=50, exact=False
                )
            assert [one.id for one in short.found] == [one.id for one in whole.found]
            assert [one.score for one in short.found] == pytest.approx(
                [one.score for one in whole.found], abs=1e-6
            )
    nearest = short.search(vectors[-1].tolist(), "dense", only=None, limit=4, exact=False)
    assert {one.id for one in nearest} == {one.id for one in passages[-4:]}
    whole.close()
    short.close()


@each_engine
def test_a_word_that_the_question_repeats_counts_more(engine, tmp_path):
    store = engine(tmp_path / "edge", 2)
    prism, tower = make("a prism of glass"), make("a tower of stone")
    store.write([prism, tower], ones(2))
    words = WordSource(store, "c/bm25")
    once = {one.id: one.score for one in ask(words, text="prism tower")}
    thrice = {one.id: one.score for one in ask(words, text="prism prism tower prism")}
    assert once[prism.id] == pytest.approx(once[tower.id])
    assert thrice[prism.id] == pytest.approx(once[prism.id] * 3 * 9 / (3 + 8))
    assert thrice[tower.id] == pytest.approx(once[tower.id])
    store.close()
