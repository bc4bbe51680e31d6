"""Could a difference be chance? Intervals, paired tests, and splits of questions.

A mean over questions has a percentile interval by bootstrap. Two ways of searching are compared on
the same questions by a paired randomisation test: if it does not matter which way is which, each
question's difference may as well have the other sign. Up to `EXACT` questions all signs are tried,
beyond that `ROUNDS` random ones by a seed, so that the same values give the same numbers. Several
comparisons are corrected by Holm's method.

One rule for tuning, calibrating and the gate: a gain counts if it is above 0 and significant on
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
    draws = _cached_draws(len(array), seed) if len(array) <= 2_000 else _draws(len(array), seed)
    means = np.concatenate([part.astype(np.float64) @ array for part in draws]) / len(array)
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
    corrected = [1.0] * count
    highest = 0.0
    for place, number in enumerate(sorted(range(count), key=lambda at: comparisons[at].p)):
        highest = max(highest, min(1.0, (count - place) * comparisons[number].p))
        corrected[number] = highest
    return [
        replace(comparison, p_corrected=p)
        for comparison, p in zip(comparisons, corrected, strict=True)
    ]


def detectable_gain(gains: Sequence[float]) -> float:
    """The smallest true mean gain that comes out at p < 0.05 four times in five.

    A smaller one may exist and go unseen. 0 with too few questions to say.
    """
    if len(gains) < 2:
        return 0.0
    return _POWER * float(np.std(gains, ddof=1)) / math.sqrt(len(gains))


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
        chosen = bits.reshape(rounds, -1)[:, :count].astype(np.float64)
        extreme += int((np.abs(2 * (chosen @ gains) - gains.sum()) >= bound).sum())
    return (extreme + 1) / (ROUNDS + 1)


@lru_cache(maxsize=4)
def _cached_draws(count: int, seed: int) -> list[NDArray[np.uint8]]:
    """The draws, for the many means over the same number of questions."""
    return list(_draws(count, seed))


def _draws(count: int, seed: int) -> Iterator[NDArray[np.uint8]]:
    """How often each question is drawn, a row for each round."""
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
