"""Writes the pages that are made from the code: docs/settings.md and docs/cli.md.

With `--check` it writes nothing and fails when a page has fallen behind.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click
import typer.main

from consilience.cli import app
from consilience.cli.app import PackCommand
from consilience.settings import TABLE, Row

DOCS = Path(__file__).parent.parent / "docs"

SETTINGS = """\
# Settings

A value comes from, last wins: the default, `consilience.toml` in the workspace, an environment
variable. An unknown name, an unknown `CONSILIENCE_` variable or a wrong value is refused.
`consilience settings` shows what is in force. In the file, `fusion.k` is

```toml
[fusion]
k = 10
```
"""
CLI = """\
# Command line

Commands on a workspace take `-w/--workspace DIR`, a folder that has a `consilience.toml`; without
it, the nearest such folder upwards is taken. All take `--json`. Results go to stdout, notes and
progress to stderr. In a pipe nothing is wrapped, and tables are lines with tabs. Exit status:
0 done, 1 an error that the message says how to mend, 2 a wrong call, 130 stopped by Ctrl-C; also 3
from `tune` (a parameter is not connected) and 4 from `gate` (evaluate again).
Shell completion: `consilience --install-completion`.
"""


def settings_page() -> str:
    """Every setting with its default, variable and meaning."""
    return SETTINGS + "".join(map(_setting, TABLE))


def cli_page() -> str:
    """The help of every command."""
    group = typer.main.get_command(app)
    context = click.Context(group, info_name="consilience")
    parts = [CLI]
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, PackCommand):
            command = command.load()
        parts.append(f"\n## {name}\n\n{_described(command, name)}")
        group_of = getattr(command, "list_commands", None)  # a group of commands has that
        for inner in group_of(context) if group_of else ():
            called = f"{name} {inner}"
            one = command.get_command(context, inner)
            parts.append(f"\n### {called}\n\n{_described(one, called)}")
    return "".join(parts)


def _setting(row: Row) -> str:
    least = f" At least {row.least}." if row.least else ""
    return (
        f"\n### `{row.name}`\n\n{row.help}.{least} Default: `{row.default}`. "
        f"Variable: `{row.variable}`.\n"
    )


def _described(command: click.Command, name: str) -> str:
    context = click.Context(command, info_name=f"consilience {name}")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"`consilience {name} {usage}`\n\n{command.help}\n\n"]
    for parameter in command.params:
        if parameter.name == "help":
            continue
        names = ", ".join(f"`{one}`" for one in (*parameter.opts, *parameter.secondary_opts))
        if parameter.param_type_name == "argument":
            names = f"`{parameter.metavar or parameter.name}`"
        lines.append(f"- {names}: {getattr(parameter, 'help', '')}\n")
    return "".join(lines)


def main() -> None:
    """Write the pages, or check them."""
    pages = {"settings.md": settings_page(), "cli.md": cli_page()}
    behind = [
        name
        for name, text in pages.items()
        if not (DOCS / name).exists() or (DOCS / name).read_text(encoding="utf-8") != text
    ]
    if "--check" in sys.argv:
        if behind:
            sys.exit(f"docs have fallen behind: {', '.join(behind)}; run `make docs`")
        return
    for name in behind:
        (DOCS / name).write_text(pages[name], encoding="utf-8")


if __name__ == "__main__":
    main()
