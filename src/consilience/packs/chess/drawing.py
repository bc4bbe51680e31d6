"""Which board does an answer ask for, and what does it look like?

A board is drawn only of a legal position that what is cited holds: one that its moves lead to, or
one that the passage is known to speak of. Asked for is a position (a FEN), a move or a line as
the source has it (`12...Nd5`, `before 14.e5`, `14.e5 in Petrosian–Pachman`), a move's number, or
the end of a game. Where several places fit, the main line comes first, then the earliest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import chess
import chess.svg

from consilience.packs.chess.notation import FEN, mended, numbered
from consilience.packs.chess.passage_moves import Held, Spot, Token, held, is_move, runs
from consilience.types import Exhibit, Figure, Passage
from consilience.understand.names import surface

_SIZE = 360
_COLOURS = {
    "square light": "#f0d9b5",
    "square dark": "#b58863",
    "square light lastmove": "#cdd26a",
    "square dark lastmove": "#aaa23a",
    "margin": "#4a3b2e",
    "coord": "#efe3d3",
}
_SHORT = 100  # letters of a name in a caption
_END = re.compile(
    r"(?:the\s+)?(?:(?:final|last|end|closing)(?:\s+(?:position|move|board))?|end of the game)"
    r"(?:\s+(?:in|of|from)\b.*)?",
    re.IGNORECASE,
)
_START = re.compile(
    r"(?:the\s+)?(?:start(?:ing)?|initial|first)\s+position(?:\s+(?:in|of|from)\b.*)?",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"\bbefore\b", re.IGNORECASE)
_NUMBER = re.compile(
    r"\bmove\s+(?P<number>\d{1,3})|^\s*(?:after\s+)?(?P<bare>\d{1,3})(?P<dots>\.*|…)\s*$",
    re.IGNORECASE,
)
_WRONG = (
    (chess.STATUS_NO_WHITE_KING, "White has no king"),
    (chess.STATUS_NO_BLACK_KING, "Black has no king"),
    (chess.STATUS_TOO_MANY_KINGS, "a side has two kings"),
    (chess.STATUS_PAWNS_ON_BACKRANK, "a pawn stands on the first or last rank"),
    (chess.STATUS_TOO_MANY_WHITE_PAWNS, "White has more than eight pawns"),
    (chess.STATUS_TOO_MANY_BLACK_PAWNS, "Black has more than eight pawns"),
    (chess.STATUS_TOO_MANY_WHITE_PIECES, "White has more than sixteen pieces"),
    (chess.STATUS_TOO_MANY_BLACK_PIECES, "Black has more than sixteen pieces"),
    (chess.STATUS_OPPOSITE_CHECK, "the side that is not to move is in check"),
    (chess.STATUS_TOO_MANY_CHECKERS, "more pieces give check than can at once"),
    (chess.STATUS_IMPOSSIBLE_CHECK, "the pieces cannot give check like this"),
    (chess.STATUS_BAD_CASTLING_RIGHTS, "a king or rook has moved that may still castle"),
    (chess.STATUS_INVALID_EP_SQUARE, "no pawn can be taken en passant there"),
)
_NO_PERSON = re.compile(r":|\d\.")
_PIECES = {one: chess.UNICODE_PIECE_SYMBOLS[one] for one in "KQRBNPkqrbnp"}


def draw(wanted: str, cited: Sequence[Exhibit]) -> Figure | str:
    """The board that is wanted, of what is cited; or the reason why there is none."""
    if not cited:
        return "no source is cited that could hold the position"
    text = " ".join(wanted.split())
    position = FEN.search(text)
    if position is not None:
        return _by_position(position, cited)
    exhibits = _named_first(text, cited)
    if not text or _END.fullmatch(text):
        return _first(_at_end(one) for one in exhibits) or _none(text, cited)
    if _START.fullmatch(text):
        return _first(_at_start(one) for one in exhibits) or _none(text, cited)
    line = next(runs(text), None)
    if line is None:
        return _by_number(text, exhibits) or _none(text, cited)
    before = bool(_BEFORE.search(text[: line[0].start]))
    return _first(_by_moves(one, line, before=before) for one in exhibits) or _none(text, cited)


def picture(figure: Figure) -> str:
    """A figure as SVG, with the last move marked where it is known."""
    return _picture(figure, chess.WHITE)


def turned(figure: Figure) -> str:
    """The same as Black sees it."""
    return _picture(figure, chess.BLACK)


def sketch(figure: Figure) -> str:
    """A figure as lines of text: the board, White at the bottom, and what it shows."""
    board = chess.Board(figure.data)
    lines = []
    for rank in range(7, -1, -1):
        pieces = (board.piece_at(chess.square(file, rank)) for file in range(8))
        row = " ".join(_PIECES[piece.symbol()] if piece else "·" for piece in pieces)
        lines.append(f"  {rank + 1} {row}")
    lines.append(f"    {' '.join('abcdefgh')}")
    lines.append(f"  {figure.caption} ({_to_move(board)})")
    return "\n".join(lines)


# --- what is wanted ---------------------------------------------------------------------


def _by_position(match: re.Match[str], cited: Sequence[Exhibit]) -> Figure | str:
    """A position by its FEN, as far as it is written."""
    if (wrong := _impossible(match)) is not None:
        return wrong
    for one in cited:
        found = held(one.passage)
        for spot in found.spots:
            if _is(match, spot.key) and (figure := _figure(one, spot)) is not None:
                return figure
        for key in found.positions:
            if _is(match, key) and (board := _legal(key)) is not None:
                return _alone(one, board)
    return f"the position {match[0]} is not in {_marks(cited)}"


def _impossible(match: re.Match[str]) -> str | None:
    """Why a position cannot arise; None where it can."""
    if not match["turn"]:
        turns = [_impossible_by(match, turn) for turn in "wb"]
        return turns[0] if all(turns) else None
    return _impossible_by(match, match["turn"])


def _impossible_by(match: re.Match[str], turn: str) -> str | None:
    fen = f"{match['board']} {turn} {match['castling'] or '-'} {match['passing'] or '-'} 0 1"
    try:
        board = chess.Board(mended(fen))
    except ValueError:
        return f"{match[0]} is not a position: its rows do not have eight squares each"
    if match["passing"] and not board.has_legal_en_passant():
        board.ep_square = None  # named by some after every double step
    status = board.status()
    told = [words for flag, words in _WRONG if status & flag]
    if status == chess.STATUS_VALID:
        return None
    return f"{match[0]} is not a legal position: {'; '.join(told) or 'it cannot arise'}"


def _is(match: re.Match[str], key: str) -> bool:
    """Whether a position is the one that is written, as far as it is."""
    board, turn, castling, passant = key.split()[:4]
    if board != mended(match["board"]) or match["turn"] not in {None, turn}:
        return False
    if match["castling"] not in {None, castling}:
        return False
    return passant == "-" or match["passing"] in {None, passant}


def _legal(key: str) -> chess.Board | None:
    try:
        board = chess.Board(f"{key} 0 1")
    except ValueError:
        return None
    return board if board.is_valid() else None


def _at_end(exhibit: Exhibit) -> Figure | None:
    """The end of a game's main line; of a book the last position it speaks of."""
    found = held(exhibit.passage)
    if found.end is not None and found.end.move is not None:
        told = "Final position" if found.end.main and _ends(exhibit.passage) else ""
        return _figure(exhibit, found.end, told=told)
    for key in reversed(found.positions):
        if key in found.at:
            return _figure(exhibit, found.at[key][0])
        if (board := _legal(key)) is not None:
            return _alone(exhibit, board)
    return _figure(exhibit, found.spots[-1]) if found.spots else None


def _ends(passage: Passage) -> bool:
    """Whether a passage is a whole game, or the piece with its last move."""
    known = passage.metadata
    return known.get("parts", 1) == 1 or known.get("line", "") == known.get("moves")


def _at_start(exhibit: Exhibit) -> Figure | None:
    found = held(exhibit.passage)
    first = found.spots[0] if found.spots else None
    return _figure(exhibit, first, told="Starting position") if first else None


def _by_moves(exhibit: Exhibit, line: Sequence[Token], *, before: bool) -> Figure | None:
    """The position after the last of these moves, or before the first."""
    found = held(exhibit.passage)
    if len(line) > 1:
        way = found.reach(line)
        spot = way[-1] if len(way) == len(line) else None
        first = way[0] if way else None
    else:
        spot = first = _of_one(found, line[0])
    if before:
        spot = first.before if first is not None and spot is not None else None
        told = f"Before {first.name}" if first is not None else ""
        return _figure(exhibit, spot, told=told) if spot is not None else None
    return _figure(exhibit, spot) if spot is not None else None


def _of_one(found: Held, token: Token) -> Spot | None:
    fits = [one for one in found.spots if is_move(one, token)]
    return next((one for one in fits if one.main), fits[0] if fits else None)


def _by_number(text: str, exhibits: Sequence[Exhibit]) -> Figure | None:
    """The position after a move of this number on the main line: Black's, where it is played."""
    match = _NUMBER.search(text)
    if match is None:
        return None
    number, dots = int(match["number"] or match["bare"]), match["dots"] or ""
    plies = [2 * number - 1] if dots == "." else [2 * number, 2 * number - 1]
    for exhibit in exhibits:
        end = held(exhibit.passage).end
        main = {one.ply: one for one in (end.path if end else ()) if one.move}
        for ply in plies:
            if ply in main:
                return _figure(exhibit, main[ply])
    return None


def _named_first(text: str, cited: Sequence[Exhibit]) -> list[Exhibit]:
    """The cited exhibits, those first that what is wanted names: `in Petrosian–Pachman`."""
    said = set(surface(text).split())

    def named(one: Exhibit) -> int:
        known = one.passage.metadata
        names = (str(known.get(field, "")) for field in ("white", "black", "course", "chapter"))
        words = surface(" ".join((*names, one.passage.title))).split()
        return -len({word for word in words if len(word) > 2} & said)

    return sorted(cited, key=named)


def _first(found: Iterator[Figure | None]) -> Figure | None:
    return next((one for one in found if one is not None), None)


def _none(text: str, cited: Sequence[Exhibit]) -> str:
    """Why there is no board."""
    what = f'position "{text}"' if text else "position to show"
    return f"{_marks(cited)} holds no {what}"


def _marks(cited: Sequence[Exhibit]) -> str:
    return " or ".join(f"[{one.mark}]" for one in cited)


# --- what it looks like -----------------------------------------------------------------


def _picture(figure: Figure, side: chess.Color) -> str:
    board = chess.Board(figure.data)
    king = board.king(board.turn) if board.is_check() else None
    return chess.svg.board(
        board,
        orientation=side,
        lastmove=_last(figure),
        check=king,
        size=_SIZE,
        colors=_COLOURS,
    )


def _figure(exhibit: Exhibit, spot: Spot, *, told: str = "") -> Figure | None:
    """The board of a spot; None where the position is not legal, whatever the source says."""
    if not spot.board.is_valid():
        return None
    steps = tuple((one.name, one.fen) for one in spot.path if one.move is not None)
    shown = told or (f"After {spot.name}" if spot.name else _to_move(spot.board))
    return Figure(
        kind="board",
        mark=exhibit.mark,
        data=spot.fen,
        caption=_caption(shown, exhibit.passage),
        steps=steps,
    )


def _alone(exhibit: Exhibit, board: chess.Board) -> Figure:
    """The board of a position that a passage speaks of, with no moves that lead there."""
    caption = _caption(_to_move(board), exhibit.passage)
    return Figure(kind="board", mark=exhibit.mark, data=board.fen(), caption=caption)


def _caption(shown: str, passage: Passage) -> str:
    """`After 12...Nd5, Petrosian–Pachman 1961`, without signs that a terminal would act on."""
    known = passage.metadata
    players = "–".join(
        str(known[side]).split(",")[0].strip() for side in ("white", "black") if known.get(side)
    )
    year = re.match(r"\d{4}", str(known.get("date", "")))
    if _NO_PERSON.search(players):  # as course makers name chapters and lines
        players, year = players.replace("–", ": ", 1), None
    names = " ".join(filter(None, (players, year[0] if year and players else "")))
    course = known.get("chapter") or known.get("course")
    named = _short(names or str(course or passage.title))
    line = " ".join(f"{shown}, {named}".split()).rstrip(", ")
    return "".join(sign for sign in line if sign.isprintable())


def _short(name: str) -> str:
    """A name that is much too long ends behind a word."""
    if len(name) <= _SHORT:
        return name
    return f"{name[:_SHORT].rpartition(' ')[0].rstrip(' ,;:–-') or name[:_SHORT]} …"


def _to_move(board: chess.Board) -> str:
    return f"{'White' if board.turn else 'Black'} to move"


def _last(figure: Figure) -> chess.Move | None:
    """The move that led to the board, by the step before."""
    if not figure.steps or figure.steps[-1][1] != figure.data:
        return None
    name, fen = figure.steps[-1]
    start = figure.steps[-2][1] if len(figure.steps) > 1 else chess.STARTING_FEN
    board, after = chess.Board(start), chess.Board(fen)
    if len(figure.steps) == 1 and not name.startswith(numbered(1)):
        return None
    for move in board.legal_moves:
        board.push(move)
        same = board.board_fen() == after.board_fen()
        board.pop()
        if same:
            return move
    return None
