"""What holds for every fuser, over rankings that Hypothesis makes up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import pairwise, permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.engine.fusion import FUSERS, Fused, fuse, fuse_levels
from consilience.engine.fusion_methods import Options
from consilience.types import Found, Ranking, Vote

KINDS = ("bm25", "dense", "graph", "sql")
NAMES = tuple(f"c/{kind}" for kind in KINDS)
SCORES = st.one_of(
    st.integers(-3, 9), st.floats(-5, 50, allow_nan=False).map(lambda x: round(x, 3))
)
WEIGHTS = st.sampled_from((0.0, 0.3, 1.0, 1.3, 4.0))

few = settings(max_examples=40, deadline=None)


@st.composite
def a_ranking(draw: st.DrawFn, source: str, least: int = 0) -> Ranking:
    ids = draw(st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=least, max_size=6))
    scores = sorted(draw(st.lists(SCORES, min_size=len(ids), max_size=len(ids))), reverse=True)
    found = tuple(Found(each, score) for each, score in zip(ids, scores, strict=True))
    return Ranking(source=source, collection="c", found=found)


@st.composite
def some_rankings(draw: st.DrawFn) -> list[Ranking]:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=1, max_size=4))
    return [draw(a_ranking(name)) for name in names]


some_options = st.builds(
    Options,
    k=st.sampled_from((0.0, 10.0, 60.0)),
    alpha=st.sampled_from((0.0, 0.3, 0.5, 1.0)),
    weights=st.dictionaries(st.sampled_from(NAMES), WEIGHTS),
)


def ids(fused: Fused) -> list[str]:
    return ids_of(fused.order)


def ids_of(order: Iterable[tuple[str, float]]) -> list[str]:
    return [each for each, _ in order]


def all_votes(fused: Fused) -> dict[str, tuple[Vote, ...]]:
    return {each: fused.votes(each) for each in ids(fused)}


def places(ranking: Ranking) -> dict[str, tuple[int, float]]:
    return {found.id: (rank, found.score) for rank, found in enumerate(ranking.found)}


@few
@given(rankings=some_rankings(), options=some_options)
def test_the_union_is_kept_and_each_once_best_first(
    rankings: list[Ranking], options: Options
) -> None:
    union = {found.id for ranking in rankings for found in ranking.found}
    for method in FUSERS:
        fused = fuse(rankings, method=method, options=options)
        assert sorted(ids(fused)) == sorted(union), method
        scores = [score for _, score in fused.order]
        assert all(later <= earlier + 1e-12 for earlier, later in pairwise(scores)), method
        assert min(scores, default=0.0) >= 0, method


@few
@given(rankings=some_rankings(), options=some_options)
def test_agreement_never_hurts(rankings: list[Ranking], options: Options) -> None:
    """Ahead in every source that found the other, and found by one more: never below it."""
    tables = [places(ranking) for ranking in rankings]
    union = {each for table in tables for each in table}
    better = []
    for one, other in permutations(sorted(union), 2):
        finders = [table for table in tables if other in table]
        ahead = all(one in table and table[one] < table[other] for table in finders)
        if ahead and sum(one in table for table in tables) > len(finders):
            better.append((one, other))
    for method in FUSERS if better else ():
        order = ids(fuse(rankings, method=method, options=options))
        for one, other in better:
            assert order.index(one) < order.index(other), method


@few
@given(rankings=some_rankings(), options=some_options)
def test_the_order_of_sources_never_matters(rankings: list[Ranking], options: Options) -> None:
    for method in FUSERS:
        first = fuse(rankings, method=method, options=options)
        for others in (rankings[::-1], [*rankings[1:], *rankings[:1]]):
            second = fuse(others, method=method, options=options)
            assert first.order == second.order, method
            assert all_votes(first) == all_votes(second), method


@few
@given(rankings=some_rankings(), options=some_options)
def test_an_empty_source_changes_nothing(rankings: list[Ranking], options: Options) -> None:
    for empty in ("c/bm25-empty", "c/dense-empty"):
        more = [*rankings, Ranking(source=empty, collection="c", found=())]
        for method in FUSERS:
            without = fuse(rankings, method=method, options=options)
            beside = fuse(more, method=method, options=options)
            assert beside == without, method


@few
@given(rankings=some_rankings(), options=some_options)
def test_the_votes_add_up(rankings: list[Ranking], options: Options) -> None:
    finders: dict[str, list[str]] = {}
    for ranking in sorted(rankings, key=lambda ranking: ranking.source):
        for found in ranking.found:
            finders.setdefault(found.id, []).append(ranking.source)
    for method in FUSERS:
        fused = fuse(rankings, method=method, options=options)
        for each, score in fused.order:
            votes = fused.votes(each)
            assert abs(sum(vote.contribution for vote in votes) - score) <= 1e-12, method
            assert [vote.source for vote in votes] == finders[each], method


@few
@given(rankings=some_rankings(), options=some_options, again=st.sets(st.sampled_from("abcdefgh")))
def test_one_vote_per_source(rankings: list[Ranking], options: Options, again: set[str]) -> None:
    """An engine that gives ids a second time, further down, changes nothing."""
    doubled = [
        replace(
            ranking,
            found=(*ranking.found, *(Found(f.id, -100) for f in ranking.found if f.id in again)),
        )
        for ranking in rankings
    ]
    for method in FUSERS:
        once = fuse(rankings, method=method, options=options)
        twice = fuse(doubled, method=method, options=options)
        assert twice == once, method


@few
@given(
    groups=st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=1), min_size=1, max_size=4),
    chance=st.randoms(use_true_random=False),
)
def test_ties_fall_the_same_way_whatever_comes_first(
    groups: list[set[str]], chance: Random
) -> None:
    """Sources of one passage each, all with one score: nothing but the id can decide."""
    lone = [
        Ranking(source=f"s{number}{each}", collection="c", found=(Found(each, 1.0),))
        for number, group in enumerate(groups)
        for each in sorted(group)
    ]
    shuffled = lone[:]
    chance.shuffle(shuffled)
    for method in ("rrf", "combsum", "borda", "isr", "dbsf"):
        order = fuse(shuffled, method=method).order
        assert order == fuse(lone, method=method).order, method
        ranked = sorted(order, key=lambda pair: (-round(pair[1], 9), pair[0]))
        assert ids_of(ranked) == ids_of(order), method


@pytest.mark.parametrize("method", FUSERS)
def test_every_weight_moves_something(method: str) -> None:
    """Two sources of opposite opinion: each weight changes the scores, and can turn the order."""
    one = Ranking(
        source="c/bm25", collection="c", found=(Found("a", 9), Found("b", 5), Found("c", 2))
    )
    other = Ranking(
        source="c/dense", collection="c", found=(Found("c", 0.9), Found("b", 0.6), Found("a", 0.3))
    )

    def fused(**weights: float) -> Fused:
        options = Options(weights={f"c/{name}": weight for name, weight in weights.items()})
        return fuse([one, other], method=method, options=options)

    for name in ("bm25", "dense"):
        assert dict(fused(**{name: 0.02}).order) != pytest.approx(dict(fused().order), abs=1e-9)
    assert ids(fused(dense=0.0)) == ["a", "b", "c"]
    assert ids(fused(bm25=0.0)) == ["c", "b", "a"]
    assert ids(fused(bm25=50.0, dense=0.02)) != ids(fused(bm25=0.02, dense=50.0))


@few
@given(
    rankings=st.tuples(a_ranking("c/bm25"), a_ranking("c/dense")),
    weight=st.floats(0.01, 100),
)
def test_a_weight_changes_scores_wherever_there_is_something_to_weigh(
    rankings: tuple[Ranking, ...], weight: float
) -> None:
    """For formulas whose weight multiplies: the votes of the source scale with it."""
    for method in ("rrf", "combsum", "combmnz", "borda", "isr", "convex", "dbsf"):
        plain = fuse(rankings, method=method)
        heavy = fuse(rankings, method=method, options=Options(weights={"c/bm25": weight}))
        for each in ids(plain):
            for vote, heavier in zip(plain.votes(each), heavy.votes(each), strict=True):
                factor = weight if vote.source == "c/bm25" else 1.0
                assert heavier.contribution == pytest.approx(factor * vote.contribution), method


@few
@given(words=a_ranking("c/bm25", least=1), meaning=a_ranking("c/dense", least=1))
def test_the_ends_of_convex_are_the_single_legs(words: Ranking, meaning: Ranking) -> None:
    for alpha, leg in ((0.0, words), (1.0, meaning)):
        fused = fuse([words, meaning], method="convex", options=Options(alpha=alpha))
        own = [found.id for found in leg.found]
        assert ids(fused)[: len(own)] == own


@st.composite
def collections(draw: st.DrawFn) -> list[Ranking]:
    """Rankings of several collections, which share no passage."""
    pairs = st.tuples(st.sampled_from(("books", "games", "tables")), st.sampled_from(KINDS))
    names = draw(st.lists(pairs, unique=True, min_size=1, max_size=5))
    return [_in_its_collection(draw(a_ranking("/".join(name)))) for name in names]


@few
@given(
    rankings=collections(),
    options=some_options,
    shares=st.dictionaries(st.sampled_from(("books", "games")), WEIGHTS),
    across=st.sampled_from(("rrf", "rrf-share", "relative", "interleave", "dbsf")),
)
def test_both_levels_add_up(
    rankings: list[Ranking], options: Options, shares: dict[str, float], across: str
) -> None:
    union = {found.id for ranking in rankings for found in ranking.found}
    levels = len({ranking.collection for ranking in rankings if ranking.found})
    for method in FUSERS:
        run = partial(fuse_levels, method=method, across=across, options=options, shares=shares)
        fused = run(rankings)
        assert sorted(ids(fused)) == sorted(union), method
        assert run(rankings[::-1]).order == fused.order, method
        for each, score in fused.order:
            votes = fused.votes(each)
            assert abs(sum(vote.contribution for vote in votes) - score) <= 1e-12, method
            for vote in votes:
                assert bool(vote.parts) == (levels > 1), method
                inside = sum(part.contribution for part in vote.parts)
                assert not vote.parts or abs(inside - vote.score) <= 1e-12, method


def _in_its_collection(ranking: Ranking) -> Ranking:
    """The same ranking, its passages named after its collection: collections share none."""
    collection = ranking.source.partition("/")[0]
    found = tuple(Found(f"{collection}-{each.id}", each.score) for each in ranking.found)
    return Ranking(source=ranking.source, collection=collection, found=found)
