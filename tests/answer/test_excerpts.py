"""Answers without a language model: excerpts of one place each, rows, chains; nothing spliced."""

from __future__ import annotations

import pytest
from excerpt_shared import answered, linked, prose, row

from consilience.answer.excerpts import outline, unspoken
from consilience.answer.quotations import terms
from consilience.answer.task import Task

TOWER = (
    "The first tower was of timber. It burned down in 1755. Smeaton built the third tower of "
    "granite blocks that lock into one another. Its shape was taken from an oak. The lamp held "
    "twenty four candles. Visitors may climb it in summer."
)


def test_an_excerpt_is_a_run_of_sentences_as_they_stand_there():
    text = answered("Who built the tower of granite?", [prose(1, TOWER)]).text
    quotation = text.split("“")[1].split("”")[0]
    assert "Smeaton built the third tower of granite blocks" in quotation
    assert quotation in TOWER
    assert "…" not in text


def test_the_heading_of_its_place_stands_before_it():
    found = prose(1, TOWER, title="Reef lights", section=("Eddystone",))
    text = answered("Who built the tower of granite?", [found]).text
    assert text.startswith("*Reef lights* (Eddystone): “")


def test_a_sentence_that_refers_back_brings_the_one_before():
    passage = prose(1, "The bell weighs five tons. It was cast in Ghent by two brothers.")
    text = answered("Where was the bell cast?", [passage]).text
    assert "The bell weighs five tons. It was cast in Ghent" in text


def test_the_best_passage_comes_first_whatever_its_rank():
    other = prose(1, "Keepers lived below the lamp room. They kept a garden and two goats.")
    text = answered("Who built the tower of granite?", [other, prose(2, TOWER)]).text
    assert text.index("[2]") < text.find("[1]") or "[1]" not in text


def test_two_passages_are_never_joined_in_one_quotation():
    texts = ["Norland has nine harbours and one lighthouse.", "Sutland has two harbours."]
    passages = [prose(mark, text, title=text[:7]) for mark, text in enumerate(texts, start=1)]
    text = answered("How many harbours are there?", passages).text
    for quotation in text.split("“")[1:]:
        assert quotation.split("”")[0] in texts


def test_a_list_is_quoted_whole_with_what_announces_it():
    text = "Three things are needed for a signal:\n\n- a lamp\n- a lens of glass\n- a shutter\n"
    found = answered("What is needed for a signal?", [prose(1, text)]).text
    assert "Three things are needed for a signal:" in found
    for entry in ("- a lamp [1]", "- a lens of glass [1]", "- a shutter [1]"):
        assert entry in found


def test_rows_stand_under_the_header_of_their_table():
    rows = [
        row(1, name="Cordouan", height_m=67.5, lit=1611),
        row(2, name="Ar Men", height_m=37, lit=1881),
    ]
    found = answered("How high is Cordouan?", rows).text
    lines = found.splitlines()
    assert lines[0].startswith("| name |")
    assert any("Cordouan" in line and "67.5" in line and "[1]" in line for line in lines)


TOWERS = [
    row(1, name="Cordouan", height_m=67.5, country="France", lit=1611),
    row(2, name="Île Vierge", height_m=82.5, country="France", lit=1902),
    row(3, name="Skerryvore", height_m=48, country="Scotland", lit=1844),
]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which towers in France are there?", {1, 2}),
        ("Which towers are there?", {1, 2, 3}),
    ],
)
def test_rows_have_the_values_of_a_question(question, expected):
    found = answered(question, TOWERS)
    assert {one.mark for one in found.citations} == expected


def test_a_path_is_a_line_of_arrows_and_then_its_sentences():
    path = linked(1, "path", "Smeaton → (built) → Tower → (on) → Reef\nSmeaton built it in 1759.")
    found = answered("How is Smeaton related to the reef?", [path]).text
    assert found.startswith("Smeaton → (built) → Tower → (on) → Reef [1]")
    assert "“Smeaton built it in 1759.” [1]" in found


def test_of_two_things_that_are_compared_each_has_an_excerpt():
    passages = [
        prose(1, "A mirror throws the light back and loses half of it.", title="Mirrors"),
        prose(2, "A mirror has to be polished every week by the keeper.", title="Care"),
        prose(3, "A prism bends the light and loses little of it.", title="Prisms"),
    ]
    found = answered("What is the difference between a mirror and a prism?", passages).text
    assert "[3]" in found
    assert "[1]" in found or "[2]" in found


def test_rows_of_both_sides_come_first():
    found = answered("Compare Cordouan and Skerryvore", TOWERS).text
    assert found.startswith("| name |")
    assert "[1]" in found
    assert "[3]" in found
    assert "[2]" not in found


def test_a_table_that_was_run_together_is_no_sentence():
    words = " ".join(f"cell{number} light tower" for number in range(20))
    found = answered("Which tower has a light?", [prose(1, f"{words}.\n\nThe tower has a light.")])
    assert "cell3" not in found.text


def test_an_excerpt_ends_at_what_cannot_be_read():
    table = " ".join(f"cell{number} lamp oil" for number in range(20))
    text = f"The lamp burned oil.\n\n{table}.\n\nThe oil of the lamp came from whales."
    found = answered("Which oil did the lamp burn?", [prose(1, text)]).text
    assert "The lamp burned oil." in found or "came from whales" in found
    assert "cell3" not in found


def test_what_follows_a_list_does_not_print_it_twice():
    text = "The lamp needs oil.\n\n- oil of whales\n- oil of seeds\n\nThe lamp needs a wick too."
    found = answered("What does the lamp need?", [prose(1, text)]).text
    assert found.count("oil of whales") <= 1


def test_a_side_that_is_found_in_part_is_not_called_missing():
    passages = [
        prose(1, "A mirror throws the light back and loses half of it."),
        prose(2, "A prism bends the light and loses little of it."),
    ]
    question = "What is the difference between a mirror and a prism for a keeper in winter?"
    assert "Nothing that was found" not in answered(question, passages).text


def test_a_part_of_which_nothing_speaks_is_named():
    passages = [prose(1, "The soup has celery and mustard in it.")]
    found = answered("What is in the soup, and how does one freeze asparagus?", passages).text
    assert "celery" in found
    assert "Nothing that was found speaks of “and how does one freeze asparagus”" in found


def test_a_question_of_one_part_has_no_part_missing():
    assert unspoken("Who froze asparagus?", [prose(1, TOWER)]) == ()


def test_the_second_part_of_a_question_is_looked_for_in_the_same_passage():
    text = (
        "The sausages are warmed apart, so that the soup stays vegan. Write it on a sign. The soup "
        "of the regatta is sold by the bowl. Its allergens are celery and mustard. The soup cost "
        "96 euros in all. Keep the soup of the regatta hot."
    )
    found = answered("Which allergens are in the regatta soup, and is it vegan?", [prose(1, text)])
    assert "allergens are celery and mustard" in found.text
    assert "the soup stays vegan" in found.text


def test_what_only_repeats_is_not_shown_twice():
    again = [prose(mark, TOWER, title=f"Copy {mark}") for mark in (1, 2, 3)]
    found = answered("Who built the tower of granite?", again).text
    assert found.count("Smeaton built") == 1


def test_a_concise_answer_is_one_excerpt():
    passages = [
        prose(1, "The lamp burned whale oil until 1846."),
        prose(2, "From 1846 the lamp burned colza oil, which smoked less."),
    ]
    found = answered("Which oil did the lamp burn?", passages, length="concise").text
    assert found.count("“") == 1


def test_words_of_a_question_that_only_ask_do_not_count():
    assert terms("What is the height of the tower?") == terms("height tower")


def test_every_exhibit_is_in_a_part_of_the_outline():
    passages = tuple(prose(mark, TOWER, title=f"Book {mark % 2}") for mark in (1, 2, 3))
    made = outline(Task(question="towers", exhibits=passages))
    assert sorted(mark for part in made.sections for mark in part.marks) == [1, 2, 3]
