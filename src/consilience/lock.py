"""Who owns the workspace? One process at a time: an embedded shard belongs to one process.

The lock is the operating system's, so it goes with the process, however that ends. Beside it
stands a note of who holds it, for the message that others get when waiting did not help. An owner
that serves others says there where it can be reached: the note is for its user's eyes alone. The
lock decides: a note that a killed owner left behind means nothing.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from filelock import FileLock, Timeout

from consilience.errors import StoreError, WorkspaceBusy

SILENT_S = 0.3  # waiting up to here is not worth a word
LOOK_S = 1.0  # while waiting, how often it is looked whether the owner serves by now
NOTE = "owner.json"
Way = TypeVar("Way")
Through = Callable[[Mapping[str, object]], Way | None]
"""Gives a way through an owner that says in its note where it is reached; None if none leads."""


class Hold:
    """The lock of a store folder, held by this process, and the note that says so."""

    def __init__(self, lock: FileLock, folder: Path, *, command: str) -> None:
        self._lock = lock
        self._note = folder / NOTE
        self._told = {"pid": os.getpid(), "command": command, "since": time.time()}
        self._write(self._told)

    def announce(self, address: str, secret: str) -> None:
        """Say where this process serves the workspace, and what opens it."""
        self._write({**self._told, "address": address, "secret": secret})

    def withdraw(self) -> None:
        """It is not served any more, or not yet."""
        self._write(self._told)

    def release(self) -> None:
        """Let others in."""
        with suppress(OSError):
            self._note.unlink(missing_ok=True)
        self._lock.release()

    def _write(self, told: Mapping[str, object]) -> None:
        """Write the note whole or not at all, where nobody else can read it."""
        new = self._note.with_suffix(f".{os.getpid()}")
        with suppress(OSError):  # a full disk: the note is a courtesy, the lock is held
            try:
                new.touch(mode=0o600, exist_ok=False)
                new.write_text(json.dumps(told))
                new.replace(self._note)
            finally:
                new.unlink(missing_ok=True)


def hold(
    folder: Path,
    *,
    command: str,
    wait_s: float,
    waiting: Callable[[str], None] | None = None,
    through: Through[Way] | None = None,
) -> Hold | Way:
    """Take the lock of a store folder; or, where its owner serves it, give a way through it.

    Another owner is waited for; then it is said who that is. `waiting` is called once, with whom
    is waited for, when it takes longer than a moment.
    """
    lock = FileLock(folder / "lock", thread_local=False)
    until, patience_s, told = time.monotonic() + wait_s, min(SILENT_S, wait_s), False
    try:
        while not _acquired(lock, patience_s):
            if through is not None and (way := _way(folder, through)) is not None:
                return way
            patience_s = min(LOOK_S, until - time.monotonic())
            if patience_s <= 0:
                raise WorkspaceBusy(_who(folder, wait_s))
            if waiting is not None and not told:
                waiting(f"waiting for {owner_name(read_owner(folder))}")
                told = True
    except OSError as error:
        raise StoreError(
            f"cannot lock {folder}: {error.strerror or error}; the folder must be writable"
        ) from error
    return Hold(lock, folder, command=command)


@contextmanager
def locked(
    folder: Path, *, command: str, wait_s: float, waiting: Callable[[str], None] | None = None
) -> Iterator[Hold]:
    """Hold the store folder while inside, whoever serves it."""
    held: Hold = hold(folder, command=command, wait_s=wait_s, waiting=waiting)
    try:
        yield held
    finally:
        held.release()


def read_owner(folder: Path) -> Mapping[str, object]:
    """Who last said to hold the folder; empty when nobody did."""
    try:
        found = json.loads((folder / NOTE).read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def owner_name(holder: Mapping[str, object]) -> str:
    """How an owner is called in a message."""
    if not holder:
        return "another process"
    return f"`{holder.get('command')}` (process {holder.get('pid')})"


def _acquired(lock: FileLock, patience_s: float) -> bool:
    try:
        lock.acquire(timeout=patience_s)
    except Timeout:
        return False
    return True


def _way(folder: Path, through: Through[Way]) -> Way | None:
    """A way through whoever holds the folder, if it serves others; nobody goes through itself."""
    holder = read_owner(folder)
    if not holder.get("address") or holder.get("pid") == os.getpid():
        return None
    return through(holder)


def _who(folder: Path, wait_s: float) -> str:
    holder = read_owner(folder)
    if holder.get("pid") == os.getpid():
        return f"{folder.parent} is already open in this process; use that one, or close it first"
    since = time.time() - float(str(holder.get("since", time.time())))
    told = f", for {since:.0f} s" if holder else ""
    where = f" at {holder['address']}" if holder.get("address") else ""
    return (
        f"{folder.parent} is held by {owner_name(holder)}{where}{told}; waited {wait_s:.0f} s. "
        "Let it finish, or stop it, and try again"
    )
