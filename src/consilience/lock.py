"""Who owns the workspace? One process at a time: an embedded shard belongs to one process.

The lock is the operating system's, so it goes with the process, however that ends. Beside it
stands a note of who holds it, for the message that others get when waiting did not help.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from consilience.errors import StoreError, WorkspaceBusy


@contextmanager
def owning(folder: Path, *, command: str, wait_s: float) -> Iterator[None]:
    """Hold the store folder while inside; wait for another owner, then say who it is."""
    lock = FileLock(folder / "lock", thread_local=False)
    try:
        lock.acquire(timeout=wait_s)
    except Timeout as error:
        raise WorkspaceBusy(_who(folder, wait_s)) from error
    except OSError as error:
        raise StoreError(
            f"cannot lock {folder}: {error.strerror or error}; the folder must be writable"
        ) from error
    note = folder / "owner.json"
    try:
        note.write_text(json.dumps({"pid": os.getpid(), "command": command, "since": time.time()}))
        yield
    finally:
        note.unlink(missing_ok=True)
        lock.release()


def owner(folder: Path) -> dict[str, object]:
    """Who last said to hold the folder; empty when nobody did."""
    try:
        found = json.loads((folder / "owner.json").read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _who(folder: Path, wait_s: float) -> str:
    holder = owner(folder)
    if holder.get("pid") == os.getpid():
        return f"{folder.parent} is already open in this process; use that one, or close it first"
    name = "another process"
    if holder:
        since = time.time() - float(str(holder.get("since", time.time())))
        name = f"`{holder.get('command')}` (process {holder.get('pid')}, for {since:.0f} s)"
    return (
        f"{folder.parent} is held by {name}; waited {wait_s:.0f} s. "
        "Let it finish, or stop it, and try again"
    )
