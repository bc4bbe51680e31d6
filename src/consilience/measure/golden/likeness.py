"""Which questions are nearly the same, and which give their answer away? Compared by words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations

from consilience.names import surface

NEAR = 0.8
_STOP_WORDS = """
a an and are as at be by did do does for from had has have how in into is it its of on or that the
their them there these they this to was were what when where which who why will with would you
"""
_STOP = frozenset(_STOP_WORDS.split())


def near_pairs(texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """The pairs of texts, by key, that share four fifths of their telling words or more."""
    sets = {key: _words(text) for key, text in texts.items()}
    return [pair for pair in _sharing(sets) if _near(sets[pair[0]], sets[pair[1]])]


def gives_away(question: str, quote: str) -> bool:
    """Whether a question has all telling words of what answers it, or nearly says the same."""
    asked, wanted = _words(question), _words(quote)
    return bool(wanted) and (wanted <= asked or _near(asked, wanted))


def states(question: str, value: str) -> bool:
    """Whether a question has every word of a value."""
    return set(surface(value).split()) <= set(surface(question).split())


def _words(text: str) -> set[str]:
    return set(surface(text).split()) - _STOP


def _near(one: set[str], other: set[str]) -> bool:
    return len(one & other) >= NEAR * len(one | other)


def _sharing(sets: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """The pairs that have a rare word in common; others cannot be nearly the same.

    Of two sets of which four fifths agree, one has a word of the other among its rarest fifth
    and one more.
    """
    counts = Counter(word for words in sets.values() for word in words)
    having: dict[str, list[str]] = {}
    for key, words in sets.items():
        rare = sorted(words, key=lambda word: (counts[word], word))
        for word in rare[: len(words) - int(NEAR * len(words)) + 1]:
            having.setdefault(word, []).append(key)
    pairs = {pair for keys in having.values() for pair in combinations(keys, 2)}
    order = {key: at for at, key in enumerate(sets)}
    return sorted(pairs, key=lambda pair: (order[pair[0]], order[pair[1]]))
