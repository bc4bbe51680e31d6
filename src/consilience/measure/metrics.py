"""How good is a run? Rank measures from `ir-measures`, and ours of evidence, time and refusals.

Rank measures see units (see `ResolvedLabels.order`), with scores that fall place by place, so that
no tool's rule for ties can reorder them. Grades count in nDCG; everything else takes a grade of 1
or more as relevant. Every judged question has a value: one without results, or one that the run
does not have, scores 0.

Our own measures give a value for each question that they apply to, so that they have intervals and
can be compared like the others. `passages` are those in the first places and those that are
judged: `needed_passages` reads them all at once.

A fact is stated by a passage that has the value itself, its unit, the right document and page.
`consilience.understand.amounts` reads the numbers. A value without digits must occur as a whole
phrase; a unit alone (`EUR/ton`) is no value and is stated nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import lru_cache
from statistics import mean, quantiles
from subprocess import CalledProcessError

import ir_measures

from consilience.errors import UsageError
from consilience.measure.data_model import (
    DEPTH,
    Answer,
    Fact,
    Golden,
    ResolvedLabels,
    Run,
    Scores,
    Way,
    judged_questions,
)
from consilience.measure.derived_passages import PLACES, resolve_derived
from consilience.protocols import Lookup
from consilience.types import Passage
from consilience.understand.amounts import (
    Number,
    find_numbers,
    is_unit,
    parse_quantity,
    unit_pattern,
)
from consilience.understand.names import surface

MEASURES: tuple[str, ...] = ("nDCG@10", "MRR@10", "P@5", "R@20", "R@100", "Hit@5")
PRIMARY = "nDCG@10"

Passages = Mapping[str, Passage]
_NOTHING = Answer(question="", passages=(), scores=())
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")  # scripts without spaces
_number_of = lru_cache(maxsize=5_000)(parse_quantity)


# --- by rank ----------------------------------------------------------------------------


def score(
    run: Run, resolved: ResolvedLabels, *, strict: bool = True, names: Sequence[str] = MEASURES
) -> Scores:
    """The value of each measure for every judged question; without results it is 0.

    `names` are those of `ir-measures` (`AP`, `Rprec`, `ERR@20` …), and `MRR` and `Hit`.
    """
    measures = {name: parse_measure(name) for name in names}
    questions = [question.id for question in judged_questions(resolved.golden.questions)]
    cutoffs = [measure.params.get("cutoff") for measure in measures.values()]
    known = [cutoff for cutoff in cutoffs if cutoff is not None]
    deepest = max(known) if known and len(known) == len(cutoffs) else None
    rankings = {
        key: _first_units(resolved, key, run.answers[key].passages, deepest, strict=strict)
        for key in questions
        if key in run.answers and run.answers[key].passages
    }
    values = {measure: dict.fromkeys(questions, 0.0) for measure in measures.values()}
    if rankings:
        grades = {key: resolved.grades.get(key, {}) for key in questions}
        for metric in evaluate_rankings(list(values), grades, rankings):
            values[metric.measure][metric.query_id] = float(metric.value)
    return {name: values[measure] for name, measure in measures.items()}


def score_primary(
    answers: Mapping[str, Answer], resolved: ResolvedLabels, lookup: Lookup
) -> dict[str, float]:
    """The primary measure of these answers, by question, as an evaluation counts them.

    Tuning scores by this. `lookup` knows the passages created for a question: a
    calculation counts for its operands.
    """
    run = Run(way=Way(name="merged", kind="merged"), answers=answers)
    questions = [question for question in resolved.golden.questions if question.id in answers]
    labels = resolve_derived(resolved.restricted_to(questions), [run], lookup)
    return dict(score(run, labels, names=(PRIMARY,))[PRIMARY])


def parse_measure(name: str) -> ir_measures.Measure:
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


def unanswered(run: Run, golden: Golden) -> list[str]:
    """The judged questions that a run does not have. They score 0."""
    return [
        question.id
        for question in judged_questions(golden.questions)
        if question.id not in run.answers
    ]


def first_relevant(run: Run, resolved: ResolvedLabels, question: str) -> int | None:
    """The first place, counted from 1, of a unit that answers a question; None if there is none."""
    relevant = resolved.relevant_units(question)
    order = resolved.order(question, run.answers.get(question, _NOTHING).passages)
    return next((place for place, unit in enumerate(order, start=1) if unit in relevant), None)


def _first_units(
    resolved: ResolvedLabels, key: str, passages: Sequence[str], places: int | None, *, strict: bool
) -> list[str]:
    """The units of the first places. Most often few passages are enough to know them."""
    if places is not None and len(passages) > 3 * places:
        units = resolved.order(key, passages[: 3 * places], strict=strict)
        if len(units) >= places:
            return units[:places]
    return resolved.order(key, passages, strict=strict)[:places]


def evaluate_rankings(
    measures: Sequence[ir_measures.Measure],
    grades: Mapping[str, Mapping[str, int]],
    rankings: Mapping[str, Sequence[str]],
) -> list[ir_measures.Metric]:
    """The metrics, computed on numbers: some programs behind ir-measures take no other names."""
    questions = {key: str(number) for number, key in enumerate(grades)}
    names = dict(enumerate(grades))
    units = dict.fromkeys(
        unit for table in (grades, rankings) for row in table.values() for unit in row
    )
    numbers = {unit: f"u{number}" for number, unit in enumerate(units)}
    qrels = {
        questions[key]: {numbers[unit]: grade for unit, grade in row.items()}
        for key, row in grades.items()
    }
    run = {
        questions[key]: {numbers[unit]: float(-place) for place, unit in enumerate(row)}
        for key, row in rankings.items()
    }
    try:
        metrics = ir_measures.evaluator(measures, qrels).iter_calc(run)
        return [metric._replace(query_id=names[int(metric.query_id)]) for metric in metrics]
    except (ValueError, RuntimeError, AssertionError, OSError, CalledProcessError) as error:
        raise UsageError(
            f"{', '.join(map(str, measures))} cannot be computed here ({error}); use measures "
            f"like {', '.join(MEASURES)}"
        ) from error


# --- of evidence ------------------------------------------------------------------------


def needed_passages(
    runs: Iterable[Run], resolved: ResolvedLabels, lookup: Lookup
) -> dict[str, Passage]:
    """The passages that the measures below look at: first places, and all that is judged."""
    wanted = {
        key: None
        for run in runs
        for answer in run.answers.values()
        for key in answer.passages[:PLACES]
    }
    for relevant in _relevant_passages(resolved).values():
        wanted.update(dict.fromkeys(relevant))
    return dict(lookup(list(wanted)))


def coverage(run: Run, resolved: ResolvedLabels, passages: Passages) -> dict[str, float]:
    """By kind of passage: how many of the questions that it answers have it in the first ten.

    `all` is the mean over questions of the share of their kinds that are found: a question that
    a row and a page both answer is half covered when only the page is found.
    """
    by_kind: dict[str, list[bool]] = {}
    shares = []
    for question, relevant in _relevant_passages(resolved).items():
        first = set(run.answers.get(question, _NOTHING).passages[:PLACES])
        kinds: dict[str, bool] = {}
        for key in relevant:
            if key in passages:
                kind = passages[key].kind
                kinds[kind] = kinds.get(kind, False) or key in first
        for kind, is_found in kinds.items():
            by_kind.setdefault(kind, []).append(is_found)
        if kinds:
            shares.append(mean(map(float, kinds.values())))
    if not shares:
        return {}
    return {
        "all": mean(shares),
        **{kind: mean(map(float, by_kind[kind])) for kind in sorted(by_kind)},
    }


def diversity(run: Run, passages: Passages, homes: Mapping[str, str] | None = None) -> float:
    """How many different documents are in the first ten places, as a share of the places.

    With `homes` (see `ResolvedLabels`) a record counts as a document of its own. The mean over
    questions that have results; 0 when none has.
    """
    records = homes or {}
    shares = []
    for answer in run.answers.values():
        first = [key for key in answer.passages[:PLACES] if key in passages]
        if first:
            documents = {records.get(key, passages[key].document) for key in first}
            shares.append(len(documents) / len(first))
    return mean(shares) if shares else 0.0


def attribution(
    run: Run, resolved: ResolvedLabels, passages: Passages, *, places: int = 1
) -> dict[str, float]:
    """By question: 1 when one of the first places is of the right document and page, else 0.

    The page counts where the judgement knows one. In a set by document or by field the right
    one is what was judged. A question with facts alone is judged by their documents.
    """
    relevant = _relevant_passages(resolved)
    values = {}
    for question in resolved.golden.questions:
        judged = [judgement for judgement in question.judgements if judgement.grade > 0]
        facts = [fact for fact in question.facts if fact.document]
        sources = [(judgement.document, judgement.locator.page) for judgement in judged]
        sources = sources or [(fact.document, fact.page) for fact in facts]
        right = relevant.get(question.id, set())
        if not right and (resolved.homes or not sources):
            continue
        first = run.answers.get(question.id, _NOTHING).passages[:places]
        values[question.id] = float(
            any(
                key in right
                or (not resolved.homes and key in passages and _is_from(passages[key], sources))
                for key in first
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
            texts = [passages[key] for key in first if key in passages]
            stated = (
                any(
                    states(fact if paged else replace(fact, page=None), passage)
                    for fact in group
                    for passage in texts
                )
                for group in group_facts(question.facts)
            )
            values[question.id] = float(all(stated))
    return values


def value_on_page(
    run: Run, golden: Golden, passages: Passages, *, places: int = 5
) -> dict[str, float]:
    """By question whose values are stated in the first places: 1 when on the right pages, else 0.

    Only questions that know a page are counted.
    """
    paged = {
        question.id for question in golden.questions if any(fact.page for fact in question.facts)
    }
    stated = value_in_top(run, golden, passages, places=places, paged=False)
    right = value_in_top(run, golden, passages, places=places)
    return {key: right[key] for key, value in stated.items() if value and key in paged}


def _relevant_passages(resolved: ResolvedLabels) -> dict[str, set[str]]:
    """By judged question: the passages of the units that answer it."""
    members: dict[str, list[str]] = {}
    for key, home in resolved.homes.items():
        members.setdefault(home, []).append(key)
    found = {}
    for question in judged_questions(resolved.golden.questions):
        relevant = resolved.relevant_units(question.id)
        if resolved.homes:
            found[question.id] = {key for unit in relevant for key in members.get(unit, ())}
        else:
            units = resolved.strict.get(question.id, {}).items()
            found[question.id] = {key for key, own in units if not relevant.isdisjoint(own)}
    return found


def _is_from(passage: Passage, sources: Sequence[tuple[str, int | None]]) -> bool:
    return any(
        same_document(document, passage.document) and page in (None, passage.locator.page)
        for document, page in sources
    )


# --- of facts ---------------------------------------------------------------------------


def states(fact: Fact, passage: Passage) -> bool:
    """Whether the text of a passage states a fact, in the right place where that is known.

    The unit may be in the text, its headings or its fields, as in a table.
    """
    if fact.page not in (None, passage.locator.page):
        return False
    if fact.document and not same_document(fact.document, passage.document):
        return False
    number = _number_of(fact.value)
    if number is None:
        if not has_value(fact) or not _has_phrase(passage.text, fact.value):
            return False
        return _has_units(passage, (fact.unit,))
    spelt, unit = number
    found = find_numbers(passage.text)
    is_stated = not spelt.isdisjoint(found)
    if not is_stated and not fact.document and "operands" in passage.metadata:
        is_stated = _rounds_to(spelt, found)  # a calculation may have more digits than the fact
    return is_stated and _has_units(passage, (fact.unit, unit))


def has_value(fact: Fact) -> bool:
    """Whether a fact has a value to look for at all: a number or a phrase, not a unit alone."""
    value = fact.value.strip()
    if any(letter.isdigit() for letter in value):
        return True
    is_bare_unit = is_unit(value) or value.casefold() == fact.unit.casefold()
    return bool(surface(value)) and not is_bare_unit


def fact_numbers(fact: Fact) -> frozenset[Number]:
    """The number that a fact states, as `find_numbers` gives them; empty for a phrase."""
    number = _number_of(fact.value)
    return number[0] if number else frozenset()


def group_facts(facts: Sequence[Fact]) -> list[tuple[Fact, ...]]:
    """Facts of one value together: the same number printed in several places is stated by one.

    A fact without a document may be anywhere, so it is not merged with one that has a place.
    """
    groups: list[list[Fact]] = []
    for fact in facts:
        own = next((group for group in groups if _same_value(group[0], fact)), None)
        if own is None:
            groups.append([fact])
        else:
            own.append(fact)
    return [tuple(group) for group in groups]


def _same_value(fact: Fact, other: Fact) -> bool:
    """Whether two facts have one value, each in a place of its own."""
    if not (fact.document and other.document):
        return False
    if fact.unit and other.unit and fact.unit.casefold() != other.unit.casefold():
        return False
    first, second = fact_numbers(fact), fact_numbers(other)
    if first or second:
        return not first.isdisjoint(second)
    return surface(fact.value) == surface(other.value)


def same_document(wanted: str, path: str) -> bool:
    """Whether a document's path is the one wanted, or ends in it: `a/b.pdf` is `b.pdf`."""
    wanted, path = wanted.replace("\\", "/").removeprefix("./"), path.replace("\\", "/")
    return path == wanted or path.endswith("/" + wanted)


def _rounds_to(wanted: Iterable[Number], found: Iterable[Number]) -> bool:
    """Whether a number found has more digits than one that is wanted, and rounds to it."""
    targets = [number for number in wanted if isinstance(number, Decimal)]
    return any(
        isinstance(number, Decimal)
        and number.as_tuple().exponent < target.as_tuple().exponent  # type: ignore[operator]
        and target in {number.quantize(target, rule) for rule in (ROUND_HALF_EVEN, ROUND_HALF_UP)}
        for target in targets
        for number in found
    )


def _has_phrase(text: str, phrase: str) -> bool:
    wanted, found = surface(phrase), surface(text)
    if _UNSPACED.search(wanted):
        return wanted in found
    return bool(wanted) and f" {wanted} " in f" {found} "


def _has_units(passage: Passage, units: Iterable[str]) -> bool:
    wanted = [unit for unit in units if unit.strip()]
    if not wanted:
        return True
    fields = (str(part) for field in passage.metadata.items() for part in field)
    around = "\n".join((passage.text, passage.title, *passage.locator.section, *fields))
    return all(unit_pattern(unit).search(around) for unit in wanted)


# --- of time and refusals ---------------------------------------------------------------


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """The median (`p50`) and the 95th percentile (`p95`); 0 of no values."""
    if not values:
        return {"p50": 0.0, "p95": 0.0}
    if len(values) == 1:
        return {"p50": values[0], "p95": values[0]}
    cuts = quantiles(sorted(values), n=100, method="inclusive")
    return {"p50": cuts[49], "p95": cuts[94]}


def refusals(run: Run, golden: Golden) -> dict[str, float | None]:
    """The share of `unanswerable` questions that were refused, and of `answerable` ones.

    No result is a refusal. A question that the run does not have was not asked, so not refused.
    None where the set has no such questions.
    """
    sides: dict[str, list[bool]] = {"unanswerable": [], "answerable": []}
    for question in golden.questions:
        if question.unanswerable or question.judgements or question.facts:
            side = "unanswerable" if question.unanswerable else "answerable"
            sides[side].append(is_refused(run.answers.get(question.id)))
    return {side: mean(map(float, found)) if found else None for side, found in sides.items()}


def is_refused(answer: Answer | None) -> bool:
    """Whether a question was asked and got nothing, or nothing that the engine stands by."""
    return answer is not None and (answer.refused or not answer.passages)
