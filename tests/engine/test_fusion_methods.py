"""Hand-computed numbers for every published fuser, and the rules all of them share."""

from __future__ import annotations

import pytest

from consilience.engine.fusion import FUSERS, Fused, fuse, fuse_levels
from consilience.engine.fusion_methods import Options
from consilience.errors import UsageError
from consilience.types import Found, Ranking, Vote


def ranking(source: str, **scores: float) -> Ranking:
    found = tuple(Found(each, score) for each, score in scores.items())
    return Ranking(source=source, collection="books", found=found)


BM25 = ranking("books/bm25", a=9, b=5, c=1)
DENSE = ranking("books/dense", b=0.9, d=0.5, a=0.1)


def scores(method: str, *rankings: Ranking, **options: object) -> dict[str, float]:
    return dict(fuse(rankings, method=method, options=Options(**options)).order)  # type: ignore[arg-type]


def ids(fused: Fused) -> str:
    return "".join(each for each, _ in fused.order)


def close(**expected: float) -> object:
    return pytest.approx(expected, abs=1e-12)


# --- the formulas -----------------------------------------------------------------------


def test_rrf_is_the_paper_s() -> None:
    assert scores("rrf", BM25, DENSE) == close(
        a=1 / 61 + 1 / 63, b=1 / 62 + 1 / 61, c=1 / 63, d=1 / 62
    )


def test_rrf_multiplies_by_the_weight_and_obeys_k() -> None:
    assert scores("rrf", BM25, DENSE, k=10, weights={"books/bm25": 3}) == close(
        a=3 / 11 + 1 / 13, b=3 / 12 + 1 / 11, c=3 / 13, d=1 / 12
    )


def test_rrf_share_divides_the_rank_by_the_weight() -> None:
    assert scores("rrf-share", BM25, DENSE, weights={"books/bm25": 2}) == close(
        a=1 / 60.5 + 1 / 63, b=1 / 61 + 1 / 61, c=1 / 61.5, d=1 / 62
    )


def test_combsum_adds_scores_between_lowest_and_highest() -> None:
    assert scores("combsum", BM25, DENSE) == close(a=1 + 0, b=0.5 + 1, c=0, d=0.5)


def test_combsum_multiplies_by_the_weight() -> None:
    weighted = scores("combsum", BM25, DENSE, weights={"books/bm25": 3})
    assert weighted == close(a=3, b=3 * 0.5 + 1, c=0, d=0.5)


def test_combmnz_multiplies_by_the_number_of_finders() -> None:
    assert scores("combmnz", BM25, DENSE) == close(a=2 * 1, b=2 * 1.5, c=0, d=0.5)


def test_a_silenced_source_is_no_finder() -> None:
    assert scores("combmnz", BM25, DENSE, weights={"books/dense": 0}) == close(a=1, b=0.5, c=0, d=0)


def test_borda_gives_points_above_those_of_the_unranked() -> None:
    # Four candidates, three ranked by each: 4, 3, 2 points, and 1 to the unranked.
    assert scores("borda", BM25, DENSE) == close(
        a=(4 - 1) + (2 - 1), b=(3 - 1) + (4 - 1), c=2 - 1, d=3 - 1
    )


def test_borda_shares_what_is_left_evenly() -> None:
    # Four candidates, one ranked: 4 points to it, and 3 + 2 + 1 shared by three: 2 each.
    points = scores("borda", ranking("x", a=1), ranking("y", b=3, c=2, d=1))
    # y leaves 1 point to a: the others are shown above that.
    assert points == close(a=4 - 2, b=4 - 1, c=3 - 1, d=2 - 1)


def test_isr_squares_the_rank_and_counts_finders() -> None:
    assert scores("isr", BM25, DENSE) == close(
        a=2 * (1 + 1 / 9), b=2 * (1 / 4 + 1), c=1 / 9, d=0.25
    )


def test_relative_weights_sum_to_one() -> None:
    assert scores("relative", BM25, DENSE, weights={"books/bm25": 3}) == close(
        a=0.75 * 1, b=0.75 * 0.5 + 0.25 * 1, c=0, d=0.25 * 0.5
    )


def test_convex_gives_alpha_to_dense_and_the_rest_to_others() -> None:
    assert scores("convex", BM25, DENSE, alpha=0.8) == close(
        a=0.2 * 1, b=0.2 * 0.5 + 0.8 * 1, c=0, d=0.8 * 0.5
    )


def test_the_sources_of_a_side_share_it_by_weight() -> None:
    second = ranking("books/dense+terms", c=2)
    shared = scores("convex", BM25, DENSE, second, alpha=0.6, weights={second.source: 0.5})
    assert shared["b"] == pytest.approx(0.4 * 0.5 + 0.6 * (1 / 1.5) * 1)
    assert shared["c"] == pytest.approx(0.4 * 0 + 0.6 * (0.5 / 1.5) * 1)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_a_side_alone_has_its_share_and_keeps_its_order(alpha: float) -> None:
    words, meaning = 1 - alpha, alpha
    assert scores("convex", BM25, alpha=alpha) == close(a=words, b=words / 2, c=0)
    assert scores("convex", DENSE, alpha=alpha) == close(b=meaning, d=meaning / 2, a=0)
    for one, order in ((BM25, "abc"), (DENSE, "bda")):
        fused = fuse([one], method="convex", options=Options(alpha=alpha))
        assert "".join(key for key, _ in fused.order) == order


def test_dbsf_puts_three_deviations_on_the_unit() -> None:
    # 9, 5, 1: mean 5, sample deviation 4: from -7 to 17. The same shape for 0.9, 0.5, 0.1.
    first, middle, last = 16 / 24, 12 / 24, 8 / 24
    assert scores("dbsf", BM25, DENSE) == close(a=first + last, b=middle + first, c=last, d=middle)


def test_dbsf_clamps_outliers() -> None:
    # One 21 among twenty 0: mean 1, deviation √(441 - 21) / √20 = √21; 20 / √21 > 3.
    outlier = ranking("x", a=21, **{f"z{i}": 0 for i in range(20)})
    assert scores("dbsf", outlier)["a"] == 1.0


def test_interleave_gives_places_in_turn() -> None:
    # bm25: a, dense: b, bm25: c (b is placed), dense: d.
    assert scores("interleave", BM25, DENSE) == close(a=1, b=1 / 2, c=1 / 3, d=1 / 4)


def test_interleave_gives_places_in_proportion_to_weight() -> None:
    x = ranking("x", a=4, b=3, c=2, d=1)
    y = ranking("y", p=4, q=3, r=2, s=1)
    # x has turns at 1/2, 1, 3/2, 2; y at 1, 2, 3, 4; x comes first by name.
    assert ids(fuse([x, y], method="interleave", options=Options(weights={"x": 2}))) == "abpcdqrs"


def test_the_place_is_credited_to_the_source_that_gave_it() -> None:
    votes = fuse([BM25, DENSE], method="interleave").votes("b")
    assert [(vote.source, vote.contribution) for vote in votes] == [
        ("books/bm25", 0.0),
        ("books/dense", 1 / 2),
    ]


@pytest.mark.parametrize("method", ["combsum", "combmnz", "relative"])
def test_equal_scores_are_one_each(method: str) -> None:
    assert scores(method, ranking("x", a=7, b=7)) == close(a=1, b=1)


# --- what all of them share -------------------------------------------------------------


def test_the_worked_example_of_a_switch() -> None:
    """A weight of 1.3 that multiplies takes the first 19 places; as a share, 57 of 100."""
    books = Ranking(
        source="x", collection="c", found=tuple(Found(f"b{i:03}", -i) for i in range(200))
    )
    games = Ranking(
        source="y", collection="c", found=tuple(Found(f"g{i:03}", -i) for i in range(200))
    )
    options = Options(weights={"x": 1.3})
    switch = [each[0] for each, _ in fuse([books, games], method="rrf", options=options).order]
    assert switch.index("g") == 19
    share = [each[0] for each, _ in fuse([books, games], method="rrf-share", options=options).order]
    assert share[:100].count("b") == 57
    assert share.index("g") == 1


def test_votes_show_rank_score_weight_and_contribution() -> None:
    fused = fuse([DENSE, BM25], method="rrf", options=Options(weights={"books/dense": 2}))
    assert fused.votes("a") == (
        Vote(source="books/bm25", rank=1, score=9, weight=1.0, contribution=1 / 61),
        Vote(source="books/dense", rank=3, score=0.1, weight=2, contribution=2 / 63),
    )
    assert fused.votes("nowhere") == ()


def test_ties_go_to_the_best_rank_then_the_best_score_there_then_the_id() -> None:
    # a and b: ranks 1 + 3 and 2 + 2 in a formula that adds ranks: the better single rank wins.
    one, two = ranking("x", a=9, b=8, c=1), ranking("y", d=9, b=8, a=7)
    assert ids(fuse([one, two], method="borda")) == "abdc"
    # Two firsts: the higher raw score; then by id.
    assert ids(fuse([ranking("x", z=1), ranking("y", a=0.5)], method="rrf")) == "za"
    assert ids(fuse([ranking("x", z=1), ranking("y", a=1)], method="rrf")) == "az"


def test_the_score_that_breaks_a_tie_is_of_the_source_with_the_best_rank() -> None:
    one, two = ranking("x", a=1, b=0.5), ranking("y", b=2, a=1.9)
    # Both have ranks 1 and 2, and 1.9 is not what a's best rank was given for.
    assert ids(fuse([one, two], method="rrf")) == "ba"


def test_rounding_does_not_decide() -> None:
    # a, b and c get 1/3, 1/4 and 1/5 in different orders, and a's sum ends in a lower digit.
    x, y, z = ranking("x", a=9, b=2, c=1), ranking("y", c=8, a=2, b=1), ranking("z", b=7, c=2, a=1)
    fused = fuse([x, y, z], method="rrf", options=Options(k=2))
    assert dict(fused.order)["a"] < dict(fused.order)["b"]
    assert ids(fused) == "acb"


def test_a_silenced_source_adds_nothing_breaks_no_tie_and_keeps_its_finds() -> None:
    loud, silent = ranking("x", a=2, b=1, c=1), ranking("y", q=9, c=8)
    fused = fuse([loud, silent], method="combsum", options=Options(weights={"y": 0}))
    assert fused.order == (("a", 1.0), ("b", 0.0), ("c", 0.0), ("q", 0.0))
    assert fused.heard == 3
    assert fused.votes("q") == (Vote(source="y", rank=1, score=9, weight=0, contribution=0.0),)


def test_what_only_the_silent_found_is_kept_beside_what_many_found() -> None:
    # As many heard votes (a, a, b) as there are passages (a, b, q).
    rankings = [ranking("x", a=1), ranking("y", a=1, b=1), ranking("z", q=5)]
    fused = fuse(rankings, method="combsum", options=Options(weights={"z": 0}))
    assert fused.order == (("a", 2.0), ("b", 1.0), ("q", 0.0))


def test_an_id_given_twice_counts_where_it_stands_first() -> None:
    twice = Ranking(
        source="x",
        collection="books",
        found=(Found("a", 3), Found("b", 2), Found("a", 1), Found("c", 0)),
    )
    assert scores("rrf", twice) == close(a=1 / 61, b=1 / 62, c=1 / 63)
    assert [vote.score for vote in fuse([twice], method="rrf").votes("a")] == [3]


@pytest.mark.parametrize("method", FUSERS)
def test_nothing_fuses_to_nothing(method: str) -> None:
    assert fuse([], method=method).order == ()
    assert fuse([ranking("x")], method=method).order == ()
    assert fuse_levels([], method=method, across=method).order == ()


def test_an_unknown_method_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"unknown fusion method 'rff'; known: rrf, rrf-share, "):
        fuse([BM25], method="rff")
    with pytest.raises(UsageError, match="unknown fusion method 'sum'"):
        fuse_levels([BM25], method="rrf", across="sum")


def test_a_source_has_one_vote() -> None:
    with pytest.raises(UsageError, match="source 'books/bm25' gave two rankings"):
        fuse([BM25, BM25], method="rrf")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": -1}, "fusion k is -1"),
        ({"k": float("nan")}, "fusion k is nan"),
        ({"alpha": 1.5}, "fusion alpha is 1.5"),
        ({"weights": {"x": -0.5}}, "the weight of 'x' is -0.5"),
        ({"weights": {"x": float("inf")}}, "the weight of 'x' is inf"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Options(**options)  # type: ignore[arg-type]
