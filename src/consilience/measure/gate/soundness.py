"""Is an evaluation sound, and does it speak of the workspace as it is? What a gate asks first."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isclose
from typing import Any, Literal

import consilience
from consilience.measure.gate.thresholds import Evaluated

Verdict = Literal["pass", "re-evaluate", "fail"]
CONTROLS = (
    "golden set is sound",
    "every question counted",
    "every source answered",
    "shuffled labels",
    "labels not from a ranker",
    "labels are no keywords",
    "not tuned on these questions",
    "off-topic questions refused",
)
"""The controls that every evaluation has."""
EXACT = 1e-6
_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was asked for, how it came out, and why."""

    name: str
    verdict: Verdict
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Now:
    """The workspace as it is: what an evaluation must have been made on to say anything of it.

    `tuned` is the record that tuning left, empty if there is none; `golden` the digest of the
    golden set now, empty if it is not known.
    """

    fingerprint: str
    settings: Mapping[str, Any]
    tuned: Mapping[str, Any]
    golden: str = ""


def honest(evaluation: Evaluated) -> Check:
    """Means that are not those of the questions, or questions left out, were tampered with."""
    name = "numbers add up"
    questions = evaluation["questions"]
    wrong = []
    if len(questions) != evaluation["golden"].get("judged"):
        judged = evaluation["golden"].get("judged")
        wrong.append(f"{judged} questions are judged, values are there for {len(questions)}")
    twice = [key for key, number in Counter(one["id"] for one in questions).items() if number > 1]
    wrong += [f"question {key!r} counts twice" for key in twice]
    extra = {way for one in questions for way in one["ways"]} - evaluation["ways"].keys()
    wrong += [f"{way} has values but is not among the ways" for way in sorted(extra)]
    for way, told in evaluation["ways"].items():
        for measure, sides in told["measures"].items():
            values = values_of(evaluation, way, measure)
            if len(values) < len(questions):
                lacking = len(questions) - len(values)
                wrong.append(f"{way} has no {measure} for {lacking} questions")
                continue
            mean = fsum(values) / max(len(values), 1)
            if not isclose(mean, sides["strict"]["mean"], abs_tol=EXACT):
                wrong.append(
                    f"{measure} of {way} is given as {sides['strict']['mean']:.4f}, its "
                    f"questions give {mean:.4f}"
                )
    if wrong:
        return Check(name=name, verdict="fail", told=_some(wrong))
    return Check(name=name, verdict="pass", told=f"means are those of {len(questions)} questions")


def fresh(evaluation: Evaluated, now: Now) -> Check:
    """Another corpus, golden set, version or other settings since: it says nothing of now."""
    name = "evidence is fresh"
    stale = []
    if evaluation["fingerprint"] != now.fingerprint:
        stale.append("the corpus has changed since")
    if evaluation.get("consilience") != consilience.__version__:
        stale.append(
            f"it was made by Consilience {evaluation.get('consilience')}, this is "
            f"{consilience.__version__}"
        )
    if now.golden and evaluation["golden"].get("digest") != now.golden:
        stale.append("the golden set is another one")
    settings: Mapping[str, Any] = json.loads(json.dumps(now.settings))
    then = evaluation["settings"]
    stale += [
        f"{key} was {then.get(key)!r}, is {settings.get(key)!r}"
        for key in sorted({*settings, *then})
        if settings.get(key) != then.get(key)
    ]
    if stale:
        return Check(name=name, verdict="re-evaluate", told=_some(stale))
    return Check(name=name, verdict="pass", told="same corpus, settings and version")


def enough(evaluation: Evaluated, unseen: Collection[str], least: int) -> Check:
    """Whether there are questions enough that tuning has not seen."""
    name = "enough questions"
    told = f"{len(unseen)} judged questions"
    seen = len(evaluation["questions"]) - len(unseen)
    if seen:
        told += f" that tuning has not seen ({seen} it has)"
    if len(unseen) < least:
        return Check(name=name, verdict="re-evaluate", told=f"{told}, at least {least} are needed")
    return Check(name=name, verdict="pass", told=told)


def controls(evaluation: Evaluated) -> list[Check]:
    """Every control must be there and green."""
    given = {one["name"]: one for one in evaluation["controls"]}
    checks = [
        Check(
            name=f"control: {name}",
            verdict="pass" if one["passed"] is True else "fail",
            told=str(one["told"]),
        )
        for name, one in given.items()
    ]
    missing = [name for name in CONTROLS if name not in given]
    if missing:
        told = f"the evaluation lacks {', '.join(missing)}: it cannot be trusted without"
        checks.append(Check(name="controls", verdict="re-evaluate", told=told))
    return checks


def values_of(evaluation: Evaluated, way: str, measure: str) -> list[float]:
    """What the questions have by a measure; those that have nothing are not counted."""
    given = (one["ways"].get(way, {}).get(measure) for one in evaluation["questions"])
    return [float(value) for value in given if value is not None]


def _some(told: Sequence[str]) -> str:
    more = f"; and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
    return "; ".join(told[:_SHOWN]) + more
