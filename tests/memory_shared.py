"""What should a source answer? The reference implementation: no engine; slow, obvious, right.

`Memory` holds passages and a rank: `ByMeaning`, `ByWords`, `ByCriteria`, `ByNodes`, `ByPaths`.
Each engine's adapter is compared with the rank that it speeds up.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from consilience.filters import holds, passes
from consilience.stores.common import check_limit, rank_found
from consilience.stores.graph_paths import (
    HOPS,
    Edge,
    GraphPath,
    Step,
    clean_request,
    make_found,
    node_names,
    read_edge,
    read_node,
    reweigh_path,
    score_nodes,
    score_paths,
    unjoined_pairs,
)
from consilience.types import Found, Passage, Request, Term

_WORD = re.compile(r"\w+")


class Rank(Protocol):
    """Scores passages for a request, in any order; what does not match is left out."""

    def __call__(self, request: Request, passages: Sequence[Passage]) -> Iterable[Found]:
        """Score what matches the request."""
        ...


class Memory:
    """A source over passages in memory, ranked by `rank`; filters are checked one by one."""

    def __init__(
        self, name: str, collection: str, *, passages: Iterable[Passage], rank: Rank
    ) -> None:
        self.name = name
        self.collection = collection
        self._passages = {passage.id: passage for passage in passages}
        self._rank = rank

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` passages that meet the filters, best first, ties by id."""
        check_limit(limit)
        return rank_found(self._found(request), limit)

    async def score(self, request: Request, ids: Sequence[str]) -> Mapping[str, float]:
        """The score of each named passage that is held and passes; 0 where nothing matches."""
        scores = {found.id: found.score for found in self._found(request)}
        known = (self._passages[key] for key in ids if key in self._passages)
        return {
            passage.id: scores.get(passage.id, 0.0)
            for passage in known
            if passes(passage, request.filters)
        }

    def _found(self, request: Request) -> Iterator[Found]:
        for found in self._rank(request, tuple(self._passages.values())):
            if passes(found.passage or self._passages[found.id], request.filters):
                yield found


@dataclass(frozen=True, slots=True)
class ByMeaning:
    """Cosine of the question's vector with each passage's: a·b / (|a| |b|), 0 for no length."""

    vectors: Mapping[str, Sequence[float]]
    embed: Callable[[str], Sequence[float]]

    def __call__(self, request: Request, passages: Sequence[Passage]) -> Iterator[Found]:
        """Score every passage that has a vector."""
        question = self.embed(request.text)
        for passage in passages:
            if passage.id in self.vectors:
                yield Found(passage.id, _cosine(question, self.vectors[passage.id]))


def words(text: str) -> list[str]:
    """A text's words in lower case; no stop words and no word forms, unlike an engine's."""
    return _WORD.findall(text.lower())


@dataclass(frozen=True, slots=True)
class ByWords:
    """BM25 (Robertson & Zaragoza 2009) with k1 = 1.2 and b = 0.75.

    score(d) = Σ over words w of weight(w) · idf(w) · tf · 2.2 / (tf + 1.2 (1 - b + b |d| / avg)),
    idf(w) = ln(1 + (N - n + 0.5) / (n + 0.5)), where N counts the passages that have a word at
    all and n those that have w. A word that the question has c times weighs c · 9 / (c + 8), a word
    of an expansion the weight of its term; one in several counts once, with the largest weight.
    """

    k1: float = 1.2
    b: float = 0.75
    average: float | None = None
    split: Callable[[str], list[str]] = words

    def __call__(self, request: Request, passages: Sequence[Passage]) -> Iterator[Found]:
        """Score the passages that share a word with the request."""
        counts = {passage.id: Counter(self.split(passage.indexed)) for passage in passages}
        counts = {key: count for key, count in counts.items() if count}
        if not counts:
            return
        average = self.average or sum(map(Counter.total, counts.values())) / len(counts)
        weights = _weights(request.text, request.terms, split=self.split)
        idf = {word: _idf(word, list(counts.values())) for word in weights}
        for key, count in counts.items():
            length = 1 - self.b + self.b * count.total() / average
            score = sum(
                weight * idf[word] * self._frequency(count[word], length)
                for word, weight in weights.items()
            )
            if score > 0:
                yield Found(key, score)

    def _frequency(self, frequency: int, length: float) -> float:
        return frequency * (self.k1 + 1) / (frequency + self.k1 * length)


@dataclass(frozen=True, slots=True)
class ByCriteria:
    """score(row) = how many of the request's criteria it meets; a row that meets none is out."""

    def __call__(self, request: Request, passages: Sequence[Passage]) -> Iterator[Found]:
        """Score the passages of kind `row`."""
        for passage in passages:
            met = sum(holds(each, passage.value(each.field)) for each in request.criteria)
            if met and passage.kind == "row":
                yield Found(passage.id, float(met))


@dataclass(frozen=True, slots=True)
class ByNodes:
    """score(node) = Σ over seeds of the best path's weight from it; a seed has 1 from itself.

    Paths and their weights are those of `ByPaths`. How many edges a node has never counts.
    """

    def __call__(self, request: Request, passages: Sequence[Passage]) -> Iterator[Found]:
        """Score the passages of kind `node` that a seed reaches."""
        request = clean_request(request)
        nodes = [node for node in map(read_node, passages) if node]
        scores = score_nodes(_walk(request, passages), request.seeds)
        for node in nodes:
            if node.id in scores:
                yield Found(node.passage, scores[node.id])


@dataclass(frozen=True, slots=True)
class ByPaths:
    """score(path) = Π over edges of (weight · m) · 0.5^(length - 1), fourfold between two seeds,
    and 1 more for the best of statements between each two.

    m is 1 where the request names no relation or names this one, else 0.3. Paths have 1 to 3
    edges, repeat no node, and walk edges in both directions; of parallel edges the best counts.
    Their length counts edges, and turns between statements. Two seeds that no such path joins
    have the best of up to 6 edges.
    """

    def __call__(self, request: Request, passages: Sequence[Passage]) -> Iterator[Found]:
        """Score the paths that start at a seed; those of several edges bring their passage."""
        request = clean_request(request)
        names = node_names(node for node in map(read_node, passages) if node)
        known = {passage.id: passage for passage in passages}
        for score, path in score_paths(_walk(request, passages), request.seeds):
            if found := make_found(path, score, names=names, passages=known):
                yield found


def _walk(request: Request, passages: Sequence[Passage]) -> list[GraphPath]:
    """Every simple path of up to three edges from every seed, by trying them all.

    Of two seeds that are not joined so, the best path of up to six.
    """
    edges = [edge for edge in map(read_edge, passages) if edge]
    seeds = (GraphPath.start(seed, request.intents) for seed in request.seeds)
    paths = [path for seed in seeds for path in _extend(seed, edges, hops=HOPS)]
    for start, end in unjoined_pairs(paths, request.seeds):
        far = _extend(GraphPath.start(start, ()), edges, hops=2 * HOPS)
        joining = sorted((path for path in far if path.end == end), key=lambda path: path.order)
        paths += [reweigh_path(path, request.intents) for path in joining[:1]]
    return paths


def _extend(path: GraphPath, edges: Sequence[Edge], *, hops: int) -> Iterator[GraphPath]:
    for edge in edges if hops else ():
        for step in (Step(edge, forward=True), Step(edge, forward=False)):
            if step.start == path.end and step.end not in path.nodes:
                longer = path.then(step)
                if longer.is_valid:
                    yield longer
                    yield from _extend(longer, edges, hops=hops - 1)


def _cosine(a: Sequence[float], b: Sequence[float]) -> float:
    lengths = math.hypot(*a) * math.hypot(*b)
    return sum(map(float.__mul__, map(float, a), map(float, b))) / lengths if lengths else 0.0


def _idf(word: str, counts: Sequence[Counter[str]]) -> float:
    having = sum(word in count for count in counts)
    return math.log(1 + (len(counts) - having + 0.5) / (having + 0.5))


def _weights(
    text: str, terms: Sequence[Term], *, split: Callable[[str], list[str]]
) -> dict[str, float]:
    weights = {word: count * 9 / (count + 8) for word, count in Counter(split(text)).items()}
    for term in terms:
        for word in split(term.text):
            weights[word] = max(weights.get(word, 0.0), term.weight)
    return weights
