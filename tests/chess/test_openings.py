"""Openings have one name whatever the order of moves, and texts name them in many ways."""

import subprocess
import sys
import tomllib
from pathlib import Path

import chess
import pytest

from consilience.packs.chess import openings
from consilience.packs.chess.notation import epd
from consilience.packs.chess.openings import belongs, ecos_of, named_in, opening_of, openings_at

ROOT = Path(__file__).parents[2]
TABLES = ROOT.parent / "shared/data/chess_openings_lichess"
ALIASES = tomllib.loads((Path(openings.__file__).parent / "aliases.toml").read_text("utf-8"))


def along(*moves):
    board, found = chess.Board(), []
    for move in moves:
        board.push_san(move)
        found.append(epd(board))
    return found


def canonical(text):
    return [name for one in named_in(text) for name in one.canonical]


def test_the_table_holds_every_line_and_all_codes():
    assert len(openings.rows()) == 3807
    assert len({row.opening.eco for row in openings.rows()}) == 500
    assert len({row.position for row in openings.rows()}) == 3807


def test_every_line_of_the_table_leads_to_its_position():
    for row in openings.rows()[::7]:
        board = chess.Board()
        for move in row.moves:
            board.push_uci(move)
        assert epd(board) == row.position
        assert openings_at(row.position) == row.opening


def test_the_last_named_position_of_a_game_names_it():
    najdorf = along("e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6")
    assert opening_of(najdorf).name == "Sicilian Defense: Najdorf Variation"
    assert opening_of(najdorf).eco == "B90"
    beyond = along("e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "h5", "h4", "Rh6", "Rh3", "Rh8")
    assert opening_of(beyond).name.startswith("Ruy Lopez: Morphy Defense")
    assert opening_of([]) is None
    assert opening_of(["8/8/8/8/8/8/8/K1k5 w - -"]) is None


def test_transposed_moves_have_one_name():
    one = along("d4", "Nf6", "c4", "e6", "Nc3", "Bb4")
    other = along("c4", "e6", "Nc3", "Nf6", "d4", "Bb4")
    assert opening_of(one) == opening_of(other)
    assert opening_of(one).name == "Nimzo-Indian Defense"


def test_an_opening_belongs_to_what_its_name_begins_with():
    whole = "Sicilian Defense: Najdorf Variation, English Attack"
    assert belongs(whole, whole)
    assert belongs(whole, "Sicilian Defense: Najdorf Variation")
    assert belongs(whole, "Sicilian Defense")
    assert not belongs(whole, "Sicilian")
    assert not belongs("Sicilian Defense", "Sicilian Defense: Najdorf Variation")
    assert belongs("London System, with Bd3", "London System")


def test_codes_of_an_opening_are_those_of_all_its_lines():
    assert ecos_of("Sicilian Defense") == tuple(f"B{number}" for number in range(20, 100))
    assert "B90" in ecos_of("Sicilian Defense: Najdorf Variation")
    assert ecos_of("No such opening") == ()


@pytest.mark.parametrize("section", ["abbreviations", "names", "article"])
def test_every_alias_leads_to_an_opening_and_is_found(section):
    for phrase, names in ALIASES[section].items():
        assert all(ecos_of(name) for name in names), phrase
        text = f"What is theory in the {phrase if section != 'article' else phrase.title()}?"
        assert set(names) <= set(canonical(text)), phrase


def test_nearly_every_name_of_the_table_is_found_in_a_text_that_has_it():
    names = sorted({row.opening.name for row in openings.rows()})
    spelt = {name: name.replace("Defense", "Defence").replace("'", "’") for name in names}
    found = {
        name: any(belongs(name, one) for one in canonical(f"In the {text} White plays on."))
        for name, text in spelt.items()
    }
    assert sum(found.values()) > 0.98 * len(names), [name for name in names if not found[name]]
    exact = sum(name in canonical(name) for name in names)
    assert exact > 0.9 * len(names)


SAME = {
    "Sicilian Defense: Najdorf Variation": [
        "Najdorf",
        "the Najdorf Sicilian",
        "Sicilian Najdorf",
        "SICILIAN, NAJDORF VARIATION",
        "the Najdorf Variation of the Sicilian Defence",
    ],
    "French Defense: Exchange Variation": [
        "Exchange French",
        "the Exchange Variation of the French",
        "French Defence, Exchange Variation",
        "the Exchange Variation when I meet the French Defence",
    ],
    "Ruy Lopez": ["Ruy Lopez", "the Spanish", "Spanish Opening", "against the Lopez"],
    "Petrov's Defense": ["Petroff", "Petrov", "Petroff's Defence", "Russian Game"],
    "Grünfeld Defense": ["Grünfeld", "Gruenfeld", "Grunfeld Defence", "the grünfeld"],
    "King's Indian Attack": ["KIA", "King's Indian Attack", "kings indian attack"],
    "King's Indian Defense": ["KID", "King’s Indian", "Kings Indian Defence"],
    "Queen's Gambit Declined": ["QGD", "Queen's Gambit Declined", "queens gambit declined"],
    "Queen's Gambit Accepted": ["QGA", "the Queen's Gambit"],
    "Caro-Kann Defense: Advance Variation": ["Advance Caro-Kann", "Caro-Kann, Advance"],
    "Sicilian Defense: Closed": ["Closed Sicilian", "the Sicilian, Closed"],
    "Dutch Defense": ["Is the Dutch any good?", "against the dutch", "Dutch Defence"],
    "Alekhine Defense": ["Alekhine's Defence", "the Alekhine", "Alekhine Defense"],
    "Ruy Lopez: Berlin Defense": ["Berlin Defence", "the Berlin", "Berlin endgame"],
    "Lion Defense: Bayonet Attack": ["Lion Defence, Bayonet Attack"],
    "King's Indian Defense: Orthodox Variation, Bayonet Attack": ["the Bayonet Attack"],
}


@pytest.mark.parametrize(
    ("text", "name"), [(text, name) for name, texts in SAME.items() for text in texts]
)
def test_an_opening_has_many_names(text, name):
    assert name in canonical(text)


@pytest.mark.parametrize(
    "text",
    [
        "an English translation of a French book",
        "Alekhine won, and Philidor wrote",
        "the Philidor position and Lucena's bridge",
        "the exchange of queens in modern, closed and open games",
        "the advance of the pawn in the classical endgame",
        "Italian masters in London 1851",
        "a double attack, a pin, and a pawn storm attack",
        "the king's pawn, the queen's knight and four pawns",
        "Tal's attack and Capablanca's game against Marshall",
        "a kid and a dragon",
        "the main line, the normal line and the fianchetto variation",
        "Réti's endgame study",
    ],
)
def test_ordinary_words_are_no_openings(text):
    assert named_in(text) == ()


def test_a_name_says_where_it_stands_what_it_covers_and_how_sure_it_is():
    (one,) = named_in("Why is ...c5 important in the French Winawer?")
    assert one.surface == "French Winawer"
    assert one.canonical == ("French Defense: Winawer Variation",)
    assert set(one.ecos) <= {f"C{number}" for number in range(10, 20)}
    assert one.sure
    assert not named_in("What did the Dutch?")[0].sure
    assert [one.surface for one in named_in("Najdorf or Caro-Kann?")] == ["Najdorf", "Caro-Kann"]


def test_a_part_does_not_reach_over_the_end_of_a_sentence():
    text = "The Sicilian is sharp. In an Exchange Variation all is quiet."
    assert canonical(text) == ["Sicilian Defense"]


@pytest.mark.skipif(not TABLES.is_dir(), reason="the tables of lichess are not here")
def test_the_table_is_made_from_its_source(tmp_path):
    table = Path(openings.__file__).parent / "openings.tsv"
    code = (
        "import sys, pathlib; sys.path.insert(0, sys.argv[1]); import build_openings as b;"
        "b.TABLE = pathlib.Path(sys.argv[3]); b.main(pathlib.Path(sys.argv[2]))"
    )
    made = tmp_path / "openings.tsv"
    subprocess.run(
        [sys.executable, "-c", code, str(ROOT / "scripts"), str(TABLES), str(made)], check=True
    )
    assert made.read_bytes() == table.read_bytes()


def test_a_numbered_move_behind_it_makes_a_word_the_name_of_an_opening():
    found = {
        text: [name for one in named_in(text) for name in one.canonical]
        for text in (
            "Two Knights 4.Ng5 d5",
            "What's wrong with Philidor's 2...d6?",
            "Two knights cannot force mate",
            "What did Philidor say of pawns?",
        )
    }
    assert list(found.values()) == [
        ["Italian Game: Two Knights Defense"],
        ["Philidor Defense"],
        [],
        [],
    ]
