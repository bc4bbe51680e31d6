"""Which steps make a trip, and what does each promise? Five protocols of one call.

Each has an implementation that reckons (in a module of its own here) and one that asks a language
model (`modelled`). They are asynchronous, since a model is awaited.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.types import (
    Advice,
    Candidates,
    Finding,
    Itinerary,
    RetrievalPlan,
    Search,
    Wish,
)
from consilience.types import Result

Searches = Callable[[Search], Awaitable[Result]]
"""Does one search of a retrieval plan in the workspace: the fused list, in its order."""


class Analyse(Protocol):
    """What does the text wish for? Nothing is invented: what is not said is `assumed` and told."""

    async def __call__(self, text: str, atlas: Atlas, *, today: date) -> Wish: ...


class PlanRetrieval(Protocol):
    """What is to be searched for this wish? Decided before anything is searched."""

    async def __call__(self, wish: Wish, atlas: Atlas) -> RetrievalPlan: ...


class Compose(Protocol):
    """Which days come of it? Only places of the atlas; the order of candidates decides who is
    preferred. With `before` that itinerary is mended by its `findings`, the rest of it kept.
    """

    async def __call__(
        self,
        wish: Wish,
        candidates: Candidates,
        atlas: Atlas,
        *,
        before: Itinerary | None = None,
        findings: Sequence[Finding] = (),
    ) -> Itinerary: ...


class Advise(Protocol):
    """What should one know on this way, and what does it cost? Every tip is borne out."""

    async def __call__(self, wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Advice: ...


class Check(Protocol):
    """What is wrong? All is reckoned anew from the atlas; nothing found means nothing is wrong."""

    async def __call__(
        self, wish: Wish, itinerary: Itinerary, advice: Advice, atlas: Atlas
    ) -> Sequence[Finding]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """The five steps of a trip."""

    analyse: Analyse
    plan: PlanRetrieval
    compose: Compose
    advise: Advise
    check: Check
