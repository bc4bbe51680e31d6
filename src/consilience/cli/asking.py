"""Questions, and the reasons behind what comes back: search, show, why, why-not."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import PurePath
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
from consilience.errors import UsageError
from consilience.filters import parse_filter
from consilience.names import mentioned
from consilience.packs import Pack
from consilience.pipeline import meant
from consilience.plan import kind_of
from consilience.relevance import Calibration, signs_of
from consilience.types import Ask, Hit, Outcome, Passage, Plan, Query, Result, Trust
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
# Sources that compare texts: criteria and nodes are no use to them.
_WORDS_ONLY = ("dense", "bm25")
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
    as_json: AsJson = False,
) -> None:
    """Print a passage whole, then its file and what is known of it."""
    folder = home(workspace)
    catalogue = Workspace.peek(folder)
    found = catalogue.resolve(passage)
    catalogue.close()
    if as_json:
        print_json({**render.passage_json(found), "text": found.text})
        return
    say(_heading(found))
    tell("")
    tell(found.text)
    tell("")
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
        nodes = _nodes(space, query.text)
        likely = _likely(result, space.engine.calibration, space.pack)
        chance = explain.answerable(result, space.engine.calibration)
    chosen = _chosen(result, which)
    print_notes(result.notes)
    if as_json:
        hits = [{"place": n, **render.hit_json(hit, query.text)} for n, hit in chosen]
        print_json({**render.result_json(result), "results": hits})
        return
    _print_plan(result, nodes)
    for line in chance:
        tell(line)
    for place, hit in chosen:
        say(f"\n[bold]{place}.[/] {_heading(hit.passage)}")
        for line in (*explain.why(hit), *likely[place - 1 : place]):
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
        print_json({**asdict(absence), "passage": render.passage_json(absence.passage)})
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


def _likely(result: Result, calibration: Calibration | None, pack: Pack) -> list[str]:
    """How the relevance of each hit comes about; nothing where there is no calibration."""
    if calibration is None:
        return []
    exactly = meant(result.hits, result.trace.plan, pack)
    return [calibration.explained(one) for one in signs_of(result.hits, result.query.text, exactly)]


def _nodes(space: Workspace, question: str) -> dict[str, str]:
    """The nodes that a question names, and the words by which it does."""
    mentions = mentioned(question, space.catalogue.mentions)
    return {one.value: one.surface for one in mentions if one.role == "node"}


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
    place = place_of(passage)
    where = f" · {escape(place)}" if place else ""
    return (
        f"[bold]{escape(render.called(passage))}[/]{where}  "
        f"[cyan]{passage.kind}[/] [dim]{passage.collection} {passage.id[:12]}[/]"
    )


def _known(passage: Passage) -> list[str]:
    """What is known of a passage, a line a field; of what only look-ups read, how much there is."""
    told = [
        f"{name}: {'; '.join(map(str, value)) if isinstance(value, tuple) else value}"
        for name, value in passage.facts.items()
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


def _voters(hit: Hit) -> str:
    """`bm25 #1 + dense #1`; with the collection in front only where that is not the hit's own."""
    votes = [part for vote in hit.votes for part in vote.parts or (vote,) if part.rank]
    own = f"{hit.passage.collection}/"
    bare = all(vote.source.startswith(own) for vote in votes)
    return " + ".join(
        f"{vote.source.removeprefix(own) if bare else vote.source} #{vote.rank}" for vote in votes
    )


def _print_plan(result: Result, nodes: Mapping[str, str]) -> None:
    """All that the plan used: the rule, shares of voice, added words, what each source got."""
    plan = result.trace.plan
    say(f"intent: [bold]{escape(plan.intent)}[/] ({escape(plan.rule)})")
    shares = render.shares_asked(result.trace)
    if len(shares) > 1:
        told = " · ".join(f"{name} {share:.2f}" for name, share in shares.items())
        tell(f"share of voice, by the best similarity found: {told}")
    for trust in result.trace.trusts.values():
        _print_trust(trust)
    for term in plan.terms:
        tell(f"also looked for: {term.text} (weight {term.weight:g}, for {term.origin!r})")
    for ask in plan.asks:
        if told := _given(ask, nodes):
            tell(f"{ask.vote} was given {told}")
    _print_preferences(plan)


def _print_trust(trust: Trust) -> None:
    """How far each side is trusted in a collection for this question, and for what reason."""
    tell(
        f"trust in {trust.collection}: meaning {trust.meaning:.2f} · words {trust.words:.2f} · "
        f"neighbours {trust.neighbours:.2f}"
    )
    for reason in trust.reasons:
        tell(f"  {reason}", style="dim")


def _given(ask: Ask, nodes: Mapping[str, str]) -> str:
    """What a source was asked beyond the words: criteria, nodes to start from, relations."""
    if ask.skip or kind_of(ask.source) in _WORDS_ONLY:
        return ""
    request = ask.request
    parts = {
        "rows": [str(one) for one in request.criteria],
        "from": [nodes.get(one, one) for one in request.seeds],
        "along": list(request.intents),
    }
    return "; ".join(f"{name}: {', '.join(told)}" for name, told in parts.items() if told)


def _print_preferences(plan: Plan) -> None:
    """What may move a passage after fusing."""
    for boost in plan.boosts:
        tell(f"preferred: {boost.condition} (+{boost.factor:.0%}, {boost.reason})")
    for identifier in plan.identifiers:
        tell(f"meant exactly: {identifier}")
    for kind, places in plan.cover.items():
        tell(f"shown by place {places}, if there is any: {kind}")


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
