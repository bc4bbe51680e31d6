"""What the pack adds reaches the search, the evidence and the answer: each fails when cut off."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest

from consilience.answer.evidence import chosen
from consilience.answer.exhibits import exhibits_of
from consilience.answer.pipeline import _transcript
from consilience.answer.task import Log, Task
from consilience.cli.serve import _is_ready
from consilience.engine import find_exact_matches
from consilience.engine.deduplication import Copies
from consilience.engine.refine import Refined, dedupe
from consilience.errors import MissingExtra
from consilience.packs.chess import PACK
from consilience.packs.chess.notation import epd
from consilience.settings import build_settings
from consilience.types import Hit, Locator, Query, Statement
from consilience.workspace import init_workspace, open_workspace
from tests_shared import WordVectors, make_passage


def _copies(space):
    files = space.engine.knowledge.pack.files
    return Copies(identities=files.identities, worth=files.worth)


MOVES = "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6"
NOTE = "The pawn on a6 keeps the pieces of White from b5 and prepares an advance on that wing. "
LONG = f"""[Event "Match"]
[White "Anna Berg"]
[Black "Ole Vik"]
[Date "1999.01.01"]
[Result "1-0"]

1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 {{{NOTE * 12}}} 6. Bg5 e6 {{{NOTE * 12}}}
7. f4 Be7 {{{NOTE * 12}}} 8. Qf3 Qc7 {{In the end the queen decides.}} 1-0
"""


def position():
    board = chess.Board()
    for move in MOVES.split():
        board.push_san(move)
    return board


@pytest.fixture
def match(tmp_path):
    """A workspace with one long game, in pieces."""
    folder = init_workspace(tmp_path / "space", pack="chess")
    (folder / "match.pgn").write_text(LONG, encoding="utf-8")
    settings = build_settings(
        {"pack": "chess", "models.rerank": "none", "retrieve.hard_ms": 30_000}
    )
    with open_workspace(folder, settings=settings, embedder=WordVectors()) as space:
        space.add([folder / "match.pgn"])
        yield space


def test_what_holds_the_position_gains_by_it_and_says_so(space):
    result = space.search(position().fen())
    reasons = {change.reason for hit in result.hits for change in hit.changes if change.delta > 0}
    assert any("it holds the position" in reason for reason in reasons)
    assert any("it speaks of the position" in reason for reason in reasons)


def test_all_pieces_of_a_game_that_is_asked_about_reach_the_writer(match):
    pieces = {one.id for one in match.catalogue.each("games")}
    assert len(pieces) > 3
    result = match.find(Query(text="How did Anna Berg beat Ole Vik?"))
    only = replace(result, hits=result.hits[:1], more=(), trace=replace(result.trace, rankings=()))
    found = chosen(only, match.engine, "balanced")
    assert {hit.passage.id for hit in found} == pieces


def test_the_position_that_is_asked_about_is_named_and_shown_first(space):
    answer = space.ask(position().fen())
    assert epd(chess.Board(answer.figures[0].data)) == epd(position())
    assert "Sicilian Defense: Najdorf Variation" in answer.text.split("\n\n")[0]


def test_the_kind_of_question_decides_what_an_answer_puts_first(space):
    for question in ("Why does Black play ...a6 in the Najdorf?", "What is the plan behind a6?"):
        answer = space.ask(question)
        assert answer.result.trace.plan.emphasis == answer.emphasis == "ideas"


def test_a_pack_that_lacks_something_is_left_out_of_the_demo_with_a_note(capsys):
    def missing():
        raise MissingExtra("chess", "chess")

    assert not _is_ready(replace(PACK, ready=missing))
    assert "chess is left out: chess needs an extra: pip install" in capsys.readouterr().err
    assert _is_ready(PACK)


def test_a_hit_that_holds_the_position_is_certain_and_one_that_shares_a_name_is_not(space):
    by_position = space.search(position().fen())
    assert find_exact_matches(by_position.hits, by_position.trace.plan, space.pack).certain
    by_name = space.search("the Najdorf Variation")
    found = find_exact_matches(by_name.hits, by_name.trace.plan, space.pack)
    assert found.exact
    assert not found.certain


def test_the_annotated_copy_of_a_game_takes_the_place_of_a_bare_one_that_stands_first(space):
    copies = [one for one in space.catalogue.each("games") if one.metadata["white"] != "Anna Berg"]
    bare, told = sorted(copies, key=lambda one: int(str(one.metadata["notes"])))
    hits = (Hit(passage=bare, score=2.0), Hit(passage=told, score=1.0))
    (kept,) = dedupe(Refined(hits=hits), _copies(space), threshold=1.0).hits
    assert (kept.passage, kept.score, kept.merged) == (told, 2.0, (bare.id,))


def test_a_section_of_a_book_is_the_same_in_another_edition(space):
    begins = "The rook belongs behind the passed pawn, whether it is yours or not, says"
    place = Locator(section=("Rooks",))
    one, other = (
        make_passage(key, f"{begins} {more}", kind="book", title="Plans", locator=place)
        for key, more in (("a", "Tarrasch."), ("b", "Tarrasch, and he was nearly always right."))
    )
    hits = (Hit(passage=one, score=2.0), Hit(passage=other, score=1.0))
    (kept,) = dedupe(Refined(hits=hits), _copies(space), threshold=1.0).hits
    assert kept.passage == other


def test_a_sideline_is_not_told_as_the_game(space):
    (game,) = [one for one in space.catalogue.each("games") if "poisoned" in one.text]
    exhibits = exhibits_of([Hit(passage=game, score=1.0)])
    task = Task(question="the Najdorf", exhibits=exhibits)
    said = {
        line: _transcript(task, space.engine, Log()).say(Statement(text=line, form="lines")).text
        for line in (
            "*Dahl–Lund, Training 2001*: 6. Bg5 e6 7. f4 Be7 8. Qf3 [1]",
            "*Dahl–Lund, Training 2001*: 6. Bg5 e6 7. f4 Qb6 8. Qd2 Qxb2 [1]",
        )
    }
    assert [bool(text) for text in said.values()] == [True, False]
