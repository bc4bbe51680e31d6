"""Can this golden set be trusted? Its problems, with the questions concerned and what to do.

An error makes numbers wrong: labels that point nowhere, that contradict one another, that match
every other passage, or that one method alone supplied. What was never shown to a judge counts as
wrong, so a set whose labels come from one method's results only measures how similar another
method is to it. A warning makes numbers weak: too few questions, none to refuse, answers that are
in the question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from consilience.errors import UsageError
from consilience.evidence.catalogue import Catalogue
from consilience.measure.data_model import (
    Fact,
    Golden,
    Question,
    ResolvedLabels,
    Run,
    judged_questions,
)
from consilience.measure.golden import question_digest
from consilience.measure.label_resolver import (
    Corpus,
    is_sealed,
    letters_of,
    resolve_in,
    unresolved_in,
)
from consilience.measure.metrics import fact_numbers, has_value, states
from consilience.types import Locator
from consilience.understand.amounts import find_numbers
from consilience.understand.names import surface

FEWEST, FEWEST_IN_CATEGORY, FEWEST_UNANSWERABLE = 25, 10, 5
COMMON_PASSAGES, COMMON_SHARE = 5, 0.01
SIMILAR = 0.8
READING = "reading"
"""In a pool: the documents were read, and no search chose what was judged."""
_POOL_DEPTH = 10
_MOST_OF_ONE_METHOD = 0.5
_FEWEST_FOR_RUNS = 10
_LONG_QUOTE = 4
_SHOWN = 5
_POOL_ADVICE = "judge the results of several methods: `consilience golden suggest` pools them"
_STOP_WORDS = """
a an and are as at be by did do does for from had has have how in into is it its of on or that the
their them there these they this to was were what when where which who why will with would you
"""
_STOP = frozenset(_STOP_WORDS.split())
Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem of a golden set: what it is, what to do, and which questions have it."""

    level: Level
    name: str
    message: str
    advice: str
    questions: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON."""
        return {
            "level": self.level,
            "name": self.name,
            "told": self.message,
            "advice": self.advice,
            "questions": list(self.questions),
        }

    def __str__(self) -> str:
        named = ", ".join(self.questions[:_SHOWN])
        more = f" and {len(self.questions) - _SHOWN} more" if len(self.questions) > _SHOWN else ""
        return f"{self.message} ({named}{more})" if named else self.message


def find_problems(
    golden: Golden,
    catalogue: Catalogue,
    *,
    runs: Mapping[str, Run] | None = None,
    corpus: Corpus | None = None,
) -> list[Finding]:
    """All problems of a set in this workspace, errors first.

    With `runs` it is also checked whether one way alone finds what is judged relevant.
    """
    corpus = corpus or Corpus(catalogue)
    missing = unresolved_in(golden, corpus)
    advice = "correct the judgement, or add the file it names"
    found = [
        *(
            Finding("error", "unresolved", why, advice, (question.id,))
            for question, _, why in missing
        ),
        *_duplicates(golden),
        *_contradictions(golden),
        *_wide_labels(golden, corpus),
        *_weak_facts(golden, corpus),
        *_trivial_questions(golden),
        *_declared_pools(golden),
        *(_found_by_one(resolve_in(golden, corpus), runs) if runs and not missing else ()),
        *_too_few(golden),
        *_drift(golden, catalogue.fingerprint()),
    ]
    return sorted(found, key=lambda finding: finding.level != "error")


def refuse_errors(golden: Golden, catalogue: Catalogue, corpus: Corpus | None = None) -> None:
    """Refuse a golden set with errors."""
    found = find_problems(golden, catalogue, corpus=corpus)
    errors = [finding for finding in found if finding.level == "error"]
    if errors:
        lines = "\n".join(f"  {finding}" for finding in errors[:_SHOWN])
        more = f"\n  and {len(errors) - _SHOWN} more" if len(errors) > _SHOWN else ""
        raise UsageError(
            f"the golden set {golden.name} has errors, so its numbers would mean nothing; "
            f"`consilience golden health` says what to do:\n{lines}{more}"
        )


# --- labels -----------------------------------------------------------------------------


def _contradictions(golden: Golden) -> Iterator[Finding]:
    """One text graded twice: in one question, or in two that ask the same."""
    grades: dict[tuple[str, str], dict[int, list[str]]] = {}
    for question in golden.questions:
        for judgement in question.judgements:
            fields = sorted((name, str(value)) for name, value in judgement.fields.items())
            quote = letters_of(judgement.quote).row
            place = repr((judgement.document, str(judgement.locator), fields, quote))
            key = (question_digest(question), place)
            grades.setdefault(key, {}).setdefault(judgement.grade, []).append(question.id)
    for marks in grades.values():
        if len(marks) > 1:
            given = " and ".join(str(grade) for grade in sorted(marks))
            message = f"the same text is graded {given} for the same question"
            ids = tuple(dict.fromkeys(key for keys in marks.values() for key in keys))
            yield Finding(
                _own_set_level(golden), "contradictory", message, "decide on one grade", ids
            )


def _wide_labels(golden: Golden, corpus: Corpus) -> Iterator[Finding]:
    """Labels that so many passages match that finding one of them proves little."""
    if golden.by != "passage":
        return
    most = max(COMMON_PASSAGES, round(COMMON_SHARE * len(corpus.places)))
    labels = [
        (question, label)
        for question in golden.questions
        for label in question.judgements
        if label.grade
    ]
    for question, judgement in labels:
        matches = len(corpus.find(judgement).passages)
        if not judgement.quote and matches > most:
            message = (
                f"a judgement matches {matches} passages of {judgement.document}, and any of them "
                "counts"
            )
            advice = "quote the words that answer the question, or name their page or section"
            yield Finding("warning", "wide", message, advice, (question.id,))
        if not judgement.quote or is_sealed(judgement.quote):
            continue
        quote = letters_of(judgement.quote)
        places = corpus.with_quote(quote)
        documents = len({passage.document for passage in places})
        is_unplaced = judgement.locator == Locator() and not judgement.fields
        is_short = len(quote.words) < _LONG_QUOTE and documents > 1
        if matches > most or (is_unplaced and (is_short or len(places) > most)):
            message = (
                f"the quotation {judgement.quote!r} is in {len(places)} passages of {documents} "
                "documents: a keyword, not an answer"
            )
            advice = "quote the words that answer the question"
            level: Level = "error" if matches > most else "warning"
            yield Finding(level, "keyword", message, advice, (question.id,))


def _weak_facts(golden: Golden, corpus: Corpus) -> Iterator[Finding]:
    """Facts without a value to look for, and those without a place that many passages state."""
    unplaced: list[tuple[Question, Fact]] = []
    for question in golden.questions:
        for fact in question.facts:
            if not has_value(fact):
                message = f"the fact {fact.value!r} is a unit, not a value: it is stated nowhere"
                advice = "write the number or the words that answer the question"
                yield Finding("error", "keyword", message, advice, (question.id,))
            elif not fact.document:
                unplaced.append((question, fact))
    most = max(COMMON_PASSAGES, round(COMMON_SHARE * len(corpus.places)))
    numbers = {passage.id: find_numbers(passage.text) for passage in corpus} if unplaced else {}
    for question, fact in unplaced:
        wanted = fact_numbers(fact)
        likely = (passage for passage in corpus if not wanted or wanted & numbers[passage.id])
        count = sum(states(fact, passage) for passage in likely)
        if count > most:
            message = f"{count} passages state {fact.value!r}: to find one of them proves little"
            advice = "name the `document` of the fact, and its page"
            yield Finding("warning", "keyword", message, advice, (question.id,))


def _trivial_questions(golden: Golden) -> Iterator[Finding]:
    """Questions that give their answer away."""
    copied, stated = [], []
    for question in golden.questions:
        asked = _content_words(question.text)
        for judgement in question.judgements:
            if judgement.grade > 0 and judgement.quote and not is_sealed(judgement.quote):
                wanted = _content_words(judgement.quote)
                if wanted and (wanted <= asked or _is_similar(asked, wanted)):
                    copied.append(question.id)
        words = set(surface(question.text).split())
        if question.facts and all(
            set(surface(fact.value).split()) <= words for fact in question.facts
        ):
            stated.append(question.id)
    messages = {
        "the question has nearly all words of the text that answers it, so that any search by "
        "words finds it": (
            copied,
            "ask in other words, as someone would who has not read the text",
        ),
        "the value that is looked for is in the question": (stated, "leave it out of the question"),
    }
    for message, (ids, advice) in messages.items():
        if ids:
            yield Finding("warning", "trivial", message, advice, tuple(dict.fromkeys(ids)))


def _drift(golden: Golden, now: str) -> Iterator[Finding]:
    if golden.fingerprint and golden.fingerprint != now:
        message = (
            f"the set was made on the corpus {golden.fingerprint}, which is now {now}: files were "
            "added, changed or split in another way, and what is new was never judged"
        )
        advice = "look for new evidence of old questions, then set `fingerprint` to the new one"
        yield Finding("warning", "drift", message, advice)


def _own_set_level(golden: Golden) -> Level:
    """What is an error in one's own set is only a warning in a public one."""
    return "error" if golden.by == "passage" else "warning"


# --- questions --------------------------------------------------------------------------


def _duplicates(golden: Golden) -> Iterator[Finding]:
    digests = {question.id: question_digest(question) for question in golden.questions}
    same: dict[str, list[str]] = {}
    for key, digest in digests.items():
        same.setdefault(digest, []).append(key)
    message = "the same question is asked more than once, and counts as often"
    advice = "keep one of them, with all judgements"
    for keys in same.values():
        if len(keys) > 1:
            yield Finding(_own_set_level(golden), "duplicated", message, advice, tuple(keys))
    pairs = similar_pairs({question.id: question.text for question in golden.questions})
    near = [(first, second) for first, second in pairs if digests[first] != digests[second]]
    if near:
        which = "two questions" if len(near) == 1 else f"{len(near)} pairs of questions"
        message = f"{which} share four fifths of their words or more"
        advice = "keep one of them, unless they ask for different things"
        ids = tuple(dict.fromkeys(key for pair in near for key in pair))
        yield Finding("warning", "duplicated", message, advice, ids)


def similar_pairs(texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """The pairs of texts, by key, that share four fifths of their content words or more.

    Of two such sets of words, one has a word of the other among its rarest fifth and one more, so
    only pairs with such a word in common are compared.
    """
    sets = {key: _content_words(text) for key, text in texts.items()}
    counts = Counter(word for words in sets.values() for word in words)
    having: dict[str, list[str]] = {}
    for key, words in sets.items():
        rarest = sorted(words, key=lambda word: (counts[word], word))
        for word in rarest[: len(words) - int(SIMILAR * len(words)) + 1]:
            having.setdefault(word, []).append(key)
    pairs = {pair for keys in having.values() for pair in combinations(keys, 2)}
    order = {key: at for at, key in enumerate(sets)}
    ordered = sorted(pairs, key=lambda pair: (order[pair[0]], order[pair[1]]))
    return [pair for pair in ordered if _is_similar(sets[pair[0]], sets[pair[1]])]


def _content_words(text: str) -> set[str]:
    return set(surface(text).split()) - _STOP


def _is_similar(words: set[str], other: set[str]) -> bool:
    return len(words & other) >= SIMILAR * len(words | other)


def _too_few(golden: Golden) -> Iterator[Finding]:
    def few(message: str, advice: str, questions: Iterable[Question] = ()) -> Finding:
        return Finding(
            "warning", "few", message, advice, tuple(question.id for question in questions)
        )

    answerable = [question for question in golden.questions if not question.unanswerable]
    unanswerable = len(golden.questions) - len(answerable)
    if len(answerable) < FEWEST:
        yield few(
            f"{len(answerable)} questions can be answered: differences between ways of searching "
            "will drown in chance",
            f"bring them to {FEWEST} at least; 50 to 100 are better",
        )
    categories = Counter(question.category for question in answerable)
    for category, number in sorted(categories.items()):
        if category and number < FEWEST_IN_CATEGORY and len(categories) > 1:
            yield few(
                f"the category {category!r} has {number} questions: its own numbers mean little",
                f"bring it to {FEWEST_IN_CATEGORY}, or join it with another",
                (question for question in answerable if question.category == category),
            )
    if golden.by == "passage" and unanswerable < FEWEST_UNANSWERABLE:
        yield few(
            f"{unanswerable} questions are unanswerable: nothing shows whether the engine can "
            "refuse",
            f"add {FEWEST_UNANSWERABLE} or more with `unanswerable: true`, some near the subject",
        )
    languages = Counter(question.language for question in golden.questions)
    for language, number in sorted(languages.items()):
        if len(languages) > 1 and number < FEWEST_IN_CATEGORY:
            yield few(
                f"{number} questions are in {language!r}: they say little about that language",
                f"bring them to {FEWEST_IN_CATEGORY}, or leave them out",
                (question for question in golden.questions if question.language == language),
            )


# --- where labels came from -------------------------------------------------------------


def is_pooled(question: Question) -> bool:
    """Whether several methods, or a reader, found what was judged for a question."""
    return len(set(question.pool)) > 1 or READING in question.pool


def _declared_pools(golden: Golden) -> Iterator[Finding]:
    """What the set says about itself: whether its labels come from one method only."""
    questions = judged_questions(golden.questions) if golden.by == "passage" else []
    unknown = tuple(question.id for question in questions if not question.pool)
    single = {
        question.id: question.pool[0]
        for question in questions
        if question.pool and not is_pooled(question)
    }
    if unknown:
        message = f"{len(unknown)} questions do not say how their evidence was found"
        advice = (
            "add `pool`: the methods whose results were judged, or `pool: [reading]` where the "
            "documents were read; judge them again if that is not known"
        )
        yield Finding("warning", "pool", message, advice, unknown)
    if single:
        method, number = Counter(single.values()).most_common(1)[0]
        level: Level = "error" if number > _MOST_OF_ONE_METHOD * len(questions) else "warning"
        message = (
            f"{number} of {len(questions)} questions were judged on the results of {method} only, "
            "which will therefore win"
        )
        ids = tuple(key for key, own in single.items() if own == method)
        yield Finding(level, "pool", message, _POOL_ADVICE, ids)


def _found_by_one(resolved: ResolvedLabels, runs: Mapping[str, Run]) -> Iterator[Finding]:
    """Questions whose whole evidence one source finds, and no other finds any of it.

    That may be so where others were given the chance; without a pool of several it is an error.
    """
    questions = judged_questions(resolved.golden.questions)
    sources = {name: run for name, run in runs.items() if run.way.kind == "source"}
    if len(sources) < 2 or len(questions) < _FEWEST_FOR_RUNS:
        return
    alone: dict[str, list[Question]] = {}
    for question in questions:
        relevant = resolved.relevant_units(question.id)
        shares = {}
        for name, run in sources.items():
            answer = run.answers.get(question.id)
            first = resolved.order(question.id, answer.passages if answer else ())[:_POOL_DEPTH]
            shares[name] = len(relevant & set(first)) / len(relevant) if relevant else 0.0
        finders = [name for name, share in shares.items() if share > 0]
        if len(finders) == 1 and shares[finders[0]] == 1:
            alone.setdefault(finders[0], []).append(question)
    for name, own in sorted(alone.items()):
        if len(own) > _MOST_OF_ONE_METHOD * len(questions):
            message = (
                f"of {len(own)} of {len(questions)} questions all evidence is found by {name}, and "
                "none of it by any other source"
            )
            level: Level = "warning" if all(map(is_pooled, own)) else "error"
            yield Finding(
                level, "pool", message, _POOL_ADVICE, tuple(question.id for question in own)
            )
