"""What do all commands share? The app, the options they have in common, the two consoles."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from consilience import __version__
from consilience.types import Note
from consilience.workspace import find_workspace

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
        help="The workspace; by default the nearest folder upwards that is one.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


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
    """The folder of the workspace that a command is for."""
    return find_workspace(workspace or Path.cwd())


def say(text: str) -> None:
    """A line to stdout; long ones are wrapped by a terminal, and left alone in a pipe."""
    out.print(text, soft_wrap=not out.is_terminal)


def print_json(value: Any) -> None:
    """JSON to stdout, as it is, whatever the width of the terminal."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def print_notes(notes: tuple[Note, ...]) -> None:
    """Notes to stderr, where they do not disturb a pipe."""
    for note in notes:
        err.print(f"note: {note}", style="yellow", markup=False, soft_wrap=not err.is_terminal)
