"""Which chess moves does a text give, and does a line of moves stand in another text?

Moves are read in algebraic notation, short or long, with or without move numbers. A line must
stand in the cited text move after move; what stands between its moves there, comments and
variations, may be passed over where move numbers show that nothing is missing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from consilience.answer.moves import MOVE

_NUMBER = r"(?P<number>\d{1,3})\s?(?P<dots>\.{1,3}|…)\s{0,2}"
_TOKEN = re.compile(
    rf"(?<![\w/=.-])(?:{_NUMBER})?(?<![\w/-])(?P<move>{MOVE})(?:[+#]|\+\+)?[!?]{{0,2}}(?![\w-]|/\w)"
)
_SIGN = r"\(?(?:[+=±∓∞−⩲⩱□⨀⟳↑→⇆⊕∆]{1,2}|\+-|-\+)\)?"
_GLUED = re.compile(rf"[\s,;*_]*(?:\$\d+\s*)*(?:{_SIGN}\s+)*(?:{_SIGN})?")
_COMMENT = re.compile(r"\{[^{}]*\}")
_ASIDE = re.compile(r"\([^()]*\)")
_DEEPEST = 50  # brackets within brackets that are passed over


@dataclass(frozen=True, slots=True)
class Move:
    """A move where it stands; `ply` counts half moves from the first, None where unknown.

    `follows` says that nothing but white space parts it from the move before.
    """

    start: int
    end: int
    spelt: str
    move: str
    ply: int | None
    follows: bool
    numbered: bool


def moves_in(text: str) -> tuple[Move, ...]:
    """The moves of a text in order, each with its place in the game where numbers tell it."""
    found: list[Move] = []
    for match in _TOKEN.finditer(text):
        before = found[-1] if found else None
        follows = bool(before and _GLUED.fullmatch(text[before.end : match.start()]))
        ply = before.ply + 1 if follows and before and before.ply is not None else None
        if match["number"]:
            black = len(match["dots"]) > 1 or match["dots"] == "…"
            ply = 2 * int(match["number"]) - (0 if black else 1)
        move = match["move"].replace("0", "O").replace(":", "x")
        move = re.sub(r"(?<=[a-h1-8KQRBN])-", "", move)
        span = match.start(), match.end()
        found.append(Move(*span, match[0], move, ply, follows, bool(match["number"])))
    return tuple(found)


def lines_of(moves: Sequence[Move]) -> list[list[Move]]:
    """Moves in runs that follow one another."""
    lines: list[list[Move]] = []
    for move in moves:
        if lines and move.follows:
            lines[-1].append(move)
        else:
            lines.append([move])
    return lines


def first_missing(line: Sequence[Move], text: str, moves: Sequence[Move]) -> Move | None:
    """The first move of a line that does not stand in a text as the line has it, if any."""
    best = max(_reach(line, stream) for stream in (moves, _main_line(text)))
    return line[best] if best < len(line) else None


@lru_cache(maxsize=256)
def _main_line(text: str) -> tuple[Move, ...]:
    """The moves of a text without comments and variations, which may stand in one another."""
    text = _COMMENT.sub(_blank, text)
    for _ in range(_DEEPEST):
        text, count = _ASIDE.subn(_blank, text)
        if not count:
            break
    return moves_in(text)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _reach(line: Sequence[Move], stream: Sequence[Move]) -> int:
    """How many moves of a line are found in a stream, one after the other."""
    numbered = frozenset(one.move for one in stream if one.ply is not None)
    best = 0
    for start, first in enumerate(stream):
        if not _same(line[0], first, numbered):
            continue
        at, reached = start, 1
        while reached < len(line):
            after = _next(line[reached], stream, at, numbered)
            if after is None:
                break
            at, reached = after, reached + 1
        best = max(best, reached)
        if best == len(line):
            break
    return best


def _next(wanted: Move, stream: Sequence[Move], at: int, numbered: frozenset[str]) -> int | None:
    """Where a line goes on: the move behind, or a later one whose number says it is the next."""
    if at + 1 < len(stream) and _same(wanted, stream[at + 1], numbered):
        return at + 1
    here = stream[at].ply
    if here is None:
        return None
    for place in range(at + 2, len(stream)):
        if stream[place].ply == here + 1 and _same(wanted, stream[place], numbered):
            return place
    return None


def _same(wanted: Move, found: Move, numbered: frozenset[str]) -> bool:
    """Whether a move is the one wanted; where the text numbers it, the number counts."""
    if wanted.move != found.move:
        return False
    if wanted.ply is None:
        return True
    return wanted.ply == found.ply or (found.ply is None and wanted.move not in numbered)
