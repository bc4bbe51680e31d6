"""A package of plug-ins such as a third party would write: a store with a source, a reranker."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from consilience.protocols import Shelf, StoreKind
from consilience.types import Found, Passage, Request


class Shouts:
    """Keeps the ids of documents that shout, and finds them when a question shouts."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.ids: list[str] = json.loads(path.read_text()) if path.exists() else []

    def write(self, passages: Sequence[Passage], vectors: object) -> None:
        loud = {one.id for one in passages if "!" in one.text}
        self._save(loud | set(self.ids))

    def remove(self, ids: Sequence[str]) -> None:
        self._save(set(self.ids) - set(ids))

    def close(self) -> None:
        self._save(set(self.ids))

    def _save(self, ids: set[str]) -> None:
        self.ids = sorted(ids)
        self._path.write_text(json.dumps(self.ids))


class Loud:
    def __init__(self, store: Shouts, shelf: Shelf) -> None:
        self.name = f"{shelf.collection}/loud"
        self.collection = shelf.collection
        self._store = store

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        return [Found(one, 1.0) for one in self._store.ids[:limit]] if "!" in request.text else []


SHOUTS = StoreKind(
    takes=lambda kind: kind == "document",
    file="shouts.json",
    open=lambda path, shelf: Shouts(path),
    sources=lambda store, shelf: [Loud(store, shelf)],
)


class Shortest:
    name = "shortest"

    async def rerank(self, text: str, passages: Sequence[Passage]) -> Sequence[float]:
        return [-len(one.text) for one in passages]


def open_shortest(argument: str, settings: object) -> Shortest:
    return Shortest()
