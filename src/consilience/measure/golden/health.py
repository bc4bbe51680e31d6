"""Can this golden set be trusted? What is wrong with it, which questions, and what to do.

An error makes numbers wrong: labels that point nowhere, that contradict one another, that stand
in every other passage, or that one method alone supplied. A warning makes them weak: too few
questions, none to refuse, answers that stand in the question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from consilience.catalogue import Catalogue
from consilience.measure.golden.corpus import Corpus
from consilience.measure.golden.files import question_digest
from consilience.measure.golden.likeness import gives_away, near_pairs, states
from consilience.measure.golden.pooled import Level, pool_bias
from consilience.measure.golden.quoting import letters
from consilience.measure.golden.resolve import missing_in
from consilience.measure.golden.sealing import is_sealed
from consilience.measure.values import Golden, Judgement, Run
from consilience.types import Locator

FEWEST, FEWEST_IN_CATEGORY, FEWEST_UNANSWERABLE = 25, 10, 5
COMMON_PASSAGES, COMMON_SHARE = 5, 0.01
_LONG_QUOTE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong with a golden set: what, which questions, and what to do."""

    level: Level
    name: str
    told: str
    advice: str
    questions: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON."""
        return {**asdict(self), "questions": list(self.questions)}


def findings(
    golden: Golden, catalogue: Catalogue, *, runs: Mapping[str, Run] | None = None
) -> list[Finding]:
    """All that is wrong with a set in this workspace, errors first.

    With `runs` it is also told whether one way alone finds what is judged relevant.
    """
    corpus = Corpus(catalogue)
    checks: tuple[Callable[[Golden], Iterable[Finding]], ...] = (
        lambda one: _unresolved(one, corpus),
        _duplicated,
        _near_duplicated,
        _contradictory,
        lambda one: _wide(one, corpus),
        _trivial,
        lambda one: _pooled(one, corpus, runs or {}),
        _few,
        lambda one: _drifted(one, catalogue),
    )
    found = [finding for check in checks for finding in check(golden)]
    return sorted(found, key=lambda one: one.level != "error")


# --- labels -----------------------------------------------------------------------------


def _unresolved(golden: Golden, corpus: Corpus) -> Iterable[Finding]:
    for question, _, reason in missing_in(golden, corpus):
        yield Finding(
            level="error",
            name="unresolved",
            told=reason,
            advice="correct the judgement, or add the file it speaks of",
            questions=(question.id,),
        )


def _contradictory(golden: Golden) -> Iterable[Finding]:
    """One text graded twice: in one question, or in two that ask the same."""
    grades: dict[tuple[str, str], dict[int, list[str]]] = {}
    for question in golden.questions:
        for one in question.judgements:
            key = (question_digest(question), _place(one))
            grades.setdefault(key, {}).setdefault(one.grade, []).append(question.id)
    for marks in grades.values():
        if len(marks) > 1:
            named = tuple(dict.fromkeys(key for keys in marks.values() for key in keys))
            told = " and ".join(str(grade) for grade in sorted(marks))
            yield Finding(
                level=_strictly(golden),
                name="contradictory",
                told=f"the same text is graded {told} for the same question",
                advice="decide on one grade",
                questions=named,
            )


def _wide(golden: Golden, corpus: Corpus) -> Iterable[Finding]:
    """Labels that so many passages meet that finding one of them proves little."""
    if golden.by != "passage":
        return
    most = max(COMMON_PASSAGES, round(COMMON_SHARE * len(corpus.places)))
    for question in golden.questions:
        for one in question.judgements:
            if one.grade > 0:
                yield from _wide_label(question.id, one, corpus, most)


def _wide_label(question: str, one: Judgement, corpus: Corpus, most: int) -> Iterable[Finding]:
    meant = len(corpus.find(one).passages)
    if not one.quote and meant > most:
        yield Finding(
            level="warning",
            name="wide",
            told=f"a judgement means {meant} passages of {one.document}, and any of them counts",
            advice="quote the words that answer the question, or name their page or section",
            questions=(question,),
        )
    if not one.quote or is_sealed(one.quote):
        return
    wanted = letters(one.quote)
    places = corpus.holding(wanted)
    documents = len({place.document for place in places})
    lone = one.locator == Locator() and not one.fields
    short = len(wanted.words) < _LONG_QUOTE and documents > 1
    if meant > most or (lone and (short or len(places) > most)):
        yield Finding(
            level="error" if meant > most else "warning",
            name="keyword",
            told=f"the quotation {one.quote!r} stands in {len(places)} passages of "
            f"{documents} documents: a keyword, not an answer",
            advice="quote the words that answer the question",
            questions=(question,),
        )


def _trivial(golden: Golden) -> Iterable[Finding]:
    """Questions that give their answer away."""
    copied, stated = [], []
    for question in golden.questions:
        quotes = [
            one.quote
            for one in question.judgements
            if one.quote and not is_sealed(one.quote) and one.grade > 0
        ]
        if any(gives_away(question.text, quote) for quote in quotes):
            copied.append(question.id)
        if question.facts and all(states(question.text, one.value) for one in question.facts):
            stated.append(question.id)
    if copied:
        yield Finding(
            level="warning",
            name="trivial",
            told="the question has nearly all words of the text that answers it, so that any "
            "search by words finds it",
            advice="ask in other words, as someone would who has not read the text",
            questions=tuple(copied),
        )
    if stated:
        yield Finding(
            level="warning",
            name="trivial",
            told="the value that is looked for stands in the question",
            advice="leave it out of the question",
            questions=tuple(stated),
        )


# --- questions --------------------------------------------------------------------------


def _duplicated(golden: Golden) -> Iterable[Finding]:
    same: dict[str, list[str]] = {}
    for one in golden.questions:
        same.setdefault(question_digest(one), []).append(one.id)
    for keys in same.values():
        if len(keys) > 1:
            yield Finding(
                level=_strictly(golden),
                name="duplicated",
                told="the same question is asked more than once, and counts as often",
                advice="keep one of them, with all judgements",
                questions=tuple(keys),
            )


def _near_duplicated(golden: Golden) -> Iterable[Finding]:
    digests = {one.id: question_digest(one) for one in golden.questions}
    pairs = near_pairs({one.id: one.text for one in golden.questions})
    near = [(one, other) for one, other in pairs if digests[one] != digests[other]]
    if near:
        which = "two questions" if len(near) == 1 else f"{len(near)} pairs of questions"
        yield Finding(
            level="warning",
            name="duplicated",
            told=f"{which} share four fifths of their words or more",
            advice="keep one of them, unless they ask for different things",
            questions=tuple(dict.fromkeys(key for pair in near for key in pair)),
        )


def _few(golden: Golden) -> Iterable[Finding]:
    answerable = [one for one in golden.questions if not one.unanswerable]
    refused = len(golden.questions) - len(answerable)
    if len(answerable) < FEWEST:
        yield _too_few(
            f"{len(answerable)} questions can be answered: differences between ways of searching "
            "will drown in chance",
            f"bring them to {FEWEST} at least; 50 to 100 are better",
        )
    counts = Counter(one.category for one in answerable)
    for category, number in sorted(counts.items()):
        if category and number < FEWEST_IN_CATEGORY and len(counts) > 1:
            yield _too_few(
                f"the category {category!r} has {number} questions: its own numbers mean little",
                f"bring it to {FEWEST_IN_CATEGORY}, or join it with another",
                [one.id for one in answerable if one.category == category],
            )
    if golden.by == "passage" and refused < FEWEST_UNANSWERABLE:
        yield _too_few(
            f"{refused} questions are unanswerable: nothing tells whether the engine can refuse",
            f"add {FEWEST_UNANSWERABLE} or more with `unanswerable: true`, some near the subject",
        )
    languages = Counter(one.language for one in golden.questions)
    for language, number in sorted(languages.items()):
        if len(languages) > 1 and number < FEWEST_IN_CATEGORY:
            yield _too_few(
                f"{number} questions are in {language!r}: they say little of that language",
                f"bring them to {FEWEST_IN_CATEGORY}, or leave them out",
                [one.id for one in golden.questions if one.language == language],
            )


def _too_few(told: str, advice: str, questions: Sequence[str] = ()) -> Finding:
    return Finding(
        level="warning", name="few", told=told, advice=advice, questions=tuple(questions)
    )


# --- where labels came from -------------------------------------------------------------


def _pooled(golden: Golden, corpus: Corpus, runs: Mapping[str, Run]) -> Iterable[Finding]:
    for level, told, advice, questions in pool_bias(golden, corpus, runs):
        yield Finding(
            level=level, name="pool", told=told, advice=advice, questions=tuple(questions)
        )


def _drifted(golden: Golden, catalogue: Catalogue) -> Iterable[Finding]:
    now = catalogue.fingerprint()
    if golden.fingerprint and golden.fingerprint != now:
        yield Finding(
            level="warning",
            name="drift",
            told=f"the set was made on the corpus {golden.fingerprint}, which is now {now}: "
            "files were added, changed or split in another way, and what is new was never judged",
            advice="look for new evidence of old questions, then set `fingerprint` to the new one",
        )


def _strictly(golden: Golden) -> Level:
    """What makes the numbers of one's own set wrong is only remarked on in a public one."""
    return "error" if golden.by == "passage" else "warning"


def _place(one: Judgement) -> str:
    fields = sorted((name, str(value)) for name, value in one.fields.items())
    return repr((one.document, str(one.locator), fields, letters(one.quote).row))
