"""Rows, links and games in answers without a language model."""

import pytest
from extractive_shared import answered, edge, linked, prose, row

from consilience.answer.excerpts import asked
from consilience.answer.records import row_of, table, title
from consilience.packs.chess import game_citations
from consilience.text_markup import MARK

TOWERS = [
    row(1, name="Ar-Men Lighthouse", country="France", first_lit=1881, height_m=37,
        engineer="Paul Joly"),
    row(2, name="Cordouan Lighthouse", country="France", first_lit=1611, height_m=67.5),
    row(3, name="Wolf Rock Lighthouse", country="England", first_lit=1870, height_m=41),
    row(4, name="Gatteville Lighthouse", country="France", first_lit=1835, height_m=75),
]  # fmt: skip


def test_one_value_of_one_row_is_a_sentence():
    found = answered("How tall is Cordouan?", TOWERS)
    assert found.text == "Cordouan Lighthouse: height (m) 67.5 [2]."
    assert not found.faults


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("When was Wolf Rock first lit?", "first lit 1870 [3]"),
        ("Who was the engineer of Ar-Men Lighthouse?", "engineer Paul Joly [1]"),
        ("In which country does Gatteville stand?", "country France [4]"),
        ("How many metres high is Wolf Rock?", "height (m) 41 [3]"),
    ],
)
def test_the_column_that_is_asked_for(question, wanted):
    assert wanted in answered(question, TOWERS).text


def rows_of(text):
    return [line for line in text.splitlines() if line.startswith("|")][2:]


def test_several_rows_are_one_table_and_each_ends_in_its_mark():
    found = answered("Which lighthouses in France are taller than 50 m?", TOWERS)
    lines = rows_of(found.text)
    assert [MARK.findall(line) for line in lines] == [["2"], ["4"]]
    assert all(line.endswith("] |") for line in lines)
    assert "| height (m) | country |" in found.text
    assert "first lit" not in found.text
    assert found.support == 1.0


@pytest.mark.parametrize(
    ("question", "marks"),
    [
        ("Lighthouses lit between 1800 and 1875", ["4", "3"]),
        ("Lighthouses lit after 1850 in England", ["3"]),
        ("Lighthouses in France, the tallest height first", ["4", "2", "1"]),
        ("List the towers", ["1", "2", "3", "4"]),
    ],
)
def test_rows_meet_what_the_question_says(question, marks):
    found = MARK.findall(answered(question, TOWERS).text)
    assert sorted(found) == sorted(marks)
    if "tallest" in question:
        assert found == marks


@pytest.mark.parametrize(
    ("question", "marks"),
    [
        ("Towers more than 41 m high", {"2", "4"}),
        ("Towers at least 41 m high", {"2", "3", "4"}),
        ("Towers of a height of up to 41 metres", {"1", "3"}),
        ("Towers lit before 1835", {"2"}),
        ("Towers higher than 130 feet", {"1", "2", "3", "4"}),  # feet are not compared with metres
    ],
)
def test_bounds_are_taken_at_their_word(question, marks):
    assert set(MARK.findall(answered(question, TOWERS).text)) == marks


def test_columns_are_named_as_a_person_would():
    assert title("height_m") == "height (m)"
    assert title("first_lit") == "first lit"
    assert title("Focal distance (mm)") == "Focal distance (mm)"


def test_rows_that_add_nothing_are_left_out_where_prose_answers():
    told = prose(1, "Sound travels far over water in calm air. Fog does not stop it.")
    found = answered("Why does sound travel far over water?", [told, row(2, name="X", size=3)])
    assert "|" not in found.text


def test_a_table_inside_a_document_answers_like_one():
    text = (
        "Order: First; Focal distance (mm): 920; Use: seacoast\n"
        "Order: Third; Focal distance (mm): 500; Use: bays; sounds"
    )
    found = answered("What is the focal distance of the third order?", [prose(1, text)])
    assert found.text.startswith("Third: Focal distance (mm) 500 [1].")
    assert found.text.count("500") == 1


def test_cells_cannot_break_a_table():
    bad = [row_of(row(1, name="mole | pier", size=3)), row_of(row(2, name="quay <i>", size=4))]
    text = table(bad, asked("List the sizes"), among=bad).text
    assert "mole \\| pier" in text
    assert "\\<i>" in text


LEARNED = [
    edge(1, "Alan Bell", "LEARNED_FROM", "Robert Bell", "Alan was trained at home."),
    edge(2, "Robert Bell", "LEARNED_FROM", "Thomas Smith", "Robert was an apprentice."),
    edge(3, "Skerry Light", "STANDS_IN", "Atlantic Ocean"),
]


def test_links_answer_by_their_relation_and_direction():
    text = answered("From whom did Robert Bell learn?", LEARNED).text
    assert text.startswith("Robert Bell → (learned from) → Thomas Smith: “Robert was an")
    assert "[2]" in text.split("\n")[0]
    assert answered("Who learned from Robert Bell?", LEARNED).text.startswith("Alan Bell →")


def test_an_edge_without_words_is_its_arrows():
    text = answered("In which ocean does Skerry stand?", LEARNED).text
    assert text.startswith("Skerry Light → (stands in) → Atlantic Ocean [3]")


PATH = linked(
    1,
    "path",
    "Bell Rock → (built by) → Robert → (parent of) → Thomas\n"
    "Bell Rock → (built by) → Robert. Robert directed the work.\n"
    "Robert → (parent of) → Thomas. Thomas was the youngest son.",
)


def test_a_path_is_a_line_and_what_it_rests_on():
    found = answered("How is Bell Rock connected with Thomas?", [PATH])
    line, quotation = found.text.split("\n\n")
    assert line == "Bell Rock → (built by) → Robert → (parent of) → Thomas [1]"
    assert quotation == "“Robert directed the work. … Thomas was the youngest son.” [1]"
    assert not found.faults


def test_what_a_path_said_is_not_said_again():
    again = edge(2, "Bell Rock", "BUILT_BY", "Robert", "Robert directed the work.")
    text = answered("How is Bell Rock connected with Thomas?", [PATH, again]).text
    assert text.count("directed the work") == 1


def test_a_node_tells_its_name_and_what_it_is():
    node = linked(1, "node", "Loom (glow). Light seen below the horizon.", node="l", name="Loom")
    assert answered("What is a loom?", [node]).text == (
        "**Loom**: “Light seen below the horizon.” [1]"
    )


def test_a_bare_node_is_still_an_answer_where_there_is_nothing_else():
    node = linked(1, "node", "Loom", node="l", name="Loom")
    assert answered("What is a loom?", [node]).text == "“Loom” [1]"


def test_graphs_and_tables_are_parts_of_their_own():
    told = prose(4, "Robert Bell learned from his stepfather, who was a lamp maker.", title="Lives")
    text = answered("From whom did Robert Bell learn?", [*LEARNED, told], length="in-depth").text
    assert "→ Thomas Smith" in text.split("\n\n")[0]
    assert "lamp maker.” [4]" in text


# --- games ------------------------------------------------------------------------------

MOVES = (
    '[Event "Sample"]\n\n1. e4 {Best by test, they say.} e5 2. Nf3 Nc6 3. Bb5 a6 $1 '
    "4. Ba4 (4. Bxc6 dxc6 {gives White the better pawns} 5. O-O) 4... Nf6 5. O-O Be7 6. Re1 b5 "
    "7. Bb3 d6 8. c3 O-O 9. h3 {White prevents the pin before d4.} Na5 10. Bc2 c5 11. d4 Qc7 "
    "12. Nbd2 cxd4 13. cxd4 Nc6 14. Nb3 a5 15. Be3 a4 16. Nbd2 Bd7 1/2-1/2"
)
GAME = prose(1, MOVES, title="Anna–Ben 1960", kind="game")
IDEAS = prose(2, "The idea of h3 is to keep the bishop from g4. It costs a move.", title="Ideas")


def test_a_game_is_read_without_its_variations():
    line = game_citations.plies(MOVES)
    assert len(line) == 32
    assert [one.move for one in line[:8]] == ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6"]
    assert line[7].number == 4
    assert not line[7].white
    start, end = line[16].comments[0]
    assert MOVES[start:end] == "White prevents the pin before d4."


def test_lines_come_first_where_games_dominate_and_ideas_else():
    question = "Why does White play 9. h3?"
    lines = answered(question, [GAME, IDEAS], emphasis="lines").text
    ideas = answered(question, [GAME, IDEAS], emphasis="ideas").text
    assert lines.startswith("*Anna–Ben 1960*: 3. Bb5 a6 4. Ba4 Nf6")
    assert ideas.startswith("“The idea of h3")
    assert "On 9.h3: “White prevents the pin before d4.” [1]" in lines
    assert "On 9.h3" in ideas


def test_a_long_game_is_shown_around_what_is_asked():
    assert game_citations.asked_at(game_citations.plies(MOVES), "What about 14. Nb3?") == 26
    assert game_citations.asked_at(game_citations.plies(MOVES), "What happens on move 12?") == 22
    assert game_citations.asked_at(game_citations.plies(MOVES), "A question") == 0
    text = answered("What opening is it?", [GAME], emphasis="lines").text
    assert "1. e4 e5 2. Nf3" in text
    assert "16. Nbd2" not in text
