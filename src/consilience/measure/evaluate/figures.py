"""Which numbers do the plots show? Places, precision over recall, moves and times, from runs."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence

from consilience.measure.values import Resolved, Run

GROUPS = ("1", "2–3", "4–5", "6–10", "11–20", "21–100", "none")
"""Places of the first relevant passage, in groups that a reader tells apart."""
_LAST = (1, 3, 5, 10, 20, 100)
_LEVELS = 11


def relevant_places(run: Run, resolved: Resolved, question: str) -> list[int]:
    """The places, counted from 1, at which a run meets what answers a question."""
    answer = run.answers.get(question)
    grades = resolved.grades.get(question, {})
    order = resolved.order(question, answer.passages) if answer else []
    return [place for place, unit in enumerate(order, start=1) if grades.get(unit, 0) > 0]


def first_places(run: Run, resolved: Resolved) -> dict[str, int | None]:
    """By judged question: the place of the first relevant one, or None."""
    return {
        question: next(iter(relevant_places(run, resolved, question)), None)
        for question in _judged(resolved)
    }


def precision_recall(run: Run, resolved: Resolved) -> list[tuple[float, float]]:
    """Precision at recalls of 0, 0.1 … 1: the best that is had there or beyond, on average."""
    sums = [0.0] * _LEVELS
    questions = _judged(resolved)
    for question in questions:
        wanted = sum(grade > 0 for grade in resolved.grades[question].values())
        places = relevant_places(run, resolved, question)
        reached = [(n / wanted, n / place) for n, place in enumerate(places, start=1)]
        for level in range(_LEVELS):
            least = level / (_LEVELS - 1) - 1e-9
            sums[level] += max((best for recall, best in reached if recall >= least), default=0.0)
    return [
        (level / (_LEVELS - 1), total / max(len(questions), 1)) for level, total in enumerate(sums)
    ]


def moves(
    before: Mapping[str, int | None], after: Mapping[str, int | None]
) -> dict[tuple[int, int], int]:
    """How many questions went from which group of places to which."""
    return dict(Counter((_group(before[key]), _group(after[key])) for key in before))


def shares_by_time(times: Sequence[float], *, points: int = 60) -> list[tuple[float, float]]:
    """Which share of the questions was answered within which time."""
    ordered = sorted(times)
    if not ordered:
        return []
    picked = sorted({round(n * (len(ordered) - 1) / (points - 1)) for n in range(points)})
    return [(ordered[place], (place + 1) / len(ordered)) for place in picked]


def reliability(run: Run, resolved: Resolved) -> list[tuple[float, float, int]]:
    """In steps of a tenth of the relevance given: its mean, the share that was relevant, how many.

    Empty where no relevance was given. What nobody judged counts as not relevant.
    """
    bins: dict[int, list[tuple[float, bool]]] = {}
    for question in _judged(resolved):
        answer = run.answers.get(question)
        grades = resolved.grades[question]
        met = resolved.strict.get(question, {})
        for one, given in zip(answer.passages, answer.relevances, strict=False) if answer else ():
            if given is None:
                continue
            units = (resolved.homes.get(one, ""),) if resolved.homes else met.get(one, ())
            right = any(grades.get(unit, 0) > 0 for unit in units)
            bins.setdefault(min(int(given * 10), 9), []).append((given, right))
    return [
        (
            sum(given for given, _ in some) / len(some),
            sum(r for _, r in some) / len(some),
            len(some),
        )
        for _, some in sorted(bins.items())
    ]


def _judged(resolved: Resolved) -> list[str]:
    return [
        key for key, grades in resolved.grades.items() if any(one > 0 for one in grades.values())
    ]


def _group(place: int | None) -> int:
    return len(_LAST) if place is None else bisect_left(_LAST, place)
