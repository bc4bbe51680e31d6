"""What does a written move lead to? The same move in the same position is worked out once.

Games of one file begin alike and variations go back again and again, so positions are known by
their keys, and a board is set up only where a move was not met before.
"""

from __future__ import annotations

import re

import chess

from consilience.packs.chess.notation import epd, read_move

_KEPT = 200_000
_TAIL = re.compile(r"(?:[+#=±∓∞⩲⩱†‡-]|e\.?p\.?)+$")
_NOTHING = frozenset(("--", "Z0", "0000", "@@@@", "null", "pass", "<>", "–", "—"))
_FULL = re.compile(
    r"[a-h][1-8][-x:]?[a-h][1-8]|[a-h]x?[a-h]$|(?:[a-h]?x)?[a-h][18][/=(]{1,2}[QRBNDTLSCFA]"
)
_FOREIGN = frozenset("DTLSCFA")


class Player:
    """Plays moves by name from positions by key, under the rules of Chess960 where told so."""

    def __init__(self, *, chess960: bool = False) -> None:
        self._known: dict[tuple[str, str], tuple[str, str]] = {}
        self._chess960 = chess960
        self._board = chess.Board(chess960=chess960)
        self._at = epd(self._board)

    def play(self, position: str, spelt: str, *, foreign: bool = False) -> tuple[str, str] | str:
        """The move in short algebraic notation and the position it leads to, or why there is none.

        With `foreign`, an R that no rook explains is a king, as in French, Spanish and Italian.
        """
        known = self._known.get((position, spelt))
        if known is not None:
            return known
        board = self._set(position)
        move = _english(board, spelt)
        if isinstance(move, str):
            other = _other(board, spelt, foreign=foreign)
            if other is None:
                return move
            move = other
        name = board.san(move)
        rights = board.castling_rights
        board.push(move)
        self._at = epd_after(position, board, move, same=board.castling_rights == rights)
        found = (name, self._at)
        if not (foreign and spelt.startswith("R")):
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[position, spelt] = found
        return found

    def _set(self, position: str) -> chess.Board:
        if position != self._at:
            self._board = chess.Board(f"{position} 0 1", chess960=self._chess960)
            self._at = position
        elif len(self._board.move_stack) > 100:
            self._board.clear_stack()
        return self._board


def epd_after(before: str, board: chess.Board, move: chess.Move, *, same: bool) -> str:
    """The key of the position that a move has led to, from the one before it: as `epd(board)`, in
    a fraction of the time, because only the ranks that the move touched are written anew.

    `same` says that nobody lost a right to castle.
    """
    placed, _, castling, _ = before.split(" ")
    if move:
        rows = placed.split("/")
        for rank in {move.from_square >> 3, move.to_square >> 3}:
            rows[7 - rank] = _row(board, rank)
        placed = "/".join(rows)
    if not same or board.chess960:
        castling = board.castling_xfen()
    passing = board.ep_square
    taken = passing is not None and board.has_legal_en_passant()
    turn = "w" if board.turn else "b"
    return f"{placed} {turn} {castling} {chess.SQUARE_NAMES[passing] if taken and passing else '-'}"


def _row(board: chess.Board, rank: int) -> str:
    """What stands on a rank, as FEN writes it."""
    if not board.occupied & chess.BB_RANKS[rank]:
        return "8"
    found, empty = "", 0
    for square in range(8 * rank, 8 * rank + 8):
        kind = board.piece_type_at(square)
        if kind is None:
            empty += 1
            continue
        white = board.occupied_co[chess.WHITE] & chess.BB_SQUARES[square]
        letter = chess.PIECE_SYMBOLS[kind] or ""
        found += f"{empty or ''}{letter.upper() if white else letter}"
        empty = 0
    return f"{found}{empty or ''}"


def is_foreign(spelt: str) -> bool:
    """Whether a move begins with a letter that means a piece in other languages only."""
    return spelt[:1] in _FOREIGN


def _english(board: chess.Board, spelt: str) -> chess.Move | str:
    if spelt in _NOTHING:
        return chess.Move.null()
    try:
        return board.parse_san(spelt)
    except chess.AmbiguousMoveError:
        return "ambiguous move"
    except ValueError:
        short = _TAIL.sub("", spelt)
    try:
        return board.parse_san(short) if short != spelt and short else "illegal move"
    except ValueError:
        return "illegal move"


def _other(board: chess.Board, spelt: str, *, foreign: bool) -> chess.Move | None:
    """The move in another notation, where that cannot be mistaken for an English one."""
    if spelt[0] in "abcdefgh" and not _FULL.match(spelt):
        return None
    if spelt[0] == "R" and not foreign:
        return None
    return read_move(board, spelt)
