"""What is said when nothing answers? What was searched, what is missing, and what to ask instead.

A refusal names the words of the question that the evidence does not have, and the nearest thing
there is. Another question is suggested only after it was searched and found evidence, and only
where it is still the same question: spelt as the evidence spells it, or without a condition that
shuts everything out.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from consilience.answer.question_words import Word, respelt, share_in, vocabulary, words_of
from consilience.passage_display import place_of
from consilience.text_markup import escape_markdown, neutralize
from consilience.timeouts import within
from consilience.types import MISSING, Hit, Outcome, Passage, Query, Result, Suggestion
from consilience.understand.names import surface
from consilience.understand.words import language_of

SUGGESTIONS = 3
SEARCHES = 4
"""How many other questions are tried at most."""
_MET = 0.65  # of the telling letters that one passage found must have
_HOW = {
    "dense": "by meaning",
    "bm25": "by words",
    "sql": "by the values of rows",
    "graph": "by the names of nodes",
    "paths": "by paths between them",
}
_LOOKED_UP = {"sql": "rows", "graph": "nodes", "paths": "paths"}
_STATES = {"failed": "failed", "slow": "was too slow", "skipped": "was left out"}
_LISTED = 6  # missing words that are named


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """What is said in place of an answer, in Markdown, and questions that were tried instead."""

    text: str
    suggestions: tuple[Suggestion, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A question that nothing answers, with what is known of its words."""

    result: Result
    words: tuple[Word, ...]
    missing: tuple[Word, ...]
    spellings: Mapping[str, str]

    @property
    def query(self) -> Query:
        return self.result.query

    @property
    def telling(self) -> tuple[Word, ...]:
        return tuple(word for word in self.words if word.telling)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    """Another question, and how it differs from the first."""

    query: Query
    reason: str


async def refuse(
    result: Result,
    *,
    counts: Mapping[str, int],
    has_word: Callable[[str], bool],
    search: Callable[[Query], Awaitable[Result]],
    names: Sequence[str] = (),
    budget_ms: float = 2000,
) -> Refusal:
    """Say that nothing answers, what was searched and is missing, and what was tried instead.

    `counts` are passages by collection, `has_word` whether a word, in lower case and without
    accents, stands anywhere in the evidence as a whole word, `names` titles and names of the
    evidence near the question, for their spelling. Other questions are tried by `search`, until
    `budget_ms` is over.
    """
    case = await asyncio.to_thread(_examine, result, has_word, names)
    if not case.telling:
        return Refusal(text=_EMPTY)
    suggestions = await _suggested(case, search, budget_ms)
    parts = [
        _OPENING,
        _searched(result, counts),
        _lacking(case),
        _nearest(case),
        _offered(suggestions),
    ]
    return Refusal(text="\n\n".join(filter(None, parts)), suggestions=suggestions)


def word_in(
    phrases: Callable[[str, int], Sequence[Passage]], *, limit: int = 200
) -> Callable[[str], bool]:
    """`has_word` from a look-up that gives passages which may have a phrase."""

    def has_word(word: str) -> bool:
        wanted = f" {surface(word)} "
        return any(wanted in f" {surface(one.indexed)} " for one in phrases(word, limit))

    return has_word


# --- what is missing --------------------------------------------------------------------


def _examine(result: Result, has_word: Callable[[str], bool], names: Sequence[str]) -> _Case:
    """The words of the question, those that occur nowhere, and how the evidence spells them."""
    known = vocabulary([*names, *(hit.passage.indexed for hit in result.hits)])
    words = tuple(words_of(result.query.text))
    missing = tuple(word for word in words if word.telling and not _has(word, known, has_word))
    near = {word.key: respelt(word, known) for word in missing}
    return _Case(
        result=result,
        words=words,
        missing=missing,
        spellings={key: spelt for key, spelt in near.items() if spelt},
    )


def _has(word: Word, known: Mapping[str, str], has_word: Callable[[str], bool]) -> bool:
    """Whether the evidence has a word, in another form (`prove`, `proved`) if need be."""
    if any(word.same_as(one) for one in known):
        return True
    return any(has_word(form) for form in (word.text.casefold(), *word.forms))


# --- what is tried ----------------------------------------------------------------------


async def _suggested(
    case: _Case, search: Callable[[Query], Awaitable[Result]], budget_ms: float
) -> tuple[Suggestion, ...]:
    """Other questions that found evidence, best first."""
    ends = time.monotonic() + budget_ms / 1000
    found: dict[tuple[str, str], Suggestion] = {}
    for one in list(_tries(case))[:SEARCHES]:
        left_ms = (ends - time.monotonic()) * 1000
        if left_ms <= 0:
            break
        result, _ = await within(left_ms, search(one.query))
        best = _best(result) if result is not None else None
        if best is None or best.relevance is None or not _same_matter(one.query, best):
            continue
        told = Suggestion(text=one.query.text, reason=one.reason, relevance=best.relevance)
        found.setdefault((told.text, told.reason), told)
    ranked = sorted(found.values(), key=lambda one: -one.relevance)
    return tuple(ranked[:SUGGESTIONS])


def _tries(case: _Case) -> Iterator[_Try]:
    """Other ways to put the question, the closest first."""
    query = case.query
    if query.filters:
        told = " and ".join(f"`{one}`" for one in query.filters)
        yield _Try(query=replace(query, filters=()), reason=f"without the condition {told}")
    if query.collections:
        told = f"in all collections, not only {_listed(query.collections)}"
        yield _Try(query=replace(query, collections=(), filters=()), reason=told)
    if case.spellings:
        text = _respelt(case)
        yield _Try(query=replace(query, text=text), reason=f"spelt {_spelt(case)}")


def _same_matter(query: Query, best: Hit) -> bool:
    """Whether what was found has most telling words of the question, not a stray one."""
    words = [word for word in words_of(query.text) if word.telling]
    return share_in(words, best.passage.indexed) >= _MET


def _best(result: Result) -> Hit | None:
    """The most relevant hit of a search that does not abstain."""
    if result.abstained:
        return None
    return max(result.hits, key=lambda hit: hit.relevance or 0.0, default=None)


def _respelt(case: _Case) -> str:
    """The question in the evidence's spelling."""
    text, at = "", 0
    for word in case.words:
        text += case.query.text[at : word.start] + case.spellings.get(word.key, word.text)
        at = word.end
    return text + case.query.text[at:]


# --- what is said -----------------------------------------------------------------------

_OPENING = "Nothing that was found here is likely to answer this question."
_EMPTY = (
    "This question has no word that says what it is about. Name the thing, the person or the "
    "subject that you want to know of."
)


def _searched(result: Result, counts: Mapping[str, int]) -> str:
    """Which collections were searched and how; what was left out is named."""
    outcomes = result.trace.outcomes
    wanted = result.query.collections or tuple(sorted(counts))
    sizes = [f"{_shown(name)} ({counts.get(name, 0):,})" for name in wanted]
    ways = [_HOW.get(kind, f"by {_shown(kind)}") for kind in _answering(outcomes)]
    total = sum(counts.get(name, 0) for name in wanted)
    told = f"**Searched:** {total:,} passages in {_listed(sizes)}"
    told += f"; {_listed(ways)}." if ways else "."
    if result.query.filters:
        told += f" Only where {_listed([f'`{one}`' for one in result.query.filters])}."
    return " ".join([told, *_left_out(outcomes)])


def _answering(outcomes: Sequence[Outcome]) -> list[str]:
    """The kinds of sources that answered, in the order of `_HOW`."""
    kinds = {_kind(one) for one in outcomes if one.status != "skipped" and not one.left_out}
    return [*(one for one in _HOW if one in kinds), *sorted(kinds - _HOW.keys())]


def _kind(outcome: Outcome) -> str:
    """`dense` of `books/dense+terms`."""
    return outcome.source.rpartition("/")[2].partition("+")[0]


def _left_out(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What did not answer, or came late, and why."""
    unasked: dict[str, list[Outcome]] = {}
    for one in outcomes:
        where = f"{_shown(one.source.rpartition('/')[0])} {_HOW.get(_kind(one), _kind(one))}"
        if one.status == "skipped" and not one.left_out:
            unasked.setdefault(one.reason, []).append(one)
        elif one.left_out:
            yield f"Searching {where} {_STATES.get(one.status, 'failed')}: {_shown(one.reason)}."
        elif one.status == "slow":
            yield f"Searching {where} was slow, but what it found counts."
    told = [f"{_named(some)} ({_shown(reason)})" for reason, some in unasked.items()]
    if told:
        yield f"Not asked: {_listed(told)}."


def _named(outcomes: Sequence[Outcome]) -> str:
    """`nodes and paths`, where only look-ups are meant; else the names of the collections."""
    kinds = list(dict.fromkeys(map(_kind, outcomes)))
    if all(kind in _LOOKED_UP for kind in kinds):
        return _listed([_LOOKED_UP[kind] for kind in kinds])
    return _listed(list(dict.fromkeys(_shown(one.source.partition("/")[0]) for one in outcomes)))


def _lacking(case: _Case) -> str:
    """What the question has and the evidence has not."""
    told = [*_reasons(case), *_unfound(case), *_other_language(case)]
    if case.query.filters and not case.result.hits:
        told.append("No passage that meets the conditions has anything to do with it.")
    return f"**Missing:** {' '.join(told)}" if told else ""


def _reasons(case: _Case) -> Iterator[str]:
    """What the pack says that nothing tells, as sentences."""
    for note in case.result.notes:
        if note.origin == MISSING:
            said = note.message
            yield f"{_shown(said[:1].upper() + said[1:])}."


def _unfound(case: _Case) -> Iterator[str]:
    """Identifiers and words that occur nowhere."""
    hits = [f" {surface(hit.passage.indexed)} " for hit in case.result.hits]
    wanted = [
        one
        for one in case.result.trace.plan.identifiers
        if not any(f" {surface(one)} " in text for text in hits)
    ]
    if wanted:
        told = _listed([f"“{_shown(one)}”" for one in wanted])
        yield f"No passage has {told} word for word."
    inside = {word for one in wanted for word in surface(one).split()}
    words = [word for word in case.missing if word.key not in inside]
    count = len({word.key for word in words})
    if count and count == len({word.key for word in case.telling}) > 1:
        yield f"None of its words occurs in the evidence: {_quoted(words)}."
    elif count:
        yield f"{_quoted(words)} {'occurs' if count == 1 else 'occur'} nowhere in the evidence."
    for word in words:
        if spelt := case.spellings.get(word.key):
            yield f"“{_shown(word.text)}” may be meant for “{_shown(spelt)}”."


def _other_language(case: _Case) -> Iterator[str]:
    """Whether the question is in another language than what is nearest to it."""
    asked = language_of([case.query.text])
    texts = [hit.passage.text for hit in case.result.hits]
    written = language_of(texts)
    if asked and written and asked != written:
        yield f"The question is in {asked}, the evidence found is in {written}: ask in {written}."


def _nearest(case: _Case) -> str:
    """The nearest thing there is, by title and place; it is not held to answer."""
    hits = case.result.hits
    if not hits:
        return ""
    hit = max(hits, key=lambda one: one.relevance or 0.0)
    place = place_of(hit.passage)
    where = f"“{_shown(hit.passage.title)}”" + (f", {_shown(place)}" if place else "")
    likely = "" if hit.relevance is None else f" (relevance {hit.relevance:.2f})"
    return f"**Closest, but not an answer:** {where}{likely}."


def _offered(suggestions: Sequence[Suggestion]) -> str:
    if not suggestions:
        return ""
    lines = [
        f"- {_shown(one.text)} ({one.reason}; relevance {one.relevance:.2f})" for one in suggestions
    ]
    return "\n".join(["**This was tried and finds something:**", "", *lines])


def _spelt(case: _Case) -> str:
    return _listed([f"“{_shown(spelt)}”" for spelt in case.spellings.values()])


def _quoted(words: Sequence[Word]) -> str:
    first = {word.key: word.text for word in reversed(words)}
    keys = list(dict.fromkeys(word.key for word in words))
    told = [f"“{_shown(first[key])}”" for key in keys[:_LISTED]]
    more = [f"{len(keys) - _LISTED} more"] if len(keys) > _LISTED else []
    return _listed([*told, *more])


def _listed(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    *head, last = parts
    return f"{', '.join(head)} and {last}" if head else last


def _shown(text: str) -> str:
    """Text of others on one line, in which nothing acts as Markdown or as a mark."""
    return escape_markdown(neutralize(" ".join(text.split())))
