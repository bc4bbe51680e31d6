"""Which words of a question name something that a passage would have to tell of?

Those that are not light, loose, of what people do or of the vocabulary (`words/asking.yaml`), and
that do not stand where a verb or an adjective does. Two words are the same where their stems are,
where people use one for the other (`words/synonyms.yaml`), or where one is misspelt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import pairwise

from rapidfuzz.distance import OSA

from consilience.packs.travel.vocabulary import is_travel
from consilience.packs.travel.wording import read
from consilience.understand.names import surface

LEAST = 4
"""Letters that the stem of a word keeps."""
_SPELT = 0.82  # how alike a misspelt word is to the one that is meant
_MISSPELT = 5  # letters of a word from which on it may be misspelt
_ADJECTIVE = re.compile(
    r".{3,}(?:ful|ive|able|ible|ous|less|iest|ly|esque|ical|ish|ese|ier|ward|wards|wise)$"
)
_ENDING = re.compile(r"(?:ings?|ed|ers?|ies|es|s|y|e)$")
_OPENS = frozenset({"is", "are", "was", "were", "do", "does", "did", "can", "will"})
"""Where they open a clause, what it asks about stands behind them."""
_IS = frozenset({"is", "are", "was", "were"})
_STOPS = re.compile(r"[.,;:!?()\[\]\n–—]+|\s-\s")
_APOSTROPHE = re.compile(r"['’](?:s\b)?")
"""What is left out of `who's` and `don't`."""
_ACTED = re.compile(r".{3,}ed$|\d")
"""What has been done, and numbers."""


@cache
def words_of_kind(*kinds: str) -> frozenset[str]:
    """The words of these kinds."""
    lists = read("asking")
    return frozenset(str(one) for kind in kinds for one in lists[kind])


@lru_cache(maxsize=4096)
def is_ordinary(word: str) -> bool:
    """Whether a word names nothing that a passage would have to have."""
    known = (
        word in words_of_kind("light", "loose", "verbs", "people", "talk") or len(word) < LEAST - 1
    )
    acted = stem(word) in _acted()
    said = known or acted or word.isdigit() or bool(_ADJECTIVE.match(word))
    return said or is_vocabulary(word)


@cache
def _acted() -> frozenset[str]:
    return frozenset(map(stem, words_of_kind("verbs")))


@lru_cache(maxsize=4096)
def is_vocabulary(text: str) -> bool:
    """Whether words of the vocabulary stand for all of a text."""
    every = text.split()
    return all(is_travel(one) or one in words_of_kind("light", "loose", "people") for one in every)


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A word without its endings, as long as enough letters stay."""
    ending = _ENDING.search(word)
    return word[: ending.start()] if ending and ending.start() >= LEAST - 1 else word


def naming(text: str) -> Iterator[str]:
    """The words of a text that name something, each once."""
    seen: set[str] = set()
    for clause in _STOPS.split(_APOSTROPHE.sub("", text)):
        every = surface(clause).split()
        for at, word in enumerate(every):
            if word in seen or _is_verbal(every, at) or is_ordinary(word) or _ACTED.search(word):
                continue
            seen.add(word)
            yield word


def _is_verbal(every: Sequence[str], at: int) -> bool:
    """Whether a word stands where a verb or an adjective does: behind "they", behind "it is", and
    at the end of "is the bridge scary".
    """
    if at == 0:
        return False
    before = every[at - 1]
    closes = at + 1 == len(every) and every[0] in _IS and "there" not in every
    if closes and at > 1 and before not in words_of_kind("before_nouns"):
        return True
    verbal = words_of_kind("before_verbs")
    return before in (verbal - _OPENS if at == 1 else verbal)


def is_narrowing(word: str, text: str) -> bool:
    """Whether a word stands right before one of the vocabulary: a `nudist beach` is no beach."""
    every = surface(text).split()
    return any(one == word and is_travel(other) for one, other in pairwise(every))


def is_told(word: str, told: Mapping[str, Collection[str]]) -> bool:
    """Whether a word is among those told, by their stems: the same, another for it, or misspelt."""
    if stem(word) in told or any(stem(one) in told for one in _others(word)):
        return True
    if any(_joined(word, told)):
        return True
    if len(word) < _MISSPELT:
        return False
    near = [one for each in told.values() for one in each if one[:1] == word[:1]]
    return bool(get_close_matches(word, near, n=1, cutoff=_SPELT)) or any(
        OSA.distance(word, one) == 1 and sorted(word) == sorted(one) for one in near
    )


def told_words(texts: Sequence[str]) -> dict[str, set[str]]:
    """The words of texts by their stems."""
    found: dict[str, set[str]] = {}
    for text in texts:
        for word in surface(text).split():
            found.setdefault(stem(word), set()).add(word)
    return found


def _joined(word: str, told: Mapping[str, Collection[str]]) -> Iterator[bool]:
    """Whether it is put together of two words that are told: `riverboat` of river and boat."""
    for cut in range(LEAST, len(word) - LEAST + 1):
        yield word[:cut] in told and stem(word[cut:]) in told


@cache
def _groups() -> Mapping[str, tuple[str, ...]]:
    """Each word with those that people use for the same thing."""
    found: dict[str, tuple[str, ...]] = {}
    for group in read("synonyms"):
        for one in group:
            found[stem(str(one))] = (*found.get(stem(str(one)), ()), *map(str, group))
    return found


def _others(word: str) -> tuple[str, ...]:
    return _groups().get(stem(word), ())
