"""What do all commands share? The app, the options they have in common, the two consoles."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from consilience import __version__
from consilience import workspace as workspaces
from consilience.errors import MissingWorkspace, UsageError
from consilience.settings import FILE, Settings
from consilience.types import Note
from consilience.workspace import Workspace, find_workspace

app = typer.Typer(
    name="consilience",
    help="Answers from several kinds of evidence at once: searched in parallel, fused, explained.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

In = Annotated[
    Path | None,
    typer.Option(
        "-w",
        "--workspace",
        metavar="DIR",
        help="The workspace; without it, the nearest folder upwards that is one.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]

# Evidence is printed as it stands: no `:key:` becomes a picture, no number a colour.
out = Console(highlight=False, emoji=False)
err = Console(stderr=True, highlight=False, emoji=False)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        out.print(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        raise typer.Exit


def home(workspace: Path | None) -> Path:
    """The folder of the workspace that a command is for; one named with -w must be one itself."""
    if workspace is None:
        return find_workspace(Path.cwd())
    if (workspace / FILE).is_file():
        return workspace.absolute()
    raise MissingWorkspace(
        f"{workspace} is not a workspace: it has no {FILE}; name another with -w, or make it one "
        f"with `consilience init {workspace}`"
    )


def writable(path: Path | None, option: str = "--report") -> None:
    """Refuse a file that cannot be written, before the work that would be lost with it."""
    if path is None:
        return
    if path.is_dir():
        raise UsageError(f"{option} {path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder {path.parent}; make it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"{option} {path} may not be written; name a file elsewhere")


def opened(folder: Path, command: str, *, settings: Settings | None = None) -> Workspace:
    """Open a workspace for a command, or go through whoever serves it.

    It says so when another process has to be waited for.
    """
    return workspaces.opened(
        folder, command=f"consilience {command}", settings=settings, waiting=_tell_waiting
    )


def say(text: str) -> None:
    """A line with markup to stdout; wrapped by a terminal, left alone in a pipe."""
    out.print(text, soft_wrap=not out.is_terminal)


def tell(text: str, *, style: str = "") -> None:
    """A line to stdout as it is: what looks like markup in it is not."""
    out.print(text, style=style or None, markup=False, soft_wrap=not out.is_terminal)


def warn(text: str, *, style: str = "") -> None:
    """A line to stderr as it is, where it does not disturb a pipe."""
    err.print(text, style=style or None, markup=False, soft_wrap=not err.is_terminal)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table in a terminal; in a pipe, a line a row with tabs between, whatever the width."""
    if not out.is_terminal:
        # Not through rich, which turns tabs into spaces.
        lines = ("\t".join(" ".join(cell.split()) for cell in row) for row in (columns, *rows))
        sys.stdout.write("\n".join(lines) + "\n")
        sys.stdout.flush()
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    out.print(table)


def print_json(value: Any) -> None:
    """JSON to stdout, as it is, whatever the width of the terminal."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
    sys.stdout.flush()  # here, where a closed pipe is dealt with; not at the very end


def print_notes(notes: tuple[Note, ...]) -> None:
    """Notes to stderr, where they do not disturb a pipe."""
    for note in notes:
        warn(f"note: {note}", style="yellow")


def count(number: int, thing: str) -> str:
    """`1 file`, `20,000 passages`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _tell_waiting(text: str) -> None:
    warn(text, style="yellow")
