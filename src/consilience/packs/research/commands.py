"""Which commands does research add? concepts propose, concepts accept, neighbourhood, audit.

`concepts` grows the graph of concepts; the others print what the graph says of a concept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from consilience.cli.app import (
    AsJson,
    WorkspaceOption,
    check_writable,
    count,
    err,
    open_for_command,
    print_indented,
    print_json,
    print_note,
    print_text,
    print_warning,
    workspace_folder,
)
from consilience.cli.progress import ProgressBars
from consilience.cli.search import print_evidence
from consilience.errors import UsageError
from consilience.evidence.catalogue import Catalogue
from consilience.json_output import value_json
from consilience.models import open_generator
from consilience.packs.research.auditing import Audit, Requirement
from consilience.packs.research.concept_proposals import (
    LIMIT,
    Proposals,
    Source,
    propose,
    read_source,
)
from consilience.packs.research.concept_queries import (
    FARTHEST,
    Neighbourhood,
    find_neighbourhood,
    find_requirements,
)
from consilience.packs.research.graphs import Concept, Near, Statement
from consilience.packs.research.proposal_file import (
    ENDING,
    Accepted,
    Keys,
    accepted,
    check,
    merge,
    read_proposals,
    read_rejected,
    rejected_of,
    remember,
    undone,
    write_proposals,
)
from consilience.protocols import Generator
from consilience.settings import read_settings
from consilience.types import Passage
from consilience.workspace import STORE, Workspace

concepts_app = typer.Typer(
    help="The graph of concepts: propose what texts say, accept what is right.",
    no_args_is_help=True,
)

_PROPOSALS = f"proposals{ENDING}"
_ACCEPTED = f"my{ENDING}"
Name = Annotated[str, typer.Argument(help="A name or an abbreviation of it.")]


# --- concepts propose ---------------------------------------------------------------------


@concepts_app.command("propose")
def propose_command(
    workspace: WorkspaceOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help=f"The file; {_PROPOSALS} in the workspace."),
    ] = None,
    limit: Annotated[
        int, typer.Option("-n", "--limit", min=1, help="How many concepts, and how many relations.")
    ] = LIMIT,
    model: Annotated[
        bool | None,
        typer.Option(
            "--model/--no-model",
            help="Ask the language model as well; by default if one is set.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Propose concepts and relations that the texts state and the graph lacks.

    They are written to a file for you to read. None of them is used before you accept it.
    """
    folder = workspace_folder(workspace)
    path = out or folder / _PROPOSALS
    check_writable(path, "--out")
    generator = _open_generator(folder, wanted=model)
    source, rejected = _read_source(folder), read_rejected(folder / STORE)
    _refuse_open_decisions(path, source, rejected)
    found = propose(source, generator=generator, limit=limit, rejected=rejected)
    write_proposals(found, path, kinds=source.known.kinds)
    for note in found.notes:
        print_note(str(note))
    if as_json:
        print_json(_proposals_json(found, path))
        return
    _print_proposals(found, path)


def _read_source(folder: Path) -> Source:
    """The texts and the graph of a workspace; its catalogue is enough for that."""
    with closing(Workspace.peek(folder)) as catalogue:
        source = read_source(_passages(catalogue))
    if not source.passages:
        raise UsageError(
            "this workspace holds no text to read concepts from; add papers or notes with "
            "`consilience add PATH`"
        )
    return source


def _passages(catalogue: Catalogue) -> Iterator[Passage]:
    for collection in catalogue.counts():
        yield from catalogue.each(collection)


def _open_generator(folder: Path, *, wanted: bool | None) -> Generator | None:
    if wanted is False:
        return None
    settings = read_settings(folder)
    generator = open_generator(settings.models.generate, settings)
    if generator is None and wanted:
        raise UsageError(
            "no language model is set; name one as models.generate in the settings, or leave "
            "--model out"
        )
    return generator


def _refuse_open_decisions(path: Path, source: Source, rejected: Keys) -> None:
    """Do not overwrite decisions that were not taken in yet."""
    marked = undone(read_proposals(path), source.known, rejected) if path.exists() else 0
    if marked:
        raise UsageError(
            f"{path} holds {count(marked, 'decision')} that were not applied yet; run "
            f"`consilience concepts accept {path}` first, or name another file with --out"
        )


def _print_proposals(found: Proposals, path: Path) -> None:
    types = Counter(relation.type for relation in found.relations)
    listed = ", ".join(f"{number} {name}" for name, number in types.most_common())
    print_text(
        f"{count(len(found.concepts), 'concept')} and {count(len(found.relations), 'relation')} "
        f"proposed{f' ({listed})' if listed else ''}"
    )
    print_text(f"written to {path}; none is used yet")
    if found.concepts or found.relations:
        print_text(
            "next: set status to accepted or rejected there, then run "
            f"`consilience concepts accept {path}`"
        )


def _proposals_json(found: Proposals, path: Path) -> dict[str, Any]:
    return {
        "file": str(path),
        "concepts": [
            {
                "name": concept.name,
                "kind": concept.kind,
                "known": concept.known,
                "aliases": list(concept.aliases),
                "definition": concept.definition,
                "confidence": concept.confidence,
                "why": concept.why,
                "document": concept.evidence.document,
                "passage": concept.evidence.passage,
                "quote": concept.evidence.quote,
            }
            for concept in found.concepts
        ],
        "relations": [
            {
                "source": relation.source,
                "type": relation.type,
                "target": relation.target,
                "confidence": relation.confidence,
                "why": relation.why,
                "document": relation.evidence.document,
                "passage": relation.evidence.passage,
                "quote": relation.evidence.quote,
            }
            for relation in found.relations
        ],
        "notes": list(found.notes),
    }


# --- concepts accept ----------------------------------------------------------------------


@concepts_app.command()
def accept(
    file: Annotated[Path, typer.Argument(help="A file of proposals, with your decisions.")],
    workspace: WorkspaceOption = None,
    into: Annotated[
        Path | None,
        typer.Option("--into", metavar="FILE", help=f"Where to; {_ACCEPTED} in the workspace."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Accept what is still proposed as well.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take in the proposals that you marked `status: accepted`; remember the rejected ones.

    They are checked, merged into a file of concepts, and added to the workspace.
    """
    folder = workspace_folder(workspace)
    path = into or folder / _ACCEPTED
    check_writable(path, "--into")
    entries = read_proposals(file)
    taken = accepted(entries, everything=everything)
    source = _read_source(folder)
    check(taken, source.known, source.has, file=file.name)
    rejected = rejected_of(entries)
    if rejected:
        remember(folder / STORE, read_rejected(folder / STORE) | rejected)
    if taken.concepts or taken.relations:
        merge(taken, path, source.known)
        _add_to_workspace(folder, path)
    _print_accepted(taken, len(rejected), path, as_json=as_json)


def _add_to_workspace(folder: Path, path: Path) -> None:
    """Add the file of concepts, as `consilience add` would."""
    with open_for_command(folder, "concepts accept") as space, ProgressBars(err) as bars:
        report = space.add([path], progress=bars)
    for name, note in report.notes:
        print_note(f"{name}: {note}")
    if report.failed:
        name, reason = report.failed[0]
        raise UsageError(f"{name} was written, but could not be read: {reason}")
    if report.ignored:
        raise UsageError(f"{path} was written, but no loader here reads files that end in {ENDING}")


def _print_accepted(taken: Accepted, rejected: int, path: Path, *, as_json: bool) -> None:
    new = sum(not concept.known for concept in taken.concepts)
    is_used = bool(taken.concepts or taken.relations)
    if as_json:
        print_json(
            {
                "file": str(path) if is_used else None,
                "concepts": new,
                "renamed": len(taken.concepts) - new,
                "relations": len(taken.relations),
                "rejected": rejected,
                "untyped": taken.untyped,
            }
        )
        return
    if not is_used:
        print_text("nothing is marked `status: accepted`, so nothing was added")
    else:
        print_text(
            f"{count(new, 'concept')} and {count(len(taken.relations), 'relation')} added, "
            f"{count(len(taken.concepts) - new, 'known concept')} with further names; see {path}"
        )
    if rejected:
        print_text(f"{rejected:,} rejected, and not proposed again")
    if taken.untyped:
        print_note(
            f"{count(taken.untyped, 'relation')} without a type left; give each a type first"
        )


# --- neighbourhood ------------------------------------------------------------------------


def neighbourhood(
    concept: Name,
    workspace: WorkspaceOption = None,
    hops: Annotated[int, typer.Option("--hops", help="How many steps away.", max=FARTHEST)] = 1,
    types: Annotated[
        list[str] | None,
        typer.Option("--type", metavar="TYPE", help="Only such relations, e.g. REQUIRES."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what is around a concept in the graph, with the evidence for each relation."""
    with open_for_command(workspace_folder(workspace), "neighbourhood") as space:
        found = find_neighbourhood(space, concept, hops=hops, relations=types or ())
    if as_json:
        print_json(value_json(found))
        return
    _print_neighbourhood(found)


def _print_neighbourhood(found: Neighbourhood) -> None:
    print_text(_heading(found.concept), style="bold")
    if not found.near:
        print_text("no text or graph here says how it relates to others")
    before: tuple[int, str] | None = None
    for near in found.near:
        group = (near.hops, near.words)
        if near.hops == 1 and group != before:
            print_text(f"  {near.words}", style="bold")
        elif near.hops > 1 and (before is None or before[0] != near.hops):
            print_text(f"  {near.hops} steps away", style="bold")
        before = group
        _print_near(near)
    if found.left_out:
        print_warning(f"{found.left_out} more are left out; ask for one --type, or fewer --hops")


def _print_near(near: Near) -> None:
    print_indented(near.concept.name if near.hops == 1 else near.statement.words, 4)
    print_evidence(near.statement.passage, near.statement.evidence, 6)


# --- audit-assumptions --------------------------------------------------------------------


def audit_assumptions(
    method: Name, workspace: WorkspaceOption = None, as_json: AsJson = False
) -> None:
    """Show what a method requires, how each is tested, and what to use when it fails."""
    with open_for_command(workspace_folder(workspace), "audit-assumptions") as space:
        found = find_requirements(space, method)
    if as_json:
        print_json(value_json(found))
        return
    _print_audit(found)


def _print_audit(found: Audit) -> None:
    direct = [requirement for requirement in found.requirements if requirement.direct]
    through = [requirement for requirement in found.requirements if not requirement.direct]
    parts = f", and {len(through)} through its parts" if through else ""
    title = f"{_heading(found.method)} requires {count(len(direct), 'thing')}{parts}"
    print_text(title, style="bold")
    for text in found.unknown:
        print_indented(text, 2, style="yellow")
    printed: set[str] = set()
    for place, requirement in enumerate((*direct, *through), start=1):
        _print_requirement(place, requirement, printed)


def _print_requirement(place: int, requirement: Requirement, printed: set[str]) -> None:
    print_text(f"\n{place:>2}. {_heading(requirement.concept)}", style="bold")
    for statement in requirement.way:
        _print_statement(statement, statement.words, 4, printed)
    if requirement.tests:
        print_text("    tested by", style="bold")
    for statement in requirement.tests:
        _print_statement(statement, statement.start.name, 6, printed)
    if requirement.remedies:
        print_text("    when it fails", style="bold")
    for remedy in requirement.remedies:
        caution = f" ({remedy.caution})" if remedy.caution else ""
        _print_statement(remedy.statement, f"{remedy.words}{caution}", 6, printed)
    if requirement.unknown:
        print_indented(f"not said here: {', '.join(requirement.unknown)}", 4, style="yellow")


def _print_statement(statement: Statement, words: str, indent: int, printed: set[str]) -> None:
    """Print a statement, and its evidence if this audit has not printed it yet."""
    print_indented(words, indent)
    if statement.passage.id not in printed:
        printed.add(statement.passage.id)
        print_evidence(statement.passage, statement.evidence, indent + 2)


def _heading(concept: Concept) -> str:
    return f"{concept.name} ({concept.kind})" if concept.kind else concept.name
