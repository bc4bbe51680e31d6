"""Can the moves of a statement be played where what it cites has them?

That each move stands in the source, with its number, the engine looks for itself; but moves of a
main line, of variations and of comments stand side by side in a text, and a line that is put
together from several of them may be one that nobody can play. So a line of a statement is followed
on the board. Nothing is said of a move that the source itself has where it cannot be played, nor
of one that is not there at all, which the engine has seen already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import chess

from consilience.packs.chess.held import held
from consilience.packs.chess.notation import read_move
from consilience.packs.chess.spots import FEN, Held, Spot, Token, bare, numbered, runs
from consilience.types import Checked, Exhibit, Fault

_QUOTED = re.compile(r"“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|(?<![\w\"])\"[^\"]*\"(?![\w\"])")


def check(text: str, cited: Sequence[Exhibit]) -> Checked:
    """The lines and positions of a statement that what it cites does not bear out.

    What is quoted is compared letter by letter elsewhere. Only faults are counted as facts: the
    moves of a sound line were counted by those who looked for them in the text.
    """
    said = _QUOTED.sub(lambda match: " " * len(match[0]), text)
    faults = [*_positions(said, cited)]
    said = FEN.sub(lambda match: " " * len(match[0]), said)
    lines = [line for line in runs(said) if len(line) > 1]
    if lines:
        sources = [held(one.passage) for one in cited]
        faults += [fault for line in lines if (fault := _line(line, sources, cited)) is not None]
    return Checked(facts=len(faults), faults=tuple(faults))


def _positions(text: str, cited: Sequence[Exhibit]) -> Iterator[Fault]:
    """What is wrong with the positions that a statement gives."""
    for match in FEN.finditer(text):
        from consilience.packs.chess.drawing import draw  # noqa: PLC0415 - rare, and draws

        found = draw(match[0], cited)
        if isinstance(found, str):
            yield Fault(check="position", value=match[0], told=found)


def _line(line: Sequence[Token], sources: Sequence[Held], cited: Sequence[Exhibit]) -> Fault | None:
    """What is wrong with a line of moves; None where nothing is, or nothing can be said."""
    ways = [(source.reach(line), source) for source in sources]
    way, _ = max(ways, key=lambda one: len(one[0]), default=([], None))
    if len(way) == len(line):
        return None
    token = line[len(way)]
    if not way or any(source.cannot_tell(token) for source in sources):
        return None
    if not any(_has(source, token) for source in sources):
        return None  # not in the text at all: that is seen without a board
    if any(_stands(line, one) for one in cited):
        return None
    number = numbered(way[-1].ply + 1)
    return Fault(check="move", value=token.spelt, told=_told(token, number, way[-1], cited))


def _has(source: Held, token: Token) -> bool:
    move = bare(token.move)
    return any(
        bare(spot.san) == move and token.ply in {None, spot.ply}
        for spot in source.spots
        if spot.san
    )


def _stands(line: Sequence[Token], exhibit: Exhibit) -> bool:
    """Whether a source of prose has the whole line like this, move after move."""
    if exhibit.passage.kind == "game":
        return False
    wanted = [bare(one.move) for one in line]
    for run in runs(exhibit.passage.text):
        moves = [bare(one.move) for one in run]
        for start in range(len(moves) - len(wanted) + 1):
            if moves[start : start + len(wanted)] == wanted:
                return True
    return False


def _told(token: Token, number: str, last: Spot, cited: Sequence[Exhibit]) -> str:
    where = " or ".join(f"[{one.mark}]" for one in cited)
    said = f"{number}{token.spelt}"
    move = read_move(last.board, token.move)
    if move is None or move == chess.Move.null():
        return f'"{said}" cannot be played after {last.name} in {where}'
    return f'"{said}" is not played after {last.name} in {where}'
