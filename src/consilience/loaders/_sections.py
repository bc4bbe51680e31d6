"""Under which headings does a block stand? A stack of headings by their levels."""

from __future__ import annotations

from consilience.loaders._text import one_line


class Sections:
    """The path of headings at one point of a document.

    A heading closes all of its own level and below; a level that is skipped (an h3 under an
    h1) leaves no gap. Headings from a table of contents are a fixed base that headings in the
    text do not close, unless the text repeats the last of them: then it has that level.
    """

    def __init__(self) -> None:
        self._stack: list[tuple[int, str]] = []

    @property
    def path(self) -> tuple[str, ...]:
        """The headings from the outermost in."""
        return tuple(text for _, text in self._stack)

    def base(self, path: tuple[str, ...]) -> None:
        """Start again under these headings."""
        self._stack = [(0, text) for text in path]

    def enter(self, level: int, text: str) -> None:
        """Pass a heading of this level, 1 being the highest; an empty one changes nothing."""
        text = one_line(text)
        if not text:
            return
        if self._stack and self._stack[-1][0] == 0 and same_heading(self._stack[-1][1], text):
            self._stack[-1] = (level, self._stack[-1][1])
            return
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        self._stack.append((level, text))


def same_heading(one: str, other: str) -> bool:
    """Whether two headings have the same letters and digits, whatever their case and marks."""
    return _letters(one) == _letters(other)


def is_title(heading: str, title: str) -> bool:
    """Whether a heading is but the title of the whole, or the beginning of a long one."""
    some, whole = _letters(heading), _letters(title)
    return bool(some) and (some == whole or (len(some) >= 12 and whole.startswith(some)))


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
