"""With which settings is a question answered? With the first, or for a share with the second."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Mapping
from datetime import UTC, date, datetime
from typing import Protocol

from consilience.errors import UsageError
from consilience.fuse import FUSERS
from consilience.protocols import Generator
from consilience.settings import Settings
from consilience.types import Event, Length, Query, Result
from consilience.workspace import Workspace
from consilience.workspace.varying import Variant, read_changes, varied

_DIGITS = 12


class Asking(Protocol):
    """What answers questions: a workspace, or the same with other settings."""

    @property
    def generator(self) -> Generator | None:
        """The language model that writes, if any."""
        ...

    def find(self, query: Query) -> Result:
        """The results of a query."""
        ...

    def events(
        self, question: str | Query, *, length: Length | None = None, model: bool = True
    ) -> AsyncGenerator[Event]:
        """The answer as it is written."""
        ...


class Buckets:
    """The settings that questions of one workspace are answered with: `a`, and perhaps `b`.

    `a` are the workspace's own; `b` those of the file `serve.other`, for the share `serve.share`
    of the questions. A file that cannot be used is refused when serving starts.
    """

    def __init__(self, workspace: Workspace) -> None:
        serve = workspace.settings.serve
        if serve.share > 1:
            raise UsageError(f"`serve.share` is {serve.share:g}; it is a share, from 0 to 1")
        self._workspace = workspace
        self._share = serve.share
        self.other = _other(workspace) if serve.other else None

    @property
    def settings(self) -> Mapping[str, Settings]:
        """The settings of each bucket that there is."""
        own = {"a": self._workspace.settings}
        return own if self.other is None else {**own, "b": self.other.settings}

    def choose(self, wanted: str = "", question: str = "") -> tuple[str, Asking]:
        """The bucket that is wanted, or one by chance, and who answers there.

        Chance is a digest of the question and the day, not dice: whoever asks again, turns a
        filter on or reloads the page sees the same order, and only on another day perhaps the
        other one. Over the days the same question falls into both, so neither keeps the easy ones.
        """
        if wanted == "b" and self.other is None:
            raise UsageError("there is no bucket 'b': the setting `serve.other` names no settings")
        name = wanted or self.drawn(question)
        if name == "b" and self.other is not None:
            return name, self.other
        return "a", self._workspace

    def drawn(self, question: str, day: date | None = None) -> str:
        """The bucket that chance gives to a question on a day, today if none is given."""
        if self.other is None:
            return "a"
        when = day or datetime.now(UTC).date()
        asked = " ".join(question.casefold().split())
        text = f"{when.isoformat()}\n{asked}".encode("utf-8", "surrogatepass")
        number = int(hashlib.sha256(text).hexdigest()[:_DIGITS], 16) / 16**_DIGITS
        return "b" if number < self._share else "a"


def _other(workspace: Workspace) -> Variant:
    """The second settings, refused with the reason where they cannot be used."""
    name = workspace.settings.serve.other
    changes = read_changes(workspace.folder, name)
    try:
        settings = varied(workspace.settings, changes)
        for fuser in (settings.fusion.method, settings.fusion.across):
            if fuser not in FUSERS:
                raise UsageError(f"unknown fusion method {fuser!r}; known: {', '.join(FUSERS)}")
        return Variant(workspace, settings)
    except UsageError as error:
        raise UsageError(f"{name} (`serve.other`): {error}") from error
