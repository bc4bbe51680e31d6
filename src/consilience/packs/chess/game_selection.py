"""Which games answer a question, and in which order are they shown?

Those that have the move which the question names come first, with a comment on it before others.
Pieces of one game stand together, in playing order. A question may be about one game: the one whose
players it names, with the year or the place where they met more often, or that is called so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.answer.question_words import named_in, words_of
from consilience.answer.quotations import question_terms, terms
from consilience.packs.chess.game_score import is_asked, plainly, score
from consilience.packs.chess.move_notation import FEN, asked_moves
from consilience.types import Exhibit, Passage, Statement
from consilience.understand.names import surface

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


_YEAR = re.compile(r"(?<![\w.,-])(1[5-9]\d\d|20\d\d)(?![\w-])")
_ROUND = re.compile(
    r"\b(?:game|round|match game|partie)\s+(?P<behind>\d{1,2})\b"
    r"|\b(?P<before>\d{1,2})(?:st|nd|rd|th)\s+(?:match\s+)?(?:game|round)\b",
    re.IGNORECASE,
)
_ONE = re.compile(r"\b(?:game|partie|partida|partita)\b", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\b(?:games|matches|examples|partien|parties|partidas|partite)\b", re.IGNORECASE
)
_OF_HIS = re.compile(  # what is called after a player without being his game
    r"\W+(?:\w+\W+)?(?:attack|defen[cs]e|gambit|countergambit|variation|system|opening|rule|position"
    r"|trap|structure|indian|sicilian|exchange line|set-?up|formation|manoeuvre|maneuver)\b",
    re.IGNORECASE,
)
_TOP = 2  # places among all that is found, in which a game of one named player is meant
_AHEAD = 2.0  # how much more relevant it is then than any other game
_FIRST = 3  # places of what is found first
_MOST_OF_FIRST = 2
_NO_PERSON = re.compile(r":|\d\.")
_SMALL = re.compile(r"(?<!\S)[a-zß-ÿ][^\s]*")
_PARTICLES = re.compile(
    r"(?<!\S)(?:of|and|de|del|della|la|le|van|von|vom|der|den|du|di|da|dos|el|al|ibn|bin|ten|ter|zu|zur"
    r"|und|et|y|e|the|allies|friends|others|team|amateur|consultants)(?!\S)"
)


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
    best = _by_players(found, question) or _by_name(found, question)
    best = best or _by_one_player(exhibits, found, question) or _study(exhibits)
    return sorted(best, key=_place)


def _by_players(games: Sequence[list[Exhibit]], question: str) -> list[Exhibit]:
    """The game whose players a question names, both of them."""
    fits = {
        at: fit for at, one in enumerate(games) if (fit := _fit(one[0].passage, question)) > 0.0
    }
    best = max(fits, key=lambda at: (fits[at], -at), default=None)
    return [] if best is None else games[best]


def _fit(passage: Passage, question: str) -> float:
    """How well a game fits the names, the year, the place and the number that a question says."""
    known = {name: str(value) for name, value in passage.metadata.items()}
    white, black = (_named_at(known[side], question) for side in ("white", "black"))
    if white is None or black is None or white == black:
        return 0.0
    year = known.get("date", "")[:4]
    years = _YEAR.findall(question)
    if years and year.isdigit() and year not in years:
        return 0.0
    fit = 1.0 + (2.0 if years and year in years else 0.0) + (0.5 if white < black else 0.0)
    said = {word.key for word in words_of(question) if word.telling}
    place = words_of(f"{known.get('event', '')} {known.get('site', '')}")
    fit += min(
        2, len({word.key for word in place if word.telling and not word.key.isdigit()} & said)
    )
    wanted = _ROUND.search(question)
    number = known.get("round", "").split(".")[-1]
    if wanted and number:
        fit += 2.0 if number == (wanted["behind"] or wanted["before"]) else -0.9
    return fit


def _named_at(player: str, question: str) -> int | None:
    """Where a question names a player by the surname; None where it does not."""
    surname, comma, _ = player.partition(",")
    words = [word for word in words_of(surname) if word.telling and len(word.key) > 2]
    if not comma and len(words) == 2:
        words = words[1:]  # a first name is that of many
    own = {word.key for word in words}
    for word in words_of(question):
        if word.key in own and not _OF_HIS.match(question, word.end):
            return word.start
    return None


def _by_name(games: Sequence[list[Exhibit]], question: str) -> list[Exhibit]:
    """The one game whose notes have the name by which a question calls it: `the Immortal game`."""
    if not _ONE.search(question):
        return []
    for name in named_in(question):
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
    if best is None or not any(
        _named_at(str(best[0].passage.metadata[side]), question) is not None
        for side in ("white", "black")
    ):
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


def by_two(passage: Passage) -> bool:
    """Whether two players met in a game: course makers put headings in their place."""
    known = passage.metadata
    sides = [str(known.get(side, "")).strip() for side in ("white", "black")]
    if not all(sides) or any(_NO_PERSON.search(one) for one in sides):
        return False
    headed = any(" " in one and _SMALL.search(_PARTICLES.sub("", one)) for one in sides)
    return bool(known.get("result")) or not headed


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
