"""How does text that a model wrote become harmless? Tags, links and images become text."""

from __future__ import annotations

import re

from consilience.marks import WRITTEN
from consilience.markup import MARK, harmless, literal

HEADING = 80
"""Letters of a heading; the rest is left out."""

_LINK = re.compile(
    r"!?\[([^\[\]]*)\]\(\s*<?(?:[a-z][a-z0-9+.-]*:|//?|#|www\.)[^()]*(?:\([^()]*\)[^()]*)*\)",
    re.IGNORECASE,
)
_STRONG = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)(?P<text>[^*\n]+?)(?<=\S)\1(?![\w*])")
_LINKING = re.compile(r"(\[[0-9]{1,3}\])(?=[(:])")


def tidy(text: str) -> str:
    """A text without emphasis, the addresses of links, or spaces too many."""
    text = _LINK.sub(lambda link: f"[{link[1]}]" if link[1].isdigit() else link[1], text)
    return " ".join(_STRONG.sub(r"\g<text>", text).split())


def safe(text: str) -> str:
    """Text of a model that Markdown shows as it stands, but for our marks."""
    kept = MARK.sub("\ue000\\1\ue001", re.sub("[\ue000\ue001]", "", text))
    marked = re.sub("\ue000([0-9]+)\ue001", r"[\1]", literal(kept))
    # What follows a mark at once would make a link of it.
    return _LINKING.sub(r"\1 ", marked).strip()


def drafted(text: str) -> str:
    """Letters of a draft: nothing in them opens a tag or a link, wherever they were parted."""
    return re.sub(r"([<\[`\\])", r"\\\1", text)


def heading_of(heading: str) -> str:
    """A heading as one short line of plain text, without marks, numbers before it or signs."""
    line = " ".join(heading.split())
    line = WRITTEN.sub("", line)
    line = re.sub(r"^(?:[#>*_\s-]|\d{1,2}[.)]\s)+|[*_\s:;,.#-]+$", "", line)
    if len(line) > HEADING:
        line = line[: HEADING - 1].rsplit(" ", 1)[0].rstrip(" ,;:-–") + "…"
    return literal(harmless(line))
