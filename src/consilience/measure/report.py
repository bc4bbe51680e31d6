"""How does a person read an evaluation, a tuning or a calibration? As one self-contained page.

No network, no other file, no library: styles and the small script are in the page, charts are
inline SVG. Templates escape everything that comes from the corpus or from a question.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import consilience
from consilience.measure.calibration import CalibrationTrial, bin_relevances
from consilience.measure.conditions import LIMIT
from consilience.measure.data_model import Question, ResolvedLabels, Run, judged_questions
from consilience.measure.evaluation import Evaluation, verdict
from consilience.measure.metrics import first_relevant, relevant_places
from consilience.measure.runs import MERGED
from consilience.measure.statistics import format_gain, format_p
from consilience.measure.tuning import Tuning

if TYPE_CHECKING:
    from jinja2 import Environment

PLACE_GROUPS = ("1", "2–3", "4–5", "6–10", "11–20", "21–100", "none")
"""Groups of places of the first relevant passage."""
_LAST_PLACES = (1, 3, 5, 10, 20, 100)
_MOST_LINES = 5  # single sources beside merged: more lines cannot be told apart
_SAME = 1e-9
_NEEDS_NO_QUOTING = re.compile(r"[^\"\\$`!%]*")


def evaluation_report(evaluation: Evaluation) -> str:
    """The page of an evaluation."""
    golden, resolved, singles = evaluation.golden, evaluation.resolved, evaluation.singles
    best, shown = (singles[0] if singles else ""), [MERGED, *singles[:_MOST_LINES]]
    runs = {name: evaluation.runs[name] for name in shown}
    questions = judged_questions(golden.questions)
    unanswerable = sum(question.unanswerable for question in golden.questions)
    facts = [
        f"{len(golden.questions):,} questions, {len(questions):,} with judgements",
        f"{unanswerable:,} that nothing here answers" if unanswerable else "",
        f"{evaluation.left_out:,} left out, because tuning has seen them"
        if evaluation.left_out
        else "",
        f"corpus {evaluation.fingerprint}",
        f"Consilience {consilience.__version__}",
    ]
    scores = {name: evaluation.ways[name].strict[evaluation.primary] for name in evaluation.ways}
    bars = [
        (f"q{number}", question.text, scores[MERGED][question.id] - scores[best][question.id])
        for number, question in enumerate(questions if best else ())
    ]
    times = {
        name: shares_by_time([answer.ms for answer in run.answers.values() if answer.ms])
        for name, run in runs.items()
    }
    rows = [_question_row(evaluation, *numbered) for numbered in enumerate(questions)]
    return render(
        "evaluation.html",
        title=f"How well {golden.name or 'this set'} is answered",
        evaluation=evaluation,
        merged=MERGED,
        best=best,
        limit=LIMIT,
        facts=[fact for fact in facts if fact],
        verdict=verdict(evaluation),
        comparisons={one.theirs: one for one in evaluation.comparisons},
        p_values={one.theirs: format_p(one.p_corrected) for one in evaluation.comparisons},
        means=[
            (name, mean.mean, mean.low, mean.high, name == MERGED)
            for name in evaluation.ranked_ways
            for mean in [evaluation.ways[name].means[evaluation.primary]["strict"]]
        ],
        bars=sorted(bars, key=lambda bar: -bar[2]),
        won=sum(gain > _SAME for _, _, gain in bars),
        lost=sum(gain < -_SAME for _, _, gain in bars),
        categories={name: evaluation.categories(name) for name in (MERGED, *singles)},
        moves=count_moves(runs[best], runs[MERGED], resolved) if best else {},
        place_groups=PLACE_GROUPS,
        recall={name: precision_recall(run, resolved) for name, run in runs.items()},
        times={name: points for name, points in times.items() if points},
        reliability=reliability_bins(runs[MERGED], resolved),
        questions=sorted(rows, key=lambda row: -row["gain"]),
        settings=[
            ("", (name, json.dumps(value, ensure_ascii=False)))
            for name, value in {**evaluation.settings, **evaluation.deadlines}.items()
        ],
    )


def tuning_report(tuning: Tuning, *, name: str) -> str:
    """The page of a tuning: what was chosen, and every parameter over its range."""
    gains = [
        ("", (f"{one.ours} − {one.theirs}", where, format_gain(one)))
        for where, report in (("held out", tuning.held_out), ("kept out", tuning.kept_out))
        if report
        for one in report.comparisons
    ]
    unconnected = {surface.parameter.title: surface.reason for surface in tuning.unconnected}
    return render(
        "tuning.html",
        title=f"Settings for {name}",
        tuning=tuning,
        gains=gains,
        unconnected=unconnected,
    )


def calibration_report(trial: CalibrationTrial) -> str:
    """The page of a calibration: relevance against what people judged."""
    sides = {"Own, on questions it was not learned from": trial.held_out, "Shipped": trial.before}
    return render(
        "calibration.html",
        title="Calibration",
        message=trial.message,
        sides=[
            (name, quality, [(one.given, one.came, one.hits) for one in quality.bins])
            for name, quality in sides.items()
            if quality is not None
        ],
    )


# --- questions --------------------------------------------------------------------------


def _question_row(evaluation: Evaluation, number: int, question: Question) -> dict[str, Any]:
    """A row of the list of questions, with the commands that explain it."""
    best = evaluation.singles[0] if evaluation.singles else MERGED
    ways = [evaluation.ways[name].strict[evaluation.primary] for name in (MERGED, best)]
    ours, theirs = (scores[question.id] for scores in ways)
    after, before = (evaluation.first(name, question.id) for name in (MERGED, best))
    gain = ours - theirs
    is_missed = after is None or after > LIMIT
    kind = "won" if gain > _SAME else "lost" if gain < -_SAME else "same"
    commands = [shell_command("why", question.text)]
    if is_missed and (wanted := best_passage(evaluation.resolved, question.id)):
        commands.append(shell_command("why-not", question.text, wanted))
    return {
        "number": number,
        "text": question.text,
        "category": question.category,
        "kinds": [kind, *(["missed"] if is_missed else [])],
        "tone": {"won": " good-text", "lost": " bad-text"}.get(kind, ""),
        "gain": gain,
        "commands": commands,
        "cells": [
            ("merged", ours, f"{ours:.3f}"),
            ("single", theirs, f"{theirs:.3f}"),
            ("difference", gain, f"{gain:+.3f}" if abs(gain) > _SAME else "0"),
            ("first relevant", after or 999, f"{before or 'none'} → {after or 'none'}"),
        ],
    }


def shell_command(name: str, question: str, *more: str) -> str:
    """A command line that can be pasted, whatever the question contains."""
    quoted = f'"{question}"' if _NEEDS_NO_QUOTING.fullmatch(question) else shlex.quote(question)
    separator = "-- " if question.startswith("-") else ""
    return " ".join((f"consilience {name} {separator}{quoted}", *more))


def best_passage(resolved: ResolvedLabels, question: str) -> str:
    """A passage with the best grade, to ask `why-not` about; empty if there is none."""
    passages = resolved.homes or resolved.strict.get(question, {})
    graded = ((-resolved.grade_of(question, passage), passage) for passage in passages)
    return min(((grade, passage) for grade, passage in graded if grade < 0), default=(0, ""))[1]


# --- the data of charts -----------------------------------------------------------------


def precision_recall(run: Run, resolved: ResolvedLabels) -> list[tuple[float, float]]:
    """Precision at recalls of 0, 0.1 … 1: the best there or beyond, averaged over questions."""
    sums = [0.0] * 11
    questions = _judged_ids(resolved)
    for question in questions:
        wanted = len(resolved.relevant_units(question))
        places = relevant_places(run, resolved, question)
        reached = [(n / wanted, n / place) for n, place in enumerate(places, start=1)]
        for level in range(11):
            least = level / 10 - _SAME
            sums[level] += max((best for recall, best in reached if recall >= least), default=0.0)
    return [(level / 10, total / max(len(questions), 1)) for level, total in enumerate(sums)]


def count_moves(before: Run, after: Run, resolved: ResolvedLabels) -> dict[tuple[int, int], int]:
    """How many questions moved from which group of places to which."""

    def group(run: Run, question: str) -> int:
        place = first_relevant(run, resolved, question)
        return len(_LAST_PLACES) if place is None else bisect_left(_LAST_PLACES, place)

    return dict(Counter((group(before, key), group(after, key)) for key in _judged_ids(resolved)))


def shares_by_time(times: Sequence[float], *, points: int = 60) -> list[tuple[float, float]]:
    """Which share of the questions was answered within which time."""
    ordered = sorted(times)
    if not ordered:
        return []
    picked = sorted({round(n * (len(ordered) - 1) / (points - 1)) for n in range(points)})
    return [(ordered[place], (place + 1) / len(ordered)) for place in picked]


def reliability_bins(run: Run, resolved: ResolvedLabels) -> list[tuple[float, float, int]]:
    """In steps of a tenth of the relevance given: its mean, the share that was relevant, how many.

    Empty where no relevance was given. What nobody judged counts as not relevant.
    """
    answers = {key: run.answers[key] for key in _judged_ids(resolved) if key in run.answers}
    bins = bin_relevances(
        (value, resolved.grade_of(question, key) > 0, 1.0)
        for question, answer in answers.items()
        for key, value in zip(answer.passages, answer.relevances, strict=False)
        if value is not None
    )
    return [(one.given, one.came, one.hits) for one in bins]


def _judged_ids(resolved: ResolvedLabels) -> list[str]:
    return [key for key in resolved.grades if resolved.relevant_units(key)]


# --- templates --------------------------------------------------------------------------


def render(template: str, **values: Any) -> str:
    """A page from a template of this package."""
    return _environment().get_template(template).render(values)


def render_chart(name: str, *values: Any, **options: Any) -> str:
    """A chart alone: `forest`, `gains`, `shifts`, `curves`, `reliability` or `surface`."""
    module: Any = _environment().get_template("charts.html").module
    return str(getattr(module, name)(*values, **options))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 (slow to load)

    environment = Environment(
        loader=PackageLoader("consilience.measure"),
        autoescape=True,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.do"],
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["px"] = "{:.1f}".format
    environment.globals.update(scale=scale, ticks=ticks, powers=powers, powers_around=powers_around)
    return environment


def scale(
    low: float, high: float, start: float, end: float, *, logarithmic: bool = False
) -> Callable[[float], float]:
    """A function from values between low and high to places between start and end."""

    def place(value: float) -> float:
        if logarithmic:
            share = math.log(max(value, low) / low) / math.log(high / low)
        else:
            share = (value - low) / ((high - low) or 1.0)
        return start + min(max(share, 0.0), 1.0) * (end - start)

    return place


def ticks(low: float, high: float) -> list[float]:
    """Round values between two, six at most."""
    power = 10 ** math.floor(math.log10(max(high - low, 1e-9)))
    steps = (power / 10, power / 5, power / 2, power, power * 2)
    step = next(step for step in steps if high - low <= 5.001 * step)
    first, last = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)
    return [round(number * step, 9) for number in range(first, last + 1)]


def powers(low: float, high: float) -> list[float]:
    """The powers of ten between two."""
    return [10.0**power for power in range(round(math.log10(low)), round(math.log10(high)) + 1)]


def powers_around(values: Sequence[float]) -> tuple[float, float]:
    """The powers of ten below and above all values."""
    low = 10.0 ** math.floor(math.log10(max(min(values, default=0.0), 1e-3)))
    high = 10.0 ** math.ceil(math.log10(max(max(values, default=1.0), 1e-3)))
    return low, max(high, low * 10)
