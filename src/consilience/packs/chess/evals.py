"""What do programs write into comments, and which of it is worth reading?

Clocks and arrows are for screens and are left out. An engine's evaluation is kept where it says
something: where a line branches, and where it swings by a pawn or to a mate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from consilience.packs.chess.trees import Game, Node

SWING = 1.0
_MATE = 100.0
_COMMAND = re.compile(r"\[%([^\[\]]*)\]")
_EVALUATION = re.compile(r"[+-]?#[+-]?\d+|[+-]?(?:\d+(?:\.\d*)?|\.\d+)")
_QUOTED = re.compile(r'"([^"]*)"')


def split_comment(text: str) -> tuple[str, str]:
    """What a person wrote in a comment, on one line, and the last evaluation that stands in it."""
    found = ""

    def taken(match: re.Match[str]) -> str:
        nonlocal found
        name, _, value = match[1].strip().partition(" ")
        if name == "eval":
            known = _EVALUATION.match(value.strip())
            found = known[0] if known else found
        if name == "tqu":  # a question to the reader: what it asks is prose
            return f" {' '.join(one for one in _QUOTED.findall(value) if ' ' in one)} "
        return " "

    words = _COMMAND.sub(taken, text) if "[%" in text else text
    return " ".join(words.split()), found


def thin(game: Game) -> None:
    """Take away the evaluations that say nothing new: neither at a branch, nor after a swing."""
    waiting: list[tuple[Node, float, float]] = [(game.root, 0.0, 0.0)]
    while waiting:
        node, shown, last = waiting.pop()
        if node.evaluation:
            value = pawns(node.evaluation)
            branch = len(node.children) > 1 or (node.parent is not None and node.order > 0)
            if branch or _swings(value, (shown, last)):
                shown = value
            else:
                node.evaluation = ""
            last = value
        waiting.extend((child, shown, last) for child in node.children)


def _swings(value: float, before: Iterable[float]) -> bool:
    return any(abs(value - one) >= SWING for one in before)


def pawns(evaluation: str) -> float:
    """An evaluation in pawns for White; a mate is worth more than any of them."""
    if "#" in evaluation:
        return -_MATE if "-" in evaluation else _MATE
    return max(-_MATE / 2, min(_MATE / 2, float(evaluation)))
