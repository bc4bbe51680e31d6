"""How would other settings answer? The same evidence, engines and models with other settings.

Only settings that take effect at the question can vary, not those that the index is built with.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from consilience.engine import Engine
from consilience.engine.retrieve import Breakers
from consilience.errors import ModelError, UsageError
from consilience.models import open_generator, open_reranker
from consilience.protocols import Generator, Preparing, Reranker, Warming
from consilience.settings import TABLE, Settings, build_settings, is_address
from consilience.types import Event, Length, Query, Result

if TYPE_CHECKING:
    from consilience.workspace import Workspace

_SECTIONS = ("fusion", "refine", "retrieve", "answer")  # in effect at the question
_GENERATOR = (
    "models.generate", "models.generate_address", "models.generate_key", "answer.timeout_s",
    "answer.retries",
)  # fmt: skip
_RERANKER = (
    "models.rerank", "models.live_ms", "models.rerank_address", "models.rerank_key",
    "refine.rerank_ms", *_GENERATOR[1:],
)  # fmt: skip


class Variant:
    """A workspace as it answers with other settings. It is open as long as the workspace is.

    Sources, passages and embedder are those of the workspace, so new evidence is seen here too. A
    source that is too slow for these settings is left out here, not there.
    """

    def __init__(self, workspace: Workspace, settings: Settings) -> None:
        self._workspace = workspace
        self.settings = settings
        self.reranker = _open_reranker(workspace, settings)
        self.generator = _open_generator(workspace, settings)
        self._breakers = Breakers()
        self._lock = Lock()  # guards both below
        self._base: Engine | None = None
        self._engine: Engine | None = None

    @property
    def engine(self) -> Engine:
        """The engine of the workspace as it is now, with these settings."""
        base = self._workspace.engine
        with self._lock:
            if self._engine is None or base is not self._base:
                self._prepare_reranker()
                self._engine = replace(
                    base,
                    settings=self.settings,
                    knowledge=replace(base.knowledge, settings=self.settings),
                    reranker=self.reranker,
                    generator=self.generator,
                    breakers=self._breakers,
                )
                self._base = base
            return self._engine

    def find(self, query: Query) -> Result:
        """Answer a query."""
        return self._workspace.search_with(self.engine, query)

    def events(
        self, question: str | Query, *, length: Length | None = None, model: bool = True
    ) -> AsyncGenerator[Event]:
        """The events of an answer as it is written."""
        return self._workspace.events_with(self.engine, question, length=length, model=model)

    def _prepare_reranker(self) -> None:
        """Load a reranker of our own; it reads the stored token vectors if they are of its kind."""
        base, reranker = self._workspace.reranker, self.reranker
        if reranker is base:
            return
        keeper = self._workspace.keeping
        if keeper and base and isinstance(reranker, Preparing) and reranker.name == base.name:
            reranker.reads_from(keeper.store.get)
        if isinstance(reranker, Warming):
            with suppress(ModelError):  # reported by the search that needs it
                reranker.warm()


def vary_settings(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Settings with changes by dotted name; what a question cannot change is refused."""
    values = {row.name: settings.value(row.name) for row in TABLE}
    for name in changes:
        if name not in values:
            raise UsageError(f"unknown setting {name!r}; `consilience settings` lists them")
        if name.partition(".")[0] not in _SECTIONS and name not in (*_RERANKER, *_GENERATOR):
            raise UsageError(
                f"setting {name!r} cannot vary from question to question: the index, or the "
                f"workspace as a whole, depends on it. What can: {', '.join(_SECTIONS)} and "
                "the reranker and language model of `models`"
            )
    return build_settings({**values, **changes, "plugins": settings.plugins})


def setting_differences(settings: Settings, other: Settings) -> dict[str, Any]:
    """The values of `other` that differ, by dotted name; keys and addresses are hidden."""
    differences: dict[str, Any] = {}
    for row in TABLE:
        value = other.value(row.name)
        if value != settings.value(row.name):
            is_secret = row.name.endswith("_key") or is_address(row.name)
            plain = dict(value) if isinstance(value, Mapping) else value
            differences[row.name] = "(another)" if is_secret else plain
    return differences


def _open_reranker(workspace: Workspace, settings: Settings) -> Reranker | None:
    """The reranker of these settings; that of the workspace if they name no other."""
    if _is_same(workspace.settings, settings, _RERANKER):
        return workspace.reranker
    return open_reranker(settings.models.rerank, settings, workspace.embedder)


def _open_generator(workspace: Workspace, settings: Settings) -> Generator | None:
    if _is_same(workspace.settings, settings, _GENERATOR):
        return workspace.generator
    return open_generator(settings.models.generate, settings)


def _is_same(ours: Settings, theirs: Settings, names: tuple[str, ...]) -> bool:
    """Whether both name the same model, first in `names`; one that neither names was given."""
    if ours.value(names[0]) == theirs.value(names[0]) == "none":
        return True
    return all(ours.value(name) == theirs.value(name) for name in names)
