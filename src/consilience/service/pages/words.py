"""How are values written for people? Numbers, lists, ways of finding, and marked words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from markupsafe import Markup, escape

from consilience.answer.question_words import words_of
from consilience.service.pages.mathematics import render_mathematics
from consilience.understand.names import surface

CLOSE, NEAR = 0.5, 0.2
"""The relevance from which a hit is called a close match, or one that may help."""
WAYS = {
    "bm25": "words",
    "dense": "meaning",
    "dense+terms": "meaning with added words",
    "sql+model": "SQL that the model proposed",
    "position": "position",
    "sql": "a look-up in tables",
    "graph": "names in the graph",
    "paths": "links",
    "neighbours": "what is most like it",
}
"""How a kind of source finds passages; another one is called by its own name."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def way(source: str) -> str:
    """How a source finds passages: `documents/dense` by meaning."""
    name = source.rpartition("/")[2]
    return WAYS.get(name, name)


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `11th`."""
    ends = {1: "st", 2: "nd", 3: "rd"}
    end = "th" if number % 100 in (11, 12, 13) else ends.get(number % 10, "th")
    return f"{number}{end}"


def listed(words: Sequence[str]) -> str:
    """`words, meaning and position`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def relevance(value: float | None) -> str:
    """How well a hit fits, in words; empty where that is unknown."""
    if value is None:
        return ""
    return "close match" if value >= CLOSE else "may help" if value >= NEAR else "weak match"


def sentence(text: str) -> str:
    """A text with a capital letter at the start and a full stop at the end."""
    end = "" if text[-1:] in (".", "?", "!", "…") else "."
    return f"{text[:1].upper()}{text[1:]}{end}"


def plural(number: int, singular: str, plural: str = "") -> str:
    """`1 result`, `3 results`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def milliseconds(value: float) -> str:
    """`12 ms`, `1.4 s`."""
    return f"{value:.0f} ms" if value < 1000 else f"{value / 1000:.1f} s"


def highlighted(text: str, question: str) -> Markup:
    """A text as HTML in which the words of a question are marked, and formulas are set."""
    wanted = {word.key for word in words_of(question) if word.telling}
    return render_mathematics(text, partial(_mark_words, wanted=wanted))


def _mark_words(text: str, *, wanted: set[str]) -> Markup:
    parts, last = [], 0
    for match in _WORD.finditer(text):
        if wanted.isdisjoint(surface(match[0]).split()):
            continue
        parts += [escape(text[last : match.start()]), Markup("<mark>{}</mark>").format(match[0])]
        last = match.end()
    return Markup("").join([*parts, escape(text[last:])])
