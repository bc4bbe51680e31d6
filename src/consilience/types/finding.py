"""What is found: rankings of sources, hits with their votes, and the trace that explains them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from consilience.types.asking import Plan, Query
from consilience.types.evidence import Passage

Status = Literal["ok", "empty", "slow", "failed", "skipped"]


class Found(NamedTuple):
    """A passage as one source ranked it. Higher scores are better, whatever the engine.

    A source whose passages are not in the catalogue (a path made for this question) brings
    the passage along. There are hundreds of these in a search: a tuple is made fastest.
    """

    id: str
    score: float
    passage: Passage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a source found, and how it came to it.

    `query` is what its engine was asked, `steps` are what a person should know of the way there
    (a period that was taken for another, a condition that was let go of), and `missing` is what
    the question names and the source does not have at all: where that is something, what was
    found is near the question and no answer to it. `named` is all that it names. `sure` are the
    ids of what was found that meets all the question names, best first: that has a guaranteed
    place. `cells` are the columns of those rows that answer, as passage and column. `reasons` say
    why a passage was found, by id: the path that leads to it.
    """

    found: tuple[Found, ...]
    query: str = ""
    steps: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    sure: tuple[str, ...] = ()
    cells: tuple[tuple[str, int], ...] = ()
    reasons: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What one source found, best first.

    `completed` are its scores of passages that others found and it did not, best first.
    """

    source: str
    collection: str
    found: tuple[Found, ...]
    completed: tuple[Found, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How asking one source went. Empty is not failed.

    `left_out` says that the source should have answered and did not: it failed, missed the hard
    deadline, or rests after failing again and again. `query` and what follows it is
    what a source says of how it came to what it found (see `Told`).
    """

    source: str
    status: Status
    ms: float
    count: int = 0
    reason: str = ""
    left_out: bool = False
    query: str = ""
    steps: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    sure: tuple[str, ...] = ()
    cells: tuple[tuple[str, int], ...] = ()
    reasons: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """The arithmetic behind a fused score: `contribution` is what this source added to it.

    Ranks count from 1; None is a source that did not find the passage among those it was asked
    for, and was asked for its score afterwards. `score` is the source's own, never overwritten.
    Across collections a vote has `parts`: the votes inside the collection whose sum is that
    vote's `score`. `because` is what the source says of why it found the passage.
    """

    source: str
    rank: int | None
    score: float
    weight: float
    contribution: float
    parts: tuple[Vote, ...] = ()
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a step after fusing did to a hit: `delta` on its score, or a move in the order.

    `score` is what a reranker itself gave the passage, as it gave it.
    """

    step: str
    delta: float = 0.0
    before: int | None = None
    after: int | None = None
    reason: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage with the votes that placed it and what was done to it since.

    The contributions of the votes and the deltas of the changes add up to `score`. `relevance`
    in [0, 1] is how likely it answers the question, by calibration; None where there is none.
    """

    passage: Passage
    score: float
    votes: tuple[Vote, ...] = ()
    changes: tuple[Change, ...] = ()
    merged: tuple[str, ...] = ()
    relevance: float | None = None

    @property
    def sources(self) -> frozenset[str]:
        """The names of the sources that found it."""
        return frozenset(vote.source for vote in self._found())

    @property
    def best_rank(self) -> int | None:
        """The best rank that a source gave it; None where none of them found it."""
        return min((vote.rank for vote in self._found() if vote.rank is not None), default=None)

    def _found(self) -> list[Vote]:
        votes = (part for vote in self.votes for part in vote.parts or (vote,))
        return [vote for vote in votes if vote.rank is not None]


MISSING = "missing"
"""The origin of a note that says what nothing here tells."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something the user should know: a source left out, a filter dropped."""

    origin: str
    message: str

    def __str__(self) -> str:
        return f"{self.origin}: {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """How far each side was trusted in a collection for this question, 1 in all, and why."""

    collection: str
    meaning: float
    words: float
    neighbours: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """A passage that a step took out of the list: into which other one, or past which place."""

    id: str
    step: str
    reason: str
    into: str = ""
    place: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What each stage did: all that `why` and `why-not` know, and nothing that was not used."""

    plan: Plan
    rankings: tuple[Ranking, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    shares: Mapping[str, float] = field(default_factory=dict)
    trusts: Mapping[str, Trust] = field(default_factory=dict)
    fused: tuple[tuple[str, float], ...] = ()
    losses: tuple[Loss, ...] = ()
    timing_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def sure(self) -> tuple[str, ...]:
        """The ids of what sources are sure of, best first."""
        return tuple(dict.fromkeys(key for one in self.outcomes for key in one.sure))


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The explained list of hits; `abstained` when none of it is likely to answer.

    `answerable` in [0, 1] is the chance that anything found answers the question, by calibration;
    None where only the relevances of the hits are known. `more` are the hits past the limit, in
    their order, as far as they were refined.
    """

    query: Query
    hits: tuple[Hit, ...]
    notes: tuple[Note, ...]
    trace: Trace
    abstained: bool = False
    answerable: float | None = None
    more: tuple[Hit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One step of a chain: from one thing to the next, along a relation that a passage tells.

    Without `forward` the relation runs the other way, from the next thing to this one.
    """

    start: str
    relation: str
    end: str
    passage: Passage
    forward: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """How two things connect, step by step; `passage` tells the whole of it and can be cited."""

    links: tuple[Link, ...]
    score: float
    passage: Passage
