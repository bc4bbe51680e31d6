"""Why does a passage stand where it stands, and why is another one not there?

Both read the trace of a search; `why_not` asks sources again, deeper, only to find the true
rank of a passage that none of them reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from consilience.errors import SourceError
from consilience.filters import holds
from consilience.pipeline import Engine, search, window_size
from consilience.protocols import Scorer
from consilience.types import Ask, Change, Hit, Outcome, Passage, Query, Result, Vote

DEEPEST = 10_000
# Which setting undoes what a step did.
REMEDIES = {
    "diversity": "set refine.mmr to 1 to turn diversity off",
    "share cap": "set refine.share to 1 to lift the cap",
    "coverage": "it gave way to a kind of evidence that this question calls for",
    "exact identifier": "it gave way to a passage that has the identifier to the letter",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """At which step a passage was lost, why, and what would have to change.

    `place` is set instead when the passage is among the results after all.
    """

    passage: Passage
    step: str
    reasons: tuple[str, ...]
    remedy: str
    place: int | None = None


def why(hit: Hit) -> list[str]:
    """The arithmetic of one hit in plain lines; the numbers add up to its score."""
    lines = [line for vote in hit.votes for line in _vote(vote)]
    lines.extend(_change(change) for change in hit.changes)
    if hit.merged:
        lines.append(f"stands for {len(hit.merged)} more of the same: {', '.join(hit.merged)}")
    lines.append(f"score {hit.score:.6f}")
    return lines


def total(hit: Hit) -> float:
    """What the votes and changes of a hit add up to: its score."""
    return sum(vote.contribution for vote in hit.votes) + sum(one.delta for one in hit.changes)


async def why_not(query: Query, passage: Passage, engine: Engine) -> Absence:
    """Search, and tell at which step the passage was lost."""
    result = await search(query, engine)
    for place, hit in enumerate(result.hits, start=1):
        if hit.passage.id == passage.id:
            return _present(hit, place)
    return (
        _filtered(query, passage)
        or _refined_away(result, passage)
        or _outside(result, passage, engine)
        or await _never_retrieved(result, passage, engine)
    )


def _vote(vote: Vote, indent: str = "") -> list[str]:
    line = (
        f"{indent}{vote.source}: rank {vote.rank}, its score {vote.score:.4f}, "
        f"weight {vote.weight:g} → {vote.contribution:+.6f}"
    )
    return [line, *(inner for part in vote.parts for inner in _vote(part, indent + "  "))]


def _change(change: Change) -> str:
    if change.before is not None:
        return f"{change.step}: moved from {change.before} to {change.after} ({change.reason})"
    return f"{change.step}: {change.delta:+.6f} ({change.reason})"


def _present(hit: Hit, place: int) -> Absence:
    return Absence(
        passage=hit.passage,
        step="present",
        place=place,
        reasons=(f"it is among the results, at place {place}",),
        remedy="nothing; `consilience why` explains its place",
    )


def _filtered(query: Query, passage: Passage) -> Absence | None:
    if query.collections and passage.collection not in query.collections:
        return Absence(
            passage=passage,
            step="filter",
            reasons=(f"it is in {passage.collection}, which was not asked",),
            remedy=f"ask {passage.collection} as well, or leave --collection out",
        )
    missed = [
        f"{one} does not hold: it has {passage.value(one.field)!r}"
        for one in query.filters
        if not holds(one, passage.value(one.field))
    ]
    if not missed:
        return None
    return Absence(
        passage=passage, step="filter", reasons=tuple(missed), remedy="leave that filter out"
    )


def _refined_away(result: Result, passage: Passage) -> Absence | None:
    for loss in result.trace.losses:
        if loss.id != passage.id:
            continue
        remedy = f"ask for a limit of {loss.place} or more"
        if loss.into:
            reason = f"{loss.reason} as {loss.into[:12]}, which stands for both"
            remedy = "look at that passage, or set refine.duplicate to 1"
            return Absence(passage=passage, step=loss.step, reasons=(reason,), remedy=remedy)
        if loss.step in REMEDIES:
            remedy = f"{remedy}, or {REMEDIES[loss.step]}"
        return Absence(passage=passage, step=loss.step, reasons=(loss.reason,), remedy=remedy)
    return None


def _outside(result: Result, passage: Passage, engine: Engine) -> Absence | None:
    places = [key for key, _ in result.trace.fused]
    if passage.id not in places:
        return None
    place = places.index(passage.id) + 1
    reranks = engine.reranker is not None
    size = window_size(engine.settings, result.query.limit, reranks=reranks)
    return Absence(
        passage=passage,
        step="window",
        reasons=(f"fused at place {place}; the first {size} are looked at",),
        remedy=f"set refine.window to {place} or more, and ask for a limit that reaches it",
    )


async def _never_retrieved(result: Result, passage: Passage, engine: Engine) -> Absence:
    asks = [ask for ask in result.trace.plan.asks if ask.collection == passage.collection]
    outcomes = {outcome.source: outcome for outcome in result.trace.outcomes}
    reasons: list[str] = []
    ranks: list[int] = []
    for ask in asks:
        reason, rank = await _true_rank(ask, outcomes[ask.vote], passage, engine)
        reasons.append(f"{ask.vote}: {reason}")
        ranks.extend([rank] if rank else [])
    remedy = f"set retrieve.depth to {min(ranks)} or more" if ranks else "ask in other words"
    return Absence(
        passage=passage, step="retrieve", reasons=tuple(reasons), remedy=f"{remedy}; {_also(asks)}"
    )


def _also(asks: Sequence[Ask]) -> str:
    deepest = max((ask.depth for ask in asks), default=0)
    return f"each source was asked for {deepest}"


async def _true_rank(
    ask: Ask, outcome: Outcome, passage: Passage, engine: Engine
) -> tuple[str, int | None]:
    """Where a source would have placed the passage, had it been asked for more."""
    if outcome.left_out or outcome.status == "skipped":
        return f"{outcome.status}: {outcome.reason}", None
    source = engine.sources[ask.source]
    try:
        found = await source.retrieve(ask.request, limit=DEEPEST)
        score = await _score(source, ask, passage)
    except SourceError as error:
        return f"failed: {error}", None
    ids = [one.id for one in found]
    if passage.id in ids:
        rank = ids.index(passage.id) + 1
        return (
            f"true rank {rank}, its score {found[rank - 1].score:.4f}; asked for {ask.depth}",
            rank,
        )
    if len(ids) >= DEEPEST:
        return f"beyond rank {DEEPEST}{score}", None
    return f"does not match{score}", None


async def _score(source: object, ask: Ask, passage: Passage) -> str:
    if not isinstance(source, Scorer):
        return ""
    scores = await source.score(ask.request, [passage.id])
    return f", its score {scores[passage.id]:.4f}" if passage.id in scores else ""
