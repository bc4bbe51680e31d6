"""Our fusers give the scores that `ranx`, another implementation, gives.

Where definitions differ:
- equal scores: ours are 1 each after min-max, those of ranx 0, so scores here differ;
- borda: we show the points above those of a source that did not rank the passage, so every
  score is lower by the same sum, which is added here;
- weights in combmnz: ours multiply each score, N · Σ w · s, `wmnz` is Σ w · Σ s; compared at 1;
- ranx has no DBSF, no interleaving and no shares of voice.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.engine.fusion import fuse
from consilience.engine.fusion_methods import Options
from consilience.types import Found, Ranking

_before = os.environ.get("NUMBA_DISABLE_JIT")
os.environ["NUMBA_DISABLE_JIT"] = "1"  # compiling takes a minute, and the sums are small
ranx = pytest.importorskip("ranx")
if _before is None:
    del os.environ["NUMBA_DISABLE_JIT"]

NAMES = ("c/bm25", "c/dense", "c/graph")
WEIGHTS = st.sampled_from((0.3, 1.0, 1.3, 4.0))
SCORES = st.integers(-5000, 50_000).map(lambda number: number / 1000)
few = settings(max_examples=25, deadline=None)


@st.composite
def a_ranking(draw: st.DrawFn, source: str) -> Ranking:
    ids = draw(st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=2, max_size=8))
    scores = draw(st.lists(SCORES, unique=True, min_size=len(ids), max_size=len(ids)))
    ordered = sorted(scores, reverse=True)
    found = tuple(Found(each, score) for each, score in zip(ids, ordered, strict=True))
    return Ranking(source=source, collection="c", found=found)


@st.composite
def some_rankings(draw: st.DrawFn, least: int = 1) -> list[Ranking]:
    count = draw(st.integers(least, len(NAMES)))
    return [draw(a_ranking(name)) for name in NAMES[:count]]


def theirs(
    rankings: list[Ranking],
    method: str,
    *,
    norm: str | None = None,
    params: dict[str, object] | None = None,
) -> dict[str, float]:
    runs = [
        ranx.Run({"q": {one.id: float(one.score) for one in ranking.found}}, name=ranking.source)
        for ranking in rankings
    ]
    fused = ranx.fuse(runs=runs, norm=norm, method=method, params=params)
    return {key: float(value) for key, value in fused.run["q"].items()}


def ours(rankings: list[Ranking], method: str, options: Options | None = None) -> dict[str, float]:
    return dict(fuse(rankings, method=method, options=options or Options()).order)


def same(one: dict[str, float], other: dict[str, float]) -> bool:
    return one == pytest.approx(other, abs=1e-9)


@few
@given(some_rankings(least=2), st.sampled_from((0, 1, 10, 60, 100)))
def test_reciprocal_rank_fusion(rankings, k):
    wanted = theirs(rankings, "rrf", params={"k": k})
    assert same(ours(rankings, "rrf", Options(k=k)), wanted)


@few
@given(some_rankings(least=2))
def test_sums_of_scores_and_agreement(rankings):
    wanted = theirs(rankings, "sum", norm="min-max")
    assert same(ours(rankings, "combsum"), wanted)
    assert same(ours(rankings, "combmnz"), theirs(rankings, "mnz", norm="min-max"))


@few
@given(some_rankings(least=2))
def test_inverse_square_rank(rankings):
    assert same(ours(rankings, "isr"), theirs(rankings, "isr"))


@few
@given(some_rankings(least=2), st.lists(WEIGHTS, min_size=3, max_size=3))
def test_borda_with_weights(rankings, weights):
    chosen = dict(zip(NAMES, weights, strict=True))
    params = {"weights": [chosen[one.source] for one in rankings]}
    union = {one.id for ranking in rankings for one in ranking.found}
    unranked = sum(chosen[one.source] * (len(union) - len(one.found) + 1) / 2 for one in rankings)
    found = ours(rankings, "borda", Options(weights=chosen))
    wanted = theirs(rankings, "w_bordafuse", params=params)
    assert same({key: value + unranked for key, value in found.items()}, wanted)
    plain = theirs(rankings, "bordafuse")
    level = sum((len(union) - len(one.found) + 1) / 2 for one in rankings)
    assert same({key: value + level for key, value in ours(rankings, "borda").items()}, plain)


@few
@given(some_rankings(least=2), st.lists(WEIGHTS, min_size=3, max_size=3))
def test_weighted_sums(rankings, weights):
    chosen = dict(zip(NAMES, weights, strict=True))
    used = [chosen[one.source] for one in rankings]
    wanted = theirs(rankings, "wsum", norm="min-max", params={"weights": used})
    assert same(ours(rankings, "combsum", Options(weights=chosen)), wanted)
    shares = {"weights": [weight / sum(used) for weight in used]}
    wanted = theirs(rankings, "wsum", norm="min-max", params=shares)
    assert same(ours(rankings, "relative", Options(weights=chosen)), wanted)


@few
@given(a_ranking("c/bm25"), a_ranking("c/dense"), st.sampled_from((0.0, 0.2, 0.5, 0.9, 1.0)))
def test_convex_combination(words, dense, alpha):
    params = {"weights": [1 - alpha, alpha]}
    wanted = theirs([words, dense], "wsum", norm="min-max", params=params)
    assert same(ours([words, dense], "convex", Options(alpha=alpha)), wanted)


def test_equal_scores_are_where_definitions_differ():
    flat = [
        Ranking(source=name, collection="c", found=(Found("a", 2.0), Found("b", 2.0)))
        for name in NAMES[:2]
    ]
    assert ours(flat, "combsum") == {"a": 2.0, "b": 2.0}
    assert theirs(flat, "sum", norm="min-max") == {"a": 0.0, "b": 0.0}
