import chess
from hypothesis import given
from hypothesis import strategies as st

from consilience.packs.chess.notation import epd
from consilience.packs.chess.questions import read_question
from consilience.packs.chess.replay import Replay

NAJDORF = "1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6"


def after(*moves: str, start: str = chess.STARTING_FEN) -> str:
    board = chess.Board(start)
    for move in moves:
        board.push_san(move)
    return epd(board)


LINE = ("e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6")


def test_a_line_in_prose_is_played_and_named():
    seen = Replay().read(f"After {NAJDORF} Black has the Najdorf.")
    assert seen.positions[-1] == after(*LINE)
    assert len(seen.positions) == 10
    assert seen.openings[-1].eco == "B90"


def test_a_line_is_taken_up_again_behind_prose_and_in_another_passage():
    replay = Replay()
    replay.read(f"After {NAJDORF} there is a choice.")
    assert replay.read("Sharpest is 6.Bg5, when 6...e6 7.f4 follows.").positions == [
        after(*LINE, "Bg5"),
        after(*LINE, "Bg5", "e6"),
        after(*LINE, "Bg5", "e6", "f4"),
    ]


def test_an_aside_leaves_the_line_and_the_line_goes_on():
    replay = Replay()
    replay.read(f"{NAJDORF} 6.Bg5 e6")
    aside = replay.read("Instead 6.Be3 e5 7.Nb3 is quieter.")
    assert aside.positions[-1] == after(*LINE, "Be3", "e5", "Nb3")
    assert replay.read("In the main line 7.f4 h6 8.Bh4 comes.").positions[-1] == after(
        *LINE, "Bg5", "e6", "f4", "h6", "Bh4"
    )


def test_a_fen_begins_a_line_whatever_its_numbers():
    fen = "8/8/8/3k4/8/3K4/3P4/8 w - - 0 41"
    for text in (f"{fen} White plays 41.Ke3 Ke5.", f"{fen} White plays 1.Ke3 Ke5."):
        seen = Replay().read(text)
        assert seen.positions[0] == "8/8/8/3k4/8/3K4/3P4/8 w - -"
        assert seen.positions[-1] == after("Ke3", "Ke5", start=fen)


def test_black_to_move_in_a_diagram_is_numbered_from_one_too():
    fen = "8/8/8/3k4/8/3K4/3P4/8 b - - 0 1"
    seen = Replay().read(f"FEN: {fen}. Black holds with 1...Ke5.")
    assert seen.positions[-1] == after("Ke5", start=fen)


def test_squares_wrong_moves_and_impossible_positions_are_passed_over():
    text = "White is weak on d5 and e4; 14.Qh7 is no threat. 9/9/9/9/9/9/9/9 w - - 0 1"
    assert Replay().read(text).positions == []
    assert Replay().read("kkkkkkkk/8/8/8/8/8/8/8 w - - 0 1").positions == []


def test_a_run_stops_at_its_first_illegal_move():
    seen = Replay().read("1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Bxf7 Kxf7")
    assert seen.positions[-1] == after("e4", "e5", "Nf3", "Nc6", "Bb5", "a6")


def test_a_run_that_is_legal_only_in_small_part_belongs_to_another_position():
    replay = Replay()
    replay.read("1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4 Nf6")
    assert replay.read("In the diagram 2.Ke2 Ke7 3.Rd4 Rd8 4.Kf3").positions == []


def test_the_line_goes_on_where_it_stopped_rather_than_in_an_aside():
    replay = Replay()
    replay.read("1.d4 d5 2.c4 e6 3.Nc3 Nf6")
    replay.read("Or 3...c5 4.cxd5 exd5.")
    seen = replay.read("4.Nf3 Be7")
    assert seen.positions[-1] == after("d4", "d5", "c4", "e6", "Nc3", "Nf6", "Nf3", "Be7")


def test_a_line_of_an_earlier_chapter_is_taken_up_only_by_a_run_that_fits_it_well():
    replay = Replay()
    replay.read("1.e4 e5")
    replay.next_chapter()
    assert replay.read("2.Nf3 is usual.").positions == []
    assert replay.read("2.Nf3 Nc6 3.Bb5 a6").positions[-1] == after(
        "e4", "e5", "Nf3", "Nc6", "Bb5", "a6"
    )


def test_a_diagram_says_not_who_moves_and_may_have_any_number():
    placement = "8/8/8/3k4/8/3K4/3P4/8"
    both = [f"{placement} w - -", f"{placement} b - -"]
    assert Replay().read(f"[{placement}]").positions == both
    for text, side in (("41.Ke3 Ke5", "w"), ("41...Ke5 42.Ke3", "b")):
        seen = Replay().read(f"{placement}\n{text}")
        first = text.split()[0].split(".")[-1]
        assert seen.positions[2] == after(first, start=f"{placement} {side} - - 0 1")


def test_a_diagram_with_kings_and_rooks_at_home_may_castle():
    seen = Replay().read("4k2r/8/8/8/8/8/8/R3K3 1.O-O-O O-O")
    assert seen.positions[-1].startswith("5rk1/8/8/8/8/8/8/2KR4 w")


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=40), st.integers(0, 40))
def test_any_game_cut_anywhere_is_played_to_its_end(choices, cut):
    board, words, keys = chess.Board(), [], set()
    for choice in choices:
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        if not legal:
            break
        move = legal[choice % len(legal)]
        number = f"{board.fullmove_number}." if board.turn else f"{board.fullmove_number}..."
        words.append(f"{number}{board.san(move)}")
        board.push(move)
        keys.add(epd(board))
    replay = Replay()
    seen = [
        *replay.read(" ".join(words[:cut])).positions,
        *replay.read(f"Now {' and '.join(words[cut:])}.").positions,
    ]
    assert set(seen) == keys  # a position that comes twice is told once


def test_a_move_that_fits_in_several_places_is_unknown():
    replay = Replay()
    replay.read("1.e4 e5 2.Nf3 Nc6 3.Bb5 a6")
    replay.read("1.e4 e6 2.d4 d5 3.Nc3 Nf6")
    replay.read("1.d4 d5 2.c4 dxc4 3.e4 b5")
    assert replay.read("What of 2.Nc3?").positions == [after("d4", "d5", "Nc3")]  # the latest
    replay.read("1.a3 a6")
    assert replay.read("What of 3.Bd3?").positions == []
    assert replay.read("Better 3.Bb5 Nf6 4.O-O.").positions[0] == after(
        "e4", "e5", "Nf3", "Nc6", "Bb5"
    )


def test_a_code_is_a_base_for_numbered_moves():
    (line,) = read_question("C44: what about 3.d4?").lines
    assert line.positions[-1] == after("e4", "e5", "Nf3", "Nc6", "d4")
