"""What is a game once it is parsed? A tree of moves with what was said about them, and its text.

A `Cell` is a move with as much of its comment as fits into one place: where a comment is longer
than a passage, its move has several cells. Clocks and arrows in comments are for screens and are
left out; an engine's evaluation is kept where a line branches, and where it swings by a pawn or to
a mate. Nothing recurses: a game may have thousands of moves, and variations as deep.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consilience.types import Block

if TYPE_CHECKING:
    from consilience.packs.chess.game_files import Described

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


class Cell:
    """A move of a game with a portion of what is said of it; `first` has the move itself.

    It `introduces` the move where what is said before it is not among what is said behind.
    `kept` are the cells that follow in the same piece, of all `children`.
    """

    __slots__ = ("children", "first", "introduces", "kept", "node", "parent", "said", "weight")

    def __init__(self, node: Node, parent: Cell | None, said: str, *, first: bool = True) -> None:
        self.node, self.parent, self.said, self.first = node, parent, said, first
        self.children: list[Cell] = []
        self.kept: list[Cell] = []
        self.weight = 0
        self.introduces = first
        if parent is not None:
            parent.children.append(self)
            parent.kept.append(self)

    @property
    def beside(self) -> bool:
        """Whether it begins a variation."""
        return self.first and self.node.order > 0

    @property
    def introduced(self) -> str:
        """What is said before the move."""
        return self.node.introduced if self.introduces else ""


def cells_of(game: Game) -> list[Cell]:
    """The cells of a game, one a move, each before those that follow it."""
    cells: list[Cell] = []
    waiting: list[tuple[Node, Cell | None]] = [(game.root, None)]
    while waiting:
        node, parent = waiting.pop()
        cell = Cell(node, parent, node.said)
        cells.append(cell)
        waiting.extend((child, cell) for child in reversed(node.children))
    return cells


def text_of(game: Game, cell: Cell) -> str:
    """What a cell prints in the course of a line."""
    return " ".join(_written(game, cell, numbered=_numbered(cell)))


def _numbered(cell: Cell) -> bool:
    """Whether Black's move needs its number: something stands between it and White's."""
    before = cell.parent
    if before is None or cell.beside or not before.first or before.node.parent is None:
        return True
    siblings = before.parent is not None and len(before.parent.children) > 1
    return bool(before.said or before.node.evaluation or (siblings and not before.beside))


def _written(game: Game, cell: Cell, *, numbered: bool) -> list[str]:
    words = []
    if introduced := remark(cell.introduced):
        words.append(introduced)
        numbered = True
    if cell.first and cell.node.parent is not None:
        words.append(game.numbered(cell.node, always=numbered) + signs(cell.node))
    if said := remark(cell.said, cell.node.evaluation if cell.first else ""):
        words.append(said)
    return words


class _Printer:
    """Words with the spaces and brackets between them."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.parts: list[str] = []
        self.numbered = True

    def put(self, word: str) -> None:
        if self.parts and self.parts[-1] != "(":
            self.parts.append(" ")
        self.parts.append(word)

    def write(self, cell: Cell) -> None:
        for word in _written(self.game, cell, numbered=self.numbered):
            self.put(word)
            self.numbered = word.endswith("}")

    def close(self) -> None:
        self.parts.append(")")
        self.numbered = True

    def name(self, node: Node) -> None:
        """A move alone, to say where what follows stands."""
        self.put(self.game.numbered(node, always=self.numbered))
        self.numbered = False


def printed(game: Game, roots: Sequence[Cell]) -> str:
    """The movetext of a piece of a game that begins with these cells, which are alternatives."""
    printer = _Printer(game)
    lead = roots[0]
    if not lead.first and lead.node.parent is not None:
        printer.name(lead.node)
    waiting: list[tuple[str, list[Cell]]] = [("line", list(roots))]
    while waiting:
        what, cells = waiting.pop()
        if what == "close":
            printer.close()
            continue
        if what == "aside":
            printer.put("(")
            printer.numbered = True
        lead, others = cells[0], cells[1:]
        parent = lead.parent
        if what == "rest" and parent is not None and lead is not parent.children[0]:
            printer.name(parent.children[0].node)
            others = cells
        else:
            printer.write(lead)
            if lead.kept:
                waiting.append(("rest", lead.kept))
        for other in reversed(others):
            waiting.append(("close", []))
            waiting.append(("aside", [other]))
    return "".join(printer.parts)
