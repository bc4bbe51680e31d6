"""Which lines of moves does a question hold, and from where are they played?

Tokens that may be moves stand in runs; a run is replayed from where it begins. A run ends where
its next move cannot be played or has another number than the board says, and a new one begins.
What a person can ask is bounded, so that no question takes long: so many moves, so many lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import chess

from consilience.packs.chess.descriptive import DESCRIPTIVE
from consilience.packs.chess.notation import (
    MOVE_TOKEN,
    epd,
    letters_in,
    normalised,
    numbered,
    read_move,
)
from consilience.packs.chess.openings import lines_of
from consilience.packs.chess.replaying import Replay

_GAP = re.compile(r"[\s,;()\[\]]*(?:(?:and|then)\s+)?")
_SQUARE = re.compile(r"[a-h][1-8]")
_COORDINATES = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?")
_PLACES = re.compile(
    r"\b(?:on|of|at|from|between|over|squares?|pawns?|outposts?|control|controls|files?|to|via)\s*$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\s*(?:-|and [a-h][1-8]\b|squares?\b|pawns?\b|points?\b|outposts?\b|files?\b|break\b|hole\b)",
    re.IGNORECASE,
)
_BEGINNING = re.compile(
    r"\b(?:(?:against|versus|vs\.?|after|meet|meeting|first move|move one)"
    r"|(?:begin|start|open)(?:s|ing)? with"
    r"|(?:repl(?:y|ies)|respon[ds]\w*|answers?|defen[cs]es?|defend\w*|alternatives?)"
    r" (?:to|against))\s*$",
    re.IGNORECASE,
)
_START = chess.Board()
_NEAR = 40  # letters before a move that may say what it is
_MOST_MOVES = 600  # tokens that are read of one text
_MOST_TRIES = 12  # runs that are looked up in the lines of openings
_FEW = 4  # lines of an opening in which a numbered move may be meant
_MOST_BASES = 12  # positions and openings that a run may begin from


@dataclass(frozen=True, slots=True)
class Line:
    """Moves that can be played: the positions they lead to, the last one last, and their names.

    `first` is the number of half moves played before them.
    """

    positions: tuple[str, ...]
    moves: tuple[str, ...]
    first: int = 0

    def __str__(self) -> str:
        """`1.e4 c5 2.Nf3`."""
        words: list[str] = []
        for ply, move in enumerate(self.moves, self.first):
            shown = ply % 2 == 0 or not words
            words.append(f"{numbered(ply + 1)}{move}" if shown else move)
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Lines:
    """What a text holds of moves: lines that were played, and moves that could not be placed."""

    lines: tuple[Line, ...]
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Token:
    """A token that may be a move; `ply` is how many half moves its number says came before."""

    move: str
    text: str
    start: int
    end: int
    ply: int | None

    @property
    def square(self) -> bool:
        """Whether it may as well be only a square."""
        return self.ply is None and self.text == self.move and bool(_SQUARE.fullmatch(self.move))


def lines_in(text: str, fens: Sequence[str], names: Sequence[str]) -> Lines:
    """The lines and single moves of a text, with the positions and openings that it names."""
    lines: dict[Line, None] = {}
    moves: dict[str, None] = {}
    boards = [chess.Board(f"{one} 0 1") for one in fens[:_MOST_BASES]]
    bases = list(dict.fromkeys(names))[:_MOST_BASES]
    tries = 0
    for run in _runs(text):
        at = 0
        while at < len(run):
            rest = run[at:]
            tries += bool(rest[0].ply)
            known = bases if tries <= _MOST_TRIES else []
            found, used = _played(rest, text, boards, list(lines), known)
            lines |= dict.fromkeys(found)
            if not found and not rest[0].square:
                moves[_spelt(rest[0])] = None
            at += used if found else 1
    if DESCRIPTIVE.search(text):
        lines |= dict.fromkeys(_of_older_books(text))
    return Lines(tuple(lines), tuple(moves))


def _of_older_books(text: str) -> Iterator[Line]:
    """The lines of a text in descriptive notation, from the start: `1. P-K4 P-K4 2. Kt-KB3`."""
    replay = Replay()
    replay.read(text)
    for line in replay.lines:
        board, moves = chess.Board(), list[str]()
        for move in line.moves:
            moves.append(board.san(move))
            board.push(move)
        if line.named and moves:
            yield Line(tuple(line.keys), tuple(moves))


def _runs(text: str) -> Iterator[list[_Token]]:
    """Tokens that follow one another with nothing between them but commas."""
    run: list[_Token] = []
    for match in islice(MOVE_TOKEN.finditer(text), _MOST_MOVES):
        token = _token(match)
        gap = text[run[-1].end : token.start] if run else ""
        words = gap.strip(" \n\t,;()[]")
        if run and (not _GAP.fullmatch(gap) or (words and (token.square or run[-1].square))):
            yield run
            run = []
        run.append(token)
    if run:
        yield run


def _token(match: re.Match[str]) -> _Token:
    number, dots = match["number"], (match["dots"] or "").replace(" ", "")
    ply = None
    if number and int(number) > 0:
        ply = 2 * (int(number) - 1) + (len(dots) > 1 or dots == "…")
    said = match["move"] if match["ellipsis"] is None else f"...{match['move']}"
    return _Token(match["move"], said, match.start(), match.end(), ply)


def _spelt(token: _Token) -> str:
    """A move that could not be placed, as it is usually written: `12...Nd5`."""
    move = normalised(letters_in(token.move))
    if token.ply is None:
        return f"...{move}" if token.text.startswith("...") else move
    return f"{numbered(token.ply + 1)}{move}"


def _played(
    run: Sequence[_Token],
    text: str,
    boards: Sequence[chess.Board],
    lines: Sequence[Line],
    names: Sequence[str],
) -> tuple[list[Line], int]:
    """The lines that a run of tokens may begin with, and how many of them they take.

    A move by its number in a named opening ("3...dxe4 in the French") may stand in a few lines of
    it, and then all of those are meant; where there are many, it is not said which.
    """
    first = run[0]
    for board in boards if not first.square else ():
        line, used = _replayed(board, 0, run, numbered=False)
        if line is not None:
            return [line], used
    if first.ply in {None, 0}:
        numbered = first.ply == 0
        line, used = _replayed(_START, 0, run) if numbered else _from_start(run, text)
        return ([] if line is None else [line]), used
    for group in _bases(first, lines, names):
        found = {line.positions[-1]: (line, used) for line, used in _onward(group, first.ply, run)}
        if 1 <= len(found) <= _FEW:
            return [line for line, _ in found.values()], next(iter(found.values()))[1]
    return [], 1


def _onward(
    group: Sequence[tuple[str, ...]], ply: int, run: Sequence[_Token]
) -> Iterator[tuple[Line, int]]:
    """The line with each of these beginnings that it can follow, where most of it can be played."""
    played = [(before, *_replayed(_after(before), ply, run)) for before in group]
    most = max((used for _, line, used in played if line is not None), default=0)
    for before, line, used in played:
        if line is not None and used == most:
            whole = _replayed(_START, 0, [_Token(one, one, 0, 0, None) for one in before])[0]
            head = whole or Line((), ())
            yield Line((*head.positions, *line.positions), (*head.moves, *line.moves)), used


def _from_start(run: Sequence[_Token], text: str) -> tuple[Line | None, int]:
    """A run without numbers, where it can only have been meant from the start."""
    line, used = _replayed(_START, 0, run)
    if line is None:
        return None, 1
    start, end = run[0].start, run[used - 1].end
    before, behind = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    alone = not before.strip(" \"'“”«»") and not behind.strip(" \"'“”«».?!")
    if run[0].text.startswith("..."):
        return None, 1
    if all(token.square for token in run[:used]):
        placed = bool(_PLACES.search(before)) and not _BEGINNING.search(before)
        sure = used > 1 or alone or bool(_BEGINNING.search(before))
        return (line, used) if sure and not placed and not _BEHIND.match(behind) else (None, 1)
    sure = (
        used > 1 or alone or bool(_COORDINATES.fullmatch(run[0].move) or _BEGINNING.search(before))
    )
    return (line, used) if sure else (None, 1)


def _replayed(
    start: chess.Board, ply: int, run: Sequence[_Token], *, numbered: bool = True
) -> tuple[Line | None, int]:
    """As many tokens as can be played from a position; numbers have to fit, where they count."""
    board, positions, moves = start.copy(stack=False), list[str](), list[str]()
    for token in run:
        if numbered and token.ply is not None and token.ply != ply + len(moves):
            break
        if token.text.startswith("...") and board.turn:
            break
        move = read_move(board, token.move)
        if move is None:
            break
        moves.append(board.san(move))
        board.push(move)
        positions.append(epd(board))
    first = ply if numbered else int(not start.turn)
    return (Line(tuple(positions), tuple(moves), first) if moves else None), max(len(moves), 1)


def _bases(
    first: _Token, lines: Sequence[Line], names: Sequence[str]
) -> Iterator[Sequence[tuple[str, ...]]]:
    """The beginnings up to a numbered move that the text gives, those that go together together.

    First its own lines, then the lines of an opening, then those of its variations that go on with
    the very move, then all of its variations.
    """
    ply = first.ply or 0
    for line in reversed(lines):
        if line.first == 0 and len(line.moves) >= ply:
            yield [line.moves[:ply]]
    for name in names:
        own, parts = (
            [moves for moves in lines_of(name, own=own) if len(moves) == ply]
            for own in (True, False)
        )
        yield from ([one] for one in own)
        yield _going_on(name, ply, first.move)
        yield parts


@lru_cache(maxsize=256)
def _going_on(name: str, ply: int, spelt: str) -> list[tuple[str, ...]]:
    """The beginnings that an opening's lines go on with this move from, the most travelled ones."""
    known = Counter(
        moves[: ply + 1]
        for own in (True, False)
        for moves in lines_of(name, own=own)
        if len(moves) > ply
    )
    found = {}
    for line, count in known.items():
        move = read_move(_after(line[:ply]), spelt)
        if move is not None and move.uci() == line[ply]:
            found[line[:ply]] = count
    most = max(found.values(), default=0)
    return [before for before, count in found.items() if 3 * count >= most]


@lru_cache(maxsize=4096)
def _after(moves: tuple[str, ...]) -> chess.Board:
    board = chess.Board()
    for one in moves:
        move = read_move(board, one)
        if move is not None:  # moves of the table, or played before
            board.push(move)
    return board
