"""How does text of others stay text? In a prompt, in an answer, on a page.

Evidence may hold what looks like our own marks (`[3]`), our labels (`[Source 9: …]`), HTML or
Markdown. None of it may act as such: brackets of marks and labels become round ones, signs that
nobody sees are left out, and those that Markdown or HTML would act on are escaped by a backslash.
"""

from __future__ import annotations

import re
import unicodedata

from consilience.marks import MARK, marks_in, without_brackets, without_marks

__all__ = ["MARK", "harmless", "literal", "marks_in", "plain", "visible", "without_marks"]

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


def harmless(text: str) -> str:
    """Text of others in which nothing is a mark or a label of ours: `[3]` becomes `(3)`.

    Signs that nobody sees are left out, as they may turn text round or hide a mark in it.
    """
    return without_brackets(visible(text))


def visible(text: str) -> str:
    """A text without the signs that nobody sees, and with line feeds and spaces for breaks."""
    text = _BREAKS.sub(lambda one: "\n" if one[0][0] == "\r" else " ", text)
    return _UNSEEN.sub("", text)


def literal(text: str) -> str:
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


def plain(text: str) -> str:
    """Markdown of ours as a terminal shows it: without the backslashes of `literal`."""
    return _ESCAPED.sub(r"\1", text)
