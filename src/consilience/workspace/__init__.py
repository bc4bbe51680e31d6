"""What does a person open? A workspace: a folder with settings and the stores built from it.

`open_workspace` owns the folder until it is closed, or goes through whoever serves it already;
either way it can search and take evidence in.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from consilience.lock import Hold, hold
from consilience.protocols import Embedder, Generator, Reranker
from consilience.settings import Settings, read_settings
from consilience.workspace.held import Workspace
from consilience.workspace.making import (
    SAMPLE,
    STORE,
    copy_sample,
    find_workspace,
    init_workspace,
    store_folder,
)
from consilience.workspace.opening import Given
from consilience.workspace.served import Served, Server, reached

__all__ = [
    "SAMPLE",
    "STORE",
    "Served",
    "Workspace",
    "copy_sample",
    "find_workspace",
    "init_workspace",
    "open_workspace",
    "opened",
]


def open_workspace(
    folder: str | Path,
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    generator: Generator | None = None,
) -> Workspace:
    """Open a workspace for asking and adding; close it, or use it as a context.

    Settings and models are those of the folder unless others are given. While `consilience serve`
    holds the folder, what is asked and added goes through it.
    """
    return opened(
        find_workspace(Path(folder)),
        settings=settings,
        given=Given(embedder=embedder, reranker=reranker, generator=generator),
    )


def opened(
    folder: Path,
    *,
    command: str = "open_workspace",
    settings: Settings | None = None,
    given: Given | None = None,
    waiting: Callable[[str], None] | None = None,
) -> Workspace:
    """The workspace of a folder: owned by this process, or through the one that serves it."""
    settings, given = settings or read_settings(folder), given or Given()
    found: Hold | Server = hold(
        store_folder(folder),
        command=command,
        wait_s=settings.store.wait_s,
        waiting=waiting,
        through=reached,
    )
    if isinstance(found, Hold):
        return Workspace(folder, settings=settings, given=given, held=found)
    return Served(folder, found, settings=settings, given=given)
