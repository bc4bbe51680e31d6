"""What was asked, what was shown, and what did people do with it? Kept here, sent nowhere.

One SQLite file in the workspace's store folder. Without a path nothing is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from consilience.types import Result

JOURNAL = "journal.db"
Reaction = Literal["click", "dwell", "kept", "up", "down"]


class Journal:
    """The questions of one workspace, with what was shown and how people reacted."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def asked(self, result: Result, *, bucket: str, ms: float, kept: Sequence[str] = ()) -> str:
        """Keep a question with the ids that were shown; the key under which to react to it."""
        del result, bucket, ms, kept
        return ""

    def reacted(self, key: str, kind: Reaction, *, passage: str = "", value: float = 1.0) -> None:
        """Keep what somebody did with a result, or with the answer as a whole."""

    def close(self) -> None:
        """Let go of the file."""
