"""Which words of a question name what no figure has? Only those that are names for sure.

A word that nothing is known of makes an answer less sure, and no more: reports have other words
for their rows than those who ask. Refused is what names a country, a company or a measure that is
nowhere: that is what an answer from other figures would be wrong about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.packs.finance.questions.aliases import country_names
from consilience.packs.finance.questions.mentions import Mentions
from consilience.packs.finance.questions.spelling import Word, words_of
from consilience.packs.finance.questions.vocabulary import Vocabulary

_BEFORE = re.compile(
    r"(?i)(?:\b(?:of|in|for|at|from|by|to|with|between|and|or|vs\.?|versus|than|do|does|did|is|was|"
    r"has|have|had|will|about)|,|^)[\s\"'“‘(]*$"
)
_OWNS = re.compile(r"[\"'”’)]*(?:'s|’s|')(?!\w)")
_MOSTLY = 0.6


def absent_in(
    text: str, spans: Sequence[tuple[int, int]], vocabulary: Vocabulary, mentions: Mentions
) -> tuple[str, ...]:
    """The spans of a question, of those that nothing is known of, that name what is not there."""
    titled = _is_titled(text)
    found = []
    for start, end in spans:
        words = words_of(text[start:end])
        if not words or all(word.key in vocabulary.index.having for word in words):
            continue
        proper = not titled and _is_proper(text, start, end, words, vocabulary)
        if _is_country(words, vocabulary) or _is_measure(words, vocabulary, mentions) or proper:
            found.append(text[start:end])
    return tuple(dict.fromkeys(found))


def _is_country(words: list[Word], vocabulary: Vocabulary) -> bool:
    aliases = vocabulary.aliases
    countries = {aliases.names[name] for name in country_names() if name in aliases.names}
    return any(name in countries for name, _, _ in aliases.told(words))


def _is_measure(words: list[Word], vocabulary: Vocabulary, mentions: Mentions) -> bool:
    """Whether it is a measure everywhere, and the question names nothing else that is counted."""
    aliases = vocabulary.aliases
    named = any(name in aliases.measures for name, _, _ in aliases.told(words))
    return named and not mentions.metrics


def _is_proper(text: str, start: int, end: int, words: list[Word], vocabulary: Vocabulary) -> bool:
    """Whether it is written as a name and stands where names of companies and places do."""
    if not all(word.capital for word in words):
        return False
    if any(word.key in vocabulary.index.having for word in words):
        return False
    return bool(_BEFORE.search(text[:start]) or _OWNS.match(text, end))


def _is_titled(text: str) -> bool:
    """Whether most words of a question are in capitals anyway."""
    words = [word for word in words_of(text) if len(word.key) > 3 and word.key.isalpha()]
    return sum(bool(word.capital) for word in words[1:]) > _MOSTLY * max(len(words) - 1, 1)
