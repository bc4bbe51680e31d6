"""Answers in words: ask."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, cast

import typer
from rich.status import Status
from rich.text import Text

from consilience import render
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
    warn,
)
from consilience.cli.asking import Collection, Limit, Question, Where, query_of
from consilience.errors import UsageError
from consilience.markup import plain
from consilience.pipeline import first_prompt
from consilience.settings import Settings, read_settings
from consilience.types import (
    LENGTHS,
    Answer,
    Done,
    Drafted,
    Event,
    Figure,
    Prompt,
    Said,
    Withdrawn,
)
from consilience.workspace import Workspace

_TAIL = 60  # letters of a draft that are shown while it is written
_INDENT = "     "
_ID = 12  # letters of a passage's id, enough for `consilience show`
_EMPHASIS = re.compile(r"(?<![\\\w*])(\*{1,2})(\S(?:[^*]*\S)?)\1(?![\w*])")
_FIGURE = re.compile(r"^\[DIAGRAM (?P<number>\d{1,3})\](?P<mark> \[\d{1,3}\])?$", re.MULTILINE)
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
        bool | None,
        typer.Option(
            "--model/--no-model",
            help="Have the language model of the settings write, or sentences of the evidence.",
            show_default=False,
        ),
    ] = None,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print what the language model is given.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Ask in words; the answer comes written, with every claim cited and checked."""
    if length and length not in LENGTHS:
        raise UsageError(f"unknown --length {length!r}; known: {', '.join(LENGTHS)}")
    query = query_of(question, limit, where, collection)
    folder = home(workspace)
    with opened(folder, "ask", settings=_settings(folder, model)) as space:
        events = space.stream(query, length=length or None)
        answer = answered(events, quiet=as_json, sketch=sketcher(space))
        given = _prompts(answer, space) if show_prompt else ()
    print_notes(
        tuple(one for one in answer.notes if not (answer.abstained and one.origin == "relevance"))
    )
    if as_json:
        shown = [{"stage": one.stage, "system": one.system, "user": one.user} for one in given]
        print_json({**render.answer_json(answer), **({"prompts": shown} if show_prompt else {})})
        return
    print_answer(answer)
    for prompt in given:
        _print_prompt(prompt)


def _settings(folder: Path, model: bool | None) -> Settings:
    """The settings of a workspace, with or without its language model."""
    settings = read_settings(folder)
    if model and settings.models.generate == "none":
        raise UsageError(
            "--model: no language model is set; set models.generate, e.g. to openai:<model>"
        )
    if model is False:
        return replace(settings, models=replace(settings.models, generate="none"))
    return settings


Sketch = Callable[[Figure], str]


def sketcher(space: Workspace) -> Sketch | None:
    """How a workspace's pack shows its figures as text, if it draws any."""
    return space.pack.answers.drawing.sketch if space.pack.answers.drawing else None


def answered(events: Iterator[Event], *, quiet: bool, sketch: Sketch | None = None) -> Answer:
    """The answer at the end of events; unless `quiet`, its text is printed, its figures sketched.

    In a terminal it is printed as it is written, each statement once it is checked. A pipe gets it
    whole, since what went into a pipe cannot be withdrawn.
    """
    if not quiet and out.is_terminal:
        return _told(events, sketch)
    *_, last = events
    answer = cast("Done", last).answer
    if not quiet:
        sys.stdout.write(f"{_sketched(answer.text, answer.figures, sketch)}\n")
        sys.stdout.flush()
    return answer


def _sketched(text: str, figures: Sequence[Figure], sketch: Sketch | None) -> str:
    """A text with its figures in their places, as a terminal can show them."""
    known = {one.number: one for one in figures}

    def shown(match: re.Match[str]) -> str:
        figure = known.get(int(match["number"]))
        return match[0] if figure is None or sketch is None else f"{sketch(figure)}{match['mark']}"

    return _FIGURE.sub(shown, text)


def print_answer(answer: Answer) -> None:
    """What stands under an answer's text: its sources, what was taken out, how it was checked."""
    for place, one in enumerate(answer.citations):
        if not place:
            tell("\nSources", style="bold")
        _tell_hanging(f" [{one.mark}] {one.label}  {one.passage.id[:_ID]}")
        if answer.calls and one.quote:  # else the text itself is made of these words
            _tell_hanging(f"{_INDENT}“{' '.join(one.quote.split())}”", style="dim")
    for place, fault in enumerate(answer.faults):
        if not place:
            tell("\nNot borne out", style="bold")
        _tell_hanging(f" {fault.action}: {fault.told}", style="yellow")
    tell("")
    _tell_hanging(_summary(answer), style="dim")


def _tell_hanging(text: str, *, style: str = "") -> None:
    """A line whose next lines, where a terminal has to wrap it, stand under its text."""
    if out.is_terminal:
        text = textwrap.fill(
            text, out.width, subsequent_indent=_INDENT, drop_whitespace=True, break_on_hyphens=False
        )
    tell(text, style=style)


def _summary(answer: Answer) -> str:
    """`23 of 23 facts stand in what they cite · on topic 0.97 · extractive, concise · …`."""
    parts = []
    if answer.support is not None:
        held = round(answer.support * answer.facts)
        one = answer.facts == 1
        told = "stands in what it cites" if one else "stand in what they cite"
        parts.append(f"{held} of {count(answer.facts, 'fact')} {told}")
    if not answer.abstained and (chance := _chance(answer)) is not None:
        parts.append(f"on topic {chance:.2f}")
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


def _chance(answer: Answer) -> float | None:
    """How likely the evidence answers at all; by its best hit where nothing else is known."""
    known = [hit.relevance for hit in answer.result.hits if hit.relevance is not None]
    return (
        answer.result.answerable
        if answer.result.answerable is not None
        else max(known, default=None)
    )


def _told(events: Iterator[Event], sketch: Sketch | None) -> Answer:
    """Print an answer as it is written, each statement once it is checked."""
    page = _Page(sketch)
    draft = ""
    with _status() as status:
        for event in events:
            match event:
                case Drafted():
                    draft = (draft + event.text)[-_TAIL:]
                    status.update(Text(" ".join(plain(draft).split())))
                case Said():
                    status.stop()  # it cannot share the terminal with half a line
                    page.write(event.text, event.figures)
                case Withdrawn():
                    status.stop()
                    page.end()
                    warn("the model failed: what stands above is withdrawn\n", style="yellow")
                    page = _Page(sketch)
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
    """Prints Markdown that comes in pieces, wrapped to the width of the terminal."""

    def __init__(self, sketch: Sketch | None = None) -> None:
        self._column = 0
        self._sketch = sketch

    def write(self, text: str, figures: Sequence[Figure] = ()) -> None:
        """Print a statement as it comes, with what parts it from the one before."""
        for place, block in enumerate(text.split("\n\n")):
            if place:
                self.end()
                self._put("\n")
            if self._sketch is not None and _FIGURE.fullmatch(block):
                tell(_sketched(block, figures, self._sketch))
            elif block.startswith("|"):
                _print_rows(block)
            elif block.startswith("#"):
                tell(_shown(block).lstrip("# "), style="bold")
            else:
                self._wrap(_shown(block))

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
    named, _, *told = [[_shown(cell.strip()) for cell in row] for row in rows]
    print_table(named, told)


def _shown(text: str) -> str:
    """Markdown as a terminal shows it: without stars of emphasis and without escapes."""
    return plain(_EMPHASIS.sub(r"\2", text))


def _prompts(answer: Answer, space: Workspace) -> tuple[Prompt, ...]:
    """What the model was given; without one, what it would be given first."""
    if answer.prompts or not answer.exhibits:
        return answer.prompts
    return (first_prompt(answer, space.engine),)


def _print_prompt(prompt: Prompt) -> None:
    tell(f"\n--- {prompt.stage}: system ---", style="bold")
    tell(prompt.system)
    tell(f"--- {prompt.stage}: user ---", style="bold")
    tell(prompt.user)
