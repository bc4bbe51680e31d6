"""How is a whole game told? By its decisive moments in playing order, up to its end.

Decisive are moves that the annotator marks, comments that have words of the question, and the last
moves. A question for the end of a game is answered by its end. First come the players, the place,
the opening and the result; every line is cited from the piece of the game that has it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from consilience.answer.quotations import question_terms, said, terms
from consilience.packs.chess.game_citations import (
    OPEN,
    asked_number,
    called,
    commented,
    numbered,
    pictured,
)
from consilience.packs.chess.game_score import Remark, Score, plainly, score
from consilience.packs.chess.game_selection import COMMON
from consilience.packs.chess.move_notation import asked_moves
from consilience.types import Exhibit, Passage, Statement

_END = re.compile(
    r"\b(?:end(?:s|ed|ing)?|final(?:ly|e)?|last|beat(?:en)?|wins?|won|lost?|loses?|finish\w*|mat(?:es?|ed)"
    r"|checkmate\w*|resign\w*|defeat\w*|result|outcome|conclu\w+|ende\w*|schluss|gewann|gewonnen"
    r"|gagné|finale?|ganó|terminó|vinto)\b",
    re.IGNORECASE,
)
_SIGNS = {"!!": 2.0, "??": 1.5, "!": 1.0, "?": 0.6, "!?": 0.5, "?!": 0.3}
_RESULTS = {"1-0": "White won", "0-1": "Black won", "1/2-1/2": "a draw"}
_FEWEST = 3  # words of a comment that says something
_LAST = 12  # half moves at the end of a game
_BEFORE = 5  # half moves that are shown before a moment
_BEHIND = 1  # and behind it
_APART = 4  # half moves between two moments, up to which all are shown
_AT_END = 6  # half moves that are always shown at the end
_FEW = 1  # boards of a short answer; a longer one has another
_WHOLE = 3  # comments from which on all moves are shown


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of a game as it was read; `first` is the place of its own first move."""

    exhibit: Exhibit
    played: Score
    first: int


@dataclass(frozen=True, slots=True)
class _Moment:
    """A comment that may be told, the piece it stands in, and how much it is worth."""

    piece: _Piece
    remark: Remark
    worth: float


def told(
    pieces: Sequence[Exhibit], question: str, *, comments: int, board: bool
) -> list[Statement]:
    """A game by the pieces of it that are there, in their order, with some of their comments."""
    read = [_read(one) for one in pieces]
    ends = bool(_END.search(question))
    number = asked_number(question)
    wanted = _wanted(question, pieces[0].passage)
    ranked = sorted(_moments(read, wanted, ends=ends, number=number), key=lambda one: -one.worth)
    chosen = ranked[: comments + 1]
    boards = _boards(read, chosen, ends=ends)[: _FEW + (comments > 1)] if board else []
    found: list[Statement] = []
    last = 0
    for piece in read:
        own = [one for one in chosen if one.piece is piece]
        study = bool(own and piece.exhibit.passage.metadata.get("start"))
        spans = _spans(piece, own, whole=study or comments > _WHOLE, number=number)
        spans = _new(piece, spans, after=last)
        if not own and not spans:
            continue
        if spans or not found:
            found.append(_headed(piece, spans, after=last, first=not found))
        last = piece.played.line[spans[-1][1]].half if spans else last
        found += [pictured(what, piece.exhibit.mark) for of, what in boards if of is piece]
        found += _commented(own, wanted)
    return found


def _boards(
    pieces: Sequence[_Piece], chosen: Sequence[_Moment], *, ends: bool
) -> list[tuple[_Piece, str]]:
    """What is worth a board, the most telling first: where a study begins, the end of the game
    where that is asked for, its best moment, its end.
    """
    over = next((one for one in pieces if _is_over(one)), None)
    best = next((one for one in chosen if one.remark.at >= 0), None)
    first = pieces[min((pieces.index(one.piece) for one in chosen), default=0)]
    set_up = first.exhibit.passage.metadata.get("start")
    found = [(first, "starting position")] if set_up else []
    end = [(over, "final position")] if over else []
    close = (
        over and best and best.piece is over and len(over.played.line) - best.remark.at <= _APART
    )
    found += end if ends else []
    if best is not None and not (ends and close):
        found.append((best.piece, best.piece.played.line[best.remark.at].name))
    return found + (end if not ends and not close else [])


def _is_over(piece: _Piece) -> bool:
    """Whether the last move of the game is in a piece."""
    known = piece.exhibit.passage.metadata
    ends = known.get("parts", 1) == 1 or known.get("line", "") == known.get("moves")
    return ends and bool(piece.played.line) and not piece.played.aside


def _read(exhibit: Exhibit) -> _Piece:
    played = score(exhibit.passage.text)
    return _Piece(exhibit, played, played.led)


def _wanted(question: str, passage: Passage) -> frozenset[str]:
    """The telling words of a question, without the names of the game."""
    known = passage.metadata
    fields = ("white", "black", "event", "site", "date")
    names = terms(" ".join(str(known.get(one, "")) for one in fields))
    return frozenset(
        {term for term in question_terms(question) if len(term) > 2} - COMMON - set(names)
    )


def _moments(
    pieces: Sequence[_Piece], wanted: frozenset[str], *, ends: bool, number: int
) -> list[_Moment]:
    """The comments on what was played, and what is said before the first move."""
    every = [
        (piece, one, plainly(piece.exhibit.passage.text[slice(*one.span)]))
        for piece in pieces
        if not piece.played.aside
        for one in piece.played.remarks
        if not one.variation
    ]
    every = [
        (piece, one, words)
        for piece, one, words in every
        if len(words.split()) >= _FEWEST and (one.then or not OPEN.search(words))
    ]
    held = [frozenset(terms(words)) for _, _, words in every]
    counts = Counter(term for words in held for term in words)
    last = max((one.played.line[-1].half for one in pieces if one.played.line), default=0)
    famous = {move.half for _, one, words in every if one.at < 0 for move in asked_moves(words)}
    found = []
    for (piece, one, words), have in zip(every, held, strict=True):
        worth = sum(math.log(1 + len(held) / counts[term]) for term in wanted & have)
        worth += min(len(words.split()), 40) / 80
        if one.at >= 0:
            ply = piece.played.line[one.at]
            sign = ply.move[len(ply.move.rstrip("!?")) :]
            worth += _SIGNS.get(sign, 0.0)
            near = max(0.0, 1.0 - (last - ply.half) / _LAST)
            worth += (4.0 if ends else 1.0) * near
            worth += (5.0 if ply.number == number else 0.0) + 2.0 * (ply.half in famous)
        found.append(_Moment(piece, one, worth))
    return found


def _spans(
    piece: _Piece, moments: Sequence[_Moment], *, whole: bool, number: int
) -> list[tuple[int, int]]:
    """Which moves of a piece are shown: around its moments, those at the end of the game, and one
    that is asked for by its number.
    """
    line, first = piece.played.line, piece.first
    if piece.played.aside or len(line) <= first:
        return []
    if whole:
        return [(first, len(line) - 1)]
    spans = [(one.remark.at - _BEFORE, one.remark.at + _BEHIND) for one in moments]
    spans += [(at - 1, at + 1) for at, ply in enumerate(line) if ply.number == number]
    spans = [span for span in spans if span[1] > first]
    spans += [(len(line) - _AT_END, len(line) - 1)] if _is_over(piece) else []
    joined: list[tuple[int, int]] = []
    for early, late in sorted(spans):
        start, end = max(early, first), min(late, len(line) - 1)
        start = first if start - first <= _APART else start
        if joined and start - joined[-1][1] <= _APART + 1:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _new(piece: _Piece, spans: Sequence[tuple[int, int]], *, after: int) -> list[tuple[int, int]]:
    """The spans without moves that were shown: pieces of a game may share some."""
    halves = [ply.half for ply in piece.played.line]
    found = []
    for start, end in spans:
        fresh = next((at for at in range(start, end + 1) if halves[at] > after), None)
        if fresh is not None:
            found.append((fresh, end))
    return found


def _headed(
    piece: _Piece, spans: Sequence[tuple[int, int]], *, after: int, first: bool
) -> Statement:
    """A line of moves; the first one behind the name of the game and how it ended."""
    played, mark = piece.played.line, piece.exhibit.mark
    parts = [" ".join(numbered(played[start : end + 1])) for start, end in spans]
    gap = "… " if spans and played[spans[0][0]].half > after + 1 else ""
    line = f"{gap}{' … '.join(parts)}"
    if first:
        head = _head(piece.exhibit.passage)
        line = f"{head}{said(f': {line}')}" if line else f"{head}."
    else:
        line = said(line if gap else f"Then {line}")
    return Statement(text=f"{line} [{mark}]", form="lines", opens=True)


def _head(passage: Passage) -> str:
    """A game by its players, its opening and how it ended."""
    result = str(passage.metadata.get("result", ""))
    ended = f"{result}, {_RESULTS[result]}" if result in _RESULTS else ""
    facts = "; ".join(filter(None, (str(passage.metadata.get("opening", "")), ended)))
    name = said(called(passage)).replace("*", "")
    return f"*{name}* ({said(facts)})" if facts else f"*{name}*"


def _commented(moments: Sequence[_Moment], wanted: frozenset[str]) -> list[Statement]:
    ordered = sorted(moments, key=lambda one: one.remark.span)
    return [
        commented(one.piece.exhibit, one.piece.played, one.remark, wanted, opens=not place)
        for place, one in enumerate(ordered)
    ]
