"""How likely does a hit answer the question? A relevance from 0 to 1, by calibration.

A fused score orders hits; it does not say whether the first is any good, for every list has a
first. What can be compared between questions are a few signs of the hit itself:

- `meaning`: its similarity to the question, as the embedder gave it;
- `words`: the share of the question's letters that are in words which the passage has too;
- `first`: 1 / place; a hit that meets exact criteria (a row, a node, a path, an identifier) counts
  as if it were first.

relevance = 1 / (1 + exp(-(base + Σ weight · sign))), with weights of 0 or more, so that more of
a sign never makes a hit less likely. The weights are learned from judged questions and from
questions that nothing in the corpus answers, for one embedder: similarities of another do not
compare.

A hit that contains an identifier which no language describes, such as a code, has at least
`CERTAIN`: neither meaning nor words can tell.

Whether anything answers at all is decided for the question, not for a hit: the same sum over the
best `meaning`, the best `words` and the best score of the reranker among the first hits
(`Answerable`). Where the reranker gave no scores, the relevance of the best hit decides.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from consilience.errors import StoreError
from consilience.types import Hit, Note, Signal, Vote
from consilience.understand.names import surface

SIGNS = ("meaning", "words", "first")
FIRST = 10
"""How many hits are considered for the best signs of a question, however many are shown."""
SURE = 0.6
"""The chance that something answers from which on missing words say nothing against it."""
CERTAIN = 0.6
"""The least relevance of a hit that contains such an identifier."""
FILE = "relevance.json"
"""A workspace's own calibration, in its store."""
SHIPPED = Path(__file__).parent / "calibration.json"
VERSION = 1
_LETTERS = 6  # compared letters of a word: most forms of a word share them, in many languages
_SHORT = 3  # shorter words do not count


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """The signs of a hit; `meaning` is None where no source compared it.

    `exact` marks a hit that matches the question exactly, or meets its criteria as far as any hit
    does; a `certain` one contains an identifier that no language describes.
    """

    meaning: float | None
    words: float
    first: float
    exact: bool = False
    certain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The ids of hits that match a question exactly, and of those the certain ones."""

    exact: frozenset[str] = frozenset()
    certain: frozenset[str] = frozenset()


NO_MATCHES = Matches()


class Best(NamedTuple):
    """The best of each sign among the first hits of a question."""

    meaning: float
    words: float
    reranked: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerable:
    """How the best signs of a question become the chance that anything found answers it.

    It was learned with the scores of `reranker`: those of another do not compare.
    """

    reranker: str
    base: float
    weights: Mapping[str, float]

    def __post_init__(self) -> None:
        _check(Best._fields, self.base, self.weights)

    def chance(self, best: Best) -> float:
        """The chance that something answers a question whose best signs are these."""
        return _probability(self.base, self.weights, best._asdict())

    def explained(self, best: Best) -> str:
        """The arithmetic of the chance: the log odds that the best signs add up to."""
        chance = f"the chance that something here answers is {self.chance(best):.2f}"
        parts = _list_parts(self.weights, best._asdict())
        return f"{chance}: log odds of {self.base:+.2f}, best {parts}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How signs become a relevance, for one embedder, and where that was learned.

    `fingerprint` is that of the corpus it was learned on, empty for the shipped ones. With
    `answerable` the signs of all first hits decide whether the search abstains; without it, or
    without the scores of its reranker, the relevance of the best hit does.
    """

    model: str
    base: float
    weights: Mapping[str, float]
    origin: str = ""
    fingerprint: str = ""
    questions: int = 0
    told: Mapping[str, float] = field(default_factory=dict)
    answerable: Answerable | None = None

    def __post_init__(self) -> None:
        _check(SIGNS, self.base, self.weights)

    def relevance(self, signs: Signs) -> float | None:
        """The relevance of a hit with these signs; None if its meaning was not compared."""
        if signs.meaning is None:
            return None
        values = {"meaning": signs.meaning, "words": signs.words, "first": signs.first}
        relevance = _probability(self.base, self.weights, values)
        return max(relevance, CERTAIN) if signs.certain else relevance

    def explained(self, signs: Signs) -> str:
        """The arithmetic of a hit's relevance: the log odds that its signs add up to."""
        relevance = self.relevance(signs)
        if relevance is None or signs.meaning is None:
            return "relevance: not known, nothing compared its meaning with the question's"
        values = {"meaning": signs.meaning, "words": signs.words, "first": signs.first}
        parts = _list_parts(self.weights, values)
        if signs.certain and relevance == CERTAIN:
            parts += f"; at least {CERTAIN:g}, since it holds what the question names"
        return f"relevance {relevance:.2f}: log odds of {self.base:+.2f}, {parts}"

    def as_json(self) -> dict[str, Any]:
        """The JSON that `read_calibration` reads."""
        return {"version": VERSION, **asdict(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Hits with their relevance, the chance that any answers, and whether that is too little."""

    hits: tuple[Hit, ...]
    abstained: bool = False
    answerable: float | None = None
    notes: tuple[Note, ...] = ()


def judge(
    hits: Sequence[Hit],
    text: str,
    calibration: Calibration | None,
    *,
    floor: float,
    matches: Matches = NO_MATCHES,
    first: Sequence[Hit] | None = None,
) -> Judged:
    """The hits with their relevance; the search abstains if that is below `floor`.

    `matches` are the hits that match the question exactly; `first` are the first hits
    whatever the limit, if `hits` were cut. Without a calibration nothing is known, and the search
    does not abstain. No hit is removed.
    """
    if calibration is None:
        return Judged(hits=tuple(hits))
    signs = signs_of(hits, text, matches)
    values = [calibration.relevance(sign) for sign in signs]
    judged = tuple(replace(hit, relevance=value) for hit, value in zip(hits, values, strict=True))
    answerable, chance = calibration.answerable, None
    if answerable and (
        best := best_of(hits if first is None else first, text, answerable.reranker)
    ):
        chance = answerable.chance(best)
    if not abstains(signs, values, floor, chance):
        return Judged(hits=judged, answerable=chance)
    if chance is None:
        highest = max(value for value in values if value is not None)
        number = f"the best relevance is {highest:.2f}"
    else:
        number = f"the chance that something does is {chance:.2f}"
    message = f"no passage is likely to answer this: {number}, below refine.floor = {floor:g}"
    note = Note("relevance", message)
    return Judged(hits=judged, abstained=True, answerable=chance, notes=(note,))


def relevances(
    hits: Sequence[Hit], text: str, calibration: Calibration, matches: Matches = NO_MATCHES
) -> list[float | None]:
    """The relevance of each hit of a question, in order; None where nothing is known."""
    return [calibration.relevance(signs) for signs in signs_of(hits, text, matches)]


def abstains(
    signs: Sequence[Signs],
    relevances: Sequence[float | None],
    floor: float,
    chance: float | None = None,
) -> bool:
    """Whether nothing that was found is likely to answer.

    The chance that anything does decides, where it is known, unless a hit matches the question
    exactly and is relevant enough. Otherwise all hits must be below the floor; a hit of unknown
    relevance may answer.
    """
    if not relevances:
        return False
    if chance is None:
        return all(value is not None and value < floor for value in relevances)
    pairs = zip(signs, relevances, strict=True)
    matched = any(sign.exact and (value is None or value >= floor) for sign, value in pairs)
    return chance < floor and not matched


def best_of(hits: Sequence[Hit], text: str, reranker: str) -> Best | None:
    """The best signs of the first hits; None where meaning or this reranker compared nothing."""
    first = hits[:FIRST]
    scores = [
        change.score
        for hit in first
        for change in hit.changes
        if change.score is not None and change.reason == reranker
    ]
    signs = signs_of(first, text) if scores else []
    near = [sign.meaning for sign in signs if sign.meaning is not None]
    if not near:
        return None
    return Best(meaning=max(near), words=max(sign.words for sign in signs), reranked=max(scores))


def signs_of(hits: Sequence[Hit], text: str, matches: Matches = NO_MATCHES) -> list[Signs]:
    """The signs of each hit of a question, in order.

    A passage that the source of meaning did not find is no nearer than the farthest that it did:
    it gets that similarity. Where no hit has any, the meaning is unknown.
    """
    votes = [_own_votes(hit) for hit in hits]
    similarities = [
        max((vote.score for vote in own if vote.ranks_by is Signal.MEANING), default=None)
        for own in votes
    ]
    farthest = min((value for value in similarities if value is not None), default=None)
    shares = _criteria_shares(votes)
    question = _longest_words(text)
    signs = []
    for place, hit in enumerate(hits):
        similarity, share, key = similarities[place], shares[place], hit.passage.id
        matched = key in matches.exact
        signs.append(
            Signs(
                meaning=farthest if similarity is None else similarity,
                words=_shared(question, _starts(hit.passage.indexed)),
                first=1.0 if matched else max(1 / (place + 1), share),
                exact=matched or share == 1.0,
                certain=key in matches.certain,
            )
        )
    return signs


def open_calibration(store: Path, model: str) -> tuple[Calibration | None, tuple[Note, ...]]:
    """The calibration of a workspace for an embedder, and notes about it.

    Its own calibration if it has one for this embedder, else the shipped one, else none. A file
    that cannot be read, or belongs to another embedder, costs a note and not the search.
    """
    try:
        own = read_calibration(store / FILE)
    except StoreError as error:
        return shipped(model), (Note("relevance", f"{error}; until then the shipped one is used"),)
    if own is None or own.model == model:
        return own or shipped(model), ()
    message = (
        f"{FILE} was learned with the embedder {own.model}, not with {model}, and is not used; "
        "run `consilience calibrate` again"
    )
    return shipped(model), (Note("relevance", message),)


def read_calibration(path: Path) -> Calibration | None:
    """A workspace's own calibration; None where there is none, an error where it is damaged."""
    try:
        return calibration_of(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, AttributeError, StoreError) as error:
        raise StoreError(
            f"{path} is not a calibration: {error}; run `consilience calibrate --forget`, or "
            "learn it again"
        ) from error


def shipped(model: str) -> Calibration | None:
    """The calibration shipped for an embedder; None for one that was not measured."""
    tables = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return next((calibration_of(table) for table in tables if table["model"] == model), None)


def calibration_of(table: Mapping[str, Any]) -> Calibration:
    """A calibration from its JSON; another version is refused."""
    if table.get("version") != VERSION:
        raise StoreError(f"its version is {table.get('version')!r}, known is {VERSION}")
    known = {part.name for part in fields(Calibration)}
    values = {name: value for name, value in table.items() if name in known}
    part = values.get("answerable")
    return Calibration(**{**values, "answerable": Answerable(**part) if part else None})


def _check(names: Sequence[str], base: float, weights: Mapping[str, float]) -> None:
    if set(weights) != set(names):
        raise StoreError(
            f"a calibration has weights for {', '.join(names)}, not for "
            f"{', '.join(sorted(weights)) or 'nothing'}; learn it again"
        )
    if not all(map(math.isfinite, [base, *weights.values()])) or min(weights.values()) < 0:
        raise StoreError(
            f"a calibration has finite weights of 0 or more, not {dict(weights)}; learn it again"
        )


def _probability(base: float, weights: Mapping[str, float], signs: Mapping[str, float]) -> float:
    """1 / (1 + e^-x) of the log odds x, for any x."""
    log_odds = base + sum(weights[name] * value for name, value in signs.items())
    if log_odds >= 0:
        return 1 / (1 + math.exp(-log_odds))
    odds = math.exp(log_odds)
    return odds / (1 + odds)


def _list_parts(weights: Mapping[str, float], signs: Mapping[str, float]) -> str:
    """What each sign adds to the log odds."""
    return ", ".join(
        f"{name} {value:.2f} → {weights[name] * value:+.2f}" for name, value in signs.items()
    )


def _own_votes(hit: Hit) -> list[Vote]:
    """The vote of each source; second votes (`books/dense+terms`) are left out."""
    votes = (part for vote in hit.votes for part in vote.parts or (vote,))
    return [vote for vote in votes if not vote.is_repeated]


def _criteria_shares(votes: Sequence[Sequence[Vote]]) -> list[float]:
    """How far each hit meets exact criteria: its share of the most that any hit meets."""
    scores = [
        {vote.source: vote.score for vote in own if vote.ranks_by.is_exact and vote.rank}
        for own in votes
    ]
    most: dict[str, float] = {}
    for by_source in scores:
        for source, score in by_source.items():
            most[source] = max(score, most.get(source, 0.0))
    return [
        max((score / most[source] for source, score in by_source.items() if score > 0), default=0.0)
        for by_source in scores
    ]


def _longest_words(text: str) -> Mapping[str, int]:
    """The beginnings of the words of a question, each with the length of its longest word."""
    lengths: dict[str, int] = {}
    for word in _words(text):
        start = word[:_LETTERS]
        lengths[start] = max(len(word), lengths.get(start, 0))
    return lengths


@lru_cache(maxsize=256)
def _starts(text: str) -> frozenset[str]:
    """The beginnings of the words of a passage."""
    return frozenset(word[:_LETTERS] for word in _words(text))


def _words(text: str) -> list[str]:
    """The words of a text; the short ones count only where there are no others."""
    every = surface(text).split()
    return [word for word in every if len(word) >= _SHORT] or every


def _shared(question: Mapping[str, int], passage: frozenset[str]) -> float:
    total = sum(question.values())
    return sum(size for word, size in question.items() if word in passage) / total if total else 0.0
