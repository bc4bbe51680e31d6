"""What do the passages say, sentence by sentence, and how well does each answer the question?

Four things are weighed: nearness in meaning, the question's rare words (in the sentence, and less
in what stands before and above it), the place of its passage, and whether it has the kind of
thing that is asked for. The weights were chosen on one half of the questions of a public
collection, except that a reason or a meaning was given more by reading answers;
`benchmarks/extractive.py` shows what they are worth on the other half.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from consilience.answer.drawn import is_drawn
from consilience.answer.extractive.asking import SAME, Asked, asked, terms
from consilience.answer.extractive.moving import move_terms
from consilience.answer.sentences import Sentence, one_line, sentences
from consilience.protocols import Embedder
from consilience.types import Exhibit

if TYPE_CHECKING:
    from consilience.protocols import Vectors


class Signs(NamedTuple):
    """What speaks for a sentence, each from 0 to 1: nearness in meaning, the question's words in
    it and around it, the place of its passage, that it has the kind of thing asked for, and that
    it begins what stands under a heading with the question's words.
    """

    meaning: float
    words: float
    around: float
    place: float
    kind: float
    begins: float = 0.0


NOTHING = Signs(0.0, 0.0, 0.0, 0.0, 0.0)
WEIGHTS = Signs(meaning=1.0, words=1.0, around=0.3, place=0.5, kind=0.6, begins=0.5)
_BEGINNING = 300  # letters of a game: moves have no meaning that a model of language reads
_BEGINS = (1.0, 0.6, 0.3)  # what the first sentences under a heading are worth
MOST = 160
"""Sentences that are compared by meaning; further ones, by words, are passed over."""
_ARROW = re.compile(r"[→←] \(")
_LABEL = re.compile(
    r"(?:BACKGROUND|INTRODUCTION|OBJECTIVES?|AIMS?|PURPOSE|DESIGN|SETTINGS?|METHODS?|RESULTS|"
    r"FINDINGS|CONCLUSIONS?|INTERPRETATION|DISCUSSION|SUMMARY|RATIONALE|SIGNIFICANCE|IMPORTANCE|"
    r"METHODS AND RESULTS|MATERIALS AND METHODS)[:.]?\s+(?=[A-Z])"
)
LINKS = frozenset(("node", "edge", "path"))
WHOLE = frozenset(("row", "game"))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of an exhibit, or all of a row or game; `place` counts it in its exhibit.

    `around` is what a reader sees beside it: the sentence before, headings, a chain of arrows.
    """

    exhibit: Exhibit
    place: int
    sentence: Sentence
    around: str = ""
    signs: Signs = NOTHING

    @property
    def score(self) -> float:
        """How well it answers."""
        return sum(weight * sign for weight, sign in zip(WEIGHTS, self.signs, strict=True))

    @property
    def key(self) -> tuple[int, int]:
        """Its mark and place: what ties are broken by."""
        return (self.exhibit.mark, self.place)

    @property
    def mark(self) -> int:
        """The mark of its exhibit."""
        return self.exhibit.mark


@dataclass(frozen=True, slots=True)
class Reading:
    """All candidates in the order of the evidence, with their vectors where there is a model."""

    asked: Asked
    candidates: tuple[Candidate, ...]
    vectors: Vectors | None = None
    places: dict[tuple[int, int], int] = field(default_factory=dict)

    def of(self, mark: int) -> list[Candidate]:
        """The candidates of one exhibit, in reading order."""
        return [one for one in self.candidates if one.mark == mark]

    def alike(self, one: Candidate, other: Candidate) -> float:
        """How alike two candidates are, from 0 to 1: by meaning, or by words without a model."""
        if self.vectors is None:
            first, second = set(terms(one.sentence.text)), set(terms(other.sentence.text))
            return len(first & second) / max(1, len(first | second))
        here, there = self.places[one.key], self.places[other.key]
        return max(0.0, float(self.vectors[here] @ self.vectors[there]))


def read(question: str, exhibits: Sequence[Exhibit], embedder: Embedder | None) -> Reading:
    """Read the evidence for a question."""
    wanted = asked(question)
    found = [one for exhibit in exhibits for one in candidates(exhibit)]
    by_words = word_scores(wanted, found)
    headed = headed_scores(wanted, exhibits)
    if len(found) > MOST:
        order = sorted(range(len(found)), key=lambda at: (-sum(by_words[at]), at))[:MOST]
        kept = sorted(order)
        found, by_words = [found[at] for at in kept], [by_words[at] for at in kept]
    vectors = _vectors(found, embedder)
    near = [0.0] * len(found)
    if embedder is not None and vectors is not None:
        near = [float(one) for one in vectors @ embedder.embed_query(question).reshape(-1)]
    scored = tuple(
        replace(one, signs=_signs(wanted, one, near=close, words=words, headed=headed[one.mark]))
        for one, close, words in zip(found, near, by_words, strict=True)
    )
    places = {one.key: at for at, one in enumerate(scored)}
    return Reading(wanted, scored, vectors, places)


def candidates(exhibit: Exhibit) -> list[Candidate]:
    """The sentences of a passage; a row or game is one, of a path the chain is no sentence."""
    passage = exhibit.passage
    above = one_line(" ".join((passage.title, *passage.locator.section)))
    if passage.kind in WHOLE:
        whole = Sentence(passage.text, 0, len(passage.text), 0)
        return [Candidate(exhibit, 0, whole, above)]
    chain = chain_end(passage.kind, passage.text)
    found = [
        replace(one, start=chain + one.start, end=chain + one.end)
        for one in sentences(passage.text[chain:], passage.locator.section)
        if not (chain and _ARROW.search(one.text)) and not is_drawn(one.text)
    ]
    if not found and passage.kind in ("path", "edge"):
        found = [Sentence(passage.text, 0, len(passage.text), 0)]
    found = [_unlabelled(one) for one in found]
    lead = one_line(passage.text[:chain]) or above
    before = ["", *(one.text for one in found)]
    return [
        Candidate(exhibit, place, one, f"{lead} {before[place]}") for place, one in enumerate(found)
    ]


def _unlabelled(one: Sentence) -> Sentence:
    """A sentence without the label that structured abstracts put before it: `RESULTS We found`."""
    label = _LABEL.match(one.text)
    if label is None:
        return one
    return replace(one, text=one.text[label.end() :], start=one.start + label.end())


def chain_end(kind: str, text: str) -> int:
    """Where the arrows of a path or link end, or the name of a node, and its sentences begin."""
    if kind == "path":
        return text.find("\n") + 1
    if kind not in LINKS:
        return 0
    arrows = max(text.rfind("→"), text.rfind("←"), 0)
    if kind == "edge" and not arrows:
        return 0
    stop = text.find(". ", arrows)
    return stop + 2 if stop >= 0 else len(text)


def word_scores(wanted: Asked, found: Sequence[Candidate]) -> list[tuple[float, float]]:
    """For each candidate the share of the question's words in it, and in what is around it.

    A word counts by its rarity among the candidates; one that none has counts nothing. What stands
    under a heading that the question names whole has the words of that heading.
    """
    said = (*wanted.terms, *wanted.moves)
    held = [_held(one.sentence.text) | _named_above(wanted, one.exhibit) for one in found]
    around = [_held(one.around) for one in found]
    counts: Counter[str] = Counter()
    for inside, beside in zip(held, around, strict=True):
        counts.update(term for term in said if _has(term, inside | beside))
    rarity = {term: math.log(1 + len(found) / counts[term]) for term in said if counts[term]}
    total = sum(rarity.values()) or 1.0
    scores = []
    for inside, beside in zip(held, around, strict=True):
        here = {term for term in rarity if _has(term, inside)}
        there = {term for term in rarity if term not in here and _has(term, beside)}
        scores.append(
            (
                sum(rarity[term] for term in sorted(here)) / total,
                sum(rarity[term] for term in sorted(there)) / total,
            )
        )
    return scores


def headed_scores(wanted: Asked, exhibits: Sequence[Exhibit]) -> dict[int, float]:
    """For each exhibit, by its mark, the share of the question's words in the headings above it.

    A word counts by its rarity among the headings, and so does one that none of them has.
    """
    above = {one.mark: _held(" ".join(one.passage.locator.section)) for one in exhibits}
    counts = Counter(term for held in above.values() for term in wanted.terms if _has(term, held))
    rarity = {term: math.log(1 + len(above) / max(1, counts[term])) for term in wanted.terms}
    total = sum(rarity.values()) or 1.0
    return {
        mark: sum(rarity[term] for term in wanted.terms if _has(term, held)) / total
        for mark, held in above.items()
    }


def _held(text: str) -> frozenset[str]:
    return frozenset(terms(text)) | move_terms(text)


def _named_above(wanted: Asked, exhibit: Exhibit) -> frozenset[str]:
    """The words of the nearest heading, where the question has all of them."""
    section = exhibit.passage.locator.section
    above = _held(section[-1]) if section else frozenset()
    return above if above <= set(wanted.terms) else frozenset()


def _has(term: str, held: frozenset[str]) -> bool:
    return term in held or not held.isdisjoint(SAME.get(term, ()))


def _signs(
    wanted: Asked, one: Candidate, *, near: float, words: tuple[float, float], headed: float
) -> Signs:
    first = (one.exhibit.passage.locator.part or 1) == 1 and not wanted.one_thing
    return Signs(
        meaning=max(0.0, near),
        words=words[0],
        around=words[1],
        place=1.0 / math.log2(1 + one.mark),
        kind=wanted.answers(one_line(one.sentence.text)),
        begins=headed * _BEGINS[one.place] if first and one.place < len(_BEGINS) else 0.0,
    )


def _vectors(found: Sequence[Candidate], embedder: Embedder | None) -> Vectors | None:
    if embedder is None or not found:
        return None
    texts = [_read(one) for one in found]
    cut = [
        text if count <= embedder.limit else _cut(text, count, embedder)
        for text, count in zip(texts, embedder.count(texts), strict=True)
    ]
    return embedder.embed(cut)


def _read(one: Candidate) -> str:
    """What of a candidate is compared by meaning; of a game only its beginning."""
    text = one_line(one.sentence.text)
    return text[:_BEGINNING] if one.exhibit.passage.kind == "game" else text


def _cut(text: str, count: int, embedder: Embedder) -> str:
    """As much of a long sentence as the embedder reads."""
    while count > embedder.limit:
        text = text[: max(1, min(len(text) - 1, int(len(text) * 0.9 * embedder.limit / count)))]
        count = embedder.count([text])[0]
    return text
