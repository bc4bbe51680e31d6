"""What was found, and why? search, show, why, why-not, path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path, PurePath
from textwrap import fill
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape
from rich.table import Table

from consilience import explain, json_output, plugins
from consilience.cli.app import (
    AsJson,
    WorkspaceOption,
    app,
    check_writable,
    open_for_command,
    out,
    print_indented,
    print_json,
    print_markup,
    print_note,
    print_notes,
    print_table,
    print_text,
    takes_query,
    workspace_folder,
)
from consilience.errors import MissingExtra, UsageError
from consilience.kinds import hidden_fields, visible_metadata
from consilience.passage_display import name_of, place_of, preview
from consilience.provenance import PassageTable, Provenance, join_headings
from consilience.settings import read_settings
from consilience.types import Chain, Hit, Outcome, Passage, Query, Vote
from consilience.workspace import Workspace
from consilience.workspace.graph_paths import describe_chain as chain_arithmetic
from consilience.workspace.graph_paths import longest_chain, why_first
from consilience.workspace.supporting_passage import FindSupport, supporting_passages

Image = Annotated[
    Path | None,
    typer.Option("--image", metavar="FILE", help="Draw its page there, with the cells outlined."),
]
Column = Annotated[
    int | None, typer.Option("--column", help="The cell to mark, by its column in --json.")
]
_STATUS_STYLES = {"ok": "green", "slow": "yellow", "failed": "red"}
_ARROW = "→"
_CELL_WIDTH = 28  # characters of a row's label, or of a cell, that stay on one line


# --- commands -----------------------------------------------------------------------------


@app.command()
@takes_query
def search(
    query: Query,
    workspace: WorkspaceOption = None,
    as_json: AsJson = False,
) -> None:
    """Search all sources at once; the best results come first."""
    with open_for_command(workspace_folder(workspace), "search") as space:
        result = space.find(query)
    for note in json_output.notes_for_people(result):
        print_note(note)
    if as_json:
        print_json(json_output.result_json(result))
        return
    for place, hit in enumerate(result.hits, start=query.offset + 1):
        _print_hit(place, hit, query.text)
    if not result.hits:
        print_text("nothing found")
    _print_outcomes(result.trace.outcomes)


@app.command()
def show(
    passage: Annotated[
        str, typer.Argument(help="A passage id, or its first 4 or more characters.")
    ],
    workspace: WorkspaceOption = None,
    image: Image = None,
    column: Column = None,
    as_json: AsJson = False,
) -> None:
    """Print a whole passage with its file and metadata; for a row, also its table."""
    folder = workspace_folder(workspace)
    with closing(Workspace.peek(folder)) as catalogue:
        found = catalogue.resolve(passage)
        pack = plugins.load("packs", read_settings(folder).pack)
        provenance = Provenance(found, folder=folder, catalogue=catalogue, pack=pack, column=column)
        images = _write_images(provenance, image) if image else []
        if as_json:
            fields = {**json_output.passage_json(found), "text": found.text}
            fields |= _provenance_json(provenance)
            print_json(fields | ({"images": [str(path) for path in images]} if images else {}))
            return
        print_markup(_heading(found))
        print_text("")
        print_text(found.text)
        print_text("")
        _print_provenance(provenance, images)
    print_text(f"from: {folder / found.document}", style="dim")
    for line in _metadata_lines(found):
        print_text(line, style="dim")


@app.command()
@takes_query
def why(
    query: Query,
    which: Annotated[str, typer.Argument(help="A place (1, 2, …) or a passage id.")] = "",
    workspace: WorkspaceOption = None,
    as_json: AsJson = False,
) -> None:
    """Explain ranks: every vote, weight, boost, merge and move, adding up to the score."""
    with open_for_command(workspace_folder(workspace), "why") as space:
        result = space.find(query)
        explanation = explain.explain_result(result, space.engine, which)
    print_notes(result.notes)
    if as_json:
        print_json(json_output.explanation_json(result, explanation))
        return
    for line in (*explanation.plan, *explanation.chance):
        print_text(line, style="dim" if line.startswith("  ") else "")
    for explained in explanation.hits:
        print_markup(f"\n[bold]{explained.place}.[/] {_heading(explained.hit.passage)}")
        for line in explained.lines:
            print_text(f"   {line}")
    print_text("")
    _print_outcomes(result.trace.outcomes)


@app.command("why-not")
@takes_query
def why_not(
    query: Query,
    passage: Annotated[str, typer.Argument(help="The id of the passage that is missing.")],
    workspace: WorkspaceOption = None,
    as_json: AsJson = False,
) -> None:
    """Say at which step a passage was lost, and which change would bring it in."""
    with open_for_command(workspace_folder(workspace), "why-not") as space:
        absence = space.why_not(query, passage)
    if as_json:
        print_json(json_output.absence_json(absence))
        return
    print_markup(_heading(absence.passage))
    is_lost = absence.place is None
    print_markup(f"lost at: [bold]{absence.step}[/]" if is_lost else "[green]found[/]")
    for reason in absence.reasons:
        print_text(f"  {reason}")
    print_text(f"to change that: {absence.remedy}")


@app.command()
def path(
    start: Annotated[str, typer.Argument(help="A name of the first thing.")],
    end: Annotated[str, typer.Argument(help="A name of the other.")],
    workspace: WorkspaceOption = None,
    limit: Annotated[int, typer.Option("-n", "--limit", help="How many paths.", max=10)] = 3,
    as_json: AsJson = False,
) -> None:
    """Show how two things in a graph connect, step by step, with the evidence for each step."""
    with open_for_command(workspace_folder(workspace), "path") as space:
        chains = space.paths(start, end, limit=limit)
        evidence = supporting_passages(space.catalogue)
        if as_json:
            print_json(json_output.paths_json(chains, evidence))
            return
        for place, chain in enumerate(chains, start=1):
            _print_chain(place, chain, evidence)
        if not chains:
            steps = longest_chain(space.catalogue)
            print_text(f"nothing connects {start!r} and {end!r} within {steps} steps")
        elif len(chains) > 1:
            print_text(f"why the first: {why_first(chains)}")


# --- results ------------------------------------------------------------------------------


def _heading(passage: Passage) -> str:
    place, name = place_of(passage), name_of(passage)
    where = f" · {escape(place)}" if place and place != name else ""
    return (
        f"[bold]{escape(name)}[/]{where}  "
        f"[cyan]{passage.kind}[/] [dim]{passage.collection} {passage.id[:12]}[/]"
    )


def _print_hit(place: int, hit: Hit, question: str) -> None:
    print_markup(f"[bold]{place:>2}.[/] {_heading(hit.passage)}")
    print_text(f"    {preview(hit.passage, question)}")
    votes = [part for vote in hit.votes for part in vote.parts or (vote,)]  # of the sources
    parts = [] if hit.relevance is None else [f"relevance {hit.relevance:.2f}"]
    if ranked := [vote for vote in votes if vote.rank]:
        parts.append(f"found by {_describe_votes(ranked, hit.passage.collection)}")
    file = PurePath(hit.passage.document).name
    parts += [f"{hit.score:.4f}", *json_output.describe_moves(hit), file]
    print_text(f"    {' · '.join(parts)}", style="dim")
    for vote in votes:
        if vote.because:
            print_text(f"    {vote.because}", style="dim")


def _describe_votes(votes: Sequence[Vote], collection: str) -> str:
    """`bm25 #1 + dense #1`; the collection is added only where it is not the hit's own."""
    own = f"{collection}/"
    prefix = own if all(vote.source.startswith(own) for vote in votes) else ""
    return " + ".join(f"{vote.source.removeprefix(prefix)} #{vote.rank}" for vote in votes)


def _print_outcomes(outcomes: tuple[Outcome, ...]) -> None:
    """Print one line per collection: what each of its sources did, and how long it took."""
    lines: dict[str, list[str]] = {}
    for outcome in outcomes:
        collection, _, source = outcome.source.partition("/")
        text = f"{source} [{_STATUS_STYLES.get(outcome.status, 'dim')}]{outcome.status}[/]"
        if outcome.status not in ("skipped", "empty"):
            text += f" {outcome.count} in {outcome.ms:.0f} ms"
        lines.setdefault(collection, []).append(text)
    for collection, texts in lines.items():
        print_markup(f"[dim]{collection}: {' · '.join(texts)}[/]")


def _metadata_lines(passage: Passage) -> Iterator[str]:
    """One line per field; of fields that only look-ups read, how many values there are."""
    for name, value in visible_metadata(passage).items():
        yield f"{name}: {'; '.join(map(str, value)) if isinstance(value, tuple) else value}"
    hidden = {
        name: len(value)
        for name, value in passage.metadata.items()
        if name in hidden_fields() and isinstance(value, tuple)
    }
    if hidden:
        counts = ", ".join(f"{number:,} {name}" for name, number in hidden.items())
        yield f"not shown: {counts}; --json prints them"


# --- chains -------------------------------------------------------------------------------


def _print_chain(place: int, chain: Chain, evidence: FindSupport) -> None:
    _print_numbered(f"{place:>2}. ", format_chain(chain))
    for link in chain.links:
        print_evidence(link.passage, evidence(link.passage), 4)
    print_text(f"    weight {chain.score:.3g} · {chain.passage.id[:12]}", style="dim")
    print_indented(chain_arithmetic(chain), 4, style="dim")


def _print_numbered(number: str, text: str) -> None:
    """Print a line after its number; where a terminal wraps it, it continues below the text."""
    text = number + text
    if out.is_terminal:
        indent = " " * len(number)
        text = fill(text, max(out.width, 5), subsequent_indent=indent, break_long_words=False)
    print_text(text, style="bold")


def format_chain(chain: Chain) -> str:
    """A chain in one line: `bell rock → (built by) → Stevenson ← (taught) ← Smeaton`."""
    parts = [chain.links[0].start]
    for link in chain.links:
        arrow = "→" if link.forward else "←"
        parts.append(f"{arrow} ({link.relation}) {arrow} {link.end}")
    return " ".join(parts)


def print_evidence(relation: Passage, evidence: Passage | None, indent: int) -> None:
    """Print the quotation behind a relation, then where it is.

    `evidence` is the passage that has the quoted words, where one was found.
    """
    quote = " ".join(str(relation.metadata.get("quote", "")).split())
    print_indented(f"“{quote}”" if quote else " ".join(relation.text.split()), indent)
    if not quote or evidence is not None:
        print_indented(
            _address(evidence if quote and evidence else relation), indent + 2, style="dim"
        )
        return
    document = str(relation.metadata.get("evidence", ""))
    missing = f"{document}: " if document else ""
    missing += f"no passage here has these words · {_address(relation)}"
    print_indented(missing, indent + 2, style="yellow")


def _address(passage: Passage) -> str:
    return " · ".join(filter(None, (passage.id[:12], passage.document, str(passage.locator))))


# --- tables and pages ---------------------------------------------------------------------


def _write_images(provenance: Provenance, path: Path) -> list[Path]:
    """Write an image of each page; of several, `page.png` becomes `page-1.png`, `page-2.png` …"""
    if path.suffix.lower() != ".png":
        raise UsageError(f"--image {path}: images are PNG files; name a file that ends in .png")
    check_writable(path, "--image")
    pages = [provenance.page(number) for number in range(1, max(1, len(provenance.pages)) + 1)]
    paths = [path]
    if len(pages) > 1:
        paths = [path.with_stem(f"{path.stem}-{number}") for number in range(1, len(pages) + 1)]
    for target, page in zip(paths, pages, strict=True):
        target.write_bytes(page.draw())
    return paths


def _provenance_json(provenance: Provenance) -> dict[str, Any]:
    """The cells and table of a row, the operands of a calculation; nothing for other passages."""
    table = _table(provenance)
    fields = {
        "cells": provenance.cells,
        "operands": provenance.operands,
        "table": asdict(table) if table else None,
    }
    return {name: value for name, value in fields.items() if value}


def _print_provenance(provenance: Provenance, images: list[Path]) -> None:
    """Print the table with this row marked, or the operands; then the pages, or how to see them."""
    if (table := _table(provenance)) is not None:
        _print_table(table)
    for place, operand in enumerate(provenance.operands, start=1):
        print_text(f"{place}. {_format_operand(operand)}")
    if provenance.operands:
        print_text("")
    try:
        pages = provenance.pages
    except MissingExtra as error:
        print_note(str(error))
        return
    for page, path in zip(pages, images, strict=False):
        print_text(f"{PurePath(page.document).name}, {page.caption}: {path}")
    if pages and not images:
        numbers = " and ".join(dict.fromkeys(f"page {page.page}" for page in pages))
        outlined = ", outlined" if provenance.cells or provenance.operands else ""
        print_text(f"{numbers}{outlined}: add --image page.png", style="dim")


def _table(provenance: Provenance) -> PassageTable | None:
    """The table of a row; a note instead where the extra that reads it is missing."""
    try:
        return provenance.table
    except MissingExtra as error:
        print_note(str(error))
        return None


def _print_table(table: PassageTable) -> None:
    """Print a table with its row marked.

    In a terminal, a last column that says the same in every row is moved into the caption.
    """
    texts = [row.texts for row in table.rows]
    caption = table.caption
    if out.is_terminal and len(texts) > 1 and len({row[-1] for row in texts}) == 1:
        caption = f"{caption} ({table.headings[-1]}: {texts[0][-1]})"
        table = replace(
            table,
            headings=table.headings[:-1],
            rows=tuple(replace(row, texts=row.texts[:-1]) for row in table.rows),
        )
    print_text(caption, style="bold")
    if out.is_terminal:
        for columns in _fit_columns(table):
            out.print(_rich_table(table, columns))
            print_text("")
        return
    rows = [(_ARROW if row.here else "", *row.texts) for row in table.rows]
    print_table(("", *table.headings), rows)
    print_text("")


def _fit_columns(table: PassageTable) -> list[dict[int, int]]:
    """Columns that fit side by side, with their widths; every group begins with the labels."""
    widths = [
        max(_widest([heading], " "), _widest(row.texts[at] for row in table.rows))
        for at, heading in enumerate(table.headings)
    ]
    label, *others = (min(width, _CELL_WIDTH) for width in widths)
    groups: list[dict[int, int]] = []
    for at, width in enumerate(others, start=1):
        if not groups or sum(groups[-1].values()) + len(groups[-1]) + width + 3 > out.width:
            groups.append({0: label})
        groups[-1][at] = width
    return groups or [{0: label}]


def _widest(texts: Iterable[str], separator: str = "\n") -> int:
    return max((len(part) for text in texts for part in text.split(separator)), default=1)


def _rich_table(table: PassageTable, columns: Mapping[int, int]) -> Table:
    shown = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    shown.add_column("", width=1)
    for at, width in columns.items():
        justify: Literal["left", "right"] = "right" if at else "left"
        shown.add_column(escape(table.headings[at]), width=width, justify=justify, overflow="fold")
    for row in table.rows:
        mark, style = (_ARROW, "bold green") if row.here else ("", "")
        shown.add_row(mark, *(escape(row.texts[at]) for at in columns), style=style)
    return shown


def _format_operand(operand: Mapping[str, Any]) -> str:
    """`Revenue, 2025: 1,204 (report.pdf, page 7, table 7.1, row 4; passage 0123abcd)`."""
    headings = (join_headings(operand.get("label")), join_headings(operand.get("header")))
    name = ", ".join(filter(None, headings))
    file = PurePath(str(operand.get("document", ""))).name
    parts = [f"{part} {operand[part]}" for part in ("page", "table", "row") if operand.get(part)]
    place = ", ".join(filter(None, (file, *parts)))
    passage = str(operand.get("passage", ""))[:12]
    return f"{name}: {operand.get('text', '')} ({place}; passage {passage})"
