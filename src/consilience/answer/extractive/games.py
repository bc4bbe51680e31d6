"""How does a game read in an answer? Its moves on one line, and what was said of them.

Read from movetext: moves with numbers, comments in braces or after a semicolon, signs such as
`$1`, and variations in brackets, which are left out of the line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from consilience.answer.extractive.wording import quoted, said
from consilience.answer.moves import MOVE
from consilience.types import Exhibit, Statement

SHOWN = 12
"""Moves of a line, each of both sides."""

_TAG = re.compile(r"^\s*\[[^\]\n]*\]\s*$", re.MULTILINE)
_TOKEN = re.compile(
    r"\{(?P<comment>[^}]*)\}|;(?P<rest>[^\n]*)|(?P<open>\()|(?P<close>\))|(?P<nag>\$\d+)"
    r"|(?P<number>\d+)\.+|(?P<end>1-0|0-1|1/2-1/2|\*)"
    rf"|(?P<move>{MOVE}[QRBN]?[+#]?[!?]*)"
    r"|(?P<other>[^\s(){}]+)"
)
_ASKED_MOVE = re.compile(
    r"(?:(?P<number>\d+)\s*(?P<dots>\.+)\s*)?"
    rf"(?P<move>{MOVE})(?![\w-])"
)
_ASKED_NUMBER = re.compile(r"\bmove\s+(?P<number>\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ply:
    """One move of one side: its number, the move, and the comments after it, by their place."""

    number: int
    white: bool
    move: str
    comments: tuple[tuple[int, int], ...] = ()


def plies(text: str) -> list[Ply]:
    """The main line of a movetext, with where its comments stand."""
    body = _TAG.sub(lambda match: " " * len(match[0]), text)
    found: list[Ply] = []
    depth, number, white = 0, 1, True
    for token in _TOKEN.finditer(body):
        if token["open"] or token["close"]:
            depth = max(0, depth + (1 if token["open"] else -1))
        elif depth == 0 and token["number"]:
            number, white = int(token["number"]), not token[0].endswith("..")
        elif depth == 0 and token["move"]:
            found.append(Ply(number, white, token["move"]))
            number, white = (number, False) if white else (number + 1, True)
        elif depth == 0 and found and (token["comment"] or token["rest"]):
            group = "comment" if token["comment"] else "rest"
            last = found[-1]
            comments = (*last.comments, token.span(group))
            found[-1] = Ply(last.number, last.white, last.move, comments)
    return found


def asked_at(line: list[Ply], question: str) -> int:
    """The place in a line that a question speaks of: a move it names, or the beginning."""
    for wanted in _ASKED_MOVE.finditer(question):
        bare = wanted["move"]
        for at, ply in enumerate(line):
            same = ply.move.rstrip("+#!?") == bare
            right = not wanted["number"] or (
                int(wanted["number"]) == ply.number and ply.white == (len(wanted["dots"]) < 2)
            )
            if same and right:
                return at
    numbered = _ASKED_NUMBER.search(question)
    if numbered:
        places = [at for at, ply in enumerate(line) if ply.number == int(numbered["number"])]
        return places[0] if places else 0
    return 0


def statements(exhibit: Exhibit, question: str, *, comments: int) -> list[Statement]:
    """A game as its line around what is asked, then so many comments from there, quoted."""
    text, mark = exhibit.passage.text, exhibit.mark
    line = plies(text)
    if not line:
        return [Statement(text=f"{quoted([text])} [{mark}]", opens=True, quotes={mark: text})]
    at = asked_at(line, question)
    first = max(0, min(at - SHOWN, len(line) - 2 * SHOWN))
    shown = line[first : first + 2 * SHOWN]
    name = said(exhibit.passage.title).replace("*", "")
    moves = _printed(shown, more=first + 2 * SHOWN < len(line))
    printed = f"*{name}*{said(f': {moves}')}" if name else said(moves)
    found = [Statement(text=f"{printed} [{mark}]", form="lines", opens=True)]
    told = [(ply, span) for ply in line[max(first, at - 2) :] for span in ply.comments]
    for ply, (start, end) in told[:comments]:
        words = text[start:end].strip()
        if len(words.split()) > 2:
            dots = "." if ply.white else "..."
            where = said(f"{ply.number}{dots}{ply.move}")
            said_of = f"On {where}: {quoted([words])} [{mark}]"
            found.append(Statement(text=said_of, opens=len(found) == 1, quotes={mark: words}))
    return found


def _printed(shown: list[Ply], *, more: bool) -> str:
    parts = []
    for place, ply in enumerate(shown):
        if ply.white:
            parts.append(f"{ply.number}. {ply.move}")
        else:
            parts.append(f"{ply.number}... {ply.move}" if place == 0 else ply.move)
    return " ".join(parts) + (" …" if more else "")
