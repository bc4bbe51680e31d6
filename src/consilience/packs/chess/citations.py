"""How does a game read in an answer? Its moves around what is asked, and what was said of them.

A piece is shown around the move that the question names; where it names none, from the start to
the comments that are quoted. A whole game is shown by its decisive moments in playing order, up to
its end: moves that the annotator marks, comments that have words of the question, and the last
moves; a question for the end of a game is answered by its end. Comments are chosen by the words
they share with the question, those of variations too. A variation that is shown is called a
sideline: it was not played. Where boards can be drawn, one follows the line.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from consilience.answer.figures import wanted as figure_of
from consilience.answer.quotations import QUOTED, question_terms, quoted, said, terms
from consilience.packs.chess.game_score import (
    COMMAND,
    Ply,
    Remark,
    Score,
    is_asked,
    plainly,
    score,
)
from consilience.packs.chess.games import COMMON, by_two, wanted_by
from consilience.packs.chess.move_notation import asked_moves
from consilience.types import Exhibit, Passage, Statement
from consilience.understand.sentences import sentences

SHOWN = 12
"""Moves of a line, each of both sides."""
_SET_UP = "starting position"
_ON = 4  # half moves that are shown behind the one that is spoken of
_FEWEST = 3  # words of a comment; fewer say nothing by themselves
_TELLING = 6  # words of a comment that is told without having words of the question
_UNASKED = 2  # comments of a game that are told where none has words of the question
_NEAR = 2  # half moves behind the one that is asked about, in which a comment speaks of it
_PATH = 4  # half moves of a variation that are named before a comment
_ASKED_NUMBER = re.compile(r"\bmove\s+(?P<number>\d+)", re.IGNORECASE)
OPEN = re.compile(r"[^.!?…)\"'”’\d=±∓∞+-]\s*$")
"""The end of a comment that the next move completes."""
_NOWHERE = re.compile(
    r"(?:casual|friendly|offhand|rated|unrated|training|exhibition|live chess|simul)\b.*|.*\bgame",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Asking:
    """A question as comments are held against it: its telling words, without names of players.

    With `led` a board can be drawn of the moves that lead to a piece of a game; with `set_up` it
    begins from a position of its own.
    """

    text: str
    terms: frozenset[str]
    led: bool
    set_up: bool

    @classmethod
    def of(cls, question: str, passage: Passage) -> _Asking:
        """A question to a game."""
        known = passage.metadata
        names = terms(" ".join(str(known.get(one, "")) for one in ("white", "black", "event")))
        telling = {term for term in question_terms(question) if len(term) > 2} - COMMON - set(names)
        given = {"led": bool(known.get("lead")), "set_up": bool(known.get("start"))}
        return cls(question, frozenset(telling), **given)


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is shown of a game: a line and where in it that begins and ends, the move it is
    about, and the comments. From `turn` on it is a variation.
    """

    whole: Sequence[Ply]
    first: int
    last: int
    about: str
    told: list[Remark]
    turn: int | None = None


def statements(
    exhibit: Exhibit, question: str, *, comments: int, board: bool = False
) -> list[Statement]:
    """A game as its line around what is asked, then so many comments, quoted.

    With `board` the position that it is about is asked for as a figure, behind the line.
    """
    text, mark = exhibit.passage.text, exhibit.mark
    played = score(text)
    asking = _Asking.of(question, exhibit.passage)
    name = said(called(exhibit.passage)).replace("*", "")
    if not played.line:
        return _wordy(exhibit, played, name, asking, board=board)
    shown = _shown(played, text, asking, comments)
    printed = _introduced(shown, played, name, faced=bool(name) and by_two(exhibit.passage))
    found = [Statement(text=f"{printed} [{mark}]", form="lines", opens=True)]
    if board and shown.about:
        found.append(pictured(shown.about, mark))
    for place, one in enumerate(shown.told):
        found.append(commented(exhibit, played, one, asking.terms, opens=not place))
    return found


def pictured(what: str, mark: int) -> Statement:
    """A board, of what an exhibit holds."""
    return Statement(text=f"{figure_of(what)} [{mark}]", form="lines", opens=True)


def commented(
    exhibit: Exhibit, played: Score, one: Remark, wanted: frozenset[str], *, opens: bool = False
) -> Statement:
    """A comment, quoted, with the move that it is on; of a long one what has the words wanted."""
    mark = exhibit.mark
    words = _words(exhibit.passage.text[slice(*one.span)], wanted)
    parts = (said(_where(played, one)), quoted(words), said(_then(one, words)), f"[{mark}]")
    told = " ".join(filter(None, parts))
    return Statement(text=told, opens=opens, quotes={mark: " … ".join(words)})


def _introduced(shown: _Shown, played: Score, name: str, *, faced: bool) -> str:
    """A line under the name of its game; a variation behind what was played, as a sideline."""
    turn = shown.turn if faced else None
    if turn is None:
        moves = _printed(shown, () if shown.first else played.begun)
        return f"*{name}*{said(f': {moves}')}" if name else said(moves)
    before = said(f"after {shown.whole[turn - 1].name}:") if turn else "at the start:"
    moves = said(_printed(replace(shown, first=max(shown.first, turn)), ()))
    if played.aside:
        return f"In a sideline of *{name}* {before} {moves}"
    main = _Shown(played.line, max(0, min(shown.first, turn - 1)), turn + 1, "", [])
    line = said(_printed(main, () if main.first else played.begun).removesuffix(" …"))
    return f"*{name}*: {line}. In a sideline {before} {moves}"


def _wordy(
    exhibit: Exhibit, played: Score, name: str, asking: _Asking, *, board: bool
) -> list[Statement]:
    """A piece of a game that has words and no moves: what is said before the first."""
    text, mark = exhibit.passage.text, exhibit.mark
    if not played.remarks:
        return [Statement(text=f"{quoted([text])} [{mark}]", opens=True, quotes={mark: text})]
    words = _words(text[slice(*played.remarks[0].span)], asking.terms)
    told = f"*{name}*: {quoted(words)} [{mark}]" if name else f"{quoted(words)} [{mark}]"
    found = [Statement(text=told, opens=True, quotes={mark: " … ".join(words)})]
    if board and asking.set_up:
        asked_for = f"{figure_of(_SET_UP)} [{mark}]"
        found.append(Statement(text=asked_for, form="lines", opens=True))
    return found


def called(passage: Passage) -> str:
    """A game by its players, place and year; a line by its chapter; else by the title."""
    known = {name: str(value).strip() for name, value in passage.metadata.items()}
    players = [known[side].split(",")[0] for side in ("white", "black") if known.get(side)]
    if len(players) == 2 and not by_two(passage):
        return ": ".join(players)  # as course makers name chapters and lines
    if len(players) < 2:
        return known.get("chapter") or known.get("course") or passage.title
    event, site = known.get("event", ""), known.get("site", "")
    if not event or _NOWHERE.fullmatch(event):
        event = "" if "://" in site or "www." in site else site
    year = known.get("date", "")[:4]
    stands = year in passage.text or year == known.get("date")  # alone, as the check reads it
    dated = stands and year.isdigit() and year not in event
    where = f"{event} {year}" if dated else event
    return ", ".join(filter(None, ("–".join(players), where.strip())))


# --- what is shown ----------------------------------------------------------------------


def _shown(played: Score, text: str, asking: _Asking, comments: int) -> _Shown:
    at = _asked(played.line, asking.text)
    aside = None if at is not None else _asked_aside(played, asking.text)
    told = _chosen(played, text, asking, comments, at=at, aside=aside)
    if aside is not None:
        begun, moves, upto = aside
        line = [*played.line[:begun], *moves]
        first = max(0, begun + upto - SHOWN)
        first = 0 if first < _PATH else first
        about = " ".join(_spelt(moves[: upto + 1]))
        return _Shown(line, first, first + 2 * SHOWN, about, told, turn=begun)
    turn = played.led if played.aside else None
    if at is not None:
        first = max(0, min(at - SHOWN, len(played.line) - 2 * SHOWN))
        held = at if asking.led else min(max(at, played.led), len(played.line) - 1)
        return _Shown(played.line, first, first + 2 * SHOWN, played.line[held].name, told, turn)
    set_up = asking.set_up and any(one.at < 0 for one in told)
    opening = not told or wanted_by(asking.text)
    return replace(_unasked(played, told, opening=opening, set_up=set_up), turn=turn)


def _unasked(played: Score, told: list[Remark], *, opening: bool, set_up: bool) -> _Shown:
    """Where no move is named: from the start to the comments that are told, in some moves.

    With `opening` it is about the end of what is shown, where no comment says otherwise; with
    `set_up` about the position that it begins from.
    """
    placed = [one for one in told if one.at >= 0]
    target = placed[0].at if placed else 2 * SHOWN - 1 - _ON
    first = 0 if target + _ON < 2 * SHOWN else max(0, target - SHOWN)
    further = max((one.at + 1 for one in placed), default=0)
    last = max(target + 1 + _ON, first + SHOWN, min(further, first + 2 * SHOWN))
    last = min(len(played.line), last)
    about = played.line[last - 1].name if opening else ""
    if placed:
        one = placed[0]
        about = " ".join(_spelt(one.variation)) or played.line[one.at].name
    if set_up:
        about = _SET_UP
    return _Shown(played.line, first, last, about, told)


def asked_number(question: str) -> int:
    """The number of a move that a question asks for: `move 11`; 0 where it asks for none."""
    found = _ASKED_NUMBER.search(question)
    return int(found["number"]) if found else 0


def _asked(line: Sequence[Ply], question: str) -> int | None:
    """The last of the moves that a question names and a line has; None where it has none."""
    found: int | None = None
    for wanted in asked_moves(question):
        places = [at for at, ply in enumerate(line) if is_asked(ply, wanted)] or [
            at for at, ply in enumerate(line) if is_asked(ply, wanted, side=False)
        ]
        if places:
            after = -1 if found is None else found
            found = max(after, next((at for at in places if at > after), places[0]))
    if found is not None:
        return found
    number = asked_number(question)
    return next((at for at, ply in enumerate(line) if ply.number == number), None)


def _asked_aside(played: Score, question: str) -> tuple[int, tuple[Ply, ...], int] | None:
    """A variation that has a move which the question names: where it begins, and up to where."""
    for wanted in reversed(asked_moves(question)):
        for begun, moves in played.variations:
            for upto, ply in enumerate(moves):
                if wanted.half is not None and is_asked(ply, wanted):
                    return begun, moves, upto
    return None


# --- what is told -----------------------------------------------------------------------


def _chosen(
    played: Score,
    text: str,
    asking: _Asking,
    most: int,
    *,
    at: int | None,
    aside: tuple[int, tuple[Ply, ...], int] | None,
) -> list[Remark]:
    """The comments that answer best, in playing order; some of the first where none does."""
    said_of = [plainly(text[slice(*one.span)]) for one in played.remarks]
    held = [frozenset(terms(words)) for words in said_of]
    counts = Counter(term for words in held for term in words)
    worth = {}
    for place, (one, words) in enumerate(zip(played.remarks, said_of, strict=True)):
        count = len(words.split())
        shared = sum(math.log(1 + len(held) / counts[term]) for term in asking.terms & held[place])
        near = _nearness(one, at, aside)
        strange = aside is not None and not near and (one.variation or one.at >= aside[0])
        if count >= _FEWEST and (shared or near) and not strange:
            whole = min(count, 40) / 80 - (0.5 if OPEN.search(words) else 0.0)
            worth[place] = shared + 2 * near + whole
    best = sorted(worth, key=lambda place: (-worth[place], place))[:most]
    if not best and aside is None:
        best = _first_telling(played, text, at or 0)[: min(most, _UNASKED)]
    return [played.remarks[place] for place in sorted(best)]


def _nearness(one: Remark, at: int | None, aside: tuple[int, tuple[Ply, ...], int] | None) -> float:
    """From 0 to 1: whether a comment speaks of the move that is asked about."""
    if aside is not None:
        begun, moves, upto = aside
        behind = len(one.variation) - 1 - upto
        same = one.at == begun and one.variation[:1] == moves[:1]
        return (1.0 if behind == 0 else 0.5) if same and 0 <= behind <= _NEAR else 0.0
    if at is None or not 0 <= one.at - at <= _NEAR:
        return 0.0
    if one.variation:
        return 0.2 if one.at == at else 0.0
    return 1.0 if one.at == at else 0.4


def _first_telling(played: Score, text: str, at: int) -> list[int]:
    """The first comments of the main line from a move on that say something."""
    telling = [
        place
        for place, one in enumerate(played.remarks)
        if not one.variation and len(plainly(text[slice(*one.span)]).split()) >= _TELLING
    ]
    return [place for place in telling if played.remarks[place].at >= at] or telling


def _where(played: Score, one: Remark) -> str:
    """`On 14.e5`, or `In the variation 14...Kh8`; nothing before the first move."""
    if one.variation:
        names = _spelt(one.variation)
        if len(names) <= _PATH:
            return f"In the variation {' '.join(names)}:"
        return f"In the variation {one.variation[0].name}, on {one.variation[-1].name}:"
    return f"On {played.line[one.at].name}:" if one.at >= 0 else ""


def _then(one: Remark, words: Sequence[str]) -> str:
    """The moves that follow, where a comment leads up to them: `loses the queen to`.

    Behind a colon the line goes on; else a variation may begin there, as after `better is`.
    """
    if not words or not OPEN.search(words[-1]):
        return ""
    on = tuple(one.moves[one.place + 1 : one.place + 3])
    return " ".join(_spelt((on if words[-1].rstrip().endswith(":") else ()) or one.then))


def _words(comment: str, wanted: frozenset[str]) -> list[str]:
    """A comment in the pieces that are quoted: whole, or the best sentences of a long one."""
    pieces = [one.strip() for one in COMMAND.split(comment) if one.strip()]
    if sum(map(len, pieces)) <= QUOTED:
        return pieces
    told = [one.text for piece in pieces for one in sentences(piece)] or pieces
    ranked = sorted(range(len(told)), key=lambda at: (-len(wanted & set(terms(told[at]))), at))
    kept: list[int] = []
    for at in ranked:
        if not kept or sum(len(told[one]) for one in kept) + len(told[at]) <= QUOTED:
            kept.append(at)
    return _joined([(at, told[at]) for at in sorted(kept)])


def _joined(kept: Sequence[tuple[int, str]]) -> list[str]:
    """Sentences that follow one another as one piece."""
    pieces: list[str] = []
    last = -2
    for at, words in kept:
        if at == last + 1:
            pieces[-1] = f"{pieces[-1]} {words}"
        else:
            pieces.append(words)
        last = at
    return pieces


def _spelt(moves: Sequence[Ply]) -> list[str]:
    """Moves by their names, Black's without its number where it follows White's."""
    return [
        ply.name if ply.white or not place else ply.move.rstrip("!?")
        for place, ply in enumerate(moves)
    ]


def _printed(shown: _Shown, begun: Sequence[Ply]) -> str:
    parts = [*numbered(begun), "…"] if begun else []
    parts += numbered(shown.whole[shown.first : shown.last])
    return " ".join(parts) + (" …" if shown.last < len(shown.whole) else "")


def numbered(moves: Sequence[Ply]) -> list[str]:
    """Moves as they are printed in a line: `14. e5 Kh8`."""
    parts = []
    for place, ply in enumerate(moves):
        if ply.white:
            parts.append(f"{ply.number}. {ply.move}")
        else:
            parts.append(f"{ply.number}... {ply.move}" if place == 0 else ply.move)
    return parts


_END = re.compile(
    r"\b(?:end(?:s|ed|ing)?|final(?:ly|e)?|last|beat(?:en)?|wins?|won|lost?|loses?|finish\w*|mat(?:es?|ed)"
    r"|checkmate\w*|resign\w*|defeat\w*|result|outcome|conclu\w+|ende\w*|schluss|gewann|gewonnen"
    r"|gagné|finale?|ganó|terminó|vinto)\b",
    re.IGNORECASE,
)
_SIGNS = {"!!": 2.0, "??": 1.5, "!": 1.0, "?": 0.6, "!?": 0.5, "?!": 0.3}
_RESULTS = {"1-0": "White won", "0-1": "Black won", "1/2-1/2": "a draw"}
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
