"""Which moves of a text follow one another? Runs of them, in whatever notation they are printed.

A run begins with a numbered move and goes on as long as nothing but numbers, signs and bracketed
remarks stands between the moves. Books number Black's moves in several ways: `3...Nf6`, `3. ....;
Kt-B3`, and in two columns `3. Kt to B3; 3. Kt to B3`. Older books write `11. Kt to Q5` for a move
of Black's too, so that of these only a board can say whose move it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

import chess

from consilience.packs.chess.descriptive import DESCRIPTIVE, Spelt, fitting, spelt, unfolded
from consilience.packs.chess.notation import MOVE_TOKEN, read_move

_BETWEEN = re.compile(
    r"(?:[\s,;.)(*_\[\]–—:|→+=±∓∞⩲⩱!?#-]|\$\d+|\b(?:and|best)\b"
    r"|\[\w{1,2}\]|\((?![^()]*\d\s?\.)[^()]{1,250}\))*"
)


@dataclass(frozen=True, slots=True)
class Move:
    """A move as a text has it: its half move by the number before it, None where there is none.

    Of an `unsure` one the number is known, but not the side.
    """

    spelt: str | Spelt
    ply: int | None = None
    unsure: bool = False

    def readings(self, board: chess.Board) -> list[chess.Move]:
        """The legal moves that may be meant."""
        if isinstance(self.spelt, Spelt):
            return fitting(board, self.spelt)
        move = read_move(board, self.spelt)
        return [move] if move else []


@dataclass(slots=True)
class Run:
    """Moves that follow one another, and the half moves that the first of them may be."""

    begins: tuple[int, ...]
    moves: list[Move] = field(default_factory=list)

    def follows(self, move: Move) -> Move | None:
        """A move as it goes on with the run, by its number or without one; None if it does not."""
        if move.ply is None:
            return move
        for begin in self.begins:
            due = begin + len(self.moves)
            for ply in (move.ply, move.ply + 1) if move.ply % 2 == 1 else (move.ply,):
                if ply == due:
                    self.begins = (begin,)
                    return replace(move, ply=ply)
        return None


def runs_in(text: str) -> Iterator[Run]:
    """The runs of moves of a text, in order."""
    text = unfolded(text)
    run: Run | None = None
    end = 0
    for found, move in _moves(text):
        apart = not _BETWEEN.fullmatch(text[end : found.start()])
        going = run.follows(move) if run and not apart else None
        if going is None:
            if run:
                yield run
            begins = (move.ply, move.ply + 1) if move.unsure and move.ply else (move.ply,)
            run = Run(tuple(one for one in begins if one)) if move.ply else None
            going = move
        if run:
            run.moves.append(going)
        end = found.end()
    if run:
        yield run


def _moves(text: str) -> Iterator[tuple[re.Match[str], Move]]:
    """What may be a move, in order; of two readings of a place that which says more."""
    found = [(one, _algebraic(one)) for one in MOVE_TOKEN.finditer(text)]
    found += [(one, _descriptive(one)) for one in DESCRIPTIVE.finditer(text)]
    found.sort(key=lambda pair: (pair[0].start(), -pair[0].end()))
    end = 0
    for one, move in found:
        if one.start() >= end:
            yield one, move
            end = one.end()


def _algebraic(found: re.Match[str]) -> Move:
    return Move(found["move"], _ply(found["number"], found["dots"]))


def _descriptive(found: re.Match[str]) -> Move:
    ply = _ply(found["number"], found["dots"])
    return Move(spelt(found), ply, unsure=bool(ply and ply % 2))


@lru_cache(maxsize=4096)
def _ply(number: str | None, dots: str | None) -> int | None:
    """The half move of a number: Black's with two dots or more behind it."""
    if not number or int(number) == 0:
        return None
    black = (dots or "").count(".") > 1 or "…" in (dots or "")
    return 2 * int(number) - (0 if black else 1)
