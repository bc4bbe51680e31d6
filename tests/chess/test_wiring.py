"""What the pack adds reaches the search, the evidence and the answer: each fails when cut off."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest

from consilience.cli.demo import _is_ready
from consilience.errors import MissingExtra
from consilience.packs.chess import PACK
from consilience.packs.chess.notation import epd
from consilience.pipeline.evidence import chosen
from consilience.settings import build_settings
from consilience.types import Query
from consilience.workspace import init_workspace, open_workspace
from tests_shared import WordVectors

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
