"""What goes on in a workspace beside questions? Jobs, one at a time, each with its progress."""

from __future__ import annotations

from consilience.workspace import Workspace


class Jobs:
    """The jobs of one workspace: files that come in, in the order in which they were handed in."""

    def __init__(self, workspace: Workspace, *, upload_bytes: int) -> None:
        self._workspace = workspace
        self._upload_bytes = upload_bytes

    def going_on(self) -> int:
        """How many are not done."""
        return 0

    def close(self) -> None:
        """Stop at the next safe place; what was begun goes on when it is served again."""
