"""Which copy of a thing stays: the best-placed, or the one that a pack says is worth more."""

import pytest

from consilience.engine.deduplication import Copies
from consilience.engine.refine import Refined, dedupe
from consilience.explain import total
from consilience.types import Hit, Vote
from tests_shared import make_passage

COPIES = Copies(
    identities={"game": lambda passage: str(passage.metadata["moves"])},
    worth={"game": lambda passage: float(str(passage.metadata["notes"]))},
)


def game(key, score, *, notes, moves="e4 e5"):
    passage = make_passage(key, kind="game", metadata={"moves": moves, "notes": notes})
    vote = Vote(source="games/bm25", rank=1, score=score, weight=1.0, contribution=score)
    return Hit(passage=passage, score=score, votes=(vote,))


def merged(*hits):
    return dedupe(Refined(hits=hits), COPIES, threshold=0.9)


def test_the_copy_that_is_worth_more_takes_the_place_and_the_score():
    after = merged(
        game("a", 3.0, notes=0), game("c", 2.5, notes=1, moves="d4"), game("b", 1.0, notes=90)
    )
    assert [hit.passage.id for hit in after.hits] == ["b", "c"]
    best = after.hits[0]
    assert best.score == 3.0
    assert best.merged == ("a",)
    assert best.changes[-1].reason == "the copy that tells more takes the place"
    assert total(best) == pytest.approx(best.score)
    assert [(one.id, one.into) for one in after.losses] == [("a", "b")]


def test_among_equals_the_best_placed_stays():
    after = merged(game("a", 3.0, notes=5), game("b", 1.0, notes=5))
    assert [hit.passage.id for hit in after.hits] == ["a"]
    assert after.hits[0].merged == ("b",)


def test_of_many_copies_one_stays_with_all_the_others_as_provenance():
    after = merged(*(game(key, 5.0 - n, notes=n) for n, key in enumerate("abcd")))
    assert [hit.passage.id for hit in after.hits] == ["d"]
    assert set(after.hits[0].merged) == {"a", "b", "c"}
    assert {one.into for one in after.losses} == {"d"}
    assert after.hits[0].score == 5.0
