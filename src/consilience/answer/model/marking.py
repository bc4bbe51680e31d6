"""Where does a mark begin and end in letters that come one by one? Models write marks in many ways.

`[3]`, `[1, 2]`, `[1-3]`, `[Source 3]`, `[Source 3: Book - "Title"]`, `(Sources 1 and 2)`, `【3】`
all become marks of ours. What may become one is held back until it is whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_NUMBER = r"\d{1,3}"
_LIST = rf"\^?{_NUMBER}(?:\s*(?:[,;&–-]|and)\s*\^?{_NUMBER})*"
_WHOLE = re.compile(
    rf"[\[【［]\s*(?P<plain>{_LIST})\s*[\]】］]"
    r"|[\[(【［]\s*(?P<label>sources?\s+\d[^\[\]()【】\n]{0,300}(?:\([^\[\]()\n]*\)[^\[\]()\n]*)*)[\])】］]",
    re.IGNORECASE,
)
_BEGUN = re.compile(
    r"[\[【［]\s*\^?[\d\s,;&–^and-]{0,60}"
    r"|[\[(【［]\s*(?:s|so|sou|sour|sourc|source|sources)?"
    r"|[\[(【［]\s*sources?\s+[^\[\]【】\n]{0,300}",
    re.IGNORECASE,
)
_OPENING = re.compile(r"[\[(【［]")
_NAMED = re.compile(rf"sources?\s+({_LIST})", re.IGNORECASE)
_WIDEST = 12  # sources in a range; more was not meant as one


class Marker:
    """Takes letters as they come and gives pieces: text, or one mark alone as a number."""

    def __init__(self) -> None:
        self._held = ""

    def take(self, text: str) -> Iterator[str | int]:
        """The pieces that are certain after these letters."""
        self._held += text
        while match := _OPENING.search(self._held):
            if match.start():
                yield self._held[: match.start()]
                self._held = self._held[match.start() :]
            whole = _WHOLE.match(self._held)
            if whole:
                found = marks_of(whole)
                yield from found if found else (whole[0],)
                self._held = self._held[whole.end() :]
            elif _BEGUN.fullmatch(self._held):
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


def marks_of(match: re.Match[str]) -> list[int]:
    """The numbers of a mark in whatever form; none for a range that runs backwards."""
    lists = [match["plain"]] if match["plain"] else _NAMED.findall(match["label"])
    found: list[int] = []
    for one in lists:
        for part in re.split(r"\s*(?:[,;&]|and)\s*", one, flags=re.IGNORECASE):
            numbers = [int(number) for number in re.findall(_NUMBER, part)]
            first, last = numbers[0], numbers[-1]
            if not 0 <= last - first <= _WIDEST:
                return []
            found.extend(range(first, last + 1))
    return list(dict.fromkeys(found))


def pieces(text: str) -> list[str | int]:
    """The pieces of a whole text."""
    marker = Marker()
    return [*marker.take(text), *marker.end()]


def marked(text: str) -> str:
    """A text with every mark in our form."""
    return "".join(f"[{one}]" if isinstance(one, int) else one for one in pieces(text))
