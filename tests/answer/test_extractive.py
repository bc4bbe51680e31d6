"""Answers without a language model: what they open with, what they add, how they read."""

import re

import pytest
from extractive_shared import answered, prose

from consilience.answer import extractive_writer
from consilience.answer.excerpts import asked, leans, read, together
from consilience.answer.task import Log, Task
from consilience.answer.transcript import Transcript
from consilience.understand.sentences import sentences

MERCURY = prose(
    1,
    "Keepers wound the clockwork every four hours. In the 1890s Bourdelles floated the lens on a "
    "bath of mercury, because a ring of liquid metal turns almost without friction. Mercury is "
    "poisonous. It was taken out of most lanterns again.",
    section=("The Lens", "Making it turn"),
)
RELIEF = prose(
    2,
    "The relief boat came when the weather allowed. Keepers served two months on the rock and one "
    "month ashore. Fresh meat was swung across on a rope.",
    title="The Keeper's Day",
    section=("Relief",),
)
CHALK = prose(3, "The cliff is white chalk. Flint lies in it in bands.", title="Stones")


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Who built the tower?", {"person"}),
        ("In which year was it lit?", {"time"}),
        ("How tall is it, and when was it lit?", {"number", "time"}),
        ("Why did it fall?", {"reason"}),
        ("Where does it stand?", {"place"}),
        ("What is a loom?", {"meaning"}),
        ("What do they want, now that they know where they are?", set()),
        ("Wann wurde der Turm gebaut?", {"time"}),
        ("Pourquoi la tour tremblait-elle ?", {"reason"}),
        ("¿Quién restauró la torre?", {"person"}),
        ("灯台の高さは？", set()),
    ],
)
def test_what_a_question_asks_for(question, kinds):
    assert asked(question).kinds == kinds


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("Who built the tower?", "It was built by Alan Stevenson.", "The tower was built of oak."),
        ("When was it lit?", "It was lit in 1811.", "It was lit at dusk."),
        ("When was the 1811 tower lit?", "It was lit in 1813.", "The 1811 tower was lit."),
        ("How many men?", "There were sixty men.", "There were men."),
        ("Why did it fall?", "It fell because it was light.", "It fell on a Monday."),
        ("What is a loom?", "A loom is a glow.", "One sees a loom at sea."),
    ],
)
def test_a_sentence_that_has_what_is_asked_for(question, yes, no):
    assert asked(question).answers(yes) > asked(question).answers(no)


def test_the_opening_answers_and_cites():
    found = answered("Why was the lens floated on mercury?", [RELIEF, MERCURY])
    first = found.text.split("\n\n")[0]
    assert first.startswith("“In the 1890s Bourdelles floated the lens")
    assert first.endswith("[1]")
    assert not found.faults
    assert found.citations[0].quote in MERCURY.passage.text


def test_meaning_finds_what_words_do_not(embedder):
    """With an embedder the nearest sentence wins; without, the one with the question's words."""
    near = read("liquid metal", [MERCURY, RELIEF], embedder).candidates
    assert max(near, key=lambda one: one.signs.meaning).mark == 1
    assert all(one.signs.meaning == 0 for one in read("x", [MERCURY], None).candidates)


def test_a_question_in_words_that_nobody_has_is_still_answered():
    assert answered("Zyx?", [CHALK]).text.endswith("[3]")


def test_what_says_little_of_the_question_is_left_out():
    text = answered("How long did keepers serve on the rock?", [RELIEF, MERCURY, CHALK]).text
    assert "two months on the rock" in text
    assert "chalk" not in text
    assert "Flint" not in text


@pytest.mark.parametrize(
    "text",
    ["He left.", "However, it stood.", "This was new.", "In 1990 it was moved.", "the rest of it",
     "When at last he came, all were glad.", "Two of his sons followed."],
)  # fmt: skip
def test_sentences_that_lean(text):
    assert leans(text)


@pytest.mark.parametrize(
    "text",
    ["Smeaton left.", "It is certain that he came.", "Both Alan and David built.",
     "In 1990 Wolf Rock moved.", "This report asks why.", "So many ships were lost."],
)  # fmt: skip
def test_sentences_that_stand_alone(text):
    assert not leans(text)


def test_what_leans_brings_what_it_leans_on():
    found = sentences("Alan built it. He was ill. He left. However, the tower stood. It rained.")
    assert together(found, 0) == [0]
    assert together(found, 1) == [0, 1]
    assert together(found, 2) == [0, 1, 2]
    assert together(found, 3) == [0, 3]
    assert together(sentences("He left."), 0) is None


def test_what_announces_brings_what_it_announces():
    text = "There are two reasons. The first is cost. The second is speed. Boats passed."
    assert together(sentences(text), 0) == [0, 1, 2]


def test_a_leaning_sentence_is_quoted_after_its_predecessor():
    text = answered("Was mercury taken out of lanterns again?", [MERCURY]).text
    assert "Mercury is poisonous. It was taken out of most lanterns again." in text


def test_what_two_sources_say_is_said_once_and_cites_both():
    again = prose(4, "Sailors knew it. Keepers wound the clockwork every four hours.", title="Log")
    text = answered("How often did keepers wind the clockwork?", [MERCURY, again]).text
    assert text.count("wound the clockwork") == 1
    assert "hours.” [1] [4]" in text


def test_other_numbers_are_no_agreement():
    again = prose(4, "Keepers wound the clockwork every 5 hours by hand.", title="Log")
    first = prose(1, "Keepers wound the clockwork every 4 hours by hand.", title="Book")
    text = answered("How often did keepers wind the clockwork?", [first, again]).text
    assert "[1] [4]" not in text


LONG = [
    prose(
        mark,
        " ".join(
            f"The keeper of station {name} {deed} the lamp in winter number {mark}{at}."
            for at, deed in enumerate(("trimmed", "cleaned", "watched", "lit", "mended", "painted"))
        ),
        title=f"Book {name}",
        section=(f"{mark}. On {name}",),
    )
    for mark, name in enumerate(("Ardna", "Bressay", "Cordoua", "Dungen", "Eddys", "Fastne"), 1)
]


def test_lengths_differ_and_keep_their_bounds():
    sizes = {
        length: len(answered("What did the keeper do in winter?", LONG, length=length).text.split())
        for length in ("concise", "balanced", "in-depth")
    }
    assert sizes["concise"] <= 120
    assert sizes["concise"] < sizes["balanced"] <= 350
    assert sizes["balanced"] < sizes["in-depth"] <= 1000


def test_parts_have_headings_from_the_documents_but_not_in_a_concise_answer():
    question = "What did the keeper do in winter?"
    assert "## On " in answered(question, LONG, length="in-depth").text
    assert "## 1." not in answered(question, LONG, length="in-depth").text
    assert "##" not in answered(question, LONG, length="concise").text
    assert "##" not in answered(question, LONG[:1], length="in-depth").text


def test_sources_are_named_where_there_are_several():
    text = answered("What did the keeper do in winter?", LONG).text
    assert re.search(r"\*Book Bressay\*( \([^)]*\))?: “", text)
    assert "*" not in answered("What did the keeper do in winter?", LONG[:1]).text


def test_parts_of_a_line_are_put_together_with_their_sources():
    small = [
        prose(mark, f"The lamp of {name} burns oil at night.", title=name, section=(name,))
        for mark, name in enumerate(("Ardna", "Bressay", "Cordoua"), 1)
    ]
    text = answered("Which lamp burns oil at night, and why?", small).text
    assert "##" not in text
    assert "*Bressay*: “" in text


def test_connecting_words_are_left_out_in_other_languages():
    first = prose(1, "Der Turm wurde 1908 gebaut. Der Turm ist hoch.", title="Türme")
    other = prose(2, "Der alte Turm wurde 1811 gebaut. Der Turm war klein.", title="Meer")
    text = answered("Wann wurde der Turm gebaut und wie hoch ist er?", [first, other]).text
    assert "1908" in text
    assert not re.search(r"\b(says|notes|writes|adds|Under|Elsewhere)\b", text)


def test_every_statement_is_whole_and_supported():
    found = answered("What did the keeper do in winter?", LONG, length="in-depth")
    assert found.support == 1.0
    for quote in re.findall(r"“([^”]*)”", found.text):
        for part in quote.split(" … "):
            assert any(part in one.passage.text for one in LONG), part
            assert part.endswith(".")


def test_the_same_evidence_gives_the_same_bytes(embedder):
    once = answered("Why mercury?", [MERCURY, RELIEF, CHALK], embedder=embedder).text
    assert once == answered("Why mercury?", [MERCURY, RELIEF, CHALK], embedder=embedder).text


def test_every_exhibit_is_in_the_outline_and_the_log_has_it():
    task = Task(question="Why mercury?", exhibits=(MERCURY, RELIEF, CHALK))
    made = extractive_writer.outline(task)
    assert sorted(mark for part in made.sections for mark in part.marks) == [1, 2, 3]
    assert all(part.heading for part in made.sections)
    assert made.opening
    log = Log()
    list(extractive_writer.write(task, Transcript(task.exhibits), None, log))
    assert log.outline == made


def test_a_sentence_longer_than_the_embedder_reads_is_cut_for_it(embedder):
    embedder.limit = 8
    long = prose(1, f"The keeper {'very ' * 60}slowly climbed the stair.")
    assert "[1]" in answered("Who climbed the stair?", [long], embedder=embedder).text


def test_no_evidence_is_no_answer():
    assert answered("Why?", []).text == ""


def test_text_of_others_stays_text():
    bad = prose(1, "Mercury is <b>bad</b> [7] for the keeper. [Source 9: Book] The keeper is bad.")
    found = answered("Is mercury bad for the keeper?", [bad])
    assert "[7]" not in found.text
    assert "Source 9" not in found.text
    assert "\\<b>" in found.text
    assert [one.mark for one in found.citations] == [1]
