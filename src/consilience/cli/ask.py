"""How is a written answer printed? `consilience ask`: as it is written, with its sources."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Annotated, cast

import typer
from rich.status import Status
from rich.text import Text

from consilience import json_output
from consilience.answer.pipeline import first_prompt
from consilience.cli.app import (
    AsJson,
    WorkspaceOption,
    app,
    count,
    err,
    open_for_command,
    out,
    print_heading,
    print_json,
    print_notes,
    print_raw,
    print_table,
    print_text,
    print_warning,
    takes_query,
    workspace_folder,
)
from consilience.errors import UsageError
from consilience.settings import read_settings
from consilience.text_markup import unescape_markdown
from consilience.types import (
    LENGTHS,
    Answer,
    Done,
    Drafted,
    Event,
    Figure,
    Prompt,
    Query,
    Said,
    Turn,
    Withdrawn,
)
from consilience.workspace import Workspace

_DRAFT_TAIL = 60  # characters of a draft that are shown while it is written
_FACTS = "numbers, names and quotations match"
_INDENT = "     "
_ID = 12  # characters of a passage id, enough for `consilience show`
_EMPHASIS = re.compile(r"(?<![\\\w*])(\*{1,2})(\S(?:[^*]*\S)?)\1(?![\w*])")
_FIGURE = re.compile(r"^\[DIAGRAM (?P<number>\d{1,3})\](?P<mark> \[\d{1,3}\])?$", re.MULTILINE)
_CELL_BORDER = re.compile(r"(?<!\\)\|")
Sketch = Callable[[Figure], str]
"""Shows a figure as text."""


@app.command()
@takes_query
def ask(
    query: Query,
    workspace: WorkspaceOption = None,
    length: Annotated[
        str, typer.Option(help=f"How long: {', '.join(LENGTHS)}; by default as in the settings.")
    ] = "",
    model: Annotated[
        bool | None,
        typer.Option(
            "--model/--no-model",
            help="Let the language model of the settings write, or use sentences of the evidence.",
            show_default=False,
        ),
    ] = None,
    after: Annotated[
        list[str] | None,
        typer.Option(help="A question before this one, oldest first; completes a follow-up."),
    ] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Then ask for follow-up questions.")
    ] = False,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print what the language model is given.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Answer a question in words; every claim is cited and checked."""
    if length and length not in LENGTHS:
        raise UsageError(f"unknown --length {length!r}; known: {', '.join(LENGTHS)}")
    folder = workspace_folder(workspace)
    settings = read_settings(folder)
    if model and settings.models.generate == "none":
        raise UsageError(
            "--model: no language model is set; set models.generate, e.g. to openai:<model>"
        )
    if model is False:
        settings = replace(settings, models=replace(settings.models, generate="none"))
    if interactive and as_json:
        raise UsageError("--interactive prints text; leave out --json")
    query = replace(query, history=tuple(Turn(question=question) for question in after or ()))
    with open_for_command(folder, "ask", settings=settings) as space:
        while True:
            events = space.stream(query, length=length or None)
            answer = receive_answer(events, quiet=as_json, sketch=sketcher(space))
            prompts = answer.prompts if show_prompt else ()
            if show_prompt and not prompts and answer.exhibits:  # what a model would be given first
                prompts = (first_prompt(answer, space.engine),)
            _print_below(answer, prompts, as_json=as_json, show_prompt=show_prompt)
            if not interactive or not (text := _next_question()):
                return
            turn = Turn(question=answer.result.query.text, answer=answer.text)
            query = replace(query, text=text, history=(*query.history, turn))


def _next_question() -> str:
    """What a person types next; empty at the end of the conversation."""
    try:
        return input("\nFollow-up question (empty to end): ").strip()
    except EOFError:
        return ""


def _print_below(
    answer: Answer, prompts: Sequence[Prompt], *, as_json: bool, show_prompt: bool
) -> None:
    """Print the notes, and the answer as JSON or its sources and prompts."""
    # An answer that abstains says itself that nothing is relevant.
    silent = "relevance" if answer.abstained else None
    print_notes([note for note in answer.notes if note.origin != silent])
    if as_json:
        fields = json_output.answer_json(answer)
        if show_prompt:
            fields["prompts"] = [asdict(prompt) for prompt in prompts]
        print_json(fields)
        return
    print_sources(answer)
    for prompt in prompts:
        for role, text in (("system", prompt.system), ("user", prompt.user)):
            print_heading(f"--- {prompt.stage}: {role} ---")
            print_text(text)


# --- the text -----------------------------------------------------------------------------


def sketcher(space: Workspace) -> Sketch | None:
    """How a workspace's pack shows figures as text, if it has any."""
    return space.pack.answers.drawing.sketch if space.pack.answers.drawing else None


def receive_answer(events: Iterator[Event], *, quiet: bool, sketch: Sketch | None = None) -> Answer:
    """The answer at the end of the events; unless `quiet`, its text is printed.

    A terminal gets each statement as soon as it is checked. A pipe gets the whole text at the end,
    because a pipe cannot take anything back.
    """
    if not quiet and out.is_terminal:
        return _print_events(events, sketch)
    *_, last = events
    answer = cast("Done", last).answer
    if not quiet:
        print_raw(f"{_sketch_figures(answer.text, answer.figures, sketch)}\n")
    return answer


def _sketch_figures(text: str, figures: Sequence[Figure], sketch: Sketch | None) -> str:
    """Replace the marks of figures by sketches."""
    by_number = {figure.number: figure for figure in figures}

    def replacement(match: re.Match[str]) -> str:
        figure = by_number.get(int(match["number"]))
        return match[0] if figure is None or sketch is None else f"{sketch(figure)}{match['mark']}"

    return _FIGURE.sub(replacement, text)


def _print_events(events: Iterator[Event], sketch: Sketch | None) -> Answer:
    """Print an answer while it is written."""
    page = _Page(sketch)
    draft = ""
    with _status() as status:
        for event in events:
            match event:
                case Drafted():
                    draft = (draft + event.text)[-_DRAFT_TAIL:]
                    status.update(Text(" ".join(unescape_markdown(draft).split())))
                case Said():
                    status.stop()  # it cannot share the terminal with half a line
                    page.write(event.text, event.figures)
                case Withdrawn():
                    status.stop()
                    page.end_line()
                    print_warning(
                        "the model failed: what stands above is withdrawn\n", style="yellow"
                    )
                    page = _Page(sketch)
                case Done():
                    status.stop()
                    if event.answer.abstained:
                        page.write(event.answer.text)
                    page.end_line()
                    return event.answer
                case _:
                    status.update("writing …")
    raise AssertionError("an answer ends with Done")


@contextmanager
def _status() -> Iterator[Status]:
    """A line on stderr that says what is going on; shown in a terminal only."""
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
        """Print a statement, with the space that separates it from the one before."""
        for place, block in enumerate(text.split("\n\n")):
            if place:
                self.end_line()
                self._put("\n")
            if self._sketch is not None and _FIGURE.fullmatch(block):
                print_text(_sketch_figures(block, figures, self._sketch))
            elif block.startswith("|"):
                rows = [_CELL_BORDER.split(line.strip().strip("|")) for line in block.split("\n")]
                headings, _, *cells = [[_plain(cell.strip()) for cell in row] for row in rows]
                print_table(headings, cells)
            elif block.startswith("#"):
                print_text(_plain(block).lstrip("# "), style="bold")
            else:
                self._wrap(_plain(block))

    def end_line(self) -> None:
        """End the line, if one has begun."""
        if self._column:
            self._put("\n")

    def _wrap(self, text: str) -> None:
        for line, words in enumerate(text.split("\n")):
            if line:
                self.end_line()
            for word in words.split():
                if self._column and self._column + 1 + len(word) > out.width:
                    self._put("\n")
                self._put(f" {word}" if self._column else word)

    def _put(self, text: str) -> None:
        print_raw(text)
        _, newline, last = text.rpartition("\n")
        self._column = len(last) if newline else self._column + len(last)


def _plain(text: str) -> str:
    """Markdown as a terminal shows it: without emphasis and escapes."""
    return unescape_markdown(_EMPHASIS.sub(r"\2", text))


# --- below the text -----------------------------------------------------------------------


def print_sources(answer: Answer) -> None:
    """Print what comes below the text: sources, removed statements, how it was checked."""
    if answer.citations:
        print_text("\nSources", style="bold")
    for citation in answer.citations:
        _print_hanging(f" [{citation.mark}] {citation.label}  {citation.passage.id[:_ID]}")
        if answer.calls and citation.quote:  # without a model, the text has these words itself
            _print_hanging(f"{_INDENT}“{' '.join(citation.quote.split())}”", style="dim")
    if answer.faults:
        print_text("\nNot supported by the sources", style="bold")
    for fault in answer.faults:
        _print_hanging(f" {fault.action}: {fault.told}", style="yellow")
    print_text("")
    _print_hanging(_summary(answer), style="dim")


def _print_hanging(text: str, *, style: str = "") -> None:
    """Print a line; where a terminal wraps it, the next lines are indented."""
    if out.is_terminal:
        text = textwrap.fill(
            text, out.width, subsequent_indent=_INDENT, drop_whitespace=True, break_on_hyphens=False
        )
    print_text(text, style=style)


def _summary(answer: Answer) -> str:
    """`23 of 23 numbers, names and quotations match the sources · on topic 0.97 · …`."""
    parts = []
    if answer.support is not None:
        supported = round(answer.support * answer.facts)
        facts = "number, name or quotation matches" if answer.facts == 1 else _FACTS
        parts.append(f"{supported} of {answer.facts} {facts} the sources")
    chance = answer.result.answerable
    if chance is None:  # then the best relevance
        known = [hit.relevance for hit in answer.result.hits if hit.relevance is not None]
        chance = max(known, default=None)
    if not answer.abstained and chance is not None:
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
