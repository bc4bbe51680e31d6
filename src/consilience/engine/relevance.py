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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from consilience.errors import StoreError
from consilience.types import Hit, Note, Signal, Vote
from consilience.understand.names import surface

SIGNS = ("meaning", "words", "first")
FIRST = 10
"""How many hits are considered for the best signs of a question, however many are shown."""
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
        values = best._asdict().items()
        return _logistic(self.base + sum(self.weights[name] * value for name, value in values))

    def explained(self, best: Best) -> str:
        """The arithmetic of the chance: the log odds that the best signs add up to."""
        chance = f"the chance that something here answers is {self.chance(best):.2f}"
        parts = _list_parts(best._asdict(), self.weights)
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
        seen = {"meaning": signs.meaning, "words": signs.words, "first": signs.first}
        value = _logistic(self.base + sum(self.weights[name] * seen[name] for name in SIGNS))
        return max(value, CERTAIN) if signs.certain else value

    def explained(self, signs: Signs) -> str:
        """The arithmetic of a hit's relevance: the log odds that its signs add up to."""
        value = self.relevance(signs)
        if value is None:
            return "relevance: not known, nothing compared its meaning with the question's"
        seen = {"meaning": signs.meaning or 0.0, "words": signs.words, "first": signs.first}
        parts = _list_parts(seen, self.weights)
        if signs.certain and value == CERTAIN:
            parts += f"; at least {CERTAIN:g}, since it holds what the question names"
        return f"relevance {value:.2f}: log odds of {self.base:+.2f}, {parts}"

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
    values = [calibration.relevance(one) for one in signs]
    judged = tuple(replace(hit, relevance=one) for hit, one in zip(hits, values, strict=True))
    chance = _chance(hits if first is None else first, text, calibration.answerable)
    if not abstains(signs, values, floor, chance):
        return Judged(hits=judged, answerable=chance)
    best = max(value for value in values if value is not None)
    number = (
        f"the best relevance is {best:.2f}"
        if chance is None
        else f"the chance that something does is {chance:.2f}"
    )
    message = f"nothing here is likely to answer this: {number}, below refine.floor = {floor:g}"
    return Judged(
        hits=judged, abstained=True, answerable=chance, notes=(Note("relevance", message),)
    )


def relevances(
    hits: Sequence[Hit], text: str, calibration: Calibration, matches: Matches = NO_MATCHES
) -> list[float | None]:
    """The relevance of each hit of a question, in order; None where nothing is known."""
    return [calibration.relevance(one) for one in signs_of(hits, text, matches)]


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
    signs = signs_of(first, text)
    near = [one.meaning for one in signs if one.meaning is not None]
    if not scores or not near:
        return None
    return Best(meaning=max(near), words=max(one.words for one in signs), reranked=max(scores))


def signs_of(hits: Sequence[Hit], text: str, matches: Matches = NO_MATCHES) -> list[Signs]:
    """The signs of each hit of a question, in order.

    A passage that the source of meaning did not find is no nearer than the farthest that it did:
    it gets that similarity. Where no hit has any, the meaning is unknown.
    """
    near = [_similarity(hit) for hit in hits]
    farthest = min((value for value in near if value is not None), default=None)
    shares = _criteria_shares(hits)
    question = _words(text)
    return [
        Signs(
            meaning=farthest if similarity is None else similarity,
            words=_shared(question, _words(hit.passage.indexed)),
            first=1.0 if hit.passage.id in matches.exact else max(1 / place, share),
            exact=hit.passage.id in matches.exact or share == 1.0,
            certain=hit.passage.id in matches.certain,
        )
        for place, (hit, similarity, share) in enumerate(
            zip(hits, near, shares, strict=True), start=1
        )
    ]


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
    for table in json.loads(SHIPPED.read_text(encoding="utf-8")):
        if table["model"] == model:
            return calibration_of(table)
    return None


def calibration_of(table: Mapping[str, Any]) -> Calibration:
    """A calibration from its JSON; another version is refused."""
    if table.get("version") != VERSION:
        raise StoreError(f"its version is {table.get('version')!r}, known is {VERSION}")
    known = {part.name for part in fields(Calibration)}
    values = {name: value for name, value in table.items() if name in known}
    part = values.get("answerable")
    return Calibration(**{**values, "answerable": Answerable(**part) if part else None})


def _chance(hits: Sequence[Hit], text: str, part: Answerable | None) -> float | None:
    best = best_of(hits, text, part.reranker) if part else None
    return part.chance(best) if part and best else None


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


def _list_parts(seen: Mapping[str, float], weights: Mapping[str, float]) -> str:
    """What each sign adds to the log odds."""
    return ", ".join(
        f"{name} {value:.2f} → {weights[name] * value:+.2f}" for name, value in seen.items()
    )


def _votes(hit: Hit) -> Iterator[tuple[Signal, Vote]]:
    """Each source's own vote with what it ranks by; second votes (`books/dense+terms`) left out."""
    for vote in hit.votes:
        for part in vote.parts or (vote,):
            if "+" not in part.source.rpartition("/")[2]:
                yield Signal.of_name(part.source), part


def _similarity(hit: Hit) -> float | None:
    return max(
        (vote.score for signal, vote in _votes(hit) if signal is Signal.MEANING), default=None
    )


def _criteria_shares(hits: Sequence[Hit]) -> list[float]:
    """How far each hit meets exact criteria: its share of the most that any hit meets."""
    scores = [
        {vote.source: vote.score for signal, vote in _votes(hit) if signal.is_exact and vote.rank}
        for hit in hits
    ]
    most: dict[str, float] = {}
    for votes in scores:
        for source, score in votes.items():
            most[source] = max(score, most.get(source, 0.0))
    return [
        max((score / most[source] for source, score in votes.items() if score > 0), default=0.0)
        for votes in scores
    ]


def _words(text: str) -> dict[str, int]:
    """The beginnings of the words of a text, each with the length of its longest word."""
    lengths: dict[str, int] = {}
    every = surface(text).split()
    for word in [word for word in every if len(word) >= _SHORT] or every:
        start = word[:_LETTERS]
        lengths[start] = max(len(word), lengths.get(start, 0))
    return lengths


def _shared(question: Mapping[str, int], passage: Mapping[str, int]) -> float:
    total = sum(question.values())
    return sum(size for word, size in question.items() if word in passage) / total if total else 0.0


def _logistic(total: float) -> float:
    """1 / (1 + e^-x), for any x."""
    if total >= 0:
        return 1 / (1 + math.exp(-total))
    odds = math.exp(total)
    return odds / (1 + odds)
