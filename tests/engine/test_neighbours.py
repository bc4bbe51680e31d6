"""A passage is carried by those most like it, by a vote that adds up."""

from __future__ import annotations

import numpy as np
import pytest

from consilience.engine.fusion import Mixture, fuse, fuse_levels, neighbours_mean, with_neighbours
from consilience.engine.fusion_methods import Options
from consilience.protocols import Likeness
from consilience.types import Found, Ranking

IDS = [f"p{number:02}" for number in range(16)]


def rankings() -> list[Ranking]:
    """Meaning and words agree: p00 first, then down to p15."""
    found = tuple(Found(key, float(16 - place)) for place, key in enumerate(IDS))
    return [
        Ranking(source=f"notes/{kind}", collection="notes", found=found)
        for kind in ("bm25", "dense")
    ]


def alike(**pairs: float) -> Likeness:
    """Like no other, but for these pairs, named `p03_p15`."""
    matrix = np.eye(len(IDS), dtype=np.float32)
    for pair, value in pairs.items():
        one, other = (IDS.index(key) for key in pair.split("_"))
        matrix[one, other] = matrix[other, one] = value
    return Likeness(ids=tuple(IDS), matrix=matrix)


def test_the_mean_is_weighed_by_likeness_and_leaves_the_passage_itself_out() -> None:
    matrix = np.array([[1, 0.5, 0.25], [0.5, 1, 0], [0.25, 0, 1]], dtype=np.float32)
    means = neighbours_mean(np.array([0.9, 0.6, 0.3]), matrix, 2)
    assert means == pytest.approx([(0.5 * 0.6 + 0.25 * 0.3) / 0.75, 0.9, 0.9])


def test_only_the_nearest_are_heard() -> None:
    matrix = np.array([[1, 0.5, 0.25], [0.5, 1, 0], [0.25, 0, 1]], dtype=np.float32)
    assert neighbours_mean(np.array([0.9, 0.6, 0.3]), matrix, 1)[0] == pytest.approx(0.6)


def test_a_passage_like_the_first_is_carried_up_by_a_vote_that_adds_up() -> None:
    fused = fuse(rankings(), method="adaptive")
    heard = with_neighbours(fused, alike(p00_p15=0.9), share=0.4, source="notes/neighbours")
    before, after = dict(fused.order), dict(heard.order)
    assert after["p15"] == pytest.approx(0.6 * before["p15"] + 0.4 * before["p00"])
    assert after["p07"] == pytest.approx(before["p07"]), "like no other, it keeps its own score"
    for key, score in heard.order:
        assert sum(vote.contribution for vote in heard.votes(key)) == pytest.approx(score)
    vote = next(one for one in heard.votes("p15") if one.source == "notes/neighbours")
    assert (vote.rank, vote.weight) == (None, 0.4)
    assert vote.score == pytest.approx(before["p00"])


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_too_few_candidates_or_no_share_change_nothing(share: float) -> None:
    few = [
        Ranking(source=one.source, collection="notes", found=one.found[:7]) for one in rankings()
    ]
    ranked = few if share else rankings()
    fused = fuse(ranked, method="adaptive")
    assert with_neighbours(fused, alike(p00_p05=0.9), share=share, source="x/neighbours") is fused


def test_what_only_a_silenced_source_found_is_not_carried_up() -> None:
    dense, words = rankings()[1], rankings()[0]
    extra = Ranking(source=words.source, collection="notes", found=(*words.found, Found("p99", 1)))
    fused = fuse([dense, extra], method="adaptive", options=Options(weights={"notes/bm25": 0.0}))
    matrix = np.full((17, 17), 0.9, dtype=np.float32)
    likeness = Likeness(ids=(*IDS, "p99"), matrix=matrix)
    heard = with_neighbours(fused, likeness, share=0.5, source="notes/neighbours")
    assert heard.order[-1] == ("p99", 0.0)


def test_levels_take_alpha_and_neighbours_of_each_collection() -> None:
    mixture = Mixture(alpha=0.5, neighbours=0.4, likeness=alike(p00_p15=0.9))
    plain = fuse_levels(rankings(), method="adaptive", across="rrf")
    mixed = fuse_levels(rankings(), method="adaptive", across="rrf", mixtures={"notes": mixture})
    assert dict(mixed.order)["p15"] > dict(plain.order)["p15"]
    other = fuse_levels(rankings(), method="convex", across="rrf", mixtures={"notes": mixture})
    assert other.order == fuse_levels(rankings(), method="convex", across="rrf").order


def test_a_mixture_of_meaning_alone_is_the_dense_order() -> None:
    dense = rankings()[1]
    words = Ranking(source="notes/bm25", collection="notes", found=dense.found[::-1])
    fused = fuse_levels(
        [dense, words], method="adaptive", across="rrf", mixtures={"notes": Mixture(alpha=1.0)}
    )
    assert [key for key, _ in fused.order] == [one.id for one in dense.found]
