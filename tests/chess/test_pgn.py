"""Are all games of a file read, whatever is wrong with some of them, and is what is wrong said?"""

import subprocess
import sys

import chess
import pytest
from pgn_shared import SHARED, random_game, room, written

from consilience.errors import LoadError
from consilience.packs.chess.notation import epd
from consilience.packs.chess.pgn import LOADER, cut, load
from consilience.packs.chess.pgn_parser import Player

BOOK = SHARED / "chess_pgn_tarrasch" / "book.pgn"
PETROSIAN = """[Event "Bled"]
[Site "Bled YUG"]
[Date "1961.09.??"]
[Round "3"]
[White "Petrosian, Tigran V"]
[Black "Pachman, Ludek"]
[Result "1-0"]
[Annotator "?"]

1. Nf3 d5 2. g3 c5 3. Bg2 g6 4. O-O Bg7 5. d3 e6 6. Nbd2 {A set-up, not a move order.} 1-0
"""


def texts(path):
    return [block.text.partition("\n\n")[2] for block in load(path).blocks]


def movetext(folder, text, **how):
    (only,) = texts(written(folder, text, **how))
    return only


def test_a_game_is_a_block_with_a_header_and_all_that_is_known(tmp_path):
    document = load(written(tmp_path, PETROSIAN))
    (block,) = document.blocks
    assert (document.title, document.kind, document.notes) == ("Bled", "game", ())
    assert block.text.startswith(
        "Tigran V Petrosian – Ludek Pachman, Bled YUG 1961, 1-0. King's Indian Attack"
    )
    assert block.text.endswith("6. Nbd2 {A set-up, not a move order.} 1-0")
    known = dict(block.metadata)
    assert known["positions"][0] == chess.Board().epd()
    assert len(known.pop("positions")) == 12
    assert (known["ply_first"], known["ply_last"], known["notes"]) == (1, 11, 6)
    assert (known["date"], known["round"], known["site"]) == ("1961.09", "3", "Bled YUG")
    assert (known["file"], known["game"], known["result"]) == ("games.pgn", 1, "1-0")
    assert known["white"] == "Petrosian, Tigran V"
    assert known["eco"].startswith("A0")
    assert "annotator" not in known
    assert "start" not in known
    assert (block.kind, block.whole, block.locator.number("game"), block.locator.number("ply")) == (
        "game",
        True,
        1,
        1,
    )


def test_tags_say_the_opening_before_the_moves_do(tmp_path):
    tagged = '[ECO "B12h"]\n[Opening "Caro-Kann"]\n[Variation "Advance"]\n\n1. e4 c6 *\n\n'
    coded = '[ECO "E99"]\n\n1. e4 c6 2. d4 d5 3. e5 *\n\n[ECO "?"]\n[Opening "?"]\n\n1. e4 c6 *'
    first, second, third = load(written(tmp_path, tagged + coded)).blocks
    assert (first.metadata["eco"], first.metadata["opening"]) == ("B12", "Caro-Kann: Advance")
    assert second.metadata["eco"] == "E99"
    assert second.metadata["opening"] == "Caro-Kann Defense: Advance Variation"
    assert (third.metadata["eco"], third.metadata["opening"]) == ("B10", "Caro-Kann Defense")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_unicode_is_read_with_and_without_a_mark(tmp_path, encoding):
    text = '[White "Müller"]\n[Black "Đorđe"]\n\n1. e4 {Größe – №1} *'
    (block,) = load(written(tmp_path, text, encoding=encoding)).blocks
    assert (block.metadata["white"], block.metadata["black"]) == ("Müller", "Đorđe")
    assert block.text.endswith("1. e4 {Größe – №1} *")


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("cp1252", "Grünfeld"),
        ("latin-1", "Réti, Café"),
        ("cp1251", "Петросян"),
        ("koi8-r", "Спасский"),
        ("cp866", "Ботвинник"),
        ("cp850", "Grünfeld spielt schön"),
    ],
)
def test_old_encodings_are_told_by_their_letters(tmp_path, encoding, name):
    text = f'[White "{name}"]\n\n1. e4 {{{name} {name}}} *'
    document = load(written(tmp_path, text, encoding=encoding))
    assert document.blocks[0].metadata["white"] == name
    assert "not UTF-8 throughout: lines 1, 3" in document.notes[0]


def test_games_in_different_encodings_load_from_one_file(tmp_path):
    path = tmp_path / "mixed.pgn"
    games = [f'[White "{name}"]\n\n1. e4 *\n\n' for name in ("Müller", "Grünfeld", "Zoë")]
    path.write_bytes(games[0].encode() + games[1].encode("cp1252") + games[2].encode())
    document = load(path)
    assert [block.metadata["white"] for block in document.blocks] == ["Müller", "Grünfeld", "Zoë"]
    assert "line 5 read as Windows-1252" in document.notes[0]


def test_all_kinds_of_comments_are_kept_and_screens_are_not(tmp_path):
    text = """; top of the file
[White "A"]

{Before.} 1. e4 {one} {two [%clk 0:01:00]} e5 ; to the end of the line 2. d4
% 2. a4 is escaped
; a line of its own
2. Nf3 {[%csl Gd4] [%cal Rf3e5,Gd1d4]} ({Instead} 2. f4 {gambit}) ({words alone}) Nc6 $1 $16
{The
end.} *"""
    assert movetext(tmp_path, text) == (
        "{top of the file Before.} 1. e4 {one two} 1... e5 {to the end of the line 2. d4 a line "
        "of its own} 2. Nf3 {words alone} ({Instead} 2. f4 {gambit}) 2... Nc6! ± {The end.} *"
    )


def test_moves_are_read_in_any_notation_and_null_moves_are_played(tmp_path):
    text = "1.e2-e4 e7e5 2.Sf3 ♞c6 3.Lb5 a6 4.0-0 -- 5.Z0 Sf6 6. Re1+- Be7 7. Bxc6! dxc6 1/2-1/2"
    assert movetext(tmp_path, text) == (
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O -- 5. -- Nf6 6. Re1 Be7 7. Bxc6! dxc6 1/2-1/2"
    )


def test_an_illegal_move_in_english_is_not_read_as_another_language(tmp_path):
    document = load(written(tmp_path, "1. e4 e5 2. Re2 d6 3. Nf3 *"))
    assert document.blocks[0].text.endswith("1. e4 e5 *")
    assert "illegal move 'Re2' at 2." in document.notes[0]


def test_what_is_legal_of_a_broken_game_is_kept_and_the_rest_is_said(tmp_path):
    text = """[White "A"]

1. e4 e5 2. Nf3 (2. Nxe9 d6 {in vain}) 2... Nc6 *

[White "B"]

1. d4 d5 2. c4 Nxe9 3. Nc3 {Still a word.} (3. Nf3 Nf6) 3... e6 1-0

[White "C"]
[FEN "8/8/8/8 w - - 0 1"]

1. e4 *

[White "D"]
[Variant "Atomic"]

1. e4 *

[White "E"]

[White "F"]

1. e4 {never closed
2. Nf3 Nc6

[White "G"]

1. c4 prose stands here 1... e5 *
"""
    document = load(written(tmp_path, text))
    assert [block.metadata["white"] for block in document.blocks] == ["A", "B", "F", "G"]
    assert [block.metadata["game"] for block in document.blocks] == [1, 2, 6, 7]
    assert texts(tmp_path / "games.pgn") == [
        "1. e4 e5 2. Nf3 {in vain} 2... Nc6 *",
        "1. d4 d5 2. c4 {Still a word.} 1-0",
        "1. e4 {never closed 2. Nf3 Nc6} *",
        "1. c4 e5 *",
    ]
    said = "\n".join(document.notes)
    assert "game 1 (line 1): illegal move 'Nxe9' at 2.; the rest of the variation left" in said
    assert "game 2 (line 5): illegal move 'Nxe9' at 2...; the rest of the game left out" in said
    assert "game 3 (line 9): not a position: FEN '8/8/8/8 w - - 0 1'" in said
    assert "game 4 (line 14): the variant 'Atomic' is not chess; left out" in said
    assert "game 5 (line 19): no moves and no comments; left out" in said
    assert "game 6 (line 21): a comment is not closed" in said
    assert "game 7 (line 26): 3 words that are no moves skipped: 'prose', 'stands'" in said


def test_thousands_of_bad_games_stay_readable(tmp_path):
    text = '[White "A"]\n\n1. e4 *\n\n' + '[White "B"]\n[FEN "no"]\n\n1. e4 *\n\n' * 3000
    notes = load(written(tmp_path, text)).notes
    assert len(notes) == 21
    assert notes[-1] == "2980 more faults like these; of 3001 games 3000 were left out"


@pytest.mark.parametrize("text", ["", "   \n\n", "% nothing", '[White "A"]\n', "Dear reader, no."])
def test_a_file_without_a_game_is_an_error(tmp_path, text):
    with pytest.raises(LoadError, match=r"games\.pgn holds no game that can be read"):
        load(written(tmp_path, text))


def test_games_begin_where_tags_or_numbers_say_so(tmp_path):
    text = """1. e4 e5 1-0

1. d4 d5
2. c4 e6

2... dxc4 {nothing of the kind} 0-1 1. c4 e5 *
[White "A"]
[Black "B"]

[Event "still A"]

1. f4 f5 *
[White "C"]
1. g4 *"""
    document = load(written(tmp_path, text))
    found = [text.partition("\n\n")[2] for text in (block.text for block in document.blocks)]
    assert found[0] == "1. e4 e5 1-0"
    assert found[1].startswith("1. d4 d5 2. c4 e6")
    assert found[2:] == ["1. c4 e5 *", "1. f4 f5 *", "1. g4 *"]
    assert document.blocks[3].metadata["event"] == "still A"


def test_tags_survive_loose_and_escaped_quotes_and_endless_values(tmp_path):
    text = '[White "O"Neill"] [Black "Jo\\"e"]\n[Event "' + "x" * 9000 + '"]\n[Site "?"\n\n1. e4 *'
    (block,) = load(written(tmp_path, text)).blocks
    assert (block.metadata["white"], block.metadata["black"]) == ('O"Neill', 'Jo"e')
    assert len(block.metadata["event"]) == 200
    assert "site" not in block.metadata


def test_chess960_and_other_starting_positions_are_played(tmp_path):
    fen = chess.Board.from_chess960_pos(5).fen()
    text = f'[Variant "Chess960"]\n[FEN "{fen}"]\n\n1. e4 e5 *\n\n'
    lucena = '[White "Lucena"]\n[FEN "6K1/4k1P1/8/8/8/8/5R2/6r1 w - - 0 40"]\n\n40. Re2+ Kd7 *'
    first, second = load(written(tmp_path, text + lucena)).blocks
    assert first.metadata["start"] == fen
    assert second.metadata["start"] == "6K1/4k1P1/8/8/8/8/5R2/6r1 w - - 0 40"
    assert second.text.endswith("40. Re2+ Kd7 *")
    assert second.metadata["ply_last"] == 2


def test_a_course_has_its_chapters_where_others_have_players(tmp_path):
    line = '[Event "The Najdorf"]\n[White "6.Be3"]\n[Black "{}"]\n[Result "*"]\n\n1. e4 c5 *\n\n'
    document = load(written(tmp_path, line.format("Quickstart #1") + line.format("Theory #2")))
    block = document.blocks[1]
    assert document.title == block.metadata["course"] == "The Najdorf"
    assert block.metadata["chapter"] == "6.Be3: Theory #2"
    assert "white" not in block.metadata
    assert block.text.startswith("The Najdorf › 6.Be3: Theory #2. Sicilian Defense (B20).")
    study = (
        '[Event "Plans: The minority attack"]\n[Site "https://lichess.org/study/x/y"]\n\n1. d4 *'
    )
    (block,) = load(written(tmp_path, study)).blocks
    assert (block.metadata["course"], block.metadata["chapter"]) == ("Plans", "The minority attack")


def test_depth_and_length_cost_neither_stack_nor_patience(tmp_path):
    deep = "1. Nf3 Nf6 2. Ng1 Ng8 " + "(2... Nh5 3. Nf3 Nf6 4. Ng1 Ng8 " * 1500
    shuffle = "Nf3 Nf6 Ng1 Ng8 " * 5000
    many = "1. e4 " + "{x} " * 50_000 + "(1. d4) " * 5000
    for text, plies in ((deep, 6004), (shuffle, 20_000), (many, 1)):
        document = load(written(tmp_path, text))
        assert document.blocks[0].metadata["ply_last"] == plies
        assert max(room(256).sizes("games", cut(document, room(256)).blocks)) <= 256


def test_a_move_is_worked_out_once_and_alike(tmp_path):
    player = Player()
    start = epd(chess.Board())
    first = player.play(start, "Nf3")
    player.play(start, "e4")
    assert player.play(start, "Nf3") is first
    assert player.play(start, "Ng1-f3") == first
    assert player.play(start, "Nf6") == "illegal move"


def test_nothing_is_imported_before_a_file_is_read():
    code = (
        "import sys; from consilience.packs.chess.pgn import LOADER; print('chess' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert ran.stdout.strip() == "False"
    assert LOADER.endings == (".pgn",)


def test_the_result_of_the_moves_counts_where_the_tag_says_nothing(tmp_path):
    game = random_game(1, moves=4)
    text = str(game).replace('[Result "*"]', '[Result "?"]')[:-1] + "½-½"
    (block,) = load(written(tmp_path, text)).blocks
    assert block.metadata["result"] == "1/2-1/2"


@pytest.mark.skipif(not BOOK.exists(), reason="the shared data is not here")
def test_every_game_of_a_real_file_is_accounted_for(tmp_path):
    start = BOOK.read_bytes()[:60_000]
    path = tmp_path / "book.pgn"
    path.write_bytes(start[: start.rindex(b"\n\n[White") + 1])
    document = load(path)
    assert len(document.blocks) == path.read_bytes().count(b"[White ")
    assert all("backslashes of its FEN" in note for note in document.notes)
    assert len(document.notes) == 8
