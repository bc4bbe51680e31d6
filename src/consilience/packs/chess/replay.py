"""Which positions does a text speak of? Its moves are played as a reader would play them.

A text gives lines in pieces: a line from the first move, prose, the line taken up again at some
number, an aside that leaves it ("instead 6.Be3"). So every line that was played is remembered,
with the position before each of its moves. A run of moves, in whatever notation, begins with a
number and goes on as long as nothing but numbers, signs and bracketed remarks stands between. It
is played in the remembered line in which most of it is legal, the latest first; one that begins
with move 1 may begin a new line, and so does a FEN or a board. Moves that fit nowhere are passed
over, and so are a few moves that fit in several places, none of them near. Where older notation
leaves a choice between moves, what follows decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import takewhile

import chess

from consilience.packs.chess.notation import (
    DESCRIPTIVE,
    FEN,
    MOVE_TOKEN,
    Spelt,
    epd,
    fitting,
    mended,
    read_move,
    spelt,
    unfolded,
)
from consilience.packs.chess.openings import Opening, opening_of

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


REMEMBERED = 12
"""Lines that may be taken up again."""
_LONGEST = 600  # half moves of a line
_SURE = 3  # moves of a run that must be legal in a line of an earlier chapter
_MANY = 6  # moves of a run that are legal by no chance
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
    twins: int = 0  # the same for the ways in which one run may be read; 0 where there is one

    def key(self, ply: int) -> str | None:
        """The key of the position before a half move; None where the line does not reach so far."""
        count = ply - self.first
        if not 0 <= count <= len(self.moves):
            return None
        return self.keys[count - 1] if count else epd(self.start)

    def before(self, ply: int) -> chess.Board:
        """The board before a half move that the line reaches, with the moves since its start."""
        board = self.start.copy(stack=False)
        for move in self.moves[: ply - self.first]:
            board.push(move)
        return board

    def branched(self, ply: int, moves: Sequence[chess.Move]) -> Line:
        """The line up to a half move, and then these moves."""
        board = self.before(ply)
        count = ply - self.first
        keys = list(self.keys[:count])
        for move in moves:
            board.push(move)
            keys.append(epd(board))
        both = (*self.moves[:count], *moves)
        return Line(self.start, self.first, both[:_LONGEST], tuple(keys[:_LONGEST]))

    def continues(self, other: Line) -> bool:
        """Whether this is another line and more."""
        return (
            not other.set_up
            and (self.first, self.start) == (other.first, other.start)
            and self.moves[: len(other.moves)] == other.moves
        )

    def boards(self) -> list[chess.Board]:
        """The positions that it may begin from: of a diagram, with either side to move."""
        other = self.start.copy(stack=False)
        other.turn = not other.turn
        return [self.start, *([] if self.turn or not other.is_valid() else [other])]

    def numbered(self, ply: int) -> Line | None:
        """A position that is shown, its first move under another number; None for no such one."""
        if not self.set_up or ply == self.first:
            return None
        white = ply % 2 == 1
        board = next((one for one in self.boards() if one.turn == white), None)
        return Line(board, ply) if board else None

    def twin_of(self, other: Line) -> bool:
        """Whether the two are ways to read the same run."""
        return 0 != self.twins == other.twins and self.first == other.first

    @property
    def named(self) -> bool:
        """Whether openings can be named: it begins where games begin."""
        return self.first == 1 and self.start.board_fen() == chess.STARTING_BOARD_FEN


@dataclass(slots=True)
class Seen:
    """What a text speaks of: positions in the order in which they come, and openings.

    `focus` are those at which its moves stop, so that it speaks of them and not only passes by.
    """

    positions: list[str] = field(default_factory=list)
    openings: list[Opening] = field(default_factory=list)
    focus: list[str] = field(default_factory=list)

    def add(self, keys: Sequence[str], opening: Opening | None) -> None:
        """More of what was seen, each once."""
        self.positions.extend(key for key in keys if key not in self.positions)
        self.focus.extend(key for key in keys[-1:] if key not in self.focus)
        if opening is not None and opening not in self.openings:
            self.openings.append(opening)


class Replay:
    """Plays the moves of one text after another, and remembers the lines between them."""

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self._twins = 0
        self._earlier = 0  # of the lines, how many are of earlier chapters

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines that were played and are remembered, the latest last."""
        return tuple(self._lines)

    def next_chapter(self) -> None:
        """What was played so far is taken up only by runs that fit it well."""
        self._earlier = len(self._lines)

    def read(self, text: str) -> Seen:
        """Play the moves of a text; what it speaks of."""
        seen = Seen()
        for piece in _pieces(text):
            if isinstance(piece, Line):
                self._remember(piece)
                seen.add([epd(board) for board in piece.boards()], None)
            else:
                self._play(piece, seen)
        return seen

    def _play(self, run: Run, seen: Seen) -> None:
        """Play a run of moves where most of it is legal."""
        best: list[tuple[Line, int, list[chess.Move]]] = []
        most = 0
        rivals = False  # whether as much of the run is legal in another position
        for begin in run.begins:
            tried = set()
            for line, least in self._candidates(begin, len(run.moves)):
                before = line.key(begin)
                if before is None or before in tried:
                    continue
                tried.add(before)
                ways = _legal(line.before(begin), begin, run)
                count = len(ways[0])
                if count > most and count >= least:
                    best, most, rivals = [(line, begin, way) for way in ways], count, False
                elif best and count == most and line.twin_of(best[0][0]) and begin == best[0][1]:
                    best += [(line, begin, way) for way in ways]
                elif best and count == most and count >= least:
                    rivals = True
        if best and (most >= _SURE or not rivals or self._is_near(best[0][0], best[0][1])):
            self._tell([line.branched(begin, way) for line, begin, way in best], best[0][1], seen)

    def _is_near(self, line: Line, begin: int) -> bool:
        """Whether a run that begins here goes on with a line, or takes up the latest."""
        return line is self._lines[-1] or begin == line.first + len(line.moves)

    def _tell(self, lines: Sequence[Line], begin: int, seen: Seen) -> None:
        """Remember every way in which a run was read; told is what all of them have in common."""
        if len(lines) > 1:
            self._twins += 1
        for line in lines[:_CHOICES][::-1]:
            self._remember(replace(line, twins=self._twins if len(lines) > 1 else 0))
        first = lines[0].first
        ways = zip(*(one.keys for one in lines), strict=True)
        common = [keys[0] if len(set(keys)) == 1 else "" for keys in ways]
        known = list(takewhile(bool, common))
        opening = opening_of(known) if lines[0].named and len(known) > begin - first else None
        seen.add([key for key in common[begin - first :] if key], opening)

    def _candidates(self, begin: int, length: int) -> Iterator[tuple[Line, int]]:
        """Lines in which a run may begin, the likeliest first, and how much must be legal there.

        A move may be misprinted, but where most of a run is no use it belongs elsewhere.
        """
        enough = min(_MANY, -(-3 * length // 4))
        own = self._lines[self._earlier :][::-1]
        going_on = [line for line in own if begin == line.first + len(line.moves)]
        yield from ((line, 1 if line is own[0] else enough) for line in going_on)
        for line in own:
            yield line, enough
            # A position that is shown is often numbered from 1, whatever its own counter says;
            # under a higher number, a line that was played so far is likelier.
            if begin <= 2 and (again := line.numbered(begin)):
                yield again, enough
        if begin == 1:
            yield Line(chess.Board(), 1), enough
        for line in own:
            if begin > 2 and (again := line.numbered(begin)):
                yield again, enough
        for line in reversed(self._lines[: self._earlier]):
            yield line, max(_SURE, enough)

    def _remember(self, line: Line) -> None:
        """Keep a line, in place of those that it goes on with."""
        own = [one for one in self._lines[self._earlier :] if not line.continues(one)]
        lines = [*self._lines[: self._earlier], *own, line]
        gone = max(0, len(lines) - REMEMBERED)
        self._lines = lines[gone:]
        self._earlier = max(0, self._earlier - gone)


def _legal(board: chess.Board, begin: int, run: Run) -> list[list[chess.Move]]:
    """As much of a run as is legal on a board, in each of the ways in which it can be read."""
    if board.turn != (begin % 2 == 1):
        return [[]]
    played = len(board.move_stack)
    boards = [board]
    for count, one in enumerate(run.moves):
        if one.ply is not None and count and one.ply != begin + count:
            break
        further = [(now, move) for now in boards for move in one.readings(now)]
        if not further:
            break
        boards = [_after(now, move, alone=len(further) == 1) for now, move in further][:_CHOICES]
    return [now.move_stack[played:] for now in boards]


def _after(board: chess.Board, move: chess.Move, *, alone: bool) -> chess.Board:
    """The board after a move; the same one where no other way to read the text needs it."""
    after = board if alone else board.copy()
    after.push(move)
    return after


def _replaying_ply(board: chess.Board) -> int:
    return 2 * board.fullmove_number - (1 if board.turn else 0)


def _pieces(text: str) -> Iterator[Line | Run]:
    """The positions that are shown and the runs of moves of a text, in order."""
    start = 0
    for match in FEN.finditer(text):
        yield from runs_in(text[start : match.start()])
        board = read_fen(match)
        if board is not None:
            yield Line(board, _replaying_ply(board), set_up=True, turn=bool(match["turn"]))
        start = match.end()
    yield from runs_in(text[start:])


def read_fen(match: re.Match[str]) -> chess.Board | None:
    """The board of a FEN, as far as it is written; None where there can be no such position."""
    passant, full = match["passing"] or "-", max(1, int(match["number"] or 1))
    for turn in (match["turn"],) if match["turn"] else ("w", "b"):
        try:
            board = chess.Board(f"{mended(match['board'])} {turn} - {passant} 0 {full}")
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
