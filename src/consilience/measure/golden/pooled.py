"""Did one method supply the labels? What the pools of a set say, and what runs show.

What was never shown to the judge counts as wrong. So a set whose labels come from one method's
finds measures how like that method another one is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from consilience.measure.golden.corpus import Corpus
from consilience.measure.golden.resolve import UnresolvedJudgements, resolve_in
from consilience.measure.values import Golden, Question, Resolved, Run, judged

READING = "reading"
"""In a pool: the documents were read, and no search chose what was judged."""
FIRST = 10
_MOST = 0.5
_FEWEST = 10

_POOL_MORE = "judge the finds of several methods: `consilience golden suggest` pools them"
_NAME_POOL = (
    "add `pool`: the methods whose finds were judged, or `pool: [reading]` where the documents "
    "were read; judge them again if that is not known"
)

Level = Literal["error", "warning"]
Bias = tuple[Level, str, str, Sequence[str]]
"""Level, what is wrong, what to do, and the questions."""


def pool_bias(golden: Golden, corpus: Corpus, runs: Mapping[str, Run]) -> Iterator[Bias]:
    """What speaks for labels of one method only."""
    questions = judged(golden.questions)
    if golden.by == "passage":
        yield from _by_name(questions)
    if runs and len(questions) >= _FEWEST:
        try:
            yield from _by_finds(questions, resolve_in(golden, corpus), runs)
        except UnresolvedJudgements:
            return  # told by another check


def _by_name(questions: Sequence[Question]) -> Iterator[Bias]:
    """What the set says of itself."""
    unknown = [one.id for one in questions if not one.pool]
    lone = {one.id: one.pool[0] for one in questions if len(set(one.pool)) == 1}
    lone = {key: method for key, method in lone.items() if method != READING}
    if unknown:
        told = f"{len(unknown)} questions do not say how their evidence was found"
        yield "warning", told, _NAME_POOL, unknown
    if lone:
        method, number = Counter(lone.values()).most_common(1)[0]
        told = f"{number} of {len(questions)} questions were judged on the finds of {method} only"
        level: Level = "error" if number > _MOST * len(questions) else "warning"
        keys = [key for key, one in lone.items() if one == method]
        yield level, f"{told}, which will therefore win", _POOL_MORE, keys


def _by_finds(
    questions: Sequence[Question], resolved: Resolved, runs: Mapping[str, Run]
) -> Iterator[Bias]:
    """Questions whose evidence one and the same source finds whole, and no other finds at all.

    That may be so, where others were given the chance; without a pool of several it is a fault.
    """
    singles = {name: run for name, run in runs.items() if run.way.kind == "source"}
    if len(singles) < 2:
        return
    alone: dict[str, list[str]] = {}
    for question in questions:
        shares = {name: _found(question.id, run, resolved) for name, run in singles.items()}
        finders = [name for name, share in shares.items() if share > 0]
        if len(finders) == 1 and shares[finders[0]] == 1:
            alone.setdefault(finders[0], []).append(question.id)
    pooled = {one.id for one in questions if len(set(one.pool)) > 1 or READING in one.pool}
    for name, keys in sorted(alone.items()):
        if len(keys) > _MOST * len(questions):
            told = f"of {len(keys)} of {len(questions)} questions all evidence is found by {name}"
            level: Level = "warning" if pooled.issuperset(keys) else "error"
            yield level, f"{told}, and none of it by any other source", _POOL_MORE, keys


def _found(question: str, run: Run, resolved: Resolved) -> float:
    """The share of a question's relevant units among a run's first places."""
    grades = resolved.grades[question]
    wanted = {unit for unit, grade in grades.items() if grade > 0}
    answer = run.answers.get(question)
    first = resolved.order(question, answer.passages if answer else ())[:FIRST]
    return len(wanted & set(first)) / len(wanted) if wanted else 0.0
