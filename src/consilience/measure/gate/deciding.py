"""May it go out? An evaluation against thresholds: pass, re-evaluate or fail, with reasons.

What decides is worked out again from the values of the single questions, so that a number edited
by hand does not pass. Evidence that is stale, thin or undecided is no failure and no pass: it
asks for another evaluation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from consilience.measure import rules
from consilience.measure.evaluate.reading import sums
from consilience.measure.evaluate.running import MERGED, UNRERANKED
from consilience.measure.gate.soundness import (
    Check,
    Now,
    Verdict,
    all_values_of,
    controls,
    enough,
    fresh,
    honest,
    untouched,
    values_of,
)
from consilience.measure.gate.thresholds import ANY, BETTER, Evaluated, Thresholds
from consilience.measure.golden.files import question_digest
from consilience.measure.scoring.measures import PRIMARY
from consilience.measure.scoring.statistics import compare, corrected, interval
from consilience.measure.seen import Seen
from consilience.measure.values import Comparison, Question

EXIT: Mapping[Verdict, int] = {"pass": 0, "re-evaluate": 4, "fail": 1}


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


def decide(evaluation: Evaluated, wanted: Thresholds, now: Now) -> Decision:
    """Hold an evaluation against thresholds, and against the workspace as it is."""
    unseen = _unseen(evaluation["questions"], now.seen.ordering)
    found = _comparisons(evaluation, unseen)
    merged = [one for one in found if one.theirs != UNRERANKED]
    plain = [one for one in found if one.theirs == UNRERANKED]
    checks = [
        untouched(evaluation),
        honest(evaluation),
        fresh(evaluation, now),
        enough(evaluation, unseen, wanted.least_questions),
        *controls(evaluation),
        *_retrieval(evaluation, wanted),
        *_shares(evaluation, wanted),
        *_refusals(evaluation, wanted, now.seen),
        *_compared(merged, wanted.merged, "do not fuse"),
        *_compared(plain, wanted.reranked, "do not rerank"),
    ]
    if wanted.merged != ANY and not merged:
        checks.append(_no_singles(evaluation))
    if wanted.reranked != ANY and not plain and (evaluation.get("models") or {}).get("rerank"):
        told = f"the evaluation has no {UNRERANKED!r} to compare with"
        checks.append(Check(name=f"{MERGED} beats {UNRERANKED}", verdict="re-evaluate", told=told))
    advice = []
    if worse := [one for one in merged if rules.harms(one)]:
        most = min(worse, key=lambda one: one.gain.mean)
        advice.append(f"do not fuse: {most.theirs} alone is better")
    if any(rules.harms(one) for one in plain):
        advice.append("do not rerank: the fused order is better")
    return Decision(checks=tuple(checks), advice=tuple(advice))


# --- is it good enough? -----------------------------------------------------------------


def _retrieval(evaluation: Evaluated, wanted: Thresholds) -> list[Check]:
    checks = []
    for way, measures in wanted.retrieval.items():
        for measure, least in measures.items():
            values = values_of(evaluation, way, measure)
            checks.append(_at_least(f"{measure} of {way}", _spread(values), least))
    return checks


def _shares(evaluation: Evaluated, wanted: Thresholds) -> list[Check]:
    """Pages, values, time and support of merged, as far as they are asked for."""
    checks = []
    for name, share, least in (
        ("attribution", "attribution", wanted.attribution),
        ("page in the first five", "page_in_top_5", wanted.pages),
        ("value in the first five", "value_in_top_5", wanted.values),
        ("value on the right page", "value_on_page", wanted.on_page),
    ):
        if least is not None:
            values = all_values_of(evaluation, MERGED, share)
            checks.append(_at_least(name, _spread(values), least))
    if wanted.latency_p95_ms is not None:
        checks.append(_latency(evaluation, wanted.latency_p95_ms))
    if wanted.support is not None:
        values = all_values_of(evaluation, MERGED, "support")
        checks.append(_at_least("support", _spread(values), wanted.support))
    return checks


def _latency(evaluation: Evaluated, most: float) -> Check:
    name = "latency p95 in ms"
    if kept := evaluation.get("latency_kept", 0):
        told = f"{kept} times are those of an earlier run: evaluate with --fresh"
        return Check(name=name, verdict="re-evaluate", told=told)
    known = bool(all_values_of(evaluation, MERGED, "ms"))
    latency = sums(evaluation, MERGED)["latency_ms"]["p95"] if known else None
    return _at_most(name, latency, most)


def _refusals(evaluation: Evaluated, wanted: Thresholds, seen: Seen) -> list[Check]:
    """What is refused, on questions that the calibration was not learned from."""
    every = [*evaluation["questions"], *evaluation.get("unscored", ())]
    unseen = _unseen(every, seen.calibrated)
    sides: list[tuple[str, bool, float | None]] = [
        ("unanswerable refused", False, wanted.unanswerable),
        ("answerable refused", True, wanted.answerable),
    ]
    checks = []
    for name, answerable, bound in sides:
        if bound is None:
            continue
        of_side = [one for one in every if one.get("answerable") is answerable]
        values = [
            float(bool(one["ways"][MERGED].get("refused")))
            for one in of_side
            if one["id"] in unseen and MERGED in one["ways"]
        ]
        if of_side and not values:
            told = f"the calibration was learned from all {len(of_side)} questions: ask others"
            checks.append(Check(name=name, verdict="re-evaluate", told=told))
        elif answerable:
            mean = sum(values) / len(values) if values else None
            checks.append(_at_most(name, mean, bound))
        else:
            checks.append(_at_least(name, _spread(values), bound))
    return checks


def _spread(values: Sequence[float]) -> dict[str, float] | None:
    """A mean with its interval; None of no values."""
    return asdict(interval(values)) if values else None


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


def _unseen(questions: Sequence[Mapping[str, Any]], seen: Collection[str]) -> set[str]:
    """The ids of the questions that nothing was chosen on."""
    return {
        one["id"]
        for one in questions
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
        told = f"{one.measure} {rules.told(one)}, {one.gain.count} questions"
        verdict: Verdict = "pass"
        if rules.harms(one):
            verdict, told = "fail", f"{told}: {advice}"
        elif wanted == BETTER and not rules.pays(one)[0]:
            verdict, told = "re-evaluate", f"{told}: not decided"
        rule = "beats" if wanted == BETTER else "is not worse than"
        checks.append(Check(name=f"{MERGED} {rule} {one.theirs}", verdict=verdict, told=told))
    return checks


def _no_singles(evaluation: Evaluated) -> Check:
    singles = [name for name, one in evaluation["ways"].items() if one["kind"] == "source"]
    told = f"no {PRIMARY} of merged and of single sources ({len(singles)} are there) to compare"
    return Check(name="merged beats every single source", verdict="re-evaluate", told=told)
