"""Which names of the evidence do the words of a question mean? By whole names, then by parts.

Every name is indexed by its words. A run of words of the question is looked up as it is, then by
what it stands for (`aliases`), then with misspelt words set right; what remains is compared with
names that share most of their telling words with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import log
from typing import Literal

from consilience.packs.finance.questions.aliases import Aliases, common_nouns, common_words
from consilience.packs.finance.questions.naming import company_forms
from consilience.packs.finance.questions.spelling import Word, forms_of, is_light, joined, words_of

How = Literal["exact", "alias", "fuzzy", "partial"]
"""How a name was found: as it is spelt, under another name, misspelt, or by most of its words."""
LONGEST = 24
"""Words of a name that are looked up as a whole."""
_ENOUGH = 0.5
_SHORTEST = 5
_CROWDED = 3000
_ALIKE = 0.03
_MOST = 8


@dataclass(frozen=True, slots=True)
class Name:
    """A value of a field of the evidence, and how many data have it."""

    field: str
    value: str
    count: int


@dataclass(frozen=True, slots=True)
class Found:
    """Names that a run of words means: those of one field, from word `first` up to `last`."""

    first: int
    last: int
    field: str
    names: tuple[int, ...]
    how: How
    score: float
    size: float


@dataclass(slots=True)
class Index:
    """All names by their words: `whole` as spelt, `told` by what they stand for.

    `measures` and `companies` are how many metrics are known everywhere, and how many companies.
    """

    aliases: Aliases
    names: list[Name] = field(default_factory=list)
    whole: dict[str, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))
    told: dict[str, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))
    having: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    parts: list[tuple[str, ...]] = field(default_factory=list)
    by_length: dict[int, list[str]] = field(default_factory=dict)
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    measures: int = 0
    companies: int = 0

    @classmethod
    def of(cls, values: Mapping[str, Mapping[str, int]], aliases: Aliases) -> Index:
        """Index the values of fields."""
        index = cls(aliases)
        for kind, counts in values.items():
            for value, count in counts.items():
                index._add(Name(kind, value, count))
        grouped: dict[int, list[str]] = defaultdict(list)
        for word in index.having.keys() | aliases.words:
            if len(word) >= _SHORTEST - 1 and not any(map(str.isdigit, word)):
                grouped[len(word)].append(word)
        index.by_length = dict(grouped)
        return index

    def _add(self, name: Name) -> None:
        number = len(self.names)
        self.names.append(name)
        self.counts[name.field, name.value] = name.count
        self.companies += name.field == "company"
        self.parts.append(())
        forms = company_forms(name.value) if name.field == "company" else forms_of(name.value)
        seen: set[str] = set()
        for form, near in forms:
            words = words_of(form)
            key = joined(words)
            if key in seen or not key or key.replace(" ", "").isdigit():
                continue
            if near < 0.9 and self._means_else(key):
                continue
            if not seen:
                self.parts[number] = tuple(dict.fromkeys(word.key for word in words))
            seen.add(key)
            self.whole[key].append((number, near))
            told = " ".join(one for one, _, _ in self.aliases.told(words))
            self.told[told].append((number, near))
            self.measures += name.field == "metric" and told in self.aliases.measures
        for word in self.parts[number]:
            self.having[word].append(number)

    def _means_else(self, key: str) -> bool:
        """Whether a short name is also a word of questions, a country or a measure."""
        return key in self.aliases.names or key in common_words() or key in common_nouns()

    def weight(self, word: str) -> float:
        """How much a word tells: little when many names have it, or any question may."""
        known = self.weights.get(word)
        if known is not None:
            return known
        rare = 1 + log((len(self.names) + 1) / (len(self.having.get(word, ())) or 1))
        weight = rare * (0.3 if is_light(word) or word in common_words() else 1.0)
        if word in self.having:
            self.weights[word] = weight
        return weight

    def is_known(self, word: str) -> bool:
        """Whether a word is spelt right: it is the evidence's, an alias's or a common one."""
        if word in self.having or word in self.aliases.words:
            return True
        return word in common_words() or word in common_nouns()

    def best(self, hits: Iterable[tuple[int, float]]) -> Iterator[tuple[str, float, list[int]]]:
        """The nearest names of each field, the most frequent first."""
        grouped: dict[str, dict[int, float]] = defaultdict(dict)
        for number, near in hits:
            kind = grouped[self.names[number].field]
            kind[number] = max(near, kind.get(number, 0.0))
        for name, numbers in grouped.items():
            top = max(numbers.values())
            chosen = [number for number, near in numbers.items() if near == top]
            yield name, top, sorted(chosen, key=self._order)

    def _order(self, number: int) -> tuple[int, str]:
        return -self.names[number].count, self.names[number].value


def whole_names(index: Index, words: list[Word]) -> Iterator[Found]:
    """Names that stand in the question word by word, in singular or plural."""
    for first in range(len(words)):
        for last in range(first + 1, min(first + LONGEST, len(words)) + 1):
            hits = index.whole.get(joined(words[first:last]))
            if hits:
                for kind, near, numbers in index.best(hits):
                    size = (last - first) * near
                    how: How = "exact" if near > 0.9 else "alias"
                    yield Found(first, last, kind, tuple(numbers), how, near, size)


def told_names(index: Index, words: list[Word]) -> Iterator[Found]:
    """Names that the question calls by another name."""
    told = index.aliases.told(words)
    for first in range(len(told)):
        for last in range(first + 1, min(first + LONGEST, len(told)) + 1):
            hits = index.told.get(" ".join(key for key, _, _ in told[first:last]))
            if hits:
                start, end = told[first][1], told[last - 1][2]
                for kind, near, numbers in index.best(hits):
                    score = 0.9 * near
                    size = (end - start) * score
                    yield Found(start, end, kind, tuple(numbers), "alias", score, size)


def misspelt_names(index: Index, words: list[Word]) -> Iterator[Found]:
    """Names that the question misspells by a letter or two."""
    fixed = list(words)
    near: dict[int, float] = {}
    for at, word in enumerate(words):
        right, score = _corrected(index, word)
        if right:
            fixed[at] = Word(right, word.start, word.end, word.capital)
            near[at] = score
    if not near:
        return
    for found in (*whole_names(index, fixed), *told_names(index, fixed)):
        scores = [near[at] for at in range(found.first, found.last) if at in near]
        if scores:
            score = 0.9 * min(scores) * found.score
            size = (found.last - found.first) * score
            yield Found(found.first, found.last, found.field, found.names, "fuzzy", score, size)


def _corrected(index: Index, word: Word) -> tuple[str, float]:
    """The word of the evidence that a word nobody knows is meant to be, if it is clear which."""
    key = word.key
    if len(key) < _SHORTEST or not key.isalpha() or index.is_known(key):
        return "", 0.0
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - an optional package

    most = 1 if len(key) < 9 else 2
    found: list[tuple[int, str]] = []
    for length in range(len(key) - most, len(key) + most + 1):
        for other in index.by_length.get(length, ()):
            if key[0] in other[:2] and other[0] in key[:2]:
                far = OSA.distance(key, other, score_cutoff=most)
                if far <= most:
                    found.append((far, other))
    if not found:
        return "", 0.0
    nearest = min(found)[0]
    best = [other for far, other in found if far == nearest]
    return (best[0], 1 - nearest / len(key)) if len(best) == 1 else ("", 0.0)


def partial_names(index: Index, words: list[Word]) -> Iterator[Found]:
    """Names most of whose telling words stand together in the question."""
    places: dict[str, list[int]] = defaultdict(list)
    for at, word in enumerate(words):
        if word.key in index.having and not word.key.isdigit():
            places[word.key].append(at)
    grouped: dict[tuple[str, int, int], list[tuple[float, int, int]]] = defaultdict(list)
    weights = {key: index.weight(key) for key in places}
    for number in _sharing(index, weights):
        kind = index.names[number].field
        best = _best_run(index, number, places)
        if best:
            score, first, last, size = best
            grouped[kind, first, last].append((score, size, number))
    for (kind, first, last), scored in grouped.items():
        top, size, _ = max(scored)
        chosen = [
            number for score, _, number in sorted(scored, reverse=True) if top - score < _ALIKE
        ]
        length = size * top - (0 if top >= 0.95 else 1)
        yield Found(first, last, kind, tuple(chosen[:_MOST]), "partial", top, length)


def _sharing(index: Index, weights: Mapping[str, float]) -> Iterator[int]:
    """The names that may have most of their telling words in the question."""
    gathered: dict[int, float] = {}
    for key in sorted(weights, key=lambda one: len(index.having[one])):
        numbers, weight = index.having[key], weights[key]
        if len(numbers) > _CROWDED:
            for number in numbers if len(gathered) > len(numbers) else tuple(gathered):
                if number in gathered and key in index.parts[number]:
                    gathered[number] += weight
            continue
        for number in numbers:
            gathered[number] = gathered.get(number, 0.0) + weight
    for number, weight in gathered.items():
        if weight >= _ENOUGH * sum(map(index.weight, index.parts[number])):
            yield number


def _best_run(
    index: Index, number: int, places: Mapping[str, list[int]]
) -> tuple[float, int, int, int] | None:
    """Where most of a name's words stand together: score, first word, end, how many words."""
    parts = index.parts[number]
    whole = sum(map(index.weight, parts))
    spots = sorted((at, part) for part in parts for at in places.get(part, ()))
    runs: list[list[tuple[int, str]]] = []
    for at, part in spots:
        if not runs or at - runs[-1][-1][0] > 2 or part in {one for _, one in runs[-1]}:
            runs.append([])
        runs[-1].append((at, part))
    best = None
    for run in runs:
        share = sum(index.weight(part) for _, part in run) / whole
        first, last = run[0][0], run[-1][0] + 1
        if not _is_enough(share, [part for _, part in run]):
            continue
        density = len(run) / (last - first)
        score = 0.95 if share > 0.999 and density == 1.0 else 0.5 + 0.4 * share * density
        if best is None or score > best[0]:
            best = (score, first, last, len(run))
    return best


def _is_enough(share: float, parts: list[str]) -> bool:
    words, nouns = common_words(), common_nouns()
    telling = [part for part in parts if not (is_light(part) or part in words or part in nouns)]
    if len(telling) >= 2:
        return share >= _ENOUGH
    return bool(telling) and len(telling[0]) >= 4 and share >= 0.6
