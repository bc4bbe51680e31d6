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
from functools import lru_cache

import chess

from consilience.packs.chess.fens import FEN
from consilience.packs.chess.notation import MOVE_TOKEN, epd, numbered, read_move
from consilience.packs.chess.spots import Held, Spot, Token, bare, ply_of, runs
from consilience.types import Passage

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
