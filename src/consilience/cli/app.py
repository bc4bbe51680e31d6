"""What do all commands share? The app, common options, finding a workspace, and printing.

Packs add commands (`Pack.commands`). They are listed by name and summary, and imported when used.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from consilience import __version__
from consilience import workspace as workspaces
from consilience.errors import ConsilienceError, UsageError
from consilience.filters import parse_filter
from consilience.installed_packs import load_packs
from consilience.pack import Command, Pack, load_reference
from consilience.settings import Settings
from consilience.types import Note, Per, Query
from consilience.workspace import Workspace, find_workspace, workspace_at

_NARROW = 30
"""Columns: nothing is indented in less."""
_PANELS = {
    "Workspace": "init add watch remove rebuild status settings doctor",
    "Questions": "search ask show why why-not path",
    "Service": "serve mcp demo",
    "Measurement": "golden evaluate diagnose tune calibrate gate claims",
}
"""The commands in the order of the help, by panel; others come last."""

# --- commands of packs --------------------------------------------------------------------


class PackCommand(TyperCommand):
    """A command that a pack adds, before it is used: its name and summary."""

    def __init__(self, pack: Pack, command: Command) -> None:
        panel = f"Pack: {pack.name}"
        super().__init__(command.name, help=command.summary, rich_help_panel=panel)
        self._pack = pack
        self._reference = command.load

    def load(self) -> Any:
        """Import the real command; refused where the pack's extra is not installed."""
        try:
            self._pack.ready()
            loaded = load_reference(self._reference)
            if isinstance(loaded, typer.Typer):
                return get_group(loaded)
            single = typer.Typer(add_completion=False)
            single.command(self.name)(loaded)
            return get_command(single)
        except ConsilienceError:
            raise
        except Exception as error:
            raise UsageError(
                f"the command {self.name!r} of the pack {self._pack.name!r} cannot be loaded: "
                f"{type(error).__name__}: {error}; update or uninstall the pack"
            ) from error


class CommandGroup(TyperGroup):
    """The commands of the core, then those of all installed packs."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        own = dict(self.commands)
        panels = {name: panel for panel, names in _PANELS.items() for name in names.split()}
        self.commands = {name: own.pop(name) for name in panels if name in own} | own
        for name, command in self.commands.items():
            if name in panels and isinstance(command, TyperCommand | TyperGroup):
                command.rich_help_panel = panels[name]
        self._has_pack_commands = False

    def list_commands(self, ctx: Any) -> list[str]:
        """All names, those of packs last."""
        self._add_pack_commands()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by name; packs are only looked at for names that the core does not have."""
        if cmd_name not in self.commands:
            self._add_pack_commands()
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command to run, imported where it comes from a pack."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.load() if isinstance(command, PackCommand) else command, rest

    def _add_pack_commands(self) -> None:
        if self._has_pack_commands:
            return
        self._has_pack_commands = True
        for pack in load_packs().packs.values():
            for command in pack.commands:
                self.commands.setdefault(command.name, PackCommand(pack, command))


def command_clashes() -> dict[str, str]:
    """Packs with commands that cannot be used because something else has the name, and why."""
    owners = dict.fromkeys(" ".join(_PANELS.values()).split(), "a command of Consilience")
    clashes: dict[str, str] = {}
    for pack in load_packs().packs.values():
        own = f"a command of the pack {pack.name!r}"
        for command in pack.commands:
            owner = owners.setdefault(command.name, own)
            if owner != own:
                clashes[pack.name] = f"its command {command.name!r} is hidden by {owner}"
    return clashes


# --- the app ------------------------------------------------------------------------------

app = typer.Typer(
    name="consilience",
    cls=CommandGroup,
    help="Search several kinds of evidence at once: in parallel, fused, with explanations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# Evidence is printed as it is: no `:key:` becomes an emoji, no number gets a colour.
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


# --- options ------------------------------------------------------------------------------

WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "-w",
        "--workspace",
        metavar="DIR",
        help="The workspace; by default this folder, or the nearest parent that is one.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Question = Annotated[str, typer.Argument(help="The question; `-` reads it from stdin.")]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="FILTER",
        help="Only passages that match, e.g. 'year>=1900 and kind in (row, node)'.",
    ),
]
Collection = Annotated[
    list[str] | None, typer.Option("-c", "--collection", help="Only this collection.")
]


def build_query(
    question: Question,
    limit: Annotated[int, typer.Option("-n", "--limit", help="How many results.")] = 10,
    where: Where = None,
    collection: Collection = None,
    expand: Annotated[
        bool, typer.Option("--expand/--no-expand", help="Add synonyms and aliases.")
    ] = True,
    rerank: Annotated[
        bool, typer.Option("--rerank/--no-rerank", help="Use the reranker, if set.")
    ] = True,
    offset: Annotated[int, typer.Option("--offset", help="Leave out so many results.")] = 0,
    per: Annotated[
        Per, typer.Option("--per", help="What is counted: passages, or documents by their best.")
    ] = "passage",
    alpha: Annotated[
        float | None, typer.Option("--alpha", help="Weight of meaning against words, 0 to 1.")
    ] = None,
) -> Query:
    """The query of a command's options; `-` reads the question from stdin."""
    return Query(
        text=sys.stdin.read() if question == "-" else question,
        limit=limit,
        filters=tuple(parse_filter(text) for text in where or ()),
        collections=tuple(collection or ()),
        expand=expand,
        rerank=rerank,
        offset=offset,
        per=per,
        alpha=alpha,
    )


def takes_query(function: Callable[..., None]) -> Callable[..., None]:
    """Make a command's parameter `query` from a question and the options of `build_query`.

    The command gets the parameters of both, each of which may be declared by the command itself.
    """
    own = dict(inspect.signature(function, eval_str=True).parameters)
    del own["query"]
    shared = inspect.signature(build_query, eval_str=True).parameters
    merged = {"question": shared["question"], **own}
    merged |= {name: merged.get(name, parameter) for name, parameter in shared.items()}

    def command(**values: Any) -> None:
        query = build_query(**{name: values[name] for name in shared})
        function(query=query, **{name: values[name] for name in own})

    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in merged.values()
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {name: parameter.annotation for name, parameter in merged.items()}
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    return command


# --- workspaces and files -----------------------------------------------------------------


def workspace_folder(workspace: Path | None) -> Path:
    """The folder of the workspace to use; one named with -w must be a workspace itself."""
    return find_workspace(Path.cwd()) if workspace is None else workspace_at(workspace)


def open_for_command(folder: Path, command: str, *, settings: Settings | None = None) -> Workspace:
    """Open a workspace for a command, or connect to the process that serves it.

    If another process holds it, this waits and says for whom.
    """
    return workspaces.connect_workspace(
        folder,
        command=f"consilience {command}",
        settings=settings,
        waiting=lambda text: print_warning(text, style="yellow"),
    )


def check_writable(path: Path | None, option: str = "--report") -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    if path is None:
        return
    if path.is_dir():
        raise UsageError(f"{option} {path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder {path.parent}; create it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"{option} {path} cannot be written; name a file elsewhere")


# --- printing -----------------------------------------------------------------------------


def print_markup(text: str) -> None:
    """Print a line with rich markup; a terminal wraps it, a pipe does not."""
    out.print(text, soft_wrap=not out.is_terminal)


def print_text(text: str, *, style: str = "") -> None:
    """Print a line as it is, even if it looks like markup."""
    out.print(text, style=style or None, markup=False, soft_wrap=not out.is_terminal)


def print_heading(text: str) -> None:
    """Print a bold line after an empty one."""
    print_text("")
    print_text(text, style="bold")


def print_indented(text: str, indent: int, *, style: str = "") -> None:
    """Print a line after so many spaces, also where a terminal wraps it."""
    space = " " * indent
    if out.is_terminal and out.width - indent > _NARROW:
        text = fill(text, out.width, initial_indent=space, subsequent_indent=space)
        print_text(text, style=style)
    else:
        print_text(space + text, style=style)


def print_warning(text: str, *, style: str = "") -> None:
    """Print a line to stderr, as it is."""
    err.print(text, style=style or None, markup=False, soft_wrap=not err.is_terminal)


def print_note(text: str) -> None:
    """Print `note: …` to stderr."""
    print_warning(f"note: {text}", style="yellow")


def print_notes(notes: Sequence[Note]) -> None:
    """Print notes to stderr, a line for each origin."""
    by_origin: dict[str, list[str]] = {}
    for note in notes:
        by_origin.setdefault(note.origin, []).append(note.message)
    for origin, messages in by_origin.items():
        print_note(f"{origin}: {'; '.join(dict.fromkeys(messages))}")


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; in a pipe, one line per row with tabs between the cells."""
    if not out.is_terminal:
        # Not through rich, which turns tabs into spaces.
        lines = ("\t".join(" ".join(cell.split()) for cell in row) for row in (columns, *rows))
        print_raw("\n".join(lines) + "\n")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    out.print(table)


def print_json(value: Any) -> None:
    """Print JSON, whatever the width of the terminal."""
    print_raw(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def print_raw(text: str) -> None:
    """Write to stdout without any formatting."""
    sys.stdout.write(text)
    sys.stdout.flush()  # here, so that a closed pipe is noticed before the interpreter exits


def count(number: int, thing: str) -> str:
    """`1 file`, `20,000 passages`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
