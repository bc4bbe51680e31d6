"""Which move does a text mean, however it is written, and under which key is a position known?

A move is read against a board: what is printed says which piece (or none), where from, as far as
it says, where to and what a pawn becomes; the one legal move that fits is meant, and none when
several fit. So short and long algebraic notation, figurines and the coordinates that engines
write all come to the same. Piece letters are English; those of other languages count where the
English reading has no legal move.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import chess

FIGURINES = dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPKQRBNP", strict=True))
LETTERS = {"K": chess.KING, "Q": chess.QUEEN, "R": chess.ROOK, "B": chess.BISHOP, "N": chess.KNIGHT}
# Dame, Tour/Turm/Torre, Läufer/Loper, Springer, Cavalier/Caballo/Cavallo, Fou, Alfil/Alfiere,
# Paard, Roi/Rey/Re: each letter means one piece in all of German, French, Spanish, Italian, Dutch.
OTHERS = {
    "D": chess.QUEEN,
    "T": chess.ROOK,
    "L": chess.BISHOP,
    "S": chess.KNIGHT,
    "C": chess.KNIGHT,
    "F": chess.BISHOP,
    "A": chess.BISHOP,
    "P": chess.KNIGHT,
    "R": chess.KING,
}
_ENGLISH = {chess.QUEEN: "Q", chess.ROOK: "R", chess.BISHOP: "B", chess.KNIGHT: "N"}

_FIGURES = "".join(FIGURINES)
_DASH = "[-‐‑–—−]"
_CASTLE = rf"(?:[O0]{_DASH}[O0](?:{_DASH}[O0])?|o-o(?:-o)?)"
_PIECE = rf"[KQRBNPDTLSCFA{_FIGURES}][\ufe0e\ufe0f]?"
_TAKES = r"[x:×]"
_BECOMES = rf"(?:=?\(?[QRBNDTLSCFA{_FIGURES}]\)?(?![a-z]))"
_SQUARE = "[a-h][1-8]"
_MOVE = (
    rf"(?:{_CASTLE}"
    rf"|{_PIECE}[a-h]?[1-8]?(?:{_TAKES}|{_DASH})?{_SQUARE}"
    rf"|{_SQUARE}(?:{_TAKES}|{_DASH})?{_SQUARE}(?:{_BECOMES}|[qrbn](?![a-z]))?"
    rf"|(?:[a-h]{_TAKES}?)?{_SQUARE}{_BECOMES}?)"
)
_MARKS = r"(?:\s?e\.\s?p\.|ep\b)?(?:\+\+|[+#†‡])?[!?⁉‼⁈⁇]{0,2}"

MOVE_TOKEN = re.compile(
    rf"(?<![\w/$@^=-])(?:(?P<number>\d{{1,3}})(?:\s?(?P<dots>\.(?:\s?\.){{0,3}}|…)|(?=\s))\s*"
    rf"|(?P<ellipsis>\.{{2,3}}|…)\s?)?"
    rf"(?P<move>{_MOVE})(?P<marks>{_MARKS})(?![\w/])"
)
"""A token that may be a move: its `number` with `dots` (or an `ellipsis` alone), the `move` itself
and its `marks`. Whether it is one, a board says (`read_move`)."""

_FIGURE = re.compile(rf"(?P<pawn>[♙♟][\ufe0e\ufe0f]?(?=[a-h]))|[{_FIGURES}][\ufe0e\ufe0f]?")
_NUMBERED = re.compile(r"^\s*(?:\d{1,3}\s*(?:\.{1,4}|…)?\s+|\d{1,3}\s*(?:\.{1,4}|…)|\.{2,3}|…)?\s*")
_TAIL = re.compile(
    r"(?:\$\d+|[+#†‡!?⁉‼⁈⁇=]|\s?e\.?\s?p\.?|\s?(?:dis\.?\s?)?(?:ch|mate)\.?|[,;.:])$"
)
_PARTS = re.compile(
    rf"(?P<piece>[A-Z])?(?P<file>[a-h])?(?P<rank>[1-8])?(?:{_TAKES}|{_DASH})?"
    r"(?P<to>[a-h][1-8])(?:[=/]?\(?(?P<becomes>[A-Za-z])\)?)?"
)
_FILES = re.compile(rf"(?P<file>[a-h]){_TAKES}?(?P<other>[a-h])")
_CASTLES = re.compile(rf"(?i:[o0]{_DASH}?[o0](?P<long>{_DASH}?[o0])?)")


def epd(board: chess.Board) -> str:
    """The key of a position: who stands where, who moves, who may castle or take en passant.

    Counters are left out, and an en passant square is named only where a pawn can take there, so
    that every order of moves leads to the same key.
    """
    return board.epd(en_passant="legal")


def numbered(ply: int) -> str:
    """The number of a half move: `12.` or `12...`."""
    return f"{(ply + 1) // 2}{'.' if ply % 2 else '...'}"


def read_move(board: chess.Board, spelt: str) -> chess.Move | None:
    """The legal move that is written so, in any common notation; None when none or several fit."""
    plain = _plain(spelt)
    castle = _CASTLES.fullmatch(plain)
    if castle:
        return _castling(board, far=bool(castle["long"]))
    for text in dict.fromkeys((plain, _cased(plain))):
        for letters in (LETTERS, OTHERS):
            move = _fitting(board, text, letters)
            if move is not None:
                return move
    return _between_files(board, plain)


def letters_in(text: str) -> str:
    """A text with figurines as English letters; that of a pawn goes where its square follows."""
    return _FIGURE.sub(lambda found: "" if found["pawn"] else FIGURINES[found[0][0]], text)


def normalised(text: str) -> str:
    """A text with its moves in short English algebraic notation, for searching.

    Figurines and the letters of other languages become English ones, long moves short ones
    ("♘g1-f3", "Sg1-f3" and "Ng1-f3" are all "Nf3"), and zeros the letters of castling. Words stay
    one to one, and what is no move stays as it is.
    """
    return _IN_PROSE.sub(_shortened, letters_in(text))


_IN_PROSE = re.compile(
    rf"(?<![\w/$@^=])(?<!\d{_DASH})(?P<number>\d{{1,3}}(?:\.{{1,4}}|…))?(?:(?P<castle>{_CASTLE})"
    rf"|(?P<piece>[KQRBNDTLSCFA])?(?P<from>[a-h]?[1-8]?)(?P<how>{_TAKES}|{_DASH})?"
    rf"(?P<to>{_SQUARE})(?:=?\(?(?P<becomes>[QRBNDTLSCFA])\)?)?)(?![\w/]|{_DASH}\w)"
)


def _shortened(match: re.Match[str]) -> str:
    """One move as it is written in short English algebraic notation."""
    number = match["number"] or ""
    if match["castle"]:
        return number + re.sub(_DASH, "-", match["castle"]).replace("0", "O").upper()
    letter, start, how = match["piece"] or "", match["from"], match["how"] or ""
    if not letter and not (start or match["number"] or match["becomes"]):
        return match[0]
    takes = "x" if how and how in "x:×" else ""
    if len(start) == 2:  # in full, so that no letter or number is needed to tell pieces apart
        if not letter and not (how and _pawns(start, match["to"], takes=bool(takes))):
            return match[0]  # as engines write it, which does not say which piece, or a diagonal
        start = "" if letter or not takes else start[0]
    piece = _english(letter)
    becomes = f"={_english(match['becomes'])}" if match["becomes"] else ""
    return f"{number}{piece}{start}{takes}{match['to']}{becomes}"


def _pawns(start: str, to: str, *, takes: bool) -> bool:
    """Whether a pawn can go from one square to the other: `e2-e4`, and not `d1-h5`."""
    aside, ahead = abs(ord(start[0]) - ord(to[0])), abs(int(start[1]) - int(to[1]))
    return (aside, ahead) == (1, 1) if takes else aside == 0 and ahead in {1, 2}


def _english(letter: str) -> str:
    return letter if not letter or letter in LETTERS else _ENGLISH[OTHERS[letter]]


def _plain(spelt: str) -> str:
    """What is left of a move without number, marks and figurines."""
    text = letters_in(spelt).strip(" \t\n\u00a0()[]{}")
    text = text if _CASTLES.match(text) else _NUMBERED.sub("", text, count=1)
    while (cut := _TAIL.sub("", text).strip()) != text:
        text = cut
    return text if text.count("(") == text.count(")") else f"{text})"


def _cased(text: str) -> str:
    """A move typed in one case: `nf3` and `NF3` as `Nf3`, `E4` as `e4`."""
    low = text.lower()
    return (
        low[:1].upper() + low[1:] if re.match(r"[a-z][a-h]?[1-8]?[x:×-]?[a-h][1-8]", low) else low
    )


def _castling(board: chess.Board, *, far: bool) -> chess.Move | None:
    for move in board.legal_moves:
        if board.is_castling(move) and board.is_queenside_castling(move) == far:
            return move
    return None


def _fitting(board: chess.Board, text: str, letters: dict[str, int]) -> chess.Move | None:
    """The one legal move that has these parts, with these letters for pieces."""
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return None
    letter, becomes = parts["piece"], (parts["becomes"] or "").upper()
    full = bool(parts["file"] and parts["rank"])
    if (letter and letter not in letters and letter != "P") or (becomes and becomes not in letters):
        return None
    kinds = {letters[letter]} if letter in letters else {chess.PAWN}
    if not letter and full:
        kinds = set(chess.PIECE_TYPES)
    fits = [
        move
        for move in _leading_to(board, chess.parse_square(parts["to"]), kinds)
        if _starts(move, parts) and move.promotion == (letters[becomes] if becomes else None)
    ]
    if chess.PAWN in kinds and not full and not parts["file"]:
        straight = [one for one in fits if not _sideways(one)]
        fits = straight or fits
    return fits[0] if len(fits) == 1 else None


def _leading_to(board: chess.Board, square: int, kinds: set[int]) -> Iterator[chess.Move]:
    """The legal moves of such pieces to a square."""
    pieces = 0
    for kind in kinds:
        pieces |= board.pieces_mask(kind, board.turn)
    aim = (
        chess.BB_ALL if chess.KING in kinds else chess.BB_SQUARES[square]
    )  # castling aims at rooks
    moves = board.generate_legal_moves(pieces, aim)
    return (move for move in moves if move.to_square == square)


def _starts(move: chess.Move, parts: re.Match[str]) -> bool:
    name = chess.square_name(move.from_square)
    return parts["file"] in {None, name[0]} and parts["rank"] in {None, name[1]}


def _sideways(move: chess.Move) -> bool:
    return chess.square_file(move.from_square) != chess.square_file(move.to_square)


def _between_files(board: chess.Board, text: str) -> chess.Move | None:
    """A pawn's capture that names files only: `exd`, `ed`."""
    files = _FILES.fullmatch(text)
    if files is None:
        return None
    pawns = board.pieces_mask(chess.PAWN, board.turn)
    start, end = (chess.BB_FILES[ord(files[part]) - ord("a")] for part in ("file", "other"))
    fits = [
        move
        for move in board.generate_legal_moves(pawns & start, end)
        if board.is_capture(move) and move.promotion is None
    ]
    return fits[0] if len(fits) == 1 else None
