"""What do several ways of asking the same questions come to? Means, times, and rows of a table."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from consilience.measure.data_model import Run


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


def table(result: Mapping[str, Any], names: Sequence[str]) -> str:
    """What came out, for a person: each way, each kind of question, gains, and what failed."""
    lines = [f"{result['questions']} questions", "", row("", names)]
    lines += [row(way, one.values()) for way, one in result["ways"].items()]
    for name, ways in result["categories"].items():
        lines += ["", name, *(row(f"  {way}", one.values()) for way, one in ways.items())]
    lines += ["", *(f"{name}: {one}" for name, one in result["gains"].items())]
    for name in ("refused rightly", "refused wrongly", "milliseconds"):
        lines.append(f"{name}: {result[name]}")
    for one in result.get("failures", ()):
        lines += ["", *(f"{name}: {value}" for name, value in one.items())]
    return "\n".join(lines)
