"""What is a game once it is read? A tree of moves with what was said about them.

Nothing here recurses: a game may have thousands of moves, and variations as deep.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consilience.types import Block

if TYPE_CHECKING:
    from consilience.packs.chess.describing import Described

EARLY = 40  # half moves within which openings are told apart
SIGNS = {
    1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□", 10: "=", 13: "∞", 14: "⩲",
    15: "⩱", 16: "±", 17: "∓", 18: "+-", 19: "-+", 22: "⨀", 23: "⨀", 32: "⟳", 36: "↑", 40: "→",
    44: "=∞", 132: "⇆", 138: "⊕", 140: "∆", 146: "N",
}  # fmt: skip


class Node:
    """A move, the position it leads to, and what was said of it; the root has no move.

    `before` is said before the first move of a variation, `after` behind a move. `order` is 0 on
    the line that its parent goes on with and counts the alternatives, `branch` is the nearest
    move from here back that begins a variation, `early` the last of the first few moves on the
    way here, and `line` a hash of all of them.
    """

    __slots__ = (
        "after", "before", "branch", "children", "early", "epd", "evaluation", "line", "nags",
        "order", "parent", "ply", "san",
    )  # fmt: skip

    def __init__(self, parent: Node | None, san: str, epd: str) -> None:
        self.parent, self.san, self.epd = parent, san, epd
        self.children: list[Node] = []
        self.before: Sequence[str] = ()
        self.after: Sequence[str] = ()
        self.nags: Sequence[int] = ()
        self.evaluation = ""
        self.order = 0
        self.branch: Node | None = None
        self.ply: int = 0 if parent is None else parent.ply + 1
        self.early: Node = self if parent is None or self.ply <= EARLY else parent.early
        self.line: str = digest(epd if parent is None else f"{parent.line} {san}")

    @property
    def said(self) -> str:
        """What was said behind the move."""
        return " ".join(self.after)

    @property
    def introduced(self) -> str:
        """What was said before the move."""
        return " ".join(self.before)


def digest(text: str) -> str:
    """A short hash, in hexadecimal digits."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


@dataclass(slots=True, kw_only=True)
class Game:
    """A game as it was read: its tags, its tree, and where in its file it began.

    `before` is how many half moves were played before the root's position; `start` is its FEN
    where a game does not begin as all do; `end` is the last move of its main line. `levels` is 0
    without variations, 1 with them, 2 where they have variations in turn.
    """

    root: Node
    end: Node
    tags: Mapping[str, str] = field(default_factory=dict)
    result: str = ""
    before: int = 0
    start: str = ""
    number: int = 0
    row: int = 1
    levels: int = 0

    def nodes(self) -> Iterator[Node]:
        """All nodes, each before those that follow it, in the order a person reads them."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def finish(self) -> None:
        """Say of each node which alternative it is, of which variation, and where the game ends."""
        while self.end.children:
            self.end = self.end.children[0]
        for node in self.nodes():
            for order, child in enumerate(node.children):
                child.order = order
                child.branch = child if order else node.branch
                if order:
                    self.levels = max(self.levels, 1 if node.branch is None else 2)

    def numbered(self, node: Node, *, always: bool = True) -> str:
        """A move as it is printed: `12. Nd5`, `12... Qc7`; without `always` only White's number."""
        half = self.before + node.ply
        if half % 2:
            return f"{(half + 1) // 2}. {node.san}"
        return f"{half // 2}... {node.san}" if always else node.san

    def named(self, node: Node) -> str:
        """A move as prose has it: `12.Nd5`, `12...Qc7`."""
        return self.numbered(node).replace(" ", "", 1)


def signs(node: Node) -> str:
    """The marks of a move: those that belong to it at once, others behind a space."""
    near = "".join(SIGNS[nag] for nag in node.nags if nag in range(1, 7))
    far = [SIGNS.get(nag, f"${nag}") for nag in node.nags if nag not in range(1, 7)]
    return " ".join([near, *far]) if far else near


def remark(words: str, evaluation: str = "") -> str:
    """A comment in braces, with an evaluation where there is one; empty when there is neither."""
    if not words and not evaluation:
        return ""
    inside = words.replace("}", ")")
    shown = f"[%eval {evaluation}]" if evaluation else ""
    return f"{{{' '.join(filter(None, (shown, inside)))}}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored(Block):
    """A block of text that is a game, with the game itself, so that it is read only once."""

    game: Game = field(compare=False, repr=False)
    known: Described = field(compare=False, repr=False)
