"""How does evidence get into a workspace, and what is in it? init, add, remove, rebuild, status."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from threading import Event
from typing import Annotated

import typer
from rich.markup import escape
from typer.core import TyperCommand

from consilience import plugins
from consilience.cli.app import (
    AsJson,
    WorkspaceOption,
    app,
    count,
    err,
    open_for_command,
    print_json,
    print_markup,
    print_note,
    print_table,
    print_text,
    print_warning,
    workspace_folder,
)
from consilience.cli.progress import ProgressBars
from consilience.errors import UsageError
from consilience.evidence.catalogue import Catalogue, Record
from consilience.evidence.folder_watch import load_watcher, watch_folders
from consilience.evidence.ingest import Report
from consilience.evidence.web_page import fetch_page, is_address
from consilience.workspace import RemoteWorkspace, Workspace, copy_sample, init_workspace
from consilience.workspace.layout import stored_bytes, workspace_status

_LISTED = 20  # documents, and notes
_FAILURES_LISTED = 10


class _InitCommand(TyperCommand):
    """Shows in the usage line that the first of two arguments is optional, as typer cannot."""

    def collect_usage_pieces(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """The usage line after the command's name."""
        return ["[OPTIONS]", "[PACK] DIR"]


@app.command(cls=_InitCommand)
def init(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PACK] DIR", help="The kind of workspace (default: general), and its folder."
        ),
    ] = None,
    sample: Annotated[bool, typer.Option("--sample", help="Fill it with sample files.")] = False,
    as_json: AsJson = False,
) -> None:
    """Create a workspace: `consilience init DIR`, or `consilience init PACK DIR --sample`."""
    if not names:
        raise typer.BadParameter("DIR is missing; name the new folder", param_hint="[PACK] DIR")
    if len(names) > 2:
        raise typer.BadParameter(f"one folder at a time, not {names}", param_hint="[PACK] DIR")
    pack, target = (names[0] if len(names) == 2 else "general"), Path(names[-1])
    if pack not in plugins.find("packs"):
        raise UsageError(f"unknown pack {pack!r}; known: {', '.join(plugins.find('packs'))}")
    init_workspace(target, pack=pack)
    report = _add_sample(target, pack) if sample else Report()
    if as_json:
        print_json({"workspace": str(target), "pack": pack, **asdict(report)})
        return
    print_text(f"created a {pack} workspace in {target}")
    if sample:
        _print_report(report)
        print_text(f'try: consilience ask -w {target} "…"')
        print_text(f"in a browser: consilience serve {target}")
    else:
        print_text(f"next: consilience add -w {target} FILES AND FOLDERS")


@app.command()
def add(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH",
            help="Files, folders and web addresses (https://…); without any, check all again.",
        ),
    ] = None,
    workspace: WorkspaceOption = None,
    collection: Annotated[
        str, typer.Option("-c", "--collection", help="Where they go; by default the pack decides.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Add files, folders and web pages. A second run reads only what changed; a stopped run
    continues. A web page is fetched once; name its address again to fetch it again.
    """
    folder = workspace_folder(workspace)
    found = [fetch_page(path, folder) if is_address(path) else Path(path) for path in paths or ()]
    with open_for_command(folder, "add") as space, progress_bars(space) as bars:
        report = space.add(found, collection=collection, progress=bars)
    _finish(report, as_json=as_json)


@app.command()
def watch(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", help="Files and folders to add first."),
    ] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Keep the workspace up to date: whatever changes in the folders that were added is read
    again, until it is stopped. `consilience serve --watch` does the same.
    """
    folder = workspace_folder(workspace)
    load_watcher()
    with open_for_command(folder, "watch") as space, progress_bars(space) as bars:
        _print_report(space.add(paths or (), progress=bars))

    def roots() -> list[Path]:
        with closing(Workspace.peek(folder)) as catalogue:
            return [folder / root for root in catalogue.roots()]

    print_text("watching; Ctrl-C stops it")
    for changed in watch_folders(roots, Event()):
        with open_for_command(folder, "watch") as space:
            report = space.add()
        if report.read or report.removed or report.moved or report.failed:
            print_text(f"changed: {', '.join(path.name for path in changed[:_FAILURES_LISTED])}")
            _print_report(report)


@app.command()
def remove(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH", help="Files and folders.")],
    workspace: WorkspaceOption = None,
    as_json: AsJson = False,
) -> None:
    """Remove files and folders from the workspace; the files themselves are not deleted."""
    with open_for_command(workspace_folder(workspace), "remove") as space:
        report = space.remove(paths)
    if as_json:
        print_json(asdict(report))
        return
    print_text(f"forgot {count(report.removed, 'file')}, {count(report.gone, 'passage')}")


@app.command()
def rebuild(workspace: WorkspaceOption = None, as_json: AsJson = False) -> None:
    """Read and index everything again, e.g. for another model; a stopped run continues."""
    folder = workspace_folder(workspace)
    with open_for_command(folder, "rebuild") as space, progress_bars(space) as bars:
        report = space.rebuild(progress=bars)
    _finish(report, as_json=as_json)


@app.command()
def status(workspace: WorkspaceOption = None, as_json: AsJson = False) -> None:
    """Show what the workspace holds, and which files could not be read and why."""
    folder = workspace_folder(workspace)
    with closing(Workspace.peek(folder)) as catalogue:
        if as_json:
            print_json(workspace_status(folder, catalogue))
            return
        documents = catalogue.documents()
        _print_counts(folder, catalogue, documents)
        _print_documents(documents)


def progress_bars(space: Workspace) -> ProgressBars:
    """Progress bars that say, when they are stopped, whether the work stops too."""
    if not isinstance(space, RemoteWorkspace):
        return ProgressBars(err)
    owner = space.owner.name
    return ProgressBars(
        err, hint=f"{owner} goes on with it, and `consilience status` shows how far it is"
    )


def _add_sample(target: Path, pack: str) -> Report:
    folder = copy_sample(target, pack)
    hint = f"run `consilience add -w {target} {folder}` to continue"
    with (
        open_for_command(workspace_folder(target), "init") as space,
        ProgressBars(err, hint=hint) as bars,
    ):
        return space.add([folder], progress=bars)


def _finish(report: Report, *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(report))
    else:
        _print_report(report)
    if report.failed and not report.read and not report.unchanged:
        raise typer.Exit(1)


def _print_report(report: Report) -> None:
    print_text(
        f"{count(report.read, 'file')} read, {report.unchanged:,} unchanged, "
        f"{report.moved:,} moved, {report.removed:,} removed, {len(report.failed):,} not readable"
    )
    print_text(
        f"{count(report.new, 'passage')} new, {report.kept:,} kept, {report.gone:,} gone; "
        f"{report.indexed:,} indexed"
    )
    if report.ignored:
        print_text(
            f"left out: {', '.join(report.ignored)}; `consilience status` says why of each file"
        )
    for path, reason in report.failed[:_FAILURES_LISTED]:
        print_warning(f"not read: {path}: {reason}", style="red")
    if (more := len(report.failed) - _FAILURES_LISTED) > 0:
        print_warning(f"and {more:,} more; `consilience status` lists them", style="red")
    for path, note in report.notes[:_LISTED]:
        print_note(f"{path}: {note}")
    if (more := len(report.notes) - _LISTED) > 0:
        print_warning(f"and {count(more, 'more note')}; `consilience status --json` lists them")


def _print_counts(folder: Path, catalogue: Catalogue, documents: list[Record]) -> None:
    read = sum(document.status == "ok" for document in documents)
    print_markup(f"[bold]{escape(str(folder))}[/]  {count(read, 'file')}")
    print_text(f"model: {catalogue.fact('model') or 'none yet'}")
    size = stored_bytes(folder)
    tokens = f", of which token vectors {size['tokens'] / 1e6:.1f} MB" if size["tokens"] else ""
    print_text(f"on disk: {size['all'] / 1e6:.1f} MB{tokens}")
    for collection, kinds in catalogue.counts().items():
        numbers = ", ".join(f"{number:,} {kind}" for kind, number in kinds.items())
        print_text(f"  {collection}: {numbers}")
    if pending := catalogue.pending_count():
        text = f"{count(pending, 'passage')} not indexed yet; run `consilience add`"
        print_text(text, style="yellow")


def _print_documents(documents: list[Record]) -> None:
    unread = [document for document in documents if document.status != "ok"]
    if unread:
        print_text(f"\n{count(len(unread), 'file')} not read:", style="red")
        for document in unread:
            print_text(f"  {document.path}: {document.reason}")
    rows = [
        (document.path, document.title, document.collection, str(document.passages))
        for document in documents
        if document.status == "ok"
    ]
    if not rows:
        return
    print_text("")
    print_table(("file", "title", "collection", "passages"), rows[:_LISTED])
    if (more := len(rows) - _LISTED) > 0:
        print_text(f"… and {more:,} more; `consilience status --json` lists all")
