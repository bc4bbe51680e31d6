"""What need not be asked twice? An engine whose look-ups and opinions are kept in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from consilience.names import Mention
from consilience.pipeline import Engine
from consilience.plan import Knowledge
from consilience.protocols import Reranker
from consilience.types import Passage


def remembered(engine: Engine) -> Engine:
    """The engine with look-ups and the reranker's opinions kept in memory."""
    reranker = RememberedReranker(engine.reranker) if engine.reranker else None
    return replace(
        engine,
        lookup=_RememberedLookup(engine),
        phrases=_RememberedPhrases(engine),
        reranker=reranker,
        knowledge=_remembered_names(engine.knowledge),
    )


class RememberedReranker:
    """A reranker that reads a passage once a question, whatever the settings.

    It takes an opinion of a passage to be the same whichever others are read beside it.
    """

    def __init__(self, inner: Reranker) -> None:
        self._inner = inner
        self._known: dict[tuple[str, str], float | None] = {}

    @property
    def name(self) -> str:
        """The name of the reranker that is asked."""
        return self._inner.name

    async def rerank(self, text: str, passages: Sequence[Passage]) -> Sequence[float | None]:
        """What it says now or said before."""
        new = [one for one in passages if (text, one.id) not in self._known]
        if new:
            scores = await self._inner.rerank(text, new)
            self._known.update(
                {(text, one.id): given for one, given in zip(new, scores, strict=True)}
            )
        return [self._known[text, one.id] for one in passages]


class _RememberedLookup:
    def __init__(self, engine: Engine) -> None:
        self._inner = engine.lookup
        self._known: dict[str, Passage] = {}

    def __call__(self, ids: Sequence[str]) -> Mapping[str, Passage]:
        new = [one for one in ids if one not in self._known]
        if new:
            self._known.update(self._inner(new))
        return {one: self._known[one] for one in ids if one in self._known}


class _RememberedPhrases:
    def __init__(self, engine: Engine) -> None:
        self._inner = engine.phrases
        self._known: dict[tuple[str, int], Sequence[Passage]] = {}

    def __call__(self, phrase: str, limit: int) -> Sequence[Passage]:
        if (phrase, limit) not in self._known:
            self._known[phrase, limit] = self._inner(phrase, limit)
        return self._known[phrase, limit]


def _remembered_names(knowledge: Knowledge) -> Knowledge:
    mentions: dict[tuple[str, ...], Sequence[Mention]] = {}
    aliases: dict[tuple[str, str], Sequence[str]] = {}

    def mentioned(surfaces: Sequence[str]) -> Sequence[Mention]:
        key = tuple(surfaces)
        if key not in mentions:
            mentions[key] = knowledge.mentions(surfaces)
        return mentions[key]

    def also_called(node: str, collection: str) -> Sequence[str]:
        if (node, collection) not in aliases:
            aliases[node, collection] = knowledge.aliases(node, collection)
        return aliases[node, collection]

    return replace(knowledge, mentions=mentioned, aliases=also_called)
