"""Trust follows what a question shows, says why, and bends to what the settings wish."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from consilience.engine import fuse_and_refine, gather
from consilience.engine.complete import compare
from consilience.engine.trust import (
    SIDES,
    SIGNS,
    TrustModel,
    adjust_trust,
    compute_trusts,
    signs_of,
    trust_model,
)
from consilience.errors import SourceError
from consilience.explain import total, why
from consilience.types import Found, Query, Ranking, Trust
from consilience.workspace import Workspace

TEXT = "why do ships carry a lamp at night"


def ranking(kind: str, scores: list[float], collection: str = "notes") -> Ranking:
    found = tuple(Found(f"p{place}", score) for place, score in enumerate(scores))
    return Ranking(source=f"{collection}/{kind}", collection=collection, found=found)


def model(**slopes: dict[str, float]) -> TrustModel:
    nothing = dict.fromkeys(SIGNS, 0.0)
    return TrustModel(
        base={"meaning": 4.0, "words": 4.0, "neighbours": 2.0},
        slopes={side: {**nothing, **slopes.get(side, {})} for side in SIDES},
        usual={"similarity": 0.5, "fall": 0.5, "length": math.log1p(8)},
        spread={"similarity": 0.1, "fall": 0.25, "length": 0.5},
    )


def test_signs_are_read_from_the_rankings_and_the_question() -> None:
    words = ranking("bm25", [10.0, 9.0, 8.0, 7.0, 6.0, 5.5, 5.0, 4.5, 4.2, 4.0, 1.0])
    signs = signs_of(ranking("dense", [0.71, 0.4]), words, TEXT)
    assert signs == pytest.approx({"similarity": 0.71, "fall": 0.6, "length": math.log1p(8)})


def test_words_that_fewer_than_ten_passages_have_fall_all_the_way() -> None:
    signs = signs_of(ranking("dense", [0.7]), ranking("bm25", [9.0, 8.0]), TEXT)
    assert signs["fall"] == 1.0


def test_usual_signs_give_the_base() -> None:
    shares = model(words={"fall": 2.0}).shares({"similarity": 0.5, "fall": 0.5, "length": 2.197})
    assert shares == pytest.approx({"meaning": 0.4, "words": 0.4, "neighbours": 0.2}, abs=1e-3)


def test_a_sign_moves_trust_by_its_slope_in_deviations() -> None:
    shares = model(words={"fall": 2.0}).shares({"fall": 0.75})  # one deviation: words 4 + 2
    assert shares == pytest.approx({"meaning": 4 / 12, "words": 6 / 12, "neighbours": 2 / 12})


def test_an_extreme_sign_neither_silences_a_side_nor_says_more_than_a_large_one() -> None:
    learned = model(words={"fall": -9.0})
    assert learned.shares({"fall": 1e9}) == learned.shares({"fall": 0.5 + 0.25 * 2.5})
    assert learned.shares({"fall": 1e9})["words"] > 0


def test_the_reason_names_the_sign_and_what_it_changed() -> None:
    rankings = [ranking("dense", [0.5, 0.4]), ranking("bm25", [8.0] * 9 + [2.0])]
    trust = compute_trusts(rankings, TEXT, model(words={"fall": 2.0}))["notes"]
    told = "by words the first stands ahead of the tenth (75%, usually 50%)"
    assert trust.reasons == (f"{told}: meaning -0.07, words +0.10, neighbours -0.03",)
    assert trust.meaning + trust.words + trust.neighbours == pytest.approx(1)


def test_a_collection_without_both_sides_is_left_alone() -> None:
    rankings = [
        ranking("dense", [0.5]),
        ranking("bm25", [1.0], "rows"),
        ranking("sql", [1], "rows"),
    ]
    assert compute_trusts(rankings, TEXT, model()) == {}


def test_what_ships_differs_by_embedder_and_moves_with_every_sign() -> None:
    fine, fast, other = (trust_model(name) for name in ("fine:1", "fast:1", "openai:some"))
    assert fine.base["meaning"] > fast.base["meaning"]
    assert set(fine.usual) == set(fast.usual) == set(SIGNS)
    assert "similarity" not in other.usual
    for name in SIGNS:
        higher = {**fine.usual, name: fine.usual[name] + fine.spread[name]}
        assert fine.shares(higher) != fine.shares(fine.usual)
    assert other.shares({"similarity": 0.9}) == other.shares({"similarity": 0.1})


def test_a_wish_is_odds_on_top_and_its_ends_are_the_single_sides() -> None:
    trust = Trust(collection="notes", meaning=0.3, words=0.3, neighbours=0.4)
    assert adjust_trust(trust, alpha=0.5, neighbours=1.0) == trust
    more = adjust_trust(trust, alpha=0.75, neighbours=1.0)
    assert (more.meaning, more.words, more.neighbours) == pytest.approx((0.45, 0.15, 0.4))
    none = adjust_trust(trust, alpha=0.5, neighbours=0.0)
    assert (none.meaning, none.words, none.neighbours) == pytest.approx((0.5, 0.5, 0.0))
    assert adjust_trust(trust, alpha=0.5, neighbours=9.0).neighbours == 0.95
    for alpha, side in ((1.0, "meaning"), (0.0, "words")):
        only = adjust_trust(trust, alpha=alpha, neighbours=1.0)
        assert getattr(only, side) == 1.0
        assert only.neighbours == 0.0


# --- in a search ------------------------------------------------------------------------


@pytest.fixture
def library(opened: Callable[..., Workspace], tmp_path: Path) -> Callable[..., Workspace]:
    """A workspace of forty short texts on four subjects; opened with the settings given."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(40):
        subject = ("lamp oil wick", "sea rock wave", "lens glass prism", "tower stone mortar")[
            number % 4
        ]
        words = " ".join(f"{subject} word{number % 7} item{number}" for _ in range(3))
        (folder / f"t{number:02}.txt").write_text(words, encoding="utf-8")
    with opened() as space:
        space.add([folder])

    def again(**values: object) -> Workspace:
        return opened(**{"refine.mmr": 1.0, **values})

    return again


def test_neighbours_vote_and_trust_is_in_the_trace(library: Callable[..., Workspace]) -> None:
    with library() as space:
        result = space.search("which lens has a prism word3")
    assert set(result.trace.trusts) == {"documents"}
    for hit in result.hits:
        assert "documents/neighbours" in {vote.source for vote in hit.votes}
        assert total(hit) == pytest.approx(hit.score)
        assert hit.sources <= {"documents/bm25", "documents/dense"}, "neighbours find nothing"
    assert any("the mean of those most like it" in line for line in why(result.hits[0]))


def test_settings_turn_neighbours_off_and_make_one_side_all(
    library: Callable[..., Workspace],
) -> None:
    question = "which lens has a prism word3"
    with library(**{"fusion.neighbours": 0.0}) as space:
        votes = space.search(question).hits[0].votes
        assert "documents/neighbours" not in {vote.source for vote in votes}
    for alpha, kind in ((1.0, "dense"), (0.0, "bm25")):
        with library(**{"fusion.alpha": alpha}) as space:
            result = space.search(question)
            alone = next(one for one in result.trace.rankings if one.source == f"documents/{kind}")
            first = [one.id for one in alone.found[:5]]
            assert [key for key, _ in result.trace.fused[:5]] == first


def test_the_embedder_in_use_decides_what_was_learned(library: Callable[..., Workspace]) -> None:
    with library() as space:
        assert space.engine.trust == trust_model(space.embedder.name)
        gathered = asyncio.run(gather(Query(text="lens prism"), space.engine))
        engine = replace(space.engine, trust=model(words={"length": 3.0}))
        other = asyncio.run(fuse_and_refine(gathered, engine)).trace.trusts["documents"]
        mine = asyncio.run(fuse_and_refine(gathered, space.engine)).trace.trusts["documents"]
    assert other != mine


def test_the_engine_compares_passages_by_their_vectors(library: Callable[..., Workspace]) -> None:
    with library() as space:
        passages = list(space.catalogue.each("documents"))[:5]
        ids = [one.id for one in passages]
        likeness = asyncio.run(
            space.engine.sources["documents/dense"].compare([*ids, "f" * 16, "no id"])
        )
        rows = space.embedder.embed([one.indexed for one in passages])
    assert likeness.ids == tuple(ids)
    assert likeness.between(ids) == pytest.approx(rows @ rows.T, abs=1e-5)
    assert not likeness.between([ids[0], "unknown"])[1].any()
    assert not likeness.between([ids[0], "unknown"])[0, 1]


def test_a_source_that_cannot_compare_costs_a_note_and_the_neighbours() -> None:
    class Refusing:
        name, collection = "notes/dense", "notes"

        async def compare(self, ids: list[str]) -> None:
            raise SourceError("the vectors are gone")

    found, notes = asyncio.run(
        compare([ranking("dense", [0.5])], {"notes/dense": Refusing()}, deadline_ms=1000)  # type: ignore[dict-item]
    )
    assert found == {}
    assert "the vectors are gone" in str(notes[0])
    assert "neighbours" in str(notes[0])


def test_what_is_told_is_what_was_done(opened: Callable[..., Workspace], tmp_path: Path) -> None:
    """Five passages have no neighbours to choose from, and a weight counts in what is told."""
    folder = tmp_path / "few"
    folder.mkdir()
    for number in range(5):
        (folder / f"{number}.txt").write_text(f"lamp oil wick {number}", encoding="utf-8")
    with opened() as space:
        space.add([folder])
        few = space.search("which lamp burns oil")
        assert few.trace.trusts["documents"].neighbours == 0.0
        assert "documents/neighbours" not in {vote.source for vote in few.hits[0].votes}
    with opened(**{"fusion.weights": {"dense": 3.0}}) as space:
        more = space.search("which lamp burns oil")
    plain, tripled = few.trace.trusts["documents"], more.trace.trusts["documents"]
    odds = plain.meaning / plain.words
    assert tripled.meaning / tripled.words == pytest.approx(3 * odds)
