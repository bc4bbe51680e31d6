"""Which steps change a score? Boosts, the agreement bonus and the reranker, all as deltas."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, pstdev
from typing import NamedTuple

from consilience.errors import ModelError
from consilience.filters import holds
from consilience.patience import within
from consilience.protocols import Reranker
from consilience.refine.steps import Refined, rescored
from consilience.types import Boost, Change, Hit, Note

TIED = 1e-12  # scores nearer than this are one place: `rescored` does not tell them apart
SMALLEST = 1e-6  # the room a reranker gets among fused scores that are all 0


class Opinion(NamedTuple):
    """What a reranker says of a hit: its own score, and what that adds to the hit's."""

    score: float
    delta: float


def boost(refined: Refined, boosts: Sequence[Boost]) -> Refined:
    """Soft preferences: a match gains `factor` of its fused score; nothing is dropped."""
    hits: Sequence[Hit] = refined.hits
    for wish in boosts:
        hits = rescored(hits, lambda hit, wish=wish: _boosted(hit, wish))  # type: ignore[misc]
    return refined.then(hits)


def agree(refined: Refined, *, bonus: float) -> Refined:
    """Each source beyond the first that found a passage adds `bonus` of its score.

    A source that was asked twice (`books/dense`, `books/dense+terms`) agrees with nobody by that.
    """
    if not bonus:
        return refined
    return refined.then(rescored(refined.hits, lambda hit: _agreed(hit, bonus)))


async def rerank(
    refined: Refined,
    text: str,
    reranker: Reranker | None,
    *,
    depth: int,
    blend: float,
    timeout_ms: float = 2000,
) -> Refined:
    """Blend a reranker's opinion of the first `depth` hits into their scores.

    blended = (1 - blend) * fused + blend * reranked, both as standard scores over those hits
    (mean 0, deviation 1) and then back to the deviation of the fused ones, so that the difference
    is a delta on the fused score and the sum still adds up. Fused scores that are all the same
    leave the choice to the reranker. If it fails, or takes longer than `timeout_ms`, the order
    stays, with a note; a hit that it has no opinion of keeps its score. What the reranker itself
    gave stays on the hit: it compares between questions, where a standard score does not.
    """
    head = refined.hits[:depth]
    if reranker is None or len(head) < 2 or not blend:
        return refined
    name = _name(reranker)
    opinions, reason = await within(timeout_ms, _opinions(reranker, text, head, blend))
    if opinions is None:
        note = Note(name, f"{reason}; the order is the fused one")
        return refined.then(refined.hits, notes=[note])
    unread = len(head) - len(opinions)
    told = f"no opinion of {unread} of {len(head)} passages, for want of time or words"
    return refined.then(
        [*_reranked(head, opinions, name), *refined.hits[depth:]],
        notes=[Note(name, told)] if unread else [],
    )


async def _opinions(
    reranker: Reranker, text: str, head: Sequence[Hit], blend: float
) -> Mapping[str, Opinion]:
    scores = list(await reranker.rerank(text, [hit.passage for hit in head]))
    return _blend(head, scores, blend)


def _name(reranker: Reranker) -> str:
    """What it is called; one whose files are damaged cannot say."""
    try:
        return reranker.name
    except Exception:  # noqa: BLE001 - a plug-in may raise anything
        return "reranker"


def _boosted(hit: Hit, wish: Boost) -> Change | None:
    condition = wish.condition
    if not holds(condition, hit.passage.value(condition.field)):
        return None
    return Change(step="boost", delta=hit.score * wish.factor, reason=wish.reason)


def _agreed(hit: Hit, bonus: float) -> Change | None:
    others = len({_asked(source) for source in hit.sources}) - 1
    if others < 1:
        return None
    reason = f"{others + 1} sources agree"
    return Change(step="agreement", delta=hit.score * bonus * others, reason=reason)


def _asked(vote: str) -> str:
    """The source behind a vote: `books/dense` of `books/dense+terms`."""
    collection, slash, kind = vote.rpartition("/")
    return collection + slash + kind.partition("+")[0]


def _blend(
    head: Sequence[Hit], scores: Sequence[float | None], blend: float
) -> Mapping[str, Opinion]:
    """What the reranker says of each hit that it has an opinion of, and what blending adds to it.

    Only those are compared, and none falls below the lowest of them: the best are read first, and
    a poor opinion must not put one behind those that nobody read. An opinion that is the same of
    all is none.
    """
    if len(scores) != len(head):
        raise ModelError(f"the reranker gave {len(scores)} scores for {len(head)} passages")
    read = [(hit, score) for hit, score in zip(head, scores, strict=True) if score is not None]
    if not read:
        return {}
    judged = [score for _, score in read]
    odd = [score for score in judged if not math.isfinite(score)]
    if odd or not math.isfinite(max(judged) - min(judged)):
        raise ModelError(f"the reranker gave the score {(odd or [max(judged)])[0]!r}")
    fused = [hit.score for hit, _ in read]
    if max(judged) == min(judged):
        return {hit.passage.id: Opinion(score, 0.0) for hit, score in read}
    tied = max(fused) - min(fused) <= TIED
    room = max(abs(max(fused)), SMALLEST) if tied else pstdev(fused)
    ours = [0.0] * len(fused) if tied else _standard(fused)
    pairs = zip(_standard(judged), ours, strict=True)
    deltas = (blend * room * (theirs - ours) for theirs, ours in pairs)
    lowest = -math.inf if tied else min(fused)
    return {
        hit.passage.id: Opinion(score, max(delta, lowest - hit.score))
        for (hit, score), delta in zip(read, deltas, strict=True)
    }


def _standard(scores: Sequence[float]) -> list[float]:
    """How many deviations each score lies above the mean; 0 each when they are equal."""
    middle, spread = fmean(scores), pstdev(scores)
    return [(score - middle) / spread if spread else 0.0 for score in scores]


def _reranked(head: Sequence[Hit], opinions: Mapping[str, Opinion], name: str) -> list[Hit]:
    told = {
        key: Change(step="rerank", delta=one.delta, reason=name, score=one.score)
        for key, one in opinions.items()
    }
    after = rescored(head, lambda hit: told.get(hit.passage.id))
    return [_noted(hit, told.get(hit.passage.id)) for hit in after]


def _noted(hit: Hit, change: Change | None) -> Hit:
    """The hit with an opinion that moved nothing: the score in it is still worth knowing."""
    if change is None or change.delta:
        return hit
    return replace(hit, changes=(*hit.changes, change))
