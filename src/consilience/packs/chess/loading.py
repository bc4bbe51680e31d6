"""How is a file of games read? One block a game, in order, and a note for each that is broken."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from consilience.errors import LoadError
from consilience.packs.chess.describing import Described, describe, is_course, title
from consilience.packs.chess.encodings import read_games_text
from consilience.packs.chess.movetext import Cell, cells_of, printed
from consilience.packs.chess.reading import Fault, Reader
from consilience.packs.chess.trees import Game, Scored
from consilience.types import Document, Locator, Value

LISTED = 20  # faults that are told one by one; the others are counted


def load(path: Path) -> Document:
    """The games of a PGN file, each as a block of its own.

    What is wrong with a game is told with its number, line and reason. A file in which no game
    can be read is a `LoadError`.
    """
    text, notes = read_games_text(path)
    reader = Reader(text)
    games = list(reader.games())
    if not games:
        raise LoadError(_nothing(path, reader.faults))
    lines = is_course(games)
    return Document(
        title=title(games, path),
        kind="game",
        blocks=tuple(_block(game, describe(game, path, lines=lines)) for game in games),
        notes=(*notes, *_told(reader.faults, reader.count)),
    )


def _block(game: Game, known: Described) -> Scored:
    cells = cells_of(game)
    moves = printed(game, cells[:1])
    ending = known.metadata.get("result", "*")
    return Scored(
        text=f"{known.header()}\n\n{' '.join(filter(None, (moves, str(ending))))}",
        locator=Locator(extra=(("game", game.number), ("ply", 1))),
        kind="game",
        whole=True,
        metadata={**known.metadata, **own(cells), "line": game.end.line, "end": game.end.epd},
        game=game,
        known=known,
    )


def own(cells: Sequence[Cell]) -> dict[str, Value]:
    """What a passage knows of its own moves: positions, half moves, words of comment.

    The first of the positions is the one that the passage starts from.
    """
    lead = cells[0].node
    start = lead if lead.parent is None else lead.parent
    played = [cell.node for cell in cells if cell.node.parent is not None]
    plies = [node.ply for node in played] or [1]
    positions = dict.fromkeys([start.epd, *(node.epd for node in played)])
    notes = sum(len(cell.said.split()) + len(cell.introduced.split()) for cell in cells)
    return {
        "ply_first": min(plies),
        "ply_last": max(plies),
        "positions": tuple(positions),
        "notes": notes,
    }


def _nothing(path: Path, faults: Sequence[Fault]) -> str:
    """Why there is no game in a file."""
    reasons = "; ".join(str(fault) for fault in faults[:3])
    more = f"; and {len(faults) - 3} more" if len(faults) > 3 else ""
    found = f": {reasons}{more}" if reasons else ""
    return f"{path.name} holds no game that can be read{found}; give it games in PGN"


def _told(faults: Sequence[Fault], games: int) -> tuple[str, ...]:
    """The notes of a file: the first faults one by one, the others by their number."""
    notes = [str(fault) for fault in faults[:LISTED]]
    if len(faults) > LISTED:
        out = sum(fault.out and fault.game > 0 for fault in faults)
        notes.append(
            f"{len(faults) - LISTED} more faults like these; of {games} games {out} were left out"
        )
    return tuple(notes)
