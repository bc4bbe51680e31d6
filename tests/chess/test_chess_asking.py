"""What a question names is parsed, not guessed."""

import chess
import pytest

from consilience.packs.chess.notation import epd, read_move
from consilience.packs.chess.questions import has, identifiers, read_question
from consilience.types import Passage


def after(*moves):
    board = chess.Board()
    for move in moves:
        board.push_san(move)
    return epd(board)


def lines(text):
    return [str(line) for line in read_question(text).lines]


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"


@pytest.mark.parametrize(
    "fen",
    [
        f"{E4} b KQkq - 0 1",
        f"{E4} b KQkq e3 0 1",
        f"{E4} b KQkq - 17 40",
        f"{E4} b KQkq -",
        f"{E4} b KQkq",
        f"{E4} b",
        E4,
        f"What now in {E4} b KQkq - 0 1?",
        f"({E4} b KQkq -)",
    ],
)
def test_a_fen_is_one_position_whatever_its_counters(fen):
    sought = read_question(fen)
    assert after("e4") in sought.fens
    assert not sought.lines
    assert not sought.moves


@pytest.mark.parametrize(
    "text",
    [
        "8/8/8/8/8/8/8/8 w - - 0 1",
        f"{START[:-1]} w KQkq - 0 1",
        "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "k7/8/8/8/8/8/8/KK6 w - - 0 1",
        "kK6/8/8/8/8/8/8/8 w - - 0 1",
        "a/b/c/d/e/f/g/h",
    ],
)
def test_what_is_no_legal_position_is_none(text):
    assert read_question(text).fens == ()


def test_rights_to_castle_that_cannot_be_are_left_out():
    (position,) = read_question("4k3/8/8/8/8/8/8/4K2R w KQkq - 3 9").fens
    assert position == "4k3/8/8/8/8/8/8/4K2R w K -"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("B90 games", ["B90"]),
        ("theory of E40, C65?", ["E40", "C65"]),
        ("B96-B99", ["B96", "B97", "B98", "B99"]),
        ("E97–99", ["E97", "E98", "E99"]),
        ("all of A5x", [f"A5{digit}" for digit in range(10)]),
        ("e40, b90", []),
        ("F12 and A4", []),
        ("vitamin B12", []),
        ("the A40 road", []),
        ("XB90 B900 B90a", []),
        ("play E4", []),
    ],
)
def test_codes_stand_in_capitals(text, codes):
    assert list(read_question(text).ecos) == codes


@pytest.mark.parametrize(
    "text",
    [
        "what should White do after 1.e4 c5 2 Nf3 d6 3.d4 cxd4?",
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4",
        "e4 c5 Nf3 d6 d4 cxd4",
        "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4",
        "1.e2-e4 c7-c5 2.Ng1-f3 d7-d6 3.d2-d4 c5xd4",
        "1.e4 c5 2.Sf3 d6 3.d4 cxd4",
        "1 e4 c5 2 ♘f3 d6 3 d4 cxd4!",
        "After 1.e4, c5; 2.Nf3 d6 3.d4 cd what then?",
        "1.e4 c5 2.Nf3 d6 (3.d4 cxd4)",
    ],
)
def test_moves_are_played_in_any_notation(text):
    (line,) = read_question(text.replace("cd ", "cxd4 ")).lines
    assert str(line) == "1.e4 c5 2.Nf3 d6 3.d4 cxd4"
    assert line.positions[-1] == after("e4", "c5", "Nf3", "d6", "d4", "cxd4")
    assert len(line.positions) == len(line.moves) == 6


@pytest.mark.parametrize("text", ["Nf3", "g1f3", "Sf3", "♘f3", "1.Nf3", "1. Nf3!", "Ng1-f3"])
def test_one_move_has_one_meaning(text):
    (line,) = read_question(text).lines
    assert line.positions == (after("Nf3"),)


def test_orders_of_moves_meet_in_a_position():
    one = read_question("after 1.d4 Nf6 2.c4 e6 3.Nc3").lines[0]
    other = read_question("c4 e6 Nc3 Nf6 d4").lines[0]
    assert one.positions[-1] == other.positions[-1]


@pytest.mark.parametrize(
    "text",
    [
        "the d5 square",
        "weak on e6 and d5",
        "the e4 pawn on the h-file",
        "control of e4 and d5",
        "a4 is good",
        "Be careful with a knight on f5",
        "the e4 e5 pawn chain",
        "he won 1-0 in 40 moves",
        "pawns on c4 d4",
    ],
)
def test_squares_are_no_moves(text):
    sought = read_question(text)
    assert sought.lines == ()
    assert sought.moves == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("What is the best reply to e4?", "1.e4"),
        ("What can Black play against d4?", "1.d4"),
        ("how do I meet c4", "1.c4"),
    ],
)
def test_a_first_move_is_one_where_something_is_to_be_played_against_it(text, line):
    assert lines(text) == [line]


def test_a_line_goes_on_from_the_opening_that_is_named():
    (line,) = read_question("6.Be3 e5 7.Nb3 after the Najdorf").lines
    assert str(line).endswith("5.Nc3 a6 6.Be3 e5 7.Nb3")
    assert lines("3.e5 in the Caro-Kann") == ["1.e4 c6 2.d4 d5 3.e5"]
    assert lines("the French after 3.Nc3") == ["1.e4 e6 2.d4 d5 3.Nc3"]


def test_a_line_that_no_opening_explains_is_kept_as_moves():
    sought = read_question("the Najdorf after 25...Rxc3 26.bxc3")
    assert sought.lines == ()
    assert sought.moves == ("25...Rxc3", "26.bxc3")
    assert read_question("plan against the isolated pawn after 12…♘d5").moves == ("12...Nd5",)
    assert read_question("why is ...c5 important in the French?").moves == ("...c5",)


def test_a_later_move_goes_on_from_a_line_of_the_same_question():
    found = lines("After 1.e4 e5 2.Nf3 Nc6 3.Bb5, is 3...a6 better than 3...Nf6?")
    assert found[1:] == ["1.e4 e5 2.Nf3 Nc6 3.Bb5 a6", "1.e4 e5 2.Nf3 Nc6 3.Bb5 Nf6"]


def test_moves_are_played_from_a_position_that_is_given():
    (line,) = read_question(f"In {E4} b KQkq - 0 1 is Nf6 good?").lines
    assert line.positions == (after("e4", "Nf6"),)
    assert str(line) == "1...Nf6"


def test_a_run_ends_where_it_cannot_be_played():
    sought = read_question("1.e4 e5 2.Nf3 Nc6 3.Qxf7 is nonsense")
    assert [str(line) for line in sought.lines] == ["1.e4 e5 2.Nf3 Nc6"]
    assert sought.moves == ("3.Qxf7",)


def test_openings_players_years_and_words_are_found():
    sought = read_question("Why did Petrosian beat Pachman with the KIA at Bled in 1961?")
    assert sought.names == ("King's Indian Attack",)
    assert sought.players == ("Petrosian", "Pachman")
    assert sought.years == (1961,)
    assert sought.why == ("why",)
    assert sought.games == ("beat",)
    assert read_question("Smirnova–Kowalczyk 1987").players == ("Smirnova", "Kowalczyk")
    assert read_question("Caro-Kann against White").players == ()


def test_a_country_is_no_opening_where_nothing_speaks_of_chess():
    assert read_question("Who fought the English and the Dutch?").names == ()
    assert read_question("Which plan fits the Dutch?").names == ("Dutch Defense",)


def passage(**metadata):
    return Passage(
        id="1",
        collection="games",
        document="d",
        kind="game",
        title="Games",
        text="1.e4 c5 {a fine move}",
        metadata=metadata,
    )


def test_identifiers_are_what_is_meant_exactly():
    text = f'"a fine move" B90 {E4} b KQkq - 0 1 in the Najdorf'
    assert identifiers(text) == (
        "a fine move",
        "B90",
        after("e4"),
        "Sicilian Defense: Najdorf Variation",
    )
    assert identifiers("1.e4 c5") == (after("e4", "c5"),)


def test_a_passage_has_what_is_known_of_it():
    game = passage(
        positions=(after("e4"), after("e4", "c5")),
        eco="B90",
        opening="Sicilian Defense: Najdorf Variation, English Attack",
    )
    assert has(game, after("e4", "c5"))
    assert not has(game, after("d4"))
    assert has(game, "B90")
    assert not has(game, "B91")
    assert has(game, "Sicilian Defense: Najdorf Variation")
    assert has(game, "Sicilian Defense")
    assert not has(game, "French Defense")
    assert has(game, "a fine move")
    assert not has(game, "a poor move")


def test_books_have_several_openings_and_foreign_headers_are_understood():
    book = passage(openings=("French Defense", "Ruy Lopez: Closed"), ecos=("C00", "C84"))
    assert has(book, "Ruy Lopez")
    assert has(book, "C84")
    assert not has(book, "Sicilian Defense")
    assert has(passage(opening="Sicilian, Najdorf"), "Sicilian Defense: Najdorf Variation")


def test_strange_questions_are_read_all_the_same():
    for text in ("", "?", "1.", "...", "1.e4" * 200, "8/" * 500, "B90-" * 300, "\u0000♔" * 50):
        assert read_question(text) == read_question(text)


@pytest.mark.parametrize(
    "text",
    ["e4 " * 3000, "Nf3 " * 3000, "Sicilian: 6.Bg5 " * 1500, "12.Nd5 " * 2000, "King's " * 8000],
)
def test_a_question_without_end_is_read_as_far_as_a_person_would(text, monkeypatch):
    calls = []
    monkeypatch.setattr(
        "consilience.packs.chess.questions.read_move",
        lambda *given: calls.append(given) or read_move(*given),
    )
    sought = read_question.__wrapped__(text)
    assert len(sought.lines) <= 4
    assert len(calls) < 8000


def test_a_line_is_found_behind_a_thousand_words():
    assert lines("word " * 1000 + "after 1.e4 c5 2.Nf3") == ["1.e4 c5 2.Nf3"]


def test_a_move_against_a_player_is_no_player():
    sought = read_question("Why did Kasparov play 24.Rxd4 against Topalov?")
    assert sought.players == ("Kasparov", "Topalov")


def test_codes_with_a_slash_between_them_are_both_read():
    assert read_question("games in B90/B91").ecos == ("B90", "B91")
    assert read_question("see C12/2020 in the files").ecos == ()


def test_a_fen_with_backslashes_is_the_position_it_means():
    fen = f"{E4} b KQkq - 0 1".replace("/", "\\")
    assert read_question(fen).fens == (after("e4"),)


def test_the_notation_of_older_books_is_read():
    assert lines("after 1.P-K4 P-K4 2.Kt-KB3 Kt-QB3 3.B-Kt5") == ["1.e4 e5 2.Nf3 Nc6 3.Bb5"]
    assert lines("the P-Q line is down") == []


def test_a_numbered_move_is_placed_where_the_named_opening_goes_on_with_it():
    assert lines("French with 3...dxe4") == ["1.e4 e6 2.d4 d5 3.Nc3 dxe4"]
    assert lines("King's Indian with 5.f3") == ["1.d4 Nf6 2.c4 g6 3.Nc3 Bg7 4.e4 d6 5.f3"]
    both = lines("Tarrasch Defence to the QGD (3...c5)")
    assert both == ["1.d4 d5 2.c4 e6 3.Nc3 c5", "1.d4 d5 2.c4 e6 3.Nf3 c5"]
