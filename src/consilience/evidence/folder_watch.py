"""When has a folder changed? As the system reports it, a moment after the last change.

Folders that are added meanwhile are watched too. Hidden files, such as the workspace's own stores,
change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import Any

from consilience.errors import MissingExtra

_QUIET_MS = 800  # without a change, so that a copy that is still running is waited for
_CHECK_MS = 1000  # how soon a stop, and a folder added meanwhile, are seen


def watch_folders(roots: Callable[[], Iterable[Path]], stop: Event) -> Iterator[list[Path]]:
    """The files that changed below these files and folders, each time some did, until `stop`."""
    library = load_watcher()
    while not stop.is_set():
        watched = sorted(path for path in roots() if path.exists())
        if not watched:
            stop.wait(_CHECK_MS / 1000)
            continue
        events = library.watch(
            *watched,
            watch_filter=partial(_is_visible, watched),
            debounce=20 * _QUIET_MS,
            step=_QUIET_MS,
            rust_timeout=_CHECK_MS,
            yield_on_timeout=True,
            stop_event=stop,
            raise_interrupt=True,
            ignore_permission_denied=True,
        )
        for changes in events:
            if changes:
                yield sorted({Path(path) for _, path in changes})
            if sorted(path for path in roots() if path.exists()) != watched:
                break


def load_watcher() -> Any:
    """The library that watches; it comes with an extra."""
    try:
        return import_module("watchfiles")
    except ImportError as error:
        raise MissingExtra("watching folders", "watch") from error


def _is_visible(watched: Iterable[Path], _change: object, text: str) -> bool:
    path = Path(text)
    inside = next((path.relative_to(root) for root in watched if path.is_relative_to(root)), path)
    return not any(part.startswith(".") for part in inside.parts)
