"""What do several ways of asking the same questions come to? Means, times, and rows of a table."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence

from consilience.measure.values import Run


def means(values: Mapping[str, Mapping[str, float]], keys: Sequence[str]) -> dict[str, float]:
    """The mean of each measure over these questions."""
    return {
        name: round(statistics.fmean(one[key] for key in keys), 4) for name, one in values.items()
    }


def times(run: Run) -> dict[str, float]:
    """How long questions took, in milliseconds: the median, and 95 of 100."""
    spent = sorted(one.ms for one in run.answers.values())
    return {
        "p50": round(statistics.median(spent), 1),
        "p95": round(spent[min(len(spent) - 1, round(0.95 * len(spent)))], 1),
    }


def row(name: str, values: Iterable[object]) -> str:
    """A line of a table."""
    return f"{name:22}" + "".join(f"{value!s:>10}" for value in values)
