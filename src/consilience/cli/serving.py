"""How is a workspace served? `consilience serve`, on this machine alone unless told otherwise."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from consilience.cli.app import In, app, home, opened, say, warn
from consilience.service import needed

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_AT_ONCE = 64  # connections; more are told to come back later


@app.command()
def serve(
    workspace: In = None,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port.", min=1, max=65535)] = 8000,
) -> None:
    """Serve a workspace over HTTP, until it is stopped."""
    needed()
    import uvicorn  # noqa: PLC0415 - an extra

    from consilience.service.app import create_app  # noqa: PLC0415 - an extra
    from consilience.service.core import Options, Service  # noqa: PLC0415 - an extra

    with opened(home(workspace), "serve") as space:
        _ = space.engine  # what is wrong with the workspace is said before anybody asks
        if host not in _LOOPBACK:
            warn(f"note: {host} may be reached from other machines", style="yellow")
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        for endpoint in space.pack.endpoints:
            verbs = "POST, GET" if endpoint.page else "POST"
            say(f"[bold]{escape(address + endpoint.path)}[/] ({verbs}): {escape(endpoint.summary)}")
        say(escape(f"{address}/, {address}/health, {address}/openapi.json"))
        hosts = _LOOPBACK if host in _LOOPBACK else ()
        uvicorn.run(
            create_app(Service([space], Options(hosts=frozenset(hosts)))),
            host=host,
            port=port,
            log_level="warning",
            limit_concurrency=_AT_ONCE,
        )
