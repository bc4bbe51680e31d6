"""What does a person open? A workspace: a folder with settings and the stores built from it.

`open_workspace` locks the folder until it is closed. If another process serves the folder already,
it works through that process instead. Both ways can search and add evidence.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from consilience.lock import Hold, hold
from consilience.protocols import Embedder, Generator, Reranker
from consilience.settings import Settings, read_settings
from consilience.workspace.layout import (
    SAMPLE,
    STORE,
    copy_sample,
    copy_store,
    find_workspace,
    init_workspace,
    is_read_only,
    store_folder,
    workspace_at,
)
from consilience.workspace.local import AsSet, GivenModels, Workspace
from consilience.workspace.remote import RemoteWorkspace, Server, connect_to_server

__all__ = [
    "SAMPLE",
    "STORE",
    "RemoteWorkspace",
    "Workspace",
    "connect_workspace",
    "copy_sample",
    "find_workspace",
    "init_workspace",
    "open_workspace",
    "workspace_at",
]


def open_workspace(
    folder: str | Path,
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | AsSet | None = "as set",
    generator: Generator | AsSet | None = "as set",
) -> Workspace:
    """Open a workspace to search and add; close it, or use it as a context manager.

    The folder must be a workspace itself. Settings and models come from it unless others are
    given; `reranker=None` and `generator=None` mean none. While `consilience serve` holds the
    folder, all calls go through that process.
    """
    return connect_workspace(
        workspace_at(Path(folder)),
        settings=settings,
        given=GivenModels(embedder=embedder, reranker=reranker, generator=generator),
    )


def connect_workspace(
    folder: Path,
    *,
    command: str = "open_workspace",
    settings: Settings | None = None,
    given: GivenModels | None = None,
    waiting: Callable[[str], None] | None = None,
) -> Workspace:
    """The workspace of a folder: locked by this process, or through the process that serves it.

    `waiting` is called with a message if another process must be waited for.
    """
    settings, given = settings or read_settings(folder), given or GivenModels()
    if is_read_only(folder / STORE):  # no lock is needed: nobody can change it
        return Workspace(folder, settings=settings, given=given, copy=copy_store(folder / STORE))
    owner: Hold | Server = hold(
        store_folder(folder),
        command=command,
        wait_s=settings.store.wait_s,
        waiting=waiting,
        connect=connect_to_server,
    )
    if isinstance(owner, Hold):
        return Workspace(folder, settings=settings, given=given, lock=owner)
    return RemoteWorkspace(folder, owner, settings=settings, given=given)
