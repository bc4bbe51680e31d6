"""Does another system's run speak of this golden set? Its questions and ids, before it is judged.

A run whose ids mean nothing here would score 0 in every measure, and look like a bad system.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from consilience.errors import UsageError
from consilience.measure.scoring.measures import missing
from consilience.measure.values import DEPTH, Resolved, Run
from consilience.protocols import Lookup

_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """Runs of other systems, with the questions of this set alone; `notes` say what they lack."""

    runs: Mapping[str, Run]
    notes: tuple[str, ...] = ()


def taken(others: Mapping[str, Run], resolved: Resolved, lookup: Lookup) -> Taken:
    """The runs as they can be judged; one that shares no question or no id is refused."""
    runs, notes = {}, []
    asked = {one.id for one in resolved.golden.questions}
    for name, run in others.items():
        answers = {
            key: replace(one, passages=one.passages[:DEPTH], scores=one.scores[:DEPTH])
            for key, one in run.answers.items()
            if key in asked
        }
        if not answers:
            raise UsageError(
                f"the run {name} has no question of {resolved.golden.name}: it has "
                f"{_some(list(run.answers))}, the set has {_some(sorted(asked))}; name the run of "
                "this set"
            )
        runs[name] = replace(run, answers=answers)
        notes += _lacking(name, runs[name], resolved, lookup)
    return Taken(runs=runs, notes=tuple(notes))


def _lacking(name: str, run: Run, resolved: Resolved, lookup: Lookup) -> list[str]:
    """What a run does not have, or has and nobody knows."""
    notes = []
    left = missing(run, resolved.golden)
    if left:
        notes.append(f"{name} lacks {len(left)} judged questions, which score 0: {_some(left)}")
    given = dict.fromkeys(one for answer in run.answers.values() for one in answer.passages)
    strange = _strange(list(given), resolved, lookup)
    if given and len(strange) == len(given):
        raise UsageError(
            f"none of the {len(given)} ids in the run {name} is a passage or a judged text here, "
            f"such as {_some(strange)}; a run must name passages, or what `--runs` writes"
        )
    if strange:
        notes.append(
            f"{name} has {len(strange)} ids of {len(given)} that are no passage here: "
            f"{_some(strange)}"
        )
    return notes


def _strange(given: list[str], resolved: Resolved, lookup: Lookup) -> list[str]:
    units = {unit for grades in resolved.grades.values() for unit in grades}
    known = {*resolved.homes, *resolved.homes.values(), *units}
    unknown = [one for one in given if one not in known]
    stored = lookup(unknown)
    return [one for one in unknown if one not in stored]


def _some(keys: list[str]) -> str:
    more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
    return (", ".join(repr(one) for one in keys[:_SHOWN]) or "none") + more
