"""How does quoted text stay text, and what is a citation mark?

Evidence may contain what looks like our own marks (`[3]`), our labels (`[Source 9: …]`), HTML or
Markdown. None of it may act as such: brackets of marks and labels become round ones, invisible
characters are removed, and characters that Markdown or HTML would act on are escaped.

Only `[3]` is a mark in a statement. What a model writes in another form (`[1, 2]`, `[Source 3]`,
`[ref 3]`, `[3: Book]`, `【3†L1】`, `(Sources 1 and 2)`) is converted before it becomes a statement.
"""

from __future__ import annotations

import re
import unicodedata
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


def mark_numbers(written: re.Match[str]) -> list[int]:
    """The numbers of a mark in whatever form; none for a range that runs backwards."""
    lists: Iterable[str] = [written["plain"]]
    if not written["plain"]:
        lists = _NAMED.findall(written["label"])
    found: list[int] = []
    for entry in lists:
        for part in _SEPARATE.split(entry):
            numbers = [int(number) for number in re.findall(_NUMBER, part)]
            if not numbers or not 0 <= numbers[-1] - numbers[0] <= _WIDEST:
                return []
            found.extend(range(numbers[0], numbers[-1] + 1))
    return list(dict.fromkeys(found))


def replace_brackets(text: str) -> str:
    """A text in which nothing is a mark or a label, or begins as one: `[3]` becomes `(3)`."""
    return _ALIKE.sub(lambda match: "(" if match["inner"] is None else f"({match['inner']})", text)


def find_marks(text: str) -> tuple[int, ...]:
    """The marks of a text, each once, in order."""
    return tuple(dict.fromkeys(int(number) for number in MARK.findall(text)))


def strip_marks(text: str) -> str:
    """A text without its marks and the spaces before them."""
    return _SPACED_MARK.sub("", text).strip()


# --- text that is not ours ---------------------------------------------------------------


# Signs without a shape: controls, directions, joins of no script, tags, halves of letters.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_ACTIVE = re.compile(
    r"(?P<tag><(?=[A-Za-z/!?]))"
    r"|(?P<entity>&(?=#?\w+;))"
    r"|(?P<link>\[(?=[^\[\]]{0,999}\]\()|\](?=[(\[:]))"
    r"|(?P<code>`)"
    r"|(?P<stars>\*+|_+)"
    r"|(?P<struck>~~+)"
    r"|(?P<cell>\|)"
    r"|(?P<slash>\\(?=[!-/:-@\[-`{-~\n\r]|\Z))"
)
_OPENING = re.compile(
    r"(?:\A|(?<=[\n\r]))([ \t]*(?:\d{1,9}(?=[.)](?:\s|\Z))"
    r"|(?=#{1,6}(?:\s|\Z)|>|[-+](?:\s|\Z)|[*_]|=+[ \t]*(?:[\n\r]|\Z)|--)))"
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def neutralize(text: str) -> str:
    """Text of others in which nothing is a mark or a label of ours: `[3]` becomes `(3)`.

    Signs that nobody sees are left out, as they may turn text round or hide a mark in it.
    """
    return replace_brackets(strip_invisible(text))


def strip_invisible(text: str) -> str:
    """A text without the signs that nobody sees, and with line feeds and spaces for breaks."""
    text = _BREAKS.sub(lambda match: "\n" if match[0][0] == "\r" else " ", text)
    return _UNSEEN.sub("", text)


def escape_markdown(text: str) -> str:
    """Text of others that Markdown shows as it stands: no tag, link, emphasis, heading or cell."""
    return _OPENING.sub(lambda match: match[1] + "\\", _ACTIVE.sub(_escaped, text))


def _escaped(match: re.Match[str]) -> str:
    """Signs with backslashes, but for stars and lines that cannot open or close emphasis."""
    signs = match[0]
    if match["stars"]:
        before = match.string[max(0, match.start() - 1) : match.start()]
        after = match.string[match.end() : match.end() + 1]
        if _is_space(before) and _is_space(after):
            return signs
        if signs[0] == "_" and before.isalnum() and after.isalnum():
            return signs
    return "".join("\\" + sign for sign in signs)


def _is_space(sign: str) -> bool:
    return bool(sign) and (sign == "\t" or unicodedata.category(sign) == "Zs")


def unescape_markdown(text: str) -> str:
    """Markdown of ours as a terminal shows it: without the backslashes of `literal`."""
    return _ESCAPED.sub(r"\1", text)
