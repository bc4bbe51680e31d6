"""What do the figures of a workspace speak of, and which of it does a question name?

A vocabulary holds every distinct metric, entity, company, caption, section, label and header of
the data. It finds the spans of a question that mean one of them: under its own name, under
another name of equal standing, misspelt, or by most of its telling words.
"""

from __future__ import annotations

from calendar import month_abbr, month_name
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from consilience.packs.finance.data_model import Period
from consilience.packs.finance.questions.aliases import Aliases, common_words, read_aliases
from consilience.packs.finance.questions.matching import (
    Found,
    How,
    Index,
    misspelt_names,
    partial_names,
    told_names,
    whole_names,
)
from consilience.packs.finance.questions.spelling import Word, is_light, joined, key_of, words_of

FIELDS = ("metric", "entity", "company", "caption", "section", "label", "header")
"""What of a datum a question may name."""
READ = 2000
"""Letters of a question that are read."""
_TIMES = frozenset(
    key_of(one)
    for one in (*month_name, *month_abbr, "year", "quarter", "month", "half", "ytd", "fy")
    if one
)
_LONG_TITLES = frozenset(("caption", "section"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A span of a question that means values of a field: the most frequent first.

    `said` is the span as written, from letter `start` up to `end`. `score` is 1 for a name as it
    is spelt, and less the further the name is from what was said.
    """

    said: str
    start: int
    end: int
    field: str
    values: tuple[str, ...]
    how: How
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The names of a workspace's figures, and its periods by their keys.

    `near` is the latest period that figures are there for: what "last month" is counted from.
    `units` are the quantities that figures are counted in, each with its metrics.
    """

    periods: Mapping[str, Period]
    near: Period | None
    index: Index = field(repr=False)
    units: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        values: Mapping[str, Mapping[str, int]],
        periods: Mapping[str, Period],
        *,
        near: Period | None = None,
        synonyms: Mapping[str, Iterable[str]] | None = None,
        units: Mapping[str, tuple[str, ...]] | None = None,
    ) -> Vocabulary:
        """The vocabulary of values by field, each with how many data have it.

        `synonyms` are the workspace's own names of equal standing. Without `near` it is the
        latest of the periods.
        """
        latest = max(periods.values(), key=lambda one: (one.end, one.start), default=None)
        index = Index.of(values, read_aliases(synonyms))
        return cls(periods=dict(periods), near=near or latest, index=index, units=dict(units or {}))

    @property
    def aliases(self) -> Aliases:
        """The names of equal standing that it knows."""
        return self.index.aliases

    def count(self, match: Match) -> int:
        """How many data have the values of a match."""
        return sum(self.index.counts.get((match.field, value), 0) for value in match.values)

    def common(self, kind: str, most: int) -> list[str]:
        """The values of a field that most data have."""
        named = sorted(self.index.counts.items(), key=lambda one: (-one[1], one[0]))
        return [value for (name, value), _ in named if name == kind][:most]

    def matches(self, text: str) -> tuple[Match, ...]:
        """The spans of a text that mean something, longest first; in each field none overlap.

        A name inside a longer one that is known to mean something else is not meant: the sales
        in "cost of sales", the debt in "net debt".
        """
        text = text[:READ]
        words = words_of(text)
        usable = _usable(self.index, words, text)
        found = [one for one in usable if not self._is_parted(text, words, one)]
        kept: list[Found] = []
        for one in sorted(found, key=_preferred):
            if not any(_overlap(one, other) for other in kept if other.field == one.field):
                kept.append(one)
        kept.sort(key=lambda one: (one.first - one.last, one.first, one.field))
        return tuple(self._match(text, words, one) for one in kept)

    def _is_parted(self, text: str, words: list[Word], one: Found) -> bool:
        """Whether a colon parts the words, which none of the names has: `Spain: total`."""
        said = text[words[one.first].start : words[one.last - 1].end]
        names = "".join(self.index.names[number].value for number in one.names)
        return any(mark in said and mark not in names for mark in ":;")

    def wider(self, match: Match) -> tuple[Match, ...]:
        """What else a span may mean, nearest first, when its own values lead nowhere.

        First the same name in another form, then names of equal standing, then names that have
        most of its words.
        """
        words = words_of(match.said)
        seen = set(match.values)
        steps: list[Match] = []
        for one in (*self._other_forms(words, match.field), *partial_names(self.index, words)):
            if one.field != match.field or one.last - one.first < len(words):
                continue
            found = self._match(match.said, words, one)
            values = tuple(value for value in found.values if value not in seen)
            if values:
                seen.update(values)
                steps.append(replace(match, values=values, how=one.how, score=found.score))
        return tuple(steps)

    def _other_forms(self, words: list[Word], kind: str) -> Iterator[Found]:
        """Names of a field that are the same words, or stand for the same, nearest first."""
        told = " ".join(key for key, _, _ in self.aliases.told(words))
        looks: tuple[tuple[list[tuple[int, float]], How, float], ...] = (
            (self.index.whole.get(joined(words), []), "exact", 1.0),
            (self.index.told.get(told, []), "alias", 0.9),
        )
        for hits, how, worth in looks:
            ours = {
                (near, number) for number, near in hits if self.index.names[number].field == kind
            }
            for near in sorted({near for near, _ in ours}, reverse=True):
                numbers = tuple(sorted(number for far, number in ours if far == near))
                yield Found(0, len(words), kind, numbers, how, near * worth, 0.0)

    def _match(self, text: str, words: list[Word], one: Found) -> Match:
        start, end = words[one.first].start, words[one.last - 1].end
        names = self.index.names
        return Match(
            said=text[start:end],
            start=start,
            end=end,
            field=one.field,
            values=tuple(dict.fromkeys(names[number].value for number in one.names)),
            how=one.how,
            score=round(one.score, 3),
        )


def _usable(index: Index, words: list[Word], text: str) -> list[Found]:
    """What may be meant: not a common word alone, nor a part of a name of something else."""
    exact = list(whole_names(index, words))
    spelt = {(one.first, one.last, one.field) for one in exact}
    others = chain(told_names(index, words), misspelt_names(index, words))
    found = [
        *exact,
        *(one for one in others if (one.first, one.last, one.field) not in spelt),
        *partial_names(index, words),
    ]
    fixed = [
        (first, last)
        for _, first, last in index.aliases.told(words)
        if sum(not is_light(word.key) for word in words[first:last]) > 1
        and not _is_pair(text, words[first:last])
    ]
    lone = len(words) == 1
    return [
        one
        for one in found
        if (lone or not _is_common(index, words[one.first : one.last], text))
        and not _is_inside(one, fixed)
        and not (one.field == "company" and _is_owned(text, words[one.first : one.last - 1]))
        and not (one.field in _LONG_TITLES and one.how == "partial" and one.last - one.first < 2)
    ]


def _is_pair(text: str, words: list[Word]) -> bool:
    """Whether a name sets two others against one another: net debt to EBITDA, debt/equity."""
    between = text[words[0].start : words[-1].end]
    return "/" in between or any(word.key == "to" for word in words)


def _is_owned(text: str, words: list[Word]) -> bool:
    """Whether one of these words has what follows it: the group in "Norvale's group sales"."""
    return any(text[word.end : word.end + 2] in ("'s", "’s") for word in words)


def _is_common(index: Index, words: list[Word], text: str) -> bool:
    """Whether words are such as any question has: `total`, but not `Other` in its midst."""
    common = common_words()
    if not all(word.key in common or word.key.isdigit() for word in words):
        return False
    if joined(words) in index.aliases.names:
        return False
    if text.isupper():
        return True
    if any(word.capital == "AA" and word.key in index.aliases.codes for word in words):
        return False
    if all(word.key in _TIMES or word.key.isdigit() for word in words):
        return True
    midst = [word for word in words if text[: word.start].strip(" \"'“‘(")]
    return not any(word.capital for word in midst)


def _is_inside(one: Found, fixed: list[tuple[int, int]]) -> bool:
    return any(
        first <= one.first and one.last <= last and (one.first, one.last) != (first, last)
        for first, last in fixed
    )


def _preferred(one: Found) -> tuple[float, float, int]:
    return (-one.size, -one.score, one.first)


def _overlap(one: Found, other: Found) -> bool:
    return one.first < other.last and other.first < one.last
