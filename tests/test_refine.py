import asyncio

import pytest

from consilience.errors import ModelError
from consilience.explain import total
from consilience.refine import (
    Refined,
    agree,
    boost,
    cap,
    cover,
    cut,
    dedupe,
    diversify,
    pin,
    rerank,
)
from consilience.types import Boost, Filter, Hit, Vote


@pytest.fixture
def hit(passage):
    def make(key, score=1.0, sources=("c/x",), **more):
        votes = tuple(
            Vote(source=one, rank=1, score=1.0, weight=1.0, contribution=score / len(sources))
            for one in sources
        )
        return Hit(passage=passage(key, **more), score=score, votes=votes)

    return make


def ids(refined):
    return [hit.passage.id for hit in refined.hits]


def test_a_boost_moves_a_match_up_and_says_so(hit):
    before = Refined(hits=(hit("a", 1.0), hit("b", 0.9, metadata={"year": 2025})))
    wish = Boost(condition=Filter("year", "=", 2025), factor=0.5, reason="the question says 2025")
    after = boost(before, [wish])
    assert ids(after) == ["b", "a"]
    assert after.hits[0].changes[0].reason == "the question says 2025"
    assert total(after.hits[0]) == pytest.approx(after.hits[0].score) == pytest.approx(1.35)
    assert ids(before) == ["a", "b"]


def test_agreement_adds_for_each_further_source(hit):
    before = Refined(hits=(hit("a", 1.0), hit("b", 0.9, sources=("c/x", "c/y", "c/z"))))
    after = agree(before, bonus=0.1)
    assert ids(after) == ["b", "a"]
    assert after.hits[0].score == pytest.approx(0.9 * 1.2)
    assert total(after.hits[0]) == pytest.approx(after.hits[0].score)
    assert agree(before, bonus=0.0) == before


def test_near_identical_texts_merge_into_the_best_and_keep_provenance(hit):
    text = "the light was first shown in the winter of that year by two keepers and a boy"
    before = Refined(hits=(hit("a", 3.0, text=text), hit("b", 2.0, text=text + "!"), hit("c", 1.0)))
    after = dedupe(before, {}, threshold=0.9)
    assert ids(after) == ["a", "c"]
    assert after.hits[0].merged == ("b",)
    assert [(one.id, one.step, one.into) for one in after.losses] == [("b", "dedupe", "a")]


def test_a_pack_says_what_makes_two_things_the_same(hit):
    games = [
        hit("a", 3.0, kind="game", text="one", metadata={"moves": "e4 e5"}),
        hit("b", 2.0, kind="game", text="two", metadata={"moves": "e4 e5"}),
        hit("c", 1.0, kind="game", text="one", metadata={"moves": "d4"}),
    ]
    by_moves = {"game": lambda passage: passage.metadata["moves"]}
    after = dedupe(Refined(hits=tuple(games)), by_moves, threshold=0.9)
    assert ids(after) == ["a", "c"]
    assert after.losses[0].reason == "the same game"


def test_a_row_and_a_page_with_the_same_words_are_not_the_same(hit):
    words = "height of the tower thirty five metres above the rock"
    both = Refined(hits=(hit("a", 2.0, text=words, kind="row"), hit("b", 1.0, text=words)))
    assert ids(dedupe(both, {}, threshold=0.9)) == ["a", "b"]


class Opinion:
    name = "opinion"

    def __init__(self, scores):
        self.scores = scores

    async def rerank(self, text, passages):
        if isinstance(self.scores, Exception):
            raise self.scores
        return [self.scores[one.id] for one in passages]


def reranked(hits, scores, blend=0.5, depth=10):
    before = Refined(hits=tuple(hits))
    return asyncio.run(rerank(before, "words", Opinion(scores), depth=depth, blend=blend))


def test_a_reranker_is_blended_and_the_sum_still_adds_up(hit):
    after = reranked([hit("a", 1.0), hit("b", 0.8), hit("c", 0.0)], {"a": 0, "b": 10, "c": 5})
    assert ids(after) == ["b", "a", "c"]
    assert [one.score for one in after.hits] == pytest.approx([0.9, 0.5, 0.25])
    for one in after.hits:
        assert total(one) == pytest.approx(one.score)


def test_only_the_first_are_reranked(hit):
    after = reranked([hit("a", 1.0), hit("b", 0.5), hit("c", 0.4)], {"a": 0, "b": 1}, depth=2)
    assert ids(after)[-1] == "c"


def test_no_reranker_or_no_blend_changes_nothing(hit):
    before = Refined(hits=(hit("a", 1.0), hit("b", 0.5)))
    assert asyncio.run(rerank(before, "w", None, depth=5, blend=0.5)) == before
    assert reranked(before.hits, {"a": 0, "b": 1}, blend=0.0) == before


@pytest.mark.parametrize("bad", [ModelError("out of memory"), {"a": float("nan"), "b": 1.0}])
def test_a_failing_reranker_leaves_the_fused_order_with_a_note(hit, bad):
    after = reranked([hit("a", 1.0), hit("b", 0.5)], bad)
    assert ids(after) == ["a", "b"]
    assert "the order is the fused one" in after.notes[0].message


def test_diversity_puts_something_new_before_more_of_the_same(hit):
    same = "fresnel arranged glass prisms in rings around the lamp to throw its light far"
    hits = [
        hit("a", 1.0, text=same),
        hit("b", 0.9, text=same + " out to sea"),
        hit("c", 0.6, text="keepers trimmed wicks by night and polished brass by day"),
        hit("d", 0.0, text="nothing"),
    ]
    after = diversify(Refined(hits=tuple(hits)), trust=0.7, places=4)
    assert ids(after) == ["a", "c", "b", "d"]
    moved = {one.passage.id: one.changes for one in after.hits}
    assert moved["b"][0].step == "diversity"
    assert (moved["b"][0].before, moved["b"][0].after) == (2, 3)
    assert [one.score for one in after.hits] == [1.0, 0.6, 0.9, 0.0]
    assert ids(diversify(Refined(hits=tuple(hits)), trust=1.0, places=4)) == ["a", "b", "c", "d"]


def test_no_collection_takes_more_than_its_share_while_others_have_something(hit):
    mine = [hit(f"m{n:02}", 100 - n, collection="mine") for n in range(40)]
    yours = [hit(f"y{n:02}", 50 - n, collection="yours") for n in range(15)]
    after = cap(Refined(hits=(*mine, *yours)), share=0.6)
    first = [one.passage.collection for one in after.hits[:30]]
    assert first.count("mine") == 18
    assert len(after.hits) == 55
    assert after.hits[30].changes[0].step == "share cap"


def test_the_cap_gives_way_when_the_others_have_nothing_more(hit):
    mine = [hit(f"m{n:02}", 100 - n, collection="mine") for n in range(40)]
    after = cap(Refined(hits=(*mine, hit("y", 1.0, collection="yours"))), share=0.6)
    first = [one.passage.collection for one in after.hits[:30]]
    assert first.count("yours") == 1
    alone = Refined(hits=tuple(mine))
    assert cap(alone, share=0.6).hits == alone.hits


def test_a_wanted_kind_gets_a_place_among_the_first(hit):
    hits = [hit(f"b{n}", 10 - n, kind="book") for n in range(5)] + [hit("g", 1.0, kind="game")]
    after = cover(Refined(hits=tuple(hits)), {"game": 3}, limit=10)
    assert ids(after)[:3] == ["b0", "b1", "g"]
    assert after.hits[2].changes[0].step == "coverage"
    assert cover(after, {"game": 3}, limit=10) == after
    assert cover(after, {"path": 3}, limit=10) == after


def test_an_exact_identifier_has_a_guaranteed_place(hit):
    hits = [hit(f"b{n}", 10 - n) for n in range(5)] + [hit("e", 1.0, text="See Order-42, p. 3")]
    after = pin(Refined(hits=tuple(hits)), ["order 42"], places=3)
    assert ids(after)[0] == "e"
    assert "to the letter" in after.hits[0].changes[0].reason
    assert pin(Refined(hits=tuple(hits)), ["order 4"], places=3).hits == tuple(hits)


def test_the_cut_remembers_what_it_cut_and_remarks_on_few(hit):
    hits = tuple(hit(f"b{n}", 10 - n) for n in range(12))
    after = cut(Refined(hits=hits), limit=10, few=5)
    assert len(after.hits) == 10
    assert [(one.id, one.step, one.place) for one in after.losses] == [
        ("b10", "cut", 11),
        ("b11", "cut", 12),
    ]
    assert not after.notes
    assert "only 2 results" in cut(Refined(hits=hits[:2]), limit=10, few=5).notes[0].message
    assert not cut(Refined(hits=hits[:2]), limit=2, few=5).notes
