"""How do assistants reach a workspace? `consilience mcp`, over pipes or over HTTP."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.app import app, home, opened, warn
from consilience.errors import ConsilienceError, MissingExtra
from consilience.service import needed
from consilience.workspace import Workspace
from consilience.workspace.served import Served

_LOOPBACK = "127.0.0.1"
_HOSTS = frozenset((_LOOPBACK, "localhost"))


@app.command("mcp")
def mcp_command(
    workspace: Annotated[
        list[Path] | None,
        typer.Option(
            "-w",
            "--workspace",
            metavar="DIR",
            help="A workspace, as often as there are; without, the nearest folder upwards.",
        ),
    ] = None,
    http: Annotated[
        bool, typer.Option("--http", help="Serve HTTP on this machine instead of pipes.")
    ] = False,
    port: Annotated[int, typer.Option(help="The port of --http.", min=1, max=65535)] = 8001,
) -> None:
    """Offer workspaces to assistants as tools (MCP); `consilience serve` has them at /mcp."""
    if find_spec("mcp") is None:
        raise MissingExtra("the MCP server", "mcp")
    needed()
    from consilience.service import tools  # noqa: PLC0415 - an extra
    from consilience.service.core import Options  # noqa: PLC0415 - an extra

    with ExitStack() as opening:
        folders = [home(one) for one in workspace or (None,)]
        spaces = [opening.enter_context(opened(one, "mcp")) for one in folders]
        for space in spaces:
            _warm(space)
        service = tools.Answering(spaces, Options(hosts=_HOSTS))
        opening.callback(service.close)
        if not http:
            # Whoever waits for the next line cannot be woken; nothing that is kept is lost.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            tools.serve_pipes(service)
            return
        import uvicorn  # noqa: PLC0415 - an extra

        warn(f"http://{_LOOPBACK}:{port}{tools.ADDRESS}: {', '.join(service.spaces)}")
        uvicorn.run(tools.tools_app(service), host=_LOOPBACK, port=port, log_level="warning")


def _warm(space: Workspace) -> None:
    """Open what a search needs before anybody asks; what is wrong is told, here and when asked.

    Whoever serves a workspace has opened it already.
    """
    if isinstance(space, Served):
        return
    try:
        _ = space.engine
    except ConsilienceError as error:
        warn(f"note: {error}", style="yellow")
