"""Which model reads the evidence? Embedders by name, and the vectors of questions, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience import plugins
from consilience.errors import UsageError
from consilience.models.queries import QueryVectors
from consilience.protocols import Preparing
from consilience.settings import Settings

if TYPE_CHECKING:
    from consilience.protocols import Embedder, Generator, Reranker

__all__ = ["QueryVectors", "open_embedder", "open_generator", "open_reranker"]


def open_embedder(name: str, settings: Settings) -> Embedder:
    """The embedder of a name: `fast`, `fine`, `fastembed:<model>`, `openai:<model>` or a plug-in's.

    What stands before the first colon names the kind, the rest is handed to it. An unknown
    kind is refused with the known ones.
    """
    kind, _, argument = name.partition(":")
    if not kind.strip():
        known = ", ".join(plugins.find("embedders"))
        raise UsageError(f"no embedder is named in {name!r}; known: {known}")
    embedder: Embedder = plugins.load("embedders", kind)(argument, settings)
    return embedder


def open_generator(name: str, settings: Settings) -> Generator | None:
    """The language model of a name: `openai:<model>` or a plug-in's; `none` is none."""
    if name == "none":
        return None
    kind, _, argument = name.partition(":")
    if kind not in plugins.find("generators"):
        known = ", ".join(("none", *plugins.find("generators")))
        raise UsageError(f"unknown language model {name!r}; known: {known}")
    generator: Generator = plugins.load("generators", kind)(argument, settings)
    return generator


def open_reranker(
    name: str, settings: Settings, embedder: Embedder | None = None
) -> Reranker | None:
    """The reranker of a name: `late`, one by name or a plug-in's; `none` is none.

    `auto` is `late` beside an embedder whose run makes its token vectors as well, and none beside
    another: there it would cost every question, and may not know the language.
    """
    if name == "none":
        return None
    kind, _, argument = ("late" if name == "auto" else name).partition(":")
    if kind not in plugins.find("rerankers"):
        known = ", ".join(("auto", "none", *plugins.find("rerankers")))
        raise UsageError(f"unknown reranker {name!r}; known: {known}")
    reranker: Reranker = plugins.load("rerankers", kind)(argument, settings)
    if name == "auto":
        embedder = embedder or open_embedder(settings.models.embed, settings)
        return reranker if isinstance(reranker, Preparing) and reranker.ready(embedder) else None
    return reranker
