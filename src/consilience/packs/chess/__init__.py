"""A pack for chess: books that explain, and annotated games that show.

A folder of EPUBs becomes the collection `books`, a folder of PGN files `games`; each is searched
by meaning, by words and by position. What knows moves needs python-chess, the `chess` extra: it
is imported when it is first used.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from consilience.pack import (
    Answers,
    Drawing,
    Endpoint,
    Files,
    KindView,
    Pack,
    Questions,
    Sample,
    Web,
)
from consilience.packs.chess.answers import GameWriter
from consilience.packs.chess.display import GAME, game_label
from consilience.packs.chess.extra import later, needed
from consilience.types import Passage
from consilience.understand.names import surface

_HERE = Path(__file__).parent


def _game(passage: Passage) -> str:
    """A whole game is the same by its moves, a line of nobody's by where it ends, a piece of a
    game by its own line and what it says.
    """
    known = passage.metadata
    if int(str(known.get("parts", 1))) > 1:
        return f"piece {known.get('line')} {_digest(passage.text)}"
    if known.get("white") and known.get("black"):
        return f"game {known.get('moves')}"
    return f"line {known.get('end') or known.get('line')}"


def _section(passage: Passage) -> str:
    """A section of a book is the same in another edition of it when it begins alike."""
    begins = " ".join(surface(passage.text).split()[:12])
    place = surface(" ".join(passage.locator.section[-1:]))
    return f"{surface(passage.title)} | {place} | {_digest(begins)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _notes(passage: Passage) -> float:
    """How well a copy is annotated: the words of its comments."""
    return float(str(passage.metadata.get("notes", 0)))


def _length(passage: Passage) -> float:
    return float(len(passage.text))


PACK = Pack(
    name="chess",
    summary="Chess books and annotated games, apart and merged",
    files=Files(
        collections={"game": "games", "table": "tables", "graph": "graph", "*": "books"},
        prepare=later("books", "prepare"),
        annotate=later("books", "annotate"),
        identities={"game": _game, "book": _section},
        worth={"game": _notes, "book": _length},
    ),
    questions=Questions(
        route=later("routing", "route"),
        identifiers=later("questions", "identifiers"),
        has=later("questions", "has"),
        certain=later("routing", "certain"),
        expand=later("routing", "expand"),
        boosts=later("routing", "boosts"),
    ),
    answers=Answers(
        labels={"game": game_label},
        writers={"game": GameWriter()},
        emphasis=(
            "Give the lines of moves first, exactly as the sources have them, with their move "
            "numbers; then the ideas behind them."
        ),
        checks=(later("checking", "check"),),
        displays={"game": GAME},
        drawing=Drawing(
            draw=later("drawing", "draw"),
            told=(
                "To show a position that a source holds, write [DIAGRAM 12...Nd5] behind the "
                "sentence that cites it, with the number and the move that lead there as the "
                "source has them."
            ),
            picture=later("drawing", "picture"),
            turned=later("drawing", "turned"),
            sketch=later("drawing", "sketch"),
        ),
    ),
    sample=Sample(
        folder=_HERE / "sample",
        examples=(
            "How do I play against the hanging pawns?",
            "Show me games in the Najdorf with 6.Bg5",
            "How did Petrosian beat Pachman in 1961?",
        ),
        golden=_HERE / "golden.yaml",
    ),
    web=Web(
        endpoints=(
            Endpoint(
                path="/query",
                summary="An answer from the books, and with `merge` from the games as well",
                collections=("books",),
                merge=("games",),
            ),
            Endpoint(
                path="/query_pgn",
                summary="Games, without an answer",
                collections=("games",),
                answers=False,
                page="Games",
            ),
            Endpoint(
                path="/test_pgn",
                summary="The same as `/query_pgn`, with a page to try it out",
                collections=("games",),
                answers=False,
                page="Try games",
            ),
            Endpoint(path="/query_merged", summary="An answer from all collections together"),
        ),
        endpoint_fields=later("web", "positions"),
        static=_HERE / "web" / "static",
        css="chess.css",
        kinds={
            "game": KindView(
                label="Game",
                facts=later("web", "game_facts"),
                place=later("web", "game_place"),
                group=later("web", "game_number"),
                others=later("web", "other_moves"),
                file=later("web", "in_game"),
                quote=later("web", "readable_quote"),
            )
        },
        caption=later("web", "side_to_move"),
        drawn=later("web", "drawn_positions"),
        matches=later("web", "short_matches"),
    ),
    ready=needed,
)
