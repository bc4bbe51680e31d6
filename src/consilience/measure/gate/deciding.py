"""May it go out? An evaluation against thresholds: pass, re-evaluate or fail, with reasons.

What decides is worked out again from the values of the single questions, so that a number edited
by hand does not pass. Evidence that is stale, thin or undecided is no failure and no pass: it
asks for another evaluation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from consilience.errors import UsageError
from consilience.measure.evaluate.running import MERGED, UNRERANKED
from consilience.measure.gate.soundness import (
    Check,
    Now,
    Verdict,
    controls,
    enough,
    fresh,
    honest,
    values_of,
)
from consilience.measure.gate.thresholds import ANY, BETTER, Evaluated, Thresholds
from consilience.measure.golden.files import question_digest
from consilience.measure.scoring.measures import PRIMARY
from consilience.measure.scoring.statistics import compare, corrected, interval
from consilience.measure.values import Comparison, Question

EXIT: Mapping[Verdict, int] = {"pass": 0, "re-evaluate": 4, "fail": 1}
SURE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict of a gate: the worst of its checks. `advice` is what to do without."""

    checks: tuple[Check, ...]
    advice: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """`fail` if a check fails, else `re-evaluate` if one asks for it, else `pass`."""
        found = {one.verdict for one in self.checks}
        return "fail" if "fail" in found else "re-evaluate" if "re-evaluate" in found else "pass"

    def as_json(self) -> dict[str, Any]:
        """The decision as plain values."""
        return {
            "verdict": self.verdict,
            "exit": EXIT[self.verdict],
            "advice": list(self.advice),
            "checks": [
                {"name": one.name, "verdict": one.verdict, "told": one.told} for one in self.checks
            ],
        }


def read_evaluation(path: Path) -> Evaluated:
    """The JSON that `consilience evaluate --json` writes."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}; name a JSON file") from error
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}; make it with --json") from error
    wanted = ("fingerprint", "settings", "golden", "ways", "controls", "questions")
    missing = [name for name in wanted if not isinstance(found, dict) or name not in found]
    if missing or found.get("version") != 1:
        what = f"lacks {', '.join(missing)}" if missing else "is not of version 1"
        raise UsageError(f"{path} {what}; make it with `consilience evaluate --json`")
    return dict(found)


def decide(evaluation: Evaluated, wanted: Thresholds, now: Now) -> Decision:
    """Hold an evaluation against thresholds, and against the workspace as it is."""
    unseen = _unseen(evaluation, now.tuned)
    found = _comparisons(evaluation, unseen)
    merged = [one for one in found if one.theirs != UNRERANKED]
    plain = [one for one in found if one.theirs == UNRERANKED]
    checks = [
        honest(evaluation),
        fresh(evaluation, now),
        enough(evaluation, unseen, wanted.least_questions),
        *controls(evaluation),
        *_retrieval(evaluation, wanted),
        *_shares(evaluation, wanted),
        *_compared(merged, wanted.merged, "do not fuse"),
        *_compared(plain, wanted.reranked, "do not rerank"),
    ]
    if wanted.merged != ANY and not merged:
        checks.append(_no_singles(evaluation))
    if wanted.reranked != ANY and not plain and (evaluation.get("models") or {}).get("rerank"):
        told = f"the evaluation has no {UNRERANKED!r} to compare with"
        checks.append(Check(name=f"{MERGED} beats {UNRERANKED}", verdict="re-evaluate", told=told))
    advice = []
    if worse := [one for one in merged if _shown(one) and one.gain.mean < 0]:
        most = min(worse, key=lambda one: one.gain.mean)
        advice.append(f"do not fuse: {most.theirs} alone is better")
    if any(_shown(one) and one.gain.mean < 0 for one in plain):
        advice.append("do not rerank: the fused order is better")
    return Decision(checks=tuple(checks), advice=tuple(advice))


# --- is it good enough? -----------------------------------------------------------------


def _retrieval(evaluation: Evaluated, wanted: Thresholds) -> list[Check]:
    checks = []
    for way, measures in wanted.retrieval.items():
        for measure, least in measures.items():
            values = values_of(evaluation, way, measure)
            found = asdict(interval(values)) if values else None
            checks.append(_at_least(f"{measure} of {way}", found, least))
    return checks


def _shares(evaluation: Evaluated, wanted: Thresholds) -> list[Check]:
    """Attribution, time, refusals and support of merged, as far as they are asked for."""
    merged = evaluation["ways"].get(MERGED, {})
    refusals = merged.get("refusals") or {}
    latency = (merged.get("latency_ms") or {}).get("p95")
    asked: list[tuple[str, float | None, Callable[[str, float], Check]]] = [
        (
            "attribution",
            wanted.attribution,
            lambda name, least: _at_least(name, merged.get("attribution"), least),
        ),
        (
            "latency p95 in ms",
            wanted.latency_p95_ms,
            lambda name, most: _at_most(name, latency, most),
        ),
        (
            "unanswerable refused",
            wanted.unanswerable,
            lambda name, least: _at_least(name, _flat(refusals.get("unanswerable")), least),
        ),
        (
            "answerable refused",
            wanted.answerable,
            lambda name, most: _at_most(name, refusals.get("answerable"), most),
        ),
        (
            "support",
            wanted.support,
            lambda name, least: _at_least(name, _flat(merged.get("support")), least),
        ),
    ]
    return [check(name, bound) for name, bound, check in asked if bound is not None]


def _flat(value: Any) -> Any:
    """A share without an interval, as one with an interval of no width."""
    known = isinstance(value, int | float)
    return {"mean": value, "low": value, "high": value} if known else value


def _at_least(name: str, value: Mapping[str, float] | None, least: float) -> Check:
    if value is None:
        return Check(name=name, verdict="re-evaluate", told="the evaluation does not have it")
    mean, low, high = value["mean"], value["low"], value["high"]
    told = f"{mean:.4f} [{low:.4f}, {high:.4f}], at least {least:g} is wanted"
    if mean >= least:
        return Check(name=name, verdict="pass", told=told)
    if high >= least:
        return Check(name=name, verdict="re-evaluate", told=f"{told}: not decided")
    return Check(name=name, verdict="fail", told=told)


def _at_most(name: str, value: float | None, most: float) -> Check:
    if value is None:
        return Check(name=name, verdict="re-evaluate", told="the evaluation does not have it")
    told = f"{value:.4g}, at most {most:g} is wanted"
    return Check(name=name, verdict="pass" if value <= most else "fail", told=told)


# --- does it help? ----------------------------------------------------------------------


def _unseen(evaluation: Evaluated, tuned: Mapping[str, Any]) -> set[str]:
    """The ids of the questions that tuning has not seen."""
    seen = set(tuned.get("questions", ()))
    return {
        one["id"]
        for one in evaluation["questions"]
        if question_digest(Question(id=one["id"], text=one["text"])) not in seen
    }


def _comparisons(evaluation: Evaluated, unseen: Collection[str]) -> list[Comparison]:
    """Merged against every single source and against itself without reranking, worked out anew."""
    ways: dict[str, dict[str, float]] = {}
    for one in evaluation["questions"]:
        if one["id"] in unseen:
            for way, values in one["ways"].items():
                if PRIMARY in values:
                    ways.setdefault(way, {})[one["id"]] = float(values[PRIMARY])
    others = [
        name
        for name, told in evaluation["ways"].items()
        if name in ways and (told["kind"] == "source" or name == UNRERANKED)
    ]
    if MERGED not in ways or any(ways[one].keys() != ways[MERGED].keys() for one in others):
        return []
    return corrected(
        [
            compare(ways[MERGED], ways[other], names=(MERGED, other), measure=PRIMARY)
            for other in others
        ]
    )


def _compared(found: Sequence[Comparison], wanted: str, advice: str) -> list[Check]:
    if wanted == ANY:
        return []
    checks = []
    for one in found:
        gain = one.gain
        told = (
            f"{gain.mean:+.4f} {one.measure} [{gain.low:+.4f}, {gain.high:+.4f}], "
            f"p = {one.p_corrected:.4f}, {gain.count} questions"
        )
        verdict: Verdict = "pass"
        if _shown(one) and gain.mean < 0:
            verdict, told = "fail", f"{told}: {advice}"
        elif wanted == BETTER and not _shown(one):
            verdict, told = "re-evaluate", f"{told}: not decided"
        checks.append(Check(name=f"{MERGED} beats {one.theirs}", verdict=verdict, told=told))
    return checks


def _no_singles(evaluation: Evaluated) -> Check:
    singles = [name for name, one in evaluation["ways"].items() if one["kind"] == "source"]
    told = f"no {PRIMARY} of merged and of single sources ({len(singles)} are there) to compare"
    return Check(name="merged beats every single source", verdict="re-evaluate", told=told)


def _shown(one: Comparison) -> bool:
    return one.p_corrected < SURE
