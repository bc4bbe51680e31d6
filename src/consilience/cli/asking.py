"""Questions, and the reasons behind what comes back: search, show, why, why-not."""

from __future__ import annotations

import asyncio
import sys
from contextlib import closing
from pathlib import Path, PurePath
from typing import Annotated

import typer
from rich.markup import escape

from consilience import explain, render
from consilience.answer.labels import place_of
from consilience.cli.app import (
    AsJson,
    In,
    app,
    count,
    home,
    opened,
    print_json,
    print_notes,
    say,
    tell,
    warn,
)
from consilience.cli.showing import attribution, print_standing, standing_json, write_images
from consilience.filters import parse_filter
from consilience.kinds import visible_metadata
from consilience.types import Hit, Outcome, Passage, Query, Result, Vote
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
Image = Annotated[
    Path | None,
    typer.Option("--image", metavar="FILE", help="Draw its page there, with the cells outlined."),
]
Column = Annotated[
    int | None, typer.Option("--column", help="The cell that is meant, by its column in --json.")
]
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
    query = query_of(question, limit, where, collection, expand, rerank)
    with opened(home(workspace), "search") as space:
        result = space.find(query)
    for note in render.notes_for_people(result):
        warn(f"note: {note}", style="yellow")
    if as_json:
        print_json(render.result_json(result))
        return
    print_result(result)


@app.command()
def show(
    passage: Annotated[
        str, typer.Argument(help="A passage's id, or its first 4 or more characters.")
    ],
    workspace: In = None,
    image: Image = None,
    column: Column = None,
    as_json: AsJson = False,
) -> None:
    """Print a passage whole, of a row its table, then its file and what is known of it."""
    folder = home(workspace)
    with closing(Workspace.peek(folder)) as catalogue:
        found = catalogue.resolve(passage)
        standing = attribution(found, folder, catalogue, column)
        images = write_images(standing, image) if image else []
        if as_json:
            told = {**render.passage_json(found), "text": found.text, **standing_json(standing)}
            print_json({**told, "images": [str(one) for one in images]} if images else told)
            return
        say(_heading(found))
        tell("")
        tell(found.text)
        tell("")
        print_standing(standing, images)
    tell(f"from: {folder / found.document}", style="dim")
    for line in _known(found):
        tell(line, style="dim")


@app.command()
def why(
    question: Question,
    which: Annotated[str, typer.Argument(help="A place (1, 2, …) or a passage id.")] = "",
    workspace: In = None,
    limit: Limit = 10,
    where: Where = None,
    collection: Collection = None,
    expand: Expand = True,
    rerank: Rerank = True,
    as_json: AsJson = False,
) -> None:
    """Explain ranks: every vote, weight, boost, merge and move, adding up to the score."""
    query = query_of(question, limit, where, collection, expand, rerank)
    with opened(home(workspace), "why") as space:
        result = space.find(query)
        account = explain.account(result, space, which)
    print_notes(result.notes)
    if as_json:
        print_json(render.account_json(result, account))
        return
    for line in (*account.plan, *account.chance):
        tell(line, style="dim" if line.startswith("  ") else "")
    for one in account.hits:
        say(f"\n[bold]{one.place}.[/] {_heading(one.hit.passage)}")
        for line in one.lines:
            tell(f"   {line}")
    tell("")
    _print_outcomes(result.trace.outcomes)


@app.command("why-not")
def why_not(
    question: Question,
    passage: Annotated[str, typer.Argument(help="The id of the passage that is missing.")],
    workspace: In = None,
    limit: Limit = 10,
    where: Where = None,
    collection: Collection = None,
    expand: Expand = True,
    rerank: Rerank = True,
    as_json: AsJson = False,
) -> None:
    """Tell at which step a passage was lost, and what would have to change."""
    query = query_of(question, limit, where, collection, expand, rerank)
    with opened(home(workspace), "why-not") as space:
        found = space.catalogue.resolve(passage)
        pending = space.catalogue.is_pending(found.id)
        absence = asyncio.run(explain.why_not(query, found, space.engine, pending=pending))
    if as_json:
        print_json(render.absence_json(absence))
        return
    say(_heading(absence.passage))
    say(f"lost at: [bold]{absence.step}[/]" if absence.place is None else "[green]found[/]")
    for reason in absence.reasons:
        tell(f"  {reason}")
    tell(f"to change that: {absence.remedy}")


def print_result(result: Result) -> None:
    """The hits best first, each with where it stands and who voted; then what sources did."""
    for place, hit in enumerate(result.hits, start=1):
        _print_hit(place, hit, result)
    if not result.hits:
        tell("nothing found")
    _print_outcomes(result.trace.outcomes)


def query_of(
    question: str,
    limit: int,
    where: list[str] | None,
    collection: list[str] | None,
    expand: bool = True,
    rerank: bool = True,
) -> Query:
    """What the options of a question ask for; `-` reads the question from stdin."""
    return Query(
        text=sys.stdin.read() if question == "-" else question,
        limit=limit,
        filters=tuple(parse_filter(text) for text in where or ()),
        collections=tuple(collection or ()),
        expand=expand,
        rerank=rerank,
    )


def _heading(passage: Passage) -> str:
    place, name = place_of(passage), render.called(passage)
    where = f" · {escape(place)}" if place and place != name else ""
    return (
        f"[bold]{escape(name)}[/]{where}  "
        f"[cyan]{passage.kind}[/] [dim]{passage.collection} {passage.id[:12]}[/]"
    )


def _known(passage: Passage) -> list[str]:
    """What is known of a passage, a line a field; of what only look-ups read, how much there is."""
    told = [
        f"{name}: {'; '.join(map(str, value)) if isinstance(value, tuple) else value}"
        for name, value in visible_metadata(passage).items()
    ]
    positions, focus = (_number(passage, name) for name in ("positions", "focus"))
    if positions:
        spoken = f", {focus} of them spoken of" if focus else ""
        told.append(f"{count(positions, 'position')}{spoken} (whole with --json)")
    return told


def _number(passage: Passage, name: str) -> int:
    value = passage.metadata.get(name, ())
    return len(value) if isinstance(value, tuple) else 1


def _print_hit(place: int, hit: Hit, result: Result) -> None:
    say(f"[bold]{place:>2}.[/] {_heading(hit.passage)}")
    tell(f"    {render.preview(hit.passage, result.query.text)}")
    file = PurePath(hit.passage.document).name
    found = [f"found by {_voters(hit)}"] if hit.sources else []
    likely = [] if hit.relevance is None else [f"relevance {hit.relevance:.2f}"]
    parts = [*likely, *found, f"{hit.score:.4f}", *render.moves(hit), file]
    tell(f"    {' · '.join(parts)}", style="dim")
    for vote in _single(hit):
        if vote.because:
            tell(f"    {vote.because}", style="dim")


def _single(hit: Hit) -> list[Vote]:
    """The votes of sources, not of collections."""
    return [part for vote in hit.votes for part in vote.parts or (vote,)]


def _voters(hit: Hit) -> str:
    """`bm25 #1 + dense #1`; with the collection in front only where that is not the hit's own."""
    votes = [vote for vote in _single(hit) if vote.rank]
    own = f"{hit.passage.collection}/"
    bare = all(vote.source.startswith(own) for vote in votes)
    return " + ".join(
        f"{vote.source.removeprefix(own) if bare else vote.source} #{vote.rank}" for vote in votes
    )


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
