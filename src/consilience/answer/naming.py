"""Does a question name something that the evidence has never heard of?

Passages about one lighthouse look relevant to a question about another. So where everything that
a question names is unknown here, its answer is not here either, however alike the passages are.
A name is a word in capitals that no sentence begins with. Acronyms and codes are left alone: a
text may well spell them out. So is a name that the evidence has in another spelling. Moves and
positions of chess are no names.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from consilience.answer.telling import (
    Word,
    respelt,
    spoken,
    vocabulary,
)
from consilience.answer.words import beginning, language_of
from consilience.kinds import visible_metadata
from consilience.names import surface
from consilience.types import Exhibit

# Words that say how something is asked, and not what about: no text need have them.
_FRAME_WORDS = """
account accounted affect affected cause caused causes change changed compare compared comparison
contrast count counts decrease define defined definition describe development difference effect
effects evolution evolve explain explanation happen happened impact increase mean meaning meant
mention percent percentage reason reasons result results share treat treated understand understands
"""
_FRAME = frozenset(_FRAME_WORDS.split())
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
_SHORTEST = 4  # letters of a name: shorter ones are as often an acronym
_SHORTEST_WORD = 5  # letters of another word: shorter ones have too many neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Names of a question that occur nowhere, and how the evidence may spell some others.

    `alone` says that the question names nothing that is known.
    """

    words: tuple[str, ...] = ()
    alone: bool = False
    spellings: Mapping[str, str] = field(default_factory=dict)


async def unknown_names(
    question: str,
    *,
    occurs: Callable[[str], Awaitable[bool]],
    texts: Callable[[Sequence[str]], Sequence[str]] = lambda words: (),
) -> Unknown:
    """The names that the evidence has not; `texts` gives some of it near words, for spellings.

    Other words that it has not count only where it has them in another spelling.
    """
    names = named_in(question)
    words = [word for word in spoken(question) if word.telling]
    absent = {word.text: word for word in words if not await _occurs(word, occurs)}
    if not absent:
        return Unknown()
    spelt = vocabulary(texts(list(absent)))
    near = {text: _spelling(word, spelt) for text, word in absent.items()}
    strange = {text for text, other in near.items() if not other}
    named = {word.text for name in names for word in name}
    return Unknown(
        words=tuple(text for text in absent if text in strange & named),
        alone=bool(names) and all(any(word.text in strange for word in name) for name in names),
        spellings={text: other for text, other in near.items() if other and other != text},
    )


def respelt_question(question: str, spellings: Mapping[str, str]) -> str:
    """The question as the evidence spells its names."""
    for text, other in spellings.items():
        question = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", lambda _: other, question)  # noqa: B023
    return question


def named_in(question: str) -> list[tuple[Word, ...]]:
    """The names in a question, each as its words.

    Where nouns have capitals (German), or all words have, capitals say nothing and none is found.
    """
    words = spoken(question)
    shouted = len(words) > 3 and 3 * sum(map(_capital, words)) > 2 * len(words)
    if shouted or language_of([question]) == "German":
        return []
    found: list[list[Word]] = []
    last: Word | None = None
    for word in words:
        if not (word.telling and _capital(word)) or _begins(question, word):
            continue
        joined = last is not None and not question[last.end : word.start].strip(" .-")
        if joined:
            found[-1].append(word)
        else:
            found.append([word])
        last = word
    return [tuple(one) for one in found]


def lacking(question: str, exhibits: Sequence[Exhibit]) -> tuple[str, ...]:
    """What a question asks about and none of its evidence mentions, where that is much of it.

    Every name and every year counts; other long words only where two and half of them are absent.
    """
    have = {beginning(word) for one in exhibits for word in surface(_told(one)).split()}
    telling = [word for word in spoken(question) if word.telling and word.key not in _FRAME]
    absent = [word for word in telling if not any(beginning(form) in have for form in word.forms)]
    named = {word.start for name in named_in(question) for word in name}
    long = [
        word
        for word in telling
        if len(word.key) >= _SHORTEST_WORD and word.start not in named and word.key.isalpha()
    ]
    lost = [word for word in absent if word in long]
    much = len(lost) > 1 and 2 * len(lost) >= len(long)
    absent = [
        word
        for word in absent
        if word.start in named or _YEAR.fullmatch(word.text) or (much and word in lost)
    ]
    return tuple(dict.fromkeys(word.text for word in absent))


def _told(exhibit: Exhibit) -> str:
    passage = exhibit.passage
    fields = (f"{name} {value}" for name, value in visible_metadata(passage).items())
    return "\n".join((passage.indexed, exhibit.label, *fields))


async def _occurs(word: Word, occurs: Callable[[str], Awaitable[bool]]) -> bool:
    plain = re.sub("['’]s$", "", word.text)
    least = _SHORTEST if _capital(word) else _SHORTEST_WORD
    checked = len(plain) >= least and plain[1:].islower() and plain.isalpha()
    return not checked or await occurs(plain)


def _spelling(word: Word, spelt: Mapping[str, str]) -> str:
    """How the evidence spells a word: itself in another form, or the nearest; empty if neither."""
    if any(word.same_as(one) for one in spelt):
        return word.text
    return respelt(word, spelt)


def _capital(word: Word) -> bool:
    return word.text[0].isupper()


def _begins(question: str, word: Word) -> bool:
    """Whether a sentence or a quotation begins with a word."""
    before = question[: word.start].rstrip()
    return not before or before[-1] in ".!?:“\"'«(¿¡"
