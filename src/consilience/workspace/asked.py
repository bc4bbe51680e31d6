"""How is a source asked that another process holds? By name, over HTTP; it answers as if here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from consilience.client import Owner
from consilience.protocols import Likeness, Retriever
from consilience.threads import Workers
from consilience.types import Found, Request, Told
from consilience.wire import likeness_made, made, plain

_IDS = 2000  # ids in one question: more would make it too long


class Asked:
    """The sources of a workspace that another process serves."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._known: list[dict[str, Any]] | None = None

    def sources(self, collection: str, kinds: Iterable[str]) -> list[Retriever]:
        """The ways to rank a collection, as its owner has them; the kinds it knows itself."""
        del kinds
        if self._known is None:
            self._known = self._owner.ask("sources")
        return [
            _CLASSES[one["scores"], one["compares"]](self._owner, one["name"], collection)
            for one in self._known
            if one["collection"] == collection
        ]


class Source:
    """One source of another process."""

    def __init__(self, owner: Owner, name: str, collection: str) -> None:
        self.name = name
        self.collection = collection
        self._owner = owner
        self._workers = Workers(name)

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """What it finds, best first."""
        return (await self.tell(request, limit=limit)).found

    async def tell(self, request: Request, *, limit: int) -> Told:
        """What it finds, and how it came to it."""
        told = await self._ask("retrieve", request=plain(Request, request), limit=limit)
        return made(Told, told)

    async def _ask(self, what: str, **more: Any) -> Any:
        asked = {"source": self.name, "do": what, **more}
        return await self._workers.run(lambda: self._owner.ask("source", asked))


class Scoring(Source):
    """One that scores named passages too."""

    async def score(self, request: Request, ids: Sequence[str]) -> Mapping[str, float]:
        """The scores of these passages, as far as it holds them."""
        found: dict[str, float] = {}
        for start in range(0, len(ids), _IDS):
            some = list(ids[start : start + _IDS])
            scores = await self._ask("score", request=plain(Request, request), ids=some)
            found.update(made(dict[str, float], scores))
        return found


class Comparing(Source):
    """One that compares passages too."""

    async def compare(self, ids: Sequence[str]) -> Likeness:
        """How alike these passages are."""
        return likeness_made(await self._ask("compare", ids=list(ids)))


class Both(Scoring, Comparing):
    """One that does both."""


_CLASSES: Mapping[tuple[bool, bool], Callable[[Owner, str, str], Source]] = {
    (False, False): Source,
    (True, False): Scoring,
    (False, True): Comparing,
    (True, True): Both,
}
