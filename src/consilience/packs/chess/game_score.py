"""What is played in a movetext, and what is said of it? Its main line, and remarks with places.

Read are moves with numbers, comments in braces or after a semicolon, signs such as `$1`, and
variations in brackets, which are no part of the main line. A header stands before the first blank
line and is no movetext; the moves that it says lead to a piece of a game come before its own,
with a gap where it leaves some out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from consilience.packs.chess.move_notation import MOVE, Named

_TAG = re.compile(r"^\s*\[[^\]\n]*\]\s*$", re.MULTILINE)
_TOKEN = re.compile(
    r"\{(?P<comment>[^}]*)\}|;(?P<rest>[^\n]*)|(?P<open>\()|(?P<close>\))|(?P<nag>\$\d+)"
    r"|(?P<number>\d+)\s?(?:\.+|…)|(?P<end>1-0|0-1|1/2-1/2|\*)"
    rf"|(?P<move>{MOVE}[QRBN]?[+#]?[!?]*)"
    r"|(?P<other>[^\s(){}]+)"
)
COMMAND = re.compile(r"\[%[^\]]*\]")
"""What programs write into comments: evaluations, clocks, arrows."""
_ASIDE = re.compile(r"\bPart \d+ of \d+:[^\n]*\bvariations? ")
_LED = re.compile(r".*\bafter (?P<line>\d+\..*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Ply:
    """One move of one side: its number, the move, and the comments after it, by their place."""

    number: int
    white: bool
    move: str
    comments: tuple[tuple[int, int], ...] = ()

    @property
    def name(self) -> str:
        """`14.e5` or `14...Kh8`, without what is thought of it."""
        return f"{self.number}{'.' if self.white else '...'}{self.move.rstrip('!?')}"

    @property
    def half(self) -> int:
        """Which half move it is by its number, from 1."""
        return 2 * self.number - (1 if self.white else 0)


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment: where its words stand, and after which move of the main line, by its place there.

    `moves` is the line it is said in, `place` after which of its moves; -1 before the first one.
    With `aside` that line is a variation. `opens` is a variation that begins behind it.
    """

    span: tuple[int, int]
    at: int
    moves: Sequence[Ply]
    place: int
    aside: bool
    opens: Sequence[Ply] = ()

    @property
    def variation(self) -> tuple[Ply, ...]:
        """The moves of a variation up to what is said."""
        return tuple(self.moves[: self.place + 1]) if self.aside else ()

    @property
    def then(self) -> tuple[Ply, ...]:
        """The two moves that follow in the text."""
        return tuple(self.opens[:2] or self.moves[self.place + 1 : self.place + 3])


@dataclass(slots=True)
class Score:
    """A movetext as it was read; of a variation, where in the main line it stands.

    `begun` are the first moves of its game, where what leads from them to the line is not known;
    `led` is how many moves of the line stand in the header. With `aside` the rest of it is a
    variation.
    """

    line: list[Ply] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    variations: list[tuple[int, tuple[Ply, ...]]] = field(default_factory=list)
    begun: tuple[Ply, ...] = ()
    led: int = 0
    aside: bool = False


def score(text: str) -> Score:
    """Read the movetext of a passage: what stands behind its header."""
    begin = _begin(text)
    read = _Reading(_led(text[:begin]))
    body = _TAG.sub(lambda match: " " * len(match[0]), text)
    for token in _TOKEN.finditer(body, begin):
        read.take(token)
    read.score.aside = bool(_ASIDE.search(text[:begin]))
    return read.score


def plies(text: str) -> list[Ply]:
    """The main line of a movetext, with where its comments stand."""
    return score(text).line


def _begin(text: str) -> int:
    """Where movetext begins: behind the first blank line, if moves or comments stand there."""
    blank = text.find("\n\n")
    if blank < 0:
        return 0
    told = any(token["move"] or token["comment"] for token in _TOKEN.finditer(text, blank))
    return blank + 2 if told else 0


def _led(header: str) -> list[list[Ply]]:
    """The moves that a header says lead to what follows, in pieces between its gaps."""
    told = _LED.match(header)
    pieces = []
    for part in told["line"].split("…") if told else ():
        read = _Reading([])
        for token in _TOKEN.finditer(part):
            read.take(token)
        pieces.append(read.score.line)
    return [one for one in pieces if one]


class _Reading:
    """Takes tokens one after the other; `lines` are the lines that are open, the main one first."""

    def __init__(self, led: list[list[Ply]]) -> None:
        self.score = Score()
        self._led = led
        self._lines: list[list[Ply]] = [self.score.line]
        self._number, self._white = 1, True
        self._told = False  # the last token was a comment

    def take(self, token: re.Match[str]) -> None:
        """Go on by one token."""
        if token["open"]:
            self._lines.append([])
            if self._told:
                last = self.score.remarks[-1]
                self.score.remarks[-1] = replace(last, opens=self._lines[-1])
        elif token["close"]:
            self._close()
        elif token["number"]:
            dots = token[0][len(token["number"]) :].strip()
            self._number, self._white = int(token["number"]), dots == "."
        elif token["move"]:
            self._move(token["move"])
        elif token["comment"] or token["rest"]:
            self._remark(token.span("comment" if token["comment"] else "rest"))
        self._told = bool(token["comment"] or token["rest"])

    def _close(self) -> None:
        if len(self._lines) < 2:
            return
        line = tuple(self._lines.pop())
        if line and len(self._lines) == 1:
            self.score.variations.append((len(self.score.line) - 1, line))

    def _move(self, move: str) -> None:
        ply = Ply(self._number, self._white, move)
        line = self._lines[-1]
        if not self.score.line and len(self._lines) == 1 and self._led:
            self._lead(ply)
        line.append(ply)
        self._number += not self._white
        self._white = not self._white

    def _lead(self, first: Ply) -> None:
        """Put what leads to the first move before it."""
        *begun, last = self._led
        self._led = []
        if last[-1].half + 1 == first.half:
            self.score.line.extend(last)
            self.score.led = len(last)
            hidden = last[0].half - begun[0][-1].half - 1 if begun else 0
            self.score.begun = tuple(begun[0]) if hidden > 1 else ()

    def _remark(self, span: tuple[int, int]) -> None:
        main, line = self.score.line, self._lines[-1]
        aside = len(self._lines) > 1
        self.score.remarks.append(Remark(span, len(main) - 1, line, len(line) - 1, aside))
        if main and not aside:
            main[-1] = replace(main[-1], comments=(*main[-1].comments, span))


# --- what is asked ----------------------------------------------------------------------


def is_asked(ply: Ply, wanted: Named, *, side: bool = True) -> bool:
    """Whether a ply is the move that a question names; without `side` played by either.

    Many write `11.Na4` for a move of Black.
    """
    if ply.move.rstrip("+#!?") != wanted.move:
        return False
    if wanted.half is None:
        return not (wanted.black and ply.white)
    return ply.half == wanted.half or (not side and ply.number == (wanted.half + 1) // 2)


def plainly(comment: str) -> str:
    """A comment without what programs write into it."""
    return COMMAND.sub(" ", comment)
