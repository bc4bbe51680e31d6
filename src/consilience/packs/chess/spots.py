"""What are a move in a text, a position it led to, and all that a passage holds of both?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import chess

from consilience.packs.chess.notation import MOVE_TOKEN, epd, letters_in, numbered, read_move

_SIGNS = re.compile(r"[+#†‡!?⁉‼⁈⁇=]+$")
_BETWEEN = re.compile(r"[\s,;*_]*(?:\$\d+\s*|[+=±∓∞−⩲⩱□⨀⟳↑→⇆⊕∆-]{1,2}(?=\s)\s*)*")


@dataclass(eq=False, slots=True)
class Spot:
    """A position that a passage holds, and the move that led there from the spot before.

    `ply` counts half moves by the passage's own numbers: 2 is Black's first. With `main` it stands
    on the passage's main line.
    """

    board: chess.Board
    ply: int
    move: chess.Move | None = None
    san: str = ""
    before: Spot | None = None
    main: bool = False
    key: str = field(init=False)

    def __post_init__(self) -> None:
        self.key = epd(self.board)

    @property
    def name(self) -> str:
        """The move with its number: `12...Nd5`; empty where a line begins."""
        return f"{numbered(self.ply)}{self.san}" if self.san else ""

    @property
    def fen(self) -> str:
        """The whole position; an en passant square only where a pawn can take there."""
        return self.board.fen(en_passant="legal")

    @property
    def path(self) -> list[Spot]:
        """The spots from where its line begins up to this one."""
        found: list[Spot] = []
        here: Spot | None = self
        while here is not None:
            found.append(here)
            here = here.before
        return found[::-1]


@dataclass(frozen=True, slots=True)
class Token:
    """A move as a text writes it, where it stands, and its half move where numbers tell it."""

    move: str
    spelt: str
    ply: int | None
    start: int
    end: int


def bare(move: str) -> str:
    """A move without what stands around it, in English letters."""
    return _SIGNS.sub("", letters_in(move)).replace("0-0", "O-O").replace("O-0", "O-O")


def runs(text: str) -> Iterator[list[Token]]:
    """The moves of prose, in runs that follow one another and agree in their numbers."""
    run: list[Token] = []
    for match in MOVE_TOKEN.finditer(text):
        ply = ply_of(match["number"], match["dots"] or "")
        follows = bool(run) and bool(_BETWEEN.fullmatch(text[run[-1].end : match.start()]))
        if run and (not follows or _begins(run[-1], ply)):
            yield run
            run = []
        if ply is None and run and run[-1].ply is not None:
            ply = run[-1].ply + 1
        spelt = f"{match['move']}{match['marks']}"
        run.append(Token(match["move"], spelt, ply, match.start(), match.end()))
    if run:
        yield run


def _begins(last: Token, ply: int | None) -> bool:
    """Whether a number begins a new line: `1.d4, 1.c4 and 1.Nf3`; a wrong one is no new line."""
    return ply is not None and last.ply is not None and ply <= last.ply


def ply_of(number: str | None, dots: str) -> int | None:
    """The half move that a number says: `12.` is 23, `12...` is 24."""
    if not number or not dots:
        return None
    black = len(dots.replace(" ", "")) > 1 or "…" in dots
    return 2 * int(number) - (0 if black else 1)


class Held:
    """The positions of a passage, by key and by what follows on them; and moves of no place.

    `focus` are the keys of those that are spoken of: a comment stands there, or a line ends;
    `mentioned` of those that moves of prose lead to. A piece of a game that stands in a variation
    leaves the main line at the half move `turn`, where the game itself went on as `instead` has it.
    """

    def __init__(self, positions: Sequence[str]) -> None:
        self.positions = tuple(positions)
        self.known = frozenset(positions)
        self.spots: list[Spot] = []
        self.end: Spot | None = None
        self.at: dict[str, list[Spot]] = {}
        self.following: dict[str, list[Spot]] = {}
        self.unplaced: set[tuple[str, int | None]] = set()
        self.focus: dict[str, None] = {}
        self.mentioned: dict[str, None] = {}
        self.turn: int | None = None
        self.instead: dict[int, str] = {}

    def is_main(self, ply: int) -> bool:
        """Whether a half move outside of brackets was played in the game."""
        return self.turn is None or ply < self.turn

    @property
    def played(self) -> dict[int, Spot]:
        """The spots of the main line by their half moves."""
        return {spot.ply: spot for spot in self.spots if spot.main and spot.move}

    def add(self, spot: Spot) -> Spot:
        """Keep a spot."""
        self.spots.append(spot)
        self.at.setdefault(spot.key, []).append(spot)
        if spot.before is not None:
            self.following.setdefault(spot.before.key, []).append(spot)
        return spot

    def play(self, before: Spot, move: chess.Move, *, main: bool = False) -> Spot:
        """Keep the spot that a move leads to."""
        san = before.board.san(move)
        board = before.board.copy(stack=False)
        board.push(move)
        return self.add(Spot(board, before.ply + 1, move, san, before, main))

    def reach(self, line: Sequence[Token]) -> list[Spot]:
        """The longest way along a line of moves that the passage has, from any of its spots."""
        best: list[Spot] = []
        for first in self.spots:
            if not is_move(first, line[0]):
                continue
            way = [first]
            for token in line[1:]:
                then = self.following.get(way[-1].key, ())
                found = next((one for one in then if is_move(one, token)), None)
                if found is None:
                    break
                way.append(found)
            if len(way) > len(best):
                best = way
        return best

    def cannot_tell(self, token: Token) -> bool:
        """Whether the passage has a move somewhere that could not be played."""
        move = bare(token.move)
        if token.ply is None:
            return any(known == move for known, _ in self.unplaced)
        named = any(bare(spot.san) == move for spot in self.spots if spot.san)
        return (move, token.ply) in self.unplaced or (not named and (move, None) in self.unplaced)


def is_move(spot: Spot, token: Token) -> bool:
    """Whether a token is the move that led to a spot, in any notation."""
    if spot.before is None or (token.ply is not None and token.ply != spot.ply):
        return False
    move = bare(token.move)
    if move == bare(spot.san):
        return True
    target = chess.square_name(spot.move.to_square) if spot.move else ""
    if target not in move and "-" not in move:
        return False
    return read_move(spot.before.board, token.move) == spot.move
