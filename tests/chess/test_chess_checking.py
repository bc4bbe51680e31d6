"""Lines of moves in answers: true ones stand, planted ones fall, and nothing is counted twice."""

import random
import re
from itertools import islice

import pytest
from boards_shared import PGN, SAMPLE, book, games
from pgn_shared import SHARED

from consilience.answer.transcript import Transcript
from consilience.packs.chess.checking import check
from consilience.packs.chess.passage_moves import held
from consilience.types import Statement

SQUARES = [f"{file}{rank}" for file in "abcdefgh" for rank in range(1, 9)]


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "bled.pgn"
    path.write_text(PGN, encoding="utf-8")
    return games(path, first=3)[0]


def told(text, *cited):
    return [fault.told for fault in check(text, cited).faults]


@pytest.mark.parametrize(
    "line",
    [
        "7. Re1 O-O 8. e5 d6",
        "7. Re1 O-O 8. e5 f6 9. exf6 Bxf6",
        "9. exf6 Rxf6 10. Bg5",
        "7...d5 8.exd5 Nxd5 9.Nbd2",
        "6.e4 Nge7 7.Re1 0-0",
        "8.e5! d6 9.exd6",
        "8.e4-e5 d7-d6",
        "Nf3 c5 g3",
    ],
)
def test_lines_of_the_source_stand(game, line):
    assert told(f"White goes on with {line} and presses.", game) == []


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("8. e5 d6 9. exf6", '"9.exf6" cannot be played after 8...d6 in [3]'),
        ("8. e5 f6 9. exd6", '"9.exd6" cannot be played after 8...f6 in [3]'),
        ("8. exd5 d6", '"8...d6" cannot be played after 8.exd5 in [3]'),
        ("7. Re1 O-O 8. exd5", '"8.exd5" cannot be played after 7...O-O in [3]'),
        ("9. exf6 Qxd6", '"9...Qxd6" cannot be played after 9.exf6 in [3]'),
        ("8. e5 d6 9. exd6 Rxf6", '"9...Rxf6" cannot be played after 9.exd6 in [3]'),
        ("7... d5 8. e5 d6", '"8.e5" is not played after 7...d5 in [3]'),
    ],
)
def test_lines_put_together_from_several_fall(game, line, wrong):
    assert told(f"White goes on with {line} and presses.", game) == [wrong]
    said = Transcript([game], checks=[check])
    assert said.say(Statement(text=f"The line is {line} [3].")).text == ""


def test_the_engine_alone_would_let_them_pass(game):
    said = Transcript([game])
    assert said.say(Statement(text="The line is 8. e5 d6 9. exf6 [3].")).text


def test_what_is_not_in_the_text_at_all_is_left_to_the_engine(game):
    assert told("White plays 8. e5 Qh4 9. Qh5.", game) == []
    said = Transcript([game], checks=[check])
    assert len(said.say(Statement(text="The line is 8. e5 Qh4 9. Qh5 [3].")).faults) == 1


def test_only_what_failed_is_counted_and_quotations_are_left_alone(game):
    assert check("White plays 8. e5 d6 9. exd6 Qxd6.", [game]).facts == 0
    assert check("White plays 8. e5 d6 9. exf6 here.", [game]).facts == 1
    assert told("It says “8. e5 d6 9. exf6” there.", game) == []


def test_one_of_several_sources_is_enough(game):
    page = book()
    assert told("After 3.Bb5 a6 4.Ba4 Nf6 and 8.e5 d6 both sides are fine.", game, page) == []


def test_books_are_followed_too_and_never_blamed_for_what_they_say():
    page = book()
    assert told("Black has 5.O-O Nxe4 or 5.O-O Be7 6.Re1.", page) == []
    assert told("Black has 5.O-O Nxe4 6.Re1 b5.", page) == [
        '"6.Re1" is not played after 5...Nxe4 in [9]'
    ]
    odd = book("A misprint: 1.e4 e5 2.Nf3 Nc6 3.Bb6 Qxb6. Then 3.Bb5 a6.", positions=())
    assert told("It gives 2.Nf3 Nc6 3.Bb6 Qxb6.", odd) == []


def test_a_position_in_words_must_be_legal_and_held(game):
    key = held(game.passage).positions[5]
    assert told(f"The position {key} arises.", game) == []
    assert "two kings" in told("The position 8/8/8/3kk3/8/8/8/4K3 w - - arises.", game)[0]


# --- what was played --------------------------------------------------------------------

PLAYERS = "*Petrosian–Pachman, Bled 1961*"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (f"{PLAYERS}: 7. Re1 d5 8. exd5", "7...d5"),
        (f"{PLAYERS}: 7. Re1 O-O 8. e5 f6 9. exf6 Rxf6", "8...f6"),
        ("In Petrosian–Pachman Black played 8...f6 9.exf6 Bxf6.", "8...f6"),
        ("Petrosian met Pachman in 1961, who chose 8...f6 here.", "8...f6"),
        ("Pachman went 7...d5 8.exd5 Nxd5 against Petrosian.", "7...d5"),
    ],
)
def test_a_sideline_is_not_what_the_players_played(game, text, wrong):
    (fault,) = check(text, [game]).faults
    assert (fault.check, fault.value) == ("sideline", wrong)
    assert "from a sideline of [3]; the game went" in fault.told
    assert Transcript([game], checks=[check]).say(Statement(text=f"{text} [3]")).text == ""


@pytest.mark.parametrize(
    "text",
    [
        f"{PLAYERS}: 7. Re1 O-O 8. e5 d6 9. exd6 Qxd6",
        f"{PLAYERS}: 7. Re1 O-O 8. e5 d6. In a sideline after 8.e5: 8... f6 9. exf6 Bxf6",
        f"In a sideline of {PLAYERS} after 8.e5: 8... f6 9. exf6 Rxf6",
        "In Petrosian–Pachman Black could have played 8...f6 9.exf6 Bxf6.",
        "Petrosian–Pachman has the variation 7...d5 8.exd5.",
        "Instead of 7...O-O, 7...d5 8.exd5 opens the file in Petrosian–Pachman.",
        f"{PLAYERS}: “8...f6 9.exf6 Rxf6” is quoted",
        "Black has 8...f6 9.exf6 Bxf6.",  # nobody is said to have played it
        "Petrosian won with 19.Qxf6+ Kxf6 20.Be5+ Kg5 21.Bg7 against Pachman.",
    ],
)
def test_what_was_played_and_what_is_called_a_sideline_stands(game, text):
    assert told(text, game) == []


def test_on_the_sample_what_was_played_stands_and_sidelines_fall():
    planted = fallen = true = 0
    for path in sorted(SAMPLE.glob("*.pgn")):
        for one in games(path)[::4]:
            known = one.passage.metadata
            if not (known.get("white") and known.get("result")):
                continue
            names = f"*{'–'.join(str(known[side]).split(',')[0] for side in ('white', 'black'))}*"
            found = held(one.passage)
            played = [spot for spot in found.spots if spot.main and spot.move]
            own = [spot for spot in played if spot.ply >= int(known["ply_first"])]
            if own:
                line = printed([(spot.ply, spot.san) for spot in own])
                assert told(f"{names}: {line}", one) == []
                true += 1
            at = {spot.ply: spot for spot in played}
            for spot in found.spots:
                branches = spot.before is not None and spot.before.main and not spot.main
                if branches and spot.ply in at and at[spot.ply].move != spot.move:
                    planted += 1
                    line = printed([(spot.ply, spot.san)])
                    fallen += bool(told(f"{names}: {line}", one))
    assert true > 20
    assert planted > 20
    assert fallen == planted


# --- planted errors ---------------------------------------------------------------------


def printed(run):
    words = []
    for place, (ply, san) in enumerate(run):
        if ply % 2:
            words.append(f"{(ply + 1) // 2}. {san}")
        else:
            words.append(f"{ply // 2}... {san}" if place == 0 else san)
    return " ".join(words)


def some_runs(exhibit, chance, count):
    """Lines of a passage, of its variations too: half moves with their names."""
    found = held(exhibit.passage)
    first = int(exhibit.passage.metadata["ply_first"])
    ends = [one for one in found.spots if one.move and one.key not in found.following]
    for end in chance.sample(ends, min(count, len(ends))):
        path = [one for one in end.path if one.move and one.ply >= first]
        if len(path) >= 4:
            length = chance.randint(3, min(8, len(path)))
            start = chance.randint(0, len(path) - length)
            yield [(one.ply, one.san) for one in path[start : start + length]]


def planted(run, chance):
    """The same line with one thing changed."""
    at = chance.randrange(len(run))
    ply, san = run[at]
    goal = re.findall(r"[a-h][1-8]", san)
    if goal:
        other = chance.choice([square for square in SQUARES if square not in san])
        head, _, tail = san.rpartition(goal[-1])
        yield [*run[:at], (ply, f"{head}{other}{tail}"), *run[at + 1 :]]
        if san[0] in "KQRBN":
            piece = chance.choice([one for one in "KQRBN" if one != san[0]])
            yield [*run[:at], (ply, f"{piece}{san[1:]}"), *run[at + 1 :]]
    if run[0][1] != run[2][1]:
        yield [(run[0][0], run[2][1]), run[1], (run[2][0], run[0][1]), *run[3:]]
    yield [(ply + 4, san) for ply, san in run]


def outcome(exhibits, seed, count=2):
    """True lines that fell, planted lines, and those of them that stood."""
    chance = random.Random(seed)
    fallen, plants, stood = [], 0, []
    for one in exhibits:
        for run in some_runs(one, chance, count):
            known = {printed(way) for way in _lines(one)}
            if _said(one, printed(run)).faults:
                fallen.append(printed(run))
            for wrong in planted(run, chance):
                text = printed(wrong)
                plants += 1
                if not _said(one, text).faults and not any(text in line for line in known):
                    stood.append(text)
    return fallen, plants, stood


def _lines(exhibit):
    found = held(exhibit.passage)
    for end in found.spots:
        if end.key not in found.following:
            yield [(one.ply, one.san) for one in end.path if one.move]


def _said(exhibit, line):
    said = Transcript([exhibit], checks=[check])
    said.say(Statement(text=f"The line {line} is given [{exhibit.mark}]."))
    return said


def test_on_the_sample_true_lines_stand_and_planted_ones_fall():
    exhibits = [one for path in sorted(SAMPLE.glob("*.pgn"))[::3] for one in games(path)][::2]
    fallen, plants, stood = outcome(exhibits, 1)
    assert fallen == []
    assert plants > 100
    assert len(stood) <= 0.01 * plants, stood


def test_on_games_of_others_true_lines_stand_and_planted_ones_fall():
    paths = sorted(SHARED.glob("chess_pgn_gutenberg_annotated/*.pgn"))
    if not paths:
        pytest.skip("no shared games here")
    exhibits = [one for path in paths[::16] for one in islice(games(path), 4)]
    fallen, plants, stood = outcome(exhibits, 2)
    assert fallen == []
    assert plants > 20
    assert len(stood) <= 0.01 * plants, stood


def test_moves_that_are_listed_are_no_line():
    page = book("Openings with 1.d4, 1.c4 and 1.Nf3 are quiet. After 1.d4 d5 2.c4 Black chooses.")
    assert told("The book treats 1.d4, 1.c4 and 1.Nf3.", page) == []
