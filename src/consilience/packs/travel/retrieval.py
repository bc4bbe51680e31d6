"""What is searched for a wish, and which places come of it? Searches by text and graph, fused.

The searches are decided before anything is searched: one for each thing that is wanted, one for
beds, one for food, one for what is best anyway. A place scores Σ weight / (60 + rank) over them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence

from consilience.packs.travel.atlas import FOOD, STAY, Atlas
from consilience.packs.travel.constraints import (
    MONTHS,
    GoTo,
    Level,
    Need,
    Nights,
    Order,
    Season,
    Theme,
    Want,
    Within,
)
from consilience.packs.travel.itinerary import Candidates, RetrievalPlan, Search
from consilience.packs.travel.wish import Wish
from consilience.types import Filter, Hit, Note, Passage, Result

K = 60
"""How much the first ranks are preferred to those behind them."""
ABOUT_SHARE = 0.5
"""What a remark on a place, or a way to it, counts for the place."""
MOST_SEARCHES = 8

RunSearch = Callable[[Search], Awaitable[Result]]
"""Runs one search of a plan in a workspace."""


def plan_retrieval(wish: Wish, atlas: Atlas) -> RetrievalPlan:
    """The searches for a wish."""
    return RetrievalPlan(searches=tuple(_searches(wish, atlas))[:MOST_SEARCHES])


def _searches(wish: Wish, atlas: Atlas) -> Iterator[Search]:
    where = _where(wish, atlas)
    season = wish.first(Season)
    when = f" in {MONTHS[season.months[0] - 1]}" if season and season.months else ""
    themes = [theme.theme for theme in wish.of(Theme)]
    for theme in dict.fromkeys(themes):
        yield Search(purpose=theme, text=f"places for {theme}{where}{when}")
    for want in wish.of(Want):
        names = " or ".join(dict.fromkeys(thing.state(atlas) for thing in want.things))
        yield Search(purpose=names, text=f"{names}{where}{when}", weight=1.2)
    yield Search(purpose="sights", text=f"best sights and things to do{where}{when}", weight=0.7)
    needs = " ".join(need.need for need in wish.of(Need))
    yield Search(
        purpose="food",
        text=f"{needs} food and restaurants{where}".strip(),
        weight=0.6,
        filters=(Filter("node_kind", "=", FOOD),),
    )
    levels = " or ".join(level for one in wish.of(Level) for level in one.levels)
    yield Search(
        purpose="stays",
        text=f"{levels} {needs} places to stay{where}".strip(),
        weight=0.6,
        filters=(Filter("node_kind", "=", STAY),),
    )


def _where(wish: Wish, atlas: Atlas) -> str:
    places = [one.place for one in wish.of(GoTo)]
    places += [one.place for one in wish.of(Nights) if one.place]
    places += [place for one in wish.of(Order) for place in one.places]
    places += [place for one in wish.of(Within) for place in one.places]
    names = [atlas.name_of(place) for place in dict.fromkeys(places)]
    return f" in {', '.join(names[:4])}" if names else ""


async def retrieve(plan: RetrievalPlan, run: RunSearch, atlas: Atlas) -> Candidates:
    """The places that the searches find, and by which."""
    results = await asyncio.gather(*(run(search) for search in plan.searches))
    scores: dict[str, float] = {}
    reasons: dict[str, list[str]] = {}
    for search, result in zip(plan.searches, results, strict=True):
        for place, (rank, share) in _ranks(search, result, atlas).items():
            scores[place] = scores.get(place, 0.0) + share * search.weight / (K + rank)
            reasons.setdefault(place, []).append(f"{search.purpose}, rank {rank}")
    ranked = sorted(scores, key=lambda place: (-scores[place], place))
    return Candidates(
        scores={place: scores[place] for place in ranked},
        reasons={place: tuple(reasons[place]) for place in ranked},
        notes=_notes(results),
    )


def _ranks(search: Search, result: Result, atlas: Atlas) -> dict[str, tuple[int, float]]:
    """The places that a search found, each by the hit that counts most."""
    best: dict[str, tuple[int, float]] = {}
    hits: Sequence[Hit] = (*result.hits, *result.more)[: search.depth]
    for rank, hit in enumerate(hits, start=1):
        for place, share in _places_of(hit.passage):
            known = best.get(place)
            if place in atlas.places and (
                known is None or share / (K + rank) > known[1] / (K + known[0])
            ):
                best[place] = (rank, share)
    return best


def _places_of(passage: Passage) -> list[tuple[str, float]]:
    """The places that a passage is about, and how much it counts for each."""
    fields = passage.metadata
    if "node" in fields:
        return [(str(fields["node"]), 1.0)]
    keys = [key for key in ("about", "source", "target") if key in fields]
    return [(str(fields[key]), ABOUT_SHARE) for key in keys]


def _notes(results: Sequence[Result]) -> tuple[Note, ...]:
    """What went wrong in the searches; how the graph read their words is of no use here."""
    every = dict.fromkeys(note for result in results for note in result.notes)
    return tuple(
        note for note in every if note.origin != "relevance" and not note.origin.endswith("/graph")
    )
