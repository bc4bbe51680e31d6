"""How is a game, or a piece of one, printed? As PGN prints it, in the order a person reads it.

A `Cell` is a move with as much of its comment as fits into one place: where a comment is longer
than a passage, its move has several cells, one after the other. Nothing recurses.
"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.packs.chess.trees import Game, Node, remark, signs


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
