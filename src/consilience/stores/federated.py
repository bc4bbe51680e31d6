"""What does an index elsewhere find? A federated source, ranked beside the collections here.

Its collection has the plug-in's name. Each result becomes a passage of the kind `federated`, with
an id by its content and the link in its metadata; it comes along with the ranking, and nothing of
it is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from consilience.errors import SourceError
from consilience.filters import passes
from consilience.kinds import FEDERATED
from consilience.protocols import FederatedPassage, FederatedSource
from consilience.stores.common import check_limit, rank_found
from consilience.types import Found, Locator, Passage, Request, Signal, passage_id

_FILTERED = 4  # times as many are asked for where filters may drop some


class FederatedRetriever:
    """The `Retriever` over a federated source; filters are checked on what it finds."""

    signal = Signal.OTHER

    def __init__(self, collection: str, source: FederatedSource) -> None:
        self.collection = collection
        self.name = f"{collection}/{FEDERATED}"
        self._source = source

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` passages that meet the filters, best first, ties by id."""
        check_limit(limit)
        depth = limit * _FILTERED if request.filters else limit
        results = await self._source.search(request.text, limit=depth)
        found = [self._found(result) for result in list(results)[:depth]]
        return rank_found(
            [entry for entry in found if entry.passage and passes(entry.passage, request.filters)],
            limit,
        )

    def _found(self, result: object) -> Found:
        if not isinstance(result, FederatedPassage):
            raise SourceError(f"{self.name} gave {result!r} where a FederatedPassage was expected")
        if not (result.text.strip() and result.link.strip() and math.isfinite(result.score)):
            raise SourceError(f"{self.name} gave {result!r}, which has no text, a link or a score")
        title, place = result.title or result.link, Locator()
        metadata = {**result.metadata, "link": result.link}
        key = passage_id(self.collection, FEDERATED, title, place, result.text, metadata)
        passage = Passage(
            id=key,
            collection=self.collection,
            document=result.link,
            kind=FEDERATED,
            title=title,
            text=result.text,
            metadata=metadata,
        )
        return Found(key, result.score, passage)
