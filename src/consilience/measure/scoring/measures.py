"""How good is a run? Measures by rank from `ir-measures`, and ours of evidence and time.

Rank measures see units (see `Resolved.order`), with scores that fall place by place, so that no
tool's rule for ties can reorder them. Grades count in nDCG; everything else holds a grade of 1
or more as relevant. Every judged question has a value: one without results, or one that the run
does not have, has 0.

Ours give a value for each question that they can be told of, so that they can have intervals
and be compared like the others. `passages` are those that stand in the first places and those
that are judged: `needed_passages` reads them all at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import mean, quantiles
from subprocess import CalledProcessError

import ir_measures

from consilience.errors import UsageError
from consilience.measure.scoring.facts import places_of, same_document, states
from consilience.measure.values import (
    DEPTH,
    Answer,
    Golden,
    Question,
    Resolved,
    Run,
    Scores,
    judged,
)
from consilience.protocols import Lookup
from consilience.types import Passage

MEASURES: tuple[str, ...] = ("nDCG@10", "MRR@10", "P@5", "R@20", "R@100", "Hit@5")
PRIMARY = "nDCG@10"
PLACES = 10
"""How many first places coverage and diversity look at."""

Passages = Mapping[str, Passage]
_NOTHING = Answer(question="", passages=(), scores=())


# --- by rank ----------------------------------------------------------------------------


def score(
    run: Run, resolved: Resolved, *, strict: bool = True, names: Sequence[str] = MEASURES
) -> Scores:
    """The value of each measure for every judged question; without results it is 0.

    `names` are those of `ir-measures` (`AP`, `Rprec`, `ERR@20` …), and `MRR` and `Hit`.
    """
    measures = {name: parsed(name) for name in names}
    asked = [one.id for one in judged(resolved.golden.questions)]
    places = _deepest(list(measures.values()))
    grades = {key: dict(resolved.grades.get(key, {})) for key in asked}
    found = {
        key: _falling(_first(resolved, key, run.answers[key].passages, places, strict=strict))
        for key in asked
        if key in run.answers and run.answers[key].passages
    }
    values = {name: dict.fromkeys(asked, 0.0) for name in names}
    if not found:
        return values
    by_measure = {measure: name for name, measure in measures.items()}
    for one in _evaluated(list(by_measure), grades, found):
        values[by_measure[one.measure]][one.query_id] = float(one.value)
    return {name: values[by_measure[measure]] for name, measure in measures.items()}


def missing(run: Run, golden: Golden) -> list[str]:
    """The judged questions that a run does not have. They score 0, and should be told of."""
    return [one.id for one in judged(golden.questions) if one.id not in run.answers]


def parsed(name: str) -> ir_measures.Measure:
    """The measure of this name; `MRR@10` is `RR@10`, `Hit@5` is `Success@5`."""
    head, at, cut = name.strip().partition("@")
    try:
        measure = ir_measures.parse_measure(("Success" if head == "Hit" else head) + at + cut)
    except (NameError, ValueError, SyntaxError, TypeError) as error:
        known = ", ".join((*MEASURES, "AP", "Rprec", "ERR@10"))
        raise UsageError(
            f"no measure is called {name!r}; use one like {known}, or any other of ir-measures"
        ) from error
    places = measure.params.get("cutoff", 1)
    if not isinstance(places, int) or places < 1:
        raise UsageError(f"{name} looks at {places} places; a measure needs 1 or more: nDCG@10")
    if places > DEPTH:
        raise UsageError(
            f"{name} looks at {places} places, rankings are kept to {DEPTH}; it would be "
            f"{head}@{DEPTH} under another name, so ask for that"
        )
    return measure


def first_relevant(
    run: Run, resolved: Resolved, question: str, *, strict: bool = True
) -> int | None:
    """The place, from 1, of the first unit that answers at all; None when there is none."""
    grades = resolved.grades.get(question, {})
    order = resolved.order(question, run.answers.get(question, _NOTHING).passages, strict=strict)
    return next((place for place, one in enumerate(order, 1) if grades.get(one, 0) > 0), None)


def _deepest(measures: Sequence[ir_measures.Measure]) -> int | None:
    """How many places the measures look at; None is all."""
    cuts = [measure.params.get("cutoff") for measure in measures]
    known = [cut for cut in cuts if isinstance(cut, int)]
    return max(known) if known and len(known) == len(cuts) else None


def _first(
    resolved: Resolved, key: str, passages: Sequence[str], places: int | None, *, strict: bool
) -> list[str]:
    """The units of the first places. Most often few passages are enough to know them."""
    if places is not None and len(passages) > 3 * places:
        some = resolved.order(key, passages[: 3 * places], strict=strict)
        if len(some) >= places:
            return some[:places]
    return resolved.order(key, passages, strict=strict)[:places]


def _falling(units: Sequence[str]) -> dict[str, float]:
    return {one: float(-place) for place, one in enumerate(units)}


def _evaluated(
    measures: Sequence[ir_measures.Measure],
    grades: Mapping[str, Mapping[str, int]],
    found: Mapping[str, Mapping[str, float]],
) -> list[ir_measures.Metric]:
    numbers = {question: str(number) for number, question in enumerate(grades)}
    names = {number: question for question, number in numbers.items()}
    units = _numbered(grades, found)
    try:
        values = ir_measures.evaluator(
            measures,
            {numbers[one]: {units[key]: g for key, g in of.items()} for one, of in grades.items()},
        ).iter_calc(
            {numbers[one]: {units[key]: s for key, s in of.items()} for one, of in found.items()}
        )
        return [one._replace(query_id=names[one.query_id]) for one in values]
    except (ValueError, RuntimeError, AssertionError, OSError, CalledProcessError) as error:
        told = ", ".join(map(str, measures))
        raise UsageError(
            f"{told} cannot be computed here ({error}); use measures like {', '.join(MEASURES)}"
        ) from error


def _numbered(*tables: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """Numbers for units: some of the programs behind ir-measures take no other names."""
    keys = dict.fromkeys(key for table in tables for of in table.values() for key in of)
    return {key: f"u{number}" for number, key in enumerate(keys)}


# --- of evidence ------------------------------------------------------------------------


def needed_passages(runs: Iterable[Run], resolved: Resolved, lookup: Lookup) -> dict[str, Passage]:
    """The passages that the measures below look at: first places, and all that is judged."""
    wanted = {
        one: None
        for run in runs
        for answer in run.answers.values()
        for one in answer.passages[:PLACES]
    }
    answering = _answering(resolved, strict=True)
    wanted.update(dict.fromkeys(one for some in answering.values() for one in some))
    return dict(lookup(list(wanted)))


def coverage(
    run: Run, resolved: Resolved, passages: Passages, *, strict: bool = True
) -> dict[str, float]:
    """By kind of passage: how many of the questions that it answers have it in the first ten.

    `all` is the mean over questions of the share of their kinds that are there: a question that
    a row and a page both answer is covered by half when only the page is found.
    """
    met: dict[str, list[bool]] = {}
    shares = []
    for question, right in _answering(resolved, strict=strict).items():
        first = set(run.answers.get(question, _NOTHING).passages[:PLACES])
        kinds: dict[str, bool] = {}
        for one in right:
            if one in passages:
                kind = passages[one].kind
                kinds[kind] = kinds.get(kind, False) or one in first
        for kind, there in kinds.items():
            met.setdefault(kind, []).append(there)
        if kinds:
            shares.append(mean(map(float, kinds.values())))
    if not shares:
        return {}
    return {"all": mean(shares), **{kind: mean(map(float, met[kind])) for kind in sorted(met)}}


def diversity(run: Run, passages: Passages, homes: Mapping[str, str] | None = None) -> float:
    """How many different documents stand in the first ten places, as a share of the places.

    With `homes` (see `Resolved`) a record counts as a document of its own. The mean over
    questions that have results; 0 when none has.
    """
    kept = homes or {}
    shares = []
    for answer in run.answers.values():
        first = [one for one in answer.passages[:PLACES] if one in passages]
        if first:
            shares.append(
                len({kept.get(one, passages[one].document) for one in first}) / len(first)
            )
    return mean(shares) if shares else 0.0


def attribution(
    run: Run, resolved: Resolved, passages: Passages, *, places: int = 1
) -> dict[str, float]:
    """By question: 1 when one of the first places is of the right document and page, else 0.

    The page counts where the judgement knows one. In a set by document or by field the right
    one is what was judged. A question with facts alone is told by their documents.
    """
    answering = _answering(resolved, strict=True)
    values = {}
    for question in resolved.golden.questions:
        homes = _homes_of(question)
        right = answering.get(question.id, set())
        if not right and (resolved.homes or not homes):
            continue
        first = run.answers.get(question.id, _NOTHING).passages[:places]
        values[question.id] = float(
            any(
                one in right
                or (not resolved.homes and one in passages and _at_home(passages[one], homes))
                for one in first
            )
        )
    return values


def value_in_top(
    run: Run, golden: Golden, passages: Passages, *, places: int = 5, paged: bool = True
) -> dict[str, float]:
    """By question that has facts: 1 when each is stated in one of the first places, else 0.

    A value that is printed in several places is stated by any one of them. Without `paged` any
    page of the right document will do.
    """
    values = {}
    for question in golden.questions:
        if question.facts and not question.unanswerable:
            first = run.answers.get(question.id, _NOTHING).passages[:places]
            texts = [passages[one] for one in first if one in passages]
            stated = (
                any(
                    states(fact if paged else replace(fact, page=None), one)
                    for fact in group
                    for one in texts
                )
                for group in places_of(question.facts)
            )
            values[question.id] = float(all(stated))
    return values


def value_on_page(
    run: Run, golden: Golden, passages: Passages, *, places: int = 5
) -> dict[str, float]:
    """By question whose values are stated in the first places: 1 when on the right pages, else 0.

    Only questions are told of that know a page.
    """
    paged = {one.id for one in golden.questions if any(fact.page for fact in one.facts)}
    stated = value_in_top(run, golden, passages, places=places, paged=False)
    right = value_in_top(run, golden, passages, places=places)
    return {key: right[key] for key, value in stated.items() if value and key in paged}


def _answering(resolved: Resolved, *, strict: bool) -> dict[str, set[str]]:
    """By judged question: the passages of the units that answer it."""
    asked = [one.id for one in judged(resolved.golden.questions)]
    right = {
        key: {unit for unit, grade in resolved.grades.get(key, {}).items() if grade > 0}
        for key in asked
    }
    if resolved.homes:
        inside: dict[str, list[str]] = {}
        for one, unit in resolved.homes.items():
            inside.setdefault(unit, []).append(one)
        return {
            key: {one for unit in units for one in inside.get(unit, ())}
            for key, units in right.items()
        }
    met = resolved.strict if strict else resolved.lenient
    return {
        key: {one for one, units in met.get(key, {}).items() if not right[key].isdisjoint(units)}
        for key in asked
    }


def _homes_of(question: Question) -> list[tuple[str, int | None]]:
    """The documents and pages where the answer stands."""
    judgements = [(one.document, one.locator.page) for one in question.judgements if one.grade > 0]
    facts = [(one.document, one.page) for one in question.facts if one.document]
    return judgements or facts


def _at_home(passage: Passage, homes: Sequence[tuple[str, int | None]]) -> bool:
    return any(
        same_document(document, passage.document) and page in (None, passage.locator.page)
        for document, page in homes
    )


# --- of time and restraint --------------------------------------------------------------


def latency(run: Run) -> dict[str, float]:
    """Milliseconds that half (`p50`) and 95 in 100 (`p95`) of the questions stayed within."""
    return within([answer.ms for answer in run.answers.values()])


def within(times: Sequence[float]) -> dict[str, float]:
    """The time that half (`p50`) and 95 in 100 (`p95`) stay within; 0 of no times."""
    if not times:
        return {"p50": 0.0, "p95": 0.0}
    if len(times) == 1:
        return {"p50": times[0], "p95": times[0]}
    cuts = quantiles(sorted(times), n=100, method="inclusive")
    return {"p50": cuts[49], "p95": cuts[94]}


def refusals(run: Run, golden: Golden) -> dict[str, float | None]:
    """The share of `unanswerable` questions that were refused, and of `answerable` ones.

    To give nothing is to refuse. A question that the run does not have was not refused, it was
    not asked. None where the set has no such questions.
    """
    sides: dict[str, list[bool]] = {"unanswerable": [], "answerable": []}
    for question in golden.questions:
        if question.unanswerable or question.judgements or question.facts:
            side = "unanswerable" if question.unanswerable else "answerable"
            sides[side].append(refused(run.answers.get(question.id)))
    return {side: mean(map(float, some)) if some else None for side, some in sides.items()}


def refused(answer: Answer | None) -> bool:
    """Whether a question was asked and got nothing, or nothing that the engine stands by."""
    return answer is not None and (answer.refused or not answer.passages)
