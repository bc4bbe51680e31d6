"""How is a figure looked at on a page? Step by step, each with what it shows in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_TURNS = {"w": "White to move", "b": "Black to move"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A picture of a figure: its name in a row of steps, where it is, and what it shows."""

    name: str
    image: str
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A figure as a page shows it: what it opens with, and the steps that lead there.

    `at` is the step that is shown first; -1 where none of them is.
    """

    told: str
    image: str
    source: str
    steps: tuple[Shown, ...]
    at: int
    turns: bool


def picture(figure: Mapping[str, Any]) -> Picture:
    """A figure with the words that stand under each of its pictures."""
    first, _, source = str(figure["caption"]).partition(", ")
    steps = tuple(
        Shown(name=one["name"], image=one["image"], told=_told(f"After {one['name']}", one["data"]))
        for one in figure["steps"]
    )
    arrived = bool(steps) and steps[-1].image == figure["image"]
    return Picture(
        told=_told(first, figure["data"]),
        image=figure["image"],
        source=source,
        steps=steps,
        at=len(steps) - 1 if arrived else -1,
        turns=bool(figure["turns"]),
    )


def _told(caption: str, data: str) -> str:
    """A caption that says whose move it is, where that is known."""
    side = data.split()[1:2]
    turn = _TURNS.get(side[0], "") if side else ""
    return ", ".join(filter(None, (caption, turn if turn not in caption else "")))
