"""The source of positions keeps the contract of every source; its store survives and is mended."""

import asyncio

import chess
import pytest

from consilience.errors import StoreError
from consilience.pack import Reading
from consilience.packs.chess.notation import epd
from consilience.packs.chess.positions import (
    BEHIND,
    FOCUS,
    MEMBER,
    OPENING,
    POSITION,
    ByPosition,
    PositionStore,
)
from consilience.packs.chess.routing import boosts, certain, expand
from consilience.testing import Case, RetrieverContract
from consilience.types import Filter, Request
from tests_shared import make_passage


def after(moves: str) -> str:
    board = chess.Board()
    for move in moves.split():
        board.push_san(move)
    return epd(board)


def along(moves: str) -> tuple[str, ...]:
    words = moves.split()
    return tuple(after(" ".join(words[:end])) for end in range(1, len(words) + 1))


SICILIAN = "e4 c5 Nf3 d6 d4"
QUESTION = Request(text="1.e4 c5 2.Nf3 d6 3.d4")


def game(key, moves, *, focus=(), notes=0, **more):
    metadata = {"positions": along(moves), "focus": tuple(focus), "notes": notes, **more}
    return make_passage(key, kind="game", collection="shelf", metadata=metadata)


CORPUS = (
    game("a1", "e4 c5 Nf3 d6 d4 cxd4", year=1900),
    game("a2", "e4 c5 Nf3 d6 d4", focus=[after(SICILIAN)], year=1900),
    game("a3", "Nf3 c5 e4 d6 d4", notes=40, year=1950),
    game("a4", "e4 c5 Nf3 d6 d4 Nf6", year=1950),
    game("a5", "d4 d5 c4", year=1950),
)
CASE = Case(
    corpus=CORPUS,
    request=QUESTION,
    expected=("a2", "a3", "a1", "a4"),
    nothing=Request(text="how do I play against an isolated pawn?"),
    bound=Filter("year", "=", 1900),
    kept=("a2", "a1"),
    tied=("a1", "a4"),
)


@pytest.fixture
def store(tmp_path):
    made = PositionStore(tmp_path / "positions.db")
    made.write(CORPUS, None)
    yield made
    made.close()


def source(store):
    known = {one.id: one for one in CORPUS}
    return ByPosition(
        store, "shelf/position", lookup=lambda ids: {key: known[key] for key in ids if key in known}
    )


def scores(store, text):
    found = asyncio.run(source(store).retrieve(Request(text=text), limit=20))
    return {one.id: one.score for one in found}


class TestByPosition(RetrieverContract):
    case = CASE

    @pytest.fixture
    def retriever(self, store):
        return source(store)


def test_what_speaks_of_a_position_comes_before_what_passes_it_by(store):
    found = scores(store, QUESTION.text)
    assert found["a2"] == pytest.approx(POSITION + FOCUS)
    assert found["a1"] == POSITION
    assert found["a3"] == pytest.approx(POSITION + 0.25)


def test_beyond_what_was_played_the_last_known_position_counts_for_less(store):
    found = scores(store, "1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 a6")
    assert found == {"a1": pytest.approx(BEHIND * 6 / 8)}


def test_an_opening_is_found_where_it_begins_and_by_all_that_belongs_to_it(store):
    begins = game("b1", "e4 c5", opening="Sicilian Defense")
    inside = make_passage(
        "b2",
        kind="book",
        collection="shelf",
        metadata={"openings": ("Sicilian Defense: Najdorf Variation",)},
    )
    store.write([begins, inside], None)
    found = scores(store, "Sicilian Defence")
    assert found["b1"] == OPENING + MEMBER
    assert MEMBER < found["b2"] < OPENING
    assert found["a1"] == OPENING


def test_a_name_as_a_file_spells_it_is_known_by_the_table(store):
    store.write([make_passage("c1", kind="game", metadata={"opening": "Dutch defence"})], None)
    assert "c1" in scores(store, "games in the Dutch Defense")


def test_positions_that_only_comments_mention_are_found(store):
    line = after("d4 f5 e4")
    store.write([make_passage("c2", kind="game", metadata={"mentioned": (line,)})], None)
    assert scores(store, "1.d4 f5 2.e4")["c2"] == POSITION


def test_writing_again_replaces_and_removing_forgets(store):
    store.write([game("a1", "d4 d5")], None)
    assert "a1" not in scores(store, QUESTION.text)
    store.remove(["a2", "unknown"])
    store.remove(["a2"])
    assert set(scores(store, QUESTION.text)) == {"a3", "a4"}


def test_what_was_written_is_there_when_it_is_opened_again(tmp_path):
    first = PositionStore(tmp_path / "p.db")
    first.write(CORPUS, None)
    first.close()
    again = PositionStore(tmp_path / "p.db")
    assert set(scores(again, QUESTION.text)) == set(CASE.expected)
    again.close()


def test_a_damaged_file_is_refused_with_what_to_do(tmp_path):
    (tmp_path / "p.db").write_bytes(b"this is no database at all" * 100)
    with pytest.raises(StoreError, match="delete it and run `consilience add`"):
        PositionStore(tmp_path / "p.db")


# --- what they mean to those who cannot read them ----------------------------------------


def test_moves_codes_and_positions_are_put_into_words():
    fen = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    (term,) = expand(fen)
    assert (term.text, term.origin, term.replaces) == ("Sicilian Defense", fen, True)
    assert [one.text for one in expand("games with 1.e4 c5")] == ["Sicilian Defense"]
    assert [one.text for one in expand("B90")] == ["Sicilian Defense: Najdorf Variation"]
    assert expand("the Sicilian Defense, 1.e4 c5") == ()
    assert expand("how to use a rook") == ()


def test_what_holds_the_position_or_code_is_preferred():
    found = {
        str(one.condition): one.factor for one in boosts(Reading(text="B90: 1.e4 c5, the Dragon"))
    }
    assert found[f"positions = {after('e4 c5')}"] == found["eco = B90"] > 0.1
    assert 0 < found["opening contains Sicilian Defense: Dragon Variation"] < 0.1
    assert boosts(Reading(text="how to use a rook")) == ()


def test_a_position_or_a_code_answers_by_itself_and_a_name_does_not():
    assert certain(after("e4 c5"))
    assert certain("B90")
    assert not certain("Sicilian Defense")
    assert not certain("isolated pawn")
