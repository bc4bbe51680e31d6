"""Could it be chance? Intervals of a mean over questions, and one way against another.

A mean over questions has a percentile interval by bootstrap (questions drawn again with
replacement). Two ways are compared on the same questions by a paired randomisation test: where
it does not matter which way is which, each question's difference may as well have the other
sign. Up to `EXACT` questions all signs are tried, beyond that `ROUNDS` of them by a seed, so the
same values give the same numbers. Several comparisons are corrected by Holm's method.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from consilience.errors import UsageError
from consilience.measure.values import Comparison, Interval

ROUNDS = 10_000
EXACT = 13
"""With so many questions or fewer, every assignment of signs is tried."""

_CELLS = 1_000_000  # numbers drawn at a time
_KEPT = 2_000  # questions up to which the draws are kept: 20 MB at most
_SAME = 1e-12
_POWER = 1.96 + 0.8416  # seen at p < 0.05 in four of five repetitions
Numbers: TypeAlias = NDArray[np.float64]


def interval(values: Sequence[float], *, seed: int = 5) -> Interval:
    """The mean with its 95 % interval; of no values a 0 with count 0."""
    if not len(values):
        return Interval(mean=0.0, low=0.0, high=0.0, count=0)
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
    p = _paired(np.asarray(gains, dtype=np.float64), seed)
    return Comparison(
        ours=names[0],
        theirs=names[1],
        measure=measure,
        gain=interval(gains, seed=seed),
        p=p,
        p_corrected=p,
    )


def corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The same comparisons with p corrected for their number (Holm, 1979), in their order."""
    count = len(comparisons)
    order = sorted(range(count), key=lambda number: comparisons[number].p)
    found = [1.0] * count
    highest = 0.0
    for place, number in enumerate(order):
        highest = max(highest, min(1.0, (count - place) * comparisons[number].p))
        found[number] = highest
    return [replace(one, p_corrected=p) for one, p in zip(comparisons, found, strict=True)]


def needed(gains: Sequence[float]) -> float:
    """The smallest mean gain that so many questions, so unlike one another, could well show.

    A true gain of this size comes out at p < 0.05 four times in five; a smaller one may be
    there and go unseen. 0 when there are too few questions to say.
    """
    if len(gains) < 2:
        return 0.0
    spread = float(np.std(np.asarray(gains, dtype=np.float64), ddof=1))
    return _POWER * spread / float(np.sqrt(len(gains)))


def _paired(gains: Numbers, seed: int) -> float:
    """How often a gain as large comes about when it does not matter which way is which."""
    count = len(gains)
    if not gains.any():
        return 1.0
    bound = abs(float(gains.sum())) - _SAME * count
    if count <= EXACT:
        signs = 1.0 - 2.0 * ((np.arange(2**count)[:, None] >> np.arange(count)) & 1)
        return float((np.abs(signs @ gains) >= bound).mean())
    chance = np.random.default_rng(seed)
    extreme = 0
    for rounds in _chunks(count):
        bits = np.unpackbits(np.frombuffer(chance.bytes(rounds * -(-count // 8)), dtype=np.uint8))
        kept = bits.reshape(rounds, -1)[:, :count].astype(np.float64)
        extreme += int((np.abs(2 * (kept @ gains) - gains.sum()) >= bound).sum())
    return (extreme + 1) / (ROUNDS + 1)


def _draws(count: int, seed: int) -> Iterator[Numbers]:
    """How often each question is drawn, a row for each round."""
    if count <= _KEPT:
        kept = _kept_draws(count, seed)
        step = max(1, _CELLS // count)
        for start in range(0, ROUNDS, step):
            yield kept[start : start + step].astype(np.float64)
    else:
        for part in _fresh_draws(count, seed):
            yield part.astype(np.float64)


@lru_cache(maxsize=4)
def _kept_draws(count: int, seed: int) -> NDArray[np.uint8]:
    """The draws, for the many means over the same number of questions."""
    return np.concatenate(list(_fresh_draws(count, seed)))


def _fresh_draws(count: int, seed: int) -> Iterator[NDArray[np.uint8]]:
    chance = np.random.default_rng(seed)
    for rounds in _chunks(count):
        drawn = chance.integers(0, count, (rounds, count), dtype=np.int64)
        drawn += np.arange(rounds)[:, None] * count
        often = np.bincount(drawn.ravel(), minlength=rounds * count)
        yield np.minimum(often, 255).astype(np.uint8).reshape(rounds, count)


def _chunks(count: int) -> Iterator[int]:
    """So many rounds at a time, `ROUNDS` in all."""
    step = max(1, _CELLS // count)
    for start in range(0, ROUNDS, step):
        yield min(step, ROUNDS - start)
