"""What does a graph say of a concept? `consilience neighbourhood` and `audit-assumptions`."""

from __future__ import annotations

from typing import Annotated

import typer

from consilience import render
from consilience.cli.app import AsJson, In, app, count, home, opened, print_json, tell, warn
from consilience.cli.quoting import tell_within, told_statement
from consilience.packs.research.auditing import Audit, Requirement
from consilience.packs.research.graphs import Concept, Near, Statement
from consilience.workspace.surveying import FARTHEST, Neighbourhood, audit, neighbourhood

Name = Annotated[str, typer.Argument(help="A name or an abbreviation of it.")]


@app.command("neighbourhood")
def neighbourhood_command(
    concept: Name,
    workspace: In = None,
    hops: Annotated[int, typer.Option("--hops", help="How many steps away.", max=FARTHEST)] = 1,
    types: Annotated[
        list[str] | None,
        typer.Option("--type", metavar="TYPE", help="Only such relations, e.g. REQUIRES."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell what stands around a concept of a graph, with the evidence of each relation."""
    with opened(home(workspace), "neighbourhood") as space:
        found = neighbourhood(space, concept, hops=hops, relations=types or ())
    if as_json:
        print_json(render.plainly(found))
        return
    _print_neighbourhood(found)


@app.command("audit-assumptions")
def audit_command(method: Name, workspace: In = None, as_json: AsJson = False) -> None:
    """Tell what a method requires, how each is tested, and what to use when it fails."""
    with opened(home(workspace), "audit-assumptions") as space:
        found = audit(space, method)
    if as_json:
        print_json(render.plainly(found))
        return
    _print_audit(found)


def _print_neighbourhood(found: Neighbourhood) -> None:
    tell(_headed(found.concept), style="bold")
    if not found.near:
        tell("nothing is said here of how it relates to others")
    before: tuple[int, str] | None = None
    for near in found.near:
        group = (near.hops, near.words)
        if near.hops == 1 and group != before:
            tell(f"  {near.words}", style="bold")
        elif near.hops > 1 and (before is None or before[0] != near.hops):
            tell(f"  {near.hops} steps away", style="bold")
        before = group
        _print_near(near)
    if found.left_out:
        warn(f"{found.left_out} more are left out; ask for one --type, or fewer --hops")


def _print_near(near: Near) -> None:
    tell_within(near.concept.name if near.hops == 1 else near.statement.words, 4)
    _print_evidence(near.statement, 6)


def _print_audit(found: Audit) -> None:
    direct = [one for one in found.requirements if one.direct]
    through = [one for one in found.requirements if not one.direct]
    parts = f", and {len(through)} through its parts" if through else ""
    tell(f"{_headed(found.method)} requires {count(len(direct), 'thing')}{parts}", style="bold")
    for text in found.unknown:
        tell_within(text, 2, style="yellow")
    printed: set[str] = set()
    for place, one in enumerate((*direct, *through), start=1):
        _print_requirement(place, one, printed)


def _print_requirement(place: int, one: Requirement, printed: set[str]) -> None:
    tell(f"\n{place:>2}. {_headed(one.concept)}", style="bold")
    for statement in one.way:
        _print_statement(statement, statement.words, 4, printed)
    if one.tests:
        tell("    tested by", style="bold")
    for statement in one.tests:
        _print_statement(statement, statement.start.name, 6, printed)
    if one.remedies:
        tell("    when it fails", style="bold")
    for remedy in one.remedies:
        caution = f" ({remedy.caution})" if remedy.caution else ""
        _print_statement(remedy.statement, f"{remedy.words}{caution}", 6, printed)
    if one.unknown:
        tell_within(f"not said here: {', '.join(one.unknown)}", 4, style="yellow")


def _print_statement(statement: Statement, words: str, indent: int, printed: set[str]) -> None:
    """What is said, and the words behind it; these once for a whole audit."""
    tell_within(words, indent)
    if statement.passage.id in printed:
        return
    printed.add(statement.passage.id)
    _print_evidence(statement, indent + 2)


def _print_evidence(statement: Statement, indent: int) -> None:
    for text, style in told_statement(statement):
        tell_within(text.lstrip(), indent + (2 if text.startswith(" ") else 0), style=style)


def _headed(concept: Concept) -> str:
    return f"{concept.name} ({concept.kind})" if concept.kind else concept.name
