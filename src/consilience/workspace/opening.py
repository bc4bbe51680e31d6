"""What does an engine need of a workspace? Its sources, models, and what labels taught here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

from consilience.catalogue import Catalogue
from consilience.errors import ConsilienceError, ModelError
from consilience.kinds import unsearched_kinds
from consilience.learned import open_learned
from consilience.pack import Pack, read_synonyms
from consilience.pipeline import Engine
from consilience.plan import Knowledge, plan
from consilience.protocols import (
    Embedder,
    Generator,
    Reranker,
    Retriever,
    Warmed,
    Warming,
    Weighted,
)
from consilience.refine import cited_works
from consilience.relevance import open_calibration
from consilience.settings import Settings
from consilience.trust import trust_model
from consilience.types import Note, Query
from consilience.workspace.making import STORE
from consilience.workspace.nearby import neighbours_in

Opinion = TypeVar("Opinion")
_FIRST = Query(text="warm")  # planned at once: what a pack reads questions with is loaded by it


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Models that a caller brings instead of those that the settings name."""

    embedder: Embedder | None = None
    reranker: Reranker | None = None
    generator: Generator | None = None


class Shelves(Protocol):
    """Whatever gives the sources of a collection: engines here, or those of another process."""

    def sources(self, collection: str, kinds: Iterable[str]) -> list[Retriever]:
        """The ways to rank a collection that holds passages of these kinds."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """An open workspace, as far as an engine is made of it."""

    folder: Path
    settings: Settings
    pack: Pack
    catalogue: Catalogue
    stores: Shelves
    embedder: Embedder
    reranker: Reranker | None
    generator: Generator | None


def open_engine(parts: Parts) -> tuple[Engine, list[Note]]:
    """The engine of a workspace, and what a person should know of it."""
    _warm(parts)
    trouble: list[Note] = []
    sources = {source.name: source for source in _sources(parts)}
    engine = Engine(
        sources=sources,
        lookup=parts.catalogue.get,
        settings=parts.settings,
        reranker=parts.reranker,
        phrases=parts.catalogue.with_phrase,
        pieces=parts.catalogue.pieces,
        names=parts.catalogue.names_near,
        cited=cache(lambda: cited_works(*parts.catalogue.citations())),
        trust=trust_model(parts.embedder.name),
        learned=_opinion(parts, open_learned, trouble),
        calibration=_opinion(parts, open_calibration, trouble),
        generator=parts.generator,
        embedder=parts.embedder,
        knowledge=_knowledge(parts, {name: one.collection for name, one in sources.items()}),
    )
    plan(_FIRST, engine.knowledge)
    if parts.settings.refine.cited:
        engine.cited()
    for source in sources.values():
        if isinstance(source, Warmed):
            with suppress(ConsilienceError):  # the search that needs it tells
                source.warm()
    return engine, trouble


def _knowledge(parts: Parts, sources: dict[str, str]) -> Knowledge:
    catalogue, embedder = parts.catalogue, parts.embedder
    return Knowledge(
        sources=sources,
        sizes={name: _searched(kinds) for name, kinds in catalogue.counts().items()},
        pack=parts.pack,
        settings=parts.settings,
        mentions=catalogue.mentions if catalogue.has_names() else (lambda _: ()),
        aliases=catalogue.aliases,
        fields=catalogue.fields(),
        values=cache(catalogue.values_of),
        synonyms=read_synonyms(parts.folder, parts.pack),
        neighbours=neighbours_in(catalogue),
        trust=embedder.trust if isinstance(embedder, Weighted) else 1.0,
    )


def _sources(parts: Parts) -> list[Retriever]:
    return [
        source
        for collection, kinds in parts.catalogue.counts().items()
        for source in parts.stores.sources(collection, kinds)
    ]


def _opinion(
    parts: Parts,
    read: Callable[[Path, str], tuple[Opinion, tuple[Note, ...]]],
    trouble: list[Note],
) -> Opinion:
    """What labels taught with this embedder; what is wrong with it is remarked on."""
    found, notes = read(parts.folder / STORE, parts.embedder.name)
    trouble.extend(notes)
    return found


def _warm(parts: Parts) -> None:
    """Load the models before any deadline runs; without them, words and graphs still answer."""
    with suppress(ModelError):
        parts.embedder.embed_query("warm")
    if isinstance(parts.reranker, Warming):
        with suppress(ModelError):
            parts.reranker.warm()


def _searched(kinds: Mapping[str, int]) -> int:
    """How many passages of a collection are searched as text: works and citations are walked."""
    return sum(count for kind, count in kinds.items() if kind not in unsearched_kinds())
