"""How games read in answers: the line around what is asked, what was said of it, and boards."""

from dataclasses import replace

import pytest
from excerpt_shared import WRITERS, prose

from consilience.answer import excerpts
from consilience.answer.task import Task
from consilience.answer.transcript import Transcript
from consilience.packs.chess import citations, games
from consilience.packs.chess.checking import check
from consilience.packs.chess.drawing import draw
from consilience.packs.chess.game_score import plies, score
from consilience.types import Locator

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
        writers=WRITERS,
        question=question,
        exhibits=tuple(exhibits),
        length=length,
        emphasis=emphasis,
        drawing=drawing,
    )
    said = Transcript(exhibits, checks=[check], draw=draw)
    list(excerpts.write(task, said, None))
    assert said.faults == []
    return said


def test_the_header_is_no_movetext():
    text = "After 1.e4 e5 in a course, 1-0. Line 2.f4 of it.\n\n1. d4 d5 2. c4 e6"
    assert [one.name for one in plies(text)] == ["1.d4", "1...d5", "2.c4", "2...e6"]
    assert [one.name for one in plies("1. d4 d5")] == ["1.d4", "1...d5"]


def test_a_header_is_none_where_only_words_follow_either():
    text = "A course › The gift: Bxh7+ explained. Part 1 of 2.\n\n{All conditions are met here.}"
    assert plies(text) == []
    said = answered("When are all conditions met?", [game(1, text, chapter="The gift: Bxh7+")])
    assert said.text == "*The gift: Bxh7+*: “All conditions are met here.” [1]"


def test_remarks_know_their_line():
    found = score(game().passage.text)
    names = [[ply.name for ply in one.variation] for one in found.remarks]
    assert ["7...d5", "8.exd5"] in names
    assert ["9...Rxf6", "10.Bg5"] in names
    assert ["8...f6", "9.exf6", "9...Bxf6", "10.Bh6"] in names
    assert found.remarks[0].at == -1
    assert len(found.line) == 41


def test_players_place_and_year_name_a_game():
    assert citations.called(game().passage) == "Petrosian–Pachman, Bled 1961"
    casual = game(1, MOVES, white="A", black="B", event="Casual game", site="Vienna", date="1910")
    assert citations.called(casual.passage) == "A–B, Vienna 1910"
    online = game(1, MOVES, white="A", black="B", event="Rated Blitz game", site="https://x.org/1")
    assert citations.called(online.passage) == "A–B"
    line = game(1, MOVES, course="Flank openings", chapter="The wedge")
    assert citations.called(line.passage) == "The wedge"
    assert citations.called(game(1, MOVES, file="x").passage) == "Great games"


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
    line = said.text.split("\n\n")[0]
    assert "7. Re1 O-O 8. e5 d6. In a sideline after 8.e5: 8... f6 9. exf6 Bxf6 10. Bh6" in line
    assert said.figures[0].caption.startswith("After 9...Bxf6")


def test_beside_a_sideline_nothing_is_told_of_others():
    text = MOVES.replace("Dull.", "A backward pawn and the sideline matter here too.")
    text = text.replace(
        "9. exd6 Qxd6", "9. exd6 (9. Nc3 {is no sideline for a backward pawn.}) Qxd6"
    )
    said = answered("Is the backward pawn bad in the sideline 9...Bxf6?", [game(1, text, **KNOWN)])
    assert "10.Bh6: “with pressure against the backward pawn.”" in said.text
    assert "9.Nc3" not in said.text
    assert "On 10...Qc7" not in said.text


ASIDE = (
    f"{HEADER} Part 2 of 3: variation 1 of 1 at 8...d6, after 1.Nf3 c5 2.g3 … 7.Re1 O-O 8.e5.\n\n"
    "8... f6 9. exf6 Bxf6 10. Bh6 {with pressure against the backward pawn.}"
)


def test_a_piece_that_is_a_variation_is_called_a_sideline():
    one = game(1, ASIDE, **KNOWN, lead=f"{LEAD} e4e5", parts=3)
    said = answered("What of the backward pawn?", [one], length="concise")
    line = (
        "In a sideline of *Petrosian–Pachman, Bled 1961* after 8.e5: 8... f6 9. exf6 Bxf6 10. Bh6"
    )
    assert said.text.startswith(line)
    chapter = game(1, ASIDE, chapter="The wedge", lead=f"{LEAD} e4e5", parts=3)
    assert answered("What of the backward pawn?", [chapter]).text.startswith("*The wedge*: 1. Nf3")


def test_no_single_move_is_hidden():
    header = f"{HEADER} Part 2 of 2: main line from 4.O-O, after 1.Nf3 c5 2.g3 … 3.Bg2 g6."
    text = f"{header}\n\n4. O-O {{Safe at last, and early.}} Bg7"
    one = game(1, text, **KNOWN, lead=" ".join(LEAD.split()[:6]))
    assert answered("Is it safe?", [one]).text.startswith(
        "*Petrosian–Pachman, Bled 1961*: 3. Bg2 g6 4. O-O Bg7"
    )


def test_a_comment_that_leads_up_to_a_move_is_told_with_it():
    said = answered("Which rook move leaves the king alone?", [game()], length="concise")
    assert "On 18...Rd8: “leaves the king alone and allows” 19.Qxf6+" in said.text


def test_books_say_why_first_and_games_show_how():
    question = "Why does the wedge on e5 cramp Black?"
    ideas = answered(question, [game(), IDEAS]).text
    assert ideas.startswith("*Ideas*: “The wedge on e5 cramps Black because")
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


def test_a_position_in_the_question_is_wanted_in_games_too():
    fen = "r1bqk2r/pp1pnpbp/2n1p1p1/2p5/4P3/3P1NP1/PPP2PBP/RNBQ1RK1 w kq -"
    having = game(2, f"{HEADER}\n\n{MOVES}", **KNOWN, positions=(fen,))
    found = games.fitting([game(1), having], f"What now? {fen} 1 7")
    assert [one.mark for one in found] == [2]
    assert len(games.fitting([game(1), having], "What now?")) == 2


def test_behind_a_colon_the_line_goes_on():
    text = "1. e4 e5 2. Nf3 {is met by the solid:} (2. f4 exf4) 2... Nc6 3. Bb5"
    said = answered("What is met by the solid?", [game(1, text, **KNOWN)], length="concise")
    assert "“is met by the solid:” 2...Nc6 3.Bb5" in said.text


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
    assert citations.called(line.passage) == "King's Indian: the race: Classical 7...Nc6"


def test_a_move_with_the_number_of_the_other_side_is_found_all_the_same():
    said = answered("Why 18.Rd8?", [game()], emphasis="lines", length="concise")
    assert said.figures[0].caption.startswith("After 18...Rd8")
    assert said.text.count("On 18...Rd8: ") == 1


# --- a whole game -----------------------------------------------------------------------

END = (
    "19. Qxf6+!! {A queen sacrifice: the king is drawn out.} 19... Kxf6 20. Be5+ Kg5 21. Bg7 {Mate "
    "cannot be stopped: h4 follows.} 1-0"
)
MIDDLE = MOVES[MOVES.index("14. Nc4") : MOVES.index("19. Qxf6+")]
SANS = [ply.move for ply in score(MOVES).line]


def pieces():
    """The game in three pieces, the last first; and another game of the same players."""
    starts = {1: 0, 2: 26, 3: 36}
    texts = {1: MOVES[: MOVES.index("14. Nc4")], 2: MIDDLE, 3: END}
    found = []
    for mark, part in enumerate((3, 1, 2), 1):
        place = f"{HEADER} Part {part} of 3."
        known = {**KNOWN, "part": part, "parts": 3, "opening": "King's Indian Attack"}
        lead = " ".join(SANS[: starts[part]])
        known |= {"lead": lead} if lead else {}
        known |= {"line": "a" if part == 3 else f"b{part}", "moves": "a"}
        one = game(mark, f"{place}\n\n{texts[part]}", **known)
        locator = Locator(extra=(("game", 7), ("ply", starts[part] + 1)))
        found.append(replace(one, passage=replace(one.passage, document="x", locator=locator)))
    other = game(
        4, f"{HEADER.replace('1961', '1957')}\n\n1. c4 e5 0-1", **{**KNOWN, "date": "1957"}
    )
    return [*found, other]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Petrosian Pachman 1961", [2, 3, 1]),
        ("How did Petrosian beat Pachman at Bled in 1961?", [2, 3, 1]),
        ("petrosian - pachman", [2, 3, 1]),
        ("Petrosian against Pachman 1957", [4]),
        ("Petrosian against Pachman 1958", []),
        ("Petrosian against Smyslov", []),
        ("Show me games of Petrosian and Pachman", []),
        ("Why did Petrosian play 8.e5 against Pachman?", []),
        ("Is the Petrosian System good against the Pachman Defence?", []),
        ("Why is the queen sacrificed?", []),
    ],
)
def test_the_game_that_a_question_names_is_found_whole_and_in_order(question, asked):
    assert [one.mark for one in games.asked_game(pieces(), question)] == asked


def test_a_game_is_known_by_its_round_and_by_what_it_is_called():
    third, sixth = (
        game(mark, f"{HEADER}\n\n{MOVES}", **KNOWN, round=number)
        for mark, number in ((1, "3"), (2, "6"))
    )
    for question in ("Petrosian Pachman game 6", "the 6th game of Petrosian and Pachman"):
        assert games.asked_game([third, sixth], question) == [sixth]
    named = MOVES.replace("Dull.", "The Silent Storm Game, as it is called.")
    called = game(3, named, **{**KNOWN, "white": "A", "black": "B"})
    question = "Who played the Silent Storm game?"
    assert games.asked_game([called, third], question) == [called]
    assert games.asked_game([called, third], "What is a Silent Storm?") == []


def test_one_player_is_enough_where_a_game_is_far_ahead():
    best, other = (replace(one, relevance=0.8) for one in (pieces()[0], pieces()[3]))
    question = "What did Petrosian's queen sacrifice achieve?"
    assert games.asked_game([best, replace(other, relevance=0.2)], question) == [best]
    assert games.asked_game([best, other], question) == []
    assert games.asked_game([IDEAS, IDEAS, best], question) == []


def told(question, exhibits, comments=3):
    said = Transcript(exhibits, checks=[check], draw=draw)
    whole = games.asked_game(exhibits, question)
    for one in citations.told(whole, question, comments=comments, board=True):
        said.say(one)
    assert said.faults == []
    return said


def test_a_whole_game_is_told_by_its_moments_up_to_its_end():
    said = told("Petrosian Pachman 1961", pieces())
    first, *_ = said.text.split("\n\n")
    assert first == "*Petrosian–Pachman, Bled 1961* (King's Indian Attack; 1-0, White won). [2]"
    order = ["“A quiet system", "18. Re4 Rd8 [3]", "Then 19. Qxf6+!! Kxf6 20. Be5+ Kg5 21. Bg7 [1]"]
    assert [said.text.index(one) for one in order] == sorted(map(said.text.index, order))
    assert "On 19.Qxf6+: “A queen sacrifice" in said.text
    assert "allows”" not in said.text  # the move it leads up to stands in the next piece
    assert [one.caption.split(",")[0] for one in said.figures] == [
        "After 19.Qxf6+",
        "Final position",
    ]


def test_a_question_for_the_end_is_answered_by_the_end():
    said = told("How did Petrosian beat Pachman?", pieces(), comments=1)
    assert "18." not in said.text
    assert said.text.endswith("On 21.Bg7: “Mate cannot be stopped: h4 follows.” [1]")
    assert [one.caption for one in said.figures] == ["Final position, Petrosian–Pachman 1961"]


def test_a_move_by_its_number_is_shown_with_what_was_said_of_it():
    said = told("What did Petrosian play on move 8 against Pachman?", pieces(), comments=1)
    assert "8. e5" in said.text
    assert "On 8.e5: “The wedge takes" in said.text
    assert said.figures[0].caption.startswith("After 8.e5")


def test_in_depth_all_moves_are_there_and_each_once():
    said = told("Petrosian Pachman 1961", pieces(), comments=8)
    lines = [one for one in said.text.split("\n\n") if one[0] in "*T"]
    assert all(" ".join(lines).count(f" {number}. ") == 1 for number in range(1, 22))
    assert "…" not in "".join(lines)


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


def test_pieces_of_a_study_are_told_in_their_order():
    known = {"course": "Endings", "chapter": "The bridge", "start": LUCENA, "parts": 2}
    texts = {
        2: "2. Rd4 {The bridge, which shelters the king later.} Ra1",
        1: f"{{{WORDS}}} 1. Rd1+ Ke7",
    }
    exhibits = []
    for mark, (part, text) in enumerate(texts.items(), 1):
        more = {"part": part, "lead": "Rd1+ Ke7"} if part == 2 else {"part": part}
        one = game(mark, f"Endings. Part {part} of 2.\n\n{text}", **known, **more)
        locator = Locator(extra=(("game", 1), ("ply", 2 * part - 1)))
        exhibits.append(replace(one, passage=replace(one.passage, document="x", locator=locator)))
    said = told("How is the bridge built?", exhibits)
    assert said.text.startswith("*The bridge*: 1. Rd1+ Ke7 [2]")
    assert said.figures[0].caption == "Starting position, The bridge"
    assert said.text.index("Then 2. Rd4") > said.text.index(WORDS)
    lines = [(one, citations.statements(one, "bridge", comments=1)) for one in exhibits]
    assert [one.mark for one, _ in games.in_order(lines)] == [2, 1]


def test_a_question_for_games_is_answered_with_them_first_and_one_for_reasons_is_not():
    assert answered("Show me games with the wedge", [game(), IDEAS]).text.startswith("*Petrosian")
    question = "What is the idea of the wedge, and which games show it?"
    assert answered(question, [game(), IDEAS]).text.startswith("*Ideas*: “The wedge on e5")


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


def test_a_match_is_not_one_of_its_games_unless_that_is_found_first():
    games_of_match = [
        game(mark, f"{HEADER}\n\n{MOVES}", **KNOWN, round=str(mark)) for mark in (3, 4)
    ]
    question = "Why did Pachman give up the match against Petrosian?"
    assert games.asked_game([IDEAS, IDEAS, *games_of_match], question) == []
    assert games.asked_game([*games_of_match, IDEAS], question) == games_of_match[:1]
