"""How does a person read an evaluation, a tuning or a calibration? As one self-contained page.

No network, no other file, no library: styles and the small script are in the page, charts are
inline SVG. Templates escape everything that comes from the corpus or from a question.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import consilience
from consilience.errors import StoreError, UsageError
from consilience.measure.calibration import CalibrationTrial, bin_relevances
from consilience.measure.data_model import Question, ResolvedLabels, Run, judged_questions
from consilience.measure.evaluation import Evaluation, verdict
from consilience.measure.golden import write_atomically
from consilience.measure.runs import LIMIT, MERGED
from consilience.measure.statistics import format_gain, format_p
from consilience.measure.tuning import Tuning
from consilience.workspace import STORE

if TYPE_CHECKING:
    from jinja2 import Environment

_SAME = 1e-9
_NEEDS_NO_QUOTING = re.compile(r"[^\"\\$`!%]*")


def evaluation_report(evaluation: Evaluation) -> str:
    """The page of an evaluation."""
    golden, resolved, singles = evaluation.golden, evaluation.resolved, evaluation.singles
    best = singles[0] if singles else ""
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
        comparisons={comparison.theirs: comparison for comparison in evaluation.comparisons},
        p_values={
            comparison.theirs: format_p(comparison.p_corrected)
            for comparison in evaluation.comparisons
        },
        means=[
            (name, mean.mean, mean.low, mean.high, name == MERGED)
            for name in evaluation.ranked_ways
            for mean in [evaluation.ways[name].means[evaluation.primary]["strict"]]
        ],
        bars=sorted(bars, key=lambda bar: -bar[2]),
        won=sum(gain > _SAME for _, _, gain in bars),
        lost=sum(gain < -_SAME for _, _, gain in bars),
        categories={name: evaluation.categories(name) for name in (MERGED, *singles)},
        reliability=reliability_bins(evaluation.runs[MERGED], resolved),
        questions=sorted(rows, key=lambda row: -row["gain"]),
        settings=[
            ("", (name, json.dumps(value, ensure_ascii=False)))
            for name, value in {**evaluation.settings, **evaluation.deadlines}.items()
        ],
    )


def tuning_report(tuning: Tuning, *, name: str) -> str:
    """The page of a tuning: what was chosen, and every parameter over its range."""
    gains = [
        ("", (f"{comparison.ours} − {comparison.theirs}", format_gain(comparison)))
        for comparison in tuning.kept_out.comparisons
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
            (name, quality, [(each.given, each.came, each.hits) for each in quality.bins])
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
    return [(each.given, each.came, each.hits) for each in bins]


def _judged_ids(resolved: ResolvedLabels) -> list[str]:
    return [key for key in resolved.grades if resolved.relevant_units(key)]


# --- templates --------------------------------------------------------------------------


def render(template: str, **values: Any) -> str:
    """A page from a template of this package."""
    return _environment().get_template(template).render(values)


def render_chart(name: str, *values: Any, **options: Any) -> str:
    """A chart alone: `forest`, `gains`, `reliability` or `surface`."""
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
    environment.globals.update(scale=scale, ticks=ticks)
    return environment


def scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    """A function from values between low and high to places between start and end."""

    def place(value: float) -> float:
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


# --- archive --------------------------------------------------------------------------

REPORTS = "reports"
"""The folder beside the catalogue in which evaluations are archived."""
MOST_REPORTS = 50
_CARD = ".card.json"
_ENDINGS = (_CARD, ".json", ".html")
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportCard:
    """What a list of reports shows of one.

    `merged` is the mean of the measure by which ways are compared, with its interval; `best` is
    the best single source, `single` its mean. `passed` of `controls` passed.
    """

    id: str
    date: str
    golden: str
    questions: int
    judged: int
    measure: str
    merged: float
    low: float
    high: float
    best: str
    single: float | None
    verdict: str
    controls: int
    passed: int
    fingerprint: str


def archive_report(
    folder: Path, evaluation: Evaluation, *, now: datetime | None = None
) -> ReportCard:
    """Archive an evaluation of a workspace: its page, its JSON and its card."""
    archive, now = folder / STORE / REPORTS, now or datetime.now(UTC)
    golden, singles = evaluation.golden, evaluation.singles
    mean = evaluation.ways[MERGED].means[evaluation.primary]["strict"]
    name = _UNSAFE.sub("-", golden.name)[:40].strip("-") or "golden"
    wanted = f"{now:%Y-%m-%d-%H%M%S}-{name}"
    numbered = (f"{wanted}-{number}" for number in range(2, MOST_REPORTS + 3))
    names = (wanted, *numbered)  # two reports may be made within one second
    card = ReportCard(
        id=next(name for name in names if not (archive / f"{name}{_CARD}").exists()),
        date=now.isoformat(timespec="seconds"),
        golden=golden.name,
        questions=len(golden.questions),
        judged=len(judged_questions(golden.questions)),
        measure=evaluation.primary,
        merged=mean.mean,
        low=mean.low,
        high=mean.high,
        best=singles[0] if singles else "",
        single=evaluation.mean(singles[0]) if singles else None,
        verdict=verdict(evaluation),
        controls=len(evaluation.controls),
        passed=sum(control.passed for control in evaluation.controls),
        fingerprint=evaluation.fingerprint,
    )
    values = json.dumps(evaluation.as_json(), ensure_ascii=False)
    write_atomically(archive / f"{card.id}.html", evaluation_report(evaluation))
    write_atomically(archive / f"{card.id}.json", values + "\n")
    card_text = json.dumps(asdict(card), ensure_ascii=False)
    write_atomically(archive / f"{card.id}{_CARD}", card_text + "\n")
    for old in list_reports(folder)[MOST_REPORTS:]:
        for ending in _ENDINGS:
            with suppress(OSError):
                (archive / f"{old.id}{ending}").unlink(missing_ok=True)
    return card


def list_reports(folder: Path) -> list[ReportCard]:
    """The archived evaluations, the newest first; a card that cannot be read is left out."""

    def age(card: ReportCard) -> tuple[datetime, str]:
        return datetime.fromisoformat(card.date), card.id

    return sorted(_read_cards(folder / STORE / REPORTS), key=age, reverse=True)


def read_report_page(folder: Path, key: str) -> str:
    """The page of a report, by an id from the list; any other is refused."""
    return _read(folder, key, ".html")


def read_report_json(folder: Path, key: str) -> dict[str, Any]:
    """The evaluation that a report shows, as `consilience evaluate --json` prints it."""
    try:
        found: dict[str, Any] = json.loads(_read(folder, key, ".json"))
    except ValueError as error:
        raise StoreError(f"the report {key!r} is damaged: {error}; evaluate again") from error
    return found


def _read(folder: Path, key: str, ending: str) -> str:
    """A file of a report. The id is compared with a list, it is never used as a path."""
    known = next((card.id for card in list_reports(folder) if card.id == key), None)
    if known is None:
        raise UsageError(f"no report is called {key[:100]!r}; the list of reports has their names")
    try:
        return (folder / STORE / REPORTS / f"{known}{ending}").read_text(encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"the report {known} cannot be read: {error.strerror}; evaluate again"
        ) from error


def _read_cards(archive: Path) -> Iterator[ReportCard]:
    from pydantic import TypeAdapter  # noqa: PLC0415 (slow to load)

    cards = TypeAdapter(ReportCard)
    for path in sorted(archive.glob(f"*{_CARD}")):
        with suppress(OSError, ValueError):  # somebody may have edited the card
            card = cards.validate_json(path.read_bytes(), strict=True)
            has_zone = datetime.fromisoformat(card.date).tzinfo is not None
            if card.id == path.name.removesuffix(_CARD) and has_zone:
                yield card
