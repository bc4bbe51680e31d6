"""Does a relevance follow what a hit carries, and is nothing refused that may answer?"""

import asyncio
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from consilience.engine import search
from consilience.engine.fusion import fuse
from consilience.engine.relevance import (
    CERTAIN,
    FILE,
    FIRST,
    SIGNS,
    Answerable,
    Best,
    Calibration,
    Matches,
    Signs,
    abstains,
    best_of,
    calibration_of,
    judge,
    open_calibration,
    read_calibration,
    relevances,
    shipped,
    signs_of,
)
from consilience.errors import StoreError
from consilience.explain import answerable
from consilience.json_output import result_json
from consilience.models import open_embedder, open_reranker
from consilience.settings import Settings
from consilience.types import Change, Found, Hit, Query, Ranking, Signal, Vote
from tests_shared import make_passage

PLAIN = Calibration(
    model="words:1", base=-4.0, weights={"meaning": 5.0, "words": 2.0, "first": 1.0}
)
PART = Answerable(
    reranker="judge:1", base=-8.0, weights={"meaning": 4.0, "words": 2.0, "reranked": 8.0}
)
BOTH = replace(PLAIN, answerable=PART)
unit = some.floats(0, 1)


def vote(source, score, rank=1, parts=()):
    return Vote(source=source, rank=rank, score=score, weight=1.0, contribution=score, parts=parts)


def hit(key="a", *votes, text="Robert Stevenson built a tower", read=None, by="judge:1"):
    change = Change(step="rerank", delta=0.1, reason=by, score=read)
    changes = () if read is None else (change,)
    return Hit(passage=make_passage(key, text), score=1.0, votes=votes, changes=changes)


@given(unit, unit, unit, unit, some.sampled_from(SIGNS))
def test_more_of_a_sign_never_makes_a_hit_less_likely(meaning, words, first, more, name):
    signs = Signs(meaning=meaning, words=words, first=first)
    higher = replace(signs, **{name: getattr(signs, name) + more})
    low, high = PLAIN.relevance(signs), PLAIN.relevance(higher)
    assert 0 <= low <= high <= 1


def test_the_signs_are_what_the_hit_carries():
    near = hit("a", vote("notes/bm25", 9.0), vote("notes/dense", 0.7))
    far = hit("b", vote("notes/dense", 0.2, rank=2), text="Oil and lamps")
    first, second = signs_of([near, far], "Who built the towers?")
    assert (first.meaning, second.meaning) == (0.7, 0.2)
    assert (first.first, second.first) == (1.0, 0.5)
    # who, built, the, towers: 3 + 5 + 3 + 6 letters, of which the passage has `built`;
    # `tower` is no beginning of six letters of `towers`
    assert first.words == pytest.approx(5 / 17)
    assert second.words == 0.0


def test_what_a_source_declares_counts_and_not_its_name():
    meaning = replace(vote("notes/colbert", 0.7), signal=Signal.MEANING)
    rows = replace(vote("notes/dense", 3.0), signal=Signal.ROWS)
    (signs,) = signs_of([hit("a", meaning, rows)], "tower")
    assert (signs.meaning, signs.exact) == (0.7, True)
    ranking = Ranking(
        source="notes/colbert", collection="notes", found=(Found("a", 1.0),), signal=Signal.MEANING
    )
    (fused,) = fuse([ranking], method="rrf").votes("a")
    assert fused.ranks_by is Signal.MEANING


def test_words_are_compared_by_their_beginnings_in_any_script():
    passage = hit("a", vote("notes/dense", 0.5), text="Leuchttürme und Nebelhörner")
    (signs,) = signs_of([passage], "Leuchttürmen")
    assert signs.words == 1.0


def test_across_collections_the_parts_of_a_vote_count_and_second_votes_do_not():
    parts = (vote("notes/dense", 0.4), vote("notes/dense+terms", 0.9))
    (signs,) = signs_of([hit("a", vote("notes", 0.1, parts=parts))], "tower")
    assert signs.meaning == 0.4


def test_what_meaning_did_not_bring_is_no_nearer_than_what_it_did():
    found = [hit("a", vote("notes/dense", 0.6)), hit("b", vote("notes/bm25", 5.0))]
    assert [one.meaning for one in signs_of(found, "tower")] == [0.6, 0.6]
    alone = signs_of([hit("b", vote("notes/bm25", 5.0))], "tower")
    assert [one.meaning for one in alone] == [None]
    assert relevances([hit("b", vote("notes/bm25", 5.0))], "tower", PLAIN) == [None]


def test_what_meets_exact_criteria_counts_as_if_it_stood_first():
    rows = [
        hit("a", vote("t/dense", 0.3)),
        hit("b", vote("t/dense", 0.3, rank=2), vote("t/sql", 2.0)),
        hit("c", vote("t/dense", 0.3, rank=3), vote("t/sql", 1.5, rank=2)),
        hit("d", vote("t/dense", 0.3, rank=4), vote("g/paths", 0.3)),
        hit("e", vote("t/dense", 0.3, rank=5), vote("t/sql", 2.0, rank=None)),
    ]
    firsts = [one.first for one in signs_of(rows, "tower")]
    assert firsts == [1.0, 1.0, 0.75, 1.0, 0.2]
    letter = signs_of(rows, "tower", Matches(exact=frozenset({"e"})))
    assert letter[-1].first == 1.0
    # a name that is known is not enough where the meaning is another
    assert PLAIN.relevance(Signs(meaning=0.0, words=0.2, first=1.0)) < 0.1


def test_nothing_is_refused_of_which_nothing_is_known():
    two = [Signs(meaning=0.1, words=0.0, first=1.0)] * 2
    assert abstains(two, [0.1, 0.19], 0.2)
    assert not abstains(two, [0.1, 0.2], 0.2)
    assert not abstains(two, [0.1, None], 0.2)
    assert not abstains([], [], 0.2)
    assert not abstains([], [], 0.2, chance=0.0)


@given(unit, unit, unit, unit, some.sampled_from(Best._fields))
def test_more_of_a_best_sign_never_makes_an_answer_less_likely(meaning, words, read, more, name):
    best = Best(meaning, words, read)
    higher = best._replace(**{name: getattr(best, name) + more})
    assert 0 <= PART.chance(best) <= PART.chance(higher) <= 1


def test_the_best_signs_of_a_question_are_those_of_its_first_hits():
    hits = [
        hit("a", vote("n/dense", 0.3), read=0.5),
        hit("b", vote("n/dense", 0.6), text="Oil", read=0.4),
        hit("c", vote("n/dense", 0.2), text="Oil"),
    ]
    assert best_of(hits, "tower", "judge:1") == Best(meaning=0.6, words=1.0, reranked=0.5)
    # scores of another reranker do not compare, and what stands far down is not asked
    assert best_of(hits, "tower", "judge:2") is None
    assert best_of([hit("b", vote("n/bm25", 5.0), read=0.4)], "tower", "judge:1") is None
    far = [*[hits[2]] * FIRST, hits[0]]
    assert best_of(far, "tower", "judge:1") is None


def test_where_a_reranker_read_the_hits_they_decide_together_whether_to_refuse():
    found = [hit("a", vote("n/dense", 0.8), read=0.1), hit("b", vote("n/dense", 0.1), read=0.0)]
    weighed = judge(found, "tower", BOTH, floor=0.2)
    # the best hit alone would be good enough
    assert max(one.relevance for one in weighed.hits) > 0.2
    assert weighed.answerable == pytest.approx(PART.chance(Best(0.8, 1.0, 0.1)))
    assert weighed.abstained
    assert str(weighed.notes[0]) == (
        "relevance: no passage is likely to answer this: the chance that something does is "
        "0.12, below refine.floor = 0.2"
    )
    # and the other way round: each is unlikely, but something is
    low = replace(BOTH, base=-20.0)
    sure = judge([replace(found[0], changes=hit(read=0.9).changes)], "tower", low, floor=0.2)
    assert sure.hits[0].relevance < 0.01
    assert sure.answerable > 0.9
    assert not sure.abstained
    assert judge(found, "tower", BOTH, floor=0.0).abstained is False


def test_without_scores_of_its_reranker_the_best_relevance_decides():
    for read in (None, 0.0):
        found = [hit("a", vote("n/dense", 0.8), read=read, by="judge:2")]
        weighed = judge(found, "tower", BOTH, floor=0.2)
        assert weighed.answerable is None
        assert weighed == judge(found, "tower", PLAIN, floor=0.2)


def test_a_chance_does_not_depend_on_how_many_hits_are_shown():
    found = [hit("a", vote("n/dense", 0.8), read=0.2), hit("b", vote("n/dense", 0.1), read=0.9)]
    shown = judge(found[:1], "tower", BOTH, floor=0.2, first=found)
    assert shown.answerable == judge(found, "tower", BOTH, floor=0.2).answerable
    assert len(shown.hits) == 1
    assert not shown.abstained


def test_what_holds_the_very_position_that_is_asked_for_is_relevant_whatever_it_says():
    found = [hit("a", vote("n/dense", 0.0), text="."), hit("b", vote("n/dense", 0.0), read=0.0)]
    meant = Matches(exact=frozenset({"b"}), certain=frozenset({"b"}))
    plain = judge(found, "tower", BOTH, floor=0.2)
    weighed = judge(found, "tower", BOTH, floor=0.2, matches=meant)
    assert plain.abstained
    assert not weighed.abstained
    assert [one.relevance for one in weighed.hits] == [plain.hits[0].relevance, CERTAIN]
    (signs,) = signs_of(found[1:], "tower", meant)
    assert "since it holds what the question names" in BOTH.explained(signs)


@pytest.mark.parametrize("exactly", ["letter", "row"])
def test_what_meets_the_question_exactly_is_not_refused_for_want_of_a_chance(exactly):
    votes = [vote("n/dense", 0.5)] + [vote("t/sql", 2.0)] * (exactly == "row")
    found = [hit("a", vote("n/dense", 0.5), text="."), hit("b", *votes, read=0.0)]
    letter = Matches(exact=frozenset({"b"} if exactly == "letter" else ()))
    weighed = judge(found, "tower", BOTH, floor=0.2, matches=letter)
    assert weighed.answerable < 0.2
    assert not weighed.abstained
    assert judge(
        [found[0], replace(found[1], votes=found[0].votes)], "t", BOTH, floor=0.2
    ).abstained
    # a name alone, where the meaning is another, saves nothing
    high = judge(found, "tower", BOTH, floor=0.99, matches=letter)
    assert high.abstained


def test_the_part_is_read_back_and_a_damaged_one_is_refused():
    told = json.loads(json.dumps(BOTH.as_json()))
    assert calibration_of(told) == BOTH
    assert calibration_of({**told, "answerable": None}) == PLAIN
    told["answerable"]["weights"] = {"meaning": 1.0}
    with pytest.raises(StoreError, match="meaning, words, reranked"):
        calibration_of(told)


def test_weighing_marks_every_hit_takes_none_out_and_says_why_it_abstains():
    hits = [hit("a", vote("n/dense", 0.1), text="."), hit("b", vote("n/dense", 0.0), text=".")]
    weighed = judge(hits, "tower", PLAIN, floor=0.2)
    assert [one.passage.id for one in weighed.hits] == ["a", "b"]
    assert [one.relevance for one in weighed.hits] == relevances(hits, "tower", PLAIN)
    assert weighed.abstained
    assert "0.08" in str(weighed.notes[0])
    assert "refine.floor = 0.2" in str(weighed.notes[0])
    assert not judge(hits, "tower", PLAIN, floor=0.0).abstained
    unknown = judge(hits, "tower", None, floor=0.2)
    assert not unknown.abstained
    assert [one.relevance for one in unknown.hits] == [None, None]


@pytest.mark.parametrize("name", ["fine", "fast"])
def test_the_shipped_embedders_have_a_calibration_that_tells_good_from_bad(name):
    calibration = shipped(open_embedder(name, Settings()).name)
    assert calibration is not None, "the model changed: run models/calibrate.py"
    good = calibration.relevance(Signs(meaning=0.7, words=0.8, first=1.0))
    bad = calibration.relevance(Signs(meaning=0.15, words=0.2, first=1.0))
    assert good > 0.5
    assert bad < 0.2
    assert shipped("another:1") is None
    part = calibration.answerable
    late = open_reranker("late", Settings())
    assert part is not None
    assert part.reranker == late.name, "the reranker changed: run models/calibrate.py"
    floor = Settings().refine.floor
    assert part.chance(Best(meaning=0.7, words=0.8, reranked=0.8)) > 0.9
    assert part.chance(Best(meaning=0.15, words=0.2, reranked=0.4)) < floor


def test_a_workspace_uses_its_own_calibration_for_its_own_embedder_only(tmp_path):
    assert open_calibration(tmp_path, "words:1") == (None, ())
    (tmp_path / FILE).write_text(json.dumps(PLAIN.as_json()), encoding="utf-8")
    assert open_calibration(tmp_path, "words:1") == (PLAIN, ())
    other, notes = open_calibration(tmp_path, "words:2")
    assert other is None
    assert "learned with the embedder words:1, not with words:2" in str(notes[0])


@pytest.mark.parametrize(
    "text",
    [
        "not json",
        "[]",
        '{"version": 9}',
        json.dumps({**PLAIN.as_json(), "weights": {"meaning": 1.0}}),
        json.dumps({**PLAIN.as_json(), "weights": {"meaning": -1, "words": 0, "first": 0}}),
        json.dumps({**PLAIN.as_json(), "base": float("nan")}),
        json.dumps({**PLAIN.as_json(), "answerable": "late"}),
        json.dumps({**PLAIN.as_json(), "answerable": {"reranker": "late"}}),
    ],
)
def test_a_damaged_calibration_is_told_and_costs_no_search(tmp_path, text):
    path = tmp_path / FILE
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StoreError, match="calibrate --forget"):
        read_calibration(path)
    found, notes = open_calibration(tmp_path, "words:1")
    assert found is None
    assert len(notes) == 1


def test_why_tells_how_a_relevance_comes_about() -> None:
    calibration = Calibration(
        model="m", base=-4.0, weights={"meaning": 5.0, "words": 2.0, "first": 1.0}
    )
    signs = Signs(meaning=0.6, words=0.5, first=1.0)
    assert calibration.explained(signs) == (
        "relevance 0.73: log odds of -4.00, meaning 0.60 → +3.00, words 0.50 → +1.00, "
        "first 1.00 → +1.00"
    )
    assert "not known" in calibration.explained(Signs(meaning=None, words=1.0, first=1.0))
    assert PART.explained(Best(meaning=0.5, words=0.5, reranked=0.5)) == (
        "the chance that something here answers is 0.27: log odds of -8.00, best meaning 0.50 → "
        "+2.00, words 0.50 → +1.00, reranked 0.50 → +4.00"
    )


class Judge:
    """A reranker that gives every passage about the same, high or low."""

    name = "judge:1"

    def __init__(self, score):
        self.score = score

    async def rerank(self, text, passages):
        return [self.score - 0.001 * place for place in range(len(passages))]


def test_a_search_tells_the_chance_and_refuses_by_it(workspace, embedder):
    calibration = replace(BOTH, model=embedder.name, base=9.0)

    def ask(score, **query):
        engine = replace(workspace.engine, reranker=Judge(score), calibration=calibration)
        query = Query(text="Who built the lighthouse?", **query)
        return asyncio.run(search(query, engine))

    low, high = ask(0.0), ask(2.0)
    assert low.abstained
    assert low.answerable < 0.2 < high.answerable
    assert not high.abstained
    assert "the chance that something does is" in " ".join(map(str, low.notes))
    assert result_json(low)["answerable"] == low.answerable
    assert ask(0.0, limit=1).answerable == low.answerable
    (told,) = answerable(low, calibration)
    assert told.startswith(f"the chance that something here answers is {low.answerable:.2f}: ")
    assert answerable(low, PLAIN) == []
    unread = ask(0.0, rerank=False)
    assert unread.answerable is None
    assert answerable(unread, calibration) == []
    assert not unread.abstained
