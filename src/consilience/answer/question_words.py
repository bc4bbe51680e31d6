"""Which words say what a question is about, and does it name what the evidence does not have?"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from consilience.kinds import visible_metadata
from consilience.notations import spans
from consilience.types import Exhibit
from consilience.understand.names import singular_or_plural, surface
from consilience.understand.words import COMMON, LINKING, beginning, language_of

# --- Which words of a question say what it is about, and how are they spelt elsewhere? ----


_ALIKE = 0.8  # two spellings of one word: one slip in five letters
_SHORT = 6  # letters up to which a name with two slips is another one (`Dundee`, `Dune`)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ALL_COMMON = frozenset(word for words in COMMON.values() for word in words)
_ENDINGS = frozenset({"s", "es", "d", "ed", "ing", "r", "er", "ers", "ly", "al", "ous"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question: as it is spelt, where it stands, and how it is compared."""

    text: str
    start: int
    end: int
    key: str

    @property
    def telling(self) -> bool:
        """Whether it says what the question is about."""
        short = len(self.key) < 3 and self.key.isascii() and not self._numbered
        return bool(self.key) and not short and self.key not in _ALL_COMMON

    @property
    def linking(self) -> bool:
        """Whether it only ties the next word to the one before: `of`, `in`, `the`."""
        return self.key in LINKING

    @property
    def forms(self) -> tuple[str, ...]:
        """Itself, and in the other number: `keeper`, `keepers`."""
        return (self.key, *singular_or_plural(self.key))

    def same_as(self, key: str) -> bool:
        """Whether another word, by its key, is this one or a form of it: `prove`, `proved`."""
        short, long = sorted((key, self.key), key=len)
        ending = long[len(short) :] if long.startswith(short) else None
        return ending == "" or (len(short) >= 4 and ending in _ENDINGS)

    @property
    def _numbered(self) -> bool:
        return any(letter.isdigit() for letter in self.key)


def words_of(text: str) -> list[Word]:
    """The words of a text in order; `keeper's` is compared as `keeper`."""
    found = []
    for match in _WORD.finditer(text):
        key = surface(match[0]).partition(" ")[0]
        found.append(Word(match[0], match.start(), match.end(), key))
    return found


def spoken(text: str) -> list[Word]:
    """The words of a text without what is written in a notation."""
    written = spans(text)
    return [
        word
        for word in words_of(text)
        if not any(start <= word.start and word.end <= end for start, end in written)
    ]


def share_in(words: Collection[Word], text: str) -> float:
    """The share of the words' letters that stand in words which a text has too."""
    have = {beginning(one) for one in surface(text).split()}
    total = sum(len(word.key) for word in words)
    met = sum(len(word.key) for word in words if beginning(word.key) in have)
    return met / total if total else 0.0


def vocabulary(texts: Sequence[str]) -> dict[str, str]:
    """The words of texts, by how they are compared, as they are spelt; names alone in capitals."""
    known: dict[str, str] = {}
    for text in texts:
        for word in words_of(text):
            spelt = re.split("['’]", word.text)[0]
            if len(word.key) > 2 and (word.key not in known or spelt.islower()):
                known[word.key] = spelt
    return known


def respelt(word: Word, known: Mapping[str, str]) -> str:
    """The nearest spelling that the evidence has; empty if none is near. Numbers are kept.

    An ordinary word may differ by one slip, or it is another word (`constant`, `consultant`); a
    long name by more, for names are heard and seldom read. What goes on behind a word that the
    evidence has is another one, too (`springbok`, `Spring`).
    """
    if any(letter.isdigit() for letter in word.key):
        return ""
    for near in get_close_matches(word.key, known, n=3, cutoff=_ALIKE):
        if word.key.startswith(near) and not _one_slip(word.key, near):
            continue
        heard = not known[near].islower() and len(word.key) > _SHORT
        if heard or _one_slip(word.key, near):
            return known[near]
    return ""


def _one_slip(one: str, other: str) -> bool:
    """Whether a letter too many, too few, wrong, or two exchanged make all the difference."""
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) <= 1 or (len(one) == 2 and one == other[::-1])


# --- Does a question name something that the evidence has never heard of? -----------------


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


def lacking(question: str, exhibits: Sequence[Exhibit], *, names_only: bool) -> tuple[str, ...]:
    """What a question says and none of its evidence does, in any form: names, or other words too.

    Numbers do not count: a year or an amount may be written otherwise.
    """
    have = {beginning(word) for one in exhibits for word in surface(_told(one)).split()}
    named = {word.start for name in named_in(question) for word in name}
    return tuple(
        dict.fromkeys(
            word.text
            for word in spoken(question)
            if word.telling
            and word.key.isalpha()
            and (word.start in named or not names_only)
            and not any(beginning(form) in have for form in word.forms)
        )
    )


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
