"""Could a difference be chance? Intervals, paired and unpaired tests, and splits of questions.

A mean over questions has a percentile interval by bootstrap. Two ways of searching are compared on
the same questions by a paired randomisation test: if it does not matter which way is which, each
question's difference may as well have the other sign. Up to `EXACT` questions all signs are tried,
beyond that `ROUNDS` random ones by a seed, so that the same values give the same numbers. Several
comparisons are corrected by Holm's method.

Groups of different questions, as of a journal, are compared by a permutation test. Shares have
Wilson's interval, which does not claim certainty where all values are equal. Values are counted by
how often each occurs and whole groups are drawn at once, so a million questions take no longer.

One rule for tuning, learning and the gate: a gain counts if it is above 0 and significant on
questions that it was not chosen on. A loss counts by the same rule.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from consilience.errors import UsageError
from consilience.measure.data_model import Comparison, Interval

SIGNIFICANCE = 0.05
"""A difference with a lower p, corrected for the number of comparisons, is significant."""
ROUNDS = 10_000
EXACT = 13
"""With so many questions or fewer, every assignment of signs is tried."""
NO_VALUES = Interval(mean=0.0, low=0.0, high=0.0, count=0)

_CELLS = 1_000_000  # numbers drawn at a time
_CACHED_QUESTIONS = 2_000  # questions up to which the draws are cached: 20 MB at most
_DISTINCT = 400  # values that are told apart
_TOLERANCE = 1e-12
_Z = 1.959964  # of 95 %
_POWER = 1.96 + 0.8416  # significant at p < 0.05 in four of five repetitions
Numbers: TypeAlias = NDArray[np.float64]


# --- the rule ---------------------------------------------------------------------------


def is_significant(comparison: Comparison) -> bool:
    """Whether a difference is more than chance."""
    return comparison.p_corrected < SIGNIFICANCE


def is_better(comparison: Comparison) -> bool:
    """Whether ours is significantly better than theirs."""
    return comparison.gain.mean > 0 and is_significant(comparison)


def is_worse(comparison: Comparison) -> bool:
    """Whether ours is significantly worse than theirs."""
    return comparison.gain.mean < 0 and is_significant(comparison)


def explain_gain(comparison: Comparison) -> str:
    """The outcome of a comparison in words."""
    verdict = "no gain is shown"
    if is_significant(comparison) and comparison.gain.mean:
        verdict = "it wins" if comparison.gain.mean > 0 else "it loses"
    return f"{verdict}: {format_gain(comparison)}"


def format_gain(comparison: Comparison, *, sign: int = 1) -> str:
    """`+0.0120 [+0.0030, +0.0210], p = 0.0040`; with sign -1 as seen from the other side."""
    gain = comparison.gain
    low, high = sorted((sign * gain.low, sign * gain.high))
    return f"{sign * gain.mean:+.4f} [{low:+.4f}, {high:+.4f}], p = {comparison.p_corrected:.4f}"


def format_p(p: float) -> str:
    """`p = 0.012`, `p < 0.001`."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


# --- the same questions -----------------------------------------------------------------


def interval(values: Sequence[float], *, seed: int = 5) -> Interval:
    """The mean with its 95 % interval; of no values a 0 with count 0."""
    if not len(values):
        return NO_VALUES
    array = np.asarray(values, dtype=np.float64)
    means = np.concatenate([part @ array for part in _draws(len(array), seed)]) / len(array)
    mean, low, high = np.clip(
        [array.mean(), *np.quantile(means, [0.025, 0.975])], array.min(), array.max()
    )  # equal values give themselves, without rounding
    return Interval(mean=float(mean), low=float(low), high=float(high), count=len(array))


def compare(
    ours: Mapping[str, float],
    theirs: Mapping[str, float],
    *,
    names: tuple[str, str],
    measure: str,
    seed: int = 5,
) -> Comparison:
    """One way against another, value by question: the gain, its interval, and p.

    Both must have the same questions: a question left out of one would hide its failure.
    """
    if ours.keys() != theirs.keys():
        alone = sorted(ours.keys() ^ theirs.keys())
        raise UsageError(
            f"{names[0]} and {names[1]} were not asked the same questions: {len(alone)} are in "
            f"one only, such as {alone[0]!r}; score both on the same golden set"
        )
    gains = [ours[key] - theirs[key] for key in sorted(ours)]
    p = _paired_p(np.asarray(gains, dtype=np.float64), seed)
    return Comparison(
        ours=names[0],
        theirs=names[1],
        measure=measure,
        gain=interval(gains, seed=seed),
        p=p,
        p_corrected=p,
    )


def correct_for_number(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The same comparisons with p corrected for their number (Holm, 1979), in their order."""
    count = len(comparisons)
    order = sorted(range(count), key=lambda number: comparisons[number].p)
    found = [1.0] * count
    highest = 0.0
    for place, number in enumerate(order):
        highest = max(highest, min(1.0, (count - place) * comparisons[number].p))
        found[number] = highest
    return [replace(one, p_corrected=p) for one, p in zip(comparisons, found, strict=True)]


def detectable_gain(gains: Sequence[float]) -> float:
    """The smallest true mean gain that comes out at p < 0.05 four times in five.

    A smaller one may exist and go unseen. 0 with too few questions to say.
    """
    if len(gains) < 2:
        return 0.0
    spread = float(np.std(np.asarray(gains, dtype=np.float64), ddof=1))
    return _POWER * spread / float(np.sqrt(len(gains)))


def _paired_p(gains: Numbers, seed: int) -> float:
    count = len(gains)
    if not gains.any():
        return 1.0
    bound = abs(float(gains.sum())) - _TOLERANCE * count
    if count <= EXACT:
        signs = 1.0 - 2.0 * ((np.arange(2**count)[:, None] >> np.arange(count)) & 1)
        return float((np.abs(signs @ gains) >= bound).mean())
    generator = np.random.default_rng(seed)
    extreme = 0
    for rounds in _batches(count):
        random_bytes = generator.bytes(rounds * -(-count // 8))
        bits = np.unpackbits(np.frombuffer(random_bytes, dtype=np.uint8))
        kept = bits.reshape(rounds, -1)[:, :count].astype(np.float64)
        extreme += int((np.abs(2 * (kept @ gains) - gains.sum()) >= bound).sum())
    return (extreme + 1) / (ROUNDS + 1)


def _draws(count: int, seed: int) -> Iterator[Numbers]:
    """How often each question is drawn, a row for each round."""
    if count <= _CACHED_QUESTIONS:
        cached = _cached_draws(count, seed)
        step = max(1, _CELLS // count)
        for start in range(0, ROUNDS, step):
            yield cached[start : start + step].astype(np.float64)
    else:
        for part in _fresh_draws(count, seed):
            yield part.astype(np.float64)


@lru_cache(maxsize=4)
def _cached_draws(count: int, seed: int) -> NDArray[np.uint8]:
    """The draws, for the many means over the same number of questions."""
    return np.concatenate(list(_fresh_draws(count, seed)))


def _fresh_draws(count: int, seed: int) -> Iterator[NDArray[np.uint8]]:
    generator = np.random.default_rng(seed)
    for rounds in _batches(count):
        drawn = generator.integers(0, count, (rounds, count), dtype=np.int64)
        drawn += np.arange(rounds)[:, None] * count
        often = np.bincount(drawn.ravel(), minlength=rounds * count)
        yield np.minimum(often, 255).astype(np.uint8).reshape(rounds, count)


def _batches(width: int) -> Iterator[int]:
    """So many rounds at a time, `ROUNDS` in all."""
    step = max(1, _CELLS // width)
    for start in range(0, ROUNDS, step):
        yield min(step, ROUNDS - start)


# --- different questions ----------------------------------------------------------------


def share(values: Sequence[float]) -> Interval:
    """A share of questions with its 95 % interval (Wilson, 1927); of no values a 0."""
    count = len(values)
    if not count:
        return NO_VALUES
    mean = math.fsum(values) / count
    middle = (mean + _Z**2 / (2 * count)) / (1 + _Z**2 / count)
    half = _Z * math.sqrt(mean * (1 - mean) / count + _Z**2 / (4 * count**2))
    half /= 1 + _Z**2 / count
    low, high = max(0.0, min(mean, middle - half)), min(1.0, max(mean, middle + half))
    return Interval(mean=mean, low=low, high=high, count=count)


def average(values: Sequence[float], *, seed: int = 5) -> Interval:
    """A mean with its 95 % interval; of no values a 0."""
    if not len(values):
        return NO_VALUES
    array = np.asarray(values, dtype=np.float64)
    return _interval_of(float(array.mean()), _bootstrap_means(array, seed), len(array))


def quantile(values: Sequence[float], part: float, *, seed: int = 5) -> Interval:
    """The value that this part of all stays within, with its 95 % interval; of no values a 0."""
    if not len(values):
        return NO_VALUES
    array = np.sort(np.asarray(values, dtype=np.float64))
    found = array[_quantile_index(len(array), part)]
    return _interval_of(float(found), _bootstrap_quantiles(array, part, seed), len(array))


def unpaired_gain(
    ours: Sequence[float], theirs: Sequence[float], *, part: float | None = None, seed: int = 5
) -> Interval:
    """How much more ours have, in the mean or at a quantile, with its 95 % interval."""
    if not len(ours) or not len(theirs):
        return NO_VALUES
    groups = [np.sort(np.asarray(values, dtype=np.float64)) for values in (ours, theirs)]
    if part is None:
        centres = [float(group.mean()) for group in groups]
        draws = [_bootstrap_means(group, seed + at) for at, group in enumerate(groups)]
    else:
        centres = [float(group[_quantile_index(len(group), part)]) for group in groups]
        draws = [_bootstrap_quantiles(group, part, seed + at) for at, group in enumerate(groups)]
    return _interval_of(centres[0] - centres[1], draws[0] - draws[1], len(ours) + len(theirs))


def unpaired_p(
    ours: Sequence[float], theirs: Sequence[float], *, part: float | None = None, seed: int = 5
) -> float:
    """How often chance gives a difference as large where the groups do not differ.

    At a quantile the question is whether as many of either group are above that of all values.
    """
    if not len(ours) or not len(theirs):
        return 1.0
    values = np.concatenate([np.asarray(group, dtype=np.float64) for group in (ours, theirs)])
    if part is not None:
        limit = np.sort(values)[_quantile_index(len(values), part)]
        values = (values > limit).astype(np.float64)
    centred, distinct, counts = _count_values(values - values.mean())
    if len(distinct) == 1:
        return 1.0
    tolerance = _TOLERANCE * len(values) * float(np.ptp(distinct))
    bound = abs(float(centred[: len(ours)].sum())) - tolerance
    generator = np.random.default_rng(seed)
    extreme = 0
    for rounds in _batches(len(distinct)):
        drawn = generator.multivariate_hypergeometric(
            counts, len(ours), size=rounds, method="marginals"
        )
        extreme += int((np.abs(drawn @ distinct) >= bound).sum())
    return (extreme + 1) / (ROUNDS + 1)


def detectable_difference(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The smallest true difference of means that comes out at p < 0.05 four times in five.

    0 with too few questions to say.
    """
    if len(ours) < 2 or len(theirs) < 2:
        return 0.0
    noise = sum(float(np.var(group, ddof=1)) / len(group) for group in (ours, theirs))
    return (_Z + 0.8416) * math.sqrt(noise)


def _bootstrap_means(array: Numbers, seed: int) -> Numbers:
    """Means of so many values drawn again with replacement."""
    _, distinct, counts = _count_values(array)
    generator = np.random.default_rng(seed)
    often = counts / len(array)
    drawn = [
        generator.multinomial(len(array), often, size=rounds) @ distinct
        for rounds in _batches(len(distinct))
    ]
    return np.concatenate(drawn) / len(array)


def _bootstrap_quantiles(array: Numbers, part: float, seed: int) -> Numbers:
    """The same quantile of values drawn again: the order of draws is that of uniform numbers."""
    index, count = _quantile_index(len(array), part), len(array)
    drawn = np.random.default_rng(seed).beta(index + 1, count - index, size=ROUNDS)
    found: Numbers = array[np.minimum((drawn * count).astype(np.int64), count - 1)]
    return found


def _count_values(array: Numbers) -> tuple[Numbers, Numbers, NDArray[np.int64]]:
    """Values, the distinct ones among them, and how often each occurs.

    Where nearly all differ, neighbours are merged at their mean.
    """
    distinct, number, counts = np.unique(array, return_inverse=True, return_counts=True)
    if len(distinct) > _DISTINCT:
        group = (np.cumsum(counts) - counts) * _DISTINCT // len(array)
        sums = np.bincount(group, weights=distinct * counts, minlength=_DISTINCT)
        sizes = np.bincount(group, weights=counts, minlength=_DISTINCT)
        means = sums / np.maximum(sizes, 1)
        array = means[group][number]
        distinct, counts = np.unique(array, return_counts=True)
    return array, distinct, counts


def _quantile_index(count: int, part: float) -> int:
    return max(0, math.ceil(part * count) - 1)


def _interval_of(mean: float, drawn: Numbers, count: int) -> Interval:
    low, high = (float(end) for end in np.quantile(drawn, [0.025, 0.975]))
    return Interval(mean=mean, low=min(low, mean), high=max(high, mean), count=count)


# --- splits -----------------------------------------------------------------------------


def stratified_split(
    groups: Sequence[str], share: float, *, seed: int
) -> tuple[list[int], list[int]]:
    """Two parts of the indices of `groups`: this share of every group, and the rest.

    Inside a group chance decides, by the seed. What does not divide evenly is carried over to the
    next group, so that the whole has the share too.
    """
    generator = random.Random(seed)  # noqa: S311 - the same every time is what is wanted
    by_group: dict[str, list[int]] = {}
    for index, group in enumerate(groups):
        by_group.setdefault(group, []).append(index)
    order: list[int] = []
    for _, indices in sorted(by_group.items()):
        generator.shuffle(indices)
        order.extend(indices)
    start = generator.random()  # else the remainder would always go to the same part
    part = {
        index
        for number, index in enumerate(order)
        if int((number + 1) * share + start) > int(number * share + start)
    }
    return sorted(part), [index for index in range(len(groups)) if index not in part]
