"""Which models read a workspace's evidence? Those of its settings, unless others are given."""

from __future__ import annotations

from functools import cached_property

from consilience.models import QueryVectors, open_embedder, open_generator, open_reranker
from consilience.protocols import Embedder, Generator, Reranker
from consilience.settings import Settings
from consilience.workspace.opening import Given


class Readers:
    """The models of some settings, each opened when first needed."""

    def __init__(self, settings: Settings, given: Given) -> None:
        self.settings = settings
        self._given = given

    @cached_property
    def embedder(self) -> Embedder:
        """The model of the settings."""
        return self._given.embedder or open_embedder(self.settings.models.embed, self.settings)

    @cached_property
    def reranker(self) -> Reranker | None:
        """The reranker of the settings, if any."""
        return self._given.reranker or open_reranker(
            self.settings.models.rerank, self.settings, self.embedder
        )

    @cached_property
    def generator(self) -> Generator | None:
        """The language model of the settings, if any."""
        return self._given.generator or open_generator(self.settings.models.generate, self.settings)

    @cached_property
    def vectors(self) -> QueryVectors:
        """The vectors of questions, remembered."""
        return QueryVectors(self.embedder, self.settings.models.cache)
