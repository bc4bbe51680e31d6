"""Which places were found for a wish? The searches of the plan, one after another, fused in order.

Each search gives a list in its fused order; a place scores Σ weight / (60 + rank) over them. What
is remarked of a place, and ways to it, count for it at half weight; a search counts once for a
place, by the best of its hits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.checking.ways import belongs
from consilience.packs.travel.trips.checking.wishes import why_avoided
from consilience.packs.travel.trips.steps import Searches
from consilience.packs.travel.trips.types import Candidate, Candidates, RetrievalPlan, Search
from consilience.types import Hit, Note, Passage, Result

K = 60
"""The constant of the fusion: how much the first places are preferred to those behind them."""
BESIDE = 0.5
"""What a remark on a place, or a way to it, counts."""


async def retrieve(plan: RetrievalPlan, searches: Searches, atlas: Atlas) -> Candidates:
    """The places that the searches of a plan find, best first, and what was left out and why."""
    results = [await searches(one) for one in plan.searches]
    scores: dict[str, float] = {}
    reasons: dict[str, list[str]] = {}
    for search, result in zip(plan.searches, results, strict=True):
        for place, (rank, share) in _ranks(search, result, atlas).items():
            scores[place] = scores.get(place, 0.0) + share * search.weight / (K + rank)
            reasons.setdefault(place, []).append(f"{search.purpose}, place {rank}")
    excluded = {key: why for key in scores if (why := _excluded(key, plan, atlas))}
    kept = [key for key in scores if key not in excluded]
    return Candidates(
        found=tuple(
            Candidate(
                place=key,
                passage=atlas.places[key].passage,
                score=scores[key],
                reasons=tuple(reasons[key]),
            )
            for key in sorted(kept, key=lambda one: (-scores[one], one))
        ),
        excluded=excluded,
        notes=_notes(results),
    )


def _ranks(search: Search, result: Result, atlas: Atlas) -> Mapping[str, tuple[int, float]]:
    """The places that a search found, each by the hit that counts most: its rank and share."""
    best: dict[str, tuple[int, float]] = {}
    hits: Sequence[Hit] = (*result.hits, *result.more)[: search.depth]
    for rank, hit in enumerate(hits, start=1):
        for place, share in _told_of(hit.passage):
            if place not in atlas.places:
                continue
            known = best.get(place)
            if known is None or share / (K + rank) > known[1] / (K + known[0]):
                best[place] = (rank, share)
    return best


def _told_of(passage: Passage) -> Iterable[tuple[str, float]]:
    """The places that a passage tells of, and how much it counts for each."""
    fields = passage.metadata
    if "node" in fields:
        return [(str(fields["node"]), 1.0)]
    return [(str(fields[key]), BESIDE) for key in ("about", "source", "target") if key in fields]


def _excluded(place: str, plan: RetrievalPlan, atlas: Atlas) -> str:
    known = atlas.places[place]
    reason = why_avoided(known, plan.exclusions, atlas)
    if reason:
        return f"to be avoided: {reason}"
    belongs_there = any(belongs(place, city, atlas) for city in plan.cities)
    if plan.cities and atlas.city_of(place) and not belongs_there:
        names = ", ".join(atlas.name_of(one) for one in plan.cities)
        return f"not in {names}"
    return ""


def _notes(results: Iterable[Result]) -> tuple[Note, ...]:
    return tuple(dict.fromkeys(note for one in results for note in one.notes))
