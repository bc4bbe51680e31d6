"""How does a question become an answer? search → choose → pack → write, or refuse.

Whoever writes, each statement is checked before it is said. Where a language model fails, the
answer is written from sentences of the evidence, with a note.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import accumulate

from consilience.answer import excerpts, writer
from consilience.answer.conversation import complete_question, understood
from consilience.answer.evidence import chosen, is_doubtful, known
from consilience.answer.exhibits import emphasis, exhibits_of, label, pack
from consilience.answer.figures import wanted
from consilience.answer.question_words import lacking, words_of
from consilience.answer.refusal import refuse, word_in
from consilience.answer.table_rows import (
    ask_tables,
    comes_first,
    leads,
    open_with_table,
    table_hits,
)
from consilience.answer.task import Log, Task
from consilience.answer.transcript import Transcript
from consilience.engine.pipeline import Clock, Engine, search
from consilience.errors import ModelError
from consilience.protocols import Check, Draw, Generator
from consilience.tables.source import TableReply
from consilience.text_markup import escape_markdown, neutralize
from consilience.types import (
    Answer,
    Checked,
    Done,
    Drafted,
    Event,
    Exhibit,
    Figure,
    Length,
    Note,
    Passage,
    Prompt,
    Query,
    Result,
    Said,
    Searched,
    Statement,
    Withdrawn,
)

_TOKENS_SHARE: Mapping[Length, float] = {"concise": 2 / 3, "balanced": 1.0, "in-depth": 3.0}
_PASSAGE_TOKENS = 250  # of each passage that is given to a model for one pass
UNANSWERED = (
    "*The language model found no answer in these passages. What follows is the nearest there is.*"
)
_LISTED = 4  # missing words that are named
_FIRST = (1, 2)  # steps from the beginning: what everybody has seen is not shown


@dataclass(slots=True, kw_only=True)
class _Writing:
    """An answer on its way: the task, what was said, and what the trace will tell."""

    task: Task
    transcript: Transcript
    result: Result
    clock: Clock
    log: Log
    writer: str = "extractive"
    unanswered: str = ""


async def ask(
    query: Query, engine: Engine, *, length: Length = "balanced", modelled: bool = True
) -> AsyncGenerator[Event]:
    """Answer a query in words: events as they come, the whole answer as the last.

    Without `modelled` the language model of the settings is not used.
    """
    asked, generator = query.text, engine.generator if modelled else None
    query = replace(query, text=await complete_question(query, generator), history=())
    result = await search(query, engine, proposing=modelled, patient=True)
    if query.text != asked:
        result = replace(result, notes=(*result.notes, Note("question", understood(query.text))))
    clock = Clock(result.trace.timing_ms)
    with clock.timing("tables"):
        table, notes = await ask_tables(result, engine, generator)
        if table and not leads(table, result):
            if not table.passage and comes_first(table, result):
                notes = (*notes, *(Note("tables", doubt) for doubt in table.doubts))
            table = None
        result = replace(result, notes=(*result.notes, *notes))
    with clock.timing("choose"):
        result, refused = (result, False) if table else await known(result, engine)
        hits = () if refused and not result.incomplete else chosen(result, engine, length)
        hits = table_hits(table, hits, engine) if table else hits
        exhibits = exhibits_of(hits, _labels(engine))
    yield Searched(result=result, exhibits=exhibits)
    if not exhibits:
        yield Done(answer=await _refusal(result, engine, clock, length))
        return
    pack = engine.knowledge.pack.answers
    task = Task(
        question=_worded(result),
        exhibits=exhibits,
        length=length,
        emphasis=emphasis(exhibits, result.trace.plan.emphasis, pack.writers),
        settings=engine.settings.answer,
        drawing=_told(engine),
        writers=pack.writers,
        lines=pack.emphasis,
        opening=_opening(exhibits, result, engine, table),
        is_doubtful=table is None and is_doubtful(result),
    )
    log = Log()
    transcript = _transcript(task, engine, log)
    writing = _Writing(task=task, transcript=transcript, result=result, clock=clock, log=log)
    is_complete = table is not None and length != "in-depth"
    generator = None if is_complete else generator
    async with aclosing(_written(writing, engine, generator)) as events:
        async for event in events:
            yield event
    if writing.transcript.citations:
        yield Done(answer=_answer(writing))
        return
    reason = writing.unanswered or "nothing that could be written is borne out by the evidence"
    yield Withdrawn(reason=reason)
    refusal = await _refusal(result, engine, clock, length)
    notes = (*refusal.notes, *writing.log.notes, Note("answer", reason))
    yield Done(answer=replace(refusal, faults=tuple(writing.transcript.faults), notes=notes))


async def _written(
    writing: _Writing, engine: Engine, generator: Generator | None
) -> AsyncGenerator[Event]:
    """What the model says; what the evidence says where there is none, or it fails."""
    for one in (*_caveat(writing), *_asked(writing, engine)):
        yield one
    if generator is not None:
        try:
            async with aclosing(_by_model(writing, engine, generator)) as events:
                async for event in events:
                    yield event
            return
        except ModelError as error:
            if isinstance(error, writer.NoAnswer) and writing.task.is_doubtful:
                writing.transcript = _transcript(writing.task, engine, writing.log)
                writing.unanswered = str(error)  # the evidence is in doubt, and the model sees none
                return
            reason = f"{error}; the answer is made of sentences of the evidence instead"
            writing.log.notes.append(Note("answer", reason))
            writing.transcript = _transcript(writing.task, engine, writing.log)
            yield Withdrawn(reason=reason)
            if isinstance(error, writer.NoAnswer):
                yield writing.transcript.remark(UNANSWERED)
            for one in (*_caveat(writing), *_asked(writing, engine)):
                yield one
    writing.writer = "extractive"
    with writing.clock.timing("write"):
        said = await asyncio.to_thread(_extract, writing, engine)
    for one in said:
        yield one


def _caveat(writing: _Writing) -> list[Said]:
    """What is said first where a source did not answer, or where the evidence does not mention
    what the question asks about.
    """
    if missing := writing.result.incomplete:
        return [writing.transcript.remark(_incomplete(missing))]
    if writing.task.opening:
        return []
    plan, doubtful = writing.result.trace.plan, writing.task.is_doubtful
    missing = lacking(plan.spelt_out, writing.task.exhibits, names_only=not doubtful)
    words = " or ".join(f"“{escape_markdown(neutralize(one))}”" for one in missing[:_LISTED])
    told = f"Nothing that was found mentions {words}. " if words else ""
    if doubtful:
        told = f"This may not be answered here. {told}"
    return [writing.transcript.remark(f"*{told}The nearest there is:*")] if told else []


def _asked(writing: _Writing, engine: Engine) -> list[Said]:
    """What the question asks about, where that is no words: by its name, and as a figure."""
    said = [
        writing.transcript.remark(
            f"*{_brief(term.origin)}: {escape_markdown(neutralize(term.text))}.*"
        )
        for term in writing.result.trace.plan.terms
        if term.replaces
    ][:1]
    pack = engine.knowledge.pack
    draw = _drawn(engine, writing.log)
    if draw is None:
        return said
    for what in pack.questions.identifiers(writing.result.query.text):
        drawn = [draw(what, [one]) for one in writing.task.exhibits]
        figures = [one for one in drawn if isinstance(one, Figure) and len(one.steps) not in _FIRST]
        if figures:  # the best with the steps that lead there, for its caption
            best = next((one for one in figures if one.steps), figures[0])
            shown = f"{wanted(what)} [{best.mark}]"
            statement = Statement(text=shown, form="lines", opens=True)
            return [*said, writing.transcript.say(statement)]
    return said


def _brief(origin: str) -> str:
    return escape_markdown(neutralize(origin)) if len(origin) <= 60 else "What is asked about"


async def _by_model(
    writing: _Writing, engine: Engine, generator: Generator
) -> AsyncGenerator[Drafted | Said]:
    """What the model writes of as much evidence as it can read."""
    task, notes = _packed(writing.task, engine)
    writing.log.notes.extend(notes)
    writing.writer = generator.name
    written = writer.write(
        task, writing.transcript, generator, writing.log, fallback=excerpts.outline
    )
    with writing.clock.timing("generate"):
        async with aclosing(written) as events:
            async for event in events:
                if not isinstance(event, Said) or event.text or event.faults:
                    yield event


def _packed(task: Task, engine: Engine) -> tuple[Task, tuple[Note, ...]]:
    """The task with as much evidence as a model may read: for one pass, the best whole ones."""
    count = engine.embedder.count if engine.embedder is not None else _roughly
    budget = round(engine.settings.answer.tokens * _TOKENS_SHARE[task.length])
    exhibits = task.exhibits
    if task.length != "in-depth":
        sizes = count([one.text for one in exhibits])
        sums = accumulate(min(size, _PASSAGE_TOKENS) for size in sizes)
        exhibits = exhibits[: max(1, sum(one <= budget for one in sums))]
    packed, notes = pack(exhibits, task.question, budget=budget, count=count)
    return replace(task, exhibits=packed), notes


def first_prompt(answer: Answer, engine: Engine) -> Prompt:
    """What a language model would be given first for an answer that was written without one."""
    task = Task(
        question=_worded(answer.result),
        exhibits=answer.exhibits,
        length=answer.length,
        emphasis=answer.emphasis,
        settings=engine.settings.answer,
        drawing=_told(engine),
        writers=engine.knowledge.pack.answers.writers,
        lines=engine.knowledge.pack.answers.emphasis,
    )
    return writer.first_prompt(_packed(task, engine)[0])


def _extract(writing: _Writing, engine: Engine) -> list[Said]:
    said = excerpts.write(writing.task, writing.transcript, engine.embedder)
    return [one for one in said if one.text or one.faults]


def _transcript(task: Task, engine: Engine, log: Log) -> Transcript:
    return Transcript(
        task.exhibits,
        checks=[_guarded(one, log) for one in engine.knowledge.pack.answers.checks],
        draw=_drawn(engine, log),
        unsupported=engine.settings.answer.unsupported,
    )


def _guarded(check: Check, log: Log) -> Check:
    """A pack's check; where it breaks, it costs a note and not the answer."""

    def checked(text: str, cited: Sequence[Exhibit]) -> Checked:
        try:
            return check(text, cited)
        except Exception as error:  # noqa: BLE001 - code of others
            _broke("a check of the pack", error, log)
            return Checked()

    return checked


def _worded(result: Result) -> str:
    """The question with its abbreviations spelt out, and with words for what in it is none: a
    position by the name of its opening.
    """
    plan = result.trace.plan
    return " ".join((plan.spelt_out, *(term.text for term in plan.terms if term.replaces)))


def _opening(
    exhibits: Sequence[Exhibit], result: Result, engine: Engine, table: TableReply | None
) -> tuple[Statement | str, ...]:
    """What the pack says answers at once; where it says nothing or breaks, what a table answers."""
    cells: dict[str, list[int]] = {}
    for one in result.trace.outcomes:
        for key, column in one.cells:
            cells.setdefault(key, []).append(column)
    try:
        opening = tuple(engine.knowledge.pack.answers.opens(result.query.text, exhibits, cells))
    except Exception:  # noqa: BLE001 - code of others
        opening = ()
    return opening or (open_with_table(exhibits, table) if table else ())


def _told(engine: Engine) -> str:
    """How a language model asks for a figure; empty where the pack draws none."""
    drawing = engine.knowledge.pack.answers.drawing
    return drawing.told if drawing else ""


def _drawn(engine: Engine, log: Log) -> Draw | None:
    """What a pack draws; where that breaks, it costs a note and not the answer."""
    drawing = engine.knowledge.pack.answers.drawing
    if drawing is None:
        return None

    def drawn(wanted: str, cited: Sequence[Exhibit]) -> Figure | str:
        try:
            return drawing.draw(wanted, cited)
        except Exception as error:  # noqa: BLE001 - code of others
            _broke("a figure of the pack", error, log)
            return "it could not be drawn"

    return drawn


def _broke(what: str, error: Exception, log: Log) -> None:
    told = f"{what} broke and was left out: {type(error).__name__}: {error}"
    if (note := Note("answer", told)) not in log.notes:
        log.notes.append(note)


def _labels(engine: Engine) -> dict[str, Callable[[Passage], str]]:
    """The pack's labels; where one breaks, the engine's own is used."""

    def guarded(own: Callable[[Passage], str]) -> Callable[[Passage], str]:
        def labelled(passage: Passage) -> str:
            try:
                return own(passage)
            except Exception:  # noqa: BLE001 - code of others
                return label(passage)

        return labelled

    return {kind: guarded(own) for kind, own in engine.knowledge.pack.answers.labels.items()}


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
        figures=transcript.figures,
        outline=log.outline,
        prompts=tuple(log.prompts),
        calls=tuple(log.calls),
        notes=(*writing.result.notes, *log.notes),
        timing_ms=writing.clock.ms,
    )


def _incomplete(missing: Sequence[str]) -> str:
    """What an answer without some sources says first."""
    return f"*Incomplete: {escape_markdown(neutralize('; '.join(missing)))}.*"


async def _refusal(result: Result, engine: Engine, clock: Clock, length: Length) -> Answer:
    """What is said instead of an answer: that nothing answers, or that sources are missing."""
    if result.incomplete:
        rest = "The sources that answered found nothing to cite; ask again."
        return Answer(
            text=f"{_incomplete(result.incomplete)}\n\n{rest}",
            citations=(),
            result=result,
            length=length,
            notes=result.notes,
            timing_ms=clock.ms,
        )
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


def _roughly(texts: Sequence[str]) -> list[int]:
    """Tokens of texts where nothing counts them: four letters each, as a rule."""
    return [len(text) // 4 + 1 for text in texts]
