"""Is the measurement itself honest? Checks that must come out as expected, and turn red if not.

Each knows one way in which evaluations went wrong before: labels so wide that anything matches,
labels copied from a ranker, keywords instead of answers, questions left out or tuned on, engines
that answer everything, and verifiers that agree with everything.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log2, sqrt
from statistics import mean, pstdev

from consilience.measure.golden.files import question_digest
from consilience.measure.golden.pooled import READING
from consilience.measure.scoring.facts import has_value, numbers_in, numbers_of, states
from consilience.measure.scoring.measures import PRIMARY, refused, score
from consilience.measure.scoring.off_topic import OFF_TOPIC, off_topic
from consilience.measure.values import Control, Fact, Golden, Judgement, Resolved, Run, judged
from consilience.names import surface
from consilience.types import Locator, Passage

__all__ = [
    "OFF_TOPIC",
    "every_question_counted",
    "labels_not_from_ranker",
    "labels_not_keywords",
    "not_tuned_on",
    "off_topic",
    "off_topic_refused",
    "shuffled_labels",
    "values_can_be_denied",
    "verifier_can_refuse",
]

FLOOR = 0.05
"""A score so low is chance, whatever else."""
ROUNDS = 5
TOP = 10

_LEAST_QUESTIONS, _LEAST_LABELS = 10, 30
_LEAST_EACH = 2  # with one label a question, a good way is no copy
_COPIED = 0.98
_UNLIKE = 0.9
_KEYWORD = 8  # a quotation of so many words is no keyword
_WEAK = 0.1
_REFUSED, _WRONGLY_REFUSED = 0.8, 0.2
_AGREES, _DENIES = 0.2, 0.5
_NOT_CHECKED = "not checked"


# --- labels -----------------------------------------------------------------------------


def shuffled_labels(run: Run, resolved: Resolved, *, size: int = 0, seed: int = 5) -> Control:
    """Every question gets the judgements of another: the score must fall to chance.

    Chance is what a random order of all that these questions found gives, when each judged text
    stands in one passage only; so labels that fit many passages stay above it, and questions
    that are much alike do not. `size`, where given, is how many passages there are at all.
    """
    name = "shuffled labels"
    asked = [one.id for one in judged(resolved.golden.questions) if one.id in run.answers]
    if len(asked) < 2:
        return Control(name=name, passed=True, told="not checked: fewer than 2 judged questions")
    own = score(run, resolved, names=(PRIMARY,))[PRIMARY]
    real = mean(own[key] for key in asked)
    chance = random.Random(seed)  # noqa: S311 (no secret)
    values: dict[str, list[float]] = {key: [] for key in asked}
    for _ in range(ROUNDS):
        mixed = chance.sample(asked, len(asked))
        others = dict(zip(mixed, [*mixed[1:], mixed[0]], strict=True))
        swapped = Run(way=run.way, answers={key: run.answers[others[key]] for key in asked})
        found = score(swapped, resolved, names=(PRIMARY,))[PRIMARY]
        for key in asked:
            values[key].append(found[key])
    means = [mean(some) for some in values.values()]
    count = min(filter(None, (size, _found(run, resolved))), default=1)
    expected = mean(_by_chance(resolved.grades.get(key, {}), count) for key in asked)
    allowed = max(FLOOR, real / 10, expected + 2 * pstdev(means) / sqrt(len(means)))
    told = f"{PRIMARY} {real:.3f} falls to {mean(means):.3f} with the labels of other questions"
    if mean(means) > allowed:
        told += f", chance is {allowed:.3f} at most: the labels fit too much, so narrow them"
    return Control(name=name, passed=mean(means) <= allowed, told=told)


def labels_not_from_ranker(runs: Mapping[str, Run], resolved: Resolved) -> Control:
    """No way's first places may be the labels themselves, and no single method their pool.

    Suspicious is a way whose first places are the judged texts in nearly all questions, whatever
    their grades, where another way clearly finds others. With one label a question that is no
    sign: a good way has it first. Questions that say that several methods or a reader pooled
    them are believed, and what was seen is told.
    """
    name = "labels not from a ranker"
    pools = [set(one.pool) for one in resolved.golden.questions if one.pool]
    methods = sorted(set().union(*pools))
    if len(methods) == 1 and methods != [READING]:
        told = f"all {len(pools)} pooled questions were judged on the finds of {methods[0]} only"
        return Control(name=name, passed=False, told=f"{told}: pool several methods")
    every = judged(resolved.golden.questions)
    pooled = [one.id for one in every if len(set(one.pool)) > 1 or READING in one.pool]
    alone = [one.id for one in every if one.id not in set(pooled)]
    copied, told = _copy(runs, resolved, alone)
    if copied:
        told += ": have people judge what several methods find"
        return Control(name=name, passed=False, told=told)
    if pooled:
        seen, what = _copy(runs, resolved, [one.id for one in every])
        told = f"{len(pooled)} questions say that {_listed(methods)} pooled them; {what}"
        told += ": believe it only if that is so" if seen else ""
    return Control(name=name, passed=True, told=told)


def _copy(runs: Mapping[str, Run], resolved: Resolved, asked: Sequence[str]) -> tuple[bool, str]:
    """Whether the labels of these questions look like one way's first places, and what is seen."""
    labels = sum(len(_right(resolved, key)) for key in asked)
    if len(asked) < _LEAST_QUESTIONS or labels < max(_LEAST_LABELS, _LEAST_EACH * len(asked)):
        return False, f"{len(asked)} questions with {labels} labels: too few to show a copy"
    found = {way: _taken(run, resolved, asked) for way, run in runs.items()}
    best = max(found, key=lambda way: found[way], default="none")
    share, lowest = found.get(best, 0.0), min(found.values(), default=1.0)
    if share >= _COPIED and lowest < _UNLIKE:
        told = f"{share:.0%} of the labels are just the first places of {best}"
        return True, f"{told}, another way has {lowest:.0%}"
    return False, f"nearest is {best}, whose first places are {share:.0%} of the labels"


def labels_not_keywords(golden: Golden, passages: Iterable[Passage]) -> Control:
    """Labels must tell one place from others: no common words as quotations, no unit as value.

    Weak is a quotation without a place that stands in more than 5 passages and in more than 1 in
    100, and a fact without a document that as many passages state, or that has no value.
    """
    name = "labels are no keywords"
    quotes = [one for each in golden.questions for one in each.judgements if _only_quoted(one)]
    facts = [one for each in golden.questions for one in each.facts]
    looked = [one for one in facts if has_value(one) and not one.document]
    fitting, count = _fitting([one.quote for one in quotes], looked, passages)
    limit = max(5, count / 100)
    weak = [f"{one.quote!r}" for one in quotes if fitting[_phrase(one.quote)] > limit]
    weak += [f"{one.value!r}" for one in looked if fitting[one] > limit]
    empty = [f"{one.value!r}" for one in facts if not has_value(one)]
    labels = sum(len(each.judgements) + len(each.facts) for each in golden.questions)
    bad = [*empty, *weak]
    passed = not empty and len(bad) <= _WEAK * labels
    told = f"{len(bad)} of {labels} labels are words that stand in many places"
    if bad:
        told += f", such as {', '.join(dict.fromkeys(bad[:3]))}"
    return Control(
        name=name, passed=passed, told=told if passed else f"{told}: quote what answers, with place"
    )


# --- questions --------------------------------------------------------------------------


def every_question_counted(run: Run, golden: Golden) -> Control:
    """Every question of the set was asked: what found nothing must count as nothing found."""
    asked = {one.id for one in golden.questions}
    left = [one.id for one in golden.questions if one.id not in run.answers]
    more = [key for key in run.answers if key not in asked]
    empty = sum(not run.answers[key].passages for key in asked & run.answers.keys())
    told = f"{len(asked) - len(left)} of {len(asked)} questions were asked, {empty} found nothing"
    if left:
        told += f"; left out: {', '.join(left[:5])}{' …' if len(left) > 5 else ''}"
    if more:
        told += f"; {len(more)} are not of this set, such as {more[0]!r}"
    return Control(name="every question counted", passed=not left and not more, told=told)


def not_tuned_on(golden: Golden, tuned: Mapping[str, object]) -> Control:
    """None of the questions may have been used to choose the settings (`tuned.json`)."""
    name = "not tuned on these questions"
    seen = tuned.get("questions") or ()
    used = set(map(str, seen)) if isinstance(seen, Sequence) else set()
    if not used:
        return Control(name=name, passed=True, told="no settings were tuned in this workspace")
    both = [one for one in golden.questions if question_digest(one) in used]
    told = f"{len(both)} of {len(golden.questions)} questions were used in tuning"
    if both:
        told += f", such as {both[0].text!r}: report on the questions that were held out"
    return Control(name=name, passed=not both, told=told)


def off_topic_refused(run: Run, count: int, *, answerable: float | None = None) -> Control:
    """Of `count` questions on other matters most must be refused, of `answerable` ones few.

    `answerable` is the share of the questions with an answer that was refused (`refusals`).
    """
    name = "off-topic questions refused"
    if not count:
        told = "not checked: the evidence has words of every built-in off-topic question"
        return Control(name=name, passed=True, told=told)
    share = sum(refused(answer) for answer in run.answers.values()) / count
    passed = share >= _REFUSED and (answerable is None or answerable <= _WRONGLY_REFUSED)
    told = f"{share:.0%} of {count} off-topic questions were refused"
    if answerable is not None:
        told += f", and {answerable:.0%} of the answerable ones"
    if not passed:
        told += f": at least {_REFUSED:.0%} and at most {_WRONGLY_REFUSED:.0%} are right; calibrate"
    return Control(name=name, passed=passed, told=told)


# --- verifiers --------------------------------------------------------------------------


def verifier_can_refuse(
    verifier: Callable[[str, str], bool], pairs: Sequence[tuple[str, str]]
) -> Control:
    """A verifier of (claim, evidence) must deny what it should, and not deny everything.

    `pairs` are true. It must refuse nearly all claims with another pair's evidence and nearly
    all whose numbers were altered, and accept at least half of the true ones.
    """
    name = "the verifier can refuse"
    swapped = [
        (claim, other)
        for (claim, own), (_, other) in zip(pairs, [*pairs[1:], *pairs[:1]], strict=True)
        if other != own and not _may_state(other, claim)
    ]
    altered = [(_altered(claim, own), own) for claim, own in pairs if re.search(r"\d", claim)]
    if not swapped:
        told = f"{_NOT_CHECKED}: it needs two pairs of different evidence"
        return Control(name=name, passed=False, told=told)
    agreed = {
        "true claims": _share(verifier, pairs),
        "claims with other evidence": _share(verifier, swapped),
        "claims with altered numbers": _share(verifier, altered) if altered else 0.0,
    }
    true, *wrong = agreed.values()
    told = "it agrees with " + ", ".join(f"{share:.0%} of {what}" for what, share in agreed.items())
    if max(wrong) > _AGREES:
        told += ": it always agrees" if min(wrong) == 1 else ": it agrees with what is not there"
    elif true < _DENIES:
        told += ": it refuses what is true"
    return Control(name=name, passed=max(wrong) <= _AGREES and true >= _DENIES, told=told)


def values_can_be_denied(stated: Sequence[tuple[Fact, Passage]]) -> Control:
    """The check of values must deny what it should: it is the verifier that `evaluate` uses.

    `stated` are facts with a passage that states each.
    """
    texts = {passage.text: passage for _, passage in stated}
    units = sorted({fact.unit for fact, _ in stated if fact.unit}, key=len, reverse=True)

    def verifier(claim: str, evidence: str) -> bool:
        unit = next((one for one in units if claim.endswith(f" {one}")), "")
        value = claim.removesuffix(f" {unit}") if unit else claim
        return states(Fact(value=value, unit=unit), texts[evidence])

    pairs = [(f"{fact.value} {fact.unit}".strip(), one.text) for fact, one in stated]
    control = verifier_can_refuse(verifier, pairs)
    if control.told.startswith(_NOT_CHECKED):
        told = f"{_NOT_CHECKED}: too few facts of this set stand in passages of their own"
        return Control(name=control.name, passed=True, told=told)
    return control


# --- what they are made of --------------------------------------------------------------


def _found(run: Run, resolved: Resolved) -> int:
    """How many different units stand in the first places of all questions together."""
    first = (one for answer in run.answers.values() for one in answer.passages[:TOP])
    return len({resolved.homes.get(one, one) for one in first})


def _by_chance(grades: Mapping[str, int], count: int) -> float:
    """The nDCG@10 to expect of a random order of `count` units, these among them."""
    gains = sorted((max(0, grade) for grade in grades.values()), reverse=True)
    falls = [1 / log2(place + 1) for place in range(1, TOP + 1)]
    best = sum(gain * fall for gain, fall in zip(gains, falls, strict=False))
    count = max(count, len(gains))
    return sum(gains) / count * sum(falls[:count]) / best if best else 0.0


def _right(resolved: Resolved, question: str) -> set[str]:
    return {unit for unit, grade in resolved.grades.get(question, {}).items() if grade > 0}


def _taken(run: Run, resolved: Resolved, asked: Sequence[str]) -> float:
    """The share of the labels that stand in the first places, of which there are as many.

    Those that answer (R-precision), or all that were judged, whichever is more.
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


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _only_quoted(judgement: Judgement) -> bool:
    """Whether the words of a quotation alone say which passage of a document is meant."""
    pinned = bool(judgement.fields) or judgement.locator != Locator()
    return 0 < len(_phrase(judgement.quote).split()) < _KEYWORD and not pinned


def _phrase(text: str) -> str:
    return surface(text)


def _fitting(
    quotes: Sequence[str], facts: Sequence[Fact], passages: Iterable[Passage]
) -> tuple[dict[str | Fact, int], int]:
    """How many passages each quotation and each fact fits, and how many passages there are."""
    fitting: dict[str | Fact, int] = {_phrase(one): 0 for one in quotes}
    fitting.update(dict.fromkeys(facts, 0))
    telling: dict[str, list[str | Fact]] = {}
    numbers: dict[object, list[Fact]] = {}
    for one in fitting:
        if isinstance(one, Fact) and numbers_of(one):
            for number in numbers_of(one):
                numbers.setdefault(number, []).append(one)
        else:
            words = _phrase(one if isinstance(one, str) else one.value).split()
            telling.setdefault(max(words, key=len), []).append(one)
    count = 0
    for passage in passages:
        count += 1
        said = _phrase(passage.text)
        near = {one for word in telling.keys() & set(said.split()) for one in telling[word]}
        if numbers:
            found = numbers.keys() & numbers_in(passage.text)
            near.update(one for number in found for one in numbers[number])
        for one in near:
            if states(one, passage) if isinstance(one, Fact) else f" {one} " in f" {said} ":
                fitting[one] += 1
    return fitting, count


def _may_state(evidence: str, claim: str) -> bool:
    """Whether a text may well state a claim: its words, or all its numbers, stand there."""
    numbers = _digits(claim)
    return claim.casefold() in evidence.casefold() or (
        bool(numbers) and numbers <= _digits(evidence)
    )


def _digits(text: str) -> set[str]:
    """The numbers of a text, without what parts their thousands and decimals."""
    return set(re.findall(r"\d+", re.sub(r"(?<=\d)[.,'’\s](?=\d)", "", text)))


def _altered(claim: str, evidence: str) -> str:
    """The claim with other numbers, none of which stands in the evidence."""

    def other(match: re.Match[str]) -> str:
        digits = match[0]
        for step in range(1, 9):
            first = str((int(digits[0]) - 1 + step) % 9 + 1)
            if first != digits[0] and first + digits[1:] not in evidence:
                return first + digits[1:]
        while digits in evidence:
            digits = f"9{digits}"
        return digits

    return re.sub(r"\d+", other, claim)


def _share(verifier: Callable[[str, str], bool], pairs: Sequence[tuple[str, str]]) -> float:
    return mean(float(verifier(claim, evidence)) for claim, evidence in pairs)
