"""Which game does a question name? By its players, the year, the event, the round, its own name.

Names are compared as they sound, so that `Aljechin` finds Alekhine and `Nimzovich` Niemzowitsch;
of several players who fit a word, only those that fit it best are meant. Names that famous games
have (`aliases.toml`) stand for players and a year.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from rapidfuzz import fuzz

from consilience.answer.question_words import Word, words_of
from consilience.packs.chess.openings import belongs, canonical, table
from consilience.packs.chess.questions import Sought
from consilience.types import Passage
from consilience.understand.names import surface

SAME = 84.0
"""From which likeness (of 100) on two spellings are one name."""
_BOTH = 3.0  # what it is worth that both players are named
_SHORT = 5  # letters up to which a name has to be spelt as it is
_SOUNDS = (
    ("tsch", "c"), ("tch", "c"), ("sch", "s"), ("cz", "c"), ("ch", "c"), ("kh", "c"), ("sh", "s"),
    ("sz", "s"), ("zh", "z"), ("tz", "z"), ("ts", "z"), ("ks", "x"), ("ph", "f"), ("ff", "f"),
    ("je", "e"), ("ye", "e"), ("oe", "o"), ("ae", "a"), ("ie", "i"), ("ck", "k"), ("w", "v"),
    ("j", "i"), ("y", "i"),
)  # fmt: skip
_NO_PERSON = re.compile(r":|\d\.")
_SMALL = re.compile(r"(?<!\S)[a-zß-ÿ][^\s]*")
_PARTICLES = re.compile(
    r"(?<!\S)(?:of|and|de|del|della|la|le|van|von|vom|der|den|du|di|da|dos|el|al|ibn|bin|ten|ter|zu|zur"
    r"|und|et|y|e|the|allies|friends|others|team|amateur|consultants)(?!\S)"
)
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_COLOURS = frozenset(("white", "black"))


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a game fits what a question names, and whether that names this very game."""

    worth: float = 0.0
    sure: bool = False


@lru_cache(maxsize=4096)
def sound(name: str) -> str:
    """A name as it is compared: without accents, in one transliteration."""
    text = surface(name).replace(" ", "")
    for spelt, plain in _SOUNDS:
        text = text.replace(spelt, plain)
    return text.removesuffix("e")


def surname(player: str) -> str:
    """The name by which a player is known, as it sounds: `Morphy, Paul`, `J. R. Capablanca`."""
    last, comma, _ = player.partition(",")
    words = [word for word in surface(last).split() if len(word) > 2]
    return sound(" ".join(words) if comma else words[-1]) if words else ""


def by_two(passage: Passage) -> bool:
    """Whether two players met in a game: course makers put headings in their place."""
    known = passage.metadata
    sides = [str(known.get(side, "")).strip() for side in ("white", "black")]
    if not all(sides) or any(_NO_PERSON.search(one) for one in sides):
        return False
    headed = any(" " in one and _SMALL.search(_PARTICLES.sub("", one)) for one in sides)
    return bool(known.get("result")) or not headed


def players_of(passage: Passage) -> tuple[str, str]:
    """How the two players of a game sound; empty where no two people met."""
    if passage.kind != "game" or not by_two(passage):
        return "", ""
    white, black = (surname(str(passage.metadata[side])) for side in ("white", "black"))
    return white, black


@cache
def _famous() -> Mapping[str, str]:
    return {surface(name): str(players) for name, players in table()["games"].items()}


def spelt_out(question: str) -> str:
    """A question with the players and the year of the famous games that it calls by name."""
    plain = f" {surface(question)} "
    meant = [players for name, players in _famous().items() if f" {name} " in plain]
    return " ".join((question, *meant))


def find_players(sought: Sought, known: Sequence[str]) -> dict[str, int]:
    """The players that a question names, of those `known` by their sound, and where it does.

    A word in small letters has to be spelt as the name is.
    """
    found: dict[str, int] = {}
    for word in _words(sought):
        spelt = sound(word.text)
        if word.key in _COLOURS or len(spelt) < 3:
            continue
        fits = {
            name: 100.0 if name == spelt else fuzz.ratio(name, spelt)
            for name in known
            if name == spelt or (word.text[:1].isupper() and min(len(name), len(spelt)) > _SHORT)
        }
        best = max(fits.values(), default=0.0)
        for name, likeness in fits.items():
            if likeness >= max(SAME, best):
                found.setdefault(name, word.start)
    return found


def _words(sought: Sought) -> Iterator[Word]:
    """The words of a question that may be names, without those that name openings."""
    for word in words_of(spelt_out(sought.rest)):
        if word.telling and not any(letter.isdigit() for letter in word.key):
            yield word


def fit(passage: Passage, sought: Sought, players: Mapping[str, int]) -> Fit:
    """How well a game fits the players, the year, the place, the round and the opening named."""
    white, black = players_of(passage)
    named = [players[side] for side in (white, black) if side in players]
    if not named or (white == black and len(named) == 2):
        return Fit()
    known = {name: str(value) for name, value in passage.metadata.items()}
    years = {*map(str, sought.years), *_YEAR.findall(_called(sought))}
    played = set(_YEAR.findall(f"{known.get('date', '')} {known.get('event', '')}"))
    if years and played and not played & years:
        return Fit()
    said = {sound(word.text) for word in _words(sought)}
    place = {sound(word.text) for word in words_of(f"{known.get('event')} {known.get('site')}")}
    number = known.get("round", "").split(".")[-1]
    signs = (
        2.0 * bool(played & years),
        min(2.0, float(len({one for one in place - {white, black} if len(one) > 3} & said))),
        2.0 * (number.isdigit() and number in re.findall(r"(?<![\w.])\d{1,2}\b", sought.rest)),
        1.5 * any(belongs(o, n) for o in canonical(known.get("opening", "")) for n in sought.names),
    )
    both = len(named) == 2
    order = 0.25 * (both and players[white] < players[black])
    return Fit((_BOTH if both else 1.0) + sum(signs) + order, both and any(signs))


def fits(
    passages: Mapping[str, Passage], sought: Sought, players: Mapping[str, int]
) -> dict[str, Fit]:
    """How well each of these games fits a question; the only one of two players is meant."""
    found = {key: fit(passage, sought, players) for key, passage in passages.items()}
    found = {key: one for key, one in found.items() if one.worth}
    games = {(passages[key].document, passages[key].locator.number("game")) for key in found}
    paired = any(one.worth >= _BOTH for one in found.values())
    alone = paired and len(games) == 1
    return {key: replace(one, sure=one.sure or alone) for key, one in found.items()}


def _called(sought: Sought) -> str:
    return spelt_out(sought.rest).removeprefix(sought.rest)
