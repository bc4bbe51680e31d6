"""How does a language model write an answer? outline → expand every section → assemble.

Sections are written at the same time and read one after the other: the first as it comes, each
later one from what is there when its turn comes. Every sentence goes through the transcript, so
that nothing unchecked is said. Letters that come before are drafts.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from consilience.answer import prompts
from consilience.answer.model.calling import Caller, Writing
from consilience.answer.model.reading import Reader
from consilience.answer.model.speaking import Speaker
from consilience.answer.task import Log, Task
from consilience.answer.transcript import Transcript
from consilience.errors import ModelError
from consilience.markup import marks_in
from consilience.protocols import Generator
from consilience.types import Drafted, Note, Outline, Prompt, Said, Section

FAILED = 2
"""Where more than so many statements fail for one that stands, the rest is no answer."""
CLOSING = "Taken together"
"""The heading of the closing paragraph, where the model gives none in the question's language."""


async def write(
    task: Task,
    transcript: Transcript,
    generator: Generator,
    log: Log,
    *,
    fallback: Callable[[Task], Outline],
) -> AsyncGenerator[Drafted | Said]:
    """Drafts as the model writes them, and each statement once it was checked.

    Raises `ModelError` when the model fails, when it cites nothing, as one does that finds no
    answer, or when too little of what it wrote is borne out.
    """
    room = asyncio.Semaphore(max(1, task.settings.parallel))
    caller = Caller(generator=generator, log=log, settings=task.settings, room=room)
    plan = await _plan(task, caller, fallback)
    log.outline = plan
    speaker = Speaker(task, transcript)
    for event in speaker.opening(plan.opening):
        yield event
    async with aclosing(_expanded(task, plan, caller, speaker)) as events:
        async for event in events:
            yield event
    if speaker.said and len(plan.sections) > 1:
        async with aclosing(_closed(task, caller, speaker)) as events:
            async for event in events:
                yield event
    if speaker.said and not transcript.citations:
        raise ModelError(
            f"language model {generator.name!r} found no answer in the evidence: it cites none of "
            f"the {len(task.exhibits)} passages that it was given"
        )
    if speaker.words < prompts.SIZES[task.length].least or speaker.failed > FAILED * speaker.said:
        raise ModelError(
            f"of {speaker.said + speaker.failed} statements that language model "
            f"{generator.name!r} wrote, {speaker.said} are borne out by the evidence, which is too "
            f"little for an answer; choose a larger model"
        )
    log.notes.extend(speaker.notes())


async def _plan(task: Task, caller: Caller, fallback: Callable[[Task], Outline]) -> Outline:
    """The outline of the model with all the evidence in it; one by rule where it has none."""
    if _has_one_section(task):
        return _one_section(task)
    found = await _outlined(task, caller)
    plan = found or Outline(sections=fallback(task).sections)
    return prompts.complete(plan, task) if plan.sections else _one_section(task)


def first_prompt(task: Task) -> Prompt:
    """What the model is asked first: for an outline, or at once for an answer of one section."""
    one = _has_one_section(task)
    return prompts.expand(task, _one_section(task), 0) if one else prompts.outline(task)


def _has_one_section(task: Task) -> bool:
    return prompts.SIZES[task.length].sections == 1 or len(task.exhibits) == 1


def _one_section(task: Task) -> Outline:
    every = tuple(one.mark for one in task.exhibits)
    return Outline(sections=(Section(heading="", marks=every),))


async def _outlined(task: Task, caller: Caller) -> Outline | None:
    """The model's outline; it is asked a second time if the first cannot be read."""
    from consilience.answer import outlining  # noqa: PLC0415 - pydantic is slow to import

    schema, most = outlining.schema(task), prompts.SIZES[task.length].outline_tokens
    problem = ""
    for _ in range(2):
        prompt = prompts.outline(task, problem=problem)
        try:
            reply = await caller.whole(prompt, most=most, schema=schema)
            plan, repairs = outlining.parse(reply, task)
        except ValueError as error:
            problem = str(error)
            continue
        except ModelError as error:
            problem = str(error)
            break
        if prompt.stage != "outline":
            repairs.insert(0, "the first reply could not be read")
        if repairs:
            told = "; ".join(dict.fromkeys(repairs))
            caller.log.notes.append(Note("answer", f"the model's outline was repaired: {told}"))
        return plan
    told = f"the model gave no outline ({problem}); sections were made by rule"
    caller.log.notes.append(Note("answer", told))
    return None


async def _expanded(
    task: Task, plan: Outline, caller: Caller, speaker: Speaker
) -> AsyncGenerator[Drafted | Said]:
    most = prompts.SIZES[task.length].tokens
    sections = [
        Writing(caller, prompts.expand(task, plan, place), most=most)
        for place in range(len(plan.sections))
    ]
    try:
        for section, writing in zip(plan.sections, sections, strict=True):
            for event in speaker.heading(section.heading if len(sections) > 1 else ""):
                yield event
            async with aclosing(speaker.heard(writing, Reader(section.marks))) as events:
                async for event in events:
                    _refuse_failed(sections)
                    yield event
    finally:
        await _ended(sections)


def _refuse_failed(sections: Sequence[Writing]) -> None:
    """A section that failed ends the answer at once: there is no use in writing the others."""
    for one in sections:
        if one.task.done() and not one.task.cancelled() and (error := one.task.exception()):
            raise error


async def _ended(sections: Sequence[Writing]) -> None:
    for one in sections:
        one.task.cancel()
    await asyncio.gather(*(one.task for one in sections), return_exceptions=True)


async def _closed(task: Task, caller: Caller, speaker: Speaker) -> AsyncGenerator[Drafted | Said]:
    """The closing paragraph; an answer without it is still one, so a failure is only noted."""
    text = speaker.transcript.text
    marks = marks_in(text)
    prompt = prompts.assemble(task, text, marks)
    writing = Writing(caller, prompt, most=prompts.SIZES[task.length].closing_tokens)
    try:
        yield Drafted(text="\n\n")
        reader = Reader(marks, heading=CLOSING, late=True)  # what failed was never said
        async with aclosing(speaker.heard(writing, reader)) as events:
            async for event in events:
                yield event
    except ModelError as error:
        told = f"the closing paragraph could not be written: {error}"
        caller.log.notes.append(Note("answer", told))
    finally:
        await _ended([writing])
