"""Which positions does a text speak of? Its moves are played as a reader would play them.

A text gives lines in pieces: a line from the first move, prose, the line taken up again at some
number, an aside that leaves it ("instead 6.Be3"). So every line that was played is remembered,
with the position before each of its moves. A run of moves that begins with a number is played in
the remembered line in which most of it is legal, the latest first; one that begins with move 1 may
begin a new line. A FEN or a board begins a new line too. Moves that fit nowhere are passed over.

Where older notation leaves a choice between moves, what follows decides: the moves are meant with
which the run goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

import chess

from consilience.packs.chess.notation import epd
from consilience.packs.chess.openings import Opening, opening_of
from consilience.packs.chess.running import Run, runs_in

REMEMBERED = 12
"""Lines that may be taken up again."""
_LONGEST = 600  # half moves of a line
_FEN = re.compile(
    r"(?<![\w/])(?P<board>[pnbrqkPNBRQK1-8]{1,8}(?:/[pnbrqkPNBRQK1-8]{1,8}){7})"
    r"(?:\s+(?P<turn>[wb])(?:\s+(?P<castling>-|[KQkqA-Ha-h]{1,4})(?:\s+(?P<passant>-|[a-h][36])"
    r"(?:\s+(?P<half>\d+)\s+(?P<full>\d+))?)?)?)?"
)
_SURE = 3  # moves of a run that must be legal in a line of an earlier chapter
_CHOICES = 8  # ways to read a run that are followed at a time


@dataclass(frozen=True, slots=True)
class Line:
    """A line of moves: the board it begins from, at which half move, and the moves since.

    One that is `set_up` is a position that a text shows; in a diagram without its `turn` either
    side may be to move.
    """

    start: chess.Board
    first: int
    moves: tuple[chess.Move, ...] = ()
    keys: tuple[str, ...] = ()
    set_up: bool = False
    turn: bool = True

    def before(self, ply: int) -> chess.Board | None:
        """The board before a half move; None where the line does not reach so far."""
        count = ply - self.first
        if not 0 <= count <= len(self.moves):
            return None
        board = self.start.copy(stack=False)
        for move in self.moves[:count]:
            board.push(move)
        return board

    def branched(self, ply: int, moves: Sequence[chess.Move], keys: Sequence[str]) -> Line:
        """The line up to a half move, and then these moves."""
        count = ply - self.first
        return Line(
            self.start,
            self.first,
            (*self.moves[:count], *moves)[:_LONGEST],
            (*self.keys[:count], *keys)[:_LONGEST],
        )

    def boards(self) -> list[chess.Board]:
        """The positions that it may begin from: of a diagram, with either side to move."""
        other = self.start.copy(stack=False)
        other.turn = not other.turn
        return [self.start, *([] if self.turn or not other.is_valid() else [other])]

    def numbered(self, ply: int) -> Line | None:
        """The same position where its first move has another number; None for the wrong side."""
        white = ply % 2 == 1
        board = next((one for one in self.boards() if one.turn == white), None)
        return Line(board, ply) if board else None

    @property
    def named(self) -> bool:
        """Whether openings can be named: it begins where games begin."""
        return self.first == 1 and self.start.board_fen() == chess.STARTING_BOARD_FEN


@dataclass(slots=True)
class Seen:
    """What a text speaks of: positions in the order in which they come, and openings."""

    positions: list[str] = field(default_factory=list)
    openings: list[Opening] = field(default_factory=list)

    def add(self, keys: Iterable[str], opening: Opening | None) -> None:
        """More of what was seen, each once."""
        self.positions.extend(key for key in keys if key not in self.positions)
        if opening is not None and opening not in self.openings:
            self.openings.append(opening)


class Replay:
    """Plays the moves of one text after another, and remembers the lines between them."""

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self._earlier = 0  # of the lines, how many are of earlier chapters

    def next_chapter(self) -> None:
        """What was played so far is taken up only by runs that fit it well."""
        self._earlier = len(self._lines)

    def read(self, text: str) -> Seen:
        """Play the moves of a text; what it speaks of."""
        seen = Seen()
        for piece in _pieces(text):
            if isinstance(piece, Line):
                self._remember(piece)
                seen.add(map(epd, piece.boards()), None)
            else:
                self._play(piece, seen)
        return seen

    def _play(self, run: Run, seen: Seen) -> None:
        """Play a run of moves where most of it is legal."""
        best, most, begun = None, 0, 0
        for begin in run.begins:
            for line, least in self._candidates(begin):
                played = _played(line, begin, run)
                count = len(played.moves) - (begin - played.first) if played else 0
                if played and count > most and count >= min(least, len(run.moves)):
                    best, most, begun = played, count, begin
        if best is None:
            return
        self._remember(best)
        opening = opening_of(best.keys) if best.named else None
        seen.add(best.keys[begun - best.first :], opening)

    def _candidates(self, begin: int) -> Iterator[tuple[Line, int]]:
        """Lines in which a run may begin, the likeliest first, and how much must be legal there."""
        for line in reversed(self._lines[self._earlier :]):
            yield line, 1
            # A position that is shown is often numbered from 1, whatever its own counter says.
            again = line.numbered(begin) if line.set_up and line.first != begin else None
            if again:
                yield again, 1
        if begin == 1:
            yield Line(chess.Board(), 1), 1
        for line in reversed(self._lines[: self._earlier]):
            yield line, _SURE

    def _remember(self, line: Line) -> None:
        gone = max(0, len(self._lines) + 1 - REMEMBERED)
        self._lines = [*self._lines, line][-REMEMBERED:]
        self._earlier = max(0, self._earlier - gone)


def _played(line: Line, begin: int, run: Run) -> Line | None:
    """A line with as much of a run as is legal from a half move on; None where nothing is."""
    board = line.before(begin)
    if board is None or board.turn != (begin % 2 == 1):
        return None
    boards = [board]
    for count, one in enumerate(run.moves):
        if one.ply is not None and count and one.ply != begin + count:
            break
        further = [(now, move) for now in boards for move in one.readings(now)][:_CHOICES]
        if not further:
            break
        boards = [_after(now, move, alone=len(further) == 1) for now, move in further]
    moves = _common([now.move_stack for now in boards])[begin - line.first :]
    if not moves:
        return None
    board = line.before(begin) or board
    keys = []
    for move in moves:
        board.push(move)
        keys.append(epd(board))
    return line.branched(begin, moves, keys)


def _after(board: chess.Board, move: chess.Move, *, alone: bool) -> chess.Board:
    """The board after a move; the same one where no other way to read the text needs it."""
    after = board if alone else board.copy()
    after.push(move)
    return after


def _common(ways: Sequence[Sequence[chess.Move]]) -> list[chess.Move]:
    """The moves that all ways begin with: what they differ in is not known."""
    same = takewhile(lambda moves: len(set(moves)) == 1, zip(*ways, strict=False))
    return [moves[0] for moves in same]


def _ply(board: chess.Board) -> int:
    return 2 * board.fullmove_number - (1 if board.turn else 0)


def _pieces(text: str) -> Iterator[Line | Run]:
    """The positions that are shown and the runs of moves of a text, in order."""
    start = 0
    for match in _FEN.finditer(text):
        yield from runs_in(text[start : match.start()])
        board = read_fen(match)
        if board is not None:
            yield Line(board, _ply(board), set_up=True, turn=bool(match["turn"]))
        start = match.end()
    yield from runs_in(text[start:])


def read_fen(match: re.Match[str]) -> chess.Board | None:
    """The board of a FEN, as far as it is written; None where there can be no such position."""
    passant, full = match["passant"] or "-", max(1, int(match["full"] or 1))
    for turn in (match["turn"],) if match["turn"] else ("w", "b"):
        try:
            board = chess.Board(f"{match['board']} {turn} - {passant} 0 {full}")
            board.set_castling_fen(match["castling"] or _at_home(board))
        except ValueError:
            return None
        if board.is_valid():
            return board
    return None


def _at_home(board: chess.Board) -> str:
    """Who may castle, where a text does not say: those whose king and rook stand as they began."""
    began = chess.Board()
    home = (
        letter
        for letter, squares in zip("KQkq", _HOMES, strict=True)
        if all(board.piece_at(one) == began.piece_at(one) for one in squares)
    )
    return "".join(home) or "-"


_HOMES = (
    (chess.E1, chess.H1),
    (chess.E1, chess.A1),
    (chess.E8, chess.H8),
    (chess.E8, chess.A8),
)
