"""A folder of books and games, asked apart and together: every seam of the pack is connected."""

import chess
import pytest

from consilience.explain import total
from consilience.packs.chess.notation import epd

NAJDORF = ("e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6")
TRANSPOSED = ("Nf3", "c5", "e4", "d6", "d4", "cxd4", "Nxd4", "a6", "Nc3", "Nf6")


def fen_after(*moves):
    board = chess.Board()
    for move in moves:
        board.push_san(move)
    return board.fen()


def outcome(result, source):
    return next(one for one in result.trace.outcomes if one.source == source)


def by_position(result):
    """What the source of positions found, by the players or the book's title."""
    found = {}
    for ranking in result.trace.rankings:
        if ranking.source.endswith("/position"):
            found |= {one.id: one.score for one in ranking.found}
    return found


def titles(result):
    return [
        hit.passage.metadata.get("date", hit.passage.title)
        for hit in result.hits
        if hit.passage.id in by_position(result)
    ]


def test_books_and_games_are_apart_and_contents_are_no_evidence(space):
    assert {name: set(kinds) for name, kinds in space.catalogue.counts().items()} == {
        "books": {"book"},
        "games": {"game"},
    }
    texts = [one.text for one in space.catalogue.each("books")]
    assert not any("The Najdorf 3" in text for text in texts)
    (record,) = [one for one in space.catalogue.documents() if one.path.endswith("plans.md")]
    assert any("Contents" in note for note in record.notes)


def test_a_passage_of_a_book_knows_the_positions_and_openings_it_speaks_of(space):
    (passage,) = [one for one in space.catalogue.each("books") if "every choice" in one.text]
    board = chess.Board(fen_after(*NAJDORF))
    assert epd(board) in passage.metadata["positions"]
    assert "Sicilian Defense: Najdorf Variation" in passage.metadata["openings"]
    assert "B90" in passage.metadata["ecos"]


def test_a_game_without_a_code_is_given_one_by_its_moves(space):
    games = [one for one in space.catalogue.each("games") if one.metadata["white"] == "Anna Berg"]
    assert {one.metadata["eco"] for one in games} == {"D33"}
    assert all("Tarrasch" in one.metadata["opening"] for one in games)


@pytest.mark.parametrize(
    "question",
    [
        fen_after(*NAJDORF),
        fen_after(*NAJDORF).replace(" 0 6", " 7 31"),
        "1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6",
        "e2-e4 c7-c5 Ng1-f3 d7-d6 d2-d4 c5xd4 Nf3xd4 Ng8-f6 Nb1-c3 a7-a6",
        "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6",
        "1.e4 c5 2.♘f3 d6 3.d4 cxd4 4.♘xd4 ♘f6 5.♘c3 a6",
        "1.e4 c5 2.Sf3 d6 3.d4 cxd4 4.Sxd4 Sf6 5.Sc3 a6",
        "games with 1.Nf3 c5 2.e4 d6 3.d4 cxd4 4.Nxd4 a6 5.Nc3 Nf6",
    ],
)
def test_every_notation_order_and_counter_finds_the_same(space, question):
    result = space.search(question)
    known = by_position(space.search(fen_after(*NAJDORF)))
    assert set(by_position(result)) == set(known)
    assert {"2001.05.06", "Plans for Club Players"} <= set(titles(result))
    assert titles(result)[0] in ("2001.05.06", "Plans for Club Players")
    assert not result.abstained


def test_a_line_nobody_played_on_falls_back_to_where_it_was_last_known(space):
    played = by_position(space.search("1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6"))
    beyond = by_position(space.search("1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6 6.h4 h5"))
    assert set(beyond) == set(played)
    assert max(beyond.values()) < min(played.values())


def test_a_position_that_nobody_holds_is_not_answered_with_another(space):
    result = space.search("8/8/8/4k3/8/8/4PK2/8 w - - 0 1")
    assert result.abstained
    assert any("no passage has what the question names" in note.message for note in result.notes)
    assert not space.search("8/8/8/4k3/8/8/4PK2/8 w - - 0 1 how do I blockade?").trace.plan.exact
    assert not space.search(fen_after(*NAJDORF)).abstained


@pytest.mark.parametrize("question", ["B98", "games in the Najdorf", "Tarrasch Defense games"])
def test_codes_and_names_find_their_games(space, question):
    result = space.search(question)
    wanted = "Anna Berg" if "Tarrasch" in question else "Ingrid Dahl"
    first = [hit.passage.metadata.get("white") for hit in result.hits[:3]]
    assert wanted in first
    assert outcome(result, "games/position").status == "ok"


def test_copies_of_a_game_are_one_and_the_annotated_one_stays(space):
    result = space.search("Ingrid Dahl against Per Lund, 6.Bg5 in the Najdorf")
    dahl = [hit for hit in result.hits if hit.passage.metadata.get("white") == "Ingrid Dahl"]
    wholes = [hit for hit in dahl if hit.passage.metadata.get("parts", 1) == 1]
    assert [hit.passage.metadata["date"] for hit in wholes] == ["2001.05.06"]
    assert wholes[0].merged
    assert total(wholes[0]) == pytest.approx(wholes[0].score)


@pytest.mark.parametrize(
    ("question", "intent", "kind"),
    [
        ("Show me games in the Najdorf", "opening", "game"),
        ("How do I play against an isolated pawn?", "concept", "book"),
    ],
)
def test_the_router_says_what_fired_and_its_guard_rail_holds(space, question, intent, kind):
    result = space.search(question)
    plan = result.trace.plan
    assert plan.intent == intent
    assert plan.rule not in ("", "no rule fired")
    assert kind in plan.cover
    assert any(hit.passage.kind == kind for hit in result.hits)


def test_moves_are_put_into_words_for_meaning(space):
    plan = space.search("1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6").trace.plan
    assert "Sicilian Defense: Najdorf Variation" in [term.text for term in plan.terms]
    votes = {ask.vote: ask.request.text for ask in plan.asks}
    assert "Najdorf" in votes["books/dense+terms"]


def test_a_question_that_names_nothing_asks_nothing_of_positions(space):
    result = space.search("exchange minor pieces")
    assert outcome(result, "books/position").status == "empty"
