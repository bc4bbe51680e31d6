"""What is there to answer a question from, and is it enough to answer at all?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from consilience.answer.exhibits import choose, find_piece
from consilience.answer.question_words import Unknown, respelt_question, unknown_names, words_of
from consilience.engine.pipeline import Engine, find_exact_matches, search
from consilience.engine.relevance import SURE, relevances
from consilience.filters import holds
from consilience.timeouts import within
from consilience.types import Found, Hit, Length, Note, Ranking, Request, Result, Vote

_WORDS = "bm25"  # the kind of source that knows which words occur
_ENOUGH = 2  # passages of what a question names, from which on others are left out


async def known(result: Result, engine: Engine) -> tuple[Result, bool]:
    """Whether nothing here answers: by the chance that something found does, or by names that occur
    nowhere, where it names nothing else or that chance is in doubt.

    A name that the evidence spells otherwise is searched again as it is spelt there. A question
    without a word that says what it is about has no answer anywhere.
    """
    plan = result.trace.plan
    asked = " ".join((plan.spelt_out, *(term.text for term in plan.terms)))
    if not any(word.telling for word in words_of(asked)):
        return result, True
    searched, texts = result, [hit.passage.indexed for hit in result.hits]
    unknown = await unknown_names(
        result.query.text,
        occurs=lambda word: _occurs(word, searched, engine),
        texts=lambda words: [*texts, *engine.names(words)],
    )
    if unknown.spellings:
        result = await _respelt(result, unknown, engine)
    if unknown.words and not unknown.alone:
        result = replace(result, notes=(*result.notes, _not_named(unknown)))
    strange = unknown.alone or (bool(unknown.words) and is_doubtful(result))
    return result, strange or result.abstained or not result.hits


def is_doubtful(result: Result) -> bool:
    """Whether it is not likely enough that something which was found answers."""
    return result.answerable is not None and result.answerable < SURE and not result.trace.sure


async def _respelt(result: Result, unknown: Unknown, engine: Engine) -> Result:
    """What is found for the names as the evidence spells them, where that is more."""
    text = respelt_question(result.query.text, unknown.spellings)
    again = await search(replace(result.query, text=text), engine)
    if again.abstained or _best(again) < _best(result):
        return result
    told = " and ".join(
        f"“{one}” was read as “{other}”" for one, other in unknown.spellings.items()
    )
    return replace(again, notes=(*again.notes, Note("answer", f"{told}, as the evidence has it")))


def _best(result: Result) -> float:
    return max((hit.relevance or 0.0 for hit in result.hits), default=0.0)


def _not_named(unknown: Unknown) -> Note:
    words = " and ".join(f"“{one}”" for one in unknown.words)
    return Note("answer", f"{words} cannot be found in the evidence; the answer leaves it out")


async def _occurs(word: str, result: Result, engine: Engine) -> bool:
    """Whether a word, in any of its forms, stands in the evidence; yes where no source can tell,
    be it that one fails, takes too long, or was left out of the search already.
    """
    asked = {name: one for name, one in engine.sources.items() if name.endswith(f"/{_WORDS}")}
    if not asked or any(one.left_out and one.source in asked for one in result.trace.outcomes):
        return True
    hard_ms = engine.settings.retrieve.hard_ms
    found = await asyncio.gather(
        *(within(hard_ms, one.retrieve(Request(text=word), limit=1)) for one in asked.values())
    )
    return any(one is None or one for one, _ in found)


def chosen(result: Result, engine: Engine, length: Length) -> tuple[Hit, ...]:
    """The hits that an answer is written from."""
    question = result.query.text
    found = _candidates(result, engine)
    found = (*found, *_rest_of_whole(found, question, engine))
    sure = result.trace.sure
    found = (*found, *_unseen(sure, found, engine))
    found = _bound(found, result, engine)
    return choose(
        found,
        engine.settings.answer,
        length=length,
        question=question,
        sure=sure,
        writers=engine.knowledge.pack.answers.writers,
    )


def _bound(hits: Sequence[Hit], result: Result, engine: Engine) -> tuple[Hit, ...]:
    """The hits without those of another company or time than the question names, as the pack says
    which fields bind; where a few relevant ones at least are of the right one.
    """
    kept, least = list(hits), engine.settings.answer.relevant
    for field in sorted(engine.knowledge.pack.questions.binding):
        wanted = [one.condition for one in result.trace.plan.boosts if one.condition.field == field]
        right = [
            hit
            for hit in kept
            if any(holds(one, hit.passage.value(field)) for one in wanted)
            and (hit.relevance is None or hit.relevance >= least)
        ]
        if len(right) >= _ENOUGH:
            agreed = {hit.passage.id for hit in right} | {*result.trace.sure}
            kept = [
                hit for hit in kept if hit.passage.id in agreed or hit.passage.value(field) is None
            ]
    return tuple(kept)


def _unseen(sure: Sequence[str], found: Sequence[Hit], engine: Engine) -> list[Hit]:
    """What a source is sure of and the fused order left outside."""
    seen = {hit.passage.id for hit in found}
    passages = engine.lookup([key for key in sure if key not in seen])
    return [Hit(passage=one, score=0.0) for one in passages.values()]


def _candidates(result: Result, engine: Engine) -> tuple[Hit, ...]:
    """The hits, those past the limit, and the first of every source, all with a relevance."""
    rest = (*result.more, *_first_of_each(result, engine))
    if engine.calibration is None:
        return (*result.hits, *rest)
    every = (*result.hits, *rest)
    exactly = find_exact_matches(
        every, result.trace.plan, engine.knowledge.pack, sure=result.trace.sure
    )
    found = relevances(every, result.query.text, engine.calibration, exactly)
    weighed = zip(rest, found[len(result.hits) :], strict=True)
    return (*result.hits, *(replace(hit, relevance=one) for hit, one in weighed))


def _rest_of_whole(found: Sequence[Hit], question: str, engine: Engine) -> list[Hit]:
    """The pieces of the one whole that a question is about, which no source found."""
    piece = find_piece(found, question, engine.knowledge.pack.answers.writers)
    if piece is None:
        return []
    seen = {hit.passage.id for hit in found}
    return [Hit(passage=one, score=0.0) for one in engine.pieces(piece) if one.id not in seen]


def _first_of_each(result: Result, engine: Engine) -> list[Hit]:
    """What sources put first and the fused order left outside: a kind may have few votes."""
    seen = {hit.passage.id for hit in (*result.hits, *result.more)}
    seen |= {loss.id for loss in result.trace.losses if loss.into}  # its twin is there
    places = engine.settings.answer.each
    first: dict[str, list[tuple[Ranking, int, Found]]] = {}
    for ranking in result.trace.rankings:
        for rank, found in enumerate(ranking.found[:places], start=1):
            if found.id not in seen:
                first.setdefault(found.id, []).append((ranking, rank, found))
    passages = engine.lookup(list(first))
    scores = dict(result.trace.fused)
    hits = []
    for key, voted in first.items():
        passage = passages.get(key) or voted[0][2].passage
        if passage is not None:
            hits.append(Hit(passage=passage, score=scores.get(key, 0.0), votes=_votes(voted)))
    return sorted(hits, key=lambda hit: (-hit.score, hit.passage.id))


def _votes(voted: Sequence[tuple[Ranking, int, Found]]) -> tuple[Vote, ...]:
    return tuple(
        Vote(source=ranking.source, rank=rank, score=found.score, weight=1.0, contribution=0.0)
        for ranking, rank, found in voted
    )
