"""What is a mark? `[3]`, and the forms in which others write one: the one grammar of them all.

Only `[3]` is a mark in a statement. What a model writes in another form (`[1, 2]`, `[Source 3]`,
`[ref 3]`, `[3: Book]`, `【3†L1】`, `(Sources 1 and 2)`) is brought into ours before it becomes a
statement. In the text of others each of them, and all that begins like one, loses its brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MARK = re.compile(r"\[([0-9]{1,3})\]")
"""A mark of ours: `[3]`."""
_NUMBER = r"[0-9]{1,3}"
_OPEN, _CLOSE = r"[\[【［]", r"[\]】］]"
_OTHER = r"[^\[\]【】［］]"  # within brackets
_CALLED = ("sources", "references", "refs.")
_NAME = r"(?:sources?|references?|refs?\.?)"
_LEAD = rf"(?:{_NAME}[\s:#]*)?\^?"
_BETWEEN = r"\s*(?:[,;&/–-]|,?\s*and\b)\s*"
_LIST = rf"{_LEAD}{_NUMBER}(?:{_BETWEEN}{_LEAD}{_NUMBER})*"
_TAIL = r"(?:(?::\s|†|\s[-–—]\s)[^\[\]【】［］\n]{0,300})"
_LABEL = r"[^\[\]()【】［］\n]{0,300}(?:\([^\[\]()\n]{0,100}\)[^\[\]()【】［］\n]{0,100}){0,3}"
WRITTEN = re.compile(
    rf"{_OPEN}\s*(?P<plain>{_LIST})\s*{_TAIL}?{_CLOSE}"
    rf"|[\[(【［]\s*(?P<label>sources?\s+[0-9]{_LABEL})[\])】］]",
    re.IGNORECASE,
)
"""A mark as a model may write it."""
_BEGINNINGS = "|".join(
    re.escape(word[:length]) for word in _CALLED for length in range(len(word), 0, -1)
)
BEGUN = re.compile(
    rf"{_OPEN}\s*\^?[0-9\s,;&/–^and-]{{0,60}}{_TAIL}?"
    rf"|{_OPEN}\s*\^?[0-9\s,;&/–^and-]{{0,60}}(?::|\s[-–—])"
    rf"|[\[(【［]\s*(?:{_BEGINNINGS})?"
    rf"|[\[(【［]\s*{_NAME}[\s:#]*(?:\^?[0-9][^\[\]【】［］\n]{{0,300}})?",
    re.IGNORECASE,
)
"""What may become such a mark when more letters come."""
OPENING = re.compile(r"[\[(【［]")
"""What such a mark begins with."""
_ALIKE = re.compile(
    rf"{_OPEN}(?=\s*(?:sources?\b|diagram\b|{_LEAD}\d))(?:(?P<inner>{_OTHER}{{0,300}}){_CLOSE})?",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"sources?\s+({_LIST})", re.IGNORECASE)
_SEPARATE = re.compile(r"\s*(?:[,;&/]|\band\b)\s*", re.IGNORECASE)
_WIDEST = 12  # sources in a range; more was not meant as one
_SPACED_MARK = re.compile(rf"(?<!\s)\s*\[{_NUMBER}\]")


def numbers_of(written: re.Match[str]) -> list[int]:
    """The numbers of a mark in whatever form; none for a range that runs backwards."""
    lists: Iterable[str] = [written["plain"]]
    if not written["plain"]:
        lists = _NAMED.findall(written["label"])
    found: list[int] = []
    for one in lists:
        for part in _SEPARATE.split(one):
            numbers = [int(number) for number in re.findall(_NUMBER, part)]
            if not numbers or not 0 <= numbers[-1] - numbers[0] <= _WIDEST:
                return []
            found.extend(range(numbers[0], numbers[-1] + 1))
    return list(dict.fromkeys(found))


def without_brackets(text: str) -> str:
    """A text in which nothing is a mark or a label, or begins as one: `[3]` becomes `(3)`."""
    return _ALIKE.sub(lambda one: "(" if one["inner"] is None else f"({one['inner']})", text)


def marks_in(text: str) -> tuple[int, ...]:
    """The marks of a text, each once, in order."""
    return tuple(dict.fromkeys(int(one) for one in MARK.findall(text)))


def without_marks(text: str) -> str:
    """A text without its marks and the spaces before them."""
    return _SPACED_MARK.sub("", text).strip()
