"""How does a long game become passages? In pieces that each say where in the game they stand.

A game that fits stays whole. From the ends of the lines back to the start, each move keeps what
follows it as long as that fits; else a long variation goes off to a piece of its own, and where
there is none the longer part does. Small pieces go back to where they came from, or take moves
from what follows. Comments that are too long are cut at sentences, else clauses, words. Each piece
begins with the game's header, the line that leads to it and its place in the tree; what follows
the blank line is its own moves. Every move and every comment is in a piece, and nothing is longer
than the room.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from consilience.evidence.loaders.common import listed
from consilience.packs.chess.game_files import opening_at, own, shown
from consilience.packs.chess.game_tree import Cell, Game, Node, Scored, cells_of, printed, text_of
from consilience.protocols import Room
from consilience.types import Block, Document, Locator, Value

Measure = Callable[[Sequence[str]], Sequence[int]]

LETTERS = 12  # letters a token has at most, on average, in anything worth reading
_LEVELS = (
    re.compile(r"(?<=[.!?…])\s+(?![a-z])|(?<=[.!?…][\"'”’)\]])\s+(?![a-z])|(?<=[。！？])(?=\S)"),
    re.compile(r"(?<=[,;:—–])\s+|(?<=[，；、：])(?=\S)"),
)


def portions(text: str, most: int, measure: Measure) -> list[str]:
    """The text in portions of at most `most` tokens, in order; single letters are not cut."""
    parts = _sized([text], most, measure)
    for cut in _cuts(most):
        if all(size <= most for _, size in parts):
            break
        fresh = [_gathered(cut(part), most) if size > most else [] for part, size in parts]
        sized = iter(_sized([part for some in fresh for part in some], most, measure))
        parts = [
            one
            for part, some in zip(parts, fresh, strict=True)
            for one in ([next(sized) for _ in some] or [part])
        ]
    return _joined(parts, most)


def _cuts(most: int) -> Iterator[Callable[[str], list[str]]]:
    """Ways to cut a text, from the best to the shortest."""
    for level in _LEVELS:
        yield level.split
    width = 2 * most
    while width:
        yield _by_width(width)
        width = width // 2


def _sized(texts: Sequence[str], most: int, measure: Measure) -> list[tuple[str, int]]:
    """Texts with their tokens; those that are plainly too long are not measured."""
    near = [len(text) <= LETTERS * most for text in texts]
    sizes = iter(measure([text for text, short in zip(texts, near, strict=True) if short]))
    return [
        (text, next(sizes) if short else most + 1) for text, short in zip(texts, near, strict=True)
    ]


def _gathered(texts: Sequence[str], most: int) -> list[str]:
    """Neighbours joined that are sure to fit, as a token has at least one letter."""
    joined: list[list[str]] = []
    letters = most + 1
    for text in filter(None, texts):
        if letters + len(text) < most:
            joined[-1].append(text)
        else:
            joined.append([text])
            letters = 0
        letters += len(text) + 1
    return [" ".join(some) for some in joined]


def _by_width(width: int) -> Callable[[str], list[str]]:
    """Cuts before a word where there is one within so many letters, else inside it."""

    def cut(text: str) -> list[str]:
        parts, start = [], 0
        while len(text) - start > width:
            space = text.rfind(" ", start + 1, start + width + 1)
            end = space if space > start else start + width
            parts.append(text[start:end].strip())
            start = end
        return [*parts, text[start:].strip()]

    return cut


def _joined(parts: Sequence[tuple[str, int]], most: int) -> list[str]:
    """Neighbours joined as long as they fit."""
    joined: list[list[str]] = []
    size = letters = 0
    for part, tokens in parts:
        fits = size + tokens <= most and letters + len(part) <= LETTERS * most
        if joined and fits:
            joined[-1].append(part)
        else:
            joined.append([part])
            size = letters = 0
        size, letters = size + tokens, letters + len(part) + 1
    return [" ".join(some) for some in joined]


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


_AT_A_TIME = 1000  # texts that are measured together
_LED = 400  # half moves before a piece that are kept with it
_PLY = 5  # tokens that a half move takes in the line that leads to a piece
_PLACE = 12  # tokens that the number of a piece and its first move take
_LEVEL = 13  # tokens that a variation takes in a piece's place
_LEAST = 0.3  # of the room belongs to a piece's own moves, whatever its header


@dataclass(frozen=True, slots=True)
class _Form:
    """How much a piece may take: for its own moves of what is free, letters of its header, half
    moves of the line before it.
    """

    own: float
    header: int
    plies: int


def _forms(limit: int) -> Iterator[_Form]:
    """Ever shorter forms; the last ones have no header."""
    for share, header in ((1.0, 1.0), (0.88, 1.0), (0.88, 0.6), (0.75, 0.4), (0.75, 0.2)):
        letters, plies = min(400, 0.7 * limit), min(24, limit / 32)
        yield _Form(share, int(header * letters), int(header * plies))
    for share in (0.9, 0.7, 0.5, 0.3, 0.1, 0.02):
        yield _Form(share, 0, 0)


def cut(document: Document, room: Room) -> Document:
    """The document with each game that does not fit the room in pieces that do."""
    blocks: list[Block] = []
    for start in range(0, len(document.blocks), _AT_A_TIME):
        some = document.blocks[start : start + _AT_A_TIME]
        for block, fits in zip(some, _fitting(document.title, some, room), strict=True):
            if fits or not isinstance(block, Scored):
                blocks.append(_plain(block))
            else:
                blocks.extend(_pieces(document.title, block, room))
    return Document(
        title=document.title,
        kind=document.kind,
        blocks=tuple(blocks),
        metadata=document.metadata,
        notes=document.notes,
    )


def _fitting(title: str, blocks: Sequence[Block], room: Room) -> list[bool]:
    """Which blocks fit as they are; those that plainly do not need not be measured."""
    near = [len(block.text) <= LETTERS * room.limit for block in blocks]
    sizes = iter(
        room.sizes(title, [block for block, short in zip(blocks, near, strict=True) if short])
    )
    return [short and next(sizes) <= room.limit for short in near]


def _plain(block: Block) -> Block:
    """The block without its game, which is not needed any more."""
    return Block(
        text=block.text,
        locator=block.locator,
        kind=block.kind,
        whole=block.whole,
        metadata=block.metadata,
        search=block.search,
    )


def _pieces(title: str, block: Scored, room: Room) -> list[Block]:
    """The pieces of a game, made smaller until all of them fit."""
    blocks: list[Block] = []
    empty = room.count([""])[0]

    def measure(texts: Sequence[str]) -> Sequence[int]:
        sizes = room.count(texts) if texts else ()
        return [
            max(1, size - empty, len(text) // LETTERS)
            for text, size in zip(texts, sizes, strict=True)
        ]

    for form in _forms(room.limit):
        header = block.known.header(most=form.header) if form.header else ""
        used = room.sizes(title, [Block(text=f"{header}\n\n")])[0]
        levels = _LEVEL * block.game.levels if form.header else 0
        free = room.limit - used - _PLACE - levels - form.plies * _PLY
        most = max(1, int(form.own * free))
        if form.header and most < _LEAST * room.limit:
            continue
        pieces = pieces_of(block.game, most, measure)
        blocks = [_block(block, pieces, at, form=form) for at in range(len(pieces))]
        if all(_fitting(title, blocks, room)):
            break
    return blocks


def _block(whole: Scored, pieces: Sequence[Piece], at: int, *, form: _Form) -> Block:
    piece, game = pieces[at], whole.game
    cells = piece.cells()
    lead, tail = piece.roots[0], _tail(piece)
    known: dict[str, Value] = {"part": at + 1, "parts": len(pieces)} if len(pieces) > 1 else {}
    opening = opening_at(tail.node) if lead.node.branch is not None else None
    if opening == opening_at(game.end):
        opening = None
    if opening is not None:
        known |= {"eco": opening.eco, "opening": opening.name}
    metadata = {**whole.metadata, **own(cells), **known}
    metadata |= {"line": tail.node.line, "end": tail.node.epd}
    if led := _lead(lead.node):
        metadata["lead"] = led
    moves = printed(game, piece.roots)
    if tail.node is game.end and tail is cells[-1]:
        moves = f"{moves} {whole.metadata.get('result', '*')}"
    place = _place(game, piece, form=form, number=f"Part {at + 1} of {len(pieces)}")
    header = ""
    if form.header:
        header = whole.known.header(opening=shown(opening) if opening else "", most=form.header)
    return Block(
        text=f"{' '.join(filter(None, (header, place)))}\n\n{moves}",
        locator=Locator(extra=(("game", game.number), ("ply", int(str(metadata["ply_first"]))))),
        kind=whole.kind,
        whole=True,
        metadata=metadata,
    )


def _lead(node: Node) -> str:
    """The moves from the start of the game up to a piece's first one; of very long ones nothing."""
    if node.ply > _LED:
        return ""
    moves: list[str] = []
    here = node.parent
    while here is not None and here.parent is not None:
        moves.append(here.san)
        here = here.parent
    return " ".join(reversed(moves))


def _tail(piece: Piece) -> Cell:
    """The end of the line that a piece begins with."""
    cell = piece.roots[0]
    while cell.kept and cell.kept[0] is cell.children[0]:
        cell = cell.kept[0]
    return cell


def _place(game: Game, piece: Piece, *, form: _Form, number: str) -> str:
    """`Part 2 of 5: variation 2 of 3 at 6.Be3, after 1.e4 c5 2.Nf3 … 5...a6.`"""
    lead = piece.roots[0]
    start = lead.node.parent
    if start is None or not form.header:
        return f"{number}."
    where = _where(game, piece)
    line = _line(game, start, most=form.plies)
    return f"{number}: {where}, after {line}." if line else f"{number}: {where}."


def _where(game: Game, piece: Piece) -> str:
    lead = piece.roots[0].node
    own_branch = lead.branch is lead
    outer = lead.parent if own_branch else lead
    names = _variations(game, outer.branch if outer else None, most=1 if own_branch else 2)
    if own_branch and lead.parent is not None:
        orders = [root.node.order for root in piece.roots]
        what = "variation" if len(orders) == 1 else "variations"
        main = game.named(lead.parent.children[0])
        names.append(f"{what} {listed(orders)} of {len(lead.parent.children) - 1} at {main}")
        if piece.roots[0].first:
            return " › ".join(names)
    if not piece.roots[0].first:
        return " › ".join([*names, f"on {game.named(lead)}, continued"])
    return f"{' › '.join(names or ['main line'])} from {game.named(lead)}"


def _variations(game: Game, branch: Node | None, *, most: int) -> list[str]:
    """The variations that a move stands in, the outermost first; of many the nearest."""
    names: list[str] = []
    while branch is not None and branch.parent is not None:
        if len(names) == most:
            return ["…", *reversed(names)]
        number = len(branch.parent.children) - 1
        main = game.named(branch.parent.children[0])
        names.append(f"variation {branch.order} of {number} at {main}")
        branch = branch.parent.branch
    return names[::-1]


def _line(game: Game, node: Node, *, most: int) -> str:
    """The moves that lead to a position, its first and its last ones where there are many."""
    if most < 2 or node.parent is None:
        return ""
    near: list[Node] = []
    here: Node | None = node
    while here is not None and here.parent is not None and len(near) <= most:
        near.append(here)
        here = here.parent
    if len(near) <= most:
        return _moves(game, near[::-1])
    first: list[Node] = []
    early = node.early
    while early.parent is not None:
        first.append(early)
        early = early.parent
    tail = most * 2 // 5
    return f"{_moves(game, first[::-1][: most - tail])} … {_moves(game, near[:tail][::-1])}".strip()


def _moves(game: Game, nodes: Sequence[Node]) -> str:
    return " ".join(
        game.named(node) if not at or (game.before + node.ply) % 2 else node.san
        for at, node in enumerate(nodes)
    )
