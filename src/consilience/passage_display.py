"""How is a passage shown to a person? Its name, its place, its text, and a few lines of it.

Packs say it for their own kinds of passages (`Display`); others are shown as they are stored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache

from consilience.installed_packs import load_packs
from consilience.pack import Display
from consilience.types import Passage
from consilience.understand.names import surface

PREVIEW = 240
"""Characters of an excerpt."""
_PLAIN = Display()
# The text is on one line here, so lists and headings look like sentences too.
_SENTENCE = re.compile(r"(?<=[.!?])(?<!\d\.)\s+")


@cache
def _displays() -> Mapping[str, Display]:
    packs = load_packs().packs.values()
    return {kind: display for pack in packs for kind, display in pack.answers.displays.items()}


def name_of(passage: Passage) -> str:
    """What a list calls a passage."""
    return _displays().get(passage.kind, _PLAIN).name(passage)


def place_of(passage: Passage) -> str:
    """Where in its document a passage is, in words."""
    return _displays().get(passage.kind, _PLAIN).place(passage)


def text_of(passage: Passage) -> str:
    """The whole text of a passage."""
    return _displays().get(passage.kind, _PLAIN).text(passage)


def preview(passage: Passage, question: str) -> str:
    """The few lines of a passage that suit a question."""
    own = _displays().get(passage.kind, _PLAIN).excerpt
    return own(passage, question) if own else excerpt(passage.text, question)


def excerpt(
    text: str, question: str, *, begin: Callable[[str, int], int] = lambda text, start: start
) -> str:
    """A few lines of a text, from the sentence that shares the rarest words with the question.

    Where that sentence is too long, the excerpt starts shortly before the rarest of them. `begin`
    may move the start; it gets the text on one line.
    """
    line = " ".join(text.split())
    if len(line) <= PREVIEW:
        return line
    weights = _word_weights(question, line)
    sentences = _SENTENCE.split(line)
    values = [
        sum(weights[word] for word in weights.keys() & _words(sentence)) for sentence in sentences
    ]
    best = values.index(max(values))
    start = sum(len(sentence) + 1 for sentence in sentences[:best])
    if len(sentences[best]) > PREVIEW:
        start += _start_within(sentences[best], weights)
    start = begin(line, start)
    end = start + PREVIEW
    shown = line[start:] if end >= len(line) else line[start:end].rsplit(" ", 1)[0] + " …"
    return ("… " if start else "") + shown


def _words(text: str) -> set[str]:
    return set(surface(text).split())


def _word_weights(question: str, text: str) -> dict[str, float]:
    """How much each word of a question says in a text: little if it is short or frequent.

    This needs no list of stop words, so it works in every language.
    """
    counts = Counter(surface(text).split())
    return {word: len(word) / counts[word] ** 0.5 for word in _words(question) if word in counts}


def _start_within(sentence: str, weights: Mapping[str, float]) -> int:
    """Where to start in a long sentence so that its first heaviest word is in the middle."""
    here = _words(sentence)
    best = max((weight for word, weight in weights.items() if word in here), default=0.0)
    for match in re.finditer(r"\S+", sentence):
        if any(weights.get(word) == best for word in surface(match[0]).split()):
            start = min(match.start() - PREVIEW // 2, len(sentence) - PREVIEW)
            return sentence.index(" ", start) + 1 if start > 0 else 0
    return 0
