"""Could a difference between two groups of questions be chance? Each question is in one group only.

Intervals are by bootstrap, for shares by Wilson's formula, which does not claim certainty where
all are alike. p is that of a permutation test: where the groups do not differ, any other division
of the same values into two such groups may as well have come about. Values are counted by how often
each occurs, and whole groups are drawn at a time, so that a million questions take no longer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from consilience.measure.scoring.statistics import ROUNDS
from consilience.measure.values import Interval

Numbers = NDArray[np.float64]
_CELLS = 1_000_000  # numbers drawn at a time
_DIFFERENT = 400  # values that are told apart
_SAME = 1e-12
_Z = 1.959964  # of 95 %
_POWER = _Z + 0.8416  # seen at p < 0.05 in four of five repetitions


def share(values: Sequence[float]) -> Interval:
    """A share of questions with its 95 % interval (Wilson, 1927); of no values a 0."""
    count = len(values)
    if not count:
        return Interval(mean=0.0, low=0.0, high=0.0, count=0)
    mean = math.fsum(values) / count
    middle = (mean + _Z**2 / (2 * count)) / (1 + _Z**2 / count)
    half = _Z * math.sqrt(mean * (1 - mean) / count + _Z**2 / (4 * count**2))
    half /= 1 + _Z**2 / count
    low, high = max(0.0, min(mean, middle - half)), min(1.0, max(mean, middle + half))
    return Interval(mean=mean, low=low, high=high, count=count)


def average(values: Sequence[float], *, seed: int = 5) -> Interval:
    """A mean with its 95 % interval; of no values a 0."""
    if not len(values):
        return Interval(mean=0.0, low=0.0, high=0.0, count=0)
    array = np.asarray(values, dtype=np.float64)
    return _interval(float(array.mean()), _means(array, seed), len(array))


def quantile(values: Sequence[float], part: float, *, seed: int = 5) -> Interval:
    """The value that this part of all stays within, with its 95 % interval; of no values a 0."""
    if not len(values):
        return Interval(mean=0.0, low=0.0, high=0.0, count=0)
    array = np.sort(np.asarray(values, dtype=np.float64))
    found = array[_place(len(array), part)]
    return _interval(float(found), _quantiles(array, part, seed), len(array))


def gained(
    ours: Sequence[float], theirs: Sequence[float], *, part: float | None = None, seed: int = 5
) -> Interval:
    """How much more ours have, in the mean or at a quantile, with its 95 % interval."""
    if not len(ours) or not len(theirs):
        return Interval(mean=0.0, low=0.0, high=0.0, count=0)
    groups = [np.sort(np.asarray(one, dtype=np.float64)) for one in (ours, theirs)]
    seeds = (seed, seed + 1)  # the groups have nothing to do with one another
    if part is None:
        gain = float(groups[0].mean() - groups[1].mean())
        drawn = [_means(one, each) for one, each in zip(groups, seeds, strict=True)]
    else:
        at = [one[_place(len(one), part)] for one in groups]
        gain = float(at[0] - at[1])
        drawn = [_quantiles(one, part, each) for one, each in zip(groups, seeds, strict=True)]
    return _interval(gain, drawn[0] - drawn[1], len(ours) + len(theirs))


def by_chance(
    ours: Sequence[float], theirs: Sequence[float], *, part: float | None = None, seed: int = 5
) -> float:
    """How often chance gives a difference as large where the groups do not differ (p).

    At a quantile the question is whether as many of either group lie above that of all values.
    """
    if not len(ours) or not len(theirs):
        return 1.0
    every = np.concatenate([np.asarray(one, dtype=np.float64) for one in (ours, theirs)])
    if part is not None:
        every = (every > np.sort(every)[_place(len(every), part)]).astype(np.float64)
    centred = every - every.mean()
    centred, known, counts = _counted(centred)
    if len(known) == 1:
        return 1.0
    bound = abs(float(centred[: len(ours)].sum())) - _SAME * len(every) * float(np.ptp(known))
    chance = np.random.default_rng(seed)
    extreme = 0
    for rounds in _chunks(len(known)):
        drawn = chance.multivariate_hypergeometric(
            counts, len(ours), size=rounds, method="marginals"
        )
        extreme += int((np.abs(drawn @ known) >= bound).sum())
    return (extreme + 1) / (ROUNDS + 1)


def needed(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The smallest difference of means that groups so large and so uneven could well show.

    A true difference of this size comes out at p < 0.05 four times in five; 0 where nothing can
    be said.
    """
    if len(ours) < 2 or len(theirs) < 2:
        return 0.0
    noise = sum(float(np.var(one, ddof=1)) / len(one) for one in (ours, theirs))
    return _POWER * math.sqrt(noise)


def _means(array: Numbers, seed: int) -> Numbers:
    """Means of so many values drawn again with replacement."""
    _, known, counts = _counted(array)
    chance = np.random.default_rng(seed)
    often = counts / len(array)
    drawn = [chance.multinomial(len(array), often, size=one) @ known for one in _chunks(len(known))]
    return np.concatenate(drawn) / len(array)


def _counted(array: Numbers) -> tuple[Numbers, Numbers, NDArray[np.int64]]:
    """Values, the different ones among them, and how often each occurs.

    Where nearly all differ, neighbours are taken together at their mean.
    """
    known, number, counts = np.unique(array, return_inverse=True, return_counts=True)
    if len(known) > _DIFFERENT:
        group = (np.cumsum(counts) - counts) * _DIFFERENT // len(array)
        sums = np.bincount(group, weights=known * counts, minlength=_DIFFERENT)
        together = np.bincount(group, weights=counts, minlength=_DIFFERENT)
        means = sums / np.maximum(together, 1)
        array = means[group][number]
        known, counts = np.unique(array, return_counts=True)
    return array, known, counts


def _quantiles(array: Numbers, part: float, seed: int) -> Numbers:
    """The same quantile of values drawn again: the order of draws is that of uniform numbers."""
    place, count = _place(len(array), part), len(array)
    chance = np.random.default_rng(seed)
    drawn = chance.beta(place + 1, count - place, size=ROUNDS)
    found: Numbers = array[np.minimum((drawn * count).astype(np.int64), count - 1)]
    return found


def _place(count: int, part: float) -> int:
    return max(0, math.ceil(part * count) - 1)


def _interval(mean: float, drawn: Numbers, count: int) -> Interval:
    low, high = (float(one) for one in np.quantile(drawn, [0.025, 0.975]))
    return Interval(mean=mean, low=min(low, mean), high=max(high, mean), count=count)


def _chunks(width: int) -> Iterator[int]:
    """So many rounds at a time, `ROUNDS` in all."""
    step = max(1, _CELLS // width)
    for start in range(0, ROUNDS, step):
        yield min(step, ROUNDS - start)
