"""Golden sets in the terminal: suggest questions to judge, look for faults, convert."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from consilience.cli.app import (
    AsJson,
    In,
    app,
    count,
    home,
    opened,
    print_json,
    say,
    tell,
    warn,
)
from consilience.cli.judging import Judge
from consilience.errors import UsageError
from consilience.measure.golden.files import (
    add_question,
    question_digest,
    read_golden,
    write_golden,
)
from consilience.measure.golden.health import findings
from consilience.measure.golden.ideas import Idea
from consilience.measure.golden.pooling import DEPTH
from consilience.measure.golden.sealing import sealed
from consilience.measure.golden.suggest import COUNT, Proposal, Suggester, fresh, questions_in
from consilience.measure.values import Golden, Question
from consilience.render import locator_json
from consilience.workspace import Workspace

golden_app = typer.Typer(
    help="Golden sets: questions with the places that answer them.", no_args_is_help=True
)
app.add_typer(golden_app, name="golden")

DEFAULT = "golden.yaml"
_STYLES = {"error": "red", "warning": "yellow"}
_FEW = 5
_BY_RULE = (
    "note: these questions are made by rule from the words of the text; questions of your own, "
    "one a line in a file, are better: --questions FILE"
)


@golden_app.command()
def suggest(
    workspace: In = None,
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
    depth: Annotated[int, typer.Option(min=1, help="First finds taken from each method.")] = DEPTH,
    seed: Annotated[int, typer.Option(help="Another seed gives other questions.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Propose questions and evidence, for you to accept, grade or reject.

    The evidence is pooled from every source and several fusers, and shown in a random order
    without scores. Every judged question is saved at once; run it again to go on.
    """
    folder = home(workspace)
    path = out or folder / DEFAULT
    with opened(folder, "golden suggest") as space:
        golden = _begun(path, space)
        maker = Suggester(space, collections=collection or (), seed=seed, depth=depth)
        known = {question_digest(one) for one in golden.questions} | _skipped(space, path)
        if questions is not None:
            todo = list(fresh(questions_in(questions, category=category), known))[:number]
        else:
            todo = maker.ideas(number, known=known)
        if as_json:
            print_json([_proposal_json(maker.propose(one)) for one in todo])
            return
        _judge_all(todo, maker, _Session(space, path, golden), by_rule=questions is None)


@golden_app.command()
def health(
    file: Annotated[
        Path | None, typer.Argument(help="The set; golden.yaml in the workspace.")
    ] = None,
    workspace: In = None,
    as_json: AsJson = False,
) -> None:
    """Look for faults of a set: labels that are lost, double, trivial, common or one-sided.

    Ends with status 1 if there is an error, which would make numbers wrong.
    """
    folder = home(workspace)
    golden = read_golden(file or folder / DEFAULT)
    catalogue = Workspace.peek(folder)
    found = findings(golden, catalogue)
    catalogue.close()
    errors = sum(one.level == "error" for one in found)
    if as_json:
        print_json({"golden": golden.name, "findings": [one.as_json() for one in found]})
    else:
        for one in found:
            say(f"[{_STYLES[one.level]}]{one.level}[/]: [bold]{one.name}[/]")
            tell(f"  {one.told}")
            if one.questions:
                tell(f"  questions: {_listed(one.questions)}")
            tell(f"  to do: {one.advice}")
        judgements = sum(len(one.judgements) for one in golden.questions)
        told = f"{count(len(golden.questions), 'question')}, {count(judgements, 'judgement')}"
        warnings = len(found) - errors
        tell(f"{told}: {count(errors, 'error')}, {count(warnings, 'warning')}")
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
    golden = sealed(read_golden(source)) if seal else read_golden(source)
    if target.exists():
        raise UsageError(f"{target} is there already; name another file, or delete it")
    write_golden(golden, target)
    if as_json:
        print_json({"file": str(target), "questions": len(golden.questions)})
    else:
        tell(f"{count(len(golden.questions), 'question')} written to {target}")


# --- suggesting -------------------------------------------------------------------------


@dataclass(slots=True)
class _Session:
    """A set that grows, and where it is kept."""

    space: Workspace
    path: Path
    golden: Golden
    added: int = 0

    def add(self, question: Question) -> None:
        self.golden = add_question(self.golden, question, self.path)
        self.added += 1

    def skip(self, text: str) -> None:
        digests = _skipped(self.space, self.path) | {question_digest(Question(id="", text=text))}
        self.space.catalogue.set_fact(_skips(self.path), json.dumps(sorted(digests)))


def _judge_all(todo: list[Idea], maker: Suggester, session: _Session, *, by_rule: bool) -> None:
    if by_rule and todo:
        warn(_BY_RULE, style="yellow")
    judge = Judge(maker)
    for place, idea in enumerate(todo, start=1):
        verdict = judge.ask(maker.propose(idea), place=place, total=len(todo))
        if verdict == "quit":
            break
        if verdict == "skip":
            session.skip(idea.text)
            continue
        taken = {one.id for one in session.golden.questions}
        session.add(verdict.proposal.question(verdict.judgements, taken=taken))
        if verdict.proposal.text != idea.text:
            session.skip(idea.text)  # it was rewritten: not to be asked again as it was
    have = count(len(session.golden.questions), "question")
    if not todo:
        tell("nothing new to ask; write questions of your own and name them with --questions")
    tell(f"{session.added} added; {session.path} holds {have}")


def _begun(path: Path, space: Workspace) -> Golden:
    """The set so far, or an empty one that knows its corpus."""
    if path.exists():
        return read_golden(path)
    return Golden(name=path.stem, questions=(), fingerprint=space.catalogue.fingerprint())


def _skipped(space: Workspace, path: Path) -> set[str]:
    """The digests of questions that were left out of a set, and need not be asked again."""
    return set(json.loads(space.catalogue.fact(_skips(path)) or "[]"))


def _skips(path: Path) -> str:
    return f"golden skipped {path.absolute()}"


def _proposal_json(proposal: Proposal) -> dict[str, Any]:
    """A proposal without anything that tells who found a passage, or how high."""
    return {
        "text": proposal.text,
        "category": proposal.category,
        "pool": list(proposal.methods),
        "facts": [{"value": one.value, "document": one.document} for one in proposal.facts],
        "candidates": [
            {
                "passage": one.passage.id,
                "document": one.judgement.document,
                "kind": one.passage.kind,
                "title": one.passage.title,
                "locator": locator_json(one.passage.locator),
                "text": one.passage.text,
                "quote": one.judgement.quote,
                "fields": dict(one.judgement.fields),
            }
            for one in proposal.candidates
        ],
    }


def _listed(keys: tuple[str, ...]) -> str:
    more = len(keys) - _FEW
    return ", ".join(keys[:_FEW]) + (f" and {more} more" if more > 0 else "")
