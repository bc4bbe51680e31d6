"""Does some sentence of the evidence speak of all that a question is about?

Passages may be near to a question in meaning and in many of its words, and yet none says a word
of the one thing that was asked. So every topic is looked for, by any of its names, in a sentence
or the one before it, under their headings; and what kind of thing is asked for must stand there:
who asks for a person wants a name, who asks for a day wants a date.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
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
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|dozen|"
    r"hundred|thousand|million|half|all|both|no|none|nobody|never|every)\b",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|"
    r"december|spring|summer|autumn|winter|"
    r"when|once|as soon|after|until|before)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,;:)\"”] )(?:(?:de|van|von) )*[A-ZÀ-Ý][\w'’.-]+")
_FIRST_NAME = re.compile(r"^\W*[A-ZÀ-Ý][\w'’-]+ (?:(?:de|van|von) )*[A-ZÀ-Ý][\w'’-]+")
_DEFINING = re.compile(
    r"\b(?:is|are|means?|stands? for|includes?|excludes?|comprises?|consists?|leaves?|counts?|"
    r"covers?|equals?|refers?|denotes?|describes?)\b|[=:÷]",
    re.IGNORECASE,
)
_DEFINITIONS = re.compile(r"(?i)defini|glossar|polic|principle|basis of")
_NEAR = 60  # letters between a thing and the word that says what it is
_WHO = re.compile(r"(?i)^\W*(?:who(?:m|se)?|which (?:firm|person|manager|bank|auditor))\b")
_WHEN = re.compile(r"(?i)^\W*(?:(?:since|until|from) )?(?:when|on (?:what|which) da(?:y|te))\b")
_MANY = re.compile(r"(?i)\bhow (?:many|long|old|far)\b")
_OFTEN = re.compile(r"(?i)\bhow often\b")
_TIMES = re.compile(
    r"(?i)\b(?:times|once|twice|each|every|daily|weekly|monthly|quarterly|yearly|annually|meetings?|"
    r"never|always|rarely|regularly)\b"
)
_WHAT = re.compile(r"(?i)\b(?:defin\w+|what .*\b(?:mean|meant)|stands? for|meaning of)\b")


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
    return sum(_GRAVE if one.must else 1 for one in lost)


def asked_kind(question: str, topics: Topics, passages: Sequence[Passage]) -> str:
    """Which kind of thing a question asks for that stands nowhere beside its topics; empty if one
    does, or where no kind is asked for.
    """
    kind, shows = next(((name, to) for name, asks, to in _KINDS if asks.search(question)), _ANY)
    if not kind:
        return ""
    told = " ".join(name for one in topics if not one.must for name in one.names)
    known = set(surface(question if shows is _names_one else told).split())
    for passage in passages:
        for window in windows(passage):
            if not _missing(topics, window, passage) and shows(window, known):
                return ""
    return kind


def _names_one(window: Window, known: set[str]) -> bool:
    found = [*_NAME.findall(window.text), *(one[0] for one in _FIRST_NAME.finditer(window.text))]
    return any(not set(surface(one).split()) <= known for one in found)


def _defines(window: Window, known: set[str]) -> bool:
    """Whether a thing of the question is said to be something, or stands among definitions."""
    if _DEFINITIONS.search(window.heads):
        return True
    for said in _DEFINING.finditer(window.text):
        before = surface(window.text[max(0, said.start() - _NEAR) : said.start()]).split()
        if any(word in known and len(word) >= _SHORTEST for word in before):
            return True
    return False


_KINDS: tuple[tuple[str, re.Pattern[str], Callable[[Window, set[str]], bool]], ...] = (
    ("who it is", _WHO, _names_one),
    ("when", _WHEN, lambda window, known: bool(_DATE.search(window.text))),
    ("how often", _OFTEN, lambda window, known: bool(_TIMES.search(window.text))),
    ("how many", _MANY, lambda window, known: bool(_NUMBER.search(window.text))),
    ("what it means", _WHAT, _defines),
)
_ANY: tuple[str, Callable[[Window, set[str]], bool]] = ("", lambda window, known: True)


def whole_of(passage: Passage) -> Window:
    """A passage as one window, under its title, its headings and what is known of it in short."""
    facts = (str(value) for value in visible_metadata(passage).values())
    heads = (passage.title, *passage.locator.section, *(one for one in facts if len(one) <= _SHORT))
    return Window(passage.text, " ".join(heads))


def windows(passage: Passage) -> Iterator[Window]:
    """The sentences of a passage, each with the one before it; a row is one."""
    whole = whole_of(passage)
    told = [] if passage.kind == "row" else [one.text for one in sentences(passage.text)]
    if not told:
        yield whole
    for at in range(len(told)):
        yield whole._replace(text=" ".join(told[max(0, at - 1) : at + 1]))


def _lost(topics: Topics, window: Window) -> tuple[Topic, ...]:
    text = surface(" ".join(window))
    roots = {_root(word) for word in text.split()}
    return tuple(one for one in topics if not any(_has(text, roots, name) for name in one.names))


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
