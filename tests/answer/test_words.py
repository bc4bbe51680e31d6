"""Common words, languages, beginnings of words, and how a chess move is written."""

import re

import pytest

from consilience.answer.quotations import terms
from consilience.packs.chess.game_score import is_asked, plies
from consilience.packs.chess.move_notation import MOVE, asked_moves
from consilience.understand.words import (
    COMMON,
    JOINING,
    LINKING,
    MONTHS,
    beginnings,
    is_english,
    root,
    stem,
)


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("What molecules act as signals?", True),
        ("When was Otto von Bismarck born?", True),
        ("Who was Charles de Gaulle?", True),
        ("How many lamps have no lens?", True),
        ("Wie hoch ist der Turm in London?", False),
        ("Hoe hoog is de toren in Texel?", False),
        ("Qui a inventé la lentille ?", False),
        ("¿Cuándo se construyó el faro?", False),
        ("foghorn distance", False),
        ("", False),
    ],
)
def test_english_is_known_by_its_common_words(question, english):
    assert is_english(question) is english


def test_what_joins_words_is_common():
    every = frozenset().union(*COMMON.values())
    assert every >= JOINING
    assert every >= LINKING
    assert all(len(names) == 12 for names in MONTHS.values())


def test_words_are_compared_by_their_beginnings():
    assert beginnings("The lighthouses of Málaga") == {"lighth", "malaga"}
    assert stem("lamps") == stem("lamp") == "lamp"
    assert root("glass") == "glass"
    assert root("keepers") == root("keeper") == "keepe"


@pytest.mark.parametrize("text", ["灯台の高さ", "ប្រទីប"])
def test_scripts_without_spaces_are_compared_by_pairs(text):
    assert all(len(term) <= 2 for term in terms(text))


@pytest.mark.parametrize(
    "move", ["e4", "e2-e4", "exd5", "e8=Q", "Nf3", "Ng1-f3", "R1xd4", "Qh4e1", "O-O", "0-0-0"]
)
def test_a_move_is_read_whole_in_short_and_long_notation(move):
    assert re.fullmatch(MOVE, move)
    assert [ply.move for ply in plies(f"1. d4 {move} 2. c4")] == ["d4", move, "c4"]


def test_a_move_that_a_question_names_is_found_with_its_promotion():
    line = plies("40. e8=Q Kg7 41. Qe5+ Kh7")
    for question, move in (("Why 41. Qe5?", "41.Qe5+"), ("Was e8=Q forced?", "40.e8=Q")):
        (asked,) = asked_moves(question)
        assert [ply.name for ply in line if is_asked(ply, asked)] == [move]
