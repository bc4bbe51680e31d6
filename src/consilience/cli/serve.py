"""How do browsers, programs and assistants reach workspaces? serve, mcp, demo."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from consilience.cli.app import (
    AsJson,
    app,
    count,
    err,
    open_for_command,
    out,
    print_json,
    print_markup,
    print_note,
    print_raw,
    print_text,
    print_warning,
    workspace_folder,
)
from consilience.cli.ask import print_sources, receive_answer, sketcher
from consilience.cli.progress import ProgressBars
from consilience.errors import ConsilienceError, MissingExtra, MissingWorkspace, WorkspaceBusy
from consilience.evidence.folder_watch import load_watcher, watch_folders
from consilience.installed_packs import load_packs
from consilience.json_output import answer_json
from consilience.pack import Pack
from consilience.service import needed
from consilience.settings import FILE
from consilience.types import Answer, Query
from consilience.workspace import (
    RemoteWorkspace,
    Workspace,
    copy_sample,
    find_workspace,
    init_workspace,
)

if TYPE_CHECKING:  # an extra
    from consilience.service.server import Listener
    from consilience.service.service import Service, Space

_PORT = 8000
_LOOPBACK = "127.0.0.1"
_LOCAL_NAMES = frozenset((_LOOPBACK, "localhost"))


# --- serve --------------------------------------------------------------------------------


@app.command()
def serve(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="DIR",
            help="Workspaces, or folders of workspaces; by default this one or the nearest parent.",
        ),
    ] = None,
    workspace: Annotated[
        list[Path] | None,
        typer.Option("-w", "--workspace", metavar="DIR", help="The same, as for other commands."),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = _LOOPBACK,
    port: Annotated[int, typer.Option(help="The port; 0: any free one.", min=0, max=65535)] = _PORT,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Nobody may add or remove over HTTP.")
    ] = False,
    keys: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Accept only these: lines of `read KEY`, `write KEY`."),
    ] = None,
    seats: Annotated[
        int, typer.Option(help="Questions answered at the same time; 0: one per processor.", min=0)
    ] = 0,
    waiting: Annotated[int, typer.Option(help="Questions that may wait.", min=0)] = 64,
    timeout: Annotated[float, typer.Option(help="Seconds for a question.", min=0.1)] = 60.0,
    upload_mb: Annotated[int, typer.Option(help="Largest file to upload, in MB.", min=1)] = 200,
    watch: Annotated[
        bool, typer.Option("--watch", help="Read again what changes in the folders added.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Serve workspaces over HTTP, with a web page, until it is stopped.

    While it runs, the other commands connect to it. Other machines may only ask questions, unless
    there are keys.
    """
    serve_workspaces(
        choose_workspaces([*(folders or ()), *(workspace or ())]),
        host=host,
        port=port,
        keys=keys,
        as_json=as_json,
        watch=watch,
        read_only=read_only,
        seats=seats or os.cpu_count() or 1,
        waiting=waiting,
        timeout_s=timeout,
        upload_bytes=upload_mb * 2**20,
    )


def choose_workspaces(folders: Sequence[Path]) -> list[Path]:
    """The workspaces to serve: each folder is one or contains some; by default the nearest.

    Without a nearest one, those in the current folder.
    """
    if not folders:
        try:
            return [find_workspace(Path.cwd())]
        except MissingWorkspace:
            return _workspaces_in(Path.cwd())
    chosen: dict[Path, None] = {}
    for folder in folders:
        inside = [folder] if (folder / FILE).is_file() else _workspaces_in(folder)
        chosen.update(dict.fromkeys(workspace.resolve() for workspace in inside))
    return list(chosen)


def _workspaces_in(folder: Path) -> list[Path]:
    """The workspaces in a folder, by name; refused if there are none."""
    files = folder.glob(f"*/{FILE}") if folder.is_dir() else ()
    if inside := sorted(file.parent for file in files if file.is_file()):
        return inside
    raise MissingWorkspace(
        f"{folder} is not a workspace and holds none: it has no {FILE}; name another folder, or "
        f"create one with `consilience init {folder}`"
    )


def serve_workspaces(
    folders: Sequence[Path],
    *,
    host: str = _LOOPBACK,
    port: int = _PORT,
    near: bool = False,
    keys: Path | None = None,
    as_json: bool = False,
    watch: bool = False,
    **options: Any,
) -> None:
    """Serve workspaces until it is stopped; with `near`, a port close by may be used."""
    needed()
    from consilience.service.auth import read_keys, too_open  # noqa: PLC0415 - an extra
    from consilience.service.server import Listener, listen  # noqa: PLC0415 - an extra
    from consilience.service.service import Options, Service  # noqa: PLC0415 - an extra

    known = read_keys(keys) if keys is not None else {}
    if keys is not None and (remark := too_open(keys)):
        print_note(remark)
    listener = Listener(host, port, near=near)
    if not listener.loopback and known:
        print_note(f"{host} may be reached from other machines; who has a key is let in")
    elif not listener.loopback:
        print_note(
            f"{host} may be reached from other machines and there are no keys (--keys): everybody "
            "there may read, nobody may add or remove"
        )
        options["read_only"] = True
    with ExitStack() as stack:
        stack.callback(listener.socket.close)
        spaces = [stack.enter_context(_open_ready(folder)) for folder in folders]
        service = Service(spaces, Options(hosts=listener.names, keys=known, **options))
        if watch:
            stack.callback(_watch_spaces(service))
        listen(
            service, listener, ready=lambda: _print_addresses(service, listener, as_json=as_json)
        )


def _watch_spaces(service: Service) -> Callable[[], None]:
    """Hand in a job whenever files of a workspace change; gives what stops that."""
    load_watcher()
    stop = Event()

    def follow(space: Space) -> None:
        catalogue, home = space.workspace.catalogue, space.workspace.folder
        for _ in watch_folders(lambda: [home / root for root in catalogue.roots()], stop):
            space.jobs.add(())

    threads = [
        Thread(target=follow, args=(space,), daemon=True) for space in service.spaces.values()
    ]
    for thread in threads:
        thread.start()

    def end() -> None:
        stop.set()
        for thread in threads:
            thread.join(timeout=5)

    return end


def _open_ready(folder: Path) -> Workspace:
    """Open a workspace with its engine, so that problems show before the first question."""
    space = open_for_command(folder, "serve")
    try:
        if isinstance(space, RemoteWorkspace):
            owner = space.owner
            raise WorkspaceBusy(
                f"{folder} is served already, by {owner.name} at {owner.address}; use that one, or "
                "stop it first"
            )
        if space.catalogue.counts():
            _ = space.engine
        else:
            print_note(
                f"{folder} holds no evidence yet; add files with `consilience add -w {folder}`"
            )
    except BaseException:
        space.close()
        raise
    return space


def _print_addresses(service: Service, listener: Listener, *, as_json: bool) -> None:
    """Print where the page is, and what programs can call."""
    addresses = {name: f"{listener.address}/w/{name}" for name in service.spaces}
    if as_json:
        fields = {"address": listener.address, "pid": os.getpid(), "workspaces": addresses}
        print_raw(json.dumps(fields) + "\n")
        return
    print_markup(f"the page: [bold]{escape(listener.address)}/[/]  (Ctrl-C stops it)")
    for name, space in service.spaces.items():
        print_markup(f"[bold]{escape(addresses[name])}[/]: {escape(str(space.workspace.folder))}")
        for endpoint in space.workspace.pack.web.endpoints:
            print_text(f"  POST {endpoint.path}: {endpoint.summary}")
    if keys := service.options.keys:
        readers = sum(service.options.read_only or right == "read" for right in keys.values())
        rights = {"may read": readers, "may add and remove as well": len(keys) - readers}
        known = [f"{count(number, 'key')} {right}" for right, number in rights.items() if number]
        print_text(f"the page and programs are asked for a key: {', '.join(known)}")
    print_text(f"for programs: {listener.address}/openapi.json, {listener.address}/health")


# --- mcp ----------------------------------------------------------------------------------


@app.command("mcp")
def mcp_command(
    workspace: Annotated[
        list[Path] | None,
        typer.Option(
            "-w",
            "--workspace",
            metavar="DIR",
            help="A workspace; repeat it for several. By default the nearest parent.",
        ),
    ] = None,
    http: Annotated[
        bool, typer.Option("--http", help="Serve HTTP on this machine instead of stdin and stdout.")
    ] = False,
    port: Annotated[int, typer.Option(help="The port for --http.", min=1, max=65535)] = 8001,
) -> None:
    """Offer workspaces to assistants as tools (MCP); `consilience serve` has them at /mcp."""
    if find_spec("mcp") is None:
        raise MissingExtra("the MCP server", "mcp")
    needed()
    from consilience.service import mcp_server  # noqa: PLC0415 - an extra
    from consilience.service.service import Options  # noqa: PLC0415 - an extra

    with ExitStack() as stack:
        folders = [workspace_folder(folder) for folder in workspace or (None,)]
        spaces = [stack.enter_context(open_for_command(folder, "mcp")) for folder in folders]
        for space in spaces:
            try:  # before the first question; a workspace that is served is open already
                _ = None if isinstance(space, RemoteWorkspace) else space.engine
            except ConsilienceError as error:
                print_note(str(error))
        service = mcp_server.AnsweringService(spaces, Options(hosts=_LOCAL_NAMES))
        stack.callback(service.close)
        if not http:
            # A blocked read of stdin cannot be interrupted otherwise; no stored data is lost.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            mcp_server.serve_pipes(service)
            return
        import uvicorn  # noqa: PLC0415 - an extra

        print_warning(f"http://{_LOOPBACK}:{port}{mcp_server.ADDRESS}: {', '.join(service.spaces)}")
        uvicorn.run(mcp_server.tools_app(service), host=_LOOPBACK, port=port, log_level="warning")


# --- demo ---------------------------------------------------------------------------------


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to build.")] = Path("demo"),
    serve: Annotated[
        bool, typer.Option("--serve", help="Then serve the web page until it is stopped.")
    ] = False,
    port: Annotated[int, typer.Option(help="The port of the page.", min=1, max=65535)] = _PORT,
    as_json: AsJson = False,
) -> None:
    """Build the sample workspace of every pack, and ask each a question."""
    answers = {}
    for name, pack in load_packs().packs.items():
        if pack.sample is None or not _is_ready(pack):
            continue
        if not as_json:
            out.rule(f"[bold]{pack.name}[/]: {pack.summary}")
        answers[name] = answer_json(_build_and_ask(pack, folder / name, quiet=as_json))
    if as_json:
        print_json(answers)
    elif not serve:
        print_text(f"\nask more: consilience ask -w {folder / next(iter(answers))} …")
        print_text(f"in a browser: consilience serve {folder}")
    if serve:
        print_text("")
        serve_workspaces([folder / name for name in answers], port=port, near=True)


def _is_ready(pack: Pack) -> bool:
    """Whether everything that a pack needs is installed; if not, a note says so."""
    try:
        pack.ready()
    except MissingExtra as error:
        print_note(f"{pack.name} is left out: {error}")
        return False
    return True


def _build_and_ask(pack: Pack, target: Path, *, quiet: bool) -> Answer:
    if not (target / FILE).exists():
        init_workspace(target, pack=pack.name)
    sample = copy_sample(target, pack.name)
    question = pack.examples[0]
    with open_for_command(target, "demo") as workspace:
        with ProgressBars(err) as bars:
            workspace.add([sample], progress=bars)
        if not quiet:
            print_markup(f"\n[bold cyan]{escape(question)}[/]")
        events = workspace.stream(Query(text=question), length="concise")
        answer = receive_answer(events, quiet=quiet, sketch=sketcher(workspace))
        if not quiet:
            print_sources(answer)
    return answer
