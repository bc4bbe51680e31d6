"""Is an evaluation sound, and does it speak of the workspace as it is? What a gate asks first."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isclose
from typing import Any, Literal

import consilience
from consilience.measure.evaluate.reading import DIGEST, SHARES, edited, sums
from consilience.measure.evaluate.running import MERGED
from consilience.measure.gate.thresholds import Evaluated
from consilience.measure.seen import Seen

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
    "the verifier can refuse",
)
"""The controls that every evaluation has."""
EXACT = 1e-6
_MS = 1e-2  # times are told less exactly
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

    `golden` is the digest of the golden set now, empty if it is not found; `key` that of all that
    answers depend on; `seen` the questions that anything here was chosen on.
    """

    fingerprint: str
    settings: Mapping[str, Any]
    golden: str
    key: str
    seen: Seen


def untouched(evaluation: Evaluated) -> Check:
    """Whether it is as it was written. What a control says cannot be worked out again."""
    name = "as it was written"
    if DIGEST not in evaluation:
        told = "the evaluation has no digest, so an edit could not be seen"
        return Check(name=name, verdict="re-evaluate", told=told)
    if edited(evaluation):
        told = "the evaluation was edited by hand since it was written"
        return Check(name=name, verdict="fail", told=told)
    return Check(name=name, verdict="pass", told="its digest fits")


def honest(evaluation: Evaluated) -> Check:
    """Numbers that are not those of the questions, or questions left out, were tampered with."""
    name = "numbers add up"
    questions = evaluation["questions"]
    wrong = [*_counted(evaluation)]
    for way, told in evaluation["ways"].items():
        for measure, sides in told["measures"].items():
            wrong += _unlike_mean(evaluation, way, measure, sides["strict"]["mean"])
        wrong += _unlike_sums(evaluation, way)
    wrong += _unlike_support(evaluation)
    if wrong:
        return Check(name=name, verdict="fail", told=_some(wrong))
    return Check(name=name, verdict="pass", told=f"means are those of {len(questions)} questions")


def _counted(evaluation: Evaluated) -> Iterator[str]:
    """Questions that are left out, counted twice, or answered in a way that is not listed."""
    questions, golden = evaluation["questions"], evaluation["golden"]
    every = [*questions, *evaluation.get("unscored", ())]
    if len(questions) != golden.get("judged"):
        yield f"{golden.get('judged')} questions are judged, values are there for {len(questions)}"
    if len(every) != golden.get("questions"):
        yield f"{golden.get('questions')} questions were asked, {len(every)} are told of"
    twice = [key for key, number in Counter(one["id"] for one in every).items() if number > 1]
    yield from (f"question {key!r} counts twice" for key in twice)
    extra = {way for one in every for way in one["ways"]} - evaluation["ways"].keys()
    yield from (f"{way} has values but is not among the ways" for way in sorted(extra))


def _unlike_mean(evaluation: Evaluated, way: str, measure: str, given: float) -> Iterator[str]:
    values, count = values_of(evaluation, way, measure), len(evaluation["questions"])
    if len(values) < count:
        yield f"{way} has no {measure} for {count - len(values)} questions"
        return
    mean = fsum(values) / max(count, 1)
    if not isclose(mean, given, abs_tol=EXACT):
        yield f"{measure} of {way} is given as {given:.4f}, its questions give {mean:.4f}"


def _unlike_sums(evaluation: Evaluated, way: str) -> Iterator[str]:
    """Shares, times and refusals that the questions do not give."""
    told, found = evaluation["ways"][way], sums(evaluation, way)
    for name in SHARES:
        given = (told.get(name) or {}).get("mean")
        yield from _unlike(f"{name} of {way}", given, found[name], EXACT)
    for name, near in (("latency_ms", _MS), ("refusals", EXACT)):
        for part, value in found[name].items():
            given = (told.get(name) or {}).get(part)
            yield from _unlike(f"{name} ({part}) of {way}", given, value, near)


def _unlike_support(evaluation: Evaluated) -> Iterator[str]:
    """A support of the written answers that the questions do not give."""
    answers = evaluation.get("answers")
    if answers:
        values = all_values_of(evaluation, MERGED, "support")
        mean = fsum(values) / len(values) if values else None
        yield from _unlike("support", (answers.get("support") or {}).get("mean"), mean, EXACT)


def _unlike(name: str, given: Any, found: float | None, near: float) -> Iterator[str]:
    same = given is None and found is None
    if given is not None and found is not None:
        same = isclose(float(given), found, abs_tol=near)
    if not same:
        yield f"{name} is given as {_short(given)}, its questions give {_short(found)}"


def _short(value: float | None) -> str:
    return "nothing" if value is None else f"{float(value):.4f}"


def fresh(evaluation: Evaluated, now: Now) -> Check:
    """Another corpus, golden set, version or other settings since: it says nothing of now.

    Nor does it if the golden set is not there to compare with.
    """
    name = "evidence is fresh"
    stale = []
    if evaluation["fingerprint"] != now.fingerprint:
        stale.append("the corpus has changed since")
    if evaluation.get("consilience") != consilience.__version__:
        stale.append(
            f"it was made by Consilience {evaluation.get('consilience')}, this is "
            f"{consilience.__version__}"
        )
    if not now.golden:
        named = evaluation["golden"].get("path") or "no path"
        stale.append(f"the golden set is not found ({named}): name it with --golden")
    elif evaluation["golden"].get("digest") != now.golden:
        stale.append("the golden set is another one")
    settings: Mapping[str, Any] = json.loads(json.dumps(now.settings))
    then = evaluation["settings"]
    stale += [
        f"{key} was {then.get(key)!r}, is {settings.get(key)!r}"
        for key in sorted({*settings, *then})
        if settings.get(key) != then.get(key)
    ]
    if not stale and evaluation.get("key") != now.key:
        stale.append("the models, synonyms, what was learned or the program have changed since")
    if stale:
        return Check(name=name, verdict="re-evaluate", told=_some(stale))
    return Check(name=name, verdict="pass", told="same corpus, questions, settings and program")


def enough(evaluation: Evaluated, unseen: Collection[str], least: int) -> Check:
    """Whether there are questions enough that neither tuning nor learning has seen."""
    name = "enough questions"
    told = f"{len(unseen)} judged questions"
    seen = len(evaluation["questions"]) - len(unseen)
    if seen:
        told += f" that tuning and learning have not seen ({seen} they have)"
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


def all_values_of(evaluation: Evaluated, way: str, name: str) -> list[float]:
    """The same of every question that was asked, judged or not."""
    every = {"questions": [*evaluation["questions"], *evaluation.get("unscored", ())]}
    return values_of(every, way, name)


def _some(told: Sequence[str]) -> str:
    more = f"; and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
    return "; ".join(told[:_SHOWN]) + more
