"""A board is drawn of what the cited evidence holds, is legal, and of nothing else."""

import re
from dataclasses import replace

import chess
import pytest
from boards_shared import BOOK, PGN, SAMPLE, book, exhibit, games

from consilience.answer.transcript import Transcript
from consilience.packs.chess.drawing import draw, picture, sketch
from consilience.packs.chess.passage_moves import held
from consilience.types import Figure, Passage, Query, Statement


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "bled.pgn"
    path.write_text(PGN, encoding="utf-8")
    return games(path, first=3)[0]


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "bled.pgn"
    path.write_text(PGN, encoding="utf-8")
    found = games(path, first=3, limit=150)
    assert len(found) > 2
    return found


def after(moves: str) -> str:
    board = chess.Board()
    for move in moves.split():
        board.push_san(move)
    return board.fen(en_passant="legal")


def drawn(what, *cited) -> Figure:
    found = draw(what, cited)
    assert isinstance(found, Figure), found
    return found


TO_8E5 = "Nf3 c5 g3 Nc6 Bg2 g6 O-O Bg7 d3 e6 e4 Nge7 Re1 O-O e5"


@pytest.mark.parametrize(
    ("wanted", "moves"),
    [
        ("8.e5", TO_8E5),
        ("after 8. e5", TO_8E5),
        ("8.e5!", TO_8E5),
        ("8.e5 in Petrosian–Pachman", TO_8E5),
        ("7. Re1 O-O 8. e5", TO_8E5),
        ("8.e4-e5", TO_8E5),
        ("7...0-0", TO_8E5.removesuffix(" e5")),
        ("before 8.e5", TO_8E5.removesuffix(" e5")),
        ("position before 8.e5", TO_8E5.removesuffix(" e5")),
        ("8...f6", f"{TO_8E5} f6"),
        ("9...Rxf6", f"{TO_8E5} f6 exf6 Rxf6"),
        ("9...Qxd6", f"{TO_8E5} d6 exd6 Qxd6"),
        ("9...♜xf6", f"{TO_8E5} f6 exf6 Rxf6"),
        ("8...Nxd5 9.Nbd2", "Nf3 c5 g3 Nc6 Bg2 g6 O-O Bg7 d3 e6 e4 Nge7 Re1 d5 exd5 Nxd5 Nbd2"),
        ("after move 2", "Nf3 c5 g3 Nc6"),
    ],
)
def test_a_move_is_found_where_the_source_has_it(game, wanted, moves):
    assert drawn(wanted, game).data == after(moves)


def test_the_end_and_the_start_of_a_game(game):
    end = drawn("", game)
    assert end.data == drawn("final position", game).data == drawn("21.Bg7", game).data
    assert end.caption == "Final position, Petrosian–Pachman 1961"
    assert drawn("starting position", game).data == chess.STARTING_FEN


def test_a_figure_says_what_it_shows_and_what_leads_there(game):
    figure = drawn("8.e5", game)
    assert (figure.kind, figure.mark) == ("board", 3)
    assert figure.caption == "After 8.e5, Petrosian–Pachman 1961"
    assert [name for name, _ in figure.steps][-3:] == ["7.Re1", "7...O-O", "8.e5"]
    assert figure.steps[0] == ("1.Nf3", after("Nf3"))
    assert figure.steps[-1][1] == figure.data
    assert len(figure.steps) == 15


def test_a_position_is_found_whatever_its_counters(game):
    key = " ".join(after(TO_8E5).split()[:4])
    for fen in (key, f"{key} 0 1", f"{key} 7 99", key.split()[0], f"show {key} please"):
        assert drawn(fen, game).caption == "After 8.e5, Petrosian–Pachman 1961"
    named_by_habit = after("Nf3 c5").replace(" - ", " c6 ")
    assert drawn(named_by_habit, game).caption.startswith("After 1...c5")


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ("8.Qh5", 'no position "8.Qh5"'),
        ("9.e5", 'no position "9.e5"'),
        ("7. Re1 d6", "no position"),
        ("8...d5", "no position"),
        ("8...f6 9.exd6", "no position"),  # of two lines
        ("Sicilian Defense", "no position"),
        ("E97", "no position"),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -", "is not in [3]"),
        ("8/8/8/3kk3/8/8/8/4K3 w - -", "a side has two kings"),
        ("8/8/8/3k4/8/8/8/8 w - -", "White has no king"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - -", "the side that is not to move is in check"),
        ("P3k3/8/8/8/8/8/8/4K3 w - -", "a pawn stands on the first or last rank"),
        ("4k3/8/8/8/8/8/8/4K3 w KQ -", "may still castle"),
        ("9/8/8/8/8/8/8/4K3 w - -", "no position"),
        ("4k3/8/8/8/8/8/8/4K w - -", "eight squares"),
    ],
)
def test_nothing_else_is_drawn_and_the_reason_is_said(game, wanted, reason):
    found = draw(wanted, [game])
    assert isinstance(found, str)
    assert reason in found


def test_nothing_is_drawn_of_nothing():
    assert "no source" in str(draw("8.e5", []))


def test_a_source_that_says_what_cannot_be_is_not_drawn(game):
    lie = "8/8/8/3kk3/8/8/8/4K3 w - -"
    passage = replace(game.passage, metadata={**game.passage.metadata, "positions": (lie,)})
    assert isinstance(draw(lie, [replace(game, passage=passage)]), str)


def test_every_piece_of_a_split_game_draws_its_own_moves(game, pieces):
    whole = {spot.name: spot.key for spot in held(game.passage).spots if spot.main and spot.name}
    seen = set()
    for piece in pieces:
        found = held(piece.passage)
        assert set(found.positions) <= set(found.at)
        own = range(int(piece.passage.metadata["ply_first"]), 100)
        for spot in found.spots:
            if spot.main and spot.ply in own and not piece.passage.text.count("variation "):
                data = drawn(spot.name, piece).data
                assert " ".join(data.split()[:4]) == whole[spot.name]
                seen.add(spot.name)
    assert {"8.e5", "21.Bg7"} <= seen


def test_only_the_piece_with_the_last_move_shows_the_final_position(pieces):
    captions = [drawn("final position", one).caption for one in pieces]
    assert [one.startswith("Final position") for one in captions].count(True) == 1


def test_a_piece_of_a_variation_is_no_part_of_what_was_played():
    header = "A – B, 1-0. Part 2 of 3: variation 1 of 1 at 7...O-O, after 6.e4 Nge7 7.Re1."
    lead = "Nf3 c5 g3 Nc6 Bg2 g6 O-O Bg7 d3 e6 e4 Nge7 Re1"
    known = {"white": "A", "black": "B", "result": "1-0", "lead": lead, "parts": 3}
    passage = Passage(
        id="v",
        collection="games",
        document="x",
        kind="game",
        title="x",
        text=f"{header}\n\n7... d5 8. exd5 Nxd5",
        metadata=known,
    )
    found = held(passage)
    assert [spot.name for spot in found.spots if spot.main][-1] == "7.Re1"
    assert found.instead == {14: "7...O-O"}
    one = exhibit(1, passage)
    assert drawn("8...Nxd5", one).data == after(f"{lead} d5 exd5 Nxd5")
    assert drawn("after move 7", one).caption == "After 7...d5, A–B"
    assert drawn("final position", one).caption == "After 8...Nxd5, A–B"


def test_a_long_name_in_a_caption_ends_behind_a_word(game):
    name = "The Najdorf: a map of the whole territory: English Attack and everything before it"
    for chapter in (name, f"{name}, {name}"):
        passage = replace(game.passage, metadata={"chapter": chapter})
        shown = drawn("8.e5", replace(game, passage=passage)).caption.removeprefix("After 8.e5, ")
        assert shown == chapter if chapter == name else shown == f"{name}, The Najdorf: a …"


def test_squares_in_a_comment_are_no_moves(game):
    text = game.passage.text.replace("opens", "with pawns on d4, c4 and b4, opens")
    passage = replace(game.passage, text=text)
    before = {spot.key for spot in held(game.passage).spots}
    assert {spot.key for spot in held(passage).spots} == before
    assert isinstance(draw("8...d4", [replace(game, passage=passage)]), str)


def test_the_cited_exhibit_that_is_named_comes_first(game):
    other = replace(game, mark=4, passage=replace(game.passage, metadata={"white": "Smyslov"}))
    assert drawn("8.e5 in Petrosian–Pachman", other, game).mark == 3
    assert drawn("8.e5", other, game).mark == 4


def test_a_book_holds_what_its_moves_lead_to():
    page = book()
    figure = drawn("5...Nxe4", page)
    assert figure.data == after("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Nxe4")
    assert figure.caption == "After 5...Nxe4, The Ruy Lopez"
    assert drawn("", page).data == after("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3")
    assert isinstance(draw("5...d6", [page]), str)


def test_a_page_that_goes_on_with_a_line_is_drawn_by_the_positions_it_is_known_to_have():
    page = book(
        "Here 5.O-O Nxe4 leads to open play.", positions=book().passage.metadata["positions"]
    )
    assert drawn("5...Nxe4", page).data == after("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Nxe4")
    lost = book("Here 5.O-O Nxe4 leads to open play.", positions=())
    assert isinstance(draw("5...Nxe4", [lost]), str)


def test_a_position_that_a_page_is_known_to_have_is_drawn_without_its_moves():
    page = book("Both sides have castled.", positions=("4k3/8/8/8/8/8/4P3/4K3 w - -",))
    figure = drawn("4k3/8/8/8/8/8/4P3/4K3 w - -", page)
    assert (figure.caption, figure.steps) == ("White to move, The Ruy Lopez", ())


def test_a_picture_stands_alone_and_marks_the_last_move(game):
    figure = drawn("8.e5", game)
    svg = picture(figure)
    assert svg.startswith("<svg")
    assert "<script" not in svg.lower()
    assert not re.search(r"\son\w+=", svg)
    assert set(re.findall(r'href="(.)', svg)) <= {"#"}
    assert not re.search(r"url\((?!#)|@import|<image|<foreignObject", svg)
    assert svg.count("lastmove") >= 2
    assert "lastmove" not in picture(replace(figure, steps=()))
    assert "lastmove" in picture(drawn("1.Nf3", game))


def test_a_sketch_is_readable_as_text(game):
    lines = sketch(drawn("1.Nf3", game)).split("\n")
    assert lines[0] == "  8 ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜"
    assert lines[5] == "  3 · · · · · ♘ · ·"
    assert lines[8] == "    a b c d e f g h"
    assert lines[9] == "  After 1.Nf3, Petrosian–Pachman 1961 (Black to move)"


def test_a_caption_cannot_act_in_a_terminal(game):
    names = {"white": "Pe\x1b[31mtrosian\u202e", "black": "P\nQ"}
    passage = replace(game.passage, metadata={**game.passage.metadata, **names})
    caption = drawn("8.e5", replace(game, passage=passage)).caption
    assert caption.isprintable()


def test_all_that_the_sample_holds_can_be_drawn_and_is_legal():
    checked = 0
    for path in sorted(SAMPLE.glob("*.pgn"))[:2]:
        for one in games(path):
            for key in one.passage.metadata["positions"]:
                figure = drawn(key, one)
                assert chess.Board(figure.data).is_valid()
                checked += 1
    assert checked > 500


def test_an_answer_draws_through_its_transcript(game):
    said = Transcript([game, book(BOOK)], draw=draw)
    told = said.say(Statement(text="White plays 8.e5 [3]. [DIAGRAM 8.e5]"))
    assert told.text.endswith("[DIAGRAM 1] [3]")
    assert said.say(Statement(text="[DIAGRAM 8.e5] [9]")).faults
    assert [one.caption for one in said.figures] == ["After 8.e5, Petrosian–Pachman 1961"]


def test_a_workspace_answers_with_books_lines_and_a_board(space):
    query = Query(text="Why does White play 6.Bg5 in the Najdorf?")
    *_, done = space.stream(query, length="balanced")
    assert done.answer.faults == ()
    assert "On 6.Bg5: “The sharpest reply: White pins the knight" in done.answer.text
    assert [one.caption for one in done.answer.figures] == [
        "After 6.Bg5, Ingrid Dahl–Per Lund 2001"
    ]
    assert "♗" in space.pack.answers.drawing.sketch(done.answer.figures[0])
