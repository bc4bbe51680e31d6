"""Does an answer to "what does it assume?" begin with what the graph says?"""

from consilience.packs.research.requiring import required
from consilience.types import Exhibit
from tests_shared import make_passage

QUOTE = "Matching requires overlap and unconfoundedness"


def edge(mark, target, *, source="matching", relation="REQUIRES"):
    text = f"{source} → ({relation.lower()}) → {target}. “{QUOTE}” (a.md)"
    known = {"source": source, "relation": relation, "target": target}
    passage = make_passage(f"e{mark}", text, kind="edge", metadata=known)
    return Exhibit(mark=mark, passage=passage, label="", text=text)


BOTH = [edge(1, "overlap"), edge(2, "unconfoundedness"), edge(3, "weighting", relation="USES")]


def told(question, exhibits=BOTH, named=()):
    return [one.text for one in required(question, exhibits, named)]


def test_every_requirement_is_a_line_and_the_words_are_told_once():
    assert told("What does matching assume?") == [
        "matching → (requires) → overlap [1]",
        "matching → (requires) → unconfoundedness [2]",
        f"“{QUOTE}” [1]",
    ]
    assert [one.opens for one in required("What does matching assume?", BOTH, ())][:2] == [
        True,
        False,
    ]


def test_the_concept_may_be_named_by_an_abbreviation():
    assert told("What does NNM assume?") == []
    assert len(told("What does NNM assume?", named=("matching",))) == 3


def test_one_requirement_is_no_list_and_another_question_wants_none():
    assert told("What does matching assume?", BOTH[:1]) == []
    assert told("What is matching?") == []


def test_what_helps_where_something_fails_is_told_from_either_end():
    exhibits = [
        edge(1, "overlap", relation="GENERALIZES", source="weak overlap"),
        edge(2, "trimming", relation="ALTERNATIVE_TO", source="overlap"),
        edge(3, "matching", relation="REQUIRES", source="overlap"),
    ]
    assert told("What can be done when overlap fails?", exhibits) == [
        "weak overlap → (generalizes) → overlap [1]",
        "overlap → (alternative_to) → trimming [2]",
        f"“{QUOTE}” [1]",
    ]
