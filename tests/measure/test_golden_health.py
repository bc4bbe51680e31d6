from dataclasses import replace

import pytest

from consilience.measure.data_model import Answer, Fact, Golden, Judgement, Question, Run, Way
from consilience.measure.golden_health import find_problems
from consilience.types import Locator

POOL = ("documents/bm25", "documents/dense")


def judged(key, text, *judgements, **more):
    return Question(
        id=key, text=text, judgements=judgements, **{"category": "x", "pool": POOL, **more}
    )


def quoting(quote, grade=1, document="towers.md", **place):
    return Judgement(document=document, quote=quote, grade=grade, locator=Locator(**place))


BELL = judged("bell", "Who put up a column off Arbroath?", quoting("built a tower on a reef"))
BLOCKS = judged("blocks", "How did Smeaton join stones?", quoting("dovetailed granite blocks"))
FAR = Question(id="far", text="How is dough risen?", unanswerable=True)


def found(workspace, *questions, by="passage", fingerprint="", runs=None):
    golden = Golden(name="g", questions=questions, by=by, fingerprint=fingerprint)
    return find_problems(golden, workspace.catalogue, runs=runs)


def named(found, name):
    return [one for one in found if one.name == name]


def healthy(workspace):
    """A set in which nothing is wrong."""
    subjects = ("lamps", "oil", "prisms", "rings", "blocks", "reefs", "granite", "gas", "glass")
    asked = [
        judged(
            f"q{n}-{subject}",
            f"Number {n * 31} about {subject}, case {subject}{n}?",
            quoting("built a tower on a reef"),
        )
        for n in range(3)
        for subject in subjects
    ]
    refused = [
        Question(id=f"u{n}", text=f"Is the {word} edible?", unanswerable=True)
        for n, word in enumerate(("moon", "car", "hat", "pen", "cat"))
    ]
    return (*asked, *refused)


def test_nothing_is_found_in_a_healthy_set(workspace):
    now = workspace.catalogue.fingerprint()
    assert found(workspace, *healthy(workspace), fingerprint=now) == []


def test_a_judgement_that_points_nowhere_is_an_error(workspace):
    lost = replace(BELL, judgements=(quoting("a tower in the clouds"),))
    (one,) = named(found(workspace, lost, BLOCKS), "unresolved")
    assert (one.level, one.questions) == ("error", ("bell",))
    assert "the quotation is not there" in one.message
    assert one.advice


def test_the_same_question_twice_is_an_error_and_nearly_the_same_a_warning(workspace):
    again = replace(BELL, id="again", text="who put up  a column off ARBROATH?")
    (one,) = named(found(workspace, BELL, BLOCKS, again), "duplicated")
    assert (one.level, one.questions) == ("error", ("bell", "again"))
    near = replace(BELL, id="near", text="Who put up a tall white column off Arbroath?")
    other = replace(BELL, id="other", text="Who put up a tall white column off Arbroath, please?")
    (one,) = named(found(workspace, near, BLOCKS, other), "duplicated")
    assert (one.level, one.questions) == ("warning", ("near", "other"))
    assert named(found(workspace, BELL, BLOCKS), "duplicated") == []


def test_one_text_with_two_grades_is_an_error(workspace):
    both = replace(BELL, judgements=(quoting("on a reef", 3), quoting("On a Reef", 1)))
    (one,) = named(found(workspace, both), "contradictory")
    assert (one.level, one.questions) == ("error", ("bell",))
    assert "graded 1 and 3" in one.message


def test_a_keyword_is_no_label(opened, evidence):
    prices = "\n\n".join(f"## Item {n}\n\nItem {n} costs {n}0 EUR/ton." for n in range(12))
    (evidence / "prices.md").write_text(f"# Prices\n\n{prices}\n", encoding="utf-8")
    space = opened()
    space.add([evidence])
    keyword = judged("price", "What does item 7 cost?", quoting("EUR/ton", document="prices.md"))
    (one,) = named(found(space, keyword), "keyword")
    assert (one.level, one.questions) == ("error", ("price",))
    assert "'EUR/ton' is in 12 passages of 1 documents" in one.message
    answer = replace(keyword, judgements=(quoting("70 EUR/ton", document="prices.md"),))
    assert named(found(space, answer), "keyword") == []
    placed = replace(
        keyword, judgements=(quoting("EUR/ton", document="prices.md", section=("Item 7",)),)
    )
    assert named(found(space, placed), "keyword") == []
    whole = replace(keyword, judgements=(Judgement(document="prices.md"),))
    (one,) = named(found(space, whole), "wide")
    assert (one.level, one.questions) == ("warning", ("price",))
    assert "matches 12 passages of prices.md" in one.message


def test_a_fact_has_a_value_that_few_passages_state(opened, evidence):
    items = "\n\n".join(f"## Item {n}\n\nIt costs 10 EUR in year {n}." for n in range(12))
    (evidence / "prices.md").write_text(f"# Prices\n\n{items}\n", encoding="utf-8")
    space = opened()
    space.add([evidence])

    def stating(*facts):
        question = judged(
            "price", "What is paid for it?", quoting("in year 7", document="prices.md")
        )
        return named(found(space, replace(question, facts=facts)), "keyword")

    (wide,) = stating(Fact(value="10", unit="EUR"))
    assert (wide.level, wide.questions) == ("warning", ("price",))
    assert "12 passages state '10'" in wide.message
    assert stating(Fact(value="10", unit="EUR", document="prices.md"), Fact(value="7")) == []
    (bare,) = stating(Fact(value="EUR"))
    assert bare.level == "error"


@pytest.mark.parametrize(
    "question",
    [
        replace(BLOCKS, text="Who dovetailed granite blocks?"),
        replace(BLOCKS, text="Were the granite blocks that he dovetailed heavy?"),
        replace(BLOCKS, judgements=(), text="Is it 35 m high?", facts=(Fact(value="35"),)),
    ],
)
def test_a_question_that_gives_its_answer_away_is_trivial(workspace, question):
    (one,) = named(found(workspace, question, BELL), "trivial")
    assert (one.level, one.questions) == ("warning", ("blocks",))


# --- where labels came from -------------------------------------------------------------


def test_labels_of_one_method_are_an_error(workspace):
    lone = [replace(one, pool=("documents/bm25",)) for one in (BELL, BLOCKS)]
    (one,) = named(found(workspace, *lone), "pool")
    assert (one.level, one.questions) == ("error", ("bell", "blocks"))
    assert "2 of 2 questions were judged on the results of documents/bm25 only" in one.message
    third = replace(BELL, id="c", text="Something else?")
    (one,) = named(found(workspace, lone[0], BLOCKS, third), "pool")
    assert one.level == "warning"


def test_labels_of_nobody_knows_which_method_are_a_warning(workspace):
    (one,) = named(found(workspace, replace(BELL, pool=()), BLOCKS), "pool")
    assert (one.level, one.questions) == ("warning", ("bell",))
    assert "`pool: [reading]`" in one.advice


def by_finds(workspace, pool):
    """Twelve questions of which only one of two sources finds the answer."""
    keys = [one.id for one in workspace.catalogue.each("documents")]
    (home,) = [one.id for one in workspace.catalogue.each("documents") if "reef" in one.text]
    questions = [
        judged(f"q{n}", f"Number {n}?", quoting("built a tower on a reef"), pool=pool)
        for n in range(12)
    ]
    others = tuple(key for key in keys if key != home)
    runs = {
        name: Run(
            way=Way(name=name, kind="source"),
            answers={
                one.id: Answer(
                    question=one.id, passages=first, scores=tuple(range(len(first), 0, -1))
                )
                for one in questions
            },
        )
        for name, first in {"mine": (home, *others), "yours": others}.items()
    }
    return named(found(workspace, *questions, runs=runs), "pool")


def test_evidence_that_one_source_alone_finds_is_suspicious(workspace):
    assert [one.level for one in by_finds(workspace, ())] == ["error", "warning"]
    (one,) = by_finds(workspace, ("mine", "yours"))
    assert one.level == "warning"
    assert "of 12 of 12 questions all evidence is found by mine" in one.message


# --- numbers ----------------------------------------------------------------------------


def test_too_few_questions_are_told(workspace):
    more = replace(BLOCKS, id="y", text="Which lamps?", category="y", language="de")
    told = [one.message for one in named(found(workspace, BELL, BLOCKS, more), "few")]
    assert any("3 questions can be answered" in one for one in told)
    assert any("the category 'x' has 2 questions" in one for one in told)
    assert any("the category 'y' has 1 questions" in one for one in told)
    assert any("0 questions are unanswerable" in one for one in told)
    assert any("1 questions are in 'de'" in one for one in told)


def test_a_corpus_that_changed_is_told(workspace, evidence):
    before = workspace.catalogue.fingerprint()
    assert named(found(workspace, BELL, fingerprint=before), "drift") == []
    (evidence / "new.md").write_text("# New\n\nSomething new.\n", encoding="utf-8")
    workspace.add([evidence])
    (one,) = named(found(workspace, BELL, fingerprint=before), "drift")
    assert one.level == "warning"
    assert before in one.message
    assert workspace.catalogue.fingerprint() in one.message


def test_errors_come_first_and_are_json(workspace):
    again = replace(BELL, id="again")
    levels = [one.level for one in found(workspace, BELL, again, FAR)]
    assert levels == sorted(levels)
    assert levels[0] == "error"
    (one,) = named(found(workspace, BELL, again), "duplicated")
    assert one.as_json() == {
        "level": "error",
        "name": "duplicated",
        "told": one.message,
        "advice": one.advice,
        "questions": ["bell", "again"],
    }
