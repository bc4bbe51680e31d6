"""How are chess moves and positions written, and which does a text give? By patterns alone.

This is what the engine must know of moves wherever they occur: they are not words, the stops of
their numbers end no sentence, and a line of moves in an answer must stand in what it cites, move
after move. What a move means on a board is the subject of other modules, which need python-chess.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from consilience.notations import Fact, Facts, Notation
from consilience.types import Passage
from consilience.understand.names import surface

MOVE = (
    r"(?:O-O-O|O-O|0-0-0|0-0"
    r"|[KQRBN][a-h]?[1-8]?[x:-]?[a-h][1-8](?:[x-][a-h][1-8])?"
    r"|[a-h][1-8]?x[a-h][1-8](?:=?[QRBN])?"
    r"|[a-h][1-8](?:-?[a-h][1-8])?(?:=[QRBN])?)"
)
"""A move, as part of a pattern: `Nf3`, `Ng1-f3`, `exd5`, `e2-e4`, `e8=Q`, `O-O`."""
_ROW = r"(?:[1-8pnbrqkPNBRQK]{1,8})"
FEN = re.compile(
    rf"(?<![\w/])(?:{_ROW}/){{7}}{_ROW}(?:\s+[wb](?:\s+(?:-|[KQkqA-Ha-h]{{1,4}})"
    r"(?:\s+(?:-|[a-h][36]))?(?:\s+\d+\s+\d+)?)?)?(?![\w/])"
)
"""A chess position as it is written down, with or without what stands behind the board."""

_BOARD_ROW = re.compile(
    r"\s*(?:[1-8]\s*[|│]?\s*)?(?:[|│]?\s*(?:[pnbrqkPNBRQK.·*#+_-]|[♔-♟])\s*[|│]?\s*){8}(?:\s*[1-8])?\s*"
)
_FRAME = re.compile(r"\s*[+|│─┌┐└┘┬┴├┤┼=\s-]{5,}\s*|\s*[a-h](?:\s+[a-h]){7}\s*")
_LEAST_ROWS = 3
_PIECE = "[KQRBNPDTLSCFA♔-♟]"  # English, German, French, Spanish, Italian, Dutch, drawn
_TARGET = "[a-h][1-8]"
_WRITTEN = re.compile(
    r"(?<![\w/\\])(?:[pnbrqkPNBRQK1-8]{1,8}[/\\]){3,7}[pnbrqkPNBRQK1-8]{1,8}(?![\w/\\])"
    r"(?:[ _][wb]\b(?:[ _](?:-|[KQkqA-Ha-h]{1,4})(?!\w))?(?:[ _](?:-|[a-h][36])(?!\w))?"
    r"(?:[ _]\d{1,3}){0,2}(?!\w))?"
    r"|(?<![\w/])(?:\d{1,3}\s?(?:\.{1,3}|…)\s?)?"
    rf"(?:{_PIECE}[a-h]?[1-8]?[x:×-]?{_TARGET}|(?:[a-h]?[x:×])?{_TARGET}|{_TARGET}[x:×-]?{_TARGET}"
    r"|[O0]-[O0](?:-[O0])?)(?:=?[QRBNDTLSCFAqrbn])?[+#]{0,2}[!?]{0,2}(?![\w/-])"
)
_ASKED_MOVE = re.compile(
    r"(?:(?P<number>\d+)\s*(?P<dots>\.+|…)\s*|(?P<ellipsis>\.{2,3}|…)\s?)?"
    rf"(?P<move>{MOVE})(?![\w-])"
)


def is_board(text: str) -> bool:
    """Whether lines of text draw a board."""
    lines = [line for line in text.splitlines() if line.strip()]
    rows = [line for line in lines if _BOARD_ROW.fullmatch(line)]
    framed = [line for line in lines if line in rows or _FRAME.fullmatch(line)]
    return len(rows) >= _LEAST_ROWS and len(framed) == len(lines)


# --- moves that a question names ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Named:
    """A move that a question names: which half move it is, where numbers tell, from 1.

    With `black` it is said to be one of Black's, whatever its number.
    """

    move: str
    half: int | None = None
    black: bool = False


def asked_moves(question: str) -> list[Named]:
    """The moves that a question names; a square alone is none."""
    found: list[Named] = []
    end, half = 0, None
    for one in _ASKED_MOVE.finditer(question):
        follows = half is not None and not question[end : one.start()].strip("+!?, ")
        half = half + 1 if follows and half is not None else None
        if one["number"]:
            half = 2 * int(one["number"]) - (1 if one["dots"] == "." else 0)
        end = one.end()
        if half is not None or one["ellipsis"] or not _SQUARE.fullmatch(one["move"]):
            found.append(Named(one["move"], half, black=bool(one["ellipsis"])))
    return found


# --- moves as search terms ----------------------------------------------------------------

_COUNTED = re.compile(
    rf"(?<![\w.])(?:\d{{1,3}}\s?(?:\.+|…)\s*|\.{{2,3}}\s?|…\s?){MOVE}(?:=?[QRBN])?[+#!?]*(?![\w-])"
)
_LOOSE = re.compile(
    r"(?<![\w-])(?:O-O(?:-O)?|0-0(?:-0)?|[KQRBNSLTDkqrbnsltd][a-h]?[1-8]?[x:-]?[a-h][1-8]"
    r"|[a-h][1-8]?[x:-][a-h][1-8]|[a-h][1-8]-?[a-h][1-8])[+#!?]*(?![\w-])"
)
_SQUARE = re.compile(r"(?<![\w-])[a-h][1-8][+#!?]*(?![\w-])")
_FEW_ASKED = 2  # moves without a number; more are a line
_LONE_NUMBER = re.compile(r"(?<![\w.])\d{1,3}\.+(?=\s|$)")


@lru_cache(maxsize=1_000)
def without_moves(text: str) -> str:
    """A text without the moves and positions in it.

    A square alone is a word, as in `a blockade on d5`, unless it stands among moves.
    """
    rest = FEN.sub(" ", text)
    bare, counted = _COUNTED.subn(" ", rest)
    bare, loose = _LOOSE.subn(" ", bare)
    if counted + loose == 0:
        return rest
    return _LONE_NUMBER.sub(" ", _SQUARE.sub(" ", bare))


@lru_cache(maxsize=4_000)
def move_terms(text: str) -> frozenset[str]:
    """The moves of a text as terms, with and without their number: `22 c6` and `c6`.

    Twenty-two half moves are eleven moves of each side. A square alone is no move.
    """
    found = asked_moves(text)
    counted = {f"{one.half} {one.move}" for one in found if one.half is not None}
    return frozenset(counted | {one.move for one in found})


def asked_terms(question: str) -> tuple[str, ...]:
    """The moves that a question asks about, as terms: the last that has a number; where none has
    one, those it names, if they are few.
    """
    found = asked_moves(question)
    counted = [f"{one.half} {one.move}" for one in found if one.half is not None]
    if counted:
        return (counted[-1],)
    return tuple(one.move for one in found) if len(found) <= _FEW_ASKED else ()


# --- lines of moves in statements ---------------------------------------------------------

_MOVE_NUMBER = r"(?P<number>\d{1,3})\s?(?P<dots>\.{1,3}|…)\s{0,2}"
_NUMBERED_MOVE = re.compile(
    rf"(?<![\w/=.-])(?:{_MOVE_NUMBER})?(?<![\w/-])(?P<move>{MOVE})(?:[+#]|\+\+)?[!?]{{0,2}}(?![\w-]|/\w)"
)
_SIGN = r"\(?(?:[+=±∓∞−⩲⩱□⨀⟳↑→⇆⊕∆]{1,2}|\+-|-\+)\)?"
_GLUED = re.compile(rf"[\s,;*_]*(?:\$\d+\s*)*(?:{_SIGN}\s+)*(?:{_SIGN})?")
_COMMENT = re.compile(r"\{[^{}]*\}")
_ASIDE = re.compile(r"\([^()]*\)")
_DEEPEST = 50  # brackets within brackets that are passed over


@dataclass(frozen=True, slots=True)
class Move:
    """A move where it stands; `ply` counts half moves from the first, None where unknown.

    `follows` says that nothing but white space parts it from the move before.
    """

    start: int
    end: int
    spelt: str
    move: str
    ply: int | None
    follows: bool
    numbered: bool


@lru_cache(maxsize=1_000)
def moves_in(text: str) -> tuple[Move, ...]:
    """The moves of a text in order, each with its place in the game where numbers tell it."""
    found: list[Move] = []
    for match in _NUMBERED_MOVE.finditer(text):
        before = found[-1] if found else None
        follows = bool(before and _GLUED.fullmatch(text[before.end : match.start()]))
        ply = before.ply + 1 if follows and before and before.ply is not None else None
        if match["number"]:
            black = len(match["dots"]) > 1 or match["dots"] == "…"
            ply = 2 * int(match["number"]) - (0 if black else 1)
        move = match["move"].replace("0", "O").replace(":", "x")
        move = re.sub(r"(?<=[a-h1-8KQRBN])-", "", move)
        span = match.start(), match.end()
        found.append(Move(*span, match[0], move, ply, follows, bool(match["number"])))
    return tuple(found)


def lines_of(moves: Sequence[Move]) -> list[list[Move]]:
    """Moves in runs that follow one another."""
    lines: list[list[Move]] = []
    for move in moves:
        if lines and move.follows:
            lines[-1].append(move)
        else:
            lines.append([move])
    return lines


def first_missing(line: Sequence[Move], text: str, moves: Sequence[Move]) -> Move | None:
    """The first move of a line that does not stand in a text as the line has it, if any."""
    best = max(_reach(line, stream) for stream in (moves, _main_line(text)))
    return line[best] if best < len(line) else None


@lru_cache(maxsize=256)
def _main_line(text: str) -> tuple[Move, ...]:
    """The moves of a text without comments and variations, which may stand in one another."""
    text = _COMMENT.sub(_blank, text)
    for _ in range(_DEEPEST):
        text, count = _ASIDE.subn(_blank, text)
        if not count:
            break
    return moves_in(text)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _reach(line: Sequence[Move], stream: Sequence[Move]) -> int:
    """How many moves of a line are found in a stream, one after the other."""
    numbered = frozenset(one.move for one in stream if one.ply is not None)
    best = 0
    for start, first in enumerate(stream):
        if not _same(line[0], first, numbered):
            continue
        at, reached = start, 1
        while reached < len(line):
            after = _next(line[reached], stream, at, numbered)
            if after is None:
                break
            at, reached = after, reached + 1
        best = max(best, reached)
        if best == len(line):
            break
    return best


def _next(wanted: Move, stream: Sequence[Move], at: int, numbered: frozenset[str]) -> int | None:
    """Where a line goes on: the move behind, or a later one whose number says it is the next."""
    if at + 1 < len(stream) and _same(wanted, stream[at + 1], numbered):
        return at + 1
    here = stream[at].ply
    if here is None:
        return None
    for place in range(at + 2, len(stream)):
        if stream[place].ply == here + 1 and _same(wanted, stream[place], numbered):
            return place
    return None


def _same(wanted: Move, found: Move, numbered: frozenset[str]) -> bool:
    """Whether a move is the one wanted; where the text numbers it, the number counts."""
    if wanted.move != found.move:
        return False
    if wanted.ply is None:
        return True
    return wanted.ply == found.ply or (found.ply is None and wanted.move not in numbered)


def check_moves(text: str, cited: Sequence[str]) -> Facts:
    """The moves of a statement, line by line, compared with the texts that it cites.

    A lone `e4` or `Rb1` may be a square or no chess at all, and then counts where it is a word.
    """
    spans, facts = [], []
    for line in lines_of(moves_in(text)):
        wrong = _wrong(line, cited)
        if wrong and len(line) == 1 and not wrong.numbered:
            wrong = _unless_word(wrong, cited)
        value = wrong.spelt if wrong else text[line[0].start : line[-1].end]
        facts += [Fact("move", move.spelt, found=True) for move in line[1:]]
        facts.append(Fact("move", value, wrong is None, _instead(wrong, cited) if wrong else ""))
        spans.append((line[0].start, line[-1].end))
    return spans, facts


def _wrong(line: Sequence[Move], cited: Sequence[str]) -> Move | None:
    """The first move that no text has as the line does."""
    missing = [first_missing(line, text, moves_in(text)) for text in cited]
    if not missing:
        return line[0]
    if None in missing:
        return None
    return max((move for move in missing if move), key=line.index)


def _unless_word(move: Move, cited: Sequence[str]) -> Move | None:
    has = any(f" {move.move.casefold()} " in f" {surface(text)} " for text in cited)
    has = has or any(move.move in known.move for text in cited for known in moves_in(text))
    return None if has else move


def _instead(wrong: Move, cited: Sequence[str]) -> str:
    """What is played there instead, where numbers tell."""
    if wrong.ply is None:
        return ""
    same = (move.spelt for text in cited for move in moves_in(text) if move.ply == wrong.ply)
    return next(same, "")


# --- figures ------------------------------------------------------------------------------

_FROM_START = re.compile(
    rf"(?<![\w.])1\.\s?{MOVE}[+#]?(?:\s+(?:\d{{1,2}}\.\s?)?{MOVE}[+#]?(?![\w-]))+"
)


def line_to_show(passage: Passage, quotation: str, question: str) -> str:
    """The line that a quotation gives from the first move on, of a passage with positions.

    Where the question names moves, only a line that leads to the last of them.
    """
    line = _FROM_START.search(quotation)
    named = [asked.move for asked in asked_moves(question)]
    if line is None or not passage.metadata.get("positions"):
        return ""
    if named and named[-1] not in line[0].rstrip("+#").split(".")[-1].split():
        return ""
    return line[0]


NOTATION = Notation(
    item=MOVE,
    result="1-0|0-1|1/2-1/2",
    pattern=_WRITTEN,
    diagram=FEN,
    is_diagram=is_board,
    strip=without_moves,
    terms=move_terms,
    asked=asked_terms,
    check=check_moves,
    occurs=lambda text: bool(moves_in(text)),
    names=frozenset({"white", "black"}),
    line=line_to_show,
)
"""Chess moves, as the engine knows them."""
