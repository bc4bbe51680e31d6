"""How is a position put into words? By the opening it belongs to: moves and codes have no meaning.

A model of language reads nothing in a FEN, and little in moves. The name of the opening says what
books and annotators would call it.
"""

from __future__ import annotations

from collections.abc import Iterator

from consilience.packs.chess.asking import Sought, read_question
from consilience.packs.chess.eco import name_of, opening_of, openings_at
from consilience.packs.chess.fens import fens_in
from consilience.packs.chess.notation import epd
from consilience.types import Term

WEIGHT = 0.5
"""What a name that stands for moves weighs against the words of the question."""


def expand(text: str) -> tuple[Term, ...]:
    """The names of the openings that a question's positions, moves and codes belong to."""
    sought = read_question(text)
    known = {name.casefold() for name in sought.names}
    found = {
        name: Term(text=name, weight=WEIGHT, origin=origin, replaces=replaces)
        for name, origin, replaces in _named(text, sought)
        if name.casefold() not in known
    }
    return tuple(found.values())


def certain(identifier: str) -> bool:
    """Whether an identifier answers by itself: a position or a code, unlike a name."""
    return identifier.count("/") == 7 or name_of(identifier) is not None


def _named(text: str, sought: Sought) -> Iterator[tuple[str, str, bool]]:
    """Names, what they stand for in the question, and whether that says nothing by itself."""
    for spelt, board in fens_in(text):
        if (opening := openings_at(epd(board))) is not None:
            yield opening.name, spelt, True
    for line in sought.lines:
        if (found := opening_of(line.positions)) is not None:
            yield found.name, str(line), sought.bare
    for code in sought.ecos[:3]:
        if (name := name_of(code)) is not None:
            yield name, code, sought.bare
