"""What must a reader not learn? Where files lie on this machine: readers see names, no folders.

Clients that may write, and whoever runs the server, see whole paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextvars import ContextVar
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, TypeVar, cast

Data = TypeVar("Data")
_PATH_FIELDS = frozenset(("document", "path", "what", "roots", "failed", "notes"))
_ADDRESS_FIELDS = frozenset(("image",))  # an address begins as a folder does, and is none


class PathRedactor:
    """Removes the folders of this machine from JSON."""

    def __init__(self, folders: Iterable[Path]) -> None:
        known = sorted(
            (str(path) for path in folders if path != path.parent), key=len, reverse=True
        )
        names = "|".join(map(re.escape, known)) or "(?!)"
        self._folders = re.compile(rf"(?<![\w./\\-])({names})(?:([/\\])|(?![\w-]|\.\w))")

    def redact(self, data: Any, *, is_path: bool = False) -> Any:
        """The same without folders, at any depth."""
        if isinstance(data, str):
            return self._redact_text(data, is_path=is_path)
        if isinstance(data, dict):
            return {
                self.redact(key, is_path=is_path): value
                if key in _ADDRESS_FIELDS
                else self.redact(value, is_path=key in _PATH_FIELDS)
                for key, value in data.items()
            }
        if isinstance(data, list | tuple):
            return [self.redact(item, is_path=is_path) for item in data]
        return data

    def _redact_text(self, text: str, *, is_path: bool) -> str:
        if is_path:
            for kind in (PurePosixPath, PureWindowsPath):
                if (path := kind(text)).is_absolute():
                    return path.name
        return self._folders.sub(lambda match: "" if match[2] else Path(match[1]).name, text)


_redactor: ContextVar[PathRedactor | None] = ContextVar("redactor", default=None)


def set_redactor(redactor: PathRedactor | None) -> None:
    """Redact folders for the rest of this request; None shows them."""
    _redactor.set(redactor)


def redact(data: Data) -> Data:
    """The data as the sender of the current request may see it."""
    redactor = _redactor.get()
    return data if redactor is None else cast("Data", redactor.redact(data))
