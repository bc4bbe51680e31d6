"""Is this measurement to be trusted? Every control, run on what was just measured.

A golden set that is in error stops an evaluation before anything is asked. What can only be seen
in the answers turns a control red.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from consilience.catalogue import Catalogue
from consilience.errors import UsageError
from consilience.ingest import Progress
from consilience.measure.evaluate.keeping import Kept
from consilience.measure.evaluate.running import MERGED, Asked, ask_all
from consilience.measure.golden.health import Finding, findings
from consilience.measure.scoring import controls
from consilience.measure.scoring.facts import states
from consilience.measure.scoring.measures import PLACES, missing, refusals
from consilience.measure.seen import Seen
from consilience.measure.values import Control, Fact, Golden, Question, Resolved, Run, Way
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


def refuse_if_unfinished(catalogue: Catalogue) -> None:
    """What is not indexed is found by nobody: numbers of half a corpus mean nothing."""
    if pending := catalogue.pending_count():
        raise UsageError(
            f"{pending:,} passages are not indexed yet, so no source could find them; run "
            "`consilience add`, then measure"
        )


def sound(golden: Golden, catalogue: Catalogue, runs: Mapping[str, Run]) -> Control:
    """The health of a golden set, now that it is known which way finds what."""
    found = findings(golden, catalogue, runs=runs)
    errors = [one for one in found if one.level == "error"]
    counts = Counter(one.name for one in found if one.level == "warning")
    told = "; ".join(_told(one) for one in errors[:_SHOWN]) or "no errors"
    if warnings := counts.total():
        named = ", ".join(f"{name} {number}" for name, number in counts.items())
        many = "warning" if warnings == 1 else "warnings"
        told += f"; {warnings} {many} ({named}): see `consilience golden health`"
    return Control(name="golden set is sound", passed=not errors, told=told)


def ask_off_topic(workspace: Workspace, kept: Kept, progress: Progress | None) -> Asked:
    """Questions on other matters, asked as any other; nothing here can answer them."""
    questions = [
        Question(id=f"off-topic-{number}", text=text, unanswerable=True)
        for number, text in enumerate(controls.off_topic(workspace.catalogue), start=1)
    ]
    ways = [Way(name=MERGED, kind="merged")]
    return ask_all(questions, workspace, progress=progress, kept=kept, ways=ways, stage="off topic")


def checked(
    workspace: Workspace,
    resolved: Resolved,
    asked: Asked,
    off: Asked,
    others: Mapping[str, Run],
    before: Seen,
) -> list[Control]:
    """All controls of a measurement, whether green or red; `off` are the off-topic questions."""
    merged, golden = asked.runs[MERGED], resolved.golden
    size = sum(sum(kinds.values()) for kinds in workspace.catalogue.counts().values())
    return [
        sound(golden, workspace.catalogue, asked.runs),
        every_question_counted(asked.runs, others, golden),
        every_source_answered(asked, off),
        controls.shuffled_labels(merged, resolved, size=size),
        controls.labels_not_from_ranker(asked.runs, resolved),
        controls.labels_not_keywords(golden, _passages(workspace.catalogue)),
        controls.not_tuned_on(golden, {"questions": sorted(before.ordering)}),
        _off_topic(off, refusals(asked.sound(MERGED), golden)["answerable"]),
        controls.values_can_be_denied(_stated(merged, resolved, workspace.catalogue)),
    ]


def every_question_counted(
    runs: Mapping[str, Run], others: Mapping[str, Run], golden: Golden
) -> Control:
    """Every way was asked every question, and runs of other systems have those that are judged."""
    found = {name: controls.every_question_counted(run, golden) for name, run in runs.items()}
    wrong = [f"{name}: {one.told}" for name, one in found.items() if not one.passed]
    for name, run in others.items():
        if left := missing(run, golden):
            named = ", ".join(left[:_SHOWN]) + (" …" if len(left) > _SHOWN else "")
            wrong.append(f"{name} lacks {len(left)} judged questions, which score 0: {named}")
    merged = found[MERGED]
    return replace(merged, passed=not wrong, told="; ".join(wrong[:_SHOWN]) or merged.told)


def every_source_answered(*asked: Asked) -> Control:
    """A source that gave no answer would count as one that finds nothing."""
    missed = [told for one in asked for told in one.missed]
    told = "none failed, none was too late, no question was refused as malformed"
    if missed:
        told = f"{len(missed)} answers are missing, such as {missed[0]}"
    return Control(name="every source answered", passed=not missed, told=told)


def _off_topic(off: Asked, answerable: float | None) -> Control:
    """Most off-topic questions must be refused; a failure is no refusal."""
    count = len(off.runs[MERGED].answers)
    control = controls.off_topic_refused(off.sound(MERGED), count, answerable=answerable)
    known = (one for answer in off.runs[MERGED].answers.values() for one in answer.relevances)
    if control.passed or any(one is not None for one in known):
        return control
    told = f"{control.told}; there is no calibration for this model: run `consilience calibrate`"
    return replace(control, told=told)


def _stated(run: Run, resolved: Resolved, catalogue: Catalogue) -> list[tuple[Fact, Passage]]:
    """Facts of the set, each with a passage that states it: one that is judged, if any is."""
    pairs = []
    for question in resolved.golden.questions:
        if not question.facts or question.unanswerable:
            continue
        answer = run.answers.get(question.id)
        near: Sequence[str] = answer.passages[:PLACES] if answer else ()
        ids = list(dict.fromkeys((*resolved.strict.get(question.id, {}), *near)))
        read = catalogue.get(ids)
        for fact in question.facts:
            stating = (read[one] for one in ids if one in read and states(fact, read[one]))
            pairs += [(fact, one) for one in [next(stating, None)] if one is not None]
    return pairs


def _told(one: Finding) -> str:
    named = ", ".join(one.questions[:_SHOWN])
    more = f" and {len(one.questions) - _SHOWN} more" if len(one.questions) > _SHOWN else ""
    return f"{one.told} ({named}{more})" if named else one.told


def _passages(catalogue: Catalogue) -> Iterable[Passage]:
    for collection in catalogue.counts():
        yield from catalogue.each(collection)
