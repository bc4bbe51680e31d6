"""Does a relevance follow what a hit carries, and is nothing refused that may answer?"""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from consilience.errors import StoreError
from consilience.models import open_embedder
from consilience.relevance import (
    FILE,
    SIGNS,
    Calibration,
    Signs,
    abstains,
    open_calibration,
    read_calibration,
    relevances,
    shipped,
    signs_of,
    weigh,
)
from consilience.settings import Settings
from consilience.types import Hit, Vote
from tests_shared import make_passage

PLAIN = Calibration(
    model="words:1", base=-4.0, weights={"meaning": 5.0, "words": 2.0, "first": 1.0}
)
unit = some.floats(0, 1)


def vote(source, score, rank=1, parts=()):
    return Vote(source=source, rank=rank, score=score, weight=1.0, contribution=score, parts=parts)


def hit(key="a", *votes, text="Robert Stevenson built a tower"):
    return Hit(passage=make_passage(key, text), score=1.0, votes=votes)


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
    letter = signs_of(rows, "tower", exact=frozenset({"e"}))
    assert letter[-1].first == 1.0
    # a name that is known is not enough where the meaning is another
    assert PLAIN.relevance(Signs(meaning=0.0, words=0.2, first=1.0)) < 0.1


def test_nothing_is_refused_of_which_nothing_is_known():
    assert abstains([0.1, 0.19], 0.2)
    assert not abstains([0.1, 0.2], 0.2)
    assert not abstains([0.1, None], 0.2)
    assert not abstains([], 0.2)


def test_weighing_marks_every_hit_takes_none_out_and_says_why_it_abstains():
    hits = [hit("a", vote("n/dense", 0.1), text="."), hit("b", vote("n/dense", 0.0), text=".")]
    weighed = weigh(hits, "tower", PLAIN, floor=0.2)
    assert [one.passage.id for one in weighed.hits] == ["a", "b"]
    assert [one.relevance for one in weighed.hits] == relevances(hits, "tower", PLAIN)
    assert weighed.abstained
    assert "0.08" in str(weighed.notes[0])
    assert "refine.floor = 0.2" in str(weighed.notes[0])
    assert not weigh(hits, "tower", PLAIN, floor=0.0).abstained
    unknown = weigh(hits, "tower", None, floor=0.2)
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
