"""What do positions, moves and codes of a question mean to those who cannot read them?

A model of language reads nothing in a FEN, and little in moves: the name of the opening says what
books and annotators would call it. And whatever words say, a passage that holds the very position
comes before one that does not.
"""

from __future__ import annotations

from collections.abc import Iterator

from consilience.pack import Reading
from consilience.packs.chess.notation import epd, fens_in
from consilience.packs.chess.openings import name_of, opening_of, openings_at
from consilience.packs.chess.questions import Sought, read_question
from consilience.types import Boost, Filter, Term

WEIGHT = 0.5
"""What a name that stands for moves weighs against the words of the question."""
EXACT = 0.15
"""The share of its score that a passage gains by holding what is asked for: more than lies between
the first and the last of those that are shown.
"""
SPOKEN = 0.1
"""What it gains besides if it stops there and speaks, so that notes come before bare moves."""
NAMED = 0.05
"""The same for a passage of an opening that is named: a nudge, words find names as well."""
MOST = 3
"""Codes of a range that are put into words or preferred."""


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


def boosts(reading: Reading) -> tuple[Boost, ...]:
    """That what holds the very position or code of a question comes before what does not."""
    sought = read_question(reading.text)
    ends = [line.positions[-1] for line in sought.lines if line.first + len(line.moves) > 1]
    positions = dict.fromkeys((*sought.fens, *ends))
    found = [
        Boost(condition=Filter(name, "=", epd), factor=EXACT, reason="it holds the position")
        for epd in positions
        for name in ("positions", "mentioned")
    ]
    found += [
        Boost(
            condition=Filter("focus", "=", epd), factor=SPOKEN, reason="it speaks of the position"
        )
        for epd in positions
    ]
    codes = [
        Boost(condition=Filter(name, "=", code), factor=EXACT, reason=f"it is {code}")
        for code in sought.ecos[:MOST]
        for name in ("eco", "ecos")
    ]
    named = [
        Boost(
            condition=Filter(field, "contains", name), factor=NAMED, reason=f"it is in the {name}"
        )
        for name in sought.names
        if not any(other != name and other in name for other in sought.names)
        for field in ("opening", "openings")
    ]
    return (*found, *codes, *named)


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
    for code in sought.ecos[:MOST]:
        if (name := name_of(code)) is not None:
            yield name, code, sought.bare
