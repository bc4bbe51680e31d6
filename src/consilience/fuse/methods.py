"""What does one source add to a passage's score? The published fusers, a few lines each.

A fuser gets the ballots of the sources that have a say (weight above 0, at least one passage)
and gives, for each, contributions of 0 or more in the order of its ids. `tally` adds them up,
so a fused score is always the sum of what `why` shows, and breaks the ties for all of them.
In the formulas w is a source's weight, r its rank of the passage from 1, s its score, n how
many passages it found, N(d) how many sources found the passage d.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import heapify, heappop, heapreplace
from itertools import chain
from math import dist, inf, sqrt

from consilience.fuse.ballots import Ballot, Options

Contributions = list[list[float]]


def rrf(ballots: Sequence[Ballot], options: Options) -> Contributions:
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009).

    score(d) = Σ w / (k + r), ranks from 1. A weight multiplies. A source that did not find d
    adds nothing.
    """
    longest = max((len(ballot.ids) for ballot in ballots), default=0)
    plain = [1 / (options.k + rank) for rank in range(1, longest + 1)]
    return [scaled(plain[: len(ballot.ids)], ballot.weight) for ballot in ballots]


def rrf_share(ballots: Sequence[Ballot], options: Options) -> Contributions:
    """Reciprocal rank fusion in which a weight is a share of voice.

    score(d) = Σ 1 / (k + r / w), ranks from 1. A weight divides the rank: over sources that
    share no passage, w to 1 gives w places to every 1 (1.3 to 1: 57 of 100). Inside a
    collection it flattens a source's own order, so there `rrf` is the better choice.
    """
    return [shared_reciprocal(ballot, options.k) for ballot in ballots]


def combsum(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """CombSUM (Fox and Shaw, TREC-2, 1994) on min-max normalised scores.

    score(d) = Σ w · (s - min) / (max - min). One result, or equal scores: 1 each. A weight
    multiplies; missing adds 0.
    """
    return [scaled(min_max(ballot.scores), ballot.weight) for ballot in ballots]


def combmnz(ballots: Sequence[Ballot], options: Options) -> Contributions:
    """CombMNZ (Fox and Shaw, TREC-2, 1994) on min-max normalised scores.

    score(d) = N(d) · Σ w · (s - min) / (max - min): `combsum` times the number of sources
    that found d, so that agreement counts twice.
    """
    return _times_finders(ballots, combsum(ballots, options))


def borda(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """Borda-fuse (Aslam and Montague, SIGIR 2001).

    Of c candidates in the union, the first gets c points, the second c - 1, and those that a
    source did not rank share the rest evenly: (c - n + 1) / 2 each. What is shown is the
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
    """Inverse square rank (Mourão, Martins and Magalhães, 2014, from medical retrieval).

    score(d) = N(d) · Σ w / r², ranks from 1. A weight multiplies; missing adds 0.
    """
    squares = [
        [ballot.weight / rank**2 for rank in range(1, len(ballot.ids) + 1)] for ballot in ballots
    ]
    return _times_finders(ballots, squares)


def relative(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """Relative score fusion: min-max normalised scores under weights that sum to 1.

    score(d) = Σ (w / Σw) · (s - min) / (max - min), in [0, 1]. One result, or equal scores: 1
    each. Missing adds 0.
    """
    total = sum(ballot.weight for ballot in ballots)
    return [scaled(min_max(ballot.scores), ballot.weight / total) for ballot in ballots]


def convex(ballots: Sequence[Ballot], options: Options) -> Contributions:
    """Convex combination of meaning and words (Bruch, Gai and Ingber, TOIS 2023).

    score(d) = α · dense + (1 - α) · others, on min-max normalised scores; see `sided` for how
    several sources share a side. At α = 1 the order is that of the dense source, at α = 0 that
    of the other, and what the silent side alone found comes after. Where one side found nothing,
    the other still has no more than its share: half a case is not a whole one.
    """
    weights = sided(ballots, options.alpha, alone=False)
    return [
        scaled(min_max(ballot.scores), weight)
        for ballot, weight in zip(ballots, weights, strict=True)
    ]


def dbsf(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """Distribution-based score fusion (Mazzeschi, 2023).

    score(d) = Σ w · clamp((s - (μ - 3σ)) / 6σ, 0, 1), with μ and the sample deviation σ of
    what the source found. One result, or equal scores: 1/2 each. A weight multiplies; missing
    adds 0.
    """
    return [
        scaled(clamped(three_sigma(ballot.scores, flat=0.5), 0.0, 1.0), ballot.weight)
        for ballot in ballots
    ]


def interleave(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """Weighted round-robin (stride scheduling: Waldspurger and Weihl, 1995).

    A source's t-th turn comes at t / w; turns at the same time go by source name. It places
    its best passage not yet placed. score(d) = 1 / (place of d), all of it from the source that
    placed it: w to 1 gives w places to every 1.
    """
    given = [[0.0] * len(ballot.ids) for ballot in ballots]
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
        given[number][entry[0]] = 1 / len(placed)
        heapreplace(turns, ((turn + 1) / ballots[number].weight, number, turn + 1))
    return given


# --- what formulas are made of ----------------------------------------------------------


def reciprocal(ballot: Ballot, k: float) -> list[float]:
    """W / (k + r) for each rank, from 1."""
    weight = ballot.weight
    return [weight / (k + rank) for rank in range(1, len(ballot.ids) + 1)]


def shared_reciprocal(ballot: Ballot, k: float) -> list[float]:
    """1 / (k + r / w) for each rank, from 1."""
    weight = ballot.weight
    return [1 / (k + rank / weight) for rank in range(1, len(ballot.ids) + 1)]


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
    sigma = dist(scores, [mean] * len(scores)) / sqrt(len(scores) - sample)
    low, width = mean - 3 * sigma, 6 * sigma
    return [(score - low) / width for score in scores] if width else [flat] * len(scores)


def clamped(values: list[float], low: float = 0.0, high: float = inf) -> list[float]:
    """The values, none below `low` or above `high`."""
    if low <= min(values) and max(values) <= high:
        return values
    return [min(max(value, low), high) for value in values]


def sided(ballots: Sequence[Ballot], alpha: float, *, alone: bool = True) -> list[float]:
    """The weights of a combination of two sides: α for dense sources, 1 - α for all others.

    The sources of a side share it by weight; the largest weight on a side multiplies it, so
    that a weight counts even where a side has one source. With `alone` a side that has no other
    beside it has the whole say.
    """
    dense = [is_dense(ballot.source) for ballot in ballots]
    if alone and len(set(dense)) == 1:
        alpha = float(dense[0])
    factors = {
        side: share * max(weights) / sum(weights)
        for side, share in ((True, alpha), (False, 1 - alpha))
        if (weights := [b.weight for b, d in zip(ballots, dense, strict=True) if d == side])
    }
    return [ballot.weight * factors[d] for ballot, d in zip(ballots, dense, strict=True)]


def is_dense(source: str) -> bool:
    """Whether a source ranks by meaning: `books/dense`, `books/dense+terms`."""
    kind = source.rpartition("/")[2]
    return kind.startswith("dense") or kind.endswith("dense")


def _times_finders(ballots: Sequence[Ballot], values: Contributions) -> Contributions:
    finders = Counter(chain.from_iterable(ballot.ids for ballot in ballots))
    return [
        [finders[each] * value for each, value in zip(ballot.ids, part, strict=True)]
        for ballot, part in zip(ballots, values, strict=True)
    ]
