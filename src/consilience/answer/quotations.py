"""How are words compared, and how do words of a source stand in an answer?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from consilience.notations import strip_notation
from consilience.text_markup import escape_markdown, neutralize
from consilience.types import Passage
from consilience.understand.names import surface
from consilience.understand.sentences import one_line
from consilience.understand.words import JOINING, LINKING, UNSPACED, pairs, stem

QUOTED = 420
"""Letters of a comment that is quoted whole."""
HEADING = 80
"""Letters of a heading."""


@lru_cache(maxsize=4_000)
def terms(text: str) -> tuple[str, ...]:
    """The words of a text as they are compared, without those that only ask or join others.

    Scripts that do not separate words are compared by pairs of letters.
    """
    words = surface(re.sub(r"\b\w{1,2}['’](?=\w{2})", " ", text)).split()
    telling = [word for word in words if word not in JOINING and word not in LINKING]
    found: list[str] = []
    for word in telling or words:
        found.extend(pairs(word) if UNSPACED.search(word[:2]) else (stem(word),))
    return tuple(found)


def question_terms(question: str) -> tuple[str, ...]:
    """The words of a question, without moves and the like, where it has other words."""
    return terms(strip_notation(question)) or terms(question)


def said(text: str) -> str:
    """Words of a source as they may stand in an answer: on one line, no markup of ours."""
    return escape_markdown(neutralize(one_line(text)))


def quoted(parts: Sequence[str]) -> str:
    """Pieces of a text in quotation marks, with an ellipsis between two."""
    inner = " … ".join(one_line(part) for part in parts)
    inner = inner.translate(str.maketrans("“”„", "‘’‚"))
    return f"“{escape_markdown(neutralize(inner))}”"


def heading(text: str) -> str:
    """A heading of a document as one of ours: on one line, not too long."""
    line = one_line(text).strip(" ,;:-–—#*_.")
    if len(line) > HEADING:
        line = f"{line[:HEADING].rsplit(' ', 1)[0].rstrip(' ,;:-–—')} …"
    return said(line)


def source(passage: Passage) -> str:
    """`*Title* (section)`: where an excerpt comes from, so that its subject is never lost."""
    title = heading(passage.title).replace("*", "")
    section = heading(passage.locator.section[-1]) if passage.locator.section else ""
    if not section or section.casefold() == title.casefold():
        return f"*{title}*" if title else ""
    return f"*{title}* ({section})" if title else section
