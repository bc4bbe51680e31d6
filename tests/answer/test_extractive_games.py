"""How games read in answers: the line around what is asked, what was said of it, and boards."""

from dataclasses import replace

import pytest
from extractive_shared import prose

from consilience.answer import extractive
from consilience.answer.extractive import games
from consilience.answer.extractive.played import score
from consilience.answer.task import Log, Task
from consilience.answer.transcript import Transcript
from consilience.packs.chess.checking import check
from consilience.packs.chess.drawing import draw

MOVES = (
    "{A quiet system that turns into a storm on the kings.} 1. Nf3 c5 2. g3 Nc6 3. Bg2 g6 4. O-O "
    "Bg7 5. d3 e6 6. e4 Nge7 7. Re1 O-O (7... d5 8. exd5 {opens the file for the rook at once.}) "
    "8. e5 {[%eval 0.4] The wedge takes the squares f6 and d6 from the knights.} 8... d6 (8... f6 "
    "9. exf6 Bxf6 (9... Rxf6 10. Bg5 {is awkward for the rook.}) 10. Bh6 {with pressure against "
    "the backward pawn.}) 9. exd6 Qxd6 10. Nbd2 Qc7 {Dull.} 11. Nb3 Nd4 12. Bf4 Qb6 13. Ne5 Nxb3 "
    "14. Nc4 Qb5 15. axb3 a5 16. Bd6 Bf6 17. Qf3 Kg7 18. Re4 {The rook heads for the kingside.} "
    "18... Rd8 {leaves the king alone and allows} 19. Qxf6+ {A queen sacrifice: the king is drawn "
    "out and mated because no piece can come back in time.} 19... Kxf6 20. Be5+ Kg5 21. Bg7 1-0"
)
KNOWN = {
    "white": "Petrosian, Tigran V",
    "black": "Pachman, Ludek",
    "event": "Bled",
    "site": "Bled",
    "date": "1961.09.03",
    "result": "1-0",
}
HEADER = "Tigran V Petrosian – Ludek Pachman, Bled 1961, 1-0. King's Indian Attack (A07)."


def game(mark=1, text=f"{HEADER}\n\n{MOVES}", **known):
    one = prose(mark, text, title="Great games", kind="game")
    return replace(one, passage=replace(one.passage, metadata=known or KNOWN))


IDEAS = prose(
    2,
    "The wedge on e5 cramps Black because it takes f6 from the knights. It must be supported.",
    title="Ideas",
)


def answered(question, exhibits, *, length="balanced", emphasis="ideas", drawing="boards"):
    task = Task(
        question=question,
        exhibits=tuple(exhibits),
        length=length,
        emphasis=emphasis,
        drawing=drawing,
    )
    said = Transcript(exhibits, checks=[check], draw=draw)
    list(extractive.write(task, said, None, Log()))
    assert said.faults == []
    return said


def test_the_header_is_no_movetext():
    text = "After 1.e4 e5 in a course, 1-0. Line 2.f4 of it.\n\n1. d4 d5 2. c4 e6"
    assert [one.name for one in games.plies(text)] == ["1.d4", "1...d5", "2.c4", "2...e6"]
    assert [one.name for one in games.plies("1. d4 d5")] == ["1.d4", "1...d5"]


def test_remarks_know_their_line():
    found = score(game().passage.text)
    names = [[ply.name for ply in one.variation] for one in found.remarks]
    assert ["7...d5", "8.exd5"] in names
    assert ["9...Rxf6", "10.Bg5"] in names
    assert ["8...f6", "9.exf6", "9...Bxf6", "10.Bh6"] in names
    assert found.remarks[0].at == -1
    assert len(found.line) == 41


def test_players_place_and_year_name_a_game():
    assert games.called(game().passage) == "Petrosian–Pachman, Bled 1961"
    casual = game(1, MOVES, white="A", black="B", event="Casual game", site="Vienna", date="1910")
    assert games.called(casual.passage) == "A–B, Vienna 1910"
    online = game(1, MOVES, white="A", black="B", event="Rated Blitz game", site="https://x.org/1")
    assert games.called(online.passage) == "A–B"
    line = game(1, MOVES, course="Flank openings", chapter="The wedge")
    assert games.called(line.passage) == "The wedge"
    assert games.called(game(1, MOVES, file="x").passage) == "Great games"


@pytest.mark.parametrize("length", ["concise", "balanced", "in-depth"])
@pytest.mark.parametrize("emphasis", ["ideas", "lines"])
@pytest.mark.parametrize(
    "question",
    [
        "Why does White play 8.e5?",
        "What about 9...Bxf6 in this line?",
        "Why is the queen sacrificed on the kingside?",
        "Show me the game",
        "What happens on move 12?",
        "Is 7...d5 8.exd5 good for White?",
        "How does the backward pawn suffer?",
    ],
)
def test_all_that_is_said_stands_the_check(question, emphasis, length):
    said = answered(question, [game(), IDEAS], emphasis=emphasis, length=length)
    assert "*Petrosian–Pachman, Bled 1961*: " in said.text
    assert said.support == 1.0
    assert len(said.figures) == 1


def test_the_move_that_is_asked_about_is_shown_with_what_was_said_of_it():
    said = answered("Why does White play 8.e5?", [game()], emphasis="lines")
    line, board, comment = said.text.split("\n\n")[:3]
    assert "7. Re1 O-O 8. e5 d6" in line
    assert board == "[DIAGRAM 1] [1]"
    assert comment == ("On 8.e5: “The wedge takes the squares f6 and d6 from the knights.” [1]")
    assert said.figures[0].caption == "After 8.e5, Petrosian–Pachman 1961"


def test_comments_are_chosen_by_the_words_of_the_question_not_by_their_place():
    said = answered("Why did White sacrifice the queen?", [game()], length="concise")
    assert "On 19.Qxf6+: “A queen sacrifice: the king is drawn out" in said.text
    assert "wedge" not in said.text
    assert said.figures[0].caption.startswith("After 19.Qxf6+")
    assert "19. Qxf6+" in said.text.split("\n\n")[0]


def test_names_of_players_are_no_words_to_choose_comments_by():
    text = MOVES.replace("Dull.", "Pachman and Petrosian were friends.")
    said = answered("Why did Petrosian sacrifice against Pachman?", [game(1, text, **KNOWN)])
    assert "friends" not in said.text


def test_a_variation_answers_where_it_answers_best():
    said = answered("What of the backward pawn?", [game()], length="concise")
    told = "In the variation 8...f6 9.exf6 Bxf6 10.Bh6: “with pressure against the backward pawn.”"
    assert told in said.text
    assert said.figures[0].caption.startswith("After 10.Bh6")


def test_a_move_of_a_variation_is_shown_in_its_line():
    said = answered("What about 9...Bxf6?", [game()], emphasis="lines", length="concise")
    assert "8. e5 f6 9. exf6 Bxf6 10. Bh6" in said.text.split("\n\n")[0]
    assert said.figures[0].caption.startswith("After 9...Bxf6")


def test_a_comment_that_leads_up_to_a_move_is_told_with_it():
    said = answered("Which rook move leaves the king alone?", [game()], length="concise")
    assert "On 18...Rd8: “leaves the king alone and allows” 19.Qxf6+" in said.text


def test_books_say_why_first_and_games_show_how():
    question = "Why does the wedge on e5 cramp Black?"
    ideas = answered(question, [game(), IDEAS]).text
    assert ideas.startswith("“The wedge on e5 cramps Black because")
    assert ideas.index("*Petrosian–Pachman") > ideas.index("[2]")
    lines = answered(question, [game(), IDEAS], emphasis="lines").text
    assert lines.startswith("*Petrosian–Pachman")


@pytest.mark.parametrize(("length", "most"), [("concise", 1), ("balanced", 2), ("in-depth", 4)])
@pytest.mark.parametrize("emphasis", ["ideas", "lines"])
def test_boards_are_few(length, most, emphasis):
    endings = ("21. Bg7", "21. Bd4", "21. Bc3", "21. f4+", "21. h4+", "21. Bf4+")
    several = [
        game(mark, f"{HEADER}\n\n{MOVES.replace('21. Bg7', end)}", **KNOWN, round=str(mark))
        for mark, end in enumerate(endings, 1)
    ]
    question = "Why is the queen sacrificed on f6, and what of 21...Kh5?"
    several = [
        replace(one, passage=replace(one.passage, text=_commented_apart(one, mark)))
        for mark, one in enumerate(several, 1)
    ]
    said = answered(question, several, length=length, emphasis=emphasis)
    assert 1 <= len(said.figures) <= most


def _commented_apart(one, mark):
    """The game with its telling comment at another move, so that boards differ."""
    text = one.passage.text.replace("{A queen sacrifice", "{A good move")
    moves = ("11. Nb3", "12. Bf4", "13. Ne5", "14. Nc4", "16. Bd6", "17. Qf3")
    move = moves[mark - 1]
    return text.replace(move, f"{move} {{Now the queen will be sacrificed.}} {_black(move)}")


def _black(move):
    return f"{move.split('.')[0]}..."


def test_without_drawing_there_are_no_boards():
    said = answered("Why does White play 8.e5?", [game()], drawing="")
    assert "DIAGRAM" not in said.text
    assert said.figures == ()


PIECE = (
    f"{HEADER} Part 2 of 3: main line from 8.e5, after 1.Nf3 c5 2.g3 … 6.e4 Nge7 7.Re1 O-O.\n\n"
    "8. e5 {The wedge takes the squares f6 and d6 from the knights.} 8... d6 9. exd6 Qxd6"
)
LEAD = "g1f3 c7c5 g2g3 b8c6 f1g2 g7g6 e1g1 f8g7 d2d3 e7e6 e2e4 g8e7 f1e1 e8g8"


def test_a_piece_of_a_game_is_shown_with_what_leads_to_it():
    said = answered("Why the wedge 8.e5?", [game(1, PIECE, **KNOWN, lead=LEAD)], emphasis="lines")
    assert ": 1. Nf3 c5 2. g3 … 6. e4 Nge7 7. Re1 O-O 8. e5 d6 9. exd6 Qxd6 [1]" in said.text
    assert len(said.figures[0].steps) == 15
    assert (
        "[DIAGRAM 1]"
        in answered(
            "Why 7.Re1 and the wedge?", [game(1, PIECE, **KNOWN, lead=LEAD)], emphasis="lines"
        ).text
    )


def test_the_game_that_has_the_asked_move_comes_first():
    other = game(1, "A – B.\n\n1. e4 {A comment on the wedge and the knights.} e5", white="A")
    for emphasis in ("lines", "ideas"):
        said = answered(
            "Why the wedge 8.e5?", [other, game(2)], emphasis=emphasis, length="concise"
        )
        assert said.text.startswith("*Petrosian–Pachman")


def test_long_comments_are_cut_to_the_sentences_that_answer():
    long = " ".join(f"Sentence number {word} says little of it." for word in "abcdefghijklmnop")
    text = MOVES.replace("Dull.", f"{long} The outpost on c4 decides. {long}")
    said = answered("What decides about the outpost?", [game(1, text, **KNOWN)], length="concise")
    assert "The outpost on c4 decides." in said.text
    assert len(said.text) < 1_200


def test_a_text_without_moves_is_quoted_as_it_is():
    text = "Only words of a game that nobody wrote down."
    assert text in answered("Who won?", [game(1, text, **KNOWN)], emphasis="lines").text


def test_chapters_in_place_of_players_are_no_players():
    line = game(1, MOVES, white="King's Indian: the race", black="Classical 7...Nc6", date="2026")
    assert games.called(line.passage) == "King's Indian: the race: Classical 7...Nc6"


def test_a_move_with_the_number_of_the_other_side_is_found_all_the_same():
    said = answered("Why 18.Rd8?", [game()], emphasis="lines", length="concise")
    assert said.figures[0].caption.startswith("After 18...Rd8")
    assert said.text.count("On 18...Rd8: ") == 1


LUCENA = "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1"
WORDS = "White's king stands in front of its pawn and cannot get out of its way."


def test_a_study_is_shown_by_the_position_it_begins_from():
    known = {"course": "Endings", "chapter": "The bridge", "start": LUCENA}
    moves = game(1, f"Endings › The bridge.\n\n{{{WORDS}}} 1. Rd1+ Ke7 2. Rd4 Ra1", **known)
    words = game(1, f"Endings › The bridge. Part 1 of 2.\n\n{{{WORDS}}}", **known)
    for one in (moves, words):
        said = answered("How does the king get out of its way?", [one], emphasis="lines")
        assert f"“{WORDS}” [1]" in said.text
        assert "{" not in said.text
        assert said.text.startswith("*The bridge*: ")
        assert said.figures[0].data == LUCENA
        assert said.figures[0].caption == "Starting position, The bridge"


def test_a_question_for_games_is_answered_with_them_first_and_one_for_reasons_is_not():
    assert answered("Show me games with the wedge", [game(), IDEAS]).text.startswith("*Petrosian")
    question = "What is the idea of the wedge, and which games show it?"
    assert answered(question, [game(), IDEAS]).text.startswith("“The wedge on e5")


def test_a_book_that_gives_a_line_from_the_start_shows_where_it_leads():
    text = "The Ruy Lopez starts 1.e4 e5 2.Nf3 Nc6 3.Bb5. White asks who owns the square e5."
    page = prose(1, text, title="Openings")
    fen = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq -"
    page = replace(page, passage=replace(page.passage, metadata={"positions": (fen,)}))
    said = answered("How does the Ruy Lopez start?", [page])
    assert [one.caption for one in said.figures] == ["After 3.Bb5, Openings"]
    assert answered("Is 4.Ba4 the Ruy Lopez?", [page]).figures == ()


def test_a_game_that_has_nothing_of_what_is_asked_does_not_follow_one_that_has():
    other = game(
        3, "A – B.\n\n1. d4 {Claims the middle of the board at once.} d5", white="A", black="B"
    )
    said = answered("Why does the wedge cramp Black?", [game(), other, IDEAS], length="in-depth")
    assert "[3]" not in said.text
