"""With which settings is a question answered? With the first, or for a share with the second."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from consilience.types import Event, Length, Query, Result
from consilience.workspace import Workspace


class Asking(Protocol):
    """What answers questions: a workspace, or the same with other settings."""

    def find(self, query: Query) -> Result:
        """The results of a query."""
        ...

    def events(
        self, question: str | Query, *, length: Length | None = None, model: bool = True
    ) -> AsyncGenerator[Event]:
        """The answer as it is written."""
        ...


class Buckets:
    """The settings that questions of one workspace are answered with: `a`, and perhaps `b`."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def choose(self, wanted: str = "") -> tuple[str, Asking]:
        """The bucket that is wanted, or one by chance, and who answers there."""
        del wanted
        return "a", self._workspace
