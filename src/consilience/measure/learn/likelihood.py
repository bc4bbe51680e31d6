"""How are the weights of a calibration found, and how good is one? From hits with labels.

The weights are those that make the labels most likely (logistic regression), each of 0 or more.
Every question counts the same, however many hits it has; questions that have an answer and those
that have none count the same together, so that a set with few of either is not deaf to them. A
`prior` pulls the weights to those of another calibration, as much as a few dozen questions do.

Whether anything answers a question at all is learned from the best signs of its hits, in the same
way: every question is one case, and its label is whether it has an answer here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from consilience.relevance import SIGNS, Answerable, Best, Calibration, Signs, abstains

BINS = 10
FLOORS = tuple(round(0.05 * step, 2) for step in range(1, 13))
"""Floors that are looked at: 0.05 to 0.6."""
THIN = 50
"""With fewer judged questions only the base is learned; the weights stay those of the prior."""
_PULL = 2.0  # of the prior: about as much as 30 questions
_LOOSE = 1e-4  # where there is no prior: enough to keep weights finite

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One hit of a question: what it carries, and whether a person holds it relevant.

    `answerable` says whether the question has an answer here at all, and `best` are the best signs
    of all its hits, where a reranker read them.
    """

    question: str
    signs: Signs
    relevant: bool
    answerable: bool = True
    best: Best | None = None


class Bin(NamedTuple):
    """The hits of about the same relevance: what was promised, and what share was relevant.

    Weighed as in learning: answerable and unanswerable questions count the same.
    """

    given: float
    came: float
    hits: int
    weight: float


Given = tuple[Sample, float | None]
"""A hit with the relevance that it was given."""


def learn(
    samples: Sequence[Sample], *, model: str, prior: Calibration | None = None
) -> Calibration:
    """The calibration that makes these labels most likely."""
    known = [one for one in samples if one.signs.meaning is not None]
    signs, labels, weights = _arrays(known)
    centre = np.array(
        [prior.base, *(prior.weights[name] for name in SIGNS)] if prior else [0.0] * 4
    )
    pull = _PULL if prior else _LOOSE
    thin = len({one.question for one in known}) < THIN and prior is not None
    lowest = [(None, None), *((at, at) if thin else (0.0, None) for at in centre[1:].tolist())]
    found = _fit(signs, labels, weights, centre=centre, pull=pull, lowest=lowest)
    return Calibration(model=model, base=round(found[0], 4), weights=_named(SIGNS, found[1:]))


def learn_answerable(samples: Sequence[Sample], *, reranker: str) -> Answerable:
    """The part of a calibration that makes it most likely which questions have an answer."""
    asked = [one for one in _by_question(samples).values() if one.best is not None]
    rows = np.array([[1.0, *(one.best or ())] for one in asked], dtype=np.float64)
    labels = np.array([one.answerable for one in asked], dtype=np.float64)
    size = len(Best._fields)
    found = _fit(
        rows.reshape(-1, size + 1),
        labels,
        np.array(_shares(asked), dtype=np.float64),
        centre=np.zeros(size + 1),
        pull=_LOOSE,
        lowest=[(None, None), *[(0.0, None)] * size],
    )
    return Answerable(
        reranker=reranker, base=round(found[0], 4), weights=_named(Best._fields, found[1:])
    )


def given(samples: Sequence[Sample], calibration: Calibration) -> list[Given]:
    """The samples with the relevance that a calibration gives each."""
    return [(one, calibration.relevance(one.signs)) for one in samples]


def losses(samples: Sequence[Given]) -> dict[str, float]:
    """By question: the mean squared distance of relevance and label (Brier); lower is better."""
    values: dict[str, list[float]] = {}
    for one, value in samples:
        off = (0.5 if value is None else value) - one.relevant
        values.setdefault(one.question, []).append(off * off)
    return {question: sum(found) / len(found) for question, found in values.items()}


def reliability(samples: Sequence[Given], *, bins: int = BINS) -> list[Bin]:
    """What was promised and what came true, in equal steps of relevance."""
    known = [(one, value) for one, value in samples if value is not None]
    groups: dict[int, list[tuple[float, bool, float]]] = {}
    for (one, value), share in zip(known, _shares([one for one, _ in known]), strict=True):
        place = min(int(value * bins), bins - 1)
        groups.setdefault(place, []).append((value, one.relevant, share))
    return [_bin(group) for _, group in sorted(groups.items())]


def calibration_error(bins: Sequence[Bin]) -> float:
    """The mean distance of what was promised from what came true."""
    total = sum(one.weight for one in bins)
    return sum(abs(one.given - one.came) * one.weight for one in bins) / total if total else 0.0


def refused(
    samples: Sequence[Given], floor: float, part: Answerable | None = None
) -> dict[str, float | None]:
    """The share of questions that a search refuses at the floor: unanswerable, and answerable."""
    hits: dict[str, list[Given]] = {}
    for one, value in samples:
        hits.setdefault(one.question, []).append((one, value))
    shares: dict[bool, list[bool]] = {True: [], False: []}
    for found in hits.values():
        shares[found[0][0].answerable].append(_refuses(found, floor, part))
    return {
        name: sum(group) / len(group) if group else None
        for name, group in (("unanswerable", shares[False]), ("answerable", shares[True]))
    }


def _refuses(found: Sequence[Given], floor: float, part: Answerable | None) -> bool:
    best = found[0][0].best
    chance = part.chance(best) if part and best else None
    return abstains([one.signs for one, _ in found], [value for _, value in found], floor, chance)


def best_floor(samples: Sequence[Given], part: Answerable | None = None) -> float | None:
    """The floor that parts questions without an answer from those with one best.

    That is where most of the one and fewest of the other are refused; the lowest of several. None
    where one of the two sorts is missing.
    """
    shares = {floor: refused(samples, floor, part) for floor in FLOORS}
    gains = {
        floor: round(one["unanswerable"] - one["answerable"], 9)
        for floor, one in shares.items()
        if one["unanswerable"] is not None and one["answerable"] is not None
    }
    return max(gains, key=lambda floor: (gains[floor], -floor)) if gains else None


def _fit(
    signs: Numbers,
    labels: Numbers,
    weights: Numbers,
    *,
    centre: Numbers,
    pull: float,
    lowest: Sequence[tuple[float | None, float | None]],
) -> list[float]:
    """The base and weights within bounds under which the labels are most likely."""
    from scipy.optimize import minimize  # noqa: PLC0415 (takes long to load)

    def loss(found: Numbers) -> tuple[float, Numbers]:
        total = signs @ found
        chance = 1 / (1 + np.exp(-np.clip(total, -500, 500)))
        away = found - centre
        value = weights @ (np.logaddexp(0, total) - labels * total) + pull * away @ away
        return float(value), signs.T @ (weights * (chance - labels)) + 2 * pull * away

    values: list[float] = minimize(
        loss, centre, jac=True, method="L-BFGS-B", bounds=lowest
    ).x.tolist()
    return values


def _named(names: Sequence[str], values: Sequence[float]) -> Mapping[str, float]:
    return {name: round(max(value, 0.0), 4) for name, value in zip(names, values, strict=True)}


def _by_question(samples: Sequence[Sample]) -> dict[str, Sample]:
    """One sample of each question: what they say of the question is the same."""
    return {one.question: one for one in samples}


def _arrays(samples: Sequence[Sample]) -> tuple[Numbers, Numbers, Numbers]:
    rows = [[1.0, one.signs.meaning or 0.0, one.signs.words, one.signs.first] for one in samples]
    return (
        np.array(rows, dtype=np.float64).reshape(-1, 4),
        np.array([one.relevant for one in samples], dtype=np.float64),
        np.array(_shares(samples), dtype=np.float64),
    )


def _shares(samples: Sequence[Sample]) -> list[float]:
    """How much each hit counts: 1 a question on average, the same for either sort of question."""
    hits: dict[str, int] = {}
    sorts: dict[str, bool] = {}
    for one in samples:
        hits[one.question] = hits.get(one.question, 0) + 1
        sorts[one.question] = one.answerable
    number = {sort: sum(each == sort for each in sorts.values()) for sort in (True, False)}
    both = 2 if number[True] and number[False] else 1
    return [len(sorts) / both / number[one.answerable] / hits[one.question] for one in samples]


def _bin(group: Sequence[tuple[float, bool, float]]) -> Bin:
    total = sum(share for _, _, share in group)
    return Bin(
        given=sum(value * share for value, _, share in group) / total,
        came=sum(label * share for _, label, share in group) / total,
        hits=len(group),
        weight=total,
    )
