"""Inside a collection, then across: by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from consilience.engine.fusion import FUSERS, fuse, fuse_levels
from consilience.engine.fusion_methods import Options
from consilience.types import Found, Ranking, Vote


def ranking(source: str, **scores: float) -> Ranking:
    found = tuple(Found(each, score) for each, score in scores.items())
    return Ranking(source=source, collection=source.partition("/")[0], found=found)


WORDS = ranking("books/bm25", b1=9, b2=5)
MEANING = ranking("books/dense", b2=0.9, b3=0.5)
GAMES = ranking("games/position", g1=1.0, g2=0.5)


def test_collections_compete_with_their_fused_rankings() -> None:
    fused = fuse_levels([WORDS, MEANING, GAMES], method="rrf", across="rrf")
    # Inside books: b2 (1/62 + 1/61), b1 (1/61), b3 (1/62). Ties go to the raw score: 1/61 of
    # games is less than 1/62 + 1/61 of books, and 1/62 of games than 1/61 of books.
    assert fused.order == (
        ("b2", 1 / 61),
        ("g1", 1 / 61),
        ("b1", 1 / 62),
        ("g2", 1 / 62),
        ("b3", 1 / 63),
    )


def test_a_vote_across_has_the_votes_inside_as_parts() -> None:
    fused = fuse_levels(
        [WORDS, MEANING, GAMES],
        method="rrf",
        across="rrf-share",
        options=Options(weights={"books/dense": 2}),
        shares={"books": 3},
    )
    inside = 1 / 62 + 2 / 61
    assert fused.votes("b2") == (
        Vote(
            source="books",
            rank=1,
            score=inside,
            weight=3,
            contribution=1 / (60 + 1 / 3),
            parts=(
                Vote(source="books/bm25", rank=2, score=5, weight=1.0, contribution=1 / 62),
                Vote(source="books/dense", rank=1, score=0.9, weight=2, contribution=2 / 61),
            ),
        ),
    )


def test_shares_move_the_order() -> None:
    rankings = [WORDS, GAMES]
    plain = fuse_levels(rankings, method="rrf", across="rrf-share")
    games = fuse_levels(rankings, method="rrf", across="rrf-share", shares={"games": 3})
    assert [each for each, _ in plain.order] == ["b1", "g1", "b2", "g2"]
    assert [each for each, _ in games.order] == ["g1", "g2", "b1", "b2"]


@pytest.mark.parametrize("others", [[], [ranking("games/position")]])
def test_one_collection_with_hits_needs_no_second_level(others: list[Ranking]) -> None:
    fused = fuse_levels([WORDS, MEANING, *others], method="rrf", across="rrf-share")
    single = fuse([WORDS, MEANING], method="rrf")
    assert fused.order == single.order
    assert fused.votes("b2") == single.votes("b2")
    assert [vote.source for vote in fused.votes("b2")] == ["books/bm25", "books/dense"]


def test_the_inner_weights_stay_inside() -> None:
    """A source's weight is not a collection's, even under the same name."""
    lone = Ranking(source="games", collection="games", found=GAMES.found)
    fused = fuse_levels(
        [WORDS, lone], method="rrf", across="rrf", options=Options(weights={"games": 5})
    )
    (vote,) = fused.votes("g1")
    assert (vote.weight, vote.parts[0].weight) == (1.0, 5)


def test_what_only_a_silenced_source_found_has_no_say_across() -> None:
    options = Options(weights={"games/position": 0, "books/dense": 0})
    fused = fuse_levels([WORDS, MEANING, GAMES], method="rrf", across="rrf", options=options)
    assert fused.order == (
        ("b1", 1 / 61),
        ("b2", 1 / 62),
        ("g1", 0.0),
        ("g2", 0.0),
        ("b3", 0.0),
    )


def test_a_share_of_zero_silences_a_collection() -> None:
    fused = fuse_levels([WORDS, GAMES], method="rrf", across="rrf-share", shares={"books": 0})
    assert [each for each, _ in fused.order] == ["g1", "g2", "b1", "b2"]
    assert [score for _, score in fused.order][2:] == [0.0, 0.0]


def completed(ranking: Ranking, **scores: float) -> Ranking:
    return replace(ranking, completed=tuple(Found(each, s) for each, s in scores.items()))


FULL_WORDS = completed(WORDS, b3=0.0)
FULL_MEANING = completed(MEANING, b1=0.6)


@pytest.mark.parametrize("method", sorted(FUSERS))
def test_only_fusers_that_complete_look_at_completed_scores(method: str) -> None:
    plain = fuse([WORDS, MEANING], method=method)
    full = fuse([FULL_WORDS, FULL_MEANING], method=method)
    same = [(key, plain.votes(key)) for key, _ in plain.order] == [
        (key, full.votes(key)) for key, _ in full.order
    ]
    assert same is not FUSERS[method].completes
    for key, score in full.order:
        assert sum(vote.contribution for vote in full.votes(key)) == pytest.approx(score, abs=1e-12)


def test_a_completed_score_is_scaled_together_with_the_found_ones() -> None:
    fused = fuse([FULL_WORDS, FULL_MEANING], method="convex", options=Options(alpha=0.5))
    # By words 9, 5, 0 are 1, 5/9, 0; by meaning 0.6, 0.9, 0.5 are 1/4, 1, 0.
    assert dict(fused.order) == pytest.approx({"b1": 0.625, "b2": 0.5 * 5 / 9 + 0.5, "b3": 0.0})
    first, second = fused.votes("b1")
    assert (first.rank, first.score, first.contribution) == (1, 9, 0.5)
    assert (second.rank, second.score) == (None, 0.6)
    assert second.contribution == pytest.approx(0.125)


def test_a_completed_score_above_the_found_ones_keeps_its_worth() -> None:
    """As when a source missed a passage that it would have ranked first."""
    better = completed(MEANING, b1=1.3)
    fused = fuse([WORDS, better], method="combsum")
    assert dict(fused.order) == pytest.approx({"b1": 2.0, "b2": 0.5, "b3": 0.0})
    assert fused.votes("b1")[1].rank is None


def test_a_ranking_that_found_nothing_has_no_vote_by_its_completed_scores() -> None:
    silent = completed(ranking("books/sql"), b2=0.0, b3=0.0)
    alone = fuse_levels([MEANING], method="combsum", across="rrf-share")
    both = fuse_levels([MEANING, silent], method="combsum", across="rrf-share")
    assert both.order == alone.order
    assert both.votes("b2") == alone.votes("b2")
    assert fuse([MEANING, silent], method="combsum").order == alone.order


def test_a_silenced_source_s_completed_scores_add_nothing() -> None:
    options = Options(weights={"books/bm25": 0})
    fused = fuse([FULL_WORDS, FULL_MEANING], method="combsum", options=options)
    assert fused.order == (("b2", 1.0), ("b1", pytest.approx(0.25)), ("b3", 0.0))
    assert [vote.contribution for vote in fused.votes("b3")] == [0.0, 0.0]
    assert fused.votes("b3")[0].rank is None


def test_across_collections_a_vote_has_a_rank_and_its_parts_tell_found_from_completed() -> None:
    fused = fuse_levels([FULL_WORDS, FULL_MEANING, GAMES], method="convex", across="rrf-share")
    assert [key for key, _ in fused.order] == ["b2", "g1", "b1", "g2", "b3"]
    (vote,) = fused.votes("b1")
    assert (vote.source, vote.rank) == ("books", 2)
    assert [(part.source, part.rank) for part in vote.parts] == [
        ("books/bm25", 1),
        ("books/dense", None),
    ]
    assert sum(part.contribution for part in vote.parts) == pytest.approx(vote.score)


def test_the_order_of_rankings_does_not_matter_with_completed_scores() -> None:
    rankings = [FULL_WORDS, FULL_MEANING, GAMES]
    for method in (name for name, fuser in FUSERS.items() if fuser.completes):
        one = fuse_levels(rankings, method=method, across="rrf-share")
        other = fuse_levels(rankings[::-1], method=method, across="rrf-share")
        assert one.order == other.order
