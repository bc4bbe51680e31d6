"""How does a long game become passages? In pieces that each say where in the game they stand.

A game that fits stays whole. Else each piece begins with the game's header, the line that leads
to it, shortened where it is long, and its place in the tree; what follows the blank line is its own
moves. Every move and every comment is in a piece. Nothing is longer than the room: pieces that turn
out to be are made anew, smaller.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from consilience.evidence.loaders.common import listed
from consilience.packs.chess.describing import opening_at, shown
from consilience.packs.chess.loading import own
from consilience.packs.chess.movetext import Cell, printed
from consilience.packs.chess.partition import Piece, pieces_of
from consilience.packs.chess.portions import LETTERS
from consilience.packs.chess.trees import Game, Node, Scored
from consilience.protocols import Room
from consilience.types import Block, Document, Locator, Value

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
