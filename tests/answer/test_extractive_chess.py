"""Are books on chess quoted well? The right passage leads, moves are no words, boards are drawn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from extractive_shared import WRITERS, answered, prose

from consilience.answer.excerpts import (
    asked,
    aspect,
    has_drawing,
    is_drawn,
    is_line,
    leans,
    read,
    side_of,
    sides,
    telling,
)
from consilience.answer.extractive_writer import Aim
from consilience.notations import diagrams
from consilience.packs.chess.move_notation import asked_terms, move_terms, without_moves
from consilience.types import Exhibit, Passage
from consilience.understand.sentences import sentences

FEN = "8/4k3/8/8/8/8/4P3/4K3 w - - 0 1"


def rated(exhibit: Exhibit, relevance: float) -> Exhibit:
    return replace(exhibit, relevance=relevance)


def game(mark: int, relevance: float, moves: str, **known: str) -> Exhibit:
    passage = Passage(
        id=f"{mark:016x}",
        collection="games",
        document="games.pgn",
        kind="game",
        title="Games",
        text=f"A game.\n\n{moves}",
        metadata=known,
    )
    return Exhibit(mark=mark, passage=passage, label="Game", text=moves, relevance=relevance)


# --- what leads -------------------------------------------------------------------------


def test_the_lead_comes_from_the_most_relevant_passages():
    near = rated(
        prose(1, "Black takes with the queen and moves her to a5.", section=["The Scandinavian"]),
        0.5,
    )
    far = rated(prose(2, "The old main line of the defence leaves Black with a fine knight."), 0.1)
    said = answered("Scandinavian defence main line", [near, far]).text
    assert said.startswith("“Black takes with the queen")


def test_a_game_far_more_relevant_than_prose_leads_and_no_other():
    book = prose(2, "The bridge is built by the rook on the fourth rank.", section=["The bridge"])
    best = game(1, 0.8, "1. Rd1+ Ke7 2. Rd4! {The bridge is begun on this rank.} Ra1")
    question = "How do I build the bridge?"
    assert answered(question, [best, rated(book, 0.3)]).text.startswith("*Games*: 1. Rd1+")
    assert answered(question, [best, rated(book, 0.6)]).text.startswith("“The bridge is built")


def test_sentences_with_many_moves_are_no_rows_of_numbers():
    text = "The main line is 4.d4 Nf6 5.Nf3 c6 6.Bc4 Bf5 7.Bd2 e6, and Black is compact."
    assert telling(text)
    assert answered("What is the main line?", [prose(1, text)]).text.startswith("“The main line is")


def test_bare_moves_are_not_quoted():
    assert is_line("13.Rxd7 Rxd7 14.Rd1 Qe6 15.Bxd7+ Nxd7")
    assert not telling("13.Rxd7 Rxd7 14.Rd1 Qe6 15.Bxd7+ Nxd7")
    assert telling("White wins at once by 16.Qb8+ Nxb8 17.Rd8#.")


def test_a_bad_move_is_no_question_and_ends_no_sentence():
    text = "If Black grabs with 8...Nxe4? 9.Qe2 wins the knight. What then?"
    assert [one.text for one in sentences(text)] == [
        "If Black grabs with 8...Nxe4? 9.Qe2 wins the knight.",
        "What then?",
    ]
    assert telling("The careless reply for Black is 8...Nxe4?")
    assert not telling("What should Black play after that?")


def test_the_first_sentences_under_a_heading_that_is_asked_for_come_first():
    text = (
        "Black offers a wing pawn for pressure. Files are opened. A gambit has its price in time."
    )
    found = answered("Benko gambit", [prose(1, text, section=["The Benko Gambit"])]).text
    assert found.startswith("“Black offers a wing pawn")


def test_what_completes_the_thought_is_said_with_it():
    text = (
        "In an ending bishops of opposite colour comfort the weaker side. "
        "With queens on the board they are the reverse. The rest is practice."
    )
    said = answered("bishops of opposite colour", [prose(1, text)]).text
    assert "weaker side. With queens on the board they are the reverse.”" in said


# --- moves are no words -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What now after 1. d2-d4 d7-d5 2. c2-c4 e7-e6?", "What now after"),
        ("e4 e5 nf3 nc6 bc4 evans gambit", "evans gambit"),
        (f"plans in {FEN}", "plans in"),
        ("a blockade on d5", "a blockade on d5"),
        ("vitamin B6 and B12", "vitamin B6 and B12"),
        ("When does Bxh7+ work?", "When does work?"),
    ],
)
def test_moves_and_positions_are_no_words(question: str, left: str):
    assert " ".join(without_moves(question).split()) == left


def test_the_last_numbered_move_is_what_is_asked_about():
    assert asked_terms("What does Black get after 11...c6?") == ("22 c6",)
    assert asked_terms("1.e4 e5 2.Nf3 Nc6 3.Bb5") == ("5 Bb5",)
    assert asked_terms("When does Bxh7 work?") == ("Bxh7",)
    assert asked("1.e4 e5 2.Nf3").terms == ()
    assert "22 c6" in move_terms("The quieter 11...c6 made it respectable.")
    assert "22 c6" not in move_terms("He begins 1.e4 c6 2.d4.")


def test_a_sentence_that_plays_another_move_does_not_lead():
    wrong = prose(1, "Black attacks the chain with 3...c5 and aims every piece at d4.")
    right = prose(2, "Black cements the knight by 11...c6 and keeps every piece.")
    said = answered("What of 11...c6?", [wrong, right], length="concise").text
    assert said.startswith("“Black cements the knight")


# --- drawings ---------------------------------------------------------------------------


def test_drawings_are_known_and_never_quoted():
    board = "8 r n b q k b n r\n7 p p p p p p p p\n6 . . . . . . . .\n  a b c d e f g h"
    for drawn in (f"FEN: {FEN}", f"![board](fen: {FEN})", board):
        assert is_drawn(drawn)
        assert has_drawing(drawn)
    assert not has_drawing("Either/or is no position, nor is 1/2 of it.")
    assert diagrams(f"White to move: {FEN}") == [FEN]
    text = f"Kings may oppose one another.\n\nFEN: {FEN}\n\nWhite to move draws with kings opposed."
    assert FEN not in answered("How may kings oppose one another?", [prose(1, text)]).text


def test_a_position_beside_a_quotation_is_asked_for_as_a_board():
    text = f"Kings may oppose one another from afar.\n\nFEN: {FEN}\n\nMore follows here later on."
    question = "How may kings oppose one another?"
    asked_for = answered(question, [prose(1, text)], drawing="boards").faults
    assert [one.value for one in asked_for] == [FEN]  # nothing draws here, so it is refused
    assert answered(question, [prose(1, text)]).faults == []


# --- leaning and comparing --------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Black's systems differ in how they harass that queen.",
        "In isolated-pawn positions this is White's natural play.",
        "Kieseritzky's true error came earlier.",
        "The French Defence shows the intermediate case.",
        "Nimzowitsch raised it to a principle.",
        "If Black captures on b5 instead, the pawn is isolated.",
        "Now imagine the rooks exchanged.",
    ],
)
def test_what_hangs_in_the_air_leans(text: str):
    assert leans(text)


@pytest.mark.parametrize(
    "text",
    [
        "Keepers used oil instead of gas.",
        "The tower that fell was rebuilt.",
        "White plays for the centre.",
        "The lamp is lit to this day.",
    ],
)
def test_what_stands_alone_does_not(text: str):
    assert not leans(text)


def test_both_sides_of_a_comparison_are_told_under_one_chapter():
    chapter = "The King's Indian and the Grünfeld"
    first = prose(1, "White has the centre on purpose.", section=[chapter, "The Grünfeld"])
    second = prose(2, "Black castles and then strikes.", section=[chapter, "King's Indian"])
    said = answered("Compare the King's Indian and the Grünfeld", [first, second]).text
    assert "on purpose" in said
    assert "then strikes" in said


def test_a_side_is_known_by_the_nearest_heading():
    question = "difference between Caro-Kann and French defence"
    pair = sides(question)
    assert pair is not None
    assert side_of(("It begins.", "The Caro-Kann", "French and Caro-Kann"), pair) == pair[0]
    assert side_of(("As the French does.", "The Caro-Kann"), pair) is None
    assert aspect(question, pair) == frozenset()


def test_two_who_played_one_another_are_not_compared():
    played = game(2, 0.5, "1. d4 Nf6", white="Botvinnik, Mikhail", black="Capablanca, Jose")
    question = "Botvinnik vs Capablanca, what broke the blockade?"
    told = prose(1, "Botvinnik breaks the blockade.")
    assert Aim(read(question, [told, played], None), "balanced", WRITERS).pair is None
    assert Aim(read(question, [told], None), "balanced").pair is not None
