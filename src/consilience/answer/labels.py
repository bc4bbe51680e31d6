"""How is a passage named to a writer and a reader? `Book - "Title", chapter › section`.

A pack may name its own kinds; what it says is made harmless here like everything else, so that
no title can end a label or begin another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from consilience.types import Passage

LONGEST = 160
"""Letters of a label; the rest is left out."""

_WORDS = {"row": "Table", "edge": "Link"}
_BRACKETS = str.maketrans({"[": "(", "]": ")", "【": "(", "】": ")", "<": "‹", ">": "›"})
_FULL_STOP = re.compile(r"(?<!\b\w)(?<!\bSt)(?<!\bMt)(?<!\bDr)\.(?:\s|$)")


def label(passage: Passage, labels: Mapping[str, Callable[[Passage], str]] | None = None) -> str:
    """The label of a passage, by the pack's table or by its kind."""
    own = (labels or {}).get(passage.kind) or _FORMS.get(passage.kind, _prose)
    return _tidy(own(passage))


def _tidy(text: str) -> str:
    line = " ".join(text.translate(_BRACKETS).replace("`", "'").split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rsplit(" ", 1)[0] + "…"


def _named(passage: Passage) -> str:
    return _WORDS.get(passage.kind, passage.kind.capitalize())


def _prose(passage: Passage) -> str:
    title = passage.title.replace('"', "'")
    return ", ".join(filter(None, (f'{_named(passage)} - "{title}"', _place(passage))))


def _place(passage: Passage) -> str:
    """Where it stands, without the number of the piece that it was split into."""
    return re.sub(r"(?:, )?passage \d+$", "", str(passage.locator))


def _row(passage: Passage) -> str:
    at = passage.locator
    name = passage.title or at.table or "table"
    parts = [f"{_named(passage)} - {name}"]
    if at.page is not None:
        parts.append(f"page {at.page}")
    if at.table and at.table != name:
        parts.append(f"table {at.table}")
    if at.row is not None:
        parts.append(f"row {at.row}")
    return ", ".join(parts)


def _chain(passage: Passage) -> str:
    """The arrows that a path's or link's text begins with."""
    first = passage.text.split("\n", 1)[0]
    arrows = first.rfind("→") if "→" in first else first.rfind("←")
    stop = _FULL_STOP.search(first, arrows)
    return f"{_named(passage)} - {first[: stop.start()] if stop else first}"


def _node(passage: Passage) -> str:
    name = passage.metadata.get("name") or passage.locator.node or passage.title
    return f"{_named(passage)} - {name}"


def played(passage: Passage) -> str:
    """Who played a game and when, `Petrosian–Pachman 1961`; of a course its chapter, or nothing."""
    known = passage.metadata
    sides = [_surname(str(known[side])) for side in ("white", "black") if known.get(side)]
    year = re.match(r"\d{4}", str(known.get("date", "")))
    if not sides:
        return str(known.get("chapter", ""))
    return " ".join(filter(None, ("–".join(sides), year[0] if year else "")))


def moves_of(passage: Passage) -> str:
    """Which moves a piece of a game has, `moves 12–18`; nothing where that is not known.

    Half moves are counted from where the game begins, and a set-up position may begin with
    another number or with Black: then the numbers that are printed count. A piece without moves
    is what is said before the first.
    """
    plies = [passage.metadata.get(name) for name in ("ply_first", "ply_last")]
    first, last = (one if isinstance(one, int) else passage.locator.number("ply") for one in plies)
    if first is None or last is None:
        return ""
    if len(_positions(passage)) == 1:
        return "introduction"
    before = _before(str(passage.metadata.get("start", "")))
    begin, end = ((before + ply + 1) // 2 for ply in (first, last))
    return f"move {begin}" if begin == end else f"moves {begin}–{end}"


def place_of(passage: Passage) -> str:
    """Where a passage stands, as a person would say it: of a game its moves, not half moves."""
    if passage.kind != "game" or not (moves := moves_of(passage)):
        return str(passage.locator)
    game = passage.locator.number("game")
    return f"game {game}, {moves}" if game else moves


def _positions(passage: Passage) -> tuple[object, ...]:
    found = passage.metadata.get("positions", ())
    return found if isinstance(found, tuple) else (found,)


def _before(start: str) -> int:
    """Half moves before a position, by the side to move and the number of its move."""
    fields = start.split()
    number = int(fields[5]) if len(fields) > 5 and fields[5].isdecimal() else 1
    return 2 * (number - 1) + (fields[1:2] == ["b"])


def _surname(player: str) -> str:
    """`Petrosian` of `Petrosian, Tigran`; a name in another order is left as it is."""
    return player.partition(",")[0].strip() or player


def _game(passage: Passage) -> str:
    named = played(passage)
    title = f'"{passage.title}"' if passage.title not in named else ""
    parts = [part for part in (title, named) if part]
    if moves := moves_of(passage):
        parts.append(moves)
    return f"{_named(passage)} - {', '.join(parts) or 'unnamed'}"


_FORMS: Mapping[str, Callable[[Passage], str]] = {
    "row": _row,
    "path": _chain,
    "edge": _chain,
    "node": _node,
    "game": _game,
}
