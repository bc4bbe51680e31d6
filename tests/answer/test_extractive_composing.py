"""What an answer leaves out, where it stops, and how its parts are put together."""

from dataclasses import replace

import pytest
from extractive_shared import answered, edge, linked, prose, row

from consilience.answer.excerpts import (
    aspect,
    heading,
    read,
    sides,
    source,
    telling_heading,
    titled,
)
from consilience.answer.exhibits import choose
from consilience.answer.extractive_writer import Aim
from consilience.settings import Answering
from consilience.text_markup import MARK
from consilience.types import Hit
from tests_shared import make_passage

TOWER = prose(
    1,
    "The Bell Rock tower has a height of 35 metres. Granite was cut at Arbroath for the Bell Rock "
    "tower. The Bell Rock tower was lit in 1811.",
    title="Rock Towers",
)
MOLE = prose(2, "The mole at Dover has a height of 9 metres. It was lit early.", title="Harbours")


def rows_of(text):
    return [line for line in text.splitlines() if line.startswith("|")][2:]


# --- no filler --------------------------------------------------------------------------


def test_a_question_for_one_thing_stops_when_it_is_answered():
    found = answered("What height has the Bell Rock tower?", [TOWER, MOLE])
    assert found.text == "“The Bell Rock tower has a height of 35 metres.” [1]"


def test_what_does_not_speak_of_what_is_named_is_no_part_of_the_answer():
    """The other passage has the question's words, but speaks of another place."""
    question = "Tell me of the granite and the height of the tower at Bell Rock"
    other = prose(2, "The granite tower at Dover has the height of a mast.", title="Harbours")
    assert "Dover" not in answered(question, [TOWER, other], length="in-depth").text
    titled_so = replace(other, passage=replace(other.passage, title="Bell Rock"))
    assert "Dover" in answered(question, [TOWER, titled_so], length="in-depth").text


@pytest.mark.parametrize(("relevance", "told"), [(0.5, True), (0.02, False), (None, True)])
def test_doubtful_passages_are_no_tail(relevance, told):
    tail = prose(2, "Keepers burn oil in lamps of brass at sea.", title="Brass")
    exhibits = [
        prose(1, "Keepers burn oil in lamps because it is bright.", title="Oil"),
        replace(tail, relevance=relevance),
    ]
    assert ("brass" in answered("Why do keepers burn oil in lamps?", exhibits).text) == told


def test_the_bar_has_bounds_on_both_sides(embedder):
    """A best sentence that is very good does not shut out all others, nor a poor one let all in."""
    best = prose(1, "The height of the Bell Rock tower is great. Boats pass.", title="Bell Rock")
    aim = Aim(read("height of the Bell Rock tower", [best], embedder), "balanced")
    top = max(one.score for one in aim.reading.candidates)
    assert aim.least < 0.7 * top
    poor = Aim(read("Who minds geese?", [best], embedder), "balanced")
    assert poor.least >= 0.8 * max(one.score for one in poor.reading.candidates)


def test_sentences_on_the_document_itself_add_nothing():
    found = prose(
        1, "The lamp burns oil at sea. In this chapter the lamp that burns oil at sea is drawn."
    )
    assert "chapter" not in answered("Tell me about the lamp that burns oil", [found]).text


# --- tables -----------------------------------------------------------------------------

LIGHTS = [
    row(1, name="Eddystone Lighthouse (Smeaton)", country="England", height_m=22, lit="yes"),
    row(2, name="Eddystone Lighthouse (Douglass)", country="England", height_m=49, lit="yes"),
    row(3, name="Bell Rock Lighthouse", country="Scotland", height_m=35, lit="yes", cost=60000),
    row(4, name="Dover Lighthouse", country="England", lit="no"),
]


def test_a_name_in_brackets_is_not_needed_to_mean_a_row():
    text = answered("How tall is the Eddystone?", LIGHTS).text
    assert text == (
        "Eddystone Lighthouse (Smeaton): height (m) 22 [1].\n\n"
        "Eddystone Lighthouse (Douglass): height (m) 49 [2]."
    )


def test_only_the_columns_that_are_asked_for_are_shown():
    text = answered("Is the Eddystone taller than the Bell Rock?", LIGHTS).text
    assert text.startswith("| name | height (m) |\n")
    assert MARK.findall(text) == ["1", "2", "3"]


def test_compared_rows_have_their_common_columns_first():
    text = answered("Compare Bell Rock and Dover", LIGHTS).text
    assert text.startswith("| name | country | lit | height (m) | cost |\n")
    assert MARK.findall(text) == ["3", "4"]


def test_an_empty_cell_that_is_asked_for_is_said_to_be_empty():
    text = answered("What is the height of Dover Lighthouse?", LIGHTS).text
    assert text == "Dover Lighthouse: no height (m) is given [4]."


def test_a_column_of_yes_and_no_means_yes_unless_it_is_denied():
    assert MARK.findall(answered("Which lighthouses in England are lit?", LIGHTS).text) == [
        "1",
        "2",
    ]
    assert MARK.findall(answered("Which lighthouses in England are not lit?", LIGHTS).text) == ["4"]


def test_how_many_is_answered_by_a_number_and_what_it_counts():
    text = answered("How many lighthouses are in England?", LIGHTS).text
    assert text.startswith("3 rows fit, of those that were found in “towers”.\n\n| name |")
    assert len(rows_of(text)) == 3


def test_a_list_says_that_it_may_not_be_all():
    text = answered("Which lighthouses are in England?", LIGHTS).text
    assert text.endswith("3 of the rows that were found fit; “towers” may have others.")


@pytest.mark.parametrize(
    "question",
    ["Why were lighthouses in England lit?", "How were the lighthouses of England built?"],
)
def test_no_table_tells_why_or_how(question):
    told = prose(5, "Lighthouses in England were lit and built because of wrecks.", title="Wrecks")
    text = answered(question, [*LIGHTS, told]).text
    assert text.startswith("“Lighthouses in England")
    assert "|" not in text


def test_rows_without_what_is_asked_for_are_not_shown():
    told = prose(5, "The keeper of the Bell Rock is Angus Grey.", title="Keepers")
    assert "|" not in answered("Who is the keeper of Bell Rock?", [told, *LIGHTS]).text


def test_a_column_that_is_only_mentioned_is_not_the_answer():
    told = prose(5, "The hardest blow of wind recorded at the Bell Rock, at any height, was long.")
    text = answered(
        "What was the hardest blow recorded at Bell Rock at any height?", [told, *LIGHTS]
    )
    assert text.text.startswith("“The hardest blow")


# --- two sides --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "pair"),
    [
        ("Compare Bell Rock and Skerryvore", (("bell", "rock"), ("skerry",))),
        ("Compare the economies of Japan and Thailand", (("japan",), ("thaila",))),
        ("What is the difference between chess and checkers?", (("ches",), ("checke",))),
        ("Is Eddystone taller than Bell Rock?", (("eddyst",), ("bell", "rock"))),
        ("How does a random forest differ from boosting?", (("random", "forest"), ("boosti",))),
        ("Who built the Bell Rock and the harbour?", None),
    ],
)
def test_what_a_question_compares(question, pair):
    found = sides(question)
    assert (tuple(one.terms for one in found) if found else None) == pair


def test_in_what_respect_things_are_compared():
    question = "Compare the economies of Japan and Thailand"
    assert aspect(question, sides(question)) == {"econom"}
    assert not aspect("Compare Japan and Peru", sides("Compare Japan and Peru"))


def test_a_comparison_has_both_sides():
    exhibits = [
        prose(1, "Copper wears well in salt air. Copper is soft. Copper is red.", title="Copper"),
        prose(2, "Copper is dear in winter. Copper shines.", title="Prices"),
        prose(3, "Boats pass. Bronze lasts longer and is hard.", title="Bronze"),
    ]
    first = answered("What is the difference between copper and bronze?", exhibits).text
    opening = first.split("\n\n")[0]
    assert "Copper" in opening
    assert "Bronze lasts longer" in opening


# --- links ------------------------------------------------------------------------------


def test_the_verb_of_a_question_tells_which_link_answers():
    links = [
        edge(1, "Cape Light", "USES_GLASS", "Step lens", "The lens was lit there."),
        edge(2, "Jean Petit", "INVENTED", "Step lens", "Petit cut the lens into rings."),
    ]
    text = answered("Who invented the lens used as glass at the Cape Light?", links).text
    assert text.startswith("Jean Petit → (invented) → Step lens")


def test_a_node_is_cut_after_its_other_names():
    node = linked(
        1, "node", "Ann Lee Bell (A. L. Bell). Writer of tales.", name="Ann Lee Bell",
        aliases=("A. L. Bell",),
    )  # fmt: skip
    assert answered("Who was Ann Lee Bell?", [node]).text == (
        "**Ann Lee Bell**: “Writer of tales.” [1]"
    )


# --- headings and sources ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("3. Results of tests", "Results of tests"), ("2.1 The site", "The site"),
     ("1. e4 c6", "1\\. e4 c6"), ("IV assumptions", "IV assumptions"),
     ("8. A new life", "A new life"),
     ("2016 results", "2016 results"), ("THE 10K OF NIKE", "The 10K of Nike")],
)  # fmt: skip
def test_headings_lose_their_number_and_nothing_else(text, wanted):
    assert heading(text) == wanted


def test_titles_stay_as_they_are():
    assert titled("10K report of NIKE") == "10K report of NIKE"
    assert titled("1. e4 c6") == "1\\. e4 c6"


@pytest.mark.parametrize(
    "empty", ["CHAPTER I", "References", "4. Conclusions", "Part 2", "III", "7"]
)
def test_headings_that_say_nothing_are_passed_over(empty):
    passage = prose(1, "Text.", title="Lamps", section=("Oil", empty)).passage
    assert telling_heading(passage) == "Oil"
    assert source(prose(1, "Text.", title="Lamps", section=(empty,)).passage) == "*Lamps*"


def test_paragraphs_are_short_and_name_their_source_once():
    exhibits = [
        prose(
            mark,
            " ".join(
                f"The keeper of the lamp did work number {mark}{at} there." for at in range(9)
            ),
            title=title,
        )
        for mark, title in ((1, "Logs"), (2, "Diaries"))
    ]
    text = answered("What work did the keeper of the lamp do?", exhibits, length="in-depth").text
    for paragraph in text.split("\n\n"):
        assert paragraph.count("“") <= 4
        assert paragraph.count("*Logs*") <= 1
        assert paragraph.count("*Diaries*") <= 1


# --- choosing ---------------------------------------------------------------------------


def hit(key, text, *, kind="row", relevance=0.5):
    name = text.split("; ")[0].removeprefix("name: ")
    return Hit(
        passage=make_passage(
            key, text, kind=kind, metadata={"name": name} if kind == "row" else {}
        ),
        score=1.0,
        relevance=relevance,
    )


def test_rows_that_the_question_names_are_chosen_whatever_their_relevance():
    hits = [
        *(hit(f"b{n}", "Some words.", kind="book") for n in range(12)),
        hit("r1", "name: Bell Rock", relevance=0.01),
        hit("r2", "name: Wolf Rock", relevance=0.01),
    ]
    chosen = choose(hits, Answering(), length="balanced", question="How tall is Bell Rock?")
    assert [one.passage.id for one in chosen if one.passage.kind == "row"] == ["r1"]
    assert not any(
        one.passage.kind == "row" for one in choose(hits, Answering(), length="balanced")
    )


def test_where_rows_lead_the_list_is_whole():
    hits = [
        *(hit(f"r{n}", f"name: Tower {n}") for n in range(15)),
        *(hit(f"f{n}", f"name: Far {n}", relevance=0.2) for n in range(9)),
    ]
    chosen = choose(hits, Answering(), length="concise")
    assert [one.passage.id for one in chosen] == [f"r{n}" for n in range(15)]


def test_both_sides_of_a_comparison_are_chosen():
    hits = [
        *(hit(f"a{n}", "Copper is soft and red.", kind="book") for n in range(12)),
        *(hit(f"z{n}", "Bronze is hard.", kind="book", relevance=0.02) for n in range(9)),
    ]
    chosen = choose(hits, Answering(), length="balanced", question="Compare copper and bronze")
    assert [one.passage.id for one in chosen][12:] == ["z0", "z1", "z2", "z3"]
    assert len(choose(hits, Answering(), length="balanced")) == 12


def test_a_yes_or_no_needs_less_than_an_open_question():
    exhibits = [
        prose(
            mark,
            " ".join(f"The keeper of the lamp did {word} work by night." for word in words.split()),
            title=f"Book {mark}",
        )
        for mark, words in enumerate(
            ("hard good long dull", "fine rough safe cold", "wet brave idle odd"), start=1
        )
    ]
    told = answered("Does the keeper of the lamp work by night?", exhibits).text
    opened = answered("Tell me of the keeper of the lamp at work by night", exhibits).text
    assert told.count("The keeper") < opened.count("The keeper")
