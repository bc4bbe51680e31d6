"""Inside a collection, then across: by hand."""

from __future__ import annotations

import pytest

from consilience.fuse import Options, fuse, fuse_levels
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
