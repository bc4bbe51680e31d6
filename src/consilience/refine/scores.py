"""Which steps change a score? Boosts, the agreement bonus and the reranker, all as deltas."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from consilience.errors import ModelError
from consilience.filters import holds
from consilience.protocols import Reranker
from consilience.refine.steps import Refined, rescored
from consilience.types import Boost, Change, Hit, Note


def boost(refined: Refined, boosts: Sequence[Boost]) -> Refined:
    """Soft preferences: a match gains `factor` of its fused score; nothing is dropped."""
    hits: Sequence[Hit] = refined.hits
    for wish in boosts:
        hits = rescored(hits, lambda hit, wish=wish: _boosted(hit, wish))  # type: ignore[misc]
    return refined.then(hits)


def agree(refined: Refined, *, bonus: float) -> Refined:
    """Each source beyond the first that found a passage adds `bonus` of its score."""
    if not bonus:
        return refined
    return refined.then(rescored(refined.hits, lambda hit: _agreed(hit, bonus)))


async def rerank(
    refined: Refined, text: str, reranker: Reranker | None, *, depth: int, blend: float
) -> Refined:
    """Blend a reranker's opinion of the first `depth` hits into their scores.

    blended = (1 - blend) * fused + blend * reranked, both scaled to [0, 1] over those hits and
    then back to the range of the fused scores, so that the difference is a delta on the fused
    score and the sum still adds up. If the reranker fails the order stays, with a note.
    """
    head = refined.hits[:depth]
    if reranker is None or len(head) < 2 or not blend:
        return refined
    try:
        scores = list(await reranker.rerank(text, [hit.passage for hit in head]))
        deltas = _blend(head, scores, blend)
    except ModelError as error:
        note = Note(reranker.name, f"{error}; the order is the fused one")
        return refined.then(refined.hits, notes=[note])
    return refined.then([*_reranked(head, deltas, reranker.name), *refined.hits[depth:]])


def _boosted(hit: Hit, wish: Boost) -> Change | None:
    condition = wish.condition
    if not holds(condition, hit.passage.value(condition.field)):
        return None
    return Change(step="boost", delta=hit.score * wish.factor, reason=wish.reason)


def _agreed(hit: Hit, bonus: float) -> Change | None:
    others = len(hit.sources) - 1
    if others < 1:
        return None
    reason = f"{others + 1} sources agree"
    return Change(step="agreement", delta=hit.score * bonus * others, reason=reason)


def _blend(head: Sequence[Hit], scores: Sequence[float], blend: float) -> Mapping[str, float]:
    if len(scores) != len(head) or not all(map(math.isfinite, scores)):
        raise ModelError(f"the reranker gave {len(scores)} scores for {len(head)} passages")
    fused = [hit.score for hit in head]
    low, high = min(fused), max(fused)
    return {
        hit.passage.id: blend * (high - low) * (theirs - ours)
        for hit, theirs, ours in zip(head, _scaled(scores), _scaled(fused), strict=True)
    }


def _scaled(scores: Sequence[float]) -> list[float]:
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) if high > low else 0.0 for score in scores]


def _reranked(head: Sequence[Hit], deltas: Mapping[str, float], name: str) -> list[Hit]:
    return rescored(
        head,
        lambda hit: Change(step="rerank", delta=deltas[hit.passage.id], reason=name),
    )
