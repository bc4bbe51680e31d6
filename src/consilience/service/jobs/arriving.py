"""Where does a file lie while it comes in? Beside its place, under a name that nobody reads.

It is moved to its place by its job, so that files take their places in the order in which they
arrived, and what was there before stays until then.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

UPLOADS = "uploads"
"""The folder of a workspace in which files that were uploaded lie."""
_ENDING = ".part"


class Arrivals:
    """The files of one workspace that come in by upload."""

    def __init__(self, home: Path) -> None:
        self.folder = home / UPLOADS

    def begin(self) -> tuple[str, BinaryIO]:
        """A new file to be filled: its name, and the file."""
        self.folder.mkdir(exist_ok=True)
        name = f".{secrets.token_hex(8)}{_ENDING}"
        return name, (self.folder / name).open("xb")

    def whole(self, file: BinaryIO) -> None:
        """Have what was written on the disk itself, name and all; closes the file."""
        file.flush()
        os.fsync(file.fileno())
        file.close()
        sync_folder(self.folder)

    def drop(self, name: str) -> None:
        """It is not wanted after all; without a name there is none."""
        if name:
            (self.folder / name).unlink(missing_ok=True)

    def settle(self, name: str, path: Path) -> None:
        """Move a whole file to its place; one that is there already was moved before."""
        part = self.folder / name
        if part.exists():
            part.replace(path)
            sync_folder(path.parent)

    def sweep(self, wanted: Iterable[str]) -> None:
        """Delete what is left of files that never became whole."""
        known = set(wanted)
        for path in self.folder.glob(f".*{_ENDING}"):
            if path.name not in known and stat.S_ISREG(path.lstat().st_mode):
                path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk itself, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
