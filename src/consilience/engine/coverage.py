"""Does some sentence of the evidence speak of all that a question is about?

Passages may be near to a question in meaning and in many of its words, and yet none says a word
of the one thing that was asked. So every topic is looked for, by any of its names, in a sentence
or the one before it, under their headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from consilience.kinds import visible_metadata
from consilience.types import Passage, Topic
from consilience.understand.names import surface
from consilience.understand.sentences import sentences

Topics = Sequence[Topic]


class Window(NamedTuple):
    """A piece of the evidence that is read as one, and the headings that it stands under."""

    text: str
    heads: str


_SHORTEST = 4  # letters that two forms of a word have in common at least
_ENDING = re.compile(r"(?:ing|ed|ers?|ments?|ions?|ally?|ly|ies|es|s|y|e)$")
_ENDINGS_OFF = 2
_GRAVE = 10  # topics that one which must be there counts for
_LONG = 3  # of so many words of a name one may be missing
_SHORT = 80  # letters of a fact that says what a passage is of
_SKIPPED = frozenset({"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or"})
_SKIPPED |= {"per", "the", "to", "total", "with"}


def uncovered(topics: Topics, passages: Sequence[Passage]) -> tuple[Topic, ...]:
    """The topics that are missing where most are spoken of; one that must be there counts most.

    A name may stand farther off in the passage: who is named once is meant further on.
    """
    best = tuple(topics)
    for passage in passages:
        for window in windows(passage):
            best = min(best, _missing(topics, window, passage), key=_gravity)
            if not best:
                return ()
    return best


def _missing(topics: Topics, window: Window, passage: Passage) -> tuple[Topic, ...]:
    lost = _lost(topics, window)
    if len(lost) == 1 and lost[0].names[0][:1].isupper():
        return _lost(lost, whole_of(passage))
    return lost


def _gravity(lost: Topics) -> int:
    return sum(_GRAVE if topic.must else 1 for topic in lost)


def whole_of(passage: Passage) -> Window:
    """A passage as one window, under its title, its headings and what is known of it in short."""
    facts = (str(value) for value in visible_metadata(passage).values())
    heads = (
        passage.title,
        *passage.locator.section,
        *(fact for fact in facts if len(fact) <= _SHORT),
    )
    return Window(passage.text, " ".join(heads))


def windows(passage: Passage) -> Iterator[Window]:
    """The sentences of a passage, each with the one before it; a row is one."""
    whole = whole_of(passage)
    texts = [] if passage.kind == "row" else [sentence.text for sentence in sentences(passage.text)]
    if not texts:
        yield whole
    for at in range(len(texts)):
        yield whole._replace(text=" ".join(texts[max(0, at - 1) : at + 1]))


def _lost(topics: Topics, window: Window) -> tuple[Topic, ...]:
    text = surface(" ".join(window))
    roots = {_root(word) for word in text.split()}
    return tuple(
        topic for topic in topics if not any(_has(text, roots, name) for name in topic.names)
    )


def _has(text: str, roots: set[str], name: str) -> bool:
    """Whether the words of a name are there, in any form, of a long one most; one with hyphens
    as it is.
    """
    if "-" in name:
        return f" {surface(name)} " in f" {text} "
    wanted = [word for word in surface(name).split() if word not in _SKIPPED]
    heard = sum(_root(word) in roots for word in wanted)
    return 0 < len(wanted) <= heard + (len(wanted) // _LONG)


@lru_cache(maxsize=1 << 14)
def _root(word: str) -> str:
    """A word without its endings, as long as four letters stay: `invest` of `investments`."""
    for _ in range(_ENDINGS_OFF):
        ending = _ENDING.search(word)
        if not ending or ending.start() < _SHORTEST:
            break
        word = word[: ending.start()]
    return word
