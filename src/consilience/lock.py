"""Who owns the workspace? One process at a time: an embedded shard belongs to one process.

The lock is the operating system's, so it goes with the process, however that ends. Beside it
stands a note of who holds it, for the message that others get when waiting did not help.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from consilience.errors import StoreError, WorkspaceBusy

SILENT_S = 0.3  # waiting up to here is not worth a word


@contextmanager
def owning(
    folder: Path, *, command: str, wait_s: float, waiting: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Hold the store folder while inside; wait for another owner, then say who it is.

    `waiting` is called once, with whom is waited for, when it takes longer than a moment.
    """
    lock = FileLock(folder / "lock", thread_local=False)
    try:
        _acquire(lock, folder, wait_s, waiting)
    except Timeout as error:
        raise WorkspaceBusy(_who(folder, wait_s)) from error
    except OSError as error:
        raise StoreError(
            f"cannot lock {folder}: {error.strerror or error}; the folder must be writable"
        ) from error
    note = folder / "owner.json"
    told = json.dumps({"pid": os.getpid(), "command": command, "since": time.time()})
    try:
        with suppress(OSError):  # a full disk: the note is a courtesy, the lock is held
            note.write_text(told)
        yield
    finally:
        with suppress(OSError):
            note.unlink(missing_ok=True)
        lock.release()


def owner(folder: Path) -> dict[str, object]:
    """Who last said to hold the folder; empty when nobody did."""
    try:
        found = json.loads((folder / "owner.json").read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _acquire(
    lock: FileLock, folder: Path, wait_s: float, waiting: Callable[[str], None] | None
) -> None:
    briefly = min(SILENT_S, wait_s)
    try:
        lock.acquire(timeout=briefly)
    except Timeout:
        if wait_s <= briefly:
            raise
        if waiting is not None:
            waiting(f"waiting for {_name(owner(folder))}")
        lock.acquire(timeout=wait_s - briefly)


def _name(holder: dict[str, object]) -> str:
    if not holder:
        return "another process"
    return f"`{holder.get('command')}` (process {holder.get('pid')})"


def _who(folder: Path, wait_s: float) -> str:
    holder = owner(folder)
    if holder.get("pid") == os.getpid():
        return f"{folder.parent} is already open in this process; use that one, or close it first"
    since = time.time() - float(str(holder.get("since", time.time())))
    told = f", for {since:.0f} s" if holder else ""
    return (
        f"{folder.parent} is held by {_name(holder)}{told}; waited {wait_s:.0f} s. "
        "Let it finish, or stop it, and try again"
    )
