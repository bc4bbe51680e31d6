"""How does text of others stay text? In a prompt, in an answer, on a page.

Evidence may hold what looks like our own marks (`[3]`), our labels (`[Source 9: …]`), HTML or
Markdown. None of it may act as such: brackets of marks and labels become round ones, and signs
that Markdown or HTML would act on are escaped by a backslash.
"""

from __future__ import annotations

import re

MARK = re.compile(r"\[(\d{1,3})\]")
"""A mark of ours: `[3]`."""
_LABEL = re.compile(r"[\[【［](\s*sources?\b[^\[\]\n]{0,300}?)[\]】］]", re.IGNORECASE)
_OPEN_LABEL = re.compile(r"[\[【［](?=\s*sources?\b)", re.IGNORECASE)
_MARKS = re.compile(r"[\[【［](\s*\^?\d[\d\s,;–-]*)[\]】］]")
_ACTIVE = re.compile(
    r"(?P<tag><(?=[A-Za-z/!?]))"
    r"|(?P<entity>&(?=#?\w+;))"
    r"|(?P<link>\[(?=[^\[\]]*\]\())"
    r"|(?P<code>`)"
    r"|(?P<stars>(?<!\w)[*_]+(?=\w)|(?<=\w)[*_]+(?!\w)|\*\*|__|~~)"
    r"|(?P<cell>\|)"
    r"|(?P<slash>\\(?=[!-/:-@\[-`{-~]))"
)
_OPENING = re.compile(
    r"(?m)^(\s*\d{1,9}(?=[.)](?:\s|$))|\s*(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|=+\s*$|--))"
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def harmless(text: str) -> str:
    """Text of others in which nothing is a mark or a label of ours: `[3]` becomes `(3)`."""
    text = _LABEL.sub(r"(\1)", text)
    text = _OPEN_LABEL.sub("(", text)
    return _MARKS.sub(r"(\1)", text)


def literal(text: str) -> str:
    """Text of others that Markdown shows as it stands: no tag, link, emphasis, heading or cell."""
    text = _ACTIVE.sub(lambda match: "".join("\\" + sign for sign in match[0]), text)
    return _OPENING.sub(lambda match: match[1] + "\\", text)


def plain(text: str) -> str:
    """Markdown of ours as a terminal shows it: without the backslashes of `literal`."""
    return _ESCAPED.sub(r"\1", text)


def marks_in(text: str) -> tuple[int, ...]:
    """The marks of a text, each once, in order."""
    return tuple(dict.fromkeys(int(one) for one in MARK.findall(text)))


def without_marks(text: str) -> str:
    """A text without its marks and the spaces before them."""
    return re.sub(r"\s*\[\d{1,3}\]", "", text).strip()
