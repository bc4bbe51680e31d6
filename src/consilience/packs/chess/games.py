"""Which game does a question name, which games answer it, and in which order are they shown?

A game is named by its players, the year, the event, the round, or its own name. Names are compared
as they sound, so that `Aljechin` finds Alekhine and `Nimzovich` Niemzowitsch; of several players
who fit a word, only those that fit it best are meant. Names that famous games have (`aliases.toml`)
stand for players and a year. Games that have the move which a question names come first, with a
comment on it before others; pieces of one game stand together, in playing order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rapidfuzz import fuzz

from consilience.answer.question_words import Word, words_of
from consilience.answer.question_words import named_in as names_in
from consilience.answer.quotations import question_terms, terms
from consilience.packs.chess.game_score import is_asked, plainly, score
from consilience.packs.chess.move_notation import FEN, asked_moves
from consilience.packs.chess.openings import belongs, canonical
from consilience.packs.chess.questions import Sought, famous_in, read_question
from consilience.types import Exhibit, Passage, Statement
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
_RELATED = 0.6  # the share of the question's words that a game about it has
_GAMES = re.compile(
    r"\s*(?:please\s+)?(?:(?:can|could) you\s+)?"
    r"(?:(?:show|give|list|find|which|what|any|some|sample|model|annotated)\b[^.?!,]{0,40}\bgames?\b"
    r"|games?\b|(?:zeige?|nenne|welche)\b.{0,40}\bpartien?\b|(?:montre|quelles)\b.{0,40}\bparties?\b"
    r"|(?:muestra|qué)\b.{0,40}\bpartidas?\b)",
    re.IGNORECASE,
)
_COMMON_WORDS = """
white black play plays played move moves game games chess opening openings position piece pieces
line lines side best good show example examples against versus behind between during before after
"""
COMMON = frozenset(terms(_COMMON_WORDS))
"""Words that nearly every comment on a game has."""
_PIECES = frozenset(terms("king queen rook bishop knight pawn plan idea"))
_ONE = re.compile(r"\b(?:game|partie|partida|partita)\b", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\b(?:games|matches|examples|partien|parties|partidas|partite)\b", re.IGNORECASE
)
_TOP = 2  # places among all that is found, in which a game of one named player is meant
_AHEAD = 2.0  # how much more relevant it is then than any other game
_FIRST = 3  # places of what is found first
_MOST_OF_FIRST = 2


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


def spelt_out(question: str) -> str:
    """A question with the players and the year of the famous games that it calls by name."""
    return " ".join((question, *famous_in(question).values()))


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
        2.0
        * (number.isdigit() and number in re.findall(r"(?<![\w.])\d{1,2}(?![\d.])", sought.rest)),
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


# --- games that answer -------------------------------------------------------------------


def asked_game(exhibits: Sequence[Exhibit], question: str) -> list[Exhibit]:
    """The pieces of the one game or study that a question is about, in playing order; or nothing.

    Where it names moves, the piece that has them is wanted, and not the whole.
    """
    if asked_moves(question) or _SEVERAL.search(question):
        return []
    games: dict[tuple[str, int | None], list[Exhibit]] = {}
    for one in exhibits:
        if one.passage.kind == "game" and by_two(one.passage):
            games.setdefault(_game(one), []).append(one)
    found = list(games.values())
    best = _by_players(exhibits, found, question) or _by_name(found, question)
    best = best or _by_one_player(exhibits, found, question) or _study(exhibits)
    return sorted(best, key=_place)


def _by_players(
    exhibits: Sequence[Exhibit], games: Sequence[list[Exhibit]], question: str
) -> list[Exhibit]:
    """The game whose players a question names, both of them. Of several that it does not tell apart
    one is meant only where it is found first: else the question is about their match.
    """
    fits = [(_fit(game[0].passage, question), game) for game in games]
    paired = [(one, game) for one, game in fits if one.worth >= _BOTH]
    if not paired:
        return []
    best, game = max(paired, key=lambda pair: pair[0].worth)
    meant = best.sure or len(paired) == 1 or any(one in exhibits[:_TOP] for one in game)
    return list(game) if meant else []


def _fit(passage: Passage, question: str) -> Fit:
    sought = read_question(question)
    return fit(passage, sought, find_players(sought, players_of(passage)))


def _by_name(games: Sequence[list[Exhibit]], question: str) -> list[Exhibit]:
    """The one game whose notes have the name by which a question calls it: `the Immortal game`."""
    if not _ONE.search(question):
        return []
    for name in names_in(question):
        called = surface(" ".join(word.text for word in name))
        behind = _ONE.match(question[name[-1].end :].lstrip())
        called = f"{called} game" if behind and not called.endswith(" game") else called
        if " " not in called:
            continue
        having = [
            game for game in games if any(called in surface(one.passage.text) for one in game)
        ]
        if len(having) == 1:
            return having[0]
    return []


def _by_one_player(
    exhibits: Sequence[Exhibit], games: Sequence[list[Exhibit]], question: str
) -> list[Exhibit]:
    """The game of one player that a question names, where it is far ahead of all others."""
    top = [game for game in games if any(one in exhibits[:_TOP] for one in game)]
    best = next(iter(top), None)
    if best is None or not _fit(best[0].passage, question).worth:
        return []
    others = [one.relevance or 0.0 for game in games if game is not best for one in game]
    ahead = max(one.relevance or 0.0 for one in best) >= _AHEAD * max(others, default=0.0)
    return best if ahead else []


def _study(exhibits: Sequence[Exhibit]) -> list[Exhibit]:
    """The study of a position that most of the first exhibits are pieces of."""
    first = [one for one in exhibits[:_FIRST] if one.passage.metadata.get("start")]
    if len(first) < _MOST_OF_FIRST or first[0] is not exhibits[0]:
        return []
    whole = [one for one in exhibits if _game(one) == _game(first[0])]
    return whole if len([one for one in first if one in whole]) >= _MOST_OF_FIRST else []


def _place(exhibit: Exhibit) -> tuple[int, int]:
    """Where in its game a piece stands: by its number, else by its first move."""
    part = exhibit.passage.metadata.get("part", 0)
    ply = exhibit.passage.locator.number("ply") or 0
    return (part if isinstance(part, int) else 0, ply)


def named(exhibit: Exhibit, question: str) -> int:
    """How far a game has the last move that a question names: with a comment on it (3), among its
    own moves (2), or only among those that lead to it (1).
    """
    every = asked_moves(question)
    if not every:
        return 0
    wanted = max(every, key=lambda one: one.half or 0)
    played = score(exhibit.passage.text)
    told = [one.moves[one.place] for one in played.remarks if one.place >= 0]
    own = [*played.line[played.led :], *(ply for _, moves in played.variations for ply in moves)]
    for side in (True, False):
        for grade, among in ((3, told), (2, own), (1, played.line)):
            if any(is_asked(ply, wanted, side=side) for ply in among):
                return grade
    return 0


def fitting(exhibits: Sequence[Exhibit], question: str) -> list[Exhibit]:
    """Games in their order, those first that have the move which a question names.

    Where it gives a line from the first move on, games without its end are left out if others
    have it; where it gives a position, games without that.
    """
    exhibits = [one for one in exhibits if _has_position(one, question)] or exhibits
    grades = {one.mark: named(one, question) for one in exhibits}
    from_start = any(one.half == 1 for one in asked_moves(question))
    left = [
        one for one in exhibits if grades[one.mark] or not (from_start and any(grades.values()))
    ]
    return sorted(left, key=lambda one: -grades[one.mark])


def _has_position(exhibit: Exhibit, question: str) -> bool:
    """Whether a game has a position that a question gives: who stands where, and who moves."""
    asked_for = [" ".join(match[0].split()[:2]) for match in FEN.finditer(question)]
    known = exhibit.passage.metadata.get("positions", ())
    places = known if isinstance(known, tuple) else (known,)
    return any(str(one).startswith(f"{fen} ") for fen in asked_for for one in places)


def first_piece(exhibit: Exhibit, among: Sequence[Exhibit]) -> Exhibit:
    """The first of the pieces of a game that are there."""
    same = [one for one in among if _game(one) == _game(exhibit)]
    return min(same, key=_place, default=exhibit)


def in_order(
    told: Sequence[tuple[Exhibit, Sequence[Statement]]],
) -> list[tuple[Exhibit, Sequence[Statement]]]:
    """Games as they come, the pieces of one game together and in playing order."""
    places: dict[tuple[str, int | None], int] = {}
    for one, _ in told:
        places.setdefault(_game(one), len(places))
    return sorted(told, key=lambda one: (places[_game(one[0])], _place(one[0])))


def _game(exhibit: Exhibit) -> tuple[str, int | None]:
    passage = exhibit.passage
    place = passage.locator.number("game")
    return (passage.document, place) if place is not None else (passage.id, None)


def wanted_by(question: str) -> bool:
    """Whether a question asks for games themselves."""
    return _GAMES.match(question) is not None


def related(exhibit: Exhibit, question: str) -> bool:
    """Whether a game speaks of what is asked: it has the move, or most of the telling words."""
    return named(exhibit, question) > 1 or _share(exhibit, question) >= _RELATED


def touched(exhibit: Exhibit, question: str) -> bool:
    """Whether a game has anything of what is asked."""
    return named(exhibit, question) > 0 or _share(exhibit, question) > 0


def _share(exhibit: Exhibit, question: str) -> float:
    """The share of the telling words of a question that a game has."""
    wanted = {term for term in question_terms(question) if len(term) > 2} - COMMON
    wanted = wanted - _PIECES or wanted
    held = set(terms(f"{exhibit.passage.title} {plainly(exhibit.passage.text)}"))
    return len(wanted & held) / len(wanted) if wanted else 0.0
