"""How do paths look as a picture? Nodes in columns, arrows between them, each node drawn once.

The result is numbers and words for a template to draw: nothing here is markup.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

BOX, LINE, PAD = 136, 17, 10
"""The width of a box, the height of a line of its text, the space around it."""
GAP = 108
"""Between two columns, for the words on arrows."""
_ROW_GAP, _EDGE = 34, 8
_BOX_LETTERS, _BOX_LINES = 15, 3
_ARROW_LETTERS, _ARROW_LINE = 13, 15
Step = Mapping[str, Any]
Point = tuple[float, float]
_Spot = tuple[tuple[str, ...], int]  # a node in its column, or two: an arrow that passes by


def layout_paths(paths: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The picture of some paths, as `paths_json` gives them; None where there is nothing."""
    chains = [path["steps"] for path in paths if path["steps"]]
    if not chains:
        return None
    columns = _assign_columns(chains)
    places, height = _place(_find_spots(chains, columns))
    ends = {chains[0][0]["start"], chains[0][-1]["end"]}
    return {
        "width": _left(max(columns.values())) + BOX + _EDGE,
        "height": height + 2 * _EDGE,
        "boxes": [
            {**_box(name, places[(name,), column]), "end": name in ends}
            for name, column in columns.items()
        ],
        "arrows": [
            _arrow(pair, relations, columns, places)
            for pair, relations in _merge_arrows(chains).items()
        ],
    }


def _assign_columns(chains: Sequence[Sequence[Step]]) -> dict[str, int]:
    """The column of each node: right of all that lead to it.

    Where two paths pass two nodes in opposite order, the first path decides.
    """
    before: dict[str, set[str]] = {}
    for step in (step for chain in chains for step in chain):
        start, end = step["start"], step["end"]
        before.setdefault(start, set())
        before.setdefault(end, set()).add(start)
        try:
            TopologicalSorter(before).prepare()
        except CycleError:
            before[end].discard(start)
    columns: dict[str, int] = {}
    for name in TopologicalSorter(before).static_order():
        columns[name] = max((columns[other] + 1 for other in before[name]), default=0)
    return {name: columns[name] for name in before}  # in the order of the paths


def _find_spots(
    chains: Sequence[Sequence[Step]], columns: Mapping[str, int]
) -> dict[_Spot, list[int]]:
    """All that needs a place, with the paths that it is on: nodes, and arrows that pass by."""
    spots: dict[_Spot, list[int]] = {}
    for number, chain in enumerate(chains):
        for name in dict.fromkeys(end for step in chain for end in (step["start"], step["end"])):
            spots.setdefault(((name,), columns[name]), []).append(number)
        for step in chain:
            for column in _between(step["start"], step["end"], columns):
                spots.setdefault((_passing(step["start"], step["end"]), column), []).append(number)
    return spots


def _between(start: str, end: str, columns: Mapping[str, int]) -> range:
    first, last = sorted((columns[start], columns[end]))
    return range(first + 1, last)


def _passing(start: str, end: str) -> tuple[str, ...]:
    return tuple(sorted((start, end)))


def _place(spots: Mapping[_Spot, Sequence[int]]) -> tuple[dict[_Spot, Point], float]:
    """The middle of each spot's left side, columns centred; and the height of the highest."""
    by_column: dict[int, list[_Spot]] = {}
    for spot in sorted(spots, key=lambda spot: (sum(spots[spot]) / len(spots[spot]), spot[0])):
        by_column.setdefault(spot[1], []).append(spot)
    heights = {
        column: sum(map(_height, some)) + _ROW_GAP * (len(some) - 1)
        for column, some in by_column.items()
    }
    height = max(heights.values())
    places: dict[_Spot, Point] = {}
    for column, some in by_column.items():
        y = _EDGE + (height - heights[column]) / 2
        for spot in some:
            places[spot] = (_left(column), round(y + _height(spot) / 2, 1))
            y += _height(spot) + _ROW_GAP
    return places, height


def _height(spot: _Spot) -> float:
    name, *other = spot[0]
    return LINE if other else len(wrap(name, _BOX_LETTERS, _BOX_LINES)) * LINE + 2 * PAD


def _left(column: int) -> float:
    return _EDGE + column * (BOX + GAP)


def _box(name: str, place: Point) -> dict[str, Any]:
    lines = wrap(name, _BOX_LETTERS, _BOX_LINES)
    x, height = place[0], len(lines) * LINE + 2 * PAD
    top = round(place[1] - height / 2, 1)
    texts = [
        {"text": line, "x": x + BOX / 2, "y": top + PAD + LINE * number + 13}
        for number, line in enumerate(lines)
    ]
    return {"name": name, "x": x, "y": top, "width": BOX, "height": height, "lines": texts}


def _merge_arrows(
    chains: Sequence[Sequence[Step]],
) -> dict[tuple[str, str], list[tuple[str, bool]]]:
    """One arrow for each two nodes: the relations that it stands for, and which go forward."""
    arrows: dict[tuple[str, str], dict[tuple[str, bool], None]] = {}
    for step in (step for chain in chains for step in chain):
        start, end, forward = step["start"], step["end"], bool(step["forward"])
        if (end, start) in arrows:
            start, end, forward = end, start, not forward
        if start != end:
            relation = " ".join(step["relation"].replace("_", " ").split()).lower()
            arrows.setdefault((start, end), {})[relation, forward] = None
    return {pair: list(relations) for pair, relations in arrows.items()}


def _arrow(
    pair: tuple[str, str],
    relations: Sequence[tuple[str, bool]],
    columns: Mapping[str, int],
    places: Mapping[_Spot, Point],
) -> dict[str, Any]:
    start, end = sorted(pair, key=lambda name: columns[name])  # drawn from left to right
    turned = [(words, forward == (start == pair[0])) for words, forward in relations]
    ways = {forward for _, forward in turned}
    bends = [
        (x + BOX / 2, y)
        for x, y in (places[_passing(*pair), at] for at in _between(start, end, columns))
    ]
    left, right = places[(start,), columns[start]], places[(end,), columns[end]]
    points = [(left[0] + BOX, left[1]), *bends, right]
    heads = [_head(points[-1], 1)] if True in ways else []
    heads += [_head(points[0], -1)] if False in ways else []
    labels = [
        words if len(ways) == 1 else f"{words} →" if forward else f"← {words}"
        for words, forward in turned
    ]
    lines = [line for label in labels for line in wrap(label, _ARROW_LETTERS, 2)]
    (x1, y1), (x2, y2) = points[:2]
    x, y = bends[0] if bends else ((x1 + x2) / 2, (y1 + y2) / 2)
    top = y - len(lines) * _ARROW_LINE / 2 + _ARROW_LINE - 4
    return {
        "way": _curve(points),
        "heads": heads,
        "lines": [
            {"text": line, "x": round(x, 1), "y": round(top + _ARROW_LINE * number, 1)}
            for number, line in enumerate(lines)
        ],
    }


def _curve(points: Sequence[Point]) -> str:
    """A line through points that leaves and arrives level."""
    parts = [f"M{points[0][0]:g} {points[0][1]:g}"]
    for (x1, y1), (x2, y2) in pairwise(points):
        half = (x1 + x2) / 2
        parts.append(f"C{half:g} {y1:g} {half:g} {y2:g} {x2:g} {y2:g}")
    return " ".join(parts)


def _head(at: Point, side: int) -> str:
    """The three corners of an arrow's head."""
    x, y = at
    return f"{x:g},{y:g} {x - side * 9:g},{y - 5:g} {x - side * 9:g},{y + 5:g}"


def wrap(text: str, letters: int, lines: int) -> list[str]:
    """A text in a few short lines; what does not fit ends in an ellipsis.

    East Asian characters are twice as wide.
    """
    is_wide = any(unicodedata.east_asian_width(char) in "WF" for char in text)
    width = letters // 2 if is_wide else letters
    wrapped = textwrap.wrap(text, width) or ["?"]
    if len(wrapped) > lines:
        wrapped = [*wrapped[: lines - 1], f"{wrapped[lines - 1][: width - 1].rstrip()}…"]
    return wrapped
