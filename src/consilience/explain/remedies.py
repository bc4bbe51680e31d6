"""Which change brings a passage in? Changes are tried until the passage is among the hits.

Whatever keeps it out is changed, and the search is run again: raising the limit moves diversity
and the window with it, and a passage that is retrieved at last may still fall outside the
window. So advice is given only after it has worked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from consilience.errors import ConsilienceError
from consilience.explain.standing import Standing, standings
from consilience.pipeline import Engine, search
from consilience.plan import kind_of
from consilience.refine.duplicates import SIMILAR_TEXT
from consilience.retrieve import Breakers
from consilience.settings import Settings
from consilience.types import Loss, Passage, Query, Result

ROUNDS = 8
_ASKED = ("filter", "collection", "limit")  # what is changed in the question, not in settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A search with some changes: in words, by what they change.

    `most` is the largest limit that can be asked for.
    """

    query: Query
    engine: Engine
    most: float = math.inf
    changes: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return " and ".join(self.changes.values())

    def asking(self, query: Query, what: str, told: str) -> Attempt:
        """The same with another query."""
        return replace(self, query=query, changes={**self.changes, what: told})

    def limited(self, limit: int) -> Attempt:
        """The same with another limit."""
        told = f"ask for a limit of {limit}"
        return self.asking(replace(self.query, limit=limit), "limit", told)

    def setting(self, name: str, value: object, told: str = "") -> Attempt:
        """The same with another setting; planning knows the settings as well."""
        section, _, last = name.partition(".")
        old: Settings = self.engine.settings
        part = replace(getattr(old, section), **{last: value})
        settings = replace(old, **{section: part})
        knowledge = replace(self.engine.knowledge, settings=settings)
        engine = replace(self.engine, settings=settings, knowledge=knowledge)
        shown = f"{value:g}" if isinstance(value, int | float) else f"{value}"
        told = told or f"set {name} to {shown}"
        return replace(self, engine=engine, changes={**self.changes, name: told})

    async def run(self) -> Result | None:
        """Search; None when that is refused. The engine's breakers learn nothing from it."""
        known = self.engine.breakers.by_source
        breakers = Breakers({name: replace(one) for name, one in known.items()})
        try:
            return await search(self.query, replace(self.engine, breakers=breakers))
        except ConsilienceError:
            return None


def place_of(result: Result, key: str, *, merged: bool = False) -> int | None:
    """The place of a passage among the hits; with `merged`, that of a hit which stands for it."""
    for place, hit in enumerate(result.hits, start=1):
        if hit.passage.id == key or (merged and key in hit.merged):
            return place
    return None


def loss_of(result: Result, key: str) -> Loss | None:
    """How refining lost a passage, if it did."""
    return next((one for one in result.trace.losses if one.id == key), None)


async def works(attempt: Attempt, passage: Passage, *, merged: bool = False) -> bool:
    """Whether a search so changed has the passage."""
    result = await attempt.run()
    return result is not None and place_of(result, passage.id, merged=merged) is not None


async def remedy(
    result: Result | None, passage: Passage, attempt: Attempt, *, merged: bool = False
) -> str:
    """The changes that bring the passage in, tried out; empty when none was found.

    `result` is what the attempt gave so far. With `merged` a hit that stands for it will do.
    """
    start = attempt
    for _ in range(ROUNDS):
        if result is None:
            return ""
        if place_of(result, passage.id, merged=merged):
            return await _simplest(start, attempt, passage, merged=merged)
        further = await _further(result, passage, attempt, merged=merged)
        if further is None:
            return ""
        attempt = further
        result = await attempt.run()
    return ""


async def _simplest(start: Attempt, attempt: Attempt, passage: Passage, *, merged: bool) -> str:
    """The attempt in words; what is asked alone where that will do: a limit raises depth and
    window.
    """
    asked = {what: told for what, told in attempt.changes.items() if what in _ASKED}
    alone = replace(start, query=attempt.query, changes={**start.changes, **asked})
    needless = "limit" in attempt.changes and len(attempt.changes) > len(alone.changes)
    if needless and await works(alone, passage, merged=merged):
        return str(alone)
    return str(attempt)


async def _further(
    result: Result, passage: Passage, attempt: Attempt, *, merged: bool
) -> Attempt | None:
    """One change more, against whatever loses the passage now; None when there is none."""
    loss = loss_of(result, passage.id)
    if loss is not None and loss.into:
        if not merged:
            similar = loss.reason == SIMILAR_TEXT
            return attempt.setting("refine.duplicate", 1) if similar else None
        loss = loss_of(result, loss.into)
    if loss is not None:
        limit = attempt.query.limit
        # Diversity moves with the limit: a passage that escapes twice is given a good deal more.
        least = limit + limit // 2 if "limit" in attempt.changes else 0
        return _longer(attempt, passage, max(loss.place or 0, least, limit + 1))
    places = [key for key, _ in result.trace.fused]
    if passage.id in places:
        place = places.index(passage.id) + 1
        grown = place > attempt.engine.settings.refine.window
        return attempt.setting("refine.window", place) if grown else None
    found = await standings(result, passage, attempt.engine)
    return _deeper(found, passage, attempt) or _louder(found, attempt) or _calmer(found, attempt)


def _longer(attempt: Attempt, passage: Passage, limit: int) -> Attempt | None:
    """A longer list; one that may not be so long is asked of the passage's collection alone."""
    if limit <= attempt.most:
        return attempt.limited(limit)
    alone = (passage.collection,)
    if attempt.query.collections == alone:
        return None
    told = f"ask {passage.collection} alone"
    return attempt.asking(replace(attempt.query, collections=alone), "collection", told)


def _deeper(found: Sequence[Standing], passage: Passage, attempt: Attempt) -> Attempt | None:
    ranks = [one.rank for one in found if one.rank is not None and not one.missed]
    if not ranks:
        return None
    size = attempt.engine.knowledge.sizes.get(passage.collection, 0)
    if attempt.engine.settings.retrieve.percentile and size:
        share = math.ceil(min(ranks) / size * 10_000) / 100
        return attempt.setting("retrieve.percentile", share)
    return attempt.setting("retrieve.depth", min(ranks))


def _louder(found: Sequence[Standing], attempt: Attempt) -> Attempt | None:
    """Weights of 0 lifted, where it is the settings that say so."""
    weights = attempt.engine.settings.fusion.weights
    names = {
        name
        for one in found
        if one.weightless
        for name in (one.ask.source, kind_of(one.ask.source), one.ask.collection)
        if weights.get(name) == 0
    }
    if not names:
        return None
    heard = {name: weight for name, weight in weights.items() if name not in names}
    told = f"give {' and '.join(sorted(names))} a weight above 0 in fusion.weights"
    return attempt.setting("fusion.weights", heard, told)


def _calmer(found: Sequence[Standing], attempt: Attempt) -> Attempt | None:
    """More time for a source that was too slow; once, since a hung one never answers."""
    if "retrieve.hard_ms" in attempt.changes or not any(one.late for one in found):
        return None
    return attempt.setting("retrieve.hard_ms", 10 * attempt.engine.settings.retrieve.hard_ms)
