"""Is the measurement itself honest? Checks that must pass, and turn red at every known cheat.

Each knows one way in which evaluations went wrong before: labels so wide that anything matches,
labels copied from a ranker, questions left out or tuned on, engines that answer everything.

A golden set with errors stops an evaluation before anything is asked. What can only be seen in the
answers turns a control red.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import log2, sqrt
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

from consilience.engine import Engine
from consilience.errors import UsageError
from consilience.evidence.catalogue import Catalogue
from consilience.evidence.ingest import Progress
from consilience.measure.data_model import (
    Control,
    Golden,
    Question,
    ResolvedLabels,
    Run,
    Way,
    judged_questions,
)
from consilience.measure.golden import question_digest
from consilience.measure.golden_health import READING, Finding, is_pooled
from consilience.measure.label_resolver import Corpus
from consilience.measure.metrics import (
    PRIMARY,
    is_refused,
    refusals,
    score,
    unanswered,
)
from consilience.measure.runs import MERGED, AnswerCache, RunResults, run_questions
from consilience.measure.seen_questions import SeenQuestions
from consilience.workspace import Workspace

NOT_CHECKED = "not checked"
"""How the message of a control begins that had nothing to check."""
CONTROLS = (
    "golden set is sound",
    "every question counted",
    "every source answered",
    "shuffled labels",
    "labels not from a ranker",
    "not tuned on these questions",
    "off-topic questions refused",
)
"""The controls that every evaluation has."""
CHANCE_FLOOR = 0.05
"""A score so low is chance, whatever else."""
SHUFFLES = 5
TOP = 10

_FEWEST_QUESTIONS, _FEWEST_LABELS = 10, 30
_LABELS_EACH = 2  # with one label a question, a good way is no copy
_COPIED, _UNLIKE = 0.98, 0.9
_LEAST_REFUSED, _MOST_WRONGLY_REFUSED = 0.8, 0.2
_SHOWN = 5
_WORD = re.compile(r"[^\W\d_]+")


def check_measurement(
    corpus: Corpus,
    problems: Sequence[Finding],
    resolved: ResolvedLabels,
    results: RunResults,
    off_topic: RunResults,
    others: Mapping[str, Run],
    seen: SeenQuestions,
) -> list[Control]:
    """All controls of a measurement, whether green or red.

    `problems` are those of the golden set, now that it is known which way finds what; `others`
    are runs of other systems.
    """
    merged, golden = results.runs[MERGED], resolved.golden
    answerable = refusals(results.without_failures(MERGED), golden)["answerable"]
    return [
        golden_set_sound(problems),
        every_way_counted(results.runs, others, golden),
        every_source_answered(results, off_topic),
        shuffled_labels(merged, resolved, size=len(corpus.places)),
        labels_not_from_ranker(results.runs, resolved),
        not_tuned_on(golden, seen.tuned),
        off_topic_refused(off_topic, answerable),
    ]


def refuse_unindexed(catalogue: Catalogue) -> None:
    """Refuse a corpus that is not fully indexed: nobody could find the rest."""
    if pending := catalogue.pending_count():
        raise UsageError(
            f"{pending:,} passages are not indexed yet, so no source could find them; run "
            "`consilience add`, then measure"
        )


# --- labels -----------------------------------------------------------------------------


def golden_set_sound(found: Sequence[Finding]) -> Control:
    """The problems of a golden set: none may be an error."""
    errors = [finding for finding in found if finding.level == "error"]
    warnings = Counter(finding.name for finding in found if finding.level == "warning")
    message = "; ".join(map(str, errors[:_SHOWN])) or "no errors"
    if number := warnings.total():
        named = ", ".join(f"{name} {count}" for name, count in warnings.items())
        many = "warning" if number == 1 else "warnings"
        message += f"; {number} {many} ({named}): see `consilience golden health`"
    return Control(name="golden set is sound", passed=not errors, message=message)


def shuffled_labels(run: Run, resolved: ResolvedLabels, *, size: int = 0, seed: int = 5) -> Control:
    """Every question gets the judgements of another: the score must fall to chance.

    Chance is what a random order of all that these questions found gives, when each judged text
    is in one passage only; so labels that fit many passages stay above it, and questions that are
    much alike do not. `size`, where given, is how many passages there are at all.
    """
    name = "shuffled labels"
    asked = [
        question.id
        for question in judged_questions(resolved.golden.questions)
        if question.id in run.answers
    ]
    if len(asked) < 2:
        message = f"{NOT_CHECKED}: fewer than 2 judged questions"
        return Control(name=name, passed=True, message=message)
    own = score(run, resolved, names=(PRIMARY,))[PRIMARY]
    real = mean(own[key] for key in asked)
    generator = random.Random(seed)  # noqa: S311 (no secret)
    values: dict[str, list[float]] = {key: [] for key in asked}
    for _ in range(SHUFFLES):
        mixed = generator.sample(asked, len(asked))
        others = dict(zip(mixed, [*mixed[1:], mixed[0]], strict=True))
        swapped = Run(way=run.way, answers={key: run.answers[others[key]] for key in asked})
        found = score(swapped, resolved, names=(PRIMARY,))[PRIMARY]
        for key in asked:
            values[key].append(found[key])
    means = [mean(shuffled) for shuffled in values.values()]
    first = (key for answer in run.answers.values() for key in answer.passages[:TOP])
    found_units = len({resolved.homes.get(key, key) for key in first})
    count = min(filter(None, (size, found_units)), default=1)
    expected = mean(_random_ndcg(resolved.grades.get(key, {}), count) for key in asked)
    allowed = max(CHANCE_FLOOR, real / 10, expected + 2 * pstdev(means) / sqrt(len(means)))
    message = f"{PRIMARY} {real:.3f} falls to {mean(means):.3f} with the labels of other questions"
    if mean(means) > allowed:
        message += f", chance is {allowed:.3f} at most: the labels fit too much, so narrow them"
    return Control(name=name, passed=mean(means) <= allowed, message=message)


def _random_ndcg(grades: Mapping[str, int], count: int) -> float:
    """The nDCG@10 to expect of a random order of `count` units, these among them."""
    gains = sorted((max(0, grade) for grade in grades.values()), reverse=True)
    discounts = [1 / log2(place + 1) for place in range(1, TOP + 1)]
    best = sum(gain * discount for gain, discount in zip(gains, discounts, strict=False))
    count = max(count, len(gains))
    return sum(gains) / count * sum(discounts[:count]) / best if best else 0.0


def labels_not_from_ranker(runs: Mapping[str, Run], resolved: ResolvedLabels) -> Control:
    """No way's first places may be the labels themselves, and no single method their pool.

    Suspicious is a way whose first places are the judged texts in nearly all questions, whatever
    their grades, where another way clearly finds others. With one label a question that is no
    sign: a good way has it first. Questions that name several methods or a reader as their pool
    are believed, and the message says what was seen.
    """
    name = "labels not from a ranker"
    pools = [set(question.pool) for question in resolved.golden.questions if question.pool]
    methods = sorted(set().union(*pools))
    if len(methods) == 1 and methods != [READING]:
        message = (
            f"all {len(pools)} pooled questions were judged on the results of {methods[0]} only: "
            "pool several methods"
        )
        return Control(name=name, passed=False, message=message)
    questions = judged_questions(resolved.golden.questions)
    pooled = [question.id for question in questions if is_pooled(question)]
    unpooled = [question.id for question in questions if not is_pooled(question)]
    is_copy, message = _detect_copy(runs, resolved, unpooled)
    if is_copy:
        message += ": have people judge what several methods find"
        return Control(name=name, passed=False, message=message)
    if pooled:
        is_similar, seen = _detect_copy(runs, resolved, [question.id for question in questions])
        message = f"{len(pooled)} questions say that {', '.join(methods)} pooled them; {seen}"
        message += ": believe it only if that is so" if is_similar else ""
    return Control(name=name, passed=True, message=message)


def _detect_copy(
    runs: Mapping[str, Run], resolved: ResolvedLabels, asked: Sequence[str]
) -> tuple[bool, str]:
    """Whether the labels of these questions look like one way's first places, and what is seen."""
    labels = sum(len(resolved.relevant_units(key)) for key in asked)
    if len(asked) < _FEWEST_QUESTIONS or labels < max(_FEWEST_LABELS, _LABELS_EACH * len(asked)):
        return False, f"{len(asked)} questions with {labels} labels: too few to show a copy"
    shares = {way: _label_share(run, resolved, asked) for way, run in runs.items()}
    best = max(shares, key=lambda way: shares[way], default="none")
    share, lowest = shares.get(best, 0.0), min(shares.values(), default=1.0)
    if share >= _COPIED and lowest < _UNLIKE:
        message = f"{share:.0%} of the labels are just the first places of {best}"
        return True, f"{message}, another way has {lowest:.0%}"
    return False, f"nearest is {best}, whose first places are {share:.0%} of the labels"


def _label_share(run: Run, resolved: ResolvedLabels, asked: Sequence[str]) -> float:
    """The share of n labels that are in the first n places, averaged over questions.

    Of the labels that answer (R-precision), or of all that were judged, whichever is more.
    """
    sides = []
    for least in (1, 0):
        shares = []
        for key in asked:
            grades = resolved.grades.get(key, {})
            labels = {unit for unit, grade in grades.items() if grade >= least}
            answer = run.answers.get(key)
            order = resolved.order(key, answer.passages) if answer else []
            shares.append(len(labels & set(order[: len(labels)])) / max(len(labels), 1))
        sides.append(mean(shares))
    return max(sides)


# --- questions --------------------------------------------------------------------------


def every_way_counted(
    runs: Mapping[str, Run], others: Mapping[str, Run], golden: Golden
) -> Control:
    """Every way was asked every question, and runs of other systems have those that are judged.

    What found nothing must count as nothing found.
    """
    asked = {question.id: None for question in golden.questions}
    wrong = []
    for name, run in runs.items():
        missing = [key for key in asked if key not in run.answers]
        extra = [key for key in run.answers if key not in asked]
        if missing:
            wrong.append(f"{name} is without {len(missing)} questions: {_list_some(missing)}")
        if extra:
            wrong.append(f"{name} has {len(extra)} that are not of this set, such as {extra[0]!r}")
    for name, run in others.items():
        if missing := unanswered(run, golden):
            wrong.append(
                f"{name} has no answer to {len(missing)} judged questions, which score 0: "
                f"{_list_some(missing)}"
            )
    answers = runs[MERGED].answers
    empty = sum(not answers[key].passages for key in asked if key in answers)
    message = f"{len(asked)} of {len(asked)} questions were asked, {empty} found nothing"
    message = "; ".join(wrong[:_SHOWN]) or message
    return Control(name="every question counted", passed=not wrong, message=message)


def every_source_answered(*results: RunResults) -> Control:
    """A source that gave no answer would count as one that finds nothing."""
    missed = [failure for result in results for failure in result.missed]
    message = "none failed, none was too late, no question was refused as malformed"
    if missed:
        message = f"{len(missed)} answers are missing, such as {missed[0]}"
    return Control(name="every source answered", passed=not missed, message=message)


def not_tuned_on(golden: Golden, used: Iterable[str]) -> Control:
    """None of the questions may have been used to choose the settings; `used` are digests."""
    name, used = "not tuned on these questions", set(used)
    if not used:
        message = "no settings were tuned in this workspace"
        return Control(name=name, passed=True, message=message)
    both = [question for question in golden.questions if question_digest(question) in used]
    message = f"{len(both)} of {len(golden.questions)} questions were used in tuning"
    if both:
        message += f", such as {both[0].text!r}: report on the questions that were held out"
    return Control(name=name, passed=not both, message=message)


def _list_some(keys: Sequence[str]) -> str:
    return ", ".join(keys[:_SHOWN]) + (" …" if len(keys) > _SHOWN else "")


# --- off-topic questions ----------------------------------------------------------------


@cache
def read_off_topic_data() -> dict[str, Any]:
    """Everyday questions that most evidence does not answer, and questions on other subjects."""
    path = Path(__file__).with_name("data") / "off_topic_questions.json"
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def off_topic_questions(catalogue: Catalogue) -> list[str]:
    """The off-topic questions whose content words do not occur in the evidence.

    So the workspace of a cook is not asked about sourdough.
    """
    questions = read_off_topic_data()["off_topic"]
    forms = {
        word: {stem := word.casefold().removesuffix("s"), f"{stem}s", f"{stem}es"}
        for question in questions
        for word in question["words"]
    }
    wanted = set().union(*forms.values())
    found: set[str] = set()
    for collection in catalogue.counts():
        for passage in catalogue.each(collection):
            found.update(wanted.intersection(_WORD.findall(passage.indexed.casefold())))
    return [
        question["text"]
        for question in questions
        if all(forms[word].isdisjoint(found) for word in question["words"])
    ]


def ask_off_topic(
    workspace: Workspace,
    cache: AnswerCache,
    progress: Progress | None,
    engine: Engine | None = None,
) -> RunResults:
    """Off-topic questions, asked like any other."""
    questions = [
        Question(id=f"off-topic-{number}", text=text, unanswerable=True)
        for number, text in enumerate(off_topic_questions(workspace.catalogue), start=1)
    ]
    return run_questions(
        questions,
        workspace,
        progress=progress,
        cache=cache,
        ways=[Way(name=MERGED, kind="merged")],
        stage="off topic",
        engine=engine,
    )


def off_topic_refused(off_topic: RunResults, answerable: float | None) -> Control:
    """Most off-topic questions must be refused, and few `answerable` ones; a failure is no refusal.

    `answerable` is the share of the questions with an answer that was refused (`refusals`).
    """
    name, answers = "off-topic questions refused", off_topic.runs[MERGED].answers
    if not answers:
        message = f"{NOT_CHECKED}: the evidence has words of every built-in off-topic question"
        return Control(name=name, passed=True, message=message)
    sound = off_topic.without_failures(MERGED).answers.values()
    share = sum(map(is_refused, sound)) / len(answers)
    passed = share >= _LEAST_REFUSED and (answerable or 0.0) <= _MOST_WRONGLY_REFUSED
    message = f"{share:.0%} of {len(answers)} off-topic questions were refused"
    if answerable is not None:
        message += f", and {answerable:.0%} of the answerable ones"
    if not passed:
        message += (
            f": at least {_LEAST_REFUSED:.0%} and at most {_MOST_WRONGLY_REFUSED:.0%} are right; "
            "calibrate"
        )
        if not any(value is not None for answer in answers.values() for value in answer.relevances):
            message += "; there is no calibration for this model: run `consilience calibrate`"
    return Control(name=name, passed=passed, message=message)
