"""A small chess library: one book, and games that meet it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from consilience.settings import build_settings
from consilience.workspace import Workspace, init_workspace, open_workspace
from tests_shared import WordVectors

BOOK = """# Plans for Club Players

## The Najdorf

After 1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6 Black keeps every choice open. The pawn on a6
denies the square b5 to White's pieces and prepares ...b5 with gain of space.

## The isolated pawn

The plan against an isolated pawn is to blockade it with a knight, to exchange minor pieces, and
then to attack it with the heavy pieces. The side that has it seeks open lines and an attack.

## Contents

1 The Najdorf 3
"""

GAMES = """[Event "Training"]
[Site "Oslo"]
[Date "2001.05.06"]
[White "Ingrid Dahl"]
[Black "Per Lund"]
[Result "1-0"]

1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Bg5 {The sharpest reply: White pins the
knight before Black can play ...e5.} e6 7. f4 Be7 (7... Qb6 {The poisoned pawn: Black takes on b2
and must then survive.} 8. Qd2 Qxb2) 8. Qf3 Qc7 1-0

[Event "Training"]
[Site "Oslo"]
[Date "2002.01.01"]
[White "Ingrid Dahl"]
[Black "Per Lund"]
[Result "1-0"]

1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Bg5 e6 7. f4 Be7 8. Qf3 Qc7 1-0

[Event "Club match"]
[Date "1999.??.??"]
[White "Anna Berg"]
[Black "Ole Vik"]
[Result "1/2-1/2"]

1. d4 d5 2. c4 e6 3. Nc3 c5 4. cxd5 exd5 {Black accepts an isolated pawn on d5 for free play.}
5. Nf3 Nc6 6. g3 Nf6 1/2-1/2
"""


def chess_settings(**values: object):
    return build_settings(
        {
            "pack": "chess",
            "models.rerank": "none",
            "retrieve.soft_ms": 20_000,
            "retrieve.hard_ms": 30_000,
            **values,
        }
    )


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a chess workspace that holds the book and the games."""
    folder = tmp_path_factory.mktemp("library") / "space"
    init_workspace(folder, pack="chess")
    files = folder / "files"
    files.mkdir()
    (files / "plans.md").write_text(BOOK, encoding="utf-8")
    (files / "training.pgn").write_text(GAMES, encoding="utf-8")
    with open_workspace(folder, settings=chess_settings(), embedder=WordVectors()) as space:
        space.add([files])
    return folder


@pytest.fixture(scope="module")
def space(library: Path) -> Iterator[Workspace]:
    """That workspace, open."""
    with open_workspace(library, settings=chess_settings(), embedder=WordVectors()) as opened:
        yield opened
