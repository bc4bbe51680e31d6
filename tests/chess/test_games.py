"""What names a game finds it: players in any transliteration, years, events, names of games."""

import asyncio

import pytest

from consilience.packs.chess.games import find_players, sound
from consilience.packs.chess.positions import ByPosition, PositionStore
from consilience.packs.chess.questions import identifiers, read_question
from consilience.types import Request
from tests_shared import make_passage


def game(key, white, black, **more):
    metadata = {"white": white, "black": black, "result": "1-0", **more}
    return make_passage(key, kind="game", collection="games", document=key, metadata=metadata)


GAMES = (
    game("first", "Aljechin", "Niemzowitsch", date="1914", event="St. Petersburg"),
    game("second", "Nimzowitsch, Aron", "Alekhine, Alexander", date="1930", event="San Remo"),
    game("other", "Morphy", "Duke Karl and Count Isouard", date="1858", opening="Vienna Game"),
    game("morphy", "Anderssen", "Morphy, Paul", date="1858"),
    game("opening", "Lund, Per", "Dahl, Ingrid", opening="Vienna Game"),
)


@pytest.fixture
def source(tmp_path):
    known = {one.id: one for one in GAMES}

    def lookup(ids):
        return {key: known[key] for key in ids if key in known}

    store = PositionStore(tmp_path / "positions.db", lookup=lookup)
    store.write(GAMES, None)
    yield ByPosition(store, "games/position", lookup=lookup)
    store.close()


def asked(source, text):
    return asyncio.run(source.tell(Request(text=text), limit=10))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tschigorin", "Chigorin"),
        ("Nimzovich", "Niemzowitsch"),
        ("Bogoljubow", "Bogolyubov"),
        ("Kortschnoi", "Korchnoi"),
        ("Janowski", "Janowsky"),
        ("Aljechin", "Alekhine"),
    ],
)
def test_transliterations_sound_alike(one, other):
    assert sound(one) == sound(other)


def test_spellings_that_only_come_near_are_matched_where_none_is_exact():
    question = read_question("How did Tartacover beat Anderssen?")
    known = [sound(name) for name in ("Tartakower", "Anderssen", "Andersson")]
    assert list(find_players(question, known)) == known[:2]
    assert not find_players(read_question("how did the chess master win"), ["masters"])


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How did Alekhine beat Nimzovich in 1914?", "first"),
        ("Alekhine against Nimzowitsch at San Remo", "second"),
        ("What decided the opera game?", "other"),
        ("How did Morphy play against Anderssen?", "morphy"),
    ],
)
def test_what_names_one_game_is_sure_of_it(source, question, wanted):
    found = asked(source, question)
    assert found.sure == (wanted,)
    assert found.found[0].id == wanted


def test_several_games_of_two_players_are_found_and_none_is_sure(source):
    found = asked(source, "the games of Alekhine and Nimzowitsch")
    assert {one.id for one in found.found} == {"first", "second"}
    assert not found.sure


def test_another_year_is_another_game(source):
    assert "first" not in {one.id for one in asked(source, "Alekhine Nimzowitsch 1930").found}


def test_the_opening_fills_no_place_of_the_game(source):
    found = asked(source, "Morphy against the Duke of Brunswick and Count Isouard, Vienna Game")
    assert found.found[0].id == "other"
    assert identifiers("Morphy against Anderssen in the Vienna Game") == ()
    assert identifiers("the Vienna Game") == ("Vienna Game",)


def test_a_store_of_an_older_version_learns_the_players(tmp_path):
    known = {one.id: one for one in GAMES}
    store = PositionStore(tmp_path / "positions.db", lookup=lambda ids: known)
    store.write(GAMES, None)
    store._db.execute("DELETE FROM held")
    store._db.execute("PRAGMA user_version = 0")
    store.close()
    again = PositionStore(tmp_path / "positions.db", lookup=lambda ids: known)
    assert "morfi" in again.players()
    again.close()
