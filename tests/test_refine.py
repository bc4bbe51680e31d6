import asyncio
import itertools
import tracemalloc

import pytest

from consilience.engine.deduplication import Copies, overlaps
from consilience.engine.refine import (
    Refined,
    boost,
    cap,
    cut,
    dedupe,
    diversify,
    guarantee,
    rerank,
)
from consilience.errors import ModelError
from consilience.explain import total, why
from consilience.pack import has_words
from consilience.types import Boost, Filter, Hit, Plan, Query, Vote


def guaranteed(refined, identifiers=(), kinds=None, *, places=3, limit=10):
    plan = Plan(
        query=Query(text="words", limit=limit),
        intent="open",
        rule="",
        asks=(),
        identifiers=tuple(identifiers),
        cover=kinds or {},
    )
    return guarantee(refined, plan, pinned=places, has=has_words)


def cover(refined, kinds, *, limit):
    return guaranteed(refined, kinds=kinds, limit=limit)


def pin(refined, identifiers, *, places):
    return guaranteed(refined, identifiers, places=places)


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


def test_near_identical_texts_merge_into_the_best_and_keep_provenance(hit):
    text = "the light was first shown in the winter of that year by two keepers and a boy"
    before = Refined(hits=(hit("a", 3.0, text=text), hit("b", 2.0, text=text + "!"), hit("c", 1.0)))
    after = dedupe(before, Copies(), threshold=0.9)
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
    after = dedupe(Refined(hits=tuple(games)), Copies(identities=by_moves), threshold=0.9)
    assert ids(after) == ["a", "c"]
    assert after.losses[0].reason == "the same game"


def test_a_row_and_a_page_with_the_same_words_are_not_the_same(hit):
    words = "height of the tower thirty five metres above the rock"
    both = Refined(hits=(hit("a", 2.0, text=words, kind="row"), hit("b", 1.0, text=words)))
    assert ids(dedupe(both, Copies(), threshold=0.9)) == ["a", "b"]


LONG = (
    "in the final that was played in vienna on a cold evening before a large and noisy crowd anna "
    "beat boris after a long fight in which both of them missed a chance to win much sooner than "
    "anybody in the hall had thought possible when they sat down at the board that afternoon"
)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (LONG + " in 1990", LONG + " in 1991"),
        (LONG + " by -5", LONG + " by 5"),
        (LONG + " by 5%", LONG + " by 5"),
        (LONG + " if x < y", LONG + " if x > y"),
        (LONG, LONG.replace("anna beat boris", "boris beat anna")),
        (LONG + " 35 then 49", LONG + " 49 then 35"),
    ],
    ids=["year", "sign", "unit", "comparison", "order", "order of numbers"],
)
def test_texts_that_say_something_else_are_not_merged(hit, first, second):
    both = Refined(hits=(hit("a", 2.0, text=first), hit("b", 1.0, text=second)))
    assert ids(dedupe(both, Copies(), threshold=0.9)) == ["a", "b"]


def test_a_few_other_words_in_a_long_text_are_still_the_same(hit):
    other = LONG.replace("noisy", "quiet")
    both = Refined(hits=(hit("a", 2.0, text=LONG), hit("b", 1.0, text=other)))
    after = dedupe(both, Copies(), threshold=0.9)
    assert ids(after) == ["a"]
    assert after.losses[0].reason == "nearly the same text"


def test_a_copy_of_a_near_copy_is_merged_into_the_same_hit(hit):
    other = LONG.replace("noisy", "quiet")
    texts = [("a", LONG), ("b", other), ("c", "something else"), ("d", other)]
    hits = tuple(hit(key, 4.0 - at, text=text) for at, (key, text) in enumerate(texts))
    after = dedupe(Refined(hits=hits), Copies(), threshold=0.9)
    assert ids(after) == ["a", "c"]
    assert after.hits[0].merged == ("b", "d")


@pytest.mark.parametrize("kind", ["node", "edge", "path", "row"])
def test_records_are_merged_only_when_they_are_exact_copies(hit, kind):
    records = [
        hit("a", 4.0, text=LONG, kind=kind),
        hit("b", 3.0, text=LONG.replace("noisy", "quiet"), kind=kind),
        hit("c", 2.0, text=LONG, kind=kind, title="Other"),
        hit("d", 1.0, text=LONG.upper() + "  ", kind=kind),
    ]
    after = dedupe(Refined(hits=tuple(records)), Copies(), threshold=0.9)
    assert ids(after) == ["a", "b", "c"]
    assert after.hits[0].merged == ("d",)


@pytest.mark.parametrize("threshold", [1.0, 1.5])
def test_from_a_threshold_of_1_on_only_the_same_text_is_merged(hit, threshold):
    hits = (
        hit("a", 3.0, text=LONG),
        hit("b", 2.0, text=LONG + "!"),
        hit("c", 1.0, text="  " + LONG.title()),
    )
    after = dedupe(Refined(hits=hits), Copies(), threshold=threshold)
    assert ids(after) == ["a", "b"]
    assert after.losses[0].reason == "the same text"


def test_comparing_a_thousand_passages_takes_little_memory(passage):
    many = [passage(f"p{n}", f"{LONG} number {n}") for n in range(1000)]
    overlaps(many[:2])
    tracemalloc.start()
    try:
        shares = overlaps(many)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert shares.shape == (1000, 1000)
    assert peak < 64 * 2**20


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
    # Fused: mean 0.6, deviation √(0.56 / 3). The opinion in its place: 0.6 ± 1.2247 deviations.
    reach = (1.5 * 0.56 / 3) ** 0.5
    wanted = [(0.8 + 0.6 + reach) / 2, (1 + 0.6 - reach) / 2, 0.6 / 2]
    assert [one.score for one in after.hits] == pytest.approx(wanted)
    for one in after.hits:
        assert total(one) == pytest.approx(one.score)
    # the reranker's own scores stay, as it gave them
    assert [one.changes[-1].score for one in after.hits] == [10, 0, 5]
    assert "its score 10.0000)" in why(after.hits[0])[-2]


def test_what_is_exact_keeps_its_place_and_the_sum_adds_up(hit):
    hits = (hit("a", 1.0), hit("b", 0.9), hit("c", 0.8), hit("d", 0.7))
    opinion = Opinion({"a": 0, "b": 1, "c": 9, "d": 10})
    exact = {"a", "b"}

    def order(kept):
        reranking = rerank(
            Refined(hits=hits), "w", opinion, depth=4, blend=0.9, exact=lambda one: one.id in kept
        )
        return asyncio.run(reranking)

    assert ids(order(set())) == ["d", "c", "b", "a"]
    after = order(exact)
    assert ids(after) == ["a", "b", "d", "c"]
    assert all(total(one) == pytest.approx(one.score) for one in after.hits)
    assert ids(order({"c"})) == ["c", "d", "b", "a"]


def test_only_the_first_are_reranked(hit):
    after = reranked([hit("a", 1.0), hit("b", 0.5), hit("c", 0.4)], {"a": 0, "b": 1}, depth=2)
    assert ids(after)[-1] == "c"


def test_no_reranker_or_no_blend_changes_nothing(hit):
    before = Refined(hits=(hit("a", 1.0), hit("b", 0.5)))
    assert asyncio.run(rerank(before, "w", None, depth=5, blend=0.5)) == before
    assert reranked(before.hits, {"a": 0, "b": 1}, blend=0.0) == before


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (ModelError("out of memory"), "out of memory"),
        (ZeroDivisionError("oops"), "ZeroDivisionError: oops"),
        (TimeoutError("socket"), "TimeoutError: socket"),
        ({"a": float("nan"), "b": 1.0}, "the reranker gave the score nan"),
        ({"a": 1e308, "b": -1e308}, "the reranker gave the score 1e+308"),
        ({"a": "high", "b": 1.0}, "TypeError"),
        ({"a": 1.0}, "KeyError"),
    ],
    ids=["refuses", "raises", "its own timeout", "nan", "no range", "text", "unknown"],
)
def test_a_failing_reranker_leaves_the_fused_order_with_a_note(hit, bad, reason):
    after = reranked([hit("a", 1.0), hit("b", 0.5)], bad)
    assert ids(after) == ["a", "b"]
    assert after.notes[0].message.startswith(reason)
    assert "the order is the fused one" in after.notes[0].message


class Short:
    name = "short"

    async def rerank(self, text, passages):
        return [1.0]


class Hung:
    name = "hung"

    async def rerank(self, text, passages):
        await asyncio.sleep(30)


def test_a_reranker_that_gives_too_few_scores_is_told_so(hit):
    before = Refined(hits=(hit("a", 1.0), hit("b", 0.5)))
    after = asyncio.run(rerank(before, "words", Short(), depth=5, blend=0.5))
    assert after.notes[0].message.startswith("the reranker gave 1 scores for 2 passages")


def test_a_hung_reranker_costs_its_deadline_and_no_more(hit):
    before = Refined(hits=(hit("a", 1.0), hit("b", 0.5)))
    after = asyncio.run(rerank(before, "words", Hung(), depth=5, blend=0.5, timeout_ms=20))
    assert after.hits == before.hits
    assert after.notes[0].message.startswith("no answer within 20 ms")


@pytest.mark.parametrize("score", [1.0, 0.0, 1 / 61])
def test_among_equals_the_reranker_decides(hit, score):
    after = reranked([hit("a", score), hit("b", score)], {"a": 0.1, "b": 0.9})
    assert ids(after) == ["b", "a"]
    for one in after.hits:
        assert total(one) == pytest.approx(one.score)


def test_a_hit_without_an_opinion_keeps_its_score_and_a_note_counts_them(hit):
    hits = [hit("a", 1.0), hit("b", 0.6), hit("c", 0.5), hit("d", 0.0)]
    after = reranked(hits, {"a": 1, "b": None, "c": 9, "d": 5})
    found = {one.passage.id: one for one in after.hits}
    assert found["b"].score == 0.6
    assert found["b"].changes == ()
    assert [change.step for change in found["c"].changes] == ["rerank"]
    assert ids(after) == ["c", "b", "a", "d"]
    for one in after.hits:
        assert total(one) == pytest.approx(one.score)
    assert [str(note) for note in after.notes] == [
        "opinion: 1 of 4 passages were not compared word by word: no time, or no words"
    ]


def test_without_any_opinion_the_fused_order_stays_with_a_note(hit):
    hits = (hit("a", 1.0), hit("b", 0.5))
    after = reranked(hits, {"a": None, "b": None})
    assert after.hits == hits
    assert after.notes[0].message.startswith("2 of 2 passages were not compared")


def test_with_an_opinion_of_all_there_is_no_note(hit):
    assert reranked([hit("a", 1.0), hit("b", 0.5)], {"a": 1, "b": 2}).notes == ()


def test_the_only_one_that_was_read_loses_nothing_by_it(hit):
    """There is nothing that it was found better or worse than."""
    hits = [hit("a", 1.0), hit("b", 0.9), hit("c", 0.0)]
    after = reranked(hits, {"a": 0.8, "b": None, "c": None})
    assert ids(after) == ["a", "b", "c"]
    assert after.hits[0].score == pytest.approx(1.0)


def test_those_that_were_read_do_not_fall_behind_those_that_were_not(hit):
    """The best are read first; an opinion of them says nothing of the rest."""
    hits = [hit("a", 1.0), hit("b", 0.95), hit("c", 0.9), hit("d", 0.4), hit("e", 0.0)]
    after = reranked(hits, {"a": 0.7, "b": 0.8, "c": 0.9, "d": None, "e": None}, blend=0.9)
    assert ids(after) == ["c", "b", "a", "d", "e"]
    for one in after.hits:
        assert total(one) == pytest.approx(one.score)


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
    assert "exactly" in after.hits[0].changes[0].reason
    assert pin(Refined(hits=tuple(hits)), ["order 4"], places=3).hits == tuple(hits)


def test_two_identifiers_do_not_push_each_other_out(hit):
    hits = [
        hit("a", 9.0),
        hit("x", 8.0, text="order 7"),
        hit("b", 7.0),
        hit("y", 6.0, text="order 42"),
    ]
    after = pin(Refined(hits=tuple(hits)), ["order 42", "order 7"], places=2)
    assert ids(after) == ["y", "x", "a", "b"]


def test_two_kinds_do_not_push_each_other_out(hit):
    hits = [hit(f"b{n}", 10 - n, kind="book") for n in range(5)]
    hits += [hit("g", 1.0, kind="game"), hit("p", 0.5, kind="path")]
    after = cover(Refined(hits=tuple(hits)), {"game": 3, "path": 3}, limit=10)
    assert set(ids(after)[:3]) == {"b0", "g", "p"}
    hits = [hit("b", 9.0, kind="book"), hit("g", 8.0, kind="game"), hit("p", 7.0, kind="path")]
    after = cover(Refined(hits=tuple(hits)), {"game": 2, "path": 2}, limit=10)
    assert set(ids(after)[:2]) == {"g", "p"}


def test_identifiers_and_kinds_hold_together(hit):
    hits = [hit(f"b{n}", 10 - n, kind="book") for n in range(5)]
    hits += [hit("g", 1.0, kind="game"), hit("x", 0.5, text="order 42", kind="book")]
    after = guaranteed(Refined(hits=tuple(hits)), ["order 42"], {"game": 3})
    assert ids(after)[:4] == ["x", "b0", "g", "b1"]
    steps = {one.passage.id: one.changes[-1].step for one in after.hits if one.changes}
    assert (steps["x"], steps["g"]) == ("exact identifier", "coverage")
    assert steps["b0"] == "exact identifier"


def test_one_hit_may_keep_two_promises_when_there_is_room_for_one(hit):
    hits = [
        hit("b", 9.0, kind="book"),
        hit("x", 8.0, text="order 42", kind="book"),
        hit("g", 7.0, text="order 42", kind="game"),
    ]
    after = guaranteed(Refined(hits=tuple(hits)), ["order 42"], {"game": 1}, limit=1)
    assert ids(after)[0] == "g"


def test_without_room_for_all_what_was_promised_first_is_kept(hit):
    hits = [hit("b", 9.0), hit("g", 8.0, kind="game"), hit("x", 7.0, text="order 42")]
    after = guaranteed(Refined(hits=tuple(hits)), ["order 42"], {"game": 1}, limit=1)
    assert ids(after) == ["x", "b", "g"]
    nothing = guaranteed(Refined(hits=tuple(hits)), ["order 42"], {"game": 0}, places=0, limit=1)
    assert nothing.hits == tuple(hits)


def test_every_guarantee_that_can_hold_holds_in_any_order_of_hits(hit):
    kinds = {"game": 2, "path": 3, "row": 4}
    some = [hit(key, 1.0, kind=key) for key in ("game", "path", "row")]
    some += [hit("id", 1.0, text="order 42", kind="book"), hit("b", 1.0), hit("c", 1.0)]
    for order in itertools.permutations(some):
        after = ids(guaranteed(Refined(hits=order), ["order 42"], kinds, places=2))
        assert sorted(after) == sorted(one.passage.id for one in some)
        assert after.index("id") < 2
        assert all(after.index(kind) < places for kind, places in kinds.items())
        assert after.index("b") < after.index("c") or order.index(some[5]) < order.index(some[4])


def test_the_cut_blames_the_step_that_moved_a_hit_past_the_limit(hit):
    hits = [hit(f"b{n}", 10 - n, kind="book") for n in range(4)] + [hit("g", 1.0, kind="game")]
    after = cut(cover(Refined(hits=tuple(hits)), {"game": 2}, limit=2), limit=2, few=1)
    assert [(one.id, one.step) for one in after.losses] == [
        ("b1", "coverage"),
        ("b2", "cut"),
        ("b3", "cut"),
    ]


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


def test_the_same_opinion_of_all_is_none(hit):
    hits = [hit("a", 1.0), hit("b", 0.8), hit("c", 0.6), hit("d", 0.4)]
    after = reranked(hits, {"a": 1, "b": None, "c": 1, "d": None})
    assert ids(after) == ["a", "b", "c", "d"]
    assert [one.score for one in after.hits] == [1.0, 0.8, 0.6, 0.4]
    # what it gave stays on record, though it moved nothing
    assert [[one.score for one in each.changes] for each in after.hits] == [[1], [], [1], []]


def test_a_poor_opinion_puts_nothing_behind_what_nobody_read(hit):
    hits = [hit(key, 1.0 - 0.1 * place) for place, key in enumerate("abcdef")]
    opinion = {"a": 9, "b": 8, "c": -50, "d": 7, "e": None, "f": None}
    after = reranked(hits, opinion, blend=0.9)
    assert ids(after)[-2:] == ["e", "f"]
    assert min(one.score for one in after.hits[:4]) == pytest.approx(0.7)


def test_a_reranker_that_cannot_say_its_name_leaves_the_fused_order(hit):
    class Nameless:
        @property
        def name(self):
            raise ModelError("its card is damaged")

        async def rerank(self, text, passages):
            raise ModelError("its card is damaged")

    before = Refined(hits=(hit("a", 1.0), hit("b", 0.5)))
    after = asyncio.run(rerank(before, "words", Nameless(), depth=10, blend=0.5))
    assert ids(after) == ["a", "b"]
    assert str(after.notes[0]) == "reranker: its card is damaged; the order is the fused one"
