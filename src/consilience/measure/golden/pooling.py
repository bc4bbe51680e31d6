"""Which passages should a person judge for a question? The first finds of several methods.

Labels drawn from one method's finds favour that method for ever. So every source gives its first
few, and so do several fusers and the search as a whole; they are shown in a random order, and
nothing tells which of them found a passage, or how high.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from consilience.fuse import Options, fuse_levels
from consilience.measure.conditions import patient
from consilience.measure.golden.walking import by_edges, made_for
from consilience.measure.values import Edges
from consilience.pipeline import Engine, Gathered, gather, settle
from consilience.retrieve import Breakers
from consilience.threads import finished
from consilience.types import Passage, Query

FUSERS = ("rrf", "convex", "combmnz", "borda")
"""The fusers whose first finds are judged beside those of the single sources."""
DEPTH = 3
RULE = "rule"
_FEW_SOURCES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The passages to judge, in a random order, and the methods that they come from."""

    candidates: tuple[Passage, ...]
    methods: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooling:
    """How finds are pooled: of which collections, how many of each method, in which order.

    `edges` are those of the graphs: a path is judged by the edges it walks.
    """

    collections: tuple[str, ...] = ()
    depth: int = DEPTH
    seed: int = 0
    edges: Edges = field(default_factory=dict)


def pool(text: str, engine: Engine, how: Pooling, *, origin: str = "") -> Pool:
    """The first finds of every source, of several fusers and of the search as a whole.

    `origin` is the passage that gave the idea of the question; it is among them, like any other.
    """
    calm = replace(engine, settings=patient(engine.settings), breakers=Breakers())
    finds = finished(_finds(text, calm, how))
    if origin:
        finds[RULE] = [origin]
    ids = sorted({key for found in finds.values() for key in found})
    known = engine.lookup(ids)
    candidates = [known[key] for key in ids if key in known]
    random.Random(f"{how.seed} {text}").shuffle(candidates)  # noqa: S311 (can be repeated)
    methods = tuple(sorted(name for name, found in finds.items() if found))
    return Pool(candidates=tuple(candidates), methods=methods)


async def _finds(text: str, engine: Engine, how: Pooling) -> dict[str, list[str]]:
    """By method, the ids of its first finds; of a path, those of its edges."""
    query = Query(text=text, limit=how.depth, collections=how.collections)
    gathered = await gather(query, engine, completing=True)
    orders = {
        ranking.source: [one.id for one in ranking.found] for ranking in gathered.found.rankings
    }
    if len(orders) >= _FEW_SOURCES:
        for method in FUSERS:
            orders[f"fused/{method}"] = _fused(gathered, engine, method)
    result = await settle(gathered, engine)
    orders["search"] = [hit.passage.id for hit in result.hits]
    made = made_for(result.trace.rankings)
    return {
        name: [
            key for key, _ in by_edges([(one, 0.0) for one in order[: how.depth]], made, how.edges)
        ]
        for name, order in orders.items()
    }


def _fused(gathered: Gathered, engine: Engine, method: str) -> list[str]:
    settings = engine.settings.fusion
    weights: Mapping[str, float] = {ask.vote: ask.weight for ask in gathered.plan.asks}
    fused = fuse_levels(
        gathered.found.rankings,
        method=method,
        across=settings.across,
        options=Options(k=settings.k, alpha=settings.alpha, weights=weights),
        shares=gathered.plan.shares,
    )
    return [key for key, _ in fused.order]
