"""How would other settings answer? The same evidence, engines and models, asked otherwise.

Only what takes effect at the question can vary: what is built into the index cannot.
"""

from __future__ import annotations

import tomllib
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from consilience.engine import Engine
from consilience.engine.retrieve import Breakers
from consilience.errors import ModelError, UsageError
from consilience.models import open_generator, open_reranker
from consilience.protocols import Generator, Preparing, Reranker, Warming
from consilience.settings import TABLE, Settings, build_settings, dotted
from consilience.types import Event, Length, Query, Result

if TYPE_CHECKING:
    from consilience.workspace import Workspace

_AT_THE_QUESTION = ("fusion", "refine", "retrieve", "answer")
_MODELS = frozenset(
    f"models.{name}"
    for name in (
        "rerank", "live_ms", "rerank_address", "rerank_key",
        "generate", "generate_address", "generate_key",
    )
)  # fmt: skip
_RERANKER = (
    "models.rerank", "models.live_ms", "models.rerank_address", "models.rerank_key",
    "models.generate_address", "models.generate_key", "refine.rerank_ms", "answer.timeout_s",
    "answer.retries",
)  # fmt: skip
_GENERATOR = (
    "models.generate", "models.generate_address", "models.generate_key", "answer.timeout_s",
    "answer.retries",
)  # fmt: skip


class Variant:
    """A workspace as it answers with other settings. It is as open as the workspace is.

    Sources, passages and embedder are those of the workspace; when it takes evidence in, this
    one sees it too. A source that is too slow for these settings is left alone here, not there.
    """

    def __init__(self, workspace: Workspace, settings: Settings) -> None:
        self._workspace = workspace
        self.settings = settings
        self.reranker = _reranker(workspace, settings)
        self.generator = _generator(workspace, settings)
        self._breakers = Breakers()
        self._lock = Lock()  # guards both below
        self._followed: Engine | None = None
        self._engine: Engine | None = None

    @property
    def engine(self) -> Engine:
        """What a search needs: that of the workspace as it is now, with these settings."""
        own = self._workspace.engine
        with self._lock:
            if self._engine is None or own is not self._followed:
                self._engine = self._made(own)
                self._followed = own
            return self._engine

    def find(self, query: Query) -> Result:
        """Answer a query."""
        return self._workspace.found_by(self.engine, query)

    def events(
        self, question: str | Query, *, length: Length | None = None, model: bool = True
    ) -> AsyncGenerator[Event]:
        """The answer to a question as it is written."""
        return self._workspace.told_by(self.engine, question, length=length, model=model)

    def _made(self, own: Engine) -> Engine:
        _read_kept(self._workspace, self.reranker)
        if self.reranker is not self._workspace.reranker and isinstance(self.reranker, Warming):
            with suppress(ModelError):  # told by the search that needs it
                self.reranker.warm()
        return replace(
            own,
            settings=self.settings,
            knowledge=replace(own.knowledge, settings=self.settings),
            reranker=self.reranker,
            generator=self.generator,
            breakers=self._breakers,
        )


def vary_settings(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Settings with changes by dotted name; what a question cannot change is refused."""
    values = {row.name: _value(settings, row.name) for row in TABLE}
    for name in changes:
        if name not in values:
            raise UsageError(f"unknown setting {name!r}; `consilience settings` lists them")
        if name.partition(".")[0] not in _AT_THE_QUESTION and name not in _MODELS:
            raise UsageError(
                f"setting {name!r} cannot vary from question to question: the index, or the "
                f"workspace as a whole, depends on it. What can: {', '.join(_AT_THE_QUESTION)} and "
                "the reranker and language model of `models`"
            )
    return build_settings({**values, **changes, "plugins": settings.plugins})


def read_changes(folder: Path, name: str) -> dict[str, Any]:
    """The settings by dotted name in a TOML file that lies inside a workspace's folder."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise UsageError(f"`serve.other` is {name!r}, which is not in {folder}; put it in there")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"`serve.other` is {name!r}, which cannot be read in {folder}: {error.strerror}"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}; correct it and try again") from error
    return dotted(table)


def setting_differences(settings: Settings, other: Settings) -> dict[str, Any]:
    """What `other` has otherwise, by dotted name; keys and addresses are not told."""
    names = [row.name for row in TABLE if _value(settings, row.name) != _value(other, row.name)]
    found = {name: _value(other, name) for name in names}
    return {
        name: "(another)" if name.endswith(("_key", "address")) else _plain(value)
        for name, value in found.items()
    }


def _reranker(workspace: Workspace, settings: Settings) -> Reranker | None:
    """The reranker of these settings; that of the workspace where they ask for no other."""
    if _same(workspace.settings, settings, _RERANKER, "models.rerank"):
        return workspace.reranker
    return open_reranker(settings.models.rerank, settings, workspace.embedder)


def _generator(workspace: Workspace, settings: Settings) -> Generator | None:
    if _same(workspace.settings, settings, _GENERATOR, "models.generate"):
        return workspace.generator
    return open_generator(settings.models.generate, settings)


def _same(ours: Settings, theirs: Settings, names: tuple[str, ...], model: str) -> bool:
    """Whether both ask for the same model; one that is not named in either was handed over."""
    if _value(ours, model) == _value(theirs, model) == "none":
        return True
    return all(_value(ours, name) == _value(theirs, name) for name in names)


def _read_kept(workspace: Workspace, reranker: Reranker | None) -> None:
    """Have a reranker of our own read the token vectors that are kept, where they are its own."""
    own, keeping = workspace.reranker, workspace.keeping
    if reranker is own or keeping is None or own is None or not isinstance(reranker, Preparing):
        return
    if reranker.name == own.name:
        reranker.reads_from(keeping.store.get)


def _value(settings: Settings, name: str) -> Any:
    section, _, last = name.rpartition(".")
    return getattr(getattr(settings, section) if section else settings, last)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value
