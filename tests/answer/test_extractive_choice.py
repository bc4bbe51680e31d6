"""Which sentences an answer takes: those that have what is asked for, and can be quoted."""

import pytest
from extractive_shared import answered, prose

from consilience.answer.excerpts import (
    asked,
    is_entry,
    leans,
    picked,
    read,
    telling,
    terms,
    together,
)
from consilience.understand.sentences import sentences

# --- what a question is held against ----------------------------------------------------


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What was Brown's profit in 2016?", ("brown", "profit", "2016")),
        ("What is the height of the tower for?", ("height", "tower")),
        ("List the parts of a lamp", ("part", "lamp")),
        ("Compare the reef and the cliff", ("reef", "cliff")),
        ("How does a siren work?", ("siren",)),
        ("Why did the war begin?", ("war", "begin")),
        ("What does vitamin C do?", ("vitami", "c")),
        ("Qu'est-ce que l'optique ?", ("ce", "optiqu")),
        ("Who is it?", ("who", "is", "it")),
    ],
)
def test_small_words_and_orders_are_no_terms(question, wanted):
    assert asked(question).terms == wanted


def test_terms_of_names_are_those_of_questions():
    assert set(terms("Isle of May")) == set(terms("the May Isle"))
    assert set(terms("the US")) == {"us"}


def test_who_holds_an_office_is_asked_for_a_person():
    assert asked("Who is the keeper of Wolf Rock?").kinds == {"person"}
    assert asked("Who is John Smeaton?").kinds == {"meaning"}


@pytest.mark.parametrize(
    ("sentence", "least"),
    [
        ("A confounder is a variable that causes both.", 1.0),
        ("Confounders are those that cause both.", 1.0),
        ("A confounding variable is one that causes both.", 1.0),
        ("Confounder: what causes both.", 1.0),
        ("Confounder. A cause of both.", 1.0),
        ("Confounding occurs when both have one cause.", 1.0),
        ("What causes both is called a confounder.", 0.5),
        ("Confounders are many.", 0.5),
    ],
)
def test_a_sentence_that_says_what_something_is(sentence, least):
    wanted = asked("What is a confounder?")
    assert wanted.answers(sentence) >= least
    assert wanted.answers("In this case the confounder cannot be measured.") == 0


def test_a_definition_comes_before_an_example():
    example = prose(
        1, "In the school the confounder is wealth. A confounder can not be seen there."
    )
    meaning = prose(
        2, "People differ in much. A confounding variable is one that causes both of two things."
    )
    text = answered("What is a confounder?", [example, meaning], length="concise").text
    assert text.startswith("“A confounding variable is one")


def test_a_reason_comes_before_details():
    detail = prose(1, "Granite was used at Minot's Ledge. The granite used there was grey.")
    reason = prose(6, "Granite was used because rain does not wear it away.")
    text = answered("Why was granite used?", [detail, reason], length="concise").text
    assert text.startswith("“Granite was used because")


def test_since_a_year_is_no_reason():
    wanted = asked("Why did it fall?")
    assert wanted.answers("It fell since nobody held it.") == 1
    assert wanted.answers("It has been down since 1984.") == 0


def test_a_heading_that_the_question_names_leads_to_its_section():
    under = prose(
        2, "All of them came to 412 in the last count.", title="Ardna", section=("Keepers",)
    )
    other = prose(1, "Some lamps had 3 keepers, it is said.", title="Ardna", section=("Lamps",))
    found = read("How many keepers has Ardna?", [other, under], None).candidates
    assert found[1].signs.words == found[0].signs.words > 0
    assert read("How old is Ardna?", [other, under], None).candidates[1].signs.words == 0


# --- what can be quoted -----------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Total sales $ 2,541 $ 2,188 $ 2,204 $ 1,736 Profit 122 344 106 196",
        "December 31 September 30 June 30 March 31 (in thousands)",
        "Wolf 1807-1810 1811 35 Brown Bishop 1838-1844 1844 48 Jones",
        "Can you find a tower without a lamp?",
        ">>> tower = build(height=3)",
        "tower = tower.fit(lamp, lens)",
        "from towers import lamps as burners",
        "See [[Towers/Lamps|the lamps]] for all of it.",
        "The '''lamp''' is what burns in it.",
        "{{Diagram|lamp}} The lamp burns in the tower.",
        "It is shown in :ref:`lamps <lamps>` and elsewhere.",
        "The `lamp <https://example.org/lamp>`_ is what burns.",
        r"$\mathrm{Cov}(Z, T) \neq 0$ always.",
        r"So \alpha_{1} and \beta_{2} are both small.",
        "<div class='x'>The lamp is in the tower",
        "The following tables represent sales for the year.",
        "Year ended December 31,",
    ],
)
def test_rows_of_numbers_questions_code_and_markup_are_never_quoted(text):
    assert not telling(text)


@pytest.mark.parametrize(
    "text",
    [
        "There were 741 , 715 and 686 lamps on May 3, 2017 , May 4, 2016 and May 5, 2015 .",
        "In 2015, 2016 and 2017 it rose by 4 %, 5 % and 6 %.",
        "La ville compte 1 234 567 habitants et 3 000 000 de visiteurs en 1998 et 2003.",
        "total: 106,688 (2025 est.); male: 53,597 (2025 est.); female: 53,090 (2025 est.)",
        "chief: " + "King Wachira the Tenth, who has reigned for long; " * 6 + "since: 1 May 2016",
        "The effect is written $e$ in what follows.",
        "After 3. Nc3 Bb4 4. e5 c5 5. a3 White is better.",
        "He wrote <b>lamp</b> on the wall.",
        "Table 3 shows that fewer lamps were lit.",
        "It cost between $5 and $10 a day, or $3,000 a year in all.",
        f"Keepers came and went {'and came and went ' * 10}as the weather and the boat allowed.",
    ],
)
def test_sentences_with_many_numbers_or_signs_are_still_sentences(text):
    assert telling(text)


def test_an_exercise_is_not_the_answer():
    tasks = prose(1, "Why does the lamp need a clock? Can you build the clock of the lamp?")
    text = prose(2, "The lamp needs a clock to turn evenly.")
    assert answered("Why does the lamp need a clock?", [tasks, text]).text.startswith(
        "“The lamp needs"
    )


# --- what is quoted with what -----------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["area: 5 km; coast: none", "k-means is a method.", "e4 is the best move.", "pH is low."],
)
def test_small_letters_that_do_not_lean(text):
    assert not leans(text)


LIST = (
    "The method is old. It rests on two things:\n\n"
    "1. The lamp is lit. This says that oil is there.\n"
    "2. The lens is clean. This says that a keeper is there.\n\n"
    "Nothing else matters."
)


def test_an_announced_list_is_brought_whole():
    found = sentences(LIST)
    assert together(found, 1) == [0, 1, 2, 3, 4, 5]
    text = answered("On which two things does the method rest?", [prose(1, LIST)]).text
    assert "1. The lamp is lit." in text
    assert "2. The lens is clean. This says that a keeper is there." in text


def test_formulas_and_code_in_a_list():
    text = LIST.replace("The lamp is lit.", "$Z \\perp T | L $.").replace(
        "This says that a", "The a"
    )
    found = answered("On which two things does the method rest?", [prose(1, text)]).text
    assert "oil is there. 2. The lens" in found
    code = LIST.replace(
        "The lamp is lit. This says that oil is there.", "lamp = light(oil=1). So be it."
    )
    found = answered("On which two things does the method rest?", [prose(1, code)]).text
    assert "light(" not in found
    assert "two things: … The lens is clean." in found


def test_of_a_long_list_each_entry_is_begun():
    entries = "\n".join(
        f"- Lamp {name} burns. {'It burns on and on. ' * 20}" for name in ("one", "two", "three")
    )
    found = sentences(f"There are three lamps:\n\n{entries}")
    told = [found[at].text for at in together(found, 0) or []]
    assert told == [
        "There are three lamps:",
        *(f"Lamp {x} burns." for x in ("one", "two", "three")),
    ]


def test_what_announces_nothing_is_not_quoted():
    text = answered(
        "Which lamps burn oil?",
        [prose(1, "The lamps that burn oil are these:"), prose(2, "All lamps here burn oil.")],
    ).text
    assert "these:" not in text
    assert "All lamps here burn oil." in text


WALLS = (
    "Ardna stands off the coast in the open sea. Robert compared several curves for it. The result "
    "is heavy. It rises to the clouds. Its walls are three metres thick at the door."
)


def test_by_far_the_best_sentence_is_quoted_behind_the_beginning_of_its_paragraph():
    text = answered("How thick are the walls of Ardna?", [prose(1, WALLS)], length="concise").text
    assert text.startswith(
        "“Ardna stands off the coast in the open sea. … Its walls are three metres"
    )


def test_where_another_is_nearly_as_good_what_leans_far_back_is_left():
    other = prose(2, "The walls of Ardna are 3 metres thick.")
    text = answered("How thick are the walls of Ardna?", [other, prose(1, WALLS)]).text
    assert "Its walls" not in text


def test_of_a_person_nothing_between_is_left_out():
    between = "Alan built it. He was ill. He was tired. He was alone. He painted the walls blue."
    reading = read("Who painted the walls blue?", [prose(1, between)], None)
    pick = picked(reading, reading.candidates, words=1, least=0.0, most=1)[0]
    assert [one.place for one in pick.parts] == [0, 1, 2, 3, 4]


def test_what_begins_a_text_under_a_telling_heading_is_quoted():
    first = "Its walls are three metres thick at the door. The sea is near."
    headed = prose(1, first, section=("Ardna",))
    question = "How thick are the walls of Ardna?"
    assert "Its walls" in answered(question, [headed], length="concise").text
    bare = prose(1, first, section=("Elsewhere",), title="Log")
    assert not answered(question, [bare], length="concise").text.startswith("“Its walls")


DOMESTIC = (
    "In the domestic part the company earns monthly fees for services that consist only of lamps "
    "lent to members living in the United States."
)


def test_only_the_same_letters_are_cited_together():
    foreign = DOMESTIC.replace("domestic", "foreign").replace("living in", "living outside")
    again = DOMESTIC.replace("In the", "in the").replace("fees for", "fees  for")
    found = [prose(1, DOMESTIC), prose(2, foreign), prose(3, again)]
    text = answered("Which fees does the domestic part earn?", found).text
    assert "[1] [3]" in text
    assert "[2]" not in text.split("[3]")[0]


def test_code_is_not_brought_along():
    code = prose(1, "The lamp is built here:\n\n- tower = build(lamp)\n- lamp.burn(oil=1)")
    words = prose(2, "Men built the lamp here in summer.")
    text = answered("Who built the lamp here?", [code, words]).text
    assert "build(" not in text
    assert "Men built the lamp" in text
    assert "The lamp is built here:" not in text


# --- short entries ----------------------------------------------------------------------


def test_a_short_entry_that_gives_a_number_for_what_is_asked_is_quoted():
    numbers = prose(1, "- 113 police\n- 114 fire brigade and rescue\n- 115 ambulance",
                    section=("Emergency numbers",))  # fmt: skip
    assert answered("What number do I ring for an ambulance?", [numbers]).text.startswith("“115")


@pytest.mark.parametrize(
    ("text", "kept"),
    [("115 ambulance", True), ("ambulance: 115", True), ("ambulance", False), ("12 13", False),
     ("1. e4 e5", False), ("115", False), ("Room 4 is", False)],
)  # fmt: skip
def test_an_entry_is_a_number_and_what_it_is_of(text, kept):
    assert is_entry(text) is kept
