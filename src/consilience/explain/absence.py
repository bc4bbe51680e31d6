"""At which step was a passage lost, why, and what would have to change?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from consilience.explain.remedies import Attempt, loss_of, place_of, remedy, works
from consilience.explain.standing import Standing, standings
from consilience.filters import holds
from consilience.kinds import unsearched_kinds
from consilience.pipeline import Engine, search, window_size
from consilience.refine.duplicates import SIMILAR_TEXT
from consilience.types import Filter, Loss, Passage, Query, Result

NO_REMEDY = "nothing that was tried brings it in: a limit, a window or a depth; ask in other words"
# Which setting undoes what a step did.
SWITCHES = {
    "diversity": ("refine.mmr", 1),
    "share cap": ("refine.share", 1),
    "exact identifier": ("refine.pinned", 0),
}
# To whom a hit gave way, where that is not told by the step's own reason.
WINNERS = {
    "coverage": "its place went to a kind of evidence that this question calls for",
    "exact identifier": "its place went to a passage that has the identifier exactly",
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


async def why_not(
    query: Query,
    passage: Passage,
    engine: Engine,
    *,
    pending: bool = False,
    most: float = math.inf,
) -> Absence:
    """Search, and tell at which step the passage was lost, and which change brings it in.

    Limits and settings that are advised were tried: with them the passage is among the hits.
    `pending` says that the catalogue has yet to hand the passage to the engines, `most` which limit
    is the largest that can be asked for.
    """
    result = await search(query, engine)
    place = place_of(result, passage.id)
    if place is not None:
        return Absence(
            passage=passage,
            step="present",
            place=place,
            reasons=(f"it is among the results, at place {place}",),
            remedy="nothing; `consilience why` explains its place",
        )
    attempt = Attempt(query=query, engine=engine, most=most)
    return (
        await _filtered(result, passage, attempt)
        or await _refined_away(result, passage, attempt)
        or await _outside(result, passage, attempt)
        or (_pending(passage) if pending else None)
        or await _never_retrieved(result, passage, attempt)
    )


async def _filtered(result: Result, passage: Passage, attempt: Attempt) -> Absence | None:
    query = attempt.query
    if query.collections and passage.collection not in query.collections:
        wider = replace(query, collections=(*query.collections, passage.collection))
        told = f"ask {passage.collection} as well, or every collection"
        attempt = attempt.asking(wider, "filter", told)
        reasons = [f"it is in {passage.collection}, which was not asked"]
    else:
        missed = _missed(result, passage)
        if not missed:
            return None
        left = tuple(one for at, one in enumerate(query.filters) if at not in missed)
        attempt = attempt.asking(replace(query, filters=left), "filter", "leave that filter out")
        reasons = [
            f"{one} does not hold: it has {passage.value(one.field)!r}" for one in missed.values()
        ]
    advice = await remedy(await attempt.run(), passage, attempt) or str(attempt)
    return Absence(passage=passage, step="filter", reasons=tuple(reasons), remedy=advice)


def _missed(result: Result, passage: Passage) -> dict[int, Filter]:
    """The filters that the passage does not meet, by place, as its collection was asked them."""
    asked = [ask for ask in result.trace.plan.asks if ask.collection == passage.collection]
    filters = asked[0].request.filters if asked else result.query.filters
    return {at: one for at, one in enumerate(filters) if not holds(one, passage.value(one.field))}


def _pending(passage: Passage) -> Absence:
    return Absence(
        passage=passage,
        step="index",
        reasons=("it is in the catalogue, but not indexed yet",),
        remedy="run `consilience add`",
    )


async def _refined_away(result: Result, passage: Passage, attempt: Attempt) -> Absence | None:
    loss = loss_of(result, passage.id)
    if loss is None:
        return None
    if loss.into:
        return await _merged(result, loss, passage, attempt)
    advice = [await remedy(result, passage, attempt)]
    if loss.step in SWITCHES:
        switched = attempt.setting(*SWITCHES[loss.step])
        advice.append(str(switched) if await works(switched, passage) else "")
    reasons = [loss.reason, *([WINNERS[loss.step]] if loss.step in WINNERS else [])]
    return Absence(
        passage=passage,
        step=loss.step,
        reasons=tuple(reasons),
        remedy=", or ".join(filter(None, advice)) or NO_REMEDY,
    )


async def _merged(result: Result, loss: Loss, passage: Passage, attempt: Attempt) -> Absence:
    """Merged into another: that one may be shown, or be lost in its turn."""
    key, place = loss.into[:12], place_of(result, loss.into)
    further = loss_of(result, loss.into)
    reasons = [f"{loss.reason} as {key}, which stands for both"]
    advice = [f"look at {key}, at place {place}"] if place else []
    if further is not None:
        reasons.append(f"{key} was cut in its turn: {further.reason}")
        shown = await remedy(result, passage, attempt, merged=True)
        advice.append(f"{shown} to see {key}" if shown else "")
    if loss.reason == SIMILAR_TEXT:
        advice.append(await remedy(result, passage, attempt))
    return Absence(
        passage=passage,
        step=loss.step,
        reasons=tuple(reasons),
        remedy=", or ".join(filter(None, advice)) or NO_REMEDY,
    )


async def _outside(result: Result, passage: Passage, attempt: Attempt) -> Absence | None:
    places = [key for key, _ in result.trace.fused]
    if passage.id not in places:
        return None
    place = places.index(passage.id) + 1
    engine = attempt.engine
    size = window_size(engine.settings, result.query.limit, reranks=engine.reranker is not None)
    if place <= size:
        reasons = (f"fused at place {place}, but the catalogue no longer has it",)
        return Absence(
            passage=passage, step="look up", reasons=reasons, remedy="run `consilience add`"
        )
    advice = await remedy(result, passage, attempt)
    return Absence(
        passage=passage,
        step="window",
        reasons=(f"fused at place {place}; the first {size} are looked at",),
        remedy=advice or NO_REMEDY,
    )


async def _never_retrieved(result: Result, passage: Passage, attempt: Attempt) -> Absence:
    found = await standings(result, passage, attempt.engine)
    reasons = [f"{one.ask.vote}: {one.reason}" for one in found]
    if not found:
        reasons.append(f"no source holds anything of {passage.collection}")
    made = passage.id not in attempt.engine.lookup([passage.id])
    if made:
        reasons.append("it was made for a question, and is not made for this one")
    advice = await remedy(result, passage, attempt)
    return Absence(
        passage=passage,
        step="retrieve",
        reasons=tuple(reasons),
        remedy=advice or _otherwise(found, passage, attempt.engine, made=made),
    )


def _otherwise(found: Sequence[Standing], passage: Passage, engine: Engine, *, made: bool) -> str:
    """What cannot be tried by searching again."""
    if any(one.missed for one in found):
        size = engine.knowledge.sizes.get(passage.collection, 0)
        reach = f" to {size}" if size > engine.settings.store.exact else ""
        return f"raise store.exact{reach}, so that every passage is compared with the question"
    if any(one.late for one in found):
        return "raise retrieve.hard_ms; `consilience doctor` looks further"
    if any(one.outcome.left_out for one in found):
        return "`consilience doctor` looks further"
    if made:
        return (
            f"name both ends in the question ({passage.title}); if it is not found then, what it "
            "was made of has changed or is gone"
        )
    if not found or not all(one.held for one in found):
        return "run `consilience add`, which indexes what is missing"
    named = "name the paper in the question, by author and year: it is found by that alone"
    return named if passage.kind in unsearched_kinds() else "ask in other words"
