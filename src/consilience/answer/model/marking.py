"""Where does a mark begin and end in letters that come one by one? Models write marks in many ways.

`[3]`, `[1, 2]`, `[1-3]`, `[Source 3]`, `[Source 3: Book - "Title"]`, `(Sources 1 and 2)`, `【3】`
all become marks of ours. What may become one is held back until it is whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from consilience.marks import BEGUN, OPENING, WRITTEN, numbers_of


class Marker:
    """Takes letters as they come and gives pieces: text, or one mark alone as a number."""

    def __init__(self) -> None:
        self._held = ""

    def take(self, text: str) -> Iterator[str | int]:
        """The pieces that are certain after these letters."""
        self._held += text
        while match := OPENING.search(self._held):
            if match.start():
                yield self._held[: match.start()]
                self._held = self._held[match.start() :]
            whole = WRITTEN.match(self._held)
            if whole:
                found = numbers_of(whole)
                yield from found if found else (whole[0],)
                self._held = self._held[whole.end() :]
            elif BEGUN.fullmatch(self._held):
                return
            else:
                yield self._held[0]
                self._held = self._held[1:]
        if self._held:
            yield self._held
        self._held = ""

    def end(self) -> Iterator[str | int]:
        """What was held back and became no mark."""
        held, self._held = self._held, ""
        if held:
            yield held


def pieces(text: str) -> list[str | int]:
    """The pieces of a whole text."""
    marker = Marker()
    return [*marker.take(text), *marker.end()]


def marked(text: str) -> str:
    """A text with every mark in our form."""
    return "".join(f"[{one}]" if isinstance(one, int) else one for one in pieces(text))
