"""How does a question become an explained ranking? plan → retrieve → fuse → refine.

The only module that knows the order of the stages. Each leaves its part of the trace.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from consilience.fuse import Fused, Options, fuse_levels, lean
from consilience.plan import Knowledge, plan
from consilience.protocols import Lookup, Reranker, Retriever
from consilience.refine import (
    Refined,
    agree,
    boost,
    cap,
    cover,
    cut,
    dedupe,
    diversify,
    pin,
    rerank,
)
from consilience.retrieve import Breakers, Retrieved, retrieve
from consilience.settings import Fusion, Settings
from consilience.types import Hit, Note, Passage, Plan, Query, Result, Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What a search needs: sources by name, the passages behind ids, and what planning knows."""

    sources: Mapping[str, Retriever]
    lookup: Lookup
    knowledge: Knowledge
    settings: Settings
    reranker: Reranker | None = None
    breakers: Breakers = field(default_factory=Breakers)


async def search(query: Query, engine: Engine) -> Result:
    """Answer a query with hits in order, each with the votes and changes that placed it."""
    clock = _Clock()
    with clock.timing("plan"):
        todo = plan(query, engine.knowledge)
    with clock.timing("retrieve"):
        found = await retrieve(
            todo, engine.sources, settings=engine.settings.retrieve, breakers=engine.breakers
        )
    with clock.timing("fuse"):
        shares = lean(found.rankings, todo.shares, width=engine.settings.fusion.lean)
        fused = _fuse(todo, found, engine.settings.fusion, shares)
    with clock.timing("look up"):
        window = _window(fused, found, engine, limit=query.limit)
    with clock.timing("refine"):
        refined = await _refine(todo, window, engine)
    return Result(
        query=query,
        hits=refined.hits,
        notes=(*found.notes, *refined.notes),
        trace=Trace(
            plan=todo,
            rankings=found.rankings,
            outcomes=found.outcomes,
            shares=shares,
            fused=fused.order,
            losses=refined.losses,
            timing_ms=clock.ms,
        ),
    )


def _fuse(todo: Plan, found: Retrieved, settings: Fusion, shares: Mapping[str, float]) -> Fused:
    weights = {ask.vote: ask.weight for ask in todo.asks}
    return fuse_levels(
        found.rankings,
        method=settings.method,
        across=settings.across,
        options=Options(k=settings.k, alpha=settings.alpha, weights=weights),
        shares=shares,
    )


def _window(fused: Fused, found: Retrieved, engine: Engine, *, limit: int) -> Refined:
    """The first hits with their passages; an id that no passage stands behind is remarked on."""
    size = window_size(engine.settings, limit, reranks=engine.reranker is not None)
    first = fused.order[:size]
    passages = _passages([key for key, _ in first], found, engine.lookup)
    hits = [
        Hit(passage=passages[key], score=score, votes=fused.votes(key))
        for key, score in first
        if key in passages
    ]
    lost = len(first) - len(hits)
    notes = (Note("search", f"{lost} stale results left out; run `consilience add`"),)
    return Refined(hits=tuple(hits), notes=notes if lost else ())


def window_size(settings: Settings, limit: int, *, reranks: bool) -> int:
    """How many of the fused are refined: room to choose from, and what the reranker wants."""
    wanted = settings.refine.rerank if reranks else 0
    return max(settings.refine.window, 2 * limit, wanted)


def _passages(ids: Sequence[str], found: Retrieved, lookup: Lookup) -> dict[str, Passage]:
    wanted = set(ids)
    brought = {
        one.id: one.passage
        for ranking in found.rankings
        for one in ranking.found
        if one.passage is not None and one.id in wanted
    }
    return {**brought, **lookup(ids)}


async def _refine(todo: Plan, window: Refined, engine: Engine) -> Refined:
    settings = engine.settings.refine
    limit = todo.query.limit
    refined = boost(window, todo.boosts)
    refined = agree(refined, bonus=engine.settings.fusion.bonus)
    refined = dedupe(refined, engine.knowledge.pack.identities, threshold=settings.duplicate)
    if todo.query.rerank:
        refined = await rerank(
            refined,
            todo.query.text,
            engine.reranker,
            depth=settings.rerank,
            blend=settings.blend,
        )
    refined = diversify(refined, trust=settings.mmr, places=limit)
    refined = cap(refined, share=settings.share)
    refined = cover(refined, todo.cover, limit=limit)
    refined = pin(refined, todo.identifiers, places=min(settings.pinned, limit))
    return cut(refined, limit=limit, few=settings.few)


class _Clock:
    """Milliseconds of each stage."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}

    @contextmanager
    def timing(self, stage: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.ms[stage] = round((time.perf_counter() - started) * 1000, 3)
