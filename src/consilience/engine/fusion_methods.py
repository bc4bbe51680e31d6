"""What does one source add to a passage's score? The published methods.

A method gets one ballot per source (weight above 0, at least one passage) and returns, for each
ballot, contributions of 0 or more in the order of its ids. `fusion.tally` adds them up and breaks
the ties, so a fused score is always the sum of what `why` shows. In the formulas w is the weight
of a source, r its rank of the passage from 1, s its score, n how many passages it found, N(d) how
many sources found the passage d. A source that did not find a passage adds nothing to it. One
result, or equal scores, have a min-max of 1 each.

`benchmarks/vendor_fusers.py` has the arithmetic of other products in the same form.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import heapify, heappop, heapreplace
from itertools import chain

from consilience.errors import UsageError
from consilience.types import Signal

Contributions = list[list[float]]
Contribute = Callable[[Sequence["Ballot"], "Options"], Contributions]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The parameters of all methods; each uses those that its formula names.

    A source that `weights` does not name has weight 1. A source of weight 0 adds nothing and
    breaks no tie; passages that only it found are kept, at the end.
    """

    k: float = 60.0
    alpha: float = 0.5
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.k) and self.k >= 0):
            raise UsageError(f"fusion k is {self.k!r}; give a finite number of 0 or more")
        if not 0 <= self.alpha <= 1:
            raise UsageError(f"fusion alpha is {self.alpha!r}; give a number from 0 to 1")
        for name, weight in self.weights.items():
            if not (math.isfinite(weight) and weight >= 0):
                raise UsageError(
                    f"the weight of {name!r} is {weight!r}; give a finite number of 0 or more"
                )


DEFAULTS = Options()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """The ranking of one source as a method sees it: ids and scores, best first, each id once.

    Only the first `heard` entries may contribute: all of them, none of a source of weight 0, or
    across collections those that some source inside placed. The source found the first `found`
    entries itself; for the others it only gave the scores.
    """

    source: str
    weight: float
    ids: Sequence[str]
    scores: Sequence[float]
    heard: int
    found: int
    signal: Signal | None = None

    @property
    def by_meaning(self) -> bool:
        """Whether the source ranks by meaning; by its name if it does not say."""
        return (self.signal or Signal.of_name(self.source)) is Signal.MEANING

    def cut(self) -> Ballot:
        """The entries that may contribute."""
        if self.heard == len(self.ids):
            return self
        ids, scores = self.ids[: self.heard], self.scores[: self.heard]
        return replace(self, ids=ids, scores=scores, found=min(self.found, self.heard))


MULTIPLIES = "multiplies what the source adds"
NORMALISED = "multiplies, normalised so that weights sum to 1"
SHARE = "divides the rank: a share of voice"
SIDES = "α for dense, 1 - α for the rest, times the source's weight"


@dataclass(frozen=True, slots=True)
class Fuser:
    """A fusion method: its formula, where it comes from, what ranks and weights mean.

    A method that `completes` adds up scores and wants the score of every source for every passage
    that any of them found; without it, a source adds nothing to a passage that it did not find.
    A method that `adapts` gets the trust in each side for each question, and adds the scores of
    neighbours.
    """

    name: str
    contribute: Contribute
    formula: str
    origin: str
    weights: str = MULTIPLIES
    uses_scores: bool = False
    completes: bool = False
    adapts: bool = False

    @property
    def uses_k(self) -> bool:
        """Whether k is part of its formula."""
        return "(k" in self.formula

    @property
    def uses_alpha(self) -> bool:
        """Whether α is: whether it tells dense sources from others."""
        return self.weights == SIDES

    @property
    def rank_base(self) -> str:
        """Where ranks start, for the docs; `none` for a method that uses scores instead."""
        return "none" if self.uses_scores else "1"


# --- methods with a rule of their own ------------------------------------------------------


def rrf_share(ballots: Sequence[Ballot], options: Options) -> Contributions:
    """Reciprocal rank fusion in which a weight is a share of voice.

    score(d) = Σ 1 / (k + r / w). A weight divides the rank: over sources that share no passage,
    w to 1 gives w places to every 1 (1.3 to 1: 57 of 100). Inside a collection it flattens a
    source's own order, so there `rrf` is the better choice.
    """
    return [
        [1 / (options.k + rank / ballot.weight) for rank in range(1, len(ballot.ids) + 1)]
        for ballot in ballots
    ]


def combmnz(ballots: Sequence[Ballot], options: Options) -> Contributions:
    """`combsum` times the number of sources that found d, so that agreement counts twice."""
    return _times_finders(ballots, _combsum(ballots, options))


def borda(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """Of c candidates in the union, the first gets c points, the second c - 1, and those that a
    source did not rank share the rest evenly: (c - n + 1) / 2 each. The contribution is the
    points above that share, w · ((c + n + 1) / 2 - r): the same order, since every candidate
    is lowered by the same amount, and a source adds only to what it found.
    """
    union = len(set(chain.from_iterable(ballot.ids for ballot in ballots)))
    return [
        [
            ballot.weight * ((union + len(ballot.ids) + 1) / 2 - rank)
            for rank in range(1, len(ballot.ids) + 1)
        ]
        for ballot in ballots
    ]


def isr(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """Inverse square rank: N(d) · Σ w / r²."""
    squares = [
        [ballot.weight / rank**2 for rank in range(1, len(ballot.ids) + 1)] for ballot in ballots
    ]
    return _times_finders(ballots, squares)


def interleave(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """Weighted round-robin: a source's t-th turn comes at t / w; turns at the same time go by
    source name. It places its best passage not yet placed. score(d) = 1 / (place of d), all of it
    from the source that placed it: w to 1 gives w places to every 1.
    """
    contributions = [[0.0] * len(ballot.ids) for ballot in ballots]
    queues = [enumerate(ballot.ids) for ballot in ballots]
    turns = [(1 / ballot.weight, number, 1) for number, ballot in enumerate(ballots)]
    heapify(turns)
    placed: set[str] = set()
    while turns:
        _, number, turn = turns[0]
        entry = next((entry for entry in queues[number] if entry[1] not in placed), None)
        if entry is None:
            heappop(turns)
            continue
        placed.add(entry[1])
        contributions[number][entry[0]] = 1 / len(placed)
        heapreplace(turns, ((turn + 1) / ballots[number].weight, number, turn + 1))
    return contributions


def _times_finders(ballots: Sequence[Ballot], values: Contributions) -> Contributions:
    finders = Counter(chain.from_iterable(ballot.ids for ballot in ballots))
    return [
        [finders[key] * value for key, value in zip(ballot.ids, part, strict=True)]
        for ballot, part in zip(ballots, values, strict=True)
    ]


# --- methods that weigh one value per passage ----------------------------------------------

Values = Callable[["Ballot", "Options"], list[float]]
Weights = Callable[[Sequence["Ballot"], "Options"], list[float]]


def own_weights(ballots: Sequence[Ballot], _options: Options) -> list[float]:
    """The weight of each source."""
    return [ballot.weight for ballot in ballots]


def normalised_weights(ballots: Sequence[Ballot], _options: Options) -> list[float]:
    """The weights of the sources as shares of their sum."""
    total = sum(ballot.weight for ballot in ballots)
    return [ballot.weight / total for ballot in ballots]


def side_weights(ballots: Sequence[Ballot], options: Options, *, alone: bool = True) -> list[float]:
    """The weights of a combination of two sides: α for dense sources, 1 - α for all others.

    The sources of a side share it by weight; the largest weight on a side multiplies it, so
    that a weight counts even where a side has one source. With `alone`, a side without the other
    gets the whole weight.
    """
    dense, alpha = [ballot.by_meaning for ballot in ballots], options.alpha
    if alone and len(set(dense)) == 1:
        alpha = float(dense[0])
    factors = {
        side: share * max(weights) / sum(weights)
        for side, share in ((True, alpha), (False, 1 - alpha))
        if (weights := [b.weight for b, d in zip(ballots, dense, strict=True) if d == side])
    }
    return [ballot.weight * factors[d] for ballot, d in zip(ballots, dense, strict=True)]


def weighted(values: Values, weights: Weights = own_weights) -> Contribute:
    """A method in which each source adds its value of a passage times the source's weight."""

    def contribute(ballots: Sequence[Ballot], options: Options) -> Contributions:
        return [
            scaled(values(ballot, options), weight)
            for ballot, weight in zip(ballots, weights(ballots, options), strict=True)
        ]

    return contribute


def scaled(values: list[float], weight: float) -> list[float]:
    """Each value times the weight."""
    return values if weight == 1 else [weight * value for value in values]


def min_max(scores: Sequence[float], *, flat: float = 1.0) -> list[float]:
    """Scores on [0, 1], lowest to highest; `flat` for each when they are equal."""
    low, high = min(scores), max(scores)
    span = high - low
    return [(score - low) / span for score in scores] if span else [flat] * len(scores)


def three_sigma(scores: Sequence[float], *, flat: float, sample: bool = True) -> list[float]:
    """Scores where μ - 3σ is 0 and μ + 3σ is 1; `flat` for each when they are equal.

    σ divides by n - 1, or by n when not a `sample`.
    """
    if min(scores) == max(scores):
        return [flat] * len(scores)
    mean = sum(scores) / len(scores)
    sigma = math.dist(scores, [mean] * len(scores)) / math.sqrt(len(scores) - sample)
    low, width = mean - 3 * sigma, 6 * sigma
    return [(score - low) / width for score in scores] if width else [flat] * len(scores)


def clamped(values: list[float], low: float = 0.0, high: float = math.inf) -> list[float]:
    """The values, none below `low` or above `high`."""
    if low <= min(values) and max(values) <= high:
        return values
    return [min(max(value, low), high) for value in values]


def _reciprocal(ballot: Ballot, options: Options) -> list[float]:
    return [1 / (options.k + rank) for rank in range(1, len(ballot.ids) + 1)]


def _min_max(ballot: Ballot, _options: Options) -> list[float]:
    return min_max(ballot.scores)


_rrf, _combsum = weighted(_reciprocal), weighted(_min_max)
_FOX_SHAW = "Fox and Shaw, TREC-2, 1994"
METHODS = (
    Fuser("rrf", _rrf, "Σ w / (k + r)", "Cormack, Clarke and Büttcher, SIGIR 2009"),
    Fuser(
        "rrf-share",
        rrf_share,
        "Σ 1 / (k + r / w)",
        "reciprocal rank fusion for collections that share no passages",
        weights=SHARE,
    ),
    Fuser("combsum", _combsum, "Σ w · minmax(s)", _FOX_SHAW, uses_scores=True, completes=True),
    Fuser("combmnz", combmnz, "N(d) · Σ w · minmax(s)", _FOX_SHAW, uses_scores=True),
    Fuser("borda", borda, "Σ w · ((c + n + 1) / 2 - r)", "Aslam and Montague, SIGIR 2001"),
    Fuser("isr", isr, "N(d) · Σ w / r²", "Mourão, Martins and Magalhães, 2014"),
    Fuser(
        "relative",
        weighted(_min_max, normalised_weights),
        "Σ (w / Σw) · minmax(s)",
        "relative score fusion, common in hybrid search",
        weights=NORMALISED,
        uses_scores=True,
        completes=True,
    ),
    # At α = 1 the order is that of the dense source, at α = 0 that of the other, and what only the
    # silent side found comes after. Where one side found nothing, the other keeps its own share.
    convex := Fuser(
        "convex",
        weighted(_min_max, partial(side_weights, alone=False)),
        "α · minmax(dense) + (1 - α) · minmax(others)",
        "Bruch, Gai and Ingber, TOIS 2023",
        weights=SIDES,
        uses_scores=True,
        completes=True,
    ),
    replace(
        convex,
        name="adaptive",
        formula="(1 - λ) · (α · minmax(dense) + (1 - α) · minmax(others)) + λ · neighbours",
        origin="`convex` with α and λ by question, and scores shared among neighbours: Diaz, "
        "CIKM 2005",
        adapts=True,
    ),
    Fuser(
        "dbsf",
        weighted(lambda ballot, _: clamped(three_sigma(ballot.scores, flat=0.5), 0.0, 1.0)),
        "Σ w · clamp((s - (μ - 3σ)) / 6σ, 0, 1)",
        "Mazzeschi, 2023",
        uses_scores=True,
        completes=True,
    ),
    Fuser(
        "interleave",
        interleave,
        "1 / place, the t-th turn of a source at t / w",
        "round-robin by stride scheduling, Waldspurger and Weihl, 1995",
        weights="places in proportion: a share of voice",
    ),
)
