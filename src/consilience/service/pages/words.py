"""How is what a machine calls things said to a person? Kinds, ways of finding, places, shares."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup, escape

from consilience.answer.telling import words_of
from consilience.names import surface

CLOSE, NEAR = 0.5, 0.2
"""From which relevance on it is called a close match, or said that it may help."""
KINDS = {
    "book": "Book",
    "document": "Text",
    "report": "Report",
    "game": "Game",
    "row": "Table row",
    "node": "Thing",
    "place": "Place",
    "edge": "Link",
    "path": "Path",
    "calculation": "Calculation",
}
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
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def kind_name(kind: str) -> str:
    """What a kind of evidence is called; one that is not known by its own name."""
    return KINDS.get(kind, kind.replace("_", " ").capitalize() or "Text")


def kind_class(kind: str) -> str:
    """The name of a kind's colour in the stylesheet."""
    return f"kind-{kind}" if kind in KINDS else "kind-other"


def way(source: str) -> str:
    """By what a source finds: `games/dense` by meaning."""
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
    """How well something fits, in words; nothing where it is not known."""
    if value is None:
        return ""
    return "close match" if value >= CLOSE else "may help" if value >= NEAR else "weak match"


def sentence(text: str) -> str:
    """A text that begins with a capital and ends as a sentence does."""
    end = "" if text[-1:] in (".", "?", "!", "…") else "."
    return f"{text[:1].upper()}{text[1:]}{end}"


def plural(number: int, one: str, many: str = "") -> str:
    """`1 result`, `3 results`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def milliseconds(value: float) -> str:
    """`12 ms`, `1.4 s`."""
    return f"{value:.0f} ms" if value < 1000 else f"{value / 1000:.1f} s"


def highlighted(text: str, question: str) -> Markup:
    """A text, harmless, with the words of a question marked."""
    wanted = {word.key for word in words_of(question) if word.telling}
    parts, last = [], 0
    for match in _WORD.finditer(text):
        if wanted.isdisjoint(surface(match[0]).split()):
            continue
        parts += [escape(text[last : match.start()]), Markup("<mark>{}</mark>").format(match[0])]
        last = match.end()
    return Markup("").join([*parts, escape(text[last:])])
