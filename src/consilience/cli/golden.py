"""Golden sets in the terminal: suggest questions, from a journal too; find problems; convert."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape

from consilience.cli.app import (
    AsJson,
    WorkspaceOption,
    app,
    check_writable,
    count,
    open_for_command,
    print_json,
    print_markup,
    print_text,
    print_warning,
    workspace_folder,
)
from consilience.errors import UsageError
from consilience.journal import JOURNAL, read_entries
from consilience.json_output import locator_json
from consilience.measure.data_model import Golden, Judgement, Question
from consilience.measure.golden import (
    YAML,
    add_question,
    question_digest,
    read_golden,
    text_digest,
    write_golden,
)
from consilience.measure.golden_health import find_problems
from consilience.measure.label_resolver import contains_quote, seal_golden
from consilience.measure.suggestions import (
    COUNT,
    POOL_DEPTH,
    PROPOSALS_HEADER,
    Candidate,
    Idea,
    Suggester,
    Suggestion,
    propose_labels,
    read_questions,
)
from consilience.workspace import STORE, Workspace

golden_app = typer.Typer(
    help="Golden sets: questions with the places that answer them.", no_args_is_help=True
)
app.add_typer(golden_app, name="golden")

DEFAULT = "golden.yaml"
_STYLES = {"error": "red", "warning": "yellow"}
_SHOWN = 5
_ABOUT_QUESTION = "question: Enter judge it, e edit it, s skip it, q quit"
_ABOUT_PASSAGE = "grade 3 fully, 2 well, 1 in part, 0 not at all; Enter pass over, d done, q quit"
_ABOUT_QUOTE = "quotation: Enter keep it, or type a shorter one"
_LEAVE: Mapping[str, Literal["skip", "quit"]] = {"s": "skip", "q": "quit"}
_NOTHING = "nothing answers it: u it is unanswerable, s skip it, q quit"
_RULE_NOTE = (
    "note: these questions are made by rule from the words of the text; questions of your own, "
    "one a line in a file, are better: --questions FILE"
)


@golden_app.command()
def suggest(
    workspace: WorkspaceOption = None,
    collection: Annotated[
        list[str] | None, typer.Option("-c", "--collection", help="Only this collection.")
    ] = None,
    number: Annotated[int, typer.Option("--count", min=1, help="How many questions.")] = COUNT,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The set; golden.yaml in the workspace."),
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Questions that you wrote, one a line: better than those made by rule.",
        ),
    ] = None,
    category: Annotated[str, typer.Option(help="The category of those questions.")] = "",
    depth: Annotated[
        int, typer.Option(min=1, help="First finds taken from each method.")
    ] = POOL_DEPTH,
    seed: Annotated[int, typer.Option(help="Another seed gives other questions.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Propose questions and evidence, for you to accept, grade or reject.

    The evidence is pooled from every source and several fusers, and shown in a random order
    without scores. Every judged question is saved at once; run it again to go on.
    """
    folder = workspace_folder(workspace)
    path = out or folder / DEFAULT
    with open_for_command(folder, "golden suggest") as space:
        session = _Session(space, path)
        suggester = Suggester(space, collections=collection or (), seed=seed, depth=depth)
        known = {*map(question_digest, session.golden.questions), *session.skipped}
        if questions is not None:
            todo = read_questions(questions, category=category, known=known)[:number]
        else:
            todo = suggester.ideas(number, known=known)
        if as_json:
            print_json([_suggestion_json(suggester.suggest(idea)) for idea in todo])
            return
        _judge_all(todo, suggester, session, by_rule=questions is None)


@golden_app.command()
def health(
    file: Annotated[
        Path | None, typer.Argument(help="The set; golden.yaml in the workspace.")
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: AsJson = False,
) -> None:
    """Look for faults of a set: labels that are lost, double, trivial, common or one-sided.

    Ends with status 1 if there is an error, which would make numbers wrong.
    """
    folder = workspace_folder(workspace)
    golden = read_golden(file or folder / DEFAULT)
    with closing(Workspace.peek(folder)) as catalogue:
        problems = find_problems(golden, catalogue)
    errors = sum(finding.level == "error" for finding in problems)
    if as_json:
        shown = [finding.as_json() for finding in problems]
        print_json({"golden": golden.name, "findings": shown})
    else:
        for finding in problems:
            print_markup(f"[{_STYLES[finding.level]}]{finding.level}[/]: [bold]{finding.name}[/]")
            print_text(f"  {finding.message}")
            if keys := finding.questions:
                more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
                print_text(f"  questions: {', '.join(keys[:_SHOWN])}{more}")
            print_text(f"  to do: {finding.advice}")
        judgements = sum(len(question.judgements) for question in golden.questions)
        size = f"{count(len(golden.questions), 'question')}, {count(judgements, 'judgement')}"
        print_text(f"{size}: {count(errors, 'error')}, {count(len(problems) - errors, 'warning')}")
    if errors:
        raise typer.Exit(1)


@golden_app.command()
def convert(
    source: Annotated[Path, typer.Argument(help="A set, or a folder in BEIR's layout.")],
    target: Annotated[Path, typer.Argument(help="A file that ends in .yaml or .jsonl.")],
    seal: Annotated[
        bool,
        typer.Option(
            "--seal",
            help="Replace quotations by digests: the set can be shared where the texts may not.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a set in another form: BEIR, YAML and JSON Lines to YAML or JSON Lines."""
    golden = seal_golden(read_golden(source)) if seal else read_golden(source)
    if target.exists():
        raise UsageError(f"{target} is there already; name another file, or delete it")
    write_golden(golden, target)
    if as_json:
        print_json({"file": str(target), "questions": len(golden.questions)})
    else:
        print_text(f"{count(len(golden.questions), 'question')} written to {target}")


@golden_app.command("from-journal")
def from_journal(
    target: Annotated[Path, typer.Argument(help="A new file that ends in .yaml or .jsonl.")],
    workspace: WorkspaceOption = None,
    as_json: AsJson = False,
) -> None:
    """Write what people read or praised in `consilience serve` as proposals, for you to check."""
    folder = workspace_folder(workspace)
    if target.exists():
        raise UsageError(f"{target} is there already; name another file, or delete it")
    check_writable(target, "the set")
    entries = read_entries(folder / STORE / JOURNAL)
    with closing(Workspace.peek(folder)) as catalogue:
        golden, gone = propose_labels(entries, catalogue, name=target.stem)
    write_golden(golden, target)
    if target.suffix.lower() in YAML:
        text = PROPOSALS_HEADER + target.read_text(encoding="utf-8")
        target.write_text(text, encoding="utf-8")
    if as_json:
        print_json({"file": str(target), "questions": len(golden.questions), "gone": gone})
        return
    print_text(
        f"wrote {count(len(golden.questions), 'proposal')} to {target}; check each before use"
    )
    if gone:
        print_warning(f"{count(gone, 'passage')} could not be found again, and are left out")


# --- suggesting -------------------------------------------------------------------------


class _Session:
    """A set that grows, and the questions that were skipped."""

    def __init__(self, space: Workspace, path: Path) -> None:
        self._catalogue, self.path = space.catalogue, path
        self._fact = f"golden skipped {path.absolute()}"
        self.added = 0
        if path.exists():
            self.golden = read_golden(path)
        else:
            fingerprint = space.catalogue.fingerprint()
            self.golden = Golden(name=path.stem, questions=(), fingerprint=fingerprint)

    @property
    def skipped(self) -> set[str]:
        """The digests of questions that are not to be asked again."""
        return set(json.loads(self._catalogue.fact(self._fact) or "[]"))

    def add(self, question: Question) -> None:
        self.golden = add_question(self.golden, question, self.path)
        self.added += 1

    def skip(self, text: str) -> None:
        digests = self.skipped | {text_digest(text)}
        self._catalogue.set_fact(self._fact, json.dumps(sorted(digests)))


def _judge_all(todo: list[Idea], suggester: Suggester, session: _Session, *, by_rule: bool) -> None:
    if by_rule and todo:
        print_warning(_RULE_NOTE, style="yellow")
    for place, idea in enumerate(todo, start=1):
        title = f"{place} of {len(todo)}"
        try:
            outcome = _judge(suggester.suggest(idea), suggester, title)
        except (typer.Abort, EOFError):  # the end of the input
            print_text("")
            break
        if outcome == "quit":
            break
        if outcome == "skip":
            session.skip(idea.text)
            continue
        suggestion, judgements = outcome
        taken = {question.id for question in session.golden.questions}
        session.add(suggestion.question(judgements, taken=taken))
        if suggestion.text != idea.text:
            session.skip(idea.text)  # it was rewritten: do not ask the original again
    if not todo:
        print_text("nothing new to ask; write questions of your own and name them with --questions")
    size = count(len(session.golden.questions), "question")
    print_text(f"{session.added} added; {session.path} holds {size}")


def _judge(
    suggestion: Suggestion, suggester: Suggester, title: str
) -> tuple[Suggestion, list[Judgement]] | Literal["skip", "quit"]:
    """Ask a person about a suggestion, passage by passage, by one key each."""
    print_markup(f"\n[bold]{title}: {escape(suggestion.text)}[/]  [dim]{suggestion.category}[/]")
    answer = _prompt_choice(_ABOUT_QUESTION, ["", "e", *_LEAVE])
    if answer in _LEAVE:
        return _LEAVE[answer]
    if answer == "e" and (text := " ".join(_prompt("the question in your words").split())):
        suggestion = suggester.suggest(Idea(text=text, category=suggestion.category))
    judgements: list[Judgement] = []
    for place, candidate in enumerate(suggestion.candidates, start=1):
        locator = str(candidate.passage.locator)
        where = f" · {escape(locator)}" if locator else ""
        number = f"{place}/{len(suggestion.candidates)}"
        print_markup(f"\n[cyan]{number}[/] {escape(candidate.judgement.document)}{where}")
        print_text(candidate.passage.text)
        answer = _prompt_choice(_ABOUT_PASSAGE, ("", "0", "1", "2", "3", "d", "q"))
        if answer == "q":
            print_text("this question was not saved")
            return "quit"
        if answer == "d":
            break
        if answer:
            judgements.append(_grade(candidate, int(answer)))
    if not any(judgement.grade > 0 for judgement in judgements):
        answer = _prompt_choice(_NOTHING, ["u", *_LEAVE])
        if answer in _LEAVE:
            return _LEAVE[answer]
    return suggestion, judgements


def _grade(candidate: Candidate, grade: int) -> Judgement:
    """The judgement, with a quotation from the passage."""
    judgement = replace(candidate.judgement, grade=grade)
    if grade == 0 or not judgement.quote:
        return judgement
    print_text(f"  “{judgement.quote}”", style="italic")
    while shorter := " ".join(_prompt(_ABOUT_QUOTE).split()):
        if contains_quote(candidate.passage.text, shorter):
            return replace(judgement, quote=shorter)
        print_text("  these words are not in the passage")
    return judgement


def _prompt_choice(prompt: str, choices: Sequence[str]) -> str:
    while (answer := _prompt(prompt).strip().lower()) not in choices:
        print_text(f"  type one of {', '.join(choice or 'Enter' for choice in choices)}")
    return answer


def _prompt(prompt: str) -> str:
    typed: str = typer.prompt(prompt, default="", show_default=False)
    return typed


def _suggestion_json(suggestion: Suggestion) -> dict[str, Any]:
    """A suggestion without anything that tells who found a passage, or how high."""
    return {
        "text": suggestion.text,
        "category": suggestion.category,
        "pool": list(suggestion.methods),
        "facts": [{"value": fact.value, "document": fact.document} for fact in suggestion.facts],
        "candidates": [
            {
                "passage": candidate.passage.id,
                "document": candidate.judgement.document,
                "kind": candidate.passage.kind,
                "title": candidate.passage.title,
                "locator": locator_json(candidate.passage.locator),
                "text": candidate.passage.text,
                "quote": candidate.judgement.quote,
                "fields": dict(candidate.judgement.fields),
            }
            for candidate in suggestion.candidates
        ],
    }
