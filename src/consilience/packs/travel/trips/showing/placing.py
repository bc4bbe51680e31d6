"""Where does a label stand so that it covers nothing? Boxes, pushed apart and set beside points."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_ROUNDS = 80
_GAP = 3.0
_LETTER = 0.56
"""The width of a letter of common sans-serif faces, for a size of one; rather more than less."""


class Box(NamedTuple):
    """A rectangle by its middle and half its sides."""

    x: float
    y: float
    across: float
    down: float

    def meets(self, other: Box, gap: float = 0.0) -> bool:
        """Whether two boxes overlap, or stand nearer than a gap."""
        return (
            abs(self.x - other.x) < self.across + other.across + gap
            and abs(self.y - other.y) < self.down + other.down + gap
        )

    def within(self, width: float, height: float) -> bool:
        """Whether it is inside a drawing."""
        return (
            self.across <= self.x <= width - self.across
            and self.down <= self.y <= height - self.down
        )


class Curve(NamedTuple):
    """A bent line: where it begins, what it is drawn towards, where it ends."""

    start: tuple[float, float]
    bend: tuple[float, float]
    end: tuple[float, float]

    def at(self, share: float) -> tuple[float, float]:
        """Where it is after a share of it (a quadratic Bezier curve)."""
        rest = 1 - share
        weights = (rest * rest, 2 * rest * share, share * share)
        x, y = (
            sum(weight * point[axis] for weight, point in zip(weights, self, strict=True))
            for axis in (0, 1)
        )
        return (x, y)

    def along(self, every: float = 6.0) -> list[tuple[float, float]]:
        """Points on it, so many units from one another."""
        steps = max(1, round(math.dist(self.start, self.end) / every))
        return [self.at(step / steps) for step in range(steps + 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """Lines of text in a box, and where they are held: at its start, middle or end."""

    box: Box
    lines: tuple[str, ...]
    anchor: str = "middle"

    @property
    def held(self) -> float:
        """Where the text is held, from left to right."""
        shift = {"start": -self.box.across, "end": self.box.across}
        return self.box.x + shift.get(self.anchor, 0.0)


def text_width(text: str, size: float) -> float:
    """About how wide a text is drawn."""
    letters = sum(
        0.0 if unicodedata.combining(sign) else
        1.0 if unicodedata.east_asian_width(sign) in "WF" else _LETTER
        for sign in text
    )  # fmt: skip
    return letters * size


def apart(boxes: Sequence[Box], width: float, height: float) -> list[Box]:
    """The boxes pushed away from one another until none overlap, as far as there is room."""
    found = list(boxes)
    for _ in range(_ROUNDS):
        moved = False
        for one in range(len(found)):
            for other in range(one + 1, len(found)):
                if found[one].meets(found[other], 1.0):
                    found[one], found[other] = _pushed(found[one], found[other], width, height)
                    moved = True
        if not moved:
            break
    return found


def _pushed(one: Box, other: Box, width: float, height: float) -> tuple[Box, Box]:
    """Two boxes moved apart along the side on which they overlap less."""
    across = one.across + other.across + 1.5 - abs(one.x - other.x)
    down = one.down + other.down + 1.5 - abs(one.y - other.y)
    if across < down:
        step = across / 2 if one.x > other.x else -across / 2
        moved = (one._replace(x=one.x + step), other._replace(x=other.x - step))
    else:
        step = down / 2 if one.y > other.y else -down / 2
        moved = (one._replace(y=one.y + step), other._replace(y=other.y - step))
    first, second = (
        box._replace(
            x=min(max(box.x, box.across), width - box.across),
            y=min(max(box.y, box.down), height - box.down),
        )
        for box in moved
    )
    return first, second


def labelled(
    text: str, beside: Box, taken: Sequence[Box], size: float, room: tuple[float, float]
) -> Label | None:
    """A label beside a box that meets nothing that is taken; None where there is no room."""
    for lines in _folded(text):
        across = max(text_width(line, size) for line in lines) / 2
        down = size * 1.15 * len(lines) / 2
        for box in _around(beside, across, down):
            if box.within(*room) and not any(box.meets(other, 1.0) for other in taken):
                return Label(box=box, lines=lines, anchor=_anchor(box.x, beside.x))
    return None


def _anchor(x: float, beside: float) -> str:
    if x == beside:
        return "middle"
    return "start" if x > beside else "end"


def _folded(text: str) -> Iterator[tuple[str, ...]]:
    """A text on one line, then on two of about the same length."""
    words = text.split()
    if not words:
        return
    yield (" ".join(words),)
    if len(words) > 1:
        cut = min(
            range(1, len(words)),
            key=lambda one: max(len(" ".join(words[:one])), len(" ".join(words[one:]))),
        )
        yield (" ".join(words[:cut]), " ".join(words[cut:]))


def _around(box: Box, across: float, down: float) -> Iterator[Box]:
    """Boxes beside a box, too near to be taken for another's: right, left, above, below."""
    right, left = box.x + box.across + _GAP + across, box.x - box.across - _GAP - across
    above, below = box.y - box.down - down - 1.5, box.y + box.down + down + 1.5
    middles = [(right, box.y), (left, box.y), (box.x, above), (box.x, below)]
    shifted = [(box.x + side * across * 0.7, y) for y in (above, below) for side in (1, -1)]
    yield from (Box(x, y, across, down) for x, y in (*middles, *shifted))
