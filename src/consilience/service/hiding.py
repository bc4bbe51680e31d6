"""What does a reader not learn? Where on this machine things lie: they see names, no folders.

Whoever may write, and whoever runs the server, see whole paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextvars import ContextVar
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, TypeVar, cast

Told = TypeVar("Told")

_PATHS = frozenset(("document", "path", "what", "roots", "failed", "notes"))  # hold paths, whole
_ADDRESSES = frozenset(("image",))  # may begin as a folder does, and are none


class Hiding:
    """Takes the folders of this machine out of what is told."""

    def __init__(self, folders: Iterable[Path]) -> None:
        known = sorted((str(one) for one in folders if one != one.parent), key=len, reverse=True)
        named = "|".join(map(re.escape, known)) or "(?!)"
        self._folders = re.compile(rf"(?<![\w./\\-])({named})(?:([/\\])|(?![\w-]|\.\w))")

    def shown(self, found: Any, *, is_path: bool = False) -> Any:
        """The same without folders, however deep they are in it."""
        if isinstance(found, str):
            return self._text(found, is_path=is_path)
        if isinstance(found, dict):
            return {
                self.shown(key, is_path=is_path): value
                if key in _ADDRESSES
                else self.shown(value, is_path=key in _PATHS)
                for key, value in found.items()
            }
        if isinstance(found, list | tuple):
            return [self.shown(one, is_path=is_path) for one in found]
        return found

    def _text(self, text: str, *, is_path: bool) -> str:
        if is_path:
            for kind in (PurePosixPath, PureWindowsPath):
                if (path := kind(text)).is_absolute():
                    return path.name
        return self._folders.sub(lambda it: "" if it[2] else Path(it[1]).name, text)


_now: ContextVar[Hiding | None] = ContextVar("hiding", default=None)


def hide(hiding: Hiding | None) -> None:
    """From here on, for this request, hide folders; None: show them."""
    _now.set(hiding)


def hidden(found: Told) -> Told:
    """What was found, as whoever asks now may see it."""
    hiding = _now.get()
    return found if hiding is None else cast("Told", hiding.shown(found))
