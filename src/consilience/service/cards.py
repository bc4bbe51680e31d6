"""How is what was found shown to a person? A card for each game or text, with its board.

The pieces of one game share a card: the best comes first, of the others their moves are named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import PurePath
from typing import Any

MOST = 10
"""Cards of a page."""
CLOSE, NEAR = 0.5, 0.2
"""From which relevance on it is called a close match, or said that it may help."""
_WAYS = {
    "bm25": "words",
    "dense": "meaning",
    "dense+terms": "the opening's name",
    "position": "position",
    "sql": "a look-up in tables",
    "graph": "links",
    "paths": "links",
}
_NUMBER = re.compile(r"\d+")


def cards(found: Mapping[str, Any]) -> list[str]:
    """The cards of a page, best first."""
    boards = {one["passage"]: one for one in found["positions"]}
    groups: dict[tuple[str, object], list[Mapping[str, Any]]] = {}
    for hit in found["results"]:
        groups.setdefault(_of(hit), []).append(hit)
    shown = list(groups.values())[:MOST]
    return [_card(hits, _first_board(hits, boards)) for hits in shown]


def _of(hit: Mapping[str, Any]) -> tuple[str, object]:
    """What a hit is a piece of: its game, or nothing but itself."""
    game = hit["metadata"].get("game") if hit["kind"] == "game" else None
    return (hit["document"], game) if game is not None else ("", hit["passage"])


def _first_board(
    hits: Sequence[Mapping[str, Any]], boards: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """The board of the best piece that has one: an introduction has none."""
    return next((boards[hit["passage"]] for hit in hits if hit["passage"] in boards), None)


def _card(hits: Sequence[Mapping[str, Any]], board: Mapping[str, Any] | None) -> str:
    best, others = hits[0], hits[1:]
    lines = [f"<h2>{escape(_name(best))}</h2>", _soft(" · ".join(_facts(best)))]
    moves = _moves(best)
    place = f"<strong>{escape(moves[:1].upper() + moves[1:])}</strong> " if moves else ""
    lines.append(f'<p class="text">{place}{escape(best["preview"])}</p>')
    if others:
        lines.append(_soft(f"Also: {_also(others)}"))
    lines.append(_soft(" · ".join(_found(best))))
    picture = _board(board) if board else ""
    return f"<li>{picture}<div>{''.join(lines)}</div></li>"


def _soft(text: str) -> str:
    return f'<p class="soft">{escape(text)}</p>' if text else ""


def _name(hit: Mapping[str, Any]) -> str:
    """Its name, without the title in brackets, which stands below."""
    return str(hit["name"]).removesuffix(f" ({hit['title']})")


def _facts(hit: Mapping[str, Any]) -> list[str]:
    """Where a game was played and how it ended, or of which course it is; then its opening."""
    known, name = hit["metadata"], _name(hit)
    place = (
        [known.get("course")] if known.get("course") else [known.get("event"), known.get("site")]
    )
    told = [str(one) for one in place if one and "://" not in str(one)]
    if not told and hit["title"] != name:
        told = [hit["title"]]
    opening, eco = known.get("opening"), known.get("eco")
    named = f"{opening} ({eco})" if opening and eco else opening or eco
    told += [str(one) for one in (known.get("result"), named) if one]
    return [one for one in dict.fromkeys(told) if one not in name]


def _moves(hit: Mapping[str, Any]) -> str:
    """`moves 12–18` of a game; of other texts the place where they stand."""
    where = str(hit["where"])
    return where.rpartition(", ")[2] if hit["kind"] == "game" else where


def _also(hits: Sequence[Mapping[str, Any]]) -> str:
    """`moves 12–18, 25–31`, in the order of the game; what touches is joined."""
    places = dict.fromkeys(_moves(hit) for hit in hits)
    joined: list[list[int]] = []
    for numbers in sorted([int(one) for one in _NUMBER.findall(place)] for place in places):
        if joined and numbers and numbers[0] <= joined[-1][1] + 1:
            joined[-1][1] = max(joined[-1][1], numbers[-1])
        elif numbers:
            joined.append([numbers[0], numbers[-1]])
    words = [place for place in places if not _NUMBER.search(place)]
    ranges = ", ".join(f"{a}–{b}" if a != b else str(a) for a, b in joined)
    return ", ".join([*words, *([f"moves {ranges}"] if ranges else [])])


def _found(hit: Mapping[str, Any]) -> list[str]:
    """How well it fits, by which ways it was found, and in which file it stands."""
    relevance = hit["relevance"] or 0.0
    told = ["a close match"] if relevance >= CLOSE else ["may help"] if relevance >= NEAR else []
    kinds = (source.rpartition("/")[2] for source in hit["sources"])
    ways = list(dict.fromkeys(_WAYS.get(kind, kind) for kind in kinds))
    if ways:
        told.append(f"found by {_listed(_in_order(ways))}")
    game = f", game\N{NO-BREAK SPACE}{number}" if (number := hit["metadata"].get("game")) else ""
    return [*told, f"{PurePath(hit['document']).name}{game}"]


def _in_order(ways: Sequence[str]) -> list[str]:
    order = list(_WAYS.values())
    return sorted(ways, key=lambda one: order.index(one) if one in order else len(order))


def _listed(words: Sequence[str]) -> str:
    """`words, meaning and position`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _board(board: Mapping[str, Any]) -> str:
    """A board under which stands what it shows and who is to move."""
    told = [str(board["caption"]).partition(", ")[0]]
    side = str(board["fen"]).split()[1:2]
    turn = {"w": "White to move", "b": "Black to move"}.get(side[0], "") if side else ""
    if turn and turn not in told[0]:
        told.append(turn)
    caption = escape(", ".join(told))
    picture = str(board["svg"]).replace("<svg ", f'<svg role="img" aria-label="{caption}" ', 1)
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"
