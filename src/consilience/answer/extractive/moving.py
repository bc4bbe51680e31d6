"""Which chess moves does a text name? They are no words: `3...c5` and `d4` stand everywhere.

A move that a question numbers counts where a sentence plays it as that move: `3...c5` is found as
the third of Black only. Of a line of moves the last is asked about.
"""

from __future__ import annotations

import re
from functools import lru_cache

from consilience.answer.drawn import FEN
from consilience.answer.extractive.played import asked_moves
from consilience.answer.moves import MOVE

_COUNTED = re.compile(
    rf"(?<![\w.])(?:\d{{1,3}}\s?(?:\.+|…)\s*|\.{{2,3}}\s?|…\s?){MOVE}(?:=?[QRBN])?[+#!?]*(?![\w-])"
)
_LOOSE = re.compile(
    r"(?<![\w-])(?:O-O(?:-O)?|0-0(?:-0)?|[KQRBNSLTDkqrbnsltd][a-h]?[1-8]?[x:-]?[a-h][1-8]"
    r"|[a-h][1-8]?[x:-][a-h][1-8]|[a-h][1-8]-?[a-h][1-8])[+#!?]*(?![\w-])"
)
_SQUARE = re.compile(r"(?<![\w-])[a-h][1-8][+#!?]*(?![\w-])")
_FEW = 2  # moves without a number; more are a line
_NUMBER = re.compile(r"(?<![\w.])\d{1,3}\.+(?=\s|$)")


@lru_cache(maxsize=1_000)
def without_moves(text: str) -> str:
    """A text without the moves and positions in it.

    A square alone is a word, as in `a blockade on d5`, unless it stands among moves.
    """
    rest = FEN.sub(" ", text)
    bare, counted = _COUNTED.subn(" ", rest)
    bare, loose = _LOOSE.subn(" ", bare)
    if counted + loose == 0:
        return rest
    return _NUMBER.sub(" ", _SQUARE.sub(" ", bare))


@lru_cache(maxsize=4_000)
def move_terms(text: str) -> frozenset[str]:
    """The moves of a text as terms, with and without their number: `22 c6` and `c6`.

    Twenty-two half moves are eleven moves of each side. A square alone is no move.
    """
    found = asked_moves(text)
    counted = {f"{one.half} {one.move}" for one in found if one.half is not None}
    return frozenset(counted | {one.move for one in found})


def asked_terms(question: str) -> tuple[str, ...]:
    """The moves that a question asks about, as terms: the last that has a number; where none has
    one, those it names, if they are few.
    """
    found = asked_moves(question)
    counted = [f"{one.half} {one.move}" for one in found if one.half is not None]
    if counted:
        return (counted[-1],)
    return tuple(one.move for one in found) if len(found) <= _FEW else ()
