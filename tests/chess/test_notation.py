"""Moves are read in every notation, and positions have one key."""

import random

import chess
import pytest

from consilience.packs.chess.notation import MOVE_TOKEN, epd, normalised, read_move

FIGURES = dict(zip("KQRBN", "♔♕♖♗♘", strict=True))
LANGUAGES = {
    "German": dict(zip("KQRBN", "KDTLS", strict=True)),
    "French": dict(zip("KQRBN", "RDTFC", strict=True)),
    "Spanish and Italian": dict(zip("KQRBN", "RDTAC", strict=True)),
    "Dutch": dict(zip("KQRBN", "KDTLP", strict=True)),
}


def some_boards(count, seed=6):
    """Positions of random games, with castling, promotions and captures en passant among them."""
    chance = random.Random(seed)
    for _ in range(count):
        board = chess.Board()
        for _ in range(chance.randrange(120)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(chance.choice(moves))
        yield board
    for fen in (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/PPP4k/8/2pP4/8/8/4Kppp/8 w - c6 0 1",
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    ):
        yield chess.Board(fen)


def translated(san, letters):
    return "".join(letters.get(letter, letter) for letter in san)


def long(board, move, *, taking="x"):
    if board.is_castling(move):
        return board.san(move)
    piece = board.piece_at(move.from_square).symbol().upper().replace("P", "")
    sign = taking if board.is_capture(move) else "-"
    tail = chess.piece_symbol(move.promotion).upper() if move.promotion else ""
    start, end = chess.square_name(move.from_square), chess.square_name(move.to_square)
    return f"{piece}{start}{sign}{end}{tail}"


def spellings(board, move):
    """A move as people write it, wherever that means one move only."""
    san = board.san(move)
    bare = san.rstrip("+#")
    castles = board.is_castling(move)
    yield from (san, bare, f"{bare}!?", f"12...{bare}", f"12. {san}", f"12…{bare}", move.uci())
    yield from (long(board, move), long(board, move, taking=":"))
    yield translated(san, FIGURES)
    if castles:
        yield from (san.replace("O", "0"), bare.lower(), bare.replace("-", "–"))
    if move.promotion:
        square, piece = bare.split("=")
        yield from (f"{square}{piece}", f"{square}({piece})", f"{square}/{piece}")
    if board.is_en_passant(move):
        yield from (f"{bare} e.p.", f"{bare}ep")
    if "x" in bare:
        yield from (bare.replace("x", ":"), bare.replace("x", ""), bare.replace("x", "×"))


def test_every_legal_move_is_read_back_from_every_spelling():
    seen = 0
    for board in some_boards(25):
        for move in board.legal_moves:
            for spelt in spellings(board, move):
                assert read_move(board, spelt) == move, (board.fen(), move.uci(), spelt)
                seen += 1
    assert seen > 5000


@pytest.mark.parametrize("language", LANGUAGES)
def test_letters_of_other_languages_are_read_where_the_english_ones_say_nothing(language):
    letters, foreign = LANGUAGES[language], 0
    for board in some_boards(15, seed=7):
        for move in board.legal_moves:
            san = board.san(move)
            spelt = translated(san, letters)
            try:
                english = board.parse_san(spelt)
            except ValueError:
                english = None
            if spelt[0] == "P":  # a pawn, where a pawn can go there
                continue
            read = read_move(board, spelt)
            assert read == (english or move), (board.fen(), spelt)
            foreign += read == move and spelt != san
    assert foreign > 50


def test_what_is_no_legal_move_or_could_be_two_is_not_read():
    board = chess.Board()
    for spelt in ("e5", "Nd2", "O-O", "Ke2", "hello", "", "e9", "12.", "Bb5", "e2e5", "...", "++"):
        assert read_move(board, spelt) is None, spelt
    knights = chess.Board("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1")
    assert read_move(knights, "Nd2") is None
    assert read_move(knights, "Nbd2") == chess.Move.from_uci("b1d2")


def test_sloppy_moves_are_read_where_only_one_can_be_meant():
    board = chess.Board()
    for spelt in ("nf3", "NF3", "Sf3", "♘f3", "♞f3", "g1f3", "Ng1-f3", "Ng1f3", "Cf3", "1.Nf3"):
        assert read_move(board, spelt) == chess.Move.from_uci("g1f3"), spelt
    taking = chess.Board("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    for spelt in ("exd5", "exd", "ed", "ed5", "e4xd5", "e4:d5", "e4d5"):
        assert read_move(taking, spelt) == chess.Move.from_uci("e4d5"), spelt


def test_an_order_of_moves_does_not_change_the_key_of_a_position():
    def after(*moves):
        board = chess.Board()
        for move in moves:
            board.push(read_move(board, move))
        return epd(board)

    assert after("d4", "Nf6", "c4", "e6") == after("c4", "e6", "d4", "Nf6")
    assert after("Nf3", "d5", "d4") == after("d4", "d5", "Nf3")
    assert after("e4", "c5", "Nf3") == after("Nf3", "c5", "e4")  # e3 is no square to take on
    assert after("e4", "Nf6", "e5", "d5").endswith(" d6")  # and d6 is one


def test_keys_of_shuffled_moves_agree_wherever_the_positions_do():
    chance = random.Random(3)
    for _ in range(40):
        white, black = ["h3", "Nf3", "g3", "c3", "Na3"], ["h6", "Nf6", "b6", "e6", "Nc6"]
        keys = set()
        for _ in range(3):
            chance.shuffle(white)
            chance.shuffle(black)
            board = chess.Board()
            for pair in zip(white, black, strict=True):
                for move in pair:
                    board.push(read_move(board, move))
            keys.add(epd(board))
        assert len(keys) == 1


def tokens(text):
    return [
        (found["number"], found["dots"] or found["ellipsis"], found["move"])
        for found in MOVE_TOKEN.finditer(text)
    ]


def test_tokens_come_with_their_numbers():
    assert tokens("1.e4 c5 2 Nf3, 12…♘d5! 13. . . Bxh7+ ...a6") == [
        ("1", ".", "e4"),
        (None, None, "c5"),
        ("2", None, "Nf3"),
        ("12", "…", "♘d5"),
        ("13", ". . .", "Bxh7"),
        (None, "...", "a6"),
    ]


@pytest.mark.parametrize(
    "text",
    ["B90", "h-file", "1-0", "0-1", "Be", "Nd", "8/8/8/8", "the king", "x86", "e40", "1/2-1/2"],
)
def test_what_cannot_be_a_move_is_no_token(text):
    assert not tokens(text)


@pytest.mark.parametrize(
    ("printed", "searched"),
    [
        ("1.♘g1-f3 ♞g8–f6", "1.Nf3 Nf6"),
        ("Sg1-f3 und Lf8xb4+!", "Nf3 und Bxb4+!"),
        ("e2-e4, e7:d6 e8=D+ e8(Q)", "e4, exd6 e8=Q+ e8=Q"),
        ("0-0 and 0–0–0, 1-0", "O-O and O-O-O, 1-0"),
        ("♙e4 ♟\ufe0ed5 ♙ ♘ f3", "e4 d5 P N f3"),
        ("The a1-h8 diagonal, d5, the h-file", "The a1-h8 diagonal, d5, the h-file"),
        ("g1f3 d7d5 at 10-12 or e4–e5", "g1f3 d7d5 at 10-12 or e5"),
        ("R1xe4 Nbd7 exd5", "R1xe4 Nbd7 exd5"),
        ("Tarrasch, Das Café, C60 and B2B", "Tarrasch, Das Café, C60 and B2B"),
    ],
)
def test_prose_is_searched_in_short_english_notation(printed, searched):
    assert normalised(printed) == searched
    assert len(normalised(printed).split()) == len(printed.split())


def test_words_stay_one_to_one_whatever_the_text():
    chance = random.Random(5)
    letters = "♔♘♟NSe4d5-–x:.…()=+#O0 \n12Q\u00a0\ufe0e"
    for _ in range(300):
        text = "".join(chance.choice(letters) for _ in range(60))
        assert len(normalised(text).split()) == len(text.split()), text
