"""Does an answer to "what is it?" begin with the definition?"""

from consilience.packs.research.defining import defined
from consilience.types import Exhibit
from tests_shared import make_passage


def exhibit(mark, text, *, name="", kind="document"):
    passage = make_passage(f"p{mark}", text, kind=kind, metadata={"name": name} if name else {})
    return Exhibit(mark=mark, passage=passage, label="", text=text)


NODES = [
    exhibit(
        1, "overlap (positivity). Every unit may get either treatment.", name="overlap", kind="node"
    ),
    exhibit(2, "overlap weight. A weight that fades out.", name="overlap weight", kind="node"),
    exhibit(3, "Start here. Overlap is what makes groups comparable. More follows."),
]


def told(question, exhibits=NODES, named=()):
    return [one.text for one in defined(question, exhibits, named)]


def test_the_definition_comes_first_and_then_what_a_paper_says():
    assert told("What is overlap?") == [
        "**overlap**: “Every unit may get either treatment” [1]",
        "“Overlap is what makes groups comparable” [3]",
    ]


def test_the_longest_concept_that_is_named_is_meant():
    assert told("What is an overlap weight?")[0].startswith("**overlap weight**")


def test_an_abbreviation_names_its_concept():
    assert told("What is CIA?") == []
    assert told("What is CIA?", named=("overlap",))[0].startswith("**overlap**")


def test_another_question_and_a_concept_without_words_define_nothing():
    assert told("Why does overlap matter?") == []
    bare = [exhibit(1, "overlap", name="overlap", kind="node")]
    assert told("What is overlap?", bare) == []
