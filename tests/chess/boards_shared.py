"""What do tests of boards and of moves in answers share? Games and books as exhibits."""

from __future__ import annotations

from pathlib import Path

from pgn_shared import room

from consilience.packs.chess.pgn import cut, load
from consilience.packs.chess.replay import Replay
from consilience.types import Exhibit, Passage

SAMPLE = Path(__file__).parents[2] / "src" / "consilience" / "packs" / "chess" / "sample"

PGN = """[Event "Bled"]
[Date "1961.09.03"]
[White "Petrosian, Tigran V"]
[Black "Pachman, Ludek"]
[Result "1-0"]

1. Nf3 c5 2. g3 Nc6 3. Bg2 g6 4. O-O Bg7 5. d3 e6 6. e4 Nge7 7. Re1 O-O (7... d5 8. exd5 {opens
the file at once; after 8...Nxd5 9.Nbd2 White presses.}) 8. e5 {The wedge keeps the knight from
f6 and d6.} d6 (8... f6 9. exf6 Bxf6 (9... Rxf6 10. Bg5 {is awkward for the rook.})) 9. exd6 Qxd6
10. Nbd2 Qc7 11. Nb3 Nd4 12. Bf4 Qb6 13. Ne5 Nxb3 14. Nc4 Qb5 15. axb3 a5 16. Bd6 Bf6 17. Qf3
Kg7 18. Re4 Rd8 19. Qxf6+ Kxf6 20. Be5+ Kg5 21. Bg7 1-0
"""
BOOK = (
    "The Ruy Lopez begins 1.e4 e5 2.Nf3 Nc6 3.Bb5. White asks at once who owns e5. After 3...a6 "
    "4.Ba4 Nf6 5.O-O Black may play 5...Nxe4, the Open Defence, or 5...Be7 6.Re1 b5 7.Bb3."
)


def exhibit(mark: int, passage: Passage) -> Exhibit:
    return Exhibit(mark=mark, passage=passage, label=passage.title, text=passage.text)


def games(path: Path, *, first: int = 1, limit: int = 512) -> list[Exhibit]:
    """The passages of a file of games as exhibits, with marks from `first`."""
    document = cut(load(path), room(limit))
    return [
        exhibit(
            mark,
            Passage(
                id=f"{path.name} {mark}",
                collection="games",
                document=path.name,
                kind="game",
                title=document.title,
                text=block.text,
                locator=block.locator,
                metadata=block.metadata,
            ),
        )
        for mark, block in enumerate(document.blocks, first)
    ]


def book(text: str = BOOK, *, mark: int = 9, positions: tuple[str, ...] | None = None) -> Exhibit:
    """A page of a book as an exhibit, with the positions that it speaks of."""
    known = tuple(Replay().read(text).positions) if positions is None else positions
    passage = Passage(
        id=f"book {mark}",
        collection="books",
        document="ruy.md",
        kind="book",
        title="The Ruy Lopez",
        text=text,
        metadata={"positions": known} if known else {},
    )
    return exhibit(mark, passage)
