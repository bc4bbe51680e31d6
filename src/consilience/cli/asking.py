"""Questions, and the reasons behind what comes back: search, show, why, why-not."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from consilience import explain, render
from consilience.cli.app import AsJson, In, app, home, out, print_json, print_notes, say
from consilience.errors import UsageError
from consilience.filters import parse_filter
from consilience.types import Hit, Outcome, Passage, Query, Result
from consilience.workspace import Workspace

Question = Annotated[str, typer.Argument(help="The question; `-` reads it from stdin.")]
Limit = Annotated[int, typer.Option("-n", "--limit", help="How many results.")]
Where = Annotated[
    list[str] | None,
    typer.Option("--where", metavar="FILTER", help="Only what meets this, e.g. 'year>=1900'."),
]
Collection = Annotated[
    list[str] | None, typer.Option("-c", "--collection", help="Only this collection.")
]
Expand = Annotated[bool, typer.Option("--expand/--no-expand", help="Add synonyms and aliases.")]
Rerank = Annotated[bool, typer.Option("--rerank/--no-rerank", help="Use the reranker, if set.")]
_STYLES = {"ok": "green", "empty": "dim", "slow": "yellow", "failed": "red", "skipped": "dim"}


@app.command()
def search(
    question: Question,
    workspace: In = None,
    limit: Limit = 10,
    where: Where = None,
    collection: Collection = None,
    expand: Expand = True,
    rerank: Rerank = True,
    as_json: AsJson = False,
) -> None:
    """Ask in words, over every source at once; results come best first."""
    query = _query(question, limit, where, collection, expand, rerank)
    result = _ask(query, home(workspace), "consilience search")
    print_notes(result.notes)
    if as_json:
        print_json(render.result_json(result))
        return
    print_result(result)


@app.command()
def show(
    passage: Annotated[str, typer.Argument(help="A passage's id, or its first characters.")],
    workspace: In = None,
    as_json: AsJson = False,
) -> None:
    """Print a passage whole, with where it stands."""
    catalogue = Workspace.peek(home(workspace))
    found = catalogue.resolve(passage)
    catalogue.close()
    if as_json:
        print_json({**render.passage_json(found), "text": found.text})
        return
    say(_heading(found))
    for name, value in found.metadata.items():
        out.print(f"  {name}: {value}", style="dim", markup=False)
    out.print()
    say(escape(found.text))


@app.command()
def why(
    question: Question,
    which: Annotated[str, typer.Argument(help="A place (1, 2, …) or a passage id.")] = "",
    workspace: In = None,
    limit: Limit = 10,
    where: Where = None,
    collection: Collection = None,
    as_json: AsJson = False,
) -> None:
    """Explain ranks: every vote, weight, boost, merge and move, adding up to the score."""
    query = _query(question, limit, where, collection)
    result = _ask(query, home(workspace), "consilience why")
    chosen = _chosen(result, which)
    print_notes(result.notes)
    if as_json:
        hits = [{"place": n, **render.hit_json(hit, query.text)} for n, hit in chosen]
        print_json({**render.result_json(result), "results": hits})
        return
    _print_plan(result)
    for place, hit in chosen:
        say(f"\n[bold]{place}.[/] {_heading(hit.passage)}")
        for line in explain.why(hit):
            say(f"   {escape(line)}")
    out.print()
    _print_outcomes(result.trace.outcomes)


@app.command("why-not")
def why_not(
    question: Question,
    passage: Annotated[str, typer.Argument(help="The id of the passage that is missing.")],
    workspace: In = None,
    limit: Limit = 10,
    where: Where = None,
    collection: Collection = None,
    as_json: AsJson = False,
) -> None:
    """Tell at which step a passage was lost, and what would have to change."""
    query = _query(question, limit, where, collection)
    with Workspace(home(workspace), command="consilience why-not") as opened:
        found = opened.catalogue.resolve(passage)
        absence = asyncio.run(explain.why_not(query, found, opened.engine))
    if as_json:
        print_json({**asdict(absence), "passage": render.passage_json(absence.passage)})
        return
    say(_heading(absence.passage))
    out.print(f"lost at: [bold]{absence.step}[/]" if absence.place is None else "[green]found[/]")
    for reason in absence.reasons:
        say(f"  {escape(reason)}")
    say(f"to change that: {escape(absence.remedy)}")


def print_result(result: Result) -> None:
    """The hits best first, each with where it stands and who voted; then what sources did."""
    for place, hit in enumerate(result.hits, start=1):
        _print_hit(place, hit, result)
    if not result.hits:
        out.print("nothing found")
    _print_outcomes(result.trace.outcomes)


def _query(
    question: str,
    limit: int,
    where: list[str] | None,
    collection: list[str] | None,
    expand: bool = True,
    rerank: bool = True,
) -> Query:
    return Query(
        text=sys.stdin.read() if question == "-" else question,
        limit=limit,
        filters=tuple(parse_filter(text) for text in where or ()),
        collections=tuple(collection or ()),
        expand=expand,
        rerank=rerank,
    )


def _ask(query: Query, folder: Path, command: str) -> Result:
    with Workspace(folder, command=command) as opened:
        return opened.ask(query)


def _chosen(result: Result, which: str) -> list[tuple[int, Hit]]:
    numbered = list(enumerate(result.hits, start=1))
    if not which:
        return numbered[:3]
    fits = [
        (place, hit)
        for place, hit in numbered
        if which == str(place) or (len(which) >= 4 and hit.passage.id.startswith(which))
    ]
    if not fits:
        raise UsageError(
            f"{which!r} is neither one of the {len(numbered)} places nor the id of a result; "
            "for a passage that is missing use `consilience why-not`"
        )
    return fits


def _heading(passage: Passage) -> str:
    place = f" · {escape(str(passage.locator))}" if str(passage.locator) else ""
    return (
        f"[bold]{escape(passage.title)}[/]{place}  "
        f"[cyan]{passage.kind}[/] [dim]{passage.collection} {passage.id[:12]}[/]"
    )


def _print_hit(place: int, hit: Hit, result: Result) -> None:
    votes = [part for vote in hit.votes for part in vote.parts or (vote,)]
    told = " + ".join(f"{vote.source} #{vote.rank}" for vote in votes)
    say(f"[bold]{place:>2}.[/] {_heading(hit.passage)}")
    say(f"    {escape(render.preview(hit.passage, result.query.text))}")
    say(f"    [dim]{hit.score:.4f} = {escape(told)}[/]")


def _print_plan(result: Result) -> None:
    plan = result.trace.plan
    out.print(f"intent: [bold]{plan.intent}[/] ({escape(plan.rule)})")
    if len(result.trace.shares) > 1:
        told = " · ".join(f"{name} {share:.2f}" for name, share in result.trace.shares.items())
        out.print(f"share of voice, by the best similarity found: {told}", markup=False)
    for term in plan.terms:
        line = f"also looked for: {term.text} (weight {term.weight:g}, for {term.origin!r})"
        out.print(line, markup=False)


def _print_outcomes(outcomes: tuple[Outcome, ...]) -> None:
    """One line for each collection: what each of its sources did, and in how long."""
    by_collection: dict[str, list[str]] = {}
    for one in outcomes:
        collection, _, source = one.source.partition("/")
        told = f"{source} [{_STYLES[one.status]}]{one.status}[/]"
        if one.status not in ("skipped", "empty"):
            told += f" {one.count} in {one.ms:.0f} ms"
        by_collection.setdefault(collection, []).append(told)
    for collection, told_all in by_collection.items():
        say(f"[dim]{collection}: {' · '.join(told_all)}[/]")
