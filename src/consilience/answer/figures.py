"""What is to be looked at beside the text? `[DIAGRAM 12...Nd5]` becomes a figure, or goes.

A writer asks for a figure by what it shows; the pack draws it from what the statement cites, and
from nothing else. In the text stays the figure's number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from consilience.protocols import Draw
from consilience.types import Exhibit, Fault, Figure

_WANTED = re.compile(r"[ \t]*\[DIAGRAM:?\s+(?P<what>[^\[\]\n]{1,200})\]", re.IGNORECASE)


def wanted(what: str) -> str:
    """How a statement asks for a figure."""
    return f"[DIAGRAM {what}]"


def parted(text: str) -> tuple[str, tuple[str, ...]]:
    """A statement without what it asks to be shown, and that."""
    asked = tuple(match["what"].strip() for match in _WANTED.finditer(text))
    return (_WANTED.sub("", text).strip() if asked else text), asked


class Figures:
    """The figures of an answer, numbered as they come; the same one comes once."""

    def __init__(self, draw: Draw | None) -> None:
        self._draw = draw
        self.drawn: list[Figure] = []

    def ask(self, what: str, cited: Sequence[Exhibit]) -> tuple[Figure | None, Fault | None]:
        """A new figure, or what is wrong with it; neither where it was drawn before."""
        if self._draw is None:
            return None, _fault(what, "figures cannot be drawn here")
        found = self._draw(what, cited)
        if isinstance(found, str):
            return None, _fault(what, found)
        if any((one.kind, one.data) == (found.kind, found.data) for one in self.drawn):
            return None, None
        figure = replace(found, number=len(self.drawn) + 1)
        self.drawn.append(figure)
        return figure, None


def _fault(what: str, told: str) -> Fault:
    return Fault(check="figure", value=what, told=told)
