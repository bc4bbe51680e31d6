"""How are words of others put into an answer? Between quotation marks, with source and mark.

Quoted words stay as they are; only line breaks become spaces, double quotation marks inside a
quotation single ones, and signs that Markdown acts on are escaped. What connects quotations is
short, claims nothing of its own, and is left out where the question is not in English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.answer.sentences import one_line
from consilience.answer.words import LINKING
from consilience.markup import harmless, literal
from consilience.types import Passage

LONGEST = 420
"""Letters of a quoted sentence; a longer one is cut at a clause."""

HEADING = 80
"""Letters of a heading."""

_INNER = str.maketrans({"“": "‘", "”": "’", "„": "‚"})
_CLAUSE = re.compile(r"[;:—–]\s|,\s(?=and|but|which|who|so|while|or|because|where|when)\b|,\s")
_NUMBERING = re.compile(
    r"^(?:\d{1,2}[.)]|\d{1,2}(?:\.\d{1,2})+[.)]?|[IVXLC]+[.)]|§\s*\d+|Chapter \w+:?)\s+"
    r"(?=[^\W\d_]{2,}(?:\W|$)|A\s)"
)
_EMPTY = re.compile(
    r"(?:chapter|part|section|appendix|book|volume|page|item|note|figure|table)?\W*"
    r"(?:\d[\d.]*|[ivxlc]+|[a-z]|one|two|three|four|five)?\W*"
    r"|(?:key ideas|references?|summary|introduction|conclusions?|contents|notes?|background|"
    r"overview|see also|further reading|exercises?|discussion|preface|foreword|abstract|general|"
    r"miscellaneous|others?|bibliography|index|external links|sources|elsewhere|details|examples?)",
    re.IGNORECASE,
)
_TAIL = " ,;:-–—"


def said(text: str) -> str:
    """Words of others as they may stand in an answer."""
    return literal(harmless(one_line(text)))


def quoted(parts: Sequence[str]) -> str:
    """Pieces of a text in quotation marks; between two that do not follow one another, a gap."""
    inner = " … ".join(one_line(part) for part in parts)
    return f"“{literal(harmless(inner.translate(_INNER)))}”"


def shortened(text: str) -> str:
    """A sentence that is much too long ends at a clause, with an ellipsis."""
    if len(text) <= LONGEST:
        return text
    ends = [match.start() for match in _CLAUSE.finditer(text, 0, LONGEST)]
    strong = [match.start() for match in re.finditer(r"[;:—–]\s", text[:LONGEST])]
    far = [end for end in strong if end > LONGEST // 2] or [
        end for end in ends if end > LONGEST // 2
    ]
    cut = far[-1] if far else text.rfind(" ", 0, LONGEST)
    return f"{text[: cut if cut > 0 else LONGEST].rstrip(_TAIL)} …"


def marks(numbers: Sequence[int]) -> str:
    """`[1] [4]`."""
    return " ".join(f"[{number}]" for number in numbers)


def titled(text: str) -> str:
    """The title of a document as it is, on one line."""
    return said(_brief(one_line(text).strip("#*_ ")))


def heading(text: str) -> str:
    """A heading of a document as one of ours: on one line, without its number."""
    line = one_line(text).strip(_TAIL + "#*_")
    bare = _NUMBERING.sub("", line).lstrip(_TAIL) or line
    if bare.isupper() and len(bare.split()) > 2:
        bare = " ".join(map(_lowered, bare.split()))
    first = bare.split(" ", 1)[0]
    if first.isalpha() and first.islower():
        bare = bare[:1].upper() + bare[1:]
    return said(_brief(bare))


def _lowered(word: str) -> str:
    if word.casefold() in LINKING:
        return word.lower()
    return word.capitalize() if word.strip(".,:;").isalpha() else word


def telling_heading(passage: Passage) -> str:
    """The nearest heading of a passage that says something; empty where none does."""
    for one in reversed(passage.locator.section):
        line = one_line(one).strip()
        if line and not _EMPTY.fullmatch(_NUMBERING.sub("", line)):
            return heading(line)
    return ""


def _brief(line: str) -> str:
    """A heading that is too long ends at a colon or stop, or at a word, with an ellipsis."""
    line = line.rstrip(".")
    if len(line) <= HEADING:
        return line
    first = re.split(r"[:.?;] | [-–—] ", line, maxsplit=1)[0]
    if HEADING // 4 <= len(first) <= HEADING:
        return first
    return f"{line[:HEADING].rsplit(' ', 1)[0].rstrip(_TAIL)} …"


def source(passage: Passage, *, part: bool = True) -> str:
    """`*Title* (section)`: where words come from; the section only where `part`."""
    title = titled(passage.title).replace("*", "")
    named = f"*{title}*" if title else ""
    last = telling_heading(passage)
    if not part or not last or last.casefold() == title.casefold():
        return named
    return f"{named} ({last})" if named else last
