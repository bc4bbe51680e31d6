import math

import pytest

from consilience.engine.fusion import damp_collections
from consilience.types import Found, Ranking


def ranking(source, *scores):
    found = tuple(Found(f"{source}{place}", score) for place, score in enumerate(scores))
    return Ranking(source=source, collection=source.split("/")[0], found=found)


def test_a_share_falls_with_the_distance_of_the_best_from_the_best_of_all():
    found = [ranking("a/dense", 0.9, 0.5), ranking("b/dense", 0.7, 0.3)]
    spread = math.sqrt(((0.3**2) + (0.1**2) + (0.1**2) + (0.3**2)) / 4)
    shares = damp_collections(found, {"a": 1.0, "b": 2.0}, width=2.0)
    assert shares == pytest.approx({"a": 1.0, "b": 2.0 * math.exp(-0.2 / (2 * spread))})


def test_only_meaning_compares_across_collections():
    found = [ranking("a/bm25", 9.0, 1.0), ranking("b/bm25", 1.0, 0.5), ranking("b/dense", 0.4, 0.2)]
    assert damp_collections(found, {"a": 1.0, "b": 1.0}, width=2.0) == {"a": 1.0, "b": 1.0}


def test_a_collection_that_alone_has_the_words_keeps_its_share():
    meaning = [ranking("a/dense", 0.9, 0.5), ranking("b/dense", 0.7, 0.3)]
    rare = damp_collections([*meaning, ranking("b/bm25", 3.0)], {"a": 1.0, "b": 1.0}, width=2.0)
    assert rare == {"a": 1.0, "b": 1.0}
    common = [*meaning, ranking("a/bm25", 3.0), ranking("b/bm25", 3.0)]
    assert damp_collections(common, {"a": 1.0, "b": 1.0}, width=2.0)["b"] < 1.0


def test_a_width_of_nothing_or_no_spread_changes_nothing():
    found = [ranking("a/dense", 0.9), ranking("b/dense", 0.1)]
    assert damp_collections(found, {"a": 1.0, "b": 1.0}, width=0.0) == {"a": 1.0, "b": 1.0}
    same = [ranking("a/dense", 0.5), ranking("b/dense", 0.5)]
    assert damp_collections(same, {"a": 1.0, "b": 1.0}, width=2.0) == {"a": 1.0, "b": 1.0}
    assert damp_collections([], {"a": 1.0}, width=2.0) == {"a": 1.0}
