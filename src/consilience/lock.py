"""Who owns the workspace? One process at a time, because an embedded store belongs to one process.

The lock is the operating system's, so it ends with the process, however that ends. Beside it lies
a note about the owner, for messages to others. An owner that serves others writes there where it
can be reached; only its own user can read the note. The lock decides: a note that a killed owner
left behind means nothing.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self, TypeVar

from filelock import FileLock, Timeout

from consilience.errors import StoreError, WorkspaceBusy

SILENT_S = 0.3  # a wait up to here is not reported
POLL_S = 1.0  # while waiting, how often to look whether the owner serves by now
NOTE = "owner.json"
Connection = TypeVar("Connection")
Connect = Callable[[Mapping[str, object]], Connection | None]
"""Connects to an owner by its note; None if it does not answer."""


class Hold:
    """The lock of a store folder, held by this process, and its note."""

    def __init__(self, lock: FileLock, folder: Path, *, command: str) -> None:
        self._lock = lock
        self._file = folder / NOTE
        self._note = {"pid": os.getpid(), "command": command, "since": time.time()}
        self.withdraw()

    def announce(self, address: str, secret: str) -> None:
        """Note where this process serves the workspace, and the secret that opens it."""
        self._write({**self._note, "address": address, "secret": secret})

    def withdraw(self) -> None:
        """Note that it is not served."""
        self._write(self._note)

    def release(self) -> None:
        """Let others in."""
        with suppress(OSError):
            self._file.unlink(missing_ok=True)
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _write(self, note: Mapping[str, object]) -> None:
        """Write the note whole or not at all, where nobody else can read it."""
        new = self._file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):  # a full disk: the note is a courtesy, the lock is held
            try:
                new.touch(mode=0o600, exist_ok=False)
                new.write_text(json.dumps(note))
                new.replace(self._file)
            finally:
                new.unlink(missing_ok=True)


def hold(
    folder: Path,
    *,
    command: str,
    wait_s: float,
    waiting: Callable[[str], None] | None = None,
    connect: Connect[Connection] | None = None,
) -> Hold | Connection:
    """Take the lock of a store folder; or, where its owner serves it, connect to the owner.

    Another owner is waited for; after that the error says who it is. `waiting` is called once with
    a message when it takes longer than a moment.
    """
    lock = FileLock(folder / "lock", thread_local=False)
    deadline, timeout_s, is_reported = time.monotonic() + wait_s, min(SILENT_S, wait_s), False
    try:
        while not _acquire(lock, timeout_s):
            owner = read_owner(folder)
            is_other = owner.get("pid") != os.getpid()
            if connect is not None and owner.get("address") and is_other:
                connection = connect(owner)
                if connection is not None:
                    return connection
            timeout_s = min(POLL_S, deadline - time.monotonic())
            if timeout_s <= 0:
                raise WorkspaceBusy(_describe_wait(folder, owner, wait_s))
            if waiting is not None and not is_reported:
                waiting(f"waiting for {owner_name(owner)}")
                is_reported = True
    except OSError as error:
        raise StoreError(
            f"cannot lock {folder}: {error.strerror or error}; the folder must be writable"
        ) from error
    return Hold(lock, folder, command=command)


def read_owner(folder: Path) -> Mapping[str, object]:
    """The note of the last owner; empty if there is none."""
    try:
        note = json.loads((folder / NOTE).read_text())
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}


def owner_name(owner: Mapping[str, object]) -> str:
    """What messages call an owner."""
    if not owner:
        return "another process"
    return f"`{owner.get('command')}` (process {owner.get('pid')})"


def _acquire(lock: FileLock, timeout_s: float) -> bool:
    try:
        lock.acquire(timeout=timeout_s)
    except Timeout:
        return False
    return True


def _describe_wait(folder: Path, owner: Mapping[str, object], wait_s: float) -> str:
    if owner.get("pid") == os.getpid():
        return f"{folder.parent} is already open in this process; use that one, or close it first"
    seconds = time.time() - float(str(owner.get("since", time.time())))
    since = f", for {seconds:.0f} s" if owner else ""
    where = f" at {owner['address']}" if owner.get("address") else ""
    return (
        f"{folder.parent} is held by {owner_name(owner)}{where}{since}; waited {wait_s:.0f} s. "
        "Let it finish, or stop it, and try again"
    )
