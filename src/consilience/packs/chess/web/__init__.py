"""How do pages of the service show games and boards?"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from consilience.types import Passage

Json = Mapping[str, Any]
_NUMBER = re.compile(r"\d+")
_LAST_MOVES = re.compile(r"\d+\.+\S+(?: [^\s\d]\S*)?$")  # of a line: `5.Nc3 a6`
_TURNS = {"w": "White to move", "b": "Black to move"}


def game_facts(passage: Json, name: str) -> list[str]:
    """Where a game was played and how it ended, or its course; then its opening."""
    known = passage["metadata"]
    course = known.get("course")
    place = [course] if course else [known.get("event"), known.get("site"), known.get("year")]
    facts = [str(fact) for fact in place if fact and "://" not in str(fact)]
    if not facts and passage["title"] != name:
        facts = [passage["title"]]
    opening, eco = known.get("opening"), known.get("eco")
    named = f"{opening} ({eco})" if opening and eco else opening or eco
    facts += [str(fact) for fact in (known.get("result"), named) if fact]
    return [fact for fact in dict.fromkeys(facts) if fact not in name]


def game_place(where: str) -> str:
    """`moves 12–18`."""
    return where.rpartition(", ")[2]


def game_number(passage: Json) -> object | None:
    """The game that a passage is a part of."""
    number: object | None = passage["metadata"].get("game")
    return number


def in_game(passage: Json) -> str:
    """`, game 3`: which game of its file."""
    number = game_number(passage)
    return f", game\N{NO-BREAK SPACE}{number}" if number else ""


def other_moves(places: Sequence[str]) -> str:
    """`moves 12–18, 25–31`, in the order of the game; adjacent ranges are joined."""
    joined: list[list[int]] = []
    for numbers in sorted([int(number) for number in _NUMBER.findall(place)] for place in places):
        if joined and numbers and numbers[0] <= joined[-1][1] + 1:
            joined[-1][1] = max(joined[-1][1], numbers[-1])
        elif numbers:
            joined.append([numbers[0], numbers[-1]])
    words = [place for place in dict.fromkeys(places) if not _NUMBER.search(place)]
    ranges = ", ".join(f"{a}–{b}" if a != b else str(a) for a, b in joined)
    return ", ".join([*words, *([f"moves {ranges}"] if ranges else [])])


def readable_quote(text: str) -> str:
    """Quoted movetext as people write it."""
    from consilience.packs.chess.display import readable  # noqa: PLC0415 - packs are below it

    return readable(text)


def side_to_move(caption: str, data: str) -> str:
    """A caption that says who is to move, where the position says so."""
    side = data.split()[1:2]
    turn = _TURNS.get(side[0], "") if side else ""
    return ", ".join(filter(None, (caption, turn if turn not in caption else "")))


def drawn_positions(passage: Passage) -> tuple[str, ...]:
    """The position that a passage mentions first, else the one that it ends with.

    The initial position of every game is neither.
    """
    known = passage.metadata
    focus, positions = (known.get(name) for name in ("focus", "positions"))
    if not isinstance(focus, tuple) or not isinstance(positions, tuple):
        return ("",)
    from_start = known.get("ply_first") == 1 and not known.get("start")
    if from_start and len(positions) == 1:
        return ()
    mentioned = [str(fen) for fen in focus if not (from_start and fen == positions[0])]
    return (*mentioned[:1], "")


def short_matches(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """`Najdorf`, `6.Bg5`: names first, and beside names only the last moves of a line."""
    names = [text for kind, text in pairs if kind != "moves"]
    lines = [text for kind, text in pairs if kind == "moves"]
    last = [_LAST_MOVES.search(line) for line in lines]
    ends = [match[0] if match and names else line for match, line in zip(last, lines, strict=True)]
    return [*names, *ends]


def positions(figures: Sequence[Json], draw: Callable[..., str]) -> dict[str, Any]:
    """The figures of an answer as positions: each with its FEN, its moves and its board."""
    return {"positions": [_position(figure, draw) for figure in figures]}


def _position(figure: Json, draw: Callable[..., str]) -> dict[str, Any]:
    steps, data = figure["steps"], figure["data"]
    arrived = steps and steps[-1]["data"] == data
    return {
        **{name: figure[name] for name in ("number", "caption", "mark", "passage")},
        "fen": data,
        "steps": [{"move": step["name"], "fen": step["data"]} for step in steps],
        "svg": draw(
            figure["kind"],
            data,
            name=steps[-1]["name"] if arrived else "",
            before=steps[-2]["data"] if arrived and len(steps) > 1 else "",
        ),
    }
