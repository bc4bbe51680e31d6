"""Which games answer a question, and in which order are they shown?

Those that have the move which the question names come first, with a comment on it before others.
Pieces of one game stand together, in playing order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.answer.extractive.asking import asked, terms
from consilience.answer.extractive.played import asked_moves, is_asked, plainly, score
from consilience.types import Exhibit, Statement

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
    have it.
    """
    grades = {one.mark: named(one, question) for one in exhibits}
    from_start = any(one.half == 1 for one in asked_moves(question))
    left = [
        one for one in exhibits if grades[one.mark] or not (from_start and any(grades.values()))
    ]
    return sorted(left, key=lambda one: -grades[one.mark])


def first_piece(exhibit: Exhibit, among: Sequence[Exhibit]) -> Exhibit:
    """The first of the pieces of a game that are there."""
    same = [one for one in among if _game(one) == _game(exhibit)]
    return min(same, key=lambda one: one.passage.locator.ply or 0, default=exhibit)


def in_order(
    told: Sequence[tuple[Exhibit, list[Statement]]],
) -> list[tuple[Exhibit, list[Statement]]]:
    """Games as they come, the pieces of one game together and in playing order."""
    places: dict[tuple[str, int | None], int] = {}
    for one, _ in told:
        places.setdefault(_game(one), len(places))
    return sorted(told, key=lambda one: (places[_game(one[0])], one[0].passage.locator.ply or 0))


def _game(exhibit: Exhibit) -> tuple[str, int | None]:
    passage = exhibit.passage
    place = passage.locator.game
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
    wanted = {term for term in asked(question).terms if len(term) > 2} - COMMON
    wanted = wanted - _PIECES or wanted
    held = set(terms(f"{exhibit.passage.title} {plainly(exhibit.passage.text)}"))
    return len(wanted & held) / len(wanted) if wanted else 0.0
