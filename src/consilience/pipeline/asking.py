"""How does a question become an answer? search → choose → pack → write, or refuse.

Whoever writes, each statement is checked before it is said. Where a language model fails, the
answer is written from sentences of the evidence, with a note.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from consilience.answer import extractive, model
from consilience.answer.abstaining import refuse, word_in
from consilience.answer.choosing import choose, emphasis
from consilience.answer.markup import harmless, literal
from consilience.answer.naming import Unknown, lacking, respelt_question, unknown_names
from consilience.answer.packing import exhibits_of, pack
from consilience.answer.task import Log, Task
from consilience.answer.telling import words_of
from consilience.answer.transcript import Transcript
from consilience.errors import ModelError
from consilience.pipeline.searching import Clock, Engine, search, to_the_letter
from consilience.protocols import Generator
from consilience.relevance import relevances
from consilience.types import (
    Answer,
    Done,
    Drafted,
    Event,
    Found,
    Hit,
    Length,
    Note,
    Query,
    Ranking,
    Request,
    Result,
    Said,
    Searched,
    Vote,
    Withdrawn,
)

_WORDS = "bm25"  # the kind of source that knows which words occur


@dataclass(slots=True, kw_only=True)
class _Writing:
    """An answer on its way: the task, what was said, and what the trace will tell."""

    task: Task
    transcript: Transcript
    result: Result
    clock: Clock
    log: Log = field(default_factory=Log)
    writer: str = "extractive"


async def ask(
    query: Query, engine: Engine, *, length: Length = "balanced", modelled: bool = True
) -> AsyncGenerator[Event]:
    """Answer a query in words: events as they come, the whole answer as the last.

    Without `modelled` the language model of the settings is not used.
    """
    result = await search(query, engine)
    clock = Clock(result.trace.timing_ms)
    with clock.timing("choose"):
        result, refused = await _known(result, engine)
        chosen = () if refused else _chosen(result, engine, length)
        exhibits = exhibits_of(chosen, engine.knowledge.pack.labels)
    yield Searched(result=result, exhibits=exhibits)
    if not exhibits:
        yield Done(answer=await _refusal(result, engine, clock, length))
        return
    task = Task(
        question=result.query.text,
        exhibits=exhibits,
        length=length,
        emphasis=emphasis(exhibits),
        settings=engine.settings.answer,
    )
    writing = _Writing(task=task, transcript=_transcript(task, engine), result=result, clock=clock)
    generator = engine.generator if modelled else None
    async with aclosing(_written(writing, engine, generator)) as events:
        async for event in events:
            yield event
    yield Done(answer=_answer(writing))


async def _written(
    writing: _Writing, engine: Engine, generator: Generator | None
) -> AsyncGenerator[Event]:
    """What the model says; what the evidence says where there is none, or it fails."""
    for one in _caveat(writing):
        yield one
    if generator is not None:
        try:
            async with aclosing(_by_model(writing, engine, generator)) as events:
                async for event in events:
                    yield event
            return
        except ModelError as error:
            reason = f"{error}; the answer is made of sentences of the evidence instead"
            writing.log.notes.append(Note("answer", reason))
            writing.transcript = _transcript(writing.task, engine)
            yield Withdrawn(reason=reason)
            for one in _caveat(writing):
                yield one
    writing.writer = "extractive"
    with writing.clock.timing("write"):
        said = await asyncio.to_thread(_extract, writing, engine)
    for one in said:
        yield one


def _caveat(writing: _Writing) -> list[Said]:
    """What is said first where the evidence does not mention what the question asks about."""
    absent = lacking(writing.task.question, writing.task.exhibits)
    if not absent:
        return []
    words = " or ".join(f"“{literal(harmless(one))}”" for one in absent)
    told = f"*Nothing that was found mentions {words}; what follows is the nearest there is.*"
    return [writing.transcript.remark(told)]


async def _by_model(
    writing: _Writing, engine: Engine, generator: Generator
) -> AsyncGenerator[Drafted | Said]:
    """What the model writes of as much evidence as it can read."""
    settings = engine.settings.answer
    count = engine.embedder.count if engine.embedder is not None else _roughly
    packed, notes = pack(
        writing.task.exhibits, writing.task.question, budget=settings.tokens, count=count
    )
    writing.log.notes.extend(notes)
    writing.writer = generator.name
    task = replace(writing.task, exhibits=packed)
    written = model.write(
        task, writing.transcript, generator, writing.log, fallback=extractive.outline
    )
    with writing.clock.timing("generate"):
        async with aclosing(written) as events:
            async for event in events:
                if not isinstance(event, Said) or event.text or event.faults:
                    yield event


def _extract(writing: _Writing, engine: Engine) -> list[Said]:
    said = extractive.write(writing.task, writing.transcript, engine.embedder, writing.log)
    return [one for one in said if one.text or one.faults]


def _transcript(task: Task, engine: Engine) -> Transcript:
    return Transcript(
        task.exhibits,
        checks=engine.knowledge.pack.checks,
        unsupported=engine.settings.answer.unsupported,
    )


def _answer(writing: _Writing) -> Answer:
    task, log, transcript = writing.task, writing.log, writing.transcript
    return Answer(
        text=transcript.text,
        citations=transcript.citations,
        result=writing.result,
        faults=tuple(transcript.faults),
        support=transcript.support,
        facts=transcript.facts,
        writer=writing.writer,
        length=task.length,
        emphasis=task.emphasis,
        exhibits=task.exhibits,
        outline=log.outline,
        prompts=tuple(log.prompts),
        calls=tuple(log.calls),
        notes=(*writing.result.notes, *log.notes),
        timing_ms=writing.clock.ms,
    )


async def _known(result: Result, engine: Engine) -> tuple[Result, bool]:
    """Whether nothing here answers: by what was found, or by names that occur nowhere.

    A name that the evidence spells otherwise is searched again as it is spelt there.
    """
    texts = [hit.passage.indexed for hit in result.hits]
    unknown = await unknown_names(
        result.query.text,
        occurs=lambda word: _occurs(word, engine),
        texts=lambda words: [*texts, *engine.names(words)],
    )
    if unknown.spellings:
        result = await _respelt(result, unknown, engine)
    if unknown.words and not unknown.alone:
        result = replace(result, notes=(*result.notes, _not_named(unknown)))
    return result, unknown.alone or result.abstained or not result.hits


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


async def _occurs(word: str, engine: Engine) -> bool:
    """Whether a word, in any of its forms, stands in the evidence; yes where no source can tell."""
    asked = [one for name, one in engine.sources.items() if name.endswith(f"/{_WORDS}")]
    found = await asyncio.gather(
        *(one.retrieve(Request(text=word), limit=1) for one in asked), return_exceptions=True
    )
    return not asked or any(isinstance(one, BaseException) or one for one in found)


async def _refusal(result: Result, engine: Engine, clock: Clock, length: Length) -> Answer:
    with clock.timing("refuse"):
        refusal = await refuse(
            result,
            counts=engine.knowledge.sizes,
            has_word=word_in(engine.phrases),
            search=lambda query: search(query, engine),
            names=engine.names([word.text for word in words_of(result.query.text) if word.telling]),
        )
    return Answer(
        text=refusal.text,
        citations=(),
        result=result,
        abstained=True,
        suggestions=refusal.suggestions,
        length=length,
        notes=result.notes,
        timing_ms=clock.ms,
    )


# --- what there is to choose from -------------------------------------------------------


def _chosen(result: Result, engine: Engine, length: Length) -> tuple[Hit, ...]:
    return choose(_candidates(result, engine), engine.settings.answer, length=length)


def _candidates(result: Result, engine: Engine) -> tuple[Hit, ...]:
    """The hits, those past the limit, and the first of every source, all with a relevance."""
    rest = (*result.more, *_first_of_each(result, engine))
    if engine.calibration is None:
        return (*result.hits, *rest)
    every = (*result.hits, *rest)
    exact = to_the_letter(every, result.trace.plan)
    found = relevances(every, result.query.text, engine.calibration, exact=exact)
    weighed = zip(rest, found[len(result.hits) :], strict=True)
    return (*result.hits, *(replace(hit, relevance=one) for hit, one in weighed))


def _first_of_each(result: Result, engine: Engine) -> list[Hit]:
    """What sources put first and the fused order left outside: a kind may have few votes."""
    seen = {hit.passage.id for hit in (*result.hits, *result.more)}
    seen |= {loss.into and loss.id for loss in result.trace.losses}
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


def _roughly(texts: Sequence[str]) -> list[int]:
    """Tokens of texts where nothing counts them: four letters each, as a rule."""
    return [len(text) // 4 + 1 for text in texts]
