"""Answers in words: ask."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, cast

import typer
from rich.padding import Padding
from rich.status import Status
from rich.text import Text

from consilience import render
from consilience.answer import prompts
from consilience.answer.markup import plain
from consilience.answer.task import Task
from consilience.cli.app import (
    AsJson,
    In,
    app,
    count,
    err,
    home,
    opened,
    out,
    print_json,
    print_notes,
    print_table,
    tell,
)
from consilience.cli.asking import Collection, Limit, Question, Where, query_of
from consilience.errors import UsageError
from consilience.types import (
    LENGTHS,
    Answer,
    Done,
    Drafted,
    Event,
    Prompt,
    Said,
    Withdrawn,
)

_TAIL = 60  # letters of a draft that are shown while it is written
_INDENT = "     "
_CELLS = re.compile(r"(?<!\\)\|")


@app.command()
def ask(
    question: Question,
    workspace: In = None,
    length: Annotated[
        str, typer.Option(help=f"How long: {', '.join(LENGTHS)}; else as in the settings.")
    ] = "",
    limit: Limit = 10,
    where: Where = None,
    collection: Collection = None,
    model: Annotated[
        bool,
        typer.Option(
            "--model/--no-model",
            help="Have the language model of the settings write, or sentences of the evidence.",
        ),
    ] = True,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print what the language model is given.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Ask in words; the answer comes written, with every claim cited and checked."""
    if length and length not in LENGTHS:
        raise UsageError(f"unknown --length {length!r}; known: {', '.join(LENGTHS)}")
    query = query_of(question, limit, where, collection)
    with opened(home(workspace), "ask") as space:
        events = space.stream(query, length=length or None, model=model)
        answer = answered(events, quiet=as_json)
    print_notes(answer.notes)
    given = _prompts(answer) if show_prompt else ()
    if as_json:
        shown = [{"stage": one.stage, "system": one.system, "user": one.user} for one in given]
        print_json({**render.answer_json(answer), **({"prompts": shown} if show_prompt else {})})
        return
    print_answer(answer)
    for prompt in given:
        _print_prompt(prompt)


def answered(events: Iterator[Event], *, quiet: bool) -> Answer:
    """The answer at the end of events; unless `quiet`, its text is printed as it is written."""
    if not quiet:
        return _told(events)
    *_, last = events
    return cast("Done", last).answer


def print_answer(answer: Answer) -> None:
    """What stands under an answer's text: its sources, what was taken out, how it was checked."""
    for place, one in enumerate(answer.citations):
        if not place:
            tell("\nSources", style="bold")
        tell(f" [{one.mark}] {one.label}")
        if one.quote:
            _tell_indented(f"“{' '.join(one.quote.split())}”")
    for place, fault in enumerate(answer.faults):
        if not place:
            tell("\nNot borne out", style="bold")
        tell(f" {fault.action}: {fault.told}", style="yellow")
    tell(f"\n{_summary(answer)}", style="dim")


def _tell_indented(text: str) -> None:
    if out.is_terminal:
        out.print(Padding(Text(text, style="dim"), (0, 0, 0, len(_INDENT))))
    else:
        tell(_INDENT + text)


def _summary(answer: Answer) -> str:
    """`23 of 23 facts are in what they cite · extractive · 9 passages · 212 ms`."""
    parts = []
    if answer.support is not None:
        held = round(answer.support * answer.facts)
        parts.append(f"{held} of {count(answer.facts, 'fact')} found in what they cite")
    parts.append("no answer" if answer.abstained else f"{answer.writer}, {answer.length}")
    if answer.exhibits:
        parts.append(f"from {count(len(answer.exhibits), 'passage')}")
    if answer.calls:
        tokens = sum(call.asked + call.written for call in answer.calls)
        parts.append(f"{count(len(answer.calls), 'request')}, {count(tokens, 'token')}")
        costs = [call.cost for call in answer.calls if call.cost is not None]
        parts.extend([f"cost {sum(costs):.4f}"] if costs else [])
    parts.append(f"{sum(answer.timing_ms.values()):,.0f} ms")
    return " · ".join(parts)


def _told(events: Iterator[Event]) -> Answer:
    """Print an answer as it is written, each statement once it is checked."""
    page = _Page()
    draft = ""
    with _status() as status:
        for event in events:
            match event:
                case Drafted():
                    draft = (draft + event.text)[-_TAIL:]
                    status.update(" ".join(plain(draft).split()).replace("[", "\\["))
                case Said():
                    status.stop()  # it cannot share the terminal with half a line
                    page.write(event.text)
                case Withdrawn():
                    status.stop()
                    page.end()
                    tell(f"\n{event.reason}\n", style="yellow")
                    page = _Page()
                case Done():
                    status.stop()
                    if event.answer.abstained:
                        page.write(event.answer.text)
                    page.end()
                    return event.answer
                case _:
                    status.update("writing …")
    raise AssertionError("an answer ends with Done")


@contextmanager
def _status() -> Iterator[Status]:
    """A line on stderr that says what goes on, where somebody may be looking at it."""
    status = Status("searching …", console=err)
    if not (err.is_terminal and out.is_terminal):
        yield status
        return
    with status:
        yield status


class _Page:
    """Prints Markdown that comes in pieces: wrapped in a terminal, as it is in a pipe."""

    def __init__(self) -> None:
        self._column = 0

    def write(self, text: str) -> None:
        """Print a statement as it comes, with what parts it from the one before."""
        if not out.is_terminal:
            self._put(text)
            return
        for place, block in enumerate(text.split("\n\n")):
            if place:
                self.end()
                self._put("\n")
            if block.startswith("|"):
                _print_rows(block)
            elif block.startswith("#"):
                tell(plain(block).lstrip("# "), style="bold")
            else:
                self._wrap(plain(block))

    def end(self) -> None:
        """End the line."""
        if self._column:
            self._put("\n")

    def _wrap(self, text: str) -> None:
        for line, words in enumerate(text.split("\n")):
            if line:
                self.end()
            for word in words.split():
                if self._column and self._column + 1 + len(word) > out.width:
                    self._put("\n")
                self._put(f" {word}" if self._column else word)

    def _put(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
        _, newline, last = text.rpartition("\n")
        self._column = len(last) if newline else self._column + len(last)


def _print_rows(block: str) -> None:
    """A Markdown table, in columns."""
    rows = [_CELLS.split(line.strip().strip("|")) for line in block.split("\n")]
    named, _, *told = [[plain(cell.strip()) for cell in row] for row in rows]
    print_table(named, told)


def _prompts(answer: Answer) -> tuple[Prompt, ...]:
    """What the model was given; without one, what it would be given first."""
    if answer.prompts or not answer.exhibits:
        return answer.prompts
    task = Task(
        question=answer.result.query.text,
        exhibits=answer.exhibits,
        length=answer.length,
        emphasis=answer.emphasis,
    )
    return (prompts.outline(task),)


def _print_prompt(prompt: Prompt) -> None:
    tell(f"\n--- {prompt.stage}: system ---", style="bold")
    tell(prompt.system)
    tell(f"--- {prompt.stage}: user ---", style="bold")
    tell(prompt.user)
