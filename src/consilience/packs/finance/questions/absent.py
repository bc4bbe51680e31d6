"""Which words of a question name what no figure has? Only those that are names for sure.

A word that nothing is known of makes an answer less sure, and no more: reports have other words
for their rows than those who ask. Refused is what names a country, a company or a measure that is
nowhere: that is what an answer from other figures would be wrong about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from consilience.packs.finance.questions.aliases import common_nouns, common_words, country_names
from consilience.packs.finance.questions.mentions import Mentions
from consilience.packs.finance.questions.spelling import Word, is_light, words_of
from consilience.packs.finance.questions.vocabulary import Vocabulary

_BEFORE = re.compile(
    r"(?i)(?:\b(?:of|in|for|at|from|by|to|with|between|and|or|vs\.?|versus|than|do|does|did|is|was|"
    r"has|have|had|will|about)|,)[\s\"'“‘(]*$"
)
_AT = re.compile(r"(?i)\b(?:of|in|for|at|from|by|to|with|about) the\s+$")
_THING = re.compile(r"\s+(?!(?:of|in|for|at|from|by|to|with|and|or|is|was|has|had|will)\b)[a-z]{3}")
_JOINED = re.compile(r"\w\W+(?:[^\W\d_a-z][^\W\d_A-Z]+)\s+$")
_OWNS = re.compile(r"[\"'”’)]*(?:'s|’s|'|:)(?!\w)")
_GERMAN = re.compile(
    r"(?i)\b(?:wie|viel|hoch|welche[nrsm]?|warum|wurden?|wird|ist|waren|hat|der|dem|den|des|das|im|"
    r"zum|zur|bei|von|vom|für|nach|gegenüber|und)\b"
)
_FROM = re.compile(
    r"(?i)\b(?:comes?|came|earn(?:ed)?|ma[kd]e|generated?|stems?|stemmed|achieved?) "
    r"(?:from|with|through|by) (?:the )?$"
)
_JOINT = re.compile(r"(?i)\s+(?:from|with|of|by selling|aus|mit) (?:the |its |their )?$")
_COUNTED = re.compile(r"(?i)\b(?:how many|number of|count of)\s+$")
_AMOUNT = re.compile(
    r"(?i)\b(?:how (?:many|much)|number of) (?:million |thousand )?(?:\w+ )?"
    r"(?:tonne|ton|kilogram|kg|litre|liter|hectolitre|barrel|bottle|unit|piece|case|metre)s? of $"
    r"|\bhow much $"
)
_SAID = "external internal continuing discontinued ordinary third party recurring foreign domestic "
_SAID += "international contract related associate affiliate owner shareholder parent"
_WHOSE = frozenset(_SAID.split())
_FILLING = frozenset({"amount", "charge", "cost", "expense", "figure", "level", "total", "value"})
_DOING = re.compile(r"(?:ing|ed)$")  # selling price
_SURE = 0.8
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
    german = len(_GERMAN.findall(text)) > 1  # where every noun has a capital
    for start, end in spans:
        words = words_of(text[start:end])
        telling = [word for word in words if not _says_little(word.key)]
        measure = _is_measure(words, vocabulary)
        whole = [word for word in words if word.key not in _FILLING]
        if _has_one(vocabulary, (whole if measure else telling) or words):
            continue
        if measure and _is_under(words, vocabulary):
            continue
        name = list(takewhile(lambda word: word.capital, words))  # the Krakow bakery
        proper = (
            bool(name)
            and not titled
            and not german
            and _is_written_so(name, vocabulary)
            and _stands_so(text, start, start + name[-1].end, mentions)
        )
        counted = not mentions.metrics and (measure or bool(_COUNTED.search(text[:start])))
        sold = bool(telling) and _is_sold(text, start, telling, vocabulary, mentions)
        if _is_country(words, vocabulary) or counted or sold:
            found.append(text[start:end])
        elif proper:
            found.append(text[start : start + name[-1].end])
    return tuple(dict.fromkeys(found))


def _has_one(vocabulary: Vocabulary, words: list[Word]) -> bool:
    """Whether a name of the evidence has all these words, in whatever order."""
    having = vocabulary.index.having
    found = [set(having.get(word.key, ())) for word in words if not is_light(word.key)]
    return bool(found) and bool(set.intersection(*found))


def _is_under(words: list[Word], vocabulary: Vocabulary) -> bool:
    """Whether one of the words is a name itself and all others stand in names: the pensions in a
    table of provisions.
    """
    index = vocabulary.index
    alone = any(index.whole.get(word.key) for word in words if not _says_little(word.key))
    return alone and all(word.key in index.having and not is_light(word.key) for word in words)


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


def _is_written_so(words: list[Word], vocabulary: Vocabulary) -> bool:
    """Whether it is written as a name that the evidence has not.

    Where no figure says whose it is, it may be of anybody.
    """
    if not vocabulary.index.companies:
        return False
    unknown = [word for word in words if word.key not in vocabulary.index.having]
    return words[0] in unknown and not any(_says_little(word.key) for word in unknown)


def _stands_so(text: str, start: int, end: int, mentions: Mentions) -> bool:
    """Whether it stands where names of companies and places do.

    The first word of a question has a capital whatever it is: it is a name where it has something,
    or where a measure follows at once.
    """
    if _BEFORE.search(text[:start]) or _OWNS.match(text, end):
        return True
    if _AT.search(text[:start]) and _THING.match(text, end):  # at the Krakow bakery
        return True
    if _JOINED.search(text[:start]):  # did it buy Bakery Sonnfeld
        return True
    first = not text[:start].strip(" \"'“‘(") and not _DOING.search(text, start, end)
    return first and any(not text[end : one.start].strip() for one in mentions.metrics)


def _is_sold(
    text: str, start: int, words: list[Word], vocabulary: Vocabulary, mentions: Mentions
) -> bool:
    """Whether it is what something was earned with, and no word of it is in the evidence: the
    pizza in "tonnes of frozen pizza", the orders in "comes from online orders".
    """
    if not vocabulary.index.companies or any(_is_known(word.key, vocabulary) for word in words):
        return False
    for one in mentions.entities:  # frozen pizza
        if one.start < start and not text[one.end : start].strip():
            start = one.start
    counted = [one for one in mentions.metrics if one.score >= _SURE and one.end <= start]
    if _FROM.search(text[:start]) or _AMOUNT.search(text[:start]):
        return True
    return any(_JOINT.fullmatch(text, one.end, start) for one in counted)


def _is_known(key: str, vocabulary: Vocabulary) -> bool:
    """Whether a word, or another that begins like it, stands in the evidence; or says of whom
    something is, and not what it is.
    """
    having, root = vocabulary.index.having, key[:5]
    if key in having or key in _WHOSE:
        return True
    return len(key) >= len(root) == 5 and any(word.startswith(root) for word in having)


def _is_titled(text: str, named: Sequence[Span]) -> bool:
    """Whether a question has capitals also where no name is: What Was Shown in the Overview."""
    return any(
        word.capital == "A" and word.key in common_words()
        for word in words_of(text)[1:]
        if not any(start <= word.start < end for start, end in named)
    )


def _says_little(key: str) -> bool:
    return is_light(key) or key in common_words() or key in common_nouns()
