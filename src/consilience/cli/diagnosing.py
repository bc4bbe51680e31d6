"""Where do the methods disagree? `diagnose`: sources, fusers and merged side by side."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from itertools import count, product
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated

import typer

from consilience.cli.app import (
    AsJson,
    In,
    app,
    home,
    opened,
    print_json,
    print_notes,
    print_table,
    tell,
)
from consilience.cli.asking import Collection, Expand, Rerank, Where
from consilience.cli.metadata import measure_metadata
from consilience.errors import UsageError
from consilience.filters import parse_filter
from consilience.kinds import graph_kinds
from consilience.measure.diagnosing import FIRST, Column, Diagnosis, Dispute, diagnose
from consilience.types import Outcome, Passage, Query

_DISPUTES = 8  # rows shown; --json has all
_TITLE = 60
_STANDS = ("row", "calculation")  # alike in many files: told with the file and the page


@app.command("diagnose")
def diagnose_command(
    question: Annotated[str, typer.Argument(help="The question; `-` reads it from stdin.")] = "",
    workspace: In = None,
    places: Annotated[int, typer.Option("-n", "--places", min=1, help="Places shown.")] = 5,
    where: Where = None,
    collection: Collection = None,
    expand: Expand = True,
    rerank: Rerank = True,
    metadata: Annotated[
        bool,
        typer.Option("--metadata", help="Measure instead what is read from questions."),
    ] = False,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", help="Questions with what they are about; the pack's by default."),
    ] = None,
    only: Annotated[
        str, typer.Option("--set", help="Only labels of this set, e.g. held-out.")
    ] = "",
    apply: Annotated[
        bool, typer.Option("--apply", help="Leave fields alone that are read badly.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show all methods side by side for one question: raw scores, overlap, disagreement."""
    if metadata:
        measure_metadata(workspace, labels, only=only, apply=apply, as_json=as_json)
        return
    if not question:
        raise UsageError("no question is given; ask one, or measure with --metadata")
    query = Query(
        text=sys.stdin.read() if question == "-" else question,
        limit=max(places, FIRST),
        filters=tuple(parse_filter(text) for text in where or ()),
        collections=tuple(collection or ()),
        expand=expand,
        rerank=rerank,
    )
    with opened(home(workspace), "diagnose") as space:
        found = asyncio.run(diagnose(query, space.engine, places=places))
    print_notes(found.notes)
    if as_json:
        print_json(found.as_json(places))
        return
    _print(found, places)


def _print(found: Diagnosis, places: int) -> None:
    plan = found.result.trace.plan
    names = _labels(found)
    tell(f"intent: {plan.intent} ({plan.rule})")
    if found.result.abstained:
        tell("the search abstains: nothing is likely to answer this")
    if plan.terms:
        tell(f"also looked for: {', '.join(term.text for term in plan.terms)}")
    for one in found.result.trace.trusts.values():
        reasons = f" ({'; '.join(one.reasons)})" if one.reasons else ""
        tell(
            f"trust in {one.collection}: meaning {one.meaning:.2f}, words {one.words:.2f}, "
            f"neighbours {one.neighbours:.2f}{reasons}"
        )
    _print_sources(found)
    _print_places(found, names, places)
    _print_fusers(found, names, places)
    _print_overlaps(found)
    _print_disputes(found, names)
    _print_words(found)
    _print_moves(found, names)
    _print_queries(found)
    _heading("the passages")
    for key, label in names.items():
        tell(f"  {label:>2}  {_told(found.passages[key])}")


def _labels(found: Diagnosis) -> dict[str, str]:
    """A, B, C … for the passages, in the order in which they are met."""
    letters = ("".join(one) for size in count(1) for one in product(ascii_uppercase, repeat=size))
    return dict(zip(found.passages, letters, strict=False))


def _heading(text: str) -> None:
    tell("")
    tell(text, style="bold")


def _print_sources(found: Diagnosis) -> None:
    _heading("what each source gave, in its own scores")
    rows = []
    for one in found.column("source"):
        spread = one.spread or {}
        numbers = [
            f"{spread[name]:.4g}"
            for name in ("max", "min", "spread", "gap_to_2", f"gap_to_{FIRST}")
        ]
        rows.append([one.name, str(len(one.order)), str(one.completed), *numbers])
    columns = ("source", "found", "scored since", "max", "min", "spread", "1st - 2nd", "1st - 10th")
    print_table(columns, rows)
    for ask in found.result.trace.outcomes:
        if ask.status != "ok":
            tell(f"  {ask.source}: {ask.status}{f', {ask.reason}' if ask.reason else ''}")
        _print_way(ask)


def _print_way(one: Outcome) -> None:
    """What a source says of how it came to what it found."""
    for step in one.steps:
        tell(f"  {one.source}: {step}")
    if one.missing:
        tell(f"  {one.source} lacks: {', '.join(one.missing)}")


def _print_queries(found: Diagnosis) -> None:
    """What engines were asked in their own language, as far as sources say."""
    for one in found.result.trace.outcomes:
        if one.query:
            _heading(f"what {one.source} asked its engine")
            tell(one.query, style="dim")


def _print_places(found: Diagnosis, names: Mapping[str, str], places: int) -> None:
    _heading(f"the first {places} places, with raw scores")
    shown = [*found.column("source"), *found.column("merged")]
    rows = [[one.name, *(_cell(one, place, names) for place in range(places))] for one in shown]
    print_table(["", *(f"#{place + 1}" for place in range(places))], rows)


def _cell(one: Column, place: int, names: Mapping[str, str]) -> str:
    if place >= len(one.order):
        return ""
    key, score = one.order[place]
    return f"{names.get(key, '?')} {score:.4g}"


def _print_fusers(found: Diagnosis, names: Mapping[str, str], places: int) -> None:
    _heading("what each fuser would do, before refining")
    rows = [
        [
            f"{one.name}{' (in use)' if one.name == found.method else ''}",
            " ".join(names.get(key, "?") for key, _ in one.order[:places]),
            f"{found.shared(one)} of {min(FIRST, len(one.order))}",
        ]
        for one in found.column("fuser")
    ]
    print_table(("fuser", f"first {places}", "of its first ten, in use too"), rows)


def _print_overlaps(found: Diagnosis) -> None:
    if not found.overlaps:
        return
    _heading("how far sources agree")
    rows = [
        [
            f"{one.one} and {one.other}",
            f"{one.jaccard:.2f}",
            str(one.common),
            "" if one.tau is None else f"{one.tau:+.2f}",
        ]
        for one in found.overlaps
    ]
    columns = ("sources", "Jaccard of the first 10", "found by both", "same order (tau)")
    print_table(columns, rows)


def _print_disputes(found: Diagnosis, names: Mapping[str, str]) -> None:
    if not found.disputes:
        return
    _heading("where they disagree most")
    for one in found.disputes[:_DISPUTES]:
        tell(f"  {names.get(one.passage, '?')}: {_dispute(one)}")
    if len(found.disputes) > _DISPUTES:
        tell(f"  and {len(found.disputes) - _DISPUTES} more (--json)")


def _dispute(one: Dispute) -> str:
    return (
        f"#{one.place} of {one.holds}, not among the first {one.asked} of {one.lacks}, which gives "
        f"it {one.score:.4g} (its last has {one.lowest:.4g})"
    )


def _print_words(found: Diagnosis) -> None:
    if not found.words:
        return
    _heading("the question's words in the evidence")
    groups: dict[str, list[str]] = {}
    for one in found.words:
        number = f" ({one.passages:,})" if one.passages else ""
        groups.setdefault(one.state, []).append(f"{one.word}{number}")
    for state in ("absent", "rare", "common", "not counted"):
        if state in groups:
            tell(f"  {state:<12} {', '.join(groups[state])}")


def _print_moves(found: Diagnosis, names: Mapping[str, str]) -> None:
    _heading(f"what completing scores changed among the first {FIRST} of {found.method}")
    if not found.moves:
        tell("  nothing")
    for one in found.moves:
        before = f"#{one.before}" if one.before else "beyond"
        after = f"#{one.after}" if one.after else "beyond"
        tell(f"  {names.get(one.passage, '?')}: {before} → {after}")


def _told(passage: Passage) -> str:
    """Where a text stands; of a row or a path, what it says: its place tells less."""
    place = f" · {passage.locator}" if str(passage.locator) else ""
    own = (
        " ".join(passage.text.split())
        if passage.kind in graph_kinds() | {"row", "path", "calculation"}
        else passage.title + place
    )
    short = own if len(own) <= _TITLE else own[: _TITLE - 1] + "…"
    page = f" p. {passage.locator.page}" if passage.locator.page else ""
    stands = f"{Path(passage.document).name}{page}  " if passage.kind in _STANDS else ""
    return f"{short}  {stands}{passage.kind} {passage.collection} {passage.id[:12]}"
