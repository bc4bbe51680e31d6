"""Are games read as programs and people really write them, beside what the standard says?"""

import pytest
from pgn_shared import written

from consilience.packs.chess.game_tree import pawns
from consilience.packs.chess.pgn import load

PAWN = '[FEN "8/P6k/8/8/8/8/8/K7 w - - 0 1"]\n\n'


def only(folder, text):
    """The one game of a text, its moves, and what was said of the file."""
    document = load(written(folder, text))
    (block,) = document.blocks
    return block, block.text.partition("\n\n")[2], document.notes


@pytest.mark.parametrize(
    ("spelt", "result"),
    [
        ("1:0", "1-0"),
        ("1–0", "1-0"),
        ("1 - 0", "1-0"),
        ("0−1", "0-1"),
        ("1/2", "1/2-1/2"),
        ("½", "1/2-1/2"),
        ("½–½", "1/2-1/2"),
        ("0.5-0.5", "1/2-1/2"),
    ],
)
def test_results_are_read_however_they_are_written(tmp_path, spelt, result):
    for text in (f"1. d4 d5 {spelt}", f'[Result "{spelt}"]\n\n1. d4 d5 *'):
        block, moves, notes = only(tmp_path, text)
        assert (block.metadata["result"], moves, notes) == (result, f"1. d4 d5 {result}", ())


@pytest.mark.parametrize("spelt", ["a8Q", "a8(Q)", "a8/Q", "a8=(Q)", "a7-a8=Q+", "a8=D"])
def test_promotions_are_read_however_they_are_written(tmp_path, spelt):
    assert only(tmp_path, f"{PAWN}1. {spelt} Kg6 *")[1:] == ("1. a8=Q Kg6 *", ())


def test_a_null_move_of_zeros_is_no_number(tmp_path):
    moves = "1. e4 (1. 0000 d5) 1... e5 2. -- d6 *"
    assert only(tmp_path, moves)[1:] == ("1. e4 (1. -- d5) 1... e5 2. -- d6 *", ())


def test_signs_behind_moves_are_marks(tmp_path):
    moves = only(tmp_path, "1. e4 → e5 ↑ 2. Nf3 ⇆ Nc6 3. Bb5 ⩲ a6 = 4. Ba4 +/- *")[1]
    assert moves == "1. e4 → e5 ↑ 2. Nf3 ⇆ Nc6 3. Bb5 ⩲ a6 = 4. Ba4 ± *"


def test_a_header_is_one_whatever_its_lines_look_like(tmp_path):
    text = """[White"A"]
[ black "B" ]
[Event 'Cup']
; kept by hand
[Site "Oslo"] ; not sure
{twice}
[White.Elo "2000"]
[Result 1-0]

1. e4 e5 1-0
"""
    block, moves, notes = only(tmp_path, text)
    known = [block.metadata[name] for name in ("white", "black", "event", "site", "result")]
    assert known == ["A", "B", "Cup", "Oslo", "1-0"]
    assert moves == "{kept by hand twice} 1. e4 e5 1-0"
    assert notes == ()


def test_quotation_marks_of_text_programs_are_read(tmp_path):
    block, _, notes = only(tmp_path, "[White “Anna Berg”]\n[Black „Ole Vik“]\n\n1. e4 *")
    assert (block.metadata["white"], block.metadata["black"]) == ("Anna Berg", "Ole Vik")
    assert notes == ()


def test_a_position_behind_a_comment_in_the_header_counts(tmp_path):
    text = f'[White "A"]\n{{to be won}}\n{PAWN}1. a8=Q *'
    assert only(tmp_path, text)[1] == "{to be won} 1. a8=Q *"


def test_text_in_square_brackets_among_moves_begins_no_game(tmp_path):
    assert only(tmp_path, "1. e4 e5\n[Diagram here]\n2. Nf3 *")[1] == "1. e4 e5 2. Nf3 *"


def test_words_behind_a_brace_inside_a_comment_are_kept(tmp_path):
    block, moves, notes = only(tmp_path, "1. e4 {so {says he} and she} e5 2. Nf3 } Nc6 *")
    assert moves == "1. e4 {so {says he and she} 1... e5 2. Nf3 Nc6 *"
    assert block.metadata["notes"] == 5
    assert notes == ()


@pytest.mark.parametrize("fen", ["startpos", "?", ""])
def test_a_fen_that_says_nothing_is_the_usual_start(tmp_path, fen):
    block, moves, notes = only(tmp_path, f'[FEN "{fen}"]\n\n1. e4 *')
    assert (moves, notes) == ("1. e4 *", ())
    assert "start" not in block.metadata


def test_backslashes_and_long_dashes_in_a_fen_are_read_as_meant(tmp_path):
    fen = r"rnbqkbnr\pppppppp\8\8\4P3\8\PPPP1PPP\RNBQKBNR b KQkq – 0 1"
    block, moves, notes = only(tmp_path, f'[fen "{fen}"]\n\n1... e5 *')
    assert block.metadata["start"] == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert moves == "1... e5 *"
    assert notes == ("game 1 (line 1): the backslashes of its FEN are read as slashes",)


def test_why_nothing_could_be_read_is_said_without_tags_too(tmp_path):
    with pytest.raises(Exception, match="illegal move 'e4e5' at 1"):
        load(written(tmp_path, "1.e4e5 2.Nf3 *"))


def test_a_mate_has_its_sign_on_either_side(tmp_path):
    moves = only(tmp_path, "1. f3 {[%eval -#3]} e5 2. a3 {[%eval +0.5]} *")[1]
    assert moves == "1. f3 {[%eval -#3]} 1... e5 2. a3 {[%eval +0.5]} *"
    assert pawns("-#3") == pawns("#-3") == -pawns("#3") == -pawns("+#3")
