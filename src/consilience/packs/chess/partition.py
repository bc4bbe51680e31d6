"""Where is a game cut that is too long for one passage? At variations, into few connected pieces.

From the ends of the lines back to the start, each move keeps what follows it as long as that fits;
else a long variation goes off to a piece of its own, and where there is none the longer part does.
So each piece is a part of the tree that hangs together. Alternatives that went off at the same
move share a piece where they fit, and pieces that turned out small go back to where they
came from. Where the start of a line is left with little, it takes moves from what follows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from consilience.packs.chess.movetext import Cell, cells_of, text_of
from consilience.packs.chess.portions import LETTERS, Measure, portions
from consilience.packs.chess.trees import Game

_BRACKETS = 2
_CONTEXT = 8  # tokens that a move takes which is repeated to say where a variation stands
_SLACK = 1.1  # how far pieces may differ when a game is cut evenly
_SMALL = 1 / 3
_UNEVEN = 2 / 3  # of the piece that follows: one with less takes moves from it


@dataclass(slots=True)
class Piece:
    """A part of a game's tree: the alternatives it begins with, and how many tokens it takes."""

    roots: list[Cell]
    load: int
    owner: Piece | None = field(default=None, repr=False)

    def cells(self) -> list[Cell]:
        """All its cells, in the order they are read."""
        found: list[Cell] = []
        waiting = list(reversed(self.roots))
        while waiting:
            cell = waiting.pop()
            found.append(cell)
            waiting.extend(reversed(cell.kept))
        return found


def pieces_of(game: Game, most: int, measure: Measure) -> list[Piece]:
    """The pieces of a game, each of about `most` tokens at the most, in reading order."""
    cells = _weighed(game, most, measure)
    total = sum(cell.weight for cell in cells)
    number = max(1, math.ceil(total / most))
    even = min(most, max(math.ceil(_SLACK * total / number), most // 2))
    pieces = _cut(cells, even)
    _merge(pieces, most)
    order = {id(cell): place for place, cell in enumerate(cells)}
    found = sorted(
        (piece for piece in pieces if piece.roots), key=lambda one: order[id(one.roots[0])]
    )
    _fill(found, most)
    return found


def _weighed(game: Game, most: int, measure: Measure) -> list[Cell]:
    """The cells of a game with their tokens; comments that are too long are in several."""
    cells = cells_of(game)
    texts = [text_of(game, cell) for cell in cells]
    near = [len(text) <= LETTERS * most for text in texts]
    sizes = iter(measure([text for text, short in zip(texts, near, strict=True) if short]))
    for cell, short in zip(cells, near, strict=True):
        cell.weight = next(sizes) if short else most + 1
    if all(cell.weight <= most for cell in cells):
        return _bracketed(cells)
    done: list[Cell] = []
    for cell in cells:
        done.extend(_portioned(cell, most, measure) if cell.weight > most else [cell])
    return _bracketed(done)


def _bracketed(cells: list[Cell]) -> list[Cell]:
    for cell in cells:
        cell.weight += _BRACKETS if cell.beside else 0
    return cells


def _portioned(cell: Cell, most: int, measure: Measure) -> list[Cell]:
    """A cell whose comment is too long as a chain of cells; what follows hangs on the last."""
    room = max(1, most - 2 * _CONTEXT)
    following = cell.children
    words = " ".join(filter(None, (cell.introduced, cell.said)))
    parts = portions(words, room, measure)
    cell.introduces = False
    cell.said = parts[0] if parts else ""
    cell.children, cell.kept = [], []
    chain = [cell]
    for part in parts[1:]:
        chain.append(Cell(cell.node, chain[-1], part, first=False))
    for child in following:
        child.parent = chain[-1]
    chain[-1].children, chain[-1].kept = following, list(following)
    for one, tokens in zip(chain, measure([one.said for one in chain]), strict=True):
        one.weight = tokens + _CONTEXT
    return chain


def _cut(cells: Sequence[Cell], most: int) -> list[Piece]:
    """Pieces by what each cell keeps; the last one begins with the root."""
    loads: dict[int, int] = {}
    pieces: list[Piece] = []
    for cell in reversed(cells):
        load, gone = _kept(cell, loads, most)
        loads[id(cell)] = load
        pieces.extend(_grouped(gone, loads, most))
    pieces.append(Piece([cells[0]], loads[id(cells[0])]))
    return pieces


def _kept(cell: Cell, loads: dict[int, int], most: int) -> tuple[int, list[Cell]]:
    """How much a cell takes with what it keeps, and the cells that went off, in their order."""
    load = cell.weight + sum(loads[id(child)] for child in cell.children)
    if load <= most or not cell.children:
        return load, []
    lead, *others = cell.children
    others.sort(key=lambda one: loads[id(one)])
    gone: set[int] = set()
    while load > most and (others or id(lead) not in gone):
        aside = loads[id(others[-1])] if others else -1
        stays = id(lead) not in gone
        if stays and aside < most * _SMALL and loads[id(lead)] >= aside:
            gone.add(id(lead))
            load += _CONTEXT if others else 0
            load -= loads[id(lead)]
        else:
            away = others.pop()
            gone.add(id(away))
            load -= loads[id(away)]
            load -= 0 if others or stays else _CONTEXT
    cell.kept = [child for child in cell.children if id(child) not in gone]
    return load, [child for child in cell.children if id(child) in gone]


def _grouped(gone: Sequence[Cell], loads: dict[int, int], most: int) -> list[Piece]:
    """Alternatives at one move, as many together as fit."""
    pieces: list[Piece] = []
    for cell in gone:
        load = loads[id(cell)]
        if pieces and pieces[-1].load + load <= most:
            pieces[-1].roots.append(cell)
            pieces[-1].load += load
        else:
            pieces.append(Piece([cell], load))
    return pieces


def _owners(pieces: Sequence[Piece]) -> dict[int, Piece]:
    return {id(cell): piece for piece in pieces for cell in piece.cells()}


def _merge(pieces: Sequence[Piece], most: int) -> None:
    """Small pieces go back to the piece they hang on, where that has room for them."""
    owners = _owners(pieces)
    for piece in sorted(pieces, key=lambda one: one.load):
        stem = piece.roots[0].parent
        if stem is None:
            continue
        owner = owners[id(stem)]
        while owner.owner is not None:
            owner = owner.owner
        if owner.load + piece.load > most:
            continue
        kept = {id(cell) for cell in (*stem.kept, *piece.roots)}
        stem.kept = [child for child in stem.children if id(child) in kept]
        owner.load += piece.load
        piece.owner, piece.roots = owner, []


def _fill(pieces: Sequence[Piece], most: int) -> None:
    """Small pieces take moves from the start of the one that goes on with their line."""
    owners = _owners(pieces)
    for piece in pieces:
        stem = piece.roots[0].parent
        if stem is None or len(piece.roots) > 1 or piece.roots[0] is not stem.children[0]:
            continue
        owner = owners[id(stem)]
        if owner.load < piece.load * _UNEVEN:
            for cell in _shifted(owner, piece, most):
                owners[id(cell)] = owner


def _shifted(owner: Piece, piece: Piece, most: int) -> Iterator[Cell]:
    """Move by move from a piece to the one before it, as long as the smaller of them grows."""
    while True:
        lead = piece.roots[0]
        if lead.parent is None or not lead.kept or lead.kept[0] is not lead.children[0]:
            return
        following, *aside = lead.kept
        beside = Piece(list(aside), 0).cells()
        taken = lead.weight + sum(cell.weight for cell in beside)
        taken += _CONTEXT if aside else 0
        fuller = owner.load + taken
        if fuller > most or min(fuller, piece.load - taken) <= min(owner.load, piece.load):
            return
        lead.parent.kept.insert(0, lead)
        lead.kept, piece.roots = list(aside), [following]
        owner.load, piece.load = fuller, piece.load - taken
        yield lead
        yield from beside
