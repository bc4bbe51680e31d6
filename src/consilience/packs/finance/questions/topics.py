"""What must evidence speak of, to answer a question for words? Its things, by all their names.

Words that say how something is asked, the company and the month are no topics: those are checked
elsewhere, or a report has them in its title. A verb is none either: reports tell what happened in
words of their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.packs.finance.data_model import BETWEEN
from consilience.packs.finance.questions.aliases import common_words, read_aliases, says_little
from consilience.packs.finance.questions.asking import Wanted
from consilience.packs.finance.questions.spelling import Word, is_light, words_of
from consilience.types import Topic
from consilience.understand.amounts import is_unit

Span = tuple[int, int]
_SURE = 0.6
_NAMES = 8  # other names of a thing that are looked for
_ASKED = """
account accounting affect aim approach assume bad business cause caused comment company concern
consequence count damage danger definition dependence detail effect event exposed exposure fact fast
faster figure firm food good group hit impact influence information management manager mean measure
method operation policy poor principle problem procedure regard relevant role situation slow slower
statement step story strong think topic treat treated treatment understand weak wrong
hurt harm harmed suffer suffered deal dealt hamper hampered
"""
_FRAME = frozenset(word.key for word in words_of(_ASKED))
_AUXILIARY = re.compile(
    r"(?i)\b(?:did|do|does|will|would|can|could|should|has|have|had|may|must)\b"
)
_OWNING = re.compile(r"(?:['’]s?|\b(?:a|an|any|the|its|their|our|of|in|for|on|at|by|with|to))\s*$")
_JOINED = re.compile(r"\b[^\W\d_]{2,}(?:-[^\W\d_]{2,})+\b")
_MARGIN = re.compile(r"(?i)[ -](?:margin|marge)\b.*")
_HOW = re.compile(r"(?i)\bhow\s+$")
_DONE = re.compile(r"(?:ed|ing)$")
_YEAR = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?![\d.,]*\d)")


def topics_of(wanted: Wanted) -> tuple[Topic, ...]:
    """What a question is about, each thing by the names it may have, the question's own first."""
    text = wanted.question
    named = [one for one in (*wanted.metrics, *wanted.entities) if one.score >= _SURE]
    taken = [(one.start, one.end) for one in (*named, *wanted.companies)]
    taken += [(one.start, one.end) for one in wanted.spoken]
    found = {one.start: Topic(names=_names(one.said, one.values)) for one in named}
    if len(wanted.companies) == 1:  # of several each may be told of elsewhere
        one = wanted.companies[0]
        found[one.start] = Topic(names=_names(one.said, one.values), must=True)
    for said in _JOINED.finditer(text):
        if not _is_taken(said.span(), taken) and said[0].lower() not in common_words():
            found[said.start()] = Topic(names=(said[0],))
            taken.append(said.span())
    for word in words_of(text):
        if not _is_taken((word.start, word.end), taken) and _is_thing(text, word, taken):
            found[word.start] = Topic(names=(text[word.start : word.end],))
    years = set(_YEAR.findall(text))
    dated = [Topic(names=(year,), must=True) for year in years] if len(years) == 1 else []
    return tuple(dict.fromkeys((*(found[start] for start in sorted(found)), *dated)))


def _names(said: str, values: Sequence[str]) -> tuple[str, ...]:
    parts = [part for value in values[:_NAMES] for part in value.split(BETWEEN)[-1:]]
    # A margin alone is told by what it is one of.
    earned = [_MARGIN.sub("", part) for part in parts] if " " not in said else []
    return tuple(dict.fromkeys((said, *parts, *filter(None, earned))))


def _is_taken(span: Span, taken: Sequence[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in taken)


def _is_thing(text: str, word: Word, known: Sequence[Span]) -> bool:
    """Whether a word names what is asked about, and does not say how it is asked or what it did."""
    if is_light(word.key) or len(word.key) < 3 or not word.key.isalpha():
        return False
    if is_unit(text[word.start : word.end]):
        return False
    if word.key in _FRAME or says_little(word.key, read_aliases()):
        return False
    if _HOW.search(text, 0, word.start):
        return False
    named = bool(word.capital) and bool(text[: word.start].strip(" \"'“‘("))
    return named or not _is_verb(text, word, known)


def _is_verb(text: str, word: Word, known: Sequence[Span]) -> bool:
    """Whether a word is what somebody did: right behind who did it, after a `did`; or in the form
    of what is done, with nothing before it that it might belong to.
    """
    before = text[: word.start]
    if _DONE.search(text[word.start : word.end]) and not _OWNING.search(before):
        return True
    asked = _AUXILIARY.search(before)
    if not asked or _OWNING.search(before):
        return False
    last = before.rstrip()
    return any(end == len(last) and start >= asked.end() for start, end in known)
