"""The evidence and its state: init, add, remove, rebuild, status."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from consilience import plugins
from consilience.catalogue import Catalogue, Record
from consilience.cli.app import AsJson, In, app, err, home, out, print_json
from consilience.cli.bars import Bars
from consilience.errors import UsageError
from consilience.ingest import Report
from consilience.workspace import Workspace, copy_sample, find_workspace, init_workspace

SHOWN = 20


@app.command()
def init(
    pack: Annotated[str, typer.Argument(help="What it is for; may be left out.")],
    folder: Annotated[Path | None, typer.Argument(metavar="DIR", help="The new folder.")] = None,
    sample: Annotated[bool, typer.Option("--sample", help="Fill it with sample files.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a workspace: `consilience init DIR`, or `consilience init PACK DIR --sample`."""
    name, target = (pack, folder) if folder is not None else ("general", Path(pack))
    if name not in plugins.find("packs"):
        raise UsageError(f"unknown pack {name!r}; known: {', '.join(plugins.find('packs'))}")
    init_workspace(target, pack=name)
    report = _fill(target, name) if sample else Report()
    if as_json:
        print_json({"workspace": str(target), "pack": name, **asdict(report)})
        return
    out.print(f"made a {name} workspace in {target}", markup=False)
    if sample:
        _print_report(report)
        out.print(f'try: consilience search -w {target} "…"', markup=False)
    else:
        out.print(f"next: consilience add -w {target} FILES AND FOLDERS", markup=False)


@app.command()
def add(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATH]...", help="Files and folders; none: look at all again."),
    ] = None,
    workspace: In = None,
    collection: Annotated[
        str, typer.Option("-c", "--collection", help="Where they go; by default the pack decides.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Take files and folders in. A second run does only what changed; a stopped one goes on."""
    with Workspace(home(workspace), command="consilience add") as opened, Bars(err) as bars:
        report = opened.add(paths or (), collection=collection, progress=bars)
    _tell(report, as_json=as_json)


@app.command()
def remove(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="What to forget.")],
    workspace: In = None,
    as_json: AsJson = False,
) -> None:
    """Forget files and folders; the files themselves stay where they are."""
    with Workspace(home(workspace), command="consilience remove") as opened:
        report = opened.remove(paths)
    _tell(report, as_json=as_json)


@app.command()
def rebuild(workspace: In = None, as_json: AsJson = False) -> None:
    """Read and index everything again, as after a change of model; a stopped one goes on."""
    with Workspace(home(workspace), command="consilience rebuild") as opened, Bars(err) as bars:
        report = opened.rebuild(progress=bars)
    _tell(report, as_json=as_json)


@app.command()
def status(workspace: In = None, as_json: AsJson = False) -> None:
    """Show what the workspace holds, and which files could not be read and why."""
    folder = home(workspace)
    catalogue = Workspace.peek(folder)
    try:
        documents, counts = catalogue.documents(), catalogue.counts()
        if as_json:
            print_json(_status_json(folder, catalogue))
            return
        _print_counts(folder, catalogue, documents, counts)
        _print_documents(documents)
    finally:
        catalogue.close()


def _fill(target: Path, pack: str) -> Report:
    folder = copy_sample(target, pack)
    with Workspace(find_workspace(target), command="consilience init") as opened, Bars(err) as bars:
        return opened.add([folder], progress=bars)


def _tell(report: Report, *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(report))
    else:
        _print_report(report)
    if report.failed and not report.read and not report.unchanged:
        raise typer.Exit(1)


def _print_report(report: Report) -> None:
    out.print(
        f"{report.read} files read, {report.unchanged} unchanged, {report.moved} moved, "
        f"{report.removed} removed, {len(report.failed)} not readable"
    )
    out.print(
        f"{report.new} passages new, {report.kept} kept, {report.gone} gone; "
        f"{report.indexed} indexed"
    )
    if report.ignored:
        out.print(f"no loader for: {', '.join(report.ignored)}", markup=False)
    for path, reason in report.failed:
        err.print(f"not read: {path}: {reason}", style="red", markup=False)
    for path, note in report.notes[:SHOWN]:
        err.print(f"note: {path}: {note}", style="yellow", markup=False)
    if len(report.notes) > SHOWN:
        err.print(f"and {len(report.notes) - SHOWN} more notes; `consilience status --json`")


def _status_json(folder: Path, catalogue: Catalogue) -> dict[str, object]:
    return {
        "workspace": str(folder),
        "model": catalogue.fact("model"),
        "collections": catalogue.counts(),
        "pending": catalogue.pending_count(),
        "roots": catalogue.roots(),
        "documents": [asdict(record) for record in catalogue.documents()],
    }


def _print_counts(
    folder: Path,
    catalogue: Catalogue,
    documents: list[Record],
    counts: dict[str, dict[str, int]],
) -> None:
    out.print(f"[bold]{escape(str(folder))}[/]  {len(documents)} files")
    out.print(f"model: {catalogue.fact('model') or 'none yet'}", markup=False)
    for collection, kinds in counts.items():
        told = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        out.print(f"  {collection}: {told}", markup=False)
    if pending := catalogue.pending_count():
        out.print(f"[yellow]{pending} passages wait to be indexed; run `consilience add`[/]")


def _print_documents(documents: list[Record]) -> None:
    failed = [one for one in documents if one.status == "failed"]
    if failed:
        out.print(f"\n[red]{len(failed)} files could not be read:[/]")
        for one in failed:
            out.print(f"  {one.path}: {one.reason}", markup=False)
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("file", "title", "collection", "passages"):
        table.add_column(name, overflow="fold", justify="right" if name == "passages" else "left")
    good = [one for one in documents if one.status == "ok"]
    for one in good[:SHOWN]:
        table.add_row(escape(one.path), escape(one.title), one.collection, str(one.passages))
    out.print()
    out.print(table)
    if len(good) > SHOWN:
        out.print(f"… and {len(good) - SHOWN} more; `consilience status --json` lists all")
