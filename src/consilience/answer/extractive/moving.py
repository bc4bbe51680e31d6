"""Which chess moves does a text name? They are no words: `3...c5` and `d4` stand everywhere.

A move counts only with its number: `3...c5` of a question is found where a sentence plays it as
the third move of Black. Of a line from the first move on only the last is asked about.
"""

from __future__ import annotations

import re
from functools import lru_cache

from consilience.answer.drawn import FEN
from consilience.answer.extractive.played import Named, asked_moves
from consilience.answer.moves import MOVE

_COUNTED = re.compile(
    rf"(?<![\w.])(?:\d{{1,3}}\s?(?:\.+|…)\s*|\.{{2,3}}\s?|…\s?){MOVE}(?:=?[QRBN])?[+#!?]*(?![\w-])"
)
_LOOSE = re.compile(
    r"(?<![\w-])(?:O-O(?:-O)?|0-0(?:-0)?|[KQRBNSLTDkqrbnsltd][a-h]?[1-8]?[x:-]?[a-h][1-8]"
    r"|[a-h][1-8]?[x:-][a-h][1-8]|[a-h][1-8]-?[a-h][1-8])[+#!?]*(?![\w-])"
)
_SQUARE = re.compile(r"(?<![\w-])[a-h][1-8][+#!?]*(?![\w-])")
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
    """The moves of a text that have a number, each as one term: `22 c6` is Black's eleventh."""
    return frozenset(_term(one) for one in asked_moves(text) if one.half is not None)


def asked_move(question: str) -> str:
    """The last move with a number that a question names, as a term; empty where none has one."""
    counted = [one for one in asked_moves(question) if one.half is not None]
    return _term(counted[-1]) if counted else ""


def _term(one: Named) -> str:
    return f"{one.half} {one.move}"
