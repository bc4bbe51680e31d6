"""Which positions does a text write down as FEN? Whole or in part, if they can arise.

Counters may be missing, and so may who may castle or take en passant, or whose move it is: then
the rights that can be are tried, and both sides. Backslashes are meant as slashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import chess

from consilience.packs.chess.notation import epd

FEN = re.compile(
    r"(?<![\w/\\])(?P<board>(?:[pnbrqkPNBRQK1-8]{1,8}[/\\]){7}[pnbrqkPNBRQK1-8]{1,8})"
    r"(?:[\s_]+(?P<turn>[wb])\b(?:[\s_]+(?P<castling>-|[KQkqA-Ha-h]{1,4})(?=[\s_,;.?!)\"']|$))?"
    r"(?:[\s_]+(?P<passing>-|[a-h][36])(?=[\s_,;.?!)\"']|$))?"
    r"(?:[\s_]+\d{1,4}(?:[\s_]+(?P<number>\d{1,4}))?)?)?"
)
"""A position in Forsyth-Edwards Notation, or as much of it as is written."""
_DASHES = re.compile("[‐‑–—−]")
_BLACK = re.compile(
    r"\bblack (?:to|has to|must) (?:move|play)|black's (?:move|turn)", re.IGNORECASE
)


def fens_in(text: str) -> Iterator[tuple[str, chess.Board]]:
    """Each FEN of a text as it is spelt, with the boards that it may mean."""
    for match in FEN.finditer(text):
        for board in boards_of(match, text):
            yield match[0], board


def boards_of(match: re.Match[str], text: str) -> Iterator[chess.Board]:
    """The boards that a FEN may mean; none where there can be no such position."""
    turns = match["turn"] or ("b" if _BLACK.search(text) else "wb")
    rights = [match["castling"]] if match["castling"] else ["KQkq", "-"]
    number = max(1, int(match["number"] or 1))
    seen = set()
    for turn in turns:
        for castling in rights:
            passing = match["passing"] or "-"
            board = _legal(f"{mended(match['board'])} {turn} {castling} {passing} 0 {number}")
            if board is not None and epd(board) not in seen:
                seen.add(epd(board))
                yield board


def mended(fen: str) -> str:
    """A FEN as it is meant: with slashes, and with plain dashes; without one, the usual start."""
    plain = _DASHES.sub("-", fen.replace("\\", "/")).strip(" ?")
    return chess.STARTING_FEN if plain.casefold() in {"", "startpos"} else plain


def _legal(fen: str) -> chess.Board | None:
    """The board, if it can arise; rights to castle that cannot be are left out."""
    try:
        board = chess.Board(fen)
    except ValueError:
        return None
    board.castling_rights = board.clean_castling_rights()
    return None if board.status() & ~chess.STATUS_INVALID_EP_SQUARE else board
