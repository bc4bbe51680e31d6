"""Is this measurement to be trusted? Every control, run on what was just measured.

A golden set that is in error stops an evaluation before anything is asked. What can only be seen
in the answers turns a control red.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from consilience.catalogue import Catalogue
from consilience.errors import UsageError
from consilience.ingest import Progress
from consilience.measure.evaluate.keeping import Kept
from consilience.measure.evaluate.running import MERGED, Asked, ask_all
from consilience.measure.golden.health import Finding, findings
from consilience.measure.scoring import controls
from consilience.measure.scoring.measures import refusals
from consilience.measure.values import Control, Golden, Question, Resolved, Run, Way
from consilience.types import Passage
from consilience.workspace import Workspace

_SHOWN = 5


def refuse_if_in_error(golden: Golden, catalogue: Catalogue) -> None:
    """A golden set that is in error is not worth asking."""
    errors = [one for one in findings(golden, catalogue) if one.level == "error"]
    if errors:
        lines = "\n".join(f"  {_told(one)}" for one in errors[:_SHOWN])
        more = f"\n  and {len(errors) - _SHOWN} more" if len(errors) > _SHOWN else ""
        raise UsageError(
            f"the golden set {golden.name} is in error, so its numbers would mean nothing; "
            f"`consilience golden health` tells what to do:\n{lines}{more}"
        )


def sound(golden: Golden, catalogue: Catalogue, runs: Mapping[str, Run]) -> Control:
    """The health of a golden set, now that it is known which way finds what."""
    found = findings(golden, catalogue, runs=runs)
    errors = [one for one in found if one.level == "error"]
    counts = Counter(one.name for one in found if one.level == "warning")
    told = "; ".join(_told(one) for one in errors[:_SHOWN]) or "no errors"
    if warnings := counts.total():
        named = ", ".join(f"{name} {number}" for name, number in counts.items())
        told += f"; {warnings} warnings ({named}): see `consilience golden health`"
    return Control(name="golden set is sound", passed=not errors, told=told)


def checked(
    workspace: Workspace,
    resolved: Resolved,
    asked: Asked,
    tuned: Mapping[str, Any],
    kept: Kept,
    progress: Progress | None,
) -> list[Control]:
    """All controls of a measurement, whether green or red."""
    merged, golden = asked.runs[MERGED], resolved.golden
    size = sum(sum(kinds.values()) for kinds in workspace.catalogue.counts().values())
    return [
        sound(golden, workspace.catalogue, asked.runs),
        controls.every_question_counted(merged, golden),
        every_source_answered(asked),
        controls.shuffled_labels(merged, resolved, size=size),
        controls.labels_not_from_ranker(asked.runs, resolved),
        controls.labels_not_keywords(golden, _passages(workspace.catalogue)),
        controls.not_tuned_on(golden, tuned),
        _off_topic(workspace, resolved, asked, kept, progress),
    ]


def every_source_answered(asked: Asked) -> Control:
    """A source that gave no answer would count as one that finds nothing."""
    missed = asked.missed
    told = "none failed, none was too late, no question was refused as malformed"
    if missed:
        told = f"{len(missed)} answers are missing, such as {missed[0]}"
    return Control(name="every source answered", passed=not missed, told=told)


def _off_topic(
    workspace: Workspace,
    resolved: Resolved,
    asked: Asked,
    kept: Kept,
    progress: Progress | None,
) -> Control:
    """Questions on other matters are asked as any other; nothing here can answer them."""
    questions = [
        Question(id=f"off-topic-{number}", text=text, unanswerable=True)
        for number, text in enumerate(controls.off_topic(workspace.catalogue), start=1)
    ]
    ways = [Way(name=MERGED, kind="merged")]
    run = ask_all(
        questions, workspace, progress=progress, kept=kept, ways=ways, stage="off topic"
    ).runs[MERGED]
    share = refusals(asked.runs[MERGED], resolved.golden)["answerable"]
    control = controls.off_topic_refused(run, len(questions), answerable=share)
    if control.passed or any(one.relevances for one in run.answers.values()):
        return control
    told = f"{control.told}; there is no calibration for this model: run `consilience calibrate`"
    return Control(name=control.name, passed=control.passed, told=told)


def _told(one: Finding) -> str:
    named = ", ".join(one.questions[:_SHOWN])
    more = f" and {len(one.questions) - _SHOWN} more" if len(one.questions) > _SHOWN else ""
    return f"{one.told} ({named}{more})" if named else one.told


def _passages(catalogue: Catalogue) -> Iterable[Passage]:
    for collection in catalogue.counts():
        yield from catalogue.each(collection)
