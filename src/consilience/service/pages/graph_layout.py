"""How do paths look as a picture? Things in columns, arrows between them, each thing drawn once.

What comes out are numbers and words for a template to draw: nothing here is markup.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

BOX, LINE, PAD = 136, 17, 10
"""A box's width, the height of a line of its words, the space around them."""
GAP = 108
"""Between two columns, for the words on arrows."""
_ROW_GAP, _EDGE = 34, 8
_LETTERS, _LINES = 15, 3  # of a box's words
_ON_ARROW, _SMALL = 13, 15  # letters of a line on an arrow, and its height
Step = Mapping[str, Any]
_Spot = tuple[tuple[str, ...], int]  # a thing in its column, or two: an arrow that passes by


def drawing(paths: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The picture of some paths, as `paths_json` gives them; None where there is nothing."""
    chains = [path["steps"] for path in paths if path["steps"]]
    if not chains:
        return None
    columns = _columns(chains)
    spots = _spots(chains, columns)
    places, height = _places(spots)
    ends = {chains[0][0]["start"], chains[0][-1]["end"]}
    return {
        "width": _left(max(columns.values())) + BOX + _EDGE,
        "height": height + 2 * _EDGE,
        "boxes": [
            {**_box(name, places[(name,), column]), "end": name in ends}
            for name, column in columns.items()
        ],
        "arrows": [
            _arrow(pair, relations, columns, places) for pair, relations in _arrows(chains).items()
        ],
    }


# --- which column -----------------------------------------------------------------------


def _columns(chains: Sequence[Sequence[Step]]) -> dict[str, int]:
    """Each thing's column: behind all that lead to it, the last thing in the last one.

    Where two paths take two things in opposite order, the first path decides.
    """
    named = (name for chain in chains for step in chain for name in (step["start"], step["end"]))
    after: dict[str, set[str]] = {name: set() for name in named}
    for start, end in _pairs(chains):
        if start not in _reached(end, after):
            after[start].add(end)
    found = dict.fromkeys(after, 0)
    for _ in after:  # as often as there are things, so that the longest way is followed
        for start, ends in after.items():
            for end in ends:
                found[end] = max(found[end], found[start] + 1)
    return found


def _pairs(chains: Iterable[Sequence[Step]]) -> list[tuple[str, str]]:
    every = [(step["start"], step["end"]) for chain in chains for step in chain]
    return [one for one in dict.fromkeys(every) if one[0] != one[1]]


def _reached(start: str, after: Mapping[str, set[str]]) -> set[str]:
    """A thing and all that stand behind it."""
    found, waiting = {start}, [start]
    while waiting:
        for one in after.get(waiting.pop(), ()):
            if one not in found:
                found.add(one)
                waiting.append(one)
    return found


# --- where in its column ----------------------------------------------------------------


def _spots(chains: Sequence[Sequence[Step]], columns: Mapping[str, int]) -> dict[_Spot, list[int]]:
    """All that needs a place, with the paths that it is on: things, and arrows that pass by."""
    found: dict[_Spot, list[int]] = {}
    for number, chain in enumerate(chains):
        for name in dict.fromkeys(end for step in chain for end in (step["start"], step["end"])):
            found.setdefault(((name,), columns[name]), []).append(number)
        for step in chain:
            for column in _between(step["start"], step["end"], columns):
                found.setdefault((_passing(step["start"], step["end"]), column), []).append(number)
    return found


def _between(start: str, end: str, columns: Mapping[str, int]) -> range:
    first, last = sorted((columns[start], columns[end]))
    return range(first + 1, last)


def _passing(start: str, end: str) -> tuple[str, ...]:
    return tuple(sorted((start, end)))


def _places(spots: Mapping[_Spot, Sequence[int]]) -> tuple[dict[_Spot, tuple[float, float]], float]:
    """The middle of each spot's left side, columns centred; and the height of the highest."""
    by_column: dict[int, list[_Spot]] = {}
    for spot in sorted(spots, key=lambda one: (sum(spots[one]) / len(spots[one]), one[0])):
        by_column.setdefault(spot[1], []).append(spot)
    tall = {column: _tall(some) for column, some in by_column.items()}
    height = max(tall.values())
    places: dict[_Spot, tuple[float, float]] = {}
    for column, some in by_column.items():
        y = _EDGE + (height - tall[column]) / 2
        for spot in some:
            places[spot] = (_left(column), round(y + _height(spot) / 2, 1))
            y += _height(spot) + _ROW_GAP
    return places, height


def _tall(some: Sequence[_Spot]) -> float:
    return sum(map(_height, some)) + _ROW_GAP * (len(some) - 1)


def _height(spot: _Spot) -> float:
    name, *other = spot[0]
    return LINE if other else len(wrapped(name, _LETTERS, _LINES)) * LINE + 2 * PAD


def _left(column: int) -> float:
    return _EDGE + column * (BOX + GAP)


def _box(name: str, place: tuple[float, float]) -> dict[str, Any]:
    lines = wrapped(name, _LETTERS, _LINES)
    x, middle = place
    height = len(lines) * LINE + 2 * PAD
    top = round(middle - height / 2, 1)
    return {
        "name": name,
        "x": x,
        "y": top,
        "width": BOX,
        "height": height,
        "lines": [
            {"text": line, "x": x + BOX / 2, "y": top + PAD + LINE * number + 13}
            for number, line in enumerate(lines)
        ],
    }


# --- arrows -----------------------------------------------------------------------------


def _arrows(chains: Sequence[Sequence[Step]]) -> dict[tuple[str, str], list[tuple[str, bool]]]:
    """One arrow for each two things: the relations that it stands for, and which go forward."""
    found: dict[tuple[str, str], dict[tuple[str, bool], None]] = {}
    for step in (step for chain in chains for step in chain):
        start, end, forward = step["start"], step["end"], bool(step["forward"])
        if (end, start) in found:
            start, end, forward = end, start, not forward
        if start != end:
            found.setdefault((start, end), {})[spoken(step["relation"]), forward] = None
    return {pair: list(relations) for pair, relations in found.items()}


def _arrow(
    pair: tuple[str, str],
    relations: Sequence[tuple[str, bool]],
    columns: Mapping[str, int],
    places: Mapping[_Spot, tuple[float, float]],
) -> dict[str, Any]:
    start, end = sorted(pair, key=lambda name: columns[name])  # drawn from left to right
    told = [(words, forward == (start == pair[0])) for words, forward in relations]
    middle = [places[_passing(*pair), column] for column in _between(start, end, columns)]
    left, right = places[(start,), columns[start]], places[(end,), columns[end]]
    bent = [(x + BOX / 2, y) for x, y in middle]
    points = [(left[0] + BOX, left[1]), *bent, right]
    heads = [_head(points[-1], 1)] if any(forward for _, forward in told) else []
    heads += [_head(points[0], -1)] if not all(forward for _, forward in told) else []
    return {
        "way": _curve(points),
        "heads": heads,
        "lines": _on_arrow(_labels(told), bent[0] if bent else _halfway(points[0], points[1])),
    }


def _labels(told: Sequence[tuple[str, bool]]) -> list[str]:
    """The words on an arrow; where it goes both ways, each with its own direction."""
    both = len({forward for _, forward in told}) > 1
    words = [f"{words} →" if forward else f"← {words}" for words, forward in told]
    return words if both else [words for words, _ in told]


def _on_arrow(labels: Sequence[str], at: tuple[float, float]) -> list[dict[str, Any]]:
    """The lines of words on an arrow, around a point of it."""
    lines = [line for one in labels for line in wrapped(one, _ON_ARROW, 2)]
    top = at[1] - len(lines) * _SMALL / 2 + _SMALL - 4
    return [
        {"text": line, "x": round(at[0], 1), "y": round(top + _SMALL * number, 1)}
        for number, line in enumerate(lines)
    ]


def _halfway(left: tuple[float, float], right: tuple[float, float]) -> tuple[float, float]:
    return (left[0] + right[0]) / 2, (left[1] + right[1]) / 2


def _curve(points: Sequence[tuple[float, float]]) -> str:
    """A line through points that leaves and arrives level."""
    parts = [f"M{points[0][0]:g} {points[0][1]:g}"]
    for (x1, y1), (x2, y2) in pairwise(points):
        half = (x1 + x2) / 2
        parts.append(f"C{half:g} {y1:g} {half:g} {y2:g} {x2:g} {y2:g}")
    return " ".join(parts)


def _head(at: tuple[float, float], side: int) -> str:
    """The three corners of an arrow's head."""
    x, y = at
    return f"{x:g},{y:g} {x - side * 9:g},{y - 5:g} {x - side * 9:g},{y + 5:g}"


# --- words ------------------------------------------------------------------------------


def spoken(relation: str) -> str:
    """A relation as words: `BUILT_BY` is `built by`."""
    return " ".join(relation.replace("_", " ").split()).lower()


def wrapped(text: str, letters: int, lines: int) -> list[str]:
    """A text in a few short lines; what does not fit ends in an ellipsis."""
    found: list[str] = [""]
    for word in text.split() or ["?"]:
        for piece in _pieces(word, letters):
            joined = f"{found[-1]} {piece}".strip()
            if _wide(joined) <= letters:
                found[-1] = joined
            else:
                found.append(piece)
    kept = [one for one in found if one]
    if len(kept) > lines:
        kept = [*kept[: lines - 1], f"{_pieces(kept[lines - 1], letters - 1)[0]}…"]
    return kept


def _pieces(word: str, letters: int) -> list[str]:
    """A word that is too long for a line, in pieces that are not."""
    pieces = [""]
    for sign in word:
        if _wide(pieces[-1] + sign) > letters:
            pieces.append("")
        pieces[-1] += sign
    return pieces


def _wide(text: str) -> int:
    """How many letters' room a text takes: signs of East Asia take two."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)
