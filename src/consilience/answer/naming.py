"""Does a question name something that the evidence has never heard of?

Passages about one lighthouse look relevant to a question about another. So where everything that
a question names is unknown here, its answer is not here either, however alike the passages are.
A name is a word in capitals that no sentence begins with. Acronyms and codes are left alone: a
text may well spell them out. So is a name that the evidence has in another spelling.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from consilience.answer.telling import Word, language_of, respelt, vocabulary, words_of

_SHORTEST = 4  # letters: shorter ones are as often an acronym


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Names of a question that occur nowhere; and whether it names nothing else."""

    words: tuple[str, ...] = ()
    alone: bool = False


async def unknown_names(
    question: str, *, occurs: Callable[[str], Awaitable[bool]], texts: Sequence[str] = ()
) -> Unknown:
    """The names that the evidence has not. `texts` are some of it, for other spellings."""
    names = named_in(question)
    if not names:
        return Unknown()
    missing: list[str] = []
    strange = 0
    spelt = vocabulary(texts)
    for name in names:
        lacking = [word.text for word in name if not await _known(word, occurs, spelt)]
        missing.extend(lacking)
        strange += bool(lacking)
    return Unknown(words=tuple(dict.fromkeys(missing)), alone=strange == len(names))


def named_in(question: str) -> list[tuple[Word, ...]]:
    """The names in a question, each as its words.

    Where nouns have capitals (German), or all words have, capitals say nothing and none is found.
    """
    words = words_of(question)
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


async def _known(
    word: Word, occurs: Callable[[str], Awaitable[bool]], spelt: dict[str, str]
) -> bool:
    plain = re.sub("['’]s$", "", word.text)
    if len(plain) < _SHORTEST or not plain[1:].islower() or not plain.isalpha():
        return True
    return bool(
        any(word.same_as(one) for one in spelt) or await occurs(plain) or respelt(word, spelt)
    )


def _capital(word: Word) -> bool:
    return word.text[0].isupper()


def _begins(question: str, word: Word) -> bool:
    """Whether a sentence or a quotation begins with a word."""
    before = question[: word.start].rstrip()
    return not before or before[-1] in ".!?:“\"'«(¿¡"
