"""Which positions does a passage hold? Its moves are played, in lines, variations and comments.

A game is played from where it begins: from the start of all games, from its own, or, where it is
a piece of a longer one, from the position that the piece follows. Moves in comments, and those of
books, stand in runs; a run is played where its first number fits and most of it is legal, and of
a book only where it agrees with the positions that the passage is known to speak of. What fits
nowhere is kept as such: of that nothing can be said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import chess

from consilience.packs.chess.notation import FEN, MOVE_TOKEN, epd, letters_in, numbered, read_move
from consilience.types import Passage

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


_KEPT = 512
_MOST = 20  # places that a run of prose is tried from
_MOVETEXT = re.compile(
    r"\{(?P<comment>[^}]*)\}|(?P<open>\()|(?P<close>\))|\$\d+|(?P<number>\d+)\s*(?P<dots>\.+|…)"
    r"|(?P<end>1-0|0-1|1/2-1/2|\*)(?=\s|\)|$)|(?P<word>[^\s(){}]+)"
)
_SQUARE = re.compile(r"[a-h][1-8]")
_NOTHING = frozenset(("--", "Z0"))
_PLACE = re.compile(r"\bPart \d+ of \d+: (?P<place>.*)", re.DOTALL)
_TURN = re.compile(r"\bvariations? .*? at (?P<number>\d+)(?P<dots>\.+)(?P<move>[^\s,.]+)")


def held(passage: Passage) -> Held:
    """What a passage holds; the same passage is played once."""
    known = passage.metadata
    positions = known.get("positions", ())
    keys = tuple(map(str, positions)) if isinstance(positions, tuple) else (str(positions),)
    begins = (str(known.get("start", "")), str(known.get("lead", "")))
    return _held(passage.kind, passage.text, keys, *begins)


@lru_cache(maxsize=_KEPT)
def _held(kind: str, text: str, positions: tuple[str, ...], start: str, lead: str) -> Held:
    found = Held(positions)
    if kind == "game":
        head, _, body = text.partition("\n\n")
        _turn(found, head)
        _Game(found, _root(found, body or head, start, lead or _led(head))).read(body or head)
    else:
        _Prose(found).read(text)
    return found


# --- games ------------------------------------------------------------------------------


def _turn(found: Held, head: str) -> None:
    """Where a piece of a game stands in a variation: from which half move on, and for what."""
    place = _PLACE.search(head)
    turn = _TURN.search(place["place"]) if place else None
    if place is None or turn is None:
        return
    ply = ply_of(turn["number"], turn["dots"]) or 1
    outermost = not place["place"].startswith("…")
    found.turn = ply if outermost else 1
    if outermost:
        found.instead = {ply: f"{numbered(ply)}{turn['move']}"}


def _root(found: Held, body: str, start: str, lead: str) -> Spot:
    """The spot that a game's moves are played from, with those that lead to it."""
    first = re.search(r"(\d+)\s*(\.+|…)", re.sub(r"\{[^}]*\}", " ", body))
    ply = ply_of(first[1], first[2]) if first else None
    board = _board(start) or chess.Board()
    spot = found.add(Spot(board, 2 * board.fullmove_number - (2 if board.turn else 1), main=True))
    wanted = found.positions[0] if found.positions else ""
    for word in lead.split():
        if ply is not None and spot.ply >= ply - 1:
            break
        move = _by_coordinates(spot.board, word)
        if move is None:
            break
        spot = found.play(spot, move, main=found.is_main(spot.ply + 1))
    known = _board(f"{wanted} 0 1") if wanted not in {"", spot.key} else None
    if known is not None:
        spot = found.add(Spot(known, spot.ply, main=True))
    if ply is not None and ply - 1 != spot.ply and (ply % 2 == 1) == spot.board.turn:
        board = spot.board.copy(stack=False)
        board.fullmove_number = (ply + 1) // 2
        spot = found.add(Spot(board, ply - 1, main=True))
    return spot


def _led(head: str) -> str:
    """The moves that a header gives from the first one on, by their coordinates."""
    board, words = chess.Board(), list[str]()
    for token in next((run for run in runs(head) if run[0].ply == 1), ()):
        move = read_move(board, token.move) if token.ply == len(words) + 1 else None
        if move is None:
            break
        board.push(move)
        words.append(move.uci())
    return " ".join(words)


def _by_coordinates(board: chess.Board, word: str) -> chess.Move | None:
    try:
        move = chess.Move.from_uci(word)
    except ValueError:
        return chess.Move.null() if word in _NOTHING else read_move(board, word)
    return move if not move or board.is_legal(move) else None


def _board(fen: str) -> chess.Board | None:
    try:
        board = chess.Board(fen) if fen else None
    except ValueError:
        return None
    if board is not None and board.has_chess960_castling_rights():
        board.chess960 = True
    return board


class _Game:
    """Plays movetext: a main line, variations in brackets, comments in braces."""

    def __init__(self, found: Held, root: Spot) -> None:
        self.found = found
        self.here = found.end = root
        self.back: list[Spot] = []
        self.said: int | None = None
        self.lost = 0  # brackets since a move could not be played
        self.prose = _Prose(found)

    def read(self, body: str) -> None:
        """Play all of it."""
        for token in _MOVETEXT.finditer(body):
            if token["comment"] is not None:
                self.prose.here = self.here
                self.found.focus[self.here.key] = None
                self.prose.read(token["comment"])
            elif token["open"]:
                self.back.append(self.here)
                self.lost += self.lost > 0
                self.here = self.here.before or self.here
            elif token["close"] and self.back:
                self.here = self.back.pop()
                self.lost = max(0, self.lost - 1)
            elif token["number"]:
                self.said = ply_of(token["number"], token["dots"])
            elif token["word"]:
                self._word(token["word"])

    def _word(self, word: str) -> None:
        if not (MOVE_TOKEN.fullmatch(word) or word in _NOTHING):
            return
        said, self.said = self.said, None
        move = None
        if not self.lost and said in {None, self.here.ply + 1}:
            nothing = word in _NOTHING
            move = chess.Move.null() if nothing else read_move(self.here.board, word)
        if move is None:
            self.lost = max(1, self.lost)
            self.found.unplaced.add((bare(word), said))
            return
        main = not self.back and self.found.is_main(self.here.ply + 1)
        self.here = self.found.play(self.here, move, main=main)
        if not self.back:
            self.found.end = self.here


# --- prose ------------------------------------------------------------------------------


class _Prose:
    """Plays the moves of prose where they fit; `here` is the spot that a comment stands at."""

    def __init__(self, found: Held) -> None:
        self.found = found
        self.here: Spot | None = None

    def read(self, text: str) -> None:
        """Play all runs of moves in a text, and take up the positions that it gives."""
        at = 0
        for match in FEN.finditer(text):
            self._moves(text[at : match.start()])
            board = _board(match[0]) if match["turn"] else None
            if board is not None and board.is_valid():
                ply = 2 * board.fullmove_number - (2 if board.turn else 1)
                self.found.mentioned[self.found.add(Spot(board, ply)).key] = None
            at = match.end()
        self._moves(text[at:])

    def _moves(self, text: str) -> None:
        for run in runs(text):
            rest = run
            while rest:
                used = self._play(rest)
                if used == 0:
                    self.found.unplaced.add((bare(rest[0].move), rest[0].ply))
                rest = rest[max(1, used) :]

    def _play(self, run: Sequence[Token]) -> int:
        """Play as much of a run as can be, where most of it is legal; how many moves that is."""
        best: tuple[int, int] = (0, 0)
        line: tuple[Spot, list[chess.Move]] | None = None
        for spot in self._places(run):
            moves, agree = self._legal(spot, run)
            if (agree, len(moves)) > best:
                best, line = (agree, len(moves)), (spot, moves)
        if line is None:
            return 0
        spot, moves = line
        if spot.key not in self.found.at:
            self.found.add(spot)
        for move in moves:
            known = self.found.following.get(spot.key, ())
            again = next((one for one in known if one.move == move and one.before is spot), None)
            spot = again or self.found.play(spot, move)
            self.found.mentioned[spot.key] = None
        self.found.focus[spot.key] = None
        return len(moves)

    def _legal(self, spot: Spot, run: Sequence[Token]) -> tuple[list[chess.Move], int]:
        """The moves of a run that can be played from a spot, and how many lead to known places."""
        board, moves, agree = spot.board.copy(stack=False), list[chess.Move](), 0
        for place, token in enumerate(run):
            if token.ply is not None and token.ply != spot.ply + place + 1:
                break
            move = read_move(board, token.move)
            if move is None:
                break
            board.push(move)
            moves.append(move)
            agree += epd(board) in self.found.known
        if self.found.known and self.here is None and not agree:
            return [], 0
        return moves, agree

    def _places(self, run: Sequence[Token]) -> Iterator[Spot]:
        """Where a run may begin: here, on the way here, elsewhere, at the start of games."""
        ply = run[0].ply
        if ply is None:
            squares = any(_SQUARE.fullmatch(bare(one.move)) for one in run)  # `on a6, b6 and e6`
            if self.here is not None and len(run) > 1 and not squares:
                yield from (one for one in (self.here, self.here.before) if one is not None)
            return
        way = self.here.path if self.here is not None else []
        spots = [one for one in (*reversed(way), *reversed(self.found.spots)) if one.ply == ply - 1]
        yield from list(dict.fromkeys(spots))[:_MOST]
        if ply == 1:
            yield Spot(chess.Board(), 0)
        if self.here is None:
            yield from self._known(run[0], ply)

    def _known(self, token: Token, ply: int) -> Iterator[Spot]:
        """The known positions from which a move leads to another of them."""
        for key in self.found.positions:
            board = _board(f"{key} 0 {(ply + 1) // 2}")
            if board is None or board.turn != (ply % 2 == 1):
                continue
            move = read_move(board, token.move)
            if move is not None:
                yield Spot(board, ply - 1)
