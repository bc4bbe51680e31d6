"""Which words of a question name what no figure has? Only those that are names for sure.

A word that nothing is known of makes an answer less sure, and no more: reports have other words
for their rows than those who ask. Refused is what names a country, a company or a measure that is
nowhere: that is what an answer from other figures would be wrong about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.packs.finance.questions.aliases import common_nouns, common_words, country_names
from consilience.packs.finance.questions.mentions import Mentions
from consilience.packs.finance.questions.spelling import Word, is_light, words_of
from consilience.packs.finance.questions.vocabulary import Vocabulary

_BEFORE = re.compile(
    r"(?i)(?:\b(?:of|in|for|at|from|by|to|with|between|and|or|vs\.?|versus|than|do|does|did|is|was|"
    r"has|have|had|will|about)|,|^)[\s\"'“‘(]*$"
)
_OWNS = re.compile(r"[\"'”’)]*(?:'s|’s|')(?!\w)")
_COUNTED = re.compile(r"(?i)\b(?:how many|number of|count of)\s+$")
Span = tuple[int, int]


def absent_in(
    text: str,
    spans: Sequence[Span],
    vocabulary: Vocabulary,
    mentions: Mentions,
    times: Sequence[Span] = (),
) -> tuple[str, ...]:
    """The spans of a question, of those that nothing is known of, that name what is not there."""
    titled = _is_titled(text, [*times, *((one.start, one.end) for one in mentions.who)])
    found = []
    for start, end in spans:
        words = words_of(text[start:end])
        telling = [word for word in words if not _says_little(word.key)]
        measure = _is_measure(words, vocabulary)
        if _has_one(vocabulary, words if measure else telling or words):
            continue
        proper = not titled and _is_proper(text, start, end, words, vocabulary)
        counted = not mentions.metrics and (measure or bool(_COUNTED.search(text[:start])))
        if _is_country(words, vocabulary) or counted or proper:
            found.append(text[start:end])
    return tuple(dict.fromkeys(found))


def _has_one(vocabulary: Vocabulary, words: list[Word]) -> bool:
    """Whether a name of the evidence has all these words, in whatever order."""
    having = vocabulary.index.having
    found = [set(having.get(word.key, ())) for word in words if not is_light(word.key)]
    return bool(found) and bool(set.intersection(*found))


def _is_country(words: list[Word], vocabulary: Vocabulary) -> bool:
    aliases = vocabulary.aliases
    countries = {aliases.names[name] for name in country_names() if name in aliases.names}
    return any(name in countries for name, _, _ in aliases.told(words))


def _is_measure(words: list[Word], vocabulary: Vocabulary) -> bool:
    """Whether it is a measure everywhere.

    Where no table calls a measure by its name, the table's own heading may be out of sight.
    """
    aliases = vocabulary.aliases
    named = any(name in aliases.measures for name, _, _ in aliases.told(words))
    return named and vocabulary.index.measures > 0


def _is_proper(text: str, start: int, end: int, words: list[Word], vocabulary: Vocabulary) -> bool:
    """Whether it is written as a name and stands where names of companies and places do.

    Where no figure says whose it is, it may be of anybody.
    """
    if not all(word.capital for word in words) or not vocabulary.index.companies:
        return False
    if any(word.key in vocabulary.index.having for word in words):
        return False
    return bool(_BEFORE.search(text[:start]) or _OWNS.match(text, end))


def _is_titled(text: str, named: Sequence[Span]) -> bool:
    """Whether a question has capitals also where no name is: What Was Shown in the Overview."""
    return any(
        word.capital == "A" and word.key in common_words()
        for word in words_of(text)[1:]
        if not any(start <= word.start < end for start, end in named)
    )


def _says_little(key: str) -> bool:
    return is_light(key) or key in common_words() or key in common_nouns()
