"""Every statement is checked before it is said, and the text grows by what is left of it."""

from markdown_it import MarkdownIt

from consilience.answer.exhibits import exhibits_of
from consilience.answer.transcript import DOUBTED, Transcript
from consilience.types import Hit, Statement
from tests_shared import make_passage

TOWER = "Smeaton made his tower of stone. It was lit in 1759 with twenty-four candles."
REEF = "The reef lies off Plymouth, and ships feared it."


def transcript(**more):
    hits = [
        Hit(passage=make_passage(f"p{n}", text), score=1.0) for n, text in enumerate((TOWER, REEF))
    ]
    return Transcript(exhibits_of(hits), **more)


def test_statements_are_joined_as_paragraphs_sentences_and_blocks():
    said = transcript()
    texts = [
        said.say(one).text
        for one in (
            Statement(text="Smeaton made his tower of stone [1]."),
            Statement(text="It was lit in 1759 [1]."),
            Statement(text="The reef lies off Plymouth [2].", opens=True),
            Statement(text="| name |\n| --- |\n| Smeaton [1] |", form="table"),
            Statement(text="Ships feared the reef [2]."),
        )
    ]
    assert texts[:3] == [
        "Smeaton made his tower of stone [1].",
        " It was lit in 1759 [1].",
        "\n\nThe reef lies off Plymouth [2].",
    ]
    assert texts[3].startswith("\n\n| name |")
    assert texts[4] == "\n\nShips feared the reef [2]."
    assert said.text == "".join(texts)


def test_a_heading_waits_until_something_under_it_is_said():
    said = transcript()
    said.say(Statement(text="The lamp", form="heading"))
    assert said.say(Statement(text="It was lit in 1812 [1].")).text == ""
    said.say(Statement(text="The tower", form="heading"))
    assert said.say(Statement(text="It was lit in 1759 [1].")).text == (
        "## The tower\n\nIt was lit in 1759 [1]."
    )
    assert "The lamp" not in said.text


def test_what_fails_is_removed_listed_and_counted_against_the_support():
    said = transcript()
    said.say(Statement(text="It was lit in 1759 [1]."))
    gone = said.say(Statement(text="It was lit in 1812 [1]."))
    assert gone.text == ""
    assert [(one.value, one.action) for one in gone.faults] == [("1812", "removed")]
    assert list(gone.faults) == said.faults
    assert 0 < said.support < 1


def test_what_fails_is_marked_where_the_settings_say_so():
    said = transcript(unsupported="mark")
    (fault,) = said.say(Statement(text="It was lit in 1812 [1].")).faults
    assert fault.action == "marked"
    assert said.text == f"It was lit in 1812 [1]. {DOUBTED}"


TABLE = "| name | lit |\n| --- | --- |\n| Smeaton | 1759 [1] |\n| Smeaton | 1812 [1] |"


def test_a_row_that_fails_is_removed_and_the_table_stays():
    said = transcript()
    (fault,) = said.say(Statement(text=TABLE, form="table")).faults
    assert (fault.value, fault.action) == ("1812", "removed")
    assert said.text == TABLE.rpartition("\n")[0]
    assert [one.mark for one in said.citations] == [1]
    wrong = said.say(Statement(text=TABLE.replace("1759", "1760"), form="table"))
    assert wrong.text == ""
    assert [one.value for one in wrong.faults] == ["1760", "1812"]


def test_a_row_that_fails_is_marked_in_its_last_cell():
    said = transcript(unsupported="mark")
    said.say(Statement(text=TABLE, form="table"))
    assert said.text.split("\n")[2:] == [
        "| Smeaton | 1759 [1] |",
        f"| Smeaton | 1812 [1] {DOUBTED} |",
    ]
    shown = MarkdownIt("commonmark").enable("table").render(said.text)
    assert shown.count("not borne out") == 1


def test_a_mark_that_leads_nowhere_is_taken_out_and_the_sentence_kept():
    said = transcript(unsupported="mark")
    (fault,) = said.say(Statement(text="It was lit in 1759 [1] [9].")).faults
    assert (fault.check, fault.action) == ("mark", "removed")
    assert said.text == "It was lit in 1759 [1]."
    assert said.support < 1


def test_citations_lead_to_the_words_that_the_text_rests_on():
    said = transcript()
    said.say(Statement(text="The reef lies off Plymouth [2].", quotes={2: "off Plymouth"}))
    said.say(Statement(text="Its lamp of 1759 had candles [1]."))
    first, second = said.citations
    assert (first.mark, second.mark) == (1, 2)
    assert second.quote == "off Plymouth"
    assert first.quote == "It was lit in 1759 with twenty-four candles."
    assert said.citation(3) is None


def test_nothing_to_check_is_no_support_at_all():
    assert transcript().support is None
