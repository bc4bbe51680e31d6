"""May a change be released? An evaluation against thresholds: pass, re-evaluate or fail.

What decides is computed from the values of the single questions. An evaluation that was edited by
hand fails: its digest does not fit. Evidence that is stale, thin or undecided is no failure and no
pass: it asks for another evaluation.
"""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import consilience
from consilience.errors import UsageError
from consilience.measure.controls import CONTROLS
from consilience.measure.data_model import Comparison
from consilience.measure.evaluation import DIGEST, is_edited
from consilience.measure.golden import text_digest
from consilience.measure.metrics import PRIMARY, percentiles
from consilience.measure.runs import MERGED, UNRERANKED
from consilience.measure.seen_questions import SeenQuestions
from consilience.measure.statistics import (
    compare,
    correct_for_number,
    format_gain,
    interval,
    is_better,
    is_worse,
)

Verdict = Literal["pass", "re-evaluate", "fail"]
EXIT: Mapping[Verdict, int] = {"pass": 0, "re-evaluate": 4, "fail": 1}
BETTER, NOT_WORSE, ANY = "better", "not worse", "any"
EvaluationJson = Mapping[str, Any]
"""The JSON of an evaluation."""
_SHOWN = 3
_MISSING = "the evaluation does not have it"
_NUMBERS: Mapping[str, tuple[str, str]] = {
    "least_questions": ("gate", "least_questions"),
    "attribution": ("attribution", "least"),
    "pages": ("pages", "least"),
    "values": ("values", "least"),
    "on_page": ("values", "on_page"),
    "latency_p95_ms": ("latency", "p95_ms"),
    "unanswerable": ("refusals", "unanswerable"),
    "answerable": ("refusals", "answerable"),
    "support": ("support", "least"),
}
"""By threshold: its section and name in a gate file."""
_SHARES = {
    "attribution": ("attribution", "attribution"),
    "pages": ("page in the first five", "page_in_top_5"),
    "values": ("value in the first five", "value_in_top_5"),
    "on_page": ("value on the right page", "value_on_page"),
    "support": ("support", "support"),
}
"""By threshold: its name for people, and that of its values in an evaluation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What is required; None requires nothing. `retrieval` is by way, then by measure."""

    least_questions: float = 25
    merged: str = BETTER
    reranked: str = NOT_WORSE
    retrieval: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    attribution: float | None = None
    pages: float | None = None
    values: float | None = None
    on_page: float | None = None
    latency_p95_ms: float | None = None
    unanswerable: float | None = None
    answerable: float | None = None
    support: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceState:
    """The workspace as it is now, to compare an evaluation with.

    `golden` is the digest of the golden set now, empty if it is not found; `key` that of all that
    answers depend on; `seen` the questions that anything here was chosen on.
    """

    fingerprint: str
    settings: Mapping[str, Any]
    golden: str
    key: str
    seen: SeenQuestions


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One requirement, its verdict, and why."""

    name: str
    verdict: Verdict
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict of a gate: the worst of its checks. `advice` is what to switch off."""

    checks: tuple[Check, ...]
    advice: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """`fail` if a check fails, else `re-evaluate` if one asks for it, else `pass`."""
        found = {check.verdict for check in self.checks}
        return "fail" if "fail" in found else "re-evaluate" if "re-evaluate" in found else "pass"

    def as_json(self) -> dict[str, Any]:
        """The decision as plain values."""
        return {
            "verdict": self.verdict,
            "exit": EXIT[self.verdict],
            "advice": list(self.advice),
            "checks": [
                {"name": check.name, "verdict": check.verdict, "told": check.message}
                for check in self.checks
            ],
        }


def decide(evaluation: EvaluationJson, wanted: Thresholds, now: WorkspaceState) -> Decision:
    """Check an evaluation against thresholds, and against the workspace as it is."""
    written = check_digest(evaluation)
    if written.verdict != "pass":
        return Decision(checks=(written,))  # nothing else in it can be relied on
    unseen = _unseen_ids(evaluation["questions"], now.seen.tuned)
    comparisons = _compare_again(evaluation, unseen)
    singles = [comparison for comparison in comparisons if comparison.theirs != UNRERANKED]
    unreranked = [comparison for comparison in comparisons if comparison.theirs == UNRERANKED]
    checks = [
        written,
        check_freshness(evaluation, now),
        _check_count(evaluation, unseen, wanted.least_questions),
        *check_controls(evaluation),
        *_check_values(evaluation, wanted),
        *_check_latency(evaluation, wanted.latency_p95_ms),
        *_check_refusals(evaluation, wanted, now.seen),
        *_check_comparisons(singles, wanted.merged, "do not fuse"),
        *_check_comparisons(unreranked, wanted.reranked, "do not rerank"),
    ]
    if wanted.merged != ANY and not singles:
        number = sum(way["kind"] == "source" for way in evaluation["ways"].values())
        message = f"no {PRIMARY} of merged and of single sources ({number} are there) to compare"
        name = "merged beats every single source"
        checks.append(Check(name=name, verdict="re-evaluate", message=message))
    has_reranker = (evaluation.get("models") or {}).get("rerank")
    if wanted.reranked != ANY and not unreranked and has_reranker:
        message = f"the evaluation has no {UNRERANKED!r} to compare with"
        name = f"{MERGED} beats {UNRERANKED}"
        checks.append(Check(name=name, verdict="re-evaluate", message=message))
    advice = []
    if worse := [comparison for comparison in singles if is_worse(comparison)]:
        best = min(worse, key=lambda comparison: comparison.gain.mean)
        advice.append(f"do not fuse: {best.theirs} alone is better")
    if any(is_worse(comparison) for comparison in unreranked):
        advice.append("do not rerank: the fused order is better")
    return Decision(checks=tuple(checks), advice=tuple(advice))


# --- is the evaluation sound? -----------------------------------------------------------


def check_digest(evaluation: EvaluationJson) -> Check:
    """Whether the evaluation is as it was written."""
    name = "as it was written"
    if DIGEST not in evaluation:
        message = "the evaluation has no digest, so an edit could not be seen"
        return Check(name=name, verdict="re-evaluate", message=message)
    if is_edited(evaluation):
        message = "the evaluation was edited by hand since it was written"
        return Check(name=name, verdict="fail", message=message)
    return Check(name=name, verdict="pass", message="its digest fits")


def check_freshness(evaluation: EvaluationJson, now: WorkspaceState) -> Check:
    """Whether corpus, golden set, settings, program and models are those of now.

    The golden set must exist to compare with.
    """
    stale = []
    if evaluation["fingerprint"] != now.fingerprint:
        stale.append("the corpus has changed since")
    version = evaluation.get("consilience")
    if version != consilience.__version__:
        stale.append(f"it was made by Consilience {version}, this is {consilience.__version__}")
    if not now.golden:
        path = evaluation["golden"].get("path") or "no path"
        stale.append(f"the golden set is not found ({path}): name it with --golden")
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
        stale.append("the models, synonyms, the calibration or the program have changed since")
    message = "; ".join(stale[:_SHOWN]) or "same corpus, questions, settings and program"
    message += f"; and {len(stale) - _SHOWN} more" if len(stale) > _SHOWN else ""
    verdict: Verdict = "re-evaluate" if stale else "pass"
    return Check(name="evidence is fresh", verdict=verdict, message=message)


def _check_count(evaluation: EvaluationJson, unseen: Collection[str], least: float) -> Check:
    """Whether there are enough questions that tuning has not seen."""
    message = f"{len(unseen)} judged questions"
    if seen := len(evaluation["questions"]) - len(unseen):
        message += f" that tuning has not seen ({seen} it has)"
    is_enough = len(unseen) >= least
    message += "" if is_enough else f", at least {least:g} are needed"
    verdict: Verdict = "pass" if is_enough else "re-evaluate"
    return Check(name="enough questions", verdict=verdict, message=message)


def check_controls(evaluation: EvaluationJson) -> list[Check]:
    """Every control must exist and be green."""
    controls = {control["name"]: control for control in evaluation["controls"]}
    checks = [
        Check(
            name=f"control: {name}",
            verdict="pass" if control["passed"] is True else "fail",
            message=str(control["told"]),
        )
        for name, control in controls.items()
    ]
    missing = [name for name in CONTROLS if name not in controls]
    if missing:
        message = f"the evaluation has no {', '.join(missing)}: it cannot be trusted without"
        checks.append(Check(name="controls", verdict="re-evaluate", message=message))
    return checks


# --- is it good enough? -----------------------------------------------------------------


def _check_values(evaluation: EvaluationJson, wanted: Thresholds) -> Iterator[Check]:
    """The measures of the ways, and the shares of merged, as far as they are required."""
    for way, measures in wanted.retrieval.items():
        for measure, least in measures.items():
            values = _values(evaluation["questions"], way, measure)
            yield _check_least(f"{measure} of {way}", values, least)
    for threshold, (name, share) in _SHARES.items():
        bound: float | None = getattr(wanted, threshold)
        if bound is not None:
            yield _check_least(name, _values(_all_questions(evaluation), MERGED, share), bound)


def _check_latency(evaluation: EvaluationJson, most: float | None) -> Iterator[Check]:
    name = "latency p95 in ms"
    if most is None:
        return
    if kept := evaluation.get("latency_kept", 0):
        message = f"{kept} times are those of an earlier run: evaluate with --fresh"
        yield Check(name=name, verdict="re-evaluate", message=message)
        return
    times = _values(_all_questions(evaluation), MERGED, "ms")
    yield _check_most(name, percentiles(times)["p95"] if times else None, most)


def _check_refusals(
    evaluation: EvaluationJson, wanted: Thresholds, seen: SeenQuestions
) -> Iterator[Check]:
    """Refusals on questions that the calibration was not learned from."""
    every = _all_questions(evaluation)
    unseen = _unseen_ids(every, seen.calibrated)
    for name, is_answerable, bound in (
        ("unanswerable refused", False, wanted.unanswerable),
        ("answerable refused", True, wanted.answerable),
    ):
        if bound is None:
            continue
        own = [question for question in every if question.get("answerable") is is_answerable]
        values = [
            float(bool(question["ways"][MERGED].get("refused")))
            for question in own
            if question["id"] in unseen and MERGED in question["ways"]
        ]
        if own and not values:
            message = f"the calibration was learned from all {len(own)} questions: ask others"
            yield Check(name=name, verdict="re-evaluate", message=message)
        elif is_answerable:
            yield _check_most(name, sum(values) / len(values) if values else None, bound)
        else:
            yield _check_least(name, values, bound)


def _check_least(name: str, values: Sequence[float], least: float) -> Check:
    if not values:
        return Check(name=name, verdict="re-evaluate", message=_MISSING)
    mean = interval(values)
    message = f"{mean.mean:.4f} [{mean.low:.4f}, {mean.high:.4f}], at least {least:g} is wanted"
    if mean.mean >= least:
        return Check(name=name, verdict="pass", message=message)
    if mean.high >= least:
        return Check(name=name, verdict="re-evaluate", message=f"{message}: not decided")
    return Check(name=name, verdict="fail", message=message)


def _check_most(name: str, value: float | None, most: float) -> Check:
    if value is None:
        return Check(name=name, verdict="re-evaluate", message=_MISSING)
    message = f"{value:.4g}, at most {most:g} is wanted"
    return Check(name=name, verdict="pass" if value <= most else "fail", message=message)


# --- does it help? ----------------------------------------------------------------------


def _compare_again(evaluation: EvaluationJson, unseen: Collection[str]) -> list[Comparison]:
    """Merged against every single source and against itself without reranking, computed anew."""
    scores: dict[str, dict[str, float]] = {}
    for question in evaluation["questions"]:
        if question["id"] in unseen:
            for way, values in question["ways"].items():
                if PRIMARY in values:
                    scores.setdefault(way, {})[question["id"]] = float(values[PRIMARY])
    others = [
        name
        for name, way in evaluation["ways"].items()
        if name in scores and (way["kind"] == "source" or name == UNRERANKED)
    ]
    ours = scores.get(MERGED)
    if ours is None or any(scores[other].keys() != ours.keys() for other in others):
        return []
    return correct_for_number(
        [compare(ours, scores[name], names=(MERGED, name), measure=PRIMARY) for name in others]
    )


def _check_comparisons(
    comparisons: Sequence[Comparison], wanted: str, advice: str
) -> Iterator[Check]:
    rule = "beats" if wanted == BETTER else "is not worse than"
    for comparison in comparisons if wanted != ANY else ():
        message = (
            f"{comparison.measure} {format_gain(comparison)}, {comparison.gain.count} questions"
        )
        verdict: Verdict = "pass"
        if is_worse(comparison):
            verdict, message = "fail", f"{message}: {advice}"
        elif wanted == BETTER and not is_better(comparison):
            verdict, message = "re-evaluate", f"{message}: not decided"
        yield Check(name=f"{MERGED} {rule} {comparison.theirs}", verdict=verdict, message=message)


def _unseen_ids(questions: Sequence[Mapping[str, Any]], seen: Collection[str]) -> set[str]:
    """The ids of the questions that nothing was chosen on."""
    return {question["id"] for question in questions if text_digest(question["text"]) not in seen}


def _all_questions(evaluation: EvaluationJson) -> list[Mapping[str, Any]]:
    return [*evaluation["questions"], *evaluation.get("unscored", ())]


def _values(questions: Sequence[Mapping[str, Any]], way: str, name: str) -> list[float]:
    """The values of questions for a way; those that have none are not counted."""
    given = (question["ways"].get(way, {}).get(name) for question in questions)
    return [float(value) for value in given if value is not None]


# --- gate files -------------------------------------------------------------------------


def gate_template(evaluation: EvaluationJson | None = None) -> str:
    """A gate file with comments; the bounds are those of an evaluation, if one is given."""
    values = {"ndcg": "0.30", "recall": "0.40", "attribution": "0.50", "latency": "1000"}
    has_unanswerable = True
    merged = (evaluation or {}).get("ways", {}).get(MERGED)
    if merged:
        for key, measure in (("ndcg", "nDCG@10"), ("recall", "R@20")):
            if measure in merged["measures"]:
                values[key] = f"{merged['measures'][measure]['strict']['low']:.2f}"
        if merged.get("attribution"):
            values["attribution"] = f"{merged['attribution']['low']:.2f}"
        has_unanswerable = merged.get("refusals", {}).get("unanswerable") is not None
        latency = float(merged.get("latency_ms", {}).get("p95", 0.0))
        values["latency"] = f"{max(50.0, 2 * latency):.0f}"
    values["unanswerable"] = "" if has_unanswerable else "# "  # there is no such question to ask
    text = Path(__file__).with_name("templates").joinpath("gate.toml").read_text(encoding="utf-8")
    return text.format(**values)


def read_thresholds(path: Path) -> Thresholds:
    """The thresholds of a gate file; unknown names and values are refused."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(
            f"no such gate: {path}; write one with `consilience gate --init`"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}; correct it and try again") from error
    known: dict[str, list[str]] = {"gate": ["merged", "reranked"], "retrieval": []}
    for section, name in _NUMBERS.values():
        known.setdefault(section, []).append(name)
    for section, values in table.items():
        if section not in known or not isinstance(values, dict):
            raise UsageError(f"{path}: unknown section [{section}]; {_nearest(section, known)}")
        for name, value in values.items():
            if section == "retrieval" and not isinstance(value, dict):
                raise UsageError(
                    f"{path}: [retrieval] takes a table a way, like [retrieval.merged], "
                    f"not {name} = {value!r}"
                )
            if section != "retrieval" and name not in known[section]:
                hint = _nearest(name, known[section])
                raise UsageError(f"{path}: [{section}] has no {name!r}; {hint}")
    words = {name: table.get("gate", {}).get(name) for name in ("merged", "reranked")}
    for name, word in words.items():
        if word not in (None, BETTER, NOT_WORSE, ANY):
            raise UsageError(
                f"{path}: {name} takes {BETTER!r}, {NOT_WORSE!r} or {ANY!r}, not {word!r}"
            )
    numbers = {
        threshold: _number(table[section][name], name, path)
        for threshold, (section, name) in _NUMBERS.items()
        if name in table.get(section, {})
    }
    retrieval = {
        way: {name: _number(value, name, path) for name, value in measures.items()}
        for way, measures in table.get("retrieval", {}).items()
    }
    chosen: dict[str, Any] = {name: word for name, word in words.items() if word is not None}
    return Thresholds(retrieval=retrieval, **{**chosen, **numbers})


def _nearest(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"


def _number(value: Any, name: str, path: Path) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise UsageError(f"{path}: {name} takes a number of 0 or more, not {value!r}")
    return float(value)
