"""How are workspaces served? `consilience serve`, on this machine alone unless told otherwise."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from consilience.cli.app import AsJson, app, count, opened, say, warn
from consilience.errors import MissingWorkspace, WorkspaceBusy
from consilience.service import needed
from consilience.settings import FILE
from consilience.workspace import Served, Workspace, find_workspace

if TYPE_CHECKING:  # an extra
    from consilience.service.core import Options, Service
    from consilience.service.listening import Listener

PORT = 8000
_HERE = "127.0.0.1"


Folders = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="DIR", help="Workspaces, or folders that hold some; none: the nearest upwards."
    ),
]
Named = Annotated[
    list[Path] | None,
    typer.Option("-w", "--workspace", metavar="DIR", help="The same, as for other commands."),
]
Port = Annotated[int, typer.Option(help="The port; 0: any free one.", min=0, max=65535)]
ReadOnly = Annotated[bool, typer.Option("--read-only", help="Let nobody add or remove over HTTP.")]
Keys = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Only these keys open it: lines of `read KEY`, `write KEY`."),
]
Seats = Annotated[
    int, typer.Option(help="Questions worked on at a time; 0: one a processor.", min=0)
]
Waiting = Annotated[int, typer.Option(help="Questions that may wait beside them.", min=0)]
Timeout = Annotated[float, typer.Option(help="Seconds that a question may take.", min=0.1)]
UploadMb = Annotated[int, typer.Option(help="Megabytes of a file that comes in.", min=1)]


@app.command()
def serve(
    folders: Folders = None,
    workspace: Named = None,
    host: Annotated[str, typer.Option(help="Where to listen.")] = _HERE,
    port: Port = PORT,
    read_only: ReadOnly = False,
    keys: Keys = None,
    seats: Seats = 0,
    waiting: Waiting = 64,
    timeout: Timeout = 60.0,
    upload_mb: UploadMb = 200,
    as_json: AsJson = False,
) -> None:
    """Serve workspaces over HTTP, with a page for people, until it is stopped.

    While it runs, the other commands go through it. Beyond this machine it only answers
    questions, unless there are keys.
    """
    serve_workspaces(
        chosen([*(folders or ()), *(workspace or ())]),
        host=host,
        port=port,
        keys=keys,
        as_json=as_json,
        read_only=read_only,
        seats=seats or os.cpu_count() or 1,
        waiting=waiting,
        timeout_s=timeout,
        upload_bytes=upload_mb * 2**20,
    )


def chosen(folders: Sequence[Path]) -> list[Path]:
    """The workspaces that are named: each folder is one, or holds some; without any, the nearest.

    Where the nearest is none, those in this folder.
    """
    if not folders:
        try:
            return [find_workspace(Path.cwd())]
        except MissingWorkspace:
            return _inside(Path.cwd()) or _none(Path.cwd())
    found: dict[Path, None] = {}
    for folder in folders:
        here = (folder / FILE).is_file()
        inside = [folder] if here else _inside(folder) or _none(folder)
        found.update(dict.fromkeys(one.resolve() for one in inside))
    return list(found)


def serve_workspaces(
    folders: Sequence[Path],
    *,
    host: str = _HERE,
    port: int = PORT,
    near: bool = False,
    keys: Path | None = None,
    as_json: bool = False,
    **options: Any,
) -> None:
    """Serve these workspaces until it is stopped; with `near`, a port close by will do as well."""
    needed()
    from consilience.service.core import Options, Service  # noqa: PLC0415 - an extra
    from consilience.service.keys import read_keys, too_open  # noqa: PLC0415 - an extra
    from consilience.service.listening import Listener, listen  # noqa: PLC0415 - an extra

    known = read_keys(keys) if keys is not None else {}
    if keys is not None and (remark := too_open(keys)):
        _note(remark)
    place = Listener(host, port, near=near)
    if not place.loopback:
        options["read_only"] = _reached(host, read_only=options.get("read_only", False), keys=known)
    with ExitStack() as open_ones:
        open_ones.callback(place.socket.close)
        spaces = [open_ones.enter_context(_ready(folder)) for folder in folders]
        service = Service(spaces, Options(hosts=place.names, keys=known, **options))
        listen(service, place, ready=lambda: _tell(service, place, as_json=as_json))


def _ready(folder: Path) -> Workspace:
    """A workspace that is ready: what is wrong with it is said before anybody asks."""
    space = opened(folder, "serve")
    try:
        if isinstance(space, Served):
            owner = space.owner
            raise WorkspaceBusy(
                f"{folder} is served already, by {owner.name} at {owner.address}; use that one, or "
                "stop it first"
            )
        if space.catalogue.counts():
            _ = space.engine
        else:
            _note(f"{folder} holds no evidence yet; add files with `consilience add -w {folder}`")
    except BaseException:
        space.close()
        raise
    return space


def _reached(host: str, *, read_only: bool, keys: Any) -> bool:
    """Whether others may only read, where other machines reach the service; it is said."""
    if keys:
        _note(f"{host} may be reached from other machines; who has a key is let in")
        return read_only
    _note(
        f"{host} may be reached from other machines and there are no keys (--keys): everybody "
        "there may read, nobody may add or remove"
    )
    return True


def _tell(service: Service, place: Listener, *, as_json: bool) -> None:
    """Where the page is, then what can be asked."""
    addresses = {name: f"{place.address}/w/{name}" for name in service.spaces}
    if as_json:
        told = {"address": place.address, "pid": os.getpid(), "workspaces": addresses}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        return
    say(f"the page: [bold]{escape(place.address)}/[/]  (Ctrl-C stops it)")
    for name, space in service.spaces.items():
        say(f"[bold]{escape(addresses[name])}[/]: {escape(str(space.workspace.folder))}")
        for endpoint in space.workspace.pack.web.endpoints:
            summary = f"POST {endpoint.path}: {endpoint.summary}"
            say(f"  {escape(summary)}")
    if service.options.keys:
        say(escape(_keys_told(service.options)))
    say(escape(f"for programs: {place.address}/openapi.json, {place.address}/health"))


def _keys_told(options: Options) -> str:
    """`the page and programs are asked for a key: 2 keys may read, 1 key may …`."""
    rights = Counter("read" if options.read_only else str(one) for one in options.keys.values())
    words = {"read": "may read", "write": "may add and remove as well"}
    known = [f"{count(rights[one], 'key')} {words[one]}" for one in words if rights[one]]
    return f"the page and programs are asked for a key: {', '.join(known)}"


def _inside(folder: Path) -> list[Path]:
    """The workspaces that lie in a folder, by name."""
    if not folder.is_dir():
        return []
    return sorted(one.parent for one in folder.glob(f"*/{FILE}") if one.is_file())


def _none(folder: Path) -> list[Path]:
    raise MissingWorkspace(
        f"{folder} is no workspace and holds none: it has no {FILE}; name another folder, or make "
        f"it one with `consilience init {folder}`"
    )


def _note(text: str) -> None:
    warn(f"note: {text}", style="yellow")
