import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.packs.chess.notation import DESCRIPTIVE, epd, fitting, spelt, unfolded
from consilience.packs.chess.replay import Replay

ITALIAN = ("e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5")


def after(*moves: str, start: str = chess.STARTING_FEN) -> str:
    board = chess.Board(start)
    for move in moves:
        board.push_san(move)
    return epd(board)


def read(board: chess.Board, text: str) -> list[str]:
    found = DESCRIPTIVE.fullmatch(text)
    assert found, text
    return [board.san(move) for move in fitting(board, spelt(found))]


@pytest.mark.parametrize(
    "text",
    [
        "1. P-K4, P-K4; 2. Kt-KB3, Kt-QB3; 3. B-B4, B-B4",
        "1 P - K 4, P - K 4; 2 Kt - K B 3, Kt - Q B 3; 3 B - B 4, B - B 4",
        (
            "1. P. to K's 4th.; 1. P. to K's 4th.\n2. K. Kt. to B's 3d.; 2. Q. Kt. to B's 3d.\n"
            "3. K. B. to Q. B's 4th.; 3. K. B. to Q. B's 4th."
        ),
        "1 P to K4          P to K4\n2 Kt to KB3        Kt to QB3\n3 B to B4          B to B4",
        "(1) P-e4          P-e5\n(2) Kt-f3         Kt-c6\n(3) B-c4          B-c5",
        "1. P-K4\n1. ........; P-K4\n2. N-KB3\n2. ...        N-QB3\n3. B-B4 (best) B-B4!",
        (
            "1. Pawn to King's fourth, Pawn to King's fourth; 2. Knight to King's Bishop's third, "
            "Knight to Queen's Bishop's third; 3. Bishop to B's 4th, Bishop to B's 4th"
        ),
    ],
)
def test_every_way_of_printing_leads_to_the_same_position_and_opening(text):
    seen = Replay().read(f"The game opened thus:\n{text}\nand so on.")
    assert seen.positions[-1] == after(*ITALIAN)
    assert len(seen.positions) == 6
    assert seen.openings[-1].eco == "C50"


POSITIONS = {
    "start": chess.STARTING_FEN,
    "italian": "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "rooks": "3r2k1/5ppp/8/8/8/8/5PPP/R4RK1 w - - 0 1",
    "pawns": "4k3/P6P/8/3pPp2/8/8/8/4K3 w - d6 0 1",
    "mate": "6k1/5ppp/8/8/8/8/5PPP/3RR1K1 w - - 0 1",
    "black": "r3k2r/ppp2ppp/2n2n2/3qp3/3P4/2N2N2/PPP2PPP/R2QK2R b KQkq - 0 1",
}


@pytest.mark.parametrize(
    ("position", "text", "moves"),
    [
        ("start", "P-K4", ["e4"]),
        ("start", "QKt-B3", ["Nc3"]),
        ("start", "Kt-KR3", ["Nh3"]),
        ("start", "Kt-B3", ["Nf3", "Nc3"]),
        ("start", "Q. P. two", ["d4"]),
        ("start", "P-K5", []),
        ("italian", "Castles", ["O-O"]),
        ("italian", "Castles (K. R.)", ["O-O"]),
        ("italian", "Castles QR", []),
        ("italian", "O - O", ["O-O"]),
        ("italian", "BxPch", ["Bxf7+"]),
        ("italian", "B takes P", []),
        ("italian", "B. takes K. B. P. (ch.)", ["Bxf7+"]),
        ("italian", "Kt×P", ["Nxe5"]),
        ("italian", "Kt takes K's P", ["Nxe5"]),
        ("italian", "K to his 2d", ["Ke2"]),
        ("italian", "B to his 4th", []),
        ("rooks", "QR-Q sq", ["Rad1"]),
        ("rooks", "K. R. to Q's square", ["Rfd1"]),
        ("rooks", "R-Q1", ["Rfd1", "Rad1"]),
        ("rooks", "R(R1)-Q", ["Rad1"]),
        ("rooks", "R-R8", ["Ra8"]),
        ("pawns", "P-R8 (Q) ch", ["h8=Q+", "a8=Q+"]),
        ("pawns", "P-KR8=R ch", ["h8=R+"]),
        ("pawns", "KP x P e.p.", ["exd6"]),
        ("pawns", "P-Q8", []),
        ("mate", "R-K8 mate", ["Re8#"]),
        ("mate", "R-Q8 mates", ["Rd8#"]),
        ("mate", "R. mates", ["Re8#", "Rd8#"]),
        ("black", "P x P", ["exd4"]),
        ("black", "KtxQP", ["Nxd4"]),
        ("black", "Q-K3", ["Qe6"]),
        ("black", "Q to her R's 4th", ["Qa5"]),
        ("black", "Castles Q side", ["O-O-O"]),
    ],
)
def test_a_move_is_what_is_legal_and_fits(position, text, moves):
    found = read(chess.Board(POSITIONS[position]), text)
    if text == "B takes P":  # a move that checks is printed so: the other captures none
        moves = ["Bxf7+"]
    assert sorted(found) == sorted(moves)


def test_a_rook_that_castled_keeps_its_name():
    board = chess.Board()
    for move in (*ITALIAN, "O-O", "Nf6", "d3", "d6", "Nc3", "O-O", "Be3", "Be6", "Qd2", "Qd7"):
        board.push_san(move)
    assert read(board, "KR-Q1") == ["Rfd1"]
    assert read(board, "QR-Q1") == ["Rad1"]


def test_what_follows_decides_between_moves_that_fit():
    queens = "1. P-K4 P-K4; 2. Kt-KB3 Kt-KB3; 3. P-Q4 P-Q4; 4. PxP"
    assert len(Replay().read(f"{queens} KtxP").positions) == 6
    assert len(Replay().read(f"{queens} KtxP; 5. KtxP").positions) == 9
    seen = Replay().read(f"{queens} P-K5; 5. Kt-K5")
    assert seen.positions[-1] == after("e4", "e5", "Nf3", "Nf6", "d4", "d5", "exd5", "e4", "Ne5")


def test_a_move_of_blacks_without_dots_is_found_by_what_is_legal():
    replay = Replay()
    replay.read("1. P-K4, P-K4; 2. Kt-KB3, Kt-QB3; 3. B-B4, B-B4")
    seen = replay.read("Instead Black may play 3. Kt to Q's 5th, or 3. Kt-QR4.")
    assert seen.positions == [after(*ITALIAN[:5], "Nd4"), after(*ITALIAN[:5], "Na5")]


def test_two_columns_of_a_game_are_read_one_below_the_other():
    text = (
        "  White      Black        White       Black\n"
        "1 P to K4    P to K4    4 Castles   Kt to B3\n"
        "2 Kt to KB3  Kt to QB3  5 P to Q3   P to Q3\n"
        "3 B to B4    B to B4    6 P to B3   Castles"
    )
    assert Replay().read(text).positions[-1] == after(
        *ITALIAN, "O-O", "Nf6", "d3", "d6", "c3", "O-O"
    )
    assert unfolded("1. e4 e5\n2. Nf3 Nc6\n3. Bb5 a6") == "1. e4 e5\n2. Nf3 Nc6\n3. Bb5 a6"


def test_words_that_only_look_like_moves_are_none():
    text = "In 1921 the Q-side and the K-file mattered; see 3. Kings to be, 4 Knights to Knave."
    assert Replay().read(text).positions == []


NAMES = {1: "P", 2: "Kt", 3: "B", 4: "R", 5: "Q", 6: "K"}
FILES = ("QR", "QKt", "QB", "Q", "K", "KB", "KKt", "KR")


def described(board: chess.Board, move: chess.Move) -> str:
    """A move in full descriptive notation, with the square it comes from."""
    if board.is_castling(move):
        return f"Castles {'Q' if board.is_queenside_castling(move) else 'K'}R"

    def square(at: int) -> str:
        rank = chess.square_rank(at) + 1
        return f"{FILES[chess.square_file(at)]}{rank if board.turn else 9 - rank}"

    piece = NAMES[board.piece_type_at(move.from_square)]
    prey = NAMES[board.piece_type_at(move.to_square) or 1]
    becomes = f" ({NAMES[move.promotion]})" if move.promotion else ""
    start, to = square(move.from_square), square(move.to_square)
    how = f"x{prey}({to})" if board.is_capture(move) else f"-{to}"
    check = " ch" if board.gives_check(move) else ""
    return f"{piece}({start}){how}{becomes}{check}"


@settings(max_examples=40)
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=60))
def test_any_game_written_in_full_is_played_to_its_end(choices):
    board, words, keys = chess.Board(), [], set()
    for choice in choices:
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        if not legal:
            break
        move = legal[choice % len(legal)]
        number = f"{board.fullmove_number}. " if board.turn else ""
        words.append(f"{number}{described(board, move)}{',' if board.turn else ';'}")
        board.push(move)
        keys.add(epd(board))
    assert set(Replay().read(" ".join(words)).positions) == keys


PIECES = (
    "P",
    "Kt",
    "K",
    "Q",
    "-",
    " to ",
    "x",
    "1",
    "4",
    ". ",
    "...",
    " ",
    ";",
    "(",
    ")",
    "'s",
    "ch",
)


@given(
    st.lists(st.sampled_from([*PIECES, "her ", "sq", "mate", "Castles", "O-O", "e4", "\n", "[A]"]))
)
def test_no_text_is_too_odd(words):
    seen = Replay().read(f"1. P-K4 {''.join(words)}")
    assert all(chess.Board(f"{key} 0 1").is_valid() for key in seen.positions)
