"""The evidence and its state: init, add, remove, rebuild, status."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from typer.core import TyperCommand

from consilience import plugins
from consilience.catalogue import Catalogue, Record
from consilience.cli.app import (
    AsJson,
    In,
    app,
    count,
    err,
    home,
    opened,
    print_json,
    print_table,
    say,
    tell,
    warn,
)
from consilience.cli.bars import AGAIN, Bars
from consilience.errors import UsageError
from consilience.ingest import Report
from consilience.workspace import Served, Workspace, copy_sample, init_workspace
from consilience.workspace.telling import sizes, status_of

SHOWN = 20
FAILURES_SHOWN = 10


class _PackMayBeLeftOut(TyperCommand):
    """Shows what typer cannot say of arguments: the first of the two may be left out."""

    def collect_usage_pieces(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """The usage line behind the command's name."""
        return ["[OPTIONS]", "[PACK] DIR"]


@app.command(cls=_PackMayBeLeftOut)
def init(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PACK] DIR",
            help="What it is for, which may be left out, and the new folder.",
        ),
    ] = None,
    sample: Annotated[bool, typer.Option("--sample", help="Fill it with sample files.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a workspace: `consilience init DIR`, or `consilience init PACK DIR --sample`."""
    name, target = _pack_and_folder(names or [])
    if name not in plugins.find("packs"):
        raise UsageError(f"unknown pack {name!r}; known: {', '.join(plugins.find('packs'))}")
    init_workspace(target, pack=name)
    report = _fill(target, name) if sample else Report()
    if as_json:
        print_json({"workspace": str(target), "pack": name, **asdict(report)})
        return
    tell(f"made a {name} workspace in {target}")
    if sample:
        _print_report(report)
        tell(f'try: consilience ask -w {target} "…"')
        tell(f"in a browser: consilience serve {target}")
    else:
        tell(f"next: consilience add -w {target} FILES AND FOLDERS")


@app.command()
def add(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", help="Files and folders; none: look at all again."),
    ] = None,
    workspace: In = None,
    collection: Annotated[
        str, typer.Option("-c", "--collection", help="Where they go; by default the pack decides.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Take files and folders in. A second run does only what changed; a stopped one goes on."""
    with opened(home(workspace), "add") as space, _bars(space) as bars:
        report = space.add(paths or (), collection=collection, progress=bars)
    _tell(report, as_json=as_json)


@app.command()
def remove(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH", help="What to forget.")],
    workspace: In = None,
    as_json: AsJson = False,
) -> None:
    """Forget files and folders; the files themselves stay where they are."""
    with opened(home(workspace), "remove") as space:
        report = space.remove(paths)
    if as_json:
        print_json(asdict(report))
        return
    tell(f"forgot {count(report.removed, 'file')}, {count(report.gone, 'passage')}")


@app.command()
def rebuild(workspace: In = None, as_json: AsJson = False) -> None:
    """Read and index everything again, as after a change of model; a stopped one goes on."""
    with opened(home(workspace), "rebuild") as space, _bars(space) as bars:
        report = space.rebuild(progress=bars)
    _tell(report, as_json=as_json)


@app.command()
def status(workspace: In = None, as_json: AsJson = False) -> None:
    """Show what the workspace holds, and which files could not be read and why."""
    folder = home(workspace)
    catalogue = Workspace.peek(folder)
    try:
        documents, counts = catalogue.documents(), catalogue.counts()
        if as_json:
            print_json(status_of(folder, catalogue))
            return
        _print_counts(folder, catalogue, documents, counts)
        _print_documents(documents)
    finally:
        catalogue.close()


def _bars(space: Workspace) -> Bars:
    """Bars that say, when they are stopped, whether the work stops with them."""
    if not isinstance(space, Served):
        return Bars(err, again=AGAIN)
    told = f"{space.owner.name} goes on with it, and `consilience status` shows how far it is"
    return Bars(err, again=told)


def _pack_and_folder(names: list[str]) -> tuple[str, Path]:
    if not names:
        raise typer.BadParameter("DIR is missing; name the new folder", param_hint="[PACK] DIR")
    if len(names) > 2:
        raise typer.BadParameter(f"one folder at a time, not {names}", param_hint="[PACK] DIR")
    return (names[0] if len(names) == 2 else "general"), Path(names[-1])


def _fill(target: Path, pack: str) -> Report:
    folder = copy_sample(target, pack)
    again = f"run `consilience add -w {target} {folder}` to go on"
    with opened(home(target), "init") as space, Bars(err, again=again) as bars:
        return space.add([folder], progress=bars)


def _tell(report: Report, *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(report))
    else:
        _print_report(report)
    if report.failed and not report.read and not report.unchanged:
        raise typer.Exit(1)


def _print_report(report: Report) -> None:
    tell(
        f"{count(report.read, 'file')} read, {report.unchanged:,} unchanged, "
        f"{report.moved:,} moved, {report.removed:,} removed, {len(report.failed):,} not readable"
    )
    tell(
        f"{count(report.new, 'passage')} new, {report.kept:,} kept, {report.gone:,} gone; "
        f"{report.indexed:,} indexed"
    )
    if report.ignored:
        tell(f"no loader for: {', '.join(report.ignored)}")
    for path, reason in report.failed[:FAILURES_SHOWN]:
        warn(f"not read: {path}: {reason}", style="red")
    if len(report.failed) > FAILURES_SHOWN:
        more = len(report.failed) - FAILURES_SHOWN
        warn(f"and {more:,} more; `consilience status` lists them", style="red")
    for path, note in report.notes[:SHOWN]:
        warn(f"note: {path}: {note}", style="yellow")
    if len(report.notes) > SHOWN:
        more = len(report.notes) - SHOWN
        warn(f"and {count(more, 'more note')}; `consilience status --json` lists them")


def _print_counts(
    folder: Path,
    catalogue: Catalogue,
    documents: list[Record],
    counts: dict[str, dict[str, int]],
) -> None:
    say(f"[bold]{escape(str(folder))}[/]  {count(len(documents), 'file')}")
    tell(f"model: {catalogue.fact('model') or 'none yet'}")
    size = sizes(folder)
    kept = f", of which token vectors {size['tokens'] / 1e6:.1f} MB" if size["tokens"] else ""
    tell(f"on disk: {size['all'] / 1e6:.1f} MB{kept}")
    for collection, kinds in counts.items():
        tell(f"  {collection}: {', '.join(f'{number:,} {kind}' for kind, number in kinds.items())}")
    if pending := catalogue.pending_count():
        told = f"{count(pending, 'passage')} not indexed yet; run `consilience add`"
        tell(told, style="yellow")


def _print_documents(documents: list[Record]) -> None:
    failed = [one for one in documents if one.status == "failed"]
    if failed:
        tell(f"\n{count(len(failed), 'file')} could not be read:", style="red")
        for one in failed:
            tell(f"  {one.path}: {one.reason}")
    good = [one for one in documents if one.status == "ok"]
    if not good:
        return
    tell("")
    print_table(
        ("file", "title", "collection", "passages"),
        [(one.path, one.title, one.collection, str(one.passages)) for one in good[:SHOWN]],
    )
    if len(good) > SHOWN:
        tell(f"… and {len(good) - SHOWN:,} more; `consilience status --json` lists all")
